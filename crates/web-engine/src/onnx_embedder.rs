//! `OnnxEmbedder`: a sentence encoder in this worker.

use js_sys::{Array, Float32Array, Function, Object, Promise, Reflect, Uint8Array};
use serde::Deserialize;
use std::rc::Rc;
use vademecum_encoder::onnx::{OnnxEmbedder, OnnxOptions};
use vademecum_encoder::{Embeddings, Kind};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::Linked;
use vademecum_web::convert::from_js;
use vademecum_web::platform::Browser;
use vademecum_web::runtime::{finish_runtime, prepare_runtime};
use vademecum_web::{error, fetch, thrown};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// Absolute URLs of the files, and settings of the model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Files {
    runtime: String,
    model: String,
    tokenizer: String,
    /// Maximum number of milliseconds without a byte.
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    options: OnnxOptions,
}

/// A loaded encoder.
#[wasm_bindgen(js_name = OnnxEmbedder)]
#[derive(Debug)]
pub struct WebOnnxEmbedder(Rc<OnnxEmbedder>);

#[wasm_bindgen(js_class = OnnxEmbedder)]
impl WebOnnxEmbedder {
    /// Downloads and loads `{runtime, model, tokenizer, timeout, options}`; `onProgress(loaded, total)`
    /// counts the model's bytes. The tokenizer is only downloaded if its contents are not passed.
    pub fn load(
        files: JsValue,
        tokenizer: Option<Uint8Array>,
        on_progress: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        future_to_promise(async move {
            let loaded = load(files, tokenizer, &on_progress, signal.as_ref()).await;
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
            embed.await.map(|embeddings| to_js(&embeddings)).map_err(|error| error::to_js(&error))
        })
    }

    /// Returns the token ids of a text.
    #[wasm_bindgen(js_name = tokenIds)]
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>, JsValue> {
        self.0.token_ids(text).map_err(|error| error::to_js(&error))
    }
}

async fn load(
    files: JsValue,
    tokenizer: Option<Uint8Array>,
    on_progress: &Function,
    signal: Option<&AbortSignal>,
) -> Result<OnnxEmbedder> {
    let files: Files = from_js("embedder", files)?;
    let timeout = files.timeout;
    let tokenizer = match tokenizer {
        Some(bytes) => bytes.to_vec(),
        None => fetch::bytes("The tokenizer", &files.tokenizer, timeout, signal, None).await?,
    };
    let model = fetch::bytes("The model", &files.model, timeout, signal, Some(on_progress)).await?;
    prepare_runtime(&files.runtime, timeout).await.map_err(|thrown| Error::ModelUnavailable {
        what: "The ONNX runtime",
        url: files.runtime.clone(),
        reason: format!(
            "{}. The option `runtime` says where its three files are",
            thrown::message_of(&thrown)
        ),
    })?;
    let loaded = OnnxEmbedder::load(
        &files.runtime,
        (&files.model, &model),
        (&files.tokenizer, &tokenizer),
        files.options,
    )
    .await;
    finish_runtime();
    loaded
}

/// Returns `{dimensions, values: Float32Array, truncated: boolean[]}`.
fn to_js(embeddings: &Embeddings) -> JsValue {
    let object = Object::new();
    let truncated: Array = embeddings.truncated.iter().map(|flag| JsValue::from_bool(*flag)).collect();
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&object, &"dimensions".into(), &embeddings.dimensions.into());
    let _ = Reflect::set(&object, &"values".into(), &Float32Array::from(embeddings.values.as_slice()));
    let _ = Reflect::set(&object, &"truncated".into(), &truncated);
    object.into()
}
