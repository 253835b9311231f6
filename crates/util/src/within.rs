//! Slicing by ranges that are known to be valid, without a panic in release builds.

use std::slice::SliceIndex;

/// Slices a string or a list by a valid range.
pub trait Within<R> {
    /// Returns the part in `range`. A range beyond the end, or with an end inside a character, is a bug: it
    /// panics in a debug build and returns an empty part in a release build.
    fn within(&self, range: R) -> &Self;
}

impl<R: SliceIndex<str, Output = str>> Within<R> for str {
    fn within(&self, range: R) -> &Self {
        let part = self.get(range);
        debug_assert!(part.is_some(), "a range beyond a text of {} bytes, or inside a character", self.len());
        part.unwrap_or_default()
    }
}

impl<T, R: SliceIndex<[T], Output = [T]>> Within<R> for [T] {
    fn within(&self, range: R) -> &Self {
        let part = self.get(range);
        debug_assert!(part.is_some(), "a range beyond a list of {}", self.len());
        part.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Within;

    #[test]
    fn valid_ranges_slice_strings_and_lists() {
        assert_eq!(("Käse".within(0..3), "Käse".within(4..), "".within(..)), ("Kä", "e", ""));
        assert_eq!(([1, 2, 3].within(1..), [1].within(1..)), (&[2, 3][..], &[][..]));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "inside a character")]
    fn a_range_inside_a_character_panics() {
        "Käse".within(0..2);
    }
}
