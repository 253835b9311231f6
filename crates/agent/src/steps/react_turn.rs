//! One ReAct turn: the model calls tools or answers. Without a model, a rule searches for the question and then for what is
//! missing.

use super::live::Turn;
use super::rows::{RowText, Rows};
use super::settle::{retract, settle};
use super::written::{between, calls_of, final_answer};
use crate::budget_plan::{Cost, LONG_CALL};
use crate::context::{By, Context, Thought};
use crate::evidence::query_key;
use crate::llm_call::{Prompt, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::plan::{fields, schema_line};
use crate::ports::{CollectionView, Message, Role};
use crate::prompt::fence;
use crate::reply::thoughts::spoken;
use crate::reply::{Completion, FunctionCall};
use crate::run::{Run, Step};
use crate::scratchpad::Pending;
use crate::step_id::StepId;
use crate::tools::{FINAL_ANSWER, Toolbox, Toolset, Use};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json as object};
use vademecum_firewall::escape::quoted;
use vademecum_grounding::citation::CitationStyle;
use vademecum_grounding::sufficiency::judge;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::hops::Hops;
use vademecum_text::chunk::estimate_tokens;

const PROMPT: &str = include_str!("../prompts/react.md");
const PROMPT_TEXT: &str = include_str!("../prompts/react_text.md");
/// Maximum number of tokens of the chat; the oldest tool results are removed beyond.
const MAX_CHAT_TOKENS: usize = 12_000;
/// Maximum number of tokens of rows in the first message.
const MAX_ROWS_TOKENS: usize = 2_000;

/// The step of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Think {
    /// Maximum number of turns in a run.
    pub most: usize,
    /// The citation format.
    pub citations: CitationStyle,
    /// StepOverrides prompt and LLM.
    pub own: StepOverrides,
}

impl Step for Think {
    fn id(&self) -> &StepId {
        &StepId::Think
    }

    fn cost(&self, run: &Run<'_>, context: &Context) -> Option<Cost> {
        let calls = self.most.saturating_sub(context.workspace.progress.rounds);
        (calls > 0 && run.has_llm(&self.own)).then_some(Cost { calls, least: 1, tokens: LONG_CALL })
    }

    fn describe(&self, context: &Context) -> Value {
        object!({ "question": context.asked(), "iteration": context.workspace.progress.rounds + 1, "maxIterations": self.most })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            context.workspace.progress.rounds += 1;
            let mut by = By::Rule;
            if run.has_llm(&self.own) {
                match self.by_llm(run, context).await {
                    Ok(()) => by = By::Llm,
                    Err(error) => run.fall_back(self.id(), error, "the search that a rule finds next")?,
                }
            }
            if by == By::Rule {
                self.by_rule(run, context);
            }
            let calls = context.workspace.progress.pending.iter().map(|one| one.tool.clone()).collect();
            let (iteration, answered) = (context.workspace.progress.rounds, context.answer.is_some());
            Ok(StepOutcome::new(by, StepResult::Think { iteration, calls, answered }))
        })
    }
}

