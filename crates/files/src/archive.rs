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

impl<'a> Archive<'a> {
    /// Opens an archive, which is `what` and is read by `program` in messages.
    pub(crate) fn open(bytes: &'a [u8], what: &'static str, program: &'static str) -> Result<Self, Refusal> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Refusal::damaged(what, program))?;
        Ok(Self { zip, left: MAX_UNPACKED, what, program })
    }

    pub(crate) fn damaged(&self) -> Refusal {
        Refusal::damaged(self.what, self.program)
    }

    /// Returns the text of a part; none if there is no such part.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        let part = match self.zip.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(why)) if why == ZipError::PASSWORD_REQUIRED => {
                return Err(Refusal::new(
                    Code::FileProtected,
                    "It is protected by a password. Save a copy without one, and add that.",
                ));
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
