//! Several segments into one: what was deleted is left behind, small segments do not pile up.

use super::inverted::{Merging, Words};
use super::segment::{Segment, SegmentId};
use futures_util::future::LocalBoxFuture;
use std::collections::HashSet;
use std::rc::Rc;

/// So many segments of like size are merged into one.
const FACTOR: usize = 8;
/// A segment is rewritten when more than one chunk in so many is deleted.
const DEAD_SHARE: usize = 3;
/// Terms, or documents, that are merged before others have a turn.
const STRIDE: usize = 256;

/// Gives others a turn.
pub type Breathe<'a> = &'a dyn Fn() -> LocalBoxFuture<'static, ()>;

/// The segments to merge next, if any: one that is mostly dead, those of the smallest size of which there are too
/// many, or small ones that together are worth a graph.
/// A segment with a graph is large and its graph took minutes: it is left alone for as long as it can be.
pub(super) fn candidates(segments: &[Rc<Segment>], graph_from: usize) -> Option<Vec<Rc<Segment>>> {
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
        (alike.len() >= FACTOR && large < FACTOR / 2).then_some(alike)
    });
    crowded.or_else(|| {
        // Together they are worth a graph, which none of them is alone.
        let small: Vec<_> = segments.iter().filter(|segment| segment.live() < graph_from).cloned().collect();
        let together: usize = small.iter().map(|segment| segment.live()).sum();
        (small.len() > 1 && together >= graph_from).then_some(small)
    })
}

/// Makes one segment of the live documents of `sources`. The sources are snapshots: what changes in them meanwhile
/// is made up for by [`catch_up`].
pub(super) async fn merge(
    sources: &[Rc<Segment>],
    id: SegmentId,
    exact: bool,
    breathe: Breathe<'_>,
) -> Segment {
    let mut merged = Segment::empty(id, exact);
    let mut documents = super::documents::Documents::default();
    // Documents in the order of their first chunks' keys, so that keys grow.
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
    for (count, (_, at, row)) in order.into_iter().enumerate() {
        let Some((source, document)) =
            sources.get(at).and_then(|source| Some((source, source.documents.rows.get(row as usize)?)))
        else {
            continue;
        };
        for chunk in document.chunks.clone() {
            if let Some(slot) = moved.get_mut(at).and_then(|moved| moved.get_mut(chunk as usize)) {
                *slot = Some(keys.len() as u32);
            }
            keys.extend(source.keys.get(chunk as usize));
        }
        documents.take(&source.documents, document);
        if count % STRIDE == STRIDE - 1 {
            breathe().await;
        }
    }
    let lengths = documents.lengths.clone();
    let length = |chunk: u32| lengths.get(chunk as usize).copied().unwrap_or_default();
    let sealed = sources.iter().zip(&moved).filter_map(|(source, moved)| match &*source.words {
        Words::Sealed(words) => Some((words, moved.as_slice())),
        Words::Open(_) => None, // the tail is never merged
    });
    let mut merging = Merging::of(sealed);
    let mut count = 0;
    while merging.step(&length) {
        count += 1;
        if count % STRIDE == 0 {
            breathe().await;
        }
    }
    merged.words = Rc::new(Words::Sealed(merging.finish()));
    let live: HashSet<u32> = keys.iter().copied().collect();
    let own: HashSet<u32> = sources.iter().flat_map(|source| source.keys.iter().copied()).collect();
    // Names of chunks in other segments stay, whether they are alive is found out when they are asked for.
    let names = sources.iter().flat_map(|source| source.names.all());
    Rc::make_mut(&mut merged.names).extend(names.filter(|(key, _)| live.contains(key) || !own.contains(key)));
    for (source, moved) in sources.iter().zip(&moved) {
        copy_vectors(&mut merged, source, moved, |_| true);
        breathe().await;
    }
    merged.documents = Rc::new(documents);
    merged.keys = Rc::new(keys);
    seal_vectors(&mut merged);
    merged
}

/// Applies to a merged segment what its sources have seen since they were taken: `then` is as they were merged,
/// `now` as they are.
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

/// Sketches are made when the last vector is there.
pub(super) fn seal_vectors(segment: &mut Segment) {
    let all = segment.embedded() == segment.live() && segment.live() > 0;
    if all && !segment.vectors.is_sealed() {
        Rc::make_mut(&mut segment.vectors).seal();
    }
}
