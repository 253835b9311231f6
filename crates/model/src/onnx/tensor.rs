//! Constant tensors: the numbers of a graph's weights, whatever form the file stores them in.

use super::proto::Tensor;
use crate::{Refusal, Result};
use half::f16;
use prost::bytes::Bytes;
use vademecum_kernel::matrix::{Matrix, Numbers, Sign, narrowed, quantised, transposed, transposed_bytes};

/// The form in which a file stores numbers, by ONNX's numbering.
mod kind {
    pub(super) const F32: i32 = 1;
    pub(super) const U8: i32 = 2;
    pub(super) const I8: i32 = 3;
    pub(super) const I32: i32 = 6;
    pub(super) const I64: i32 = 7;
    pub(super) const BOOL: i32 = 9;
    pub(super) const F16: i32 = 10;
    pub(super) const F64: i32 = 11;
}

/// A tensor that no input changes.
#[derive(Debug, Clone)]
pub(super) struct Constant {
    pub(super) dims: Vec<usize>,
    pub(super) values: Values,
}

#[derive(Debug, Clone)]
pub(super) enum Values {
    Float(Vec<f32>),
    Whole(Vec<i64>),
    /// Each byte is the number `(number − zero) × scale`. There is one scale for all or one per index along `axis`, and
    /// as many zero points, one or none.
    Scaled {
        bytes: Bytes,
        sign: Sign,
        zeros: Vec<i16>,
        scales: Vec<f32>,
        axis: usize,
    },
}

