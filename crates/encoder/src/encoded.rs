//! The token ids of a text.

/// The token ids of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The ids including special tokens, without padding.
    pub ids: Vec<u32>,
    /// Whether the text was truncated.
    pub truncated: bool,
}
