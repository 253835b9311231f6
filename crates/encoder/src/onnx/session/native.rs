//! The runtime as a shared library.

use ort::environment::Environment;
use ort::session::{RunOptions, Session, SessionInputs, SessionOutputs};
use std::sync::OnceLock;
use vademecum_protocol::error::{Error, Result, excerpt};

/// The runtime allows one environment per process.
static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();

/// Loads the runtime from a shared library, if it is not loaded yet.
pub(in super::super) async fn load_runtime(library: &str) -> Result<()> {
    if ENVIRONMENT.get().is_some() {
        return Ok(());
    }
    let unavailable = |reason: String| Error::ModelUnavailable {
        what: "The ONNX runtime",
        url: library.to_owned(),
        reason: excerpt(&reason, 200),
    };
    let builder = ort::init_from(library).map_err(|error| unavailable(error.to_string()))?;
    let environment =
        builder.with_telemetry(false).build().map_err(|error| unavailable(error.to_string()))?;
    ENVIRONMENT.set(environment).ok(); // another thread may have been faster
    Ok(())
}

/// Creates a session that computes on so many threads.
pub(super) async fn open(model: &[u8], threads: usize) -> Result<Session, String> {
    let environment = ENVIRONMENT.get().ok_or("the ONNX runtime is not loaded")?;
    let builder = Session::builder(environment).map_err(|error| error.to_string())?;
    let mut builder = builder.with_intra_threads(threads).map_err(|error| error.to_string())?;
    builder.commit_from_memory(model).map_err(|error| error.to_string())
}

pub(super) async fn run<'a>(
    session: &'a mut Session,
    inputs: SessionInputs<'_, 'static>,
    options: &'a RunOptions,
) -> Result<SessionOutputs<'a>, String> {
    session.run_with_options(inputs, options).map_err(|error| error.to_string())
}
