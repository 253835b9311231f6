//! What a style keeps between its steps: the chat with a model, calls of tools that are to be made and that were.

use super::ports::Message;
use super::step_id::StepId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_protocol::document::Hit;

/// How far a style has come. Plain data, so that a run can be stopped and gone on with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Progress {
    /// The chat with the model, in which it calls tools.
    pub messages: Vec<Message>,
    /// The number of the fences in that chat, in hexadecimal: one that is gone on with keeps it.
    pub fence: Option<String>,
    /// Calls that are to be made next.
    pub pending: Vec<Pending>,
    /// Calls that were made, in order.
    pub made: Vec<Made>,
    /// What models have written that is a sentence of a document that is never sent, by chance or by guessing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// What was shown to the model, in order: it cites the n-th as `[n]`.
    pub shown: Vec<Hit>,
    /// How often the model, or a rule in its place, has decided what to do next.
    pub rounds: usize,
    /// How many of the calls were searches.
    pub searches: usize,
    /// Whether the model takes tools as its endpoint knows them; not known before the first reply.
    pub takes_tools: Option<bool>,
    /// What the evidence was judged to be, and when: at how many calls.
    pub verdict: Option<Verdict>,
    /// Whether what was found has been cut to what a prompt holds since the last call.
    pub pruned: bool,
    /// Whether it was tried what there would be with less asked for.
    pub relaxed: bool,
    /// What the question was found to want, where a style analyses it first.
    pub analysis: Option<Value>,
    /// What the caller's own filter was, before conditions of the question came to it.
    pub own_filters: Option<Value>,
    /// What the caller's own collections were, if any.
    pub own_collections: Option<Vec<String>>,
    /// Whether everything that fulfils the conditions is wanted as rows, however much it is.
    pub export: bool,
    /// Whether a model said what is wanted, and in which collections.
    pub routed_by_model: bool,
    /// Whether a model planned the searches: their queries are then no parts of the question.
    pub planned_by_model: bool,
    /// Whether the user was told how much there is, and wants an answer all the same.
    pub accepted: bool,
    /// How many documents are rows of the answer, where the question asks for rows.
    pub rows: usize,
    /// Which documents are those rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_of: Option<RowsOf>,
    /// The node that follows, where a function of the caller's has named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goto: Option<StepId>,
    /// Whether there is nothing more to look for.
    pub done: bool,
    /// Whether a model has read text of documents or of tools. Of a state that does not say so, it is taken for granted.
    #[serde(default = "yes")]
    pub tainted: bool,
}

/// Which documents are the rows of an answer: all of these collections that fulfil the filters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowsOf {
    /// Where they are.
    pub collections: Vec<String>,
    /// What they fulfil.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
}

fn yes() -> bool {
    true
}

impl Progress {
    /// The number of the chat's fences; the run's `own` where it has none yet.
    pub fn fence_number(&self, own: u64) -> u64 {
        self.fence.as_deref().and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(own)
    }
}

/// What is to become of the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is enough to answer from.
    Enough,
    /// More is wanted, and calls that look for it are pending.
    More,
    /// The user has to be asked.
    Clarify,
}

/// A call of a tool that is to be made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// What a model's message knows it by; empty where no model's message asked for it.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments; text that could not be read as JSON is kept as text.
    pub arguments: Value,
}

/// A call of a tool that was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// The tool.
    pub tool: String,
    /// Its arguments, as they were used.
    pub arguments: Value,
    /// How many chunks it found.
    pub found: usize,
    /// How many there are, as far as the searcher counts.
    pub total: usize,
    /// How many of them had not been there before.
    pub new: usize,
    /// What the tool said beside passages, or why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
