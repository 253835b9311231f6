//! Unit vectors in one flat array, searched by scanning all of them: exact, and fast enough for what fits a tab.

use super::ChunkKey;
use crate::error::{Error, Result};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct FlatVectors {
    dimensions: usize,
    /// Row after row, `dimensions` each.
    values: Vec<f32>,
    row_of: HashMap<ChunkKey, usize>,
    free: Vec<usize>,
}

impl FlatVectors {
    pub(super) fn contains(&self, key: ChunkKey) -> bool {
        self.row_of.contains_key(&key)
    }

    pub(super) fn set(&mut self, key: ChunkKey, vector: &[f32]) -> Result<()> {
        if self.row_of.is_empty() && self.dimensions != vector.len() {
            // Nothing is kept in the old length: another embedder may begin anew.
            *self = Self { dimensions: vector.len(), ..Self::default() };
        }
        self.check(vector)?;
        let row = match self.row_of.get(&key) {
            Some(row) => *row,
            None => self.free.pop().unwrap_or(self.values.len() / self.dimensions.max(1)),
        };
        let start = row * self.dimensions;
        self.values.resize(self.values.len().max(start + self.dimensions), 0.0);
        if let Some(slot) = self.values.get_mut(start..start + self.dimensions) {
            slot.copy_from_slice(vector);
        }
        self.row_of.insert(key, row);
        Ok(())
    }

    pub(super) fn remove(&mut self, key: ChunkKey) {
        self.free.extend(self.row_of.remove(&key));
    }

    /// Every wanted chunk with its cosine, where that reaches `threshold`, in no order.
    pub(super) fn search(
        &self,
        question: &[f32],
        threshold: f32,
        wanted: &dyn Fn(ChunkKey) -> bool,
    ) -> Result<Vec<(ChunkKey, f32)>> {
        if self.row_of.is_empty() {
            return Ok(Vec::new());
        }
        self.check(question)?;
        let scored = self.row_of.iter().filter(|(key, _)| wanted(**key)).filter_map(|(key, row)| {
            let start = row * self.dimensions;
            let score = dot(self.values.get(start..start + self.dimensions)?, question);
            (score >= threshold).then_some((*key, score))
        });
        Ok(scored.collect())
    }

    fn check(&self, vector: &[f32]) -> Result<()> {
        if vector.len() == self.dimensions && vector.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        let got = if vector.len() == self.dimensions {
            "a number that is not finite".to_owned()
        } else {
            format!("{} numbers", vector.len())
        };
        Err(Error::VectorShape { expected: format!("{} finite numbers a text", self.dimensions), got })
    }
}

/// Eight running sums, so that the compiler may use vector registers.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a.zip(b) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<f32>() + rest
}
