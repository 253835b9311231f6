//! The ONNX runtime and a model in it; its telemetry is off. What differs between a browser and a machine is in
//! `web` and `native`: how the runtime is loaded, and that a browser must never be kept waiting.

#[cfg_attr(target_arch = "wasm32", path = "web.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "native.rs")]
mod host;

pub(super) use host::load_runtime;

use super::TokenBatch;
use crate::error::{Error, Result, excerpt};
use futures_util::lock::Mutex;
use ort::logging::LogLevel;
use ort::session::{RunOptions, Session, SessionInputValue};
use ort::value::Tensor;
use std::borrow::Cow;

/// A loaded model. Runs one batch at a time; callers wait for each other in order.
pub(super) struct Encoder {
    session: Mutex<Session>,
    has_type_ids: bool,
    output: String,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Encoder").field("output", &self.output).finish_non_exhaustive()
    }
}

impl Encoder {
    /// Makes a session of a model file's bytes.
    pub(super) async fn load(model: &[u8], url: &str) -> Result<Self> {
        let corrupt =
            |reason: String| Error::ModelCorrupt { url: url.to_owned(), reason: excerpt(&reason, 200) };
        let session = host::open(model).await.map_err(corrupt)?;
        let inputs: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
        if !inputs.contains(&"input_ids") || !inputs.contains(&"attention_mask") {
            return Err(corrupt(format!("its inputs are {inputs:?}, not input_ids and attention_mask")));
        }
        let has_type_ids = inputs.contains(&"token_type_ids");
        let outputs: Vec<&str> = session.outputs().iter().map(|output| output.name()).collect();
        let output = ["last_hidden_state", "token_embeddings"]
            .into_iter()
            .find(|name| outputs.contains(name))
            .or(outputs.first().copied())
            .ok_or_else(|| corrupt("it has no output".into()))?
            .to_owned();
        Ok(Self { session: Mutex::new(session), has_type_ids, output })
    }

    /// The token vectors of a batch, `rows × columns × dimensions`, and `dimensions`.
    pub(super) async fn run(&self, batch: &TokenBatch) -> Result<(Vec<f32>, usize)> {
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
        // What goes wrong comes back as an error; the runtime need not print it as well.
        options.set_log_level(LogLevel::Fatal).map_err(|error| failed(&error))?;
        let mut session = self.session.lock().await;
        let outputs =
            host::run(&mut session, inputs.into(), &options).await.map_err(|error| failed(&error))?;
        let value = outputs.get(&self.output).ok_or_else(|| failed(&"the model gave no output"))?;
        let (shape, values) = value.try_extract_tensor::<f32>().map_err(|error| failed(&error))?;
        match shape.as_ref() {
            [rows, columns, dimensions]
                if *rows as usize == batch.rows && *columns as usize == batch.columns && *dimensions > 0 =>
            {
                Ok((values.to_vec(), *dimensions as usize))
            }
            other => Err(Error::VectorShape {
                expected: format!("token vectors of shape [{}, {}, n]", batch.rows, batch.columns),
                got: format!("{other:?}"),
            }),
        }
    }
}
