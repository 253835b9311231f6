//! Writes the answer from the evidence and checks its citations.
//!
//! With an LLM, the model writes and cites; without one, the answer quotes the best sentences of the evidence.

use super::continued::with_continued;
use super::counted::counted;
use super::listed::{listed, with_rows};
use super::planner::planned::{format, intent};
use super::quoting::{Quoted, Unanswered};
use super::reading::{self, Reading};
use super::rows::{Rows, as_hit, asked_of_passages, unread};
use super::settle;
use super::weighed::Weighed;
use crate::budget_plan::{Cost, LONG_CALL, SHORT_CALL};
use crate::context::{By, Context, StepError};
use crate::errors::never_sent;
use crate::event::Event;
use crate::evidence::{fitting, sendable};
use crate::hooks::hits;
use crate::llm_call::{Prompt, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::plan::{Format, Intent};
use crate::prompt::with_parts;
use crate::reply::json;
use crate::reply::thoughts::spoken;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use crate::tools::{LIST, METADATA};
use futures_util::future::{Either, LocalBoxFuture, select};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::pin::pin;
use vademecum_firewall::clean_answer;
use vademecum_firewall::escape::quoted;
use vademecum_grounding::answerable::DOUBTFUL_BELOW;
use vademecum_grounding::citation::{Citation, CitationStyle};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result, excerpt};
#[cfg(feature = "schema")]
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;
use vademecum_text::chunk::estimate_tokens;

const PROMPT: &str = include_str!("../prompts/answer.md");
const PROMPT_WITHOUT_PASSAGES: &str = include_str!("../prompts/answer_without_passages.md");
/// Milliseconds that an encoder may take before the answer by words is sent.
const DRAFT_AFTER: f64 = 20.0;
/// Tokens of passages.
#[cfg(feature = "schema")]
const PASSAGE_TOKENS: Range<usize> = Range::from("answer.maxTokens", 1);

/// The answer step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = "Options of `answer`.", rename = "AnswerOptions", extend("x-extends" = ["StepOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The name in its style.
    #[serde(skip)]
    pub name: StepId,
    /// How passages are cited: `[1]`, or by the document's id.
    pub citations: CitationStyle,
    /// Maximum number of tokens of passages that the LLM is shown, by estimate; the lowest ranked are left out.
    #[cfg_attr(feature = "schema", schemars(transform = PASSAGE_TOKENS.declared()))]
    pub max_tokens: usize,
    /// Whether the answer ends with a list of what it cites, `**Sources**`: number or id, title, page and address.
    pub sources: bool,
    /// Function that finds the words that answer, where no LLM writes: a model made by `Reader.onnx`. It is given the best ten
    /// passages.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Reader>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            name: StepId::Answer,
            citations: CitationStyle::Number,
            max_tokens: 3_000,
            sources: false,
            reader: None,
            own: StepOverrides::default(),
        }
    }
}

impl Step for Answer {
    fn id(&self) -> &StepId {
        &self.name
    }

    fn answers(&self) -> bool {
        true
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        run.has_llm(&self.own).then(|| Cost::of(1, self.max_tokens.min(LONG_CALL) + SHORT_CALL))
    }

