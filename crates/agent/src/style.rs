//! The [`Style`] trait: the order of steps.

use super::budget_plan::Cost;
use super::context::Context;
use super::run::{Run, Step};
use super::step_id::StepId;

/// An answering style: chooses the next step. It holds only order and loop conditions; its state is in the context, so that a run
/// can be stopped after any step and resumed.
pub trait Style {
    /// Returns the next step, or `None` at the end.
    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step>;

    /// Returns whether an answer is still to be written after `step`.
    fn answers_after(&self, _context: &Context, step: &dyn Step) -> bool {
        !step.answers()
    }

    /// Returns the LLM calls that the remaining steps would make, by step.
    fn costs(&self, _run: &Run<'_>, _context: &Context) -> Vec<(StepId, Cost)> {
        Vec::new()
    }

    /// Returns the number of chunks that later steps want searches to find; 0 for no preference.
    fn fetches(&self, _run: &Run<'_>, _context: &Context) -> usize {
        0
    }

    /// Returns whether the answer should end with a list of sources.
    fn lists_sources(&self) -> bool {
        false
    }

    /// Returns a step by its identity, if the style can run it alone.
    fn step(&self, _id: &StepId) -> Option<&dyn Step> {
        None
    }

    /// Returns whether this is a part of another style, which can be resumed.
    fn is_part(&self) -> bool {
        false
    }
}
