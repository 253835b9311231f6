//! Names of parts: truncated SHA-256 of their contents.

use sha2::{Digest, Sha256};
use std::fmt;

/// The name of a part: the first 16 bytes of the SHA-256 of its contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartName(pub [u8; 16]);

impl PartName {
    /// Returns the name of a part with these contents.
    pub fn of(contents: &[u8]) -> Self {
        Self(first(contents))
    }

    /// Parses 32 hexadecimal digits in lower case; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut name = [0; 16];
        if digits.len() != 32 {
            return None;
        }
        for (byte, pair) in name.iter_mut().zip(digits.as_chunks::<2>().0) {
            let [high, low] = pair.map(digit);
            *byte = high? << 4 | low?;
        }
        Some(Self(name))
    }

    /// Returns the path of its file below the manifest: `parts/<name>.bin`.
    pub fn path(&self) -> String {
        format!("parts/{self}.bin")
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for PartName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

/// The hash of a block: the first 8 bytes of the SHA-256 of its compressed form.
pub(crate) type BlockHash = [u8; 8];

/// Returns the first bytes of the SHA-256.
pub(crate) fn first<const N: usize>(contents: &[u8]) -> [u8; N] {
    let hash: [u8; 32] = Sha256::digest(contents).into();
    let mut beginning = [0; N];
    beginning.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    beginning
}
