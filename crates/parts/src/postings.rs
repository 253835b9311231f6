//! Blocks of terms and of postings. A term's short list lies in the block of the term; a long one in blocks of its own.
//!
//! Keys, frequencies and lengths are in columns of their own, which compress better. The length of each chunk is beside its posting,
//! so that scoring needs no other table. Of a list of several blocks, lengths lie in blocks of their own: they are 40 % of the bytes,
//! and are read for those chunks alone that may be among the best (`read/postings`).

use crate::block::{BlockRef, MAX_RAW, take_refs};
use crate::bytes::Bytes;
use crate::columns::{self, Frequencies};
use crate::rice;
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
    /// In a block.
    Whole(BlockRef),
    /// In blocks, in the order of keys, with a block of lengths for each.
    Split(Vec<(BlockRef, BlockRef)>),
}

/// A block of a list without lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Keys, ascending.
    pub(crate) keys: Vec<u32>,
    /// Their frequencies.
    pub(crate) frequencies: Frequencies,
    /// The length of the shortest chunk among them.
    pub(crate) shortest: u32,
}

impl Piece {
    /// Returns the frequency at a place.
    pub(crate) fn frequency(&self, at: usize) -> u32 {
        let Frequencies { low, high } = &self.frequencies;
        match low.get(at) {
            Some(&u8::MAX) => {
                let found = high.binary_search_by_key(&at, |one| one.0);
                found.ok().and_then(|found| high.get(found)).map_or(u32::from(u8::MAX), |one| one.1)
            }
            Some(frequency) => u32::from(*frequency),
            None => 0,
        }
    }
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
        let mut before = None;
        let mut one = || {
            let (key, frequency) = posting(&mut self.keys, &mut self.frequencies, before)?;
            before = Some(key);
            Some(Occurrence { key, frequency, length: length(&mut self.lengths)? })
        };
        (0..count).map(|_| one()).collect()
    }

    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.frequencies.is_empty() && self.lengths.is_empty()
    }
}

/// Takes a key and a frequency. Keys ascend.
fn posting(keys: &mut Bytes<'_>, frequencies: &mut Bytes<'_>, before: Option<u32>) -> Option<(u32, u32)> {
    let step = keys.number()?;
    let key = match before {
        Some(before) => before.checked_add(step).filter(|_| step > 0)?,
        None => step,
    };
    Some((key, frequencies.number()?.checked_add(1)?))
}

fn length(lengths: &mut Bytes<'_>) -> Option<u32> {
    match lengths.byte()? {
        LONG => lengths.number()?.checked_add(u32::from(LONG)),
        short => Some(u32::from(short)),
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
        let list = match blocks.as_slice() {
            [] => List::Inline(columns.list(count)?),
            [block] => List::Whole(*block),
            // The blocks of keys, and then those of lengths.
            blocks => {
                let (keys, lengths) = blocks.split_at_checked(blocks.len() / 2)?;
                if keys.len() != lengths.len() {
                    return None;
                }
                List::Split(keys.iter().copied().zip(lengths.iter().copied()).collect())
            }
        };
        entries.push(TermEntry { term, count, list });
    }
    (bytes.is_empty() && terms.is_empty() && places.is_empty() && columns.is_empty()).then_some(entries)
}

/// Decodes a block of a whole list; `None` if it is not sound.
pub(crate) fn decode_list(block: &[u8]) -> Option<Vec<Occurrence>> {
    let mut bytes = Bytes(block);
    let count = bytes.count()?;
    let mut columns = Columns::of(&mut bytes)?;
    let list = columns.list(count)?;
    (bytes.is_empty() && columns.is_empty()).then_some(list)
}

/// Maximum number of postings of a block by Rice codes: a bit each may have been compressed to nothing. More than are written.
const MAX_POSTINGS: usize = 1 << 16;

/// What a block of a list without lengths begins with if its numbers are by Rice codes. Otherwise it begins with their count, as all did in format 2, and
/// they are in bytes, which Deflate makes shorter where keys follow each other.
const BY_RICE: u32 = 0;

