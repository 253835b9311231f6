//! Messages of errors that only evaluations make.

use vademecum_protocol::error::Error;

/// Creates an error for a data set that cannot be read. `place` is the file and the line.
pub fn dataset_invalid(place: &str, expected: &str, got: &str) -> Error {
    Error::of(
        "dataset_invalid",
        format!(
            "The data set cannot be read. {place}: expected {expected}, got {got}. Fix it there; a data set in BEIR layout is a \
             folder with corpus.jsonl, queries.jsonl and qrels/test.tsv."
        ),
    )
}
