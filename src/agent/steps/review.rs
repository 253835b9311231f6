//! Judges the evidence: enough to answer from, more to look for and by which calls, or something to ask the user first.
//!
//! The one judgement of all styles that loop. Without a model it goes by the terms of the question that no passage holds. What
//! a rule knows beyond doubt is not left to a model: that nothing was found at all, or far too much.

use super::think::written_call;
use crate::agent::ask::{Own, Prompt, Question};
use crate::agent::citation::CitationStyle;
use crate::agent::claim::claimed_terms;
use crate::agent::clarify::{Change, Choice, Clarification, FieldValues, Kind, ValueCount};
use crate::agent::context::{By, Context, TerminatedBy, Thought};
use crate::agent::coverage::{condition_text, conditions};
use crate::agent::event::Event;
use crate::agent::evidence::{fitting, query_key, sendable};
use crate::agent::firewall::clean_answer;
use crate::agent::output::shown;
use crate::agent::plan::{Intent, fields, schema_line};
use crate::agent::ports::CollectionView;
use crate::agent::progress::{Made, Pending, Verdict};
use crate::agent::prompt::add_quoted;
use crate::agent::reply::json::{field, number, text};
use crate::agent::run::{Run, Step};
use crate::agent::sufficiency::judge;
use crate::agent::tools::{SUMMARIES, Toolbox, Toolset, Use};
use crate::document::Hit;
use crate::error::{Result, excerpt};
use crate::order::sort_by_key;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

const PROMPT: &str = include_str!("../prompts/review.md");
/// Tokens of passages that the LLM is shown.
const SHOWN_TOKENS: usize = 2_500;
/// Letters of what a tool said that the LLM is shown.
const TOLD: usize = 1_500;
/// From so many documents on, a list is too long to read.
const OVERLOAD: usize = 100;

/// The step that judges.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// What its style calls it.
    pub name: &'static str,
    /// The tools there are.
    pub set: Toolset,
    /// The most calls of tools in a run.
    pub most: usize,
    /// Whether the user may be asked.
    pub clarifies: bool,
    /// How many calls may be made at once.
    pub at_once: usize,
    /// A prompt and an LLM of its own.
    pub own: Own,
}

/// What was decided.
struct Decision {
    verdict: Verdict,
    reason: String,
    calls: Vec<Pending>,
    asks: Option<String>,
}

impl Step for Review {
    fn name(&self) -> &str {
        self.name
    }

    fn describe(&self, context: &Context) -> Value {
        json!({
            "question": context.asked(),
            "chunkCount": context.evidence().len(),
            "calls": context.progress.made.len(),
        })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            context.progress.rounds += 1;
            let overload = if self.clarifies { self.overload(run, context) } else { None };
            if let Some(clarification) = overload {
                return Ok(self.clarify(run, context, clarification, By::Rule));
            }
            let (mut decision, mut by) = self.decide(run, context).await?;
            // Nothing is known of the documents before the first search, whatever a model believes.
            if decision.verdict == Verdict::Enough && context.progress.made.is_empty() {
                let at = Use { run, context, step: self.name, top_k: 1, hops: 1 };
                (decision, by) = (self.by_rule(context, &at.views()), By::Rule);
            }
            let left = self.most.saturating_sub(context.progress.made.len());
            // Where every call has failed, it is not known that there is nothing.
            let looked = context.progress.made.iter().any(|one| one.error.is_none());
            let nothing =
                context.evidence().is_empty() && looked && !context.progress.made.iter().any(says_something);
            let text = match decision.verdict {
                Verdict::More => {
                    let calls: Vec<String> =
                        decision.calls.iter().map(|one| format!("{} {}", one.tool, one.arguments)).collect();
                    format!("more: {} Next: {}", decision.reason, excerpt(&calls.join("; "), 300))
                }
                Verdict::Enough => format!("enough: {}", decision.reason),
                Verdict::Clarify => format!("the user has to be asked: {}", decision.reason),
            };
            run.think(Thought { step: self.name.to_owned(), by, text });
            let asked = decision.verdict == Verdict::Clarify;
            let over = decision.verdict != Verdict::More || left == 0 || decision.calls.is_empty();
            // To answer from nothing would be guessing: what was found without a condition is worth a question.
            if self.clarifies && over && (asked || nothing) {
                let allowed = context.allowed(&context.evidence());
                let asks = decision.asks.map(|asks| clean_answer(&asks, allowed));
                let (asks, removed) =
                    asks.map_or((None, Vec::new()), |cleaned| (Some(cleaned.text), cleaned.removed));
                context.removed.extend(removed);
                let clarification = self.no_results(run, context, asks);
                return Ok(self.clarify(run, context, clarification, by));
            }
            context.progress.verdict = Some(if over { Verdict::Enough } else { Verdict::More });
            context.progress.pending = if over { Vec::new() } else { decision.calls };
            context.progress.pending.truncate(left.min(self.at_once));
            context.progress.done = over;
            Ok(json!({
                "status": context.progress.verdict,
                "reason": decision.reason,
                "calls": context.progress.pending,
                "by": by,
            }))
        })
    }
}

