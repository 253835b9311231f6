//! The forward pass: token ids to token vectors.
//!
//! Sequences of a batch are laid one after another, without padding: linear maps and normalisations see nothing
//! but rows, and attention goes through the sequences one by one.

mod attention;
mod linear;
mod splits;

use crate::matrix::Matrix;
use crate::simd::tile::{Quantised, Split};
use crate::simd::{Activations, Level, maths};
use crate::weights::{Layer, Norm, Weights};
use attention::{Shape, attend};
use linear::Linear;

/// A sequence of tokens.
#[derive(Debug, Clone, Copy)]
pub struct Sequence<'a> {
    /// Ids of the tokens, special tokens included.
    pub ids: &'a [u32],
    /// Index of the first token of the second segment; the number of tokens if there is only one.
    pub second: usize,
}

impl<'a> Sequence<'a> {
    /// A sequence of one segment.
    pub const fn of(ids: &'a [u32]) -> Self {
        Self { ids, second: ids.len() }
    }
}

/// An encoder whose weights are packed for this machine.
#[derive(Debug)]
pub struct Encoder {
    level: Level,
    words: Matrix,
    positions: Matrix,
    first_position: usize,
    segments: Option<Matrix>,
    embedded: Norm,
    shape: Shape,
    layers: Vec<Packed>,
}

/// A layer whose weights are packed.
#[derive(Debug)]
struct Packed {
    /// Query, key and value.
    mapped: Linear,
    output: Linear,
    attended: Norm,
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// Memory of the computation. Kept between calls, it grows to what the largest batch needs.
#[derive(Debug, Default)]
pub struct Scratch {
    tokens: Vec<f32>,
    mapped: Vec<f32>,
    context: Vec<f32>,
    summand: Vec<f32>,
    quantised: Quantised,
    attention: attention::Scratch,
}

impl Encoder {
    /// Packs weights, which are as [`Weights::check`] demands.
    pub fn new(weights: Weights, level: Level) -> Self {
        let shape = Shape { width: weights.width(), heads: weights.heads };
        let norms: Vec<&Norm> = weights.layers.iter().map(|layer| &layer.attended).collect();
        let splits = match level.activations() {
            Activations::I16 => Vec::new(), // outliers leave the others steps enough
            Activations::Bytes { .. } => splits::of(&norms),
        };
        let layers = weights.layers.iter().map(|layer| Packed::new(layer, level, &splits)).collect();
        let Weights { words, positions, first_position, segments, embedded, .. } = weights;
        Self { level, words, positions, first_position, segments, embedded, shape, layers }
    }

    /// Returns the instructions in use.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Returns the length of a token's vector.
    pub const fn width(&self) -> usize {
        self.shape.width
    }

    /// Returns the number of tokens that have a vector.
    pub const fn vocabulary(&self) -> usize {
        self.words.rows
    }

    /// Returns the largest number of tokens of a sequence.
    pub const fn max_tokens(&self) -> usize {
        self.positions.rows.saturating_sub(self.first_position)
    }

    /// Returns the vectors of the tokens of all sequences, one after another.
    ///
    /// # Errors
    /// Which token has no vector, or how many tokens are too many.
    pub fn forward<'a>(
        &self,
        sequences: &[Sequence<'_>],
        scratch: &'a mut Scratch,
    ) -> Result<&'a [f32], String> {
        self.embed(sequences, &mut scratch.tokens)?;
        let Scratch { tokens, mapped, context, summand, quantised, attention } = scratch;
        let (level, shape) = (self.level, self.shape);
        for layer in &self.layers {
            layer.mapped.run(level, tokens, quantised, mapped);
            context.clear();
            context.resize(tokens.len(), 0.0);
            let mut start = 0;
            for sequence in sequences {
                let end = start + sequence.ids.len();
                attend(level, shape, mapped, start..end, attention, context);
                start = end;
            }
            layer.output.run(level, context, quantised, summand);
            maths::add_and_norm(level, tokens, summand, &layer.attended);
            layer.inner.run(level, tokens, quantised, mapped);
            maths::gelu(level, mapped);
            layer.outer.run(level, mapped, quantised, summand);
            maths::add_and_norm(level, tokens, summand, &layer.norm);
        }
        Ok(&scratch.tokens)
    }

    /// Writes the sums of the vectors of tokens, positions and segments, normalised.
    fn embed(&self, sequences: &[Sequence<'_>], into: &mut Vec<f32>) -> Result<(), String> {
        let width = self.shape.width;
        into.clear();
        let mut summand = Vec::new();
        for sequence in sequences {
            if sequence.ids.len() > self.max_tokens() {
                return Err(format!("{} tokens are more than {}", sequence.ids.len(), self.max_tokens()));
            }
            for (at, id) in sequence.ids.iter().enumerate() {
                if *id as usize >= self.words.rows {
                    return Err(format!("token {id} has no vector; there are {}", self.words.rows));
                }
                let end = into.len();
                into.resize(end + width, 0.0);
                let Some(row) = into.get_mut(end..) else { continue };
                self.words.copy_row(*id as usize, row);
                let start = summand.len();
                summand.resize(start + width, 0.0);
                let Some(row) = summand.get_mut(start..) else { continue };
                self.positions.copy_row(at + self.first_position, row);
                if let Some(segments) = &self.segments {
                    let mut segment = vec![0.0; width];
                    segments.copy_row(usize::from(at >= sequence.second), &mut segment);
                    row.iter_mut().zip(segment).for_each(|(value, segment)| *value += segment);
                }
            }
        }
        maths::add_and_norm(self.level, into, &summand, &self.embedded);
        Ok(())
    }
}

impl Packed {
    /// `splits` are the outliers of normalised token vectors.
    fn new(layer: &Layer, level: Level, splits: &[Split]) -> Self {
        let mapped = [(&layer.query, layer.scale), (&layer.key, 1.0), (&layer.value, 1.0)];
        Self {
            mapped: Linear::pack(level, &mapped, splits),
            output: Linear::pack(level, &[(&layer.output, 1.0)], &[]),
            attended: layer.attended.clone(),
            inner: Linear::pack(level, &[(&layer.inner, 1.0)], splits),
            outer: Linear::pack(level, &[(&layer.outer, 1.0)], &[]),
            norm: layer.mapped.clone(),
        }
    }
}
