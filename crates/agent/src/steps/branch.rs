//! Asks a function of the caller's which node of a graph follows.

use crate::context::{By, Context, Thought};
use crate::run::{Run, Step};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::error::{Error, Result, excerpt};

/// The step of an edge whose end a function names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The node that it follows.
    pub from: String,
    /// The name of the caller's function: `context → name, or nothing`.
    pub function: String,
    /// What it may name.
    pub targets: Vec<String>,
}

impl Branch {
    /// Its name in events and errors.
    pub const NAME: &str = "edge";
}

impl Step for Branch {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn describe(&self, _: &Context) -> Value {
        json!({ "from": self.from })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let input = serde_json::to_value(&*context).unwrap_or_default();
            let said = match run.call_function(Self::NAME, &self.function, &input).await {
                // There is no time left for it; there still is an answer.
                Err(error @ Error::BudgetExhausted { .. }) => {
                    run.fall_back(Self::NAME, error, "what usually follows")?;
                    Value::Null
                }
                said => said?,
            };
            let is_known = |name: &&str| self.targets.iter().any(|target| target == name);
            context.progress.goto = match &said {
                Value::Null => None,
                said => Some(said.as_str().filter(is_known).map(str::to_owned).ok_or_else(|| {
                    Error::FunctionResult {
                        what: format!("the edge from `{}`", self.from),
                        expected: "the name of a node of the graph, `end`, or nothing for what usually follows",
                        got: excerpt(&said.to_string(), 80),
                    }
                })?),
            };
            let to = context.progress.goto.as_deref().unwrap_or("what usually follows");
            let text = format!("from {} to {to}", self.from);
            run.think(Thought { step: Self::NAME.to_owned(), by: By::Function, text });
            Ok(json!({ "from": self.from, "to": context.progress.goto, "by": By::Function }))
        })
    }
}
