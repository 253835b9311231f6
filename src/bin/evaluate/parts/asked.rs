//! The questions of a library beside it, with their vectors and nearest passages: the browser is asked the same.

use super::Question;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Writes `questions.json` into the folder of a library: `{ name, questions: [{ text, vector, nearest }] }`. `nearest` are ids of chunks.
pub(super) fn write(
    folder: &Path,
    name: &str,
    questions: &[Question<'_>],
    nearest: &[Vec<String>],
) -> Result<(), String> {
    let asked = questions
        .iter()
        .zip(nearest)
        .map(|(one, nearest)| json!({ "text": one.labelled.text, "vector": one.vector, "nearest": nearest }));
    let all = json!({ "name": name, "questions": asked.collect::<Vec<_>>() });
    let path = folder.join("questions.json");
    fs::write(&path, all.to_string()).map_err(|error| format!("{}: {error}", path.display()))
}
