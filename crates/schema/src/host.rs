//! Values that JavaScript alone has: their TypeScript types, and the kinds that check them.

use vademecum_protocol::host_types;

host_types! {
    /// Description of an embedder.
    Embedder: "EmbedderDescription", "embedder";
    /// Told as a call goes on.
    OnProgress: "(progress: Progress) => void", "func";
    /// Workers of the caller's.
    Workers: "OwnWorkers", "shape(OWN_WORKERS)";
    /// A worker of the caller's.
    Worker: "OwnWorker", "worker";
    /// A model that answers.
    Llm: "Llm", "func";
    /// Sees requests before they are sent.
    OnBeforeSend: "OnBeforeSend", "func";
    /// Told of requests.
    OnSend: "(entry: LedgerRequest) => void", "func";
    /// Strategies of an evaluation.
    Strategies: "(StrategyName | Strategy)[]", "any";
    /// An agent.
    AnAgent: "Agent", "any";
    /// Told as an evaluation goes on.
    OnEvaluated: "(progress: { done: number; total: number; strategy: string }) => void", "func";
}
