//! Bundles the scripts of workers: each is one file then, where a page that loads the package without a bundler would wait for
//! chains of imports. The files that they are made of stay, because `vademecum/direct` imports most of them.

use crate::report::step;
use crate::{Result, command, npm};
use std::path::Path;

/// The scripts that `new Worker` is given.
const WORKERS: [&str; 4] = ["worker.js", "embed-worker.js", "graph-worker.js", "lite/worker.js"];

/// Replaces the scripts of workers in a package by their bundles.
pub fn bundle(package: &Path) -> Result<()> {
    step("Bundling the scripts of workers");
    for worker in WORKERS {
        let file = package.join(worker);
        let mut esbuild = npm::tool("esbuild", "bin/esbuild")?;
        esbuild.arg(&file).arg(format!("--outfile={}", file.display()));
        esbuild.args(["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=inline"]);
        command::output(esbuild.args(["--allow-overwrite", "--log-level=warning"]))?;
    }
    Ok(())
}