    fn lists_sources(&self) -> bool {
        self.sources
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "contextChunkCount": context.evidence().len() })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let mut evidence = if context.skip_retrieval { Vec::new() } else { context.evidence() };
            let found = evidence.len();
            let rows = if context.results.is_some() { Rows::of(run, context) } else { None };
            if let (Some(rows), None) = (rows.as_ref().filter(|rows| rows.may_be_output()), &context.output) {
                context.output = Some(rows.output(run, &mut context.workspace.progress)?)
                    .filter(|output| output.total > 0 || rows.are_computed());
            }
            let rows = rows.filter(|rows| context.output.is_some() || !rows.may_be_output());
            // Without results there is nothing for a model to answer from.
            let told =
                context.workspace.progress.made.iter().any(|one| one.error.is_none() && one.told.is_some());
            let has_rows = rows.is_some() && !context.workspace.progress.export;
            let in_vain = context.results.is_some()
                && evidence.is_empty()
                && !told
                && !has_rows
                && !context.skip_retrieval;
            settle::clear(context, self.citations);
            let asked = asked_of_passages(run, context);
            let mut weighed = self.weigh(run, &asked, &evidence, rows.is_some(), context).await;
            context.confidence = (!evidence.is_empty()).then(|| weighed.signals.probability());
            let (mut by, mut finish_reason) = (By::Rule, None);
            if run.has_llm(&self.own) && !in_vain {
                match self.by_llm(run, &evidence, rows.as_ref(), context).await {
                    Ok(reason) => (by, finish_reason) = (By::Llm, reason),
                    Err(error) => run.fall_back(self.id(), error, "the best sentences of the passages")?,
                }
            }
            if by == By::Rule {
                weighed.reading = self.read(run, &asked, &evidence).await?;
                let withheld = run.withheld(self.id(), context).await;
                if !withheld.is_empty() {
                    if in_vain && run.has_llm(&self.own) {
                        let error = never_sent("all the passages are");
                        run.tell_failure(self.id(), &error, "the best sentences of the passages");
                    }
                    let mut plain = context.clone();
                    self.by_rule(run, evidence.clone(), rows.as_ref(), &weighed, &mut plain);
                    (context.told, context.withheld) = (plain.answer, withheld.clone());
                    evidence.extend(withheld);
                    weighed = Weighed::with_parts(run, self.id(), &asked, &evidence).await;
                    weighed.reading = self.read(run, &asked, &evidence).await?;
                }
                self.by_rule(run, evidence.clone(), rows.as_ref(), &weighed, context);
                // An answer that is the same without the withheld passages quotes none of them and may be sent.
                if context.told == context.answer {
                    context.told = None;
                }
                let text = context.answer.clone().unwrap_or_default();
                run.observer.event(&Event::Token { step: self.id().clone(), text });
            }
            let used = context.context_used.len();
            let how = if by == By::Llm { "written from" } else { "quoted from" };
            let withheld = if by == By::Llm { evidence.len() - sendable(&evidence).len() } else { 0 };
            // Of a list, further passages may be quoted than those that were found.
            let made = format!("{how} {used} of {}", counted(found.max(used), "passage"));
            let note = if withheld > 0 { format!("; {withheld} are never sent") } else { String::new() };
            settle::report(run, self.id(), context, by, &made, &note);
            let result = StepResult::Answer {
                context_chunk_count: used,
                found_chunk_count: found,
                citations: context.citations.len(),
                invalid_citations: context.invalid_citations.clone(),
                finish_reason,
            };
            Ok(StepOutcome::new(by, result))
        })
    }
}

impl Answer {
    /// Weighs the evidence. While an encoder does, an answer by rule is sent as words alone give it.
    async fn weigh(
        &self,
        run: &Run<'_>,
        asked: &str,
        evidence: &[Hit],
        has_rows: bool,
        context: &Context,
    ) -> Weighed {
        if run.has_llm(&self.own) || has_rows {
            return Weighed::of(run, self.id(), asked, evidence).await;
        }
        let measuring = pin!(Weighed::with_parts(run, self.id(), asked, evidence));
        match select(measuring, pin!(run.platform.sleep(DRAFT_AFTER))).await {
            Either::Left((weighed, _)) => weighed,
            Either::Right(((), measuring)) => {
                self.draft(run, asked, evidence, context);
                measuring.await
            }
        }
    }

    /// Has the caller's reader read the evidence, if there is one.
    async fn read(&self, run: &Run<'_>, asked: &str, evidence: &[Hit]) -> Result<Option<Reading>> {
        match &self.reader {
            Some(reader) => reading::read(run, self.id(), reader, asked, evidence).await,
            None => Ok(None),
        }
    }

