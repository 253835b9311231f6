//! Tiles of matrix products: several rows of activations with one panel of packed weights, computed in registers.
//!
//! Weights are packed in panels of [`Level::columns`] outputs. A panel holds group after group of inputs, and of
//! each group the weights of one output after those of another, so that a step of the product reads one vector
//! from memory after the other.

use super::level::Level;

/// Upper limit of the outputs of a panel.
const MAX_COLUMNS: usize = 32;

/// Instructions that a tile of a product is made of.
pub(super) trait Tile {
    /// A number that is multiplied.
    type Activation: Copy;
    /// What it is multiplied with.
    type Weight: Copy;
    /// A vector of weights: `LANES × GROUP` of them.
    type Loaded: Copy;
    /// A vector of `LANES` sums.
    type Sums: Copy;
    /// One of them.
    type Sum: Copy + Default;
    /// Number of outputs in a vector.
    const LANES: usize;
    /// Number of inputs that are multiplied at once.
    const GROUP: usize;

    /// # Safety
    /// The machine has the instructions.
    unsafe fn zero() -> Self::Sums;

    /// # Safety
    /// The machine has the instructions; `LANES × GROUP` weights are readable.
    unsafe fn load(weights: *const Self::Weight) -> Self::Loaded;

    /// # Safety
    /// The machine has the instructions; `GROUP` activations are readable.
    unsafe fn add(
        sums: Self::Sums,
        activations: *const Self::Activation,
        weights: Self::Loaded,
    ) -> Self::Sums;

    /// # Safety
    /// The machine has the instructions; `LANES` sums are writable.
    unsafe fn store(sums: Self::Sums, into: *mut Self::Sum);
}

/// Rows of numbers at equal distances.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T> {
    /// The numbers, from the first one of the first row.
    pub values: &'a [T],
    /// Distance between the first numbers of two rows.
    pub stride: usize,
    /// Number of rows.
    pub count: usize,
}

/// Distances in activations of a tile.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// From a group of a row to that of the next row.
    row: usize,
    /// From a group of a row to its next one.
    group: usize,
}

/// Rows to be written, at equal distances.
#[derive(Debug)]
pub struct RowsMut<'a> {
    /// The numbers, from the first one of the first row.
    pub values: &'a mut [f32],
    /// Distance between the first numbers of two rows.
    pub stride: usize,
    /// Number of values in a row.
    pub length: usize,
}

impl RowsMut<'_> {
    /// Panics if `count` rows do not fit: their ends would be left unwritten without a message.
    fn check(&self, count: usize) {
        let needed = count.saturating_sub(1) * self.stride + self.length;
        assert!(count == 0 || needed <= self.values.len(), "there is no room for the result");
    }
}

/// Weights in panels; outputs that fill up the last panel have the weight 0.
#[derive(Debug, Clone, Default)]
pub struct Panels<T> {
    values: Vec<T>,
    /// Number of outputs in a panel.
    columns: usize,
    /// Number of inputs, as stored: filled up to whole groups.
    inputs: usize,
}

impl<T: Copy + Default> Panels<T> {
    /// Packs the weights that `weight(output, input)` returns. Allocates only when they are more than ever before.
    pub fn pack(
        &mut self,
        level: Level,
        group: usize,
        (outputs, inputs): (usize, usize),
        mut weight: impl FnMut(usize, usize) -> T,
    ) {
        self.reset(level, group, (outputs, inputs));
        let columns = self.columns;
        let panels = self.values.chunks_exact_mut((columns * self.inputs).max(1));
        for (first, panel) in (0..outputs).step_by(columns).zip(panels) {
            let groups = panel.chunks_exact_mut(columns * group);
            for (at, weights) in (0..inputs).step_by(group).zip(groups) {
                for (output, weights) in (first..outputs).zip(weights.chunks_exact_mut(group)) {
                    for (input, into) in (at..inputs).zip(weights) {
                        *into = weight(output, input);
                    }
                }
            }
        }
    }

    /// Sets the shape, and all weights to 0.
    pub fn reset(&mut self, level: Level, group: usize, (outputs, inputs): (usize, usize)) {
        self.columns = level.columns(group);
        self.inputs = inputs.next_multiple_of(group);
        self.values.clear();
        self.values.resize(outputs.next_multiple_of(self.columns) * self.inputs, T::default());
    }

    /// Writes the weights of an output, of panels that were reset with the group `GROUP`.
    pub fn set<const GROUP: usize>(&mut self, output: usize, weights: &[T]) {
        let columns = self.columns;
        let start = output / columns * columns * self.inputs;
        assert!(weights.len() <= self.inputs, "an output has more weights than there are inputs");
        assert!(start < self.values.len(), "there are fewer outputs");
        let (_, panel) = self.values.split_at_mut(start);
        let mut into = panel.as_chunks_mut::<GROUP>().0.iter_mut().skip(output % columns).step_by(columns);
        let (groups, rest) = weights.as_chunks::<GROUP>();
        for (group, into) in groups.iter().zip(into.by_ref()) {
            *into = *group;
        }
        if let Some(into) = into.next() {
            into.iter_mut().zip(rest).for_each(|(into, weight)| *into = *weight);
        }
    }

