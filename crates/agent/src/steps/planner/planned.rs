//! Reads what the plan in a run's context says.

use crate::context::Context;
use crate::coverage::conditions;
use crate::plan::{Format, Intent};
use serde_json::Value;

/// Returns the intent of the plan.
pub(in crate::steps) fn intent(context: &Context) -> Intent {
    let said = context.plan.as_ref().and_then(|plan| plan.get("intent"));
    said.and_then(|said| serde_json::from_value(said.clone()).ok()).unwrap_or_default()
}

/// Returns the form in which the answer is wanted.
pub fn format(context: &Context) -> Format {
    let said = context.plan.as_ref().and_then(|plan| plan.get("outputPreferences")?.get("format"));
    said.and_then(|said| serde_json::from_value(said.clone()).ok()).unwrap_or_default()
}

/// Returns the conditions that words of the question express, those of the plan and those added since.
pub(in crate::steps) fn held(context: &Context) -> Vec<Value> {
    let planned = context.plan.as_ref().and_then(|plan| plan.get("filters")?.as_array().cloned());
    planned.into_iter().flatten().chain(stated(context)).collect()
}

/// Returns the conditions that the question states, without those that the caller demands.
pub(in crate::steps) fn stated(context: &Context) -> Vec<Value> {
    let own = conditions(context.workspace.progress.own_filters.as_ref());
    conditions(context.filters.as_ref()).into_iter().filter(|one| !own.contains(one)).collect()
}
