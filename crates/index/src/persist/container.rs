//! The file format: named sections with lengths and checksums, behind a table with a checksum of its own.
//!
//! ```text
//! 0   "VADEMEC\n"          8 bytes
//! 8   format version       u32, little-endian, as all numbers
//! 12  length of the table  u32
//! 16  checksum of the table, and of the 16 bytes before   u64 (XXH3)
//! 24  the table: kind of file, then name, length and checksum of each section (postcard)
//!     the sections, one after another, to the end of the file
//! ```

use serde::{Deserialize, Serialize};
use vademecum_protocol::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"VADEMEC\n";
/// The format version written. All versions up to it can be read.
pub const FORMAT_VERSION: u32 = 1;
/// Bytes before the table.
pub(crate) const HEADER: usize = 24;

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Manifest,
    Text,
    Vectors,
    Graph,
    Deleted,
    Library,
}

#[derive(Serialize, Deserialize)]
struct Table<'a> {
    kind: Kind,
    #[serde(borrow)]
    sections: Vec<(&'a str, u64, u64)>,
}

/// Serialises a value with postcard.
///
/// # Errors
/// [`Error::internal`] if serialisation fails.
pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|_| Error::internal("The library cannot be written.".to_owned()))
}

/// Returns the bytes of a file with these sections.
///
/// # Errors
/// As [`encode`].
pub(crate) fn write(kind: Kind, sections: &[(&str, &[u8])]) -> Result<Vec<u8>> {
    let table = Table {
        kind,
        sections: sections.iter().map(|(name, bytes)| (*name, bytes.len() as u64, xxh3_64(bytes))).collect(),
    };
    let table = encode(&table)?;
    let mut out =
        Vec::with_capacity(HEADER + table.len() + sections.iter().map(|one| one.1.len()).sum::<usize>());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    out.extend_from_slice(&(table.len() as u32).to_le_bytes());
    let sum = checksum(&out, &table);
    out.extend_from_slice(&sum.to_le_bytes());
    out.extend_from_slice(&table);
    sections.iter().for_each(|(_, bytes)| out.extend_from_slice(bytes));
    Ok(out)
}

/// The verified sections of a file.
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    file: &'a str,
    sections: Vec<(&'a str, &'a [u8])>,
}

impl<'a> Sections<'a> {
    /// Parses and verifies a file.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`].
    pub(crate) fn read(file: &'a str, bytes: &'a [u8], kind: Kind) -> Result<Self> {
        Self::read_checked(file, bytes, kind, true)
    }

    /// Parses a file whose sections are files themselves. Without `check`, their checksums are not verified
    /// here, which leaves damage to be found in each of them.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn read_checked(file: &'a str, bytes: &'a [u8], kind: Kind, check: bool) -> Result<Self> {
        let corrupt =
            |reason: &str| Error::LibraryCorrupt { file: file.to_owned(), reason: reason.to_owned() };
        if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(bytes) {
            return Err(corrupt(
                "it does not begin as a Vademecum file does, so it may be another kind of file",
            ));
        }
        let (start, rest) = bytes.split_at_checked(16).ok_or_else(|| corrupt("it is cut short"))?;
        let (sum, rest) = rest.split_at_checked(8).ok_or_else(|| corrupt("it is cut short"))?;
        let number =
            |at: usize| start.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes);
        let version = number(8).unwrap_or_default();
        let length = number(12).unwrap_or_default() as usize;
        // A newer format may continue differently from here.
        if version > FORMAT_VERSION {
            return Err(Error::LibraryNewer { found: version, known: FORMAT_VERSION });
        }
        let (table, mut rest) = rest.split_at_checked(length).ok_or_else(|| corrupt("it is cut short"))?;
        if checksum(start, table).to_le_bytes() != sum {
            return Err(corrupt("its table has changed since it was written"));
        }
        let table: Table<'a> =
            postcard::from_bytes(table).map_err(|_| corrupt("its table cannot be read"))?;
        if table.kind != kind {
            return Err(corrupt(&format!(
                "it is a file of kind {:?}, where {kind:?} was expected",
                table.kind
            )));
        }
        let mut sections = Vec::with_capacity(table.sections.len());
        for (name, length, sum) in table.sections {
            let (section, behind) = usize::try_from(length)
                .ok()
                .and_then(|length| rest.split_at_checked(length))
                .or((!check).then_some((rest, &[])))
                .ok_or_else(|| corrupt("it is cut short"))?;
            if check && xxh3_64(section) != sum {
                return Err(corrupt(&format!("its part `{name}` has changed since it was written")));
            }
            sections.push((name, section));
            rest = behind;
        }
        Ok(Self { file, sections })
    }

    /// Returns the bytes of a section.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`] if there is no section of this name.
    pub(crate) fn get(&self, name: &str) -> Result<&'a [u8]> {
        self.find(name).ok_or_else(|| self.corrupt(format!("its part `{name}` is missing")))
    }

    /// Returns the bytes of a section, if it exists.
    pub(crate) fn find(&self, name: &str) -> Option<&'a [u8]> {
        self.sections.iter().find(|one| one.0 == name).map(|one| one.1)
    }

    /// Deserialises a section.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`] if it is missing or cannot be deserialised.
    pub(crate) fn value<T: Deserialize<'a>>(&self, name: &str) -> Result<T> {
        // The codec's own messages would take half a kilobyte of each module, and tell a user nothing.
        postcard::from_bytes(self.get(name)?)
            .map_err(|_| self.corrupt(format!("its part `{name}` cannot be read")))
    }

    /// Iterates over the sections and their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.sections.iter().copied()
    }

    /// Returns an error that names this file.
    pub(crate) fn corrupt(&self, reason: impl Into<String>) -> Error {
        Error::LibraryCorrupt { file: self.file.to_owned(), reason: reason.into() }
    }
}

/// Returns the length of the header and the table behind it, of a file that begins with `header`.
#[cfg(feature = "paging")]
pub(crate) fn table_end(header: &[u8]) -> Option<usize> {
    let length: [u8; 4] = header.get(12..16)?.try_into().ok()?;
    HEADER.checked_add(u32::from_le_bytes(length) as usize)
}

/// Returns the offset of each section within a file, of which `bytes` are the header and the table.
#[cfg(feature = "paging")]
pub(crate) fn offsets(bytes: &[u8]) -> Option<Vec<(&str, usize)>> {
    let table: Table<'_> = postcard::from_bytes(bytes.get(HEADER..)?).ok()?;
    let mut at = bytes.len();
    let offset = |(name, length, _)| {
        let next = at.checked_add(usize::try_from(length).ok()?)?;
        Some((name, std::mem::replace(&mut at, next)))
    };
    table.sections.into_iter().map(offset).collect()
}

fn checksum(start: &[u8], table: &[u8]) -> u64 {
    xxh3_64(&[start, table].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Unwritable;

    impl Serialize for Unwritable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> std::result::Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("it has no end"))
        }
    }

    #[test]
    fn a_value_that_cannot_be_serialised_is_an_error_not_an_empty_file() {
        assert_eq!(encode(&Unwritable).unwrap_err().code(), "internal");
        assert_eq!(encode(&7u8).unwrap(), [7]);
    }
}
