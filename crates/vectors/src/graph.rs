//! The HNSW graph of a sealed segment (Malkov and Yashunin, "Efficient and robust approximate nearest
//! neighbor search using Hierarchical Navigable Small World graphs", TPAMI 2020). Built by
//! `instant-distance`, searched by our own code, because its search supports neither filters nor `ef` per
//! query.

use super::kernel::dot;
use crate::bitmap::Bitmap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use vademecum_protocol::error::{Error, Result};

/// `efConstruction`: candidates considered per inserted row; more gives a better graph and takes longer.
const EF_CONSTRUCTION: usize = 100;
/// Fixed, so that a single-threaded build is deterministic.
const SEED: u64 = 7;
/// Links kept per node on layer 0, nearest first, of the 64 that are built.
const LINKS: usize = 48;

/// The links of one layer: the neighbours of node `n` are `links[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Layer {
    starts: Vec<u32>,
    links: Vec<u32>,
}

/// A graph over some rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The row of each node. Each upper layer contains a prefix of the nodes.
    rows: Vec<u32>,
    /// From layer 0, which contains all nodes, to the top.
    layers: Vec<Layer>,
}

/// The rows during construction, shared by all points.
struct Arena {
    dimensions: usize,
    rows: Vec<i8>,
    scales: Vec<f32>,
}

#[derive(Clone)]
struct Point {
    arena: Arc<Arena>,
    at: u32,
}

impl instant_distance::Point for Point {
    fn distance(&self, other: &Self) -> f32 {
        let row = |at: u32| {
            let start = at as usize * self.arena.dimensions;
            self.arena.rows.get(start..start + self.arena.dimensions).unwrap_or_default()
        };
        let scale = |at: u32| self.arena.scales.get(at as usize).copied().unwrap_or_default();
        1.0 - dot(row(self.at), row(other.at)) as f32 * scale(self.at) * scale(other.at)
    }
}

impl Serialize for Point {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.at)
    }
}

/// The serialised form of `instant-distance`, which exposes its graph through serde only. 64 links are read
/// as two arrays of 32, which have the same encoding.
#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "ef_search")]
    _ef_search: usize,
    points: Vec<u32>,
    zero: Vec<([u32; 32], [u32; 32])>,
    layers: Vec<Vec<[u32; 32]>>,
}

impl Graph {
    /// Builds the graph over the `present` rows. Takes minutes for tens of thousands of rows.
    pub(super) fn build(
        dimensions: usize,
        rows: Vec<i8>,
        scales: Vec<f32>,
        present: &Bitmap,
    ) -> Option<Self> {
        let arena = Arc::new(Arena { dimensions, rows, scales });
        let points: Vec<Point> =
            present.iter().map(|at| Point { arena: arena.clone(), at: at as u32 }).collect();
        let builder = instant_distance::Builder::default().ef_construction(EF_CONSTRUCTION).seed(SEED);
        let (hnsw, _) = builder.build_hnsw(points);
        let bytes = postcard::to_allocvec(&hnsw).ok()?;
        let wire: Wire = postcard::from_bytes(&bytes).ok()?;
        let zero = wire.zero.iter().map(|(first, second)| first.iter().chain(second).take(LINKS));
        let mut layers = vec![Layer::of(zero)];
        layers.extend(wire.layers.iter().map(|layer| Layer::of(layer.iter().map(|links| links.iter()))));
        Some(Self { rows: wire.points, layers })
    }

