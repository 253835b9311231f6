//! Calls the caller's tools: functions with a name, a description and a JSON schema.

use super::tool::{Outcome, Tool, Use};
use super::user_tool::UserTool;
use crate::context::{Context, SearchResult};
use crate::evidence::sendable;
use crate::hooks::hits;
use crate::ports::{Source, ToolUse};
use crate::scratchpad::Made;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::Result;

/// Adapts a tool of the caller's to the trait of all tools.
pub(super) struct UserToolAdapter<'a>(pub(super) &'a UserTool);

impl UserToolAdapter<'_> {
    /// A call of it, with what the run knows of where its arguments come from. Calls of one step are all decided before any of them
    /// is made, so what one of them finds does not count for the others.
    fn used(&self, at: &Use<'_>, arguments: &Value) -> ToolUse {
        let context = at.context;
        let tainted = is_tainted(context);
        let shown = context.workspace.progress.shown.iter().cloned().chain(sendable(&context.evidence()));
        let mut sources: Vec<Source> = Vec::new();
        for source in shown.map(|hit| Source::of(&hit)) {
            if tainted && !sources.contains(&source) {
                sources.push(source);
            }
        }
        ToolUse {
            step: at.step.to_string(),
            name: self.0.name.clone(),
            arguments: arguments.clone(),
            tainted,
            sources,
            state: state(context),
        }
    }
}

/// Whether a model of this run may go by what a document or a tool says: it has read such text, or an earlier answer.
fn is_tainted(context: &Context) -> bool {
    let progress = &context.workspace.progress;
    let answered = context.request.history.iter().any(|turn| !turn.answer.trim().is_empty());
    progress.tainted || !progress.shown.is_empty() || answered
}

/// State of a run as a tool may read it. Documents that are never sent are left out, because a model is shown what a tool returns.
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
        "originalQuestion": context.request.question,
        "subQuestions": context.sub_questions,
        "collections": context.collections,
        "filters": context.filters,
        "iteration": context.workspace.progress.rounds,
        "searches": context.results.iter().flatten().map(search).collect::<Vec<_>>(),
        "calls": context.workspace.progress.made.iter().map(call).collect::<Vec<_>>(),
        "evidence": evidence.iter().map(passage).collect::<Vec<_>>(),
    })
}

impl Tool for UserToolAdapter<'_> {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn description(&self) -> &str {
        &self.0.description
    }

    fn parameters(&self) -> Value {
        self.0.parameters.clone()
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
            let value = at.run.call_tool(&self.0.function, &self.used(at, arguments)).await?;
            // Chunks become evidence, and can be cited; other results are shown to the model as text.
            let is_chunk =
                |one: &Value| one.get("id").is_some() && one.get("text").is_some_and(Value::is_string);
            let are_chunks =
                value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_chunk));
            if !are_chunks {
                return Ok(Outcome { results: Vec::new(), total: 0, told: Some(value) });
            }
            let chunks = hits(&value, &self.0.name, &format!("the tool `{}`", self.0.name))?;
            let question = at.context.asked().to_owned();
            let total = chunks.len();
            let result = SearchResult { question, collection: self.0.name.clone(), chunks, iterations: 1 };
            Ok(Outcome { results: vec![result], total, told: None })
        })
    }
}
