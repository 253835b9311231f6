//! Tokenisation by the `tokenizer.json` published with a model.

use crate::encoded::{Encoded, EncodedPair};
use crate::errors::tokenizer_invalid;
use std::ops::Range;
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection, TruncationParams};
use vademecum_protocol::error::{Error, Result};

/// The ids of several sequences, padded to the longest: row-major matrices of `rows × columns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBatch {
    /// Number of sequences.
    pub rows: usize,
    /// Number of tokens of the longest sequence.
    pub columns: usize,
    /// Token ids; 0 for padding.
    pub ids: Vec<i64>,
    /// Attention mask: 1 for a token, 0 for padding.
    pub mask: Vec<i64>,
    /// Segments: 1 for a token of the second one, else 0.
    pub segments: Vec<i64>,
}

impl TokenBatch {
    /// Pads sequences of one segment to equal length.
    pub fn of(sequences: &[&[u32]]) -> Self {
        let whole: Vec<(&[u32], usize)> = sequences.iter().map(|ids| (*ids, ids.len())).collect();
        Self::of_pairs(&whole)
    }

    /// Pads sequences to equal length, each with the index of the first token of its second segment.
    pub fn of_pairs(sequences: &[(&[u32], usize)]) -> Self {
        let columns = sequences.iter().map(|(ids, _)| ids.len()).max().unwrap_or(0);
        let rows = sequences.len();
        let mut batch = Self { rows, columns, ids: Vec::new(), mask: Vec::new(), segments: Vec::new() };
        for (ids, second) in sequences {
            let padding = columns - ids.len();
            batch.ids.extend(ids.iter().map(|id| i64::from(*id)).chain(std::iter::repeat_n(0, padding)));
            batch.mask.extend(ids.iter().map(|_| 1).chain(std::iter::repeat_n(0, padding)));
            batch.segments.extend((0..columns).map(|at| i64::from((*second..ids.len()).contains(&at))));
        }
        batch
    }

    /// Splits values of `width` per token into those of each sequence, without padding.
    pub fn unpadded(&self, values: &[f32], width: usize) -> Vec<Vec<f32>> {
        let rows = values.chunks_exact((self.columns * width).max(1));
        let row = |(row, mask): (&[f32], &[i64])| {
            let tokens = row.chunks_exact(width.max(1)).zip(mask).filter(|(_, mask)| **mask == 1);
            tokens.flat_map(|(token, _)| token).copied().collect()
        };
        rows.zip(self.mask.chunks_exact(self.columns.max(1))).map(row).collect()
    }
}

/// A loaded tokenizer.
#[derive(Debug)]
pub struct Tokens(Tokenizer);

/// A loaded tokenizer of pairs.
#[derive(Debug)]
pub struct PairTokens {
    tokenizer: Tokenizer,
    max_tokens: usize,
}

impl Tokens {
    /// Parses a `tokenizer.json`. Its truncation and padding settings are replaced: `max_tokens` applies, and
    /// batches are padded to their longest text.
    ///
    /// # Errors
    /// `tokenizer_invalid`, naming `url`.
    pub fn load(json: &[u8], url: &str, max_tokens: usize) -> Result<Self> {
        let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
        parsed(json, url, Some(truncation)).map(Self)
    }

    /// Tokenises a text.
    ///
    /// # Errors
    /// [`Error::EmbedderFailed`] with the tokenizer's message.
    pub fn encode(&self, text: &str) -> Result<Encoded> {
        let encoding = self.0.encode(text, true).map_err(|error| failed(&error))?;
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

impl PairTokens {
    /// Parses a `tokenizer.json`, as [`Tokens::load`] does.
    ///
    /// # Errors
    /// `tokenizer_invalid`, naming `url`.
    pub fn load(json: &[u8], url: &str, max_tokens: usize) -> Result<Self> {
        // The library's own ways of cutting cannot keep half of the room for each text.
        Ok(Self { tokenizer: parsed(json, url, None)?, max_tokens })
    }

    /// Tokenises a pair of texts. The second one is cut to what the first one leaves, which is at least half.
    ///
    /// # Errors
    /// [`Error::EmbedderFailed`] with the tokenizer's message.
    pub fn encode(&self, first: &str, second: &str) -> Result<EncodedPair> {
        let tokens = |text: &str| self.tokenizer.encode(text, false).map_err(|error| failed(&error));
        let (mut first, mut other) = (tokens(first)?, tokens(second)?);
        let processor = self.tokenizer.get_post_processor();
        let special = processor.map_or(0, |processor| processor.added_tokens(true));
        let room = self.max_tokens.saturating_sub(special);
        first.truncate((room / 2).max(room.saturating_sub(other.len())), 0, TruncationDirection::Right);
        let truncated = other.len() > room - first.len();
        let mut words = word_ranges(&other);
        other.truncate(room - first.len(), 0, TruncationDirection::Right);
        words.truncate(other.len());
        let pair = self.tokenizer.post_process(first, Some(other), true).map_err(|error| failed(&error))?;
        let ids = pair.get_ids().to_vec();
        let start = pair.get_sequence_ids().iter().position(|sequence| *sequence == Some(1));
        let second = pair.get_type_ids().iter().position(|segment| *segment == 1);
        let (start, second) = (start.unwrap_or(ids.len()), second.unwrap_or(ids.len()));
        Ok(EncodedPair { ids, second, start, words, truncated })
    }

    /// Returns the size of the vocabulary; every id is smaller.
    pub fn vocabulary(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }
}

fn parsed(json: &[u8], url: &str, truncation: Option<TruncationParams>) -> Result<Tokenizer> {
    let invalid = |error: tokenizers::Error| {
        tokenizer_invalid(url, &vademecum_protocol::error::excerpt(&error.to_string(), 200))
    };
    let mut tokenizer = Tokenizer::from_bytes(json).map_err(invalid)?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(truncation).map_err(invalid)?;
    Ok(tokenizer)
}

fn failed(error: &tokenizers::Error) -> Error {
    Error::EmbedderFailed { reason: error.to_string() }
}

/// Returns per token the bytes of the word that it is a piece of; without words, its own.
fn word_ranges(encoding: &Encoding) -> Vec<Range<usize>> {
    let (words, offsets) = (encoding.get_word_ids(), encoding.get_offsets());
    let own = |at: usize| offsets.get(at).copied().unwrap_or_default();
    let range = |(at, word): (usize, &Option<u32>)| {
        let is_same = |other: &usize| word.is_some() && words.get(*other) == Some(word);
        let first = (0..at).rev().take_while(is_same).last().unwrap_or(at);
        let last = (at + 1..words.len()).take_while(is_same).last().unwrap_or(at);
        own(first).0..own(last).1
    };
    words.iter().enumerate().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_on_either_side_is_removed() {
        let mut batch = TokenBatch::of_pairs(&[(&[5, 6], 1), (&[7], 1)]);
        assert_eq!((batch.rows, batch.columns), (2, 2));
        assert_eq!(batch.segments, [0, 1, 0, 0]);
        let values = [3.0, 0.0, 0.0, 4.0, /* second sequence */ 0.0, 2.0, 9.0, 9.0];
        assert_eq!(batch.unpadded(&values, 2), [vec![3.0, 0.0, 0.0, 4.0], vec![0.0, 2.0]]);
        batch.mask = vec![1, 1, 0, 1];
        assert_eq!(batch.unpadded(&values, 2)[1], [9.0, 9.0]);
        assert_eq!(TokenBatch::of(&[]).unpadded(&[], 2), Vec::<Vec<f32>>::new());
    }
}
