//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, §3) over all segments of a snapshot,
//! with the numbers of the whole: a chunk scores the same whichever segment it is in.
//!
//! Words are taken from the rarest to the most frequent. Once the words that are left cannot lift a chunk that holds
//! none of the earlier ones into the best, only chunks already met are completed, and blocks of postings without
//! such a chunk are skipped undecoded (the maxscore idea of Turtle and Flood, "Query evaluation: strategies and
//! optimizations", 1995). The best are the same as without skipping.

use super::query::Group;
use super::{List, Source, Words};
use crate::bitmap::Bitmap;
use crate::deleted::Deleted;
use vademecum_util::within::Within;
use vademecum_vectors::top::Best;

/// Saturation of repeated terms.
const K1: f32 = 1.2;
/// How much a chunk's length counts.
const B: f32 = 0.75;
/// Matches are counted exactly up to here; beyond, skipping may pass some by.
const COUNTED: usize = 1000;
/// Where fewer than one chunk in so many may be found, each word is looked for in those alone.
const FEW: usize = 16;
/// Bounds are sums in another order than scores: rounding must not make them too small.
const SLACK: f32 = 1.0001;

/// What is searched of one segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) words: &'a Words,
    pub(crate) lengths: &'a [u32],
    /// Their sum.
    pub(crate) length: u64,
    pub(crate) keys: &'a [u32],
    pub(crate) deleted: &'a Deleted,
    /// Chunks that may be found; all where absent. Deleted ones are not among them.
    pub(crate) wanted: Option<&'a Bitmap>,
}

impl<'a> Part<'a> {
    /// The chunks that may be found.
    pub(crate) fn live(&self) -> Bitmap {
        self.wanted.cloned().unwrap_or_else(|| {
            let mut all = Bitmap::full(self.keys.len());
            all.subtract(self.deleted.chunks());
            all
        })
    }

    /// The same with fewer chunks that may be found.
    pub(crate) fn only<'b>(&self, wanted: &'b Bitmap) -> Part<'b>
    where
        'a: 'b,
    {
        Part { wanted: Some(wanted), ..*self }
    }
}

/// The best `limit` chunks by key, best first, and how many matched: exact up to [`COUNTED`], at least that beyond.
pub(crate) fn search(parts: &[Part<'_>], groups: &[Group], limit: usize) -> (Vec<(u32, f32)>, usize) {
    LookedUp::of(groups, parts).search(limit)
}

/// The words of a question with their postings.
pub(crate) struct LookedUp<'a> {
    parts: &'a [Part<'a>],
    /// How many chunks there are.
    chunks: usize,
    /// The rarest first.
    words: Vec<Word<'a>>,
}

