//! Parts of texts and lists by ranges that are known to be valid.

use std::slice::SliceIndex;

/// Texts and lists that a valid range cuts a part out of.
pub trait Within<R> {
    /// Returns the part in `range`. A range beyond the end, or inside a character, is a bug: it panics in a debug build, and
    /// in a release build gives an empty part.
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
    fn a_valid_range_gives_its_part_of_a_text_and_of_a_list() {
        assert_eq!(("Käse".within(0..3), "Käse".within(4..), "".within(..)), ("Kä", "e", ""));
        assert_eq!(([1, 2, 3].within(1..), [1].within(1..)), (&[2, 3][..], &[][..]));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "inside a character")]
    fn a_range_inside_a_character_is_a_bug() {
        "Käse".within(0..2);
    }
}
