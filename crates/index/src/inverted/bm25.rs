//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, §3) over all segments of a
//! snapshot, with statistics of the whole index: a chunk scores the same in whichever segment it is.
//!
//! Evaluation is term at a time with MaxScore pruning (Turtle and Flood, "Query evaluation: strategies and
//! optimizations", 1995). Terms are processed in order of descending IDF. The *essential* terms add
//! candidates. Once the upper bounds of the remaining, *non-essential* terms sum to less than the threshold,
//! no chunk outside the candidates can reach the top k: these terms only complete the scores of candidates,
//! and blocks of postings without a candidate are skipped undecoded. Results are the same as without pruning.

use super::query::TermGroup;
use super::{InvertedIndex, PostingList, Source};
use crate::bitmap::Bitmap;
use crate::deleted::Deleted;
use vademecum_util::within::Within;
use vademecum_vectors::top::TopK;

/// Saturation of term frequency (k₁).
const K1: f32 = 1.2;
/// Length normalisation (b).
const B: f32 = 0.75;
/// The number of matches is exact up to here; beyond, pruning may miss some.
pub const EXACT_COUNT: usize = 1000;
/// If the filter admits fewer than one chunk in this many, all terms are scored for the admitted chunks only.
const SELECTIVE: usize = 16;
/// Factor on upper bounds: they are summed in another order than scores, and rounding must not make them too
/// small.
const SLACK: f32 = 1.0001;

/// The parts of a segment that scoring reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentReader<'a> {
    pub(crate) words: &'a InvertedIndex,
    pub(crate) lengths: &'a [u32],
    /// The sum of `lengths`.
    pub(crate) length: u64,
    pub(crate) keys: &'a [u32],
    pub(crate) deleted: &'a Deleted,
    /// The chunks that may be returned, without deleted ones; all if `None`.
    pub(crate) filter: Option<&'a Bitmap>,
}

impl<'a> SegmentReader<'a> {
    /// Returns the chunks that may be returned.
    pub(crate) fn live(&self) -> Bitmap {
        self.filter.cloned().unwrap_or_else(|| {
            let mut all = Bitmap::full(self.keys.len());
            all.subtract(self.deleted.chunks());
            all
        })
    }

    /// Returns the same reader with another filter.
    pub(crate) fn only<'b>(&self, filter: &'b Bitmap) -> SegmentReader<'b>
    where
        'a: 'b,
    {
        SegmentReader { filter: Some(filter), ..*self }
    }
}

/// Returns the keys and scores of the best `limit` chunks, best first, and the number of matches: exact up to
/// [`EXACT_COUNT`], a lower bound beyond.
pub(crate) fn search(
    readers: &[SegmentReader<'_>],
    groups: &[TermGroup],
    limit: usize,
) -> (Vec<(u32, f32)>, usize) {
    QueryTerms::of(groups, readers).search(limit)
}

/// Returns the inverse document frequency of a term that `containing` of `all` chunks contain: the variant that is never negative
/// (Lucene's).
pub(crate) fn idf(all: f32, containing: f32) -> f32 {
    ((all - containing + 0.5) / (containing + 0.5)).ln_1p()
}

/// Returns the weight of a term's frequency in a chunk of this length.
pub(crate) fn saturation(frequency: u32, length: u32, average: f32) -> f32 {
    let frequency = frequency as f32;
    let norm = K1 * (1.0 - B + B * length as f32 / average);
    frequency * (K1 + 1.0) / (frequency + norm)
}

/// The terms of a query with their postings.
pub(crate) struct QueryTerms<'a> {
    readers: &'a [SegmentReader<'a>],
    /// The number of live chunks.
    chunks: usize,
    /// In order of descending IDF.
    terms: Vec<QueryTerm<'a>>,
}

impl<'a> QueryTerms<'a> {
    pub(crate) fn of(groups: &'a [TermGroup], readers: &'a [SegmentReader<'a>]) -> Self {
        let chunks = readers
            .iter()
            .map(|reader| reader.keys.len().saturating_sub(reader.deleted.chunks().count()))
            .sum();
        Self::among(groups, readers, chunks, &[])
    }

    /// As [`QueryTerms::of`], where the readers have only some chunks out of `chunks`: those that contain a term of the query, or, if `counts` says how
    /// many contain each group, any of these.
    pub(crate) fn among(
        groups: &'a [TermGroup],
        readers: &'a [SegmentReader<'a>],
        chunks: usize,
        counts: &[usize],
    ) -> Self {
        let of = |(at, group)| QueryTerm::of(group, readers, chunks, counts.get(at).copied());
        let mut terms: Vec<QueryTerm<'a>> = groups.iter().enumerate().filter_map(of).collect();
        // A stable sort keeps terms of equal IDF in query order, which makes sums reproducible.
        terms.sort_by(|a, b| b.idf.total_cmp(&a.idf));
        Self { readers, chunks, terms }
    }