impl Review {
    async fn decide(&self, run: &Run<'_>, context: &Context) -> Result<(Decision, By)> {
        let toolbox = Toolbox::of(self.set, run.tools);
        let at = Use { run, context, step: self.name, top_k: 1, hops: 1 };
        let views = at.views();
        let made = &context.progress.made;
        let mut evidence = sendable(&context.evidence());
        let letters = context_chars(made);
        evidence.iter_mut().for_each(|hit| shorten(hit, letters));
        let evidence = fitting(&evidence, CitationStyle::Doc, SHOWN_TOKENS);
        let list = |one: &Made| {
            let result = match &one.error {
                Some(error) => format!("failed ({error})"),
                None => format!("{} passages, {} of them new", one.found, one.new),
            };
            let told =
                one.told.as_ref().map(|told| format!("\n  {}", excerpt(told, TOLD))).unwrap_or_default();
            format!("- {} {}: {result}{told}", one.tool, excerpt(&one.arguments.to_string(), 300))
        };
        let tried: Vec<String> = made.iter().map(list).collect();
        let held: Vec<String> = conditions(context.filters.as_ref()).iter().map(condition_text).collect();
        let none = |list: String| if list.is_empty() { "none".to_owned() } else { list };
        let left = self.most.saturating_sub(made.len());
        let more =
            if self.at_once > 1 { format!(", or up to {} in a list", self.at_once) } else { String::new() };
        let mut values = run.fenced(self.name, &evidence, CitationStyle::Doc);
        let collections: Vec<String> =
            views.iter().map(|one| format!("- {}: {}", one.name, schema_line(one))).collect();
        // Names of fields come from documents, and calls from a model that has read them.
        add_quoted(&mut values, "collections", &none(collections.join("\n")));
        add_quoted(&mut values, "conditions", &none(held.join("; ")));
        add_quoted(&mut values, "made", &none(tried.join("\n")));
        values.extend([
            ("tools", toolbox.listed(self.set)),
            ("question", context.asked().to_owned()),
            ("left", left.to_string()),
            ("calls", more),
            ("example", toolbox.names().first().copied().unwrap_or_default().to_owned()),
        ]);
        let inputs = json!({ "question": context.asked(), "chunks": evidence, "made": made, "left": left });
        let question = Question {
            prompt: Prompt { template: PROMPT, values, inputs },
            schema: schema(),
            read: &read,
            fallback: "what terms of the question no passage holds",
        };
        run.decide(self.name, &self.own, question, || self.by_rule(context, &views)).await
    }

