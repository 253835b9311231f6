//! Plan and execute: plan calls of tools, make them, review what was found, plan more while it is not enough, and write the answer.
//! [`super::graph`] and [`super::investigate`] are configurations of it.

use super::nodes::{Flow, Next};
use crate::budget_plan::Cost;
use crate::context::Context;
use crate::plan::Format;
use crate::run::{Run, Step};
use crate::scratchpad::Verdict;
use crate::step_id::StepId;
use crate::steps::{Answer, ExecuteTools, Ground, LookUp, Prune, Relax, Review, Rewrite, Tabulate, format};
use crate::style::Style;

/// When the evidence is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviews {
    /// Once per round of calls.
    EachRound,
    /// Until there is enough to answer from.
    UntilEnough,
}

/// The steps, under the names that a style gives them, and the limits of the loop.
pub struct PlanExecute {
    /// Whether the answer ends with a list of its sources.
    pub sources: bool,
    /// Nodes and edges of the caller's own.
    pub flow: Flow,
    /// The most rounds of calls.
    pub most: usize,
    /// When the evidence is reviewed.
    pub reviews: Reviews,
    /// Makes the question stand by itself.
    pub rewrite: Rewrite,
    /// The planners, each taken once, in order.
    pub plan: Vec<Box<dyn Step>>,
    /// Makes the calls.
    pub execute: ExecuteTools,
    /// Searches for the question itself where all calls failed.
    pub look_up: LookUp,
    /// Searches with fewer conditions where nothing was found.
    pub relax: Option<Relax>,
    /// Cuts the evidence before it is reviewed.
    pub prune: Option<Prune>,
    /// Judges the evidence and plans more calls.
    pub review: Review,
    /// Makes rows where the answer is a list or a table.
    pub tabulate: Option<Tabulate>,
    /// Writes the answer.
    pub answer: Answer,
    /// Traces the answer's sentences to what supports them.
    pub ground: Ground,
}

impl std::fmt::Debug for PlanExecute {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PlanExecute").field("answer", &self.answer).finish_non_exhaustive()
    }
}

impl PlanExecute {
    /// The planner that was not taken yet.
    fn planner(&self, context: &Context) -> Option<&dyn Step> {
        self.plan.iter().map(AsRef::as_ref).find(|step| !context.has_taken(step.id()))
    }
}

fn optional(step: Option<&impl Step>) -> Option<&dyn Step> {
    step.map(|step| step as &dyn Step)
}

impl Style for PlanExecute {
    fn costs(&self, run: &Run<'_>, context: &Context) -> Vec<(StepId, Cost)> {
        let rewrite = Some(&self.rewrite as &dyn Step).filter(|_| !context.request.history.is_empty());
        let planners = self.plan.iter().map(AsRef::as_ref);
        let (review, answer): (&dyn Step, &dyn Step) = (&self.review, &self.answer);
        // The order in which a budget is reported.
        let last = match self.reviews {
            Reviews::EachRound => [review, answer],
            Reviews::UntilEnough => [answer, review],
        };
        let prune = optional(self.prune.as_ref());
        let again =
            |step: &dyn Step| step.id() == review.id() || prune.is_some_and(|prune| step.id() == prune.id());
        let steps = rewrite.into_iter().chain(planners).chain(last).chain(prune);
        let steps = steps.filter(|step| again(*step) || !context.has_taken(step.id()));
        let cost = |step: &dyn Step| Some((step.id().clone(), step.cost(run, context)?));
        steps.filter_map(cost).chain(self.execute.ranking(run, context)).collect()
    }

    fn lists_sources(&self) -> bool {
        self.sources
    }

    fn next<'s>(&'s self, context: &Context) -> Option<&'s dyn Step> {
        match self.flow.next(context, self.most) {
            Next::Step(step) => return Some(step),
            Next::Node(id) => return self.step(id),
            Next::End => return None,
            Next::Usual => {}
        }
        let progress = &context.workspace.progress;
        // What would still be looked for when the answer is written comes too late.
        let looks = context.answer.is_none() || !context.has_taken(self.answer.id());
        let executed = context.times_taken(self.execute.id());
        let has_rounds = looks && executed < self.most;
        let found_nothing = progress.searches > 0
            && context.evidence().is_empty()
            && progress.made.iter().any(|one| one.error.is_none());
        let reviews = match self.reviews {
            Reviews::EachRound => context.times_taken(self.review.id()) < executed,
            Reviews::UntilEnough => progress.verdict != Some(Verdict::Enough),
        };
        let wants_rows = progress.export || progress.rows > 0 || format(context) != Format::NaturalLanguage;
        let is_new = |id: &StepId| progress.export || !context.has_taken(id);
        let relax = self.relax.as_ref().filter(|_| found_nothing && progress.rows == 0 && !progress.relaxed);
        let prune = self.prune.as_ref().filter(|_| !progress.made.is_empty() && !progress.pruned);
        let tabulate = self.tabulate.as_ref().filter(|_| wants_rows && context.output.is_none());
        if !context.request.history.is_empty() && !context.has_taken(self.rewrite.id()) {
            Some(&self.rewrite)
        } else if let Some(planner) = self.planner(context).filter(|_| looks) {
            Some(planner)
        } else if has_rounds && !progress.pending.is_empty() {
            Some(&self.execute)
        } else if let Some(step) = optional(relax).or(optional(prune)).filter(|_| looks && !progress.done) {
            Some(step)
        } else if has_rounds && reviews && !progress.done {
            Some(&self.review)
        } else if LookUp::is_missing(context) && !context.has_taken(self.look_up.id()) {
            Some(&self.look_up)
        } else if let Some(tabulate) = tabulate.filter(|step| is_new(step.id())) {
            Some(tabulate)
        } else if context.answer.is_none() {
            Some(&self.answer)
        } else if context.times_taken(self.ground.id()) < context.times_taken(self.answer.id()).max(1) {
            Some(&self.ground)
        } else {
            None
        }
    }

    fn step(&self, id: &StepId) -> Option<&dyn Step> {
        let own: [&dyn Step; 5] = [&self.rewrite, &self.execute, &self.review, &self.answer, &self.ground];
        let mut all = own.into_iter().chain(self.plan.iter().map(AsRef::as_ref));
        all.find(|step| step.id() == id).or_else(|| self.flow.own(id))
    }
}
