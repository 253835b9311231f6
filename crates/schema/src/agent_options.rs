//! Options of agents, of their runs and of conversations.

use crate::host::{
    Answerer, Execute, FunctionsByName, KeptName, Llm, OnBeforeSend, OnBeforeTool, OnCheckpoint, Parameters,
    StyleOptions,
};
use schemars::JsonSchema;
use vademecum_agent::budget::Budget;
use vademecum_agent::history::DEFAULT_TOKENS;
use vademecum_agent::styles::pipeline::Pipeline;
use vademecum_agent::styles::react::React;
use vademecum_protocol::range::Range;
use vademecum_protocol::schema::{History, Name, Signal};

/// Tokens of a history.
const TOKENS: Range<usize> = Range::from("tokens", 1);

/// Options of every run, for all runs of an agent or for one.
#[derive(Debug, JsonSchema)]
#[schemars(extend("x-extends" = [], "x-omits" = ["limit", "threshold", "collections", "filters", "history", "historyTokens"]))]
pub struct RunOptions {
    /// What the agent reads.
    #[serde(flatten)]
    pub pipeline: Pipeline,
}

/// Options of `new Agent`.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-extends" = ["RunOptions"]))]
pub struct AgentOptions {
    /// Called before each request is sent, in runs that have no such function themselves.
    pub on_before_send: Option<OnBeforeSend>,
    /// Called before each call of a tool of yours, in runs that have no such function themselves. Without it, a tool that is not
    /// `safe` runs only while the model has read no passage.
    pub on_before_tool: Option<OnBeforeTool>,
    /// Model that is asked. Without one, every step goes by a rule, and answers are made of the documents' own sentences.
    pub llm: Option<Llm>,
}

/// What every run may be given when it begins.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunStart {
    /// Ends the run, which then resolves with `terminatedBy: "aborted"`.
    pub signal: Option<Signal>,
    /// Called before each request is sent.
    pub on_before_send: Option<OnBeforeSend>,
    /// Called before each call of a tool of yours; decides whether it runs.
    pub on_before_tool: Option<OnBeforeTool>,
    /// Called after every step with what `agent.resume` continues from: keep it, and a closed tab loses nothing.
    pub on_checkpoint: Option<OnCheckpoint>,
}

/// Options of every style that loops.
#[derive(Debug, JsonSchema)]
#[schemars(extend(
    "x-extends" = ["PipelineOptions", "RunStart"],
    "x-omits" = ["maxIterations", "citations", "sources", "prompt"]
))]
pub struct StyleRunOptions {
    /// What the styles read.
    #[serde(flatten)]
    pub react: React,
}

/// Options of `agent.resume`; all else is in the run's state.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-extends" = ["RunStart"]))]
pub struct ResumeOptions {
    /// What may be spent from here on.
    pub budget: Option<Budget>,
    /// Functions that the state names: those of `pipeline.functions`. Tools are the agent's.
    pub functions: Option<FunctionsByName>,
}

/// A function of yours that a model may call.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name by which a model calls it: letters, digits, `_` and `-`.
    #[schemars(with = "Name")]
    pub name: String,
    /// When to use it.
    pub description: Option<String>,
    /// JSON schema of its arguments.
    pub parameters: Option<Parameters>,
    /// Whether it does no harm with arguments that a document has dictated: it changes nothing and sends nothing away. Without it,
    /// and without `onBeforeTool`, the tool is denied once the model has read passages.
    #[serde(default)]
    pub safe: bool,
    /// What it does. Text or plain data is shown to the model; a list of `{ id, text }` becomes evidence that can be cited. The model
    /// is shown what it throws as well.
    pub execute: Execute,
}

/// Options of `agent.conversation`: how a conversation answers, and whether it is kept.
#[derive(Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationOptions {
    /// How questions are answered: by a method of the agent, a function of yours, or `pipeline`: `rewrite`, `decompose`, `search`,
    /// `answer`, `ground`. Default: `pipeline`.
    pub style: Option<Answerer>,
    /// Options of the style with every question, such as `{ collections: ["plans"] }`.
    pub options: Option<StyleOptions>,
    /// Maximum number of tokens of the history, by estimate: older turns are summed up.
    #[serde(default = "history_tokens")]
    #[schemars(transform = TOKENS.declared(), extend("x-default" = true))]
    pub tokens: usize,
    /// Whether an answer that was stopped is a turn as far as it had come, marked `partial`.
    #[serde(default)]
    pub keep_partial: bool,
    /// Name under which the conversation is kept with the library, of up to 200 characters; one that is there is continued.
    pub keep: Option<KeptName>,
    /// Turns to begin with; of a kept conversation, only where it is new.
    pub turns: Option<History>,
}

const fn history_tokens() -> usize {
    DEFAULT_TOKENS
}
