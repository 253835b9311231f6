//! The vectors of a segment: int8 rows with a scale each, one-bit sketches, perhaps the f32 rows as well, perhaps
//! an HNSW graph. And what searching them shares with searching words: sets of rows, and the best few of many.
//!
//! A crate of its own, because what is run a million times over is compiled for speed, and everything else of a wasm module for
//! size: cargo knows that difference by crates alone.

pub mod bitmap;
mod graph;
mod kernel;
mod method;
mod sketch;
pub mod top;

pub use graph::Graph;
pub use method::{GRAPH_FROM, Method};

use bitmap::Bitmap;
use kernel::{Question, dot_f32, dot_mixed, largest};
use sketch::Sketches;
use std::rc::Rc;
use top::Best;
use vademecum_util::within::Within;

/// A vector that does not go with the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongShape {
    /// What would have been accepted.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl From<WrongShape> for vademecum_protocol::Error {
    fn from(wrong: WrongShape) -> Self {
        Self::VectorShape { expected: wrong.expected, got: wrong.got }
    }
}

/// A result whose error is [`WrongShape`].
pub type Result<T> = std::result::Result<T, WrongShape>;

/// How a question wants its vectors searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// The method, where the rule is not to choose.
    pub method: Option<Method>,
    /// How many nodes the walk over a graph keeps in sight.
    pub ef: Option<usize>,
    /// How many rows the sketches leave for a closer look.
    pub candidates: Option<usize>,
}

/// What a search over one segment gave.
#[derive(Debug, Clone, Default)]
pub struct Nearest {
    /// Rows with their cosines, best first.
    pub rows: Vec<(u32, f32)>,
    /// How it was done; none where there was nothing to search.
    pub method: Option<Method>,
}

/// Bytes the vectors take in memory, by what for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Memory {
    /// int8 rows with their scales, and f32 rows where they are kept.
    pub vectors: usize,
    /// Sketches.
    pub sketch: usize,
    /// Graphs.
    pub graph: usize,
}

/// The vectors of a segment, by row; a row without one is all zero.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    dimensions: usize,
    rows: Vec<i8>,
    scales: Vec<f32>,
    present: Bitmap,
    /// Rows as they came, for rescoring.
    exact: Option<Vec<f32>>,
    sketches: Option<Rc<Sketches>>,
    graph: Option<Rc<Graph>>,
}

impl Vectors {
    /// None yet, of any length; with `exact`, f32 rows are kept beside the int8 ones.
    pub fn new(exact: bool) -> Self {
        Self { exact: exact.then(Vec::new), ..Self::default() }
    }

    /// The length of each, 0 while there is none.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Which rows have a vector.
    pub fn present(&self) -> &Bitmap {
        &self.present
    }

    /// Gives `row` its unit vector. Sketches and graph, which do not know it, are dropped.
    ///
    /// # Errors
    /// [`WrongShape`] for another length than the rows have, or a number that is not finite.
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

    /// The vector that a row stands for, if it has one.
    pub fn vector(&self, row: usize) -> Option<Vec<f32>> {
        self.present.contains(row).then(|| dequantised(self.row(row), self.scale(row)))
    }

    /// A row by itself, if it has a vector.
    pub fn alone(&self, row: usize) -> Option<Self> {
        let mut one = Self::new(self.exact.is_some());
        one.copy(0, self, row);
        self.present.contains(row).then_some(one)
    }

    /// Copies a row out of other vectors of the same length, if it has one there.
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
            // Rows that were saved without their f32 numbers have those that int8 left of them.
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

    /// Makes room for `rows` rows.
    fn grow(&mut self, rows: usize) {
        if rows > self.scales.len() {
            self.rows.resize(rows * self.dimensions, 0);
            self.scales.resize(rows, 0.0);
            self.present.grow(rows);
        }
    }

    /// How many rows with a vector are wanted.
    fn wanted(&self, wanted: Option<&Bitmap>) -> usize {
        let mut rows = self.present.clone();
        wanted.into_iter().for_each(|wanted| rows.intersect(wanted));
        rows.count()
    }

    fn row(&self, row: usize) -> &[i8] {
        let start = row * self.dimensions;
        self.rows.within(start..start + self.dimensions)
    }

    fn scale(&self, row: usize) -> f32 {
        self.scales.get(row).copied().unwrap_or_default()
    }

    /// Makes the sketches, once all vectors are there.
    pub fn seal(&mut self) {
        if self.sketches.is_none() && self.dimensions > 0 {
            self.rows.shrink_to_fit();
            self.sketches =
                Some(Rc::new(Sketches::of(self.dimensions, &self.rows, &self.scales, &self.present)));
        }
    }

    /// Whether sketches are made.
    pub fn is_sealed(&self) -> bool {
        self.sketches.is_some()
    }

