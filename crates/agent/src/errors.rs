//! Messages of errors that only the agent makes.

use vademecum_protocol::error::Error;

/// Creates an error for a caller's function that returned a value of the wrong shape. `what` is the part of the pipeline that it
/// implements, such as "the reranker".
pub fn function_result(what: &str, expected: &str, got: &str) -> Error {
    Error::of(
        "function_result",
        format!("The function for {what} must return {expected}, but returned {got}."),
    )
}

/// Creates an error for a request to an LLM with content that is marked as never to be sent. `what` is what would have been sent:
/// passages, or a prompt that contains a sentence.
pub(crate) fn never_sent(what: &str) -> Error {
    Error::of(
        "never_sent",
        format!(
            "The LLM was not asked: {what} of documents that are marked `neverSend`. They are searched and quoted on this \
             device alone."
        ),
    )
}

/// Creates an error for a value that is not the state of a run of `version` and cannot be resumed.
pub(crate) fn invalid_state(version: u32, got: &str) -> Error {
    Error::of(
        "invalid_state",
        format!(
            "A run cannot be resumed from this: expected `result.state` of version {version}, got {got}. Ask again."
        ),
    )
}

/// Creates an error for a run that is resumed over another index than it had searched.
pub(crate) fn index_changed() -> Error {
    Error::of(
        "index_changed",
        "The library has changed since this run was stopped, and its passages may be gone. Ask again to search it as it is \
         now."
            .to_owned(),
    )
}
