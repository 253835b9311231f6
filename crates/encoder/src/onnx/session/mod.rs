//! The ONNX runtime and a session of a model; telemetry is off. `web` and `native` differ in how the runtime
//! is loaded, and in that a browser must not be blocked.

#[cfg_attr(target_arch = "wasm32", path = "web.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "native.rs")]
mod host;

pub(super) use host::load_runtime;

use super::{OnnxOptions, Pooling, TokenBatch, pool};
use crate::output::{Output, choose};
use futures_util::lock::Mutex;
use ort::logging::LogLevel;
use ort::session::{RunOptions, Session, SessionInputValue};
use ort::value::Tensor;
use std::borrow::Cow;
use vademecum_protocol::error::{Error, Result, excerpt};

/// A loaded model. Runs one batch at a time; concurrent callers wait in order.
pub(super) struct Encoder {
    session: Mutex<Session>,
    has_type_ids: bool,
    output: String,
    /// How the output is pooled.
    pooling: Pooling,
    /// Whether the output's rank may change the pooling: it is the only output, and no pooling was requested.
    may_be_pooled: bool,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Encoder").field("output", &self.output).finish_non_exhaustive()
    }
}

impl Encoder {
    /// Creates a session from the bytes of a model file, and selects its output and pooling.
    pub(super) async fn load(model: &[u8], url: &str, options: &OnnxOptions) -> Result<Self> {
        let corrupt =
            |reason: String| Error::ModelCorrupt { url: url.to_owned(), reason: excerpt(&reason, 200) };
        let session = host::open(model).await.map_err(corrupt)?;
        let inputs: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
        if !inputs.contains(&"input_ids") || !inputs.contains(&"attention_mask") {
            return Err(corrupt(format!("its inputs are {inputs:?}, not input_ids and attention_mask")));
        }
        let has_type_ids = inputs.contains(&"token_type_ids");
        let outputs: Vec<&str> = session.outputs().iter().map(|output| output.name()).collect();
        let chosen = choose(&outputs, options);
        let outputs = format!("{outputs:?}");
        let Output { name, pooling, may_be_pooled } =
            chosen.ok_or_else(|| unfit(url, format!("its outputs {outputs} hold token vectors alone")))?;
        let session = Mutex::new(session);
        let mut encoder = Self { output: name, session, has_type_ids, pooling, may_be_pooled };
        encoder.probe_output(url).await?;
        Ok(encoder)
    }

    /// Runs the model once to learn the rank of its output. Every tokenizer has an id 0, so a failure is the
    /// model's fault.
    async fn probe_output(&mut self, url: &str) -> Result<()> {
        let corrupt = |reason: String| Error::ModelCorrupt { url: url.to_owned(), reason };
        let (_, shape) =
            self.output_of(&TokenBatch::of(&[&[0]])).await.map_err(|error| corrupt(error.to_string()))?;
        let output = &self.output;
        match (self.pooling, shape.as_slice()) {
            (Pooling::Model, [1, n]) if *n > 0 => Ok(()),
            (Pooling::Model, [1, 1, n]) if *n > 0 => {
                Err(unfit(url, format!("its output `{output}` holds token vectors, not one vector per text")))
            }
            (_, [1, 1, n]) if *n > 0 => Ok(()),
            (_, [1, n]) if *n > 0 && self.may_be_pooled => {
                self.pooling = Pooling::Model;
                Ok(())
            }
            (pooling, [1, n]) if *n > 0 => {
                let name = pooling.name();
                let reason = format!(
                    "its output `{output}` holds one vector per text and cannot be pooled (`{name}`)"
                );
                Err(unfit(url, reason))
            }
            (_, other) => {
                Err(corrupt(format!("its output `{output}` has the shape {other:?} for one token")))
            }
        }
    }

    /// Returns the pooling in use.
    pub(super) const fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// Returns one vector per text of a batch, row-major, and their dimensions.
    pub(super) async fn run(&self, batch: &TokenBatch) -> Result<(Vec<f32>, usize)> {
        let (values, shape) = self.output_of(batch).await?;
        let (rows, columns) = (batch.rows as i64, batch.columns as i64);
        let dimensions = match (self.pooling, shape.as_slice()) {
            (Pooling::Model, [first, n]) if *first == rows && *n > 0 => *n as usize,
            (Pooling::Mean | Pooling::Cls | Pooling::LastToken, [first, second, n])
                if *first == rows && *second == columns && *n > 0 =>
            {
                *n as usize
            }
            (_, other) => {
                return Err(Error::VectorShape {
                    expected: format!("vectors for {rows} texts of {columns} tokens"),
                    got: format!("the shape {other:?}"),
                });
            }
        };
        Ok((pool(&values, batch, dimensions, self.pooling), dimensions))
    }

    /// Returns the model's output for a batch, and its shape.
    async fn output_of(&self, batch: &TokenBatch) -> Result<(Vec<f32>, Vec<i64>)> {
        let failed = |error: &dyn std::fmt::Display| Error::EmbedderFailed {
            reason: excerpt(&error.to_string(), 300),
        };
        let shape = [batch.rows, batch.columns];
        let tensor = |values: Vec<i64>| Tensor::from_array((shape, values)).map_err(|error| failed(&error));
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'static>)> = vec![
            ("input_ids".into(), tensor(batch.ids.clone())?.into()),
            ("attention_mask".into(), tensor(batch.mask.clone())?.into()),
        ];
        if self.has_type_ids {
            inputs.push(("token_type_ids".into(), tensor(vec![0; batch.ids.len()])?.into()));
        }
        let mut options = RunOptions::new().map_err(|error| failed(&error))?;
        // Failures are returned as errors and need not be logged as well.
        options.set_log_level(LogLevel::Fatal).map_err(|error| failed(&error))?;
        let mut session = self.session.lock().await;
        let outputs =
            host::run(&mut session, inputs.into(), &options).await.map_err(|error| failed(&error))?;
        let value = outputs.get(&self.output).ok_or_else(|| failed(&"the model gave no output"))?;
        let (shape, values) = value.try_extract_tensor::<f32>().map_err(|error| failed(&error))?;
        Ok((values.to_vec(), shape.to_vec()))
    }
}

fn unfit(url: &str, reason: String) -> Error {
    Error::ModelUnfit { url: url.to_owned(), reason }
}
