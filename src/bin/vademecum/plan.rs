//! What a build has to do: which files are read, and which documents are removed.

use crate::record::{Entry, Record};
use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};
use vademecum_files::{Found, Stamp, Walk};

/// Nanoseconds after a file's last change during which another change may leave its time as it is.
const UNSURE: u64 = 2_000_000_000;

/// The work of a build.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files that are new, or have another size or time than recorded.
    pub(crate) to_read: Vec<Found>,
    /// Files that are taken to be unchanged.
    pub(crate) unchanged: Vec<String>,
    /// Recorded files that are gone.
    pub(crate) gone: Vec<String>,
}

impl Plan {
    /// Compares files with a record. `is_trusted` is whether unchanged files would make the same documents.
    pub(crate) fn of(walk: &mut Walk, record: &Record, is_trusted: bool) -> Self {
        let mut plan = Self::default();
        for found in std::mem::take(&mut walk.found) {
            match record.files.get(&found.id) {
                Some(entry) if is_trusted && is_unchanged(entry, &found) => plan.unchanged.push(found.id),
                _ => plan.to_read.push(found),
            }
        }
        let there: HashSet<&str> = plan
            .unchanged
            .iter()
            .map(String::as_str)
            .chain(plan.to_read.iter().map(|one| one.id.as_str()))
            .collect();
        let gone =
            record.files.keys().filter(|id| !there.contains(id.as_str()) && !is_out_of_reach(walk, id));
        plan.gone = gone.cloned().collect();
        plan
    }
}

fn is_unchanged(entry: &Entry, found: &Found) -> bool {
    entry.stamp == found.stamp
        && entry.stamp.modified > 0
        && !entry.hash.is_empty()
        && entry.beside == found.beside()
}

/// Returns whether a file is, or is in a folder, that could not be read this time: its documents are kept.
fn is_out_of_reach(walk: &Walk, id: &str) -> bool {
    walk.refused.iter().any(|(path, _)| {
        path.is_empty()
            || id.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Returns the stamp to record of a file that was read: without a time if it may change again within the precision of its clock.
pub(crate) fn recorded(stamp: Stamp) -> Stamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    if u128::from(stamp.modified) + u128::from(UNSURE) > now { Stamp { modified: 0, ..stamp } } else { stamp }
}
