//! Keyword search over the postings of a query's terms alone, for readers that do not have the whole index in memory. Scores are those
//! of the whole: statistics of all chunks are passed in, and the code is the same.
//!
//! Nor need all postings be joined, or all lengths be known: a chunk that is no shorter than some length scores no more than if it had that length. An
//! [`Outline`] gives weights for such bounds, and [`Lists::among`] scores the few chunks whose bounds are high enough as the whole would.

use super::bitmap::Bitmap;
use super::deleted::Deleted;
use super::inverted::bm25::{idf, saturation};
use super::inverted::{
    InvertedIndex, KeywordQuery, OpenInvertedIndex, QueryTerms, SegmentReader, TermGroup, groups,
};
use super::parsed::Parsed;
use super::rescore::{QueryWord, ReadWords};
use super::searcher::CANDIDATES;
use std::cmp::Ordering;
use std::rc::Rc;
use vademecum_text::terms::{Analyzer, Language, Rule};
use vademecum_util::small_sort::sort_by_key;

pub use super::fusion::{KeywordHits, VectorHits, join};
pub use super::inverted::bm25::EXACT_COUNT;
pub use super::inverted::{MAX_COMPLETIONS, MAX_CORRECTED, MAX_CORRECTIONS, MIN_STEM};
pub use super::rescore::Fields;

/// Number of hits whose texts rescoring reads.
pub const RESCORED: usize = super::rescore::RESCORED;

/// Factor on upper bounds: they are summed in another order than scores.
const SLACK: f32 = 1.0001;

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
    /// Statistics of the query over all chunks, and the number of chunks that match; `None` if the lists contain all chunks.
    whole: Option<(Rc<Whole>, usize)>,
}

/// What a query looks up among terms, known by how many chunks contain each, before their postings are joined.
#[derive(Debug, Clone)]
pub struct Outline {
    groups: Vec<TermGroup>,
    terms: Vec<(String, usize)>,
    all: Statistics,
}

