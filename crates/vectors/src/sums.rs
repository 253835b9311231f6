//! Sums of scores by number, for keyword search over lists of postings that are too long to be joined.

use super::top::TopK;

/// Frequencies that have a row of shares; the last one is of all higher frequencies.
const FREQUENCIES: usize = 8;

/// Shares of a term's weight by its frequency in a text and the text's length; the last length is of all greater ones.
#[derive(Debug)]
pub struct Shares(Box<[[f32; 256]; FREQUENCIES]>);

impl Shares {
    /// Computes the shares. `share` must grow with the frequency, and shrink with the length.
    pub fn of(share: impl Fn(u32, u32) -> f32) -> Self {
        let row = |frequency: usize| match frequency + 1 {
            FREQUENCIES => u32::MAX,
            _ => frequency as u32,
        };
        Self(Box::new(std::array::from_fn(|frequency| {
            std::array::from_fn(|length| share(row(frequency), length as u32))
        })))
    }

    fn get(&self, frequency: u8, length: u8) -> f32 {
        let row = self.0.get(usize::from(frequency).min(FREQUENCIES - 1));
        row.and_then(|row| row.get(usize::from(length))).copied().unwrap_or_default()
    }
}

/// Numbers whose sums are computed together: as many as fit into a processor's cache.
const TILE: u32 = 1 << 15;
/// Numbers that are looked at together: most groups have no sum that is large enough.
const GROUP: usize = 64;
/// Share of the least of the best sums from which on others are noted: callers hardly ever ask for lower ones, which have to be summed again.
const NOTED: f32 = 0.6;

/// Sums of consecutive numbers. Its loops are not inlined, because those who call them may be compiled for size.
#[derive(Debug)]
pub struct Tile {
    start: u32,
    sums: Vec<f32>,
}

impl Tile {
    /// Returns one more than its last number.
    pub fn end(&self) -> u32 {
        self.start + self.sums.len() as u32
    }

    /// Adds a weight, times the share for the frequency and length, to the sum of each number. `lengths` are by number; where they are 0, which means
    /// unknown, or missing, `shortest` is taken. Numbers outside the tile are left out.
    #[inline(never)]
    pub fn add(
        &mut self,
        numbers: &[u32],
        frequencies: &[u8],
        (lengths, shortest): (&[u8], u8),
        (weight, shares): (f32, &Shares),
    ) {
        for (number, frequency) in numbers.iter().zip(frequencies) {
            let length = match lengths.get(*number as usize) {
                None | Some(0) => shortest,
                Some(length) => *length,
            };
            self.add_one(*number, weight * shares.get(*frequency, length));
        }
    }

    /// Adds to the sum of a number.
    pub fn add_one(&mut self, number: u32, weight: f32) {
        if let Some(sum) = self.sums.get_mut(number.wrapping_sub(self.start) as usize) {
            *sum += weight;
        }
    }

    /// Sets the sums of numbers that are not `admitted` to 0.
    pub fn retain(&mut self, admitted: &dyn Fn(u32) -> bool) {
        let positive = (self.start..).zip(&mut self.sums).filter(|(_, sum)| **sum > 0.0);
        positive.filter(|(number, _)| !admitted(*number)).for_each(|(_, sum)| *sum = 0.0);
    }
}

/// Computes the sums of all numbers below `limit`, tile by tile in ascending order: `add` adds to a tile, `each` is called with the largest sum, the
/// first number and the sums of each group. Returns how many sums are above 0.
fn for_each_group(
    limit: u32,
    add: &mut dyn FnMut(&mut Tile),
    mut each: impl FnMut(f32, u32, &[f32]),
) -> usize {
    let (mut tile, mut peaks, mut positive) = (Tile { start: 0, sums: Vec::new() }, Vec::new(), 0);
    while tile.end() < limit {
        tile.start = tile.end();
        tile.sums.clear();
        tile.sums.resize(TILE.min(limit - tile.start) as usize, 0.0);
        add(&mut tile);
        peaks.clear();
        survey(&tile.sums, &mut peaks, &mut positive);
        let starts = (tile.start..).step_by(GROUP);
        for ((peak, group), start) in peaks.iter().zip(tile.sums.chunks(GROUP)).zip(starts) {
            each(*peak, start, group);
        }
    }
    positive
}

/// The numbers with the largest sums.
#[derive(Debug)]
pub struct Highest {
    /// The best, with their sums, best first; all are above 0.
    pub best: Vec<(u32, f32)>,
    /// How many sums are above 0.
    pub positive: usize,
    /// All sums of at least `floor`, in the order of numbers.
    noted: Vec<(u32, f32)>,
    floor: f32,
}

/// Finds the `count` numbers below `limit` with the largest sums. `add` adds to a tile; tiles ascend.
#[inline(never)]
pub fn highest(limit: u32, count: usize, add: &mut dyn FnMut(&mut Tile)) -> Highest {
    let (mut top, mut noted) = (TopK::new(count), Vec::new());
    let mut floor = f32::MIN_POSITIVE;
    let positive = for_each_group(limit, add, |peak, start: u32, group: &[f32]| {
        if peak < floor {
            return;
        }
        for (number, sum) in (start..).zip(group).filter(|(_, sum)| **sum >= floor) {
            noted.push((number, *sum));
            top.push(number, *sum);
        }
        floor = floor.max(NOTED * top.known());
    });
    noted.retain(|(_, sum)| *sum >= floor);
    Highest { best: top.into_sorted(), positive, noted, floor }
}

