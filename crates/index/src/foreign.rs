//! Hits of collections that are in no index, in one ranking with those of a snapshot.
//!
//! Another searcher gives its hits with the scores of each retriever. Scores of the same kind are pooled and fused once, as if
//! all hits were of one index: cosines of one model are comparable wherever they are computed, BM25 scores nearly so. Passages
//! that were found by their vectors alone get a BM25 score here, by the statistics of the snapshot and their own.

use super::chunk_key::ChunkKey;
use super::fusion::{self, Matches};
use super::inverted::bm25;
use super::rescore::prefix as prefix_of;
use super::searcher::{CANDIDATES, Query, Searcher};
use std::collections::HashMap;
use vademecum_protocol::error::Result;
use vademecum_text::terms::{Analyzer, Language, words};
use vademecum_util::vec_map;

/// Keys from here on are of hits that no index contains. An index of four billion chunks fits into no memory.
const FIRST: u32 = u32::MAX - (1 << 20);

impl ChunkKey {
    /// Returns the key of the hit number `at` of other searchers.
    pub fn foreign(at: usize) -> Self {
        Self(FIRST.saturating_add(at as u32))
    }

    /// Returns the number of the hit of other searchers; `None` for a chunk of an index.
    pub fn foreign_number(self) -> Option<usize> {
        self.0.checked_sub(FIRST).map(|at| at as usize)
    }
}

/// The scores of other searchers' hits. A hit may have either score or both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Foreign {
    /// BM25 scores.
    pub keyword: Vec<(ChunkKey, f32)>,
    /// Cosines.
    pub vector: Vec<(ChunkKey, f32)>,
    /// Whether the snapshot itself is not searched.
    pub alone: bool,
}

/// A passage that is not in the index.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// The title of its document.
    pub title: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Searcher {
    /// Runs a search over the snapshot and other searchers' hits.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub fn search_with(&self, query: &Query<'_>, others: &Foreign) -> Result<Matches> {
        let (mut words, mut near) = if others.alone {
            (query.keywords.map(|_| Default::default()), query.vector.map(|_| Vec::new()))
        } else {
            self.arms(query)?
        };
        let both = words.is_some() && near.is_some();
        let depth = if both { CANDIDATES.max(query.limit) } else { query.limit };
        if let Some((found, total)) = &mut words {
            found.extend(others.keyword.iter().map(|(key, score)| (key.0, *score)));
            *total += others.keyword.len();
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            found.truncate(depth);
        }
        if let Some(found) = &mut near {
            found.extend(others.vector.iter().map(|(key, score)| (key.0, *score, None)));
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            found.truncate(depth);
        }
        Ok(fusion::join(words, near, query.fusion, query.weights, query.limit))
    }

    /// Returns the BM25 score of passages for a query, with the frequencies of its words in the snapshot and in these passages
    /// together. Lengths are compared among the passages, in words.
    pub fn keyword_scores(&self, query: &str, prefix: bool, passages: &[Passage<'_>]) -> Vec<f32> {
        let parsed = self.parse(query, prefix);
        let mut asked: Vec<Vec<String>> = parsed.words;
        asked.extend(parsed.unfinished.map(|(_, terms)| terms));
        let mut languages = self.languages();
        if languages.is_empty() {
            languages.push(Language::default());
        }
        let counter = Counter {
            prefixes: asked.iter().flatten().map(|term| prefix_of(term)).collect(),
            analyzers: languages.into_iter().map(Analyzer::new).collect(),
            asked: &asked,
        };
        let mut known = HashMap::new();
        let counted: Vec<(Vec<u32>, u32)> =
            passages.iter().map(|passage| counter.count(passage, &mut known)).collect();
        let all = (self.chunks() + passages.len()) as f32;
        let idf = |(at, terms): (usize, &Vec<String>)| {
            let here = counted.iter().filter(|(counts, _)| counts.get(at).is_some_and(|count| *count > 0));
            let known = terms.iter().map(|term| self.chunks_with(term)).max().unwrap_or_default();
            bm25::idf(all, (known + here.count()) as f32)
        };
        let weights: Vec<f32> = asked.iter().enumerate().map(idf).collect();
        let length: u32 = counted.iter().map(|(_, length)| length).sum();
        let average = (length as f32 / passages.len().max(1) as f32).max(1.0);
        let score = |(counts, length): &(Vec<u32>, u32)| {
            let parts = counts.iter().zip(&weights).filter(|(count, _)| **count > 0);
            parts.map(|(count, idf)| idf * bm25::saturation(*count, *length, average)).sum()
        };
        counted.iter().map(score).collect()
    }
}

/// Counts the words of a query in texts.
struct Counter<'a> {
    /// The terms of each word.
    asked: &'a [Vec<String>],
    /// The first letters of these terms: a word with none of them needs no stemming.
    prefixes: Vec<[u8; 3]>,
    analyzers: Vec<Analyzer>,
}

impl Counter<'_> {
    /// Returns how often a passage contains each word, and its length in words. `known` are the words of the query that words of
    /// passages are: most occur in many passages, and stemming is what takes long.
    fn count<'p>(&self, passage: &Passage<'p>, known: &mut HashMap<&'p str, Vec<usize>>) -> (Vec<u32>, u32) {
        let mut counts = vec![0; self.asked.len()];
        let mut length = 0;
        for (_, word) in words(passage.title).chain(words(passage.text)) {
            length += 1;
            let plain = word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
            if plain && !self.prefixes.contains(&prefix_of(word)) {
                continue;
            }
            for at in known.entry(word).or_insert_with(|| self.places(word)) {
                if let Some(count) = counts.get_mut(*at) {
                    *count += 1;
                }
            }
        }
        (counts, length)
    }

    /// Returns which words of the query a word is, each once: several languages may make the same term of it.
    fn places(&self, word: &str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for analyzer in &self.analyzers {
            analyzer.word(word, &mut |term| {
                let has = |terms: &Vec<String>| terms.iter().any(|one| one == term);
                found.extend(self.asked.iter().position(has));
            });
        }
        vec_map::set(found)
    }
}
