//! The residual query of a path: the words of the question that no passage of the path contains, and the
//! names in its last passage, one of which is most likely the subject of those words.

use std::collections::HashSet;
use vademecum_index::{ChunkKey, Searcher};
use vademecum_text::terms::{Analyzer, is_blank, words};

/// Maximum number of names; more would dominate the rest of the question.
const NAMES: usize = 8;

/// Returns the residual query of a path, or the question itself if it would be empty.
pub(super) fn residual(searcher: &Searcher, question: &str, path: &[ChunkKey]) -> String {
    let mut analyzer = Analyzer::default();
    let mut held: HashSet<String> = HashSet::new();
    let mut names: Vec<String> = Vec::new();
    for chunk in path.iter().filter_map(|key| searcher.chunk(*key)) {
        if analyzer.language() != chunk.document.language() {
            analyzer = Analyzer::new(chunk.document.language());
        }
        let title = chunk.document.title().unwrap_or_default();
        for text in [title, chunk.text()] {
            held.extend(analyzer.terms(text).into_iter().map(|term| term.text));
        }
        // Overwritten until the last chunk.
        names = [title.to_owned()].into_iter().chain(capitalised(chunk.text(), &analyzer)).collect();
    }
    // Stop words are kept: encoders represent sentences better than lists of words.
    let is_open = |word: &str| {
        let terms = analyzer.terms(word);
        terms.is_empty() || terms.iter().any(|term| !held.contains(&term.text))
    };
    let mut parts: Vec<&str> = words(question).map(|(_, word)| word).filter(|word| is_open(word)).collect();
    let mut seen = HashSet::new();
    let names = names.iter().map(String::as_str).filter(|name| seen.insert(*name) && !is_blank(name));
    parts.extend(names.take(NAMES));
    if parts.is_empty() { question.to_owned() } else { parts.join(" ") }
}

/// Returns the names in a text, recognised as adjacent capitalised words that are not stop words.
fn capitalised(text: &str, analyzer: &Analyzer) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut end = None;
    for (at, word) in words(text) {
        let is_capital = word.chars().next().is_some_and(char::is_uppercase);
        if !is_capital || analyzer.terms(word).is_empty() {
            continue;
        }
        let follows = end.and_then(|end| text.get(end..at)) == Some(" ");
        match names.last_mut().filter(|_| follows) {
            Some(name) => {
                name.push(' ');
                name.push_str(word);
            }
            None => names.push(word.to_owned()),
        }
        end = Some(at + word.len());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_adjacent_capitalised_words() {
        let text = "The Lunar Society of Birmingham met monthly. Erasmus Darwin, James Watt and others came.";
        let found = capitalised(text, &Analyzer::default());
        assert_eq!(found, ["Lunar Society", "Birmingham", "Erasmus Darwin", "James Watt"]);
    }
}
