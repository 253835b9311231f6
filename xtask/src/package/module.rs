//! One wasm module with its JavaScript glue: built by cargo, bound by wasm-bindgen, made smaller by wasm-opt.

use crate::report::{megabytes, step};
use crate::toolchain::{Toolchain, wasm_bindgen};
use crate::{Result, command, npm, paths};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a module is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// In seconds.
    Dev,
    /// As it is shipped.
    Release,
}

/// What is in a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// Everything.
    Full,
    /// All but the sentence encoder in ONNX form.
    Lite,
}

/// What wasm-opt does, and which instructions the module may hold: those that the compiler was told it may use.
const OPTIMISE: [&str; 10] = [
    "-Oz",
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-debug",
    "--strip-producers",
];

/// Builds a module into `to`, which then holds its glue, its types and the module itself.
pub fn build(profile: Profile, parts: Parts, to: &Path) -> Result<()> {
    let compiled = compile(profile, parts)?;
    step("Generating the JavaScript glue");
    let mut generate = Command::new(wasm_bindgen()?.join("wasm-bindgen"));
    generate.args(["--target", "web", "--out-name", "vademecum", "--out-dir"]).arg(to).arg(compiled);
    command::output(&mut generate)?;
    if profile == Profile::Release { optimise(&to.join("vademecum_bg.wasm")) } else { Ok(()) }
}

fn compile(profile: Profile, parts: Parts) -> Result<PathBuf> {
    let (name, folder) = match profile {
        Profile::Dev => ("dev", "debug"),
        Profile::Release => ("release", "release"),
    };
    let features: &[&str] = match parts {
        Parts::Full => &[],
        Parts::Lite => &["--no-default-features"],
    };
    let what = if parts == Parts::Lite { "lite wasm module" } else { "wasm module" };
    step(format!("Building the {what} ({name})"));
    let mut cargo = Toolchain::ready()?.cargo();
    cargo
        .args(["build", "--package", "vademecum-module", "--target", "wasm32-unknown-unknown"])
        .args(["--profile", name])
        .args(features);
    command::run(&mut cargo)?;
    Ok(paths::target().join("wasm32-unknown-unknown").join(folder).join("vademecum_module.wasm"))
}

/// Takes a minute or two, so what came of a module is kept under the hash of it.
fn optimise(module: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", module.display());
    let before = fs::read(module).map_err(failed)?;
    let hash = Sha256::new().chain_update(OPTIMISE.join(" ")).chain_update(&before).finalize();
    let cache = paths::target().join("package/optimised");
    fs::create_dir_all(&cache).map_err(failed)?;
    let kept = cache.join(format!("{hash:x}.wasm"));
    if !kept.is_file() {
        step(format!("Optimising {} of wasm", megabytes(before.len() as u64)));
        let half = kept.with_extension("half");
        let mut tool = npm::tool("binaryen", "bin/wasm-opt")?;
        command::output(tool.args(OPTIMISE).arg(module).arg("-o").arg(&half))?;
        fs::rename(&half, &kept).map_err(failed)?;
    }
    fs::copy(&kept, module).map(|_| ()).map_err(failed)
}
