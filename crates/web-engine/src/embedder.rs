//! Implements the [`Embedder`] port by a JavaScript object: a pool of workers, or the user's function.

#[cfg(feature = "meaning")]
use super::counter::counter;
use super::documents::type_of;
use futures_util::future::LocalBoxFuture;
#[cfg(feature = "meaning")]
use js_sys::Uint32Array;
use js_sys::{Array, Float32Array, Promise, Reflect};
#[cfg(feature = "meaning")]
use vademecum_encoder::Counter;
#[cfg(feature = "meaning")]
use vademecum_encoder::alignment::{Aligned, Sought};
use vademecum_encoder::{Embedder, Embeddings, Kind};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::AbortOnDrop;
use vademecum_web::thrown::{code_of, message_of};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

#[wasm_bindgen]
extern "C" {
    /// `{ embed(texts, kind, signal), tokenizer(), isReady(), concurrency, threshold, id }`.
    pub type JsEmbedder;

    #[wasm_bindgen(method, catch)]
    fn embed(this: &JsEmbedder, texts: Array, kind: &str, signal: &AbortSignal) -> Result<Promise, JsValue>;

    /// Resolves to what `embed` does and `matches`, or without them to what it cannot compare.
    #[cfg(feature = "meaning")]
    #[wasm_bindgen(method, catch)]
    fn align(
        this: &JsEmbedder,
        texts: Array,
        question: &str,
        words: Uint32Array,
        signal: &AbortSignal,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, js_name = isReady)]
    fn is_ready(this: &JsEmbedder) -> bool;

    /// Resolves to `{ bytes, url, counter(limit) }`, or to `undefined` if it does not count tokens.
    #[wasm_bindgen(method, catch)]
    pub(super) fn tokenizer(this: &JsEmbedder) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, getter)]
    fn id(this: &JsEmbedder) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn concurrency(this: &JsEmbedder) -> usize;

    #[wasm_bindgen(method, getter)]
    fn threshold(this: &JsEmbedder) -> Option<f32>;
}

impl Embedder for JsEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        Box::pin(async move {
            let texts = texts.iter().map(JsValue::from).collect();
            let kind = match kind {
                Kind::Query => "query",
                Kind::Document => "document",
            };
            let abort = AbortOnDrop::new().map_err(|thrown| failed(&thrown))?;
            let promise =
                JsEmbedder::embed(self, texts, kind, &abort.signal()).map_err(|thrown| failed(&thrown))?;
            let value = abort.settled(promise).await.map_err(|thrown| failed(&thrown))?;
            from_embedded(&value)
        })
    }

    #[cfg(feature = "meaning")]
    fn align<'a>(
        &'a self,
        texts: &'a [String],
        sought: &'a Sought,
    ) -> LocalBoxFuture<'a, Result<Option<Aligned>>> {
        Box::pin(async move {
            let texts = texts.iter().map(JsValue::from).collect();
            let words: Vec<u32> =
                sought.words.iter().flat_map(|word| [word.start as u32, word.end as u32]).collect();
            let abort = AbortOnDrop::new().map_err(|thrown| failed(&thrown))?;
            let promise = JsEmbedder::align(
                self,
                texts,
                &sought.question,
                Uint32Array::from(words.as_slice()),
                &abort.signal(),
            )
            .map_err(|thrown| failed(&thrown))?;
            let value = abort.settled(promise).await.map_err(|thrown| failed(&thrown))?;
            let Ok(matches) =
                Reflect::get(&value, &"matches".into()).and_then(JsCast::dyn_into::<Float32Array>)
            else {
                return Ok(None);
            };
            Ok(Some(Aligned { embeddings: from_embedded(&value)?, matches: matches.to_vec() }))
        })
    }

    fn id(&self) -> Option<String> {
        JsEmbedder::id(self)
    }

    #[cfg(feature = "meaning")]
    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(async move { counter(self.tokenizer().ok()?).await })
    }

    fn is_ready(&self) -> bool {
        JsEmbedder::is_ready(self)
    }

    fn concurrency(&self) -> usize {
        JsEmbedder::concurrency(self)
    }

    fn threshold(&self) -> Option<f32> {
        JsEmbedder::threshold(self)
    }
}

/// Keeps the code of an error of the embedding worker; any other error becomes [`Error::EmbedderFailed`].
fn failed(thrown: &JsValue) -> Error {
    let (code, reason) = (code_of(thrown).unwrap_or_default(), message_of(thrown));
    Error::of_embedder(&code, reason.clone()).unwrap_or(Error::EmbedderFailed { reason })
}

/// Reads the result of an embedder: `{dimensions, values, truncated}`.
fn from_embedded(value: &JsValue) -> Result<Embeddings> {
    let field = |name: &str| Reflect::get(value, &name.into()).unwrap_or_default();
    let shape = |what: &JsValue| Error::VectorShape {
        expected: "{ dimensions, values: Float32Array, truncated: boolean[] }".into(),
        got: type_of(what),
    };
    let values: Float32Array = field("values").dyn_into().map_err(|other| shape(&other))?;
    let dimensions = field("dimensions").as_f64().ok_or_else(|| shape(value))? as usize;
    let truncated: Array = field("truncated").dyn_into().map_err(|other| shape(&other))?;
    Ok(Embeddings {
        dimensions,
        values: values.to_vec(),
        truncated: truncated.iter().map(|flag| flag.is_truthy()).collect(),
    })
}
