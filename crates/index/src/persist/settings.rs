//! What the owner of a library stores beside the index.

use serde::{Deserialize, Serialize};

/// State of the library's owner that is stored beside the segments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Id of the model that computed the vectors; vectors of another model are not comparable.
    pub embedder: Option<String>,
    /// Per collection, sorted by name: its settings, as JSON.
    pub collections: Vec<(String, String)>,
    /// What was measured on the library, as JSON. Stored in a section of its own, which older versions ignore.
    #[serde(skip)]
    pub measured: Option<String>,
}
