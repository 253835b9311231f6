//! Encoders with random weights.

use vademecum_kernel::matrix::{Matrix, Numbers, quantised};
use vademecum_kernel::weights::{Layer, Linear, Norm, Weights};

/// Dimensions of an encoder.
pub(crate) struct Shape {
    pub(crate) heads: usize,
    pub(crate) width: usize,
    pub(crate) inner: usize,
    pub(crate) layers: usize,
    pub(crate) is_quantised: bool,
}

/// Numbers between -1 and 1, from a state that must not be 0 (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn numbers(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| self.next() * scale).collect()
    }

    fn matrix(&mut self, rows: usize, columns: usize, is_quantised: bool) -> Matrix {
        let floats = self.numbers(rows * columns, (3.0 / columns as f32).sqrt());
        if is_quantised {
            quantised(&floats, rows, columns)
        } else {
            Matrix { rows, columns, numbers: Numbers::F32(floats) }
        }
    }

    fn linear(&mut self, rows: usize, columns: usize, is_quantised: bool) -> Linear {
        Linear { weights: self.matrix(rows, columns, is_quantised), bias: self.numbers(rows, 0.5) }
    }

    fn norm(&mut self, width: usize) -> Norm {
        let weights = self.numbers(width, 0.3).iter().map(|value| 1.0 + value).collect();
        Norm { weights, bias: self.numbers(width, 0.3), epsilon: 1e-12 }
    }
}

/// Returns an encoder of 60 tokens and 33 positions.
pub(crate) fn weights(shape: &Shape, seed: u64) -> Weights {
    let mut random = Random(seed.max(1));
    let Shape { heads, width, inner, layers, is_quantised } = *shape;
    let layers = (0..layers)
        .map(|_| Layer {
            query: random.linear(width, width, is_quantised),
            key: random.linear(width, width, is_quantised),
            value: random.linear(width, width, is_quantised),
            scale: 1.0 / ((width / heads) as f32).sqrt(),
            output: random.linear(width, width, is_quantised),
            attended: random.norm(width),
            inner: random.linear(inner, width, is_quantised),
            outer: random.linear(width, inner, is_quantised),
            mapped: random.norm(width),
        })
        .collect();
    Weights {
        words: random.matrix(60, width, is_quantised),
        positions: random.matrix(33, width, false),
        first_position: 0,
        segments: Some(random.matrix(2, width, false)),
        embedded: random.norm(width),
        heads,
        layers,
    }
}
