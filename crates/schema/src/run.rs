//! What comes of a run, beside what the agent sends.

use crate::host::LedgerEntry;
use schemars::JsonSchema;
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
