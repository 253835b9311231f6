//! Judges the evidence: sufficient, more searches needed, or a question to the user needed first.
//!
//! All looping styles use this judgement. Without a model, it is based on the question's terms that no passage contains. What a
//! rule knows for certain is not left to a model: that nothing was found, or far too much.

use super::asking::{left_with_too_much, no_results, overload, too_much_for_model, total};
use super::planner::planned::intent;
use super::rows::Rows;
use super::written::written_call;
use crate::budget_plan::{Cost, LONG_CALL};
use crate::clarify::{Clarification, Kind};
use crate::context::{By, Context, SearchResult, TerminatedBy, Thought};
use crate::coverage::{condition_text, conditions};
use crate::event::Event;
use crate::evidence::{around, fitting, query_key, sendable};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::plan::{Intent, schema_line};
use crate::ports::{CollectionView, Strategy};
use crate::prompt::add_quoted;
use crate::reply::json::{field, number, text};
use crate::run::{Run, Step};
use crate::scratchpad::{Made, Pending, Verdict};
use crate::step_id::StepId;
use crate::tools::{SUMMARIES, Toolbox, Toolset, Use};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_firewall::clean_answer;
use vademecum_grounding::citation::CitationStyle;
use vademecum_grounding::claim::claimed_terms;
use vademecum_grounding::sufficiency::judge;
use vademecum_protocol::document::Hit;
use vademecum_protocol::document::shown;
use vademecum_protocol::error::{Result, excerpt};
use vademecum_protocol::hops::Hops;

const PROMPT: &str = include_str!("../prompts/review.md");
/// Maximum number of tokens of passages shown to the LLM.
const MAX_SHOWN_TOKENS: usize = 2_500;
/// Maximum length of a tool's output shown to the LLM, in characters.
const MAX_TOOL_OUTPUT: usize = 1_500;

/// The review step.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// The name in its style.
    pub name: StepId,
    /// The built-in tools.
    pub set: Toolset,
    /// Maximum number of tool calls in a run.
    pub most: usize,
    /// Whether the user may be asked.
    pub clarifies: bool,
    /// Maximum number of concurrent calls.
    pub at_once: usize,
    /// StepOverrides prompt and LLM.
    pub own: StepOverrides,
}

/// The decision.
struct Decision {
    verdict: Verdict,
    reason: String,
    calls: Vec<Pending>,
    asks: Option<String>,
    /// Why the user must be asked, if a model says so.
    kind: Option<Kind>,
    /// Whether the passages contain what is asked for, if a rule decides.
    sufficient: bool,
}

impl Step for Review {
    fn id(&self) -> &StepId {
        &self.name
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        let most =
            if self.clarifies { self.most + 1 } else { (self.most / self.at_once.max(1)).saturating_sub(1) };
        (most > 0 && run.has_llm(&self.own)).then_some(Cost { calls: most, least: 1, tokens: LONG_CALL })
    }

