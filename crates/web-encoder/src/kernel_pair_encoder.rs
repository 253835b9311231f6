//! `KernelPairEncoder`: a reranker or a reader of the BERT kind.

use crate::answers;
use crate::files::{Contents, Files};
use crate::other;
use js_sys::{Float32Array, Promise};
use std::rc::Rc;
use vademecum_encoder::kernel::{KernelPairEncoder, Loaded};
use vademecum_encoder::pair_options::{PairOptions, Task};
use vademecum_kernel::simd::Level;
use vademecum_kernel::simd::product::is_exact;
use vademecum_web::abort::Linked;
use vademecum_web::convert::from_js;
use vademecum_web::error;
use vademecum_web::platform::Browser;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A loaded model of pairs.
#[wasm_bindgen(js_name = KernelPairEncoder)]
#[derive(Debug)]
pub struct WebKernelPairEncoder(Rc<KernelPairEncoder>);

#[wasm_bindgen(js_class = KernelPairEncoder)]
impl WebKernelPairEncoder {
    /// Loads a model for `task` (`"rerank"` or `"read"`) with its tokenizer: `files` is `{model, tokenizer, options}` with their
    /// URLs, and `contents` is `{model, tokenizer, config}` with the bytes. Returns `{reason}` if only a general runtime can
    /// run the model.
    pub fn load(task: JsValue, files: JsValue, contents: &Contents) -> Result<JsValue, JsValue> {
        load(task, files, contents).map_err(|error| error::to_js(&error))
    }

    /// Returns the name of the instructions in use.
    #[wasm_bindgen(getter)]
    pub fn instructions(&self) -> String {
        self.0.level().name().to_owned()
    }

    /// Returns whether products are computed exactly: see `KernelEmbedder.isExact`.
    #[wasm_bindgen(js_name = isExact)]
    pub fn is_exact(&self) -> bool {
        is_exact(self.0.level())
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

fn load(task: JsValue, files: JsValue, contents: &Contents) -> vademecum_protocol::error::Result<JsValue> {
    let task: Task = from_js("task", task)?;
    let files: Files<PairOptions> = from_js("model", files)?;
    let (model, tokenizer) = files.copied(contents);
    let tokenizer = (files.tokenizer.as_str(), tokenizer.as_slice());
    Ok(match KernelPairEncoder::load(task, model, tokenizer, files.options, Level::best())? {
        Loaded::Kernel(model) => WebKernelPairEncoder(Rc::from(model)).into(),
        Loaded::Other(reason) => other::to_js(&reason),
    })
}