    /// Sends the answer by words alone, unless it is none.
    fn draft(&self, run: &Run<'_>, asked: &str, evidence: &[Hit], context: &Context) {
        let weighed = Weighed::at_once(run, asked, evidence);
        let mut plain = context.clone();
        self.by_rule(run, evidence.to_vec(), None, &weighed, &mut plain);
        if let Some(text) = plain.answer.filter(|_| !plain.citations.is_empty()) {
            run.observer.event(&Event::Draft { step: self.id().clone(), text });
        }
    }

    /// Returns the finish reason of the reply.
    async fn by_llm(
        &self,
        run: &Run<'_>,
        evidence: &[Hit],
        rows: Option<&Rows>,
        context: &mut Context,
    ) -> Result<Option<String>> {
        let open = run.sendable(evidence)?;
        // The rest of the budget must also cover the instructions and the reply.
        let left = run.account.tokens_left().map(|left| left.saturating_sub(SHORT_CALL).max(MIN_TOKENS));
        let most = left.map_or(self.max_tokens, |left| left.min(self.max_tokens));
        // Rows get half of the tokens, or all of them without passages.
        let for_rows = if open.is_empty() { most } else { most / 2 };
        let sized = rows.map(|rows| rows.formatted(run, self.citations, 1, for_rows)).transpose()?.flatten();
        let taken = sized.map_or(0, |told| estimate_tokens(&told.text));
        let mut shown = fitting(&open, self.citations, most.saturating_sub(taken));
        let passages = shown.len();
        // Numbers of passages come before those of rows.
        let first = passages + 1;
        let told =
            rows.map(|rows| rows.formatted(run, self.citations, first, for_rows)).transpose()?.flatten();
        let without = context.skip_retrieval || (context.results.is_none() && shown.is_empty());
        let mut values = run.fenced(self.id(), &shown, self.citations);
        add_told(&mut values, context);
        shown.extend(told.iter().flat_map(|told| told.documents.clone()));
        shown.extend(known_by_tools(run, context, &shown));
        let question = with_parts(context.asked(), context.parts());
        let inputs = json!({
            "question": question,
            "chunks": shown.get(..passages),
            "subQuestions": context.parts(),
            "plan": context.plan,
            "rows": told.as_ref().map(|told| told.text.as_str()),
        });
        // A pipeline without a search step answers from the model's own knowledge.
        let prompt = if without {
            Prompt { template: PROMPT_WITHOUT_PASSAGES, values: vec![("question", question)], inputs }
        } else {
            if let Some(told) = &told {
                add_between(&mut values, &told.text);
                let said = hits(&json!([{ "id": "rows", "text": told.text }]), "rows", "the rows")?;
                run.watch(self.id(), &said);
            }
            values.extend([
                ("citing", self.citations.instruction(&shown)),
                ("question", question),
                ("wanted", wanted(context, rows.filter(|_| told.is_some()))),
            ]);
            Prompt { template: PROMPT, values, inputs }
        };
        let allowed = context.allowed(&shown);
        let completion = run.ask_text(self.id(), &self.own, &prompt, allowed.clone()).await?;
        let fence = prompt.values.iter().find(|(name, _)| *name == "fence").map(|(_, fence)| fence.as_str());
        let said = without_prompt(spoken(&completion.content), fence, context.asked());
        let said = settle::clean(context, &said, allowed);
        if said.is_empty() {
            return Err(Error::LlmReply { expected: "an answer", got: "an empty message".into() });
        }
        // What has arrived was already streamed, and is kept.
        if let Some(error) = completion.cut_off() {
            if run.strict {
                return Err(error);
            }
            run.note_failure(StepError::of(&error, self.id()));
        }
        // The result has whole chunks, even if the prompt had truncated ones.
        for (whole, part) in open.iter().zip(shown.iter_mut().take(passages)) {
            part.clone_from(whole);
        }
        settle::accept(run, context, &said, shown);
        // Documents without a passage in the prompt count as used only if they are cited.
        let cited = context.citations.iter().map(|one| one.number).max().unwrap_or(0);
        context.context_used.truncate(passages.max(cited));
        Ok(completion.finish_reason)
    }

