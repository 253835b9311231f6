//! Writes the sections of vectors: centroids, sketches, rows, and the cell of each chunk.

use super::kmeans::{self, Rows};
use super::layout::Layout;
use super::parts::{Folder, Packer};
use super::sections::Sections;
use crate::block::{BlockRef, pack, plain};
use crate::cells::codes::{Centroids, Code, ROWS_PER_BLOCK, centroid_length, encode_sketches};
use crate::cells::rotation::Rotation;
use crate::manifest::Cells;
use crate::page::Entry;
use crate::tables::{self, KEYS_PER_BLOCK};
use vademecum_index::export::ExportedChunk;
use vademecum_protocol::error::Result;

/// Number of centroids per block.
const CENTROIDS_PER_BLOCK: usize = 256;
/// Number of vectors per cell, as long as centroids are small beside what a first question reads anyway: many small cells find more for the
/// same bytes.
const PER_CELL: usize = 16;

/// The centroids of an earlier version of the library, and the number of vectors that they were computed from.
#[derive(Debug, Clone)]
pub(crate) struct Earlier {
    pub(crate) centroids: Centroids,
    pub(crate) trained_on: usize,
}

/// Writes the vectors. Returns how many there are, and their cells.
pub(crate) fn write(
    folder: &mut Folder,
    layout: &Layout,
    chunks: &[ExportedChunk<'_>],
    dimensions: usize,
    earlier: Option<Earlier>,
    sections: &mut Sections,
) -> Result<(usize, Option<Cells>)> {
    let rotation = Rotation::new(dimensions);
    let mut keys: Vec<u32> = Vec::new();
    let mut values: Vec<f32> = Vec::new();
    for one in chunks {
        if let Some(mut vector) = one.vector().filter(|vector| vector.len() == dimensions) {
            rotation.apply(&mut vector);
            values.extend_from_slice(&vector);
            keys.push(one.key);
        }
    }
    if keys.is_empty() || dimensions == 0 {
        return Ok((0, None));
    }
    let rows = Rows { dimensions, values: &values };
    // Centroids are kept until the library has grown by half: an update then changes only the cells of what was added.
    let kept = earlier.filter(|earlier| {
        keys.len() <= earlier.trained_on / 2 * 3
            && keys.len() * 2 >= earlier.trained_on
            && earlier.centroids.len() > 0
    });
    let (centroids, trained_on) = match kept {
        Some(kept) => (kept.centroids, kept.trained_on),
        None => (train(rows, keys.len(), dimensions, layout), keys.len()),
    };
    let exact = centroids.exact();
    let cells = kmeans::assign_by_groups(rows, &exact);

    let mut packer = Packer::new(folder, layout.centroids);
    let mut blocks = Vec::new();
    for (at, some) in centroids.encode().chunks(CENTROIDS_PER_BLOCK * centroid_length(dimensions)).enumerate()
    {
        packer.push(&pack(some))?;
        blocks.push(((at * CENTROIDS_PER_BLOCK) as u32).to_be_bytes().to_vec());
    }
    let placed = packer.finish()?;
    sections.add("centroids", folder, join(blocks, placed), layout)?;

    let mut members: Vec<Vec<usize>> = vec![Vec::new(); centroids.len()];
    for (row, cell) in cells.iter().enumerate() {
        if let Some(members) = members.get_mut(*cell as usize) {
            members.push(row);
        }
    }
    // Rows first, because the sketches of a cell say where they lie. In two passes, since all codes at once would take as much memory
    // as the vectors.
    let codes = |cell: usize, members: &[usize]| -> Vec<Code> {
        let centroid = exact.get(cell * dimensions..(cell + 1) * dimensions).unwrap_or_default();
        let code = |row: &usize| {
            let vector = values.get(row * dimensions..(row + 1) * dimensions).unwrap_or_default();
            let difference: Vec<f32> = vector.iter().zip(centroid).map(|(x, y)| x - y).collect();
            Code::of(&difference)
        };
        members.iter().map(code).collect()
    };
    let mut packer = Packer::new(folder, layout.rows);
    for (cell, members) in members.iter().enumerate() {
        for some in codes(cell, members).chunks(ROWS_PER_BLOCK) {
            let block: Vec<u8> = some.iter().flat_map(|code| code.row().iter().copied()).collect();
            packer.push(&plain(&block))?;
        }
    }
    let mut row_blocks = packer.finish()?.into_iter();
    let mut sketches = Vec::new();
    for (cell, members) in members.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
        let own: Vec<u32> = members.iter().filter_map(|row| keys.get(*row).copied()).collect();
        let blocks: Vec<BlockRef> =
            row_blocks.by_ref().take(members.len().div_ceil(ROWS_PER_BLOCK)).collect();
        sketches.push((
            tables::cell_key(cell as u32),
            plain(&encode_sketches(&own, &codes(cell, members), &blocks)),
        ));
    }
    add(folder, layout, layout.sketches, "sketches", sketches, sections)?;

    let mut placed: Vec<(u32, u32)> = keys.iter().copied().zip(cells).collect();
    placed.sort_unstable();
    let by_key = placed.chunk_by(|one, other| one.0 / KEYS_PER_BLOCK == other.0 / KEYS_PER_BLOCK);
    let of_key = by_key.filter_map(|some| {
        let start = some.first()?.0 / KEYS_PER_BLOCK * KEYS_PER_BLOCK;
        Some((start.to_be_bytes().to_vec(), pack(&tables::encode::cells(start, some))))
    });
    add(folder, layout, layout.tables, "cells", of_key.collect(), sections)?;
    let count = centroids.len() as u32;
    let probes = if centroids.len() < MANY_CELLS { PROBES.0 } else { PROBES.1 }.min(centroids.len());
    Ok((keys.len(), Some(Cells { count, trained_on, probes })))
}

/// Computes centroids.
fn train(rows: Rows<'_>, count: usize, dimensions: usize, layout: &Layout) -> Centroids {
    // The first question reads all centroids, so their number grows with the root beyond 100,000 vectors.
    let cells =
        layout.cells.unwrap_or_else(|| ((count as f64).sqrt() * 20.0) as usize).min(count / PER_CELL).max(1);
    Centroids::of(&kmeans::centroids(rows, cells), dimensions)
}

/// Number of cells that a search reads by default, in small libraries and in large ones, where everything else takes more: see the
/// curves in docs/benchmarks.md.
const PROBES: (usize, usize) = (128, 52);
/// Number of cells of a large library.
const MANY_CELLS: usize = 4096;

fn join(keys: Vec<Vec<u8>>, blocks: Vec<BlockRef>) -> Vec<Entry> {
    keys.into_iter().zip(blocks).map(|(key, block)| Entry { key, block }).collect()
}

fn add(
    folder: &mut Folder,
    layout: &Layout,
    target: usize,
    name: &str,
    blocks: Vec<(Vec<u8>, Vec<u8>)>,
    sections: &mut Sections,
) -> Result<()> {
    let mut packer = Packer::new(folder, target);
    let mut keys = Vec::new();
    for (key, block) in blocks {
        packer.push(&block)?;
        keys.push(key);
    }
    let placed = packer.finish()?;
    sections.add(name, folder, join(keys, placed), layout)
}
