//! Creates clarifications: when nothing was found, or more than a few passages can represent.

use super::planner::planned::{held, intent, stated};
use super::rows::{Rows, unread};
use super::rules::rest::{DOCUMENTS, plain};
use super::rules::structure::names_one;
use super::rules::words::stems;
use crate::clarify::{Change, Choice, Clarification, FieldValues, Kind, ValueCount};
use crate::context::Context;
use crate::coverage::{COLLECTIONS, condition_text, conditions};
use crate::plan::{Intent, fields, number};
use crate::ports::CollectionView;
use crate::run::Run;
use crate::step_id::StepId;
use crate::tools::{LIST, Use};
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum_grounding::sufficiency::{INSTRUCTIONS, judge};
use vademecum_protocol::document::{called, shown};
use vademecum_protocol::hops::Hops;
use vademecum_util::small_sort::sort_by_key;

/// Number of documents from which a list is too long to read and a few passages are not representative.
const OVERLOAD: usize = 100;
/// Number of passages that are compared with the topic.
const MAX_PASSAGES: usize = 10;
/// Maximum number of documents that are counted one by one.
const MAX_DOCUMENTS: usize = 10_000;
/// Words for tasks, which occur in no passage.
const TASKS: &str =
    "summary overview recap sum main key points difference versus vs all every each list please";

/// Returns the number of documents of these collections that match a filter; `sendable` excludes those that a model must not see.
pub(super) fn total(
    run: &Run<'_>,
    views: &[CollectionView],
    filters: Option<&Value>,
    sendable: bool,
) -> usize {
    let names: Vec<String> = run.searcher.collections().into_iter().map(|one| one.name).collect();
    let of = |one: &CollectionView| {
        let limit = if sendable { MAX_DOCUMENTS } else { 1 };
        run.searcher.listing(&one.name, filters, &names, limit).map_or(0, |list| {
            let withheld = list.documents.iter().filter(|one| sendable && one.never_sent()).count();
            list.total.saturating_sub(withheld)
        })
    };
    views.iter().map(of).sum()
}

/// Returns the collections of the run with at least one matching document.
fn holding(run: &Run<'_>, context: &Context, step: &StepId, filters: Option<&Value>) -> Vec<CollectionView> {
    let at = Use { run, context, step, top_k: 1, hops: Hops::default() };
    at.views().into_iter().filter(|one| total(run, std::slice::from_ref(one), filters, false) > 0).collect()
}

/// Returns the clarification to narrow the question, if it concerns too many documents whatever their passages say.
pub(super) fn overload(
    run: &Run<'_>,
    context: &Context,
    step: &StepId,
    has_llm: bool,
) -> Option<Clarification> {
    if context.workspace.progress.export || context.workspace.progress.accepted {
        return None;
    }
    let views = holding(run, context, step, context.filters.as_ref());
    let listed = context.workspace.progress.made.iter().filter(|one| one.tool == LIST && one.error.is_none());
    let listed = listed.map(|one| one.total).max().unwrap_or(0);
    let is_too_much = match intent(context) {
        // A question without a specific collection or condition does not ask for everything.
        Intent::List => views.len() == 1 || context.filters.is_some() || listed >= OVERLOAD,
        // The engine counts all of them, so no number is too large.
        Intent::Compute => {
            !stated(context).is_empty() && Rows::of(run, context).is_none() && has_no_topic(context, &views)
        }
        // "All invoices" is as specific as a condition.
        Intent::Summarize | Intent::Compare => {
            let is_stated = !stated(context).is_empty() || names_one(context.asked(), &views);
            is_stated && has_no_topic(context, &views)
        }
        Intent::Qa => false,
    };
    let total = || {
        total(run, &views, context.filters.as_ref(), has_llm).max(if intent(context) == Intent::List {
            listed
        } else {
            0
        })
    };
    (is_too_much && total() >= OVERLOAD).then(|| too_much(run, context, &views, None))
}