    /// As the function [`search`].
    pub(crate) fn search(&self, limit: usize) -> (Vec<(u32, f32)>, usize) {
        let length = |reader: &SegmentReader<'_>| reader.length.saturating_sub(reader.deleted.length());
        let length: u64 = self.readers.iter().map(length).sum();
        let average = (length as f64 / self.chunks.max(1) as f64).max(1.0) as f32;
        let mut best = TopK::new(limit);
        let mut total = 0;
        for (at, reader) in self.readers.iter().enumerate() {
            let lists: Vec<(f32, &PostingList<'_>)> = self
                .terms
                .iter()
                .filter_map(|term| Some((term.idf, term.lists.get(at)?.as_ref()?)))
                .collect();
            total += SegmentScorer { reader, average, lists }.run(limit, total, &mut best);
        }
        (best.into_sorted(), total)
    }

    /// Returns the IDF of a group, as used in scores; 0 if no chunk contains it.
    pub(crate) fn idf(&self, group: &TermGroup) -> f32 {
        self.terms.iter().find(|term| term.group == group).map_or(0.0, |term| term.idf)
    }
}

/// A term group of the query with its postings in each segment.
struct QueryTerm<'a> {
    group: &'a TermGroup,
    idf: f32,
    lists: Vec<Option<PostingList<'a>>>,
}

impl<'a> QueryTerm<'a> {
    fn of(
        group: &'a TermGroup,
        readers: &'a [SegmentReader<'_>],
        chunks: usize,
        count: Option<usize>,
    ) -> Option<Self> {
        let lists: Vec<Option<PostingList<'a>>> =
            readers.iter().map(|reader| list_of(group, reader)).collect();
        let deleted = |list: &PostingList<'_>, reader: &SegmentReader<'_>| {
            list.number.map_or(0, |number| reader.deleted.count_of(number))
        };
        let containing: usize = lists
            .iter()
            .zip(readers)
            .filter_map(|(list, reader)| {
                list.as_ref().map(|list| list.count.saturating_sub(deleted(list, reader)))
            })
            .sum();
        let (all, containing) = (chunks as f32, count.unwrap_or(containing) as f32);
        let idf = group.weight * idf(all, containing);
        (containing > 0.0).then_some(Self { group, idf, lists })
    }
}

/// Returns the postings of a term as stored, or the union of several terms' postings without deleted chunks.
fn list_of<'a>(group: &TermGroup, reader: &SegmentReader<'a>) -> Option<PostingList<'a>> {
    if let [term] = group.terms.as_slice() {
        return reader.words.list(term);
    }
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for list in group.terms.iter().filter_map(|term| reader.words.list(term)) {
        list.each(|chunk, frequency| {
            if !reader.deleted.chunks().contains(chunk as usize) {
                joined.push((chunk, frequency));
            }
        });
    }
    joined.sort_unstable();
    joined.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 = kept.1.saturating_add(if same { next.1 } else { 0 });
        same
    });
    if joined.is_empty() {
        return None;
    }
    Some(PostingList { number: None, count: joined.len(), source: Source::Joined(joined) })
}

struct SegmentScorer<'a> {
    reader: &'a SegmentReader<'a>,
    average: f32,
    /// IDF and postings per term, in order of descending IDF.
    lists: Vec<(f32, &'a PostingList<'a>)>,
}

