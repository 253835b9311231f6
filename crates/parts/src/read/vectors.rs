//! The vector arm: the nearest cells, their sketches, and the rows of the best candidates.

use super::admitted::Admitted;
use super::blocks::Blocks;
use super::tree::Tree;
use crate::block::BlockRef;
use crate::cells::codes::{Centroids, ROWS_PER_BLOCK, SignTable, Sketches, product};
use crate::cells::rotation::Rotation;
use crate::errors::part_damaged;
use crate::manifest::Cells;
use crate::tables::{self, KEYS_PER_BLOCK, cell_key};
use std::cell::RefCell;
use std::rc::Rc;
use vademecum_index::partial::VectorHits;
use vademecum_index::vectors::Method;
use vademecum_index::vectors::top::TopK;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::vec_map;

/// Number of the best candidates by sketch whose rows are read, for a search of one hit; further hits add to it.
const RESCORED: usize = 36;
/// With a filter, cells are read until this many times the hits that are wanted were found.
const FILTERED: usize = 2;
/// A filter that admits at most this many chunks has their cells looked up.
const LOOKED_UP: usize = 4096;

/// The sections of vectors.
pub(crate) struct VectorSections {
    pub(crate) dimensions: usize,
    pub(crate) cells: Cells,
    pub(crate) centroids: Tree,
    pub(crate) sketches: Tree,
    pub(crate) by_key: Tree,
    kept: RefCell<Option<Rc<Centroids>>>,
}

/// What a vector search found.
pub(crate) struct Nearest {
    pub(crate) hits: VectorHits,
    /// The number of cells that could not be read, with the first error.
    pub(crate) unread: Option<(usize, Error)>,
}

/// A vector that may be near.
struct Candidate {
    key: u32,
    score: f32,
    /// The product of the query with the cell's centroid.
    base: f32,
    /// The block of its row, and its place there.
    row: (BlockRef, usize),
}

/// What is wanted of a vector search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Number of hits whose order matters.
    pub(crate) limit: usize,
    /// Number of hits in all, of which those beyond the limit may be scored by their sketch.
    pub(crate) depth: usize,
    pub(crate) threshold: f32,
    pub(crate) probes: Option<usize>,
}

impl VectorSections {
    pub(crate) fn new(dimensions: usize, cells: Cells, trees: [Tree; 3]) -> Self {
        let [centroids, sketches, by_key] = trees;
        Self { dimensions, cells, centroids, sketches, by_key, kept: RefCell::new(None) }
    }

    /// Returns the centroids, which are read once.
    pub(crate) async fn centroids(&self, blocks: &Blocks) -> Result<Rc<Centroids>> {
        if let Some(kept) = &*self.kept.borrow() {
            return Ok(kept.clone());
        }
        let unsound =
            || part_damaged("of centroids", "they do not decode, or are not as many as the manifest says");
        let mut centroids = Centroids::new(self.dimensions);
        for (_, block) in self.centroids.read_range(blocks, (Vec::new(), vec![0xff; 5])).await? {
            centroids.extend(&block).ok_or_else(unsound)?;
        }
        if centroids.len() != self.cells.count as usize {
            return Err(unsound());
        }
        // The directory of sketches is as good as part of the centroids: any question reads pages all over it.
        for found in self.sketches.find(blocks, &[(Vec::new(), vec![0xff; 5])]).await {
            found?;
        }
        let centroids = Rc::new(centroids);
        *self.kept.borrow_mut() = Some(centroids.clone());
        Ok(centroids)
    }

