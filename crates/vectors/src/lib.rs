//! The vectors of a segment, and their search.
//!
//! ```
//! use vademecum_vectors::{Effort, Vectors};
//!
//! let mut vectors = Vectors::new(false);
//! vectors.set(0, &[1.0, 0.0])?;
//! vectors.set(1, &[0.6, 0.8])?;
//! vectors.seal();
//! let nearest = vectors.search(&[0.0, 1.0], 1, 0.5, None, Effort::default())?;
//! assert_eq!(nearest.rows[0].0, 1);
//! # Ok::<(), vademecum_vectors::WrongShape>(())
//! ```
//!
//! **Data flow.** [`Vectors::set`] quantises a unit vector to an int8 row with a scale; f32 rows are kept as
//! well if requested. [`Vectors::seal`] adds one-bit sketches, and [`Vectors::build_graph`] an HNSW
//! [`Graph`]. [`Vectors::search`] chooses a [`Method`]: an exact scan, preselection by sketches, or a graph
//! search. It scores candidates with the query rounded to 16 bits, and rescores the best of them with the
//! original numbers. [`bitmap`], [`sums`] and [`top`], the top-k selection, are for keyword search, too; [`coded`] is for readers
//! with codes of their own.
//!
//! This is a crate of its own because cargo sets the optimisation level per crate: these inner loops are
//! compiled for speed, the rest of a wasm module for size.
//!
//! Start reading at `Vectors::search` and `method.rs`.

pub mod bitmap;
pub mod coded;
mod graph;
mod kernel;
mod method;
mod sketch;
pub mod sums;
pub mod top;

pub use graph::Graph;
pub use method::{GRAPH_FROM, Method};

use bitmap::Bitmap;
use kernel::{QuantisedQuery, dot_f32, dot_mixed, largest};
use sketch::Sketches;
use std::rc::Rc;
use top::TopK;
use vademecum_util::within::Within;

/// A vector that does not match the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongShape {
    /// What is accepted.
    pub expected: String,
    /// What was passed.
    pub got: String,
}

impl From<WrongShape> for vademecum_protocol::Error {
    fn from(wrong: WrongShape) -> Self {
        Self::VectorShape { expected: wrong.expected, got: wrong.got }
    }
}

/// A result whose error is [`WrongShape`].
pub type Result<T> = std::result::Result<T, WrongShape>;

/// Search options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// The search method. Default: chosen by rule.
    pub method: Option<Method>,
    /// `ef` of the graph search: the number of nodes kept.
    pub ef: Option<usize>,
    /// Number of rows preselected by sketches.
    pub candidates: Option<usize>,
}

/// The result of a search in one segment.
#[derive(Debug, Clone, Default)]
pub struct Nearest {
    /// Rows and cosines, best first.
    pub rows: Vec<(u32, f32)>,
    /// The method used; `None` if there was nothing to search.
    pub method: Option<Method>,
}

/// Memory taken by vectors, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memory {
    /// int8 rows with their scales, and f32 rows if kept.
    pub vectors: usize,
    /// Sketches.
    pub sketch: usize,
    /// Graphs.
    pub graph: usize,
}

/// The vectors of a segment by row; a row without a vector is all zero.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    dimensions: usize,
    rows: Vec<i8>,
    scales: Vec<f32>,
    present: Bitmap,
    /// The original f32 rows, for rescoring.
    exact: Option<Vec<f32>>,
    sketches: Option<Rc<Sketches>>,
    graph: Option<Rc<Graph>>,
}

impl Vectors {
    /// Creates an empty set of any dimension. With `exact`, f32 rows are kept beside the int8 ones.
    pub fn new(exact: bool) -> Self {
        Self { exact: exact.then(Vec::new), ..Self::default() }
    }

    /// Returns the number of dimensions, 0 while empty.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the rows that have a vector.
    pub fn present(&self) -> &Bitmap {
        &self.present
    }

    /// Sets the unit vector of `row`. Drops sketches and graph, which become outdated.
    ///
    /// # Errors
    /// [`WrongShape`] if the length differs from that of the other rows, or a number is not finite.
    pub fn set(&mut self, row: usize, vector: &[f32]) -> Result<()> {
        let dimensions = if self.dimensions == 0 { vector.len().max(1) } else { self.dimensions };
        check(dimensions, vector)?;
        self.dimensions = dimensions;
        let (values, scale) = quantised(vector);
        self.put(row, &values, scale);
        if let Some(exact) = &mut self.exact {
            let start = row * self.dimensions;
            exact.resize(exact.len().max(start + self.dimensions), 0.0);
            if let Some(slot) = exact.get_mut(start..start + self.dimensions) {
                slot.copy_from_slice(vector);
            }
        }
        Ok(())
    }