/// Decodes a block of a list without lengths; `None` if it is not sound.
pub(crate) fn decode_piece(block: &[u8]) -> Option<Piece> {
    let mut bytes = Bytes(block);
    let count = match bytes.number()? {
        BY_RICE => bytes.number()?,
        count => return decode_piece_in_bytes(count as usize, bytes),
    };
    let count = Some(count as usize).filter(|count| *count <= MAX_POSTINGS)?;
    let shortest = bytes.number()?;
    let keys = rice::take_ascending(&mut bytes, count)?;
    let frequent = Some(bytes.number()? as usize).filter(|frequent| *frequent <= count)?;
    let places = rice::take_ascending(&mut bytes, frequent)?;
    let mut frequencies = Frequencies::ones(count);
    for (at, less) in places.into_iter().zip(rice::take(&mut bytes, frequent)?) {
        frequencies.set(at as usize, less.checked_add(2)?)?;
    }
    bytes.is_empty().then_some(Piece { keys, frequencies, shortest })
}

/// Decodes the rest of a block whose numbers are in bytes.
fn decode_piece_in_bytes(count: usize, mut bytes: Bytes<'_>) -> Option<Piece> {
    let count = Some(count).filter(|count| *count <= bytes.0.len())?;
    let shortest = bytes.number()?;
    let keys = columns::ascending(bytes.part()?, count)?;
    let frequencies = columns::frequencies(bytes.part()?, count)?;
    bytes.is_empty().then_some(Piece { keys, frequencies, shortest })
}

/// Decodes a block of lengths; `None` if it is not sound.
pub(crate) fn decode_lengths(block: &[u8]) -> Option<Vec<u32>> {
    let mut bytes = Bytes(block);
    let mut lengths = Vec::with_capacity(block.len());
    while !bytes.is_empty() {
        lengths.push(length(&mut bytes)?);
    }
    Some(lengths)
}

/// Returns whether lengths are those of a piece: one for each of its postings, and none shorter than the shortest.
pub(crate) fn belong(lengths: &[u32], piece: &Piece) -> bool {
    lengths.len() == piece.keys.len() && lengths.iter().all(|length| *length >= piece.shortest)
}

