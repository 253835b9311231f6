//! Keyword search over the postings of a query's terms alone, for readers that do not have the whole index in memory. Scores are those
//! of the whole: statistics of all chunks are passed in, and the code is the same.
//!
//! The lengths of chunks need not all be known. A chunk that is no shorter than some length scores no more than if it had that length, so
//! [`Lists::likely`] and then [`Lists::undecided`] name the few chunks whose lengths decide which are the best.

use super::bitmap::Bitmap;
use super::deleted::Deleted;
use super::inverted::bm25::{idf, saturation};
use super::inverted::{
    InvertedIndex, KeywordQuery, OpenInvertedIndex, QueryTerms, SegmentReader, TermGroup, groups,
};
use super::parsed::Parsed;
use super::rescore::QueryWord;
use super::searcher::CANDIDATES;
use std::cmp::Ordering;
use vademecum_text::terms::{Analyzer, Language, Rule};
use vademecum_util::small_sort::sort_by_key;
use vademecum_util::vec_map;

pub use super::fusion::{KeywordHits, VectorHits, join};
pub use super::inverted::{MAX_COMPLETIONS, MAX_CORRECTED, MAX_CORRECTIONS, MIN_STEM};
pub use super::rescore::Fields;

/// Number of hits whose texts rescoring reads.
pub const RESCORED: usize = super::rescore::RESCORED;

/// In the place of a length that is not known: the longest chunk scores least.
const UNKNOWN: u32 = u32::MAX;
/// Factor on upper bounds: they are summed in another order than scores.
const SLACK: f32 = 1.0001;

/// A term's occurrence in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The chunk's key.
    pub key: u32,
    /// The term's frequency in it.
    pub frequency: u32,
    /// The chunk's length in terms, or a length that it has at least.
    pub length: u32,
    /// Whether the length is the chunk's.
    pub is_exact: bool,
}

/// Statistics of the whole index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statistics {
    /// Number of chunks.
    pub chunks: usize,
    /// Summed length of the chunks in terms.
    pub length: u64,
}

/// The text of a query, analysed.
pub struct Words {
    parsed: Parsed,
    languages: Vec<Language>,
    typos: bool,
}

/// The postings of terms, as an index of the chunks that contain any of them.
#[derive(Debug)]
pub struct Lists {
    words: InvertedIndex,
    keys: Vec<u32>,
    lengths: Vec<u32>,
    /// Lengths that chunks have at least.
    shortest: Vec<u32>,
    all: Statistics,
    deleted: Deleted,
}

/// Keyword hits before rescoring.
#[derive(Debug)]
pub struct Ranking {
    /// Keys and scores, best first: at least as many as fusion takes.
    pub best: Vec<(u32, f32)>,
    /// The number of matches: exact up to 1,000, a lower bound beyond.
    pub total: usize,
    asked: Vec<QueryWord>,
}

/// A chunk with its length, or one that it has at least.
struct Row {
    key: u32,
    length: u32,
    is_exact: bool,
}

/// Adds the chunks of a list to others, both ascending by key.
fn merged(rows: &[Row], list: &[Occurrence]) -> Vec<Row> {
    let mut all = Vec::with_capacity(rows.len() + list.len());
    let (mut rows, mut list) = (rows.iter().peekable(), list.iter().peekable());
    loop {
        let order = match (rows.peek(), list.peek()) {
            (Some(row), Some(one)) => row.key.cmp(&one.key),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return all,
        };
        let row = if order.is_le() { rows.next() } else { None };
        let one = if order.is_ge() { list.next() } else { None };
        let own = row.map(|row| (row.key, row.length, row.is_exact));
        let other = one.map(|one| (one.key, one.length, one.is_exact));
        let chosen = match (own, other) {
            (Some(own), Some(other)) if own.2 == other.2 => Some((own.0, own.1.max(other.1), own.2)),
            (Some(own), Some(other)) => Some(if own.2 { own } else { other }),
            (own, other) => own.or(other),
        };
        all.extend(chosen.map(|(key, length, is_exact)| Row { key, length, is_exact }));
    }
}

impl Statistics {
    /// Returns the average length of a chunk, as scores use it.
    fn average(self) -> f32 {
        (self.length as f64 / self.chunks.max(1) as f64).max(1.0) as f32
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Words").field("languages", &self.languages).finish_non_exhaustive()
    }
}

impl Words {
    /// Analyses a query in each language of the index, by the rule of its terms.
    pub fn of(text: &str, prefix: bool, typos: bool, languages: &[Language], rule: Rule) -> Self {
        let parsed = Parsed::of(text, prefix, languages.to_vec(), rule);
        Self { parsed, languages: languages.to_vec(), typos }
    }

