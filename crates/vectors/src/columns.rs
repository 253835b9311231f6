//! Decodes columns of numbers, by Rice codes or in 7 bits a byte, the lowest first: lists of postings in libraries in parts, one reader of which is
//! compiled for size.

/// Numbers by Rice codes: of each, the lower bits as they are, and the others as zeros that a one ends. Postings take fewer bytes than
/// by Deflate, and a fraction of the time.
#[derive(Debug, Clone, Copy)]
pub struct Rice<'a> {
    /// Number of lower bits, at most [`Rice::MOST_LOW_BITS`].
    pub low_bits: u8,
    /// The zeros and ones of all numbers, from the lowest bit of each byte on.
    pub highs: &'a [u8],
    /// The lower bits of all numbers, from the lowest bit of each byte on.
    pub lows: &'a [u8],
}

impl Rice<'_> {
    /// Maximum number of lower bits.
    pub const MOST_LOW_BITS: u8 = 32;
    /// Up to so many lower bits of four numbers are in one word.
    const FOUR_IN_A_WORD: u8 = 16;

    /// Decodes `count` numbers, of which `of` makes the elements, in order. `None` if there are fewer or more.
    #[inline]
    fn decode(&self, count: usize, mut of: impl FnMut(u64) -> u32) -> Option<Vec<u32>> {
        let low_bytes = (count as u64 * u64::from(self.low_bits)).div_ceil(8);
        if self.low_bits > Self::MOST_LOW_BITS || self.lows.len() as u64 != low_bytes {
            return None;
        }
        let mut numbers = vec![0; count];
        self.unpack_lows(&mut numbers);
        let (mut rest, mut at, mut start) = (numbers.iter_mut(), 0u64, 0u64);
        for eight in self.highs.chunks(8) {
            let mut ones = word(eight);
            while ones != 0 {
                let end = at + u64::from(ones.trailing_zeros());
                let number = rest.next()?;
                *number = of(u64::from(*number) + ((end - start) << self.low_bits));
                start = end + 1;
                ones &= ones - 1;
            }
            at += 64;
        }
        let is_whole = rest.next().is_none() && self.highs.len() as u64 * 8 - start < 8;
        is_whole.then_some(numbers)
    }

    /// Writes the lower bits of each number.
    fn unpack_lows(&self, numbers: &mut [u32]) {
        let low_bits = usize::from(self.low_bits);
        let mask = ((1u64 << low_bits) - 1) as u32;
        let word_at = |bit: usize| word(self.lows.get(bit / 8..).unwrap_or_default()) >> (bit % 8);
        let number_at = |bit: usize| word_at(bit) as u32 & mask;
        if self.low_bits > Self::FOUR_IN_A_WORD {
            let bits = (0..).step_by(low_bits);
            return numbers.iter_mut().zip(bits).for_each(|(number, bit)| *number = number_at(bit));
        }
        if low_bits == 0 {
            return;
        }
        for (four, bit) in numbers.chunks_mut(4).zip((0..).step_by(4 * low_bits)) {
            let word = word_at(bit);
            for (number, shift) in four.iter_mut().zip((0..).step_by(low_bits)) {
                *number = (word >> shift) as u32 & mask;
            }
        }
    }
}

/// Returns the first 8 bytes as a number, the lowest first; those that are missing are 0.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Decodes `count` numbers that ascend: the first one, and what each is above the one before, less 1. `None` if they are not such numbers.
/// Allocates `count` numbers, so that the caller limits it.
#[inline(never)]
pub fn ascending_by_rice(first: u32, steps: Rice<'_>, count: usize) -> Option<Vec<u32>> {
    let mut last = u64::from(first);
    let mut numbers = steps.decode(count.checked_sub(1)?, |step| {
        last += step + 1;
        last as u32
    })?;
    numbers.insert(0, first);
    // The last one is the largest.
    u32::try_from(last).ok().map(|_| numbers)
}

