//! Rescores the best keyword hits by proximity and title. BM25 ignores positions: a chunk in which words of
//! the query are adjacent, as in the query, is raised, and so is a document whose whole title the query
//! contains.

use super::segment::beginning;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use vademecum_text::terms::{Analyzer, Language, words};
use vademecum_util::within::Within;

/// Number of hits that are rescored.
pub(super) const RESCORED: usize = 20;
/// Maximum distance, in words, of a pair that counts as adjacent; allows for stop words in between.
const NEAR: usize = 4;
/// Weight of an adjacent pair, relative to the smaller IDF of the two.
const PAIR_WEIGHT: f32 = 0.25;
/// Weight of a title contained in the query, relative to the summed IDF of its words.
const TITLE_WEIGHT: f32 = 0.5;
/// Saturation of repeated pairs; BM25's k₁.
const SATURATION: f32 = 1.2;

/// A word of the query; words are in query order.
#[derive(Debug)]
pub(super) struct QueryWord {
    /// Its terms, per language.
    pub(super) terms: Vec<String>,
    /// Its inverse document frequency.
    pub(super) idf: f32,
}

/// What is read of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    /// The language of its document.
    pub language: Language,
    /// The title of its document; empty if there is none.
    pub title: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The words of chunks by key, each read once by several searches of one snapshot.
#[derive(Debug, Default)]
pub struct ReadWords(RefCell<FxHashMap<u32, Rc<[Vec<Word>; 2]>>>);

impl ReadWords {
    /// Returns the words of a chunk's title and of its text.
    fn of(&self, key: u32, title: &str, text: &str) -> Rc<[Vec<Word>; 2]> {
        let mut read = self.0.borrow_mut();
        read.entry(key).or_insert_with(|| Rc::new([Word::all(title), Word::all(text)])).clone()
    }
}

/// A word of a field.
#[derive(Debug)]
struct Word {
    start: u32,
    end: u32,
    prefix: [u8; 3],
    /// Whether it begins with an ASCII letter: normalisation may change the first letter of others.
    is_plain: bool,
}

impl Word {
    fn all(text: &str) -> Vec<Self> {
        let word = |(start, word): (usize, &str)| Self {
            start: start as u32,
            end: (start + word.len()) as u32,
            prefix: prefix(word),
            is_plain: word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic),
        };
        words(text).map(word).collect()
    }
}

/// Adds proximity and title scores to the first hits and sorts all again. `fields` reads a chunk by key.
pub(super) fn rescore<'a>(
    hits: &mut [(u32, f32)],
    query: &[QueryWord],
    read: &ReadWords,
    fields: impl Fn(u32) -> Option<Fields<'a>>,
) {
    if query.len() < 2 && query.iter().all(|word| word.terms.is_empty()) {
        return;
    }
    let prefixes: Vec<[u8; 3]> = query.iter().flat_map(|word| &word.terms).map(|term| prefix(term)).collect();
    let mut analyzers: Vec<(Language, Analyzer)> = Vec::new();
    for (key, score) in hits.iter_mut().take(RESCORED) {
        let Some(Fields { language, title, text }) = fields(*key) else { continue };
        if !analyzers.iter().any(|one| one.0 == language) {
            analyzers.push((language, Analyzer::new(language)));
        }
        let Some((_, analyzer)) = analyzers.iter().find(|one| one.0 == language) else { continue };
        let rescorer = Rescorer { query, prefixes: &prefixes, analyzer };
        let title = beginning(title);
        let words = read.of(*key, title, text);
        *score += rescorer.pairs([title, text], &words) + rescorer.title(title);
    }
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

struct Rescorer<'a> {
    query: &'a [QueryWord],
    /// The first bytes of the query's terms: a word with none of these prefixes needs no stemming.
    prefixes: &'a [[u8; 3]],
    analyzer: &'a Analyzer,
}

