//! `PartsReader`: a library in parts.

use super::source::JsSource;
use js_sys::Promise;
use serde::Serialize;
use std::future::Future;
use std::rc::Rc;
use vademecum_parts::{Library, Options, SearchRequest};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::Linked;
use vademecum_web::convert::to_js;
use vademecum_web::error;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A library in parts.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PartsReader(Rc<Library>);

#[wasm_bindgen]
impl PartsReader {
    /// Opens a library by the bytes of its manifest. `max_memory` is the number of bytes that decompressed blocks may take.
    #[wasm_bindgen(constructor)]
    pub fn new(manifest: &[u8], source: JsSource, max_memory: f64) -> Result<PartsReader, JsValue> {
        let options = Options { max_memory: max_memory as usize };
        let library = Library::open(manifest, Rc::new(source), &options);
        library.map(|library| Self(Rc::new(library))).map_err(|error| error::to_js(&error))
    }

    /// Returns the manifest.
    pub fn manifest(&self) -> Result<JsValue, JsValue> {
        to_js(self.0.manifest())
    }

    /// Returns the bytes that decompressed blocks take.
    pub fn memory(&self) -> f64 {
        self.0.memory() as f64
    }

    /// Searches, by the JSON text of a [`SearchRequest`] and the vector of its query.
    pub fn search(&self, request: &str, vector: Option<Vec<f32>>, signal: Option<AbortSignal>) -> Promise {
        let request: Result<SearchRequest> = serde_json::from_str(request)
            .map_err(|error| Error::invalid("search", "options of their types", error.to_string()));
        self.promise(signal, async move |library| library.search(&request?, vector.as_deref()).await)
    }

    /// Returns a document with its text and its chunks.
    pub fn document(&self, collection: String, id: String, signal: Option<AbortSignal>) -> Promise {
        self.promise(signal, async move |library| library.document(&collection, &id).await)
    }

    /// Lists all parts: `{ name, path, bytes }`.
    pub fn parts(&self, signal: Option<AbortSignal>) -> Promise {
        self.promise(signal, async move |library| library.parts().await)
    }

    /// Runs `work` on its own reference to the library, so that no borrow of this object outlives the call. Work that is aborted is
    /// dropped, and with it its requests.
    fn promise<T: Serialize, W: Future<Output = Result<T>>>(
        &self,
        signal: Option<AbortSignal>,
        work: impl FnOnce(Rc<Library>) -> W + 'static,
    ) -> Promise {
        let library = self.0.clone();
        let linked = Linked::to(signal);
        future_to_promise(async move {
            let outcome = linked.cancel.guard(work(library)).await;
            to_js(&outcome.and_then(|outcome| outcome).map_err(|error| error::to_js(&error))?)
        })
    }
}
