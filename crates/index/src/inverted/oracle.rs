//! Property test of [`search`] against a naive BM25 over all chunks: with deletions, filters, several
//! segments, and lists long enough for blocks to be skipped.

use super::*;
use crate::bitmap::Bitmap;
use crate::deleted::Deleted;
use proptest::prelude::*;

/// A chunk: the frequency of each term, and its state.
#[derive(Debug, Clone)]
struct Chunk {
    counts: Vec<u32>,
    length: u32,
    deleted: bool,
    wanted: bool,
}

struct Stored {
    words: InvertedIndex,
    lengths: Vec<u32>,
    keys: Vec<u32>,
    deleted: Deleted,
    wanted: Bitmap,
}

fn term(at: usize) -> String {
    format!("t{at}")
}

fn stored(chunks: &[Chunk], first: u32, sealed: bool) -> Stored {
    let mut open = OpenInvertedIndex::default();
    for (row, chunk) in chunks.iter().enumerate() {
        for (at, count) in chunk.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let number = open.number(&term(at));
            open.count(number, row as u32, *count);
        }
    }
    let lengths: Vec<u32> = chunks.iter().map(|chunk| chunk.length).collect();
    let mut words = InvertedIndex::Open(open);
    if sealed {
        words = InvertedIndex::Sealed(words.sealed(&|row| lengths[row as usize]));
    }
    let mut deleted = Deleted::default();
    for (row, chunk) in chunks.iter().enumerate().filter(|(_, chunk)| chunk.deleted) {
        let held = chunk.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let numbers: Vec<u32> = held.filter_map(|(at, _)| words.number(&term(at))).collect();
        deleted.document(row as u32);
        deleted.chunk(row as u32, chunk.length, numbers.into_iter());
    }
    let wanted = chunks.iter().enumerate().filter(|(_, one)| one.wanted && !one.deleted);
    let wanted = wanted.map(|(row, _)| row).collect();
    let keys = (first..).take(chunks.len()).collect();
    Stored { words, lengths, keys, deleted, wanted }
}

/// Scores all admitted chunks that contain a term, best first.
fn naive(chunks: &[Chunk], asked: &[Vec<usize>]) -> Vec<(u32, f64)> {
    let live: Vec<&Chunk> = chunks.iter().filter(|chunk| !chunk.deleted).collect();
    let all = live.len() as f64;
    let average = (live.iter().map(|one| f64::from(one.length)).sum::<f64>() / all.max(1.0)).max(1.0);
    let frequency =
        |chunk: &Chunk, word: &[usize]| f64::from(word.iter().map(|at| chunk.counts[*at]).sum::<u32>());
    let idf: Vec<f64> = asked
        .iter()
        .map(|word| {
            let df = live.iter().filter(|chunk| frequency(chunk, word) > 0.0).count() as f64;
            (1.0 + (all - df + 0.5) / (df + 0.5)).ln()
        })
        .collect();
    let score = |chunk: &Chunk| -> f64 {
        let norm = 1.2 * (0.25 + 0.75 * f64::from(chunk.length) / average);
        let of = |(word, idf): (&Vec<usize>, &f64)| {
            let frequency = frequency(chunk, word);
            idf * frequency * 2.2 / (frequency + norm)
        };
        asked.iter().zip(&idf).map(of).sum()
    };
    let wanted = chunks.iter().enumerate().filter(|(_, one)| one.wanted && !one.deleted);
    let mut found: Vec<(u32, f64)> = wanted.map(|(key, chunk)| (key as u32, score(chunk))).collect();
    found.retain(|one| one.1 > 0.0);
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

fn chunks(count: usize, seed: u64, every_one_wanted: bool) -> Vec<Chunk> {
    let mut state = seed;
    let mut next = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    (0..count)
        .map(|_| {
            // The first terms are in nearly every chunk, the last in few.
            let counts: Vec<u32> = [1u64, 2, 2, 5, 40, 300]
                .map(|rare| if next(rare) == 0 { 1 + next(4) as u32 } else { 0 })
                .into();
            let length = counts.iter().sum::<u32>() + next(60) as u32;
            Chunk { counts, length, deleted: next(9) == 0, wanted: every_one_wanted || next(4) > 0 }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn pruned_search_returns_what_a_naive_bm25_returns(
        count in prop_oneof![1usize..300, 1500usize..4000],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        seed in any::<u64>(), all in any::<bool>(), last_is_open in any::<bool>(),
        limit in prop_oneof![1usize..12, Just(100), Just(10_000)],
        asked in prop::collection::vec(prop::sample::subsequence(vec![0usize, 1, 2, 3, 4, 5], 1..3), 1..6),
    ) {
        let chunks = chunks(count, seed, all);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(count)).chain([0, count]).collect();
        cuts.sort_unstable();
        let ranges: Vec<(usize, usize)> = cuts.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let stored: Vec<Stored> = ranges
            .iter()
            .map(|(from, to)| stored(&chunks[*from..*to], *from as u32, *to < count || !last_is_open))
            .collect();
        let parts: Vec<SegmentReader<'_>> = stored
            .iter()
            .map(|one| SegmentReader {
                words: &one.words,
                lengths: &one.lengths,
                length: one.lengths.iter().map(|length| u64::from(*length)).sum(),
                keys: &one.keys,
                deleted: &one.deleted,
                filter: Some(&one.wanted),
            })
            .collect();
        let mut asked = asked;
        asked.sort();
        asked.dedup();
        let named = |word: &Vec<usize>| word.iter().map(|at| term(*at)).collect();
        let query = KeywordQuery { words: asked.iter().map(named).collect(), ..KeywordQuery::default() };
        let files: Vec<_> = stored.iter().map(|one| (&one.words, &one.deleted)).collect();
        let (found, total) = search(&parts, &groups(&query, &files), limit);
        let expected = naive(&chunks, &asked);
        prop_assert_eq!(found.len(), expected.len().min(limit));
        if expected.len() <= 1000 {
            prop_assert_eq!(total, expected.len());
        } else {
            prop_assert!((1000..=expected.len()).contains(&total));
        }
        for ((key, score), (_, best)) in found.iter().zip(&expected) {
            let own = expected.iter().find(|one| one.0 == *key).map(|one| one.1);
            let own = own.ok_or_else(|| TestCaseError::fail("a chunk that was not to be found"))?;
            prop_assert!((own - f64::from(*score)).abs() < 1e-4, "{} scores {}, not {}", key, score, own);
            prop_assert!((own - best).abs() < 1e-4, "{} is in the place of a better one", key);
        }
    }
}
