//! Decomposition in two phases: first intent and collections, without fields in the prompt; then a plan with the fields of the
//! chosen collections only. So the prompt stays short with any number of collections.

use super::queries::distinct;
use super::request::{Planner, Request, reasoning_of, with_reasoning};
use crate::context::{By, Context};
use crate::library::Library;
use crate::llm_call::Prompt;
use crate::outcome::{StepOutcome, StepResult};
use crate::plan::{Condition, Draft, Entity, Intent, Plan, Subquery, schema_line};
use crate::ports::CollectionView;
use crate::prompt::fence;
use crate::reply::json::{field, text};
use crate::run::Run;
use crate::steps::example::{example, is_copy_of};
use crate::steps::rules::words::{content_words, names};
use crate::steps::rules::{constraints, intent, overlap, split, structure};
use crate::steps::select::{candidates, known_names, listed};
use serde_json::{Value, json};
use std::ops::Range;
use vademecum_firewall::escape::neutral;
use vademecum_protocol::error::Result;

const ROUTE: &str = include_str!("../../prompts/route.md");
const PLAN: &str = include_str!("../../prompts/plan.md");

/// The result of the first phase.
#[derive(Debug)]
pub(in crate::steps) struct Routed {
    pub(in crate::steps) intent: Intent,
    pub(in crate::steps) names: Vec<String>,
    pub(in crate::steps) reasoning: String,
}

/// Plans the question and applies the plan to the context: collections, filters, sub-questions.
pub(in crate::steps) async fn plan(
    planner: &Planner<'_>,
    run: &Run<'_>,
    context: &mut Context,
) -> Result<StepOutcome> {
    let (Routed { intent, names, reasoning }, routed_by) = first(planner, run, context).await?;
    let (plan, by) = second(planner, run, context, intent, &names).await?;
    if context.sub_questions.is_empty() {
        context.sub_questions = vec![context.asked().to_owned()];
    }
    let either = if routed_by == By::Llm { routed_by } else { by };
    context.plan = serde_json::to_value(&plan).ok();
    let result = StepResult::QueryPlan {
        sub_question_count: context.sub_questions.len(),
        sub_questions: context.sub_questions.clone(),
        collections: plan.collections,
        intent: plan.intent,
        filters: plan.filters,
        search_strategy: plan.search_strategy,
        reasoning,
        phases: [routed_by, by],
    };
    Ok(StepOutcome::new(either, result))
}

/// First phase: determines intent and collections.
pub(in crate::steps) async fn first(
    planner: &Planner<'_>,
    run: &Run<'_>,
    context: &mut Context,
) -> Result<(Routed, By)> {
    let candidates = candidates(run, context);
    let (routed, by) = route(planner, run, context.asked(), &candidates).await?;
    context.workspace.candidates.extend(candidates.into_iter().map(|one| one.name));
    context.workspace.progress.routed_by_model = by == By::Llm;
    let text = with_reasoning(said_of_route(routed.intent, &routed.names), &routed.reasoning);
    planner.think(run, by, text);
    Ok((routed, by))
}

/// Second phase: plans with the fields of the collections, and applies the plan.
pub(in crate::steps) async fn second(
    planner: &Planner<'_>,
    run: &Run<'_>,
    context: &mut Context,
    intent: Intent,
    names: &[String],
) -> Result<(Plan, By)> {
    let asked = context.asked().to_owned();
    let chosen: Vec<CollectionView> =
        candidates(run, context).into_iter().filter(|one| names.contains(&one.name)).collect();
    let (draft, by) = draft(planner, run, &asked, intent, &chosen).await?;
    let plan = Plan::new(intent, draft, &chosen, planner.max, (by == By::Llm).then_some(&asked));
    apply(&plan, context);
    let queries = plan.subqueries.iter().map(|one| one.query.clone()).collect();
    planner.search_for(context, queries, by);
    planner.think(run, by, said(&plan, by));
    Ok((plan, by))
}

/// Asks for intent and collections.
async fn route(
    planner: &Planner<'_>,
    run: &Run<'_>,
    asked: &str,
    candidates: &[CollectionView],
) -> Result<(Routed, By)> {
    let read = |value: &Value| {
        let named = field(
            value,
            &["collections", "collection", "buckets", "bucket", "primaryBuckets", "targetBuckets"],
        );
        let intent = field(value, &["intent"]).and_then(text);
        named.or(field(value, &["intent"]))?;
        Some(Routed {
            intent: intent.map_or(Intent::Qa, |word| Intent::of_word(&word)),
            names: known_names(named, candidates),
            reasoning: reasoning_of(value),
        })
    };
    // The first phase knows names and descriptions, but no fields.
    let without_fields: Vec<Value> =
        candidates.iter().map(|one| json!({ "name": one.name, "description": one.description })).collect();
    let request = Request {
        prompt: Prompt {
            template: ROUTE,
            values: vec![("collections", listed(candidates)), ("question", asked.to_owned())],
            inputs: json!({ "phase": 1, "question": asked, "collections": without_fields }),
        },
        schema: json!({
            "type": "object",
            "properties": {
                "reasoning": { "type": "string" },
                "collections": { "type": "array", "items": { "type": "string" } },
                "intent": { "type": "string", "enum": ["qa", "list", "summarize", "compare", "compute"] },
            },
            "required": ["reasoning", "collections", "intent"],
            "additionalProperties": false,
        }),
        read: &read,
        fallback: "the collections that share words with the question",
    };
    let rule = || {
        let (names, reasoning) = overlap::choose(asked, candidates);
        Routed { intent: structure::intent(asked, candidates, &run.searcher), names, reasoning }
    };
    planner.ask(run, request, rule).await
}

