//! The order in which chunks are embedded: first those that the user looks at, then the others in text order, in batches of
//! similar length. The lite build, which has no room for the former, embeds in text order.

use std::cmp::Reverse;
use vademecum_index::{ChunkKey, Searcher};
use vademecum_util::vec_map;

/// Number of chunks per call of the embedder.
const BATCH: usize = 8;
/// Number of chunks that are sorted by length together: small enough for documents to be completed one after
/// another.
const WINDOW: usize = 128;
/// Number of chunks that are remembered as looked at.
#[cfg(feature = "meaning")]
const REMEMBERED: usize = 256;

/// Chunks with their texts to embed.
pub(super) type Batch = Vec<(ChunkKey, String)>;

/// Chunks that the user has looked at: passages that were found and documents that were opened, the latest last.
#[derive(Debug, Default)]
pub(super) struct LookedAt(#[cfg(feature = "meaning")] Vec<ChunkKey>);

impl LookedAt {
    #[cfg(not(feature = "meaning"))]
    pub(super) fn note(&mut self, _: impl Iterator<Item = ChunkKey>) {}

    /// Remembers chunks, the most important first.
    #[cfg(feature = "meaning")]
    pub(super) fn note(&mut self, keys: impl Iterator<Item = ChunkKey>) {
        let keys: Vec<ChunkKey> = keys.take(REMEMBERED).collect();
        self.0.retain(|known| !keys.contains(known));
        self.0.extend(keys.into_iter().rev());
        let excess = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..excess);
    }
}

/// Chunks that one call embeds. Each batch is chosen when it is due, so that a search in between takes effect.
#[derive(Debug)]
pub(super) struct Queue {
    /// All chunks in the order of their keys, which is that of the documents and their texts.
    keys: Vec<ChunkKey>,
    /// Number of chunks that were given or are in the window.
    begun: usize,
    /// Chunks of the current window with their texts, the shortest last.
    window: Batch,
    /// Chunks that were given out of turn.
    #[cfg(feature = "meaning")]
    early: Vec<ChunkKey>,
}

impl Queue {
    pub(super) fn of(keys: &[ChunkKey]) -> Self {
        Self {
            keys: vec_map::set(keys.to_vec()),
            begun: 0,
            window: Batch::new(),
            #[cfg(feature = "meaning")]
            early: Vec::new(),
        }
    }

    /// Returns the next batch, or none at the end. Leaves out chunks that were removed from the index.
    pub(super) fn next(&mut self, searcher: &Searcher, looked_at: &LookedAt) -> Option<Batch> {
        #[cfg(not(feature = "meaning"))]
        let _ = looked_at;
        #[cfg(feature = "meaning")]
        {
            let wanted = looked_at.0.iter().rev().filter(|key| self.is_waiting(**key));
            let wanted: Vec<ChunkKey> = wanted.take(BATCH).copied().collect();
            self.window.retain(|(key, _)| !wanted.contains(key));
            self.early.extend(&wanted);
            let batch = texts(searcher, &wanted);
            if !batch.is_empty() {
                return Some(batch);
            }
        }
        while self.window.is_empty() {
            let due = self.keys.get(self.begun..)?;
            let due: Vec<ChunkKey> = due.iter().take(WINDOW).copied().collect();
            if due.is_empty() {
                return None;
            }
            self.begun += due.len();
            self.window = texts(searcher, &due);
            #[cfg(feature = "meaning")]
            self.window.retain(|(key, _)| !self.early.contains(key));
            self.window.sort_by_key(|(_, text)| Reverse(text.len()));
        }
        let rest = self.window.len().saturating_sub(BATCH);
        let mut batch = self.window.split_off(rest);
        batch.reverse();
        Some(batch)
    }

    /// Returns whether a chunk is among those that were not given yet.
    #[cfg(feature = "meaning")]
    fn is_waiting(&self, key: ChunkKey) -> bool {
        let is_ahead = || self.keys.binary_search(&key).is_ok_and(|at| at >= self.begun);
        !self.early.contains(&key) && (self.window.iter().any(|(one, _)| *one == key) || is_ahead())
    }
}

fn texts(searcher: &Searcher, keys: &[ChunkKey]) -> Batch {
    keys.iter().filter_map(|key| Some((*key, searcher.chunk(*key)?.embedded_text()))).collect()
}
