//! Reads the reply of a remote collection. Nothing of a reply with a mistake is used: a hit of another shape may be a wrong hit.

use super::failure;
use crate::DocumentView;
use serde_json::{Map, Value};
use vademecum_protocol::document::{Chunk, Document, Span, chunk_id, parse_chunk_id};
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms;
use vademecum_util::utf16::utf16_length;

/// Maximum number of bytes of a passage's text.
const MAX_TEXT: usize = 1 << 20;
/// Maximum number of hits of a collection that leaves conditions to be checked here.
const UNFILTERED: usize = 1_000;
/// Fields of a hit.
const OF_HIT: [&str; 12] = [
    "id", "docId", "ordinal", "text", "title", "url", "headings", "page", "metadata", "keyword", "vector",
    "span",
];

/// A hit, and the scores of its retrievers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RemoteHit {
    pub(super) chunk: Chunk,
    pub(super) keyword: Option<f32>,
    pub(super) vector: Option<f32>,
}

/// What hits are checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    /// The name of the collection.
    pub(super) name: &'a str,
    pub(super) limit: usize,
    pub(super) documents: Option<&'a [String]>,
    /// Whether every hit must have a cosine.
    pub(super) needs_vector: bool,
}

/// A value of a reply, with the collection and the path for errors.
struct At<'a> {
    name: &'a str,
    path: String,
    value: &'a Value,
}

impl<'a> At<'a> {
    fn wrong(&self, expected: &str) -> Error {
        let got = match self.value {
            Value::Null => "absent or null".to_owned(),
            other => other.to_string(),
        };
        failure::reply(self.name, &self.path, expected, &got)
    }

    /// Returns a field; null if it is absent.
    fn field(&self, field: &str) -> At<'a> {
        let path = [&self.path, ".", field].concat(); // quicker than `format!`, for each field of each hit
        At { name: self.name, path, value: self.value.get(field).unwrap_or(&Value::Null) }
    }

    fn object(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.wrong("an object"))
    }

    fn items(&self) -> Result<Vec<At<'a>>> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("an array"))?;
        let item = |(at, value)| At { name: self.name, path: format!("{}[{at}]", self.path), value };
        Ok(items.iter().enumerate().map(item).collect())
    }

    fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    fn name_text(&self) -> Result<&'a str> {
        self.value
            .as_str()
            .filter(|text| !text.is_empty())
            .ok_or_else(|| self.wrong("a string that is not empty"))
    }

    fn optional<T>(&self, read: impl FnOnce(&Self) -> Result<T>) -> Result<Option<T>> {
        if self.value.is_null() { Ok(None) } else { read(self).map(Some) }
    }

    fn whole(&self, least: u64) -> Result<u64> {
        let whole = self.value.as_u64().filter(|number| *number >= least && *number <= u64::from(u32::MAX));
        whole.ok_or_else(|| self.wrong(&format!("a whole number from {least}")))
    }

    /// Returns a finite number within a range.
    fn number(&self, low: f64, high: f64, expected: &str) -> Result<f32> {
        let number = self.value.as_f64().filter(|number| (low..=high).contains(number));
        number.map(|number| number as f32).ok_or_else(|| self.wrong(expected))
    }
}

/// Rounding may lift the cosine of equal vectors a little above 1.
const ROUNDING: f64 = 1e-3;

/// The reply to a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reply {
    /// Hits with the collection's name.
    pub(super) hits: Vec<RemoteHit>,
    /// The number of all, if the collection counts them.
    pub(super) total: Option<usize>,
    /// The code and the message of what could not be searched beside the hits.
    pub(super) missing: Option<(String, String)>,
}

/// Reads the reply to a search.
pub(super) fn hits(expected: Expected<'_>, reply: &Value) -> Result<Reply> {
    let all = At { name: expected.name, path: "reply".to_owned(), value: reply };
    all.object()?;
    let list = At { path: "hits".to_owned(), ..all.field("hits") };
    let items = list.items()?;
    let unfiltered = At { path: "unfiltered".to_owned(), ..all.field("unfiltered") };
    let unfiltered =
        unfiltered.optional(|flag| flag.value.as_bool().ok_or_else(|| flag.wrong("true or false")))?;
    let most = if unfiltered == Some(true) { expected.limit.max(UNFILTERED) } else { expected.limit };
    if items.len() > most {
        let got = format!("{} of them", items.len());
        let most = format!("at most {most} hits, by `limit`");
        return Err(failure::reply(expected.name, "hits", &most, &got));
    }
    let hits = items.iter().map(|item| hit(expected, item)).collect::<Result<Vec<_>>>()?;
    let mut ids: Vec<(&str, usize)> =
        hits.iter().enumerate().map(|(at, hit)| (hit.chunk.id.as_str(), at)).collect();
    ids.sort_unstable();
    if let Some([_, (_, at)]) = ids.array_windows().find(|[one, other]| one.0 == other.0) {
        let path = format!("hits[{at}].id");
        return Err(failure::reply(expected.name, &path, "unique", "the id of an earlier hit"));
    }
    let total = At { path: "total".to_owned(), ..all.field("total") };
    let total = total.optional(|total| total.whole(0))?.map(|total| total as usize);
    let missing = At { path: "missing".to_owned(), ..all.field("missing") };
    let missing = missing.optional(|missing| {
        Ok((missing.field("code").name_text()?.to_owned(), missing.field("message").text()?.to_owned()))
    })?;
    Ok(Reply { hits, total, missing })
}