/// Returns the same clarification after the search: the evidence does not suffice, and the conditions match too many documents.
pub(super) fn left_with_too_much(
    run: &Run<'_>,
    context: &Context,
    step: &StepId,
    has_llm: bool,
) -> Option<Clarification> {
    if context.workspace.progress.export
        || context.workspace.progress.accepted
        || stated(context).is_empty()
        || context.workspace.progress.rows > 0
    {
        return None;
    }
    let views = holding(run, context, step, context.filters.as_ref());
    // The passages need not contain the words of the conditions.
    let (topic, evidence) = (topic(context, &views), context.evidence());
    if !topic.is_empty() && judge(&topic, evidence.get(..MAX_PASSAGES).unwrap_or(&evidence)).sufficient {
        return None;
    }
    (total(run, &views, context.filters.as_ref(), has_llm) >= OVERLOAD)
        .then(|| too_much(run, context, &views, None))
}

/// Returns the same clarification if a model decided so, with the model's question.
pub(super) fn too_much_for_model(
    run: &Run<'_>,
    context: &Context,
    step: &StepId,
    asks: Option<String>,
) -> Clarification {
    too_much(run, context, &holding(run, context, step, context.filters.as_ref()), asks)
}

fn too_much(
    run: &Run<'_>,
    context: &Context,
    views: &[CollectionView],
    asks: Option<String>,
) -> Clarification {
    let total = total(run, views, context.filters.as_ref(), false);
    let names: Vec<&str> = views.iter().map(|one| called(&one.name)).collect();
    let what = names.join(", ");
    let facets = facets(run, views, context.filters.as_ref());
    let by = facets.iter().take(3).map(|one| one.field.replace('_', " ")).collect::<Vec<_>>().join(", ");
    let narrow = if by.is_empty() { "with more of what it is about".to_owned() } else { format!("by {by}") };
    let found = format!("ound {total} documents in {what}.");
    let mut options = vec![choice("csv", "Export everything as CSV".into(), Change::Export)];
    if intent(context) != Intent::List {
        options.push(choice("best", "Answer from the best passages alone".into(), Change::Best));
    }
    Clarification {
        kind: Kind::Overload,
        question: asks.clone().unwrap_or_else(|| {
            format!("I f{found} Please narrow your search {narrow}, or ask for a CSV export.")
        }),
        missing_info: asks.unwrap_or_else(|| format!("F{found}")),
        total,
        facets,
        options,
        tried: context.relaxations.clone(),
    }
}

/// Returns whether a question has no topic beyond its conditions, so that no passage answers it better than another.
fn has_no_topic(context: &Context, views: &[CollectionView]) -> bool {
    topic(context, views).is_empty()
}

/// Returns the words of a question that belong neither to its conditions nor to the task.
fn topic(context: &Context, views: &[CollectionView]) -> String {
    let plain = |text: &str| stems(&plain(text).replace('%', " "));
    let mut known: BTreeSet<String> = stems(TASKS);
    known.extend(stems(DOCUMENTS));
    known.extend(INSTRUCTIONS.iter().flat_map(|word| stems(word)));
    known.extend(views.iter().flat_map(|view| plain(&view.name)));
    let mut amounts: Vec<f64> = Vec::new();
    for condition in &held(context) {
        for part in ["field", "rawText", "value"] {
            known.extend(plain(&condition.get(part).map(shown).unwrap_or_default()));
        }
        amounts.extend(condition.get("value").and_then(Value::as_f64));
    }
    // "$1k" is 1000.
    let is_amount = |word: &str| number(word).is_some_and(|number| amounts.contains(&number));
    let says = |word: &&str| {
        let stems = stems(word);
        !stems.is_empty() && !stems.is_subset(&known) && !is_amount(word)
    };
    let words = context.asked().split_whitespace().map(|word| word.trim_matches(['?', '.', ',', '!', ':']));
    words.filter(says).collect::<Vec<_>>().join(" ")
}

