//! The budget of a run, and what has been spent.
//!
//! LLM calls are planned before the run begins (see `budget_plan`). If a limit is exhausted nevertheless, the run degrades but
//! still answers: steps before the answer may spend everything except a reserve for it, which is one LLM call and a quarter of
//! the tokens and of the time. A step that may not call the LLM falls back to its rule, a search that may not run is skipped, and
//! an answer without a reserve is quoted from the evidence.

pub use super::budget_plan::{Budget, Limit};

use super::budget_plan::{Cost, PlannedCalls, plan};
use super::records::Usage;
use super::step_id::StepId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use vademecum_protocol::error::{Error, Result};

/// Share of tokens and time that steps before the answer may spend.
const SHARE_BEFORE_ANSWER: f64 = 0.75;

/// The budget, and what has been spent of it.
#[derive(Debug, Default)]
pub struct Account {
    budget: Budget,
    usage: Cell<Usage>,
    /// Tokens of prompts whose replies have not arrived.
    booked: Cell<usize>,
    searches: Cell<usize>,
    /// Whether an answer is still to be written, so that its reserve is kept.
    saving: Cell<bool>,
    exhausted: Cell<Option<Limit>>,
    /// The remaining calls of each step, if the budget does not cover all planned calls.
    allowed: RefCell<BTreeMap<StepId, usize>>,
    /// The current step.
    step: RefCell<Option<StepId>>,
}

impl Account {
    /// Creates an account with nothing spent.
    pub fn new(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Returns whether anything is limited.
    pub fn is_limited(&self) -> bool {
        self.budget != Budget::default()
    }

    /// Returns the cost of all LLM calls so far.
    pub fn usage(&self) -> Usage {
        self.usage.get()
    }

    /// Returns the limit that was exhausted first, if any.
    pub fn exhausted(&self) -> Option<Limit> {
        self.exhausted.get()
    }

    /// Sets whether the reserve for the answer is kept.
    pub fn save_for_answer(&self, saving: bool) {
        self.saving.set(saving);
    }

    /// Plans the LLM calls of the remaining steps. If all calls fit, no step is limited on its own.
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

    /// Sets the current step. Records exhaustion if no call is planned for it.
    pub fn begin(&self, step: &StepId) {
        self.step.replace(Some(step.clone()));
        if !self.may_ask() {
            self.exhaust(self.planned_by());
        }
    }

    /// Returns whether the plan allows the current step to call an LLM.
    pub fn may_ask(&self) -> bool {
        let step = self.step.borrow();
        step.as_ref().and_then(|step| self.allowed.borrow().get(step).copied()) != Some(0)
    }

    /// Takes `calls` calls planned for a sub-step of the current step; returns whether that many were left, and takes none
    /// otherwise. Always true for a step without a planned limit.
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

    /// Returns the limit by which calls are planned.
    fn planned_by(&self) -> Limit {
        if self.budget.llm_calls.is_some() { Limit::LlmCalls } else { Limit::Tokens }
    }

    /// Returns the number of tokens left, if tokens are limited.
    pub fn tokens_left(&self) -> Option<usize> {
        let Usage { prompt_tokens, completion_tokens, .. } = self.usage.get();
        let spent = prompt_tokens.saturating_add(completion_tokens).saturating_add(self.booked.get());
        self.budget.tokens.map(|tokens| tokens.saturating_sub(spent))
    }

    /// Books an LLM call with an estimated number of prompt tokens, `elapsed` milliseconds into the run.
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

    /// Returns whether the limit of LLM calls allows another one.
    pub fn has_calls(&self) -> bool {
        let kept = usize::from(self.saving.get());
        self.budget.llm_calls.is_none_or(|calls| self.usage.get().llm_calls < calls.saturating_sub(kept))
    }

    /// Records the tokens of a call that was booked with `booked` tokens.
    pub fn count_tokens(&self, booked: usize, prompt: usize, completion: usize, estimated: bool) {
        self.booked.set(self.booked.get().saturating_sub(booked));
        let mut usage = self.usage.get();
        usage.prompt_tokens = usage.prompt_tokens.saturating_add(prompt);
        usage.completion_tokens = usage.completion_tokens.saturating_add(completion);
        usage.estimated |= estimated;
        self.usage.set(usage);
    }

    /// Cancels the booking of an LLM call that was not made.
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

    /// Returns the milliseconds that an LLM call may take now, if time is limited.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] if no time is left.
    pub fn time_left(&self, elapsed: f64) -> Result<Option<f64>> {
        self.left(self.budget.ms.map(|ms| self.share(ms)), elapsed)
    }

    /// Returns the milliseconds that anything else may take now. Includes the reserve: the answer is made from what a search
    /// finds.
    ///
    /// # Errors
    /// [`Error::BudgetExhausted`] if no time is left.
    pub fn all_time_left(&self, elapsed: f64) -> Result<Option<f64>> {
        self.left(self.budget.ms, elapsed)
    }

    fn left(&self, ms: Option<f64>, elapsed: f64) -> Result<Option<f64>> {
        let left = ms.map(|ms| ms - elapsed);
        if left.is_some_and(|left| left <= 0.0) { Err(self.exhaust(Limit::Ms)) } else { Ok(left) }
    }

    /// Records that a limit is exhausted, and returns the error.
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
