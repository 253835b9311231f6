//! One run: takes steps as its style orders them. The one place where a step's error becomes the context's, events are sent,
//! the budget is kept, and a cancelled signal ends the work.

use super::budget::{Account, Limit};
use super::budget_plan::Cost;
use super::call::Call;
use super::capability::Capability;
use super::context::{By, Context, StepError, TerminatedBy, Thought, ToolCall, Usage};
use super::coverage::coverage;
use super::egress::Seen;
use super::event::Event;
use super::hooks;
use super::library::Library;
use super::ports::{Found, Functions, Llm, Observer, SearchLimits, ToolUse};
use super::step_id::StepId;
pub use super::style::Style;
use super::styles::Parts;
use super::tools::UserTool;
use super::watch::Guard;
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::lock::Mutex;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use vademecum_firewall::harmless;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
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
    /// What was seen of the documents.
    seen: Seen,
    /// What models have written of documents that are never sent, by guessing.
    pub(super) guessed: RefCell<Vec<String>>,
    /// Whether that holds all documents that are never sent.
    pub(super) knows_all: Cell<bool>,
}

impl Notes {
    /// Goes on from what an earlier part of the run has left.
    fn go_on_from(&self, context: &mut Context) {
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

/// More steps than any run takes: a style that never ends must.
const MOST_STEPS: usize = 500;

impl Run<'_> {
    /// Takes every step and sends the one terminal event.
    pub async fn take(&self, style: &dyn Style, mut context: Context) -> Context {
        self.notes.go_on_from(&mut context);
        context.request.threshold = context.request.threshold.or_else(|| self.searcher.threshold());
        let before = context.log.usage;
        self.seen().conversation(&context.request.history);
        self.seen().again(&context);
        if self.searcher.is_view() {
            // An LLM is not kept from what it has said itself.
            let said = context
                .request
                .history
                .iter()
                .filter(|turn| turn.answered_by == Some(By::Llm) && !turn.withheld);
            self.notes.guessed.borrow_mut().extend(said.map(|turn| turn.answer.clone()));
            context
                .request
                .history
                .iter_mut()
                .filter(|turn| turn.told.is_some())
                .for_each(|turn| *turn = turn.sendable());
        }
        if let Some(first) =
            style.next(&context).filter(|_| context.log.terminated_by == TerminatedBy::Completed)
        {
            self.account.save_for_answer(first.answers() || style.answers_after(&context, first));
            self.condense_history(&mut context).await;
            self.plan_budget(style, &mut context);
        }
        let mut before_the_end = None;
        for _ in 0..MOST_STEPS {
            if context.log.terminated_by != TerminatedBy::Completed {
                break;
            }
            let Some(step) = style.next(&context) else { break };
            self.account.save_for_answer(style.answers_after(&context, step));
            context.fetch = style.fetches(self, &context);
            // What runs out of budget is gone on with from before it did.
            if self.account.is_limited() && self.account.exhausted().is_none() {
                before_the_end = Some(self.kept(&context, before));
            }
            if self.library_failed(&mut context) {
                break;
            }
            if self.apply(step, &mut context).await {
                context.steps_taken.push(step.id().clone());
                if self.checkpoints {
                    self.checkpoint(&context, before);
                }
            }
        }
        if style.lists_sources() && context.log.terminated_by == TerminatedBy::Completed {
            self.list_sources(&mut context);
        }
        if context.log.terminated_by != TerminatedBy::Aborted && context.withheld.is_empty() {
            context.withheld = self.withheld(LIBRARY, &context).await;
        }
        if context.log.terminated_by != TerminatedBy::Aborted {
            self.count_withheld_rows(&mut context);
        }
        // Where a passage leads is a link for whoever shows it.
        let found = context.results.iter_mut().flatten().flat_map(|result| &mut result.chunks);
        let ranked = context.ranked.iter_mut().flatten();
        let shown = context.context_used.iter_mut().chain(&mut context.withheld);
        found.chain(ranked).chain(shown).for_each(|hit| hit.clear_address(harmless));
        context.log.usage = before.and(self.account.usage());
        for (name, known) in &*self.llms.borrow() {
            match (name, known.capability) {
                (None, capability) => context.log.capability = capability,
                (Some(name), Some(capability)) => {
                    drop(context.log.capabilities.insert(name.clone(), capability))
                }
                (Some(_), None) => {}
            }
        }
        context.log.reasoning_trace = self.notes.thoughts.take();
        context.log.tool_calls = self.notes.calls.take();
        context.log.failures = self.notes.failures.take();
        context.workspace.progress.guessed = self.notes.guessed.take();
        (context.iterations, context.search_count) =
            (context.workspace.progress.rounds, context.workspace.progress.searches);
        context.log.takes_tools = context.workspace.progress.takes_tools;
        context.query_analysis = context.workspace.progress.analysis.clone();
        context.coverage = coverage(&context);
        context.log.suspicions.extend(self.notes.guard.take());
        context.log.budget_exhausted = self.account.exhausted();
        if context.log.terminated_by == TerminatedBy::Completed && context.log.budget_exhausted.is_some() {
            context.log.terminated_by = TerminatedBy::Budget;
        }
        context.state = None;
        if context.log.terminated_by != TerminatedBy::Completed || style.is_part() {
            let stopped = before_the_end.filter(|_| context.log.terminated_by == TerminatedBy::Budget);
            context.state = (self.keep)(stopped.as_ref().unwrap_or(&context));
        }
        self.observer.event(&Event::Done {
            terminated_by: context.log.terminated_by,
            usage: context.log.usage,
            duration_ms: self.elapsed(),
        });
        context
    }

    /// Plans what LLMs are asked within the budget.
    fn plan_budget(&self, style: &dyn Style, context: &mut Context) {
        context.log.budget_plan = self.account.plan(&style.costs(self, context));
        let less = context.log.budget_plan.iter().filter(|one| one.planned < one.wanted);
        let less: Vec<String> =
            less.map(|one| format!("{} {} of {}", one.step, one.planned, one.wanted)).collect();
        if !less.is_empty() {
            let text = format!("The budget holds fewer calls than there would be: {}.", less.join(", "));
            self.think(Thought { step: "budget".to_owned(), by: By::Rule, text });
        }
    }

    /// Tells what the run can be gone on with from here.
    fn checkpoint(&self, context: &Context, before: Usage) {
        if let Some(state) = (self.keep)(&self.kept(context, before)) {
            self.observer.event(&Event::Checkpoint { state });
        }
    }

    /// The context with all that is noted so far.
    fn kept(&self, context: &Context, before: Usage) -> Context {
        let mut kept = context.clone();
        kept.log.usage = before.and(self.account.usage());
        self.notes.write_to(&mut kept);
        kept
    }

    /// Takes one step, and says whether it ended well.
    pub(super) async fn apply(&self, step: &dyn Step, context: &mut Context) -> bool {
        if self.cancel.check().is_err() {
            context.log.terminated_by = TerminatedBy::Aborted;
            return false;
        }
        let name = step.name().to_owned();
        self.account.begin(step.id());
        self.observer.event(&Event::Start { step: name.clone(), metadata: step.describe(context) });
        self.step_started.set(self.elapsed());
        // A step that fails leaves everything as it was.
        let mut changed = context.clone();
        let outcome = self.cancel.guard(step.run(self, &mut changed)).await;
        // What the library could not tell is no absence: the step fails, whatever it made of it.
        let outcome = self.searcher.failure().map_or(outcome, Err);
        let duration_ms = self.elapsed() - self.step_started.get();
        match outcome.and_then(|inner| inner) {
            Ok(metadata) => {
                *context = changed;
                context.workspace.progress.tainted |= self.notes.guard.has_shown();
                self.observer.event(&Event::Stop { step: name, duration_ms, metadata });
                true
            }
            Err(error) => {
                context.log.terminated_by =
                    if error == Error::Aborted { TerminatedBy::Aborted } else { TerminatedBy::Error };
                let error = StepError::of(&error, &name);
                context.log.error = Some(error.clone());
                self.observer.event(&Event::Failed { step: name, duration_ms, error, fallback: None });
                false
            }
        }
    }

    /// Ends the run where the library has failed between two steps, as while the budget was planned.
    fn library_failed(&self, context: &mut Context) -> bool {
        let Some(error) = self.searcher.failure() else { return false };
        let (step, error) = (LIBRARY.to_owned(), StepError::of(&error, LIBRARY));
        (context.log.terminated_by, context.log.error) = (TerminatedBy::Error, Some(error.clone()));
        self.observer.event(&Event::Failed { step, duration_ms: 0.0, error, fallback: None });
        true
    }

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
            None => self.find_booked(step, question, &[collection.to_owned()], limits).await,
            Some(name) => {
                let hits = hooks::search(self, step, name, question, collection, limits).await;
                hits.map(|mut hits| {
                    self.seen().given(&mut hits);
                    Found { total: hits.len(), hits, mode: limits.mode, degraded: None }
                })
            }
        };
        call.end(found.as_ref().map(in_short));
        Ok(found?.hits)
    }

    /// Searches collections as one, which is not put on record by itself; by the caller's own searcher, one collection after the
    /// other, where the style was given one.
    ///
    /// # Errors
    /// As [`Run::search`].
    pub async fn find(
        &self,
        step: &str,
        question: &str,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<Found> {
        if let Some(name) = &self.parts.searcher {
            return hooks::search_all(self, step, name, question, collections, limits).await;
        }
        self.account.book_search()?;
        self.find_booked(step, question, collections, limits).await
    }

    async fn find_booked(
        &self,
        step: &str,
        question: &str,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<Found> {
        let left = self.account.all_time_left(self.elapsed());
        let found =
            self.in_time(left, Box::pin(self.searcher.search_all(question, collections, limits))).await?;
        self.seen().found(&found.hits);
        // One embedder fails all searches alike: that is told once.
        if let Some(error) = &found.degraded
            && !self.notes.degraded.replace(true)
        {
            self.tell_failure(step, error, "the words alone were searched");
        }
        Ok(found)
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

    /// Calls a function of the caller's that stands for a tool, which is put on record by who uses the tool.
    ///
    /// # Errors
    /// As [`Run::call_function`].
    pub async fn call_tool(&self, name: &str, tool: &ToolUse) -> Result<Value> {
        let left = self.account.all_time_left(self.elapsed());
        self.in_time(left, self.functions.call_tool(name, tool)).await
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
