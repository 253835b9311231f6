//! A fixed rotation of vectors. One bit a dimension says most where all dimensions vary alike, and models have a few that vary more
//! than the others; a random rotation spreads these (Gao and Long, "RaBitQ", SIGMOD 2024, §3.1). This one is a product of sign flips and
//! Hadamard transforms, which costs n log n.

/// Number of rounds of a sign flip and a transform.
const ROUNDS: usize = 4;

/// The rotation of vectors of one length.
#[derive(Debug, Clone)]
pub(crate) struct Rotation {
    signs: Vec<Vec<f32>>,
    /// The largest power of two that is not above the length.
    width: usize,
}

impl Rotation {
    /// Returns the rotation for vectors of this length, which is always the same.
    pub(crate) fn new(dimensions: usize) -> Self {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut sign = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            if (mixed ^ (mixed >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
        };
        let signs = (0..ROUNDS).map(|_| (0..dimensions).map(|_| sign()).collect()).collect();
        Self { signs, width: if dimensions == 0 { 0 } else { 1 << dimensions.ilog2() } }
    }

    /// Rotates a vector in place.
    pub(crate) fn apply(&self, vector: &mut [f32]) {
        for (round, signs) in self.signs.iter().enumerate() {
            vector.iter_mut().zip(signs).for_each(|(value, sign)| *value *= sign);
            // The transform takes a power of two: the beginning and the end take turns.
            let start = if round % 2 == 0 { 0 } else { vector.len().saturating_sub(self.width) };
            if let Some(part) = vector.get_mut(start..start + self.width) {
                hadamard(part);
            }
        }
    }
}

/// Transforms a vector whose length is a power of two, orthonormally.
fn hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (x, y) in left.iter_mut().zip(right) {
                (*x, *y) = (*x + *y, *x - *y);
            }
        }
        half *= 2;
    }
    let scale = (values.len().max(1) as f32).sqrt().recip();
    values.iter_mut().for_each(|value| *value *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_rotation_keeps_dot_products(pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 1..500)) {
            let (mut a, mut b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
            let before = dot(&a, &b);
            let rotation = Rotation::new(pairs.len());
            rotation.apply(&mut a);
            rotation.apply(&mut b);
            prop_assert!((dot(&a, &b) - before).abs() < 1e-3, "{} {}", before, dot(&a, &b));
        }
    }
}