    /// Serialises the graph.
    ///
    /// # Errors
    /// [`Error::internal`] if serialisation fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        postcard::to_allocvec(self)
            .map_err(|error| Error::internal(format!("The graph cannot be written: {error}.")))
    }

    /// Reads the output of [`Graph::to_bytes`]; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// Returns whether this is a valid graph over exactly the `present` rows; files are not trusted.
    pub(super) fn fits(&self, present: &Bitmap) -> bool {
        let sound = |layer: &Layer| {
            let nodes = layer.starts.len().saturating_sub(1);
            nodes <= self.rows.len()
                && layer.starts.is_sorted()
                && layer.starts.last().is_some_and(|last| *last as usize == layer.links.len())
                && layer.links.iter().all(|link| (*link as usize) < self.rows.len())
        };
        let mut left = present.clone();
        self.rows.iter().for_each(|row| left.remove(*row as usize));
        left.count() == 0
            && self.rows.len() == present.count()
            && !self.layers.is_empty()
            && self.layers.iter().all(sound)
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        4 * (self.rows.len()
            + self.layers.iter().map(|layer| layer.starts.len() + layer.links.len()).sum::<usize>())
    }

    /// Returns rows near the query with their scores, best first: the best `ef` that the search visited and
    /// that `wanted` contains. `score` returns the similarity of a row to the query.
    pub(super) fn search(
        &self,
        score: &dyn Fn(u32) -> f32,
        wanted: Option<&Bitmap>,
        ef: usize,
    ) -> Vec<(u32, f32)> {
        let Some(entry) = self.rows.first() else { return Vec::new() };
        let mut at = Node { score: score(*entry), node: 0 };
        for layer in self.layers.iter().skip(1).rev() {
            at = self.greedy(layer, at, score);
        }
        let Some(lowest) = self.layers.first() else { return Vec::new() };
        self.best_first(lowest, at, score, wanted, ef)
    }

    fn row(&self, node: u32) -> u32 {
        self.rows.get(node as usize).copied().unwrap_or_default()
    }

    /// Greedy search: moves to the best neighbour until there is no better one.
    fn greedy(&self, layer: &Layer, mut at: Node, score: &dyn Fn(u32) -> f32) -> Node {
        loop {
            let near =
                layer.of_node(at.node).iter().map(|node| Node { score: score(self.row(*node)), node: *node });
            match near.max() {
                Some(best) if best > at => at = best,
                _ => return at,
            }
        }
    }

    /// Best-first search on layer 0, keeping the best `ef` nodes.
    fn best_first(
        &self,
        layer: &Layer,
        from: Node,
        score: &dyn Fn(u32) -> f32,
        wanted: Option<&Bitmap>,
        ef: usize,
    ) -> Vec<(u32, f32)> {
        let mut visited = Bitmap::new(self.rows.len());
        visited.insert(from.node as usize);
        let mut open = BinaryHeap::from([from]);
        let mut nearest = BinaryHeap::from([Reverse(from)]);
        let mut found: BinaryHeap<Reverse<Node>> = BinaryHeap::new();
        let keep = |node: Node, found: &mut BinaryHeap<Reverse<Node>>| {
            if wanted.is_some_and(|wanted| wanted.contains(self.row(node.node) as usize)) {
                found.push(Reverse(node));
                if found.len() > ef {
                    found.pop();
                }
            }
        };
        keep(from, &mut found);
        while let Some(best) = open.pop() {
            let mut worst = nearest.peek().map_or(f32::MIN, |last| last.0.score);
            if best.score < worst && nearest.len() >= ef {
                break;
            }
            for node in layer.of_node(best.node) {
                if !visited.insert(*node as usize) {
                    continue;
                }
                let next = Node { score: score(self.row(*node)), node: *node };
                if nearest.len() < ef || next.score > worst {
                    open.push(next);
                    nearest.push(Reverse(next));
                    if nearest.len() > ef {
                        nearest.pop();
                    }
                    worst = nearest.peek().map_or(f32::MIN, |last| last.0.score);
                    keep(next, &mut found);
                }
            }
        }
        let best = if wanted.is_some() { found } else { nearest };
        best.into_sorted_vec().into_iter().map(|Reverse(one)| (self.row(one.node), one.score)).collect()
    }
}

impl Layer {
    fn of<'a>(nodes: impl Iterator<Item = impl Iterator<Item = &'a u32>>) -> Self {
        let mut layer = Self { starts: vec![0], links: Vec::new() };
        for node in nodes {
            layer.links.extend(node.take_while(|link| **link != u32::MAX));
            layer.starts.push(layer.links.len() as u32);
        }
        layer
    }

    fn of_node(&self, node: u32) -> &[u32] {
        let at = node as usize;
        let range = self.starts.get(at).zip(self.starts.get(at + 1));
        range.and_then(|(start, end)| self.links.get(*start as usize..*end as usize)).unwrap_or_default()
    }
}

/// A visited node, ordered by score.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    score: f32,
    node: u32,
}

impl Eq for Node {}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
