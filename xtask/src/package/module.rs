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
    /// The base of its file names: the glue is `NAME.js`, the module `NAME_bg.wasm`. That of [`BASELINE`] has the glue of [`ENGINE`].
    pub name: &'static str,
    /// Its folder in the package.
    pub folder: &'static str,
    /// The crate that it is built from.
    pub package: &'static str,
    /// The features that it is compiled with.
    features: &'static str,
    /// What it is compiled for.
    goal: Goal,
    /// The vector instructions that it has.
    instructions: Instructions,
}

/// The engine.
const ENGINE: &str = "vademecum";

/// The engine for browsers without SIMD. It takes the place of the other one, whose glue starts it.
const BASELINE: &str = "vademecum-baseline";

/// What a module is compiled for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Size, because a page waits for it.
    Size,
    /// Size, of a module so large that a second run of wasm-opt takes long and makes it no smaller.
    Large,
    /// Speed, because its work takes long.
    Speed,
    /// Speed of the crates that compute token vectors.
    Kernel,
    /// Size as far as one run of wasm-opt achieves it, because few browsers load it.
    Fallback,
}

/// The vector instructions of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instructions {
    /// None: it runs in every browser.
    Plain,
    /// 128-bit SIMD, in the crates that gain by it.
    Simd,
    /// The same, with relaxed SIMD in the kernel, which not every browser has.
    Relaxed,
}

impl Module {
    /// All modules, the full build's engine first.
    pub const ALL: [Self; 13] = [
        Self {
            name: ENGINE,
            folder: "",
            package: "vademecum-web-engine",
            features: "meaning",
            goal: Goal::Size,
            instructions: Instructions::Simd,
        },
        Self {
            name: "vademecum-agent",
            folder: "",
            package: "vademecum-web-agent",
            features: "",
            goal: Goal::Large,
            instructions: Instructions::Plain,
        },
        Self {
            name: "vademecum-html",
            folder: "",
            package: "vademecum-web-html",
            features: "",
            goal: Goal::Size,
            instructions: Instructions::Plain,
        },
        Self {
            name: "vademecum-files",
            folder: "",
            package: "vademecum-web-files",
            features: "",
            goal: Goal::Large,
            instructions: Instructions::Plain,
        },
        Self {
            name: "vademecum-index",
            folder: "",
            package: "vademecum-web-index",
            features: "",
            goal: Goal::Speed,
            instructions: Instructions::Simd,
        },
        Self {
            name: "vademecum-parts-words",
            folder: "",
            package: "vademecum-web-parts",
            features: "small",
            goal: Goal::Size,
            instructions: Instructions::Plain,
        },
        Self {
            name: "vademecum-parts",
            folder: "",
            package: "vademecum-web-parts",
            features: "",
            goal: Goal::Speed,
            instructions: Instructions::Simd,
        },
        Self {
            name: "vademecum-encoder",
            folder: "",
            package: "vademecum-web-encoder",
            features: "kernel",
            goal: Goal::Kernel,
            instructions: Instructions::Simd,
        },
        Self {
            name: "vademecum-encoder-relaxed",
            folder: "",
            package: "vademecum-web-encoder",
            features: "kernel",
            goal: Goal::Kernel,
            instructions: Instructions::Relaxed,
        },
        Self {
            name: "vademecum-onnx",
            folder: "",
            package: "vademecum-web-encoder",
            features: "onnx",
            goal: Goal::Size,
            instructions: Instructions::Plain,
        },
        Self {
            name: ENGINE,
            folder: "lite",
            package: "vademecum-web-engine",
            features: "",
            goal: Goal::Size,
            instructions: Instructions::Simd,
        },
        Self {
            name: BASELINE,
            folder: "",
            package: "vademecum-web-engine",
            features: "meaning",
            goal: Goal::Fallback,
            instructions: Instructions::Plain,
        },
        Self {
            name: BASELINE,
            folder: "lite",
            package: "vademecum-web-engine",
            features: "",
            goal: Goal::Fallback,
            instructions: Instructions::Plain,
        },
    ];

    /// Whether it contains the ONNX runtime's loader.
    fn has_runtime(&self) -> bool {
        self.features == "onnx"
    }

    /// The base of the names of its glue.
    fn glue(&self) -> &'static str {
        if self.name == BASELINE { ENGINE } else { self.name }
    }

    /// Whether it belongs to the lite build.
    fn is_lite(&self) -> bool {
        self.folder == "lite"
    }
}

