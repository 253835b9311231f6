//! Everything that can go wrong, with a stable [`Error::code`] a program can branch on and a message
//! that says what was expected, what came, and how to mend it.

mod code;

use serde::{Deserialize, Serialize};

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Another's words as part of a sentence: some end with a full stop, some do not.
fn ended(words: &str) -> &str {
    words.trim_end_matches(['.', ' ', '\n'])
}

/// What went wrong. Cloning is cheap enough to keep an error in an event and in a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option or argument has the wrong shape.
    #[error("`{name}` must be {expected}, but was {got}.")]
    InvalidArgument {
        /// The argument's name as the caller wrote it.
        name: String,
        /// What would have been accepted.
        expected: String,
        /// What was passed.
        got: String,
    },
    /// A document without any text.
    #[error(
        "Document `{id}` is empty: at least one letter or digit is needed. Leave it out, or check how it was read."
    )]
    EmptyDocument {
        /// The document's id.
        id: String,
    },
    /// Bytes that are not UTF-8.
    #[error(
        "Document `{id}` is not UTF-8: byte {offset} cannot be read{hint}. Save it as UTF-8 and add it again."
    )]
    NotUtf8 {
        /// The document's id.
        id: String,
        /// The first byte that does not decode.
        offset: usize,
        /// What the bytes look like instead, or nothing.
        hint: &'static str,
    },
    /// A document over the size limit.
    #[error(
        "Document `{id}` has {bytes} bytes of text; the limit is {limit}. Split it into parts, or raise `maxDocumentBytes`."
    )]
    DocumentTooLarge {
        /// The document's id.
        id: String,
        /// Its size in UTF-8 bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The same id twice in one call.
    #[error(
        "Document id `{id}` occurs more than once in this call. Ids must be unique within a collection; nothing was added."
    )]
    DuplicateId {
        /// The repeated id.
        id: String,
    },
    /// A collection that was never declared.
    #[error(
        "There is no collection `{name}`{nearest}. Declare it first with `collection(\"{name}\")`; there are: {known}."
    )]
    UnknownCollection {
        /// What was asked for.
        name: String,
        /// "; did you mean …?", or nothing.
        nearest: String,
        /// The collections that exist.
        known: String,
    },
    /// A document that is not there.
    #[error("There is no document `{id}` in collection `{collection}`. It may have been removed.")]
    UnknownDocument {
        /// The collection searched.
        collection: String,
        /// The id asked for.
        id: String,
    },
    /// Metadata of another type than the collection declares.
    #[error(
        "Document `{id}`: the metadata field `{field}` is declared as {expected}, but holds {got}. Mend the value, or declare another type; nothing was added."
    )]
    MetadataType {
        /// The document's id.
        id: String,
        /// The field, with dots where it is nested.
        field: String,
        /// Its declared type.
        expected: &'static str,
        /// What the document holds.
        got: String,
    },
    /// A filter or facet on a metadata field that no document has.
    #[error("There is no metadata field `{field}`{nearest}. There are: {known}.")]
    UnknownField {
        /// What was asked for.
        field: String,
        /// " (did you mean …?)", or nothing.
        nearest: String,
        /// The fields that exist.
        known: String,
    },
    /// A filter operator that does not exist.
    #[error("There is no filter operator `{operator}`{nearest}. There are: {known}.")]
    UnknownOperator {
        /// What was written.
        operator: String,
        /// " (did you mean …?)", or nothing.
        nearest: String,
        /// The operators that exist.
        known: &'static str,
    },
    /// A filter whose value or operator does not go with the field's type.
    #[error(
        "The field `{field}` is a {expected}, and {got} does not go with that. Write for example {example}."
    )]
    FilterType {
        /// The field.
        field: String,
        /// Its type, or types.
        expected: String,
        /// The value or operator that does not fit.
        got: String,
        /// A filter that would fit.
        example: String,
    },
    /// A filter of the wrong shape, or beyond the limits.
    #[error("The filter cannot be read: {what} must be {expected}, but is {got}.")]
    FilterInvalid {
        /// Which part of it.
        what: String,
        /// What would have been accepted.
        expected: String,
        /// What was there.
        got: String,
    },
    /// A question or query without a word in it.
    #[error("The question is empty. Ask something with at least one letter or digit in it.")]
    EmptyQuestion,
    /// The knowledge base was closed.
    #[error(
        "This KnowledgeBase is closed. Open it again with `KnowledgeBase.open(…)` or `KnowledgeBase.memory()`."
    )]
    Closed,
    /// The caller's signal was aborted.
    #[error("The operation was aborted by its signal.")]
    Aborted,
    /// Vector search without an embedder.
    #[error(
        "{what} needs an embedder, and this KnowledgeBase has none. Open it with `{{ embedder: Embedder.onnx(…) }}`, or use mode \"keyword\"."
    )]
    NoEmbedder {
        /// What was attempted.
        what: &'static str,
    },
    /// A model, tokenizer or runtime file could not be fetched.
    #[error("{what} could not be loaded from {url}: {}. Check that the file is served there.", ended(.reason))]
    ModelUnavailable {
        /// Which file.
        what: &'static str,
        /// Where it was looked for.
        url: String,
        /// HTTP status or network error.
        reason: String,
    },
    /// The model file is not a model this runtime can run.
    #[error(
        "The model at {url} is not a usable ONNX sentence encoder: {}. Fetch it again; a cut or wrong file is the usual cause.", ended(.reason)
    )]
    ModelCorrupt {
        /// Where it came from.
        url: String,
        /// What the runtime said.
        reason: String,
    },
    /// A model that does not do what is asked of it.
    #[error(
        "The model at {url} does not fit its options: {}. Name the `pooling` it was trained with, or another model.", ended(.reason)
    )]
    ModelUnfit {
        /// Where it came from.
        url: String,
        /// What does not fit.
        reason: String,
    },
    /// The tokenizer file does not parse.
    #[error("The tokenizer at {url} is not a tokenizer.json: {}.", ended(.reason))]
    TokenizerInvalid {
        /// Where it came from.
        url: String,
        /// What the parser said.
        reason: String,
    },
    /// The tokenizer belongs to another model.
    #[error(
        "The tokenizer does not belong to the model: {}. Use the tokenizer.json that was published with the model.", ended(.reason)
    )]
    TokenizerMismatch {
        /// What does not fit.
        reason: String,
    },
    /// The embedder failed while running.
    #[error("The embedder failed: {reason}")]
    EmbedderFailed {
        /// What it said.
        reason: String,
    },
    /// A run that went on while the embedder was still loading.
    #[error(
        "The embedder is still loading, so meanings could not be compared. Ask again once it is there; a search in mode \"vector\" waits for it."
    )]
    EmbedderLoading,
    /// What was reported from where an error cannot come as it is: an embedder in another worker, the keeper of a
    /// library's files, the engine's module.
    #[error("{message}")]
    Relayed {
        /// The code it reported.
        code: &'static str,
        /// Its message, as it stands.
        message: String,
        /// Whether the same may succeed later.
        retryable: bool,
    },
    /// Vectors of the wrong number or length.
    #[error("The embedder must return {expected}, but returned {got}.")]
    VectorShape {
        /// Shape wanted.
        expected: String,
        /// Shape received.
        got: String,
    },
    /// A file of a kept library that is not what was written.
    #[error(
        "The library's file `{file}` is damaged: {reason}. Nothing was changed. `open` and `import` with `{{ salvage: true }}` take what is whole; else import a copy you exported, or delete the library and add its documents again."
    )]
    LibraryCorrupt {
        /// Which file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A library that a later version wrote.
    #[error(
        "The library has format {found}, and this version of Vademecum reads up to {known}. Nothing was changed. Update the package to open it."
    )]
    LibraryNewer {
        /// The file's format.
        found: u32,
        /// The newest this code reads.
        known: u32,
    },
    /// A library whose vectors another embedder made.
    #[error(
        "The library's vectors were made by the embedder `{found}`, not by `{expected}`. Open it with that embedder, or with `{{ reembed: true }}` to make its vectors anew."
    )]
    EmbedderMismatch {
        /// The embedder it is opened with.
        expected: String,
        /// The embedder that made its vectors.
        found: String,
    },
    /// A write while another tab has the library.
    #[error(
        "This library is open for writing elsewhere, in another tab or worker; until it is closed there, it can only be read here."
    )]
    ReadOnly,
    /// A labelled set that cannot be read.
    #[error(
        "The data set cannot be read. {place}: expected {expected}, got {got}. Mend it there; a data set in BEIR layout is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv."
    )]
    DatasetInvalid {
        /// File and line.
        place: String,
        /// What should be there.
        expected: String,
        /// What is there.
        got: String,
    },
    /// The LLM callback threw or rejected.
    #[error("The LLM callback failed: {reason}")]
    LlmFailed {
        /// What it threw.
        reason: String,
    },
    /// The LLM endpoint answered with an HTTP error.
    #[error("The LLM endpoint answered HTTP {status}{detail}. {advice}")]
    LlmHttp {
        /// The status code.
        status: u16,
        /// How long the server asks to be left alone.
        retry_after_ms: Option<u64>,
        /// ": " and the beginning of the body, or nothing.
        detail: String,
        /// What to do about this status.
        advice: &'static str,
    },
    /// The LLM's reply ends too early.
    #[error(
        "The LLM's reply was cut off by the endpoint ({reason}). Raise the endpoint's limit of tokens, or ask for less."
    )]
    LlmCutOff {
        /// Why, in the endpoint's word.
        reason: String,
    },
    /// The LLM's reply could not be read.
    #[error(
        "The LLM's reply could not be used: expected {expected}, got {got}. Check the endpoint's address and model."
    )]
    LlmReply {
        /// What a reply should be.
        expected: &'static str,
        /// The beginning of what came.
        got: String,
    },
    /// The LLM's reply is larger than the run allows.
    #[error(
        "The LLM's reply could not be used: it is larger than `maxReplyBytes`, {most} bytes. Raise `maxReplyBytes`, or ask for less."
    )]
    LlmReplyTooLarge {
        /// The most bytes of text and of calls that it may have.
        most: usize,
    },
    /// What a run was to be gone on with is no state of a run.
    #[error(
        "A run cannot be gone on with from this: expected `result.state` of version {version}, got {got}. Ask anew."
    )]
    InvalidState {
        /// The version that is understood.
        version: u32,
        /// What came.
        got: String,
    },
    /// A run that is gone on with had searched another index.
    #[error(
        "The library has changed since this run was stopped: passages that were found before may be gone or say something \
         else. Ask anew to search what is there now."
    )]
    IndexChanged,
    /// What an LLM would have been shown is marked as never to be sent.
    #[error(
        "The LLM was not asked: {what} of documents that are marked `neverSend`. They are searched and quoted on this device alone."
    )]
    NeverSent {
        /// What would have been sent: passages, or a prompt that holds a sentence.
        what: &'static str,
    },
    /// The caller's `onBeforeSend` did not let a request go.
    #[error("`onBeforeSend` did not let the request go: {}. Return the payload to send it.", ended(.reason))]
    SendDenied {
        /// What it returned or threw.
        reason: String,
        /// What it threw, where it did.
        cause: Option<Box<Thrown>>,
    },
    /// One of the caller's functions for a part of the pipeline threw.
    #[error("The function for {what} failed: {reason}")]
    FunctionFailed {
        /// What it stands in for, such as `searcher`.
        what: String,
        /// The beginning of what it threw.
        reason: String,
        /// What it threw, where that is known.
        cause: Option<Box<Thrown>>,
    },
    /// One of the caller's functions returned something of the wrong shape.
    #[error("The function for {what} must return {expected}, but returned {got}.")]
    FunctionResult {
        /// What it stands in for.
        what: String,
        /// What it should return.
        expected: &'static str,
        /// What it returned.
        got: String,
    },
    /// A step was about to spend more than the run's budget.
    #[error("The budget of `{limit}` is used up. Raise it, or leave out a step.")]
    BudgetExhausted {
        /// Which part of the budget.
        limit: &'static str,
    },
}

/// What a function of the caller's threw, as plain data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thrown {
    /// The name of its kind, such as `TypeError`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it says.
    pub message: String,
    /// Its code, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Error {
    /// What a function of the caller's threw, where that is what went wrong.
    pub fn cause(&self) -> Option<&Thrown> {
        match self {
            Self::FunctionFailed { cause, .. } | Self::SendDenied { cause, .. } => cause.as_deref(),
            _ => None,
        }
    }

    /// An [`Error::InvalidArgument`] from its three parts.
    pub fn invalid(name: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::InvalidArgument { name: name.into(), expected: expected.into(), got: got.into() }
    }
}

/// The beginning of `text`, at most `limit` characters, for a message.
pub fn excerpt(text: &str, limit: usize) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(limit).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