/// Decodes `count` frequencies: the places of those above 1, which ascend, and these frequencies, less 2. `None` if they are not such frequencies;
/// `count` as for [`ascending_by_rice`].
#[inline(never)]
pub fn frequencies_by_rice(places: &[u32], above: Rice<'_>, count: usize) -> Option<Frequencies> {
    let mut all = 0;
    let above = above.decode(places.len(), |less| {
        all |= less + 2;
        (less + 2) as u32
    })?;
    let mut found = Frequencies { low: vec![1; count], high: Vec::new() };
    for (at, frequency) in places.iter().zip(above) {
        let low = u8::try_from(frequency).unwrap_or(u8::MAX);
        if low == u8::MAX {
            found.high.push((*at as usize, frequency));
        }
        *found.low.get_mut(*at as usize)? = low;
    }
    u32::try_from(all).ok().map(|_| found)
}

/// Takes a number; `None` if it does not end, or has more than 32 bits.
#[inline]
fn take(column: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = column.split_first()?;
        *column = rest;
        let bits = u32::from(byte & 0x7f);
        if shift == 28 && bits > 0xf {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Decodes a column of `count` numbers that ascend: the first one, and the differences. `None` if it is not such a column. Allocates
/// `count` numbers, so that the caller limits it, for example to the length of the block.
#[inline(never)]
pub fn ascending(mut column: &[u8], count: usize) -> Option<Vec<u32>> {
    let mut numbers = vec![0; count];
    let (mut last, mut repeats) = (0u64, false);
    for (at, number) in numbers.iter_mut().enumerate() {
        let step = match column.split_first() {
            // Most steps take one byte.
            Some((byte, rest)) if *byte < 0x80 => {
                column = rest;
                u32::from(*byte)
            }
            _ => take(&mut column)?,
        };
        repeats |= step == 0 && at > 0;
        last += u64::from(step);
        *number = last as u32;
    }
    // The last one is the largest.
    (column.is_empty() && !repeats && u32::try_from(last).is_ok()).then_some(numbers)
}

/// Frequencies in one byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequencies {
    /// By place; 255 of those that are among `high`.
    pub low: Vec<u8>,
    /// The frequencies from 255 on, with their places, which ascend.
    pub high: Vec<(usize, u32)>,
}

/// Decodes a column of `count` frequencies, each less 1. `None` if it is not such a column; `count` as for [`ascending`].
#[inline(never)]
pub fn frequencies(mut column: &[u8], count: usize) -> Option<Frequencies> {
    if column.len() == count && column.is_ascii() {
        // One byte each, as in most columns.
        return Some(Frequencies { low: column.iter().map(|less| less + 1).collect(), high: Vec::new() });
    }
    let mut found = Frequencies { low: Vec::with_capacity(count), high: Vec::new() };
    for at in 0..count {
        let frequency = take(&mut column)?.checked_add(1)?;
        let low = u8::try_from(frequency).unwrap_or(u8::MAX);
        found.low.push(low);
        if low == u8::MAX {
            found.high.push((at, frequency));
        }
    }
    column.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(numbers: &[u32]) -> Vec<u8> {
        let mut column = Vec::new();
        for mut number in numbers.iter().copied() {
            while number >= 0x80 {
                column.push(number as u8 | 0x80);
                number >>= 7;
            }
            column.push(number as u8);
        }
        column
    }

    proptest! {
        #[test]
        fn columns_are_read_as_they_were_written(
            numbers in prop::collection::btree_set(any::<u32>(), 0..50), counts in prop::collection::vec(1u32..600, 0..50),
        ) {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            let steps: Vec<u32> = [0].iter().chain(&numbers).zip(&numbers).map(|(before, number)| number - before).collect();
            let column = written(&steps);
            prop_assert_eq!(ascending(&column, numbers.len()), Some(numbers.clone()));
            prop_assert_eq!(ascending(&column, numbers.len() + 1), None);
            prop_assert!(numbers.is_empty() || ascending(&column, numbers.len() - 1).is_none());
            let less: Vec<u32> = counts.iter().map(|count| count - 1).collect();
            let read = frequencies(&written(&less), counts.len()).unwrap();
            prop_assert_eq!(read.low.iter().map(|low| u32::from(*low)).collect::<Vec<u32>>(), counts.iter().map(|count| (*count).min(255)).collect::<Vec<u32>>());
            let high = (0..).zip(&counts).filter(|(_, count)| **count >= 255).map(|(at, count)| (at, *count));
            prop_assert_eq!(read.high, high.collect::<Vec<(usize, u32)>>());
        }

        #[test]
        fn any_bytes_are_a_column_or_none(column in prop::collection::vec(any::<u8>(), 0..60), count in 0usize..80) {
            let numbers = ascending(&column, count);
            prop_assert!(numbers.is_none_or(|numbers| numbers.len() == count && numbers.is_sorted_by(|one, other| one < other)));
            prop_assert!(frequencies(&column, count).is_none_or(|read| read.low.len() == count));
        }
    }

    #[test]
    fn numbers_by_rice_codes_end_with_their_bytes_and_have_32_bits_at_most() {
        let rice = |low_bits, highs, lows| Rice { low_bits, highs, lows };
        // 2 zeros and a one, then a one alone: 4 * 2 + 3, and 1.
        let two = rice(2, &[0b1100], &[0b0111]);
        assert_eq!(ascending_by_rice(5, two, 3), Some(vec![5, 17, 19]));
        for count in [0, 1, 2, 4] {
            assert_eq!(ascending_by_rice(5, two, count), None);
        }
        assert_eq!(
            ascending_by_rice(u32::MAX - 14, two, 3),
            Some(vec![u32::MAX - 14, u32::MAX - 2, u32::MAX])
        );
        assert_eq!(ascending_by_rice(u32::MAX - 13, two, 3), None);
        assert_eq!(ascending_by_rice(5, rice(2, &[0b1100, 0], &[0b0111]), 3), None);
        assert_eq!(ascending_by_rice(5, rice(2, &[0b1100], &[0b0111, 0]), 3), None);
        assert_eq!(ascending_by_rice(5, rice(2, &[0b1100], &[]), 3), None);
        assert_eq!(ascending_by_rice(5, rice(33, &[0b1100], &[0; 9]), 3), None);
        assert_eq!(
            ascending_by_rice(0, rice(32, &[1], &[0xfe, 0xff, 0xff, 0xff]), 2),
            Some(vec![0, u32::MAX])
        );
        assert_eq!(ascending_by_rice(0, rice(32, &[0b10], &[0; 4]), 2), None);
        assert_eq!(ascending_by_rice(9, rice(0, &[], &[]), 1), Some(vec![9]));

        let read = frequencies_by_rice(&[1, 3], two, 4).unwrap();
        assert_eq!((read.low, read.high), (vec![1, 13, 1, 3], Vec::new()));
        assert_eq!(frequencies_by_rice(&[1, 3], two, 3), None);
        let high = frequencies_by_rice(&[0], rice(32, &[1], &[0xfd, 0xff, 0xff, 0xff]), 1).unwrap();
        assert_eq!((high.low, high.high), (vec![u8::MAX], vec![(0, u32::MAX)]));
        assert_eq!(frequencies_by_rice(&[0], rice(32, &[1], &[0xfe, 0xff, 0xff, 0xff]), 1), None);
    }

    #[test]
    fn numbers_of_more_than_32_bits_are_refused_and_so_are_equal_ones() {
        assert_eq!(ascending(&[0xff, 0xff, 0xff, 0xff, 0x0f], 1), Some(vec![u32::MAX]));
        for column in [&[0xff, 0xff, 0xff, 0xff, 0x1f][..], &[0xff, 0xff, 0xff, 0xff, 0x8f, 0], &[0x80]] {
            assert_eq!(ascending(column, 1), None);
            assert_eq!(frequencies(column, 1), None);
        }
        assert_eq!(ascending(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1], 2), None);
        assert_eq!(ascending(&[3, 0], 2), None);
        assert_eq!(frequencies(&[0xff, 0xff, 0xff, 0xff, 0x0f], 1), None);
    }
}
