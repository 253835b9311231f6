//! Fields of events and results that JavaScript adds to those of the agent.

use crate::host::{Ledger, LedgerEntry};
use schemars::JsonSchema;
use vademecum_agent::context as agent;
use vademecum_agent::step_id::StepId;

/// Events that JavaScript adds to those of the agent.
#[derive(Debug, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Sent {
    /// A request was sent to an LLM, a tool of yours was called, or either was denied.
    Send {
        /// The step.
        step: StepId,
        /// The entry of the ledger.
        entry: LedgerEntry,
    },
}

/// What flows through the steps.
#[derive(Debug, JsonSchema)]
#[schemars(extend("x-omits" = [
    "budgetExhausted", "budgetPlan", "capabilities", "capability", "coverage", "error", "failures", "indexChanged", "iterations",
    "queryAnalysis", "reasoningTrace", "searchCount", "state", "suspicions", "takesTools", "terminatedBy", "toolCalls", "usage",
]))]
pub struct Context {
    /// What the agent sends.
    #[serde(flatten)]
    pub context: agent::Context,
}

/// What every run leaves, however it ended. `Ending` has the rest: it depends on how the run ended.
#[derive(Debug, JsonSchema)]
#[schemars(extend(
    "x-extends" = ["Omit<Context, \"clarification\">"],
    "x-omits" = ["clarification", "error", "iterations", "queryAnalysis", "searchCount", "state", "terminatedBy"],
))]
pub struct RunOutcome {
    /// What the agent sends.
    #[serde(flatten)]
    pub context: agent::Context,
    /// Every request that was passed to an LLM function and every call of a tool of yours, in turn; denied ones included.
    pub ledger: Ledger,
}