    /// Returns the number of inputs with those that fill up the last group; activations must have as many.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }
}

/// The scale of a row of quantised activations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scale {
    /// Value of a step.
    pub step: f32,
    /// Whole number of the value 0, subtracted before scaling.
    pub zero: f32,
}

/// A channel of activations whose value is divided among several inputs, so that its row can have a smaller step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Its index.
    pub channel: usize,
    /// Number of inputs that its value is divided among, at least 2. The first one is the channel's own.
    pub parts: usize,
}

/// What a sum of whole products is multiplied with.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// Value of a step of each output's weights.
    pub steps: Vec<f32>,
    /// Sum of each output's weights, as whole numbers.
    pub totals: Vec<f32>,
    /// Added to each output.
    pub bias: Vec<f32>,
}

/// Quantised rows of activations: 16-bit or 8-bit ones, as the level has them. Those that a tile computes together are
/// [interleaved](Quantised::interleave).
#[derive(Debug, Clone, Default)]
pub struct Quantised {
    /// 16-bit activations.
    pub words: Vec<i16>,
    /// 8-bit activations; of machines that take them as signed, in two's complement.
    pub bytes: Vec<u8>,
    /// A scale per row.
    pub scales: Vec<Scale>,
    /// Values of the current row, after the division of outliers.
    pub(super) shares: Vec<f32>,
    /// Rows before they are interleaved.
    pub(super) words_in_order: Vec<i16>,
    /// The same of bytes.
    pub(super) bytes_in_order: Vec<u8>,
}

impl Quantised {
    /// Interleaves the rows of each whole tile, group by group: addresses within a step of a tile then differ by constants. The
    /// rows after the last whole tile stay in order.
    pub(super) fn interleave(&mut self, level: Level, inputs: usize) {
        match level.rows() {
            3 => self.interleave_rows::<3>(inputs),
            8 => self.interleave_rows::<8>(inputs),
            _ => self.interleave_rows::<4>(inputs),
        }
    }

    fn interleave_rows<const ROWS: usize>(&mut self, inputs: usize) {
        interleave::<_, 2, ROWS>(&mut self.words, inputs, &mut self.words_in_order);
        interleave::<_, 4, ROWS>(&mut self.bytes, inputs, &mut self.bytes_in_order);
    }
}

