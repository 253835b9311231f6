//! The loop of a run: takes steps in the order of the style. Only here do step errors enter the context, are step events emitted,
//! is the budget planned, and does cancellation end the run.

use super::context::{By, Context, StepError, TerminatedBy, Thought, Usage};
use super::coverage_map::coverage;
use super::event::Event;
use super::run::{LIBRARY, Run, Step};
use super::style::Style;
use vademecum_firewall::harmless;
use vademecum_protocol::document::DEFAULT_COLLECTION;
use vademecum_protocol::error::Error;
use vademecum_protocol::relevance::RelevanceRequest;

/// Maximum number of steps, a guard against a style that never ends.
const MAX_STEPS: usize = 500;

impl Run<'_> {
    /// Runs all steps and emits the one terminal event.
    pub async fn take(&self, style: &dyn Style, mut context: Context) -> Context {
        self.notes.restore(&mut context);
        if context.request.threshold.is_none() {
            // Measured now, not where passages are weighed: whether there are any may depend on documents that are never sent.
            // A failing embedder is reported by the search.
            let _ = self.cancel.guard(self.measure(&RelevanceRequest::default())).await;
            context.request.threshold = self.searcher.threshold();
        }
        if context.collections.is_none() {
            context.workspace.scope = self.scope();
        }
        let before = context.log.usage;
        self.seen().conversation(&context.request.history);
        self.seen().again(&context);
        if self.searcher.is_view() {
            // An LLM may see again what it has written itself.
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
        for _ in 0..MAX_STEPS {
            if context.log.terminated_by != TerminatedBy::Completed {
                break;
            }
            let Some(step) = style.next(&context) else { break };
            self.account.save_for_answer(style.answers_after(&context, step));
            context.fetch = style.fetches(self, &context);
            // A run that exhausts its budget resumes from the state before the step that did.
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
        if context.log.terminated_by == TerminatedBy::Completed && !style.is_part() {
            // Cancelled here, the answer stays as it was.
            let _ = self.cancel.guard(self.final_check(&mut context)).await;
        }
        if style.lists_sources() && context.log.terminated_by == TerminatedBy::Completed {
            self.list_sources(&mut context);
        }
        // Steps read the sentence that replaces the answer like any answer; callers get null.
        if context.abstained && context.answered_by == Some(By::Rule) {
            let said = context.answer.take();
            context.told = context.told.take().or(said);
            context.did_you_mean = self.searcher.did_you_mean(&context.request.question).await;
        }
        if context.log.terminated_by != TerminatedBy::Aborted && context.withheld.is_empty() {
            context.withheld = self.withheld(&LIBRARY, &context).await;
        }
        if context.log.terminated_by != TerminatedBy::Aborted {
            self.count_withheld_rows(&mut context);
        }
        // Pages link addresses, so unsafe ones are removed.
        let found = context.results.iter_mut().flatten().flat_map(|result| &mut result.chunks);
        let ranked = context.ranked.iter_mut().flatten();
        let shown = context.context_used.iter_mut().chain(&mut context.withheld);
        found.chain(ranked).chain(shown).for_each(|hit| hit.clear_address(harmless));
        context.log.usage = before.and(self.account.usage());
        for (name, known) in &*self.llms.borrow() {
            match (name, known.capability) {
                (None, capability) => context.log.capability = capability,
                (Some(name), Some(capability)) => {
                    context.log.capabilities.insert(name.clone(), capability);
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
        context.log.suspicions.extend(self.notes.inspections.take());
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

    /// Plans the LLM calls within the budget.
    fn plan_budget(&self, style: &dyn Style, context: &mut Context) {
        context.log.budget_plan = self.account.plan(&style.costs(self, context));
        let less = context.log.budget_plan.iter().filter(|one| one.planned < one.wanted);
        let less: Vec<String> =
            less.map(|one| format!("{} {} of {}", one.step, one.planned, one.wanted)).collect();
        if !less.is_empty() {
            let text =
                format!("The budget allows fewer calls than the steps would make: {}.", less.join(", "));
            self.think(Thought { step: "budget".into(), by: By::Rule, text });
        }
    }

    /// Emits a checkpoint.
    fn checkpoint(&self, context: &Context, before: Usage) {
        if let Some(state) = (self.keep)(&self.kept(context, before)) {
            self.observer.event(&Event::Checkpoint { state });
        }
    }

    /// Returns the context with the log so far.
    fn kept(&self, context: &Context, before: Usage) -> Context {
        let mut kept = context.clone();
        kept.log.usage = before.and(self.account.usage());
        self.notes.write_to(&mut kept);
        kept
    }

    /// Runs one step; returns whether it succeeded.
    pub(super) async fn apply(&self, step: &dyn Step, context: &mut Context) -> bool {
        if self.cancel.check().is_err() {
            context.log.terminated_by = TerminatedBy::Aborted;
            return false;
        }
        let name = step.id().clone();
        self.account.begin(step.id());
        self.observer.event(&Event::Start { step: name.clone(), metadata: step.describe(context) });
        self.step_started.set(self.elapsed());
        // A failed step must not change the context.
        let mut changed = context.clone();
        let outcome = self.cancel.guard(step.run(self, &mut changed)).await;
        // A failed library call is no empty result: the step fails even if it could continue.
        let outcome = self.searcher.failure().map_or(outcome, Err);
        if let Some(error) = self.searcher.left_out() {
            self.tell_lost(&name, &error);
        }
        let duration_ms = self.elapsed() - self.step_started.get();
        match outcome.and_then(|inner| inner) {
            Ok(outcome) => {
                let metadata = outcome.to_value();
                *context = changed;
                context.workspace.progress.tainted |= self.notes.inspections.has_shown();
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

    /// Returns the names of the collections with documents, or none if `default` is one of them.
    fn scope(&self) -> Vec<String> {
        let filled: Vec<String> =
            self.searcher.collections().into_iter().filter(|one| !one.is_empty).map(|one| one.name).collect();
        if filled.iter().any(|name| name == DEFAULT_COLLECTION) { Vec::new() } else { filled }
    }

    /// Ends the run if the library failed between two steps, for example while the budget was planned.
    fn library_failed(&self, context: &mut Context) -> bool {
        let Some(error) = self.searcher.failure() else { return false };
        let (step, error) = (LIBRARY, StepError::of(&error, &LIBRARY));
        (context.log.terminated_by, context.log.error) = (TerminatedBy::Error, Some(error.clone()));
        self.observer.event(&Event::Failed { step, duration_ms: 0.0, error, fallback: None });
        true
    }
}
