//! Linear maps, packed for the machine.

use super::splits;
use crate::matrix::Numbers;
use crate::simd::product::{floats, ints};
use crate::simd::tile::{Outputs, Panels, Quantised, Rows, RowsMut, Split};
use crate::simd::{Activations, Level, maths};
use crate::weights;

/// A linear map, or several of the same input.
#[derive(Debug)]
pub(super) struct Linear {
    outputs: usize,
    inputs: usize,
    packed: Packed,
}

#[derive(Debug)]
enum Packed {
    F32 { panels: Panels<f32>, bias: Vec<f32> },
    I8 { panels: Panels<i8>, outputs: Outputs, splits: Vec<Split> },
}

impl Linear {
    /// Packs maps of the same input, whose outputs follow each other, each multiplied with its factor. Full
    /// precision is kept as soon as one of them has it. `splits` are the channels of the input that are divided.
    pub(super) fn pack(level: Level, maps: &[(&weights::Linear, f32)], splits: &[Split]) -> Self {
        let inputs = maps.first().map_or(0, |(map, _)| map.weights.columns);
        let outputs = maps.iter().map(|(map, _)| map.weights.rows).sum();
        let bias =
            maps.iter().flat_map(|(map, factor)| map.bias.iter().map(move |bias| bias * factor)).collect();
        let packed = match maps.iter().map(|(map, factor)| whole(map, *factor)).collect::<Option<Vec<_>>>() {
            Some(maps) => whole_panels(level, &maps, (outputs, inputs), bias, splits),
            None => {
                let values: Vec<f32> = maps
                    .iter()
                    .flat_map(|(map, factor)| {
                        map.weights.floats().into_iter().map(move |value| value * factor)
                    })
                    .collect();
                assert_eq!(values.len(), outputs * inputs, "weights are not as many as their shape says");
                let mut panels = Panels::default();
                let at = |output: usize, input: usize| values.get(output * inputs + input).copied();
                panels.pack(level, 1, (outputs, inputs), |output, input| at(output, input).unwrap_or(0.0));
                Packed::F32 { panels, bias }
            }
        };
        Self { outputs, inputs, packed }
    }

    /// Maps rows of inputs to rows of outputs, which are overwritten.
    pub(super) fn run(&self, level: Level, values: &[f32], quantised: &mut Quantised, into: &mut Vec<f32>) {
        let count = values.len() / self.inputs.max(1);
        into.clear();
        into.resize(count * self.outputs, 0.0);
        let mut rows = RowsMut { values: into, stride: self.outputs, length: self.outputs };
        match &self.packed {
            Packed::F32 { panels, bias } => {
                floats(level, Rows { values, stride: self.inputs, count }, panels, &mut rows);
                for row in into.chunks_exact_mut(self.outputs.max(1)) {
                    row.iter_mut().zip(bias).for_each(|(value, bias)| *value += bias);
                }
            }
            Packed::I8 { panels, outputs, splits } => {
                maths::quantise(level, values, self.inputs, panels.inputs(), splits, quantised);
                ints(level, quantised, panels, outputs, &mut rows);
            }
        }
    }
}

/// The whole numbers of int8 weights, and their scales.
type Whole<'a> = (&'a [i8], Vec<f32>);

fn whole(map: &weights::Linear, factor: f32) -> Option<Whole<'_>> {
    match &map.weights.numbers {
        Numbers::I8 { values, scales } => Some((values, scales.iter().map(|scale| scale * factor).collect())),
        Numbers::F32(_) | Numbers::I16 { .. } => None,
    }
}

fn whole_panels(
    level: Level,
    maps: &[Whole<'_>],
    (outputs, inputs): (usize, usize),
    bias: Vec<f32>,
    splits: &[Split],
) -> Packed {
    let rows: Vec<&[i8]> = maps.iter().flat_map(|(values, _)| values.chunks_exact(inputs.max(1))).collect();
    assert_eq!(rows.len(), outputs, "weights are not as many as their shape says");
    let added: Vec<usize> = splits::added(splits).collect();
    let mut panels = Panels::default();
    let group = match level.activations() {
        Activations::I16 => 2,
        Activations::Bytes { .. } => 4,
    };
    panels.reset(level, group, (outputs, inputs + added.len()));
    let mut totals = Vec::with_capacity(outputs);
    let mut weights = Vec::with_capacity(inputs + added.len());
    for (output, row) in rows.into_iter().enumerate() {
        weights.clear();
        weights.extend_from_slice(row);
        weights.extend(added.iter().filter_map(|channel| row.get(*channel)));
        match level.activations() {
            Activations::I16 => panels.set::<2>(output, &weights),
            Activations::Bytes { .. } => panels.set::<4>(output, &weights),
        }
        totals.push(weights.iter().map(|weight| i32::from(*weight)).sum::<i32>() as f32);
    }
    let steps = maps.iter().flat_map(|(_, scales)| scales.iter().copied()).collect();
    Packed::I8 { panels, outputs: Outputs { steps, totals, bias }, splits: splits.to_vec() }
}
