//! What the agent needs from outside. All futures are local: the engine lives on one thread.

pub use vademecum_protocol::searcher::{
    CollectionView, Found, NeverSentChunk, NeverSentText, SearchLimits, Searcher, Strategy,
};

use super::event::Event;
use super::reply::Completion;
use super::reply::FunctionCall;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_protocol::document::{Chunk, Hit};
use vademecum_protocol::error::{Error, Result};

/// The role of a message in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions.
    System,
    /// The person, or the engine for them.
    User,
    /// The model.
    Assistant,
    /// A tool that the model has called.
    Tool,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// The tools that the model calls with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<SentCall>,
    /// The call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// A call of a tool as part of a chat message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCall {
    /// What its answer names it by.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The function.
    pub function: SentFunction,
}

/// The function that a call names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentFunction {
    /// Its name.
    pub name: String,
    /// Its arguments, as JSON in a text.
    pub arguments: String,
}

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// The model's turn in which it calls tools.
    pub fn calling(content: impl Into<String>, calls: &[FunctionCall]) -> Self {
        let sent = |call: &FunctionCall| SentCall {
            id: call.id.clone(),
            kind: "function".into(),
            function: SentFunction { name: call.name.clone(), arguments: call.arguments.clone() },
        };
        Self { tool_calls: calls.iter().map(sent).collect(), ..Self::new(Role::Assistant, content) }
    }

    /// What a tool gives back for a call.
    pub fn of_tool(call: impl Into<String>, content: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call.into()), ..Self::new(Role::Tool, content) }
    }
}

/// An OpenAI-compatible chat-completions body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// Left out unless the caller named one: most local servers have only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Asks for JSON, by a schema where the endpoint is known or hoped to take one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_format: Option<Value>,
    /// Functions the model may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Value>,
    /// Which of them it must call, or `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Value>,
    /// Asks for server-sent events; a reply in one piece is understood as well.
    pub stream: bool,
    /// The chunks whose text the request contains, for the ledger. Not part of the body.
    #[serde(skip)]
    pub sources: Vec<Source>,
    /// The most bytes of text and of calls that its reply may have; no part of the body.
    #[serde(skip)]
    pub max_reply_bytes: Option<usize>,
}

/// A chunk whose text a request contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The chunk.
    pub chunk_id: String,
    /// Its document.
    pub doc_id: String,
    /// The collection of that document.
    pub collection: String,
}

impl Source {
    /// Of a chunk that was found.
    pub fn of(hit: &Hit) -> Self {
        let Chunk { id, doc_id, collection, .. } = &hit.chunk;
        Self { chunk_id: id.clone(), doc_id: doc_id.clone(), collection: collection.clone() }
    }

    /// Returns the source that a chunk of a document that is never sent is.
    pub fn never_sent(chunk: &NeverSentChunk) -> Self {
        let NeverSentChunk { id, doc_id, collection, .. } = chunk;
        Self { chunk_id: id.clone(), doc_id: doc_id.clone(), collection: collection.clone() }
    }
}

impl ChatRequest {
    /// A request for text.
    pub fn text(model: Option<String>, messages: Vec<Message>, stream: bool) -> Self {
        Self {
            model,
            messages,
            response_format: None,
            tools: None,
            tool_choice: None,
            stream,
            sources: Vec::new(),
            max_reply_bytes: None,
        }
    }

    /// Whether it asks for a reply in a form that an endpoint may not know.
    pub fn has_form(&self) -> bool {
        self.response_format.is_some() || self.tools.is_some()
    }
}

/// On whose behalf an LLM is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The step.
    pub step: &'a str,
    /// The LLM the step was given for itself; the run's where absent.
    pub llm: Option<&'a str>,
}

/// Language models: functions of the user's.
pub trait Llm {
    /// Whether there is one of this name, or, without a name, one for the whole run.
    fn has(&self, name: Option<&str>) -> bool;

    /// Sends a request; `on_token` receives text as it arrives.
    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>>;

    /// Does the same; `on_call` receives the first function call of the reply as far as it has arrived, after each part of the
    /// reply and before `on_token` receives that part. The default implementation never calls it.
    fn complete_with_calls<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
        _on_call: &'a dyn Fn(&FunctionCall),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.complete(caller, request, on_token)
    }
}

/// No LLM: every step goes by its rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLlm;

impl Llm for NoLlm {
    fn has(&self, _: Option<&str>) -> bool {
        false
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        _: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let reason = format!("there is none, and {} asked for it", caller.step);
        Box::pin(std::future::ready(Err(Error::LlmFailed { reason })))
    }
}

/// Functions of the user's that stand in for a part: a prompt, a searcher, a reranker, a whole step. A pipeline, which
/// is data, holds their names.
pub trait Functions {
    /// Calls a function; its argument and result depend on the step that it replaces.
    fn call<'a>(&'a self, name: &'a str, input: &'a Value) -> LocalBoxFuture<'a, Result<Value>>;

    /// Calls one that is a tool, after the check that decides whether it may run; the arguments alone unless overridden.
    fn call_tool<'a>(&'a self, name: &'a str, tool: &'a ToolUse) -> LocalBoxFuture<'a, Result<Value>> {
        self.call(name, &tool.arguments)
    }
}

/// A call of a tool of the caller's: what the tool is given, and what the check before it goes by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolUse {
    /// The step that calls.
    pub step: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as the model wrote them.
    pub arguments: Value,
    /// Whether the model had read text of documents or of tools when it wrote them.
    pub tainted: bool,
    /// The passages it had been shown.
    pub sources: Vec<Source>,
    /// How far the run has come, as plain data.
    pub state: Value,
}

/// No functions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFunctions;

impl Functions for NoFunctions {
    fn call<'a>(&'a self, name: &'a str, _: &'a Value) -> LocalBoxFuture<'a, Result<Value>> {
        let missing = Error::invalid("functions", format!("to hold `{name}`"), "without it");
        Box::pin(std::future::ready(Err(missing)))
    }
}

/// Is told what happens, when it happens.
pub trait Observer {
    /// One event.
    fn event(&self, event: &Event);
}

/// Nobody who listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _: &Event) {}
}
