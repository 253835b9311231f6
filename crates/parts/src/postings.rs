//! Blocks of terms and of postings. A term's short list lies in the block of the term; a long one in blocks of its own.
//!
//! Keys, frequencies and lengths are in columns of their own, which compress better. The length of each chunk is beside its posting,
//! so that scoring needs no other table.

use crate::block::{BlockRef, MAX_RAW, take_refs};
use crate::bytes::Bytes;
use vademecum_index::partial::Occurrence;

/// A term with its document frequency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TermEntry {
    pub(crate) term: String,
    pub(crate) count: usize,
    pub(crate) list: List,
}

/// Where the postings of a term are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum List {
    /// In the block of the term.
    Inline(Vec<Occurrence>),
    /// In blocks, in the order of keys.
    Blocks(Vec<BlockRef>),
}

/// Lengths below this take one byte.
const LONG: u8 = u8::MAX;

/// The columns of postings.
struct Columns<'a> {
    keys: Bytes<'a>,
    frequencies: Bytes<'a>,
    lengths: Bytes<'a>,
}

impl<'a> Columns<'a> {
    fn of(bytes: &mut Bytes<'a>) -> Option<Self> {
        let keys = Bytes(bytes.part()?);
        let frequencies = Bytes(bytes.part()?);
        Some(Self { keys, frequencies, lengths: Bytes(bytes.part()?) })
    }

    fn list(&mut self, count: usize) -> Option<Vec<Occurrence>> {
        if count > self.lengths.0.len() {
            return None;
        }
        let mut list: Vec<Occurrence> = Vec::new();
        for at in 0..count {
            let step = self.keys.number()?;
            let key = match list.last() {
                Some(before) => before.key.checked_add(step).filter(|_| step > 0)?,
                None => step,
            };
            debug_assert_eq!(list.len(), at);
            let frequency = self.frequencies.number()?.checked_add(1)?;
            let length = match self.lengths.byte()? {
                LONG => self.lengths.number()?.checked_add(u32::from(LONG))?,
                short => u32::from(short),
            };
            list.push(Occurrence { key, frequency, length });
        }
        Some(list)
    }

    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.frequencies.is_empty() && self.lengths.is_empty()
    }
}

/// Decodes a block of terms, which ascend; `None` if it is not sound.
pub(crate) fn decode_terms(block: &[u8]) -> Option<Vec<TermEntry>> {
    let mut bytes = Bytes(block);
    let count = bytes.count()?;
    let mut terms = Bytes(bytes.part()?);
    let mut places = Bytes(bytes.part()?);
    let mut columns = Columns::of(&mut bytes)?;
    let mut entries: Vec<TermEntry> = Vec::new();
    // Terms share what they begin with, so a small block could have large ones.
    let mut unpacked = 0;
    for _ in 0..count {
        let before = entries.last().map_or("", |entry| entry.term.as_str());
        let mut term = before.as_bytes().get(..terms.number()? as usize)?.to_vec();
        term.extend_from_slice(terms.part()?);
        unpacked += term.len();
        if unpacked > MAX_RAW {
            return None;
        }
        let term = String::from_utf8(term).ok()?;
        if !entries.is_empty() && term.as_str() <= before {
            return None;
        }
        let count = places.number()? as usize;
        let blocks = take_refs(&mut places)?;
        let list = if blocks.is_empty() { List::Inline(columns.list(count)?) } else { List::Blocks(blocks) };
        entries.push(TermEntry { term, count, list });
    }
    (bytes.is_empty() && terms.is_empty() && places.is_empty() && columns.is_empty()).then_some(entries)
}

/// Decodes a block of a long list; `None` if it is not sound.
pub(crate) fn decode_list(block: &[u8]) -> Option<Vec<Occurrence>> {
    let mut bytes = Bytes(block);
    let count = bytes.count()?;
    let mut columns = Columns::of(&mut bytes)?;
    let list = columns.list(count)?;
    (bytes.is_empty() && columns.is_empty()).then_some(list)
}

