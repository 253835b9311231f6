//! `Engine`: a knowledge base and the agent over it.

use super::abort::Linked;
use super::convert::{documents, from_js, to_js};
use super::embedder::JsEmbedder;
use super::error;
use super::llm::JsLlm;
use super::platform::Browser;
use crate::agent::event::Event;
use crate::agent::ports::{Llm, Observer};
use crate::agent::run::Run;
use crate::agent::styles::pipeline::Pipeline;
use crate::embed::Embedder;
use crate::error::Result;
use crate::retrieve::{KnowledgeBase, Progress};
use js_sys::{Function, Promise};
use serde::Serialize;
use std::future::Future;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A knowledge base in memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine(Rc<KnowledgeBase>);

#[wasm_bindgen]
impl Engine {
    /// An empty one, with `{maxDocumentBytes, chunkTokens}` and perhaps an embedder.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue, embedder: Option<JsEmbedder>) -> Result<Engine, JsValue> {
        let options = from_js("options", options).map_err(|error| error::to_js(&error))?;
        let embedder = embedder.map(|embedder| Rc::new(embedder) as Rc<dyn Embedder>);
        Ok(Self(Rc::new(KnowledgeBase::new(embedder, Rc::new(Browser), options))))
    }

    /// Declares a collection.
    pub fn collection(&self, name: &str, description: &str) -> Result<(), JsValue> {
        self.0.collection(name, description).map_err(|error| error::to_js(&error))
    }

    /// Adds documents; `onProgress({phase, loaded, total})` is called as it goes.
    pub fn add(
        &self,
        collection: String,
        list: JsValue,
        on_progress: Option<Function>,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let list = documents(&list, self.0.max_document_bytes()); // before anything else happens: the caller may reuse its buffers
        self.promise(signal, async move |kb, linked| {
            kb.add(&collection, list?, &linked.cancel, &|at| report(on_progress.as_ref(), &at)).await
        })
    }

    /// Embeds what has no vector yet.
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

    /// Removes documents by id; how many were there.
    pub fn remove(&self, collection: &str, ids: Vec<String>) -> Result<usize, JsValue> {
        self.0.remove(collection, &ids).map_err(|error| error::to_js(&error))
    }

    /// A document with its text and its chunks.
    pub fn document(&self, collection: &str, id: &str) -> Result<JsValue, JsValue> {
        self.0.document(collection, id).map_err(|error| error::to_js(&error)).and_then(|view| to_js(&view))
    }

    /// How much is in it.
    pub fn stats(&self) -> Result<JsValue, JsValue> {
        self.0.stats().map_err(|error| error::to_js(&error)).and_then(|stats| to_js(&stats))
    }

    /// Runs a pipeline. Rejects on misuse alone; a step that fails is told in the result.
    pub fn run(
        &self,
        pipeline: JsValue,
        llm: Option<Function>,
        on_event: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let pipeline = from_js::<Pipeline>("pipeline", pipeline);
        self.promise(signal, async move |kb, linked| {
            let pipeline = pipeline?;
            pipeline.check()?;
            kb.stats()?; // a closed knowledge base is misuse, not a failing step
            let llm = llm.map(JsLlm);
            let run = Run {
                llm: llm.as_ref().map(|llm| llm as &dyn Llm),
                searcher: &*kb,
                observer: &JsObserver(on_event),
                platform: &Browser,
                cancel: linked.cancel.clone(),
                model: pipeline.model.clone(),
            };
            Ok(pipeline.run(&run).await)
        })
    }

    /// Frees everything.
    pub fn close(&self) {
        self.0.close();
    }

    /// Runs `work` on its own clone of the knowledge base: no borrow of this object outlives the call.
    fn promise<T: Serialize, W: Future<Output = Result<T>>>(
        &self,
        signal: Option<AbortSignal>,
        work: impl FnOnce(Rc<KnowledgeBase>, Rc<Linked>) -> W + 'static,
    ) -> Promise {
        let kb = self.0.clone();
        let linked = Rc::new(Linked::to(signal));
        future_to_promise(async move {
            let outcome = work(kb, linked).await.map_err(|error| error::to_js(&error))?;
            to_js(&outcome)
        })
    }
}

fn report(on_progress: Option<&Function>, progress: &Progress) {
    if let (Some(callback), Ok(value)) = (on_progress, to_js(progress)) {
        // What the callback throws is its own affair: indexing goes on.
        let _ = callback.call1(&JsValue::NULL, &value);
    }
}

struct JsObserver(Function);

impl Observer for JsObserver {
    fn event(&self, event: &Event) {
        report_event(&self.0, event);
    }
}

fn report_event(callback: &Function, event: &Event) {
    if let Ok(value) = to_js(event) {
        let _ = callback.call1(&JsValue::NULL, &value);
    }
}
