//! Formats counts for people.

/// Formats `1 search`, `2 searches`.
pub(super) fn counted(number: usize, one: &str) -> String {
    let ending = match (number, one.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {one}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_zero_is_plural() {
        assert_eq!(counted(1, "search"), "1 search");
        assert_eq!(counted(0, "search"), "0 searches");
        assert_eq!(counted(2, "citation"), "2 citations");
    }
}
