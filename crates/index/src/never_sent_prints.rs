//! Fingerprints of a segment's documents that are never sent: computed when first asked for, and for later documents when they are
//! there, because a segment only appends.

use std::ops::Range;
use vademecum_text::shingles::Fingerprint;

/// Fingerprints of chunks and summaries, deleted ones included.
#[derive(Debug, Clone, Default)]
pub(super) struct NeverSentPrints {
    /// Number of chunks examined, marked or not.
    examined: u32,
    /// In order of the chunks.
    texts: Vec<NeverSentPrint>,
}

/// Fingerprint of one text of a document that is never sent.
#[derive(Debug, Clone)]
pub(super) struct NeverSentPrint {
    /// Row of the chunk; of a summary, that of the document's first chunk.
    pub(super) chunk: u32,
    /// Whether it is the document's summary.
    pub(super) is_summary: bool,
    pub(super) print: Fingerprint,
}

impl NeverSentPrints {
    /// Returns the number of chunks examined.
    pub(super) fn examined(&self) -> u32 {
        self.examined
    }

    /// Returns all fingerprints.
    pub(super) fn texts(&self) -> &[NeverSentPrint] {
        &self.texts
    }

    /// Adds the chunks up to `end`, with the fingerprints of those that are never sent.
    pub(super) fn extend(&mut self, end: u32, texts: impl IntoIterator<Item = NeverSentPrint>) {
        self.texts.extend(texts);
        self.examined = end;
    }

    /// Copies those of a document of another segment, whose chunks get the rows from `first` on; where either has not come so
    /// far, they are computed when asked for.
    pub(super) fn take(&mut self, from: &Self, chunks: Range<u32>, first: u32) {
        if self.examined != first || from.examined < chunks.end {
            return;
        }
        let start = from.texts.partition_point(|one| one.chunk < chunks.start);
        let of_document = from.texts.iter().skip(start).take_while(|one| one.chunk < chunks.end);
        let moved =
            of_document.map(|one| NeverSentPrint { chunk: one.chunk - chunks.start + first, ..one.clone() });
        self.extend(first + chunks.len() as u32, moved);
    }
}
