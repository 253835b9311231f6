//! Writes the sections of terms, of completions, and of lengths.

use super::layout::Layout;
use super::parts::{Folder, Packer};
use super::sections::Sections;
use crate::block::{BlockRef, pack, plain};
use crate::name::first;
use crate::page::Entry;
use crate::postings::{List, TermEntry, encode};
use crate::read::lengths::{LENGTHS, rounded};
use crate::tables;
use std::collections::{BTreeMap, HashMap};
use vademecum_index::Searcher;
use vademecum_index::partial::{MAX_COMPLETIONS, Occurrence};
use vademecum_protocol::error::Result;

/// Lists that are longer than this many bytes before compression get blocks of their own.
const INLINE: usize = 256;
/// Maximum number of postings per block of a long list. Longer lists have their lengths in blocks of their own, which are not all read.
const POSTINGS: usize = 4096;
/// Number of postings from which a list that is not inline has its lengths apart; below, one more request costs more than they.
const SPLIT: usize = 1024;
/// What a block of a long list adds to the term's, in bytes.
const REFERENCE: usize = 34;
/// Prefixes up to this many letters have their completions listed, if there are many.
const SHORT_PREFIX: usize = 2;
/// A prefix with at most this many completions is looked up in the terms themselves.
const FEW: usize = 512;

/// Writes terms, postings and completions. `lengths` are those of chunks by key.
pub(crate) fn write(
    folder: &mut Folder,
    layout: &Layout,
    searcher: &Searcher,
    lengths: &HashMap<u32, u32>,
    sections: &mut Sections,
) -> Result<()> {
    let occurrences = |list: &[(u32, u32)]| -> Vec<Occurrence> {
        let of = |(key, frequency): &(u32, u32)| Occurrence {
            key: *key,
            frequency: *frequency,
            length: lengths.get(key).copied().unwrap_or_default(),
        };
        list.iter().map(of).collect()
    };
    // Long lists first, because the blocks of terms say where they lie.
    let mut packer = Packer::new(folder, layout.lists);
    let mut result = Ok(());
    searcher.each_term(|_, list| {
        let list = occurrences(list);
        if encode::length(&list) > INLINE && result.is_ok() {
            result = push(&mut packer, &list);
        }
    });
    result?;
    let mut long = packer.finish()?.into_iter();

    let mut packer = Packer::new(folder, layout.terms);
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut open: Vec<TermEntry> = Vec::new();
    let mut weight = 0;
    let mut result = Ok(());
    let mut completions = Completions::default();
    searcher.each_term(|term, list| {
        completions.add(term, list.len() as u32);
        let list = occurrences(list);
        let (count, length) = (list.len(), encode::length(&list));
        let list = if length > INLINE {
            let blocks = blocks_of(count, &mut long);
            weight += term.len() + REFERENCE * count.div_ceil(POSTINGS);
            blocks
        } else {
            weight += term.len() / 2 + length + 3;
            List::Inline(list)
        };
        open.push(TermEntry { term: term.to_owned(), count, list });
        // A block ends where the hash of a term says so: see `Packer`.
        let [drawn] = first(term.as_bytes());
        let is_end =
            weight >= layout.terms_raw / 2 && usize::from(drawn) < 16 || weight >= layout.terms_raw * 2;
        if is_end && result.is_ok() {
            result = end(&mut packer, &mut keys, &mut open);
            weight = 0;
        }
    });
    result?;
    end(&mut packer, &mut keys, &mut open)?;
    let blocks = packer.finish()?;
    let entries = keys.into_iter().zip(blocks).map(|(key, block)| Entry { key, block }).collect();
    sections.add("terms", folder, entries, layout)?;
    completions.write(folder, layout, sections)
}

/// Writes the blocks of a list that is not inline.
fn push(packer: &mut Packer<'_>, list: &[Occurrence]) -> Result<()> {
    if list.len() < SPLIT {
        return packer.push(&pack(&encode::list(list)));
    }
    list.chunks(POSTINGS).try_for_each(|some| packer.push(&piece(some)))?;
    list.chunks(POSTINGS).try_for_each(|some| packer.push(&pack(&encode::lengths(some))))
}

/// Encodes a block of a list without lengths: by Rice codes, which are read faster, unless bytes and Deflate save an eighth.
fn piece(list: &[Occurrence]) -> Vec<u8> {
    let (by_rice, in_bytes) = (plain(&encode::piece_by_rice(list)), pack(&encode::piece_in_bytes(list)));
    if in_bytes.len() < by_rice.len() / 8 * 7 { in_bytes } else { by_rice }
}