    /// Returns the dequantised vector of a row, if it has one.
    pub fn vector(&self, row: usize) -> Option<Vec<f32>> {
        self.present.contains(row).then(|| dequantised(self.row(row), self.scale(row)))
    }

    /// Returns a copy with a single row, if it has a vector.
    pub fn alone(&self, row: usize) -> Option<Self> {
        let mut one = Self::new(self.exact.is_some());
        one.copy(0, self, row);
        self.present.contains(row).then_some(one)
    }

    /// Copies a row from other vectors of the same length, if it has a vector there.
    pub fn copy(&mut self, row: usize, from: &Self, other: usize) {
        if !from.present.contains(other) || (self.dimensions != 0 && self.dimensions != from.dimensions) {
            return;
        }
        self.dimensions = from.dimensions;
        self.put(row, from.row(other), from.scale(other));
        if let Some(exact) = &mut self.exact {
            let there = from.exact.as_ref().and_then(|rows| {
                let start = other * from.dimensions;
                Some(rows.get(start..start + from.dimensions)?.to_vec())
            });
            // Rows saved without f32 numbers are dequantised.
            let values = there.unwrap_or_else(|| dequantised(from.row(other), from.scale(other)));
            let start = row * self.dimensions;
            exact.resize(exact.len().max(start + self.dimensions), 0.0);
            if let Some(slot) = exact.get_mut(start..start + self.dimensions) {
                slot.copy_from_slice(&values);
            }
        }
    }

    fn put(&mut self, row: usize, values: &[i8], scale: f32) {
        self.grow(row + 1);
        let start = row * self.dimensions;
        if let Some(slot) = self.rows.get_mut(start..start + self.dimensions) {
            slot.copy_from_slice(values);
        }
        if let Some(slot) = self.scales.get_mut(row) {
            *slot = scale;
        }
        self.present.insert(row);
        self.sketches = None;
        self.graph = None;
    }

    /// Grows to at least `rows` rows.
    fn grow(&mut self, rows: usize) {
        if rows > self.scales.len() {
            self.rows.resize(rows * self.dimensions, 0);
            self.scales.resize(rows, 0.0);
            self.present.grow(rows);
        }
    }

    /// Returns the rows with a vector that pass the filter.
    fn wanted(&self, wanted: Option<&Bitmap>) -> Bitmap {
        let mut rows = self.present.clone();
        wanted.into_iter().for_each(|wanted| rows.intersect(wanted));
        rows
    }

    fn row(&self, row: usize) -> &[i8] {
        let start = row * self.dimensions;
        self.rows.within(start..start + self.dimensions)
    }

    fn scale(&self, row: usize) -> f32 {
        self.scales.get(row).copied().unwrap_or_default()
    }

    /// Builds the sketches. Call it once all vectors are set.
    pub fn seal(&mut self) {
        if self.sketches.is_none() && self.dimensions > 0 {
            self.rows.shrink_to_fit();
            self.sketches =
                Some(Rc::new(Sketches::of(self.dimensions, &self.rows, &self.scales, &self.present)));
        }
    }

    /// Returns whether the sketches are built.
    pub fn is_sealed(&self) -> bool {
        self.sketches.is_some()
    }

