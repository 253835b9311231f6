//! Rows: the documents over which a list, count or sum is computed.
//!
//! The best passages are no complete list, and words without a match do not make the list empty. So rows come from the metadata
//! of all documents that match the conditions, whatever a search has found.

use super::counted::counted as number_of;
use super::planner::fields::by_rule;
use super::planner::planned::{format, intent};
pub(super) use super::row_hits::{as_hit, resolved};
use super::row_text::{line, said_of};
use super::rules::rest::{Read, limits, rest};
use super::rules::structure::{counted, named, names_documents};
use super::rules::words::{stems, words_of};
use super::rules::{intent as asked_for, overlap, structure};
use super::tables::{self, filter::filter, found::Found, query::Ask};
use crate::context::Context;
use crate::coverage::{condition_text, conditions};
use crate::library::Library;
use crate::plan::{Condition, Format, Intent, Kind, Plan, fields};
use crate::ports::CollectionView;
use crate::run::Run;
use crate::scratchpad::{Progress, RowsOf};
use crate::table::Output;
use serde_json::Value;
use vademecum_firewall::Allowed;
use vademecum_grounding::citation::{Citation, CitationStyle};
use vademecum_grounding::expected::asks_what_is;
use vademecum_protocol::document::{DEFAULT_COLLECTION, DocumentSummary, Hit, called};
use vademecum_protocol::error::Result;
use vademecum_text::chunk::estimate_tokens;

/// Maximum number of rows.
const MAX_ROWS: usize = 10_000;
/// Words that request everything.
const EVERYTHING: [&str; 5] = ["list", "all", "every", "each", "enumerate"];
/// Words that request an aggregate.
const AGGREGATES: [&str; 9] =
    ["sum", "total", "totals", "average", "mean", "add", "maximum", "minimum", "altogether"];

/// The documents that are the rows of the answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rows {
    collections: Vec<String>,
    filters: Option<Value>,
    format: Format,
    /// What is counted or summed, if anything.
    of: Option<Of>,
    /// Words of the question in no condition: it may ask for fewer documents.
    rest: Vec<String>,
    /// The answer of a table, if every word of the question is about it.
    found: Option<Found>,
}

/// The interpretation of a question for documents.
#[derive(Debug)]
struct Asked {
    views: Vec<CollectionView>,
    filters: Option<Value>,
    intent: Intent,
    of: Option<Option<Of>>,
    rest: Vec<String>,
}

/// What an aggregate is computed over.
#[derive(Debug, Clone, PartialEq)]
enum Of {
    /// The documents.
    Documents,
    /// A numeric field of the documents.
    Field(String),
}

/// Rows formatted for a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowText {
    /// The number of documents, aggregates of their fields, and one line for each document that fits.
    pub(super) text: String,
    /// The documents with a line, in order. They have no text; [`resolved`] adds their first passages.
    pub(super) documents: Vec<Hit>,
}

impl Rows {
    /// Returns the rows for the run's question; `None` if it does not ask for documents.
    pub(super) fn of(run: &Run<'_>, context: &Context) -> Option<Self> {
        let asked = context.asked();
        let export = context.workspace.progress.export;
        // A custom searcher has its own documents.
        if !export && (context.skip_retrieval || context.workspace.searcher.is_some()) {
            return None;
        }
        let planned = context.plan.is_some();
        let by_model = planned && context.workspace.progress.routed_by_model;
        // The plan of a model is its own reading.
        if !export
            && !by_model
            && let Some(found) =
                of_table(run, context).filter(|found| !found.lists_all() || !asks_what_is(asked))
        {
            return Some(Self::of_found(found, context));
        }
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
        // A model that has read the question is told that a word of it may narrow the rows; a rule cannot judge that.
        let is_meant = is_meant && (by_model || rest.is_empty());
        let of = of.flatten().filter(|_| rest.is_empty());
        let rest = if export { Vec::new() } else { rest };
        let collections = views.into_iter().map(|view| view.name).collect();
        (export || is_meant).then_some(Self { collections, filters, format, of, rest, found: None })
    }

    fn of_found(found: Found, context: &Context) -> Self {
        let asked = asked_for::format(context.asked());
        let format = asked.unwrap_or(if context.plan.is_some() { format(context) } else { Format::List });
        let (collections, filters) = (vec![found.table.name.clone()], context.filters.clone());
        Self { collections, filters, format, of: None, rest: Vec::new(), found: Some(found) }
    }

    /// Returns whether the rows answer the question even if there are none.
    pub(super) fn are_computed(&self) -> bool {
        self.found.is_some()
    }

    /// Writes the answer of a table.
    pub(super) fn computed(
        &self,
        run: &Run<'_>,
        evidence: &mut Vec<Hit>,
        style: CitationStyle,
        allowed: &Allowed,
    ) -> Option<(String, Vec<Citation>)> {
        // A table of rows is written like any other.
        let found = self.found.as_ref().filter(|found| self.format != Format::Table || !found.is_list())?;
        Some(found.answer(run, evidence, style, allowed))
    }

