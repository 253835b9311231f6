//! Terms that are left out of upper bounds: frequent ones have most of the postings and add little to a score. Once bounds of the best are known, what such terms
//! add cannot lift a chunk among them that is not noted without it, so that they are added for the noted chunks alone.

use super::rest::Weighted;
use vademecum_index::partial::EXACT_COUNT;
use vademecum_index::vectors::sums::Tile;

/// What the terms may add, as a share of the sum from which chunks are noted.
const SHARE: f32 = 0.5;

/// The terms that were left out.
#[derive(Default)]
pub(super) struct Omitted {
    /// Their places among the terms, each with the key from which on it was left out.
    pub(super) terms: Vec<(usize, u32)>,
    /// The most that they add to a sum.
    pub(super) most: f32,
}

impl Omitted {
    /// Leaves out those of the lists that add least, from a tile on, but none before as many matches are counted as are to be counted exactly. `greatest` is the
    /// greatest share of a weight that is added.
    pub(super) fn omit(&mut self, tile: &Tile, lists: &mut Vec<Weighted<'_>>, greatest: f32) {
        while tile.counted() >= EXACT_COUNT {
            let long = lists.iter().enumerate().filter(|(_, list)| list.rest.is_split());
            let Some((place, least)) =
                long.min_by(|(_, one), (_, other)| one.weight.total_cmp(&other.weight))
            else {
                break;
            };
            let most = self.most + least.weight * greatest;
            if most > SHARE * tile.floor() {
                break;
            }
            self.most = most;
            self.terms.push((least.at, tile.start()));
            lists.remove(place);
        }
    }
}