    /// The next query of the plan that was not made; then what the passages do not hold; then it is enough.
    fn by_rule(&self, context: &Context, views: &[CollectionView]) -> Decision {
        let evidence = context.evidence();
        let made = &context.progress.made;
        let tried: Vec<String> = made
            .iter()
            // Summaries only say where to search.
            .filter(|one| one.tool != SUMMARIES)
            .filter_map(|one| field(&one.arguments, &["query", "doc_id"]).and_then(text))
            .map(|query| query_key(&query))
            .collect();
        let judged = judge(context.asked(), evidence.get(..context.limit.max(5)).unwrap_or(&evidence));
        let planned: Vec<String> = match &context.sub_questions[..] {
            [] => vec![context.asked().to_owned()],
            parts => parts.to_vec(),
        };
        let is_new = |query: &String| !tried.contains(&query_key(query));
        // What was not found with less asked for is not found in other words.
        let in_vain = evidence.is_empty() && context.progress.relaxed;
        let planned = if in_vain { Vec::new() } else { planned };
        let next = planned.iter().find(|query| is_new(query)).cloned();
        let next = next.or_else(|| {
            judged.next_query().filter(|_| !judged.sufficient && !in_vain).filter(|query| is_new(query))
        });
        let Some(query) = next else {
            return Decision {
                verdict: Verdict::Enough,
                reason: judged.reason(),
                calls: Vec::new(),
                asks: None,
            };
        };
        let tool = self.tool(context, made);
        let mut arguments = json!({ "query": query });
        if let (Some([only]), Value::Object(fields)) =
            (views.get(..).filter(|all| all.len() == 1), &mut arguments)
        {
            fields.insert("bucket".into(), json!(only.name));
        }
        // What the summaries led to is searched within.
        if let (true, Some(best), Value::Object(fields)) =
            (made.last().is_some_and(|one| one.tool == SUMMARIES), titled(context), &mut arguments)
        {
            fields.insert("doc_id".into(), json!(best.chunk.doc_id));
        }
        let calls = vec![Pending { id: String::new(), tool: tool.into(), arguments }];
        Decision { verdict: Verdict::More, reason: judged.reason(), calls, asks: None }
    }