    /// Returns the graph, if there is one.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_deref()
    }

    /// Builds a graph over the rows. Slow; run it in a thread or worker.
    pub fn build_graph(&self) -> Option<Graph> {
        Graph::build(self.dimensions, self.rows.clone(), self.scales.clone(), &self.present)
    }

    /// Attaches a graph. Returns false if it does not match the rows.
    pub fn set_graph(&mut self, graph: Graph) -> bool {
        let fits = graph.fits(&self.present);
        if fits {
            self.graph = Some(Rc::new(graph));
        }
        fits
    }

    /// Serialises into named sections of a file.
    pub fn sections(&self) -> Vec<(&'static str, Vec<u8>)> {
        let floats =
            |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut sections = vec![
            ("dimensions", (self.dimensions as u32).to_le_bytes().to_vec()),
            ("rows", self.rows.iter().map(|value| *value as u8).collect()),
            ("scales", floats(&self.scales)),
            ("present", words(self.present.words())),
        ];
        sections.extend(self.exact.as_ref().map(|rows| ("exact", floats(rows))));
        if let Some(sketches) = &self.sketches {
            sections.push(("mean", floats(&sketches.mean)));
            sections.push(("sketches", words(&sketches.bits)));
        }
        sections
    }

    /// Reads the sections of a file; `None` if they are inconsistent. With `exact`, f32 rows are kept, or
    /// dequantised if the file has none.
    #[inline(never)] // inlined into another crate, it would be compiled for size
    pub fn from_sections<'a>(section: &dyn Fn(&str) -> Option<&'a [u8]>, exact: bool) -> Option<Self> {
        let floats = |bytes: &[u8]| {
            bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect::<Vec<f32>>()
        };
        let words = |bytes: &[u8]| {
            bytes.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect::<Vec<u64>>()
        };
        let dimensions = u32::from_le_bytes(section("dimensions")?.try_into().ok()?) as usize;
        let rows: Vec<i8> = section("rows")?.iter().map(|byte| *byte as i8).collect();
        let scales = floats(section("scales")?);
        let count = scales.len();
        let sketches = match (section("mean"), section("sketches")) {
            (Some(mean), Some(bits)) => Some(Rc::new(Sketches { mean: floats(mean), bits: words(bits) })),
            _ => None,
        };
        let from_int8 = || {
            let rows = rows.chunks_exact(dimensions.max(1)).zip(&scales);
            rows.flat_map(|(row, scale)| dequantised(row, *scale)).collect()
        };
        let exact = exact.then(|| section("exact").map_or_else(from_int8, floats));
        let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        let fits = (1..=MAX_DIMENSIONS).contains(&dimensions)
            && finite(&scales)
            && exact.as_deref().is_none_or(finite)
            && Some(rows.len()) == count.checked_mul(dimensions)
            && exact.as_ref().is_none_or(|exact| exact.len() <= rows.len())
            && sketches.as_ref().is_none_or(|sketches| {
                sketches.mean.len() == dimensions && sketches.bits.len() == count * sketch::words(dimensions)
            });
        let present = Bitmap::from_words(words(section("present")?), count);
        fits.then_some(Self { dimensions, rows, scales, present, exact, sketches, graph: None })
    }

    /// Returns the size in memory.
    pub fn memory(&self) -> Memory {
        Memory {
            vectors: self.rows.len()
                + 4 * self.scales.len()
                + self.exact.as_ref().map_or(0, |rows| 4 * rows.len()),
            sketch: self.sketches.as_ref().map_or(0, |sketches| 8 * sketches.bits.len()),
            graph: self.graph.as_ref().map_or(0, |graph| graph.memory()),
        }
    }

    /// Returns the `limit` rows with the highest cosines of at least `threshold`, restricted to `wanted`, if
    /// given.
    ///
    /// # Errors
    /// [`WrongShape`] if the query's vector has another length than the rows.
    pub fn search(
        &self,
        question: &[f32],
        limit: usize,
        threshold: f32,
        wanted: Option<&Bitmap>,
        effort: Effort,
    ) -> Result<Nearest> {
        if self.present.count() == 0 || limit == 0 {
            return Ok(Nearest::default());
        }
        check(self.dimensions, question)?;
        let rows = self.present.count();
        let limit = limit.min(rows);
        let situation = method::Situation {
            rows,
            wanted: wanted.map_or(rows, |_| self.wanted(wanted).count()),
            has_sketches: self.sketches.is_some(),
            has_graph: self.graph.is_some(),
        };
        let mut method = method::choose(effort.method, situation);
        let query = SegmentQuery::of(self, question);
        let candidates = match (method, &self.sketches, &self.graph) {
            (Method::Sketch, Some(sketches), _) => {
                let share = effort.candidates.unwrap_or_else(|| default_candidates(rows, limit)).min(rows);
                let cut = sketches.nearest(question, wanted, &self.present, share);
                query.prefetch(&cut);
                let mut best = TopK::new(query.rescored(limit));
                cut.into_iter().for_each(|row| best.push(row, query.score(row)));
                best.into_sorted()
            }
            (Method::Hnsw, _, Some(graph)) => {
                let ef = effort.ef.unwrap_or_else(|| default_ef(limit)).clamp(limit, rows);
                // Visited rows that the filter excludes take up places of `ef`, so a selective filter needs a
                // larger one.
                let rarity = rows.div_ceil(situation.wanted.max(1)).min(8);
                let ef = ef.saturating_mul(rarity);
                let mut found = graph.search(&|row| query.score(row), wanted, ef);
                found.truncate(query.rescored(limit));
                if found.len() < limit && found.len() < self.wanted(wanted).count() {
                    // The search visited too few matching rows, or could not reach them.
                    method = Method::Exact;
                    found = query.scan(limit, wanted);
                }
                found
            }
            // All are scored below.
            _ if situation.wanted <= limit => {
                self.wanted(wanted).iter().map(|row| (row as u32, 0.0)).collect()
            }
            _ => query.scan(limit, wanted),
        };
        Ok(Nearest { rows: query.rescore(candidates, limit, threshold), method: Some(method) })
    }
}

/// Returns the default number of preselected rows: measured for a recall of at least 0.98 on embeddings
/// (docs/benchmarks.md).
fn default_candidates(rows: usize, limit: usize) -> usize {
    limit.saturating_mul(12).max(rows / 64).max(256)
}

/// Returns the default `ef`.
fn default_ef(limit: usize) -> usize {
    limit.saturating_mul(2).max(64)
}

