//! `Engine`: a knowledge base.

use super::directory::JsDirectory;
use super::documents::documents;
use super::embedder::JsEmbedder;
use js_sys::{Function, Object, Promise, Reflect, Uint8Array};
use serde::Serialize;
use std::future::Future;
use std::rc::Rc;
use vademecum_encoder::Embedder;
use vademecum_engine::{CollectionOptions, FacetRequest, KnowledgeBase, ListRequest, Options, Progress};
use vademecum_index::SegmentId;
use vademecum_index::standalone;
use vademecum_index::vectors::Graph;
use vademecum_protocol::error::Result;
use vademecum_web::abort::Linked;
use vademecum_web::convert::{from_js, to_js};
use vademecum_web::error;
use vademecum_web::platform::Browser;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A knowledge base.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine(pub(super) Rc<KnowledgeBase>);

#[wasm_bindgen]
impl Engine {
    /// Creates an empty knowledge base without storage, from [`Options`] and an optional embedder.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue, embedder: Option<JsEmbedder>) -> Result<Engine, JsValue> {
        let options = checked(options).map_err(|error| error::to_js(&error))?;
        let embedder = embedder.map(|embedder| Rc::new(embedder) as Rc<dyn Embedder>);
        Ok(Self(Rc::new(KnowledgeBase::new(embedder, Rc::new(Browser), options))))
    }

    /// Opens the knowledge base in a directory.
    pub fn open(directory: JsDirectory, options: JsValue, embedder: Option<JsEmbedder>) -> Promise {
        future_to_promise(async move {
            let embedder = embedder.map(|embedder| Rc::new(embedder) as Rc<dyn Embedder>);
            let open = async {
                let options = checked(options)?;
                KnowledgeBase::open(Rc::new(directory), embedder, Rc::new(Browser), options).await
            };
            let kb = open.await.map_err(|error| error::to_js(&error))?;
            Ok(Self(Rc::new(kb)).into())
        })
    }

    /// Declares a collection, from [`CollectionOptions`].
    pub fn collection(&self, name: String, options: JsValue) -> Promise {
        let options = from_js::<CollectionOptions>("collection", options);
        self.promise(None, async move |kb, _| {
            kb.collection(&name, &options?)?;
            kb.save().await.map(drop)
        })
    }

    /// Saves changes: `{ files, bytes }`.
    pub fn save(&self) -> Promise {
        self.promise(None, async |kb, _| kb.save().await)
    }

    /// Exports everything as one file.
    pub fn export(&self) -> Result<Vec<u8>, JsValue> {
        settled(&self.0, self.0.export()).map_err(|error| error::to_js(&error))
    }

    /// Imports an exported file, or its undamaged parts: `[documents, lost]`. `embedPending` embeds chunks
    /// without vectors.
    pub fn import(&self, bytes: Vec<u8>, salvage: bool, on_progress: Option<Function>) -> Promise {
        self.promise(None, async move |kb, _| {
            kb.take_in(&bytes, salvage, &|at| report(on_progress.as_ref(), &at)).await
        })
    }

    /// Counts the values of a metadata field, by [`FacetRequest`].
    pub fn facets(&self, request: JsValue) -> Result<JsValue, JsValue> {
        let request = from_js::<FacetRequest>("facets", request).map_err(|error| error::to_js(&error))?;
        self.0.facets(&request).map_err(|error| error::to_js(&error)).and_then(|facets| to_js(&facets))
    }

    /// Lists the documents that match a filter, by [`ListRequest`].
    pub fn documents(&self, request: JsValue) -> Result<JsValue, JsValue> {
        let request = from_js::<ListRequest>("documents", request).map_err(|error| error::to_js(&error))?;
        self.0.documents(&request).map_err(|error| error::to_js(&error)).and_then(|listing| to_js(&listing))
    }

    /// Returns chunks with their vectors, by [`vademecum_engine::VectorsRequest`]: `{ total, dimensions, chunks, values: Float32Array }`.
    /// Not in the lite build, which has no room for it.
    #[cfg(feature = "meaning")]
    pub fn vectors(&self, request: JsValue) -> Result<JsValue, JsValue> {
        use js_sys::Float32Array;
        let request = from_js::<vademecum_engine::VectorsRequest>("vectors", request)
            .map_err(|error| error::to_js(&error))?;
        let list = self.0.vectors(&request).map_err(|error| error::to_js(&error))?;
        let object = to_js(&list)?;
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &"values".into(), &Float32Array::from(list.values.as_slice()));
        Ok(object)
    }

    /// Merges small segments, measures which cosines to expect if `calibrates`, then saves. Intended to run in the background.
    pub fn maintain(&self, calibrates: bool) -> Promise {
        self.promise(None, async move |kb, _| {
            kb.maintain().await?;
            // An embedder that fails is reported where its vectors are needed.
            #[cfg(feature = "meaning")]
            if calibrates && kb.is_uncalibrated()? {
                let _ = kb.calibrate().await;
            }
            #[cfg(not(feature = "meaning"))]
            let _ = calibrates;
            kb.save().await
        })
    }

    /// Returns vectors that need an HNSW graph, for `buildGraph` in another worker: `{ segment, vectors }`,
    /// or `undefined`.
    #[wasm_bindgen(js_name = nextGraph)]
    pub fn next_graph(&self) -> Result<JsValue, JsValue> {
        let Some((segment, vectors)) = self.0.next_graph().map_err(|error| error::to_js(&error))? else {
            return Ok(JsValue::UNDEFINED);
        };
        let vectors = standalone::save_vectors(&vectors).map_err(|error| error::to_js(&error))?;
        let job = Object::new();
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&job, &"segment".into(), &(segment.0 as f64).into());
        let _ = Reflect::set(&job, &"vectors".into(), &Uint8Array::from(vectors.as_slice()));
        Ok(job.into())
    }

    /// Attaches a graph. Returns false if its vectors have changed since.
    #[wasm_bindgen(js_name = setGraph)]
    pub fn set_graph(&self, segment: f64, graph: &[u8]) -> Result<bool, JsValue> {
        let Some(graph) = Graph::from_bytes(graph) else { return Ok(false) };
        self.0.set_graph(SegmentId(segment as u64), graph).map_err(|error| error::to_js(&error))
    }

    /// Adds documents, calling `onProgress({phase, loaded, total})`.
    pub fn add(
        &self,
        collection: String,
        list: JsValue,
        on_progress: Option<Function>,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let list = documents(&list, self.0.max_document_bytes()); // read immediately: the caller may reuse its buffers
        self.promise(signal, async move |kb, linked| {
            kb.add(&collection, list?, &linked.cancel, &|at| report(on_progress.as_ref(), &at)).await
        })
    }

    /// Embeds chunks without a vector.
    #[wasm_bindgen(js_name = embedPending)]
    pub fn embed_pending(&self, on_progress: Option<Function>, signal: Option<AbortSignal>) -> Promise {
        self.promise(signal, async move |kb, linked| {
            kb.embed_pending(&linked.cancel, &|at| report(on_progress.as_ref(), &at)).await
        })
    }

    /// Searches.
    pub fn search(&self, request: JsValue, signal: Option<AbortSignal>) -> Promise {
        let request = from_js("search", request);
        self.promise(signal, async move |kb, linked| kb.search(&request?, &linked.cancel).await)
    }

    /// Removes documents by id. Returns how many existed.
    pub fn remove(&self, collection: String, ids: Vec<String>) -> Promise {
        self.promise(None, async move |kb, _| {
            let removed = kb.remove(&collection, &ids)?;
            kb.save().await?;
            Ok(removed)
        })
    }

    /// Returns a document with its text and its chunks.
    pub fn document(&self, collection: &str, id: &str) -> Result<JsValue, JsValue> {
        let view = settled(&self.0, self.0.document(collection, id));
        view.map_err(|error| error::to_js(&error)).and_then(|view| to_js(&view))
    }

    /// Returns statistics.
    pub fn stats(&self) -> Result<JsValue, JsValue> {
        self.0.stats().map_err(|error| error::to_js(&error)).and_then(|stats| to_js(&stats))
    }

    /// Returns whether it has not been closed.
    #[wasm_bindgen(js_name = isOpen)]
    pub fn is_open(&self) -> bool {
        self.0.is_open()
    }

    /// Returns a hash that changes with search results.
    pub fn fingerprint(&self) -> Result<String, JsValue> {
        self.0.fingerprint().map_err(|error| error::to_js(&error))
    }

    /// Compares the embedder's id, once its model is loaded, with that of the stored vectors.
    #[wasm_bindgen(js_name = settleEmbedder)]
    pub fn settle_embedder(&self) -> Result<(), JsValue> {
        self.0.settle_embedder().map_err(|error| error::to_js(&error))
    }

    /// Frees all memory.
    pub fn close(&self) {
        self.0.close();
    }

    /// Runs `work` on its own reference to the knowledge base, so that no borrow of this object outlives the
    /// call.
    pub(super) fn promise<T: Serialize, W: Future<Output = Result<T>>>(
        &self,
        signal: Option<AbortSignal>,
        work: impl FnOnce(Rc<KnowledgeBase>, Rc<Linked>) -> W + 'static,
    ) -> Promise {
        self.promise_as(signal, work, |outcome| to_js(&outcome))
    }

    /// As [`Self::promise`], for text that another module parses.
    pub(super) fn promise_text<W: Future<Output = Result<String>>>(
        &self,
        signal: Option<AbortSignal>,
        work: impl FnOnce(Rc<KnowledgeBase>, Rc<Linked>) -> W + 'static,
    ) -> Promise {
        self.promise_as(signal, work, |text| Ok(text.into()))
    }

    pub(super) fn promise_as<T, W: Future<Output = Result<T>>>(
        &self,
        signal: Option<AbortSignal>,
        work: impl FnOnce(Rc<KnowledgeBase>, Rc<Linked>) -> W + 'static,
        convert: impl FnOnce(T) -> Result<JsValue, JsValue> + 'static,
    ) -> Promise {
        let kb = self.0.clone();
        let linked = Rc::new(Linked::to(signal));
        future_to_promise(async move {
            let outcome = work(kb.clone(), linked).await;
            convert(settled(&kb, outcome).map_err(|error| error::to_js(&error))?)
        })
    }
}

/// Ends a call. What could not be read from the disk is its error, because its outcome may lack that.
#[cfg_attr(not(feature = "meaning"), expect(unused_variables, reason = "all is in memory"))]
pub(super) fn settled<T>(kb: &KnowledgeBase, outcome: Result<T>) -> Result<T> {
    #[cfg(feature = "meaning")]
    kb.settle()?;
    outcome
}

fn checked(options: JsValue) -> Result<Options> {
    let options: Options = from_js("options", options)?;
    options.check()?;
    Ok(options)
}

fn report(on_progress: Option<&Function>, progress: &Progress) {
    if let (Some(callback), Ok(value)) = (on_progress, to_js(progress)) {
        // Errors thrown by the callback are ignored: indexing continues.
        let _ = callback.call1(&JsValue::NULL, &value);
    }
}
