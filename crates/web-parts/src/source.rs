//! Implements the [`Source`] port by a JavaScript object.

use futures_util::future::LocalBoxFuture;
use js_sys::{Promise, Uint8Array};
use vademecum_parts::{Fetch, Reply, Source};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::AbortOnDrop;
use vademecum_web::thrown::{code_of, is_retryable, message_of};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// The codes that a source may throw; any other error becomes `part_missing`.
const CODES: [&str; 5] = ["closed", "host_failed", "offline", "part_missing", "redirected"];

#[wasm_bindgen]
extern "C" {
    /// `{ read(part, start, end, isFresh, signal), atHand(part, start, bytes) }`: the first resolves to the bytes of the range; the second fills `bytes`,
    /// which are valid during the call only, and returns whether it did; if not, the range has to be read by `read`.
    pub type JsSource;

    #[wasm_bindgen(method, catch)]
    fn read(
        this: &JsSource,
        part: &str,
        start: u32,
        end: u32,
        is_fresh: bool,
        signal: &AbortSignal,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = atHand)]
    fn at_hand(this: &JsSource, part: &str, start: u32, bytes: &mut [u8]) -> Result<bool, JsValue>;
}

impl Source for JsSource {
    fn read<'a>(&'a self, fetch: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>> {
        Box::pin(async move {
            let part = fetch.part.to_string();
            let abort = AbortOnDrop::new().map_err(|thrown| failed(&part, &thrown))?;
            let (start, end) = (fetch.range.start, fetch.range.end);
            let bytes = JsSource::read(self, &part, start, end, fetch.fresh, &abort.signal());
            let bytes = match bytes {
                Ok(bytes) => abort.settled(bytes).await,
                Err(thrown) => Err(thrown),
            };
            let bytes = bytes.map_err(|thrown| failed(&part, &thrown))?;
            Ok(Reply::Range(Uint8Array::new(&bytes).to_vec()))
        })
    }

    fn at_hand(&self, fetch: &Fetch) -> Option<Vec<u8>> {
        let mut bytes = vec![0; fetch.range.len()];
        // What is thrown is thrown again by `read`.
        let is_filled = JsSource::at_hand(self, &fetch.part.to_string(), fetch.range.start, &mut bytes);
        is_filled.is_ok_and(|is_filled| is_filled).then_some(bytes)
    }
}

fn failed(part: &str, thrown: &JsValue) -> Error {
    let code = code_of(thrown).unwrap_or_default();
    if code == "aborted" {
        return Error::Aborted;
    }
    match CODES.iter().find(|known| **known == code) {
        Some(code) => Error::Relayed { code, message: message_of(thrown), retryable: is_retryable(thrown) },
        None => vademecum_parts::errors::part_missing(part, &message_of(thrown)),
    }
}