    fn describe(&self, context: &Context) -> Value {
        json!({
            "question": context.asked(),
            "chunkCount": context.evidence().len(),
            "calls": context.workspace.progress.made.len(),
        })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            context.workspace.progress.rounds += 1;
            let has_llm = run.has_llm(&self.own);
            let rows = Rows::of(run, context);
            let fulfil = rows.as_ref().is_some_and(Rows::match_conditions);
            let rows = rows.filter(Rows::are_exact);
            context.workspace.progress.rows = rows.map_or(Ok(0), |rows| rows.count(run, has_llm))?;
            let too_much = if self.clarifies { overload(run, context, self.id(), has_llm) } else { None };
            if let Some(clarification) = too_much {
                return Ok(self.clarify(run, context, clarification, By::Rule));
            }
            let (mut decision, mut by) = self.decide(run, context).await?;
            // If every word of the question belongs to a condition, the matching documents are known to exist.
            if decision.kind == Some(Kind::NoResults) && context.workspace.progress.rows > 0 && fulfil {
                decision.verdict = Verdict::Enough;
            }
            // Before the first search nothing is known about the documents, whatever a model claims.
            if decision.verdict == Verdict::Enough && context.workspace.progress.made.is_empty() {
                let at = Use { run, context, step: self.id(), top_k: 1, hops: Hops::default() };
                (decision, by) = (self.by_rule(context, &at.views()), By::Rule);
            }
            let left = self.most.saturating_sub(context.workspace.progress.made.len());
            // If every call has failed, absence is unknown.
            let looked = context.workspace.progress.made.iter().any(|one| one.error.is_none());
            let nothing = context.evidence().is_empty()
                && looked
                && context.workspace.progress.rows == 0
                && !context.workspace.progress.made.iter().any(says_something);
            let text = match decision.verdict {
                Verdict::More => {
                    let calls: Vec<String> =
                        decision.calls.iter().map(|one| format!("{} {}", one.tool, one.arguments)).collect();
                    format!("more: {} Next: {}", decision.reason, excerpt(&calls.join("; "), 300))
                }
                Verdict::Enough => format!("enough: {}", decision.reason),
                Verdict::Clarify => format!("the user has to be asked: {}", decision.reason),
            };
            run.think(Thought { step: self.id().clone(), by, text });
            let asked = decision.verdict == Verdict::Clarify;
            let over = decision.verdict != Verdict::More || left == 0 || decision.calls.is_empty();
            // An answer from nothing would be a guess; the results of relaxing are worth a question.
            if self.clarifies && over && (asked || nothing) {
                let allowed = context.allowed(&context.evidence());
                let asks = decision.asks.map(|asks| clean_answer(&asks, allowed));
                let (asks, removed) =
                    asks.map_or((None, Vec::new()), |cleaned| (Some(cleaned.text), cleaned.removed));
                context.removed.extend(removed);
                let clarification = match decision.kind {
                    Some(Kind::Overload) => too_much_for_model(run, context, self.id(), asks),
                    _ => no_results(run, context, self.id(), asks),
                };
                return Ok(self.clarify(run, context, clarification, by));
            }
            // A model that finds the evidence sufficient has read it.
            let is_enough = decision.verdict == Verdict::Enough && (by == By::Llm || decision.sufficient);
            if self.clarifies
                && over
                && !is_enough
                && let Some(clarification) = left_with_too_much(run, context, self.id(), has_llm)
            {
                return Ok(self.clarify(run, context, clarification, By::Rule));
            }
            context.workspace.progress.verdict = Some(if over { Verdict::Enough } else { Verdict::More });
            context.workspace.progress.pending = if over { Vec::new() } else { decision.calls };
            context.workspace.progress.pending.truncate(left.min(self.at_once));
            context.workspace.progress.done = over;
            let status = context.workspace.progress.verdict;
            let calls = Some(context.workspace.progress.pending.clone());
            Ok(StepOutcome::new(by, StepResult::Review { status, reason: decision.reason, calls }))
        })
    }
}

impl Review {
    async fn decide(&self, run: &Run<'_>, context: &Context) -> Result<(Decision, By)> {
        let toolbox = Toolbox::of(self.set, run.tools);
        let at = Use { run, context, step: self.id(), top_k: 1, hops: Hops::default() };
        let views = at.views();
        let made = &context.workspace.progress.made;
        let mut evidence = sendable(&context.evidence());
        for hit in &mut evidence {
            let (query, letters) = found_by(context, &toolbox, hit);
            hit.chunk.text = around(&hit.chunk.text, &query, letters);
        }
        let evidence = fitting(&evidence, CitationStyle::Doc, MAX_SHOWN_TOKENS);
        let list = |one: &Made| {
            let result = match &one.error {
                Some(error) => format!("failed ({error})"),
                None => format!("{} passages, {} of them new", one.found, one.new),
            };
            let told = one
                .told
                .as_ref()
                .map(|told| format!("\n  {}", excerpt(told, MAX_TOOL_OUTPUT)))
                .unwrap_or_default();
            format!("- {} {}: {result}{told}", one.tool, excerpt(&one.arguments.to_string(), 300))
        };
        let tried: Vec<String> = made.iter().map(list).collect();
        let held: Vec<String> = conditions(context.filters.as_ref()).iter().map(condition_text).collect();
        let none = |list: String| if list.is_empty() { "none".to_owned() } else { list };
        let left = self.most.saturating_sub(made.len());
        let more =
            if self.at_once > 1 { format!(", or up to {} in a list", self.at_once) } else { String::new() };
        let mut values = run.fenced(self.id(), &evidence, CitationStyle::Doc);
        let collections: Vec<String> =
            views.iter().map(|one| format!("- {}: {}", one.name, schema_line(one))).collect();
        // Field names come from documents, and calls from a model that has read them.
        add_quoted(&mut values, "collections", &none(collections.join("\n")));
        add_quoted(&mut values, "conditions", &none(held.join("; ")));
        add_quoted(&mut values, "plan", &none(planned(context)));
        let fulfil = match context.workspace.progress.rows {
            _ if held.is_empty() => "not counted".to_owned(),
            0 => total(run, &views, context.filters.as_ref(), true).to_string(),
            rows => rows.to_string(),
        };
        values.push(("fulfil", fulfil));
        add_quoted(&mut values, "made", &none(tried.join("\n")));
        values.extend([
            ("tools", toolbox.listed(self.set)),
            ("question", context.asked().to_owned()),
            ("left", left.to_string()),
            ("calls", more),
            ("example", example(&toolbox, context)),
        ]);
        let inputs = json!({
            "question": context.asked(), "chunks": evidence, "made": made, "left": left,
            "plan": context.plan.as_ref().or(context.workspace.progress.analysis.as_ref()),
        });
        let question = Question {
            prompt: Prompt { template: PROMPT, values, inputs },
            schema: schema(),
            read: &read,
            fallback: "what terms of the question no passage holds",
        };
        run.decide(self.id(), &self.own, question, || self.by_rule(context, &views)).await
    }

