//! Builds the npm package and the demo page around it, into `target/site`.

use crate::report::step;
use crate::toolchain::{Toolchain, wasm_bindgen};
use crate::{Result, assets, command, download, listing, paths, sample};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Sets up, builds and puts together the whole site.
pub fn site(release: bool) -> Result<()> {
    let site = paths::site();
    package(&site.join("vademecum"), release)?;
    place(&assets::ONNX_RUNTIME, &site.join("vademecum/ort"))?;
    place(&assets::READERS, &site.join("vendor"))?;
    model()?;
    sample::library(&site.join("library"))?;
    copy_folder(&paths::root().join("www"), &site)?;
    listing::write(&site)
}

/// Puts the model where the page, and the browser tests, load it from.
pub fn model() -> Result<()> {
    place(&assets::MODEL, &paths::site().join("models/all-minilm-l6-v2"))
}

/// The npm package: the wasm module, its glue, and the hand-written JavaScript.
fn package(to: &Path, release: bool) -> Result<()> {
    let toolchain = Toolchain::ready()?;
    let bindgen = wasm_bindgen()?;
    let profile = if release { "release" } else { "dev" };
    step(format!("Building the wasm module ({profile})"));
    // One crate type: with a second one cargo skips link-time optimisation and says nothing.
    let mut cargo = toolchain.cargo();
    cargo.args([
        "rustc",
        "--lib",
        "--crate-type",
        "cdylib",
        "--target",
        "wasm32-unknown-unknown",
        "--profile",
        profile,
    ]);
    command::run(&mut cargo)?;
    let folder = if release { "release" } else { "debug" };
    let module = paths::target().join("wasm32-unknown-unknown").join(folder).join("vademecum.wasm");
    step("Generating the JavaScript glue");
    let mut generate = Command::new(bindgen.join("wasm-bindgen"));
    generate.args(["--target", "web", "--out-name", "vademecum", "--out-dir"]).arg(to).arg(module);
    command::output(&mut generate)?;
    copy_folder(&paths::root().join("src/web/package"), to)?;
    manifest(to)
}

/// `package.json`, filled in from `Cargo.toml`.
fn manifest(to: &Path) -> Result<()> {
    let read =
        |file: &str| fs::read_to_string(paths::root().join(file)).map_err(|error| format!("{file}: {error}"));
    let cargo = read("Cargo.toml")?;
    let mut filled = read("pkg.json.template")?;
    for field in ["version", "description", "license"] {
        let value = cargo
            .lines()
            .find_map(|line| {
                line.strip_prefix(field)?
                    .trim_start()
                    .strip_prefix('=')?
                    .trim()
                    .strip_prefix('"')?
                    .strip_suffix('"')
            })
            .ok_or_else(|| format!("Cargo.toml has no {field}"))?;
        filled = filled.replace(&format!("{{{{{field}}}}}"), value);
    }
    fs::write(to.join("package.json"), filled).map_err(|error| format!("package.json: {error}"))
}

/// Links, or where that cannot be, copies verified downloads into the site.
fn place(assets: &[download::Asset], to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for file in download::all(assets)? {
        let target = to.join(file.file_name().unwrap_or_default());
        let _ = fs::remove_file(&target);
        if fs::hard_link(&file, &target).is_err() {
            fs::copy(&file, &target).map_err(|error| format!("{}: {error}", target.display()))?;
        }
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))? {
        let path = entry.map_err(|error| failed(from, error))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}
