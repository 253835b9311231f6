//! Rescores the best keyword hits by proximity and title. BM25 ignores positions: a chunk in which words of
//! the query are adjacent, as in the query, is raised, and so is a document whose whole title the query
//! contains.

use super::segment::beginning;
use vademecum_text::terms::{Analyzer, Language, words};

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

/// Adds proximity and title scores to the first hits and sorts all again. `fields` reads a chunk by key.
pub(super) fn rescore<'a>(
    hits: &mut [(u32, f32)],
    query: &[QueryWord],
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
        *score += rescorer.pairs(title, text) + rescorer.title(title);
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
    /// Finds the query's words in a text. Returns pairs of position in the text and index in the query.
    fn positions(&self, text: &str) -> Vec<(usize, usize)> {
        let mut positions = Vec::new();
        for (at, (_, word)) in words(text).enumerate() {
            // Normalisation may change the first letter of a word that does not begin with an ASCII letter.
            let plain = word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
            if plain && !self.prefixes.contains(&prefix(word)) {
                continue;
            }
            self.analyzer.word(word, &mut |term| {
                let which = self.query.iter().position(|word| word.terms.iter().any(|one| one == term));
                positions.extend(which.map(|which| (at, which)));
            });
        }
        positions
    }

    /// Returns the proximity score: pairs of words adjacent in the query that are adjacent in the title or
    /// the text.
    fn pairs(&self, title: &str, text: &str) -> f32 {
        let mut counts = vec![0u32; self.query.len()];
        for positions in [self.positions(title), self.positions(text)] {
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
