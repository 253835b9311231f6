//! The end-to-end tests of the demo page.

use super::{NATIVE, cargo, repeated};
use crate::report::step;
use crate::serve::Server;
use crate::{Result, assets, browser, cli, command, download, npm, paths};
use std::path::PathBuf;
use std::process::Command;

/// Returns the module of the Chroma server; `None` where it cannot be had, and the tests that need it say that they are skipped, as benchmarks do.
pub fn chroma() -> Option<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return None;
    }
    download::one(&assets::CHROMA)
        .inspect_err(|why| step(format!("Comparisons with the Chroma server: skipped. {why}")))
        .ok()
}

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
    let chroma = chroma();
    let python = command::python()?;
    let node = || {
        let mut node = Command::new(command::node()?);
        node.current_dir(paths::root())
            .env("VADEMECUM_PAGE", server.address())
            .env("VADEMECUM_MADE_MODELS", &made)
            .env("VADEMECUM_PROGRAM", &program)
            .env("VADEMECUM_SCREENSHOTS", paths::target().join("screenshots"))
            .env("VADEMECUM_PYTHON", &python)
            .env("CHROMIUM", &browser.chromium);
        chroma.iter().for_each(|module| _ = node.env("VADEMECUM_CHROMA", module));
        Ok(node)
    };
    let (alone, together): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|file| file.parent().is_some_and(|folder| folder.ends_with("alone")));
    let mut unsteady = repeated::run(&node, &together, 2)?;
    unsteady.extend(repeated::run(&node, &alone, 1)?);
    Ok(unsteady)
}
