//! All errors: a stable [`Error::code`] for programs, and a message that says what was expected, what was found, and how to fix
//! it.

mod code;

use serde::{Deserialize, Serialize};

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Trims the final full stop of a foreign message that becomes part of a sentence.
pub fn without_full_stop(words: &str) -> &str {
    words.trim_end_matches(['.', ' ', '\n'])
}

/// All errors of the library. Cheap to clone, so that events and results can share an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option or argument has the wrong shape.
    #[error("`{name}` must be {expected}, but was {got}.")]
    InvalidArgument {
        /// The argument's name as the caller wrote it.
        name: String,
        /// What would be accepted.
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
        /// What the bytes look like instead, or empty.
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
    /// A collection that does not exist.
    #[error(
        "There is no collection `{name}`{nearest}. Declare it first with `collection(\"{name}\")`; there are: {known}."
    )]
    UnknownCollection {
        /// The name.
        name: String,
        /// "; did you mean …?", or empty.
        nearest: String,
        /// The existing collections.
        known: String,
    },
    /// A document that does not exist.
    #[error("There is no document `{id}` in collection `{collection}`. It may have been removed.")]
    UnknownDocument {
        /// The searched collection.
        collection: String,
        /// The id.
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
        /// The type in the document.
        got: String,
    },
    /// A filter or facet on a metadata field that no document has.
    #[error("There is no metadata field `{field}`{nearest}. There are: {known}.")]
    UnknownField {
        /// The name.
        field: String,
        /// " (did you mean …?)", or empty.
        nearest: String,
        /// The existing fields.
        known: String,
    },
    /// A filter operator that does not exist.
    #[error("There is no filter operator `{operator}`{nearest}. There are: {known}.")]
    UnknownOperator {
        /// The operator.
        operator: String,
        /// " (did you mean …?)", or empty.
        nearest: String,
        /// The existing operators.
        known: &'static str,
    },
    /// A filter whose value or operator does not match the field's type.
    #[error(
        "The field `{field}` is a {expected}, and {got} does not go with that. Write for example {example}."
    )]
    FilterType {
        /// The field.
        field: String,
        /// Its type, or types.
        expected: String,
        /// The value or operator that does not match.
        got: String,
        /// A filter that would match.
        example: String,
    },
    /// A filter of the wrong shape, or beyond the limits.
    #[error("The filter cannot be read: {what} must be {expected}, but is {got}.")]
    FilterInvalid {
        /// The part of the filter.
        what: String,
        /// What would be accepted.
        expected: String,
        /// What was found.
        got: String,
    },
    /// A question or query without a word.
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
        /// The operation.
        what: &'static str,
    },
    /// A model, tokenizer or runtime file that could not be fetched.
    #[error("{what} could not be loaded from {url}: {}. Check that the file is served there.", without_full_stop(.reason))]
    ModelUnavailable {
        /// The kind of file.
        what: &'static str,
        /// Its URL.
        url: String,
        /// The HTTP status or network error.
        reason: String,
    },
    /// A failure of the embedder at run time.
    #[error("The embedder failed: {reason}")]
    EmbedderFailed {
        /// Its message.
        reason: String,
    },
    /// A search in a run while the embedder was still loading.
    #[error(
        "The embedder is still loading, so meanings could not be compared. Ask again later, or search in mode \"vector\", which waits."
    )]
    EmbedderLoading,
    /// An error that a crate makes for itself, or that another module or worker reports: the agent, an embedder, the storage.
    /// Such errors are no variants of their own, because the messages of all variants are in every module.
    #[error("{message}")]
    Relayed {
        /// Its code.
        code: &'static str,
        /// Its message.
        message: String,
        /// Whether the call may succeed later.
        retryable: bool,
    },
    /// Vectors of the wrong number or dimension.
    #[error("The embedder must return {expected}, but returned {got}.")]
    VectorShape {
        /// The expected shape.
        expected: String,
        /// The returned shape.
        got: String,
    },
    /// A damaged file of a library.
    #[error(
        "The library's file `{file}` is damaged: {reason}. Nothing was changed. `open` and `import` with `{{ salvage: true }}` read what is intact; otherwise import a copy you exported, or delete the library and add its documents again."
    )]
    LibraryCorrupt {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A library written by a later version.
    #[error(
        "The library has format {found}, and this version of Vademecum reads up to {known}. Nothing was changed. Update the package to open it."
    )]
    LibraryNewer {
        /// The format of the file.
        found: u32,
        /// The latest supported format.
        known: u32,
    },
    /// A library whose vectors were computed by another embedder.
    #[error(
        "The library's vectors were made by the embedder `{found}`, not by `{expected}`. Open it with that embedder, or with `{{ reembed: true }}` to compute its vectors again."
    )]
    EmbedderMismatch {
        /// The embedder that it is opened with.
        expected: String,
        /// The embedder that computed its vectors.
        found: String,
    },
    /// A write to a library that another tab or worker has open for writing.
    #[error(
        "This library is open for writing elsewhere, in another tab or worker; until it is closed there, it can only be read here."
    )]
    ReadOnly,
    /// An LLM callback that threw or rejected.
    #[error("The LLM callback failed: {reason}")]
    LlmFailed {
        /// What it threw.
        reason: String,
    },
    /// An HTTP error of the LLM endpoint.
    #[error("The LLM endpoint answered HTTP {status}{detail}. {advice}")]
    LlmHttp {
        /// The status code.
        status: u16,
        /// The wait that the server asks for.
        retry_after_ms: Option<u64>,
        /// ": " and the beginning of the body, or empty.
        detail: String,
        /// What to do about this status.
        advice: &'static str,
    },
    /// An LLM reply that ends too early.
    #[error(
        "The LLM's reply was cut off by the endpoint ({reason}). Raise the endpoint's limit of tokens, or ask for less."
    )]
    LlmCutOff {
        /// The reason given by the endpoint.
        reason: String,
    },
    /// An LLM reply that could not be read.
    #[error(
        "The LLM's reply could not be used: expected {expected}, got {got}. Check the endpoint's address and model."
    )]
    LlmReply {
        /// What a reply should be.
        expected: &'static str,
        /// The beginning of the reply.
        got: String,
    },
    /// An LLM reply that exceeds `maxReplyBytes`.
    #[error(
        "The LLM's reply could not be used: it is larger than `maxReplyBytes`, {most} bytes. Raise `maxReplyBytes`, or ask for less."
    )]
    LlmReplyTooLarge {
        /// The limit in bytes of text and tool calls.
        most: usize,
    },
    /// A request that the caller's `onBeforeSend` rejected.
    #[error("`onBeforeSend` rejected the request: {}. Return the payload to send it.", without_full_stop(.reason))]
    SendDenied {
        /// What it returned or threw.
        reason: String,
        /// What it threw, if it threw.
        cause: Option<Box<Thrown>>,
    },
    /// A caller's function that threw.
    #[error("The function for {what} failed: {reason}")]
    FunctionFailed {
        /// The part of the pipeline that it implements, such as `searcher`.
        what: String,
        /// The beginning of what it threw.
        reason: String,
        /// What it threw, if known.
        cause: Option<Box<Thrown>>,
    },
    /// A step that would exceed the budget of the run.
    #[error("The budget of `{limit}` is used up. Raise it, or leave out a step.")]
    BudgetExhausted {
        /// The part of the budget.
        limit: &'static str,
    },
}

/// A value thrown by a caller's function, as plain data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thrown {
    /// The name of its class, such as `TypeError`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its message.
    pub message: String,
    /// Its code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Error {
    /// Returns what the caller's function threw, if that caused the error.
    pub fn cause(&self) -> Option<&Thrown> {
        match self {
            Self::FunctionFailed { cause, .. } | Self::SendDenied { cause, .. } => cause.as_deref(),
            _ => None,
        }
    }

    /// Creates an [`Error::InvalidArgument`].
    pub fn invalid(name: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::InvalidArgument { name: name.into(), expected: expected.into(), got: got.into() }
    }
}

/// Returns the beginning of `text`, at most `limit` characters, trimmed.
pub fn excerpt(text: &str, limit: usize) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(limit).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
