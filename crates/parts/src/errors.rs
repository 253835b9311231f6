//! The errors of libraries in parts. They are relayed errors, not variants of the shared type, so that the modules that never
//! read parts do not contain their messages.

use vademecum_protocol::error::{Error, excerpt};

/// The version of the format that this version writes.
pub const FORMAT: u32 = 3;
/// The earliest version of the format that is read. Format 2 had no Rice codes; format 1 had the lengths of chunks beside all postings.
pub(crate) const EARLIEST_FORMAT: u32 = 2;

/// Creates `part_missing`: a part that cannot be had now. Retryable: it may be served later.
pub fn part_missing(part: &str, reason: &str) -> Error {
    Error::Relayed {
        code: "part_missing",
        message: format!(
            "Part {part} of the library could not be read: {}. Check that the host serves the whole folder, and that this device is online.",
            excerpt(reason, 200).trim_end_matches('.')
        ),
        retryable: true,
    }
}

/// Creates `part_damaged`: a part whose bytes are not those that the library was written with.
pub fn part_damaged(part: &str, reason: &str) -> Error {
    Error::Relayed {
        code: "part_damaged",
        message: format!(
            "Part {part} of the library is damaged: {}. It was not used. Publish the folder again, and check that the host changes no bytes.",
            excerpt(reason, 200).trim_end_matches('.')
        ),
        retryable: false,
    }
}

/// Creates `manifest_invalid`: the manifest is not one, or contradicts itself.
pub fn manifest_invalid(reason: &str) -> Error {
    Error::Relayed {
        code: "manifest_invalid",
        message: format!(
            "The manifest of the library cannot be read: {}. It must be the file `manifest.json` that was published; a host's error page in its place is the usual cause.",
            excerpt(reason, 200).trim_end_matches('.')
        ),
        retryable: false,
    }
}
