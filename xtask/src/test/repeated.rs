//! Runs test files in browsers. Repeats failed ones alone, because tests that depend on timing fail while another browser uses the same cores.

use crate::report::step;
use crate::{Result, command, paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Milliseconds after which a file of tests has failed: one that hangs is named, instead of holding up the run without a word.
pub const TEST_TIMEOUT: &str = "--test-timeout=1200000";

/// Maximum number of failed files that are repeated. More failures than that have a cause other than timing.
const REPEATED: usize = 3;

/// Runs `files`, `at_once` at a time, by the command that `node` returns. Returns a note per file that passed only when it was repeated.
pub fn run(node: &dyn Fn() -> Result<Command>, files: &[PathBuf], at_once: usize) -> Result<Vec<String>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let list = paths::target().join("test/failed-files.txt");
    if let Some(folder) = list.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let reporter = paths::root().join("tests/js/support/failed-files.mjs");
    let run = |files: &[PathBuf], at_once: usize| {
        let mut node = node()?;
        node.args(["--test", TEST_TIMEOUT, &format!("--test-concurrency={at_once}")])
            .args(["--test-reporter=tap", "--test-reporter-destination=stdout"])
            .arg(format!("--test-reporter={}", reporter.display()))
            .arg(format!("--test-reporter-destination={}", list.display()))
            .args(files);
        command::run(&mut node)
    };
    let Err(why) = run(files, at_once) else { return Ok(Vec::new()) };
    let failed = fs::read_to_string(&list).unwrap_or_default();
    let failed: Vec<&PathBuf> = files.iter().filter(|file| contains(&failed, file)).collect();
    if failed.is_empty() || failed.len() > REPEATED {
        return Err(why);
    }
    let mut unsteady = Vec::new();
    for file in failed {
        step(format!("{} failed, and is repeated alone", file.display()));
        run(std::slice::from_ref(file), 1)?;
        let shown = file.strip_prefix(paths::root()).unwrap_or(file).display();
        unsteady.push(format!("{shown} failed among others and passed alone: mend its race"));
    }
    Ok(unsteady)
}

/// Whether the reporter's list, one path per line, contains a file.
fn contains(list: &str, file: &Path) -> bool {
    list.lines().any(|line| Path::new(line) == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_file_is_found_by_its_whole_path() {
        let list = "/tests/js/e2e/ask.test.mjs\n/tests/js/e2e/ask.test.mjs\n";
        assert!(contains(list, Path::new("/tests/js/e2e/ask.test.mjs")));
        assert!(!contains(list, Path::new("/tests/js/e2e/task.test.mjs")));
        assert!(!contains("", Path::new("/tests/js/e2e/ask.test.mjs")));
    }
}
