//! `OnnxEmbedder`: any sentence encoder, by an ONNX runtime.

use crate::embeddings;
use crate::files::{Contents, Download, Files};
use crate::onnx_runtime::with_runtime;
use js_sys::{Function, Promise};
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
    /// Loads `{runtime, model, tokenizer, timeout, dense, options}`, and downloads what `contents` lacks;
    /// `onProgress(loaded, total)` counts the model's bytes.
    pub fn load(
        files: JsValue,
        contents: Contents,
        on_progress: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        future_to_promise(async move {
            let download = Download { on_progress: &on_progress, signal: signal.as_ref() };
            let loaded = load(files, &contents, &download).await;
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

async fn load(files: JsValue, contents: &Contents, download: &Download<'_>) -> Result<OnnxEmbedder> {
    let files: Files<OnnxOptions> = from_js("embedder", files)?;
    let tokenizer = files.tokenizer(contents, download).await?;
    let model = files.model(contents, download).await?;
    let tokenizer = (files.tokenizer.as_str(), tokenizer.as_slice());
    let load = OnnxEmbedder::load(&files.runtime, &model, tokenizer, files.options);
    with_runtime(&files.runtime, files.timeout, load).await
}
