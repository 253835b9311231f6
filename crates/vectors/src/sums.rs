//! Sums of scores by number, for keyword search over lists of postings that are too long to be joined.

use super::top::TopK;

/// Frequencies that have a row of shares; the last one is of all higher frequencies.
const FREQUENCIES: usize = 8;
/// Lengths that have a column of shares; the last one is of all greater lengths.
const LENGTHS: usize = 256;

/// Shares of a term's weight by its frequency in a text and the text's length.
#[derive(Debug)]
pub struct Shares(Box<[f32; FREQUENCIES * LENGTHS]>);

impl Shares {
    /// Computes the shares. `share` must be above 0, grow with the frequency, and shrink with the length.
    pub fn of(share: impl Fn(u32, u32) -> f32) -> Self {
        Self(Box::new(std::array::from_fn(|place| {
            let frequency = match place / LENGTHS + 1 {
                FREQUENCIES => u32::MAX,
                _ => (place / LENGTHS) as u32,
            };
            share(frequency, (place % LENGTHS) as u32)
        })))
    }

    fn get(&self, frequency: u8, length: u8) -> f32 {
        // One index, of which the compiler sees that it is within: two cost a branch each.
        let row = usize::from(frequency).min(FREQUENCIES - 1);
        let place = row * LENGTHS + usize::from(length);
        debug_assert!(place < self.0.len(), "each frequency and length has a share");
        self.0.get(place).copied().unwrap_or_default()
    }
}

/// Numbers whose sums are computed together: as many as fit into a processor's cache.
const TILE: usize = 1 << 13;
/// Share of the least of the best sums from which on others are noted: callers hardly ever ask for lower ones, which have to be summed again.
const NOTED: f32 = 0.6;

/// Sums of consecutive numbers. Its loops are not inlined, because those who call them may be compiled for size.
#[derive(Debug)]
pub struct Tile {
    start: u32,
    /// How many numbers it has.
    count: usize,
    /// Sums by place; 0 from `count` on.
    sums: Box<[f32; TILE]>,
    /// Lengths by place; 0 where unknown.
    lengths: Box<[u8; TILE]>,
    /// How many sums are above 0.
    positive: usize,
    /// The numbers whose sums have reached `floor`, some of them several times: to look at all sums would take as long as to add to them.
    high: Vec<u32>,
    floor: f32,
    /// How many sums of earlier tiles are above 0.
    counted: usize,
}

impl Tile {
    fn new(floor: f32) -> Self {
        let (sums, lengths) = (Box::new([0.0; TILE]), Box::new([0; TILE]));
        Self { start: 0, count: 0, sums, lengths, positive: 0, high: Vec::new(), floor, counted: 0 }
    }

    /// Returns one more than its last number.
    pub fn end(&self) -> u32 {
        self.start + self.count as u32
    }

    /// Returns its first number.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Returns the sum from which on numbers are noted.
    pub fn floor(&self) -> f32 {
        self.floor
    }

    /// Returns how many sums of earlier tiles are above 0.
    pub fn counted(&self) -> usize {
        self.counted
    }

    /// Moves to the numbers behind, of those below `limit`. `lengths` are by number.
    fn go_on(&mut self, limit: u32, lengths: &[u8]) {
        self.start = self.end();
        self.counted += self.positive;
        self.count = TILE.min((limit - self.start) as usize);
        self.positive = 0;
        self.sums.fill(0.0);
        // There may be fewer lengths than numbers, or none: the others are unknown.
        let own = lengths.get(self.start as usize..).unwrap_or_default();
        let own = own.get(..TILE).unwrap_or(own);
        let (known, unknown) = self.lengths.split_at_mut(own.len());
        known.copy_from_slice(own);
        unknown.fill(0);
    }

    /// Adds a weight above 0, times the share for the frequency and length, to the sum of each number before the tile's end; returns how many there are.
    /// Numbers ascend, and none is before the tile, and all are below the limit. For those of unknown length, `shortest` is taken.
    #[inline(never)]
    pub fn add(
        &mut self,
        numbers: &[u32],
        frequencies: &[u8],
        shortest: u8,
        (weight, shares): (f32, &Shares),
    ) -> usize {
        debug_assert!(numbers.is_sorted_by(|one, other| one < other), "numbers ascend");
        let (mut added, mut first) = (0, 0);
        for (number, frequency) in numbers.iter().zip(frequencies) {
            let at = number.wrapping_sub(self.start) as usize;
            let (Some(sum), Some(length)) = (self.sums.get_mut(at), self.lengths.get(at)) else { break };
            let length = if *length == 0 { shortest } else { *length };
            first += usize::from(*sum == 0.0);
            *sum += weight * shares.get(*frequency, length);
            if *sum >= self.floor {
                self.high.push(*number);
            }
            added += 1;
        }
        self.positive += first;
        added
    }

