//! What a way to answer is to a run: the one that says which step comes next.

use super::budget_plan::Cost;
use super::context::Context;
use super::run::{Run, Step};
use super::step_id::StepId;

/// A way to answer: which step comes next. It holds order and loop conditions, and nothing else; all that it goes by
/// stands in the context, so that a run can be stopped after any step and gone on with later.
pub trait Style {
    /// The next step, or none at the end.
    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step>;

    /// Whether an answer is still to be written behind `step`.
    fn answers_after(&self, _context: &Context, step: &dyn Step) -> bool {
        !step.answers()
    }

    /// What the steps that are still to come would like to ask LLMs, by their names.
    fn costs(&self, _run: &Run<'_>, _context: &Context) -> Vec<(StepId, Cost)> {
        Vec::new()
    }

    /// How many chunks later steps would like searches to find; 0 where they leave that to them.
    fn fetches(&self, _run: &Run<'_>, _context: &Context) -> usize {
        0
    }

    /// Whether the answer is to end with a list of its sources.
    fn lists_sources(&self) -> bool {
        false
    }

    /// A step by its identity, where the style can take one alone.
    fn step(&self, _id: &StepId) -> Option<&dyn Step> {
        None
    }

    /// Whether it is a part of another, which the run can be gone on with.
    fn is_part(&self) -> bool {
        false
    }
}