impl Think {
    async fn by_llm(&self, run: &Run<'_>, context: &mut Context) -> Result<()> {
        if context.workspace.progress.messages.is_empty() {
            context.workspace.progress.fence = Some(format!("{:016x}", run.fence));
            let native = context.workspace.progress.takes_tools != Some(false);
            if let Some(rows) = Rows::of(run, context) {
                let told = self.rows(run, context)?;
                context.workspace.progress.shown = told.map(|told| told.documents).unwrap_or_default();
                if rows.may_be_output() {
                    let output = rows.output(run, &mut context.workspace.progress)?;
                    context.output = Some(output).filter(|output| output.total > 0);
                }
            }
            context.workspace.progress.messages = self.opening(run, context, native).await?;
        }
        let live = Turn::new(run, self.id(), context, self.citations);
        let completion = self.ask(run, context, &live).await?;
        let mut said = spoken(&completion.content).to_owned();
        let mut calls = calls_of(&completion, &said);
        if !completion.tool_calls.is_empty() {
            context.workspace.progress.takes_tools = Some(true);
        } else if calls.is_empty()
            && context.workspace.progress.takes_tools.is_none()
            && context.workspace.progress.made.is_empty()
            && let Some((words, in_words)) = self.in_words(run, context).await?
        {
            (said, calls) = (words, in_words);
        }
        if calls.is_empty() {
            return self.answer(run, context, &said, &live.ended(true));
        }
        let told = live.ended(false);
        if let Some(answer) = calls.first().filter(|call| call.tool == FINAL_ANSWER).and_then(final_answer) {
            return self.answer(run, context, &answer, &told);
        }
        if !told.is_empty() {
            retract(run, self.id(), &told, "the calls are made, and what was passed on is no answer");
        }
        let names: Vec<String> = calls.iter().map(|one| format!("{} {}", one.tool, one.arguments)).collect();
        run.think(Thought { step: self.id().clone(), by: By::Llm, text: excerpt(&names.join("; "), 400) });
        let asked: Vec<FunctionCall> = calls
            .iter()
            .filter(|call| !call.id.is_empty())
            .map(|call| FunctionCall {
                id: call.id.clone(),
                name: call.tool.clone(),
                arguments: call.arguments.to_string(),
            })
            .collect();
        // The message with the calls precedes their results.
        context.workspace.progress.messages.push(if asked.is_empty() {
            Message::new(Role::Assistant, excerpt(&said, 2_000))
        } else {
            Message::calling(excerpt(&said, 2_000), &asked)
        });
        context.workspace.progress.pending = calls;
        Ok(())
    }

    /// Some endpoints silently ignore tools, so the model answers from nothing. Asks once more for calls in words; the endpoint
    /// counts as one without tools only if the model then makes a call, otherwise the first answer stays valid.
    async fn in_words(&self, run: &Run<'_>, context: &mut Context) -> Result<Option<(String, Vec<Pending>)>> {
        let messages = self.opening(run, context, false).await?;
        let reply = match run.ask_with_tools(self.id(), &self.own, &messages, None, None).await {
            Ok(reply) => reply,
            Err(Error::Aborted) => return Err(Error::Aborted),
            Err(_) => return Ok(None),
        };
        let said = spoken(&reply.content).to_owned();
        let calls = calls_of(&reply, &said);
        if calls.is_empty() {
            return Ok(None);
        }
        context.workspace.progress.takes_tools = Some(false);
        context.workspace.progress.messages = messages;
        Ok(Some((said, calls)))
    }

    /// Stores the answer in the context; `told` is the part of it that has been streamed.
    fn answer(&self, run: &Run<'_>, context: &mut Context, said: &str, told: &str) -> Result<()> {
        if said.trim().is_empty() {
            return Err(Error::LlmReply {
                expected: "a call of a tool, or an answer",
                got: "an empty message".into(),
            });
        }
        let shown = std::mem::take(&mut context.workspace.progress.shown);
        settle(run, self.id(), context, said, &shown, self.citations, told);
        context.workspace.progress.shown = shown;
        context.workspace.progress.done = true;
        Ok(())
    }

    /// Returns the first messages of the chat.
    async fn opening(&self, run: &Run<'_>, context: &Context, native: bool) -> Result<Vec<Message>> {
        let toolbox = Toolbox::of(Toolset::React, run.tools);
        let number = context.workspace.progress.fence_number(run.fence);
        let at = Use { run, context, step: self.id(), top_k: 1, hops: Hops::default() };
        let views = at.views();
        let fence = fence(number, "");
        let question = match self.rows(run, context)? {
            Some(told) => format!("{}\n\n{}", context.asked(), between(number, &told.text)),
            None => context.asked().to_owned(),
        };
        let values = vec![
            ("tools", toolbox.listed(Toolset::React)),
            ("rounds", self.most.to_string()),
            ("collections", collections(&views, &fence)),
            ("fence", fence),
            ("citing", self.citations.instruction(&[])),
            ("question", question),
        ];
        let inputs = object!({
            "question": context.asked(),
            "tools": toolbox.schema(Toolset::React),
            "collections": views,
        });
        let template = if native { PROMPT } else { PROMPT_TEXT };
        run.messages(self.id(), &self.own, &Prompt { template, values, inputs }).await
    }

