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
    /// Returns whether it changes nothing: its contents are as recorded, or it could not be read this time.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.outcome {
            Outcome::Same => true,
            Outcome::Refused(refusal) => !refusal.code.is_of_contents(),
            Outcome::Read(_) => false,
        }
    }
}

/// Splits files into batches.
pub(crate) fn batches(files: &[Found]) -> Vec<&[Found]> {
    let mut batches = Vec::new();
    let (mut from, mut bytes) = (0, 0);
    for (at, found) in files.iter().enumerate() {
        bytes += found.stamp.bytes;
        if bytes >= BATCH_BYTES || at + 1 - from >= BATCH_FILES {
            batches.extend(files.get(from..=at));
            (from, bytes) = (at + 1, 0);
        }
    }
    batches.extend(files.get(from..).filter(|rest| !rest.is_empty()));
    batches
}

/// Reads files, in their order. A file whose contents are as recorded is not read in.
pub(crate) fn read_all(files: &[Found], record: &Record) -> Vec<ReadFile> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(found) = files.get(at)
        {
            done.push((at, read_one(found, record.files.get(&found.id))));
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
