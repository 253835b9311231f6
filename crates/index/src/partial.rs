//! Keyword search over the postings of a query's terms alone, for readers that do not have the whole index in memory. Scores are those
//! of the whole: statistics of all chunks are passed in, and the code is the same.

use super::bitmap::Bitmap;
use super::deleted::Deleted;
use super::inverted::{
    InvertedIndex, KeywordQuery, OpenInvertedIndex, QueryTerms, SegmentReader, TermGroup, groups,
};
use super::parsed::Parsed;
use super::rescore::QueryWord;
use super::searcher::CANDIDATES;
use vademecum_text::terms::{Analyzer, Language, Rule};
use vademecum_util::vec_map;

pub use super::fusion::{KeywordHits, VectorHits, join};
pub use super::inverted::{MAX_COMPLETIONS, MAX_CORRECTED, MAX_CORRECTIONS, MIN_STEM};
pub use super::rescore::Fields;

/// Number of hits whose texts rescoring reads.
pub const RESCORED: usize = super::rescore::RESCORED;

/// A term's occurrence in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// The chunk's key.
    pub key: u32,
    /// The term's frequency in it.
    pub frequency: u32,
    /// The chunk's length in terms.
    pub length: u32,
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
        let mut chunks: Vec<(u32, u32)> =
            terms.iter().flat_map(|(_, list)| list).map(|one| (one.key, one.length)).collect();
        chunks.sort_unstable();
        chunks.dedup_by_key(|one| one.0);
        let (keys, lengths): (Vec<u32>, Vec<u32>) = chunks.into_iter().unzip();
        let mut open = OpenInvertedIndex::default();
        for (term, list) in terms {
            let number = open.number(term);
            for one in list {
                if let Ok(row) = keys.binary_search(&one.key) {
                    open.count(number, row as u32, one.frequency);
                }
            }
        }
        Self { words: InvertedIndex::Open(open), keys, lengths, all, deleted: Deleted::default() }
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
        let groups = groups(&words.query(), &[&self.words]);
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
