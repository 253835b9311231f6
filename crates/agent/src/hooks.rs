//! Calls the caller's replacements for parts of the pipeline and parses what they return.

use super::evidence::{interleave, unique};
use super::ports::{Found, SearchLimits};
use super::reply::json;
use super::run::Run;
use super::step_id::StepId;
use crate::errors::function_result;
use serde_json::{Value, json as object};
use vademecum_protocol::document::{Chunk, Hit, Span};
use vademecum_protocol::error::{Result, excerpt};

/// Searches with the caller's function `{ question, collection, limit, threshold, filters, hops, mode } → chunks`. Truncates the
/// result to the limit.
pub(super) async fn search(
    run: &Run<'_>,
    step: &StepId,
    name: &str,
    question: &str,
    collection: &str,
    limits: &SearchLimits,
) -> Result<Vec<Hit>> {
    let mut input = object!({ "question": question, "collection": collection });
    if let (Value::Object(input), Ok(Value::Object(limits))) = (&mut input, serde_json::to_value(limits)) {
        input.extend(limits);
    }
    let mut found = hits(&run.call_function(step, name, &input).await?, collection, "the searcher")?;
    found.truncate(limits.limit);
    Ok(found)
}

/// Searches several collections with the caller's function, one after the other.
pub(super) async fn search_all(
    run: &Run<'_>,
    step: &StepId,
    name: &str,
    question: &str,
    collections: &[String],
    limits: &SearchLimits,
) -> Result<Found> {
    let mut rankings = Vec::new();
    for collection in collections {
        run.account.book_search()?;
        let mut hits = search(run, step, name, question, collection, limits).await?;
        run.seen().given(&mut hits);
        rankings.push(hits);
    }
    let mut hits = interleave(rankings.iter().map(Vec::as_slice));
    let total = hits.len();
    hits.truncate(limits.limit);
    Ok(Found { hits, total, mode: limits.mode, ..Found::default() })
}

/// Parses the chunks that a caller's function returned: a list of objects with at least `id` and `text`. `what` names the
/// function in the error.
///
/// # Errors
/// `function_result`.
pub fn hits(value: &Value, collection: &str, what: &str) -> Result<Vec<Hit>> {
    let wrong = |got: &Value| {
        function_result(
            what,
            "a list of chunks, each with at least `id` and `text`",
            &excerpt(&got.to_string(), 80),
        )
    };
    let list = value.as_array().ok_or_else(|| wrong(value))?;
    let hits =
        list.iter().map(|one| hit(one, collection).ok_or_else(|| wrong(one))).collect::<Result<Vec<_>>>()?;
    Ok(unique(&hits))
}

fn hit(value: &Value, collection: &str) -> Option<Hit> {
    let field = |name: &str| value.get(name).and_then(json::text);
    let text = value.get("text")?.as_str()?.to_owned();
    let id = field("id")?;
    let span = |unit: &str, length: usize| {
        let at = |end: &str| value.get(unit)?.get(end)?.as_u64().map(|at| at as usize);
        at("start").zip(at("end")).map_or(Span { start: 0, end: length }, |(start, end)| Span { start, end })
    };
    let headings = value.get("headings").map(json::texts).unwrap_or_default();
    Some(Hit {
        chunk: Chunk {
            doc_id: field("docId").unwrap_or_else(|| id.clone()),
            collection: field("collection").unwrap_or_else(|| collection.to_owned()),
            title: field("title"),
            url: field("url"),
            headings,
            page: value.get("page").and_then(Value::as_u64).and_then(|page| u32::try_from(page).ok()),
            span: span("span", text.encode_utf16().count()),
            bytes: span("bytes", text.len()),
            truncated: false,
            metadata: value.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default(),
            id,
            text,
        },
        score: value.get("score").and_then(json::number).unwrap_or_default() as f32,
        explain: None,
    })
}
