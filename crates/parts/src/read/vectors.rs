//! The vector arm: the nearest cells, their sketches, and the rows of the best candidates.

use super::admitted::Admitted;
use super::blocks::Blocks;
use super::tree::Tree;
use crate::block::BlockRef;
use crate::cells::codes::{Centroids, ROWS_PER_BLOCK, Sketches, product};
use crate::cells::rotation::Rotation;
use crate::errors::part_damaged;
use crate::manifest::Cells;
use crate::tables::{self, KEYS_PER_BLOCK};
use std::cell::RefCell;
use std::rc::Rc;
use vademecum_index::partial::VectorHits;
use vademecum_index::vectors::Method;
use vademecum_index::vectors::coded::SignTable;
use vademecum_index::vectors::top::TopK;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::vec_map;

/// Number of the best candidates by sketch whose rows are read, for a search of one hit; further hits add to it.
const RESCORED: usize = 36;
/// The same where blocks are at hand.
const RESCORED_NEAR: usize = 120;
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
    kept: RefCell<Option<Rc<Directory>>>,
}

/// What is kept in memory once it was read, since every question needs it.
pub(crate) struct Directory {
    pub(crate) centroids: Centroids,
    /// The blocks of the cells' sketches; `None` of cells without vectors.
    sketches: Vec<Option<BlockRef>>,
}

/// What a vector search found.
pub(crate) struct Nearest {
    pub(crate) hits: VectorHits,
    /// The number of cells that could not be read, with the first error.
    pub(crate) unread: Option<(usize, Error)>,
}

/// A vector that may be near.
#[derive(Clone, Copy)]
struct Candidate {
    key: u32,
    score: f32,
    /// The product of the query with the cell's centroid.
    base: f32,
    /// The number of its block of rows, and its place there.
    row: (usize, usize),
}

/// The vectors of the cells that were read.
#[derive(Default)]
struct Candidates {
    all: Vec<Candidate>,
    rows: Vec<BlockRef>,
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