/// The standard library is compiled with the module, for size, and without panic messages, which nobody would read:
/// a module that panics traps either way. This is not stable yet, hence the variable `RUSTC_BOOTSTRAP`.
const SMALL_STD: [&str; 2] = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];

/// The flags of all its crates, which take the place of the configuration's: that allows SIMD everywhere.
const RELEASE_FLAGS: [&str; 3] = ["-Cpanic=immediate-abort", "-Zunstable-options", "-Cembed-bitcode=yes"];

/// The crate whose level is that of link-time optimisation, which inlines the kernel into itself or leaves it in pieces. All
/// others, and the standard library, are those of the modules that are compiled for size, so that they are compiled once.
const LINKED_FOR_SPEED: [&str; 2] = ["--config", "profile.release.package.vademecum-web-encoder.opt-level=3"];

/// Allows the instructions of relaxed SIMD in all crates; joined with the flags of the configuration.
const RELAXED: [&str; 2] =
    ["--config", "target.wasm32-unknown-unknown.rustflags=[\"-Ctarget-feature=+relaxed-simd\"]"];

/// The crates that gain by SIMD. It is allowed in them alone, so that all modules share the others, and the standard library.
const VECTORISED: [&str; 3] = ["vademecum-kernel", "vademecum-vectors", "xxhash-rust"];

/// The variable with a cargo's flags for the compiler, which are separated by [`SEPARATOR`].
const FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";
const SEPARATOR: &str = "\x1f";

/// Keeps a function of more than so many nodes of wasm-opt's tree out of its only caller. A browser compiles a function as a whole when it
/// is first called, and again when a loop in it is hot: reading a library, 23 KB, was compiled for 69 ms beside the first search.
const APART: [&str; 2] = ["--one-caller-inline-max-function-size", "2000"];

/// The passes of wasm-opt that make a module small.
const SMALLER: [&str; 8] = [APART[0], APART[1], "--flatten", "--rereloop", "-Oz", "-Oz", "-Oz", "-Oz"];

/// The passes of a second run over a small module: read anew, it has another order, and becomes a little smaller.
const SMALLEST: [&str; 7] = [
    APART[0],
    APART[1],
    "--gufa-optimizing",
    "-Oz",
    "--reorder-types",
    "--reorder-globals-always",
    "--optimize-instructions",
];

/// The passes that make it small in seconds.
const SMALL: [&str; 1] = ["-Oz"];

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
    let glue = module.glue();
    let aside = paths::target().join("package/glue").join(module.folder);
    let generated = if glue == module.name { &to } else { &aside };
    let mut generate = Command::new(wasm_bindgen()?.join("wasm-bindgen"));
    generate.args(["--target", "web", "--out-name", glue, "--out-dir"]).arg(generated).arg(compiled);
    command::output(&mut generate)?;
    if module.has_runtime() {
        snippets::replace(&to)?;
    }
    let file = to.join(format!("{}_bg.wasm", module.name));
    if generated == &aside {
        same(&aside.join(format!("{glue}.js")), &to.join(format!("{glue}.js")))?;
        let without = aside.join(format!("{glue}_bg.wasm"));
        fs::copy(&without, &file).map_err(|error| format!("{}: {error}", without.display()))?;
    }
    if profile == Profile::Release {
        optimise(&file, module.goal)?;
        if module.instructions == Instructions::Plain {
            without_simd(&file)?;
        }
    }
    Ok(())
}

/// Fails if a module contains instructions of SIMD: its functions may come from crates that are compiled with them.
fn without_simd(module: &Path) -> Result<()> {
    let mut tool = npm::tool("binaryen", "bin/wasm-opt")?;
    tool.args(OPTIMISE.iter().filter(|option| option.starts_with("--enable") && !option.ends_with("simd")));
    command::output(tool.arg("--disable-simd").arg(module))
        .map(|_| ())
        .map_err(|error| format!("{} must not need SIMD: {error}", module.display()))
}

/// Fails unless two modules have the same glue, but for comments, which number their functions.
fn same(one: &Path, other: &Path) -> Result<()> {
    let code = |file: &Path| -> Result<Vec<String>> {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(text.lines().filter(|line| !line.trim_start().starts_with("//")).map(str::to_owned).collect())
    };
    if code(one)? == code(other)? {
        return Ok(());
    }
    Err(format!(
        "{} cannot start the module without SIMD, whose own glue is {}",
        other.display(),
        one.display()
    ))
}

