//! The ONNX runtime's scripts, which expect a page.

use std::future::Future;
use vademecum_protocol::error::{Error, Result};
use vademecum_web::runtime::{finish_runtime, prepare_runtime};
use vademecum_web::thrown;

/// Loads a model while the runtime's scripts from the folder `runtime` can be loaded.
pub(crate) async fn with_runtime<T>(
    runtime: &str,
    timeout: Option<f64>,
    load: impl Future<Output = Result<T>>,
) -> Result<T> {
    prepare_runtime(runtime, timeout).await.map_err(|thrown| Error::ModelUnavailable {
        what: "The ONNX runtime",
        url: runtime.to_owned(),
        reason: format!(
            "{}. The option `runtime` says where its three files are",
            thrown::message_of(&thrown)
        ),
    })?;
    let loaded = load.await;
    finish_runtime();
    loaded
}
