//! Errors of remote collections.

use vademecum_protocol::error::{Error, excerpt};

/// Maximum length of a value in a message.
const SHOWN: usize = 80;

/// The collection did not answer in time.
pub(super) fn late(name: &str, deadline: f64) -> Error {
    let message = format!(
        "The remote collection `{name}` did not answer within {deadline} ms. Ask again, or raise `deadlineMs` of `kb.attach`."
    );
    Error::Relayed { code: "remote_timeout", message, retryable: true }
}

/// The collection answered something else than the contract says.
pub(super) fn reply(name: &str, path: &str, expected: &str, got: &str) -> Error {
    let message = format!(
        "The reply of the remote collection `{name}` cannot be used: `{path}` must be {expected}, but was {}.",
        excerpt(got, SHOWN)
    );
    Error::Relayed { code: "remote_reply", message, retryable: false }
}

/// The collection cannot do what is asked.
pub(crate) fn unsupported(name: &str, what: &str) -> Error {
    let message = format!("The remote collection `{name}` cannot {what}. It can be searched.");
    Error::Relayed { code: "remote_unsupported", message, retryable: false }
}

/// The question holds text that must stay on the device.
pub(super) fn never_sent(name: &str) -> Error {
    let message = format!(
        "The remote collection `{name}` was not asked: the question or its conditions hold text of documents that are marked \
         `neverSend`."
    );
    Error::Relayed { code: "never_sent", message, retryable: false }
}

/// The collection is never told the question in the form that the mode needs.
pub(super) fn tells_nothing(name: &str, mode: &str) -> Error {
    let message = format!(
        "The remote collection `{name}` was not asked: in mode \"{mode}\" there is nothing that it may be told. Its `leaves` decides \
         whether that is the question, its vector, or both; a vector needs an embedder that is ready."
    );
    Error::Relayed { code: "remote_unsupported", message, retryable: false }
}
