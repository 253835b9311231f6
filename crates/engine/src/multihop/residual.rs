//! What to look for next: the words of the question that a path of passages does not hold yet, and the names its last
//! passage holds, one of which most likely is what those words are asked of.

use std::collections::HashSet;
use vademecum_index::{ChunkKey, Searcher};
use vademecum_text::terms::{Analyzer, is_blank, words};

/// More names would drown what is left of the question.
const NAMES: usize = 8;

/// The text to go on with from the last chunk of `path`; the question itself, where nothing of it is left.
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
        // Those of the last chunk remain.
        names = [title.to_owned()].into_iter().chain(capitalised(chunk.text(), &analyzer)).collect();
    }
    // Stop words stay: an encoder understands a sentence better than a list of words.
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

/// The names in a text as far as writing shows them: words in a row with capital letters, stop words left out.
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
    fn names_are_words_in_a_row_with_capital_letters() {
        let text = "The Lunar Society of Birmingham met monthly. Erasmus Darwin, James Watt and others came.";
        let found = capitalised(text, &Analyzer::default());
        assert_eq!(found, ["Lunar Society", "Birmingham", "Erasmus Darwin", "James Watt"]);
    }
}
