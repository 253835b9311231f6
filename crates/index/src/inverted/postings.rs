//! Compressed posting lists: the chunks that contain a term, ascending, with the term's frequency.
//!
//! A posting is the gap to the previous chunk, shifted left by one, with the lowest bit set if a frequency
//! other than 1 follows: most postings take one byte. A list of more than [`BLOCK`] postings is split into
//! blocks, each behind a header with its last chunk and an upper bound of its impact, so that a search can
//! skip it.

use super::varint::{read, write};

/// Postings per block.
const BLOCK: usize = 128;

/// A chunk and the term's frequency in it.
pub(super) type Posting = (u32, u32);

/// Encodes a list, sorted by chunk; `length` returns the length of a chunk.
pub(super) fn encode(list: &[Posting], length: &dyn Fn(u32) -> u32, out: &mut Vec<u8>) {
    let is_cut = list.len() > BLOCK;
    let mut next = 0;
    let mut payload = Vec::new();
    for block in list.chunks(BLOCK) {
        let start = next;
        payload.clear();
        for (chunk, frequency) in block {
            let rare = *frequency != 1;
            write(&mut payload, (chunk - next) << 1 | u32::from(rare));
            if rare {
                write(&mut payload, *frequency);
            }
            next = chunk + 1;
        }
        if is_cut {
            write(out, next - start);
            write(out, payload.len() as u32);
            write(out, block.iter().map(|one| one.1).max().unwrap_or_default());
            write(out, block.iter().map(|one| length(one.0)).min().unwrap_or_default());
        }
        out.extend_from_slice(&payload);
    }
}

/// A block of postings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    /// Lower bound of the chunks in the block, inclusive.
    pub(super) start: u32,
    /// Upper bound of the chunks in the block, exclusive.
    pub(super) end: u32,
    /// The highest frequency and the smallest length in the block, if stored: an upper bound of its impact.
    pub(super) impact: Option<(u32, u32)>,
    count: usize,
    payload: &'a [u8],
}

impl Block<'_> {
    /// Calls `each` with every posting.
    pub(super) fn decode(&self, mut each: impl FnMut(u32, u32)) {
        let mut bytes = self.payload;
        let mut next = self.start;
        for _ in 0..self.count {
            let code = read(&mut bytes);
            let chunk = next.saturating_add(code >> 1);
            each(chunk, if code & 1 == 1 { read(&mut bytes) } else { 1 });
            next = chunk.saturating_add(1);
        }
    }
}

/// Returns whether the bytes encode exactly `count` postings of chunks below `chunks`, sorted and within the
/// bounds of their blocks.
pub(super) fn is_sound(bytes: &[u8], count: usize, chunks: usize) -> bool {
    let (mut next, mut left) = (0u64, count);
    for block in blocks(bytes, count) {
        let (mut payload, mut decoded) = (block.payload, 0);
        while let Some((code, rest)) = payload.split_first() {
            // Most postings are a small gap and no frequency, in one byte.
            if code & 0x81 == 0 {
                payload = rest;
                next += u64::from(code >> 1) + 1;
            } else {
                let code = read(&mut payload);
                if code & 1 == 1 && read(&mut payload) == 0 {
                    return false;
                }
                next += u64::from(code >> 1) + 1;
            }
            decoded += 1;
        }
        // Chunks ascend, so the last one is the only one to compare with the bounds.
        let end = u64::from(block.end);
        if decoded != block.count || next > end.min(chunks as u64) || (count > BLOCK && next != end) {
            return false;
        }
        left -= block.count;
    }
    left == 0
}

/// Iterates over the blocks of an encoded list of `count` postings. A posting takes at least one byte, which
/// limits `count` for corrupt input.
pub(super) fn blocks(bytes: &[u8], count: usize) -> impl Iterator<Item = Block<'_>> {
    let count = count.min(bytes.len());
    let mut rest = bytes;
    let mut left = count;
    let mut start = 0u32;
    let is_cut = count > BLOCK;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let count = left.min(BLOCK);
        left -= count;
        if !is_cut {
            return Some(Block { start, end: u32::MAX, impact: None, count, payload: rest });
        }
        let end = start.saturating_add(read(&mut rest));
        let size = read(&mut rest) as usize;
        let impact = Some((read(&mut rest), read(&mut rest)));
        let (payload, behind) = rest.split_at_checked(size).unwrap_or((rest, &[]));
        rest = behind;
        let block = Block { start, end, impact, count, payload };
        start = end;
        Some(block)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn encoding_round_trips(gaps in prop::collection::vec((0u32..2000, 1u32..9), 0..600)) {
            let mut chunk = 0;
            let list: Vec<Posting> = gaps.iter().map(|(gap, frequency)| { chunk += gap + 1; (chunk, *frequency) }).collect();
            let mut bytes = Vec::new();
            encode(&list, &|chunk| chunk % 7, &mut bytes);
            let mut found = Vec::new();
            for block in blocks(&bytes, list.len()) {
                let before = found.len();
                block.decode(|chunk, frequency| found.push((chunk, frequency)));
                for (chunk, frequency) in &found[before..] {
                    prop_assert!((block.start..block.end).contains(chunk));
                    if let Some((impact, least)) = block.impact {
                        prop_assert!(*frequency <= impact && chunk % 7 >= least);
                    }
                }
            }
            prop_assert_eq!(found, list);
        }

        #[test]
        fn decoding_arbitrary_bytes_terminates(bytes in prop::collection::vec(any::<u8>(), 0..300), count in 0usize..1000) {
            let mut seen = 0;
            blocks(&bytes, count).for_each(|block| block.decode(|_, _| seen += 1));
            prop_assert_eq!(seen, count.min(bytes.len()));
        }
    }
}
