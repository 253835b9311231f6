//! `OnnxEmbedder`: any sentence encoder, by an ONNX runtime.

use crate::embeddings;
use crate::files::{Contents, Files};
use js_sys::{Promise, Uint8Array};
use std::rc::Rc;
use vademecum_encoder::Kind;
use vademecum_encoder::onnx::OnnxEmbedder;
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::Linked;
use vademecum_web::convert::from_js;
use vademecum_web::platform::Browser;
use vademecum_web::runtime::{finish_runtime, prepare_runtime};
use vademecum_web::{error, thrown};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A loaded encoder.
#[wasm_bindgen(js_name = OnnxEmbedder)]
#[derive(Debug)]
pub struct WebOnnxEmbedder(Rc<OnnxEmbedder>);

#[wasm_bindgen(js_class = OnnxEmbedder)]
impl WebOnnxEmbedder {
    /// Loads a model with its tokenizer, and the runtime: `files` is `{runtime, model, tokenizer, timeout, options}` with
    /// their URLs, and the other arguments are the contents of the model's.
    pub fn load(files: JsValue, tokenizer: &Uint8Array, model: &Uint8Array) -> Promise {
        let contents = Contents::of(model, tokenizer);
        future_to_promise(async move {
            let loaded = load(files, contents).await;
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

async fn load(files: JsValue, Contents { model, tokenizer }: Contents) -> Result<OnnxEmbedder> {
    let files: Files = from_js("embedder", files)?;
    prepare_runtime(&files.runtime, files.timeout).await.map_err(|thrown| Error::ModelUnavailable {
        what: "The ONNX runtime",
        url: files.runtime.clone(),
        reason: format!(
            "{}. The option `runtime` says where its three files are",
            thrown::message_of(&thrown)
        ),
    })?;
    let tokenizer = (files.tokenizer.as_str(), tokenizer.as_slice());
    let loaded = OnnxEmbedder::load(&files.runtime, (&files.model, &model), tokenizer, files.options).await;
    finish_runtime();
    loaded
}