/// Asks for a plan with the available fields.
async fn draft(
    planner: &Planner<'_>,
    run: &Run<'_>,
    asked: &str,
    intent: Intent,
    chosen: &[CollectionView],
) -> Result<(Draft, By)> {
    let line = |one: &CollectionView| format!("- {}: {}", one.name, schema_line(one));
    // Field names are untrusted text from documents.
    let fields = neutral(&chosen.iter().map(line).collect::<Vec<_>>().join("\n"));
    let wanted = json!(intent).as_str().unwrap_or_default().to_owned();
    let request = Request {
        prompt: Prompt {
            template: PLAN,
            values: vec![
                ("fence", fence(run.fence, &fields)),
                ("collections", fields),
                ("max", planner.max.to_string()),
                ("question", asked.to_owned()),
                ("intent", wanted),
            ],
            inputs: json!({ "phase": 2, "question": asked, "intent": intent, "collections": chosen, "max": planner.max }),
        },
        schema: schema(),
        read: &|value| Draft::read(value).and_then(|draft| without_copies(draft, asked)),
        fallback: "only conditions that the question states beyond doubt",
    };
    planner.ask(run, request, || by_rule(planner.max, asked, intent, chosen, &run.searcher)).await
}

/// Removes copies of the prompt's example; `None` if nothing else was proposed.
fn without_copies(mut draft: Draft, asked: &str) -> Option<Draft> {
    // Other parts of the example, such as format names, are no content.
    let shown = example(PLAN).as_ref().and_then(Draft::read).map(content).unwrap_or_default();
    let own = |text: &str| !is_copy_of(&shown, text, asked);
    let count = |draft: &Draft| draft.subqueries.len() + draft.entities.len() + draft.topic_terms.len();
    let proposed = count(&draft);
    draft.subqueries.retain(|one| own(&one.query));
    draft.entities.retain(|one| own(&one.name));
    draft.topic_terms.retain(|term| own(term));
    (proposed == 0 || count(&draft) > 0).then_some(draft)
}

/// Returns the content of a draft: queries, names and topics.
fn content(draft: Draft) -> Vec<String> {
    let queries = draft.subqueries.into_iter().map(|one| one.query);
    let names = draft.entities.into_iter().map(|one| one.name);
    queries.chain(names).chain(draft.topic_terms).collect()
}

fn schema() -> Value {
    let text = json!({ "type": "string" });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let mut schema = object(json!({
        "filters": list(object(json!({ "field": text, "operator": text, "value": {} }))),
        "searchStrategy": { "type": "string", "enum": ["keyword", "semantic", "hybrid"] },
        "subqueries": list(object(json!({ "purpose": text, "query": text }))),
        "entities": list(object(json!({ "name": text, "role": text }))),
        "topicTerms": list(text.clone()),
        "output": object(json!({ "format": text, "needsCitations": { "type": "boolean" } })),
    }));
    if let Value::Object(fields) = &mut schema {
        // Without any of these it is no plan.
        fields.insert("required".into(), json!(["filters", "searchStrategy", "subqueries"]));
    }
    schema
}

pub(in crate::steps) fn by_rule(
    max: usize,
    asked: &str,
    intent: Intent,
    chosen: &[CollectionView],
    searcher: &Library<'_>,
) -> Draft {
    let entity =
        |range: Range<usize>| asked.get(range).map(|name| Entity { name: name.to_owned(), role: "other" });
    let parts = distinct(split::split(asked, max), asked, max);
    let conditions = match intent {
        Intent::List | Intent::Compute => structure::read(asked, intent, chosen, searcher),
        _ => constraints::conditions(asked, chosen),
    };
    Draft {
        conditions,
        entities: names(asked).into_iter().filter_map(entity).collect(),
        topic_terms: content_words(asked).into_iter().map(str::to_owned).collect(),
        subqueries: parts.into_iter().map(|query| Subquery { purpose: "answer".into(), query }).collect(),
        format: intent::format(asked),
        ..Draft::default()
    }
}

fn apply(plan: &Plan, context: &mut Context) {
    if !plan.collections.is_empty() {
        context.collections = Some(plan.collections.clone());
    }
    let conditions: Vec<Value> = plan.filters.iter().map(Condition::filter).collect();
    if !conditions.is_empty() {
        // The caller's own filter remains.
        let filters = context.filters.take().into_iter().chain(conditions).collect();
        context.filters = Some(Value::Array(filters));
    }
    context.workspace.strategy = plan.search_strategy;
}

fn said_of_route(intent: Intent, names: &[String]) -> String {
    let wanted = json!(intent).as_str().unwrap_or_default().to_owned();
    format!(
        "Wanted: {wanted}, in {}.",
        if names.is_empty() { "no collection".into() } else { names.join(", ") }
    )
}

fn said(plan: &Plan, by: By) -> String {
    let mut text = format!(
        "Planned: {} search of {}",
        json!(plan.search_strategy).as_str().unwrap_or_default(),
        if plan.collections.is_empty() { "no collection".into() } else { plan.collections.join(", ") },
    );
    for one in &plan.filters {
        text.push_str(&format!(", {} {} {}", one.field, one.operator, one.value));
    }
    text.push('.');
    if !plan.dropped.is_empty() && by == By::Llm {
        text.push_str(&format!(" Dropped: {}.", plan.dropped.join("; ")));
    }
    text
}
