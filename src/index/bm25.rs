//! An inverted file scored by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, §3),
//! with the words of the title and the headings counted beside those of the text.

use super::{ChunkKey, StoredChunk};
use crate::text::terms::{terms, unfinished_word};
use std::collections::{BTreeMap, HashMap};

/// Saturation of repeated terms.
const K1: f32 = 1.2;
/// How much a chunk's length counts.
const B: f32 = 0.75;
/// How often a word of the title, or of a heading, counts compared with one of the text.
const CONTEXT_WEIGHT: f32 = 1.0;
/// While a word is being typed, this many of the most frequent words it may become are searched.
const COMPLETIONS: usize = 32;

#[derive(Debug, Clone, Copy)]
struct Posting {
    key: ChunkKey,
    frequency: f32,
}

#[derive(Debug, Default)]
struct Entry {
    terms: Vec<u32>,
    length: f32,
}

#[derive(Debug, Default)]
pub(super) struct InvertedIndex {
    /// Sorted, so that the completions of a prefix are neighbours.
    dictionary: BTreeMap<String, u32>,
    /// By term number, ordered by key.
    postings: Vec<Vec<Posting>>,
    chunks: HashMap<ChunkKey, Entry>,
    total_length: f64,
}

impl InvertedIndex {
    pub(super) fn insert(&mut self, key: ChunkKey, title: Option<&str>, chunk: &StoredChunk, text: &str) {
        let mut frequencies: BTreeMap<u32, f32> = BTreeMap::new();
        let mut length = 0.0;
        for term in terms(text) {
            *frequencies.entry(self.number(term.text)).or_default() += 1.0;
            length += 1.0;
        }
        let context = title.into_iter().chain(chunk.piece.headings.iter().map(String::as_str));
        for term in context.flat_map(terms) {
            *frequencies.entry(self.number(term.text)).or_default() += CONTEXT_WEIGHT;
        }
        for (number, frequency) in &frequencies {
            if let Some(list) = self.postings.get_mut(*number as usize) {
                list.push(Posting { key, frequency: *frequency }); // keys only grow: the list stays ordered
            }
        }
        self.total_length += f64::from(length);
        self.chunks.insert(key, Entry { terms: frequencies.into_keys().collect(), length });
    }

    pub(super) fn remove(&mut self, key: ChunkKey) {
        let Some(entry) = self.chunks.remove(&key) else { return };
        self.total_length -= f64::from(entry.length);
        for number in entry.terms {
            if let Some(list) = self.postings.get_mut(number as usize)
                && let Ok(at) = list.binary_search_by_key(&key, |posting| posting.key)
            {
                list.remove(at);
            }
        }
    }

    /// How many distinct terms some chunk has.
    pub(super) fn terms(&self) -> usize {
        self.postings.iter().filter(|list| !list.is_empty()).count()
    }

    /// Every wanted chunk that shares a term with `text`, with its score, in no order.
    pub(super) fn search(
        &self,
        text: &str,
        prefix: bool,
        wanted: &dyn Fn(ChunkKey) -> bool,
    ) -> Vec<(ChunkKey, f32)> {
        let mut scores: HashMap<ChunkKey, f32> = HashMap::new();
        for list in self.query_lists(text, prefix) {
            let idf = self.idf(list.len());
            for posting in list {
                if wanted(posting.key) {
                    *scores.entry(posting.key).or_default() += idf * self.saturation(&posting);
                }
            }
        }
        scores.into_iter().collect()
    }

    /// A posting list for each distinct term; the completions of an unfinished word make one list together.
    fn query_lists(&self, text: &str, prefix: bool) -> Vec<Vec<Posting>> {
        let unfinished = if prefix { unfinished_word(text) } else { None };
        let complete = match &unfinished {
            Some((start, _)) => text.get(..*start).unwrap_or_default(),
            None => text,
        };
        let mut words: Vec<String> = terms(complete).into_iter().map(|term| term.text).collect();
        words.sort_unstable();
        words.dedup();
        let mut lists: Vec<Vec<Posting>> =
            words.iter().filter_map(|word| self.list(word)).map(<[_]>::to_vec).collect();
        lists.extend(unfinished.map(|(_, word)| self.completions(&word)));
        lists.retain(|list| !list.is_empty());
        lists
    }

    fn list(&self, word: &str) -> Option<&[Posting]> {
        self.postings.get(*self.dictionary.get(word)? as usize).map(Vec::as_slice)
    }

    fn completions(&self, start: &str) -> Vec<Posting> {
        let mut lists: Vec<&[Posting]> = self
            .dictionary
            .range(start.to_owned()..)
            .take_while(|(word, _)| word.starts_with(start))
            .filter_map(|(_, number)| self.postings.get(*number as usize).map(Vec::as_slice))
            .collect();
        // The finished word itself may be a plural: "lifetimes" is filed under "lifetime".
        lists.extend(
            terms(start)
                .iter()
                .filter(|term| !term.text.starts_with(start))
                .filter_map(|t| self.list(&t.text)),
        );
        lists.sort_unstable_by_key(|list| std::cmp::Reverse(list.len()));
        let mut joined: BTreeMap<ChunkKey, f32> = BTreeMap::new();
        for posting in lists.into_iter().take(COMPLETIONS).flatten() {
            *joined.entry(posting.key).or_default() += posting.frequency;
        }
        joined.into_iter().map(|(key, frequency)| Posting { key, frequency }).collect()
    }

    /// The variant of inverse document frequency that is never negative.
    fn idf(&self, holding: usize) -> f32 {
        let (all, holding) = (self.chunks.len() as f32, holding as f32);
        (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
    }

    fn saturation(&self, posting: &Posting) -> f32 {
        let average = (self.total_length / self.chunks.len().max(1) as f64).max(1.0) as f32;
        let length = self.chunks.get(&posting.key).map_or(average, |entry| entry.length);
        let norm = K1 * (1.0 - B + B * length / average);
        posting.frequency * (K1 + 1.0) / (posting.frequency + norm)
    }

    fn number(&mut self, term: String) -> u32 {
        let next = self.postings.len() as u32;
        let number = *self.dictionary.entry(term).or_insert(next);
        if number == next {
            self.postings.push(Vec::new());
        }
        number
    }
}
