//! `cargo xtask generate`: writes what is made of the options' declarations.

use crate::report::step;
use crate::{Result, command, npm, paths};
use std::process::Command;

pub fn run(arguments: &[String]) -> Result<()> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("`generate` takes no arguments, not `{unknown}`"));
    }
    step("Types and tables of options");
    let mut schema = Command::new("cargo");
    command::run(schema.current_dir(paths::root()).args([
        "run",
        "--quiet",
        "--package",
        "vademecum-schema",
    ]))?;
    let tests = paths::root().join("tests/js");
    npm::install(&tests, "the compiler of TypeScript")?;
    step("docs/api.md");
    let mut reference = Command::new(command::node()?);
    command::run(reference.current_dir(paths::root()).arg("tests/js/types/reference.mjs"))
}
