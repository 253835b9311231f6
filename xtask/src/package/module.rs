//! Builds a wasm module with its JavaScript glue: by cargo, wasm-bindgen and wasm-opt.

use super::snippets;
use crate::report::{megabytes, step};
use crate::toolchain::{Toolchain, wasm_bindgen};
use crate::{Result, command, npm, paths};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profile of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// For development, built in seconds.
    Dev,
    /// As shipped.
    Release,
}

/// One of the package's wasm modules.
pub struct Module {
    /// The base of its file names: the glue is `NAME.js`, the module `NAME_bg.wasm`.
    pub name: &'static str,
    /// Its folder in the package.
    pub folder: &'static str,
    /// The crate that it is built from.
    pub package: &'static str,
    /// The features that it is compiled with.
    features: &'static str,
    /// What it is compiled for.
    goal: Goal,
}

/// What a module is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Size, because a page waits for it.
    Size,
    /// Speed, because its work takes long.
    Speed,
    /// Speed of the crates that compute token vectors.
    Kernel,
    /// The same, by instructions that not every browser has.
    RelaxedKernel,
}

impl Module {
    /// All modules, the full build's engine first.
    pub const ALL: [Self; 11] = [
        Self {
            name: "vademecum",
            folder: "",
            package: "vademecum-web-engine",
            features: "meaning",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum-agent",
            folder: "",
            package: "vademecum-web-agent",
            features: "",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum-html",
            folder: "",
            package: "vademecum-web-html",
            features: "",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum-files",
            folder: "",
            package: "vademecum-web-files",
            features: "",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum-index",
            folder: "",
            package: "vademecum-web-index",
            features: "",
            goal: Goal::Speed,
        },
        Self {
            name: "vademecum-parts-words",
            folder: "",
            package: "vademecum-web-parts",
            features: "small",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum-parts",
            folder: "",
            package: "vademecum-web-parts",
            features: "",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum-encoder",
            folder: "",
            package: "vademecum-web-encoder",
            features: "kernel",
            goal: Goal::Kernel,
        },
        Self {
            name: "vademecum-encoder-relaxed",
            folder: "",
            package: "vademecum-web-encoder",
            features: "kernel",
            goal: Goal::RelaxedKernel,
        },
        Self {
            name: "vademecum-onnx",
            folder: "",
            package: "vademecum-web-encoder",
            features: "onnx",
            goal: Goal::Size,
        },
        Self {
            name: "vademecum",
            folder: "lite",
            package: "vademecum-web-engine",
            features: "",
            goal: Goal::Size,
        },
    ];

    /// Whether it contains the ONNX runtime's loader.
    fn has_runtime(&self) -> bool {
        self.features == "onnx"
    }

    /// Whether it belongs to the lite build.
    fn is_lite(&self) -> bool {
        self.folder == "lite"
    }
}

/// The standard library is compiled with the module, for size, and without panic messages, which nobody would read:
/// a module that panics traps either way. This is not stable yet, hence the variable.
const SMALL_STD: [&str; 4] = [
    "-Zbuild-std=std,panic_abort",
    "-Zbuild-std-features=optimize_for_size",
    "--config",
    "target.wasm32-unknown-unknown.rustflags=[\"-Cpanic=immediate-abort\",\"-Zunstable-options\",\"-Cembed-bitcode=yes\"]",
];

/// The crate whose level is that of link-time optimisation, which inlines the kernel into itself or leaves it in pieces. All
/// others, and the standard library, are those of the modules that are compiled for size, so that they are compiled once.
const LINKED_FOR_SPEED: [&str; 2] = ["--config", "profile.release.package.vademecum-web-encoder.opt-level=3"];

/// Allows the instructions of relaxed SIMD in all crates; joined with the flags of the configuration.
const RELAXED: [&str; 2] =
    ["--config", "target.wasm32-unknown-unknown.rustflags=[\"-Ctarget-feature=+relaxed-simd\"]"];

/// Allows them in the only crate that uses them. This is not stable yet either.
const RELAXED_KERNEL: [&str; 3] = [
    "-Zprofile-rustflags",
    "--config",
    "profile.release.package.vademecum-kernel.rustflags=[\"-Ctarget-feature=+relaxed-simd\"]",
];

