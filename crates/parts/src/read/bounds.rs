//! Upper bounds of the scores of all chunks, which tell which of them have to be scored.

use super::lengths::{KnownLengths, rounded};
use super::loaded::{Loaded, Part};
use vademecum_index::partial::{Occurrence, Outline};
use vademecum_index::vectors::sums::{self, Highest, Tile, Weights};
use vademecum_util::within::Within;

/// Upper bounds of the scores of all chunks, for one query.
pub(super) struct Bounds<'a> {
    /// The list of each term, with its weight.
    pub(super) terms: Vec<(&'a Loaded, f32)>,
    /// One more than the highest key.
    pub(super) end: u32,
    pub(super) outline: &'a Outline,
    pub(super) known: &'a KnownLengths,
    pub(super) admitted: Option<&'a dyn Fn(u32) -> bool>,
}

impl Bounds<'_> {
    /// Finds the admitted chunks with the highest bounds.
    pub(super) fn highest(&self, count: usize) -> Highest {
        sums::highest(self.end, count, &mut self.adding(&self.known.all()))
    }

    /// Returns the keys of the admitted chunks with bounds of at least `least`, ascending.
    pub(super) fn at_least(&self, least: f32) -> Vec<u32> {
        sums::at_least(self.end, least, &mut self.adding(&self.known.all()))
    }

    /// Returns a function that adds to one tile after the other.
    fn adding(&self, lengths: &[u8]) -> impl FnMut(&mut Tile) {
        let mut lists: Vec<Rest<'_>> =
            self.terms.iter().map(|(list, weight)| Rest::of(list, self.outline, *weight)).collect();
        move |tile| {
            lists.iter_mut().for_each(|list| list.add(tile, self.outline, lengths));
            if let Some(admitted) = self.admitted {
                tile.retain(admitted);
            }
        }
    }
}

/// The postings of a list that belong to later tiles.
enum Rest<'a> {
    /// With the weight of the term.
    Exact(&'a [Occurrence], f32),
    /// Parts, of the first of which `done` postings belong to earlier tiles.
    Split { parts: &'a [Part], done: usize, weights: Box<Weights> },
}

impl<'a> Rest<'a> {
    fn of(list: &'a Loaded, outline: &Outline, weight: f32) -> Self {
        match list {
            Loaded::Exact(list) => Self::Exact(list, weight),
            Loaded::Split(parts) => {
                let weights = Weights::of(|frequency, length| weight * outline.saturation(frequency, length));
                Self::Split { parts, done: 0, weights: Box::new(weights) }
            }
        }
    }

    /// Adds an upper bound of the term's score to the sum of each chunk of a tile: its score if the chunk is as long as is known, or as short as the
    /// shortest of its part.
    fn add(&mut self, tile: &mut Tile, outline: &Outline, lengths: &[u8]) {
        let end = tile.end();
        match self {
            Self::Exact(list, weight) => {
                let (own, later) = list.split_at(list.partition_point(|one| one.key < end));
                for one in own {
                    tile.add_one(one.key, *weight * outline.saturation(one.frequency, one.length));
                }
                *list = later;
            }
            Self::Split { parts, done, weights } => {
                while let Some((Part { piece, .. }, later)) = parts.split_first() {
                    let keys = piece.keys.within(*done..);
                    let frequencies = piece.frequencies.low.within(*done..);
                    let (own, others) = keys.split_at(keys.partition_point(|key| *key < end));
                    tile.add(own, frequencies, (lengths, rounded(piece.shortest)), weights);
                    if !others.is_empty() {
                        *done += own.len();
                        break;
                    }
                    (*parts, *done) = (later, 0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockRef;
    use crate::name::PartName;
    use crate::postings::{decode_piece, encode};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::rc::Rc;
    use vademecum_index::partial::{Statistics, Words};
    use vademecum_text::terms::{Language, Rule};

    /// Keys beyond several tiles.
    const END: u32 = 200_000;

    fn split(list: &[Occurrence], size: usize) -> Loaded {
        let lengths = BlockRef { part: PartName([7; 16]), size: 900, offset: 5, length: 80, hash: [9; 8] };
        let part = |some: &[Occurrence]| {
            let piece = Rc::new(decode_piece(&encode::split(some).0).unwrap());
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
            let bounds = Bounds { terms, end: END, outline: &outline, known: &known, admitted: Some(&admitted) };
            let highest = bounds.highest(count);
            let mut best: Vec<(u32, f32)> = plain.iter().map(|(key, sum)| (*key, *sum)).collect();
            best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.truncate(count);
            prop_assert_eq!(highest.positive, plain.len());
            prop_assert_eq!(&highest.best, &best);
            prop_assert_eq!(bounds.at_least(0.0), plain.keys().copied().collect::<Vec<u32>>());
        }
    }
}
