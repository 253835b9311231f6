//! Tools of the caller's own: functions with a name, a description and a JSON schema.

use super::{Outcome, Tool, Use};
use crate::context::{Context, SearchResult};
use crate::evidence::sendable;
use crate::hooks::hits;
use crate::ports::{Source, ToolUse};
use crate::scratchpad::Made;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::Result;

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

impl UserTool {
    /// A call of it, with what the run knows of where its arguments come from. Calls of one step are all decided before any of them
    /// is made, so what one of them finds does not count for the others.
    fn used(&self, at: &Use<'_>, arguments: &Value) -> ToolUse {
        let context = at.context;
        let tainted = is_tainted(context);
        let shown = context.progress.shown.iter().cloned().chain(sendable(&context.evidence()));
        let mut sources: Vec<Source> = Vec::new();
        for source in shown.map(|hit| Source::of(&hit)) {
            if tainted && !sources.contains(&source) {
                sources.push(source);
            }
        }
        ToolUse {
            step: at.step.to_owned(),
            name: self.name.clone(),
            arguments: arguments.clone(),
            tainted,
            sources,
            state: state(context),
        }
    }
}

/// Whether a model of this run may go by what a document or a tool says: it has read such text, or an earlier answer.
fn is_tainted(context: &Context) -> bool {
    let progress = &context.progress;
    let answered = context.history.iter().any(|turn| !turn.answer.trim().is_empty());
    progress.tainted || !progress.shown.is_empty() || answered
}

/// How far a run has come, as a tool may read it. What is never sent is left out: what a tool returns is told to a model.
fn state(context: &Context) -> Value {
    let evidence = sendable(&context.evidence());
    let search = |one: &SearchResult| json!({ "question": one.question, "collection": one.collection, "chunks": sendable(&one.chunks).len() });
    let call = |one: &Made| json!({ "tool": one.tool, "arguments": one.arguments, "error": one.error });
    let passage = |hit: &Hit| {
        let chunk = &hit.chunk;
        json!({
            "id": chunk.id,
            "docId": chunk.doc_id,
            "collection": chunk.collection,
            "title": chunk.title,
            "page": chunk.page,
        })
    };
    json!({
        "question": context.asked(),
        "originalQuestion": context.question,
        "subQuestions": context.sub_questions,
        "collections": context.collections,
        "filters": context.filters,
        "iteration": context.progress.rounds,
        "searches": context.results.iter().flatten().map(search).collect::<Vec<_>>(),
        "calls": context.progress.made.iter().map(call).collect::<Vec<_>>(),
        "evidence": evidence.iter().map(passage).collect::<Vec<_>>(),
    })
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

    fn is_own(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, at: &'a Use<'a>, arguments: &'a Value) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(async move {
            at.run.account.book_search()?;
            let value = at.run.call_tool(&self.function, &self.used(at, arguments)).await?;
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
