//! Columns of numbers in 7 bits a byte, the lowest first.

use crate::bytes::Bytes;

/// Decodes a column of `count` numbers that ascend: the first one, and the differences. `None` if it is not such a column. Allocates
/// `count` numbers, so that the caller limits it, for example to the length of the block.
pub(crate) fn ascending(column: &[u8], count: usize) -> Option<Vec<u32>> {
    let mut column = Bytes(column);
    let mut numbers = vec![0; count];
    let (mut last, mut repeats) = (0u64, false);
    for (at, number) in numbers.iter_mut().enumerate() {
        let step = column.number()?;
        repeats |= step == 0 && at > 0;
        last += u64::from(step);
        *number = last as u32;
    }
    // The last one is the largest.
    (column.is_empty() && !repeats && u32::try_from(last).is_ok()).then_some(numbers)
}

/// Frequencies in one byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frequencies {
    /// By place; 255 of those that are among `high`.
    pub(crate) low: Vec<u8>,
    /// The frequencies from 255 on, with their places, which ascend.
    pub(crate) high: Vec<(usize, u32)>,
}

impl Frequencies {
    /// Creates `count` frequencies of 1.
    pub(crate) fn ones(count: usize) -> Self {
        Self { low: vec![1; count], high: Vec::new() }
    }

    /// Sets a frequency. Those from 255 on must be set in the order of their places. `None` if there is no such place.
    pub(crate) fn set(&mut self, at: usize, frequency: u32) -> Option<()> {
        let low = u8::try_from(frequency).unwrap_or(u8::MAX);
        *self.low.get_mut(at)? = low;
        if low == u8::MAX {
            self.high.push((at, frequency));
        }
        Some(())
    }
}

/// Decodes a column of `count` frequencies, each less 1. `None` if it is not such a column; `count` as for [`ascending`].
pub(crate) fn frequencies(column: &[u8], count: usize) -> Option<Frequencies> {
    if column.len() == count && column.is_ascii() {
        // One byte each, as in most columns.
        return Some(Frequencies { low: column.iter().map(|less| less + 1).collect(), high: Vec::new() });
    }
    let mut column = Bytes(column);
    let mut found = Frequencies::ones(count);
    for at in 0..count {
        found.set(at, column.number()?.checked_add(1)?)?;
    }
    column.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Put;
    use proptest::prelude::*;

    fn written(numbers: &[u32]) -> Vec<u8> {
        let mut column = Vec::new();
        numbers.iter().for_each(|number| column.number(*number));
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
