//! A model file that the kernel reads.

use crate::model_files::{ModelFiles, SAFETENSORS};
use crate::onnx_options::{Backend, Rounding};
use vademecum_kernel::head::Head;
use vademecum_kernel::weights::Weights;
use vademecum_model::{Refusal, onnx, safetensors};
use vademecum_protocol::error::{Error, Result};

/// A parsed model file.
pub(super) enum Source {
    Onnx(onnx::Model),
    SafeTensors(safetensors::Model),
}

impl Source {
    /// Parses the model's file, which is taken out of `files`.
    pub(super) fn open(files: &mut ModelFiles, weights: Option<Rounding>) -> Result<Self, Refusal> {
        let source = Self::parse(files)?;
        Ok(match (weights, source) {
            (None, source) => source,
            (Some(Rounding::Int8), Self::Onnx(model)) => Self::Onnx(model.rounded()),
            (Some(Rounding::Int8), Self::SafeTensors(model)) => Self::SafeTensors(model.rounded()),
        })
    }

    fn parse(files: &mut ModelFiles) -> Result<Self, Refusal> {
        let model = std::mem::take(&mut files.model);
        if !safetensors::is_safetensors(&model) {
            return onnx::Model::parse(model).map(Self::Onnx);
        }
        let missing = || Refusal::Other(format!("{SAFETENSORS}, and its config.json is missing"));
        let config = files.config.as_deref().ok_or_else(missing)?;
        safetensors::Model::parse(model, config).map(Self::SafeTensors)
    }

    /// Returns the names of the outputs.
    pub(super) fn outputs(&self) -> Vec<&str> {
        match self {
            Self::Onnx(model) => model.outputs().iter().map(String::as_str).collect(),
            Self::SafeTensors(_) => vec!["last_hidden_state"],
        }
    }

    /// Returns the encoder whose token vectors are an output.
    pub(super) fn encoder(&self, output: &str) -> Result<Weights, Refusal> {
        match self {
            Self::Onnx(model) => model.encoder(output),
            Self::SafeTensors(model) => model.encoder(),
        }
    }

    /// Returns the encoder and the head whose result is an output.
    pub(super) fn with_head(&self, output: &str) -> Result<(Weights, Head), Refusal> {
        match self {
            Self::Onnx(model) => model.with_head(output),
            Self::SafeTensors(model) => model.with_head(),
        }
    }

    /// Returns the encoder, and the head of the start and the end of answers with the indices of both.
    pub(super) fn with_spans(&self, [start, end]: [&str; 2]) -> Result<(Weights, Head, [usize; 2]), Refusal> {
        match self {
            Self::Onnx(model) => model.with_spans(start, end),
            Self::SafeTensors(model) => model.with_spans(),
        }
    }
}

/// What becomes of a model that the kernel does not run.
#[derive(Debug)]
pub(super) struct Otherwise<'a> {
    pub(super) files: &'a ModelFiles,
    pub(super) backend: Backend,
    /// What the weights are to be rounded to, which the kernel alone does.
    pub(super) weights: Option<Rounding>,
    /// Whether a general runtime may run it: not a model in the form of safetensors.
    pub(super) is_onnx: bool,
}

impl Otherwise<'_> {
    /// Returns the reason why a general runtime has to run the model.
    ///
    /// # Errors
    /// `model_corrupt`, and `model_unfit` where only the kernel may or could run it.
    pub(super) fn reason(&self, refusal: Refusal) -> Result<String, Error> {
        match refusal {
            Refusal::Corrupt(reason) => Err(self.files.corrupt(&reason)),
            Refusal::Other(reason)
                if self.is_onnx && self.backend != Backend::Kernel && self.weights.is_none() =>
            {
                Ok(reason)
            }
            Refusal::Other(reason) => {
                let why = match self.weights {
                    Some(_) => ", which alone rounds `weights`,",
                    None => "",
                };
                Err(self.files.unfit(format!("the kernel{why} does not run it: {reason}")))
            }
        }
    }
}
