//! Why a file does not become a document.

use crate::kind::Kind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason as a stable code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The file cannot be opened or read.
    FileUnreadable,
    /// The file was written to while it was read, twice.
    FileChanged,
    /// A symbolic link leads to a folder that contains it.
    FileLoop,
    /// Another file has the same id.
    FileSameId,
    /// An ignore file cannot be read, or has a pattern that cannot be understood.
    IgnoreFileInvalid,
    /// The reader was ended from outside, or took too long.
    FileUnfinished,
    /// The file has more bytes than a file of its kind may have, or unpacks to more.
    FileTooLarge,
    /// The contents are not of the kind that the name says.
    FileDamaged,
    /// A password or a licence protects the contents.
    FileProtected,
    /// There is no text, as in a scan.
    FileWithoutText,
    /// The text is in an encoding that was not recognised.
    FileNotUtf8,
    /// The engine refuses the document, for example because of its metadata.
    DocumentRefused,
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 12] = [
        Self::FileUnreadable,
        Self::FileChanged,
        Self::FileLoop,
        Self::FileSameId,
        Self::IgnoreFileInvalid,
        Self::FileUnfinished,
        Self::FileTooLarge,
        Self::FileDamaged,
        Self::FileProtected,
        Self::FileWithoutText,
        Self::FileNotUtf8,
        Self::DocumentRefused,
    ];

    /// Returns the code as programs compare it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FileUnreadable => "file_unreadable",
            Self::FileChanged => "file_changed",
            Self::FileLoop => "file_loop",
            Self::FileSameId => "file_same_id",
            Self::IgnoreFileInvalid => "ignore_file_invalid",
            Self::FileUnfinished => "file_unfinished",
            Self::FileTooLarge => "file_too_large",
            Self::FileDamaged => "file_damaged",
            Self::FileProtected => "file_protected",
            Self::FileWithoutText => "file_without_text",
            Self::FileNotUtf8 => "file_not_utf8",
            Self::DocumentRefused => "document_refused",
        }
    }

    /// Returns whether the refusal holds as long as the contents stay the same.
    pub const fn is_of_contents(self) -> bool {
        !matches!(
            self,
            Self::FileUnreadable
                | Self::FileChanged
                | Self::FileLoop
                | Self::FileSameId
                | Self::IgnoreFileInvalid
                | Self::FileUnfinished
        )
    }
}

/// The code of a refused file, and a sentence with the fault and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The code.
    pub code: Code,
    /// The sentence.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A file that the system does not give.
    pub fn unreadable(reason: impl fmt::Display) -> Self {
        Self::new(Code::FileUnreadable, format!("It cannot be read ({reason}). Check its permissions."))
    }

    /// A file that was written to each time it was read.
    pub fn changed() -> Self {
        Self::new(
            Code::FileChanged,
            "It was written to while it was read. Add it again when nothing writes to it.",
        )
    }

    /// A symbolic link to a folder around it.
    pub fn looped(ancestor: impl fmt::Display) -> Self {
        let message = format!("This symbolic link leads to {ancestor}, which contains it. Remove it.");
        Self::new(Code::FileLoop, message)
    }

    /// A file with the id of another one, which is added.
    pub fn same_id(path: impl fmt::Display, twin: impl fmt::Display) -> Self {
        let message = format!(
            "{path} would have the same id as {twin}, which is added. Rename one of them, or name their folders."
        );
        Self::new(Code::FileSameId, message)
    }

    /// A file with more bytes than one of its kind may have.
    pub fn too_large(bytes: u64, kind: Kind) -> Self {
        let mb = |bytes: u64| bytes.div_ceil(1 << 20);
        let message = format!(
            "It has {} MB; a file of type {} may have up to {} MB. Split it into parts.",
            mb(bytes),
            kind.name(),
            mb(kind.max_bytes())
        );
        Self::new(Code::FileTooLarge, message)
    }

    /// A file whose reader was ended, for the reason given.
    pub fn unfinished(what: impl fmt::Display) -> Self {
        let advice = "What an earlier build read of it is kept. Build again; if that does not help, split the file, or save it again from the program that it is of.";
        Self::new(Code::FileUnfinished, format!("{what} {advice}"))
    }

    /// A file that makes its reader crash.
    pub fn crashed() -> Self {
        Self::new(
            Code::FileDamaged,
            "Its reader crashed. If the program that it is of opens it, save it again from there.",
        )
    }

    pub(crate) fn without_text() -> Self {
        Self::new(Code::FileWithoutText, "It contains no text.")
    }

    pub(crate) fn damaged(what: &str, program: &str) -> Self {
        let message =
            format!("It is damaged, or not {what}. If {program} opens it, save it again from there.");
        Self::new(Code::FileDamaged, message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code.as_str())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_written_as_it_is_compared() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn what_befell_the_reader_is_no_property_of_the_contents() {
        assert!(!Code::FileUnfinished.is_of_contents() && !Code::FileUnreadable.is_of_contents());
        assert!(Code::FileDamaged.is_of_contents());
    }
}
