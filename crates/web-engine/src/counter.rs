//! Counts tokens by the tokenizer file of an embedder that runs in other workers.

use js_sys::{Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use vademecum_encoder::Counter;
use vademecum_encoder::onnx::Tokens;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Texts longer than so many tokens are as good as any other that is too long: counting stops there.
const COUNTED: usize = 1 << 14;

thread_local! {
    /// Loaded tokenizers by address: parsing one takes the better part of a second.
    static COUNTERS: RefCell<Vec<(String, Counter)>> = const { RefCell::new(Vec::new()) };
}

/// Returns a counter by a tokenizer that is being fetched. One that cannot be had is no reason not to file a text: the encoder
/// will say what is wrong with it.
pub(crate) async fn counter(tokenizer: Promise) -> Option<Counter> {
    let file = JsFuture::from(tokenizer).await.ok()?;
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
}
