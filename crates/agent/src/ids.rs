//! Ids of chunks in a state that was written when a collection's name stood in them as it is. Two chunks could share one.

use serde_json::Value;
use vademecum_protocol::document::chunk_id;
use vademecum_util::vec_map::Map;

/// Gives the chunks of a state the ids they have now, wherever these stand.
///
/// # Errors
/// What is wrong, where chunks of two documents share an id, so that nobody can tell which is meant.
pub(super) fn renew(state: &mut Value) -> Result<(), String> {
    let mut renewed = Map::default();
    collect(state, &mut renewed)?;
    if renewed.iter().any(|(old, new)| old != new) {
        replace(state, &renewed);
    }
    Ok(())
}

/// Notes the id of every chunk and citation, with the one it has now.
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

/// The id of a chunk, or of the one a citation names, and the one it has now; none where it was not made of its collection and
/// document, as ids that a caller's own searcher gives.
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
