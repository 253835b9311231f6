//! `cargo xtask package`: builds, checks and packs the npm package.

mod check;
mod licences;
mod manifest;
pub mod module;
mod size;
mod snippets;
mod workers;

use crate::report::step;
use crate::{Result, build, command, npm, paths};
use module::{Module, Profile};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files in the tarball beside the code.
const PAPERS: [&str; 5] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "ARCHITECTURE.md", "CHANGELOG.md"];

/// A part of the package that a page loads as a whole.
pub struct Part {
    /// The key in the record of sizes.
    name: &'static str,
    /// The situation, as in the README's table.
    when: &'static str,
    /// The limit in kilobytes, regardless of the record.
    limit: Option<u64>,
}

impl Part {
    const ALL: [Self; 12] = [
        Self { name: "full", when: "for search, with `vademecum`", limit: Some(800) },
        Self { name: "lite", when: "for search, with `vademecum/lite`", limit: Some(350) },
        Self { name: "agent", when: "in addition, when an `Agent` is created", limit: None },
        Self { name: "html", when: "in addition, when HTML is added", limit: None },
        Self {
            name: "index",
            when: "for `vademecum/wasm`, and for a worker that builds a graph",
            limit: None,
        },
        Self {
            name: "parts",
            when: "for search by words of an English library, with `vademecum/parts`",
            limit: Some(175),
        },
        Self {
            name: "parts-all",
            when: "in addition, for vectors, filters, and other languages of such a library",
            limit: None,
        },
        Self { name: "encoder", when: "in addition, with `Embedder.onnx`", limit: None },
        Self {
            name: "relaxed",
            when: "instead of the latter, where the browser has relaxed SIMD",
            limit: None,
        },
        Self {
            name: "onnx",
            when: "in addition, for models that the kernel does not run (besides the ONNX runtime)",
            limit: None,
        },
        Self {
            name: "baseline",
            when: "instead of the engine's module, where the browser has no SIMD",
            limit: None,
        },
        Self { name: "lite-baseline", when: "the same, with `vademecum/lite`", limit: None },
    ];
}

pub fn run(arguments: &[String]) -> Result<()> {
    let given = |option: &str| arguments.iter().any(|argument| argument == option);
    if let Some(unknown) =
        arguments.iter().find(|argument| !["--record", "--site"].contains(&argument.as_str()))
    {
        return Err(format!("`package` takes --record and --site, not `{unknown}`"));
    }
    command::node()?;
    let content = content();
    let _ = fs::remove_dir_all(&content);
    assemble(Profile::Release, &content)?;
    workers::bundle(&content)?;
    // First, because the packed README contains the sizes.
    size::check(&content, given("--record"))?;
    papers(&content)?;
    let tarball = pack()?;
    check::origins(&content)?;
    check::neighbours(&content)?;
    check::links(&content)?;
    check::tarball(&tarball)?;
    step(format!("The package is {}", tarball.display()));
    if given("--site") { build::site_of_package() } else { Ok(()) }
}

/// Installs the tools that packaging needs.
pub fn set_up() -> Result<()> {
    npm::install(&npm::folder(), npm::TOOLS)
}

/// The folder in which the package is assembled.
pub fn content() -> PathBuf {
    paths::target().join("package/vademecum")
}

/// Packs the package, and returns the tarball's path.
fn pack() -> Result<PathBuf> {
    step("Packing");
    let folder = paths::target().join("package");
    let mut npm = Command::new(command::npm()?);
    npm.current_dir(&folder).args(["pack", "./vademecum", "--silent", "--ignore-scripts"]);
    command::output(&mut npm)?;
    tarball()
}

/// The path of the tarball.
pub fn tarball() -> Result<PathBuf> {
    Ok(paths::target().join(format!("package/vademecum-{}.tgz", manifest::of_the_crate("version")?)))
}

/// Assembles the package's files: wasm modules with their glue, and the hand-written JavaScript.
pub fn assemble(profile: Profile, to: &Path) -> Result<()> {
    for module in &Module::ALL {
        module::build(profile, module, to)?;
    }
    build::copy_folder(&paths::root().join("crates/web/js"), to)?;
    manifest::write(to)
}

fn papers(to: &Path) -> Result<()> {
    for paper in PAPERS {
        fs::copy(paths::root().join(paper), to.join(paper)).map_err(|error| format!("{paper}: {error}"))?;
    }
    build::copy_folder(&paths::root().join("docs"), &to.join("docs"))?;
    licences::write(to)
}
