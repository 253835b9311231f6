//! Zip archives, unpacked up to a limit.

use crate::refusal::{Code, Refusal};
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Bytes that the parts of an archive that are read may have together when unpacked.
const MAX_UNPACKED: u64 = 64 << 20;

/// An archive, and how much of it may still be unpacked.
#[derive(Debug)]
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
    what: &'static str,
    program: &'static str,
}

/// Returns the refusal of a file that a password protects.
pub(crate) fn password() -> Refusal {
    Refusal::new(Code::FileProtected, "It is protected by a password. Save a copy without one, and add that.")
}

/// Returns the refusal of a file in the format of a program before 2007, in which also files with a password are wrapped.
pub(crate) fn protected(program: &str, ending: &str) -> Refusal {
    let message = format!(
        "It is protected by a password, or is in the format of {program} before 2007. Open it in {program}, save it as {ending} without a password, and add that."
    );
    Refusal::new(Code::FileProtected, message)
}

impl<'a> Archive<'a> {
    /// Opens an archive, which is `what` and is read by `program` in messages.
    pub(crate) fn open(bytes: &'a [u8], what: &'static str, program: &'static str) -> Result<Self, Refusal> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Refusal::damaged(what, program))?;
        Ok(Self { zip, left: MAX_UNPACKED, what, program })
    }

    pub(crate) fn damaged(&self) -> Refusal {
        Refusal::damaged(self.what, self.program)
    }

    /// Fails if all parts together would exceed a size when unpacked, whatever the archive says of itself.
    pub(crate) fn check_size(&mut self, most: u64) -> Result<(), Refusal> {
        let mut left = most;
        for at in 0..self.zip.len() {
            let part = self.zip.by_index(at).map_err(|_| Refusal::damaged(self.what, self.program))?;
            let read = std::io::copy(&mut part.take(left + 1), &mut std::io::sink());
            let read = read.map_err(|_| Refusal::damaged(self.what, self.program))?;
            left = left.checked_sub(read).ok_or_else(|| {
                let message =
                    format!("It would exceed {} MB when unpacked. Split it into several files.", most >> 20);
                Refusal::new(Code::FileTooLarge, message)
            })?;
        }
        Ok(())
    }

    /// Returns the text of a part; none if there is no such part.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        let part = match self.zip.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(why)) if why == ZipError::PASSWORD_REQUIRED => {
                return Err(password());
            }
            Err(_) => return Err(Refusal::damaged(self.what, self.program)),
        };
        let mut bytes = Vec::new();
        // What a part says of its own size is not believed.
        let read = part.take(self.left + 1).read_to_end(&mut bytes);
        let read = read.map_err(|_| Refusal::damaged(self.what, self.program))? as u64;
        self.left = self.left.checked_sub(read).ok_or_else(|| {
            let message = format!(
                "Its text would exceed {} MB when unpacked. Split it into parts.",
                MAX_UNPACKED >> 20
            );
            Refusal::new(Code::FileTooLarge, message)
        })?;
        crate::text::decoded(name, bytes).map(Some)
    }

    /// Returns the text of a part that every such archive has.
    pub(crate) fn required(&mut self, name: &str) -> Result<String, Refusal> {
        self.text(name)?.ok_or_else(|| self.damaged())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    #[test]
    fn parts_that_unpack_to_more_than_is_allowed_are_refused_together() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["a", "b"] {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(&[0; 1_000]).unwrap();
        }
        let bytes = zip.finish().unwrap().into_inner();
        let mut archive = Archive::open(&bytes, "x", "y").unwrap();
        assert!(archive.check_size(2_000).is_ok());
        assert_eq!(archive.check_size(1_999).unwrap_err().code, Code::FileTooLarge);
    }
}
