//! `TokenCounter`: counts tokens by any `tokenizer.json`.

use js_sys::Uint8Array;
use vademecum_encoder::onnx::Tokens;
use vademecum_web::error;
use wasm_bindgen::prelude::*;

/// A loaded tokenizer.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TokenCounter(Tokens);

#[wasm_bindgen]
impl TokenCounter {
    /// Parses the contents of a `tokenizer.json`. Counting stops at `max_tokens`.
    #[wasm_bindgen(constructor)]
    pub fn new(tokenizer: &Uint8Array, url: &str, max_tokens: usize) -> Result<TokenCounter, JsValue> {
        Tokens::load(&tokenizer.to_vec(), url, max_tokens).map(Self).map_err(|error| error::to_js(&error))
    }

    /// Counts the tokens of a text, without special tokens.
    pub fn count(&self, text: &str) -> usize {
        self.0.count(text)
    }
}