fn interleave<T: Copy, const GROUP: usize, const ROWS: usize>(
    values: &mut [T],
    inputs: usize,
    kept: &mut Vec<T>,
) {
    for tile in values.chunks_exact_mut((inputs * ROWS).max(1)) {
        kept.clear();
        kept.extend_from_slice(tile);
        let (groups, _) = kept.as_chunks::<GROUP>();
        let mut rows = groups.chunks_exact((inputs / GROUP).max(1));
        let mut rows: [_; ROWS] = std::array::from_fn(|_| rows.next().unwrap_or_default().iter());
        let (into, _) = tile.as_chunks_mut::<GROUP>();
        for into in into.as_chunks_mut::<ROWS>().0 {
            for (into, row) in into.iter_mut().zip(&mut rows) {
                if let Some(group) = row.next() {
                    *into = *group;
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn float_tiles<
    T: Tile<Activation = f32, Weight = f32, Sum = f32>,
    const ROWS: usize,
    const VECTORS: usize,
>(
    activations: Rows<'_, f32>,
    panels: &Panels<f32>,
    into: &mut RowsMut<'_>,
) {
    let (stride, length) = (into.stride, into.length);
    into.check(activations.count);
    let layout = Layout { row: activations.stride, group: T::GROUP };
    tiles::<T, ROWS, VECTORS>(activations, layout, panels, length, |row, column, sums| {
        let start = row * stride + column;
        if let Some(into) = into.values.get_mut(start..start + sums.len()) {
            into.copy_from_slice(sums);
        }
    });
}

#[inline(always)]
pub(super) fn word_tiles<
    T: Tile<Activation = i16, Weight = i8, Sum = i32>,
    const ROWS: usize,
    const VECTORS: usize,
>(
    activations: &Quantised,
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    let rows = Rows { values: &activations.words, stride: panels.inputs, count: activations.scales.len() };
    scaled_tiles::<T, ROWS, VECTORS>(rows, &activations.scales, panels, outputs, into);
}

#[cfg(any(target_arch = "x86_64", target_feature = "relaxed-simd"))]
#[inline(always)]
pub(super) fn byte_tiles<
    T: Tile<Activation = u8, Weight = i8, Sum = i32>,
    const ROWS: usize,
    const VECTORS: usize,
>(
    activations: &Quantised,
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    let rows = Rows { values: &activations.bytes, stride: panels.inputs, count: activations.scales.len() };
    scaled_tiles::<T, ROWS, VECTORS>(rows, &activations.scales, panels, outputs, into);
}

#[inline(always)]
fn scaled_tiles<T: Tile<Weight = i8, Sum = i32>, const ROWS: usize, const VECTORS: usize>(
    activations: Rows<'_, T::Activation>,
    scales: &[Scale],
    panels: &Panels<i8>,
    outputs: &Outputs,
    into: &mut RowsMut<'_>,
) {
    let (stride, length) = (into.stride, into.length);
    into.check(activations.count);
    assert_eq!(scales.len(), activations.count, "a row has no scale");
    let least = outputs.steps.len().min(outputs.totals.len()).min(outputs.bias.len());
    assert!(length <= least, "an output has no scale, total or bias");
    let layout = Layout { row: T::GROUP, group: T::GROUP * ROWS };
    tiles::<T, ROWS, VECTORS>(activations, layout, panels, length, |row, column, sums| {
        let (start, columns) = (row * stride + column, column..column + sums.len());
        let (Some(into), Some(scale), Some(steps), Some(totals), Some(bias)) = (
            into.values.get_mut(start..start + sums.len()),
            scales.get(row),
            outputs.steps.get(columns.clone()),
            outputs.totals.get(columns.clone()),
            outputs.bias.get(columns),
        ) else {
            return;
        };
        let weights = steps.iter().zip(totals).zip(bias);
        for ((into, sum), ((step, total), bias)) in into.iter_mut().zip(sums).zip(weights) {
            *into = (*sum as f32 - scale.zero * total) * (scale.step * step) + bias;
        }
    });
}

/// Computes the sums of all outputs of all rows, and passes them with the row and the first output.
#[inline(always)]
fn tiles<T: Tile, const ROWS: usize, const VECTORS: usize>(
    activations: Rows<'_, T::Activation>,
    layout: Layout,
    panels: &Panels<T::Weight>,
    outputs: usize,
    mut finish: impl FnMut(usize, usize, &[T::Sum]),
) {
    let columns = T::LANES * VECTORS;
    let Rows { values, stride, count } = activations;
    let inputs = panels.inputs;
    // The tiles read without bounds checks, so this is where they are made.
    assert!(inputs.is_multiple_of(T::GROUP) && inputs > 0, "inputs are not packed in whole groups");
    assert!(count == 0 || (count - 1) * stride + inputs <= values.len(), "activations are too short");
    assert_eq!(panels.columns, columns, "weights are packed for other instructions");
    assert!(outputs.next_multiple_of(columns) * inputs <= panels.values.len(), "weights are too short");
    for (first, panel) in (0..outputs).step_by(columns).zip(panels.values.chunks_exact(columns * inputs)) {
        let length = columns.min(outputs - first);
        let mut row = 0;
        while row < count {
            let mut sums = [[T::Sum::default(); MAX_COLUMNS]; ROWS];
            let rows = match count - row {
                left if left >= ROWS => ROWS,
                1 => 1,
                _ => 2,
            };
            // SAFETY: `rows` rows from `row` on are within `values`, and the panel has `columns × inputs` weights, by
            // the assertions; each row of `sums` has room for `columns` sums. Callers are compiled for the
            // instructions of `T`.
            unsafe {
                let start = values.as_ptr().add(row * stride);
                let in_order = Layout { row: stride, group: T::GROUP };
                if rows == ROWS {
                    tile::<T, ROWS, VECTORS>(start, layout, panel, &mut sums);
                } else if rows == 2 {
                    tile::<T, 2, VECTORS>(start, in_order, panel, &mut sums);
                } else {
                    tile::<T, 1, VECTORS>(start, in_order, panel, &mut sums);
                }
            }
            for (at, sums) in sums.iter().take(rows).enumerate() {
                finish(row + at, first, sums.split_at(length).0);
            }
            row += rows;
        }
    }
}

/// # Safety
/// The machine has the instructions of `T`. From `activations` on, `ROWS` rows of this layout are readable, each with as
/// many inputs as the panel.
#[inline(always)]
unsafe fn tile<T: Tile, const ROWS: usize, const VECTORS: usize>(
    activations: *const T::Activation,
    layout: Layout,
    panel: &[T::Weight],
    into: &mut [[T::Sum; MAX_COLUMNS]],
) {
    let step = T::LANES * T::GROUP;
    let groups = panel.len() / (step * VECTORS);
    // SAFETY: the groups of the panel are as many as those of each row, and a row of `into` has room for the vectors.
    unsafe {
        let mut sums = [[T::zero(); VECTORS]; ROWS];
        let (mut weights, mut activations) = (panel.as_ptr(), activations);
        for _ in 0..groups {
            let mut loaded = [T::load(weights); VECTORS];
            for (at, loaded) in loaded.iter_mut().enumerate().skip(1) {
                *loaded = T::load(weights.add(at * step));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let activations = activations.add(row * layout.row);
                for (sum, loaded) in sums.iter_mut().zip(loaded) {
                    *sum = T::add(*sum, activations, loaded);
                }
            }
            weights = weights.add(step * VECTORS);
            activations = activations.add(layout.group);
        }
        for (sums, into) in sums.iter().zip(into) {
            for (at, sum) in sums.iter().enumerate() {
                T::store(*sum, into.as_mut_ptr().add(at * T::LANES));
            }
        }
    }
}
