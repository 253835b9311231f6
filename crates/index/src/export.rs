//! Reads a whole snapshot in the order of keys, for writers of other forms of a library.

use super::documents::StoredChunk;
use super::searcher::Searcher;
use super::segment::Segment;
use vademecum_text::terms::Rule;
use vademecum_util::vec_map;

/// A live chunk with its key and its length in terms.
#[derive(Debug, Clone, Copy)]
pub struct ExportedChunk<'a> {
    /// Its key.
    pub key: u32,
    /// The chunk.
    pub chunk: StoredChunk<'a>,
    /// Its length in terms, as scores use it.
    pub length: u32,
    segment: &'a Segment,
    row: usize,
}

impl ExportedChunk<'_> {
    /// Returns its vector, if it has one.
    pub fn vector(&self) -> Option<Vec<f32>> {
        self.segment.vectors.vector(self.row)
    }
}

impl Searcher {
    /// Returns the oldest rule of its segments, by which a query is analysed.
    pub fn rule(&self) -> Rule {
        self.segments.iter().map(|segment| segment.rule).min().unwrap_or(Rule::CURRENT)
    }

    /// Returns all live chunks in the order of their keys.
    pub fn export(&self) -> Vec<ExportedChunk<'_>> {
        let mut chunks = Vec::new();
        for segment in &self.segments {
            for (row, key) in segment.keys.iter().enumerate() {
                if segment.deleted.chunks().contains(row) {
                    continue;
                }
                let length = segment.documents.lengths.get(row).copied().unwrap_or_default();
                let chunk = segment.chunk(row as u32);
                chunks.extend(chunk.map(|chunk| ExportedChunk { key: *key, chunk, length, segment, row }));
            }
        }
        chunks.sort_by_key(|one| one.key);
        chunks
    }

    /// Calls `each` with every term of live chunks in order, and with the key of each chunk that contains it and its frequency there,
    /// ascending.
    pub fn each_term(&self, mut each: impl FnMut(&str, &[(u32, u32)])) {
        let mut terms: Vec<String> = Vec::new();
        self.segments
            .iter()
            .for_each(|segment| segment.words.each_term(&mut |term| terms.push(term.to_owned())));
        let mut list: Vec<(u32, u32)> = Vec::new();
        for term in vec_map::set(terms) {
            list.clear();
            for segment in &self.segments {
                segment.words.each_posting(&term, |row, frequency| {
                    if let Some(key) = segment.keys.get(row as usize)
                        && !segment.deleted.chunks().contains(row as usize)
                    {
                        list.push((*key, frequency));
                    }
                });
            }
            if !list.is_empty() {
                list.sort_unstable();
                each(&term, &list);
            }
        }
    }
}