/// What is known of a whole query where [`Lists`] have only the postings of some chunks.
#[derive(Debug)]
pub struct Whole {
    /// What the query looks up.
    pub outline: Outline,
    /// The number of chunks with each group of [`Outline::groups`].
    pub counts: Vec<usize>,
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

/// Adds the chunks of a list to others, both ascending by key, each with its length.
fn merged(rows: &[(u32, u32)], list: &[Occurrence]) -> Vec<(u32, u32)> {
    let mut all = Vec::with_capacity(rows.len() + list.len());
    let (mut rows, mut list) = (rows.iter().peekable(), list.iter().peekable());
    loop {
        let order = match (rows.peek(), list.peek()) {
            (Some(row), Some(one)) => row.0.cmp(&one.key),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return all,
        };
        let row = if order.is_le() { rows.next().copied() } else { None };
        let one = if order.is_ge() { list.next().map(|one| (one.key, one.length)) } else { None };
        all.extend(row.or(one));
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

    /// Returns what the query looks up among terms with these document frequencies.
    pub fn outline(&self, terms: Vec<(String, usize)>, all: Statistics) -> Outline {
        let mut open = OpenInvertedIndex::default();
        for (term, count) in &terms {
            open.number(term);
            open.declare(*count);
        }
        let groups = groups(&self.query(), &[(&InvertedIndex::Open(open), &Deleted::default())]);
        Outline { groups, terms, all }
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

impl Outline {
    /// Returns the terms that count as one, each as its place among the terms; a group may have terms that no chunk contains.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let place = |term: &String| self.terms.iter().position(|one| one.0 == *term);
        self.groups.iter().map(|group| group.terms.iter().filter_map(place).collect()).collect()
    }

    /// Returns the weight of a frequency in a chunk of this length, before that of the term.
    pub fn saturation(&self, frequency: u32, length: u32) -> f32 {
        saturation(frequency, length, self.all.average())
    }

    /// Returns a sum of upper bounds that a chunk has at least whose score is `score`.
    pub fn least_bound(score: f32) -> f32 {
        score / SLACK
    }
}

impl Whole {
    /// Returns by term the factor of [`Outline::saturation`] in upper bounds of scores. Terms that count as one word have at most the sum of their
    /// scores, since frequencies saturate. A term of several words counts for each.
    pub fn weights(&self) -> Vec<f32> {
        let Outline { groups, terms, all } = &self.outline;
        let weight = |(term, _): &(String, usize)| {
            let own = groups.iter().zip(&self.counts).filter(|(group, _)| group.terms.contains(term));
            own.map(|(group, count)| group.weight * idf(all.chunks as f32, *count as f32)).sum()
        };
        terms.iter().map(weight).collect()
    }
}

impl Lists {
    /// Indexes the postings of some chunks with all lengths known, so that these have the scores of the whole, where `total` chunks match.
    pub fn among(terms: &[(String, Vec<Occurrence>)], whole: &Rc<Whole>, total: usize) -> Self {
        Self { whole: Some((whole.clone(), total)), ..Self::new(terms, whole.outline.all) }
    }

    /// Indexes the postings of terms, each ascending by key.
    pub fn new(terms: &[(String, Vec<Occurrence>)], all: Statistics) -> Self {
        // The shortest first, so that few postings are merged often.
        let mut order: Vec<&Vec<Occurrence>> = terms.iter().map(|(_, list)| list).collect();
        sort_by_key(&mut order, |list| list.len());
        let mut chunks: Vec<(u32, u32)> = Vec::new();
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
                    .take_while(|chunk| chunk.0 < one.key)
                    .count();
                open.count(number, row as u32, one.frequency);
            }
        }
        Self {
            words: InvertedIndex::Open(open),
            keys: chunks.iter().map(|chunk| chunk.0).collect(),
            lengths: chunks.iter().map(|chunk| chunk.1).collect(),
            all,
            deleted: Deleted::default(),
            whole: None,
        }
    }

    /// Returns what a query looks up here, word by word.
    fn groups(&self, words: &Words) -> Vec<TermGroup> {
        match &self.whole {
            Some((whole, _)) => whole.outline.groups.clone(),
            None => groups(&words.query(), &[(&self.words, &self.deleted)]),
        }
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
        let counts = self.whole.as_ref().map_or(&[][..], |(whole, _)| &whole.counts);
        let terms = QueryTerms::among(&groups, &readers, self.all.chunks, counts);
        let (best, found) = terms.search(limit.max(CANDIDATES));
        let total = self.whole.as_ref().map_or(found, |(_, total)| *total);
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
        super::rescore::rescore(&mut self.best, &self.asked, &ReadWords::default(), fields);
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

    fn all(chunks: &BTreeMap<u32, (u32, Vec<u32>)>) -> Statistics {
        Statistics { chunks: chunks.len(), length: chunks.values().map(|one| u64::from(one.0)).sum() }
    }

    /// The postings of the chunks that `is_wanted`, by term.
    fn postings(
        chunks: &BTreeMap<u32, (u32, Vec<u32>)>,
        is_wanted: &dyn Fn(u32) -> bool,
    ) -> Vec<(String, Vec<Occurrence>)> {
        let of = |(at, term): (usize, &&str)| {
            let occurrence = |(key, (length, frequencies)): (&u32, &(u32, Vec<u32>))| {
                let frequency = frequencies.get(at).copied().filter(|frequency| *frequency > 0)?;
                is_wanted(*key).then_some(Occurrence { key: *key, frequency, length: *length })
            };
            ((*term).to_owned(), chunks.iter().filter_map(occurrence).collect())
        };
        TERMS.iter().enumerate().map(of).collect()
    }

    /// Ranks the chunks whose bounds are high enough. Returns how many these were, too.
    fn decided(
        chunks: &BTreeMap<u32, (u32, Vec<u32>)>,
        words: &Words,
        admitted: &dyn Fn(u32) -> bool,
        limit: usize,
    ) -> (Vec<(u32, f32)>, usize) {
        let shortest = chunks.values().map(|one| one.0).min().unwrap_or_default();
        let lists = postings(chunks, &|_| true);
        let counts = lists.iter().map(|(term, list)| (term.clone(), list.len())).collect();
        let outline = words.outline(counts, all(chunks));
        let of_group = |group: &Vec<usize>| {
            let keys = group.iter().flat_map(|at| lists[*at].1.iter().map(|one| one.key));
            keys.collect::<BTreeSet<u32>>().len()
        };
        let counts = outline.groups().iter().map(of_group).collect();
        let whole = Rc::new(Whole { outline, counts });
        let outline = &whole.outline;
        let mut bounds: BTreeMap<u32, f32> = BTreeMap::new();
        for ((_, list), weight) in lists.iter().zip(whole.weights()) {
            for one in list.iter().filter(|one| admitted(one.key)) {
                *bounds.entry(one.key).or_default() += weight * outline.saturation(one.frequency, shortest);
            }
        }
        let ranked = |keys: &BTreeSet<u32>| {
            let lists = Lists::among(&postings(chunks, &|key| keys.contains(&key)), &whole, 0);
            let mut best = lists.search(words, None, limit).best;
            best.truncate(limit);
            best
        };
        let mut order: Vec<(u32, f32)> = bounds.iter().map(|(key, bound)| (*key, *bound)).collect();
        order.sort_by(|one, other| other.1.total_cmp(&one.1));
        let best = ranked(&order.iter().take(limit).map(|one| one.0).collect());
        let least = best.get(limit - 1).map_or(0.0, |last| Outline::least_bound(last.1));
        let enough: BTreeSet<u32> = order.iter().filter(|one| one.1 >= least).map(|one| one.0).collect();
        (ranked(&enough), enough.len())
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
            let mut exact = Lists::new(&postings(&chunks, &|_| true), all(&chunks)).search(&words, Some(&admitted), limit).best;
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
