//! Bundles the demo page's own scripts.

use crate::{Result, command, npm, paths};
use std::path::Path;
use std::process::Command;

/// The script that bundles with Rollup, because plugins rewrite addresses and choose the files.
const SCRIPT: &str = "xtask/src/page.mjs";

/// Replaces the page's first scripts in `site` by bundles of all that they import.
pub fn bundle(site: &Path) -> Result<()> {
    npm::install(&npm::folder(), npm::TOOLS)?;
    command::output(Command::new(command::node()?).arg(paths::root().join(SCRIPT)).arg(site)).map(|_| ())
}
