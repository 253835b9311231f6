//! Tools from npm, with the versions and hashes of a lock file.

use crate::report::step;
use crate::{Result, command, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs in `xtask/npm`.
pub const TOOLS: &str = "wasm-opt, esbuild, rollup, publint and attw";

/// Installs the packages of `folder`'s lock file, unless they are installed.
pub fn install(folder: &Path, what: &str) -> Result<()> {
    // npm writes this file last, and `npm ci` only if all packages are installed.
    let installed = folder.join("node_modules/.package-lock.json");
    let written = |file: &Path| std::fs::metadata(file).and_then(|meta| meta.modified()).ok();
    if written(&installed) < written(&folder.join("package-lock.json")) {
        step(format!("Installing {what}"));
        command::output(Command::new(command::npm()?).current_dir(folder).args(["ci", "--ignore-scripts"]))?;
    }
    Ok(())
}

/// Returns the command of a program in `xtask/npm`.
pub fn tool(package: &str, script: &str) -> Result<Command> {
    let folder = folder();
    install(&folder, TOOLS)?;
    let mut node = Command::new(command::node()?);
    node.arg(folder.join("node_modules").join(package).join(script));
    Ok(node)
}

/// The folder of the packaging tools.
pub fn folder() -> PathBuf {
    paths::root().join("xtask/npm")
}
