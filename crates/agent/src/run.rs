//! What a run is: everything a step may call on, what outlives a step that fails, and the trait of a step.

use super::budget::Account;
use super::budget_plan::Cost;
use super::capability::Capability;
use super::context::{Context, StepError, Thought, ToolCall};
use super::egress::Seen;
use super::inspections::Inspections;
use super::library::Library;
use super::parts::Parts;
use super::ports::{Functions, Llm, Observer};
use super::step_id::StepId;
use super::tools::UserTool;
use futures_util::future::LocalBoxFuture;
use futures_util::lock::Mutex;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::Result;
use vademecum_protocol::platform::Platform;

/// Everything a step may call on.
pub struct Run<'a> {
    /// The models, if there are any.
    pub llm: &'a dyn Llm,
    /// Finds chunks.
    pub searcher: Library<'a>,
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
    /// Tools of the caller's own.
    pub tools: &'a [UserTool],
    /// What the searches of tools are made with.
    pub parts: Parts,
    /// Makes what a run is gone on with later of a context; told after every step where that is wanted.
    pub keep: &'a dyn Fn(&Context) -> Option<Value>,
    /// Whether it is wanted after every step.
    pub checkpoints: bool,
    /// The most bytes of text and of calls that a reply of an LLM may have.
    pub max_reply_bytes: usize,
    /// Whether an LLM that fails ends the run, where a rule would go on without it.
    pub strict: bool,
    /// The tokens that the history may have.
    pub history_tokens: usize,
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

/// What outlives a step that fails.
#[derive(Debug, Default)]
pub struct Notes {
    pub(super) thoughts: RefCell<Vec<Thought>>,
    pub(super) calls: RefCell<Vec<ToolCall>>,
    pub(super) failures: RefCell<Vec<StepError>>,
    /// What was suspicious in what models were shown.
    pub(super) guard: Inspections,
    /// Whether a search had to do with less than was wanted.
    pub(super) degraded: Cell<bool>,
    /// What was seen of the documents.
    pub(super) seen: Seen,
    /// What models have written of documents that are never sent, by guessing.
    pub(super) guessed: RefCell<Vec<String>>,
    /// Whether that holds all documents that are never sent.
    pub(super) knows_all: Cell<bool>,
}

impl Notes {
    /// Goes on from what an earlier part of the run has left.
    pub(super) fn go_on_from(&self, context: &mut Context) {
        self.thoughts.borrow_mut().append(&mut context.log.reasoning_trace);
        self.calls.borrow_mut().append(&mut context.log.tool_calls);
        self.failures.borrow_mut().append(&mut context.log.failures);
        self.guard.go_on_from(&context.log.suspicions);
        self.guessed.borrow_mut().append(&mut context.workspace.progress.guessed);
    }

    /// What is noted so far, in a context that is to be kept.
    pub(super) fn write_to(&self, context: &mut Context) {
        context.log.reasoning_trace = self.thoughts.borrow().clone();
        context.log.tool_calls = self.calls.borrow().clone();
        context.log.failures = self.failures.borrow().clone();
        context.workspace.progress.guessed = self.guessed.borrow().clone();
        context.log.suspicions.extend(self.guard.so_far());
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Run").field("account", &self.account).finish_non_exhaustive()
    }
}

/// A step: reads the context and changes it.
pub trait Step {
    /// Its identity in events, errors and budgets.
    fn id(&self) -> &StepId;

    /// Its identity as text.
    fn name(&self) -> &str {
        self.id().as_str()
    }

    /// Misuse of its options, told before anything runs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What its start event says.
    fn describe(&self, context: &Context) -> Value;

    /// Whether it writes the answer, for which something of the budget is kept until then.
    fn answers(&self) -> bool {
        false
    }

    /// What it would like to ask an LLM, where it has one and can do without.
    fn cost(&self, _run: &Run<'_>, _context: &Context) -> Option<Cost> {
        None
    }

    /// How many chunks it would like searches before it to find; 0 where it leaves that to them.
    fn fetches(&self, _run: &Run<'_>) -> usize {
        0
    }

    /// Whether the answer is to end with a list of its sources.
    fn lists_sources(&self) -> bool {
        false
    }

    /// Does its work, and returns what its stop event says. What it has changed is forgotten if it fails.
    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>>;
}

/// The name under which the library fails where no step is under way.
pub(super) const LIBRARY: &str = "library";

impl Run<'_> {
    /// Milliseconds since the run began.
    pub fn elapsed(&self) -> f64 {
        self.platform.now() - self.started
    }

    /// Adds to the reasoning trace.
    pub fn think(&self, thought: Thought) {
        self.notes.thoughts.borrow_mut().push(thought);
    }

    /// What was seen of the documents so far.
    pub(super) fn seen(&self) -> &Seen {
        &self.notes.seen
    }

    /// Adds to the failures that did not end the run.
    pub(super) fn note_failure(&self, error: StepError) {
        self.notes.failures.borrow_mut().push(error);
    }

    /// Adds a call that has ended to the audit log.
    pub(super) fn note_call(&self, call: ToolCall) {
        self.notes.calls.borrow_mut().push(call);
    }
}
