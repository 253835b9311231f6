//! Executes pending tool calls concurrently and merges their results.

use super::rerank::Rerank;
use super::settle::settle;
use super::written::{MAX_TOOL_OUTPUT, between, final_answer};
use crate::budget_plan::{Cost, LONG_CALL};
use crate::call::Call;
use crate::context::StepError;
use crate::context::{By, Context, Thought};
use crate::event::Event;
use crate::evidence::{sendable, unique};
use crate::hooks::hits;
use crate::outcome::{StepOutcome, StepResult};
use crate::ports::{Message, Role};
use crate::prompt::{fence, passages_from};
use crate::run::{Run, Step};
use crate::scratchpad::{Made, Pending};
use crate::step_id::StepId;
use crate::tools::{FINAL_ANSWER, Outcome, Toolbox, Toolset, Use};
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::collections::HashSet;
use vademecum_firewall::escape::quoted;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::{Hit, Key};
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::hops::Hops;

/// The step that executes tool calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecuteTools {
    /// The name in its style.
    pub name: StepId,
    /// The built-in tools.
    pub set: Toolset,
    /// Default number of chunks per call.
    pub top_k: usize,
    /// Maximum number of passages in a chain that a search follows.
    pub hops: Hops,
    /// Maximum number of calls in a run.
    pub most: usize,
    /// The citation format.
    pub citations: CitationStyle,
}

/// A finished call.
struct Done {
    call: Pending,
    outcome: Result<Outcome>,
}

impl Step for ExecuteTools {
    fn id(&self) -> &StepId {
        &self.name
    }

    fn describe(&self, context: &Context) -> Value {
        let calls: Vec<Value> = context
            .workspace
            .progress
            .pending
            .iter()
            .map(|one| json!({ "tool": one.tool, "arguments": one.arguments }))
            .collect();
        json!({ "calls": calls })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let mut pending = std::mem::take(&mut context.workspace.progress.pending);
            // Calls after the final answer in the same turn are ignored.
            let last = pending.iter().position(|one| one.tool == FINAL_ANSWER);
            pending.truncate(last.map_or(pending.len(), |at| at + 1));
            let ends = |one: &Pending| (one.tool == FINAL_ANSWER).then(|| final_answer(one)).flatten();
            let answers: Vec<Option<String>> = pending.iter().map(ends).collect();
            let toolbox = Toolbox::of(self.set, run.tools);
            let left = self.most.saturating_sub(context.workspace.progress.made.len());
            let calls = pending.into_iter().enumerate().map(|(at, call)| {
                let (toolbox, context) = (&toolbox, &*context);
                async move {
                    let outcome = if at < left {
                        self.call(run, context, toolbox, &call).await
                    } else {
                        Err(no_more(self.most))
                    };
                    Done { call, outcome }
                }
            });
            let calls: Vec<_> = calls.collect();
            let done: Vec<Done> =
                futures_util::stream::iter(calls).buffered(run.concurrency.max(1)).collect().await;
            let mut told = Vec::new();
            for one in done {
                // An unknown collection was named by the caller: names by a model have been checked.
                if let Err(error) = &one.outcome
                    && ["aborted", "unknown_collection"].contains(&error.code())
                {
                    return Err(error.clone());
                }
                let tool = toolbox.find(&one.call.tool);
                let searches = tool.is_some_and(|tool| tool.searches());
                // Passages taint the run where they are shown; this is other output that the model reads.
                let is_own = tool.is_some_and(|tool| tool.is_own());
                context.workspace.progress.tainted |= match &one.outcome {
                    Ok(outcome) => outcome.told.is_some() && !searches,
                    Err(error) => is_own && error.code() != DENIED,
                };
                if let Ok(outcome) = &one.outcome
                    && tool.is_some_and(|tool| tool.asks())
                    && let Some(result) = outcome.results.iter().rfind(|result| !result.chunks.is_empty())
                {
                    context.workspace.progress.last_search = Some(result.question.clone());
                }
                told.push(self.take(run, context, one, searches));
            }
            context.workspace.progress.pruned = false;
            // The answer could not use searches made in the same turn.
            if let Some(answer) = last.and_then(|at| answers.get(at)?.clone()) {
                let shown = context.workspace.progress.shown.clone();
                settle(run, self.id(), context, &answer, &shown, self.citations, "");
                context.workspace.progress.done = true;
            }
            let found: usize = told.iter().map(|made| made.new).sum();
            let names: Vec<&str> = told.iter().map(|made| made.tool.as_str()).collect();
            let text = format!("{}: {found} new chunks", names.join(", "));
            run.think(Thought { step: self.id().clone(), by: By::Rule, text });
            Ok(StepOutcome::new(By::Rule, StepResult::ExecuteTools { calls: told, new_chunks: found }))
        })
    }
}