    /// Returns the rows to show before the first search, if the question asks for documents.
    fn rows(&self, run: &Run<'_>, context: &Context) -> Result<Option<RowText>> {
        let rows = Rows::of(run, context);
        Ok(rows.map(|rows| rows.formatted(run, self.citations, 1, MAX_ROWS_TOKENS)).transpose()?.flatten())
    }

    /// Calls the LLM, with tools unless the endpoint is known to refuse them.
    async fn ask(&self, run: &Run<'_>, context: &mut Context, live: &Turn<'_>) -> Result<Completion> {
        shorten(&mut context.workspace.progress.messages);
        if context.workspace.progress.takes_tools != Some(false) {
            let tools = Toolbox::of(Toolset::React, run.tools).schema(Toolset::React);
            let messages = &context.workspace.progress.messages;
            let asked = run.ask_with_tools(self.id(), &self.own, messages, Some(tools), Some(live)).await;
            match asked {
                Err(Error::LlmHttp { status, .. })
                    if crate::capability::refuses_form(status)
                        && context.workspace.progress.takes_tools.is_none() =>
                {
                    context.workspace.progress.takes_tools = Some(false);
                    live.is_in_words();
                    context.workspace.progress.messages = self.opening(run, context, false).await?;
                }
                reply => return reply,
            }
        }
        let messages = &context.workspace.progress.messages;
        run.ask_with_tools(self.id(), &self.own, messages, None, Some(live)).await
    }

    /// Searches for the question, then for what is missing, and then leaves the answer to the next step.
    fn by_rule(&self, run: &Run<'_>, context: &mut Context) {
        let tried: Vec<String> =
            context.results.iter().flatten().map(|result| query_key(&result.question)).collect();
        let next = if tried.is_empty() {
            Some(context.asked().to_owned())
        } else {
            let evidence = context.evidence();
            let judged = judge(context.asked(), evidence.get(..context.request.limit).unwrap_or(&evidence));
            judged.next_query().filter(|_| !judged.sufficient)
        };
        let next = next.filter(|query| !tried.contains(&query_key(query)));
        let tool = if tried.is_empty() { "search" } else { "refine_and_search" };
        let text = match &next {
            Some(query) => format!("{tool} {query}"),
            None => "what was found is what there is to answer from".to_owned(),
        };
        run.think(Thought { step: self.id().clone(), by: By::Rule, text });
        context.workspace.progress.done = next.is_none();
        let call = |query: String| Pending {
            id: String::new(),
            tool: tool.to_owned(),
            arguments: object!({ "query": query }),
        };
        context.workspace.progress.pending = next.map(call).into_iter().collect();
    }
}

/// Lists the collections with their fields, which are untrusted text from documents; empty if there is no choice.
fn collections(views: &[CollectionView], fence: &str) -> String {
    if views.len() < 2 && fields(&views.iter().collect::<Vec<_>>()).is_empty() {
        return String::new();
    }
    let lines: Vec<String> =
        views.iter().map(|one| format!("- {}: {}", one.name, schema_line(one))).collect();
    let lines = quoted(&lines.join("\n"), fence);
    format!(
        "\n\nCollections that a search can be limited to, and the fields that `filters` can name:\n{fence}\n{lines}\n{fence}"
    )
}

/// Removes the oldest tool results until the chat is short enough. The evidence keeps their chunks.
fn shorten(messages: &mut [Message]) {
    const LEFT_OUT: &str = "(left out: too long ago)";
    let mut tokens: usize = messages.iter().map(|message| estimate_tokens(&message.content)).sum();
    let last = messages.len().saturating_sub(1);
    for (at, message) in messages.iter_mut().enumerate() {
        let is_result = message.role == Role::Tool || (message.role == Role::User && at > 1);
        if tokens > MAX_CHAT_TOKENS && is_result && at < last {
            tokens -= estimate_tokens(&message.content).min(tokens);
            message.content = LEFT_OUT.to_owned();
        }
    }
}
