//! Edit distance, for typo tolerance.

use super::normal::MAX_LENGTH;

/// Returns the number of edits tolerated in `word`; none in short words, which have too many neighbours.
pub fn typo_limit(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Returns the restricted Damerau-Levenshtein distance between `a` and `b` (insertions, deletions,
/// substitutions and transpositions of adjacent characters), if it is at most `limit`. Words longer than the
/// analyser's maximum of 64 characters never match.
///
/// Bit-parallel: Hyyrö, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances", Nordic
/// Journal of Computing 10 (2003); a dictionary is searched in milliseconds. Variables have the paper's
/// names: VP and VN are the vertical positive and negative differences, HP and HN the horizontal ones, D0 the
/// zero diagonal differences, PM the match vector and TR the transpositions.
pub fn edits(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a == b {
        return Some(0);
    }
    let (height, width) = (a.chars().count(), b.chars().count());
    if height.abs_diff(width) > limit || height.max(width) > MAX_LENGTH {
        return None;
    }
    if height == 0 {
        return Some(width); // at most `limit`, as checked above
    }
    let last = 1_u64 << (height - 1);
    let mut distance = height;
    // The initial column; `pm_before` is the match vector of the previous character.
    let (mut vp, mut vn, mut d0, mut pm_before) = (u64::MAX, 0_u64, 0_u64, 0_u64);
    for (column, letter) in b.chars().enumerate() {
        let pm = match_vector(a, letter);
        let tr = ((!d0 & pm) << 1) & pm_before;
        d0 = ((pm & vp).wrapping_add(vp) ^ vp) | pm | vn | tr;
        let hp = vn | !(d0 | vp);
        let hn = d0 & vp;
        distance += usize::from(hp & last != 0);
        distance -= usize::from(hn & last != 0);
        if distance > limit + (width - column - 1) {
            return None; // each remaining letter reduces the distance by at most one
        }
        let hp_shifted = (hp << 1) | 1;
        vp = (hn << 1) | !(d0 | hp_shifted);
        vn = hp_shifted & d0;
        pm_before = pm;
    }
    (distance <= limit).then_some(distance)
}

/// Returns the match vector of a letter: a bit per position of `word` that contains it.
fn match_vector(word: &str, letter: char) -> u64 {
    word.chars().rev().fold(0, |bits, one| (bits << 1) | u64::from(one == letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by dynamic programming.
    fn by_dynamic_programming(a: &str, b: &str) -> usize {
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
    fn a_typo_is_one_edit() {
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
    fn short_words_tolerate_no_typo() {
        assert_eq!(["rus", "rust", "library", "libraries"].map(typo_limit), [0, 1, 1, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

        #[test]
        fn the_bit_vectors_agree_with_dynamic_programming(a in "[abcé]{0,12}", b in "[abcé]{0,12}", limit in 0_usize..6) {
            let distance = by_dynamic_programming(&a, &b);
            prop_assert_eq!(edits(&a, &b, limit), (distance <= limit).then_some(distance));
        }

        #[test]
        fn the_bit_vectors_hold_the_longest_words(a in "[ab]{58,64}", b in "[ab]{58,64}") {
            let distance = by_dynamic_programming(&a, &b);
            prop_assert_eq!(edits(&a, &b, 20), (distance <= 20).then_some(distance));
        }
    }
}
