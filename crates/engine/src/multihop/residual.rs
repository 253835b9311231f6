//! The residual query of a path: the words of the question that no passage of the path contains, and the
//! names in its last passage, one of which is most likely the subject of those words.

use vademecum_index::{ChunkKey, Searcher};
use vademecum_text::terms::{Analyzer, Language, Term, is_blank, words};
#[cfg(feature = "meaning")]
use vademecum_util::small_sort::sort_by;
use vademecum_util::vec_map;

/// Number of names; more would dominate the rest of the question.
const NAMES: usize = 8;
/// Number of names that count as subjects of the rest.
#[cfg(feature = "meaning")]
const SUBJECTS: usize = 2;
/// Number of letters that begin related words, such as “director” and “directed”.
#[cfg(feature = "meaning")]
const PREFIX: usize = 5;
/// Distances backwards count one and a half times: the name mostly follows (“directed by …”).
#[cfg(feature = "meaning")]
const BACKWARDS: (usize, usize) = (3, 2);

/// What a path leaves open.
pub(super) struct Residual {
    /// The residual query, or the question itself if it would be empty.
    pub(super) text: String,
    /// Whether the path contains all words of the question, except those that no passage contains.
    pub(super) is_closed: bool,
    /// The names in its last passage that are nearest to words of the question: the likely subjects of the rest.
    #[cfg(feature = "meaning")]
    pub(super) subjects: Vec<String>,
}

/// Computes residual queries; reads each passage once.
pub(super) struct Residuals<'a> {
    searcher: &'a Searcher,
    words: Vec<&'a str>,
    question: &'a str,
    /// The words, analysed in each language of the passages read so far.
    asked: Vec<Asked>,
    /// The passages read so far: at most those of the paths of all hops.
    passages: Vec<(ChunkKey, Passage)>,
}

/// The words of the question in a language.
struct Asked {
    analyzer: Analyzer,
    /// The terms of each word.
    terms: Vec<Vec<Term>>,
    /// For each word, whether any chunk of the library contains a term of it.
    occurs: Vec<bool>,
}

impl Asked {
    fn of(searcher: &Searcher, language: Language, words: &[&str]) -> Self {
        let analyzer = Analyzer::new(language);
        let terms: Vec<Vec<Term>> = words.iter().map(|word| analyzer.terms(word)).collect();
        let occurs = |terms: &Vec<Term>| terms.iter().any(|term| searcher.chunks_with(&term.text) > 0);
        let occurs = terms.iter().map(occurs).collect();
        Self { analyzer, terms, occurs }
    }
}

/// What a passage has of the question.
struct Passage {
    /// For each word of the question, whether the passage or its title contains it.
    holds: Vec<bool>,
    /// For each word of the question, whether others contain it and this one does not.
    lacks: Vec<bool>,
    /// Its title and the names in it, those nearest to words of the question first.
    names: Vec<String>,
}

