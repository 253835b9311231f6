//! What a run is gone on with after it was stopped: plain JSON with a version, for another tab or another day.

use super::context::{Context, RunLog, TerminatedBy, Workspace};
use super::ids;
use super::ports::Strategy;
use super::scratchpad::Progress;
use super::styles::pipeline::Pipeline;
use super::table::Output;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_text::nearest::nearest;

/// The version of what is written.
pub const VERSION: u32 = 1;

/// A run that was stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct State {
    /// [`VERSION`].
    version: u32,
    /// What was to be done, with the names of the caller's functions.
    pub pipeline: Pipeline,
    /// The fingerprint of the index that was searched, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    /// How far it came.
    context: Context,
    /// What a style keeps between its steps.
    progress: Progress,
    /// What else later steps go by.
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
    /// Of a run that has come to `context`.
    pub fn of(pipeline: &Pipeline, context: Context, index: Option<String>) -> Self {
        // Names every field, without `..`: a new field of the workspace does not compile until it is kept here.
        let Workspace { progress, candidates, strategy, searcher, citation_style } =
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

    /// Reads what was written.
    ///
    /// # Errors
    /// [`Error::InvalidState`] for anything else, another version included.
    pub fn read(value: &Value) -> Result<Self> {
        let got = match value.get("version") {
            Some(version) if version.as_u64() != Some(u64::from(VERSION)) => {
                Some(format!("version {}", excerpt(&version.to_string(), 40)))
            }
            Some(_) => None,
            None => Some(format!("{} without a version", kind_of(value))),
        };
        if let Some(got) = got {
            return Err(Error::InvalidState { version: VERSION, got });
        }
        let invalid = |got: &str| Error::InvalidState { version: VERSION, got: excerpt(got, 200) };
        let mut value = value.clone();
        ids::renew(&mut value).map_err(|got| invalid(&got))?;
        let state: Self = serde_json::from_value(value).map_err(|error| invalid(&told(&error)))?;
        Ok(state)
    }

    /// Whether it is of another index than this one.
    pub fn is_of_another(&self, index: Option<&str>) -> bool {
        self.index.is_some() && index.is_some() && self.index.as_deref() != index
    }

    /// The context to go on with; `changed` says whether the index is another one.
    pub fn resumed(self, changed: bool) -> Context {
        Context {
            workspace: Workspace {
                progress: self.progress,
                candidates: self.candidates,
                strategy: self.strategy,
                searcher: self.searcher,
                citation_style: self.citation_style,
            },
            log: RunLog {
                terminated_by: match self.context.log.terminated_by {
                    // The user is still to be asked, unless an answer comes with it.
                    TerminatedBy::Clarify => TerminatedBy::Clarify,
                    _ => TerminatedBy::Completed,
                },
                error: None,
                budget_exhausted: None,
                ..self.context.log
            },
            index_changed: self.context.index_changed || changed,
            state: None,
            // Found anew: the question may be another, and documents may have been removed.
            withheld: Vec::new(),
            told: None,
            output: self.context.output.map(|output| Output { left_out: 0, ..output }),
            ..self.context
        }
    }
}

/// What a state has that none has, in words of ours: the reader's name its own types.
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