impl Highest {
    /// Finds the `count` largest of sums above 0, in ascending order of their numbers. All are noted.
    pub fn of(mut sums: Vec<(u32, f32)>, count: usize) -> Self {
        sums.retain(|(_, sum)| *sum > 0.0);
        let mut top = TopK::new(count);
        sums.iter().for_each(|(number, sum)| top.push(*number, *sum));
        Self { best: top.into_sorted(), positive: sums.len(), noted: sums, floor: f32::MIN_POSITIVE }
    }

    /// Returns the numbers whose sums are above 0 and at least `least`, ascending; `None` if that is too low for them to be noted.
    pub fn at_least(&self, least: f32) -> Option<Vec<u32>> {
        let enough = self.noted.iter().filter(|(_, sum)| *sum >= least);
        (least.max(f32::MIN_POSITIVE) >= self.floor).then(|| enough.map(|(number, _)| *number).collect())
    }
}

/// Returns the numbers below `limit` whose sums are above 0 and at least `least`, ascending. `add` adds to a tile; tiles ascend.
#[inline(never)]
pub fn at_least(limit: u32, least: f32, add: &mut dyn FnMut(&mut Tile)) -> Vec<u32> {
    let least = least.max(f32::MIN_POSITIVE);
    let mut found = Vec::new();
    for_each_group(limit, add, |peak, start: u32, group: &[f32]| {
        if peak >= least {
            found.extend((start..).zip(group).filter(|(_, sum)| **sum >= least).map(|(number, _)| number));
        }
    });
    found
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
        f32x4_extract_lane, f32x4_gt, f32x4_pmax, f32x4_splat, i32x4_extract_lane, i32x4_splat, i32x4_sub,
    };
    let mut counts = i32x4_splat(0);
    for group in sums.chunks(GROUP) {
        let (fours, rest) = group.as_chunks::<4>();
        let mut most = f32x4_splat(0.0);
        for four in fours {
            let four = load_4(four);
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

/// Loads four sums as two numbers of 64 bits, which is compiled to one instruction; lane by lane, they take four.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn load_4([a, b, c, d]: &[f32; 4]) -> core::arch::wasm32::v128 {
    let two = |low: &f32, high: &f32| u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
    core::arch::wasm32::u64x2(two(a, b), two(c, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Numbers beyond two tiles.
    const LIMIT: u32 = 2 * TILE + 300;

    /// Spreads small numbers over the tiles.
    fn spread(number: u32) -> u32 {
        number + number % 3 * TILE
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..300, 0u8..20, 0..100), 1..5),
            lengths in prop::collection::vec(0u8..20, 0..300), shortest in 1u8..9, limit in 0usize..20, every in 1u32..4, lower in 0f32..1.2,
        ) {
            let mut plain: BTreeMap<u32, f32> = BTreeMap::new();
            let mut all: Vec<(Vec<u32>, Vec<u8>)> = Vec::new();
            let share = |frequency: u32, length: u32| (frequency.min(100) + 1) as f32 / (length + 1) as f32;
            let shares = Shares::of(share);
            let admitted = |number: u32| number.is_multiple_of(every);
            for (at, list) in lists.iter().enumerate() {
                let list: BTreeMap<u32, u8> = list.iter().map(|(number, frequency)| (spread(*number), *frequency)).collect();
                for (number, frequency) in list.iter().filter(|one| admitted(*one.0)) {
                    let known = lengths.get(*number as usize).copied().filter(|length| *length > 0);
                    let frequency = if *frequency < 7 { u32::from(*frequency) } else { u32::MAX };
                    *plain.entry(*number).or_default() += (at + 1) as f32 * share(frequency, u32::from(known.unwrap_or(shortest)));
                }
                all.push(list.into_iter().unzip());
            }
            // Also numbers outside a tile, which it leaves out.
            let mut add = |tile: &mut Tile| {
                for (at, (numbers, frequencies)) in all.iter().enumerate() {
                    tile.add(numbers, frequencies, (&lengths, shortest), ((at + 1) as f32, &shares));
                }
                tile.add_one(LIMIT, 5.0);
                tile.retain(&admitted);
            };
            let high = highest(LIMIT, limit, &mut add);
            prop_assert_eq!(high.positive, plain.len());
            let mut best: Vec<(u32, f32)> = plain.iter().map(|(number, sum)| (*number, *sum)).collect();
            best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.truncate(limit);
            prop_assert_eq!(&high.best, &best);
            let least = lower * best.last().map_or(1.0, |one| one.1);
            let enough: Vec<u32> = plain.iter().filter(|(_, sum)| **sum >= least).map(|one| *one.0).collect();
            prop_assert!(lower < NOTED || best.is_empty() || high.at_least(least).is_some());
            prop_assert!(high.at_least(least).is_none_or(|noted| noted == enough));
            prop_assert_eq!(at_least(LIMIT, least, &mut add), enough);
        }
    }
}