impl ExecuteTools {
    /// Returns the LLM calls that rerank the results of remaining searches, with the step that makes them; `None` if no LLM
    /// reranks.
    pub(crate) fn ranking(&self, run: &Run<'_>, context: &Context) -> Option<(StepId, Cost)> {
        let rerank =
            Rerank::from(run.search_overrides.rerank.as_ref().filter(|ranker| ranker.reranker.is_none())?);
        let searches = self.most.saturating_sub(context.workspace.progress.made.len());
        let each = rerank.calls(rerank.wanted(run).max(self.top_k));
        let cost = Cost { calls: searches * each, least: each, tokens: LONG_CALL };
        (searches > 0 && run.has_llm(&rerank.own)).then(|| (rerank.id().clone(), cost))
    }
}

/// The code of a call that the caller's check before tools rejected.
const DENIED: &str = "tool_denied";
/// The message to a model about such a call.
const NOT_ALLOWED: &str = "This tool may not be called here. Go on without it.";

fn no_more(most: usize) -> Error {
    Error::invalid("tool calls", format!("at most {most} in a run"), "one more")
}

impl ExecuteTools {
    async fn call(
        &self,
        run: &Run<'_>,
        context: &Context,
        toolbox: &Toolbox<'_>,
        pending: &Pending,
    ) -> Result<Outcome> {
        if self.set == Toolset::React && pending.tool == FINAL_ANSWER {
            return match final_answer(pending) {
                Some(_) => Ok(Outcome::default()),
                None => Err(Error::invalid("answer", "a text", excerpt(&pending.arguments.to_string(), 80))),
            };
        }
        let at = Use { run, context, step: self.id(), top_k: self.top_k, hops: self.hops };
        let call = Call::begin(run, self.id(), pending.tool.clone(), pending.arguments.clone());
        let outcome = match toolbox.find(&pending.tool) {
            None => {
                let names = toolbox.names().join(", ");
                Err(Error::invalid("tool", format!("one of {names}"), excerpt(&pending.tool, 60)))
            }
            Some(_) if pending.arguments.is_string() && !is_query(&pending.arguments) => {
                Err(Error::invalid("arguments", "a JSON object", excerpt(&pending.arguments.to_string(), 80)))
            }
            Some(tool) => tool.call(&at, &pending.arguments).await,
        };
        call.end(outcome.as_ref().map(summary_of));
        if let Err(error) = &outcome
            && error != &Error::Aborted
        {
            let fallback = "the error is told in the place of the result";
            run.observer.event(&Event::Failed {
                step: self.id().clone(),
                duration_ms: 0.0,
                error: StepError::of(error, self.id()),
                fallback: Some(fallback.to_owned()),
            });
            run.note_failure(StepError::of(error, self.id()));
        }
        outcome
    }

