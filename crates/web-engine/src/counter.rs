//! Counts tokens by the tokenizer of an embedder that runs in other workers.

use js_sys::{Function, Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum_encoder::Counter;
use vademecum_encoder::wordpiece::WordPiece;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Counting stops at this number of tokens: any longer text is too long anyway.
const MAX_COUNT: usize = 1 << 14;

thread_local! {
    /// Loaded tokenizers by URL.
    static COUNTERS: RefCell<BTreeMap<String, Counter>> = const { RefCell::new(BTreeMap::new()) };
}

/// Returns a counter, once the tokenizer is downloaded; `None` on failure. Documents can then still be
/// inserted, and the encoder will report the error.
pub(crate) async fn counter(tokenizer: Promise) -> Option<Counter> {
    let file = JsFuture::from(tokenizer).await.ok()?;
    let bytes: Uint8Array = Reflect::get(&file, &"bytes".into()).ok()?.dyn_into().ok()?;
    let url = Reflect::get(&file, &"url".into()).ok()?.as_string()?;
    if let Some(counter) = COUNTERS.with(|known| known.borrow().get(&url).cloned()) {
        return Some(counter);
    }
    let counter: Counter = match WordPiece::load(&bytes.to_vec(), &url, MAX_COUNT).ok()? {
        Some(tokens) => Rc::new(move |text| tokens.count(text)),
        None => other(&file).await?,
    };
    COUNTERS.with(|known| known.borrow_mut().insert(url, counter.clone()));
    Some(counter)
}

/// Returns a counter by the general tokenizer, which another module has: `file.counter(limit)` resolves to a
/// function that counts.
async fn other(file: &JsValue) -> Option<Counter> {
    let load: Function = Reflect::get(file, &"counter".into()).ok()?.dyn_into().ok()?;
    let loading: Promise = load.call1(file, &MAX_COUNT.into()).ok()?.dyn_into().ok()?;
    let count: Function = JsFuture::from(loading).await.ok()?.dyn_into().ok()?;
    Some(Rc::new(move |text| {
        let counted = count.call1(&JsValue::NULL, &text.into()).ok().and_then(|count| count.as_f64());
        counted.map_or_else(|| text.chars().count(), |count| count as usize)
    }))
}
