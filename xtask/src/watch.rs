//! `cargo xtask watch`: checks whenever a file of the workspace changes.

use crate::report::step;
use crate::{Result, paths, test};
use std::fs;
use std::path::Path;
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
        changed(&paths::root().join(folder), &mut newest)?;
    }
    Ok(newest)
}

fn changed(folder: &Path, newest: &mut SystemTime) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let about = entry.metadata().map_err(failed)?;
        if about.is_dir() {
            changed(&entry.path(), newest)?;
        } else if let Ok(modified) = about.modified() {
            *newest = modified.max(*newest);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_a_folder_below_is_noticed() {
        let folder = std::env::temp_dir().join(format!("vademecum-watch-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        fs::write(folder.join("below/a.rs"), "").unwrap();
        let mut before = SystemTime::UNIX_EPOCH;
        changed(&folder, &mut before).unwrap();
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().write(true).open(folder.join("below/a.rs")).unwrap().set_modified(later).unwrap();
        let mut after = SystemTime::UNIX_EPOCH;
        changed(&folder, &mut after).unwrap();
        assert!(after > before);
        fs::remove_dir_all(&folder).unwrap();
    }
}
