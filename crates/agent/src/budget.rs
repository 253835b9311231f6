//! What a run may spend, and what it has spent.
//!
//! What LLMs are asked is planned before the run begins (`budget_plan`). When something runs out all the same, the run degrades and
//! still answers. Steps before the answer may spend all but what is
//! kept for it: one LLM call, and a quarter of the tokens and of the time. A step that may not call the LLM goes on by
//! its rule, as it would without one; a search that may not be made is left out; an answer for which nothing is left
//! is quoted from the evidence.

pub use super::budget_plan::{Budget, Limit};

use super::budget_plan::{Cost, PlannedCalls, plan};
use super::records::Usage;
use super::step_id::StepId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use vademecum_protocol::error::{Error, Result};

/// Of tokens and time, what steps before the answer may spend.
const SHARE_BEFORE_ANSWER: f64 = 0.75;

/// What has been spent so far.
#[derive(Debug, Default)]
pub struct Account {
    budget: Budget,
    usage: Cell<Usage>,
    /// Tokens of prompts whose replies are still to come.
    booked: Cell<usize>,
    searches: Cell<usize>,
    /// Whether an answer is still to come, for which something is kept.
    saving: Cell<bool>,
    exhausted: Cell<Option<Limit>>,
    /// How many calls steps may still make, where the budget does not hold all that they would.
    allowed: RefCell<BTreeMap<StepId, usize>>,
    /// The step under way.
    step: RefCell<Option<StepId>>,
}

