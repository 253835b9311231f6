//! The two planning phases as separate steps: `decompose` determines intent and collections, `plan` the search.

use super::planner::fields::{Routed, first, second};
use super::planner::request::Planner;
use super::rules::constraints;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::Context;
use crate::coverage::conditions;
use crate::llm_call::StepOverrides;
use crate::outcome::{PlannedSearch, RoutedTo, StepOutcome, StepResult};
use crate::plan::{Condition, Draft, Intent, checked};
use crate::ports::CollectionView;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::error::Result;

/// The step that determines the intent and the collections.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// StepOverrides prompt and LLM.
    pub own: StepOverrides,
}

/// The step that plans the search.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSearch {
    /// Maximum number of queries.
    pub max: usize,
    /// Maximum number of tool calls.
    pub most_calls: usize,
    /// StepOverrides prompt and LLM.
    pub own: StepOverrides,
}

impl Step for Route {
    fn id(&self) -> &StepId {
        &StepId::Decompose
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        run.has_llm(&self.own).then(|| Cost::of(1, SHORT_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.asked() })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            context.workspace.progress.own_filters = context.filters.clone();
            context.workspace.progress.own_collections = context.collections.clone();
            let planner = Planner { step: self.id(), own: &self.own, max: 0 };
            let (Routed { intent, names, reasoning }, by) = first(&planner, run, context).await?;
            let routed = RoutedTo { intent, collections: names };
            context.workspace.progress.analysis = Some(json!(routed));
            Ok(StepOutcome::new(by, StepResult::Route { routed, reasoning }))
        })
    }
}

impl Step for PlanSearch {
    fn id(&self) -> &StepId {
        &StepId::Plan
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        run.has_llm(&self.own).then(|| Cost::of(1, SHORT_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "question": context.asked() })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let routed = context.workspace.progress.analysis.take().unwrap_or_default();
            let told = |name: &str| routed.get(name).cloned().unwrap_or_default();
            let intent: Intent = serde_json::from_value(told("intent")).unwrap_or_default();
            let names: Vec<String> = serde_json::from_value(told("collections")).unwrap_or_default();
            let planner = Planner { step: self.id(), own: &self.own, max: self.max };
            let (plan, by) = second(&planner, run, context, intent, &names).await?;
            let search = PlannedSearch {
                target_buckets: plan.collections.clone(),
                strategy: plan.search_strategy,
                initial_queries: context.queries(),
                filters_hint: conditions(context.filters.as_ref()),
                max_tool_calls: self.most_calls,
            };
            let mut whole = serde_json::to_value(&plan).unwrap_or_default();
            if let (Value::Object(whole), Value::Object(search)) = (&mut whole, json!(search)) {
                whole.extend(search);
            }
            context.plan = Some(whole);
            Ok(StepOutcome::new(by, StepResult::Plan { intent: plan.intent, search }))
        })
    }
}

/// Returns the conditions that a sentence of the user states on fields of these collections, as filters.
pub(crate) fn stated(sentence: &str, collections: &[CollectionView]) -> Vec<Value> {
    let draft = Draft { conditions: constraints::conditions(sentence, collections), ..Draft::default() };
    checked(draft, collections).0.iter().map(Condition::filter).collect()
}