fn hit(expected: Expected<'_>, at: &At<'_>) -> Result<RemoteHit> {
    let fields = at.object()?;
    if let Some(strange) = fields.keys().find(|field| !OF_HIT.contains(&field.as_str())) {
        let known = format!("one of {}", OF_HIT.join(", "));
        return Err(failure::reply(expected.name, &at.path, &known, &format!("with `{strange}`")));
    }
    let keyword = at.field("keyword");
    let keyword = keyword.optional(|score| score.number(0.0, f64::from(f32::MAX), "a score from 0"))?;
    let vector = at.field("vector").optional(|cosine| {
        cosine
            .number(-1.0 - ROUNDING, 1.0 + ROUNDING, "a cosine from -1 to 1")
            .map(|one| one.clamp(-1.0, 1.0))
    })?;
    if expected.needs_vector && vector.is_none() {
        return Err(at.field("vector").wrong("a cosine, since the search is by vector alone"));
    }
    let chunk = passage(expected.name, at)?;
    if let Some(documents) = expected.documents
        && !documents.contains(&chunk.doc_id)
    {
        let one = at.field("docId");
        let expected = format!("one of the asked documents, {}", documents.join(", "));
        return Err(failure::reply(at.name, &one.path, &expected, &format!("{:?}", chunk.doc_id)));
    }
    Ok(RemoteHit { chunk, keyword, vector })
}

/// Reads a passage. Ids of chunks are those of this package if the collection has kept them, and else made of the passage's own id.
fn passage(name: &str, at: &At<'_>) -> Result<Chunk> {
    let own = at.field("id").name_text()?;
    let text = at.field("text");
    let passage = text.text()?;
    if passage.len() > MAX_TEXT || terms::is_blank(passage) {
        return Err(text.wrong("a text with a letter or digit, of at most 1 MB"));
    }
    let kept = parse_chunk_id(own);
    let doc_id = at.field("docId").optional(At::name_text)?;
    let ordinal = at.field("ordinal").optional(|ordinal| ordinal.whole(0))?.map(|ordinal| ordinal as usize);
    let (doc_id, id) = match (doc_id, ordinal, kept) {
        (Some(document), Some(ordinal), _) => (document, chunk_id(name, document, ordinal)),
        (None, _, Some((_, document, ordinal))) => (document, chunk_id(name, document, ordinal)),
        (Some(document), None, Some((_, of, ordinal))) if document == of => {
            (document, chunk_id(name, document, ordinal))
        }
        (document, _, _) => (document.unwrap_or(own), chunk_id(name, own, 0)),
    };
    let headings = at.field("headings").optional(At::items)?.unwrap_or_default();
    let headings = headings.iter().map(|heading| heading.text().map(str::to_owned)).collect::<Result<_>>()?;
    let metadata = at.field("metadata").optional(|metadata| metadata.object().cloned())?.unwrap_or_default();
    let string = |field: &str| at.field(field).optional(|text| text.text().map(str::to_owned));
    let span = at.field("span").optional(|span| {
        let end = |field: &str| span.field(field).whole(0).map(|at| at as usize);
        Ok(Span { start: end("start")?, end: end("end")? })
    })?;
    Ok(Chunk {
        id,
        doc_id: doc_id.to_owned(),
        collection: name.to_owned(),
        title: string("title")?,
        url: string("url")?,
        text: passage.to_owned(),
        headings,
        page: at.field("page").optional(|page| page.whole(1))?.map(|page| page as u32),
        span: span.unwrap_or(Span { start: 0, end: utf16_length(passage) }),
        bytes: Span { start: 0, end: passage.len() },
        truncated: false,
        metadata,
    })
}

/// Between the passages of a document.
const GAP: &str = "\n\n";

/// Joins passages to a text, and makes their spans refer to it.
fn joined(passages: &mut [Chunk]) -> String {
    let (mut text, mut units) = (String::new(), 0);
    for (at, chunk) in passages.iter_mut().enumerate() {
        if at > 0 {
            text.push_str(GAP);
            units += GAP.len();
        }
        let length = utf16_length(&chunk.text);
        chunk.bytes = Span { start: text.len(), end: text.len() + chunk.text.len() };
        chunk.span = Span { start: units, end: units + length };
        text.push_str(&chunk.text);
        units += length;
    }
    text
}

/// Reads the reply to a request for documents: one document with its passages, or none if the collection has no such document.
pub(super) fn document(name: &str, id: &str, reply: &Value) -> Result<Option<DocumentView>> {
    let all = At { name, path: "reply".to_owned(), value: reply };
    all.object()?;
    let list = At { path: "documents".to_owned(), ..all.field("documents") };
    let items = list.items()?;
    let Some(at) = items.first() else { return Ok(None) };
    if let Some(second) = items.get(1) {
        return Err(second.wrong("absent, as one document was asked for"));
    }
    let own = at.field("id");
    if own.name_text()? != id {
        return Err(own.wrong(&format!("the asked id, {id:?}")));
    }
    let passages = at.field("passages");
    let mut chunks: Vec<Chunk> = match passages.optional(At::items)? {
        None => vec![passage(name, at)?],
        Some(items) => items.iter().map(|item| passage(name, item)).collect::<Result<_>>()?,
    };
    if chunks.is_empty() {
        return Err(passages.wrong("at least one passage"));
    }
    let string = |field: &str| at.field(field).optional(|text| text.text().map(str::to_owned));
    let (title, url) = (string("title")?, string("url")?);
    let metadata = at.field("metadata").optional(|metadata| metadata.object().cloned())?.unwrap_or_default();
    let text = joined(&mut chunks);
    for chunk in &mut chunks {
        chunk.doc_id = id.to_owned();
        chunk.title = chunk.title.take().or_else(|| title.clone());
        chunk.url = chunk.url.take().or_else(|| url.clone());
        if chunk.metadata.is_empty() {
            chunk.metadata = metadata.clone();
        }
    }
    Ok(Some(DocumentView { document: Document { title, url, metadata, ..Document::new(id, text) }, chunks }))
}
