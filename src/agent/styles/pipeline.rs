//! The pipeline: the author's steps, in the author's order.

use crate::agent::context::Context;
use crate::agent::run::{Run, Step};
use crate::agent::steps::{Answer, Search};
use crate::error::{Error, Result};
use crate::text::terms;
use serde::{Deserialize, Serialize};

/// One step as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum StepSpec {
    /// Finds chunks.
    Search(Search),
    /// Writes the answer.
    Answer(Answer),
}

impl StepSpec {
    fn step(&self) -> &dyn Step {
        match self {
            Self::Search(search) => search,
            Self::Answer(answer) => answer,
        }
    }
}

/// A pipeline as data: it can be sent, saved and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pipeline {
    /// What is asked.
    pub question: String,
    /// The most chunks each search keeps.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// The least cosine of a vector hit; the embedder's default where absent.
    #[serde(default)]
    pub threshold: Option<f32>,
    /// The collections to search where the search step names none.
    #[serde(default)]
    pub collections: Option<Vec<String>>,
    /// The model named in requests.
    #[serde(default)]
    pub model: Option<String>,
    /// The steps, in order.
    pub steps: Vec<StepSpec>,
}

fn default_limit() -> usize {
    5
}

impl Pipeline {
    /// Misuse, told before anything runs.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`]; [`Error::InvalidArgument`] for no steps, or a limit of 0.
    pub fn check(&self) -> Result<()> {
        if terms::is_blank(&self.question) {
            Err(Error::EmptyQuestion)
        } else if self.steps.is_empty() {
            Err(Error::invalid("steps", "at least one step, such as .search().answer()", "none"))
        } else if self.limit == 0 {
            Err(Error::invalid("limit", "at least 1", "0"))
        } else {
            Ok(())
        }
    }

    /// Takes the steps. A failing step is told in the result, never by a panic or an error.
    pub async fn run(&self, run: &Run<'_>) -> Context {
        let steps: Vec<&dyn Step> = self.steps.iter().map(StepSpec::step).collect();
        let context = Context {
            question: self.question.clone(),
            limit: self.limit,
            threshold: self.threshold,
            collections: self.collections.clone(),
            ..Context::default()
        };
        run.take(&steps, context).await
    }
}
