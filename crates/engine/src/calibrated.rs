//! The cosines to expect in a library, once measured.

use serde::{Deserialize, Serialize};
use std::rc::Rc;
use vademecum_index::ChunkKey;
use vademecum_protocol::relevance::Calibration;

/// A calibration, and what it was computed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibrated {
    pub(super) sample: Vec<ChunkKey>,
    /// The number of chunks at that time.
    pub(super) chunks: usize,
    pub(super) value: Option<Calibration>,
    /// The vectors of the spans, for the next calibration: most of the sample stays. Not stored.
    #[serde(skip)]
    pub(super) vectors: Vec<(ChunkKey, Rc<Vec<f32>>)>,
}

impl Calibrated {
    /// Returns whether it describes a library with this sample and number of chunks.
    pub(super) fn holds(&self, sample: &[ChunkKey], chunks: usize) -> bool {
        self.sample == sample && self.chunks == chunks
    }

    /// Returns whether it nearly describes a library. The nearest passages change slowly: half as many chunks again
    /// move them little.
    pub(super) fn nearly_holds(&self, sample: &[ChunkKey], chunks: usize) -> bool {
        self.sample == sample && chunks <= self.chunks + self.chunks / 2 && self.chunks <= chunks + chunks / 2
    }
}