    /// Returns the nearest chunks that are admitted, best first.
    pub(crate) async fn search(
        &self,
        blocks: &Blocks,
        vector: &[f32],
        wanted: Wanted,
        admitted: Option<&Admitted>,
    ) -> Result<Nearest> {
        let mut query = vector.to_vec();
        Rotation::new(self.dimensions).apply(&mut query);
        let centroids = self.centroids(blocks).await?;
        let products: Vec<(f32, f32)> = centroids.products(&query).collect();
        let mut order = TopK::new(products.len());
        // By angle: a cell whose vectors differ has a short centroid, and near vectors among the others.
        let angle = |(product, length): (f32, f32)| product / length.max(f32::MIN_POSITIVE);
        products.iter().enumerate().for_each(|(cell, product)| order.push(cell as u32, angle(*product)));
        let product = |cell: u32| products.get(cell as usize).map_or(0.0, |product| product.0);
        let mut order: Vec<(u32, f32)> =
            order.into_sorted().into_iter().map(|(cell, _)| (cell, product(cell))).collect();
        if let Some(admitted) = admitted.filter(|admitted| admitted.count() <= LOOKED_UP) {
            let cells = self.cells_of(blocks, admitted).await?;
            order.retain(|(cell, _)| cells.binary_search(cell).is_ok());
        }
        let table = SignTable::of(&query);
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut unread: Option<(usize, Error)> = None;
        let mut batch = wanted.probes.unwrap_or(self.cells.probes).max(1);
        let enough = wanted.depth.saturating_mul(FILTERED);
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let (cells, later) = rest.split_at(batch.min(rest.len()));
            rest = later;
            let keys: Vec<Vec<u8>> = cells.iter().map(|(cell, _)| cell_key(*cell)).collect();
            let read = self.sketches.read(blocks, &keys).await;
            for ((found, (_, base)), key) in read.into_iter().zip(cells).zip(&keys) {
                let found = found.and_then(|found| match found.filter(|(first, _)| first == key) {
                    Some((_, block)) => self.add(&block, *base, &table, admitted, &mut candidates),
                    None => Ok(()),
                });
                if let Err(error) = found {
                    unread.get_or_insert((0, error)).0 += 1;
                }
            }
            if admitted.is_none() || candidates.len() >= enough {
                break;
            }
            batch *= 2;
        }
        if let Some((_, error)) = unread.as_ref().filter(|_| candidates.is_empty()) {
            return Err(error.clone());
        }
        let hits = self.rescored(blocks, &query, candidates, wanted, &mut unread).await;
        Ok(Nearest { hits, unread })
    }

    fn add(
        &self,
        block: &[u8],
        base: f32,
        table: &SignTable,
        admitted: Option<&Admitted>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<()> {
        let unsound = || part_damaged("of sketches", "the sketches of a cell do not decode");
        let sketches = Sketches::decode(block, self.dimensions).ok_or_else(unsound)?;
        for (row, (key, estimate)) in sketches.keys.iter().zip(sketches.estimates(table)).enumerate() {
            if admitted.is_none_or(|admitted| admitted.contains(*key)) {
                let block = *sketches.rows.get(row / ROWS_PER_BLOCK).ok_or_else(unsound)?;
                let row = (block, row % ROWS_PER_BLOCK);
                candidates.push(Candidate { key: *key, score: base + estimate, base, row });
            }
        }
        Ok(())
    }

    /// Scores the best candidates by their rows, and returns them with the next best by their sketches.
    async fn rescored(
        &self,
        blocks: &Blocks,
        query: &[f32],
        mut candidates: Vec<Candidate>,
        wanted: Wanted,
        unread: &mut Option<(usize, Error)>,
    ) -> VectorHits {
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.key.cmp(&other.key)));
        candidates.truncate(wanted.depth.max(RESCORED + 2 * wanted.limit));
        let rescored = candidates.len().min(RESCORED + 2 * wanted.limit);
        let (best, _) = candidates.split_at_mut(rescored);
        let rows: Vec<BlockRef> = best.iter().map(|one| one.row.0).collect();
        for (one, read) in best.iter_mut().zip(blocks.read(&rows).await) {
            let (block, row) = one.row;
            let score = read.and_then(|read| {
                product(query, &read, row).ok_or_else(|| block.damaged("a block of rows is too short"))
            });
            match score {
                Ok(score) => one.score = one.base + score,
                // The estimate by the sketch stays.
                Err(error) => unread.get_or_insert((0, error)).0 += 1,
            }
        }
        let mut top = TopK::new(wanted.depth);
        candidates
            .iter()
            .filter(|one| one.score >= wanted.threshold)
            .for_each(|one| top.push(one.key, one.score));
        top.into_sorted()
            .into_iter()
            .map(|(key, score)| (key, score.clamp(-1.0, 1.0), Some(Method::Sketch)))
            .collect()
    }

    /// Returns the cells of admitted chunks, sorted.
    async fn cells_of(&self, blocks: &Blocks, admitted: &Admitted) -> Result<Vec<u32>> {
        let keys: Vec<Vec<u8>> =
            vec_map::set(admitted.keys().map(|key| key / KEYS_PER_BLOCK * KEYS_PER_BLOCK))
                .into_iter()
                .map(|start| start.to_be_bytes().to_vec())
                .collect();
        let mut cells = Vec::new();
        for (found, key) in self.by_key.read(blocks, &keys).await.into_iter().zip(&keys) {
            let Some((_, block)) = found?.filter(|(first, _)| first == key) else { continue };
            let start = key.first_chunk().copied().map_or(0, u32::from_be_bytes);
            let own = tables::decode_cells(&block, start)
                .ok_or_else(|| part_damaged("of cells", "the cells of chunks do not decode"))?;
            cells.extend(own.into_iter().filter(|(key, _)| admitted.contains(*key)).map(|(_, cell)| cell));
        }
        Ok(vec_map::set(cells))
    }
}
