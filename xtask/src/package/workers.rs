//! Bundles the scripts of workers, and the one for a page's head: each is one file then, where a page that loads the package without a
//! bundler would wait for chains of imports. The files that they are made of stay, because `vademecum/direct` imports most of them.
//!
//! The worker of the lite build is not bundled: it imports files of the folder above, which name modules beside themselves.

use crate::report::step;
use crate::{Result, command, npm};
use std::path::Path;

/// The scripts that the full build gives to `new Worker`, and the one that starts before all others.
const WORKERS: [&str; 6] = [
    "worker.js",
    "embed-worker.js",
    "shared-embed-worker.js",
    "graph-worker.js",
    "parts-worker.js",
    "preload.js",
];

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
