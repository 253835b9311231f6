//! Merges segments: drops deleted documents and keeps the number of segments small.

use super::inverted::{InvertedIndex, InvertedMerger, OpenInvertedIndex};
use super::segment::{Segment, SegmentId, WordCache};
use futures_util::future::LocalBoxFuture;
use std::borrow::Cow;
use std::rc::Rc;
use vademecum_text::terms::Rule;
use vademecum_util::vec_map;

/// Number of segments of similar size that are merged into one.
const FACTOR: usize = 8;
/// A segment is rewritten if more than one in this many of its chunks is deleted.
const DEAD_SHARE: usize = 3;
/// Number of terms, or documents, that are merged between two yields.
const STRIDE: usize = 256;

/// Yields to other tasks.
pub type Breathe<'a> = &'a dyn Fn() -> LocalBoxFuture<'static, ()>;

/// Selects the segments to merge next: one with many deleted chunks, at least [`FACTOR`] segments up to a
/// size class, or small ones that are large enough for a graph together. A segment with a graph is
/// merged as late as possible, because building a graph takes minutes. Segments that are merged have at most `most` bytes of texts and
/// postings together, because a merge reads all of them into memory.
pub(super) fn candidates(
    segments: &[Rc<Segment>],
    graph_from: usize,
    #[cfg(feature = "paging")] most: usize,
) -> Option<Vec<Rc<Segment>>> {
    let dead = |segment: &&Rc<Segment>| segment.deleted.chunks().count() * DEAD_SHARE > segment.len();
    if let Some(segment) = segments.iter().find(dead) {
        return Some(vec![segment.clone()]);
    }
    let class = |segment: &Rc<Segment>| (segment.live().max(1)).ilog2() / FACTOR.ilog2();
    let mut classes: Vec<u32> = segments.iter().map(class).collect();
    classes.sort_unstable();
    classes.dedup();
    let crowded = classes.into_iter().find_map(|wanted| {
        let alike: Vec<_> = segments.iter().filter(|segment| class(segment) <= wanted).cloned().collect();
        let large = alike.iter().filter(|segment| segment.live() >= graph_from).count();
        #[cfg(feature = "paging")]
        let alike = within(alike, most);
        (alike.len() >= FACTOR && large < FACTOR / 2).then_some(alike)
    });
    crowded.or_else(|| {
        // Together they are large enough for a graph, which none of them is alone.
        let small: Vec<_> = segments.iter().filter(|segment| segment.live() < graph_from).cloned().collect();
        #[cfg(feature = "paging")]
        let small = within(small, most);
        let together: usize = small.iter().map(|segment| segment.live()).sum();
        (small.len() > 1 && together >= graph_from).then_some(small)
    })
}

/// Returns those of the segments, in order, that have at most `most` bytes of texts and postings together.
#[cfg(feature = "paging")]
fn within(segments: Vec<Rc<Segment>>, most: usize) -> Vec<Rc<Segment>> {
    let mut left = most;
    let mut fits = |segment: &Rc<Segment>| {
        let rest = left.checked_sub(segment.content());
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    segments.into_iter().filter(|segment| fits(segment)).collect()
}

/// Merges the live documents of `sources` into one segment. The sources are snapshots: [`catch_up`] applies
/// later changes.
pub(super) async fn merge(
    sources: &[Rc<Segment>],
    id: SegmentId,
    exact: bool,
    breathe: Breathe<'_>,
) -> Segment {
    let mut merged = Segment::empty(id, exact);
    let mut documents = super::documents::Documents::default();
    // Documents are ordered by the key of their first chunk, which keeps keys sorted.
    let mut order: Vec<(u32, usize, u32)> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        for (row, document) in source.live_documents() {
            let first = source.keys.get(document.row.chunks.start as usize);
            order.push((first.copied().unwrap_or_default(), at, row));
        }
    }
    order.sort_unstable();
    let mut moved: Vec<Vec<Option<u32>>> = sources.iter().map(|source| vec![None; source.len()]).collect();
    let mut keys = Vec::new();
    // Those in files are read whole. A failed read is recorded, and [`MergeJob::run`](super::MergeJob::run) then discards the merge.
    let texts = sources.iter().map(|source| source.documents.text.whole().unwrap_or_default());
    let texts: Vec<Cow<'_, str>> = texts.collect();
    for (count, (_, at, row)) in order.into_iter().enumerate() {
        let (Some(source), Some(text)) = (sources.get(at), texts.get(at)) else { continue };
        let Some(document) = source.documents.rows.get(row as usize) else { continue };
        for chunk in document.chunks.clone() {
            if let Some(slot) = moved.get_mut(at).and_then(|moved| moved.get_mut(chunk as usize)) {
                *slot = Some(keys.len() as u32);
            }
            keys.extend(source.keys.get(chunk as usize));
        }
        documents.take(&source.documents, text, document);
        if count % STRIDE == STRIDE - 1 {
            breathe().await;
        }
    }
    drop(texts);
    let lengths = documents.lengths.clone();
    let length = |chunk: u32| lengths.get(chunk as usize).copied().unwrap_or_default();
    let mut words = Vec::with_capacity(sources.len());
    for source in sources {
        words.push(by_current_rule(source, breathe).await);
    }
    let sealed = words.iter().zip(&moved).filter_map(|(words, moved)| match &**words {
        InvertedIndex::Sealed(words) => Some((words, moved.as_slice())),
        InvertedIndex::Open(_) => None, // the tail is never merged
    });
    let mut merging = InvertedMerger::of(sealed);
    let mut count = 0;
    while merging.step(&length) {
        count += 1;
        if count % STRIDE == 0 {
            breathe().await;
        }
    }
    merged.words = Rc::new(InvertedIndex::Sealed(merging.finish()));
    // Sorted lists instead of hash sets, whose code is compiled for every type.
    let live = vec_map::set(keys.iter().copied());
    let own = vec_map::set(sources.iter().flat_map(|source| source.keys.iter().copied()));
    let has = |list: &[u32], key: &u32| list.binary_search(key).is_ok();
    // Mentions by chunks of other segments are kept; whether those are live is checked when they are
    // resolved.
    let names = sources.iter().flat_map(|source| source.names.all());
    Rc::make_mut(&mut merged.names).extend(names.filter(|(key, _)| has(&live, key) || !has(&own, key)));
    for (source, moved) in sources.iter().zip(&moved) {
        copy_vectors(&mut merged, source, moved, |_| true);
        breathe().await;
    }
    merged.documents = Rc::new(documents);
    merged.keys = Rc::new(keys);
    seal_vectors(&mut merged);
    merged
}