    fn tool(&self, context: &Context, made: &[Made]) -> &'static str {
        let by_words = context.strategy == crate::agent::ports::Strategy::Keyword;
        match self.set {
            Toolset::React => "search",
            Toolset::Graph if by_words => "keyword_search",
            Toolset::Graph => "vector_search",
            Toolset::Investigate if by_words => "search_text",
            Toolset::Investigate if made.is_empty() && wants_depth(context) => SUMMARIES,
            Toolset::Investigate => "search_semantic",
        }
    }

    /// Whether everything is wanted that fulfils the conditions, and that is more than anybody reads.
    fn overload(&self, run: &Run<'_>, context: &Context) -> Option<Clarification> {
        if intent(context) != Intent::List || !context.progress.made.is_empty() || context.progress.export {
            return None;
        }
        let at = Use { run, context, step: self.name, top_k: 1, hops: 1 };
        let views: Vec<CollectionView> = at
            .views()
            .into_iter()
            .filter(|one| total(run, std::slice::from_ref(one), context.filters.as_ref()) > 0)
            .collect();
        let total = total(run, &views, context.filters.as_ref());
        // A question that was not found to mean one collection, or any condition, does not ask for everything there is.
        if total < OVERLOAD || (views.len() > 1 && context.filters.is_none()) {
            return None;
        }
        let names: Vec<&str> = views.iter().map(|one| one.name.as_str()).collect();
        let what = names.join(", ");
        let facets = facets(run, &views, context.filters.as_ref());
        let by = facets.iter().take(3).map(|one| one.field.replace('_', " ")).collect::<Vec<_>>().join(", ");
        let narrow =
            if by.is_empty() { "with more of what it is about".to_owned() } else { format!("by {by}") };
        let option =
            Choice { id: "csv".into(), label: "Export everything as CSV".into(), change: Change::Export };
        Some(Clarification {
            kind: Kind::Overload,
            question: format!(
                "I found {total} documents in {what}. Please narrow your search {narrow}, or ask for a CSV export."
            ),
            missing_info: format!("Found {total} documents in {what}."),
            total,
            facets,
            options: vec![option],
            tried: context.relaxations.clone(),
        })
    }

    /// What the user is asked where nothing was found, or where the model wants to know more.
    fn no_results(&self, run: &Run<'_>, context: &Context, asks: Option<String>) -> Clarification {
        let at = Use { run, context, step: self.name, top_k: 1, hops: 1 };
        let views: Vec<CollectionView> =
            at.views().into_iter().filter(|one| total(run, std::slice::from_ref(one), None) > 0).collect();
        let held: Vec<String> = conditions(context.filters.as_ref()).iter().map(condition_text).collect();
        let names: Vec<&str> = views.iter().map(|one| one.name.as_str()).collect();
        let found = context.relaxations.iter().filter(|one| one.found > 0 && one.field.is_some());
        let options: Vec<Choice> = found
            .filter_map(|one| {
                let field = one.field.clone()?;
                Some(Choice {
                    id: format!("without:{field}"),
                    label: format!("Search without {} ({} documents)", one.without, one.found),
                    change: Change::Without(field),
                })
            })
            .collect();
        let looked = if held.is_empty() {
            names.join(", ")
        } else {
            format!("{} with {}", names.join(", "), held.join(" and "))
        };
        let missing = asks.clone().unwrap_or_else(|| format!("Nothing was found in {looked}."));
        let question = match (options.first(), asks) {
            (Some(_), _) => {
                let fields: Vec<String> = context
                    .relaxations
                    .iter()
                    .filter(|one| one.found > 0)
                    .filter_map(|one| Some(format!("all values of {}", one.field.as_ref()?)))
                    .collect();
                format!(
                    "I looked in {looked} but found none. Would you like to search {}?",
                    fields.join(", or ")
                )
            }
            (None, Some(asks)) => asks,
            (None, None) => format!(
                "I looked in {looked} but found nothing. Can you say it in other words, or what else it is about?"
            ),
        };
        Clarification {
            kind: Kind::NoResults,
            question,
            missing_info: missing,
            total: total(run, &views, context.filters.as_ref()),
            facets: facets(run, &views, context.progress.own_filters.as_ref()),
            options,
            tried: context.relaxations.clone(),
        }
    }

    fn clarify(&self, run: &Run<'_>, context: &mut Context, clarification: Clarification, by: By) -> Value {
        run.think(Thought { step: self.name.to_owned(), by, text: clarification.missing_info.clone() });
        run.observer
            .event(&Event::Clarify { step: self.name.to_owned(), clarification: clarification.clone() });
        context.progress.verdict = Some(Verdict::Clarify);
        context.terminated_by = TerminatedBy::Clarify;
        let told = json!({ "status": Verdict::Clarify, "reason": clarification.missing_info, "by": by });
        context.clarification = Some(clarification);
        told
    }
}

/// How many letters of each passage the model is shown, unless it asked for another number.
const CONTEXT_CHARS: usize = 500;

/// As many letters of each passage as the model asked for last.
fn context_chars(made: &[Made]) -> usize {
    let asked = made
        .iter()
        .rev()
        .find_map(|one| field(&one.arguments, &["context_chars", "contextChars"]).and_then(number));
    asked.filter(|letters| *letters >= 1.0).map_or(CONTEXT_CHARS, |letters| letters as usize)
}

/// Leaves of a passage about so many letters from its beginning, up to the end of a word.
fn shorten(hit: &mut Hit, letters: usize) {
    let text = &mut hit.chunk.text;
    if let Some((end, _)) = text.char_indices().nth(letters) {
        let cut = text.get(..end).and_then(|head| head.rfind(char::is_whitespace)).unwrap_or(end);
        text.truncate(cut);
    }
}

/// Of what was shown, the first whose title says most of the question.
fn titled(context: &Context) -> Option<&Hit> {
    let asked = claimed_terms(context.asked());
    let said = |hit: &Hit| {
        claimed_terms(hit.chunk.title.as_deref().unwrap_or_default()).intersection(&asked).count()
    };
    context.progress.shown.iter().rev().max_by_key(|hit| said(hit))
}

/// Whether a tool has told something that an answer can be made of.
fn says_something(made: &Made) -> bool {
    made.error.is_none() && made.told.as_ref().is_some_and(|told| !told.trim().is_empty())
}