/// Takes the blocks that [`push`] wrote for a list with `count` postings.
fn blocks_of(count: usize, written: &mut impl Iterator<Item = BlockRef>) -> List {
    let pieces = count.div_ceil(POSTINGS);
    let mut some = |count: usize| written.by_ref().take(count).collect::<Vec<BlockRef>>();
    match count {
        SPLIT.. => {
            let keys = some(pieces);
            List::Split(keys.into_iter().zip(some(pieces)).collect())
        }
        _ => some(1).first().map_or_else(|| List::Inline(Vec::new()), |block| List::Whole(*block)),
    }
}

fn end(packer: &mut Packer<'_>, keys: &mut Vec<Vec<u8>>, open: &mut Vec<TermEntry>) -> Result<()> {
    if let Some(one) = open.first() {
        keys.push(one.term.as_bytes().to_vec());
        packer.push(&pack(&encode::terms(open)))?;
        open.clear();
    }
    Ok(())
}

/// Writes the lengths of all chunks, a byte per key, and 0 for a key without a chunk: a reader that has the library at hand then reads none with the postings.
pub(crate) fn write_lengths(
    folder: &mut Folder,
    layout: &Layout,
    lengths: &HashMap<u32, u32>,
    sections: &mut Sections,
) -> Result<()> {
    let end = lengths.keys().max().map_or(0, |key| *key as usize + 1);
    let mut all = vec![0; end];
    for (key, length) in lengths {
        if let Some(byte) = all.get_mut(*key as usize) {
            *byte = rounded(*length);
        }
    }
    let mut packer = Packer::new(folder, layout.tables);
    all.chunks(LENGTHS).try_for_each(|some| packer.push(&pack(some)))?;
    let blocks = packer.finish()?;
    let keys = (0u32..).step_by(LENGTHS).map(|key| key.to_be_bytes().to_vec());
    let entries = keys.zip(blocks).map(|(key, block)| Entry { key, block }).collect();
    sections.add("lengths", folder, entries, layout)
}

/// The most frequent terms of short prefixes.
#[derive(Default)]
struct Completions {
    /// Per prefix: the number of terms, and the most frequent ones.
    prefixes: BTreeMap<String, (usize, Vec<(String, u32)>)>,
}

impl Completions {
    fn add(&mut self, term: &str, count: u32) {
        let ends = term.char_indices().map(|(at, letter)| at + letter.len_utf8()).take(SHORT_PREFIX);
        // The empty prefix too: a short prefix of few terms is not listed, so that a frequent one of them would be on no list.
        for end in std::iter::once(0).chain(ends) {
            let Some(prefix) = term.get(..end) else { continue };
            if !self.prefixes.contains_key(prefix) {
                self.prefixes.insert(prefix.to_owned(), (0, Vec::new()));
            }
            if let Some((terms, best)) = self.prefixes.get_mut(prefix) {
                *terms += 1;
                best.push((term.to_owned(), count));
                if best.len() > 8 * MAX_COMPLETIONS {
                    shorten(best);
                }
            }
        }
    }

    fn write(self, folder: &mut Folder, layout: &Layout, sections: &mut Sections) -> Result<()> {
        let many = self.prefixes.into_iter().filter(|(_, (terms, _))| *terms > FEW);
        let many: Vec<tables::Completions> = many
            .map(|(prefix, (_, mut best))| {
                shorten(&mut best);
                (prefix, best)
            })
            .collect();
        let mut packer = Packer::new(folder, layout.tables);
        let mut keys = Vec::new();
        for some in many.chunks(8) {
            keys.extend(some.first().map(|one| one.0.as_bytes().to_vec()));
            packer.push(&pack(&tables::encode::completions(some)))?;
        }
        let blocks = packer.finish()?;
        let entries = keys.into_iter().zip(blocks).map(|(key, block)| Entry { key, block }).collect();
        sections.add("completions", folder, entries, layout)
    }
}

/// Keeps the most frequent terms; the first by name among equals.
fn shorten(best: &mut Vec<(String, u32)>) {
    best.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    best.truncate(MAX_COMPLETIONS);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the block of a list, whose keys are the sums of some steps, is by Rice codes.
    fn is_by_rice(steps: impl Iterator<Item = u32>) -> bool {
        let mut key = 0;
        let list = steps.take(POSTINGS).map(|step| {
            key += step;
            Occurrence { key, frequency: 1, length: 9 }
        });
        let piece = piece(&list.collect::<Vec<_>>());
        // A block that is not compressed, and the mark of Rice codes.
        piece.starts_with(&[0, 0])
    }

    #[test]
    fn lists_are_written_by_rice_codes_unless_their_keys_follow_each_other() {
        let numbers = std::iter::successors(Some(9u32), |number| {
            Some(number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
        });
        assert!(is_by_rice(numbers.map(|number| 1 + (number >> 16) % 60)));
        assert!(!is_by_rice(std::iter::repeat(1)));
    }
}
