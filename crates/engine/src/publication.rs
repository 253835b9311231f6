//! What a knowledge base publishes: everything but the documents that must not leave this device.

use super::KnowledgeBase;
use vademecum_index::Searcher;
use vademecum_protocol::error::Result;
use vademecum_protocol::relevance::Calibration;
use vademecum_text::terms::Language;

/// A snapshot without documents marked `neverSend`, with what else a copy needs.
#[derive(Debug)]
pub struct Publication {
    /// The snapshot.
    pub searcher: Searcher,
    /// Id of the embedder that made the vectors, if there are any.
    pub embedder: Option<String>,
    /// Name, description and language of each collection.
    pub collections: Vec<(String, String, Option<Language>)>,
    /// Cosines to expect, if they have been measured.
    pub calibration: Option<Calibration>,
    /// Number of documents that are left out, because they are marked `neverSend`.
    pub withheld: usize,
}

impl KnowledgeBase {
    /// Returns what may be published.
    ///
    /// # Errors
    /// [`vademecum_protocol::Error::Closed`].
    pub fn publication(&self) -> Result<Publication> {
        let searcher = self.snapshot(true)?;
        let state = self.open_state()?.borrow();
        let collections = state.collections.iter();
        let described =
            collections.map(|(name, one)| (name.to_string(), one.description.clone(), one.language()));
        let remaining = searcher.export().iter().filter(|one| one.chunk.ordinal == 0).count();
        Ok(Publication {
            embedder: state.embedder.clone().or_else(|| self.embedder_id(&state)),
            collections: described.collect(),
            calibration: state.calibration(),
            withheld: state.index.size(None).documents.saturating_sub(remaining),
            searcher,
        })
    }
}