    /// Returns the terms of complete words; corrections are wanted for a word of whose terms none occurs.
    pub fn complete(&self) -> &[Vec<String>] {
        &self.parsed.words
    }

    /// Returns the characters and pairs of characters of unspaced scripts.
    pub fn bigrams(&self) -> &[String] {
        &self.parsed.bigrams
    }

    /// Returns the beginning of a word that is still being typed, with its terms in case it is complete.
    pub fn unfinished(&self) -> Option<(&str, &[String])> {
        self.parsed.unfinished.as_ref().map(|(start, terms)| (&**start, terms.as_slice()))
    }

    /// Returns the quoted phrases.
    pub fn phrases(&self) -> &[Vec<String>] {
        &self.parsed.phrases
    }

    /// Returns all words as one phrase, if all are stop words: only texts can be searched for these.
    pub fn stop_word_phrase(&self) -> Option<&[String]> {
        self.parsed.stop_word_phrase.as_deref()
    }

    /// Returns the terms of each word of a phrase, per language. A word without terms is a stop word.
    pub fn phrase_terms(&self, phrase: &[String]) -> Vec<Vec<Vec<String>>> {
        let of = |language: &Language| {
            let analyzer = Analyzer::new(*language);
            let terms = |word: &String| {
                let mut terms = Vec::new();
                analyzer.word(word, &mut |term| terms.push(term.to_owned()));
                terms
            };
            phrase.iter().map(terms).collect()
        };
        self.languages.iter().map(of).collect()
    }

    fn query(&self) -> KeywordQuery {
        KeywordQuery {
            words: self.parsed.words.clone(),
            unfinished: self.parsed.unfinished.clone(),
            exact: self.parsed.bigrams.clone(),
            typos: self.typos,
        }
    }
}

impl Lists {
    /// Indexes the postings of terms, each ascending by key.
    pub fn new(terms: &[(String, Vec<Occurrence>)], all: Statistics) -> Self {
        // The shortest first, so that few postings are merged often.
        let mut order: Vec<&Vec<Occurrence>> = terms.iter().map(|(_, list)| list).collect();
        sort_by_key(&mut order, |list| list.len());
        let mut chunks: Vec<Row> = Vec::new();
        for list in order {
            chunks = merged(&chunks, list);
        }
        let mut open = OpenInvertedIndex::default();
        for (term, list) in terms {
            let number = open.number(term);
            let mut row = 0;
            for one in list {
                row += chunks
                    .get(row..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|chunk| chunk.key < one.key)
                    .count();
                open.count(number, row as u32, one.frequency);
            }
        }
        let length = |chunk: &Row| if chunk.is_exact { chunk.length } else { UNKNOWN };
        Self {
            words: InvertedIndex::Open(open),
            keys: chunks.iter().map(|chunk| chunk.key).collect(),
            lengths: chunks.iter().map(length).collect(),
            shortest: chunks.iter().map(|chunk| chunk.length).collect(),
            all,
            deleted: Deleted::default(),
        }
    }

    /// Notes the length of a chunk.
    pub fn know(&mut self, key: u32, length: u32) {
        if let Ok(row) = self.keys.binary_search(&key)
            && let (Some(own), Some(shortest)) = (self.lengths.get_mut(row), self.shortest.get_mut(row))
        {
            (*own, *shortest) = (length, length);
        }
    }

    /// Returns the keys of the chunks whose lengths are not known.
    pub fn unknown(&self) -> Vec<u32> {
        let all = self.keys.iter().zip(&self.lengths);
        all.filter(|(_, length)| **length == UNKNOWN).map(|(key, _)| *key).collect()
    }

    /// Returns, of the `limit` admitted chunks that may score most, those whose lengths are not known.
    pub fn likely(&self, words: &Words, admitted: Option<&dyn Fn(u32) -> bool>, limit: usize) -> Vec<u32> {
        let mut bounds = self.bounds(words, admitted);
        if let Some(last) = limit.checked_sub(1).filter(|last| *last < bounds.len()) {
            bounds.select_nth_unstable_by(last, |one, other| other.1.total_cmp(&one.1));
            bounds.truncate(limit);
        }
        self.unknown_of(&bounds)
    }

