//! The end-to-end tests of the demo page.

use super::{TEST_TIMEOUT, cargo};
use crate::report::step;
use crate::serve::Server;
use crate::{Result, browser, command, npm, paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Failing files that are run a second time. More of them are no accident of a busy machine.
const REPEATED: usize = 3;

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
    let server = Server::start(paths::site(), None)?;
    step(format!("End-to-end tests of the demo page at {}", server.address()));
    let failures = paths::target().join("test/failed-files.txt");
    let run = |files: &[PathBuf], at_once: usize| {
        let mut node = Command::new(command::node()?);
        node.current_dir(paths::root())
            .args(["--test", TEST_TIMEOUT, &format!("--test-concurrency={at_once}")])
            .args(["--test-reporter=tap", "--test-reporter-destination=stdout"])
            .arg(format!("--test-reporter={}", tests.join("support/failed-files.mjs").display()))
            .arg(format!("--test-reporter-destination={}", failures.display()))
            .args(files)
            .env("VADEMECUM_PAGE", server.address())
            .env("VADEMECUM_MADE_MODELS", &made)
            .env("VADEMECUM_SCREENSHOTS", paths::target().join("screenshots"))
            .env("CHROMIUM", &browser.chromium);
        command::run(&mut node)
    };
    let (alone, together): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|file| file.parent().is_some_and(|folder| folder.ends_with("alone")));
    let mut unsteady = Vec::new();
    for (files, at_once) in [(together, 2), (alone, 1)] {
        if files.is_empty() {
            continue;
        }
        let Err(why) = run(&files, at_once) else { continue };
        let failed = fs::read_to_string(&failures).unwrap_or_default();
        let failed: Vec<PathBuf> = files.into_iter().filter(|file| names(&failed, file)).collect();
        if failed.is_empty() || failed.len() > REPEATED {
            return Err(why);
        }
        for file in failed {
            step(format!("{} failed, and is repeated alone", file.display()));
            run(std::slice::from_ref(&file), 1)?;
            let shown = file.strip_prefix(paths::root()).unwrap_or(&file).display().to_string();
            unsteady.push(format!("{shown} failed among others and passed alone: mend its race"));
        }
    }
    Ok(unsteady)
}

/// Whether the reporter has listed a file, one path a line.
fn names(list: &str, file: &Path) -> bool {
    list.lines().any(|line| Path::new(line) == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_file_is_found_by_its_whole_path() {
        let list = "/tests/js/e2e/ask.test.mjs\n/tests/js/e2e/ask.test.mjs\n";
        assert!(names(list, Path::new("/tests/js/e2e/ask.test.mjs")));
        assert!(!names(list, Path::new("/tests/js/e2e/task.test.mjs")));
        assert!(!names("", Path::new("/tests/js/e2e/ask.test.mjs")));
    }
}
