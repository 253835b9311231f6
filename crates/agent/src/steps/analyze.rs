//! What a question wants, what it is about, and which calls of tools find it.

use super::example::is_copied;
use super::planner::distinct;
use super::rules::split::split;
use super::written::written_call;
use crate::budget_plan::{Cost, SHORT_CALL};
use crate::context::{By, Context, Thought};
use crate::llm_call::{Own, Prompt, Question};
use crate::outcome::{Analysis, PlannedCall, StepOutcome, StepResult};
use crate::plan::Intent;
use crate::reply::json::{field, text, texts};
use crate::run::{Run, Step};
use crate::scratchpad::Pending;
use crate::step_id::StepId;
use crate::tools::{Toolbox, Toolset};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::error::{Result, excerpt};

const PROMPT: &str = include_str!("../prompts/analyze.md");

/// The step that plans calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Analyze {
    /// The tools there are.
    pub set: Toolset,
    /// The most calls it plans.
    pub max: usize,
    /// A prompt and an LLM of its own.
    pub own: Own,
}

struct Read {
    intent: String,
    concepts: Vec<String>,
    calls: Vec<Pending>,
}

impl Step for Analyze {
    fn id(&self) -> &StepId {
        &StepId::AnalyzeQuery
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
            let asked = context.asked().to_owned();
            let toolbox = Toolbox::of(self.set, run.tools);
            let example = toolbox.names().first().copied().unwrap_or_default().to_owned();
            let read = |value: &Value| self.read(value, &asked);
            let call = json!({
                "type": "object",
                "properties": { "tool": { "type": "string" }, "args": { "type": "object" } },
                "required": ["tool", "args"],
            });
            let question = Question {
                prompt: Prompt {
                    template: PROMPT,
                    values: vec![
                        ("tools", toolbox.listed(self.set)),
                        ("max", self.max.to_string()),
                        ("example", example),
                        ("question", asked.clone()),
                    ],
                    inputs: json!({ "question": asked, "tools": toolbox.schema(self.set), "max": self.max }),
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
                read: &read,
                fallback: "one search for each part of the question",
            };
            let rule = || self.by_rule(&asked);
            let (mut analysis, by) = run.decide(self.id(), &self.own, question, rule).await?;
            if analysis.calls.is_empty() {
                analysis.calls = self.by_rule(&asked).calls;
            }
            let planned = |one: &Pending| PlannedCall { tool: one.tool.clone(), args: one.arguments.clone() };
            let told = Analysis {
                intent: analysis.intent.clone(),
                concepts: analysis.concepts,
                retrieval_plan: analysis.calls.iter().map(planned).collect(),
            };
            let query = |call: &Pending| field(&call.arguments, &["query"]).and_then(text);
            let queries = analysis.calls.iter().filter_map(query).collect();
            let calls: Vec<String> =
                analysis.calls.iter().map(|one| format!("{} {}", one.tool, one.arguments)).collect();
            let text = format!("{}: {}", analysis.intent, excerpt(&calls.join("; "), 400));
            run.think(Thought { step: self.id().clone(), by, text });
            context.workspace.progress.analysis = Some(json!(told));
            context.sub_questions = distinct(queries, &asked, self.max);
            context.workspace.progress.planned_by_model = by == By::Llm;
            context.workspace.progress.pending = analysis.calls;
            // Where an edge leads here again, there is something to look for again.
            (context.workspace.progress.done, context.answer) = (false, None);
            Ok(StepOutcome::new(by, StepResult::Analyze(told)))
        })
    }
}

impl Analyze {
    fn read(&self, value: &Value, asked: &str) -> Option<Read> {
        let plan = field(value, &["calls", "retrievalPlan", "plan", "toolCalls", "tools", "steps"])?;
        let items = plan.as_array().map_or_else(|| vec![plan], |items| items.iter().collect());
        let own = |call: &Pending| {
            let query = field(&call.arguments, &["query"]).and_then(text);
            query.is_none_or(|query| !is_copied(PROMPT, &query, asked))
        };
        let none = items.is_empty();
        let mut calls: Vec<Pending> = items.into_iter().filter_map(written_call).filter(own).collect();
        calls.truncate(self.max);
        let intent = field(value, &["intent", "queryIntent"]).and_then(text).unwrap_or_default();
        let concepts = field(value, &["concepts", "keyConcepts", "entities"]).map(texts).unwrap_or_default();
        let concepts = concepts.iter().take(16).map(|one| excerpt(one, 100)).collect();
        // No calls at all leave them to the rule; calls that cannot be read do not.
        (none || !calls.is_empty()).then(|| Read { intent: excerpt(&intent, 200), concepts, calls })
    }

    fn by_rule(&self, asked: &str) -> Read {
        let mut parts = split(asked, self.max);
        if parts.is_empty() {
            parts.push(asked.to_owned());
        }
        let call = |query: String| Pending {
            id: String::new(),
            tool: "vector_search".into(),
            arguments: json!({ "query": query }),
        };
        let intent: Intent = super::rules::intent::intent(asked);
        Read {
            intent: json!(intent).as_str().unwrap_or_default().to_owned(),
            concepts: super::rules::words::content_words(asked).into_iter().map(str::to_owned).collect(),
            calls: parts.into_iter().map(call).collect(),
        }
    }
}