#[cfg(any(feature = "write", test))]
pub(crate) mod encode {
    use super::{BY_RICE, LONG, List, TermEntry};
    use crate::block::put_refs;
    use crate::bytes::Put;
    use crate::rice;
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
                List::Whole(block) => put_refs(&[*block], &mut places),
                List::Split(blocks) => {
                    let (keys, lengths): (Vec<_>, Vec<_>) = blocks.iter().copied().unzip();
                    put_refs(&[keys, lengths].concat(), &mut places);
                }
            }
        }
        let mut block = Vec::new();
        block.number(entries.len() as u32);
        block.part(&terms);
        block.part(&places);
        columns.write(&mut block);
        block
    }

    /// Encodes the lengths of a list.
    pub(crate) fn lengths(list: &[Occurrence]) -> Vec<u8> {
        let mut columns = Columns::default();
        columns.push(list);
        columns.lengths
    }

    /// Encodes a block of a list without lengths, in bytes.
    pub(crate) fn piece_in_bytes(list: &[Occurrence]) -> Vec<u8> {
        let mut columns = Columns::default();
        columns.push(list);
        let mut block = Vec::new();
        put_head(list, &mut block);
        block.part(&columns.keys);
        block.part(&columns.frequencies);
        block
    }

    /// Encodes a block of a list without lengths, by Rice codes.
    pub(crate) fn piece_by_rice(list: &[Occurrence]) -> Vec<u8> {
        let keys: Vec<u32> = list.iter().map(|one| one.key).collect();
        let frequent = (0u32..).zip(list).filter(|(_, one)| one.frequency > 1);
        let (places, above): (Vec<u32>, Vec<u32>) = frequent.map(|(at, one)| (at, one.frequency - 2)).unzip();
        let mut block = Vec::new();
        block.number(BY_RICE);
        put_head(list, &mut block);
        rice::encode::put_ascending(&keys, &mut block);
        block.number(places.len() as u32);
        rice::encode::put_ascending(&places, &mut block);
        rice::encode::put(&above, &mut block);
        block
    }

    /// Writes the number of postings, and the length of the shortest chunk among them.
    fn put_head(list: &[Occurrence], block: &mut Vec<u8>) {
        debug_assert!(!list.is_empty(), "a block has postings");
        block.number(list.len() as u32);
        block.number(list.iter().map(|one| one.length).min().unwrap_or_default());
    }

    /// Encodes a block of a whole list.
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
        fn blocks_are_read_as_they_were_written(terms in prop::collection::btree_map("[a-cé]{0,5}", (list(), 0..3), 0..20)) {
            let terms: BTreeMap<String, (Vec<Occurrence>, i32)> = terms;
            let entries: Vec<TermEntry> = terms.into_iter().map(|(term, (list, kind))| {
                prop_assert_eq!(decode_list(&encode::list(&list)), Some(list.clone()));
                let piece = decode_piece(&encode::piece_by_rice(&list)).unwrap();
                prop_assert_eq!(decode_piece(&encode::piece_in_bytes(&list)), Some(piece.clone()));
                let postings: Vec<(u32, u32)> = list.iter().map(|one| (one.key, one.frequency)).collect();
                prop_assert_eq!(&piece.keys.iter().enumerate().map(|(at, key)| (*key, piece.frequency(at))).collect::<Vec<_>>(), &postings);
                let read = decode_lengths(&encode::lengths(&list)).unwrap();
                prop_assert!(belong(&read, &piece));
                prop_assert_eq!(read, list.iter().map(|one| one.length).collect::<Vec<u32>>());
                let count = list.len();
                let block = BlockRef { part: PartName([7; 16]), size: 900, offset: 5, length: 80, hash: [9; 8] };
                let other = BlockRef { offset: 85, ..block };
                let list = match kind { 0 => List::Inline(list), 1 => List::Whole(block), _ => List::Split(vec![(block, other); count]) };
                Ok(TermEntry { term, count, list })
            }).collect::<Result<_, TestCaseError>>()?;
            prop_assert_eq!(decode_terms(&encode::terms(&entries)), Some(entries));
        }

        #[test]
        fn long_lists_are_read_as_they_were_written(
            steps in prop::collection::vec(1u32..200, 1..2000), frequency in 1u32..4, other in 1u32..400, every in 1usize..90,
        ) {
            let mut key = 0;
            let list: Vec<Occurrence> = steps.into_iter().enumerate().map(|(at, step)| {
                key += step;
                Occurrence { key, frequency: if at.is_multiple_of(every) { other } else { frequency }, length: 9 }
            }).collect();
            let block = encode::piece_by_rice(&list);
            let piece = decode_piece(&block).unwrap();
            let read: Vec<Occurrence> = piece.keys.iter().enumerate().map(|(at, key)| Occurrence { key: *key, frequency: piece.frequency(at), length: 9 }).collect();
            prop_assert_eq!(read, list);
            // A step has a bit at least, and a block no bytes of which are left over.
            prop_assert_eq!(decode_piece(&block[..block.len() - 1]), None);
            prop_assert_eq!(decode_piece(&[&block[..], &[0]].concat()), None);
        }

        #[test]
        fn any_bytes_are_a_block_or_none(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            // Decoding does not panic, and returns at most 8 postings a byte.
            let _ = decode_terms(&bytes);
            let _ = decode_list(&bytes);
            for bytes in [&bytes[..], &[&[BY_RICE as u8], &bytes[..]].concat()] {
                if let Some(piece) = decode_piece(bytes) {
                    prop_assert!(piece.keys.len() <= 8 * bytes.len());
                }
            }
            if let Some(lengths) = decode_lengths(&bytes) {
                prop_assert!(lengths.len() <= bytes.len());
            }
        }
    }

    #[test]
    fn the_bytes_of_both_forms_of_a_list_stay_as_they_are() {
        let list =
            [(3, 1), (4, 2), (300, 1)].map(|(key, frequency)| Occurrence { key, frequency, length: 9 });
        let in_bytes = [3, 9, 4, 3, 1, 0xa8, 2, 3, 0, 1, 0];
        // Steps of 0 and 295 with 6 lower bits, 0 and 39: the second has 4 zeros; a frequency above 1, at 1, which is 2.
        let by_rice = [0, 3, 9, 3, 6, 1, 0b10_0001, 2, 0b1100_0000, 0b1001, 1, 1, 0, 0, 0, 0, 1, 1, 0];
        assert_eq!(encode::piece_in_bytes(&list), in_bytes);
        assert_eq!(encode::piece_by_rice(&list), by_rice);
        for block in [&in_bytes[..], &by_rice] {
            let piece = decode_piece(block).unwrap();
            assert_eq!(
                (piece.keys, piece.frequencies.low, piece.shortest),
                (vec![3, 4, 300], vec![1, 2, 1], 9)
            );
        }
    }

    #[test]
    fn blocks_of_more_postings_than_are_written_are_refused() {
        let list = |count| -> Vec<Occurrence> {
            (0..count).map(|key| Occurrence { key, frequency: 1, length: 9 }).collect()
        };
        assert!(decode_piece(&encode::piece_by_rice(&list(MAX_POSTINGS as u32))).is_some());
        assert!(decode_piece(&encode::piece_by_rice(&list(MAX_POSTINGS as u32 + 1))).is_none());
    }
}
