//! The end-to-end tests of the demo page.

use super::{NATIVE, cargo, repeated};
use crate::report::step;
use crate::serve::Server;
use crate::{Result, browser, cli, command, npm, paths};
use std::path::PathBuf;
use std::process::Command;

/// Runs end-to-end tests two files at a time, and then those in the folder `alone`: a language model in a tab uses all cores, and
/// its threads wait for each other while another browser runs. Returns the files that passed only when they were repeated.
pub fn end_to_end(files: &[PathBuf]) -> Result<Vec<String>> {
    let browser = browser::ready()?;
    let tests = paths::root().join("tests/js");
    npm::install(&tests, "the browser driver for the end-to-end tests")?;
    let made = paths::target().join("test/made-models");
    command::run(
        cargo().args(["run", "--quiet", "-p", "vademecum-testing", "--bin", "made-models"]).arg(&made),
    )?;
    // With the features of the native tests, which have compiled all that it consists of.
    let program = cli::program(&NATIVE)?;
    let server = Server::start(paths::site(), None)?;
    step(format!("End-to-end tests of the demo page at {}", server.address()));
    let node = || {
        let mut node = Command::new(command::node()?);
        node.current_dir(paths::root())
            .env("VADEMECUM_PAGE", server.address())
            .env("VADEMECUM_MADE_MODELS", &made)
            .env("VADEMECUM_PROGRAM", &program)
            .env("VADEMECUM_SCREENSHOTS", paths::target().join("screenshots"))
            .env("CHROMIUM", &browser.chromium);
        Ok(node)
    };
    let (alone, together): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|file| file.parent().is_some_and(|folder| folder.ends_with("alone")));
    let mut unsteady = repeated::run(&node, &together, 2)?;
    unsteady.extend(repeated::run(&node, &alone, 1)?);
    Ok(unsteady)
}
