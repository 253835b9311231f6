//! Rows: the documents that a question for a list, a count or a sum is answered over.
//!
//! The best passages are no list, and words that no text holds do not make it an empty one. So rows come from the metadata of
//! all documents that fulfil the conditions, whatever a search has found.

use super::planner::{format, intent};
use super::query_plan::by_rule;
use super::rules::rest::{Read, limits, rest};
use super::rules::structure::{counted, named, names_documents};
use super::rules::words::{stems, words_of};
use super::rules::{intent as asked_for, overlap, structure};
use crate::context::Context;
use crate::coverage::{condition_text, conditions};
use crate::library::Library;
use crate::plan::{Condition, Format, Intent, Kind, Plan, fields};
use crate::ports::CollectionView;
use crate::run::Run;
use crate::scratchpad::{Progress, RowsOf};
use crate::table::{Numbers, Output, decimal};
use serde_json::Value;
use vademecum_firewall::escape::label;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::shown;
use vademecum_protocol::document::{
    Chunk, DEFAULT_COLLECTION, DocumentSummary, Hit, NEVER_SEND, SUMMARY, Span, chunk_id,
};
use vademecum_protocol::error::Result;
use vademecum_text::chunk::estimate_tokens;

/// The most rows.
const MOST_ROWS: usize = 10_000;
/// Letters of a value that a model is shown.
const VALUE: usize = 120;
/// Words that ask for everything.
const EVERYTHING: [&str; 5] = ["list", "all", "every", "each", "enumerate"];
/// Words that ask for a number made of others.
const AGGREGATES: [&str; 9] =
    ["sum", "total", "totals", "average", "mean", "add", "maximum", "minimum", "altogether"];

/// The documents that are rows of the answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rows {
    collections: Vec<String>,
    filters: Option<Value>,
    format: Format,
    /// What a count or a sum is wanted of, where one is.
    of: Option<Of>,
    /// Words of the question that are in no condition: it may ask for fewer documents.
    rest: Vec<String>,
}

/// A question for documents, as far as it was read.
#[derive(Debug)]
struct Asked {
    views: Vec<CollectionView>,
    filters: Option<Value>,
    intent: Intent,
    of: Option<Option<Of>>,
    rest: Vec<String>,
}

/// What a number is made of.
#[derive(Debug, Clone, PartialEq)]
enum Of {
    /// The documents.
    Documents,
    /// A number field of theirs.
    Field(String),
}

/// Rows as a model is told of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// The number of documents, numbers made of their fields, and a line for each document that fits.
    pub(super) text: String,
    /// The documents with a line, in order. They have no text: [`resolved`] finds their first passages.
    pub(super) documents: Vec<Hit>,
}

impl Rows {
    /// The rows of the run's question; none where it asks for anything but documents.
    pub(super) fn of(run: &Run<'_>, context: &Context) -> Option<Self> {
        let asked = context.asked();
        let export = context.workspace.progress.export;
        // A searcher of the caller's has documents of its own.
        if !export && (context.skip_retrieval || context.workspace.searcher.is_some()) {
            return None;
        }
        let planned = context.plan.is_some();
        let by_model = planned && context.workspace.progress.routed_by_model;
        if !export && !may_be(context) {
            return None;
        }
        let Asked { views, filters, intent, of, rest } = read(run, context);
        if !export && !matches!(intent, Intent::List | Intent::Compute) {
            return None;
        }
        let stated = filters.is_some();
        let format = if planned { format(context) } else { asked_for::format(asked).unwrap_or_default() };
        let format = if intent == Intent::List && !planned && format == Format::NaturalLanguage {
            Format::List
        } else {
            format
        };
        let is_meant = match &of {
            Some(of) => of.is_some(),
            None if by_model => true,
            None => names_documents(asked, &views) || (stated && (planned || is_list(asked))),
        };
        // A model that has read the question is told that a word of it may narrow the rows. A rule cannot tell.
        let is_meant = is_meant && (by_model || rest.is_empty());
        let of = of.flatten().filter(|_| rest.is_empty());
        let rest = if export { Vec::new() } else { rest };
        let collections = views.into_iter().map(|view| view.name).collect();
        (export || is_meant).then_some(Self { collections, filters, format, of, rest })
    }

