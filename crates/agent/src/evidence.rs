//! Merges rankings into evidence, with each chunk once, and cuts it to the size of a prompt.

use super::prompt::passages;
use std::collections::{BTreeSet, HashSet};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::{Hit, Key};
use vademecum_text::chunk::estimate_tokens;
use vademecum_text::terms::{terms, words};
use vademecum_util::within::Within;

/// An item of a ranking.
pub trait Scored {
    /// Returns its identity.
    fn key(&self) -> Key<'_>;

    /// Returns its score.
    fn score(&self) -> f32;
}

impl Scored for Hit {
    fn key(&self) -> Key<'_> {
        self.chunk.key()
    }

    fn score(&self) -> f32 {
        self.score
    }
}

/// Merges several rankings.
///
/// Scores of different searches are not comparable, but a hit's score relative to the best one of its search is: a search with
/// one clear winner contributes few other hits, an undecided one more. Rankings with equal relative scores, or without scores,
/// take turns, and each contributes its best hit that is not yet included. Hits of only one ranking keep their order.
pub fn interleave<'a, T: Scored + Clone + 'a>(rankings: impl IntoIterator<Item = &'a [T]>) -> Vec<T> {
    let mut seen = HashSet::new();
    let mut left: Vec<Turns<'a, T>> = rankings.into_iter().map(Turns::of).collect();
    let mut taken = Vec::new();
    loop {
        for ranking in &mut left {
            ranking.pass_over(&seen);
        }
        let better = |one: &Turns<'_, T>, other: &Turns<'_, T>| {
            one.share.total_cmp(&other.share).then(other.taken.cmp(&one.taken))
        };
        // The first of equals wins.
        let next =
            left.iter_mut().filter(|ranking| !ranking.hits.is_empty()).rev().max_by(|a, b| better(a, b));
        let Some(hit) = next.and_then(Turns::take) else { return taken };
        seen.insert(hit.key());
        taken.push(hit.clone());
    }
}

/// The rest of a ranking.
struct Turns<'a, T> {
    hits: &'a [T],
    best: f32,
    /// The relative score of the next hit; never increases.
    share: f32,
    taken: usize,
}

impl<'a, T: Scored> Turns<'a, T> {
    fn of(hits: &'a [T]) -> Self {
        Self { hits, best: hits.first().map_or(0.0, Scored::score), share: 1.0, taken: 0 }
    }

    /// Skips hits that are already included.
    fn pass_over(&mut self, seen: &HashSet<Key<'_>>) {
        while let Some((next, behind)) = self.hits.split_first() {
            if self.best > 0.0 {
                self.share = (next.score() / self.best).clamp(0.0, self.share);
            }
            if !seen.contains(&next.key()) {
                return;
            }
            self.hits = behind;
        }
    }

    fn take(&mut self) -> Option<&'a T> {
        let (next, behind) = self.hits.split_first()?;
        self.hits = behind;
        self.taken += 1;
        Some(next)
    }
}

/// Returns each chunk once, at its first position.
pub fn unique<'a>(hits: impl IntoIterator<Item = &'a Hit>) -> Vec<Hit> {
    let mut seen = HashSet::new();
    hits.into_iter().filter(|hit| seen.insert(hit.chunk.key())).cloned().collect()
}

/// Returns the hits that an LLM may be shown.
pub fn sendable(evidence: &[Hit]) -> Vec<Hit> {
    evidence.iter().filter(|hit| !hit.chunk.never_sent()).cloned().collect()
}

/// Returns as many of the first chunks as fit into `tokens`, at least one: a first chunk that is too long is truncated.
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
        // Title and headings are kept, whatever their size.
        while cost(&cut) > tokens && !cut.chunk.text.is_empty() {
            let share = cut.chunk.text.len() * tokens / cost(&cut);
            let end = (0..=share).rev().find(|end| cut.chunk.text.is_char_boundary(*end)).unwrap_or(0);
            cut.chunk.text.truncate(end);
        }
        kept.push(cut);
    }
    kept
}

