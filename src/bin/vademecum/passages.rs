//! Opens a library for questions, and formats passages.

use crate::arguments::{ModelArguments, Scope};
use crate::host::Host;
use crate::library::{self, MAX_DOCUMENT_BYTES};
use crate::model::Model;
use crate::output::Output;
use crate::record::Record;
use serde_json::Value;
use std::path::Path;
use std::rc::Rc;
use vademecum::document::Chunk;
use vademecum::engine::{KnowledgeBase, Options};
use vademecum::error::{Error, Result, excerpt};

/// Characters of a passage that are printed.
const SHOWN: usize = 320;

/// A library that is open for questions.
pub(crate) struct Opened {
    pub(crate) kb: KnowledgeBase,
    pub(crate) host: Rc<Host>,
    /// Whether questions can be compared by meaning.
    pub(crate) has_meaning: bool,
}

/// Opens a library with the model that is named, or the one that it was built with; says so if its vectors cannot be used, or if it has none.
///
/// # Errors
/// Those of the model and the library.
pub(crate) fn open(library: &Path, model: &ModelArguments, output: Output) -> Result<Opened> {
    // Options that only belong to a model that is named are not mixed with recorded ones.
    let recorded = if model.is_empty() { Record::model_of(library) } else { None };
    if let Some(recorded) = recorded {
        match opened(library, &recorded, output) {
            Err(error) if is_of_model(&error) => output.note(&format!(
                "The model that the library was built with cannot be used. {error} Name it with --model."
            )),
            outcome => return outcome,
        }
    }
    opened(library, model, output)
}

/// Opens a library for questions by words, without any model.
///
/// # Errors
/// Those of the library.
pub(crate) fn open_by_words(library: &Path) -> Result<Opened> {
    let host = Rc::new(Host::default());
    let kb = library::open(Some(library), None, host.clone(), options())?;
    Ok(Opened { kb, host, has_meaning: false })
}

fn options() -> Options {
    Options { max_document_bytes: MAX_DOCUMENT_BYTES, ..Options::default() }
}

/// Returns whether an error is one of a model that was moved or replaced since the library was built.
fn is_of_model(error: &Error) -> bool {
    let codes = ["embedder_mismatch", "tokenizer_invalid", "tokenizer_mismatch", "unsupported"];
    error.code().starts_with("model_") || codes.contains(&error.code())
}

fn opened(library: &Path, model: &ModelArguments, output: Output) -> Result<Opened> {
    let model = Model::find(model)?;
    let host = Rc::new(Host::default());
    let embedder = model.as_ref().map(|model| model.load(host.clone())).transpose()?.map(Rc::new);
    let has_model = embedder.is_some();
    let kb = library::open(Some(library), embedder, host.clone(), options())?;
    kb.settle_embedder()?;
    let vectors = kb.stats()?.embedded;
    match (has_model, vectors) {
        (false, 1..) => {
            output.note("Searching by words alone: the library's vectors need its model, named by --model.");
        }
        (true, 0) => {
            output.note("Searching by words alone: the library has no vectors. Build it with --model.");
        }
        _ => {}
    }
    Ok(Opened { kb, host, has_meaning: has_model && vectors > 0 })
}

/// Parses the condition of a scope.
///
/// # Errors
/// `invalid_argument` if it is not JSON.
pub(crate) fn filter(scope: &Scope) -> Result<Option<Value>> {
    let parsed = scope.filter.as_deref().map(serde_json::from_str).transpose();
    parsed.map_err(|error| {
        let expected = "JSON, such as '{\"year\": {\">=\": 2023}}'";
        Error::invalid(
            "--filter",
            expected,
            format!("{} ({error})", scope.filter.as_deref().unwrap_or_default()),
        )
    })
}

/// Returns the collections of a scope; none means all.
pub(crate) fn collections(scope: &Scope) -> Option<Vec<String>> {
    (!scope.collection.is_empty()).then(|| scope.collection.clone())
}

/// Formats where a passage is from: document, headings, page, address.
pub(crate) fn source(chunk: &Chunk) -> String {
    let mut source = chunk.doc_id.clone();
    let title = chunk.title.iter().filter(|title| !chunk.headings.contains(title)).cloned();
    let above: Vec<String> = title.chain(chunk.headings.iter().cloned()).collect();
    if !above.is_empty() {
        source.push_str(&format!("  {}", above.join(" › ")));
    }
    if let Some(page) = chunk.page {
        source.push_str(&format!("  p. {page}"));
    }
    if let Some(url) = &chunk.url {
        source.push_str(&format!("  {url}"));
    }
    source
}

/// Formats the beginning of a passage in one paragraph, without the headings that [`source`] has.
pub(crate) fn beginning(chunk: &Chunk) -> String {
    let is_heading = |line: &str| {
        let text = line.trim().trim_start_matches('#').trim();
        text.is_empty() || chunk.headings.iter().any(|heading| heading == text)
    };
    let body: Vec<&str> = chunk.text.lines().skip_while(|line| is_heading(line)).collect();
    let text = if body.is_empty() { chunk.text.clone() } else { body.join(" ") };
    excerpt(&text.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN)
}
