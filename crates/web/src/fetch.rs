//! Downloads files with progress, aborting stalled downloads.

use super::thrown::message_of;
use gloo_net::http::Request;
use js_sys::{Function, Reflect, Uint8Array};
use vademecum_protocol::error::{Error, Result};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, ReadableStreamDefaultReader};

#[wasm_bindgen(module = "/js/download.js")]
extern "C" {
    /// Aborts a download that stalls.
    type Watch;

    #[wasm_bindgen(constructor)]
    fn new(timeout: Option<f64>, signal: Option<AbortSignal>) -> Watch;

    #[wasm_bindgen(method, getter)]
    fn signal(this: &Watch) -> AbortSignal;

    #[wasm_bindgen(method, setter)]
    fn set_total(this: &Watch, total: u32);

    #[wasm_bindgen(method)]
    fn heard(this: &Watch, length: u32);

    #[wasm_bindgen(method)]
    fn reason(this: &Watch, thrown: js_sys::Error) -> JsValue;

    #[wasm_bindgen(method)]
    fn close(this: &Watch);

    #[wasm_bindgen(catch, js_name = fromDisk)]
    async fn from_disk(url: &str) -> Result<JsValue, JsValue>;
}

/// Downloads `url`. Fails if no byte arrives for `timeout` milliseconds. Calls `on_progress(loaded, total)`
/// as bytes arrive; `total` is 0 if unknown.
pub async fn bytes(
    what: &'static str,
    url: &str,
    timeout: Option<f64>,
    signal: Option<&AbortSignal>,
    on_progress: Option<&Function>,
) -> Result<Vec<u8>> {
    let watch = Watch::new(timeout, signal.cloned());
    // Node's `fetch` does not support `file:` URLs; pages do not have them.
    let fetched = if url.starts_with("file:") {
        from_disk(url)
            .await
            .map(|read| read.unchecked_into::<Uint8Array>().to_vec())
            .map_err(|thrown| message_of(&thrown))
    } else {
        fetched(url, &watch, on_progress).await
    };
    let fetched = fetched.map_err(|reason| message_of(&watch.reason(js_sys::Error::new(&reason))));
    watch.close();
    let failed = |reason: String| {
        if signal.is_some_and(AbortSignal::aborted) {
            return Error::Aborted;
        }
        Error::ModelUnavailable { what, url: url.to_owned(), reason }
    };
    let bytes = fetched.map_err(failed)?;
    if bytes.trim_ascii_start().first() == Some(&b'<') {
        return Err(failed("the server sent a web page instead of the file".into()));
    }
    Ok(bytes)
}

async fn fetched(url: &str, watch: &Watch, on_progress: Option<&Function>) -> Result<Vec<u8>, String> {
    let request = Request::get(url).abort_signal(Some(&watch.signal()));
    let response = request.send().await.map_err(|error| error.to_string())?;
    if !response.ok() {
        return Err(format!("HTTP {}", response.status()));
    }
    let headers = response.headers();
    let total = match headers.get("content-encoding") {
        Some(_) => 0, // the length is that of the compressed bytes
        None => headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0),
    };
    watch.set_total(total);
    let body = response.body().ok_or("an empty response")?;
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::with_capacity(total as usize);
    loop {
        let part = JsFuture::from(reader.read()).await.map_err(|thrown| message_of(&thrown))?;
        let field = |name: &str| Reflect::get(&part, &name.into()).map_err(|thrown| message_of(&thrown));
        if field("done")?.is_truthy() {
            break;
        }
        let chunk = field("value")?.unchecked_into::<Uint8Array>();
        watch.heard(chunk.length());
        bytes.extend(chunk.to_vec());
        if let Some(callback) = on_progress {
            let _ = callback.call2(&JsValue::NULL, &bytes.len().into(), &total.into());
        }
    }
    Ok(bytes)
}