    /// The graph, if it is built.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_deref()
    }

    /// Builds a graph over the rows. Slow: it belongs in a thread or worker of its own.
    pub fn build_graph(&self) -> Option<Graph> {
        Graph::build(self.dimensions, self.rows.clone(), self.scales.clone(), &self.present)
    }

    /// Takes a graph in use; whether it fits these rows.
    pub fn set_graph(&mut self, graph: Graph) -> bool {
        let fits = graph.fits(&self.present);
        if fits {
            self.graph = Some(Rc::new(graph));
        }
        fits
    }

    /// As named parts of a file.
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

    /// Back from the parts of a file; none where they do not fit together. f32 rows are kept where `exact` says so
    /// and they are there.
    #[inline(never)] // where the rest is compiled for size, this would be too
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
        let fits = (1..=MOST_DIMENSIONS).contains(&dimensions)
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

    /// Bytes it takes in memory.
    pub fn memory(&self) -> Memory {
        Memory {
            vectors: self.rows.len()
                + 4 * self.scales.len()
                + self.exact.as_ref().map_or(0, |rows| 4 * rows.len()),
            sketch: self.sketches.as_ref().map_or(0, |sketches| 8 * sketches.bits.len()),
            graph: self.graph.as_ref().map_or(0, |graph| graph.memory()),
        }
    }

    /// The `limit` rows with the highest cosines, of those `wanted` (all, where absent) that reach `threshold`.
    ///
    /// # Errors
    /// [`WrongShape`] where the question's vector has another length than the rows.
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
            wanted: wanted.map_or(rows, |_| self.wanted(wanted)),
            has_sketches: self.sketches.is_some(),
            has_graph: self.graph.is_some(),
        };
        let mut method = method::choose(effort.method, situation);
        let asked = Asked::of(self, question);
        let candidates = match (method, &self.sketches, &self.graph) {
            (Method::Sketch, Some(sketches), _) => {
                let share = effort.candidates.unwrap_or_else(|| sketch_candidates(rows, limit)).min(rows);
                let cut = sketches.nearest(question, wanted, &self.present, share);
                asked.fetch(&cut);
                let mut best = Best::new(asked.kept(limit));
                cut.into_iter().for_each(|row| best.push(row, asked.score(row)));
                best.into_sorted()
            }
            (Method::Hnsw, _, Some(graph)) => {
                let ef = effort.ef.unwrap_or_else(|| walk_ef(limit)).clamp(limit, rows);
                // Rows that are met and not wanted take places: the rarer the wanted, the further it must look.
                let rarity = rows.div_ceil(situation.wanted.max(1)).min(8);
                let ef = ef.saturating_mul(rarity);
                let mut found = graph.search(&|row| asked.score(row), wanted, ef);
                found.truncate(asked.kept(limit));
                if found.len() < limit && found.len() < self.wanted(wanted) {
                    // The walk met too few that are wanted, or could not reach them.
                    method = Method::Exact;
                    found = asked.scan(limit, wanted);
                }
                found
            }
            _ => asked.scan(limit, wanted),
        };
        Ok(Nearest { rows: asked.best(candidates, limit, threshold), method: Some(method) })
    }
}

/// How many rows the sketches leave: measured for recall of 0.98 and more on embeddings (docs/benchmarks.md).
fn sketch_candidates(rows: usize, limit: usize) -> usize {
    limit.saturating_mul(12).max(rows / 64).max(256)
}

/// How many nodes a walk keeps in sight unless told.
fn walk_ef(limit: usize) -> usize {
    limit.saturating_mul(2).max(64)
}

/// A question at one segment.
struct Asked<'a> {
    vectors: &'a Vectors,
    question: &'a [f32],
    rounded: Question,
}

impl<'a> Asked<'a> {
    fn of(vectors: &'a Vectors, question: &'a [f32]) -> Self {
        Self { vectors, question, rounded: Question::of(question) }
    }

    /// The cosine with the row in int8.
    fn score(&self, row: u32) -> f32 {
        let row = row as usize;
        self.rounded.dot(self.vectors.row(row)) * self.vectors.scale(row)
    }

    /// Reads a byte of every cache line of `rows`, which memory delivers many at a time: row by row, scoring would
    /// wait for each.
    fn fetch(&self, rows: &[u32]) {
        let lines = rows.iter().flat_map(|row| self.vectors.row(*row as usize).iter().step_by(CACHE_LINE));
        std::hint::black_box(lines.fold(0i8, |sum, byte| sum ^ byte));
    }

    /// How many of those scored must be kept for the best `limit` to be among them.
    fn kept(&self, limit: usize) -> usize {
        if self.vectors.exact.is_some() { limit.saturating_mul(2).saturating_add(16) } else { limit }
    }

    /// The best `limit` of candidates, by the question's own numbers, and by the rows as they came where those are kept.
    fn best(&self, candidates: Vec<(u32, f32)>, limit: usize, threshold: f32) -> Vec<(u32, f32)> {
        let mut best = Best::new(limit);
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

    /// Every row that may be among the best: what rounding can have cost is added to its score.
    fn scan(&self, limit: usize, wanted: Option<&Bitmap>) -> Vec<(u32, f32)> {
        let Vectors { present, dimensions, rows, scales, exact, .. } = self.vectors;
        // No number of a row is off by more than half a step. Question and row have length 1, but for rounding.
        let rows_error = exact.as_ref().map_or(0.0, |_| 0.5 * largest(scales) * (*dimensions as f32).sqrt());
        let margin = 2.0 * 1.1 * (self.rounded.error(*dimensions) + rows_error);
        let mut best = Best::with_margin(limit, margin);
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

/// Bytes that memory delivers together.
const CACHE_LINE: usize = 64;

/// No encoder gives more; distances of sketches are counted in 16 bits.
const MOST_DIMENSIONS: usize = 32_768;

/// Whether `vector` is what rows of `dimensions` are compared with.
fn check(dimensions: usize, vector: &[f32]) -> Result<()> {
    if dimensions > MOST_DIMENSIONS {
        let expected = format!("at most {MOST_DIMENSIONS} numbers a text");
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

/// The nearest int8 row, and what to multiply it with to have the vector again.
fn quantised(vector: &[f32]) -> (Vec<i8>, f32) {
    let scale = largest(vector) / 127.0;
    let factor = if scale > 0.0 { scale.recip() } else { 0.0 };
    // Ties to even: one instruction, where rounding them away from zero is a call.
    (vector.iter().map(|value| (value * factor).round_ties_even() as i8).collect(), scale)
}

/// The vector that an int8 row stands for.
fn dequantised(row: &[i8], scale: f32) -> Vec<f32> {
    row.iter().map(|value| scale * f32::from(*value)).collect()
}
