//! Checks of a loaded model, whatever runs it.

use crate::errors::model_unfit;
use crate::normalised;
use vademecum_protocol::error::Result;

/// Minimum cosine between a computed vector and the expected one. The results of int8 models vary slightly
/// between machines.
const MIN_COSINE: f32 = 0.99;

/// Models pad their embedding table to a multiple of at most this.
pub(crate) const TABLE_PADDING: usize = 128;

/// Checks the unit vector that a model computed of a text against the expected one.
///
/// # Errors
/// `model_unfit`.
pub(crate) fn expected(found: &[f32], expected: &[f32], url: &str) -> Result<()> {
    let cosine: f32 = found.iter().zip(normalised(expected)).map(|(a, b)| a * b).sum();
    let reason = if found.len() != expected.len() {
        format!("its vectors have {} numbers, and the expected one {}", found.len(), expected.len())
    } else if cosine >= MIN_COSINE {
        return Ok(());
    } else {
        format!(
            "its vector of the expected text has a cosine of {cosine:.3} with the expected vector, and {MIN_COSINE} is the least; \
             another pooling or model gives another vector"
        )
    };
    Err(model_unfit(url, &reason))
}

/// Two texts of different words and lengths, both short: each load of a model waits for them.
#[cfg(feature = "kernel")]
pub(crate) const TWO_TEXTS: [&str; 2] = ["tide", "the moon"];

/// Checks the vectors that a model computed of two different texts. Weights that are finite, but too large to compute with, leave
/// nothing of a text, and no later step would report it.
///
/// # Errors
/// What is wrong, in words that follow the model.
#[cfg(feature = "kernel")]
pub(crate) fn vectors(vectors: [&[f32]; 2]) -> Result<(), String> {
    let units = vectors.map(normalised);
    let [first, second] = &units;
    let found = if units.iter().flatten().any(|value| !value.is_finite()) {
        "numbers that are not finite"
    } else if units.iter().any(|unit| unit.iter().all(|value| *value == 0.0)) {
        "zeros alone"
    } else if first.len() > 1 && distance(first, second) < EQUAL {
        "equal ones"
    } else {
        return Ok(());
    };
    Err(format!(
        "it computes {found} as the vectors of two texts, not two different vectors of finite numbers"
    ))
}

/// Checks the logits of two pairs.
///
/// # Errors
/// What is wrong, in words that follow the model.
#[cfg(feature = "kernel")]
pub(crate) fn logits<'a>(mut logits: impl Iterator<Item = &'a f32>) -> Result<(), String> {
    match logits.find(|logit| !logit.is_finite()) {
        Some(logit) => Err(format!("it computes the logit {logit} of a pair, not a finite number")),
        None => Ok(()),
    }
}

#[cfg(feature = "kernel")]
fn distance(first: &[f32], second: &[f32]) -> f32 {
    first.iter().zip(second).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

/// Unit vectors that are no further apart are equal but for rounding. Those of different texts have a hundred times this distance even
/// at a cosine of 0.9999.
#[cfg(feature = "kernel")]
const EQUAL: f32 = 1e-4;

/// Detects a tokenizer of another model by the number of its tokens and that of the model's vectors.
///
/// # Errors
/// `tokenizer_mismatch`.
#[cfg(feature = "kernel")]
pub(crate) fn vocabulary(tokens: usize, vectors: usize) -> Result<()> {
    if tokens > vectors {
        let reason = format!("it has {tokens} tokens, and the model has vectors for {vectors}");
        return Err(crate::errors::tokenizer_mismatch(&reason));
    }
    if (tokens + 1).next_multiple_of(TABLE_PADDING) < vectors {
        let reason = format!("it has {tokens} tokens, and the model has vectors for more ({vectors})");
        return Err(crate::errors::tokenizer_mismatch(&reason));
    }
    Ok(())
}
