//! The ONNX runtime and a session of a model; telemetry is off. `web` and `native` differ in how the runtime
//! is loaded, and in that a browser must not be blocked.

#[cfg_attr(target_arch = "wasm32", path = "web.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "native.rs")]
mod host;

pub(super) use host::load_runtime;

use super::TokenBatch;
use crate::checks::TABLE_PADDING;
use crate::errors::tokenizer_mismatch;
use crate::model_files::ModelFiles;
use futures_util::lock::Mutex;
use ort::logging::LogLevel;
use ort::session::{RunOptions, Session as OrtSession, SessionInputValue};
use ort::value::Tensor;
use std::borrow::Cow;
use vademecum_protocol::error::{Error, Result, excerpt};

/// A loaded model. Runs one batch at a time; concurrent callers wait in order.
pub(super) struct Session {
    session: Mutex<OrtSession>,
    has_segments: bool,
    /// Names of the outputs.
    pub(super) outputs: Vec<String>,
}

/// An output of a model: its values and its shape.
pub(super) struct Values {
    pub(super) values: Vec<f32>,
    pub(super) shape: Vec<i64>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").field("outputs", &self.outputs).finish_non_exhaustive()
    }
}

impl Session {
    /// Creates a session of a model. Outside the browser, it computes on so many threads.
    pub(super) async fn open(files: &ModelFiles, threads: usize) -> Result<Self> {
        files.check_onnx()?;
        let session = host::open(&files.model, threads).await.map_err(|reason| files.corrupt(&reason))?;
        let inputs: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
        if !inputs.contains(&"input_ids") || !inputs.contains(&"attention_mask") {
            return Err(
                files.corrupt(&format!("its inputs are {inputs:?}, not input_ids and attention_mask"))
            );
        }
        let has_segments = inputs.contains(&"token_type_ids");
        let outputs = session.outputs().iter().map(|output| output.name().to_owned()).collect();
        Ok(Self { session: Mutex::new(session), has_segments, outputs })
    }

    /// Returns outputs of a batch, in the order of their names.
    pub(super) async fn run<const N: usize>(
        &self,
        batch: &TokenBatch,
        names: [&str; N],
    ) -> Result<[Values; N]> {
        let failed = |error: &dyn std::fmt::Display| Error::EmbedderFailed {
            reason: excerpt(&error.to_string(), 300),
        };
        let shape = [batch.rows, batch.columns];
        let tensor =
            |values: &[i64]| Tensor::from_array((shape, values.to_vec())).map_err(|error| failed(&error));
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'static>)> = vec![
            ("input_ids".into(), tensor(&batch.ids)?.into()),
            ("attention_mask".into(), tensor(&batch.mask)?.into()),
        ];
        if self.has_segments {
            inputs.push(("token_type_ids".into(), tensor(&batch.segments)?.into()));
        }
        let mut options = RunOptions::new().map_err(|error| failed(&error))?;
        // Failures are returned as errors and need not be logged as well.
        options.set_log_level(LogLevel::Fatal).map_err(|error| failed(&error))?;
        let mut session = self.session.lock().await;
        let outputs =
            host::run(&mut session, inputs.into(), &options).await.map_err(|error| failed(&error))?;
        let mut found = Vec::with_capacity(N);
        for name in names {
            let value = outputs.get(name).ok_or_else(|| failed(&"the model gave no output"))?;
            let (shape, values) = value.try_extract_tensor::<f32>().map_err(|error| failed(&error))?;
            found.push(Values { values: values.to_vec(), shape: shape.to_vec() });
        }
        found.try_into().map_err(|_| failed(&"the model gave no output"))
    }

    /// Detects a tokenizer of another model, whose ids do not match the embedding table: the last id must have a
    /// vector, and an id beyond any padding of the table must not.
    ///
    /// # Errors
    /// `tokenizer_mismatch`.
    pub(super) async fn check_vocabulary(&self, vocabulary: usize, output: &str) -> Result<()> {
        let has = async |id: usize| self.run(&TokenBatch::of(&[&[id as u32]]), [output]).await;
        if let Err(error) = has(vocabulary.saturating_sub(1)).await {
            return Err(tokenizer_mismatch(&format!(
                "it has {vocabulary} tokens, and the model has no vector for the last ({error})"
            )));
        }
        if has((vocabulary + 1).next_multiple_of(TABLE_PADDING)).await.is_ok() {
            return Err(tokenizer_mismatch(&format!(
                "it has {vocabulary} tokens, and the model has vectors for more"
            )));
        }
        Ok(())
    }
}