impl Constant {
    /// Reads a tensor of a file.
    pub(super) fn read(tensor: &Tensor) -> Result<Self> {
        let corrupt = |reason: &str| Refusal::Corrupt(format!("its weights `{}` {reason}", tensor.name));
        if tensor.data_location == 1 {
            return Err(Refusal::Other(format!("its weights `{}` are in another file", tensor.name)));
        }
        let dims: Vec<usize> = tensor
            .dims
            .iter()
            .map(|dim| usize::try_from(*dim).map_err(|_| corrupt("have a negative dimension")))
            .collect::<Result<_>>()?;
        let count = dims.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim));
        let raw = tensor.raw_data.as_ref();
        let values = match tensor.data_type {
            kind::F32 if raw.is_empty() => Values::Float(tensor.float_data.clone()),
            kind::F32 => Values::Float(each(raw, f32::from_le_bytes)),
            kind::F64 => Values::Float(each(raw, |bytes| f64::from_le_bytes(bytes) as f32)),
            kind::F16 if raw.is_empty() => Values::Float(
                tensor.int32_data.iter().map(|bits| f16::from_bits(*bits as u16).to_f32()).collect(),
            ),
            kind::F16 => Values::Float(each(raw, |bytes| f16::from_le_bytes(bytes).to_f32())),
            kind::I64 if raw.is_empty() => Values::Whole(tensor.int64_data.clone()),
            kind::I64 => Values::Whole(each(raw, i64::from_le_bytes)),
            kind::I32 if !raw.is_empty() => {
                Values::Whole(each(raw, |bytes| i64::from(i32::from_le_bytes(bytes))))
            }
            kind::I32 => Values::Whole(tensor.int32_data.iter().map(|value| i64::from(*value)).collect()),
            kind::BOOL | kind::I8 | kind::U8 => {
                let (sign, range) = match tensor.data_type {
                    kind::I8 => (Sign::Signed, -128..=127),
                    _ => (Sign::Unsigned, 0..=255),
                };
                let of_8_bits = |value: &i32| range.contains(value).then_some(*value as u8);
                let bytes = if raw.is_empty() {
                    let bytes: Option<Vec<u8>> = tensor.int32_data.iter().map(of_8_bits).collect();
                    bytes.ok_or_else(|| corrupt("have numbers of more than 8 bits"))?.into()
                } else {
                    tensor.raw_data.clone()
                };
                Values::Scaled { bytes, sign, zeros: Vec::new(), scales: vec![1.0], axis: 0 }
            }
            other => {
                return Err(Refusal::Other(format!("its weights `{}` have the type {other}", tensor.name)));
            }
        };
        if count != Some(values.len()) {
            return Err(corrupt(&format!("have {} numbers in the shape {dims:?}", values.len())));
        }
        Ok(Self { dims, values })
    }

    /// Returns the numbers as f32.
    pub(super) fn floats(&self) -> Vec<f32> {
        match &self.values {
            Values::Float(values) => values.clone(),
            Values::Whole(values) => values.iter().map(|value| *value as f32).collect(),
            Values::Scaled { scales, axis, .. } => {
                let scale = self.along(scales, *axis);
                let numbers = self.numbers().into_iter().enumerate();
                numbers.map(|(at, number)| f32::from(number) * scale(at).unwrap_or(1.0)).collect()
            }
        }
    }

    /// Returns whole numbers.
    pub(super) fn whole(&self) -> Option<Vec<i64>> {
        match &self.values {
            Values::Whole(values) => Some(values.clone()),
            Values::Scaled { scales, .. } if scales == &[1.0] => {
                Some(self.numbers().into_iter().map(i64::from).collect())
            }
            _ => None,
        }
    }

    /// Returns the number of a tensor that has one alone.
    pub(super) fn scalar(&self) -> Option<f32> {
        if self.values.len() == 1 { self.floats().first().copied() } else { None }
    }

    /// Sets the scales and zero points of numbers that have none: one for all, or one per index along `axis`.
    pub(super) fn scaled(self, factors: &[f32], zeros: &[i16], axis: usize) -> Option<Self> {
        let Values::Scaled { bytes, sign, zeros: before, scales, .. } = self.values else { return None };
        let along = self.dims.get(axis).copied().unwrap_or(1);
        let fits = |length: usize| length == 1 || length == along;
        let is_scaled = scales != [1.0] || !before.is_empty();
        if is_scaled || !fits(factors.len()) || !(zeros.is_empty() || fits(zeros.len())) {
            return None;
        }
        let values = Values::Scaled { bytes, sign, zeros: zeros.to_vec(), scales: factors.to_vec(), axis };
        Some(Self { dims: self.dims, values })
    }

    /// Returns a matrix that has a row per output, from a weight of `[inputs, outputs]`, or of
    /// `[outputs, inputs]` where `by_output`. Int8 weights stay int8:
    /// those whose zero point leaves numbers beyond -127 to 127, or whose scales are not per output, are rounded anew.
    pub(super) fn matrix(&self, by_output: bool) -> Option<Matrix> {
        let [first, second] = *self.dims.as_slice() else { return None };
        if first == 0 || second == 0 {
            return None; // the other dimension could be of any size
        }
        let (rows, columns) = if by_output { (first, second) } else { (second, first) };
        let ordered = |floats: Vec<f32>| if by_output { floats } else { transposed(&floats, rows, columns) };
        let Values::Scaled { bytes, sign, zeros, .. } = &self.values else {
            return Some(Matrix { rows, columns, numbers: Numbers::F32(ordered(self.floats())) });
        };
        if let Some(scales) = self.by_row(by_output, rows) {
            let values = if by_output {
                narrowed(bytes, *sign, columns, zeros)
            } else {
                narrowed(&transposed_bytes(bytes, rows, columns), *sign, columns, zeros)
            };
            if let Some(values) = values {
                return Some(Matrix { rows, columns, numbers: Numbers::I8 { values, scales } });
            }
        }
        Some(quantised(&ordered(self.floats()), rows, columns))
    }

    /// Returns a table that has a row per entry, with the numbers as they are.
    pub(super) fn table(&self) -> Option<Matrix> {
        let [rows, columns] = *self.dims.as_slice() else { return None };
        if rows == 0 || columns == 0 {
            return None;
        }
        let numbers = match (&self.values, self.by_row(true, rows)) {
            (Values::Scaled { bytes, sign, zeros, .. }, Some(scales)) => {
                match narrowed(bytes, *sign, columns, zeros) {
                    Some(values) => Numbers::I8 { values, scales },
                    None => Numbers::I16 { values: self.numbers(), scales },
                }
            }
            _ => Numbers::F32(self.floats()),
        };
        Some(Matrix { rows, columns, numbers })
    }

    /// Returns the scale of each of the `rows` of a matrix, if it has one scale and zero point per row or for all.
    fn by_row(&self, by_output: bool, rows: usize) -> Option<Vec<f32>> {
        let Values::Scaled { zeros, scales, axis, .. } = &self.values else { return None };
        let is_along_rows = (*axis == 0) == by_output;
        if !is_along_rows && (scales.len() > 1 || zeros.len() > 1) {
            return None;
        }
        match scales.as_slice() {
            [scale] => Some(vec![*scale; rows]),
            _ => Some(scales.clone()),
        }
    }

    /// Returns the whole numbers around the zero points.
    fn numbers(&self) -> Vec<i16> {
        let Values::Scaled { bytes, sign, zeros, axis, .. } = &self.values else { return Vec::new() };
        let zero = self.along(zeros, *axis);
        bytes.iter().enumerate().map(|(at, byte)| sign.number(*byte) - zero(at).unwrap_or(0)).collect()
    }

    /// Returns a lookup of the setting for the number at an index.
    fn along<'a, T: Copy>(&self, settings: &'a [T], axis: usize) -> impl Fn(usize) -> Option<T> + use<'a, T> {
        let inner: usize = self.dims.iter().skip(axis + 1).product::<usize>().max(1);
        let along = self.dims.get(axis).copied().unwrap_or(1).max(1);
        move |at| settings.get(at / inner % along).or(settings.first()).copied()
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Float(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Scaled { bytes, .. } => bytes.len(),
        }
    }
}

/// Reads little-endian numbers; a rest of the bytes is left out, which the count then shows.
fn each<const N: usize, T>(raw: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
    raw.as_chunks().0.iter().map(|bytes| read(*bytes)).collect()
}