    /// Whether the rows are the documents that the question asks for, as far as it was read.
    pub(super) fn are_all_read(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether they are those that fulfil conditions, every word of the question being in one.
    pub(super) fn fulfil_conditions(&self) -> bool {
        self.filters.is_some() && self.are_all_read()
    }

    /// Whether they are given out: where the question may ask for fewer and nothing narrows them, they are not.
    pub(super) fn are_given(&self) -> bool {
        self.filters.is_some() || self.are_all_read()
    }

    /// What a model that writes the answer is told of them.
    pub(super) fn note(&self) -> &'static str {
        if self.fulfil_conditions() {
            "The rows are of the documents that fulfil the conditions, all of them counted: answer from the rows, and give their number."
        } else if self.filters.is_some() {
            "The rows are of all documents that fulfil the conditions; the question may ask for fewer."
        } else {
            "These are all documents of the collection; the question may ask for fewer."
        }
    }

    /// What the rows are of, where the question may ask for fewer.
    pub(super) fn caution(&self, total: usize) -> Option<String> {
        let unread = self.rest.join(" ");
        let of = format!("All {} {}", said_number(total), self.described());
        (!self.are_all_read()).then(|| format!("{of}; not narrowed by: {unread}."))
    }

    /// How many documents there are, as far as a model may know of them where one is asked.
    pub(super) fn count(&self, run: &Run<'_>, sendable: bool) -> Result<usize> {
        let (documents, total) = self.documents(run)?;
        Ok(if sendable { open(&documents).count() } else { total })
    }

    /// All documents, at most [`MOST_ROWS`], and how many there are.
    fn documents(&self, run: &Run<'_>) -> Result<(Vec<DocumentSummary>, usize)> {
        let names: Vec<String> = run.searcher.collections().into_iter().map(|one| one.name).collect();
        let (mut all, mut total) = (Vec::new(), 0);
        for name in &self.collections {
            let left = MOST_ROWS.saturating_sub(all.len()).max(1);
            let listing = run.searcher.listing(name, self.filters.as_ref(), &names, left)?;
            total += listing.total;
            all.extend(listing.documents);
        }
        all.truncate(MOST_ROWS);
        Ok((all, total))
    }

    /// The rows as an output; `progress` notes which they are.
    pub(super) fn output(&self, run: &Run<'_>, progress: &mut Progress) -> Result<Output> {
        let (documents, total) = self.documents(run)?;
        let (collections, filters) = (self.collections.clone(), self.filters.clone());
        progress.rows_of = Some(RowsOf { collections, filters });
        Ok(Output::of(self.format, &documents, total))
    }

    /// The count or the sum in a sentence, where one is wanted.
    pub(super) fn sentence(&self, output: &Output) -> Option<String> {
        let of = self.of.as_ref()?;
        let total = output.total;
        let what = format!("{} {}", said_number(total), self.described());
        let field = match of {
            Of::Documents => None,
            Of::Field(field) => output.numbers.iter().find(|one| one.column == *field),
        };
        Some(match field {
            None => format!("There {} {what}.", if total == 1 { "is" } else { "are" }),
            Some(numbers) => format!("{}, over the {what}.", said_of(numbers)),
        })
    }

    /// Where the documents are, and what they fulfil.
    fn described(&self) -> String {
        let held: Vec<String> = conditions(self.filters.as_ref()).iter().map(condition_text).collect();
        let with = if held.is_empty() { String::new() } else { format!(" with {}", held.join(" and ")) };
        format!("in {}{with}", self.collections.join(", "))
    }

    /// What a model is told of the rows, in about so many tokens; the first is cited as number `first`. None where there are none
    /// that it may know of.
    pub(super) fn told(
        &self,
        run: &Run<'_>,
        style: CitationStyle,
        first: usize,
        tokens: usize,
    ) -> Result<Option<Told>> {
        let (documents, total) = self.documents(run)?;
        let is_whole = total == documents.len();
        let open: Vec<DocumentSummary> = open(&documents).cloned().collect();
        if open.is_empty() {
            return Ok(None);
        }
        let (mut lines, mut shown_documents, mut used) = (Vec::new(), Vec::new(), 0);
        for document in &open {
            let hit = as_hit(document);
            let line = line(&style.marker(first + lines.len(), &hit), document);
            used += estimate_tokens(&line) + 1;
            if used > tokens {
                break;
            }
            lines.push(line);
            shown_documents.push(hit);
        }
        let more = if is_whole { "" } else { "more than " };
        let listed = if lines.len() == open.len() {
            "all of them are listed".to_owned()
        } else {
            format!("the first {} are listed", lines.len())
        };
        let mut text = format!("Documents {}: {more}{} ({listed}).", self.described(), open.len());
        // A sum over a part would be taken for that of the whole.
        if is_whole {
            let output = Output::of(self.format, &open, open.len());
            for numbers in output.numbers.iter().filter(|one| !is_year(&one.column)) {
                text.push_str(&format!("\nOver all {}: {}.", open.len(), said_of(numbers)));
            }
        }
        for line in lines {
            text.push('\n');
            text.push_str(&line);
        }
        if !self.fulfil_conditions() {
            text.push_str(&format!("\n{}", self.note()));
        }
        Ok(Some(Told { text, documents: shown_documents }))
    }
}

