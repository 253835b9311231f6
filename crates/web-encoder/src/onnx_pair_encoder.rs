//! `OnnxPairEncoder`: any reranker or reader, by an ONNX runtime.

use crate::answers;
use crate::files::{Contents, Files};
use crate::onnx_runtime::with_runtime;
use js_sys::{Float32Array, Promise};
use std::rc::Rc;
use vademecum_encoder::onnx::OnnxPairEncoder;
use vademecum_encoder::pair_options::{PairOptions, Task};
use vademecum_protocol::error::Result;
use vademecum_web::abort::Linked;
use vademecum_web::convert::from_js;
use vademecum_web::error;
use vademecum_web::platform::Browser;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A loaded model of pairs.
#[wasm_bindgen(js_name = OnnxPairEncoder)]
#[derive(Debug)]
pub struct WebOnnxPairEncoder(Rc<OnnxPairEncoder>);

#[wasm_bindgen(js_class = OnnxPairEncoder)]
impl WebOnnxPairEncoder {
    /// Loads a model for `task` (`"rerank"` or `"read"`) with its tokenizer, and the runtime: `files` is
    /// `{runtime, model, tokenizer, timeout, options}` with their URLs, and `contents` is `{model, tokenizer}` with the bytes of
    /// the model's.
    pub fn load(task: JsValue, files: JsValue, contents: Contents) -> Promise {
        future_to_promise(async move {
            let loaded = load(task, files, &contents).await;
            Ok(Self(Rc::new(loaded.map_err(|error| error::to_js(&error))?)).into())
        })
    }

    /// Returns the relevance of each passage, from 0 to 1, as a `Float32Array`.
    pub fn rate(&self, question: String, passages: Vec<String>, signal: Option<AbortSignal>) -> Promise {
        let model = self.0.clone();
        future_to_promise(async move {
            let linked = Linked::to(signal);
            let rated = model.rate(&question, &passages, &linked.cancel, &Browser).await;
            rated
                .map(|ratings| Float32Array::from(ratings.as_slice()).into())
                .map_err(|error| error::to_js(&error))
        })
    }

    /// Returns the most probable answer of each passage: `{start, end, probability}` or `null`.
    pub fn read(&self, question: String, passages: Vec<String>, signal: Option<AbortSignal>) -> Promise {
        let model = self.0.clone();
        future_to_promise(async move {
            let linked = Linked::to(signal);
            let read = model.read(&question, &passages, &linked.cancel, &Browser).await;
            read.map(|found| answers::to_js(&found, &passages)).map_err(|error| error::to_js(&error))
        })
    }
}

async fn load(task: JsValue, files: JsValue, contents: &Contents) -> Result<OnnxPairEncoder> {
    let task: Task = from_js("task", task)?;
    let files: Files<PairOptions> = from_js("model", files)?;
    let (model, tokenizer) = files.copied(contents);
    let tokenizer = (files.tokenizer.as_str(), tokenizer.as_slice());
    let load = OnnxPairEncoder::load(task, &files.runtime, &model, tokenizer, files.options);
    with_runtime(&files.runtime, files.timeout, load).await
}
