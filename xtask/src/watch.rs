//! `cargo xtask watch`: checks whenever a file of the workspace changes.

use crate::report::step;
use crate::{Result, paths, test};
use std::fs;
use std::time::{Duration, SystemTime};

/// The folders that are watched.
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

/// When the last change was.
fn newest() -> Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for folder in FOLDERS {
        for file in paths::files(&paths::root().join(folder), "")? {
            // A file may be gone again: editors write aside and rename.
            if let Ok(modified) = fs::metadata(&file).and_then(|about| about.modified()) {
                newest = newest.max(modified);
            }
        }
    }
    Ok(newest)
}