/// Returns the inverted index of a segment, built again if that was by another rule.
async fn by_current_rule(source: &Segment, breathe: Breathe<'_>) -> Rc<InvertedIndex> {
    if source.rule == Rule::CURRENT {
        #[cfg(feature = "paging")]
        if let Some(words) = source.words.in_memory() {
            return Rc::new(words);
        }
        return source.words.clone();
    }
    let (mut open, mut cache) = (OpenInvertedIndex::default(), WordCache::default());
    for row in 0..source.len() {
        source.index_again(row as u32, &mut open, &mut cache);
        if row % STRIDE == STRIDE - 1 {
            breathe().await;
        }
    }
    let lengths = &source.documents.lengths;
    let length = |chunk: u32| lengths.get(chunk as usize).copied().unwrap_or_default();
    Rc::new(InvertedIndex::Sealed(InvertedIndex::Open(open).sealed(&length)))
}

/// Applies to a merged segment what changed in its sources since the merge began: `then` are the sources as
/// merged, `now` as they are.
pub(super) fn catch_up(merged: &mut Segment, then: &[Rc<Segment>], now: &[Rc<Segment>]) {
    for source in now {
        let Some(before) = then.iter().find(|one| one.id == source.id) else { continue };
        let gone: Vec<u32> = source
            .deleted
            .documents()
            .iter()
            .filter(|row| !before.deleted.documents().contains(*row))
            .filter_map(|row| {
                let first = source.documents.rows.get(row)?.chunks.start;
                let key = *source.keys.get(first as usize)?;
                let chunk = merged.keys.binary_search(&key).ok()?;
                Some(merged.documents.chunks.get(chunk)?.document)
            })
            .collect();
        gone.into_iter().for_each(|row| {
            merged.delete(row);
        });
        let moved: Vec<Option<u32>> =
            source.keys.iter().map(|key| merged.keys.binary_search(key).ok().map(|row| row as u32)).collect();
        let had = before.vectors.present().clone();
        copy_vectors(merged, source, &moved, |row| !had.contains(row));
        let late: Vec<(u32, u64)> = source.names.all().collect();
        if late.len() != before.names.all().count() {
            Rc::make_mut(&mut merged.names).extend(late);
        }
    }
    seal_vectors(merged);
    merged.versions = super::segment::Versions::default();
}

fn copy_vectors(
    merged: &mut Segment,
    source: &Segment,
    moved: &[Option<u32>],
    wanted: impl Fn(usize) -> bool,
) {
    for row in source.vectors.present().iter().filter(|row| wanted(*row)) {
        if let Some(to) = moved.get(row).copied().flatten() {
            Rc::make_mut(&mut merged.vectors).copy(to as usize, &source.vectors, row);
            if source.truncated.contains(row) {
                Rc::make_mut(&mut merged.truncated).insert(to as usize);
            }
        }
    }
}

/// Seals the vectors (builds sketches) once the last one is set.
pub(super) fn seal_vectors(segment: &mut Segment) {
    let all = segment.embedded() == segment.live() && segment.live() > 0;
    if all && !segment.vectors.is_sealed() {
        Rc::make_mut(&mut segment.vectors).seal();
    }
}