    fn by_rule(
        &self,
        run: &Run<'_>,
        mut evidence: Vec<Hit>,
        rows: Option<&Rows>,
        weighed: &Weighed,
        context: &mut Context,
    ) {
        let mut answer = String::new();
        let unread = unread(run, context);
        let mut quoted = Quoted::of(context, &evidence, weighed, unread.as_deref());
        let known = evidence.len();
        if !quoted.quotes.is_empty() && context.output.is_none() && weighed.reading.is_none() {
            with_continued(run, weighed.candidates.first(), &mut evidence);
        }
        if evidence.len() > known {
            quoted = Quoted::of(context, &evidence, weighed, unread.as_deref());
        }
        let allowed = context.allowed(&evidence);
        (context.abstained, context.reason, context.confidence) = (false, quoted.reason, quoted.confidence);
        let mut was_block = false;
        for quote in quoted.quotes {
            let Some(hit) = quote.number.checked_sub(1).and_then(|place| evidence.get(place)) else {
                continue;
            };
            // A list or code has lines of its own.
            let is_block = quote.text.contains('\n');
            if !answer.is_empty() {
                answer.push_str(if is_block || was_block { "\n\n" } else { " " });
            }
            was_block = is_block;
            // A quotation is sanitised like any answer.
            let cleaned = clean_answer(&quote.text, allowed.clone());
            answer.push_str(cleaned.text.trim());
            context.removed.extend(cleaned.removed);
            answer.push(if is_block { '\n' } else { ' ' });
            let marker = self.citations.marker(quote.number, hit);
            let start = answer.encode_utf16().count();
            answer.push_str(&marker);
            context.citations.push(Citation::new(quote.number, hit, start, &marker, Some(quote.span)));
        }
        let computed = rows.and_then(|rows| rows.computed(run, &mut evidence, self.citations, &allowed));
        if let (Some(said), true) = (computed, context.output.is_some()) {
            (answer, context.citations) = said;
        } else if let Some(output) = &context.output {
            let sentence = rows.and_then(|rows| rows.sentence(output));
            (answer, context.citations) = match sentence {
                Some(sentence) => (clean_answer(&sentence, allowed.clone()).text, Vec::new()),
                None => {
                    with_rows(run, output, &mut evidence);
                    let caution = rows.and_then(|rows| rows.caution(output.total));
                    listed(output, &evidence, self.citations, &allowed, caution)
                }
            };
        }
        if answer.is_empty() {
            // The restriction that holds for a model holds for the rule too.
            let spoken = Unanswered::of(context, &evidence, unread.as_deref());
            context.abstained = spoken.abstained;
            context.nearest = quoted.nearest.filter(|_| spoken.abstained);
            context.reason =
                context.reason.take().or(spoken.reason).map(|text| clean_answer(&text, allowed).text);
            answer = spoken.text;
        } else if context.output.is_some() {
            // Rows are not chosen by likeness.
            (context.reason, context.confidence) = (None, None);
        }
        context.answer = Some(answer);
        context.context_used = evidence;
    }
}

/// Returns the documents that tools listed without a passage, so that they can be cited, except those that a model must not see.
fn known_by_tools(run: &Run<'_>, context: &Context, shown: &[Hit]) -> Vec<Hit> {
    let mut known: Vec<Hit> = Vec::new();
    let made = context.workspace.progress.made.iter().filter(|one| one.error.is_none());
    for one in made.filter(|one| [LIST, METADATA].contains(&one.tool.as_str())) {
        let told = one.told.as_deref().map(|told| excerpt(told, MAX_TOOL_OUTPUT)).unwrap_or_default();
        let read = |value: &Value| {
            let items = value.get("documents").and_then(Value::as_array);
            Some(items.map_or_else(|| vec![value.clone()], Vec::clone))
        };
        for item in json::find(&told, read).unwrap_or_default() {
            let named = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            let (Some(id), Some(collection)) = (named("id"), named("collection")) else { continue };
            let is_known = |hit: &Hit| hit.chunk.doc_id == id && hit.chunk.collection == collection;
            if shown.iter().chain(&known).any(is_known) {
                continue;
            }
            let found = run.searcher.document(&[collection], &id, None);
            known.extend(
                found.map(|(summary, _)| summary).filter(|one| !one.never_sent()).map(|one| as_hit(&one)),
            );
        }
    }
    known
}

