//! Messages of errors that only encoders make.

use vademecum_protocol::error::{Error, without_full_stop};

/// Creates an error for a file that is not a usable model.
pub fn model_corrupt(url: &str, reason: &str) -> Error {
    let reason = without_full_stop(reason);
    Error::of(
        "model_corrupt",
        format!(
            "The model at {url} is not usable: {reason}. Fetch it again; a cut or wrong file is the usual cause."
        ),
    )
}

/// Creates an error for a model that does not match its options.
pub fn model_unfit(url: &str, reason: &str) -> Error {
    let reason = without_full_stop(reason);
    Error::of(
        "model_unfit",
        format!(
            "The model at {url} does not fit its options: {reason}. Name another model, or the options it was trained for."
        ),
    )
}

/// Creates an error for a tokenizer file that does not parse.
pub(crate) fn tokenizer_invalid(url: &str, reason: &str) -> Error {
    let reason = without_full_stop(reason);
    Error::of("tokenizer_invalid", format!("The tokenizer at {url} is not a tokenizer.json: {reason}."))
}

/// Creates an error for a tokenizer of another model.
#[cfg(any(feature = "kernel", feature = "onnx"))]
pub(crate) fn tokenizer_mismatch(reason: &str) -> Error {
    let reason = without_full_stop(reason);
    Error::of(
        "tokenizer_mismatch",
        format!(
            "The tokenizer does not belong to the model: {reason}. Use the tokenizer.json that was published with the model."
        ),
    )
}
