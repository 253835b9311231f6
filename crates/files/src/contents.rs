//! The bytes of a file, read while it does not change.

use crate::kind::Kind;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{Read, Result};
use std::path::Path;
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::xxh3_128;

/// Times that a file is read before it is refused as changing.
const TRIES: usize = 2;

/// Size and time of the last change: equal stamps of an older file mean equal contents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Size in bytes.
    pub bytes: u64,
    /// Nanoseconds from 1970 to the last change; 0 where the system has no such time.
    pub modified: u64,
}

impl Stamp {
    /// Returns the stamp of a file.
    pub fn of(metadata: &Metadata) -> Self {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            bytes: metadata.len(),
            modified: since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)),
        }
    }
}

/// The bytes of a file, with the stamp and the hash that belong to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The stamp before and after reading.
    pub stamp: Stamp,
    /// The XXH3 hash of 128 bits, in hexadecimal.
    pub hash: String,
}

/// Reads a file.
///
/// # Errors
/// `file_unreadable`, `file_too_large`, `file_changed`.
pub(crate) fn contents(path: &Path, kind: Kind) -> std::result::Result<Contents, Refusal> {
    stable(kind, || once(path, kind))
}

/// One attempt: the stamp before, the bytes, and the stamp after.
type Attempt = (Stamp, Vec<u8>, Stamp);

fn once(path: &Path, kind: Kind) -> Result<Attempt> {
    let file = File::open(path)?;
    let before = Stamp::of(&file.metadata()?);
    let mut bytes = Vec::new();
    if before.bytes <= kind.max_bytes() {
        bytes.reserve_exact(usize::try_from(before.bytes).unwrap_or_default());
        // A file that grows while it is read is left at the limit.
        (&file).take(kind.max_bytes() + 1).read_to_end(&mut bytes)?;
    }
    Ok((before, bytes, Stamp::of(&file.metadata()?)))
}

fn stable(
    kind: Kind,
    mut attempt: impl FnMut() -> Result<Attempt>,
) -> std::result::Result<Contents, Refusal> {
    for _ in 0..TRIES {
        let (before, bytes, after) = attempt().map_err(Refusal::unreadable)?;
        if before.bytes.max(bytes.len() as u64) > kind.max_bytes() {
            return Err(Refusal::too_large(before.bytes.max(bytes.len() as u64), kind));
        }
        if before == after && before.bytes == bytes.len() as u64 {
            let hash = format!("{:032x}", xxh3_128(&bytes));
            return Ok(Contents { bytes, stamp: before, hash });
        }
    }
    Err(Refusal::changed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Code;

    fn stamp(modified: u64) -> Stamp {
        Stamp { bytes: 2, modified }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_read_again_once() {
        let mut times = 0;
        let read = stable(Kind::Text, || {
            times += 1;
            Ok((stamp(1), b"ab".to_vec(), stamp(if times == 1 { 2 } else { 1 })))
        });
        assert_eq!((read.unwrap().bytes.as_slice(), times), (&b"ab"[..], 2));
        let always = stable(Kind::Text, || Ok((stamp(1), b"abc".to_vec(), stamp(1))));
        assert_eq!(always.unwrap_err().code, Code::FileChanged);
    }

    #[test]
    fn a_file_over_the_limit_is_refused_without_reading_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = File::create(&path).unwrap();
        file.set_len(Kind::Text.max_bytes() + 1).unwrap();
        let refused = contents(&path, Kind::Text).unwrap_err();
        assert_eq!(refused.code, Code::FileTooLarge);
        assert!(refused.message.contains("17 MB"), "{refused}");
    }
}
