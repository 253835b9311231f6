//! `cargo xtask watch`: runs the checks whenever a file of the workspace changes.

use crate::report::step;
use crate::{Result, paths, test};
use std::fs;
use std::time::{Duration, SystemTime};

/// The watched folders.
const FOLDERS: [&str; 4] = ["crates", "src", "tests/support", "xtask/src"];

pub fn run(arguments: &[String]) -> Result<()> {
    let once = arguments.iter().any(|argument| argument == "--once");
    if let Some(unknown) = arguments.iter().find(|argument| *argument != "--once") {
        return Err(format!("`watch` takes --once, not `{unknown}`"));
    }
    loop {
        let checked = newest()?;
        let outcome = test::check(&[]);
        if once {
            return outcome;
        }
        if let Err(error) = outcome {
            step(error);
        }
        step("Waiting for a change; Ctrl+C ends it");
        while newest()? <= checked {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

/// Returns the time of the last change.
fn newest() -> Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for folder in FOLDERS {
        for file in paths::files(&paths::root().join(folder), "")? {
            // A file may be gone again, because editors write a temporary file and rename it.
            if let Ok(modified) = fs::metadata(&file).and_then(|about| about.modified()) {
                newest = newest.max(modified);
            }
        }
    }
    Ok(newest)
}