/// Returns the clarification if nothing was found, or if a model wants to know more.
pub(super) fn no_results(
    run: &Run<'_>,
    context: &Context,
    step: &StepId,
    asks: Option<String>,
) -> Clarification {
    let views = holding(run, context, step, None);
    let held: Vec<String> = conditions(context.filters.as_ref()).iter().map(condition_text).collect();
    let names: Vec<&str> = views.iter().map(|one| called(&one.name)).collect();
    let total = total(run, &views, context.filters.as_ref(), false);
    let in_names = names.join(", ");
    let looked =
        if held.is_empty() { in_names.clone() } else { format!("{in_names} with {}", held.join(" and ")) };
    let mut options: Vec<Choice> = Vec::new();
    let mut offers: Vec<String> = Vec::new();
    let has_rows = total > 0 && !held.is_empty();
    if has_rows {
        let label = format!("List the {total} documents with {}", held.join(" and "));
        options.push(choice("rows", label, Change::Export));
    }
    let found = || context.relaxations.iter().filter(|one| one.found > 0 && !one.used);
    for (one, field) in found().filter_map(|one| Some((one, one.field.as_ref()?))) {
        let label = format!("Search without {} ({} documents)", one.without, one.found);
        options.push(choice(&format!("without:{field}"), label, Change::Without(field.clone())));
        let offer = format!("all values of {field}");
        if !offers.contains(&offer) {
            offers.push(offer);
        }
    }
    for one in found().filter(|one| one.without == COLLECTIONS) {
        let label = format!("Search everywhere ({} passages)", one.found);
        options.push(choice("everywhere", label, Change::Everywhere));
        offers.push("everywhere".to_owned());
    }
    // A list that could not be read is not a list of nothing.
    let unread = unread(run, context).filter(|_| total > 0 && held.is_empty()).map(|words| words.join(" "));
    let meant = |unread: &String| {
        format!("I could not tell which of the {total} documents in {in_names} are meant by “{unread}”")
    };
    let unread = unread.as_ref().map(meant);
    let missing = asks.clone().unwrap_or_else(|| match has_rows {
        _ if unread.is_some() => format!("{}.", unread.as_deref().unwrap_or_default()),
        true => {
            format!("{total} documents were found in {looked}, but no passage in them matches the question.")
        }
        false => format!("Nothing was found in {looked}."),
    });
    let question = match (offers.is_empty(), asks) {
        (_, asks) if has_rows => asks.unwrap_or_else(|| {
            format!("I found {total} documents in {looked}, but no passage in them that answers the question. Shall I list them?")
        }),
        (false, None) if unread.is_some() => {
            format!("{}. Would you like to search {}?", unread.unwrap_or_default(), offers.join(", or "))
        }
        (false, _) => {
            format!("I looked in {looked} but found none. Would you like to search {}?", offers.join(", or "))
        }
        (true, Some(asks)) => asks,
        (true, None) if unread.is_some() => {
            format!("{}. Can you rephrase the question?", unread.unwrap_or_default())
        }
        (true, None) => format!(
            "I looked in {looked} but found nothing. Can you rephrase the question, or add details?"
        ),
    };
    Clarification {
        kind: Kind::NoResults,
        question,
        missing_info: missing,
        total,
        // Where no condition excluded anything, another value would find no more.
        facets: match held.as_slice() {
            [] => Vec::new(),
            _ => facets(run, &views, context.workspace.progress.own_filters.as_ref()),
        },
        options,
        tried: context.relaxations.clone(),
    }
}

fn choice(id: &str, label: String, change: Change) -> Choice {
    Choice { id: id.to_owned(), label, change }
}

/// Maximum number of fields offered for narrowing, and of values of each.
const MAX_FIELDS: usize = 6;
const MAX_VALUES: usize = 8;

/// Returns the fields that distinguish the documents of collections, with their most frequent values.
fn facets(run: &Run<'_>, views: &[CollectionView], filters: Option<&Value>) -> Vec<FieldValues> {
    let refs: Vec<&CollectionView> = views.iter().collect();
    let mut all = Vec::new();
    for name in fields(&refs).keys() {
        let mut values: Vec<ValueCount> = Vec::new();
        for view in views {
            for (value, count) in run.searcher.values(&view.name, name, filters) {
                match values.iter_mut().find(|one| shown(&one.value) == shown(&value)) {
                    Some(one) => one.count += count,
                    None => values.push(ValueCount { value, count }),
                }
            }
        }
        sort_by_key(&mut values, |one| std::cmp::Reverse(one.count));
        values.truncate(MAX_VALUES);
        // A field with one common value, or with a different value for each document, narrows nothing.
        let shared = values.first().is_some_and(|first| first.count > 1);
        if values.len() > 1 && shared {
            all.push(FieldValues { field: (*name).to_owned(), values });
        }
    }
    all.truncate(MAX_FIELDS);
    all
}
