//! Lists chunks with their vectors, for callers that compute with them.

use super::searcher::Searcher;
use super::segment::Segment;
use serde::Serialize;

/// Chunks and their vectors.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChunkVectors {
    /// Number of chunks that have a vector, before the limit; a shorter list is sampled evenly.
    pub total: usize,
    /// Length of a vector; 0 where there is none.
    pub dimensions: usize,
    /// The listed chunks, in the order they were added.
    pub chunks: Vec<EmbeddedChunk>,
    /// Their vectors, one after the other.
    #[serde(skip)]
    pub values: Vec<f32>,
}

/// A chunk that has a vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedChunk {
    /// The chunk's id.
    pub chunk_id: String,
    /// The id of its document.
    pub doc_id: String,
    /// The collection of that document.
    pub collection: String,
}

impl Searcher {
    /// Returns at most `limit` chunks of `collections` (of all where empty) with their vectors.
    pub fn vectors(&self, collections: &[String], limit: usize) -> ChunkVectors {
        let mut rows: Vec<(&Segment, usize)> = Vec::new();
        // Of each row, the key of its chunk and its place in `rows`, in one number: sorting numbers takes little of the module.
        let mut order: Vec<u64> = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.embedded() > 0) {
            for (row, key) in segment.keys.iter().enumerate() {
                let is_there =
                    segment.vectors.present().contains(row) && !segment.deleted.chunks().contains(row);
                let is_wanted = || {
                    collections.is_empty()
                        || segment.chunk(row as u32).is_some_and(|chunk| {
                            collections.iter().any(|name| name == chunk.document.collection())
                        })
                };
                if is_there && is_wanted() {
                    order.push(u64::from(*key) << 32 | rows.len() as u64);
                    rows.push((segment, row));
                }
            }
        }
        order.sort_unstable();
        let mut list = ChunkVectors { total: rows.len(), ..ChunkVectors::default() };
        for at in evenly(&order, limit) {
            let Some((segment, row)) = rows.get(*at as u32 as usize) else { continue };
            let (Some(vector), Some(chunk)) = (segment.vectors.vector(*row), segment.chunk(*row as u32))
            else {
                continue;
            };
            list.dimensions = vector.len();
            list.values.extend(vector);
            list.chunks.push(EmbeddedChunk {
                chunk_id: chunk.id(),
                doc_id: chunk.document.id().to_owned(),
                collection: chunk.document.collection().to_owned(),
            });
        }
        list
    }
}

/// Returns at most `limit` of the items, as far apart as they can be.
fn evenly<T>(items: &[T], limit: usize) -> impl Iterator<Item = &T> {
    let count = items.len().min(limit);
    // In 64 bits: the product is too large for a browser's 32 from some 65,000 items on.
    let place = move |at: usize| (at as u64 * items.len() as u64 / count as u64) as usize;
    (0..count).filter_map(move |at| items.get(place(at)))
}
