//! The list of postings of a term, as it was read.

use crate::block::BlockRef;
use crate::postings::Piece;
use std::rc::Rc;
use vademecum_index::partial::Occurrence;
use vademecum_index::vectors::bitmap::Bitmap;
use vademecum_util::within::Within;

/// The postings of a term.
pub(super) enum Loaded {
    /// With lengths.
    Exact(Rc<Vec<Occurrence>>),
    /// In the order of keys.
    Split(Vec<Part>),
}

/// A block of a list, with the block of its lengths.
pub(super) struct Part {
    pub(super) piece: Rc<Piece>,
    pub(super) lengths: BlockRef,
}

/// Where the length of a chunk is found.
pub(super) enum Place {
    /// Here.
    Length(u32),
    /// In the lengths of a part, at a place.
    Part(usize, usize),
}

impl Loaded {
    /// Returns whether keys ascend, as many as the term has chunks, and all below `end`.
    pub(super) fn is_sound(&self, count: usize, end: u32) -> bool {
        let (ascends, own) = match self {
            Self::Exact(list) => (list.is_sorted_by(|one, other| one.key < other.key), list.len()),
            Self::Split(parts) => {
                // Within a piece they ascend, or it would not have been decoded.
                let ends = parts.iter().map(|part| (part.piece.keys.first(), part.piece.keys.last()));
                let ends: Option<Vec<(u32, u32)>> = ends.map(|(one, last)| Some((*one?, *last?))).collect();
                let ascends = ends.is_some_and(|ends| ends.is_sorted_by(|one, other| one.1 < other.0));
                (ascends, parts.iter().map(|part| part.piece.keys.len()).sum())
            }
        };
        ascends && own == count && self.keys_end() <= u64::from(end)
    }

    /// Returns the number of postings.
    #[cfg(not(feature = "small"))]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Exact(list) => list.len(),
            Self::Split(parts) => parts.iter().map(|part| part.piece.keys.len()).sum(),
        }
    }

    /// Returns one more than the last key.
    fn keys_end(&self) -> u64 {
        let last = match self {
            Self::Exact(list) => list.last().map(|one| one.key),
            Self::Split(parts) => parts.last().and_then(|part| part.piece.keys.last()).copied(),
        };
        last.map_or(0, |last| u64::from(last) + 1)
    }

    /// Returns the keys, ascending.
    pub(super) fn keys(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::Exact(list) => Box::new(list.iter().map(|one| one.key)),
            Self::Split(parts) => Box::new(parts.iter().flat_map(|part| part.piece.keys.iter().copied())),
        }
    }

    /// Adds the keys to a bitmap.
    pub(super) fn mark(&self, keys: &mut Bitmap) {
        match self {
            Self::Exact(list) => list.iter().for_each(|one| _ = keys.insert(one.key as usize)),
            Self::Split(parts) => parts.iter().for_each(|part| keys.insert_all(&part.piece.keys)),
        }
    }

    /// Returns the blocks of a split list.
    pub(super) fn parts(&self) -> &[Part] {
        match self {
            Self::Exact(_) => &[],
            Self::Split(parts) => parts,
        }
    }

    /// Calls `each` with the row, the key, the frequency and the place of the length of each of some chunks, which ascend, that is here.
    pub(super) fn common(&self, keys: &[u32], mut each: impl FnMut(usize, u32, u32, Place)) {
        match self {
            Self::Exact(list) => {
                let mut rest = list.as_slice();
                for (row, key) in keys.iter().enumerate() {
                    rest = rest.within(gallop(rest, |one| one.key < *key)..);
                    if let Some(one) = rest.first().filter(|one| one.key == *key) {
                        each(row, *key, one.frequency, Place::Length(one.length));
                    }
                }
            }
            Self::Split(parts) => {
                let mut row = 0;
                for (number, Part { piece, .. }) in parts.iter().enumerate() {
                    let Some(last) = piece.keys.last() else { continue };
                    let mut at = 0;
                    while let Some(key) = keys.get(row).filter(|key| *key <= last) {
                        at += gallop(piece.keys.within(at..), |one| one < key);
                        if piece.keys.get(at) == Some(key) {
                            each(row, *key, piece.frequency(at), Place::Part(number, at));
                        }
                        row += 1;
                    }
                }
            }
        }
    }
}

/// Returns how many elements come before the first that is not `before`, which is looked for in growing steps: it is often near.
fn gallop<T>(all: &[T], before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while all.get(step - 1).is_some_and(&before) {
        step *= 2;
    }
    let start = step / 2;
    let end = all.len().min(step);
    start + all.within(start..end).partition_point(before)
}
