//! Numbers by Rice codes: of each, the lower bits as they are, and the others as zeros that a one ends. Long lists of postings take about as many bytes as by
//! Deflate, and nothing has to be decompressed.

use crate::bytes::Bytes;

/// Maximum number of lower bits.
const MOST_LOW_BITS: u8 = 16;

/// Takes `count` numbers; `None` if there are fewer or more, or one has more than 32 bits.
pub(crate) fn take(bytes: &mut Bytes<'_>, count: usize) -> Option<Vec<u32>> {
    let low_bits = Some(bytes.byte()?).filter(|bits| *bits <= MOST_LOW_BITS)?;
    let (highs, lows) = (bytes.part()?, bytes.part()?);
    // Each number has a bit of 1, so `highs` limits the allocation.
    if count > 8 * highs.len() || lows.len() != (count * usize::from(low_bits)).div_ceil(8) {
        return None;
    }
    let low_bits = usize::from(low_bits);
    let mask = (1 << low_bits) - 1;
    let mut numbers = vec![0; count];
    let mut slots = numbers.iter_mut();
    let (mut at, mut start, mut low, mut all) = (0, 0, 0, 0);
    for eight in highs.chunks(8) {
        let mut ones = word(eight);
        while ones != 0 {
            let end = at + u64::from(ones.trailing_zeros());
            // Without lower bits, and for the last ones, nothing follows: `word` reads 0.
            let lower = word(lows.get(low / 8..).unwrap_or_default()) >> (low % 8) & mask;
            let number = (end - start) << low_bits | lower;
            *slots.next()? = number as u32;
            all |= number;
            low += low_bits;
            start = end + 1;
            ones &= ones - 1;
        }
        at += 64;
    }
    let is_whole = slots.len() == 0 && highs.len() as u64 * 8 - start < 8;
    (is_whole && u32::try_from(all).is_ok()).then_some(numbers)
}

/// Takes `count` numbers that ascend: the first one, and what each is above the one before, less 1. `None` as for [`take`].
pub(crate) fn take_ascending(bytes: &mut Bytes<'_>, count: usize) -> Option<Vec<u32>> {
    let Some(others) = count.checked_sub(1) else { return Some(Vec::new()) };
    let first = bytes.number()?;
    let steps = take(bytes, others)?;
    let mut numbers = Vec::with_capacity(count);
    numbers.push(first);
    let mut last = u64::from(first);
    numbers.extend(steps.iter().map(|step| {
        last += u64::from(*step) + 1;
        last as u32
    }));
    // The last one is the largest.
    u32::try_from(last).ok().map(|_| numbers)
}

/// Returns the first 8 bytes as a number, the lowest first; those that are missing are 0.
#[cfg_attr(feature = "small", inline(never))]
#[cfg_attr(not(feature = "small"), inline(always))]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[cfg(any(feature = "write", test))]
pub(crate) mod encode {
    use super::MOST_LOW_BITS;
    use crate::bytes::Put;

    /// Writes numbers by the code that takes the fewest bits.
    pub(crate) fn put(numbers: &[u32], block: &mut Vec<u8>) {
        let bits = |low_bits: &u8| {
            let highs = numbers.iter().map(|number| u64::from(*number >> *low_bits) + 1);
            highs.sum::<u64>() + numbers.len() as u64 * u64::from(*low_bits)
        };
        let low_bits = (0..=MOST_LOW_BITS).min_by_key(bits).unwrap_or_default();
        let (mut lows, mut highs) = (Bits::default(), Bits::default());
        for number in numbers {
            (0..low_bits).for_each(|bit| lows.push(number >> bit & 1 == 1));
            (0..number >> low_bits).for_each(|_| highs.push(false));
            highs.push(true);
        }
        block.push(low_bits);
        block.part(&highs.bytes);
        block.part(&lows.bytes);
    }

    /// Writes numbers that ascend.
    pub(crate) fn put_ascending(numbers: &[u32], block: &mut Vec<u8>) {
        let Some(first) = numbers.first() else { return };
        block.number(*first);
        let after = numbers.iter().skip(1);
        let steps: Vec<u32> = numbers.iter().zip(after).map(|(before, number)| number - before - 1).collect();
        put(&steps, block);
    }

