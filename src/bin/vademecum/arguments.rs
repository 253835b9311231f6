//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use vademecum::encoder::onnx_options::{Pooling, Rounding};

const EXAMPLES: &str = "\
Examples:
  vademecum build docs/ --out manual.library
      A library for a web page: keyword search over everything in docs/. Run it again after
      changes: only changed files are read.

  vademecum build docs/ --out manual.library --model models/all-minilm-l6-v2
      The same with vectors, so that a search also finds other words of the same meaning.

  vademecum search manual.library \"unused leave\" --top 5
  vademecum ask manual.library \"How many days of leave do I have?\"
      The second one quotes the sentence that answers, or says that the library does not say.

Exit codes: 0 done; 1 done, but files were not added, or nothing was found; 2 wrong usage;
3 failed; 130 stopped by Ctrl-C, with everything kept that was done.

docs/cli.md describes formats, options and rules in full.";

const BUILD_EXAMPLES: &str = "\
Examples:
  vademecum build notes/ --out notes.library
  vademecum build _site/ --out search.library            (addresses come from _site/sitemap.xml)
  cp search.library _site/                               (without search.library.files)
  vademecum build handbook/ faq/ --out all.library --collection staff --model models/minilm

A second run reads only files whose size or time has changed, embeds only passages whose text
has changed, and removes the documents of files that are gone. After a crash or Ctrl-C, the
next run continues from the last checkpoint.";

const PUBLISH_EXAMPLES: &str = "\
Examples:
  vademecum publish manual.library _site/search
  vademecum publish manual.library _site/search --prune

Parts are named by their contents and never change, so they may be cached for ever; `manifest.json`
must be revalidated. It is written last: readers see the old library or the new one. Documents
marked `neverSend` are left out.";
const PUSH_EXAMPLES: &str = "\
Examples:
  vademecum push notes.library --chroma http://localhost:8000
  vademecum push all.library --chroma https://vectors.example --collection staff --from staff

A second push sends what has changed, and deletes what is gone. Documents marked `neverSend` stay
here. A web page searches the collection by `Searcher.chroma`; docs/remote.md describes it.";

const FILTER_HELP: &str = "Condition on metadata, as JSON: '{\"year\": {\">=\": 2023}, \"tags\": \"sea\"}'";

/// Search your own documents, and get answers that quote them: builds libraries that open unchanged in a browser tab.
#[derive(Debug, Parser)]
#[command(name = "vademecum", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print one JSON document on standard output; progress and remarks stay on standard error.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a library from folders, or bring an existing one up to date.
    #[command(after_help = BUILD_EXAMPLES)]
    Build(Build),
    /// Add files or folders to a library, beside what is in it.
    Add(Add),
    /// Find passages.
    Search(Search),
    /// Answer a question by quoting the library, without a language model.
    Ask(Ask),
    /// Write a library in parts, of which a page on a static host reads only what a question needs.
    #[command(after_help = PUBLISH_EXAMPLES)]
    Publish(Publish),
    /// Tell what is in a library.
    Inspect(Inspect),
    /// Measure search quality on a labelled set in BEIR's layout.
    Eval(Eval),
    /// Fill a collection of a Chroma server with a library's passages and vectors, or bring it up to date.
    #[command(after_help = PUSH_EXAMPLES)]
    Push(Push),
    /// Print a script for completing commands in a shell, for example: vademecum completions bash
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Reads a PDF from standard input and prints its pages as JSON: what `build` starts for each PDF.
    #[command(hide = true)]
    ReadPdf,
}

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// Folders, and single files, to read.
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    /// The library file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Ignore an existing library and its record, and build from nothing.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Remove the documents of a folder that had files and now has none.
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Also write the library in parts into this folder, as `publish` does.
    #[arg(long, value_name = "DIR")]
    pub(crate) parts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ingest: Ingest,
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// The library file.
    pub(crate) library: PathBuf,
    /// The folder to write: `manifest.json` and `parts`. Unchanged parts of an earlier version are kept.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Remove parts that neither this version of the library nor the one before it has.
    #[arg(long)]
    pub(crate) prune: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The library file; created if it does not exist.
    pub(crate) library: PathBuf,
    /// Files and folders to read. Documents of the same id are replaced.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) ingest: Ingest,
}

/// How files become documents.
#[derive(Debug, Args)]
pub(crate) struct Ingest {
    /// The collection that documents are added to.
    #[arg(long, value_name = "NAME", default_value = vademecum::document::DEFAULT_COLLECTION)]
    pub(crate) collection: String,
    /// A description of the collection, for users and for the agent when it chooses collections.
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Address that documents get their own from, by their path, unless they have one from a sitemap.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) url: Option<String>,
    /// Maximum length of a passage in tokens [default: what the model takes, else 128].
    #[arg(long, value_name = "N")]
    pub(crate) chunk_tokens: Option<usize>,
    /// Tokens, in whole sentences, that a passage repeats of the one before.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) chunk_overlap: usize,
    /// Read also what .gitignore, .ignore and .vademecumignore in the folders leave out.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Compute no vectors, even if a model is named.
    #[arg(long)]
    pub(crate) no_vectors: bool,
    /// Compute vectors again if another model made those of the library.
    #[arg(long)]
    pub(crate) reembed: bool,
    /// Seconds between two checkpoints, from which a run continues that was killed.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    pub(crate) checkpoint: f64,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
}

