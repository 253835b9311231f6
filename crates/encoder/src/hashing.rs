//! An embedder without a model, by feature hashing (Weinberger et al., "Feature Hashing for Large Scale
//! Multitask Learning", ICML 2009): each term and each of its trigrams is added to one of 256 dimensions. It
//! represents spelling, not meaning; for tests, and for trials without a model.

use super::{Embedder, Embeddings, Kind, normalised};
use futures_util::future::{LocalBoxFuture, ready};
use vademecum_protocol::error::Result;
use vademecum_text::terms::terms;

/// Dimensions of the vectors.
pub const DIMENSIONS: usize = 256;

/// The embedder; stateless.
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
    // 64-bit FNV-1a: stable across platforms, unlike the standard library's hasher.
    let hash = feature.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let sign = if hash >> 63 == 0 { weight } else { -weight };
    if let Some(sum) = sums.get_mut((hash % DIMENSIONS as u64) as usize) {
        *sum += sign;
    }
}
