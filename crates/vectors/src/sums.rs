//! Sums of scores by number, for keyword search over lists of postings that are too long to be joined.

use super::top::TopK;

/// Weights by frequency; the last one is of all higher frequencies.
pub type Weights = [f32; 256];

/// A sum for each number below a limit.
#[derive(Debug)]
pub struct Sums(Vec<f32>);

/// Numbers that are looked at together: most groups have no sum that is large enough.
const GROUP: usize = 16;

impl Sums {
    /// Creates sums of 0 for the numbers below `limit`.
    pub fn new(limit: usize) -> Self {
        Self(vec![0.0; limit])
    }

    /// Adds to the sum of each number the weight of its frequency. Numbers from the limit on are left out.
    pub fn add(&mut self, numbers: &[u32], frequencies: &[u8], weights: &Weights) {
        for (number, frequency) in numbers.iter().zip(frequencies) {
            self.add_one(*number, weights.get(usize::from(*frequency)).copied().unwrap_or_default());
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

    /// Returns how many sums are above 0.
    pub fn positive(&self) -> usize {
        self.0.iter().map(|sum| usize::from(*sum > 0.0)).sum()
    }

    /// Returns the numbers with the largest sums above 0, best first.
    pub fn best(&self, limit: usize) -> Vec<(u32, f32)> {
        let mut top = TopK::new(limit);
        let mut least = f32::MIN_POSITIVE;
        for (start, group) in (0u32..).step_by(GROUP).zip(self.0.chunks(GROUP)) {
            if largest(group) >= least {
                let positive = (start..).zip(group).filter(|(_, sum)| **sum > 0.0);
                positive.for_each(|(number, sum)| top.push(number, *sum));
                least = least.max(top.known());
            }
        }
        top.into_sorted()
    }

    /// Returns the numbers whose sums are above 0 and at least `least`, ascending.
    pub fn at_least(&self, least: f32) -> Vec<u32> {
        let least = least.max(f32::MIN_POSITIVE);
        let mut found = Vec::new();
        for (start, group) in (0u32..).step_by(GROUP).zip(self.0.chunks(GROUP)) {
            if largest(group) >= least {
                found
                    .extend((start..).zip(group).filter(|(_, sum)| **sum >= least).map(|(number, _)| number));
            }
        }
        found
    }
}

fn largest(group: &[f32]) -> f32 {
    let mut most = [0f32; 4];
    let (fours, rest) = group.as_chunks::<4>();
    for four in fours {
        for (most, sum) in most.iter_mut().zip(four) {
            // Not `f32::max`, whose handling of NaN takes several instructions.
            if *sum > *most {
                *most = *sum;
            }
        }
    }
    rest.iter().chain(&most).fold(0f32, |most, sum| if *sum > most { *sum } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..300, 0u8..5, 0..100), 1..5), limit in 1usize..20,
        ) {
            let mut sums = Sums::new(300);
            let mut plain: BTreeMap<u32, f32> = BTreeMap::new();
            for (at, list) in lists.iter().enumerate() {
                let weights: Weights = std::array::from_fn(|frequency| (1 + at + 2 * frequency) as f32);
                let (numbers, frequencies): (Vec<u32>, Vec<u8>) = list.iter().map(|(number, frequency)| (*number, *frequency)).unzip();
                sums.add(&numbers, &frequencies, &weights);
                list.iter().for_each(|(number, frequency)| *plain.entry(*number).or_default() += weights[usize::from(*frequency)]);
            }
            sums.add_one(1000, 5.0);
            prop_assert_eq!(sums.positive(), plain.len());
            let mut best: Vec<(u32, f32)> = plain.iter().map(|(number, sum)| (*number, *sum)).collect();
            best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.truncate(limit);
            prop_assert_eq!(sums.best(limit), best.clone());
            let least = best.last().map_or(1.0, |one| one.1);
            let enough: Vec<u32> = plain.iter().filter(|(_, sum)| **sum >= least).map(|one| *one.0).collect();
            prop_assert_eq!(sums.at_least(least), enough);
            sums.retain(&|number| number % 3 == 0);
            prop_assert_eq!(sums.positive(), plain.keys().filter(|number| *number % 3 == 0).count());
        }
    }
}