/// Returns an excerpt of about `letters` characters around the densest matches of a query, or the beginning without a match. Cuts
/// between words and marks omissions with an ellipsis.
pub fn around(text: &str, query: &str, letters: usize) -> String {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if starts.len() <= letters + 1 {
        return text.to_owned();
    }
    let wanted: BTreeSet<String> = terms(query).into_iter().map(|term| term.text).collect();
    let place = |byte: usize| starts.partition_point(|start| *start < byte);
    let matches: Vec<(usize, usize, String)> = terms(text)
        .into_iter()
        .filter(|term| wanted.contains(&term.text))
        .map(|term| (place(term.at.start), place(term.at.end), term.text))
        .collect();
    // Of all windows that begin with a match, takes the one with the most distinct terms, then the most matches.
    let mut best = ((0, 0), 0, 0);
    for (at, (first, _, _)) in matches.iter().enumerate() {
        let within: Vec<_> =
            matches.iter().skip(at).take_while(|(_, end, _)| *end <= first + letters).collect();
        let different: BTreeSet<&String> = within.iter().map(|(_, _, term)| term).collect();
        let worth = (different.len(), within.len());
        if worth > best.0 {
            best = (worth, *first, within.last().map_or(*first, |(_, end, _)| *end));
        }
    }
    let (_, first, last) = best;
    let room = letters.saturating_sub(last - first);
    let from = first.saturating_sub(room / 2).min(starts.len() - 1 - letters);
    let to = from + letters;
    let slice = |from: usize, to: usize| {
        let bytes = starts.get(from).copied().zip(starts.get(to).copied());
        bytes.and_then(|(from, to)| text.get(from..to)).unwrap_or_default()
    };
    let (before, held, behind) = (slice(from, first), slice(first, last), slice(last, to));
    // Drops a word that was cut.
    let before = match before.find(char::is_whitespace) {
        Some(space) if from > 0 => before.within(space..).trim_start(),
        _ => before,
    };
    let behind = match behind.rfind(char::is_whitespace) {
        Some(space) if to + 1 < starts.len() => behind.within(..space),
        _ => behind,
    };
    let opens = if from > 0 { "… " } else { "" };
    let closes = if to + 1 < starts.len() { " …" } else { "" };
    format!("{opens}{before}{held}{behind}{closes}")
}

/// Returns a key that is equal for queries with the same terms in any order.
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
    use proptest::prelude::*;
    use vademecum_protocol::document::whole_document as hit;

    #[test]
    fn rankings_are_interleaved_without_duplicates() {
        let (one, two) = ([hit("a", ""), hit("b", ""), hit("c", "")], [hit("b", ""), hit("d", "")]);
        let ids: Vec<String> = interleave([&one[..], &two[..]]).into_iter().map(|hit| hit.chunk.id).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_ranking_with_a_clear_winner_contributes_fewer_others() {
        let scored = |id: &str, score: f32| Hit { score, ..hit(id, "") };
        let sure = [scored("a", 10.0), scored("b", 1.0), scored("c", 9.0)];
        let unsure = [scored("d", 0.5), scored("e", 0.4), scored("f", 0.3)];
        let ids: Vec<String> =
            interleave([&sure[..], &unsure[..]]).into_iter().map(|hit| hit.chunk.id).collect();
        assert_eq!(ids, ["a", "d", "e", "f", "b", "c"]);
    }

    proptest! {
        #[test]
        fn merged_rankings_contain_every_chunk_once_and_keep_the_order_of_unshared_hits(
            rankings in prop::collection::vec(prop::collection::vec((0u8..12, -1f32..2.0), 0..8), 0..5)
        ) {
            let rankings: Vec<Vec<Hit>> = rankings
                .iter()
                .map(|ranking| {
                    let hits = ranking.iter().map(|(id, score)| Hit { score: *score, ..hit(&id.to_string(), "") });
                    unique(hits.collect::<Vec<_>>().iter())
                })
                .collect();
            let all = interleave(rankings.iter().map(Vec::as_slice));
            let ids: Vec<&str> = all.iter().map(|hit| hit.chunk.id.as_str()).collect();
            let each: BTreeSet<&str> = rankings.iter().flatten().map(|hit| hit.chunk.id.as_str()).collect();
            prop_assert_eq!(ids.len(), each.len());
            prop_assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), each);
            for ranking in &rankings {
                let is_own = |id: &&str| rankings.iter().filter(|one| one.iter().any(|hit| hit.chunk.id == **id)).count() == 1;
                let own: Vec<&str> = ranking.iter().map(|hit| hit.chunk.id.as_str()).filter(is_own).collect();
                let kept: Vec<&str> = ids.iter().copied().filter(|id| own.contains(id)).collect();
                prop_assert_eq!(kept, own);
            }
        }
    }

    #[test]
    fn chunks_beyond_the_budget_are_dropped_and_a_long_first_one_is_truncated() {
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
    fn a_long_passage_is_cut_around_the_query() {
        let text = format!(
            "{}The notice period is 30 days. {}",
            "filler words ".repeat(100),
            "and more ".repeat(100)
        );
        let cut = around(&text, "What is the notice period?", 80);
        assert!(cut.contains("notice period is 30 days"), "{cut}");
        assert!(cut.starts_with("… ") && cut.ends_with(" …") && cut.chars().count() <= 84, "{cut}");
        assert!(around(&text, "nothing of it", 30).starts_with("filler words"));
        assert_eq!(around("short", "short", 5), "short");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_a_part_of_the_passage_of_the_requested_length(
            words in prop::collection::vec("[a-zäß😀]{1,9}", 0..60), query in "[a-zä]{1,4}", letters in 1usize..120
        ) {
            let text = words.join(" ");
            let cut = around(&text, &query, letters);
            prop_assert!(cut.chars().count() <= letters.max(1) + 4);
            let inner = cut.trim_start_matches("… ").trim_end_matches(" …");
            prop_assert!(text.contains(inner), "{}", cut);
        }
    }

    #[test]
    fn query_keys_ignore_order_and_inflection() {
        assert_eq!(query_key("What are the notice periods?"), query_key("period notice"));
        assert_ne!(query_key("notice period"), query_key("notice price"));
        assert_ne!(query_key("the who"), query_key("is it"));
    }
}