fn compile(profile: Profile, module: &Module) -> Result<PathBuf> {
    let (name, folder) = match profile {
        Profile::Dev => ("dev", "debug"),
        Profile::Release => ("release", "release"),
    };
    let what = if module.is_lite() { "lite " } else { "" };
    let without = if module.name == BASELINE { " without SIMD" } else { "" };
    step(format!("Building the {what}wasm module of {}{without} ({name})", module.package));
    let mut cargo = match profile {
        Profile::Dev => Toolchain::ready()?.cargo(),
        Profile::Release => Toolchain::with_sources()?.cargo(),
    };
    // The crate type is set explicitly, because link-time optimisation is silently skipped for a crate that is also an rlib.
    cargo.args(["rustc", "--package", module.package, "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", "wasm32-unknown-unknown", "--profile", name]);
    cargo.args(["--features", module.features]);
    match profile {
        Profile::Dev => match module.instructions {
            Instructions::Relaxed => _ = cargo.args(RELAXED),
            // Only for modules that must not contain SIMD: the others share what is compiled with the configuration's flags.
            Instructions::Plain if module.name == BASELINE => _ = cargo.env(FLAGS, ""),
            Instructions::Plain | Instructions::Simd => {}
        },
        Profile::Release => {
            cargo.args(SMALL_STD).env("RUSTC_BOOTSTRAP", "1").env(FLAGS, RELEASE_FLAGS.join(SEPARATOR));
            cargo.args(vectorised(module.instructions));
            match module.goal {
                Goal::Size | Goal::Large | Goal::Fallback => {}
                Goal::Speed => _ = cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
                Goal::Kernel => _ = cargo.args(LINKED_FOR_SPEED),
            }
        }
    }
    command::run(&mut cargo)?;
    let file = format!("{}.wasm", module.package.replace('-', "_"));
    Ok(paths::target().join("wasm32-unknown-unknown").join(folder).join(file))
}

/// Returns cargo's arguments that allow vector instructions in the crates that gain by them. This is not stable yet either.
fn vectorised(instructions: Instructions) -> Vec<String> {
    let mut arguments = Vec::new();
    if instructions == Instructions::Plain {
        return arguments;
    }
    arguments.push("-Zprofile-rustflags".to_owned());
    for package in VECTORISED {
        let relaxed = match instructions {
            Instructions::Relaxed if package == "vademecum-kernel" => ",+relaxed-simd",
            _ => "",
        };
        let flag = format!("-Ctarget-feature=+simd128{relaxed}");
        arguments.extend([
            "--config".to_owned(),
            format!("profile.release.package.{package}.rustflags=[\"{flag}\"]"),
        ]);
    }
    arguments
}

/// Optimises a module. This takes a minute or two, so the result is cached by the hash of the input.
fn optimise(module: &Path, goal: Goal) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", module.display());
    let before = fs::read(module).map_err(failed)?;
    let runs: &[&[&str]] = match goal {
        Goal::Size => &[&SMALLER, &SMALLEST],
        Goal::Large => &[&SMALLER],
        Goal::Fallback => &[&SMALL],
        Goal::Speed | Goal::Kernel => &[&FASTER],
    };
    let passes = [&runs.concat(), OPTIMISE.as_slice()].concat();
    let hash = Sha256::new().chain_update(passes.join(" ")).chain_update(&before).finalize();
    let cache = paths::target().join("package/optimised");
    fs::create_dir_all(&cache).map_err(failed)?;
    let kept = cache.join(format!("{hash:x}.wasm"));
    if !kept.is_file() {
        step(format!("Optimising {} of wasm", megabytes(before.len() as u64)));
        // Of this process alone: another build may optimise the same module.
        let half = kept.with_extension(format!("{}.half", std::process::id()));
        fs::copy(module, &half).map_err(failed)?;
        for passes in runs {
            let mut tool = npm::tool("binaryen", "bin/wasm-opt")?;
            command::output(tool.args(*passes).args(OPTIMISE).arg(&half).arg("-o").arg(&half))?;
        }
        fs::rename(&half, &kept).map_err(failed)?;
    }
    fs::copy(&kept, module).map(|_| ()).map_err(failed)
}
