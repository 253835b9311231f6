//! How far two words are apart, for forgiving a slip of the keys.

use super::normal::LONGEST;

/// The typing errors forgiven in `word`: none in a short one, where another word is too near.
pub fn typo_limit(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// How many characters must be put in, left out, replaced, or swapped with the next one to make `b` of `a`, if that
/// is no more than `limit`. No word is longer than the 64 characters the analyser keeps, so longer ones are never
/// near.
///
/// The columns of the table of distances are kept as bits (Hyyrö, "A Bit-Vector Algorithm for Computing Levenshtein
/// and Damerau Edit Distances", Nordic Journal of Computing 10, 2003): a dictionary is searched in milliseconds.
pub fn edits(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a == b {
        return Some(0);
    }
    let (height, width) = (a.chars().count(), b.chars().count());
    if height.abs_diff(width) > limit || height.max(width) > LONGEST {
        return None;
    }
    if height == 0 {
        return Some(width); // checked above: no more than the limit
    }
    let last = 1_u64 << (height - 1);
    let mut distance = height;
    // Where a column grows or shrinks by one, downwards; where a diagonal stays; where a letter stood before.
    let (mut grows, mut shrinks, mut stays, mut stood) = (u64::MAX, 0_u64, 0_u64, 0_u64);
    for (column, letter) in b.chars().enumerate() {
        let stands = places(a, letter);
        let swapped = ((!stays & stands) << 1) & stood;
        stays = ((stands & grows).wrapping_add(grows) ^ grows) | stands | shrinks | swapped;
        let grows_across = shrinks | !(stays | grows);
        let shrinks_across = stays & grows;
        distance += usize::from(grows_across & last != 0);
        distance -= usize::from(shrinks_across & last != 0);
        if distance > limit + (width - column - 1) {
            return None; // each letter to come mends one error at most
        }
        let across = (grows_across << 1) | 1;
        grows = (shrinks_across << 1) | !(stays | across);
        shrinks = across & stays;
        stood = stands;
    }
    (distance <= limit).then_some(distance)
}

/// A bit for each place of `word` where `letter` stands.
fn places(word: &str, letter: char) -> u64 {
    word.chars().rev().fold(0, |bits, one| (bits << 1) | u64::from(one == letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, as a table.
    fn by_the_table(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn a_slip_of_the_keys_is_one_edit() {
        for (meant, typed) in
            [("library", "libary"), ("library", "librarry"), ("library", "lobrary"), ("library", "lirbary")]
        {
            assert_eq!(edits(meant, typed, 1), Some(1));
            assert_eq!(edits(meant, typed, 0), None);
        }
        assert_eq!(edits("größe", "grösse", 2), Some(2));
        assert_eq!(edits("kitten", "sitting", 2), None);
    }

    #[test]
    fn short_words_must_be_typed_right() {
        assert_eq!(["rus", "rust", "library", "libraries"].map(typo_limit), [0, 1, 1, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

        #[test]
        fn the_bits_count_what_the_table_counts(a in "[abcé]{0,12}", b in "[abcé]{0,12}", limit in 0_usize..6) {
            let distance = by_the_table(&a, &b);
            prop_assert_eq!(edits(&a, &b, limit), (distance <= limit).then_some(distance));
        }

        #[test]
        fn the_bits_hold_for_the_longest_words(a in "[ab]{58,64}", b in "[ab]{58,64}") {
            let distance = by_the_table(&a, &b);
            prop_assert_eq!(edits(&a, &b, 20), (distance <= 20).then_some(distance));
        }
    }
}