/// What the plan says is wanted.
pub(super) fn intent(context: &Context) -> Intent {
    let said = context.plan.as_ref().and_then(|plan| plan.get("intent"));
    said.and_then(|said| serde_json::from_value(said.clone()).ok()).unwrap_or_default()
}

/// Whether a question wants a stretch of a long document, rather than a fact.
fn wants_depth(context: &Context) -> bool {
    let low = context.asked().to_lowercase();
    let words =
        ["explain", "describe", "steps", "how to", "how do", "procedure", "summar", "overview", "walk me"];
    intent(context) == Intent::Summarize || words.iter().any(|word| low.contains(word))
}

/// How many documents of these collections fulfil a filter.
pub(super) fn total(run: &Run<'_>, views: &[CollectionView], filters: Option<&Value>) -> usize {
    let names: Vec<String> = run.searcher.collections().into_iter().map(|one| one.name).collect();
    let of = |one: &CollectionView| {
        run.searcher.listing(&one.name, filters, &names, 1).map_or(0, |list| list.total)
    };
    views.iter().map(of).sum()
}

/// The most fields that are offered for narrowing, and values of each.
const FIELDS: usize = 6;
const VALUES: usize = 8;

/// The fields by which the documents of collections can be told apart, with their most frequent values.
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
        values.truncate(VALUES);
        // A field with one value for all narrows nothing, nor does one with another for each.
        let shared = values.first().is_some_and(|first| first.count > 1);
        if values.len() > 1 && shared {
            all.push(FieldValues { field: (*name).to_owned(), values });
        }
    }
    all.truncate(FIELDS);
    all
}

fn schema() -> Value {
    let call = json!({
        "type": "object",
        "properties": { "tool": { "type": "string" }, "args": { "type": "object" } },
        "required": ["tool", "args"],
    });
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "string", "enum": ["enough", "more", "clarify"] },
            "reason": { "type": "string" },
            "nextToolCall": call,
            "nextToolCalls": { "type": "array", "items": call },
            "clarificationDetails": {
                "type": "object",
                "properties": { "type": { "type": "string" }, "missingInfo": { "type": "string" } },
            },
        },
        "required": ["status", "reason"],
    })
}

fn read(value: &Value) -> Option<Decision> {
    let next = field(
        value,
        &[
            "nextToolCalls",
            "nextToolCall",
            "nextCall",
            "toolCall",
            "toolCalls",
            "calls",
            "retrievalPlan",
            "call",
        ],
    );
    let calls: Vec<Pending> = match next {
        Some(Value::Array(items)) => items.iter().filter_map(written_call).collect(),
        Some(one) => written_call(one).into_iter().collect(),
        None => Vec::new(),
    };
    let status = field(value, &["status", "decision", "verdict"]).and_then(text);
    let sufficient =
        field(value, &["sufficient", "enough", "isSufficient"]).and_then(crate::agent::reply::json::yes);
    let verdict = match status.as_deref().map(str::to_lowercase).as_deref() {
        Some("enough" | "sufficient" | "done" | "stop") => Verdict::Enough,
        Some("more" | "insufficient" | "continue" | "search") => Verdict::More,
        Some("clarify" | "clarification" | "ask") => Verdict::Clarify,
        _ => match (sufficient, calls.is_empty()) {
            (Some(true), _) => Verdict::Enough,
            (Some(false), _) | (None, false) => Verdict::More,
            (None, true) => return None,
        },
    };
    let details = field(value, &["clarificationDetails", "clarification"]);
    let asks = details.and_then(|details| {
        let inner = field(details, &["missingInfo", "question", "message"]).or(Some(details));
        inner.and_then(text).map(|text| excerpt(&text, 500))
    });
    let reason = field(value, &["reason", "reasoning", "why"]).and_then(text).unwrap_or_default();
    let reason = if reason.is_empty() { "no reason was given.".into() } else { excerpt(&reason, 300) };
    Some(Decision { verdict, reason, calls, asks })
}
