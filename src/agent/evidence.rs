//! Evidence: lists of chunks put together, each chunk once, and cut to what a prompt can hold.

use super::citation::CitationStyle;
use super::prompt::passages;
use crate::document::Hit;
use crate::text::chunk::estimate_tokens;
use crate::text::terms::{terms, words};
use std::collections::{BTreeSet, HashSet};

/// Several rankings as one, which take turns: scores of different searches cannot be compared. In its turn a ranking
/// gives the best of its chunks that is not there yet, so that rankings alike do not cost each other theirs.
pub fn interleave<'a>(rankings: impl IntoIterator<Item = &'a [Hit]>) -> Vec<Hit> {
    let mut seen = HashSet::new();
    let mut left: Vec<_> = rankings.into_iter().map(|ranking| ranking.iter()).collect();
    let mut taken = Vec::new();
    loop {
        let before = taken.len();
        for ranking in &mut left {
            taken.extend(ranking.find(|hit| seen.insert(hit.chunk.id.as_str())).cloned());
        }
        if taken.len() == before {
            return taken;
        }
    }
}

/// Each chunk once, where it stands first.
pub fn unique<'a>(hits: impl IntoIterator<Item = &'a Hit>) -> Vec<Hit> {
    let mut seen = HashSet::new();
    hits.into_iter().filter(|hit| seen.insert(hit.chunk.id.as_str())).cloned().collect()
}

/// As many of the first chunks as a prompt of so many tokens holds. At least one: a first that is longer is cut.
pub fn fitting(evidence: &[Hit], style: CitationStyle, tokens: usize) -> Vec<Hit> {
    let cost = |hit: &Hit| estimate_tokens(&passages(std::slice::from_ref(hit), style));
    let mut used = 0;
    let fits = evidence.iter().take_while(|hit| {
        used += cost(hit);
        used <= tokens
    });
    let mut kept: Vec<Hit> = fits.cloned().collect();
    if kept.is_empty()
        && let Some(first) = evidence.first()
    {
        let mut cut = first.clone();
        // Title and headings stay, whatever they cost.
        while cost(&cut) > tokens && !cut.chunk.text.is_empty() {
            let share = cut.chunk.text.len() * tokens / cost(&cut);
            let end = (0..=share).rev().find(|end| cut.chunk.text.is_char_boundary(*end)).unwrap_or(0);
            cut.chunk.text.truncate(end);
        }
        kept.push(cut);
    }
    kept
}

/// What two queries have in common that ask for the same: their terms, in whatever order.
pub fn query_key(query: &str) -> String {
    let mut found: BTreeSet<String> = terms(query).into_iter().map(|term| term.text).collect();
    if found.is_empty() {
        found = words(query).map(|(_, word)| word.to_lowercase()).collect();
    }
    Vec::from_iter(found).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::claim::tests::hit;

    #[test]
    fn rankings_take_turns_and_no_chunk_comes_twice() {
        let (one, two) = ([hit("a", ""), hit("b", ""), hit("c", "")], [hit("b", ""), hit("d", "")]);
        let ids: Vec<String> = interleave([&one[..], &two[..]]).into_iter().map(|hit| hit.chunk.id).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
    }

    #[test]
    fn what_does_not_fit_is_left_out_from_the_end_and_the_first_is_cut() {
        let long = "word ".repeat(100);
        let evidence = [hit("a", &long), hit("b", &long), hit("c", &long)];
        assert_eq!(fitting(&evidence, CitationStyle::Number, 250).len(), 2);
        let cut = fitting(&evidence, CitationStyle::Number, 50);
        assert_eq!(cut.len(), 1);
        let tokens = estimate_tokens(&passages(&cut, CitationStyle::Number));
        assert!((30..=50).contains(&tokens), "{tokens}");
        assert_eq!(fitting(&[hit("ä", &"ä".repeat(900))], CitationStyle::Number, 1).len(), 1);
        assert!(fitting(&[], CitationStyle::Number, 100).is_empty());
    }

    #[test]
    fn a_query_is_the_same_in_another_order_and_form() {
        assert_eq!(query_key("What are the notice periods?"), query_key("period notice"));
        assert_ne!(query_key("notice period"), query_key("notice price"));
        assert_ne!(query_key("the who"), query_key("is it"));
    }
}