/// Joins the blocks of a long list; `None` if they do not fit together, or have another number of postings than the term says.
pub(crate) fn join_lists(blocks: Vec<Vec<Occurrence>>, count: usize) -> Option<Vec<Occurrence>> {
    let list: Vec<Occurrence> = blocks.concat();
    (list.len() == count && list.is_sorted_by(|one, other| one.key < other.key)).then_some(list)
}

#[cfg(any(feature = "write", test))]
pub(crate) mod encode {
    use super::{LONG, List, TermEntry};
    use crate::block::put_refs;
    use crate::bytes::Put;
    use vademecum_index::partial::Occurrence;

    #[derive(Default)]
    struct Columns {
        keys: Vec<u8>,
        frequencies: Vec<u8>,
        lengths: Vec<u8>,
    }

    impl Columns {
        fn push(&mut self, list: &[Occurrence]) {
            let mut before = 0;
            for one in list {
                self.keys.number(one.key - before);
                before = one.key;
                self.frequencies.number(one.frequency.saturating_sub(1));
                match u8::try_from(one.length) {
                    Ok(short) if short < LONG => self.lengths.push(short),
                    _ => {
                        self.lengths.push(LONG);
                        self.lengths.number(one.length - u32::from(LONG));
                    }
                }
            }
        }

        fn write(&self, block: &mut Vec<u8>) {
            block.part(&self.keys);
            block.part(&self.frequencies);
            block.part(&self.lengths);
        }
    }

    /// Returns the length of a list before compression.
    pub(crate) fn length(list: &[Occurrence]) -> usize {
        let mut columns = Columns::default();
        columns.push(list);
        columns.keys.len() + columns.frequencies.len() + columns.lengths.len()
    }

    /// Encodes a block of terms.
    pub(crate) fn terms(entries: &[TermEntry]) -> Vec<u8> {
        let (mut terms, mut places, mut columns) = (Vec::new(), Vec::new(), Columns::default());
        let mut before = "";
        for entry in entries {
            let shared =
                before.bytes().zip(entry.term.bytes()).take_while(|(one, other)| one == other).count();
            terms.number(shared as u32);
            terms.part(entry.term.as_bytes().get(shared..).unwrap_or_default());
            before = &entry.term;
            places.number(entry.count as u32);
            match &entry.list {
                List::Inline(list) => {
                    places.number(0);
                    columns.push(list);
                }
                List::Blocks(blocks) => put_refs(blocks, &mut places),
            }
        }
        let mut block = Vec::new();
        block.number(entries.len() as u32);
        block.part(&terms);
        block.part(&places);
        columns.write(&mut block);
        block
    }

    /// Encodes a block of a long list.
    pub(crate) fn list(list: &[Occurrence]) -> Vec<u8> {
        let mut columns = Columns::default();
        columns.push(list);
        let mut block = Vec::new();
        block.number(list.len() as u32);
        columns.write(&mut block);
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::PartName;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn list() -> impl Strategy<Value = Vec<Occurrence>> {
        prop::collection::btree_map(any::<u32>(), (1u32..300, 0u32..600), 1..20).prop_map(|list| {
            list.into_iter().map(|(key, (frequency, length))| Occurrence { key, frequency, length }).collect()
        })
    }

    proptest! {
        #[test]
        fn blocks_are_read_as_they_were_written(terms in prop::collection::btree_map("[a-cé]{0,5}", (list(), any::<bool>()), 0..20)) {
            let terms: BTreeMap<String, (Vec<Occurrence>, bool)> = terms;
            let entries: Vec<TermEntry> = terms.into_iter().map(|(term, (list, is_long))| {
                prop_assert_eq!(decode_list(&encode::list(&list)), Some(list.clone()));
                let count = list.len();
                let block = BlockRef { part: PartName([7; 16]), size: 900, offset: 5, length: 80, hash: [9; 8] };
                Ok(TermEntry { term, count, list: if is_long { List::Blocks(vec![block; count]) } else { List::Inline(list) } })
            }).collect::<Result<_, TestCaseError>>()?;
            prop_assert_eq!(decode_terms(&encode::terms(&entries)), Some(entries));
        }

        #[test]
        fn any_bytes_are_a_block_or_none(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = (decode_terms(&bytes), decode_list(&bytes));
        }
    }
}
