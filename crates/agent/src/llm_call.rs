//! Asking an LLM on behalf of a step: for text, or for JSON in whatever form its endpoint takes.

pub use super::own::Own;

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
use serde_json::{Value, json as object};
use std::cell::RefCell;
use vademecum_firewall::{Allowed, Screen, inspect};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_text::chunk::estimate_tokens;

/// A prompt: a template with what fills it, and the same as the inputs of a function that takes its place.
#[derive(Debug, Clone)]
pub struct Prompt<'a> {
    /// One of `prompts/*.md`.
    pub template: &'a str,
    /// What fills it, by name.
    pub values: Vec<(&'a str, String)>,
    /// What a function of the caller's is given.
    pub inputs: Value,
}

/// A question whose answer is JSON.
pub struct Question<'a, T> {
    /// The prompt.
    pub prompt: Prompt<'a>,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// Makes something of the answer, or nothing where it cannot be used.
    pub read: &'a dyn Fn(&Value) -> Option<T>,
    /// How the step goes on without an answer, in a few words.
    pub fallback: &'a str,
}

impl<T> std::fmt::Debug for Question<'_, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Question").field("prompt", &self.prompt).finish_non_exhaustive()
    }
}

/// Whether an LLM has failed, and not what the caller allows it.
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

/// Is told of a turn of a chat while it comes.
pub trait Live {
    /// More of its text, without the thoughts it may begin with.
    fn text(&self, text: &str);

    /// The first function that it calls, as far as it has come.
    fn call(&self, call: &FunctionCall);
}

/// How often a busy endpoint is asked again.
const RETRIES: u32 = 2;
/// The first wait, in milliseconds; the next are twice as long each.
const BACK_OFF: f64 = 500.0;
/// A server that asks for a longer rest than this is not waited for.
const LONGEST_WAIT: f64 = 30_000.0;