#[cfg(feature = "meaning")]
impl Residual {
    /// Returns whether a name is a likely subject, or begins or ends with one: “von” and the like part names.
    pub(super) fn is_about(&self, name: &str) -> bool {
        let begins = |one: &String| {
            name.strip_prefix(one.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let ends = |one: &String| name.strip_suffix(one.as_str()).is_some_and(|rest| rest.ends_with(' '));
        self.subjects.iter().any(|one| begins(one) || ends(one))
    }
}

impl<'a> Residuals<'a> {
    pub(super) fn new(searcher: &'a Searcher, question: &'a str) -> Self {
        let words = words(question).map(|(_, word)| word).collect();
        Self { searcher, words, question, asked: Vec::new(), passages: Vec::new() }
    }

    /// Returns what a path leaves open.
    pub(super) fn of(&mut self, path: &[ChunkKey]) -> Residual {
        path.iter().for_each(|key| self.read(*key));
        let known = |key: &ChunkKey| self.passages.iter().find(|(known, _)| known == key).map(|(_, one)| one);
        let passages: Vec<&Passage> = path.iter().filter_map(known).collect();
        let (mut parts, mut is_closed) = (Vec::new(), true);
        for (at, word) in self.words.iter().enumerate() {
            // Stop words are kept: encoders represent sentences better than lists of words.
            if !passages.iter().any(|one| one.holds.get(at) == Some(&true)) {
                parts.push(*word);
                is_closed &= !passages.iter().any(|one| one.lacks.get(at) == Some(&true));
            }
        }
        let names = passages.last().into_iter().flat_map(|last| last.names.iter().map(String::as_str));
        parts.extend(names.filter(|name| !is_blank(name)).take(NAMES));
        let text = if parts.is_empty() { self.question.to_owned() } else { parts.join(" ") };
        Residual {
            text,
            is_closed,
            #[cfg(feature = "meaning")]
            subjects: passages.last().map_or_else(Vec::new, |last| last.subjects()),
        }
    }

    fn read(&mut self, key: ChunkKey) {
        let Some(chunk) = self.searcher.chunk(key) else { return };
        if self.passages.iter().any(|(known, _)| *known == key) {
            return;
        }
        let language = chunk.document.language();
        if self.asked.iter().all(|one| one.analyzer.language() != language) {
            self.asked.push(Asked::of(self.searcher, language, &self.words));
        }
        if let Some(asked) = self.asked.iter().find(|one| one.analyzer.language() == language) {
            let title = chunk.document.title().unwrap_or_default();
            self.passages.push((key, Passage::read(asked, title, chunk.text())));
        }
    }
}

impl Passage {
    fn read(asked: &Asked, title: &str, text: &str) -> Self {
        let (of_title, of_text) = (asked.analyzer.terms(title), asked.analyzer.terms(text));
        let held = vec_map::set(of_title.iter().chain(&of_text).map(|term| term.text.as_str()));
        let has = |terms: &Vec<Term>| {
            !terms.is_empty() && terms.iter().all(|term| held.binary_search(&term.text.as_str()).is_ok())
        };
        let holds: Vec<bool> = asked.terms.iter().map(has).collect();
        let lacks = asked.occurs.iter().zip(&holds).map(|(occurs, holds)| !holds && *occurs).collect();
        let is_titled = |term: &Term| of_title.iter().any(|one| one.text == term.text);
        let asked: Vec<&str> = asked
            .terms
            .iter()
            .flatten()
            .filter(|term| !is_titled(term))
            .map(|term| term.text.as_str())
            .collect();
        let mut names = vec![title.to_owned()];
        for name in nearest_names(text, &of_text, &asked) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Self { holds, lacks, names }
    }

    /// Returns the names nearest to words of the question.
    #[cfg(feature = "meaning")]
    fn subjects(&self) -> Vec<String> {
        self.names.iter().skip(1).take(SUBJECTS).cloned().collect() // the first one is the title
    }
}

/// Returns the names in a text, those nearest to words like the `asked` ones first. In the lite build, which has no room for
/// it, in the text's order.
fn nearest_names(text: &str, terms: &[Term], asked: &[&str]) -> Vec<String> {
    #[cfg_attr(not(feature = "meaning"), expect(unused_mut))]
    let mut names = capitalised(text, terms);
    #[cfg(feature = "meaning")]
    sort_by_distance(&mut names, text, terms, asked);
    #[cfg(not(feature = "meaning"))]
    let _ = asked;
    names.into_iter().map(|(_, name)| name).collect()
}

/// Sorts names by their distance from words like the `asked` ones, without such words by position.
#[cfg(feature = "meaning")]
fn sort_by_distance(names: &mut [(usize, String)], text: &str, terms: &[Term], asked: &[&str]) {
    let is_related =
        |term: &&Term| !is_capital(text, term) && asked.iter().any(|one| is_alike(one, &term.text));
    let places: Vec<usize> = terms.iter().filter(is_related).map(|term| term.at.start).collect();
    let (times, of) = BACKWARDS;
    let distance = |at: usize| {
        let to = |place: &usize| if at >= *place { at - place } else { (place - at) * times / of };
        places.iter().map(to).min().unwrap_or_default()
    };
    sort_by(names, |(one, _), (other, _)| distance(*one).cmp(&distance(*other)).then(one.cmp(other)));
}

/// Returns whether two terms are the same or begin alike.
#[cfg(feature = "meaning")]
fn is_alike(one: &str, other: &str) -> bool {
    one == other || one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() >= PREFIX
}

fn is_capital(text: &str, term: &Term) -> bool {
    text.get(term.at.clone()).and_then(|word| word.chars().next()).is_some_and(char::is_uppercase)
}

/// Returns the names in a text with their positions, recognised as adjacent capitalised words that are not stop words.
fn capitalised(text: &str, terms: &[Term]) -> Vec<(usize, String)> {
    let mut names: Vec<(usize, String)> = Vec::new();
    let mut end = 0;
    for term in terms.iter().filter(|term| is_capital(text, term)) {
        if term.at.start < end {
            continue; // a part of the same word
        }
        let word = text.get(term.at.clone()).unwrap_or_default();
        match names.last_mut().filter(|_| text.get(end..term.at.start) == Some(" ")) {
            Some((_, name)) => {
                name.push(' ');
                name.push_str(word);
            }
            None => names.push((term.at.start, word.to_owned())),
        }
        end = term.at.end;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, question: &str) -> Vec<String> {
        let (terms, asked) = (Analyzer::default().terms(text), Analyzer::default().terms(question));
        nearest_names(text, &terms, &asked.iter().map(|term| term.text.as_str()).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_adjacent_capitalised_words() {
        let text = "The Lunar Society of Birmingham met monthly. Erasmus Darwin, James Watt and others came.";
        assert_eq!(names(text, ""), ["Lunar Society", "Birmingham", "Erasmus Darwin", "James Watt"]);
    }

    #[cfg(feature = "meaning")]
    #[test]
    fn the_name_nearest_to_a_word_of_the_question_comes_first() {
        let text = "Low Tide is a play by Tilda Osei, directed by Ravi Menon and set in Ozymand.";
        assert_eq!(names(text, "Who is the spouse of the director?").first().unwrap(), "Ravi Menon");
    }
}
