//! What a model computes of its token vectors: a sentence vector, the logits of a pair, or logits of each token.

use crate::simd::{Level, maths};
use crate::weights::Linear;
use serde::Deserialize;

/// A head: some of the token vectors, mapped in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The vectors that the first map takes.
    pub input: Input,
    /// The maps, the first one first.
    pub maps: Vec<Dense>,
}

/// The vectors that a head maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The first token's vector.
    FirstToken,
    /// The last token's vector.
    LastToken,
    /// The mean of all token vectors.
    Mean,
    /// Each token vector by itself.
    EachToken,
}

/// A linear map in full precision, and the function of its outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    outputs: usize,
    inputs: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

/// The function of a map's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// None.
    Identity,
    /// The hyperbolic tangent.
    Tanh,
    /// Zero in place of negative outputs.
    Relu,
    /// The exact GELU.
    Gelu,
}

impl Dense {
    /// A map of these weights, in full precision whatever the file has: a head is a small part of the work.
    pub fn new(linear: &Linear, activation: Activation) -> Self {
        let (outputs, inputs) = (linear.weights.rows, linear.weights.columns);
        Self { outputs, inputs, weights: linear.weights.floats(), bias: linear.bias.clone(), activation }
    }

    /// Returns the length of what it maps to.
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns the length of what it maps.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Maps a vector.
    pub fn run(&self, vector: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(self.inputs.max(1)).zip(&self.bias);
        let sum = |(row, bias): (&[f32], &f32)| {
            row.iter().zip(vector).map(|(weight, value)| weight * value).sum::<f32>() + bias
        };
        let mut outputs: Vec<f32> = rows.map(sum).collect();
        self.activation.apply(&mut outputs);
        outputs
    }
}

impl Activation {
    fn apply(self, values: &mut [f32]) {
        match self {
            Self::Identity => {}
            Self::Tanh => values.iter_mut().for_each(|value| *value = value.tanh()),
            Self::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
            Self::Gelu => maths::gelu(Level::best(), values),
        }
    }
}

impl Head {
    /// Checks that the maps fit each other and the `width` of token vectors, and are numbers.
    ///
    /// # Errors
    /// What is wrong, in words that follow "its".
    pub fn check(&self, width: usize) -> Result<(), String> {
        let mut length = width;
        for Dense { outputs, inputs, weights, bias, .. } in &self.maps {
            if *inputs != length || weights.len() != outputs * inputs || bias.len() != *outputs {
                return Err(format!("head maps {inputs} values to {outputs}, after {length}"));
            }
            if !weights.iter().chain(bias).all(|value| value.is_finite()) {
                return Err("head contains a value that is not a finite number".into());
            }
            length = *outputs;
        }
        Ok(())
    }

    /// Returns the length of what it computes, of token vectors of `width`.
    pub fn outputs(&self, width: usize) -> usize {
        self.maps.last().map_or(width, Dense::outputs)
    }

    /// Computes the head of a sequence's token vectors of `width`: one row, or one per token. Returns nothing for a
    /// sequence without tokens.
    pub fn run(&self, tokens: &[f32], width: usize) -> Vec<f32> {
        let mapped = |vector: &[f32]| {
            let mut maps = self.maps.iter();
            let first = maps.next().map_or_else(|| vector.to_vec(), |map| map.run(vector));
            maps.fold(first, |vector, map| map.run(&vector))
        };
        let mut rows = tokens.chunks_exact(width.max(1));
        match self.input {
            Input::FirstToken => rows.next().map(mapped).unwrap_or_default(),
            Input::LastToken => rows.next_back().map(mapped).unwrap_or_default(),
            Input::Mean if rows.len() == 0 => Vec::new(),
            Input::Mean => {
                let share = 1.0 / rows.len() as f32;
                let mut mean = vec![0.0; width];
                for row in rows {
                    mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value * share);
                }
                mapped(&mean)
            }
            Input::EachToken => rows.flat_map(mapped).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Matrix, Numbers};

    fn dense(weights: &[f32], outputs: usize, activation: Activation) -> Dense {
        let inputs = weights.len() / outputs;
        let matrix = Matrix { rows: outputs, columns: inputs, numbers: Numbers::F32(weights.to_vec()) };
        Dense::new(&Linear { weights: matrix, bias: vec![0.5; outputs] }, activation)
    }

    #[test]
    fn maps_follow_each_other_over_the_chosen_tokens() {
        let maps = vec![
            dense(&[1.0, 0.0, 0.0, -1.0], 2, Activation::Relu),
            dense(&[2.0, 3.0], 1, Activation::Identity),
        ];
        let tokens = [1.0, 0.25, -3.0, -0.75];
        let run = |input| Head { input, maps: maps.clone() }.run(&tokens, 2);
        assert_eq!(run(Input::FirstToken), [2.0 * 1.5 + 3.0 * 0.25 + 0.5]);
        assert_eq!(run(Input::LastToken), [3.0 * 1.25 + 0.5]);
        assert_eq!(run(Input::Mean), [0.0 + 3.0 * 0.75 + 0.5]);
        assert_eq!(run(Input::EachToken), [2.0 * 1.5 + 3.0 * 0.25 + 0.5, 3.0 * 1.25 + 0.5]);
        assert!(Head { input: Input::Mean, maps }.run(&[], 2).is_empty());
    }

    #[test]
    fn every_activation_is_the_function_of_its_name() {
        let of = |activation| dense(&[1.0], 1, activation).run(&[-1.0])[0];
        assert_eq!(of(Activation::Identity), -0.5);
        assert_eq!(of(Activation::Relu), 0.0);
        assert!((of(Activation::Tanh) - (-0.5f32).tanh()).abs() < 1e-7);
        assert!((of(Activation::Gelu) + 0.154_268_77).abs() < 1e-5);
    }

    #[test]
    fn heads_that_do_not_fit_are_refused() {
        let head = Head { input: Input::FirstToken, maps: vec![dense(&[1.0, 2.0], 1, Activation::Tanh)] };
        assert_eq!(head.check(2), Ok(()));
        assert!(head.check(3).is_err());
        let broken = Head { maps: vec![dense(&[f32::NAN, 2.0], 1, Activation::Tanh)], ..head };
        assert!(broken.check(2).unwrap_err().contains("not a finite number"));
    }
}