/// The words of a question by rule for documents that nothing known accounts for; none where it asks for anything else, or where a
/// model has read it.
pub(super) fn unread(run: &Run<'_>, context: &Context) -> Option<Vec<String>> {
    let by_model = context.plan.is_some() && context.workspace.progress.routed_by_model;
    if by_model
        || context.workspace.progress.export
        || context.workspace.progress.accepted
        || context.workspace.searcher.is_some()
    {
        return None;
    }
    if !may_be(context) {
        return None;
    }
    let asked = read(run, context);
    let is_of_rows = matches!(asked.intent, Intent::List | Intent::Compute) && !asked.rest.is_empty();
    (is_of_rows && names_documents(context.asked(), &run.searcher.collections())).then_some(asked.rest)
}

/// Whether no passage can say which documents are meant: they are counted, or all but some of them.
pub(super) fn is_beyond_passages(unread: &[String]) -> bool {
    limits(unread)
}

/// Whether a question may be for rows, as far as that is known without the library.
fn may_be(context: &Context) -> bool {
    match context.plan {
        Some(_) => matches!(intent(context), Intent::List | Intent::Compute),
        None => structure::may_ask(context.asked()),
    }
}

fn read(run: &Run<'_>, context: &Context) -> Asked {
    let asked = context.asked();
    let (planned, export) = (context.plan.is_some(), context.workspace.progress.export);
    let by_model = planned && context.workspace.progress.routed_by_model;
    let mut views = scope(run, context);
    let intent = if planned { intent(context) } else { structure::intent(asked, &views, &run.searcher) };
    let mut filters = context.filters.clone();
    let mut held = super::planner::held(context);
    if !planned && !export {
        (views, filters, held) = by_question(asked, intent, &views, context.filters.as_ref(), &run.searcher);
    }
    // "How many contracts" are not those of the collection that takes what is given none.
    if !by_model && !export {
        views = named(asked, &views);
    }
    let of = (intent == Intent::Compute).then(|| measured(asked, &views, filters.is_some(), by_model));
    let number_of = of.as_ref().map(|of| match of {
        Some(Of::Field(field)) => Some(field.as_str()),
        _ => None,
    });
    let by_model = planned && context.workspace.progress.planned_by_model;
    let rest = rest(asked, &Read { views: &views, conditions: &held, by_model, number_of });
    Asked { filters, intent, rest, of, views }
}

fn said_number(total: usize) -> String {
    if total == 1 { "1 document".to_owned() } else { format!("{total} documents") }
}

fn open(documents: &[DocumentSummary]) -> impl Iterator<Item = &DocumentSummary> {
    documents.iter().filter(|one| !one.never_sent())
}

fn line(marker: &str, document: &DocumentSummary) -> String {
    let title = label(document.title.as_deref().unwrap_or(&document.id), VALUE);
    let fields = document
        .metadata
        .iter()
        .filter(|(name, value)| *name != NEVER_SEND && *name != SUMMARY && !value.is_null());
    let fields: Vec<String> =
        fields.map(|(name, value)| label(&format!("{name}: {}", shown(value)), VALUE)).collect();
    if fields.is_empty() {
        format!("{marker} {title}")
    } else {
        format!("{marker} {title} ({})", fields.join("; "))
    }
}

/// A document that is known by its metadata alone, so that it can be cited: without text, and with its id for the chunk's.
pub(super) fn as_hit(document: &DocumentSummary) -> Hit {
    let nowhere = Span { start: 0, end: 0 };
    // As its chunks' ids, without an ordinal.
    let first = chunk_id(&document.collection, &document.id, 0);
    Hit {
        chunk: Chunk {
            id: first.strip_suffix("#0").unwrap_or(&first).to_owned(),
            doc_id: document.id.clone(),
            collection: document.collection.clone(),
            title: document.title.clone(),
            url: document.url.clone(),
            headings: Vec::new(),
            text: String::new(),
            page: None,
            span: nowhere,
            bytes: nowhere,
            truncated: false,
            metadata: document.metadata.clone(),
        },
        score: 0.0,
        explain: None,
    }
}

/// The same hits, with the first passage of each document that was known by its metadata alone.
pub(super) fn resolved(searcher: &Library<'_>, hits: Vec<Hit>) -> Vec<Hit> {
    let first_passage = |hit: &Hit| {
        let of = std::slice::from_ref(&hit.chunk.collection);
        searcher.document(of, &hit.chunk.doc_id, None)?.1.into_iter().next()
    };
    let resolve = |hit: Hit| if hit.chunk.text.is_empty() { first_passage(&hit).unwrap_or(hit) } else { hit };
    hits.into_iter().map(resolve).collect()
}