impl Rescorer<'_> {
    /// Finds the query's words among those of a text. Returns pairs of position in the text and index in the query.
    fn positions(&self, text: &str, words: &[Word]) -> Vec<(usize, usize)> {
        let mut positions = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if word.is_plain && !self.prefixes.contains(&word.prefix) {
                continue;
            }
            self.analyzer.word(text.within(word.start as usize..word.end as usize), &mut |term| {
                let which = self.query.iter().position(|word| word.terms.iter().any(|one| one == term));
                positions.extend(which.map(|which| (at, which)));
            });
        }
        positions
    }

    /// Returns the proximity score: pairs of words adjacent in the query that are adjacent in the title or
    /// the text.
    fn pairs(&self, fields: [&str; 2], words: &[Vec<Word>; 2]) -> f32 {
        let mut counts = vec![0u32; self.query.len()];
        for (text, words) in fields.iter().zip(words) {
            let positions = self.positions(text, words);
            for (at, (here, one)) in positions.iter().enumerate() {
                let near = positions.iter().skip(at + 1).take_while(|(there, _)| there - here <= NEAR);
                for (_, other) in near.filter(|(_, other)| one.abs_diff(*other) == 1) {
                    if let Some(count) = counts.get_mut(*one.min(other)) {
                        *count += 1;
                    }
                }
            }
        }
        let pairs = counts.iter().zip(self.query).zip(self.query.iter().skip(1));
        pairs
            .map(|((count, first), second)| {
                let count = *count as f32;
                PAIR_WEIGHT * first.idf.min(second.idf) * count * (SATURATION + 1.0) / (count + SATURATION)
            })
            .sum()
    }

    /// Returns the title score: positive if the query contains the words of the title in a row.
    fn title(&self, title: &str) -> f32 {
        let mut terms: Vec<String> = Vec::new();
        for (_, word) in words(title) {
            self.analyzer.word(word, &mut |term| terms.push(term.to_owned()));
            // Most titles have such a word early, and the others need no analysis.
            if terms.last().is_some_and(|last| !self.query.iter().any(|word| word.terms.contains(last))) {
                return 0.0;
            }
        }
        let contains =
            |query: &[QueryWord]| query.iter().zip(&terms).all(|(word, term)| word.terms.contains(term));
        let contained = !terms.is_empty() && self.query.windows(terms.len()).any(contains);
        if !contained {
            return 0.0;
        }
        let of = |term: &String| {
            self.query.iter().find(|word| word.terms.contains(term)).map_or(0.0, |word| word.idf)
        };
        TITLE_WEIGHT * terms.iter().map(of).sum::<f32>()
    }
}

/// Returns the first three bytes, in lower case.
pub(super) fn prefix(word: &str) -> [u8; 3] {
    let mut bytes = word.bytes().map(|byte| byte.to_ascii_lowercase());
    std::array::from_fn(|_| bytes.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: [(&str, &str); 3] = [
        ("Harbour of Brindle", "The harbour of Brindle was dug by hand. Its old lighthouse keeper left."),
        ("", "An old lighthouse stood where once a keeper of bees lived. Élan naïve, brindle harbour."),
        ("Lighthouse keeper", "A keeper tends the lamp of a lighthouse at night."),
    ];

    fn scores(question: &str, read: &ReadWords) -> Vec<(u32, f32)> {
        let analyzer = Analyzer::default();
        let word = |(_, word)| {
            let mut terms = Vec::new();
            analyzer.word(word, &mut |term| terms.push(term.to_owned()));
            QueryWord { terms, idf: 1.0 }
        };
        let query: Vec<QueryWord> = words(question).map(word).collect();
        let mut hits: Vec<(u32, f32)> = (0..3).map(|key| (key, 1.0)).collect();
        rescore(&mut hits, &query, read, |key| {
            let (title, text) = PASSAGES[key as usize];
            Some(Fields { language: Language::default(), title, text })
        });
        hits
    }

    #[test]
    fn passages_read_before_score_as_those_read_anew() {
        let read = ReadWords::default();
        for question in ["lighthouse keeper", "the harbour of Brindle", "keeper of the lamp", "elan naive"] {
            assert_eq!(scores(question, &read), scores(question, &ReadWords::default()), "{question}");
        }
        assert_eq!(read.0.borrow().len(), PASSAGES.len());
    }

    #[test]
    fn adjacent_words_and_a_title_in_the_question_raise_a_passage() {
        let best = scores("lighthouse keeper", &ReadWords::default());
        assert_eq!(best.iter().map(|one| one.0).collect::<Vec<_>>(), [2, 0, 1]);
        assert!(best[0].1 > best[1].1 && best[1].1 > best[2].1 && best[2].1 >= 1.0, "{best:?}");
    }
}