    /// Returns the admitted chunks whose lengths are not known, and which may be among the best `limit`.
    pub fn undecided(&self, words: &Words, admitted: Option<&dyn Fn(u32) -> bool>, limit: usize) -> Vec<u32> {
        // What is not known counts for less than it may, so this is a lower bound.
        let best = self.search(words, admitted, limit).best;
        let least =
            limit.checked_sub(1).and_then(|last| best.get(last)).map_or(f32::NEG_INFINITY, |one| one.1);
        let mut bounds = self.bounds(words, admitted);
        bounds.retain(|(_, bound)| bound * SLACK >= least);
        self.unknown_of(&bounds)
    }

    fn unknown_of(&self, rows: &[(u32, f32)]) -> Vec<u32> {
        let is_unknown = |row: usize| self.lengths.get(row) == Some(&UNKNOWN);
        let unknown = rows.iter().map(|(row, _)| *row as usize).filter(|row| is_unknown(*row));
        unknown.filter_map(|row| self.keys.get(row).copied()).collect()
    }

    /// Returns what a query looks up here, word by word.
    fn groups(&self, words: &Words) -> Vec<TermGroup> {
        groups(&words.query(), &[(&self.words, &self.deleted)])
    }

    /// Returns the admitted rows with upper bounds of their scores. Terms that count as one word have at most the sum of their scores: it is
    /// more frequent than each of them, and frequencies saturate. A term of several words counts for each.
    fn bounds(&self, words: &Words, admitted: Option<&dyn Fn(u32) -> bool>) -> Vec<(u32, f32)> {
        let InvertedIndex::Open(open) = &self.words else { return Vec::new() };
        let groups = self.groups(words);
        let average = self.all.average();
        let mut bounds = vec![0f32; self.keys.len()];
        let weighted =
            groups.iter().flat_map(|group| group.terms.iter().map(move |term| (term, group.weight)));
        for (list, weight) in weighted.filter_map(|(term, weight)| Some((open.find(term)?.1, weight))) {
            let idf = weight * idf(self.all.chunks as f32, list.len() as f32);
            for (row, frequency) in list {
                if let (Some(bound), Some(length)) =
                    (bounds.get_mut(*row as usize), self.shortest.get(*row as usize))
                {
                    *bound += idf * saturation(*frequency, *length, average);
                }
            }
        }
        let rows = (0u32..).zip(bounds).zip(&self.keys);
        rows.filter(|(_, key)| admitted.is_none_or(|admitted| admitted(**key))).map(|(row, _)| row).collect()
    }

    /// Returns the keys of the chunks that contain all words of a phrase, in any language, whether adjacent or not. A phrase of stop
    /// words may be in any chunk.
    pub fn with_all(&self, phrase: &[Vec<Vec<String>>]) -> Vec<u32> {
        if phrase.iter().any(|words| words.iter().all(Vec::is_empty)) {
            return self.keys.clone();
        }
        let mut found: Vec<u32> = Vec::new();
        for words in phrase {
            let mut containing: Option<Vec<u32>> = None;
            for term in words.iter().flatten() {
                let chunks = self.words.chunks_with(term);
                containing = Some(match containing {
                    None => chunks,
                    Some(before) => {
                        before.into_iter().filter(|row| chunks.binary_search(row).is_ok()).collect()
                    }
                });
            }
            found.extend(containing.unwrap_or_default());
        }
        vec_map::set(found).into_iter().filter_map(|row| self.keys.get(row as usize).copied()).collect()
    }

    /// Ranks the chunks that `admitted` lets pass.
    pub fn search(&self, words: &Words, admitted: Option<&dyn Fn(u32) -> bool>, limit: usize) -> Ranking {
        let filter = admitted.map(|admitted| {
            let rows = self.keys.iter().enumerate().filter(|(_, key)| admitted(**key)).map(|(row, _)| row);
            let mut filter = Bitmap::new(self.keys.len());
            rows.for_each(|row| {
                filter.insert(row);
            });
            filter
        });
        let reader = SegmentReader {
            words: &self.words,
            lengths: &self.lengths,
            length: self.all.length,
            keys: &self.keys,
            deleted: &self.deleted,
            filter: filter.as_ref(),
        };
        let readers = [reader];
        let groups = self.groups(words);
        let terms = QueryTerms::among(&groups, &readers, self.all.chunks);
        let (best, total) = terms.search(limit.max(CANDIDATES));
        let asked = words
            .parsed
            .words
            .iter()
            .map(|word| QueryWord { terms: word.clone(), idf: terms.idf(&TermGroup::of(word)) });
        Ranking { best, total, asked: asked.collect() }
    }
}