impl SegmentScorer<'_> {
    /// Scores the segment's chunks into `best` and returns the number of matches.
    fn run(&self, limit: usize, counted: usize, best: &mut TopK) -> usize {
        let mut scores = vec![0f32; self.reader.keys.len()];
        if let Some(filter) =
            self.reader.filter.filter(|filter| filter.count() * SELECTIVE < self.reader.keys.len())
        {
            return self.run_filtered(filter, &mut scores, best);
        }
        let mut candidates: Vec<u32> = Vec::new();
        let mut upper_bounds = self.upper_bounds();
        let mut non_essential = self.lists.as_slice();
        while let Some(((idf, list), later)) = non_essential.split_first() {
            if counted + candidates.len() >= EXACT_COUNT
                && upper_bounds.first().copied().unwrap_or_default() * SLACK
                    < self.threshold(limit, &scores, &candidates, best)
            {
                break;
            }
            list.each(|chunk, frequency| {
                self.add(*idf, chunk, frequency, &mut scores, Some(&mut candidates));
            });
            non_essential = later;
            upper_bounds.remove(0);
        }
        let total = candidates.len();
        if !non_essential.is_empty() {
            candidates.sort_unstable();
        }
        while let Some(((idf, list), later)) = non_essential.split_first() {
            let threshold = self.threshold(limit, &scores, &candidates, best);
            let remaining = upper_bounds.first().copied().unwrap_or_default() * SLACK;
            candidates.retain(|chunk| {
                scores.get(*chunk as usize).is_some_and(|score| score * SLACK + remaining >= threshold)
            });
            self.score_candidates(*idf, list, &candidates, &mut scores);
            non_essential = later;
            upper_bounds.remove(0);
        }
        self.push(&candidates, &scores, best);
        total
    }

    /// Scores the chunks of a selective filter only: blocks of postings without such a chunk are skipped.
    fn run_filtered(&self, filter: &Bitmap, scores: &mut [f32], best: &mut TopK) -> usize {
        let mut admitted: Vec<u32> = filter.iter().map(|row| row as u32).collect();
        for (idf, list) in &self.lists {
            self.score_candidates(*idf, list, &admitted, scores);
        }
        admitted.retain(|chunk| scores.get(*chunk as usize).is_some_and(|score| *score > 0.0));
        self.push(&admitted, scores, best);
        admitted.len()
    }

    fn push(&self, candidates: &[u32], scores: &[f32], best: &mut TopK) {
        for chunk in candidates {
            let (key, score) = (self.reader.keys.get(*chunk as usize), scores.get(*chunk as usize));
            if let (Some(key), Some(score)) = (key, score) {
                best.push(*key, *score);
            }
        }
    }

    fn add(
        &self,
        idf: f32,
        chunk: u32,
        frequency: u32,
        scores: &mut [f32],
        candidates: Option<&mut Vec<u32>>,
    ) {
        let at = chunk as usize;
        if self.reader.filter.is_some_and(|filter| !filter.contains(at)) {
            return;
        }
        let (Some(score), Some(length)) = (scores.get_mut(at), self.reader.lengths.get(at)) else { return };
        if let Some(candidates) = candidates.filter(|_| *score == 0.0) {
            candidates.push(chunk);
        }
        *score += idf * self.saturation(frequency, *length);
    }

    fn saturation(&self, frequency: u32, length: u32) -> f32 {
        saturation(frequency, length, self.average)
    }

    /// Returns, per term, the sum of its upper bound and those of all later terms.
    fn upper_bounds(&self) -> Vec<f32> {
        let upper_bound = |(idf, list): &(f32, &PostingList<'_>)| {
            let impact = |(frequency, length): (u32, u32)| self.saturation(frequency, length);
            let blocks = list.blocks().into_iter().flatten();
            let known = blocks.map(|block| block.impact.map_or(K1 + 1.0, impact)).reduce(f32::max);
            idf * known.unwrap_or(K1 + 1.0)
        };
        let mut sum = 0.0;
        let mut upper_bounds: Vec<f32> = self
            .lists
            .iter()
            .rev()
            .map(|term| {
                sum += upper_bound(term);
                sum
            })
            .collect();
        upper_bounds.reverse();
        upper_bounds
    }

    /// Returns the score that a chunk must reach to enter the top k, as far as known.
    fn threshold(&self, limit: usize, scores: &[f32], candidates: &[u32], best: &mut TopK) -> f32 {
        let mut own = TopK::new(limit);
        let scored = |chunk: &u32| Some((*chunk, scores.get(*chunk as usize).copied()?));
        candidates.iter().filter_map(scored).for_each(|(chunk, score)| own.push(chunk, score));
        own.threshold().max(best.threshold())
    }

    /// Adds a term's contribution to sorted candidates; skips blocks without one.
    fn score_candidates(&self, idf: f32, list: &PostingList<'_>, candidates: &[u32], scores: &mut [f32]) {
        let mut pending = candidates;
        let Some(blocks) = list.blocks() else {
            list.each(|chunk, frequency| {
                if candidates.binary_search(&chunk).is_ok() {
                    self.add(idf, chunk, frequency, scores, None);
                }
            });
            return;
        };
        for block in blocks {
            let passed = pending.partition_point(|chunk| *chunk < block.start);
            pending = pending.within(passed..);
            let Some(first) = pending.first() else { return };
            if *first >= block.end {
                continue;
            }
            block.decode(|chunk, frequency| {
                while pending.first().is_some_and(|next| *next < chunk) {
                    pending = pending.within(1..);
                }
                if pending.first() == Some(&chunk) {
                    self.add(idf, chunk, frequency, scores, None);
                }
            });
        }
    }
}