impl Run<'_> {
    /// Whether a step has a model to ask.
    pub fn has_llm(&self, own: &Own) -> bool {
        self.llm.has(own.llm.as_deref()) && !self.known(&own.llm).lost && self.account.may_ask()
    }

    fn known(&self, llm: &Option<String>) -> KnownLlm {
        self.llms.borrow_mut().entry(llm.clone()).or_default().clone()
    }

    /// The messages of a prompt.
    ///
    /// # Errors
    /// Those of the caller's function, and [`Error::FunctionResult`] where it returns no text.
    pub async fn messages(&self, step: &str, own: &Own, prompt: &Prompt<'_>) -> Result<Vec<Message>> {
        let Some(name) = &own.prompt else {
            let values: Vec<(&str, &str)> =
                prompt.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
            // Instructions of this package are no secret, even where a document holds the same words.
            if self.know_all().is_ok() {
                self.seen().said(prompt.template);
            }
            return Ok(prompt::fill(prompt.template, &values));
        };
        match self.call_function(step, name, &prompt.inputs).await? {
            Value::String(text) if !text.trim().is_empty() => Ok(vec![Message::new(Role::User, text)]),
            other => Err(Error::FunctionResult {
                what: format!("the prompt of `{step}`"),
                expected: "a text",
                got: excerpt(&other.to_string(), 80),
            }),
        }
    }

    /// Asks for text, which is passed on as token events while it comes, without what an answer may not hold.
    ///
    /// # Errors
    /// Those of the LLM, [`Error::BudgetExhausted`], and those of [`Run::messages`].
    pub async fn ask_text(
        &self,
        step: &str,
        own: &Own,
        prompt: &Prompt<'_>,
        allowed: Allowed,
    ) -> Result<Completion> {
        let messages = self.messages(step, own, prompt).await?;
        let request = ChatRequest::text(self.model.clone(), messages, true);
        let screen = RefCell::new(Screen::new(allowed));
        let tell = |text: String| {
            if !text.is_empty() {
                self.observer.event(&Event::Token { step: step.to_owned(), text });
            }
        };
        let on_token = |text: &str| tell(screen.borrow_mut().feed(text));
        let reply = self.complete(Caller { step, llm: own.llm.as_deref() }, &request, &on_token).await;
        if reply.is_ok() {
            tell(screen.borrow_mut().finish());
        }
        reply
    }

    /// One turn of a chat in which the model may call tools, where its endpoint knows them. What comes of it is told to `live`,
    /// where there is one, which knows what of it is an answer.
    ///
    /// # Errors
    /// Those of the LLM, and [`Error::BudgetExhausted`].
    pub async fn ask_with_tools(
        &self,
        step: &str,
        own: &Own,
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
        let caller = Caller { step, llm: own.llm.as_deref() };
        self.complete_with_calls(caller, &request, &on_token, &on_call).await
    }

    /// Asks for text that is not passed on, because it may not be kept.
    ///
    /// # Errors
    /// As [`Run::ask_text`], and [`Error::LlmCutOff`].
    pub async fn ask_quietly(&self, step: &str, own: &Own, prompt: &Prompt<'_>) -> Result<Completion> {
        let messages = self.messages(step, own, prompt).await?;
        let request = ChatRequest::text(self.model.clone(), messages, false);
        let completion = self.complete(Caller { step, llm: own.llm.as_deref() }, &request, &|_| {}).await?;
        completion.cut_off().map_or(Ok(completion), Err)
    }

    /// Asks for JSON and reads it; what cannot be read is asked for once more.
    ///
    /// # Errors
    /// As [`Run::ask_text`], and [`Error::LlmReply`] where the second reply is no better.
    pub async fn ask_json<T>(&self, step: &str, own: &Own, question: &Question<'_, T>) -> Result<T> {
        let messages = self.messages(step, own, &question.prompt).await?;
        let mut request = ChatRequest::text(self.model.clone(), messages, false);
        let caller = Caller { step, llm: own.llm.as_deref() };
        let mut known = self.known(&own.llm);
        // While one call finds out which form an LLM takes, the others wait.
        let finding_out = known.finding_out.clone();
        let mut alone = None;
        if known.capability.is_none() {
            alone = Some(finding_out.lock().await);
            known = self.known(&own.llm);
        }
        let alone = alone.filter(|_| known.capability.is_none());
        let mut capability = known.capability.unwrap_or(Capability::BEST);
        let first = loop {
            capability.ask(&mut request, step, &question.schema);
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
        // An example, not the schema: small models repeat what they are shown.
        let shape =
            prompt::example(question.prompt.template).filter(|_| own.prompt.is_none()).unwrap_or_default();
        // What a passage made it say is not said to it again.
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

    /// What the LLM says, or, without one, or where it fails or may not be asked, what the rule says. A failure is told
    /// as an event, and the step goes on.
    ///
    /// # Errors
    /// As [`Run::fall_back`].
    pub async fn decide<T>(
        &self,
        step: &str,
        own: &Own,
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

    /// What of the evidence an LLM may be shown.
    ///
    /// # Errors
    /// [`Error::NeverSent`] where nothing is left of some.
    pub fn sendable(&self, evidence: &[Hit]) -> Result<Vec<Hit>> {
        let open = sendable(evidence);
        if open.is_empty() && !evidence.is_empty() {
            return Err(Error::NeverSent { what: "all the passages are" });
        }
        Ok(open)
    }

    /// Tells of a failure that the step goes on after.
    ///
    /// # Errors
    /// [`Error::Aborted`], after which nothing goes on; and those of an LLM where the run is strict.
    pub fn fall_back(&self, step: &str, error: Error, fallback: &str) -> Result<()> {
        if error == Error::Aborted || (self.strict && is_of_llm(&error)) {
            return Err(error);
        }
        self.tell_failure(step, &error, fallback);
        Ok(())
    }

    /// Tells of a failure after which the step has gone on already.
    pub(crate) fn tell_failure(&self, step: &str, error: &Error, fallback: &str) {
        self.observer.event(&Event::Failed {
            step: step.to_owned(),
            duration_ms: self.elapsed() - self.step_started.get(),
            error: StepError::of(error, step),
            fallback: Some(fallback.to_owned()),
        });
        self.note_failure(StepError::of(error, step));
        let text = format!("{error} Instead: {fallback}.");
        self.think(Thought { step: step.to_owned(), by: By::Rule, text });
    }

    async fn complete(
        &self,
        caller: Caller<'_>,
        request: &ChatRequest,
        on_token: &dyn Fn(&str),
    ) -> Result<Completion> {
        self.complete_with_calls(caller, request, on_token, &|_| {}).await
    }

    /// One request, and again where the endpoint is busy: booked, timed and counted.
    async fn complete_with_calls(
        &self,
        caller: Caller<'_>,
        request: &ChatRequest,
        on_token: &dyn Fn(&str),
        on_call: &dyn Fn(&FunctionCall),
    ) -> Result<Completion> {
        let llm = caller.llm.map(str::to_owned);
        let is_down = || self.known(&llm).failed >= FAILURES;
        // Calls side by side have all begun before the first of them failed.
        if is_down() {
            return Err(Error::LlmFailed { reason: "after so many failures it is not asked again".into() });
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
            // What a server does not know how to do, it will not know later.
            let in_vain = *status == 501 || retry == RETRIES || wait > LONGEST_WAIT;
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
        self.know_all()?;
        let mut standing = self.seen().within(request)?;
        if standing.never && self.know_open(request).await? {
            standing = self.seen().within(request)?;
        }
        if standing.never {
            return Err(Error::NeverSent { what: "the prompt holds text" });
        }
        let max_reply_bytes = Some(self.max_reply_bytes);
        let request = &ChatRequest { sources: standing.sources, max_reply_bytes, ..request.clone() };
        let prompt_tokens = request.messages.iter().map(|message| estimate_tokens(&message.content)).sum();
        self.account.book_llm_call(prompt_tokens, self.elapsed())?;
        let mut call = Call::begin(self, caller.step, "llm", object!({ "request": request }));
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
            // Nothing has left the device, so it has cost nothing.
            Err(Error::SendDenied { .. }) => self.account.take_back(prompt_tokens),
            Err(_) => self.account.count_tokens(prompt_tokens, prompt_tokens, 0, true),
        }
        call.end(reply.as_ref().map(|completion| object!({ "content": completion.content, "usage": cost })));
        reply
    }
}

impl Run<'_> {
    /// Notes what a reply, retries included, says of the LLM itself: one that turns everybody away, or fails again and
    /// again, is not asked any more in this run.
    fn remember(&self, caller: Caller<'_>, request: &ChatRequest, reply: &Result<Completion>) {
        let mut llms = self.llms.borrow_mut();
        let known = llms.entry(caller.llm.map(str::to_owned)).or_default();
        let was_lost = known.lost;
        match reply {
            Ok(_) => known.failed = 0,
            // It may be the form alone that is turned away.
            Err(Error::LlmHttp { status, .. }) if request.has_form() && refuses_form(*status) => {}
            Err(Error::LlmHttp { status: 401 | 403 | 404 | 410, .. }) => known.lost = true,
            Err(Error::LlmFailed { .. } | Error::LlmHttp { status: 429 | 500.., .. }) => known.failed += 1,
            Err(_) => {}
        }
        known.lost |= known.failed >= FAILURES;
        if known.lost && !was_lost {
            let text = "The LLM is not asked again in this run.".to_owned();
            self.think(Thought { step: caller.step.to_owned(), by: By::Rule, text });
        }
    }
}

/// An LLM that has failed so often in a row is taken to be gone.
const FAILURES: usize = 3;

/// What a model may think at most, unseen, before it writes: more tokens than any is known to.
const UNSEEN: usize = 200_000;

/// Whether an endpoint's counts can be true of texts that were estimated to have so many tokens. Servers that do not count
/// report zeros.
fn is_likely(told: TokenUsage, read: usize, written: usize) -> bool {
    let within = |told: usize, estimated: usize, more: usize| {
        told <= estimated.saturating_mul(20).saturating_add(more) && (told > 0 || estimated == 0)
    };
    within(told.prompt_tokens, read, 10_000) && within(told.completion_tokens, written, UNSEEN)
}

const REPAIR: &str = include_str!("prompts/repair.md");

/// What a reply says where JSON was asked for: the arguments of the function it calls, or its text.
fn said(completion: Completion) -> String {
    match completion.tool_calls.into_iter().next() {
        Some(call) if !call.arguments.trim().is_empty() => call.arguments,
        _ => completion.content,
    }
}