impl Ranking {
    /// Adds scores for adjacent words and titles to the first [`RESCORED`] hits; `fields` reads a chunk by key.
    pub fn rescore<'a>(&mut self, fields: impl Fn(u32) -> Option<Fields<'a>>) {
        super::rescore::rescore(&mut self.best, &self.asked, fields);
    }

    /// Ranks chunks that contain a quoted phrase, as found by a search restricted to them, before the others. `lift` is the best
    /// score before any phrase was looked at.
    pub fn prefer(&mut self, with_phrase: &[(u32, f32)], lift: f32, limit: usize) {
        for (key, score) in with_phrase {
            match self.best.iter_mut().find(|one| one.0 == *key) {
                Some(one) => one.1 += lift,
                None => self.best.push((*key, score + lift)),
            }
        }
        self.best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.best.truncate(limit.max(CANDIDATES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The frequencies of terms by chunk, and the chunks' lengths.
    type Made = (BTreeMap<u32, (u32, Vec<u32>)>, usize);

    const TERMS: [&str; 4] = ["tide", "tidal", "moon", "boat"];

    fn words(asked: &str) -> Words {
        Words::of(asked, true, true, &[Language::Other], Rule::CURRENT)
    }

    /// Queries of which several words may have the same term: a word itself, a completion, and a correction.
    const ASKED: [&str; 4] = ["tide tidal moon boat", "tide moon tid", "tidr tide boat", "tidal tid"];

    fn lists(chunks: &BTreeMap<u32, (u32, Vec<u32>)>, shortest: Option<u32>) -> Lists {
        let of = |(at, term): (usize, &&str)| {
            let occurrence = |(key, (length, frequencies)): (&u32, &(u32, Vec<u32>))| {
                let frequency = frequencies.get(at).copied().filter(|frequency| *frequency > 0)?;
                let (length, is_exact) = shortest.map_or((*length, true), |shortest| (shortest, false));
                Some(Occurrence { key: *key, frequency, length, is_exact })
            };
            ((*term).to_owned(), chunks.iter().filter_map(occurrence).collect())
        };
        let terms: Vec<(String, Vec<Occurrence>)> = TERMS.iter().enumerate().map(of).collect();
        let length = chunks.values().map(|one| u64::from(one.0)).sum();
        Lists::new(&terms, Statistics { chunks: chunks.len(), length })
    }

    /// Ranks with the lengths that are asked for. Returns how many these were, too.
    fn decided(
        chunks: &BTreeMap<u32, (u32, Vec<u32>)>,
        words: &Words,
        admitted: &dyn Fn(u32) -> bool,
        limit: usize,
    ) -> (Vec<(u32, f32)>, usize) {
        let shortest = chunks.values().map(|one| one.0).min().unwrap_or_default();
        let mut lists = lists(chunks, Some(shortest));
        let mut asked = BTreeSet::new();
        for round in 0..2 {
            let keys = match round {
                0 => lists.likely(words, Some(admitted), limit),
                _ => lists.undecided(words, Some(admitted), limit),
            };
            for key in keys {
                lists.know(key, chunks[&key].0);
                asked.insert(key);
            }
        }
        let mut best = lists.search(words, Some(admitted), limit).best;
        best.truncate(limit);
        (best, asked.len())
    }

    fn made() -> impl Strategy<Value = Made> {
        let chunk = (40u32..80, prop::collection::vec(0u32..4, 4));
        (prop::collection::btree_map(0u32..100_000, chunk, 1..400), 1usize..40)
    }

    proptest! {
        #[test]
        fn the_best_are_those_of_exhaustive_scoring((chunks, limit) in made(), every in 1u32..5, asked in prop::sample::select(&ASKED[..])) {
            let words = words(asked);
            let admitted = |key: u32| key.is_multiple_of(every);
            let mut exact = lists(&chunks, None).search(&words, Some(&admitted), limit).best;
            exact.truncate(limit);
            prop_assert_eq!(decided(&chunks, &words, &admitted, limit).0, exact);
        }
    }

    #[test]
    fn few_lengths_are_asked_for_where_a_rare_word_decides() {
        let chunk = |key: u32| (key, (20 + key % 50, vec![u32::from(key.is_multiple_of(100)), 0, 1, 1]));
        let chunks: BTreeMap<u32, (u32, Vec<u32>)> = (0..5000).map(chunk).collect();
        let (best, asked) = decided(&chunks, &words(ASKED[0]), &|_| true, 20);
        assert!(best.iter().all(|(key, _)| key.is_multiple_of(100)), "{best:?}");
        assert!(asked <= 50, "{asked}");
    }
}