/// The sentence encoder.
#[derive(Debug, Default, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArguments {
    /// Folder with model.onnx (or model.safetensors and config.json) and tokenizer.json. Default for questions: the one of the last build; without one, search is by words alone.
    #[arg(long, value_name = "DIR", env = "VADEMECUM_MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// Id of the model that the library records [default: the folder's and the file's name, as in the browser].
    #[arg(long, value_name = "ID")]
    pub(crate) model_id: Option<String>,
    /// Maximum number of tokens of a text [default: 128].
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Prefix of every question, as E5 and BGE models require it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) query_prefix: Option<String>,
    /// Prefix of every passage.
    #[arg(long, value_name = "TEXT")]
    pub(crate) document_prefix: Option<String>,
    /// How token vectors become one vector [default: as the model was published].
    #[arg(long)]
    pub(crate) pooling: Option<PoolingName>,
    /// Number of dimensions that vectors are cut to.
    #[arg(long, value_name = "N")]
    pub(crate) dimensions: Option<usize>,
    /// What weights in floats are rounded to when the model is loaded.
    #[arg(long)]
    pub(crate) weights: Option<WeightsName>,
}

impl ModelArguments {
    /// Returns the options with the folder's absolute path; none if they name no folder that is there, or one that cannot be recorded.
    pub(crate) fn located(&self) -> Option<Self> {
        let folder = self.model.as_ref()?.canonicalize().ok()?;
        folder.to_str()?;
        Some(Self { model: Some(folder), ..self.clone() })
    }

    /// Returns whether no option is given.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The names of forms that weights are rounded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WeightsName {
    Int8,
}

impl From<WeightsName> for Rounding {
    fn from(name: WeightsName) -> Self {
        match name {
            WeightsName::Int8 => Self::Int8,
        }
    }
}

/// The names of poolings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PoolingName {
    Mean,
    Cls,
    Lasttoken,
    Model,
}

impl From<PoolingName> for Pooling {
    fn from(name: PoolingName) -> Self {
        match name {
            PoolingName::Mean => Self::Mean,
            PoolingName::Cls => Self::Cls,
            PoolingName::Lasttoken => Self::LastToken,
            PoolingName::Model => Self::Model,
        }
    }
}

/// What a question searches.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// Search only this collection; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Vec<String>,
    #[arg(long, value_name = "JSON", help = FILTER_HELP)]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The library file, or a folder of parts.
    pub(crate) library: PathBuf,
    /// What to look for; words in double quotes must be adjacent.
    pub(crate) question: String,
    /// Maximum number of passages.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// Search by words, by meaning, or by both.
    #[arg(long, default_value = "hybrid")]
    pub(crate) mode: ModeName,
    #[command(flatten)]
    pub(crate) scope: Scope,
}

/// The names of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    Keyword,
    Vector,
    Hybrid,
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The library file.
    pub(crate) library: PathBuf,
    /// The question.
    pub(crate) question: String,
    #[command(flatten)]
    pub(crate) scope: Scope,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The library file, or a folder of parts.
    pub(crate) library: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The library file, with the documents that the set's questions are about.
    pub(crate) library: PathBuf,
    /// Folder with corpus.jsonl, queries.jsonl and qrels/test.tsv.
    #[arg(long, value_name = "DIR")]
    pub(crate) beir: PathBuf,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
}

#[derive(Debug, Args)]
pub(crate) struct Push {
    /// The library file, with vectors.
    pub(crate) library: PathBuf,
    /// Address of the server, without /api.
    #[arg(long, value_name = "URL")]
    pub(crate) chroma: String,
    /// The server's collection [default: the name of the library file]; created if there is none.
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: Option<String>,
    /// Send only this collection of the library; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) from: Vec<String>,
    /// The tenant.
    #[arg(long, value_name = "NAME", default_value = "default_tenant")]
    pub(crate) tenant: String,
    /// The database.
    #[arg(long, value_name = "NAME", default_value = "default_database")]
    pub(crate) database: String,
    /// Key, sent as `Authorization: Bearer` and `x-chroma-token`.
    #[arg(long, value_name = "KEY", env = "VADEMECUM_CHROMA_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
}

impl Push {
    /// Returns the name of the server's collection.
    pub(crate) fn name(&self) -> String {
        let stem = || self.library.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.collection.clone().unwrap_or_else(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
