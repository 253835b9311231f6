//! Upper bounds of the scores of chunks, which tell which of them have to be scored.

use super::lengths::KnownLengths;
use super::loaded::Loaded;
#[cfg(not(feature = "small"))]
use super::loaded::Place;
#[cfg(not(feature = "small"))]
use super::omitted::Omitted;
use super::rest::{Rest, Weighted};
use vademecum_index::partial::Outline;
use vademecum_index::vectors::sums::{self, Highest, Shares, Tile};
#[cfg(not(feature = "small"))]
use vademecum_util::within::Within;

/// Number of postings that are added to a tile in the time of a lookup in a list, about.
#[cfg(not(feature = "small"))]
const LOOKUP: u64 = 8;
/// Number of sums that a tile sets to 0 in the time in which it adds a posting, about.
#[cfg(not(feature = "small"))]
const SUMS_PER_POSTING: u64 = 4;

/// The chunks that are ranked.
#[derive(Clone, Copy)]
pub(crate) enum Ranked<'a> {
    /// All.
    All,
    /// Those that are admitted.
    Admitted(&'a dyn Fn(u32) -> bool),
    /// Chunks with these keys, in ascending order.
    #[cfg(not(feature = "small"))]
    Keys(&'a [u32]),
}

/// Upper bounds of the scores of chunks, for one query.
pub(super) struct Bounds<'a> {
    /// The list of each term, with its weight.
    pub(super) terms: Vec<(&'a Loaded, f32)>,
    /// One more than the highest key.
    pub(super) end: u32,
    pub(super) outline: &'a Outline,
    pub(super) known: &'a KnownLengths,
    pub(super) ranked: Ranked<'a>,
}

impl Bounds<'_> {
    /// Finds the chunks with the highest bounds.
    pub(super) fn highest(&self, count: usize) -> Highest {
        #[cfg(not(feature = "small"))]
        if let Ranked::Keys(keys) = self.ranked {
            let sums = if self.is_quicker_by_tiles(keys) {
                sums::of_numbers(self.end, keys, &self.known.all(), &mut self.adding())
            } else {
                self.of_keys(keys)
            };
            return Highest::of(sums, count);
        }
        // With unknown lengths, bounds are far above scores, and lower ones may be asked for than are noted.
        #[cfg(not(feature = "small"))]
        if self.known.are_all() {
            return self.highest_by_most(count);
        }
        sums::highest(self.end, count, &self.known.all(), &mut self.adding())
    }

    /// Finds the chunks with the highest bounds, which are summed without some of the terms at first.
    #[cfg(not(feature = "small"))]
    fn highest_by_most(&self, count: usize) -> Highest {
        let mut omitted = Omitted::default();
        let highest = sums::highest(self.end, count, &self.known.all(), &mut self.adding_most(&mut omitted));
        highest.completed(count, omitted.most, |noted| {
            noted.sort_unstable_by_key(|one| one.0);
            let keys: Vec<u32> = noted.iter().map(|one| one.0).collect();
            for (at, from) in omitted.terms {
                let first = keys.partition_point(|key| *key < from);
                if let (Some(term), Some(sums)) = (self.terms.get(at), noted.get_mut(first..)) {
                    self.add_to(sums, keys.within(first..), *term);
                }
            }
        })
    }

    /// Returns the keys of the chunks with bounds of at least `least`, in no order. Not for [`Ranked::Keys`], whose bounds [`Bounds::highest`] all notes.
    pub(super) fn at_least(&self, least: f32) -> Vec<u32> {
        sums::at_least(self.end, least, &self.known.all(), &mut self.adding())
    }

    /// Returns whether summing the bounds of all chunks takes less time than looking for some of them in each list.
    #[cfg(not(feature = "small"))]
    fn is_quicker_by_tiles(&self, keys: &[u32]) -> bool {
        let postings: usize = self.terms.iter().map(|(list, _)| list.len()).sum();
        let lookups = keys.len() as u64 * self.terms.len() as u64;
        lookups * LOOKUP > postings as u64 + u64::from(self.end) / SUMS_PER_POSTING
    }

    /// Returns the bounds of some chunks.
    #[cfg(not(feature = "small"))]
    fn of_keys(&self, keys: &[u32]) -> Vec<(u32, f32)> {
        let mut sums: Vec<(u32, f32)> = keys.iter().map(|key| (*key, 0.0)).collect();
        self.terms.iter().for_each(|term| self.add_to(&mut sums, keys, *term));
        sums
    }

    /// Adds the bounds of a term to sums by key.
    #[cfg(not(feature = "small"))]
    fn add_to(&self, sums: &mut [(u32, f32)], keys: &[u32], (list, weight): (&Loaded, f32)) {
        let known = self.known.all();
        list.common(keys, |row, key, frequency, place| {
            let length = match place {
                Place::Length(length) => length,
                Place::Part(part, _) => match known.get(key as usize) {
                    None | Some(0) => list.parts().get(part).map_or(0, |part| part.piece.shortest),
                    Some(length) => u32::from(*length),
                },
            };
            if let Some((_, sum)) = sums.get_mut(row) {
                *sum += weight * self.outline.saturation(frequency, length);
            }
        });
    }

    /// Returns a function that adds to one tile after the other.
    fn adding(&self) -> impl FnMut(&mut Tile) {
        let (shares, mut lists) = (self.shares(), self.lists());
        move |tile| self.add(tile, &mut lists, &shares)
    }

    /// Returns a function that adds to one tile after the other, and leaves terms out.
    #[cfg(not(feature = "small"))]
    fn adding_most(&self, omitted: &mut Omitted) -> impl FnMut(&mut Tile) {
        let (shares, mut lists) = (self.shares(), self.lists());
        let greatest = self.outline.saturation(u32::MAX, 0);
        move |tile| {
            omitted.omit(tile, &mut lists, greatest);
            self.add(tile, &mut lists, &shares);
        }
    }

    fn shares(&self) -> Shares {
        Shares::of(|frequency, length| self.outline.saturation(frequency, length))
    }

    fn lists(&self) -> Vec<Weighted<'_>> {
        // A term of no word of the query has no weight.
        let weighted = self.terms.iter().enumerate().filter(|(_, (_, weight))| *weight > 0.0);
        weighted.map(|(at, (list, weight))| Weighted { at, weight: *weight, rest: Rest::of(list) }).collect()
    }

    fn add(&self, tile: &mut Tile, lists: &mut [Weighted<'_>], shares: &Shares) {
        lists.iter_mut().for_each(|list| list.rest.add(tile, (list.weight, shares), self.outline));
        if let Ranked::Admitted(admitted) = self.ranked {
            tile.retain(admitted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lengths::rounded;
    use super::super::loaded::Part;
    use super::*;
    use crate::block::BlockRef;
    use crate::name::PartName;
    use crate::postings::{decode_piece, encode};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::rc::Rc;
    use vademecum_index::partial::{Occurrence, Statistics, Words};
    use vademecum_text::terms::{Language, Rule};
    use vademecum_util::vec_map;

    /// Keys beyond several tiles.
    const END: u32 = 200_000;

    fn split(list: &[Occurrence], size: usize) -> Loaded {
        let lengths = BlockRef { part: PartName([7; 16]), size: 900, offset: 5, length: 80, hash: [9; 8] };
        let part = |some: &[Occurrence]| {
            let piece = Rc::new(decode_piece(&encode::piece_by_rice(some)).unwrap());
            Part { piece, lengths }
        };
        Loaded::Split(list.chunks(size).map(part).collect())
    }

    proptest! {
        #[test]
        fn bounds_are_summed_over_parts_that_end_anywhere(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..END / 500, (1u32..9, 1u32..300), 1..300), 1..4),
            size in 1usize..90, count in 1usize..20, every in 1u32..4,
        ) {
            // Some keys are close to each other, and some tiles have none.
            let spread = |key: &u32| if key.is_multiple_of(3) { *key } else { key * 500 };
            let lists: Vec<Vec<Occurrence>> = lists.iter().map(|list| {
                let list: BTreeMap<u32, (u32, u32)> = list.iter().map(|(key, one)| (spread(key), *one)).collect();
                list.into_iter().map(|(key, (frequency, length))| Occurrence { key, frequency, length }).collect()
            }).collect();
            let words = Words::of("tide moon boat", false, false, &[Language::English], Rule::CURRENT);
            let outline = words.outline(vec![("tide".to_owned(), 9)], Statistics { chunks: 1000, length: 80_000 });
            let loaded: Vec<Loaded> = lists.iter().enumerate().map(|(at, list)| match at {
                0 => Loaded::Exact(Rc::new(list.clone())),
                _ => split(list, size),
            }).collect();
            let admitted = |key: u32| key.is_multiple_of(every);
            let mut plain: BTreeMap<u32, f32> = BTreeMap::new();
            for (at, list) in lists.iter().enumerate() {
                let size = if at == 0 { 1 } else { size };
                for part in list.chunks(size) {
                    let shortest = u32::from(rounded(part.iter().map(|one| one.length).min().unwrap()));
                    for one in part.iter().filter(|one| admitted(one.key)) {
                        let length = if at == 0 { one.length } else { shortest };
                        let frequency = if at == 0 || one.frequency < 7 { one.frequency } else { u32::MAX };
                        *plain.entry(one.key).or_default() += (at + 1) as f32 * outline.saturation(frequency, length);
                    }
                }
            }
            let known = KnownLengths::new(END, 0, None);
            let terms = loaded.iter().enumerate().map(|(at, list)| (list, (at + 1) as f32)).collect();
            let bounds = Bounds { terms, end: END, outline: &outline, known: &known, ranked: Ranked::Admitted(&admitted) };
            let highest = bounds.highest(count);
            let mut best: Vec<(u32, f32)> = plain.iter().map(|(key, sum)| (*key, *sum)).collect();
            best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.truncate(count);
            prop_assert_eq!(highest.positive, plain.len());
            prop_assert_eq!(&highest.best, &best);
            prop_assert_eq!(vec_map::set(bounds.at_least(0.0)), plain.keys().copied().collect::<Vec<u32>>());
        }

        #[cfg(not(feature = "small"))]
        #[test]
        fn bounds_of_some_keys_are_no_lower_than_scores_and_no_higher_than_those_of_tiles(
            lists in prop::collection::vec(prop::collection::btree_map(0u32..400, (1u32..12, 1u32..300), 1..200), 1..4),
            size in 1usize..90, every in 1u32..4, noted in 1u32..4,
        ) {
            let words = Words::of("tide moon boat", false, false, &[Language::English], Rule::CURRENT);
            let outline = words.outline(vec![("tide".to_owned(), 9)], Statistics { chunks: 1000, length: 80_000 });
            // A chunk has one length, which all its postings have.
            let lengths: BTreeMap<u32, u32> = lists.iter().flatten().map(|(key, (_, length))| (*key, *length)).collect();
            let of_list = |list: &BTreeMap<u32, (u32, u32)>| -> Vec<Occurrence> {
                list.iter().map(|(key, (frequency, _))| Occurrence { key: *key, frequency: *frequency, length: lengths[key] }).collect()
            };
            let lists: Vec<Vec<Occurrence>> = lists.iter().map(of_list).collect();
            let loaded: Vec<Loaded> = lists.iter().map(|list| split(list, size)).collect();
            let known = KnownLengths::new(END, 1 << 30, None);
            let some: Vec<(u32, u32)> = lengths.iter().map(|(key, length)| (*key, *length)).filter(|one| one.0.is_multiple_of(noted)).collect();
            known.note(&some.iter().map(|one| one.0).collect::<Vec<_>>(), &some.iter().map(|one| one.1).collect::<Vec<_>>());
            let terms: Vec<(&Loaded, f32)> = loaded.iter().enumerate().map(|(at, list)| (list, (at + 1) as f32)).collect();
            let keys: Vec<u32> = lengths.keys().copied().filter(|key| key.is_multiple_of(every)).collect();
            let of = |ranked| Bounds { terms: terms.clone(), end: END, outline: &outline, known: &known, ranked };
            let some = of(Ranked::Keys(&keys)).highest(1000);
            prop_assert!(!of(Ranked::All).is_quicker_by_tiles(&keys));
            // Among few chunks, tiles are quicker: they give the bounds of all chunks.
            let few = Bounds { end: 401, ..of(Ranked::Keys(&keys)) };
            let of_few = few.highest(1000);
            prop_assert_eq!((of_few.best.len(), of_few.positive), (keys.len(), keys.len()));
            let by_tiles = few.is_quicker_by_tiles(&keys);
            prop_assert_eq!((some.best.len(), some.positive), (keys.len(), keys.len()));
            let reached = some.at_least(0.0);
            prop_assert_eq!(reached.as_ref(), Some(&keys));
            let all: BTreeMap<u32, f32> = of(Ranked::All).highest(1000).best.into_iter().collect();
            for (key, bound) in &some.best {
                let scores = lists.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |one| (at, one)));
                let score = scores.filter(|(_, one)| one.key == *key).map(|(at, one)| (at + 1) as f32 * outline.saturation(one.frequency, one.length));
                prop_assert!(Outline::least_bound(score.sum()) <= *bound && *bound <= 1.0001 * all[key]);
            }
            if by_tiles {
                prop_assert!(of_few.best.iter().all(|(key, bound)| *bound == all[key]));
            }
        }

        #[cfg(not(feature = "small"))]
        #[test]
        fn bounds_are_the_same_where_frequent_terms_are_left_out(
            rare in prop::collection::vec(prop::collection::btree_map(0u32..END, (1u32..9, 20u32..300), 200..400), 2..4),
            steps in prop::collection::vec(2u32..9, 1..4), count in 1usize..20, lower in 0.3f32..1.1, every in 1u32..3,
        ) {
            let words = Words::of("tide moon boat", false, false, &[Language::English], Rule::CURRENT);
            let outline = words.outline(vec![("tide".to_owned(), 9)], Statistics { chunks: 1000, length: 80_000 });
            let frequent = steps.iter().map(|step| {
                let of_key = |key: u32| Occurrence { key, frequency: 1 + key % 3, length: 40 + key % 90 };
                (0..END).step_by(*step as usize).map(of_key).collect::<Vec<Occurrence>>()
            });
            let of_rare = |list: &BTreeMap<u32, (u32, u32)>| -> Vec<Occurrence> {
                list.iter().map(|(key, (frequency, length))| Occurrence { key: *key, frequency: *frequency, length: *length }).collect()
            };
            let rare = rare.iter().enumerate().map(|(at, list)| match at {
                0 => (split(&of_rare(list), 64), 4.0),
                _ => (Loaded::Exact(Rc::new(of_rare(list))), 5.0),
            });
            let lists: Vec<(Loaded, f32)> =
                (1u8..).zip(frequent).map(|(at, list)| (split(&list, 4096), 0.1 * f32::from(at))).chain(rare).collect();
            let known = KnownLengths::new(END, 0, None);
            let admitted = |key: u32| key.is_multiple_of(every);
            let terms = lists.iter().map(|(list, weight)| (list, *weight)).collect();
            let bounds = Bounds { terms, end: END, outline: &outline, known: &known, ranked: Ranked::Admitted(&admitted) };
            let whole = bounds.highest(count);
            let highest = bounds.highest_by_most(count);
            // Which only terms that are left out make fewer.
            prop_assert!((1000..whole.positive).contains(&highest.positive));
            let close = |one: f32, other: f32| (one - other).abs() <= 1e-5 * other;
            // Sums are added in another order.
            prop_assert_eq!(highest.best.len(), whole.best.len());
            prop_assert!(highest.best.iter().zip(&whole.best).all(|(one, other)| close(one.1, other.1)));
            let least = lower * whole.best.last().map_or(0.0, |one| one.1);
            let enough = |least: f32| vec_map::set(bounds.at_least(least));
            if let Some(found) = highest.at_least(least).map(vec_map::set) {
                let (sure, possible) = (enough(least * 1.00001), enough(least * 0.99999));
                prop_assert!(sure.iter().all(|key| found.contains(key)) && found.iter().all(|key| possible.contains(key)));
            }
            prop_assert!(lower < 0.9 || highest.at_least(least).is_some());
        }
    }
}