    /// Returns whether the rows are exactly the documents that the question asks for, as far as it was interpreted.
    pub(super) fn are_exact(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns whether every word of the question belongs to a condition.
    pub(super) fn match_conditions(&self) -> bool {
        (self.filters.is_some() || self.found.is_some()) && self.are_exact()
    }

    /// Returns whether the rows may be output: not if the question may ask for fewer and no condition narrows them.
    pub(super) fn may_be_output(&self) -> bool {
        self.filters.is_some() || self.are_exact()
    }

    /// Returns the explanation of the rows for the model that writes the answer.
    pub(super) fn note(&self) -> &'static str {
        if self.match_conditions() {
            "The rows are of the documents that fulfil the conditions, all of them counted: answer from the rows, and give their number."
        } else if self.filters.is_some() {
            "The rows are of all documents that fulfil the conditions; the question may ask for fewer."
        } else {
            "These are all documents of the collection; the question may ask for fewer."
        }
    }

    /// Returns a note about uninterpreted words, if there are any.
    pub(super) fn caution(&self, total: usize) -> Option<String> {
        let unread = self.rest.join(" ");
        let of = format!("All {} {}", number_of(total, "document"), self.described());
        (!self.are_exact()).then(|| format!("{of}; not narrowed by: {unread}."))
    }

    /// Returns the number of documents; with `sendable`, of those that a model may see.
    pub(super) fn count(&self, run: &Run<'_>, sendable: bool) -> Result<usize> {
        let (documents, total) = self.documents(run)?;
        Ok(if sendable { open(&documents).count() } else { total })
    }

    /// Returns the documents, at most [`MAX_ROWS`], and their total number.
    fn documents(&self, run: &Run<'_>) -> Result<(Vec<DocumentSummary>, usize)> {
        if let Some(found) = &self.found {
            let documents = found.documents();
            let total = documents.len();
            return Ok((documents, total));
        }
        let names: Vec<String> = run.searcher.collections().into_iter().map(|one| one.name).collect();
        let (mut all, mut total) = (Vec::new(), 0);
        for name in &self.collections {
            let left = MAX_ROWS.saturating_sub(all.len()).max(1);
            let listing = run.searcher.listing(name, self.filters.as_ref(), &names, left)?;
            total += listing.total;
            all.extend(listing.documents);
        }
        all.truncate(MAX_ROWS);
        Ok((all, total))
    }

    /// Returns the rows as output, and stores in `progress` how they are selected.
    pub(super) fn output(&self, run: &Run<'_>, progress: &mut Progress) -> Result<Output> {
        let (documents, total) = self.documents(run)?;
        progress.rows_of = Some(match &self.found {
            None => RowsOf { collections: self.collections.clone(), filters: self.filters.clone() },
            // No filter selects what does not fulfil a condition.
            Some(found) if found.query.ask == Ask::All => RowsOf { collections: Vec::new(), filters: None },
            Some(found) => match filter(&found.table, &found.query.conditions, self.filters.as_ref()) {
                Some(filters) => RowsOf { collections: vec![found.table.collection.clone()], filters },
                // Documents that no run may see cannot be counted with conditions on texts.
                None => RowsOf { collections: Vec::new(), filters: None },
            },
        });
        Ok(Output::of(self.format, &documents, total))
    }

    /// Returns the count or sum as a sentence, if requested.
    pub(super) fn sentence(&self, output: &Output) -> Option<String> {
        let of = self.of.as_ref()?;
        let total = output.total;
        let what = format!("{} {}", number_of(total, "document"), self.described());
        let field = match of {
            Of::Documents => None,
            Of::Field(field) => output.numbers.iter().find(|one| one.column == *field),
        };
        Some(match field {
            None => format!("There {} {what}.", if total == 1 { "is" } else { "are" }),
            Some(numbers) => format!("{}, over the {what}.", said_of(numbers)),
        })
    }

    /// Describes the collections and conditions.
    fn described(&self) -> String {
        if let Some(found) = &self.found {
            return found.described();
        }
        let held: Vec<String> = conditions(self.filters.as_ref()).iter().map(condition_text).collect();
        let with = if held.is_empty() { String::new() } else { format!(" with {}", held.join(" and ")) };
        let names: Vec<&str> = self.collections.iter().map(|name| called(name)).collect();
        format!("in {}{with}", names.join(", "))
    }

