//! `cargo xtask watch`: runs the checks whenever a file of the workspace changes.

use crate::report::step;
use crate::{Result, paths, test};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The watched folders.
const FOLDERS: [&str; 4] = ["crates", "src", "tests/support", "xtask/src"];

pub fn run(arguments: &[String]) -> Result<()> {
    let once = arguments.iter().any(|argument| argument == "--once");
    if let Some(unknown) = arguments.iter().find(|argument| *argument != "--once") {
        return Err(format!("`watch` takes --once, not `{unknown}`"));
    }
    loop {
        let checked = newest(&watched())?;
        let outcome = test::check(&[]);
        if once {
            return outcome;
        }
        if let Err(error) = outcome {
            step(error);
        }
        step("Waiting for a change; Ctrl+C ends it");
        while newest(&watched())? <= checked {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

fn watched() -> [PathBuf; FOLDERS.len()] {
    FOLDERS.map(|folder| paths::root().join(folder))
}

/// Returns the time of the last change in these folders.
fn newest(folders: &[PathBuf]) -> Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for folder in folders {
        for file in paths::files(folder, "")? {
            // A file may be gone again, because editors write a temporary file and rename it.
            if let Ok(modified) = fs::metadata(&file).and_then(|about| about.modified()) {
                newest = newest.max(modified);
            }
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_any_watched_folder_is_the_newest() {
        for folder in watched() {
            assert!(!paths::files(&folder, ".rs").unwrap().is_empty(), "{}", folder.display());
        }
        let folders =
            ["a", "b"].map(|name| std::env::temp_dir().join(format!("watch-{}-{name}", std::process::id())));
        folders.iter().for_each(|folder| fs::create_dir_all(folder.join("inner")).unwrap());
        assert_eq!(newest(&folders).unwrap(), SystemTime::UNIX_EPOCH);
        for (folder, seconds) in folders.iter().zip([1000, 2000]) {
            let file = fs::File::create(folder.join("inner/file.rs")).unwrap();
            let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            file.set_modified(changed).unwrap();
            assert_eq!(newest(&folders).unwrap(), changed);
        }
        folders.iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    }
}
