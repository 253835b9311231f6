//! Sums of scores by number, for keyword search over lists of postings that are too long to be joined.

use super::top::TopK;

/// Frequencies that have a row of weights; the last one is of all higher frequencies.
const FREQUENCIES: usize = 8;

/// Weights by frequency and length; the last length is of all greater ones.
#[derive(Debug)]
pub struct Weights([[f32; 256]; FREQUENCIES]);

impl Weights {
    /// Computes the weights. `weight` must grow with the frequency, and shrink with the length.
    pub fn of(weight: impl Fn(u32, u32) -> f32) -> Self {
        let row = |frequency: usize| match frequency + 1 {
            FREQUENCIES => u32::MAX,
            _ => frequency as u32,
        };
        Self(std::array::from_fn(|frequency| {
            std::array::from_fn(|length| weight(row(frequency), length as u32))
        }))
    }

    fn get(&self, frequency: u8, length: u8) -> f32 {
        let row = self.0.get(usize::from(frequency).min(FREQUENCIES - 1));
        row.and_then(|row| row.get(usize::from(length))).copied().unwrap_or_default()
    }
}

/// A sum for each number below a limit. Its loops are not inlined, because those who call them may be compiled for size.
#[derive(Debug)]
pub struct Sums(Vec<f32>);

/// Sums that change no more.
#[derive(Debug)]
pub struct Summed {
    sums: Vec<f32>,
    /// The largest sum of each group.
    peaks: Vec<f32>,
    positive: usize,
}

/// Numbers that are looked at together: most groups have no sum that is large enough.
const GROUP: usize = 64;

impl Sums {
    /// Creates sums of 0 for the numbers below `limit`.
    pub fn new(limit: usize) -> Self {
        Self(vec![0.0; limit])
    }

    /// Adds to the sum of each number the weight of its frequency and length. `lengths` are by number, and 0 where they are not known; then `shortest`
    /// is taken. Numbers from the limit on are left out.
    #[inline(never)]
    pub fn add(
        &mut self,
        numbers: &[u32],
        frequencies: &[u8],
        (lengths, shortest): (&[u8], u8),
        weights: &Weights,
    ) {
        for (number, frequency) in numbers.iter().zip(frequencies) {
            let length = match lengths.get(*number as usize) {
                None | Some(0) => shortest,
                Some(length) => *length,
            };
            self.add_one(*number, weights.get(*frequency, length));
        }
    }

    /// Adds to the sum of a number.
    pub fn add_one(&mut self, number: u32, weight: f32) {
        if let Some(sum) = self.0.get_mut(number as usize) {
            *sum += weight;
        }
    }

    /// Sets the sums of numbers that are not `admitted` to 0.
    pub fn retain(&mut self, admitted: &dyn Fn(u32) -> bool) {
        let positive = (0u32..).zip(&mut self.0).filter(|(_, sum)| **sum > 0.0);
        positive.filter(|(number, _)| !admitted(*number)).for_each(|(_, sum)| *sum = 0.0);
    }

    /// Ends the summing up.
    pub fn summed(self) -> Summed {
        let (mut peaks, mut positive) = (Vec::with_capacity(self.0.len().div_ceil(GROUP)), 0);
        survey(&self.0, &mut peaks, &mut positive);
        Summed { sums: self.0, peaks, positive }
    }
}

impl Summed {
    /// Returns how many sums are above 0.
    pub fn positive(&self) -> usize {
        self.positive
    }

    /// Returns the numbers with the largest sums above 0, best first.
    #[inline(never)]
    pub fn best(&self, limit: usize) -> Vec<(u32, f32)> {
        let mut top = TopK::new(limit);
        for (start, peak, group) in self.groups() {
            if peak > 0.0 && peak >= top.known() {
                let positive = (start..).zip(group).filter(|(_, sum)| **sum > 0.0);
                positive.for_each(|(number, sum)| top.push(number, *sum));
            }
        }
        top.into_sorted()
    }

    /// Returns the numbers whose sums are above 0 and at least `least`, ascending.
    #[inline(never)]
    pub fn at_least(&self, least: f32) -> Vec<u32> {
        let least = least.max(f32::MIN_POSITIVE);
        let mut found = Vec::new();
        for (start, _, group) in self.groups().filter(|(_, peak, _)| *peak >= least) {
            found.extend((start..).zip(group).filter(|(_, sum)| **sum >= least).map(|(number, _)| number));
        }
        found
    }