/// Returns a reply without what small models repeat of the prompt, instead of ending: its fences, and the question.
fn without_prompt(reply: &str, fence: Option<&str>, question: &str) -> String {
    let number = fence.and_then(|fence| fence.split_whitespace().find(|word| word.len() == FENCE_DIGITS));
    let is_fence = |line: &str| number.is_some_and(|number| line.contains(number));
    let kept: String = reply.split_inclusive('\n').take_while(|line| !is_fence(line)).collect();
    let again = format!("Question: {question}");
    let end = kept.match_indices(&again).map(|(at, _)| at).find(|at| *at > 0).unwrap_or(kept.len());
    kept.get(..end).unwrap_or(&kept).trim().to_owned()
}

/// Number of digits of the number in a fence.
const FENCE_DIGITS: usize = 16;

/// Returns what the plan requests of the answer, for the end of a prompt; empty without a plan.
fn wanted(context: &Context, rows: Option<&Rows>) -> String {
    let mut wanted = String::new();
    if context.plan.is_some() {
        let what = match intent(context) {
            Intent::Qa => "an answer",
            Intent::List => "a list of everything that fits",
            Intent::Summarize => "a summary",
            Intent::Compare => "a comparison",
            Intent::Compute => "a number made of others",
        };
        let form = match format(context) {
            Format::NaturalLanguage => "in sentences",
            Format::Table => "as a Markdown table",
            Format::List => "as a list, one item a line",
        };
        let cited = if needs_citations(context) { "with citations" } else { "citations are not asked for" };
        wanted = format!("\nWanted: {what}, {form}, {cited}.");
    }
    if let Some(rows) = rows {
        wanted.push_str(&format!("\n{}", rows.note()));
    } else if let Some(probability) = context.confidence.filter(|probability| *probability < DOUBTFUL_BELOW) {
        wanted.push_str(&format!(
            "\nA check by words and likeness doubts that the passages answer this: its estimate is {:.0} %. Unless they do, say that \
             they do not.",
            probability * 100.0
        ));
    }
    wanted
}

/// Returns whether the plan requests citations, the default.
fn needs_citations(context: &Context) -> bool {
    let said = context
        .plan
        .as_ref()
        .and_then(|plan| plan.get("outputPreferences")?.get("needsCitations")?.as_bool());
    said.unwrap_or(true)
}

/// Adds the output of tools besides passages, within the same fences.
fn add_told(values: &mut [(&'static str, String)], context: &Context) {
    let made = context.workspace.progress.made.iter().filter(|one| one.error.is_none());
    let told: Vec<String> = made
        .filter_map(|one| Some(format!("- {}: {}", one.tool, excerpt(one.told.as_ref()?, MAX_TOOL_OUTPUT))))
        .collect();
    if !told.is_empty() {
        add_between(values, &format!("Tools have told:\n{}", told.join("\n")));
    }
}

/// Adds a text after the passages that cannot close their fence.
fn add_between(values: &mut [(&'static str, String)], text: &str) {
    let fence = values.iter().find(|(name, _)| *name == "fence").map(|(_, fence)| fence.clone());
    if let (Some(fence), Some((_, passages))) =
        (fence, values.iter_mut().find(|(name, _)| *name == "passages"))
    {
        let gap = if passages.is_empty() { "" } else { "\n\n" };
        passages.push_str(&format!("{gap}{}", quoted(text, &fence)));
    }
}

/// Minimum number of tokens of passages in a prompt.
const MIN_TOKENS: usize = 100;

/// Maximum length of a tool's output in the prompt, in characters.
const MAX_TOOL_OUTPUT: usize = 2_000;
