//! Encoders and heads with random weights.

use super::{POSITIONS, VOCABULARY};
use vademecum_kernel::matrix::{Matrix, Numbers, quantised};
use vademecum_kernel::weights::{Layer, Linear, Norm, Weights};

/// Dimensions of an encoder.
pub struct Shape {
    pub heads: usize,
    pub width: usize,
    pub inner: usize,
    pub layers: usize,
    pub is_quantised: bool,
}

/// Rounds weights to whole numbers from -64 to 64. On processors without VNNI, a runtime cuts the sum of two products of bytes at 16 bits, which
/// larger ones may exceed.
fn narrow(floats: &[f32], rows: usize, columns: usize) -> Matrix {
    let mut matrix = quantised(floats, rows, columns);
    if let Numbers::I8 { values, scales } = &mut matrix.numbers {
        values.iter_mut().for_each(|value| *value = (f32::from(*value) / 2.0).round_ties_even() as i8);
        scales.iter_mut().for_each(|scale| *scale *= 2.0);
    }
    matrix
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
            narrow(&floats, rows, columns)
        } else {
            Matrix { rows, columns, numbers: Numbers::F32(floats) }
        }
    }

    fn linear(&mut self, rows: usize, columns: usize, is_quantised: bool) -> Linear {
        Linear { weights: self.matrix(rows, columns, is_quantised), bias: self.numbers(rows, 0.5) }
    }

    fn scaled(&mut self, factor: f32, rows: usize, columns: usize, is_quantised: bool) -> Linear {
        let Linear { weights, bias } = self.linear(rows, columns, false);
        let floats: Vec<f32> = weights.floats().iter().map(|value| value * factor).collect();
        let numbers = Numbers::F32(floats.clone());
        let whole =
            if is_quantised { narrow(&floats, rows, columns) } else { Matrix { rows, columns, numbers } };
        Linear { weights: whole, bias }
    }

    fn norm(&mut self, width: usize) -> Norm {
        let weights = self.numbers(width, 0.3).iter().map(|value| 1.0 + value).collect();
        Norm { weights, bias: self.numbers(width, 0.3), epsilon: 1e-12 }
    }
}

/// Returns a linear map in full precision.
pub fn linear(outputs: usize, inputs: usize, seed: u64) -> Linear {
    Random(seed.max(1)).linear(outputs, inputs, false)
}

/// Returns an encoder of the tokens of [`super::tokenizer`] and of [`POSITIONS`] positions.
pub fn weights(shape: &Shape, seed: u64) -> Weights {
    let mut random = Random(seed.max(1));
    let Shape { heads, width, inner, layers, is_quantised } = *shape;
    let layers = (0..layers)
        .map(|_| Layer {
            query: random.linear(width, width, is_quantised),
            key: random.linear(width, width, is_quantised),
            value: random.linear(width, width, is_quantised),
            scale: 1.0 / ((width / heads) as f32).sqrt(),
            // Attention counts for more than in proportion, so that tokens differ by what they are beside.
            output: random.scaled(4.0, width, width, is_quantised),
            attended: random.norm(width),
            inner: random.linear(inner, width, is_quantised),
            outer: random.linear(width, inner, is_quantised),
            mapped: random.norm(width),
        })
        .collect();
    Weights {
        words: random.matrix(VOCABULARY, width, is_quantised),
        positions: random.matrix(POSITIONS, width, false),
        first_position: 0,
        segments: Some(random.matrix(2, width, false)),
        embedded: random.norm(width),
        heads,
        layers,
    }
}
