//! Options of the calls that read files: `build`, which makes a library of them in Node, and `readFile`.

use crate::host::{Embedder, OnBuildProgress};
use schemars::JsonSchema;
use vademecum_protocol::range::Range;
use vademecum_protocol::schema::{Name, Signal};

/// Seconds between two checkpoints.
const CHECKPOINT: Range<usize> = Range::new("checkpointSeconds", 0, 86_400);
/// Tokens of a chunk, as of the engine.
const CHUNK_TOKENS: Range<usize> = Range::from("chunkTokens", 8);
/// Tokens that a chunk repeats.
const CHUNK_OVERLAP: Range<usize> = Range::from("chunkOverlap", 0);

/// Options of `build`: the files, the library that is made of them, and how.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuildOptions {
    /// Folders and files. Ids of documents are paths relative to the folder; with several folders, each begins with the folder's name.
    #[schemars(with = "Vec<Name>")]
    pub paths: Vec<String>,
    /// The library file to write; its folder must exist.
    #[schemars(with = "Name")]
    pub out: String,
    /// Embedder for search by meaning. Without one, the library has no vectors.
    pub embedder: Option<Embedder>,
    /// Collection of the documents.
    #[serde(default = "default_collection")]
    #[schemars(with = "Name", extend("x-default" = true))]
    pub collection: String,
    /// Description of the collection, for users and for the agent when it chooses collections.
    pub description: Option<String>,
    /// Address of the folder: documents get one below it, by the path of their file, unless they have one.
    pub url: Option<Name>,
    /// Maximum number of tokens of a chunk. Default: what the embedder's model takes, else 128.
    #[schemars(transform = CHUNK_TOKENS.declared())]
    pub chunk_tokens: Option<usize>,
    /// Number of tokens that a chunk repeats of the one before.
    #[serde(default)]
    #[schemars(transform = CHUNK_OVERLAP.declared(), extend("x-default" = true))]
    pub chunk_overlap: usize,
    /// Whether `.gitignore`, `.ignore` and `.vademecumignore` within the folders are honoured.
    #[serde(default = "yes")]
    #[schemars(extend("x-default" = true))]
    pub ignore_files: bool,
    /// Whether an existing library is replaced by one that is made from nothing.
    #[serde(default)]
    pub fresh: bool,
    /// Whether a folder may be empty that had files; otherwise the build rejects with `folder_empty`, since a disk may be missing.
    #[serde(default)]
    pub allow_empty: bool,
    /// Whether the vectors of a library that another embedder made are computed again.
    #[serde(default)]
    pub reembed: bool,
    /// Seconds between two checkpoints, from which a build that was interrupted goes on.
    #[serde(default = "seconds")]
    #[schemars(transform = CHECKPOINT.declared(), extend("x-default" = true))]
    pub checkpoint_seconds: usize,
    /// Ends the build, which rejects with `aborted`; what was done is kept.
    pub signal: Option<Signal>,
    /// Called as the work goes on.
    pub on_progress: Option<OnBuildProgress>,
}

fn default_collection() -> String {
    vademecum_engine::DEFAULT_COLLECTION.to_owned()
}

const fn yes() -> bool {
    true
}

const fn seconds() -> usize {
    20
}

/// Options of `readFile`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadFileOptions {
    /// Id of the document, or what the ids of its rows begin with. Default: the name.
    pub id: Option<Name>,
    /// Name of the file, by which its type is known. Default: that of the `File`.
    pub name: Option<Name>,
    /// Ends the call, which rejects with `aborted`.
    pub signal: Option<Signal>,
}
