//! An embedder without a model: each term, and each trigram of it, adds to one of a few hundred dimensions
//! (Weinberger et al., "Feature Hashing", ICML 2009). It knows spelling, not meaning: for tests, and for trying
//! things before a model is there.

use super::{Embedder, Embeddings, Kind, normalised};
use futures_util::future::{LocalBoxFuture, ready};
use vademecum_protocol::error::Result;
use vademecum_text::terms::terms;

/// Length of the vectors.
pub const DIMENSIONS: usize = 256;

/// The embedder; it has no state.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashingEmbedder;

impl Embedder for HashingEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], _: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        let values = texts.iter().flat_map(|text| vector(text)).collect();
        Box::pin(ready(Ok(Embeddings {
            dimensions: DIMENSIONS,
            values,
            truncated: vec![false; texts.len()],
        })))
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut sums = vec![0.0; DIMENSIONS];
    for term in terms(text) {
        add(&mut sums, term.text.as_bytes(), 1.0);
        for trigram in term.text.as_bytes().windows(3) {
            add(&mut sums, trigram, 0.3);
        }
    }
    normalised(&sums)
}

fn add(sums: &mut [f32], feature: &[u8], weight: f32) {
    // FNV-1a, 64 bits: stable across platforms, unlike the standard library's hasher.
    let hash = feature.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let sign = if hash >> 63 == 0 { weight } else { -weight };
    if let Some(sum) = sums.get_mut((hash % DIMENSIONS as u64) as usize) {
        *sum += sign;
    }
}
