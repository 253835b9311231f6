//! One run: takes the steps in order. The one place where a step's error becomes the context's, events are sent,
//! the budget is kept, and a cancelled signal ends the work.

use super::budget::{Account, Limit};
use super::call::Call;
use super::capability::Capability;
use super::context::{Context, StepError, TerminatedBy, Thought, ToolCall};
use super::event::Event;
use super::guard::Guard;
use super::ports::{Found, Functions, Llm, Observer, SearchLimits, Searcher};
use super::user;
use crate::cancel::Cancel;
use crate::document::Hit;
use crate::error::{Error, Result};
use crate::platform::Platform;
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::lock::Mutex;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;

/// Everything a step may call on.
pub struct Run<'a> {
    /// The models, if there are any.
    pub llm: &'a dyn Llm,
    /// Finds chunks.
    pub searcher: &'a dyn Searcher,
    /// The caller's own parts.
    pub functions: &'a dyn Functions,
    /// Is told of events.
    pub observer: &'a dyn Observer,
    /// The clock.
    pub platform: &'a dyn Platform,
    /// Ends the run early.
    pub cancel: Cancel,
    /// Named in every request, where the caller names one.
    pub model: Option<String>,
    /// How many searches, or calls of functions, go on at once.
    pub concurrency: usize,
    /// What may be spent, and was.
    pub account: Account,
    /// What is known of the LLMs, by the names that steps call them; the run's own has none.
    pub llms: RefCell<BTreeMap<Option<String>, KnownLlm>>,
    /// What steps have left to tell.
    pub notes: Notes,
    /// The number of the lines around what is quoted, drawn for this run alone.
    pub fence: u64,
    /// When it began, by the platform's clock.
    pub started: f64,
    /// When the step under way began, in milliseconds from `started`.
    pub step_started: Cell<f64>,
}

/// What a run has found out of an LLM.
#[derive(Debug, Clone, Default)]
pub struct KnownLlm {
    /// How it takes requests for JSON.
    pub capability: Option<Capability>,
    /// Held by the call that finds that out.
    pub finding_out: Rc<Mutex<()>>,
    /// How often in a row it has failed.
    pub failed: usize,
    /// Whether it is not asked any more.
    pub lost: bool,
}

/// A search's outcome as the audit log holds it.
fn in_short(found: &Found) -> Value {
    let mut short = json!({ "chunks": found.hits.iter().map(|hit| &hit.chunk.id).collect::<Vec<_>>() });
    if let (Some(error), Value::Object(fields)) = (&found.degraded, &mut short) {
        fields.insert("mode".into(), json!(found.mode));
        fields.insert("degraded".into(), json!(error.code()));
    }
    short
}

/// What outlives a step that fails.
#[derive(Debug, Default)]
pub struct Notes {
    thoughts: RefCell<Vec<Thought>>,
    calls: RefCell<Vec<ToolCall>>,
    failures: RefCell<Vec<StepError>>,
    /// What was suspicious in what models were shown.
    pub(super) guard: Guard,
    /// Whether a search had to do with less than was wanted.
    degraded: Cell<bool>,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Run").field("account", &self.account).finish_non_exhaustive()
    }
}

/// A step: reads the context and changes it.
pub trait Step {
    /// Its name in events and errors.
    fn name(&self) -> &str;

    /// Misuse of its options, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What its start event says.
    fn describe(&self, context: &Context) -> Value;

    /// How many chunks it would like searches before it to find; 0 where it leaves that to them.
    fn fetches(&self, _run: &Run<'_>) -> usize {
        0
    }

    /// Does its work, and returns what its stop event says. What it has changed is forgotten if it fails.
    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>>;
}

