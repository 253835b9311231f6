//! The codes of errors: those of [`vademecum_protocol::error::Error`], and those that JavaScript alone reports.

use schemars::JsonSchema;

/// Code of an error of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The call's signal was aborted.
    Aborted,
    /// A part of the run's `budget` was used up; the run continues with less and reports it in `terminatedBy`.
    BudgetExhausted,
    /// The KnowledgeBase was closed.
    Closed,
    /// A stored conversation is damaged, or was written by a later version; restart it with `clear()`, or delete it.
    ConversationCorrupt,
    /// A labelled set cannot be read; the message names the file and the line.
    DatasetInvalid,
    /// A document exceeds `maxDocumentBytes` (default: 16 MB); nothing was added.
    DocumentTooLarge,
    /// One call contains an id twice; nothing was added.
    DuplicateId,
    /// The encoder failed while running, or your own threw.
    EmbedderFailed,
    /// In `failures`: a run used keyword search alone, because the model was still being fetched.
    EmbedderLoading,
    /// The vectors of a stored or imported library were made by another embedder; open it with that one, or with
    /// `reembed: true`.
    EmbedderMismatch,
    /// A document contains no letter or digit; nothing was added.
    EmptyDocument,
    /// A question or query contains no letter or digit.
    EmptyQuestion,
    /// A file is not what its name says, or makes its reader crash.
    FileDamaged,
    /// The text of a file is in an encoding that was not recognised.
    FileNotUtf8,
    /// A file is protected by a password, or against copying.
    FileProtected,
    /// A file has more bytes than one of its type may have, or unpacks to more.
    FileTooLarge,
    /// The reader of a file took too long.
    FileUnfinished,
    /// A file could not be read: it may have been moved or changed.
    FileUnreadable,
    /// A file has no text, as a scan.
    FileWithoutText,
    /// A filter has the wrong shape, is nested too deeply or is too long; the message names the place.
    FilterInvalid,
    /// A filter's value or operator does not match the type of its field; the message shows one that does.
    FilterType,
    /// A folder has lost all of the files whose documents are in the library; `allowEmpty: true` removes them.
    FolderEmpty,
    /// A custom function for a part of the pipeline threw or rejected.
    FunctionFailed,
    /// A custom function returned a value of the wrong shape; the message states the expected one.
    FunctionResult,
    /// The host of a library in parts answers with errors, says nothing, or asks to wait too long; try again later.
    HostFailed,
    /// In `failures`: the library changed between the start of a run and its resumption; evidence found before the
    /// change is kept.
    IndexChanged,
    /// An unexpected error; please report it.
    Internal,
    /// An option is misspelt, missing or of the wrong type; the message names it.
    InvalidArgument,
    /// The value to resume from is no `result.state`, or is of another version.
    InvalidState,
    /// A file of a stored or imported library is damaged or truncated; nothing was changed, and `salvage: true` reads
    /// the intact parts.
    LibraryCorrupt,
    /// A library cannot be deleted, or built again, while something else writes it.
    LibraryInUse,
    /// The engine's worker crashed while the KnowledgeBase was in memory only; its contents are gone.
    LibraryLost,
    /// A later version of the package wrote the library; nothing was changed.
    LibraryNewer,
    /// With the documents, the library would take more memory than `maxMemory`; nothing was added.
    LibraryTooLarge,
    /// In `failures`: the endpoint truncated the answer, at its token limit or by its content filter; the part received
    /// is returned.
    LlmCutOff,
    /// The `llm` function threw or rejected for a reason other than an HTTP error.
    LlmFailed,
    /// The endpoint answered with an HTTP error, or the `llm` function threw one; the message contains the endpoint's
    /// text.
    LlmHttp,
    /// The reply was not a chat completion or, after one repair, not the requested JSON.
    LlmReply,
    /// The manifest of a library in parts is not one; the message says what is in its place.
    ManifestInvalid,
    /// The host has no manifest at that address, or sends a page in its place.
    ManifestMissing,
    /// A metadata value has another type than the collection declares; nothing was added.
    MetadataType,
    /// The model file is truncated, is not a usable model, or has another hash than `integrity`.
    ModelCorrupt,
    /// A model, tokenizer or runtime file could not be fetched, or no byte of it arrived for 30 seconds.
    ModelUnavailable,
    /// The model does not match its options: it needs another `pooling`, or returns another vector than the `expected`
    /// one.
    ModelUnfit,
    /// One of the package's wasm modules could not be loaded: it is not served at its address, no byte of it arrived
    /// for 30 seconds, or a policy forbids it.
    ModuleUnavailable,
    /// In `failures`: a step continued without the LLM, because all of its input is marked `neverSend`. In `sources`: a remote
    /// collection was not asked, because the question holds text so marked.
    NeverSent,
    /// Vector search without an embedder.
    NoEmbedder,
    /// The bytes of a document are not UTF-8; the message names the position and the likely encoding.
    NotUtf8,
    /// Nothing answers at the address of a library in parts: this device is offline, or the host; what is stored here still answers.
    Offline,
    /// A part of a library has another hash than its manifest says, also past all caches; it was not used.
    PartDamaged,
    /// The host does not have a part of a library, or sends a page in its place.
    PartMissing,
    /// The library is open for writing in another tab or worker; it can only be read here.
    ReadOnly,
    /// The host of a library in parts redirects elsewhere, which is not followed; attach the final address.
    Redirected,
    /// A remote collection's server answered that it has too many requests (HTTP 429), also when asked again.
    RemoteBusy,
    /// A remote collection's server has no collection of that name; the message lists those it has.
    RemoteCollection,
    /// A remote collection has vectors of another length than the question's.
    RemoteDimensions,
    /// A remote collection threw, or its server answered with an error.
    RemoteFailed,
    /// A remote collection's server refused the key, or there is none (HTTP 401 or 403).
    RemoteRefused,
    /// The reply of a remote collection is incomplete or of another form; the message names the place. None of its hits is used.
    RemoteReply,
    /// A remote collection did not answer before its deadline.
    RemoteTimeout,
    /// A remote collection's server cannot be reached: it is down, or does not allow the page's origin.
    RemoteUnavailable,
    /// A remote collection cannot do this: it is searched, not listed or changed, and not every one gives whole documents or searches by
    /// words.
    RemoteUnsupported,
    /// A remote collection's server speaks another version of the interface.
    RemoteVersion,
    /// In `failures` and `sources`: `onBeforeSend` rejected a request or a search.
    SendDenied,
    /// A file could not be read or written; the message says why.
    StorageFailed,
    /// The browser has no space left; the message contains the sizes. Earlier saves are kept.
    StorageFull,
    /// This page cannot store anything, as in some private windows; `KnowledgeBase.memory()` works.
    StorageUnavailable,
    /// The tokenizer file cannot be parsed.
    TokenizerInvalid,
    /// The tokenizer belongs to another model.
    TokenizerMismatch,
    /// In `failures` and `toolCalls`: a custom tool was not run, because the model had read passages and the tool is
    /// not `safe`, or because `onBeforeTool` did not return true.
    ToolDenied,
    /// A collection was never declared; the message names the nearest one.
    UnknownCollection,
    /// No document has that id.
    UnknownDocument,
    /// A filter or facet names a metadata field that no document has; the message names the nearest one.
    UnknownField,
    /// A filter's operator does not exist; the message names the nearest one.
    UnknownOperator,
    /// Not available in this build or environment: `Embedder.onnx` and `kb.vectors` in the lite build, or `Embedder.onnx` in a service worker.
    Unsupported,
    /// Vectors of the wrong number or length.
    VectorShape,
    /// A worker could not start, and the message names its address; or it crashed and is restarted; or an engine on the
    /// calling thread crashed and is not restarted.
    WorkerFailed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::{Declared, values};
    use std::collections::BTreeSet;
    use vademecum_protocol::error::Error;

    #[test]
    fn every_code_of_the_crates_is_declared() {
        let declared = values(&Declared::of::<ErrorCode>().schema).unwrap();
        let declared: BTreeSet<&str> = declared.iter().filter_map(|value| value.as_str()).collect();
        let missing: Vec<&str> = Error::codes().into_iter().filter(|code| !declared.contains(code)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
