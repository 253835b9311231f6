//! What a build has to do: which files are read, and which documents are removed.

use crate::record::{Entry, Record};
use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};
use vademecum::error::{Error, Result};
use vademecum_files::{Found, Place, Stamp, Walk};

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
    /// Compares files with a record.
    pub(crate) fn of(walk: &mut Walk, record: &Record) -> Self {
        let mut plan = Self::default();
        for found in std::mem::take(&mut walk.found) {
            match record.files.get(&found.id) {
                Some(entry) if is_unchanged(entry, &found) => plan.unchanged.push(found.id),
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

    /// Fails if all documents of a place would be removed because nothing is found there: it may be a disk that is not mounted.
    ///
    /// # Errors
    /// `folder_empty`.
    pub(crate) fn check(&self, places: &[Place], record: &Record) -> Result<()> {
        let found: Vec<&str> = self
            .unchanged
            .iter()
            .map(String::as_str)
            .chain(self.to_read.iter().map(|one| one.id.as_str()))
            .collect();
        let gone: HashSet<&String> = self.gone.iter().collect();
        for place in places.iter().filter(|place| place.is_folder) {
            if found.iter().any(|id| place.has(id, places)) {
                continue;
            }
            let had =
                record.files.iter().filter(|(id, entry)| place.has(id, places) && entry.has_documents(id));
            let had: Vec<&String> = had.map(|(id, _)| id).collect();
            if !had.is_empty() && had.iter().all(|id| gone.contains(*id)) {
                let message = format!(
                    "{} should have files, since the library has documents of {} of them, and has none that can be read. Check that it is the right folder, and that its disk is there.",
                    place.path.display(),
                    had.len()
                );
                return Err(Error::Relayed { code: "folder_empty", message, retryable: true });
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use vademecum_files::{Code, Refusal};

    #[test]
    fn files_of_a_folder_that_cannot_be_read_are_not_gone() {
        let mut record = Record::default();
        for id in ["one/a.md", "one/deep/b.md", "ones/c.md", "two/d.md"] {
            record.files.insert(id.to_owned(), Entry::default());
        }
        let refused = vec![("one".to_owned(), Refusal::new(Code::FileUnreadable, "x"))];
        let plan = Plan::of(&mut Walk { refused, ..Walk::default() }, &record);
        assert_eq!(plan.gone, ["ones/c.md", "two/d.md"]);
    }
}
