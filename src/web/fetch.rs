//! Fetches a file of the page's own origin, with progress.

use super::thrown::message_of;
use crate::error::{Error, Result};
use gloo_net::http::Request;
use js_sys::{Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, ReadableStreamDefaultReader};

/// The bytes at `url`. `on_progress(loaded, total)`, where there is one, is called as they come; `total` is 0 where it is not known.
pub(super) async fn bytes(
    what: &'static str,
    url: &str,
    signal: Option<&AbortSignal>,
    on_progress: Option<&Function>,
) -> Result<Vec<u8>> {
    let failed = |reason: String| {
        if signal.is_some_and(AbortSignal::aborted) {
            return Error::Aborted;
        }
        Error::ModelUnavailable { what, url: url.to_owned(), reason }
    };
    let request = Request::get(url).abort_signal(signal);
    let response = request.send().await.map_err(|error| failed(error.to_string()))?;
    if !response.ok() {
        return Err(failed(format!("HTTP {}", response.status())));
    }
    let headers = response.headers();
    let total = match headers.get("content-encoding") {
        Some(_) => 0, // the length counts compressed bytes
        None => headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0),
    };
    let body = response.body().ok_or_else(|| failed("an empty response".into()))?;
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::with_capacity(total);
    loop {
        let part = JsFuture::from(reader.read()).await.map_err(|thrown| failed(message_of(&thrown)))?;
        let field = |name: &str| Reflect::get(&part, &name.into()).unwrap_or_default();
        if field("done").is_truthy() {
            break;
        }
        let chunk: Uint8Array = field("value").unchecked_into();
        let start = bytes.len();
        bytes.resize(start + chunk.length() as usize, 0);
        chunk.copy_to(bytes.get_mut(start..).unwrap_or_default());
        if let Some(tell) = on_progress {
            let _ = tell.call2(&JsValue::NULL, &bytes.len().into(), &total.into());
        }
    }
    if bytes.trim_ascii_start().first() == Some(&b'<') {
        return Err(failed("the server sent a web page instead of the file".into()));
    }
    Ok(bytes)
}
