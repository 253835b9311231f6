//! Counts tokens by the tokenizer of an embedder that runs in other workers.

use js_sys::{Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use vademecum_encoder::Counter;
use vademecum_encoder::onnx::Tokens;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Counting stops at this number of tokens: any longer text is too long anyway.
const MAX_COUNT: usize = 1 << 14;

thread_local! {
    /// Loaded tokenizers by URL: parsing one takes the better part of a second.
    static COUNTERS: RefCell<Vec<(String, Counter)>> = const { RefCell::new(Vec::new()) };
}

/// Returns a counter, once the tokenizer is downloaded; `None` on failure. Documents can then still be
/// inserted, and the encoder will report the error.
pub(crate) async fn counter(tokenizer: Promise) -> Option<Counter> {
    let file = JsFuture::from(tokenizer).await.ok()?;
    let bytes: Uint8Array = Reflect::get(&file, &"bytes".into()).ok()?.dyn_into().ok()?;
    let url = Reflect::get(&file, &"url".into()).ok()?.as_string().unwrap_or_default();
    COUNTERS.with(|known| {
        if let Some((_, counter)) = known.borrow().iter().find(|one| one.0 == url) {
            return Some(counter.clone());
        }
        let tokens = Tokens::load(&bytes.to_vec(), &url, MAX_COUNT).ok()?;
        let counter: Counter = Rc::new(move |text| tokens.count(text));
        known.borrow_mut().push((url, counter.clone()));
        Some(counter)
    })
}
