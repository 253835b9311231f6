//! Suggests the closest known name, for error messages.

/// Maximum edit distance of a suggestion.
const MAX_EDITS: usize = 2;

/// Returns the known name with the smallest edit distance to `name`, ignoring case, if it is close enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = MAX_EDITS.min(length / 2);
    let name = name.to_lowercase();
    known
        .into_iter()
        .filter(|other| other.chars().count().abs_diff(length) <= allowed)
        .map(|other| (other, edit_distance(&name, &other.to_lowercase())))
        .filter(|(_, distance)| *distance <= allowed)
        .min_by_key(|(_, distance)| *distance)
        .map(|(near, _)| near)
}

/// Computes the Levenshtein distance in characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let (mut above_left, mut left) = (i, i + 1);
        for (cell, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let above = *cell;
            *cell = (above_left + usize::from(x != y)).min(above + 1).min(left + 1);
            (above_left, left) = (above, *cell);
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_the_intended_one() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(nearest("contrats", ["contracts", "invoices"]), Some("contracts"));
        assert_eq!(nearest("Yaer", ["year", "yeast"]), Some("year"));
        assert_eq!(nearest("letters", ["contracts", "invoices"]), None);
    }

    #[test]
    fn a_name_of_a_megabyte_is_compared_with_nothing() {
        assert_eq!(nearest(&"x".repeat(1 << 20), ["year"]), None);
    }
}