    /// Adds a weight above 0 to the sum of a number; one outside the tile is left out.
    pub fn add_one(&mut self, number: u32, weight: f32) {
        debug_assert!(self.count <= TILE, "a tile of {} numbers", self.count);
        let own = self.sums.get_mut(..self.count).unwrap_or_default();
        if let Some(sum) = own.get_mut(number.wrapping_sub(self.start) as usize) {
            self.positive += usize::from(*sum == 0.0);
            *sum += weight;
            if *sum >= self.floor {
                self.high.push(number);
            }
        }
    }

    /// Sets the sums of numbers that are not `admitted` to 0.
    pub fn retain(&mut self, admitted: &dyn Fn(u32) -> bool) {
        let positive = (self.start..).zip(self.sums.iter_mut()).filter(|(_, sum)| **sum > 0.0);
        for (_, sum) in positive.filter(|(number, _)| !admitted(*number)) {
            *sum = 0.0;
            self.positive -= 1;
        }
    }
}

/// Computes the sums of all numbers below `limit`, whose `lengths` are by number, tile by tile in ascending order: `add` adds to a tile, `each` is called
/// with each number whose sum is at least `floor`, and the sum, and returns the floor from then on, which may rise. Returns how many sums are above 0.
/// Numbers of a tile are in no order.
fn for_each_high(
    limit: u32,
    lengths: &[u8],
    add: &mut dyn FnMut(&mut Tile),
    floor: f32,
    mut each: impl FnMut(u32, f32) -> f32,
) -> usize {
    let mut tile = Tile::new(floor);
    while tile.end() < limit {
        tile.go_on(limit, lengths);
        add(&mut tile);
        for number in tile.high.drain(..) {
            // It may not be admitted.
            let sum = tile.sums.get_mut((number - tile.start) as usize).filter(|sum| **sum >= tile.floor);
            if let Some(sum) = sum {
                tile.floor = each(number, std::mem::take(sum));
            }
        }
    }
    tile.counted + tile.positive
}

/// The numbers with the largest sums.
#[derive(Debug)]
pub struct Highest {
    /// The best, with their sums, best first; all are above 0.
    pub best: Vec<(u32, f32)>,
    /// How many sums are above 0.
    pub positive: usize,
    /// All sums of at least `floor`.
    noted: Vec<(u32, f32)>,
    floor: f32,
}

/// Finds the `count` numbers below `limit` with the largest sums; `lengths` are by number, 0 where unknown. `add` adds to a tile; tiles ascend.
#[inline(never)]
pub fn highest(limit: u32, count: usize, lengths: &[u8], add: &mut dyn FnMut(&mut Tile)) -> Highest {
    let (mut top, mut noted) = (TopK::new(count), Vec::new());
    let mut floor = f32::MIN_POSITIVE;
    let positive = for_each_high(limit, lengths, add, floor, |number, sum| {
        noted.push((number, sum));
        top.push(number, sum);
        floor = floor.max(NOTED * top.known());
        floor
    });
    noted.retain(|(_, sum)| *sum >= floor);
    Highest { best: top.into_sorted(), positive, noted, floor }
}

impl Highest {
    /// Finds the `count` largest of sums above 0. All are noted.
    pub fn of(mut sums: Vec<(u32, f32)>, count: usize) -> Self {
        sums.retain(|(_, sum)| *sum > 0.0);
        let mut top = TopK::new(count);
        sums.iter().for_each(|(number, sum)| top.push(*number, *sum));
        Self { best: top.into_sorted(), positive: sums.len(), noted: sums, floor: f32::MIN_POSITIVE }
    }

    /// Completes sums from which something was left out, at most `most` of each: `add` adds it to those that are noted. `count` is that of [`highest`].
    pub fn completed(mut self, count: usize, most: f32, add: impl FnOnce(&mut Vec<(u32, f32)>)) -> Self {
        add(&mut self.noted);
        let floor = self.floor + most;
        self.noted.retain(|(_, sum)| *sum >= floor);
        Self { floor, positive: self.positive, ..Self::of(self.noted, count) }
    }

    /// Returns the numbers whose sums are above 0 and at least `least`, in no order; `None` if that is too low for them to be noted.
    pub fn at_least(&self, least: f32) -> Option<Vec<u32>> {
        let enough = self.noted.iter().filter(|(_, sum)| *sum >= least);
        let is_noted = least.max(f32::MIN_POSITIVE) >= self.floor;
        is_noted.then(|| enough.map(|(number, _)| *number).collect())
    }
}