/// A query on one segment.
struct SegmentQuery<'a> {
    vectors: &'a Vectors,
    question: &'a [f32],
    rounded: QuantisedQuery,
}

impl<'a> SegmentQuery<'a> {
    fn of(vectors: &'a Vectors, question: &'a [f32]) -> Self {
        Self { vectors, question, rounded: QuantisedQuery::of(question) }
    }

    /// Returns the cosine with an int8 row.
    fn score(&self, row: u32) -> f32 {
        let row = row as usize;
        self.rounded.dot(self.vectors.row(row)) * self.vectors.scale(row)
    }

    /// Touches every cache line of `rows`, which memory then delivers in parallel; scoring row by row would
    /// wait for each.
    fn prefetch(&self, rows: &[u32]) {
        let lines = rows.iter().flat_map(|row| self.vectors.row(*row as usize).iter().step_by(CACHE_LINE));
        std::hint::black_box(lines.fold(0i8, |sum, byte| sum ^ byte));
    }

    /// Returns the number of candidates to keep for rescoring, so that the best `limit` are among them.
    fn rescored(&self, limit: usize) -> usize {
        if self.vectors.exact.is_some() { limit.saturating_mul(2).saturating_add(16) } else { limit }
    }

    /// Rescores candidates with the unrounded query, and with the f32 rows if kept. Returns the best `limit`.
    fn rescore(&self, candidates: Vec<(u32, f32)>, limit: usize, threshold: f32) -> Vec<(u32, f32)> {
        let mut best = TopK::new(limit);
        for (row, _) in candidates {
            let start = row as usize * self.vectors.dimensions;
            let exact =
                self.vectors.exact.as_ref().and_then(|rows| rows.get(start..start + self.vectors.dimensions));
            let score = match exact {
                Some(exact) => dot_f32(self.question, exact),
                None => {
                    dot_mixed(self.question, self.vectors.row(row as usize))
                        * self.vectors.scale(row as usize)
                }
            };
            if score >= threshold {
                best.push(row, score);
            }
        }
        best.into_sorted()
    }

    /// Scans all rows. Returns those that may be among the best, given the rounding error of their scores.
    fn scan(&self, limit: usize, wanted: Option<&Bitmap>) -> Vec<(u32, f32)> {
        let Vectors { present, dimensions, rows, scales, exact, .. } = self.vectors;
        // Each number of a row is off by at most half a step. Query and row have unit length, up to rounding.
        let rows_error = exact.as_ref().map_or(0.0, |_| 0.5 * largest(scales) * (*dimensions as f32).sqrt());
        let margin = 2.0 * 1.1 * (self.rounded.error(*dimensions) + rows_error);
        let mut best = TopK::with_margin(limit, margin);
        match wanted {
            Some(wanted) => wanted
                .iter()
                .filter(|row| present.contains(*row))
                .for_each(|row| best.push(row as u32, self.score(row as u32))),
            None if present.count() == present.len() => {
                for (row, (one, scale)) in rows.chunks_exact(*dimensions).zip(scales).enumerate() {
                    best.push(row as u32, self.rounded.dot(one) * scale);
                }
            }
            None => present.iter().for_each(|row| best.push(row as u32, self.score(row as u32))),
        }
        best.into_sorted()
    }
}

/// Cache line size in bytes.
const CACHE_LINE: usize = 64;

/// Maximum number of dimensions, more than any encoder's; sketch distances are counted in 16 bits.
const MAX_DIMENSIONS: usize = 32_768;

/// Checks that `vector` can be compared with rows of `dimensions`.
fn check(dimensions: usize, vector: &[f32]) -> Result<()> {
    if dimensions > MAX_DIMENSIONS {
        let expected = format!("at most {MAX_DIMENSIONS} numbers a text");
        return Err(WrongShape { expected, got: format!("{dimensions}") });
    }
    let got = if vector.len() != dimensions {
        format!("{} numbers", vector.len())
    } else if vector.iter().any(|value| !value.is_finite()) {
        "a number that is not finite".to_owned()
    } else {
        return Ok(());
    };
    Err(WrongShape { expected: format!("{dimensions} finite numbers a text"), got })
}

/// Quantises a vector to an int8 row and a scale.
fn quantised(vector: &[f32]) -> (Vec<i8>, f32) {
    let scale = largest(vector) / 127.0;
    let factor = if scale > 0.0 { scale.recip() } else { 0.0 };
    // Ties to even is a single instruction; ties away from zero is a function call.
    (vector.iter().map(|value| (value * factor).round_ties_even() as i8).collect(), scale)
}

/// Restores a vector from its int8 row.
fn dequantised(row: &[i8], scale: f32) -> Vec<f32> {
    row.iter().map(|value| scale * f32::from(*value)).collect()
}
