//! Migrates chunk ids in old checkpoints, which contained the collection name without encoding, so that two chunks could share an
//! id.

use serde_json::Value;
use vademecum_protocol::document::chunk_id;
use vademecum_util::vec_map::Map;

/// Replaces all chunk ids of a checkpoint by their current form.
///
/// # Errors
/// A message if chunks of two documents share an id, which is ambiguous.
pub(super) fn renew(state: &mut Value) -> Result<(), String> {
    let mut renewed = Map::default();
    collect(state, &mut renewed)?;
    if renewed.iter().any(|(old, new)| old != new) {
        replace(state, &renewed);
    }
    Ok(())
}

/// Collects the id of every chunk and citation with its current form.
fn collect(value: &Value, renewed: &mut Map<String, String>) -> Result<(), String> {
    if let Some((old, new)) = ids_of(value) {
        if renewed.get(old).is_some_and(|known| *known != new) {
            return Err(format!("passages of two documents under the id `{old}`"));
        }
        renewed.insert(old.to_owned(), new);
    }
    match value {
        Value::Array(values) => values.iter().try_for_each(|value| collect(value, renewed)),
        Value::Object(fields) => fields.values().try_for_each(|value| collect(value, renewed)),
        _ => Ok(()),
    }
}

/// Returns the id of a chunk or of a cited chunk, and its current form; `None` for ids of a custom searcher, which are not
/// derived from collection and document.
fn ids_of(value: &Value) -> Option<(&str, String)> {
    let field = |name: &str| value.get(name).and_then(Value::as_str);
    let (collection, document) = (field("collection")?, field("docId")?);
    let old = field("chunkId").or_else(|| field("id"))?;
    let (path, ordinal) = old.rsplit_once('#')?;
    let new = chunk_id(collection, document, ordinal.parse().ok()?);
    let is_own = path.strip_prefix(collection)?.strip_prefix('/')? == document;
    is_own.then_some((old, new))
}

fn replace(value: &mut Value, renewed: &Map<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(new) = renewed.get(text.as_str()) {
                text.clone_from(new);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, renewed)),
        Value::Object(fields) => fields.values_mut().for_each(|value| replace(value, renewed)),
        _ => {}
    }
}