    /// Returns the centroids and the directory of sketches, which are read once: any question reads pages all over the latter.
    pub(crate) async fn directory(&self, blocks: &Blocks) -> Result<Rc<Directory>> {
        if let Some(kept) = &*self.kept.borrow() {
            return Ok(kept.clone());
        }
        let unsound =
            || part_damaged("of centroids", "they do not decode, or are not as many as the manifest says");
        let mut centroids = Centroids::new(self.dimensions);
        for (_, block) in self.centroids.read_range::<Vec<u8>>(blocks, (Vec::new(), vec![0xff; 5])).await? {
            centroids.extend(&block).ok_or_else(unsound)?;
        }
        if centroids.len() != self.cells.count as usize {
            return Err(unsound());
        }
        let mut sketches: Vec<Option<BlockRef>> = vec![None; centroids.len()];
        for found in self.sketches.find(blocks, &[(Vec::new(), vec![0xff; 5])]).await {
            for entry in found? {
                let cell = entry.key.as_slice().try_into().map(u32::from_be_bytes);
                let slot = cell.ok().and_then(|cell| sketches.get_mut(cell as usize));
                *slot.ok_or_else(unsound)? = Some(entry.block);
            }
        }
        let directory = Rc::new(Directory { centroids, sketches });
        *self.kept.borrow_mut() = Some(directory.clone());
        Ok(directory)
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
        let directory = self.directory(blocks).await?;
        let mut batch = wanted.probes.unwrap_or(self.cells.probes).max(1);
        // With a filter, more cells may be needed than are asked for.
        let mut order = TopK::new(if admitted.is_none() { batch } else { directory.centroids.len() });
        let angles = (0u32..).zip(directory.centroids.angles(&query));
        angles.for_each(|(cell, angle)| order.push(cell, angle));
        let mut order: Vec<u32> = order.into_sorted().into_iter().map(|(cell, _)| cell).collect();
        if let Some(admitted) = admitted.filter(|admitted| admitted.count() <= LOOKED_UP) {
            let cells = self.cells_of(blocks, admitted).await?;
            order.retain(|cell| cells.binary_search(cell).is_ok());
        }
        let table = SignTable::of(&query);
        let mut candidates = Candidates::default();
        let mut unread: Option<(usize, Error)> = None;
        let enough = wanted.depth.saturating_mul(FILTERED);
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let (cells, later) = rest.split_at(batch.min(rest.len()));
            rest = later;
            let placed = |cell: &u32| Some((*cell, (*directory.sketches.get(*cell as usize)?)?));
            let (cells, places): (Vec<u32>, Vec<BlockRef>) = cells.iter().filter_map(placed).unzip();
            for (read, cell) in blocks.read::<Vec<u8>>(&places).await.into_iter().zip(cells) {
                let base = directory.centroids.product(&query, cell as usize);
                let added = read.and_then(|block| self.add(&block, base, &table, admitted, &mut candidates));
                if let Err(error) = added {
                    unread.get_or_insert((0, error)).0 += 1;
                }
            }
            if admitted.is_none() || candidates.all.len() >= enough {
                break;
            }
            batch *= 2;
        }
        if let Some((_, error)) = unread.as_ref().filter(|_| candidates.all.is_empty()) {
            return Err(error.clone());
        }
        let hits = self.rescored(blocks, &query, &candidates, wanted, &mut unread).await;
        Ok(Nearest { hits, unread })
    }

    fn add(
        &self,
        block: &[u8],
        base: f32,
        table: &SignTable,
        admitted: Option<&Admitted>,
        candidates: &mut Candidates,
    ) -> Result<()> {
        let unsound = || part_damaged("of sketches", "the sketches of a cell do not decode");
        let sketches = Sketches::decode(block, self.dimensions).ok_or_else(unsound)?;
        let first = candidates.rows.len();
        candidates.rows.extend(&sketches.rows);
        for (row, (key, estimate)) in sketches.keys.iter().zip(sketches.estimates(table)).enumerate() {
            if admitted.is_none_or(|admitted| admitted.contains(*key)) {
                let row = (first + row / ROWS_PER_BLOCK, row % ROWS_PER_BLOCK);
                candidates.all.push(Candidate { key: *key, score: base + estimate, base, row });
            }
        }
        Ok(())
    }

    /// Scores the best candidates by their rows, and returns them with the next best by their sketches.
    async fn rescored(
        &self,
        blocks: &Blocks,
        query: &[f32],
        candidates: &Candidates,
        wanted: Wanted,
        unread: &mut Option<(usize, Error)>,
    ) -> VectorHits {
        let least = if blocks.is_near() { RESCORED_NEAR } else { RESCORED };
        let rescored = least + 2 * wanted.limit;
        let mut best = TopK::new(wanted.depth.max(rescored));
        (0u32..).zip(&candidates.all).for_each(|(at, one)| best.push(at, one.score));
        let sorted = best.into_sorted();
        let mut best: Vec<Candidate> =
            sorted.iter().filter_map(|(at, _)| candidates.all.get(*at as usize).copied()).collect();
        let block_of = |one: &Candidate| candidates.rows.get(one.row.0).copied();
        let rows: Vec<BlockRef> = best.iter().take(rescored).filter_map(block_of).collect();
        for ((one, read), block) in best.iter_mut().zip(blocks.read::<Vec<u8>>(&rows).await).zip(&rows) {
            let score = read.and_then(|read| {
                product(query, &read, one.row.1).ok_or_else(|| block.damaged("a block of rows is too short"))
            });
            match score {
                Ok(score) => one.score = one.base + score,
                // The estimate by the sketch stays.
                Err(error) => unread.get_or_insert((0, error)).0 += 1,
            }
        }
        let mut top = TopK::new(wanted.depth);
        best.iter().filter(|one| one.score >= wanted.threshold).for_each(|one| top.push(one.key, one.score));
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
        for (found, key) in self.by_key.read::<Vec<u8>>(blocks, &keys).await.into_iter().zip(&keys) {
            let Some((_, block)) = found?.filter(|(first, _)| first == key) else { continue };
            let start = key.first_chunk().copied().map_or(0, u32::from_be_bytes);
            let own = tables::decode_cells(&block, start)
                .ok_or_else(|| part_damaged("of cells", "the cells of chunks do not decode"))?;
            cells.extend(own.into_iter().filter(|(key, _)| admitted.contains(*key)).map(|(_, cell)| cell));
        }
        Ok(vec_map::set(cells))
    }
}
