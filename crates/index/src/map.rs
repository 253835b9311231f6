//! A map of the chunks: their vectors seen on the plane on which they differ most.
//!
//! That plane is what principal component analysis finds. It is fitted to some of the vectors by power iteration, from
//! the same start each time, so that the same library gives the same map.

use super::searcher::Searcher;
use super::segment::Segment;
use serde::Serialize;
use std::collections::HashSet;

/// Vectors the plane is fitted to: more hardly move it.
const SAMPLE: usize = 1000;
/// Rounds of power iteration. A map needs a plane that keeps nearly the most, not the very most.
const ROUNDS: usize = 20;
/// No distance between unit vectors that would be worth showing.
const NOTHING: f32 = 1e-4;

/// Where the chunks lie.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChunkMap {
    /// How many chunks have a vector; a map of more than its limit shows some of them, evenly chosen.
    pub total: usize,
    /// The share of what distinguishes the vectors that the plane shows, in [0, 1].
    pub explained: f32,
    /// The chunks on it, in the order they were added.
    pub points: Vec<MapPoint>,
}

/// A chunk on the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MapPoint {
    /// The chunk.
    pub chunk_id: String,
    /// Its document,
    pub doc_id: String,
    /// and that document's collection.
    pub collection: String,
    /// From -1 to 1, along the direction in which the vectors differ most.
    pub x: f32,
    /// The same along the direction that comes next, to the same scale.
    pub y: f32,
}

impl Searcher {
    /// A map of the chunks of `collections` (of all where empty) that have a vector, with at most `limit` of them.
    pub fn map(&self, collections: &HashSet<String>, limit: usize) -> ChunkMap {
        let mut rows: Vec<(u32, &Segment, usize)> = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.embedded() > 0) {
            for (row, key) in segment.keys.iter().enumerate() {
                let is_there =
                    segment.vectors.present().contains(row) && !segment.deleted.chunks().contains(row);
                let is_wanted = || {
                    collections.is_empty()
                        || segment
                            .chunk(row as u32)
                            .is_some_and(|chunk| collections.contains(chunk.document.collection()))
                };
                if is_there && is_wanted() {
                    rows.push((*key, segment, row));
                }
            }
        }
        rows.sort_unstable_by_key(|(key, ..)| *key);
        let shown: Vec<_> = evenly(&rows, limit).collect();
        let vector = |(_, segment, row): &&(u32, &Segment, usize)| segment.vectors.vector(*row);
        let plane =
            Plane::of(&evenly(&shown, SAMPLE).copied().filter_map(|one| vector(&one)).collect::<Vec<_>>());
        let mut points: Vec<MapPoint> = shown
            .iter()
            .filter_map(|one| {
                let (x, y) = plane.place(&vector(one)?);
                let chunk = one.1.chunk(one.2 as u32)?;
                Some(MapPoint {
                    chunk_id: chunk.id(),
                    doc_id: chunk.document.id().to_owned(),
                    collection: chunk.document.collection().to_owned(),
                    x,
                    y,
                })
            })
            .collect();
        let reach = points.iter().fold(0f32, |most, point| most.max(point.x.abs()).max(point.y.abs()));
        // Vectors that are all but equal lie on one point: what rounding makes of them is no difference.
        if reach > NOTHING {
            points.iter_mut().for_each(|point| (point.x, point.y) = (point.x / reach, point.y / reach));
        }
        ChunkMap { total: rows.len(), explained: plane.explained, points }
    }
}

/// At most `limit` of the items, as far apart as they can be.
fn evenly<T>(items: &[T], limit: usize) -> impl Iterator<Item = &T> {
    let count = items.len().min(limit);
    // In 64 bits: the product is too large for a browser's 32 from some 65,000 items on.
    let place = move |at: usize| (at as u64 * items.len() as u64 / count as u64) as usize;
    (0..count).filter_map(move |at| items.get(place(at)))
}

/// The plane through the middle of some vectors on which they differ most.
#[derive(Default)]
struct Plane {
    middle: Vec<f32>,
    axes: [Vec<f32>; 2],
    explained: f32,
}

impl Plane {
    fn of(vectors: &[Vec<f32>]) -> Self {
        let Some(first) = vectors.first() else { return Self::default() };
        let mut middle = vec![0.0; first.len()];
        vectors.iter().for_each(|vector| add(&mut middle, vector, 1.0 / vectors.len() as f32));
        let centred: Vec<Vec<f32>> = vectors.iter().map(|vector| difference(vector, &middle)).collect();
        let all: f32 = centred.iter().map(|vector| dot(vector, vector)).sum();
        // Any start will do that is not at right angles to the axis; where all vectors are equal there is none.
        let start = |turn: usize| (0..first.len()).map(|at| 1.0 / (1 + (at + turn) % 7) as f32).collect();
        let mut axes: [Vec<f32>; 2] = [start(0), start(3)];
        let mut kept = 0.0;
        for round in 0..ROUNDS {
            kept = 0.0;
            let [one, two] = &mut axes;
            unit(one);
            make_right_angled(two, one);
            unit(two);
            let mut next = [vec![0.0; first.len()], vec![0.0; first.len()]];
            let [next_one, next_two] = &mut next;
            for vector in &centred {
                let (along_one, along_two) = (dot(vector, one), dot(vector, two));
                kept += along_one * along_one + along_two * along_two;
                add(next_one, vector, along_one);
                add(next_two, vector, along_two);
            }
            if round + 1 < ROUNDS {
                axes = next;
            }
        }
        axes.iter_mut().for_each(|axis| upright(axis));
        Self { middle, axes, explained: if all > NOTHING * NOTHING { (kept / all).min(1.0) } else { 0.0 } }
    }

    fn place(&self, vector: &[f32]) -> (f32, f32) {
        let from_middle = difference(vector, &self.middle);
        let [one, two] = &self.axes;
        (dot(&from_middle, one), dot(&from_middle, two))
    }
}

/// Of the two ways an axis may point, the one in which its largest number is positive.
fn upright(axis: &mut [f32]) {
    let largest =
        axis.iter().copied().fold(0f32, |most, value| if value.abs() > most.abs() { value } else { most });
    if largest < 0.0 {
        axis.iter_mut().for_each(|value| *value = -*value);
    }
}

fn unit(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

fn make_right_angled(vector: &mut [f32], to: &[f32]) {
    let along = dot(vector, to);
    add(vector, to, -along);
}

fn add(sum: &mut [f32], vector: &[f32], times: f32) {
    sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += times * value);
}

fn difference(one: &[f32], other: &[f32]) -> Vec<f32> {
    one.iter().zip(other).map(|(one, other)| one - other).collect()
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
