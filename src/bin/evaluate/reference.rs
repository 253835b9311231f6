//! Compares the encoder with reference token ids and vectors of some sentences.

use crate::encode::wait;
use serde::Deserialize;
use std::path::Path;
use vademecum::cancel::Cancel;
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::{Kind, normalised};
use vademecum::platform::Native;

#[derive(Deserialize)]
struct Sample {
    text: String,
    ids: Vec<u32>,
    embedding: Vec<f32>,
}

/// Returns the smallest cosine between an embedding and its reference. Fails below `least`.
pub(crate) fn check(embedder: &NativeEmbedder, file: &Path, least: f32) -> Result<f32, String> {
    let named = |error: String| format!("{}: {error}", file.display());
    let json = std::fs::read_to_string(file).map_err(|error| named(error.to_string()))?;
    let samples: Vec<Sample> = serde_json::from_str(&json).map_err(|error| named(error.to_string()))?;
    let mut worst = 1.0f32;
    for sample in &samples {
        let ids = embedder.token_ids(&sample.text).map_err(|error| error.to_string())?;
        if ids != sample.ids {
            return Err(format!("the tokenizer gives other ids for {:?}: {ids:?}", sample.text));
        }
        let texts = std::slice::from_ref(&sample.text);
        let made = wait(embedder.embed(texts, Kind::Document, &Cancel::default(), &Native::default()));
        let made = made.map_err(|error| error.to_string())?;
        let cosine: f32 =
            made.values.iter().zip(normalised(&sample.embedding)).map(|(one, other)| one * other).sum();
        if cosine.is_nan() || cosine < least {
            return Err(format!(
                "the embedding of {:?} has a cosine of {cosine} to its reference",
                sample.text
            ));
        }
        worst = worst.min(cosine);
    }
    Ok(worst)
}
