//! The token ids of a text, or of a pair of texts.

use std::ops::Range;

/// The token ids of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The ids including special tokens, without padding.
    pub ids: Vec<u32>,
    /// Whether the text was truncated.
    pub truncated: bool,
}

/// The token ids of one text, and the words that they are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The token ids.
    pub encoded: Encoded,
    /// Index of the first token of the text, after special ones and those of a prefix.
    pub start: usize,
    /// Per token of the text: the bytes of the word that it is a piece of.
    pub places: Vec<Range<usize>>,
}

/// The token ids of a pair of texts, as a cross-encoder takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPair {
    /// The ids including special tokens, without padding.
    pub ids: Vec<u32>,
    /// Index of the first token of the second segment.
    pub second: usize,
    /// Index of the first token of the second text.
    pub start: usize,
    /// Per token of the second text: the bytes of the word that it is a piece of.
    pub words: Vec<Range<usize>>,
    /// Whether the second text was truncated.
    pub truncated: bool,
}
