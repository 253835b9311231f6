//! The vectors and the questions of a library beside it: a browser is asked the same, and so are other engines that hold the same vectors.

use super::Question;
use serde_json::json;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use vademecum::index::Searcher;

/// Writes `questions.json` and `vectors.f32` into the folder of a library: `{ name, questions: [{ text, vector, nearest, rows }] }`, and the
/// vectors of all chunks in 32-bit floats. `nearest` are ids of chunks, and `rows` where the vectors of these are.
pub(super) fn write(
    folder: &Path,
    name: &str,
    questions: &[Question<'_>],
    nearest: &[Vec<String>],
    searcher: &Searcher,
) -> Result<(), String> {
    let path = folder.join("vectors.f32");
    let rows = vectors(&path, searcher).map_err(|error| format!("{}: {error}", path.display()))?;
    let asked = questions.iter().zip(nearest).map(|(one, nearest)| {
        let rows: Vec<_> = nearest.iter().map(|id| rows.get(id)).collect();
        json!({ "text": one.labelled.text, "vector": one.vector, "nearest": nearest, "rows": rows })
    });
    let all = json!({ "name": name, "questions": asked.collect::<Vec<_>>() });
    let path = folder.join("questions.json");
    fs::write(&path, all.to_string()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes vectors, and returns the row of each chunk by its id.
fn vectors(path: &Path, searcher: &Searcher) -> std::io::Result<HashMap<String, usize>> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut rows = HashMap::new();
    for one in searcher.export() {
        let Some(vector) = one.vector() else { continue };
        for value in vector {
            file.write_all(&value.to_le_bytes())?;
        }
        rows.insert(one.chunk.id(), rows.len());
    }
    file.flush()?;
    Ok(rows)
}
