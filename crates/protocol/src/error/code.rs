//! Stable error codes, and whether a call can be retried.

use super::Error;

/// All codes: those of this crate, and those of workers and storage that are relayed through it.
const CODES: [&str; 46] = [
    "aborted",
    "budget_exhausted",
    "closed",
    "dataset_invalid",
    "document_too_large",
    "duplicate_id",
    "embedder_failed",
    "embedder_loading",
    "embedder_mismatch",
    "empty_document",
    "empty_question",
    "filter_invalid",
    "filter_type",
    "function_failed",
    "function_result",
    "index_changed",
    "invalid_argument",
    "invalid_state",
    "library_corrupt",
    "library_in_use",
    "library_newer",
    "llm_cut_off",
    "llm_failed",
    "llm_http",
    "llm_reply",
    "metadata_type",
    "model_corrupt",
    "model_unavailable",
    "model_unfit",
    "never_sent",
    "no_embedder",
    "not_utf8",
    "read_only",
    "send_denied",
    "storage_failed",
    "storage_full",
    "storage_unavailable",
    "tokenizer_invalid",
    "tokenizer_mismatch",
    "tool_denied",
    "unknown_collection",
    "unknown_document",
    "unknown_field",
    "unknown_operator",
    "vector_shape",
    "worker_failed",
];

const EMBEDDER_CODES: [&str; 11] = [
    "aborted",
    "closed",
    "embedder_failed",
    "embedder_mismatch",
    "model_corrupt",
    "model_unavailable",
    "model_unfit",
    "tokenizer_invalid",
    "tokenizer_mismatch",
    "vector_shape",
    "worker_failed",
];

const STORAGE_CODES: [&str; 5] =
    ["closed", "library_in_use", "read_only", "storage_full", "storage_unavailable"];

/// Codes of collections that are kept elsewhere. Apart from the others, because only some modules know such collections.
const REMOTE_CODES: [&str; 10] = [
    "remote_busy",
    "remote_collection",
    "remote_dimensions",
    "remote_failed",
    "remote_refused",
    "remote_reply",
    "remote_timeout",
    "remote_unavailable",
    "remote_unsupported",
    "remote_version",
];

fn known(code: &str, codes: &[&'static str]) -> Option<&'static str> {
    codes.iter().copied().find(|known| *known == code)
}

impl Error {
    /// Returns the stable code of this variant. Codes never change, so programs may compare them.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::EmptyDocument { .. } => "empty_document",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::DocumentTooLarge { .. } => "document_too_large",
            Self::DuplicateId { .. } => "duplicate_id",
            Self::UnknownCollection { .. } => "unknown_collection",
            Self::UnknownDocument { .. } => "unknown_document",
            Self::MetadataType { .. } => "metadata_type",
            Self::UnknownField { .. } => "unknown_field",
            Self::UnknownOperator { .. } => "unknown_operator",
            Self::FilterType { .. } => "filter_type",
            Self::FilterInvalid { .. } => "filter_invalid",
            Self::EmptyQuestion => "empty_question",
            Self::Closed => "closed",
            Self::Aborted => "aborted",
            Self::NoEmbedder { .. } => "no_embedder",
            Self::ModelUnavailable { .. } => "model_unavailable",
            Self::EmbedderFailed { .. } => "embedder_failed",
            Self::EmbedderLoading => "embedder_loading",
            Self::Relayed { code, .. } => code,
            Self::VectorShape { .. } => "vector_shape",
            Self::LibraryCorrupt { .. } => "library_corrupt",
            Self::LibraryNewer { .. } => "library_newer",
            Self::EmbedderMismatch { .. } => "embedder_mismatch",
            Self::ReadOnly => "read_only",
            Self::LlmFailed { .. } => "llm_failed",
            Self::LlmHttp { .. } => "llm_http",
            Self::LlmCutOff { .. } => "llm_cut_off",
            Self::LlmReply { .. } | Self::LlmReplyTooLarge { .. } => "llm_reply",
            Self::SendDenied { .. } => "send_denied",
            Self::FunctionFailed { .. } => "function_failed",
            Self::BudgetExhausted { .. } => "budget_exhausted",
        }
    }

    /// Returns all codes.
    #[cfg(feature = "schema")]
    pub fn codes() -> Vec<&'static str> {
        CODES.into_iter().chain(REMOTE_CODES).collect()
    }

    /// Returns whether the same call may succeed later without a change.
    pub fn retryable(&self) -> bool {
        match self {
            Self::ModelUnavailable { .. }
            | Self::LlmFailed { .. }
            | Self::ReadOnly
            | Self::EmbedderLoading => true,
            Self::LlmHttp { status, .. } => *status == 408 || *status == 429 || *status >= 500,
            Self::Relayed { retryable, .. } => *retryable,
            _ => false,
        }
    }

    /// Creates an error reported by another module; `None` for an unknown code.
    pub fn relayed(code: &str, message: String, retryable: bool) -> Option<Self> {
        let code = known(code, &CODES)?;
        Some(if code == "aborted" { Self::Aborted } else { Self::Relayed { code, message, retryable } })
    }

    /// Returns whether a search failed because of a collection that is kept elsewhere: others can still be searched.
    pub fn is_of_remote(&self) -> bool {
        let code = self.code();
        known(code, &REMOTE_CODES).is_some() || code == "send_denied" || code == "never_sent"
    }

    /// As [`Error::relayed`], also for the codes of collections that are kept elsewhere.
    pub fn relayed_by_remote(code: &str, message: String, retryable: bool) -> Option<Self> {
        match known(code, &REMOTE_CODES) {
            Some(code) => Some(Self::Relayed { code, message, retryable }),
            None => Self::relayed(code, message, retryable),
        }
    }

    /// Creates an error of one of [`CODES`], for errors without a variant; its message says how to fix it.
    pub fn of(code: &'static str, message: String) -> Self {
        debug_assert!(code == "internal" || known(code, &CODES).is_some(), "unknown code {code}");
        Self::Relayed { code, message, retryable: false }
    }

    /// Creates an error for a bug.
    pub fn internal(message: String) -> Self {
        Self::of("internal", message)
    }

    /// Creates an error reported by an embedder in another worker; `None` for a code that embedders do not report.
    pub fn of_embedder(code: &str, message: String) -> Option<Self> {
        let code = known(code, &EMBEDDER_CODES)?;
        Self::relayed(code, message, code == "model_unavailable")
    }

    /// Creates an error reported by the storage; its message says how to fix it.
    pub fn of_storage(code: &str, message: String, retryable: bool) -> Self {
        let code = known(code, &STORAGE_CODES).unwrap_or("storage_failed");
        Self::Relayed { code, message, retryable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relayed_error_keeps_its_code_and_unknown_codes_are_refused() {
        let full = Error::relayed("storage_full", "There is no room.".into(), true).unwrap();
        assert_eq!(
            (full.code(), full.retryable(), full.to_string().as_str()),
            ("storage_full", true, "There is no room.")
        );
        assert_eq!(Error::relayed("aborted", String::new(), false), Some(Error::Aborted));
        assert_eq!(Error::relayed("made_up", String::new(), false), None);
        assert_eq!(Error::of_storage("made_up", String::new(), false).code(), "storage_failed");
        assert_eq!(Error::of_storage("empty_document", String::new(), false).code(), "storage_failed");
        assert_eq!(Error::of_embedder("storage_full", String::new()), None);
    }
}
