//! Calls LLMs on behalf of a step: for text, or for JSON in any form that the endpoint accepts.

pub use super::step_overrides::StepOverrides;

use super::call::Call;
use super::capability::{Capability, refuses_form};
use super::context::StepError;
use super::context::{By, Thought};
use super::event::Event;
use super::evidence::sendable;
use super::ports::{Caller, ChatRequest, Message, Role};
use super::prompt;
use super::reply::{Completion, FunctionCall, TokenUsage, json};
use super::run::{KnownLlm, Run};
use super::step_id::StepId;
use crate::errors::{function_result, never_sent};
use serde_json::{Value, json as object};
use std::cell::RefCell;
use vademecum_firewall::{Allowed, Screen, inspect};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_text::chunk::estimate_tokens;

/// A prompt template with its values, and the same as input of a caller's prompt function.
#[derive(Debug, Clone)]
pub struct Prompt<'a> {
    /// One of `prompts/*.md`.
    pub template: &'a str,
    /// The values, by placeholder name.
    pub values: Vec<(&'a str, String)>,
    /// The input of the caller's prompt function.
    pub inputs: Value,
}

/// A request for JSON.
pub struct Question<'a, T> {
    /// The prompt.
    pub prompt: Prompt<'a>,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// Parses the reply; `None` if it is unusable.
    pub read: &'a dyn Fn(&Value) -> Option<T>,
    /// How the step continues without a reply, in a few words.
    pub fallback: &'a str,
}

impl<T> std::fmt::Debug for Question<'_, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Question").field("prompt", &self.prompt).finish_non_exhaustive()
    }
}

/// Returns whether the LLM itself has failed, as opposed to a limit set by the caller.
fn is_of_llm(error: &Error) -> bool {
    matches!(
        error,
        Error::LlmFailed { .. }
            | Error::LlmHttp { .. }
            | Error::LlmCutOff { .. }
            | Error::LlmReply { .. }
            | Error::LlmReplyTooLarge { .. }
    )
}

/// Receives a chat turn while it streams.
pub trait Live {
    /// Receives more text, without leading thoughts.
    fn text(&self, text: &str);

    /// Receives the first function call, as far as it has arrived.
    fn call(&self, call: &FunctionCall);
}

/// Maximum number of retries of a busy endpoint.
const MAX_RETRIES: u32 = 2;
/// The first delay in milliseconds; doubles with every retry.
const BACK_OFF: f64 = 500.0;
/// Maximum delay in milliseconds; no retry if the server asks for more.
const MAX_WAIT: f64 = 30_000.0;