    /// Formats the rows for a model in about `tokens` tokens; citation numbers begin at `first`. `None` if there are none that
    /// the model may see.
    pub(super) fn formatted(
        &self,
        run: &Run<'_>,
        style: CitationStyle,
        first: usize,
        tokens: usize,
    ) -> Result<Option<RowText>> {
        let (documents, total) = self.documents(run)?;
        let is_whole = total == documents.len();
        let open: Vec<DocumentSummary> = open(&documents).cloned().collect();
        if let Some(found) = self.found.as_ref().filter(|_| total == 0) {
            return Ok(Some(RowText { text: found.told(), documents: Vec::new() }));
        }
        if open.is_empty() {
            return Ok(None);
        }
        let (mut lines, mut shown_documents, mut used) = (Vec::new(), Vec::new(), 0);
        for (at, document) in open.iter().enumerate() {
            let passage = self.found.as_ref().and_then(|found| found.passage(at));
            let hit = passage.unwrap_or_else(|| as_hit(document));
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
        // The sum of a part could be mistaken for the sum of all.
        if is_whole {
            let output = Output::of(self.format, &open, open.len());
            for numbers in output.numbers.iter().filter(|one| !is_year(&one.column)) {
                text.push_str(&format!("\nOver all {}: {}.", open.len(), said_of(numbers)));
            }
        }
        if let Some(found) = &self.found {
            text.push_str(&format!("\nComputed over all rows: {}", found.told()));
        }
        for line in lines {
            text.push('\n');
            text.push_str(&line);
        }
        if !self.match_conditions() {
            text.push_str(&format!("\n{}", self.note()));
        }
        Ok(Some(RowText { text, documents: shown_documents }))
    }
}

/// Returns the uninterpreted words of a question for documents; `None` if it is no such question or a model has interpreted it.
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

/// Returns the part of a question that passages are to answer: without the conditions on metadata, which filters fulfil, and
/// without the names of collections.
pub(super) fn asked_of_passages(run: &Run<'_>, context: &Context) -> String {
    let whole = context.asked().to_owned();
    let is_filtered = context.filters.is_some() || context.plan.is_some();
    if context.workspace.searcher.is_some() || !(is_filtered || may_be(context)) {
        return whole;
    }
    let asked = read(run, context);
    let is_read = asked.filters.is_some() || names_documents(&whole, &asked.views);
    if is_read && !asked.rest.is_empty() { asked.rest.join(" ") } else { whole }
}

/// Returns whether no passage can tell which documents are meant, because of words such as "first" or "except".
pub(super) fn is_beyond_passages(unread: &[String]) -> bool {
    limits(unread)
}

/// Returns the answer of a table, unless the question is for passages.
fn of_table(run: &Run<'_>, context: &Context) -> Option<Found> {
    if context.workspace.progress.changed {
        return None;
    }
    let views = || scope(run, context);
    // A failure is recorded by the library.
    let found =
        tables::answer(context.asked(), &run.searcher, views, context.filters.as_ref(), &context.evidence());
    // A plan's filter has the conditions of the question too, which the table's own have already.
    let own = context.plan.as_ref().map_or(&context.filters, |_| &context.workspace.progress.own_filters);
    Some(found.ok()??.narrowed_by(own.as_ref()))
}

/// Returns whether a question may ask for rows, judged without the library.
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
    let mut held = super::planner::planned::held(context);
    if !planned && !export {
        (views, filters, held) = by_question(asked, intent, &views, context.filters.as_ref(), &run.searcher);
    }
    // "How many contracts" does not ask for the documents of the default collection.
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

fn open(documents: &[DocumentSummary]) -> impl Iterator<Item = &DocumentSummary> {
    documents.iter().filter(|one| !one.never_sent())
}

/// Returns the collections of the run: the chosen ones, or the searched ones, or all.
fn scope(run: &Run<'_>, context: &Context) -> Vec<CollectionView> {
    let known = run.searcher.collections();
    let is_in = |names: &[String]| -> Vec<CollectionView> {
        known.iter().filter(|one| names.contains(&one.name)).cloned().collect()
    };
    if let Some(chosen) = context.collections.as_ref().filter(|chosen| !chosen.is_empty()) {
        return is_in(chosen);
    }
    // A search of several collections is recorded under all their names.
    let searched: Vec<String> =
        context.results.iter().flatten().map(|result| result.collection.clone()).collect();
    let only_default = searched.iter().all(|name| name == DEFAULT_COLLECTION) && !searched.is_empty();
    let searched = is_in(&searched);
    if searched.is_empty() && !only_default { known } else { searched }
}

/// Returns the collections and conditions by rule, if the question was not planned.
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

/// Returns what is counted or summed; `None` if the question may mean something else.
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

/// Returns whether a question with conditions asks for all matching documents, in words or by its structure.
fn is_list(asked: &str) -> bool {
    let by_structure = asked_for::intent(asked) == Intent::Qa;
    by_structure || words_of(asked).iter().any(|word| EVERYTHING.contains(&word.low.as_str()))
}

/// Returns whether a field contains years, which are not aggregated.
fn is_year(field: &str) -> bool {
    stems(&field.replace(['-', '.'], " ")).contains("year")
}
