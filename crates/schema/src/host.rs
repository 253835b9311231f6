//! Values that JavaScript alone has: their TypeScript types, and the kinds that check them.

use crate::declared::Declared;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use vademecum_agent::styles::StyleSpec;
use vademecum_protocol::host_types;
pub(crate) use vademecum_protocol::schema::Llm;
use vademecum_protocol::schema::host_type;

host_types! {
    /// Description of an embedder.
    Embedder: "EmbedderDescription", "embedder";
    /// A model that rates passages.
    PairReranker: "OnnxReranker", "pairReranker";
    /// Told of hits before they are reranked.
    OnHits: "(response: SearchResponse) => void", "func";
    /// Told as a call goes on.
    OnProgress: "(progress: Progress) => void", "func";
    /// Told as a library is made of files.
    OnBuildProgress: "(progress: { files: number; read: number; total: number; embedded: number; secondsLeft: number | null }) => void", "func";
    /// How many encoders run side by side.
    Workers: "\"auto\" | number", "wholeOr(\"auto\", 1, 64)";
    /// How much of a library in parts is stored.
    PartCache: "false | { bytes?: number | undefined }", "partCache";
    /// The vector of a question.
    QuestionVector: "Float32Array | number[]", "questionVector";
    /// A worker of the caller's.
    Worker: "OwnWorker", "worker";
    /// Sees requests before they are sent.
    OnBeforeSend: "OnBeforeSend", "func";
    /// Sees searches of a remote collection before they are sent.
    OnBeforeSearch: "OnBeforeSearch", "func";
    /// Headers of HTTP requests.
    Headers: "Record<string, string>", "data(\"an object of strings\")";
    /// The function `fetch`.
    Fetch: "(url: string, init: any) => Promise<any>", "func";
    /// Decides whether a tool is called.
    OnBeforeTool: "OnBeforeTool", "func";
    /// Told how far a run has come.
    OnCheckpoint: "(state: RunState) => void", "func";
    /// Functions that saved data names.
    FunctionsByName: "Record<string, PipelineFunction>", "functionsByName";
    /// The schema of a tool's arguments.
    Parameters: "object", "data(\"a JSON schema of an object\")";
    /// What a tool does.
    Execute: "(args: any, call: ToolCallContext) => unknown", "func";
    /// Options of a style that is not known.
    StyleOptions: "Record<string, any>", "styleOptions";
    /// The name of a conversation.
    KeptName: "string", "conversationName";
    /// An entry of the ledger.
    LedgerEntry: "LedgerEntry", "any";
    /// The entries of the ledger.
    Ledger: "LedgerEntry[]", "any";
    /// Vectors, one after the other.
    Vectors: "Float32Array", "any";
    /// The bytes of a file.
    Bytes: "ArrayBuffer | ArrayBufferView | Blob", "bytes";
    /// Relevant documents, perhaps with grades.
    Relevance: "string[] | Record<string, number>", "relevance";
    /// Told of requests.
    OnSend: "(entry: LedgerRequest) => void", "func";
    /// Strategies of an evaluation.
    Strategies: "(StrategyName | Strategy)[]", "any";
    /// An agent.
    AnAgent: "Agent", "any";
    /// Told as an evaluation goes on.
    OnEvaluated: "(progress: { done: number; total: number; strategy: string }) => void", "func";
}

/// A method of the agent that answers, or a function in place of one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Answerer;

impl JsonSchema for Answerer {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Answerer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let methods: Vec<String> = answerers().iter().map(|name| format!("{name:?}")).collect();
        host_type(&format!("{} | AgentStyle", methods.join(" | ")), "answerer(ANSWERERS)")
    }
}

/// Returns the names of the styles that decide in a loop.
pub(crate) fn styles() -> Vec<String> {
    Declared::sent::<StyleSpec>().tags("name")
}

/// Returns the methods of the agent that answer a question.
pub(crate) fn answerers() -> Vec<String> {
    std::iter::once("pipeline".to_owned()).chain(styles()).collect()
}
