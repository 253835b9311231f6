//! Applies the user's reply to a clarification to a stopped run.

use super::clarify::Change;
use super::context::{Context, SearchResult, TerminatedBy};
use super::coverage::conditions;
use super::ports::Strategy;
use super::scratchpad::Progress;
use super::step_id::StepId;
use serde_json::{Value, json};

/// Applies the change that the user chose, so that the run can be resumed.
pub(super) fn apply(context: &mut Context, change: Change) {
    let progress = std::mem::take(&mut context.workspace.progress);
    // The caller's own conditions always remain.
    let own = conditions(progress.own_filters.as_ref());
    context.workspace.progress = Progress {
        own_filters: progress.own_filters,
        own_collections: progress.own_collections,
        takes_tools: progress.takes_tools,
        analysis: progress.analysis,
        routed_by_model: progress.routed_by_model,
        planned_by_model: progress.planned_by_model,
        // A model remains tainted by what it has read or written before.
        tainted: progress.tainted,
        guessed: progress.guessed,
        accepted: matches!(change, Change::Best),
        changed: matches!(change, Change::Without(_) | Change::With(_) | Change::Best | Change::Stop),
        ..Progress::default()
    };
    context.clarification = None;
    context.log.terminated_by = TerminatedBy::Completed;
    (context.results, context.ranked) = (None, None);
    // The attempts have been reported.
    context.relaxations.clear();
    let kept = |filters: Option<&Value>, dropped: &dyn Fn(&Value) -> bool| {
        conditions(filters).into_iter().filter(|one| !dropped(one)).collect::<Vec<Value>>()
    };
    match change {
        Change::Without(field) => {
            let left = kept(context.filters.as_ref(), &|one| is_on(one, &field) && !own.contains(one));
            context.filters = (!left.is_empty()).then_some(Value::Array(left));
        }
        Change::With(new) => {
            let replaced = |one: &Value| {
                let on = |new: &Value| {
                    new.get("field").and_then(Value::as_str).is_some_and(|field| is_on(one, field))
                };
                !own.contains(one) && new.iter().any(on)
            };
            let mut left = kept(context.filters.as_ref(), &replaced);
            left.extend(new.iter().cloned());
            context.filters = Some(Value::Array(left));
        }
        Change::Everywhere => {
            context.collections = context.workspace.progress.own_collections.clone();
            context.filters = context.workspace.progress.own_filters.clone();
            context.sub_questions.clear();
            // The plan was based on the fields of the chosen collections.
            let intent = context.plan.take().and_then(|plan| plan.get("intent").cloned());
            context.workspace.progress.analysis =
                Some(json!({ "intent": intent, "collections": context.workspace.candidates }));
            context.steps_taken.retain(|step| *step != StepId::Plan);
        }
        Change::Best => {}
        Change::Export => {
            (context.workspace.progress.export, context.workspace.progress.done) = (true, true);
            context.results = Some(nothing(context));
        }
        Change::Stop => {
            // Rows of an overload, or of no result, are not requested.
            context.plan = None;
            context.workspace.progress.done = true;
            context.results = Some(nothing(context));
        }
        Change::Ask(more) => {
            let asked = format!("{} ({more})", context.asked());
            context.rewritten_question = Some(asked);
            context.filters = context.workspace.progress.own_filters.clone();
            context.collections = context.workspace.progress.own_collections.clone();
            context.workspace.strategy = Strategy::default();
            (context.plan, context.sub_questions) = (None, Vec::new());
            context.steps_taken.clear();
        }
    }
}

/// Returns an empty result, from which no model writes an answer.
fn nothing(context: &Context) -> Vec<SearchResult> {
    let question = context.asked().to_owned();
    vec![SearchResult { question, collection: String::new(), chunks: Vec::new(), iterations: 1 }]
}

/// Returns whether a condition is on a field.
fn is_on(condition: &Value, field: &str) -> bool {
    match condition.get("field").and_then(Value::as_str) {
        Some(own) => own == field,
        None => match condition.get("or").and_then(Value::as_array) {
            Some(either) => either.iter().any(|one| is_on(one, field)),
            None => condition.as_object().is_some_and(|parts| parts.contains_key(field)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::RunLog;

    #[test]
    fn a_condition_replaces_the_one_on_the_same_field() {
        let year = |year: u32| json!({ "field": "year", "operator": "=", "value": year });
        let mut context = Context {
            filters: Some(json!([year(2024), { "party": "ACME" }])),
            log: RunLog { terminated_by: TerminatedBy::Clarify, ..RunLog::default() },
            ..Context::default()
        };
        apply(&mut context, Change::With(vec![year(2023)]));
        assert_eq!(context.filters, Some(json!([{ "party": "ACME" }, year(2023)])));
        apply(&mut context, Change::Without("year".into()));
        apply(&mut context, Change::Without("party".into()));
        assert_eq!((context.filters, context.log.terminated_by), (None, TerminatedBy::Completed));
    }
}
