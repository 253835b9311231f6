//! Checks of a loaded model, whatever runs it.

use crate::normalised;
use vademecum_protocol::error::{Error, Result};

/// Minimum cosine between a computed vector and the expected one. The results of int8 models vary slightly
/// between machines.
const MIN_COSINE: f32 = 0.99;

/// Models pad their embedding table to a multiple of at most this.
pub(crate) const TABLE_PADDING: usize = 128;

/// Checks the unit vector that a model computed of a text against the expected one.
///
/// # Errors
/// [`Error::ModelUnfit`].
pub(crate) fn expected(found: &[f32], expected: &[f32], url: &str) -> Result<()> {
    let cosine: f32 = found.iter().zip(normalised(expected)).map(|(a, b)| a * b).sum();
    let reason = if found.len() != expected.len() {
        format!("its vectors have {} numbers, and the expected one {}", found.len(), expected.len())
    } else if cosine >= MIN_COSINE {
        return Ok(());
    } else {
        format!("its vector of the expected text has a cosine of {cosine:.3} with the expected vector")
    };
    Err(Error::ModelUnfit { url: url.to_owned(), reason })
}

/// Detects a tokenizer of another model by the number of its tokens and that of the model's vectors.
///
/// # Errors
/// [`Error::TokenizerMismatch`].
#[cfg(feature = "kernel")]
pub(crate) fn vocabulary(tokens: usize, vectors: usize) -> Result<()> {
    if tokens > vectors {
        let reason = format!("it has {tokens} tokens, and the model has vectors for {vectors}");
        return Err(Error::TokenizerMismatch { reason });
    }
    if (tokens + 1).next_multiple_of(TABLE_PADDING) < vectors {
        return Err(Error::TokenizerMismatch {
            reason: format!("it has {tokens} tokens, and the model has vectors for more ({vectors})"),
        });
    }
    Ok(())
}
