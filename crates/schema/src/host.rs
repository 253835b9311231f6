//! Values that JavaScript alone has: their TypeScript types, and the kinds that check them.

use vademecum_protocol::host_types;
pub(crate) use vademecum_protocol::schema::Llm;

host_types! {
    /// Description of an embedder.
    Embedder: "EmbedderDescription", "embedder";
    /// Told as a call goes on.
    OnProgress: "(progress: Progress) => void", "func";
    /// A worker of the caller's.
    Worker: "OwnWorker", "worker";
    /// Sees requests before they are sent.
    OnBeforeSend: "OnBeforeSend", "func";
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
    /// A style, or a function in place of one.
    Answerer: "\"pipeline\" | \"react\" | \"investigate\" | \"graph\" | AgentStyle", "answerer";
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