impl Account {
    /// Of nothing spent yet.
    pub fn new(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Whether anything is limited.
    pub fn is_limited(&self) -> bool {
        self.budget != Budget::default()
    }

    /// What LLM calls have cost.
    pub fn usage(&self) -> Usage {
        self.usage.get()
    }

    /// What ran out first, if anything has.
    pub fn exhausted(&self) -> Option<Limit> {
        self.exhausted.get()
    }

    /// From now on, keep something for the answer, or no longer.
    pub fn save_for_answer(&self, saving: bool) {
        self.saving.set(saving);
    }

    /// Plans the calls of steps that are still to come. Where all fit, none is held to its own.
    pub fn plan(&self, costs: &[(StepId, Cost)]) -> Vec<PlannedCalls> {
        if costs.is_empty() || (self.budget.llm_calls.is_none() && self.budget.tokens.is_none()) {
            return Vec::new();
        }
        let planned = plan(&self.budget, self.usage.get(), SHARE_BEFORE_ANSWER, costs);
        if planned.iter().any(|one| one.planned < one.wanted) {
            let allowed = planned.iter().map(|one| (one.step.clone(), one.planned));
            *self.allowed.borrow_mut() = allowed.collect();
        }
        planned
    }

    /// Notes which step is under way. One for which nothing is planned does with less than it would.
    pub fn begin(&self, step: &StepId) {
        self.step.replace(Some(step.clone()));
        if !self.may_ask() {
            self.exhaust(self.planned_by());
        }
    }

    /// Whether the step under way may ask an LLM, as far as that was planned.
    pub fn may_ask(&self) -> bool {
        let step = self.step.borrow();
        step.as_ref().and_then(|step| self.allowed.borrow().get(step).copied()) != Some(0)
    }

    /// Takes so many of the calls that were planned for a step which is a part of the one under way, and returns whether they were
    /// left. Takes none where fewer are. Always true where the step is held to no plan.
    pub fn take_planned(&self, step: &StepId, calls: usize) -> bool {
        let fits = match self.allowed.borrow_mut().get_mut(step) {
            None => return true,
            Some(left) if *left >= calls => {
                *left -= calls;
                true
            }
            Some(_) => false,
        };
        if !fits {
            self.exhaust(self.planned_by());
        }
        fits
    }

    /// Returns the limit that calls are planned by.
    fn planned_by(&self) -> Limit {
        if self.budget.llm_calls.is_some() { Limit::LlmCalls } else { Limit::Tokens }
    }

    /// The tokens that are left of all, where they are limited.
    pub fn tokens_left(&self) -> Option<usize> {
        let Usage { prompt_tokens, completion_tokens, .. } = self.usage.get();
        let spent = prompt_tokens.saturating_add(completion_tokens).saturating_add(self.booked.get());
        self.budget.tokens.map(|tokens| tokens.saturating_sub(spent))
    }

    /// Books an LLM call of about so many tokens, `elapsed` milliseconds into the run.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`].
    pub fn book_llm_call(&self, prompt_tokens: usize, elapsed: f64) -> Result<()> {
        let Usage { llm_calls, prompt_tokens: read, completion_tokens: written, .. } = self.usage.get();
        if !self.has_calls() || !self.may_ask() {
            return Err(self.exhaust(Limit::LlmCalls));
        }
        let tokens = self.budget.tokens.map(|tokens| self.share(tokens as f64));
        let spent = read as f64 + written as f64 + self.booked.get() as f64;
        if tokens.is_some_and(|tokens| spent + prompt_tokens as f64 > tokens) {
            return Err(self.exhaust(Limit::Tokens));
        }
        self.time_left(elapsed)?;
        self.booked.set(self.booked.get().saturating_add(prompt_tokens));
        self.usage.set(Usage { llm_calls: llm_calls + 1, ..self.usage.get() });
        let mut allowed = self.allowed.borrow_mut();
        if let Some(left) = self.step.borrow().as_ref().and_then(|step| allowed.get_mut(step)) {
            *left = left.saturating_sub(1);
        }
        Ok(())
    }

    /// Whether an LLM may be called once more, as far as calls are limited.
    pub fn has_calls(&self) -> bool {
        let kept = usize::from(self.saving.get());
        self.budget.llm_calls.is_none_or(|calls| self.usage.get().llm_calls < calls.saturating_sub(kept))
    }

    /// Counts the tokens of a call that was booked with so many.
    pub fn count_tokens(&self, booked: usize, prompt: usize, completion: usize, estimated: bool) {
        self.booked.set(self.booked.get().saturating_sub(booked));
        let mut usage = self.usage.get();
        usage.prompt_tokens = usage.prompt_tokens.saturating_add(prompt);
        usage.completion_tokens = usage.completion_tokens.saturating_add(completion);
        usage.estimated |= estimated;
        self.usage.set(usage);
    }

    /// Takes back the booking of an LLM call that was not made.
    pub fn take_back(&self, booked: usize) {
        let usage = self.usage.get();
        self.usage.set(Usage { llm_calls: usage.llm_calls.saturating_sub(1), ..usage });
        self.booked.set(self.booked.get().saturating_sub(booked));
    }

    /// Books a search.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`].
    pub fn book_search(&self) -> Result<()> {
        if self.budget.tool_calls.is_some_and(|limit| self.searches.get() >= limit) {
            return Err(self.exhaust(Limit::ToolCalls));
        }
        self.searches.set(self.searches.get() + 1);
        Ok(())
    }

    /// Milliseconds that an LLM may take now, if time is limited.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] where there are none.
    pub fn time_left(&self, elapsed: f64) -> Result<Option<f64>> {
        self.left(self.budget.ms.map(|ms| self.share(ms)), elapsed)
    }

    /// Milliseconds that anything else may take now: a search is worth what is kept for the answer, which is made of it.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] where there are none.
    pub fn all_time_left(&self, elapsed: f64) -> Result<Option<f64>> {
        self.left(self.budget.ms, elapsed)
    }

    fn left(&self, ms: Option<f64>, elapsed: f64) -> Result<Option<f64>> {
        let left = ms.map(|ms| ms - elapsed);
        if left.is_some_and(|left| left <= 0.0) { Err(self.exhaust(Limit::Ms)) } else { Ok(left) }
    }

    /// The error of something that ran out, which is noted.
    pub fn exhaust(&self, limit: Limit) -> Error {
        if self.exhausted.get().is_none() {
            self.exhausted.set(Some(limit));
        }
        Error::BudgetExhausted { limit: limit.name() }
    }

    fn share(&self, whole: f64) -> f64 {
        if self.saving.get() { whole * SHARE_BEFORE_ANSWER } else { whole }
    }
}
