//! Tools from npm, of the versions and hashes that a lock file names.

use crate::report::step;
use crate::{Result, command, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs what `folder`'s lock file names, unless that is there.
pub fn install(folder: &Path, what: &str) -> Result<()> {
    // npm writes this file last, and `npm ci` only when all is there.
    let installed = folder.join("node_modules/.package-lock.json");
    let written = |file: &Path| std::fs::metadata(file).and_then(|meta| meta.modified()).ok();
    if written(&installed) < written(&folder.join("package-lock.json")) {
        step(format!("Installing {what}"));
        command::output(Command::new(command::npm()?).current_dir(folder).args(["ci", "--ignore-scripts"]))?;
    }
    Ok(())
}

/// A program out of `xtask/npm`, ready to be given arguments.
pub fn tool(package: &str, script: &str) -> Result<Command> {
    let folder = folder();
    install(&folder, "wasm-opt, publint and attw")?;
    let mut node = Command::new(command::node()?);
    node.arg(folder.join("node_modules").join(package).join(script));
    Ok(node)
}

/// Where the tools for packaging are installed.
pub fn folder() -> PathBuf {
    paths::root().join("xtask/npm")
}