    /// Decides on the next planned query that was not made, then on a query for missing terms, then that the evidence suffices.
    fn by_rule(&self, context: &Context, views: &[CollectionView]) -> Decision {
        let evidence = context.evidence();
        let made = &context.workspace.progress.made;
        let tried: Vec<String> = made
            .iter()
            // Summaries only tell where to search.
            .filter(|one| one.tool != SUMMARIES)
            .filter_map(|one| field(&one.arguments, &["query", "doc_id"]).and_then(text))
            .map(|query| query_key(&query))
            .collect();
        let judged =
            judge(context.asked(), evidence.get(..context.request.limit.max(5)).unwrap_or(&evidence));
        let planned: Vec<String> = match &context.sub_questions[..] {
            [] => vec![context.asked().to_owned()],
            parts => parts.to_vec(),
        };
        let is_new = |query: &String| !tried.contains(&query_key(query));
        // What relaxing did not find is not found in other words either.
        let in_vain = evidence.is_empty() && context.workspace.progress.relaxed;
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
                kind: None,
                sufficient: judged.sufficient,
            };
        };
        let tool = self.tool(context, made);
        let mut arguments = json!({ "query": query });
        if let (Some([only]), Value::Object(fields)) =
            (views.get(..).filter(|all| all.len() == 1), &mut arguments)
        {
            fields.insert("bucket".into(), json!(only.name));
        }
        // The documents found by their summaries are searched within.
        if let (true, Some(best), Value::Object(fields)) =
            (made.last().is_some_and(|one| one.tool == SUMMARIES), titled(context), &mut arguments)
        {
            fields.insert("doc_id".into(), json!(best.chunk.doc_id));
        }
        let calls = vec![Pending { id: String::new(), tool: tool.into(), arguments }];
        let (reason, sufficient) = (judged.reason(), judged.sufficient);
        Decision { verdict: Verdict::More, reason, calls, asks: None, kind: None, sufficient }
    }

    fn tool(&self, context: &Context, made: &[Made]) -> &'static str {
        let by_words = context.workspace.strategy == Strategy::Keyword;
        match self.set {
            Toolset::React => "search",
            Toolset::Graph if by_words => "keyword_search",
            Toolset::Graph => "vector_search",
            Toolset::Investigate if by_words => "search_text",
            Toolset::Investigate if made.is_empty() && wants_depth(context) => SUMMARIES,
            Toolset::Investigate => "search_semantic",
        }
    }

    fn clarify(
        &self,
        run: &Run<'_>,
        context: &mut Context,
        clarification: Clarification,
        by: By,
    ) -> StepOutcome {
        run.think(Thought { step: self.id().clone(), by, text: clarification.missing_info.clone() });
        run.observer.event(&Event::Clarify { step: self.id().clone(), clarification: clarification.clone() });
        context.workspace.progress.verdict = Some(Verdict::Clarify);
        context.log.terminated_by = TerminatedBy::Clarify;
        let (status, reason) = (Some(Verdict::Clarify), clarification.missing_info.clone());
        context.clarification = Some(clarification);
        StepOutcome::new(by, StepResult::Review { status, reason, calls: None })
    }
}

/// Default number of characters of each passage shown to the model.
const CONTEXT_CHARS: usize = 500;

/// Returns the query that found a passage, and the number of characters that the call requested; the largest number of several
/// calls.
fn found_by(context: &Context, toolbox: &Toolbox<'_>, hit: &Hit) -> (String, usize) {
    const NAMES: [&str; 2] = ["context_chars", "contextChars"];
    let letters = |made: &Made| {
        let said = field(&made.arguments, &NAMES).and_then(number).filter(|letters| *letters >= 1.0);
        let default = || {
            let parameters = toolbox.find(&made.tool)?.parameters();
            parameters.get("properties")?.get(NAMES[0])?.get("default")?.as_f64()
        };
        said.or_else(default).map_or(CONTEXT_CHARS, |letters| letters as usize)
    };
    let query = |made: &Made| field(&made.arguments, &["query", "doc_id"]).and_then(text);
    let found = |result: &&SearchResult| result.chunks.iter().any(|one| one.chunk.key() == hit.chunk.key());
    let questions: Vec<&str> =
        context.results.iter().flatten().filter(found).map(|result| result.question.as_str()).collect();
    let calls =
        context.workspace.progress.made.iter().filter(|made| made.error.is_none()).filter_map(|made| {
            let query = query(made).filter(|query| questions.contains(&query.as_str()))?;
            Some((letters(made), query))
        });
    let wanted = calls.max_by_key(|(letters, _)| *letters);
    let (letters, query) = wanted.unwrap_or_else(|| (CONTEXT_CHARS, context.asked().to_owned()));
    (format!("{query} {}", context.asked()), letters)
}

