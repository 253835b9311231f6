//! `cargo xtask cli`: builds and runs the program `vademecum`, with the model of the demo page.

use crate::{Result, build, command, paths};
use std::path::PathBuf;
use std::process::Command;

/// Builds the program with the profile of the tests and these features, and returns its path.
pub fn program(features: &[&str]) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(paths::root()).args(["build", "--quiet", "--bin", "vademecum"]).args(features);
    command::run(&mut cargo)?;
    Ok(binary())
}

fn binary() -> PathBuf {
    paths::target().join(format!("debug/vademecum{}", std::env::consts::EXE_SUFFIX))
}

/// Runs the program. Its exit code is this one's, because scripts may depend on it.
pub fn run(arguments: &[String]) -> Result<()> {
    if !binary().exists() {
        // Standard output has the program's results alone.
        eprintln!("▸ Building the program; the first time takes some minutes");
    }
    let mut program = Command::new(program(&["--features", "cli"])?);
    program.args(arguments);
    if std::env::var_os("VADEMECUM_MODEL").is_none() {
        build::model()?;
        program.env("VADEMECUM_MODEL", paths::site().join("models/all-minilm-l6-v2"));
    }
    let status = program.status().map_err(|error| format!("vademecum cannot be started: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        code => std::process::exit(code.unwrap_or(1)),
    }
}