impl Run<'_> {
    /// Returns whether a step may call an LLM.
    pub fn has_llm(&self, own: &StepOverrides) -> bool {
        self.llm.has(own.llm.as_deref()) && !self.known(&own.llm).lost && self.account.may_ask()
    }

    fn known(&self, llm: &Option<String>) -> KnownLlm {
        self.llms.borrow_mut().entry(llm.clone()).or_default().clone()
    }

    /// Returns the messages of a prompt.
    ///
    /// # Errors
    /// The errors of the caller's function, and `function_result` if it returns no text.
    pub async fn messages(
        &self,
        step: &StepId,
        own: &StepOverrides,
        prompt: &Prompt<'_>,
    ) -> Result<Vec<Message>> {
        let Some(name) = &own.prompt else {
            let values: Vec<(&str, &str)> =
                prompt.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
            // Instructions of this package are no secret, even where a document holds the same words.
            if let Ok(library) = self.ask_library(prompt.template) {
                self.seen().said(prompt.template, &library);
            }
            return Ok(prompt::fill(prompt.template, &values));
        };
        match self.call_function(step, name, &prompt.inputs).await? {
            Value::String(text) if !text.trim().is_empty() => Ok(vec![Message::new(Role::User, text)]),
            other => Err(function_result(
                &format!("the prompt of `{step}`"),
                "a text",
                &excerpt(&other.to_string(), 80),
            )),
        }
    }

    /// Requests text, which is sanitised and streamed as token events.
    ///
    /// # Errors
    /// The errors of the LLM, [`Error::BudgetExhausted`], and those of [`Run::messages`].
    pub async fn ask_text(
        &self,
        step: &StepId,
        own: &StepOverrides,
        prompt: &Prompt<'_>,
        allowed: Allowed,
    ) -> Result<Completion> {
        let messages = self.messages(step, own, prompt).await?;
        let request = ChatRequest::text(self.model.clone(), messages, true);
        let screen = RefCell::new(Screen::new(allowed));
        let tell = |text: String| {
            if !text.is_empty() {
                self.observer.event(&Event::Token { step: step.clone(), text });
            }
        };
        let on_token = |text: &str| tell(screen.borrow_mut().feed(text));
        let reply =
            self.complete(Caller { step: step.as_str(), llm: own.llm.as_deref() }, &request, &on_token).await;
        if reply.is_ok() {
            tell(screen.borrow_mut().finish());
        }
        reply
    }

    /// Requests one turn of a chat in which the model may call tools natively. Streams the turn to `live`, which decides what of
    /// it is an answer.
    ///
    /// # Errors
    /// The errors of the LLM, and [`Error::BudgetExhausted`].
    pub async fn ask_with_tools(
        &self,
        step: &StepId,
        own: &StepOverrides,
        messages: &[Message],
        tools: Option<Value>,
        live: Option<&dyn Live>,
    ) -> Result<Completion> {
        let mut request = ChatRequest::text(self.model.clone(), messages.to_vec(), live.is_some());
        if tools.is_some() {
            (request.tools, request.tool_choice) = (tools, Some(object!("auto")));
        }
        let on_token = |text: &str| live.iter().for_each(|live| live.text(text));
        let on_call = |call: &FunctionCall| live.iter().for_each(|live| live.call(call));
        let caller = Caller { step: step.as_str(), llm: own.llm.as_deref() };
        self.complete_with_calls(caller, &request, &on_token, &on_call).await
    }

    /// Requests text without streaming it, because it may be discarded.
    ///
    /// # Errors
    /// As for [`Run::ask_text`], and [`Error::LlmCutOff`].
    pub async fn ask_quietly(
        &self,
        step: &StepId,
        own: &StepOverrides,
        prompt: &Prompt<'_>,
    ) -> Result<Completion> {
        let messages = self.messages(step, own, prompt).await?;
        let request = ChatRequest::text(self.model.clone(), messages, false);
        let completion =
            self.complete(Caller { step: step.as_str(), llm: own.llm.as_deref() }, &request, &|_| {}).await?;
        completion.cut_off().map_or(Ok(completion), Err)
    }

    /// Requests JSON and parses it; asks once more if it cannot be parsed.
    ///
    /// # Errors
    /// As for [`Run::ask_text`], and [`Error::LlmReply`] if the second reply is unusable too.
    pub async fn ask_json<T>(
        &self,
        step: &StepId,
        own: &StepOverrides,
        question: &Question<'_, T>,
    ) -> Result<T> {
        let messages = self.messages(step, own, &question.prompt).await?;
        let mut request = ChatRequest::text(self.model.clone(), messages, false);
        let caller = Caller { step: step.as_str(), llm: own.llm.as_deref() };
        let mut known = self.known(&own.llm);
        // While one call determines the capability of an LLM, others wait.
        let probe = known.probe.clone();
        let mut alone = None;
        if known.capability.is_none() {
            alone = Some(probe.lock().await);
            known = self.known(&own.llm);
        }
        let alone = alone.filter(|_| known.capability.is_none());
        let mut capability = known.capability.unwrap_or(Capability::BEST);
        let first = loop {
            capability.ask(&mut request, step.as_str(), &question.schema);
            match self.complete(caller, &request, &|_| {}).await {
                Err(Error::LlmHttp { status, .. }) if refuses_form(status) && capability.next().is_some() => {
                    capability = capability.next().unwrap_or(Capability::Text);
                }
                reply => break reply?,
            }
        };
        self.llms.borrow_mut().entry(own.llm.clone()).or_default().capability = Some(capability);
        drop(alone);
        let said = said(first);
        if let Some(answer) = json::find(&said, question.read) {
            return Ok(answer);
        }
        // An example instead of the schema: small models repeat what they see.
        let shape =
            prompt::example(question.prompt.template).filter(|_| own.prompt.is_none()).unwrap_or_default();
        // A reply that was manipulated by a passage is not quoted.
        let quoted = excerpt(&said, 2_000);
        let quoted = if inspect(&quoted).is_empty() { quoted } else { "…".to_owned() };
        request.messages.push(Message::new(Role::Assistant, quoted));
        request
            .messages
            .push(Message::new(Role::User, prompt::substitute(REPAIR.trim(), &[("shape", &shape)])));
        let second = self::said(self.complete(caller, &request, &|_| {}).await?);
        json::find(&second, question.read).ok_or_else(|| Error::LlmReply {
            expected: "the JSON that was asked for",
            got: excerpt(&second, 120),
        })
    }

    /// Returns the decision of the LLM, or of `rule` if there is none, it fails or may not be called. Reports a failure as an
    /// event.
    ///
    /// # Errors
    /// As for [`Run::fall_back`].
    pub async fn decide<T>(
        &self,
        step: &StepId,
        own: &StepOverrides,
        question: Question<'_, T>,
        rule: impl FnOnce() -> T,
    ) -> Result<(T, By)> {
        if !self.has_llm(own) {
            return Ok((rule(), By::Rule));
        }
        match self.ask_json(step, own, &question).await {
            Ok(answer) => Ok((answer, By::Llm)),
            Err(error) => {
                self.fall_back(step, error, question.fallback)?;
                Ok((rule(), By::Rule))
            }
        }
    }

    /// Returns the evidence that an LLM may be shown.
    ///
    /// # Errors
    /// `never_sent` if there is evidence, but all of it must stay on the device.
    pub fn sendable(&self, evidence: &[Hit]) -> Result<Vec<Hit>> {
        let open = sendable(evidence);
        if open.is_empty() && !evidence.is_empty() {
            return Err(never_sent("all the passages are"));
        }
        Ok(open)
    }

    /// Reports a failure from which the step recovers.
    ///
    /// # Errors
    /// [`Error::Aborted`] is returned, and so are errors of an LLM in a strict run.
    pub fn fall_back(&self, step: &StepId, error: Error, fallback: &str) -> Result<()> {
        if error == Error::Aborted || (self.strict && is_of_llm(&error)) {
            return Err(error);
        }
        self.tell_failure(step, &error, fallback);
        Ok(())
    }

    /// Reports a failure from which the step has recovered.
    pub(crate) fn tell_failure(&self, step: &StepId, error: &Error, fallback: &str) {
        self.observer.event(&Event::Failed {
            step: step.clone(),
            duration_ms: self.elapsed() - self.step_started.get(),
            error: StepError::of(error, step),
            fallback: Some(fallback.to_owned()),
        });
        self.note_failure(StepError::of(error, step));
        let text = format!("{error} Instead: {fallback}.");
        self.think(Thought { step: step.clone(), by: By::Rule, text });
    }

    async fn complete(
        &self,
        caller: Caller<'_>,
        request: &ChatRequest,
        on_token: &dyn Fn(&str),
    ) -> Result<Completion> {
        self.complete_with_calls(caller, request, on_token, &|_| {}).await
    }

    /// Sends a request, with retries if the endpoint is busy. Books, times and counts it.
    async fn complete_with_calls(
        &self,
        caller: Caller<'_>,
        request: &ChatRequest,
        on_token: &dyn Fn(&str),
        on_call: &dyn Fn(&FunctionCall),
    ) -> Result<Completion> {
        let llm = caller.llm.map(str::to_owned);
        let is_down = || self.known(&llm).failed >= MAX_FAILURES;
        // Concurrent calls may all have begun before the first of them failed.
        if is_down() {
            return Err(Error::LlmFailed {
                reason: "it has failed repeatedly and is not called again in this run".into(),
            });
        }
        let mut retry = 0;
        let reply = loop {
            let reply = self.complete_once(caller, request, on_token, on_call).await;
            let Err(Error::LlmHttp { status: status @ (429 | 500..), retry_after_ms, .. }) = &reply else {
                break reply;
            };
            let wait = retry_after_ms.map_or(BACK_OFF * f64::from(1 << retry), |ms| ms as f64);
            let has_time =
                self.account.time_left(self.elapsed()).is_ok_and(|left| left.is_none_or(|left| left >= wait));
            // "Not implemented" is permanent.
            let in_vain = *status == 501 || retry == MAX_RETRIES || wait > MAX_WAIT;
            if in_vain || !has_time || !self.account.has_calls() || is_down() {
                break reply;
            }
            retry += 1;
            self.platform.sleep(wait).await;
        };
        self.remember(caller, request, &reply);
        reply
    }

    async fn complete_once(
        &self,
        caller: Caller<'_>,
        request: &ChatRequest,
        on_token: &dyn Fn(&str),
        on_call: &dyn Fn(&FunctionCall),
    ) -> Result<Completion> {
        let mut standing = self.standing(request)?;
        if standing.never && self.know_open(request).await? {
            standing = self.standing(request)?;
        }
        if standing.never {
            return Err(never_sent("the prompt holds text"));
        }
        let max_reply_bytes = Some(self.max_reply_bytes);
        let request = &ChatRequest { sources: standing.sources, max_reply_bytes, ..request.clone() };
        let prompt_tokens = request.messages.iter().map(|message| estimate_tokens(&message.content)).sum();
        self.account.book_llm_call(prompt_tokens, self.elapsed())?;
        let step = StepId::from(caller.step);
        let mut call = Call::begin(self, &step, "llm", object!({ "request": request }));
        call.booked = Some(prompt_tokens);
        let left = self.account.time_left(self.elapsed());
        let reply =
            self.in_time(left, self.llm.complete_with_calls(caller, request, on_token, on_call)).await;
        let mut cost = Value::Null;
        match &reply {
            Ok(completion) => {
                let arguments = completion.tool_calls.iter().map(|call| &call.arguments);
                std::iter::once(&completion.content).chain(arguments).for_each(|text| self.note_said(text));
                let calls = completion.tool_calls.iter().map(|call| estimate_tokens(&call.arguments));
                let written = estimate_tokens(&completion.content) + calls.sum::<usize>();
                let (read, written, estimated) = match completion.usage {
                    Some(told) if is_likely(told, prompt_tokens, written) => {
                        (told.prompt_tokens, told.completion_tokens, false)
                    }
                    _ => (prompt_tokens, written, true),
                };
                self.account.count_tokens(prompt_tokens, read, written, estimated);
                cost = object!({ "promptTokens": read, "completionTokens": written, "estimated": estimated });
            }
            // Nothing was sent, so there is no cost.
            Err(Error::SendDenied { .. }) => self.account.take_back(prompt_tokens),
            Err(_) => self.account.count_tokens(prompt_tokens, prompt_tokens, 0, true),
        }
        call.end(reply.as_ref().map(|completion| object!({ "content": completion.content, "usage": cost })));
        reply
    }
}