    /// Stores the outcome of a call for later steps.
    fn take(&self, run: &Run<'_>, context: &mut Context, mut done: Done, searches: bool) -> Made {
        let Pending { id, tool, arguments } = done.call;
        let mut made = Made { tool, arguments, ..Made::default() };
        if let Ok(outcome) = &mut done.outcome {
            outcome.results.iter_mut().for_each(|result| run.seen().given(&mut result.chunks));
        }
        let progress = &mut context.workspace.progress;
        let number = progress.fence_number(run.fence);
        let mut content = match &done.outcome {
            Ok(outcome) => {
                progress.searches += usize::from(searches);
                let chunks = outcome.results.iter().flat_map(|result| &result.chunks);
                made.found = chunks.clone().count();
                made.total = outcome.total.max(made.found);
                let text = |told: &Value| told.as_str().map_or_else(|| told.to_string(), str::to_owned);
                made.told = outcome.told.as_ref().map(|told| excerpt(&text(told), MAX_TOOL_OUTPUT));
                let known: HashSet<Key<'_>> = progress.shown.iter().map(|hit| hit.chunk.key()).collect();
                let (new, old): (Vec<&Hit>, Vec<&Hit>) =
                    chunks.partition(|hit| !known.contains(&hit.chunk.key()));
                let again: Vec<String> =
                    old.iter().filter_map(|hit| number_of(&progress.shown, hit)).collect();
                let new = unique(new);
                made.new = new.len();
                // Passages that must not be sent remain evidence for quoting, but are not shown.
                let new = sendable(&new);
                let first = progress.shown.len() + 1;
                progress.shown.extend(new.iter().cloned());
                run.watch(self.id(), &new);
                self.told(number, outcome, &new, first, &again)
            }
            Err(error) => {
                made.error = Some(error.code().to_owned());
                // The reason for the rejection is for the user; a model could argue with it.
                let reason = if error.code() == DENIED { NOT_ALLOWED.to_owned() } else { error.to_string() };
                made.told = Some(excerpt(&reason, 300));
                // A failed search still counts as a search.
                context.results.get_or_insert_default();
                // An error message is untrusted text.
                format!("Error: the call failed.\n{}", between(number, &reason))
            }
        };
        if let Some(told) = &made.told {
            // The output of a tool is inspected like passages.
            let id = format!("{}#{}", made.tool, progress.made.len() + 1);
            let said = hits(&json!([{ "id": id, "text": told }]), &made.tool, &made.tool);
            match said {
                Ok(said) => run.watch(self.id(), &said),
                Err(error) => {
                    debug_assert!(false, "{error}");
                    // Output that cannot be inspected is not shown.
                    made.told = None;
                    content = "Error: the call failed.".into();
                }
            }
        }
        if self.set == Toolset::React {
            progress.messages.push(if id.is_empty() {
                Message::new(Role::User, format!("Result of {}:\n{content}", made.tool))
            } else {
                Message::of_tool(id, content)
            });
        }
        if let Ok(outcome) = done.outcome {
            // After the chunks that a step has ranked.
            if let Some(ranked) = &mut context.ranked {
                let found = outcome.results.iter().flat_map(|result| &result.chunks);
                *ranked = unique(ranked.iter().chain(found));
            }
            context.results.get_or_insert_default().extend(outcome.results);
        }
        context.workspace.progress.made.push(made.clone());
        made
    }

    /// Formats the outcome of a call for a model.
    fn told(&self, number: u64, outcome: &Outcome, new: &[Hit], first: usize, again: &[String]) -> String {
        let passages = passages_from(new, self.citations, first);
        let told =
            outcome.told.as_ref().map(|told| told.as_str().map_or_else(|| told.to_string(), str::to_owned));
        let fence = fence(number, "");
        let told = told.map(|told| quoted(&excerpt(&told, MAX_TOOL_OUTPUT), &fence));
        let parts: Vec<String> =
            [Some(passages), told].into_iter().flatten().filter(|part| !part.is_empty()).collect();
        let mut content = match parts.is_empty() {
            true => "Nothing new was found.".to_owned(),
            false => format!("{fence}\n{}\n{fence}", parts.join("\n\n")),
        };
        if !again.is_empty() {
            content.push_str(&format!("\nFound again, shown above: {}.", again.join(", ")));
        }
        content
    }
}

/// Returns whether a text in place of arguments may be a query.
fn is_query(arguments: &Value) -> bool {
    arguments
        .as_str()
        .is_some_and(|text| !text.trim().is_empty() && !text.trim_start().starts_with(['{', '[']))
}

fn number_of(shown: &[Hit], hit: &Hit) -> Option<String> {
    let at = shown.iter().position(|one| one.chunk.key() == hit.chunk.key())?;
    Some(format!("[{}]", at + 1))
}

/// Summarises the outcome of a call for the audit log.
fn summary_of(outcome: &Outcome) -> Value {
    let chunks: Vec<&str> =
        outcome.results.iter().flat_map(|result| &result.chunks).map(|hit| hit.chunk.id.as_str()).collect();
    let mut short = json!({ "chunks": chunks, "total": outcome.total });
    if let (Some(told), Value::Object(fields)) = (&outcome.told, &mut short) {
        fields.insert("told".into(), told.clone());
    }
    short
}