/// The collections that the run is about: those chosen, else those searched, else all.
fn scope(run: &Run<'_>, context: &Context) -> Vec<CollectionView> {
    let known = run.searcher.collections();
    let is_in = |names: &[String]| -> Vec<CollectionView> {
        known.iter().filter(|one| names.contains(&one.name)).cloned().collect()
    };
    if let Some(chosen) = context.collections.as_ref().filter(|chosen| !chosen.is_empty()) {
        return is_in(chosen);
    }
    // A search of several collections as one names them together, which is no name of a collection.
    let searched: Vec<String> =
        context.results.iter().flatten().map(|result| result.collection.clone()).collect();
    let only_default = searched.iter().all(|name| name == DEFAULT_COLLECTION) && !searched.is_empty();
    let searched = is_in(&searched);
    if searched.is_empty() && !only_default { known } else { searched }
}

/// Collections and conditions as the question names them, where nothing has planned it.
fn by_question(
    asked: &str,
    intent: Intent,
    views: &[CollectionView],
    own: Option<&Value>,
    searcher: &Library<'_>,
) -> (Vec<CollectionView>, Option<Value>, Vec<Value>) {
    const MOST: usize = 4;
    let names = overlap::choose(asked, views).0;
    let chosen: Vec<CollectionView> = views.iter().filter(|one| names.contains(&one.name)).cloned().collect();
    let plan = Plan::new(intent, by_rule(MOST, asked, intent, &chosen, searcher), &chosen, MOST, None);
    let filters: Vec<Value> =
        own.cloned().into_iter().chain(plan.filters.iter().map(Condition::filter)).collect();
    let left = chosen.into_iter().filter(|one| plan.collections.contains(&one.name)).collect();
    let held = plan.filters.iter().filter_map(|one| serde_json::to_value(one).ok()).collect();
    (left, (!filters.is_empty()).then_some(Value::Array(filters)), held)
}

/// What a count or a sum is wanted of; none where the question may mean anything else.
fn measured(asked: &str, views: &[CollectionView], stated: bool, by_model: bool) -> Option<Of> {
    let low = asked.trim().to_lowercase();
    if let Some(counted) = counted(&low) {
        if names_documents(counted, views) {
            return Some(Of::Documents);
        }
        return (by_model && stated).then_some(Of::Documents);
    }
    let words = words_of(&low);
    if !by_model && !words.iter().any(|word| AGGREGATES.contains(&word.low.as_str())) {
        return None;
    }
    let said = stems(asked);
    let refs: Vec<&CollectionView> = views.iter().collect();
    let all = fields(&refs);
    let numbers: Vec<&str> = all
        .iter()
        .filter(|(_, kinds)| kinds.as_slice() == [Kind::Number])
        .map(|(name, _)| *name)
        .filter(|name| !is_year(name))
        .collect();
    let held = |name: &&&str| stems(&name.replace(['-', '.'], " ")).intersection(&said).count();
    let best = numbers.iter().max_by_key(held).filter(|name| held(name) > 0);
    let named = views.iter().any(|view| !stems(&view.name.replace(['-', '.'], " ")).is_disjoint(&said));
    match (best, numbers.as_slice()) {
        (Some(field), _) if stated || named => Some(Of::Field((*field).to_owned())),
        (None, [only]) if stated || named => Some(Of::Field((*only).to_owned())),
        _ => (by_model && stated).then_some(Of::Documents),
    }
}

/// Whether a question with conditions asks for what fulfils them: for all of it, or by its structure, which is then beyond doubt.
fn is_list(asked: &str) -> bool {
    let by_structure = asked_for::intent(asked) == Intent::Qa;
    by_structure || words_of(asked).iter().any(|word| EVERYTHING.contains(&word.low.as_str()))
}

/// Numbers of a column in a line: what they come to.
fn said_of(numbers: &Numbers) -> String {
    let name = label(&numbers.column, VALUE);
    let mean = numbers.sum / numbers.count.max(1) as f64;
    let [sum, mean, least, greatest] = [numbers.sum, mean, numbers.min, numbers.max].map(decimal);
    format!("{name}: sum {sum}, average {mean}, least {least}, greatest {greatest}")
}

/// Whether a field holds years, of which no sum is wanted.
fn is_year(field: &str) -> bool {
    stems(&field.replace(['-', '.'], " ")).contains("year")
}