/// Returns the numbers below `limit` whose sums are above 0 and at least `least`, in no order. `lengths` are by number, 0 where unknown. `add` adds to a
/// tile; tiles ascend.
#[inline(never)]
pub fn at_least(limit: u32, least: f32, lengths: &[u8], add: &mut dyn FnMut(&mut Tile)) -> Vec<u32> {
    let least = least.max(f32::MIN_POSITIVE);
    let mut found = Vec::new();
    for_each_high(limit, lengths, add, least, |number, _| {
        found.push(number);
        least
    });
    found
}

/// Computes the sums of some numbers, which ascend; those from `limit` on have 0. `lengths` are by number, 0 where unknown. `add` adds to a tile; tiles
/// ascend.
#[inline(never)]
pub fn of_numbers(
    limit: u32,
    numbers: &[u32],
    lengths: &[u8],
    add: &mut dyn FnMut(&mut Tile),
) -> Vec<(u32, f32)> {
    debug_assert!(numbers.is_sorted_by(|one, other| one < other), "numbers ascend");
    let (mut tile, mut rest) = (Tile::new(f32::INFINITY), numbers.iter().peekable());
    let mut sums = Vec::with_capacity(numbers.len());
    while tile.end() < limit && rest.peek().is_some() {
        tile.go_on(limit, lengths);
        add(&mut tile);
        while let Some(number) = rest.next_if(|number| **number < tile.end()) {
            let sum = tile.sums.get((*number - tile.start) as usize).copied();
            debug_assert!(sum.is_some(), "{number} is in the tile");
            sums.push((*number, sum.unwrap_or_default()));
        }
    }
    sums.extend(rest.map(|number| (*number, 0.0)));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Numbers beyond two tiles.
    const LIMIT: u32 = 2 * TILE as u32 + 300;

    /// Spreads numbers below 300 over the tiles, also to their ends.
    fn spread(number: u32) -> u32 {
        let tile = TILE as u32;
        match number % 4 {
            0 => number,
            1 => tile - number,
            2 => 2 * tile - number,
            _ => LIMIT - 1 - number / 4,
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..300, 0u8..20, 0..100), 1..5),
            known in 0..LIMIT + 9, seed in any::<u32>(), shortest in 1u8..9, limit in 0usize..20, every in 1u32..4, lower in 0f32..1.2,
        ) {
            let mut plain: BTreeMap<u32, f32> = BTreeMap::new();
            let lengths: Vec<u8> = (0..known).map(|number| (number.wrapping_mul(seed | 1) >> 20) as u8 % 20).collect();
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
                    let done = numbers.partition_point(|number| *number < tile.start);
                    let own = numbers[done..].partition_point(|number| *number < tile.end());
                    let added = tile.add(&numbers[done..], &frequencies[done..], shortest, ((at + 1) as f32, &shares));
                    assert_eq!(added, own);
                }
                tile.add_one(LIMIT, 5.0);
                tile.retain(&admitted);
            };
            let high = highest(LIMIT, limit, &lengths, &mut add);
            prop_assert_eq!(high.positive, plain.len());
            let mut best: Vec<(u32, f32)> = plain.iter().map(|(number, sum)| (*number, *sum)).collect();
            best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.truncate(limit);
            prop_assert_eq!(&high.best, &best);
            let least = lower * best.last().map_or(1.0, |one| one.1);
            let enough: Vec<u32> = plain.iter().filter(|(_, sum)| **sum >= least).map(|one| *one.0).collect();
            prop_assert!(lower < NOTED || best.is_empty() || high.at_least(least).is_some());
            let sorted = |mut numbers: Vec<u32>| {
                numbers.sort_unstable();
                numbers
            };
            prop_assert!(high.at_least(least).is_none_or(|noted| sorted(noted) == enough));
            let some: Vec<u32> = (0..LIMIT + 5).filter(|number| number.is_multiple_of(7) || plain.contains_key(number)).collect();
            let of_some: Vec<(u32, f32)> = some.iter().map(|number| (*number, plain.get(number).copied().unwrap_or_default())).collect();
            prop_assert_eq!(of_numbers(LIMIT, &some, &lengths, &mut add), of_some);
            prop_assert_eq!(of_numbers(LIMIT, &[], &lengths, &mut add), Vec::new());
            prop_assert_eq!(of_numbers(LIMIT, &[9], &lengths, &mut add), vec![(9, plain.get(&9).copied().unwrap_or_default())]);
            prop_assert_eq!(sorted(at_least(LIMIT, least, &lengths, &mut add)), enough);
        }
    }
}