    /// Bits, from the lowest of each byte on.
    #[derive(Default)]
    struct Bits {
        bytes: Vec<u8>,
        count: usize,
    }

    impl Bits {
        fn push(&mut self, bit: bool) {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(bit) << (self.count % 8);
            }
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_they_were_written(numbers in prop::collection::vec((0u32..2_000_000, 0u32..21), 0..70)) {
            let numbers: Vec<u32> = numbers.into_iter().map(|(number, less)| number >> less).collect();
            let mut block = Vec::new();
            encode::put(&numbers, &mut block);
            let mut bytes = Bytes(&block);
            prop_assert_eq!(take(&mut bytes, numbers.len()), Some(numbers.clone()));
            prop_assert!(bytes.is_empty());
            prop_assert_eq!(take(&mut Bytes(&block), numbers.len() + 1), None);
            prop_assert!(numbers.is_empty() || take(&mut Bytes(&block), numbers.len() - 1).is_none());
            let mut ascending = numbers;
            ascending.sort_unstable();
            ascending.dedup();
            let mut block = Vec::new();
            encode::put_ascending(&ascending, &mut block);
            let read = take_ascending(&mut Bytes(&block), ascending.len()).unwrap();
            // They are kept for long.
            prop_assert_eq!(read.capacity(), ascending.len());
            prop_assert_eq!(read, ascending);
        }

        #[test]
        fn any_bytes_are_numbers_or_none(bytes in prop::collection::vec(any::<u8>(), 0..60), count in 0usize..80) {
            prop_assert!(take(&mut Bytes(&bytes), count).is_none_or(|numbers| numbers.len() == count));
            let ascending = take_ascending(&mut Bytes(&bytes), count);
            prop_assert!(ascending.is_none_or(|numbers| numbers.len() == count && numbers.is_sorted_by(|one, other| one < other)));
        }
    }

    /// The bytes of numbers with these lower bits.
    fn coded(low_bits: u8, highs: &[u8], lows: &[u8]) -> Vec<u8> {
        use crate::bytes::Put;
        let mut block = vec![low_bits];
        block.part(highs);
        block.part(lows);
        block
    }

    #[test]
    fn numbers_end_with_their_bytes_and_have_32_bits_at_most() {
        let read = |block: &[u8], count| take(&mut Bytes(block), count);
        // 2 zeros and a one, then a one alone: 4 * 2 + 3, and 1.
        assert_eq!(read(&coded(2, &[0b1100], &[0b0111]), 2), Some(vec![11, 1]));
        for (highs, lows) in
            [(&[0b1100, 0][..], &[0b0111][..]), (&[0b1100], &[0b0111, 0]), (&[0b1100], &[]), (&[0b100], &[7])]
        {
            assert_eq!(read(&coded(2, highs, lows), 2), None);
        }
        assert_eq!(read(&coded(17, &[0b11], &[0; 5]), 2), None);
        // Refused before anything is allocated.
        assert_eq!(read(&coded(0, &[0xff], &[]), usize::MAX / 32), None);
        // 65,535 zeros and a one, and one zero more.
        let mut highs = vec![0; 8192];
        *highs.last_mut().unwrap() = 0x80;
        assert_eq!(read(&coded(16, &highs, &[0xff, 0xff]), 1), Some(vec![u32::MAX]));
        let higher = [&highs[..8191], &[0, 1]].concat();
        assert_eq!(read(&coded(16, &higher, &[0, 0]), 1), None);

        let ascending = |first: u8, lows: &[u8]| {
            let block = [&[first][..], &coded(16, &highs, lows)].concat();
            take_ascending(&mut Bytes(&block), 2)
        };
        assert_eq!(ascending(0, &[0xfe, 0xff]), Some(vec![0, u32::MAX]));
        assert_eq!(ascending(0, &[0xff, 0xff]), None);
    }
}
