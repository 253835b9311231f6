//! Text to token ids, by the `tokenizer.json` that was published with the model.

use tokenizers::{Tokenizer, TruncationParams};
use vademecum_protocol::error::{Error, Result};

/// One text's ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// Ids with the special tokens, without padding.
    pub ids: Vec<u32>,
    /// Whether the text was longer.
    pub truncated: bool,
}

/// Several texts' ids, padded to the longest: three arrays of `rows × columns`, row after row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBatch {
    /// Texts.
    pub rows: usize,
    /// Tokens of the longest.
    pub columns: usize,
    /// Ids; padding is 0.
    pub ids: Vec<i64>,
    /// 1 for a token, 0 for padding.
    pub mask: Vec<i64>,
}

impl TokenBatch {
    /// Pads `sequences` to one length.
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
    /// Reads a `tokenizer.json`. Its own truncation and padding are set aside: `max_tokens` decides, and batches
    /// are padded to their longest text only.
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

    /// The ids of one text.
    ///
    /// # Errors
    /// [`Error::EmbedderFailed`] with what the tokenizer said.
    pub fn encode(&self, text: &str) -> Result<Encoded> {
        let encoding =
            self.0.encode(text, true).map_err(|error| Error::EmbedderFailed { reason: error.to_string() })?;
        Ok(Encoded { ids: encoding.get_ids().to_vec(), truncated: !encoding.get_overflowing().is_empty() })
    }

    /// How many tokens `text` has, the special ones left out; of a text that is too long, `max_tokens`, which is more
    /// than fits with the special ones. A text the tokenizer fails at counts by its characters.
    pub fn count(&self, text: &str) -> usize {
        self.0
            .encode_fast(text, false)
            .map_or_else(|_| text.chars().count(), |encoding| encoding.get_ids().len())
    }

    /// How many ids there are: every id is below this.
    pub fn vocabulary(&self) -> usize {
        self.0.get_vocab_size(true)
    }
}