/// Formats the plan for a model: intent, search mode and queries.
fn planned(context: &Context) -> String {
    let said = |plan: &Value, name: &str| plan.get(name).map(shown).filter(|text| !text.is_empty());
    let Some(plan) = &context.plan else {
        let analysis = context.workspace.progress.analysis.as_ref();
        let parts = ["intent", "concepts"].iter().filter_map(|name| said(analysis?, name));
        return parts.collect::<Vec<_>>().join("; ");
    };
    let mut parts = Vec::new();
    for (name, shown) in [("intent", "intent"), ("searchStrategy", "strategy")] {
        parts.extend(said(plan, name).map(|value| format!("{shown} {value}")));
    }
    let planned = plan.get("subqueries").and_then(Value::as_array);
    let planned: Vec<String> = planned.into_iter().flatten().filter_map(|one| said(one, "query")).collect();
    let queries = if planned.is_empty() { context.queries() } else { planned };
    let queries: Vec<String> = queries.iter().map(|query| format!("\n- {}", excerpt(query, 300))).collect();
    format!("{}; queries:{}", parts.join(", "), queries.concat())
}

/// Returns the tool of the example in the prompt: the one that matches the search mode of the plan.
fn example(toolbox: &Toolbox<'_>, context: &Context) -> String {
    let names = toolbox.names();
    let wanted = match context.workspace.strategy {
        Strategy::Keyword => ["search_text", "keyword_search"],
        Strategy::Semantic => ["search_semantic", "vector_search"],
        Strategy::Hybrid => ["", ""],
    };
    let named = names.iter().find(|name| wanted.contains(*name)).or_else(|| names.first());
    named.copied().unwrap_or_default().to_owned()
}

/// Returns the shown chunk whose title shares most terms with the question.
fn titled(context: &Context) -> Option<&Hit> {
    let asked = claimed_terms(context.asked());
    let said = |hit: &Hit| {
        claimed_terms(hit.chunk.title.as_deref().unwrap_or_default()).intersection(&asked).count()
    };
    context.workspace.progress.shown.iter().rev().max_by_key(|hit| said(hit))
}

/// Returns whether a tool returned output that an answer can be based on.
fn says_something(made: &Made) -> bool {
    made.error.is_none() && made.told.as_ref().is_some_and(|told| !told.trim().is_empty())
}

/// Returns whether a question asks for a longer part of a document rather than a fact.
fn wants_depth(context: &Context) -> bool {
    let low = context.asked().to_lowercase();
    let words =
        ["explain", "describe", "steps", "how to", "how do", "procedure", "summar", "overview", "walk me"];
    intent(context) == Intent::Summarize || words.iter().any(|word| low.contains(word))
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
                "properties": {
                    "type": { "type": "string", "enum": ["no_results", "overload"] },
                    "missingInfo": { "type": "string" },
                },
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
        field(value, &["sufficient", "enough", "isSufficient"]).and_then(crate::reply::json::yes);
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
    let kind = details.and_then(|details| field(details, &["type", "kind"]).and_then(text));
    let kind = kind.and_then(|kind| {
        let low = kind.to_lowercase();
        let has = |stems: &[&str]| stems.iter().any(|stem| low.contains(stem));
        match (
            has(&["overload", "too_many", "too many"]),
            has(&["no_result", "no result", "nothing", "none"]),
        ) {
            (true, _) => Some(Kind::Overload),
            (_, true) => Some(Kind::NoResults),
            _ => None,
        }
    });
    let asks = details.and_then(|details| {
        let inner = field(details, &["missingInfo", "question", "message"]).or(Some(details));
        inner.and_then(text).map(|text| excerpt(&text, 500))
    });
    let reason = field(value, &["reason", "reasoning", "why"]).and_then(text).unwrap_or_default();
    let reason = if reason.is_empty() { "no reason was given.".into() } else { excerpt(&reason, 300) };
    Some(Decision { verdict, reason, calls, asks, kind, sufficient: verdict == Verdict::Enough })
}