impl<'a> LookedUp<'a> {
    pub(crate) fn of(groups: &'a [Group], parts: &'a [Part<'a>]) -> Self {
        let chunks =
            parts.iter().map(|part| part.keys.len().saturating_sub(part.deleted.chunks().count())).sum();
        let mut words: Vec<Word<'a>> =
            groups.iter().filter_map(|group| Word::of(group, parts, chunks)).collect();
        // Stable: words that are equally rare stay in the question's order, so that sums are the same every time.
        words.sort_by(|a, b| b.idf.total_cmp(&a.idf));
        Self { parts, chunks, words }
    }

    /// As [`search`].
    pub(crate) fn search(&self, limit: usize) -> (Vec<(u32, f32)>, usize) {
        let length = |part: &Part<'_>| part.length.saturating_sub(part.deleted.length());
        let length: u64 = self.parts.iter().map(length).sum();
        let average = (length as f64 / self.chunks.max(1) as f64).max(1.0) as f32;
        let mut best = Best::new(limit);
        let mut total = 0;
        for (at, part) in self.parts.iter().enumerate() {
            let lists: Vec<(f32, &List<'_>)> = self
                .words
                .iter()
                .filter_map(|word| Some((word.idf, word.lists.get(at)?.as_ref()?)))
                .collect();
            total += Scoring { part, average, lists }.run(limit, total, &mut best);
        }
        (best.into_sorted(), total)
    }

    /// How rare a word is, by the terms that count as it, in the numbers that scores are made of; 0 for one that
    /// nobody wrote.
    pub(crate) fn rarity(&self, group: &Group) -> f32 {
        self.words.iter().find(|word| word.group == group).map_or(0.0, |word| word.idf)
    }
}

/// A word of the question with its postings in each part.
struct Word<'a> {
    group: &'a Group,
    idf: f32,
    lists: Vec<Option<List<'a>>>,
}

impl<'a> Word<'a> {
    fn of(group: &'a Group, parts: &'a [Part<'_>], chunks: usize) -> Option<Self> {
        let lists: Vec<Option<List<'a>>> = parts.iter().map(|part| list_of(group, part)).collect();
        let dead =
            |list: &List<'_>, part: &Part<'_>| list.number.map_or(0, |number| part.deleted.count_of(number));
        let holding: usize = lists
            .iter()
            .zip(parts)
            .filter_map(|(list, part)| list.as_ref().map(|list| list.count.saturating_sub(dead(list, part))))
            .sum();
        let (all, holding) = (chunks as f32, holding as f32);
        // The variant that is never negative.
        let idf = group.weight * ((all - holding + 0.5) / (holding + 0.5)).ln_1p();
        (holding > 0.0).then_some(Self { group, idf, lists })
    }
}

/// One term's postings as they are; those of several terms as one list without deleted chunks.
fn list_of<'a>(group: &Group, part: &Part<'a>) -> Option<List<'a>> {
    if let [term] = group.terms.as_slice() {
        return part.words.list(term);
    }
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for list in group.terms.iter().filter_map(|term| part.words.list(term)) {
        list.each(|chunk, frequency| {
            if !part.deleted.chunks().contains(chunk as usize) {
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
    Some(List { number: None, count: joined.len(), source: Source::Joined(joined) })
}

struct Scoring<'a> {
    part: &'a Part<'a>,
    average: f32,
    /// With the weight of each word, the rarest first.
    lists: Vec<(f32, &'a List<'a>)>,
}

impl Scoring<'_> {
    /// Pushes this part's chunks and says how many matched.
    fn run(&self, limit: usize, counted: usize, best: &mut Best) -> usize {
        let mut scores = vec![0f32; self.part.keys.len()];
        if let Some(wanted) = self.part.wanted.filter(|wanted| wanted.count() * FEW < self.part.keys.len()) {
            return self.run_among(wanted, &mut scores, best);
        }
        let mut met: Vec<u32> = Vec::new();
        let mut left = self.bounds();
        let mut rest = self.lists.as_slice();
        while let Some(((idf, list), later)) = rest.split_first() {
            if counted + met.len() >= COUNTED
                && left.first().copied().unwrap_or_default() * SLACK < self.floor(limit, &scores, &met, best)
            {
                break;
            }
            list.each(|chunk, frequency| self.add(*idf, chunk, frequency, &mut scores, Some(&mut met)));
            rest = later;
            left.remove(0);
        }
        let total = met.len();
        if !rest.is_empty() {
            met.sort_unstable();
        }
        while let Some(((idf, list), later)) = rest.split_first() {
            let floor = self.floor(limit, &scores, &met, best);
            let hope = left.first().copied().unwrap_or_default() * SLACK;
            met.retain(|chunk| {
                scores.get(*chunk as usize).is_some_and(|score| score * SLACK + hope >= floor)
            });
            self.complete(*idf, list, &met, &mut scores);
            rest = later;
            left.remove(0);
        }
        self.push(&met, &scores, best);
        total
    }

    /// The same where few chunks may be found: blocks of postings without such a chunk are skipped.
    fn run_among(&self, wanted: &Bitmap, scores: &mut [f32], best: &mut Best) -> usize {
        let mut among: Vec<u32> = wanted.iter().map(|row| row as u32).collect();
        for (idf, list) in &self.lists {
            self.complete(*idf, list, &among, scores);
        }
        among.retain(|chunk| scores.get(*chunk as usize).is_some_and(|score| *score > 0.0));
        self.push(&among, scores, best);
        among.len()
    }

    fn push(&self, met: &[u32], scores: &[f32], best: &mut Best) {
        for chunk in met {
            let (key, score) = (self.part.keys.get(*chunk as usize), scores.get(*chunk as usize));
            if let (Some(key), Some(score)) = (key, score) {
                best.push(*key, *score);
            }
        }
    }

    fn add(&self, idf: f32, chunk: u32, frequency: u32, scores: &mut [f32], met: Option<&mut Vec<u32>>) {
        let at = chunk as usize;
        if self.part.wanted.is_some_and(|wanted| !wanted.contains(at)) {
            return;
        }
        let (Some(score), Some(length)) = (scores.get_mut(at), self.part.lengths.get(at)) else { return };
        if let Some(met) = met.filter(|_| *score == 0.0) {
            met.push(chunk);
        }
        *score += idf * self.saturation(frequency, *length);
    }

    fn saturation(&self, frequency: u32, length: u32) -> f32 {
        let frequency = frequency as f32;
        let norm = K1 * (1.0 - B + B * length as f32 / self.average);
        frequency * (K1 + 1.0) / (frequency + norm)
    }

    /// For each word on: the most that it and those behind it can add to a chunk.
    fn bounds(&self) -> Vec<f32> {
        let most = |(idf, list): &(f32, &List<'_>)| {
            let worth = |(frequency, length): (u32, u32)| self.saturation(frequency, length);
            let blocks = list.blocks().into_iter().flatten();
            let known = blocks.map(|block| block.most.map_or(K1 + 1.0, worth)).reduce(f32::max);
            idf * known.unwrap_or(K1 + 1.0)
        };
        let mut sum = 0.0;
        let mut bounds: Vec<f32> = self
            .lists
            .iter()
            .rev()
            .map(|word| {
                sum += most(word);
                sum
            })
            .collect();
        bounds.reverse();
        bounds
    }

    /// The score that a chunk must reach to be among the best, as far as is known now.
    fn floor(&self, limit: usize, scores: &[f32], met: &[u32], best: &mut Best) -> f32 {
        let mut own: Vec<f32> = met.iter().filter_map(|chunk| scores.get(*chunk as usize).copied()).collect();
        let here = match limit.checked_sub(1) {
            Some(last) if last < own.len() => *own.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1,
            _ => f32::NEG_INFINITY,
        };
        here.max(best.floor())
    }

    /// Adds a word to chunks that were met, in order, and to no other.
    fn complete(&self, idf: f32, list: &List<'_>, met: &[u32], scores: &mut [f32]) {
        let mut waiting = met;
        let Some(blocks) = list.blocks() else {
            list.each(|chunk, frequency| {
                if met.binary_search(&chunk).is_ok() {
                    self.add(idf, chunk, frequency, scores, None);
                }
            });
            return;
        };
        for block in blocks {
            let passed = waiting.partition_point(|chunk| *chunk < block.start);
            waiting = waiting.within(passed..);
            let Some(first) = waiting.first() else { return };
            if *first >= block.end {
                continue;
            }
            block.decode(|chunk, frequency| {
                while waiting.first().is_some_and(|next| *next < chunk) {
                    waiting = waiting.within(1..);
                }
                if waiting.first() == Some(&chunk) {
                    self.add(idf, chunk, frequency, scores, None);
                }
            });
        }
    }
}
