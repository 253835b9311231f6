//! The runtime in a browser: loaded from the page's own origin, and never blocking.

use ort::environment::Environment;
use ort::session::{RunOptions, Session, SessionInputs, SessionOutputs};
use std::cell::OnceCell;
use vademecum_protocol::error::{Error, Result, excerpt};

thread_local! {
    /// The runtime allows one environment per process.
    static ENVIRONMENT: OnceCell<Environment> = const { OnceCell::new() };
}

/// Loads the runtime from the folder `base` of the page's own origin, if it is not loaded yet.
pub(in super::super) async fn load_runtime(base: &str) -> Result<()> {
    if ENVIRONMENT.with(|cell| cell.get().is_some()) {
        return Ok(());
    }
    let unavailable = |reason: String| Error::ModelUnavailable {
        what: "The ONNX runtime",
        url: base.to_owned(),
        reason: excerpt(&reason, 200),
    };
    let dist = ort_web::Dist::new(base).with_script_name("ort.wasm.min.mjs");
    let api = ort_web::api(dist).await.map_err(|error| unavailable(error.to_string()))?;
    ort::set_api(api);
    let environment =
        ort::init().with_telemetry(false).build().map_err(|error| unavailable(error.to_string()))?;
    ENVIRONMENT.with(|cell| cell.set(environment)).ok(); // another call may have been faster
    Ok(())
}

pub(super) async fn open(model: &[u8], _: usize) -> Result<Session, String> {
    let environment = ENVIRONMENT.with(|cell| cell.get().cloned()).ok_or("the ONNX runtime is not loaded")?;
    let mut builder = Session::builder(&environment).map_err(|error| error.to_string())?;
    builder.commit_from_memory(model).await.map_err(|error| error.to_string())
}

pub(super) async fn run<'a>(
    session: &'a mut Session,
    inputs: SessionInputs<'_, 'static>,
    options: &'a RunOptions,
) -> Result<SessionOutputs<'a>, String> {
    let mut outputs = session.run_async(inputs, options).await.map_err(|error| error.to_string())?;
    ort_web::sync_outputs(&mut outputs).await.map_err(|error| error.to_string())?;
    Ok(outputs)
}
