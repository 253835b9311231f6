//! Two independent checks of the tarball: what it declares, and whether its types are found as its code is.

use crate::report::step;
use crate::{Result, command, npm};
use std::path::Path;

/// Fails with what they say where either finds anything.
pub fn tarball(file: &Path) -> Result<()> {
    step("Checking the tarball with publint and attw");
    command::run(npm::tool("publint", "src/cli.js")?.arg("run").arg(file).arg("--strict"))?;
    // The package is for bundlers, browsers and Node's `import`: `require` and the resolution of Node 10 are not offered.
    command::run(
        npm::tool("@arethetypeswrong/cli", "dist/index.js")?.arg(file).args(["--profile", "esm-only"]),
    )
}
