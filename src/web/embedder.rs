//! The [`Embedder`] port over a JavaScript object: a pool of workers, or a function of the user's.

use super::error::message_of;
use super::onnx_embedder::from_embedded;
use crate::embed::onnx::Tokens;
use crate::embed::{Counter, Embedder, Embeddings, Kind};
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

#[wasm_bindgen]
extern "C" {
    /// `{ embed(texts, kind, signal), tokenizer(), isReady(), concurrency, threshold, id }`.
    pub type JsEmbedder;

    #[wasm_bindgen(method, catch)]
    fn embed(this: &JsEmbedder, texts: Array, kind: &str, signal: &AbortSignal) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, js_name = isReady)]
    fn is_ready(this: &JsEmbedder) -> bool;

    /// Resolves to `{ bytes, url, maxTokens }`, or to nothing where it counts no tokens.
    #[wasm_bindgen(method, catch)]
    fn tokenizer(this: &JsEmbedder) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, getter)]
    fn id(this: &JsEmbedder) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn concurrency(this: &JsEmbedder) -> usize;

    #[wasm_bindgen(method, getter)]
    fn threshold(this: &JsEmbedder) -> f32;
}

/// Texts longer than so many tokens are as good as any other that is too long: counting stops there.
const COUNTED: usize = 1 << 14;

thread_local! {
    /// Loaded tokenizers by address: parsing one takes the better part of a second.
    static COUNTERS: RefCell<Vec<(String, Counter)>> = const { RefCell::new(Vec::new()) };
}

impl Embedder for JsEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        Box::pin(async move {
            let texts = texts.iter().map(JsValue::from).collect();
            let kind = match kind {
                Kind::Query => "query",
                Kind::Document => "document",
            };
            // Whoever loses interest drops this future, and with it the guard.
            let abort = AbortOnDrop(AbortController::new().map_err(|thrown| failed(&thrown))?);
            let promise =
                JsEmbedder::embed(self, texts, kind, &abort.0.signal()).map_err(|thrown| failed(&thrown))?;
            let value = JsFuture::from(promise).await.map_err(|thrown| failed(&thrown))?;
            from_embedded(&value)
        })
    }

    fn id(&self) -> Option<String> {
        JsEmbedder::id(self)
    }

    /// A tokenizer that cannot be had is no reason not to file a text: the encoder will say what is wrong with it.
    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(async {
            let file = JsFuture::from(self.tokenizer().ok()?).await.ok()?;
            let bytes: Uint8Array = Reflect::get(&file, &"bytes".into()).ok()?.dyn_into().ok()?;
            let url = Reflect::get(&file, &"url".into()).ok()?.as_string().unwrap_or_default();
            COUNTERS.with(|known| {
                if let Some((_, counter)) = known.borrow().iter().find(|one| one.0 == url) {
                    return Some(counter.clone());
                }
                let tokens = Tokens::load(&bytes.to_vec(), &url, COUNTED).ok()?;
                let counter: Counter = Rc::new(move |text| tokens.count(text));
                known.borrow_mut().push((url, counter.clone()));
                Some(counter)
            })
        })
    }

    fn is_ready(&self) -> bool {
        JsEmbedder::is_ready(self)
    }

    fn concurrency(&self) -> usize {
        JsEmbedder::concurrency(self)
    }

    fn threshold(&self) -> f32 {
        JsEmbedder::threshold(self)
    }
}

struct AbortOnDrop(AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A coded error of the embedding worker keeps its code; anything else is the embedder's failure.
fn failed(thrown: &JsValue) -> Error {
    let code =
        Reflect::get(thrown, &"code".into()).ok().and_then(|code| code.as_string()).unwrap_or_default();
    let reason = message_of(thrown);
    Error::relayed(&code, reason.clone()).unwrap_or(Error::EmbedderFailed { reason })
}
