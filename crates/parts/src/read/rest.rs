//! What is left of the lists of a query's terms, while tile after tile of sums is made.

use super::lengths::rounded;
use super::loaded::{Loaded, Part};
use vademecum_index::partial::{Occurrence, Outline};
use vademecum_index::vectors::sums::{Shares, Tile};
use vademecum_util::within::Within;

/// A list of a term.
pub(super) struct Weighted<'a> {
    /// The term's place among those of the query.
    pub(super) at: usize,
    pub(super) weight: f32,
    pub(super) rest: Rest<'a>,
}

/// The postings of a list that belong to later tiles.
pub(super) enum Rest<'a> {
    /// Postings with lengths.
    Exact(&'a [Occurrence]),
    /// Parts, of the first of which `done` postings belong to earlier tiles.
    Split { parts: &'a [Part], done: usize },
}

impl<'a> Rest<'a> {
    /// Returns whether its lengths are in blocks of their own, as those of long lists are.
    #[cfg(not(feature = "small"))]
    pub(super) fn is_split(&self) -> bool {
        matches!(self, Self::Split { .. })
    }

    pub(super) fn of(list: &'a Loaded) -> Self {
        match list {
            Loaded::Exact(list) => Self::Exact(list),
            Loaded::Split(parts) => Self::Split { parts, done: 0 },
        }
    }

    /// Adds an upper bound of the term's score to the sum of each chunk of a tile: its score if the chunk is as long as is known, or as short as the
    /// shortest of its part.
    pub(super) fn add(&mut self, tile: &mut Tile, (weight, shares): (f32, &Shares), outline: &Outline) {
        let end = tile.end();
        match self {
            Self::Exact(list) => {
                let (own, later) = list.split_at(list.partition_point(|one| one.key < end));
                for one in own {
                    tile.add_one(one.key, weight * outline.saturation(one.frequency, one.length));
                }
                *list = later;
            }
            Self::Split { parts, done } => {
                while let Some((Part { piece, .. }, later)) = parts.split_first() {
                    let keys = piece.keys.within(*done..);
                    let frequencies = piece.frequencies.low.within(*done..);
                    debug_assert_eq!(keys.len(), frequencies.len(), "each posting has a frequency");
                    let own = tile.add(keys, frequencies, rounded(piece.shortest), (weight, shares));
                    if own < keys.len() {
                        *done += own;
                        break;
                    }
                    (*parts, *done) = (later, 0);
                }
            }
        }
    }
}
