//! Plans calls of tools: what a question wants, what it is about, and which calls find it.

use super::request::{Planner, Request};
use crate::context::{By, Context};
use crate::llm_call::Prompt;
use crate::outcome::{Analysis, PlannedCall};
use crate::plan::Intent;
use crate::reply::json::{field, text, texts};
use crate::run::Run;
use crate::scratchpad::Pending;
use crate::steps::example::is_copied;
use crate::steps::rules;
use crate::steps::written::written_call;
use crate::tools::{Toolbox, Toolset};
use serde_json::{Value, json};
use vademecum_protocol::error::{Result, excerpt};

const PROMPT: &str = include_str!("../../prompts/analyze.md");

/// Planned calls, with the reasons for them.
struct Calls {
    intent: String,
    concepts: Vec<String>,
    calls: Vec<Pending>,
}

/// Plans the calls that come next, and sets what is searched for.
pub(in crate::steps) async fn plan(
    planner: &Planner<'_>,
    run: &Run<'_>,
    context: &mut Context,
    set: Toolset,
) -> Result<(Analysis, By)> {
    let asked = context.asked().to_owned();
    let (Calls { intent, concepts, mut calls }, by) = ask(planner, run, &asked, set).await?;
    if calls.is_empty() {
        calls = by_rule(planner, &asked).calls;
    }
    let written: Vec<String> = calls.iter().map(|one| format!("{} {}", one.tool, one.arguments)).collect();
    planner.think(run, by, format!("{intent}: {}", excerpt(&written.join("; "), 400)));
    let query = |call: &Pending| field(&call.arguments, &["query"]).and_then(text);
    planner.search_for(context, calls.iter().filter_map(query).collect(), by);
    let planned = |one: &Pending| PlannedCall { tool: one.tool.clone(), args: one.arguments.clone() };
    let analysis = Analysis { intent, concepts, retrieval_plan: calls.iter().map(planned).collect() };
    context.workspace.progress.analysis = Some(json!(analysis));
    context.workspace.progress.pending = calls;
    // Where an edge leads here again, there is something to look for again.
    (context.workspace.progress.done, context.answer) = (false, None);
    Ok((analysis, by))
}

async fn ask(planner: &Planner<'_>, run: &Run<'_>, asked: &str, set: Toolset) -> Result<(Calls, By)> {
    let toolbox = Toolbox::of(set, run.tools);
    let example = toolbox.names().first().copied().unwrap_or_default().to_owned();
    let call = json!({
        "type": "object",
        "properties": { "tool": { "type": "string" }, "args": { "type": "object" } },
        "required": ["tool", "args"],
    });
    let request = Request {
        prompt: Prompt {
            template: PROMPT,
            values: vec![
                ("tools", toolbox.listed(set)),
                ("max", planner.max.to_string()),
                ("example", example),
                ("question", asked.to_owned()),
            ],
            inputs: json!({ "question": asked, "tools": toolbox.schema(set), "max": planner.max }),
        },
        schema: json!({
            "type": "object",
            "properties": {
                "intent": { "type": "string" },
                "concepts": { "type": "array", "items": { "type": "string" } },
                "calls": { "type": "array", "items": call },
            },
            "required": ["calls"],
        }),
        read: &|value| read(planner, value, asked),
        fallback: "one search for each part of the question",
    };
    planner.ask(run, request, || by_rule(planner, asked)).await
}

fn read(planner: &Planner<'_>, value: &Value, asked: &str) -> Option<Calls> {
    let plan = field(value, &["calls", "retrievalPlan", "plan", "toolCalls", "tools", "steps"])?;
    let items = plan.as_array().map_or_else(|| vec![plan], |items| items.iter().collect());
    let own = |call: &Pending| {
        let query = field(&call.arguments, &["query"]).and_then(text);
        query.is_none_or(|query| !is_copied(PROMPT, &query, asked))
    };
    let none = items.is_empty();
    let mut calls: Vec<Pending> = items.into_iter().filter_map(written_call).filter(own).collect();
    calls.truncate(planner.max);
    let intent = field(value, &["intent", "queryIntent"]).and_then(text).unwrap_or_default();
    let concepts = field(value, &["concepts", "keyConcepts", "entities"]).map(texts).unwrap_or_default();
    let concepts = concepts.iter().take(16).map(|one| excerpt(one, 100)).collect();
    // No calls at all leave them to the rule; calls that cannot be read do not.
    (none || !calls.is_empty()).then(|| Calls { intent: excerpt(&intent, 200), concepts, calls })
}

fn by_rule(planner: &Planner<'_>, asked: &str) -> Calls {
    let mut parts = rules::split::split(asked, planner.max);
    if parts.is_empty() {
        parts.push(asked.to_owned());
    }
    let call = |query: String| Pending {
        id: String::new(),
        tool: "vector_search".into(),
        arguments: json!({ "query": query }),
    };
    let intent: Intent = rules::intent::intent(asked);
    Calls {
        intent: json!(intent).as_str().unwrap_or_default().to_owned(),
        concepts: rules::words::content_words(asked).into_iter().map(str::to_owned).collect(),
        calls: parts.into_iter().map(call).collect(),
    }
}