    fn groups(&self) -> impl Iterator<Item = (u32, f32, &[f32])> {
        let starts = (0u32..).step_by(GROUP);
        starts
            .zip(&self.peaks)
            .zip(self.sums.chunks(GROUP))
            .map(|((start, peak), group)| (start, *peak, group))
    }
}

/// Finds the largest of each group of sums, and counts those above 0.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn survey(sums: &[f32], peaks: &mut Vec<f32>, positive: &mut usize) {
    for group in sums.chunks(GROUP) {
        peaks.push(group.iter().fold(0f32, |most, sum| most.max(*sum)));
        *positive += group.iter().filter(|sum| **sum > 0.0).count();
    }
}

/// Finds the largest of each group of sums, and counts those above 0: four per instruction.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(never)]
fn survey(sums: &[f32], peaks: &mut Vec<f32>, positive: &mut usize) {
    use core::arch::wasm32::{
        f32x4, f32x4_extract_lane, f32x4_gt, f32x4_pmax, f32x4_splat, i32x4_extract_lane, i32x4_splat,
        i32x4_sub,
    };
    let mut counts = i32x4_splat(0);
    for group in sums.chunks(GROUP) {
        let (fours, rest) = group.as_chunks::<4>();
        let mut most = f32x4_splat(0.0);
        for [a, b, c, d] in fours {
            let four = f32x4(*a, *b, *c, *d);
            most = f32x4_pmax(most, four);
            // True is -1.
            counts = i32x4_sub(counts, f32x4_gt(four, f32x4_splat(0.0)));
        }
        let lanes = [
            f32x4_extract_lane::<0>(most),
            f32x4_extract_lane::<1>(most),
            f32x4_extract_lane::<2>(most),
            f32x4_extract_lane::<3>(most),
        ];
        // Not `f32::max`, which is a call here.
        peaks.push(lanes.iter().chain(rest).fold(0f32, |most, sum| if *sum > most { *sum } else { most }));
        *positive += rest.iter().filter(|sum| **sum > 0.0).count();
    }
    let lanes = [
        i32x4_extract_lane::<0>(counts),
        i32x4_extract_lane::<1>(counts),
        i32x4_extract_lane::<2>(counts),
        i32x4_extract_lane::<3>(counts),
    ];
    *positive += lanes.iter().map(|lane| *lane as usize).sum::<usize>();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..300, 0u8..20, 0..100), 1..5),
            lengths in prop::collection::vec(0u8..20, 0..300), shortest in 1u8..9, limit in 1usize..20,
        ) {
            let mut sums = Sums::new(300);
            let mut plain: BTreeMap<u32, f32> = BTreeMap::new();
            for (at, list) in lists.iter().enumerate() {
                let weight = |frequency: u32, length: u32| (at + 1) as f32 * (frequency.min(100) + 1) as f32 / (length + 1) as f32;
                let weights = Weights::of(weight);
                let (numbers, frequencies): (Vec<u32>, Vec<u8>) = list.iter().map(|(number, frequency)| (*number, *frequency)).unzip();
                sums.add(&numbers, &frequencies, (&lengths, shortest), &weights);
                for (number, frequency) in list {
                    let known = lengths.get(*number as usize).copied().filter(|length| *length > 0);
                    let frequency = if *frequency < 7 { u32::from(*frequency) } else { u32::MAX };
                    *plain.entry(*number).or_default() += weight(frequency, u32::from(known.unwrap_or(shortest)));
                }
            }
            sums.add_one(1000, 5.0);
            let mut third = Sums(sums.0.clone());
            third.retain(&|number| number % 3 == 0);
            prop_assert_eq!(third.summed().positive(), plain.keys().filter(|number| *number % 3 == 0).count());
            let sums = sums.summed();
            prop_assert_eq!(sums.positive(), plain.len());
            let mut best: Vec<(u32, f32)> = plain.iter().map(|(number, sum)| (*number, *sum)).collect();
            best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.truncate(limit);
            prop_assert_eq!(sums.best(limit), best.clone());
            let least = best.last().map_or(1.0, |one| one.1);
            let enough: Vec<u32> = plain.iter().filter(|(_, sum)| **sum >= least).map(|one| *one.0).collect();
            prop_assert_eq!(sums.at_least(least), enough);
        }
    }
}
