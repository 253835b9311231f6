//! `PartsReader`: a library in parts.

use super::source::JsSource;
use futures_util::future::LocalBoxFuture;
use js_sys::Promise;
use serde::Serialize;
use std::rc::Rc;
use vademecum_parts::{Library, Options, SearchRequest};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::Linked;
use vademecum_web::error;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A library in parts. Values cross as JSON text, both ways.
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

    /// Returns the bytes that decompressed blocks take.
    pub fn memory(&self) -> f64 {
        self.0.memory() as f64
    }

    /// Searches, by a [`SearchRequest`] and the vector of its query.
    #[cfg(not(feature = "small"))]
    pub fn search(&self, request: &str, vector: Option<Vec<f32>>, signal: Option<AbortSignal>) -> Promise {
        let request: Result<SearchRequest> = serde_json::from_str(request)
            .map_err(|error| Error::invalid("search", "options of their types", error.to_string()));
        let library = self.0.clone();
        let search = async move { text(&library.search(&request?, vector.as_deref()).await?) };
        promise(signal, Box::pin(search))
    }

    /// Searches by words.
    #[cfg(feature = "small")]
    pub fn search(
        &self,
        query: String,
        limit: usize,
        prefix: bool,
        typos: bool,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let mode = vademecum_parts::Mode::Keyword;
        let request = SearchRequest { query, mode, limit, prefix, typos, ..SearchRequest::default() };
        let library = self.0.clone();
        promise(signal, Box::pin(async move { text(&library.search(&request, None).await?) }))
    }

    /// Returns a document with its text and its chunks.
    #[cfg(not(feature = "small"))]
    pub fn document(&self, collection: String, id: String, signal: Option<AbortSignal>) -> Promise {
        let library = self.0.clone();
        promise(signal, Box::pin(async move { text(&library.document(&collection, &id).await?) }))
    }

    /// Reads some of what most questions need, of a library that is kept, and asks some, so that functions are compiled. Resolves to whether there is more, for which it has to be called again.
    #[cfg(not(feature = "small"))]
    pub fn preload(&self) -> Promise {
        let library = self.0.clone();
        promise(None, Box::pin(async move { text(&library.preload().await?) }))
    }

    /// Lists all parts: `{ name, path, bytes }`.
    #[cfg(not(feature = "small"))]
    pub fn parts(&self, signal: Option<AbortSignal>) -> Promise {
        let library = self.0.clone();
        promise(signal, Box::pin(async move { text(&library.parts().await?) }))
    }
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::internal(error.to_string()))
}

/// Runs work that has its own reference to the library, so that no borrow outlives the call. Work that is aborted is dropped, and with it
/// its requests. Boxed, because each type of work would be compiled with a promise of its own.
fn promise(signal: Option<AbortSignal>, work: LocalBoxFuture<'static, Result<String>>) -> Promise {
    let linked = Linked::to(signal);
    future_to_promise(async move {
        let outcome = linked.cancel.guard(work).await.and_then(|outcome| outcome);
        outcome.map(JsValue::from).map_err(|error| error::to_js(&error))
    })
}
