//! Reads files on all cores, some at a time.

use crate::embedder::cores;
use crate::pdf_process::pages_apart;
use crate::plan::recorded;
use crate::record::{Entry, Record};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use vademecum_files::{Found, Read, Refusal, read};

/// Bytes of files that are read before their documents are added: what a build has in memory beside the library.
const BATCH_BYTES: u64 = 2 << 20;
/// Bytes of text that files may have before no more are read, and those that are read are added.
const BATCH_TEXT: usize = 16 << 20;
/// Files that are read before their documents are added.
const BATCH_FILES: usize = 256;

/// What became of a file.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Its contents are as recorded.
    Same,
    /// It has documents.
    Read(Read),
    /// It cannot become documents.
    Refused(Refusal),
}

/// A file that was read, with the entry to record, whose documents and refusal are not filled in.
#[derive(Debug)]
pub(crate) struct ReadFile {
    pub(crate) id: String,
    pub(crate) bytes: u64,
    pub(crate) entry: Entry,
    pub(crate) outcome: Outcome,
    /// Whether the library has documents of an earlier version of it; filled in when it is counted.
    pub(crate) is_change: bool,
}

impl ReadFile {
    /// Returns how much text its documents have.
    fn text_bytes(&self) -> usize {
        let Outcome::Read(read) = &self.outcome else { return 0 };
        let paged = |pages: &Vec<String>| pages.iter().map(String::len).sum::<usize>();
        read.documents.iter().map(|one| one.text.len() + one.pages.as_ref().map_or(0, paged)).sum()
    }

    /// Returns whether it changes nothing: its contents are as recorded, or it could not be read this time.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.outcome {
            Outcome::Same => true,
            Outcome::Refused(refusal) => !refusal.code.is_of_contents(),
            Outcome::Read(_) => false,
        }
    }
}

/// Returns the first files, as many as make a batch; none if there are none.
pub(crate) fn first_batch(files: &[Found]) -> Option<&[Found]> {
    let mut bytes = 0;
    let is_last = |(at, found): (usize, &Found)| {
        bytes += found.stamp.bytes;
        bytes >= BATCH_BYTES || at + 1 >= BATCH_FILES
    };
    let last = files.iter().enumerate().position(is_last);
    files.get(..=last.unwrap_or(files.len().checked_sub(1)?))
}

/// Reads files, in their order: all, or the first ones, at least one, if their text is much more than they have bytes, as that of archives
/// may be. A file whose contents are as recorded is not read in.
pub(crate) fn read_all(files: &[Found], record: &Record) -> Vec<ReadFile> {
    let (next, text) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut done = Vec::new();
        while text.load(Ordering::Relaxed) < BATCH_TEXT
            && let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(found) = files.get(at)
        {
            let read = read_one(found, record.files.get(&found.id));
            text.fetch_add(read.text_bytes(), Ordering::Relaxed);
            done.push((at, read));
        }
        done
    };
    let mut all = thread::scope(|scope| {
        let threads: Vec<_> = (1..cores().min(files.len())).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for thread in threads {
            all.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, read)| read).collect()
}

/// Reads one file.
pub(crate) fn read_one(found: &Found, known: Option<&Entry>) -> ReadFile {
    let of = |entry, outcome| ReadFile {
        id: found.id.clone(),
        bytes: found.stamp.bytes,
        entry,
        outcome,
        is_change: false,
    };
    let contents = match found.contents() {
        Ok(contents) => contents,
        Err(refusal) => return of(Entry::default(), Outcome::Refused(refusal)),
    };
    let entry = Entry {
        stamp: recorded(contents.stamp),
        hash: contents.hash,
        beside: found.beside(),
        ..Entry::default()
    };
    if known.is_some_and(|known| known.hash == entry.hash && known.beside == entry.beside) {
        return of(entry, Outcome::Same);
    }
    match read(found, contents.bytes, &pages_apart) {
        Ok(read) => of(entry, Outcome::Read(read)),
        Err(refusal) => of(entry, Outcome::Refused(refusal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vademecum_files::{Place, Walk, WalkOptions};

    fn found(sizes: &[usize]) -> (tempfile::TempDir, Vec<Found>) {
        let folder = tempfile::tempdir().unwrap();
        for (at, size) in sizes.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{at:04}.txt")), "x ".repeat(size / 2)).unwrap();
        }
        let walk = Walk::of(&[Place::of(folder.path()).unwrap()], &WalkOptions::default());
        (folder, walk.found)
    }

    #[test]
    fn a_batch_ends_after_enough_bytes_or_files() {
        let (_folder, files) = found(&[1 << 20, 1 << 20, 4]);
        assert_eq!(first_batch(&files).map(<[Found]>::len), Some(2));
        assert_eq!(first_batch(&files[2..]).map(<[Found]>::len), Some(1));
        assert_eq!(first_batch(&[]), None);
        let (_folder, many) = found(&[2; BATCH_FILES + 1]);
        assert_eq!(first_batch(&many).map(<[Found]>::len), Some(BATCH_FILES));
    }

    #[test]
    fn no_more_files_are_read_once_there_is_much_text() {
        let (_folder, files) = found(&[8 << 20; 4]);
        let many: Vec<Found> = files.iter().cycle().take(8 * cores().max(4)).cloned().collect();
        let read = read_all(&many, &Record::default());
        assert!(read.len() >= 2 && read.len() <= 2 + cores(), "{} of {}", read.len(), many.len());
        assert!(
            read.iter().zip(&many).all(|(read, found)| read.id == found.id),
            "the first ones, in their order"
        );
    }
}
