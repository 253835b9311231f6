//! Checkpoints: plain, versioned JSON from which a stopped run can be resumed, for example in another tab.

use super::context::{Context, RunLog, TerminatedBy, Workspace};
use super::ids;
use super::ports::Strategy;
use super::scratchpad::Progress;
use super::styles::pipeline::Pipeline;
use super::table::Output;
use crate::errors::invalid_state;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::{Result, excerpt};
use vademecum_text::nearest::nearest;

/// The version of the format.
pub const VERSION: u32 = 1;

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct State {
    /// Always [`VERSION`].
    version: u32,
    /// The pipeline, with the names of the caller's functions.
    pub pipeline: Pipeline,
    /// The fingerprint of the searched index, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    /// The context.
    context: Context,
    /// The state of the style.
    progress: Progress,
    /// The rest of the workspace.
    #[serde(default)]
    candidates: Vec<String>,
    #[serde(default)]
    strategy: Strategy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    searcher: Option<String>,
    #[serde(default)]
    citation_style: CitationStyle,
}

impl State {
    /// Creates the checkpoint of a run in state `context`.
    pub fn of(pipeline: &Pipeline, context: Context, index: Option<String>) -> Self {
        // Names every field, without `..`: a new field of the workspace does not compile until it is stored here.
        let Workspace { progress, candidates, scope: _, strategy, searcher, citation_style } =
            context.workspace.clone();
        Self {
            version: VERSION,
            pipeline: Pipeline { resume: None, only: None, ..pipeline.clone() },
            index,
            progress,
            candidates,
            strategy,
            searcher,
            citation_style,
            context: Context { state: None, ..context },
        }
    }

    /// Parses a checkpoint.
    ///
    /// # Errors
    /// `invalid_state` for anything else, including another version.
    pub fn read(value: &Value) -> Result<Self> {
        let got = match value.get("version") {
            Some(version) if version.as_u64() != Some(u64::from(VERSION)) => {
                Some(format!("version {}", excerpt(&version.to_string(), 40)))
            }
            Some(_) => None,
            None => Some(format!("{} without a version", kind_of(value))),
        };
        if let Some(got) = got {
            return Err(invalid_state(VERSION, &got));
        }
        let invalid = |got: &str| invalid_state(VERSION, &excerpt(got, 200));
        let mut value = value.clone();
        ids::renew(&mut value).map_err(|got| invalid(&got))?;
        let state: Self = serde_json::from_value(value).map_err(|error| invalid(&told(&error)))?;
        Ok(state)
    }

    /// Returns whether the checkpoint belongs to another index than this one.
    pub fn is_of_another(&self, index: Option<&str>) -> bool {
        self.index.is_some() && index.is_some() && self.index.as_deref() != index
    }

    /// Returns the context to resume from; `changed` tells whether the index is another one.
    pub fn resumed(self, changed: bool) -> Context {
        Context {
            workspace: Workspace {
                progress: self.progress,
                candidates: self.candidates,
                scope: Vec::new(),
                strategy: self.strategy,
                searcher: self.searcher,
                citation_style: self.citation_style,
            },
            log: RunLog {
                terminated_by: match self.context.log.terminated_by {
                    // The user is still to be asked, unless the caller passes an answer.
                    TerminatedBy::Clarify => TerminatedBy::Clarify,
                    _ => TerminatedBy::Completed,
                },
                error: None,
                budget_exhausted: None,
                ..self.context.log
            },
            index_changed: self.context.index_changed || changed,
            state: None,
            // Searched again: the question may change, and documents may have been removed.
            withheld: Vec::new(),
            told: None,
            output: self.context.output.map(|output| Output { left_out: 0, ..output }),
            ..self.context
        }
    }
}

/// Describes a parse error without the names of internal types.
fn told(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let mut names = words.split('`').skip(1).step_by(2);
    let given = names.next().unwrap_or_default();
    if words.starts_with("unknown ") {
        let hint = nearest(given, names).map(|near| format!(" (did you mean `{near}`?)"));
        return format!("one with the unknown name `{}`{}", excerpt(given, 60), hint.unwrap_or_default());
    }
    if words.starts_with("missing ") {
        return format!("one without `{given}`");
    }
    format!("one that was changed ({words})")
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::String(_) => "a text (parse it with JSON.parse)",
        Value::Null => "nothing",
        _ => "a number or a flag",
    }
}
