//! Tools of the caller's own: functions with a name, a description and a JSON schema.

use super::{Outcome, Tool, Use};
use crate::agent::context::SearchResult;
use crate::agent::user::hits;
use crate::error::Result;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool of the caller's, as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserTool {
    /// What the model calls it.
    pub name: String,
    /// When to use it.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(default = "no_parameters")]
    pub parameters: Value,
    /// The name of the caller's function: `arguments → text, data or chunks`.
    pub function: String,
}

fn no_parameters() -> Value {
    json!({ "type": "object", "properties": {} })
}

impl Tool for &UserTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn searches(&self) -> bool {
        false
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            at.run.account.book_search()?;
            let value = at.run.call_tool(&self.function, arguments).await?;
            // Chunks become evidence, and can be cited; anything else is told.
            let is_chunk =
                |one: &Value| one.get("id").is_some() && one.get("text").is_some_and(Value::is_string);
            let are_chunks =
                value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_chunk));
            if !are_chunks {
                return Ok(Outcome { results: Vec::new(), total: 0, told: Some(value) });
            }
            let chunks = hits(&value, &self.name, &format!("the tool `{}`", self.name))?;
            let question = at.context.asked().to_owned();
            let total = chunks.len();
            let result = SearchResult { question, collection: self.name.clone(), chunks, iterations: 1 };
            Ok(Outcome { results: vec![result], total, told: None })
        })
    }
}
