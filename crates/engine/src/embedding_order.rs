//! The order in which chunks are embedded: first those that the user looks at, then the others in text order, in batches of
//! similar length.

use super::State;
use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use vademecum_index::{ChunkKey, Searcher};

/// Number of chunks per call of the embedder.
const BATCH: usize = 8;
/// Number of chunks that are sorted by length together: small enough for documents to be completed one after
/// another.
const WINDOW: usize = 128;
/// Number of chunks that are remembered as looked at.
const REMEMBERED: usize = 256;

/// Chunks with their texts to embed.
pub(super) type Batch = Vec<(ChunkKey, String)>;

/// Chunks that the user has looked at: passages that were found and documents that were opened, the latest last.
#[derive(Debug, Default)]
pub(super) struct LookedAt(Vec<ChunkKey>);

impl LookedAt {
    /// Remembers chunks, the most important first.
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
    /// All chunks in text order, including those that were given out of turn.
    order: VecDeque<ChunkKey>,
    /// Chunks that were not given yet.
    left: HashSet<ChunkKey>,
    /// Chunks of the current window, the longest last.
    window: VecDeque<(ChunkKey, String)>,
}

impl Queue {
    pub(super) fn of(keys: &[ChunkKey]) -> Self {
        let order = keys.iter().copied();
        Self { order: order.clone().collect(), left: order.collect(), window: VecDeque::new() }
    }

    /// Returns the next batch, or none at the end. Leaves out chunks that were removed from the index.
    pub(super) fn next(&mut self, state: &RefCell<State>) -> Option<Batch> {
        let state = state.borrow();
        let wanted = state.looked_at.0.iter().rev().filter(|key| self.left.contains(*key));
        let wanted: Vec<ChunkKey> = wanted.take(BATCH).copied().collect();
        let searcher = state.index.searcher();
        let batch = texts(&searcher, &wanted);
        for key in wanted {
            self.left.remove(&key);
        }
        if !batch.is_empty() {
            return Some(batch);
        }
        loop {
            let mut batch = Batch::new();
            while batch.len() < BATCH {
                let Some(next) = self.window.pop_front() else { break };
                // Otherwise it was given out of turn.
                if self.left.remove(&next.0) {
                    batch.push(next);
                }
            }
            if !batch.is_empty() {
                return Some(batch);
            }
            if self.order.is_empty() {
                return None;
            }
            let due: Vec<ChunkKey> = self.order.drain(..WINDOW.min(self.order.len())).collect();
            let mut due = texts(&searcher, &due);
            due.sort_by_key(|(_, text)| text.len());
            self.window = due.into();
        }
    }
}

fn texts(searcher: &Searcher, keys: &[ChunkKey]) -> Batch {
    keys.iter().filter_map(|key| Some((*key, searcher.chunk(*key)?.embedded_text()))).collect()
}
