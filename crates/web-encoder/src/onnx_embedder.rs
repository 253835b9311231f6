//! `OnnxEmbedder`: any sentence encoder, by an ONNX runtime.

use crate::embeddings;
use crate::files::{Contents, Files};
use crate::onnx_runtime::with_runtime;
use js_sys::Promise;
use std::rc::Rc;
use vademecum_encoder::Kind;
use vademecum_encoder::onnx::{OnnxEmbedder, OnnxOptions};
use vademecum_protocol::error::Result;
use vademecum_web::abort::Linked;
use vademecum_web::convert::from_js;
use vademecum_web::error;
use vademecum_web::platform::Browser;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A loaded encoder.
#[wasm_bindgen(js_name = OnnxEmbedder)]
#[derive(Debug)]
pub struct WebOnnxEmbedder(Rc<OnnxEmbedder>);

#[wasm_bindgen(js_class = OnnxEmbedder)]
impl WebOnnxEmbedder {
    /// Loads a model with its tokenizer, and the runtime: `files` is `{runtime, model, tokenizer, timeout, dense, options}` with
    /// their URLs, and `contents` is `{model, tokenizer, dense}` with the bytes of the model's.
    pub fn load(files: JsValue, contents: Contents) -> Promise {
        future_to_promise(async move {
            let loaded = load(files, &contents).await;
            Ok(Self(Rc::new(loaded.map_err(|error| error::to_js(&error))?)).into())
        })
    }

    /// Returns the pooling in use, as named by the option `pooling`.
    #[wasm_bindgen(getter)]
    pub fn pooling(&self) -> String {
        self.0.pooling().name().to_owned()
    }

    /// Embeds `texts` as `kind` (`"query"` or `"document"`): `{dimensions, values, truncated}`.
    pub fn embed(&self, texts: Vec<String>, kind: JsValue, signal: Option<AbortSignal>) -> Promise {
        let embedder = self.0.clone();
        future_to_promise(async move {
            let linked = Linked::to(signal);
            let embed = async {
                let kind: Kind = from_js("kind", kind)?;
                embedder.embed(&texts, kind, &linked.cancel, &Browser).await
            };
            embed.await.map(|vectors| embeddings::to_js(&vectors)).map_err(|error| error::to_js(&error))
        })
    }

    /// Returns the token ids of a text.
    #[wasm_bindgen(js_name = tokenIds)]
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>, JsValue> {
        self.0.token_ids(text).map_err(|error| error::to_js(&error))
    }
}

async fn load(files: JsValue, contents: &Contents) -> Result<OnnxEmbedder> {
    let files: Files<OnnxOptions> = from_js("embedder", files)?;
    let (model, tokenizer) = files.copied(contents);
    let tokenizer = (files.tokenizer.as_str(), tokenizer.as_slice());
    let load = OnnxEmbedder::load(&files.runtime, &model, tokenizer, files.options);
    with_runtime(&files.runtime, files.timeout, load).await
}