/// The passes of wasm-opt that make a module small.
const SMALLER: [&str; 6] = ["--flatten", "--rereloop", "-Oz", "-Oz", "-Oz", "-Oz"];

/// The passes of a second run over a small module: read anew, it has another order, and becomes a little smaller.
const SMALLEST: [&str; 5] =
    ["--gufa-optimizing", "-Oz", "--reorder-types", "--reorder-globals-always", "--optimize-instructions"];

/// The passes that make it fast.
const FASTER: [&str; 1] = ["-O3"];

/// The options of wasm-opt for all modules, with the instruction sets that the compiler was allowed to use.
const OPTIMISE: [&str; 12] = [
    "--low-memory-unused",
    "--enable-simd",
    "--enable-relaxed-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
];

/// Builds a module into the package `to`.
pub fn build(profile: Profile, module: &Module, to: &Path) -> Result<()> {
    let to = to.join(module.folder);
    let compiled = compile(profile, module)?;
    let mut generate = Command::new(wasm_bindgen()?.join("wasm-bindgen"));
    generate.args(["--target", "web", "--out-name", module.name, "--out-dir"]).arg(&to).arg(compiled);
    command::output(&mut generate)?;
    if module.has_runtime() {
        snippets::replace(&to)?;
    }
    if profile == Profile::Release {
        optimise(&to.join(format!("{}_bg.wasm", module.name)), module.goal)?;
    }
    Ok(())
}

fn compile(profile: Profile, module: &Module) -> Result<PathBuf> {
    let (name, folder) = match profile {
        Profile::Dev => ("dev", "debug"),
        Profile::Release => ("release", "release"),
    };
    let what = if module.is_lite() { "lite " } else { "" };
    step(format!("Building the {what}wasm module of {} ({name})", module.package));
    let mut cargo = match profile {
        Profile::Dev => Toolchain::ready()?.cargo(),
        Profile::Release => Toolchain::with_sources()?.cargo(),
    };
    // The crate type is set explicitly, because link-time optimisation is silently skipped for a crate that is also an rlib.
    cargo.args(["rustc", "--package", module.package, "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", "wasm32-unknown-unknown", "--profile", name]);
    cargo.args(["--features", module.features]);
    let is_relaxed = module.goal == Goal::RelaxedKernel;
    match profile {
        Profile::Dev if is_relaxed => _ = cargo.args(RELAXED),
        Profile::Dev => {}
        Profile::Release => {
            cargo.args(SMALL_STD).env("RUSTC_BOOTSTRAP", "1");
            if is_relaxed {
                cargo.args(RELAXED_KERNEL);
            }
            match module.goal {
                Goal::Size => {}
                Goal::Speed => _ = cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
                Goal::Kernel | Goal::RelaxedKernel => _ = cargo.args(LINKED_FOR_SPEED),
            }
        }
    }
    command::run(&mut cargo)?;
    let file = format!("{}.wasm", module.package.replace('-', "_"));
    Ok(paths::target().join("wasm32-unknown-unknown").join(folder).join(file))
}

/// Optimises a module. This takes a minute or two, so the result is cached by the hash of the input.
fn optimise(module: &Path, goal: Goal) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", module.display());
    let before = fs::read(module).map_err(failed)?;
    let runs: &[&[&str]] = if goal == Goal::Size { &[&SMALLER, &SMALLEST] } else { &[&FASTER] };
    let passes = [&runs.concat(), OPTIMISE.as_slice()].concat();
    let hash = Sha256::new().chain_update(passes.join(" ")).chain_update(&before).finalize();
    let cache = paths::target().join("package/optimised");
    fs::create_dir_all(&cache).map_err(failed)?;
    let kept = cache.join(format!("{hash:x}.wasm"));
    if !kept.is_file() {
        step(format!("Optimising {} of wasm", megabytes(before.len() as u64)));
        let half = kept.with_extension("half");
        fs::copy(module, &half).map_err(failed)?;
        for passes in runs {
            let mut tool = npm::tool("binaryen", "bin/wasm-opt")?;
            command::output(tool.args(*passes).args(OPTIMISE).arg(&half).arg("-o").arg(&half))?;
        }
        fs::rename(&half, &kept).map_err(failed)?;
    }
    fs::copy(&kept, module).map(|_| ()).map_err(failed)
}
