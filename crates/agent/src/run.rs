//! The state of a run that steps share, the log that survives a failed step, and the [`Step`] trait.

use super::budget::Account;
use super::budget_plan::Cost;
use super::capability::Capability;
use super::context::{Context, StepError, Thought, ToolCall};
use super::egress::Seen;
use super::inspections::Inspections;
use super::library::Library;
use super::outcome::StepOutcome;
use super::ports::{Functions, Llm, Observer};
use super::search_overrides::SearchOverrides;
use super::step_id::StepId;
use super::tools::UserTool;
use futures_util::future::LocalBoxFuture;
use futures_util::lock::Mutex;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::Result;
use vademecum_protocol::platform::Platform;

/// The resources of a run that its steps use.
pub struct Run<'a> {
    /// The LLMs.
    pub llm: &'a dyn Llm,
    /// The searcher.
    pub searcher: Library<'a>,
    /// The caller's functions.
    pub functions: &'a dyn Functions,
    /// Receives the events.
    pub observer: &'a dyn Observer,
    /// The clock and timers.
    pub platform: &'a dyn Platform,
    /// Cancels the run.
    pub cancel: Cancel,
    /// The model name sent with every request, if the caller sets one.
    pub model: Option<String>,
    /// Maximum number of concurrent searches or function calls.
    pub concurrency: usize,
    /// The caller's tools.
    pub tools: &'a [UserTool],
    /// The caller's replacements for parts of the pipeline.
    pub search_overrides: SearchOverrides,
    /// Creates the checkpoint of a context.
    pub keep: &'a dyn Fn(&Context) -> Option<Value>,
    /// Whether to emit a checkpoint after every step.
    pub checkpoints: bool,
    /// Maximum number of bytes of text and tool calls in an LLM reply.
    pub max_reply_bytes: usize,
    /// Whether a failing LLM ends the run instead of the step falling back to its rule.
    pub strict: bool,
    /// Maximum number of tokens of the history.
    pub history_tokens: usize,
    /// The budget and what has been spent.
    pub account: Account,
    /// What the run has learned about each LLM, by the name that steps use; `None` is the default LLM.
    pub llms: RefCell<BTreeMap<Option<String>, KnownLlm>>,
    /// The log of the run.
    pub notes: Notes,
    /// The number in the fences around passages, random per run.
    pub fence: u64,
    /// Start of the run, by the platform's clock.
    pub started: f64,
    /// Start of the current step, in milliseconds since `started`.
    pub step_started: Cell<f64>,
}

/// What a run has learned about an LLM.
#[derive(Debug, Clone, Default)]
pub struct KnownLlm {
    /// The form of JSON requests that it accepts.
    pub capability: Option<Capability>,
    /// Held by the call that determines the capability.
    pub probe: Rc<Mutex<()>>,
    /// The number of consecutive failures.
    pub failed: usize,
    /// Whether it is no longer called.
    pub lost: bool,
}

/// The log of a run, which survives a failed step.
#[derive(Debug, Default)]
pub struct Notes {
    pub(super) thoughts: RefCell<Vec<Thought>>,
    pub(super) calls: RefCell<Vec<ToolCall>>,
    pub(super) failures: RefCell<Vec<StepError>>,
    /// Suspicions in the passages that models were shown.
    pub(super) inspections: Inspections,
    /// Whether a degraded search has been reported.
    pub(super) degraded: Cell<bool>,
    /// Messages of collections elsewhere that could not be searched.
    pub(super) lost: RefCell<BTreeSet<String>>,
    /// Fingerprints of the document text that the run has read.
    pub(super) seen: Seen,
    /// Texts by models that equal sentences of documents that must never be sent.
    pub(super) guessed: RefCell<Vec<String>>,
    /// Whether the library was asked what a text holds of documents that are never sent.
    pub(super) asked_library: Cell<bool>,
}

impl Notes {
    /// Restores the log of the stopped run.
    pub(super) fn restore(&self, context: &mut Context) {
        self.thoughts.borrow_mut().append(&mut context.log.reasoning_trace);
        self.calls.borrow_mut().append(&mut context.log.tool_calls);
        self.failures.borrow_mut().append(&mut context.log.failures);
        self.inspections.restore(&context.log.suspicions);
        self.guessed.borrow_mut().append(&mut context.workspace.progress.guessed);
    }

    /// Copies the log into a context that becomes a checkpoint.
    pub(super) fn write_to(&self, context: &mut Context) {
        context.log.reasoning_trace = self.thoughts.borrow().clone();
        context.log.tool_calls = self.calls.borrow().clone();
        context.log.failures = self.failures.borrow().clone();
        context.workspace.progress.guessed = self.guessed.borrow().clone();
        context.log.suspicions.extend(self.inspections.so_far());
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Run").field("account", &self.account).finish_non_exhaustive()
    }
}

/// A step: reads and changes the context.
pub trait Step {
    /// Returns the identity of the step in events, errors and budgets.
    fn id(&self) -> &StepId;

    /// Validates the options before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](vademecum_protocol::error::Error::InvalidArgument).
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the metadata of the start event.
    fn describe(&self, context: &Context) -> Value;

    /// Returns whether the step writes the answer, for which a part of the budget is reserved.
    fn answers(&self) -> bool {
        false
    }

    /// Returns the LLM calls that the step would make, if it can also do without an LLM.
    fn cost(&self, _run: &Run<'_>, _context: &Context) -> Option<Cost> {
        None
    }

    /// Returns the number of chunks that earlier searches should find for it; 0 for no preference.
    fn fetches(&self, _run: &Run<'_>) -> usize {
        0
    }

    /// Returns whether the answer should end with a list of sources.
    fn lists_sources(&self) -> bool {
        false
    }

    /// Runs the step and returns its outcome, for the stop event. Changes to the context are discarded on failure.
    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>>;
}

/// The name in an error of the library outside any step.
pub(super) const LIBRARY: StepId = StepId::Own(Cow::Borrowed("library"));

impl Run<'_> {
    /// Returns the milliseconds since the run began.
    pub fn elapsed(&self) -> f64 {
        self.platform.now() - self.started
    }

    /// Appends to the reasoning trace.
    pub fn think(&self, thought: Thought) {
        self.notes.thoughts.borrow_mut().push(thought);
    }

    /// Returns the fingerprints of the document text read so far.
    pub(super) fn seen(&self) -> &Seen {
        &self.notes.seen
    }

    /// Records a failure that did not end the run.
    pub(super) fn note_failure(&self, error: StepError) {
        self.notes.failures.borrow_mut().push(error);
    }

    /// Appends a finished call to the audit log.
    pub(super) fn note_call(&self, call: ToolCall) {
        self.notes.calls.borrow_mut().push(call);
    }
}