impl Run<'_> {
    /// Takes every step and sends the one terminal event.
    pub async fn take(&self, steps: &[&dyn Step], mut context: Context) -> Context {
        for (at, step) in steps.iter().enumerate() {
            if context.terminated_by == TerminatedBy::Completed {
                let later = steps.get(at + 1..).unwrap_or_default();
                self.account.save_for_answer(later.iter().any(|step| step.name() == "answer"));
                context.fetch = later.iter().map(|step| step.fetches(self)).max().unwrap_or(0);
                self.apply(*step, &mut context).await;
            }
        }
        context.usage = self.account.usage();
        for (name, known) in &*self.llms.borrow() {
            match (name, known.capability) {
                (None, capability) => context.capability = capability,
                (Some(name), Some(capability)) => drop(context.capabilities.insert(name.clone(), capability)),
                (Some(_), None) => {}
            }
        }
        context.reasoning_trace = self.notes.thoughts.take();
        context.tool_calls = self.notes.calls.take();
        context.failures = self.notes.failures.take();
        context.suspicions = self.notes.guard.take();
        context.budget_exhausted = self.account.exhausted();
        if context.terminated_by == TerminatedBy::Completed && context.budget_exhausted.is_some() {
            context.terminated_by = TerminatedBy::Budget;
        }
        self.observer.event(&Event::Done {
            terminated_by: context.terminated_by,
            usage: context.usage,
            duration_ms: self.elapsed(),
        });
        context
    }

    async fn apply(&self, step: &dyn Step, context: &mut Context) {
        if self.cancel.check().is_err() {
            context.terminated_by = TerminatedBy::Aborted;
            return;
        }
        let name = step.name().to_owned();
        self.observer.event(&Event::Start { step: name.clone(), metadata: step.describe(context) });
        self.step_started.set(self.elapsed());
        // A step that fails leaves everything as it was.
        let mut changed = context.clone();
        let outcome = self.cancel.guard(step.run(self, &mut changed)).await;
        let duration_ms = self.elapsed() - self.step_started.get();
        match outcome.and_then(|inner| inner) {
            Ok(metadata) => {
                *context = changed;
                self.observer.event(&Event::Stop { step: name, duration_ms, metadata });
            }
            Err(error) => {
                context.terminated_by =
                    if error == Error::Aborted { TerminatedBy::Aborted } else { TerminatedBy::Error };
                let error = error.of_step(&name);
                context.error = Some(error.clone());
                self.observer.event(&Event::Failed { step: name, duration_ms, error, fallback: None });
            }
        }
    }

    /// Milliseconds since the run began.
    pub fn elapsed(&self) -> f64 {
        self.platform.now() - self.started
    }

    /// Adds to the reasoning trace.
    pub fn think(&self, thought: Thought) {
        self.notes.thoughts.borrow_mut().push(thought);
    }

    /// Adds to the failures that did not end the run.
    pub(super) fn note_failure(&self, error: StepError) {
        self.notes.failures.borrow_mut().push(error);
    }

    /// Adds a call that has ended to the audit log.
    pub(super) fn note_call(&self, call: ToolCall) {
        self.notes.calls.borrow_mut().push(call);
    }

    /// Searches a collection, by the caller's own searcher where the step was given one.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`], and those of the searcher.
    pub async fn search(
        &self,
        step: &str,
        searcher: Option<&str>,
        question: &str,
        collection: &str,
        limits: &SearchLimits,
    ) -> Result<Vec<Hit>> {
        self.account.book_search()?;
        let arguments = json!({ "question": question, "collection": collection, "limits": limits });
        let call = Call::begin(self, step, "search", arguments);
        let found = match searcher {
            None => {
                let left = self.account.all_time_left(self.elapsed());
                self.in_time(left, self.searcher.search(question, collection, limits)).await
            }
            Some(name) => {
                let hits = user::search(self, step, name, question, collection, limits).await;
                hits.map(|hits| Found { hits, mode: limits.mode, degraded: None })
            }
        };
        call.end(found.as_ref().map(in_short));
        let found = found?;
        // One embedder fails all searches alike: that is told once.
        if let Some(error) = found.degraded
            && !self.notes.degraded.replace(true)
        {
            self.tell_failure(step, &error, "the words alone were searched");
        }
        Ok(found.hits)
    }

    /// Calls one of the caller's functions.
    ///
    /// # Errors
    /// [`Error::FunctionFailed`], and [`Error::BudgetExhausted`] where it takes longer than there is time.
    pub async fn call_function(&self, step: &str, name: &str, input: &Value) -> Result<Value> {
        // What goes in and comes out may be whole contexts: the log holds that it happened.
        let call = Call::begin(self, step, "function", json!({ "name": name }));
        let left = self.account.all_time_left(self.elapsed());
        let output = self.in_time(left, self.functions.call(name, input)).await;
        call.end(output.as_ref().map(|_| Value::Null));
        output
    }

    /// Waits for work as long as there is time `left`.
    pub(super) async fn in_time<T>(
        &self,
        left: Result<Option<f64>>,
        work: LocalBoxFuture<'_, Result<T>>,
    ) -> Result<T> {
        match left? {
            None => work.await,
            Some(left) => match select(work, pin!(self.platform.sleep(left))).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(_) => Err(self.account.exhaust(Limit::Ms)),
            },
        }
    }
}

impl Error {
    /// The error as it stands in a result.
    pub(super) fn of_step(&self, step: &str) -> StepError {
        StepError {
            code: self.code(),
            step: step.to_owned(),
            message: self.to_string(),
            retryable: self.retryable(),
            cause: self.cause().cloned(),
        }
    }
}
