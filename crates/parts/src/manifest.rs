//! The manifest: what a library in parts contains, and where its sections begin.

use crate::errors::{EARLIEST_FORMAT, FORMAT, manifest_invalid};
use crate::name::PartName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vademecum_index::filter::Schema;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::relevance::Calibration;
use vademecum_text::terms::{Language, Rule};

/// Maximum length of a manifest in bytes: it is read into memory before anything is known of it.
const MAX_MANIFEST: usize = 4 << 20;
/// Maximum length of a part in bytes.
pub(crate) const MAX_PART: u32 = 64 << 20;

/// The manifest of a library in parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// A value that changes with the contents.
    pub fingerprint: String,
    /// The embedder of the vectors; null if there are none.
    pub embedder: Option<EmbedderInfo>,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of chunks with a vector.
    pub vectors: usize,
    /// Summed length of the chunks in terms, for BM25.
    pub length: u64,
    /// One more than the highest key of a chunk.
    pub next_key: u32,
    /// The rule that made the terms.
    pub rule: Rule,
    /// The languages of the documents, in the order in which a query is analysed.
    pub languages: Vec<Language>,
    /// The collections, by name.
    pub collections: Vec<CollectionInfo>,
    /// Cosines to expect, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// The cells of vectors; null if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Cells>,
    /// The root of each section's directory.
    pub sections: BTreeMap<String, Root>,
}

/// The embedder of a library's vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderInfo {
    /// Its id, which the embedder of questions must have as well; empty if it has none.
    pub id: String,
    /// The length of a vector.
    pub dimensions: usize,
}

/// A collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CollectionInfo {
    /// Its name.
    pub name: String,
    /// Its description; empty where none was declared.
    #[serde(default)]
    pub description: String,
    /// The language by which its words are stemmed.
    #[serde(default)]
    pub language: Option<Language>,
    /// The types of its metadata fields.
    #[serde(default)]
    pub schema: Schema,
    /// Number of documents.
    pub documents: usize,
    /// Number of chunks.
    pub chunks: usize,
}

/// The cells of the vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cells {
    /// Number of cells.
    pub count: u32,
    /// Number of vectors when the centroids were computed.
    pub trained_on: usize,
    /// Number of cells that a search reads by default.
    pub probes: usize,
}

/// Where the directory of a section begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// The part with the root page.
    pub part: String,
    /// The length of the part in bytes.
    pub size: u32,
    /// Where the page begins in it.
    pub offset: u32,
    /// The length of the page in bytes.
    pub length: u32,
    /// The hash of the page: 16 hexadecimal digits.
    pub hash: String,
    /// Number of levels of pages; the children of the last level are data blocks.
    pub levels: u32,
    /// Number of data blocks.
    pub blocks: u64,
    /// Summed length of the section's blocks and pages in bytes.
    pub bytes: u64,
}

impl Manifest {
    /// Parses and checks a manifest.
    ///
    /// # Errors
    /// `manifest_invalid`; [`Error::LibraryNewer`] if a later version wrote it.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        if bytes.len() > MAX_MANIFEST {
            return Err(manifest_invalid("it is longer than 4 MB"));
        }
        let version: Version = serde_json::from_slice(bytes)
            .map_err(|_| manifest_invalid("it is not the JSON of a manifest"))?;
        if version.format > FORMAT {
            return Err(Error::LibraryNewer { found: version.format, known: FORMAT });
        }
        if version.format < EARLIEST_FORMAT {
            return Err(manifest_invalid(
                "an earlier version of this program wrote it; publish the library again",
            ));
        }
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| manifest_invalid(&error.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<()> {
        let dimensions = self.embedder.as_ref().map_or(0, |embedder| embedder.dimensions);
        if dimensions > 1 << 16 {
            return Err(manifest_invalid("its numbers are out of range"));
        }
        if self
            .cells
            .as_ref()
            .is_some_and(|cells| cells.count == 0 || cells.count > 1 << 20 || dimensions == 0)
        {
            return Err(manifest_invalid("its cells are out of range"));
        }
        for root in self.sections.values() {
            let end = root.offset.checked_add(root.length);
            let fits = end.is_some_and(|end| end <= root.size) && root.length > 0 && root.size <= MAX_PART;
            if !fits
                || PartName::parse(&root.part).is_none()
                || root.hash.len() != 16
                || !(1..=8).contains(&root.levels)
            {
                return Err(manifest_invalid("a section does not lie within its part"));
            }
        }
        Ok(())
    }
}
