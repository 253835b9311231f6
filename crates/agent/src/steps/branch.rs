//! Asks a caller's function which node of a graph follows.

use crate::context::{By, Context, Thought};
use crate::errors::function_result;
use crate::outcome::{StepOutcome, StepResult};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::error::{Error, Result, excerpt};

/// The step of a conditional edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The node before the edge.
    pub from: StepId,
    /// The name of the caller's function: `context → name, or nothing`.
    pub function: String,
    /// The possible targets.
    pub targets: Vec<StepId>,
}

impl Step for Branch {
    fn id(&self) -> &StepId {
        &StepId::Edge
    }

    fn describe(&self, _: &Context) -> Value {
        json!({ "from": self.from })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let input = serde_json::to_value(&*context).unwrap_or_default();
            let said = match run.call_function(self.id(), &self.function, &input).await {
                // Time is up, but an answer can still be written.
                Err(error @ Error::BudgetExhausted { .. }) => {
                    run.fall_back(self.id(), error, "what usually follows")?;
                    Value::Null
                }
                said => said?,
            };
            let known = |name: &str| self.targets.iter().find(|target| **target == *name).cloned();
            context.workspace.progress.goto = match &said {
                Value::Null => None,
                said => Some(said.as_str().and_then(known).ok_or_else(|| {
                    let expected =
                        "the name of a node of the graph, `end`, or nothing for what usually follows";
                    let what = format!("the edge from `{}`", self.from);
                    function_result(&what, expected, &excerpt(&said.to_string(), 80))
                })?),
            };
            let to = context.workspace.progress.goto.as_ref().map_or("what usually follows", StepId::as_str);
            let text = format!("from {} to {to}", self.from);
            run.think(Thought { step: self.id().clone(), by: By::Function, text });
            let (from, to) = (self.from.clone(), context.workspace.progress.goto.clone());
            Ok(StepOutcome::new(By::Function, StepResult::Branch { from, to }))
        })
    }
}
