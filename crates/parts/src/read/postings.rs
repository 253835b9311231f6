//! The postings of a query's terms. Keys and frequencies are read whole, since any chunk may be among the best; lengths, which are half of the
//! bytes, only of those that may be.

use super::blocks::{Blocks, Decoded};
use super::bounds::{Bounds, Ranked};
use super::lengths::KnownLengths;
use super::loaded::{Loaded, Part, Place};
use crate::block::BlockRef;
use crate::errors::part_damaged;
use crate::postings::{List, Piece, TermEntry, belong, decode_lengths, decode_list, decode_piece};
use futures_util::future::join;
use std::rc::Rc;
use vademecum_index::partial::{Lists, Occurrence, Outline, Statistics, Whole, Words};
use vademecum_index::vectors::bitmap::Bitmap;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::vec_map;

/// Maximum number of keys that tiles and bitmaps are made of: their time and memory grow with it.
const MOST_KEYS: u32 = 16 << 20;

impl Decoded for Vec<Occurrence> {
    const UNSOUND: &str = "a list of postings does not decode";

    fn decode(block: Vec<u8>) -> Option<Self> {
        decode_list(&block)
    }

    fn bytes(&self) -> usize {
        self.len() * size_of::<Occurrence>()
    }
}

/// Bytes of a posting of a [`Piece`]: a key and a frequency.
pub(crate) const POSTING: usize = size_of::<u32>() + size_of::<u8>();

impl Decoded for Piece {
    const UNSOUND: &str = "a list of postings does not decode";

    fn decode(block: Vec<u8>) -> Option<Self> {
        decode_piece(&block)
    }

    fn bytes(&self) -> usize {
        self.keys.len() * POSTING
    }
}

/// The lengths of a piece's chunks.
struct Lengths(Vec<u32>);

impl Decoded for Lengths {
    const UNSOUND: &str = "the lengths of its postings do not decode";

    fn decode(block: Vec<u8>) -> Option<Self> {
        decode_lengths(&block).map(Self)
    }

    fn bytes(&self) -> usize {
        self.0.len() * 4
    }
}

/// The postings of terms.
pub(crate) struct Postings {
    terms: Vec<Term>,
    all: Statistics,
    /// One more than the highest key.
    end: u32,
}

struct Term {
    term: String,
    count: usize,
    list: Loaded,
}

