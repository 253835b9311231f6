//! Ignore files that cannot be read, or have patterns that mean nothing: what they should leave out might be private.

use crate::refusal::{Code, Refusal};
use std::fs;
use std::path::{Path, PathBuf};

/// The project's own ignore file, with the syntax of `.gitignore`.
pub(crate) const OWN: &str = ".vademecumignore";
/// All ignore files, those that decide last first.
pub(crate) const NAMES: [&str; 3] = [".gitignore", ".ignore", OWN];

/// Returns why a folder is left out: one of its ignore files cannot be read.
pub(crate) fn unreadable(folder: &Path) -> Option<Refusal> {
    NAMES.iter().find_map(|name| {
        let path = folder.join(name);
        path.symlink_metadata().ok().filter(|metadata| !metadata.is_dir())?;
        let error = fs::read_to_string(&path).err()?;
        Some(Refusal::new(Code::IgnoreFileInvalid, unreadable_message(name, &error.to_string())))
    })
}

pub(crate) fn unreadable_message(name: &str, reason: &str) -> String {
    format!(
        "Its {name} cannot be read ({reason}), so the folder is left out. Mend or remove that file, or read everything with --no-ignore."
    )
}

/// Returns the ignore files that contain invalid patterns, each with the error.
pub(crate) fn faults(error: &ignore::Error) -> Vec<(PathBuf, Refusal)> {
    match error {
        ignore::Error::Partial(errors) => errors.iter().flat_map(faults).collect(),
        ignore::Error::WithPath { path, err } => {
            let mut inner = faults(err);
            for (of, _) in &mut inner {
                of.clone_from(path);
            }
            inner
        }
        ignore::Error::WithDepth { err, .. } => faults(err),
        other => {
            let message =
                format!("A pattern in it cannot be understood, and leaves nothing out ({other}). Mend it.");
            vec![(PathBuf::new(), Refusal::new(Code::IgnoreFileInvalid, message))]
        }
    }
}