impl Run<'_> {
    /// Records what a reply, after retries, says about the LLM: one that rejects all requests or fails repeatedly is not called
    /// again in this run.
    fn remember(&self, caller: Caller<'_>, request: &ChatRequest, reply: &Result<Completion>) {
        let mut llms = self.llms.borrow_mut();
        let known = llms.entry(caller.llm.map(str::to_owned)).or_default();
        let was_lost = known.lost;
        match reply {
            Ok(_) => known.failed = 0,
            // Possibly only the form was rejected.
            Err(Error::LlmHttp { status, .. }) if request.has_form() && refuses_form(*status) => {}
            Err(Error::LlmHttp { status: 401 | 403 | 404 | 410, .. }) => known.lost = true,
            Err(Error::LlmFailed { .. } | Error::LlmHttp { status: 429 | 500.., .. }) => known.failed += 1,
            Err(_) => {}
        }
        known.lost |= known.failed >= MAX_FAILURES;
        if known.lost && !was_lost {
            let text = "The LLM is not called again in this run.".to_owned();
            self.think(Thought { step: caller.step.into(), by: By::Rule, text });
        }
    }
}

/// Number of consecutive failures after which an LLM counts as down.
const MAX_FAILURES: usize = 3;

/// Maximum number of hidden reasoning tokens that is plausible.
const MAX_HIDDEN_TOKENS: usize = 200_000;

/// Returns whether reported counts are plausible for texts of the estimated lengths. Servers that do not count report zeros.
fn is_likely(told: TokenUsage, read: usize, written: usize) -> bool {
    let within = |told: usize, estimated: usize, more: usize| {
        told <= estimated.saturating_mul(20).saturating_add(more) && (told > 0 || estimated == 0)
    };
    within(told.prompt_tokens, read, 10_000) && within(told.completion_tokens, written, MAX_HIDDEN_TOKENS)
}

const REPAIR: &str = include_str!("prompts/repair.md");

/// Returns the reply to a request for JSON: the arguments of the function call, or the text.
fn said(completion: Completion) -> String {
    match completion.tool_calls.into_iter().next() {
        Some(call) if !call.arguments.trim().is_empty() => call.arguments,
        _ => completion.content,
    }
}
