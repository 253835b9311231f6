//! Tokenisation by the `tokenizer.json` published with a model.

use crate::encoded::Encoded;
use tokenizers::{Tokenizer, TruncationParams};
use vademecum_protocol::error::{Error, Result};

/// The ids of several texts, padded to the longest: row-major matrices of `rows × columns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBatch {
    /// Number of texts.
    pub rows: usize,
    /// Number of tokens of the longest text.
    pub columns: usize,
    /// Token ids; 0 for padding.
    pub ids: Vec<i64>,
    /// Attention mask: 1 for a token, 0 for padding.
    pub mask: Vec<i64>,
}

impl TokenBatch {
    /// Pads `sequences` to equal length.
    pub fn of(sequences: &[&[u32]]) -> Self {
        let columns = sequences.iter().map(|ids| ids.len()).max().unwrap_or(0);
        let mut batch = Self { rows: sequences.len(), columns, ids: Vec::new(), mask: Vec::new() };
        for ids in sequences {
            let padding = columns - ids.len();
            batch.ids.extend(ids.iter().map(|id| i64::from(*id)).chain(std::iter::repeat_n(0, padding)));
            batch.mask.extend(ids.iter().map(|_| 1).chain(std::iter::repeat_n(0, padding)));
        }
        batch
    }
}

/// A loaded tokenizer.
#[derive(Debug)]
pub struct Tokens(Tokenizer);

impl Tokens {
    /// Parses a `tokenizer.json`. Its truncation and padding settings are replaced: `max_tokens` applies, and
    /// batches are padded to their longest text.
    ///
    /// # Errors
    /// [`Error::TokenizerInvalid`], naming `url`.
    pub fn load(json: &[u8], url: &str, max_tokens: usize) -> Result<Self> {
        let invalid = |error: tokenizers::Error| Error::TokenizerInvalid {
            url: url.to_owned(),
            reason: vademecum_protocol::error::excerpt(&error.to_string(), 200),
        };
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(invalid)?;
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(invalid)?;
        Ok(Self(tokenizer))
    }

    /// Tokenises a text.
    ///
    /// # Errors
    /// [`Error::EmbedderFailed`] with the tokenizer's message.
    pub fn encode(&self, text: &str) -> Result<Encoded> {
        let encoding =
            self.0.encode(text, true).map_err(|error| Error::EmbedderFailed { reason: error.to_string() })?;
        Ok(Encoded { ids: encoding.get_ids().to_vec(), truncated: !encoding.get_overflowing().is_empty() })
    }

    /// Counts the tokens of `text` without special tokens, up to `max_tokens`, which is already too many. If
    /// the tokenizer fails, counts characters.
    pub fn count(&self, text: &str) -> usize {
        self.0
            .encode_fast(text, false)
            .map_or_else(|_| text.chars().count(), |encoding| encoding.get_ids().len())
    }

    /// Returns the size of the vocabulary; every id is smaller.
    pub fn vocabulary(&self) -> usize {
        self.0.get_vocab_size(true)
    }
}