impl Postings {
    /// Reads the lists of terms, side by side. Keys must be below `end`.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    pub(crate) async fn read(
        blocks: &Blocks,
        entries: Vec<TermEntry>,
        all: Statistics,
        end: u32,
    ) -> Result<Self> {
        let (mut whole, mut split): (Vec<BlockRef>, Vec<BlockRef>) = (Vec::new(), Vec::new());
        for entry in &entries {
            match &entry.list {
                List::Inline(_) => {}
                List::Whole(place) => whole.push(*place),
                List::Split(places) => split.extend(places.iter().map(|(keys, _)| *keys)),
            }
        }
        let (whole, split) = join(blocks.read(&whole), blocks.read::<Piece>(&split)).await;
        let (mut whole, mut split) = (whole.into_iter(), split.into_iter());
        let mut terms = Vec::new();
        for TermEntry { term, count, list } in entries {
            let list = match list {
                List::Inline(inline) => Loaded::Exact(Rc::new(inline)),
                List::Whole(_) => Loaded::Exact(whole.next().ok_or_else(unsound)??),
                List::Split(places) => {
                    let part = |(_, lengths)| {
                        let piece = split.next().ok_or_else(unsound)??;
                        Ok(Part { piece, lengths })
                    };
                    Loaded::Split(places.into_iter().map(part).collect::<Result<_>>()?)
                }
            };
            if !list.is_sound(count, end) {
                return Err(unsound());
            }
            terms.push(Term { term, count, list });
        }
        Ok(Self { terms, all, end })
    }

    /// Returns whether a term is among them.
    pub(crate) fn has(&self, term: &str) -> bool {
        self.terms.iter().any(|one| one.term == term)
    }

    /// Returns the lists of all chunks.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    pub(crate) async fn all(&self, blocks: &Blocks, known: &KnownLengths) -> Result<Lists> {
        let keys = self.terms.iter().flat_map(|term| term.list.keys());
        Ok(Lists::new(&self.among(blocks, known, &vec_map::set(keys)).await?, self.all))
    }

    /// Returns the lists of the ranked chunks that may be among the best `limit`, as upper bounds of their scores tell: first those with the highest
    /// bounds, whose scores then tell which others may be better.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    pub(crate) async fn best(
        &self,
        blocks: &Blocks,
        known: &KnownLengths,
        (words, whole): (&Words, &Rc<Whole>),
        ranked: Ranked<'_>,
        limit: usize,
    ) -> Result<Lists> {
        if !self.can_be_bounded() {
            return self.all(blocks, known).await;
        }
        #[cfg(not(feature = "small"))]
        known.read_all(blocks).await;
        let terms = self.terms.iter().map(|term| &term.list).zip(whole.weights()).collect();
        let bounds = Bounds { terms, end: self.end, outline: &whole.outline, known, ranked };
        let highest = bounds.highest(limit);
        let total = highest.positive;
        let mut likely: Vec<u32> = highest.best.iter().map(|one| one.0).collect();
        likely.sort_unstable();
        let likely_among = self.among(blocks, known, &likely).await?;
        let lists = Lists::among(&likely_among, whole, total);
        let best = lists.search(words, None, limit).best;
        let last = limit.checked_sub(1).and_then(|last| best.get(last));
        let least = last.map_or(0.0, |last| Outline::least_bound(last.1));
        let undecided = vec_map::set(highest.at_least(least).unwrap_or_else(|| bounds.at_least(least)));
        if undecided.len() <= likely.len() {
            return Ok(lists);
        }
        let undecided = self.among(blocks, known, &undecided).await?;
        Ok(Lists::among(&undecided, whole, total))
    }

    /// Returns whether bounds are worth summing, and their memory is limited: a list has its lengths apart, and there are at most [`MOST_KEYS`] keys.
    fn can_be_bounded(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.list, Loaded::Split(_))) && self.end <= MOST_KEYS
    }

    /// Returns the lists of the admitted chunks that contain all words of a phrase, in any language, whether adjacent or not. Of more than `limit`, those
    /// that cannot be among the best `limit` may be left out. A phrase of stop words may be in any chunk with a term.
    ///
    /// # Errors
    /// Those of a block that cannot be read.
    #[cfg(not(feature = "small"))]
    pub(crate) async fn having(
        &self,
        blocks: &Blocks,
        known: &KnownLengths,
        (words, whole): (&Words, &Rc<Whole>),
        phrase: &[String],
        admitted: &dyn Fn(u32) -> bool,
        limit: usize,
    ) -> Result<Lists> {
        let of_languages =
            words.phrase_terms(phrase).into_iter().map(|of_words| of_words.into_iter().flatten());
        let languages: Vec<Vec<String>> = vec_map::set(of_languages.map(vec_map::set));
        if languages.iter().any(Vec::is_empty) && self.can_be_bounded() {
            return self.best(blocks, known, (words, whole), Ranked::Admitted(admitted), limit).await;
        }
        // Chunks with all terms of a set have those of its subsets too, so only sets without a smaller one are looked up.
        let is_within = |one: &[String], other: &[String]| one.iter().all(|term| other.contains(term));
        let minimal = languages
            .iter()
            .filter(|terms| !languages.iter().any(|other| other != *terms && is_within(other, terms)));
        let mut keys = vec_map::set(minimal.flat_map(|terms| match terms.as_slice() {
            [] => vec_map::set(self.terms.iter().flat_map(|term| term.list.keys())),
            terms => self.with_all(terms),
        }));
        keys.retain(|key| admitted(*key));
        if keys.len() > limit && self.can_be_bounded() {
            return self.best(blocks, known, (words, whole), Ranked::Keys(&keys), limit).await;
        }
        Ok(Lists::among(&self.among(blocks, known, &keys).await?, whole, keys.len()))
    }

    /// Returns the keys of the chunks with all terms, ascending.
    #[cfg(not(feature = "small"))]
    fn with_all(&self, terms: &[String]) -> Vec<u32> {
        let list = |name: &String| self.terms.iter().find(|term| term.term == *name);
        let lists: Option<Vec<&Term>> = terms.iter().map(list).collect();
        let Some(mut lists) = lists else { return Vec::new() };
        sort_by_key(&mut lists, |term| term.count);
        let Some((rarest, others)) = lists.split_first() else { return Vec::new() };
        others.iter().fold(rarest.list.keys().collect(), |keys: Vec<u32>, term| {
            let mut both = Vec::new();
            term.list.common(&keys, |_, key, _, _| both.push(key));
            both
        })
    }

    /// Returns what the query looks up. Counts chunks, so that all phrases of a query share it.
    pub(crate) fn whole(&self, words: &Words) -> Rc<Whole> {
        let counts = self.terms.iter().map(|term| (term.term.clone(), term.count));
        let outline = words.outline(counts.collect(), self.all);
        let counts = outline.groups().iter().map(|group| self.containing(group)).collect();
        Rc::new(Whole { outline, counts })
    }

    /// Returns the number of chunks with any of some terms.
    fn containing(&self, terms: &[usize]) -> usize {
        let terms: Vec<&Term> = terms.iter().filter_map(|at| self.terms.get(*at)).collect();
        match terms.as_slice() {
            [] => 0,
            [term] => term.count,
            terms if self.end > MOST_KEYS => {
                vec_map::set(terms.iter().flat_map(|term| term.list.keys())).len()
            }
            terms => {
                let mut keys = Bitmap::new(self.end as usize);
                terms.iter().for_each(|term| term.list.mark(&mut keys));
                keys.count()
            }
        }
    }

    /// Returns the postings of chunks, which ascend, with their lengths.
    async fn among(
        &self,
        blocks: &Blocks,
        known: &KnownLengths,
        keys: &[u32],
    ) -> Result<Vec<(String, Vec<Occurrence>)>> {
        let lengths = self.lengths(blocks, known, keys).await?;
        debug_assert_eq!(lengths.len(), keys.len(), "each chunk has a length");
        let mut all = Vec::new();
        for term in &self.terms {
            let mut list = Vec::new();
            term.list.common(keys, |row, key, frequency, _| {
                let length = lengths.get(row).copied().unwrap_or_default();
                list.push(Occurrence { key, frequency, length });
            });
            all.push((term.term.clone(), list));
        }
        Ok(all)
    }

    /// Reads the lengths of chunks, each from the shortest list that has it: several are in one block there.
    async fn lengths(&self, blocks: &Blocks, known: &KnownLengths, keys: &[u32]) -> Result<Vec<u32>> {
        let mut lengths: Vec<Option<u32>> = keys.iter().map(|key| known.exact(*key)).collect();
        let mut order: Vec<&Loaded> = self.terms.iter().map(|term| &term.list).collect();
        sort_by_key(&mut order, |list| list.parts().len());
        let mut wanted: Vec<(&Part, Vec<(usize, usize)>)> = Vec::new();
        for list in order {
            let first = wanted.len();
            wanted.extend(list.parts().iter().map(|part| (part, Vec::new())));
            list.common(keys, |row, _, _, found| match (lengths.get_mut(row), found) {
                (Some(slot), Place::Length(length)) => *slot = Some(length),
                (Some(slot @ None), Place::Part(part, at)) => {
                    // Noted, so that no other list is asked.
                    *slot = Some(u32::MAX);
                    if let Some((_, rows)) = wanted.get_mut(first + part) {
                        rows.push((row, at));
                    }
                }
                _ => {}
            });
        }
        wanted.retain(|(_, rows)| !rows.is_empty());
        let places: Vec<BlockRef> = wanted.iter().map(|(part, _)| part.lengths).collect();
        for (read, (part, rows)) in blocks.read::<Lengths>(&places).await.into_iter().zip(wanted) {
            let read = read?;
            if !belong(&read.0, &part.piece) {
                return Err(part.lengths.damaged(Lengths::UNSOUND));
            }
            known.note(&part.piece.keys, &read.0);
            for (row, at) in rows {
                if let Some(slot) = lengths.get_mut(row) {
                    *slot = read.0.get(at).copied();
                }
            }
        }
        lengths.into_iter().map(|length| length.ok_or_else(unsound)).collect()
    }
}

/// Returns the keys of the first chunks with a term.
pub(crate) async fn first_keys(blocks: &Blocks, entry: &TermEntry, count: usize) -> Result<Vec<u32>> {
    Ok(match &entry.list {
        List::Inline(list) => list.iter().take(count).map(|one| one.key).collect(),
        List::Whole(place) => {
            let list: Rc<Vec<Occurrence>> = blocks.read(&[*place]).await.pop().ok_or_else(unsound)??;
            list.iter().take(count).map(|one| one.key).collect()
        }
        List::Split(places) => {
            let Some((place, _)) = places.first() else { return Ok(Vec::new()) };
            let piece: Rc<Piece> = blocks.read(&[*place]).await.pop().ok_or_else(unsound)??;
            piece.keys.iter().take(count).copied().collect()
        }
    })
}

fn unsound() -> Error {
    part_damaged("of terms", "its lists of postings do not fit together")
}
