//! `KeywordIndex`: a keyword index over plain texts. Synchronous; texts get the ids 0, 1, 2, …

use super::found::{Found, found, js};
use vademecum_index::standalone;
use vademecum_protocol::error::Error;
use vademecum_text::terms::Language;
use vademecum_web::error;
use wasm_bindgen::prelude::*;

/// Texts, searched by BM25.
#[wasm_bindgen]
#[derive(Debug)]
pub struct KeywordIndex(standalone::Keywords);

#[wasm_bindgen]
impl KeywordIndex {
    /// Creates an empty index for a language, given as an English name or ISO 639-1 code. Default: English.
    #[wasm_bindgen(constructor)]
    pub fn new(language: Option<String>) -> Result<KeywordIndex, JsValue> {
        let language = match language {
            Some(name) => Language::parse(&name).ok_or_else(|| {
                error::to_js(&Error::invalid("language", "a language's English name or ISO 639-1 code", name))
            })?,
            None => Language::default(),
        };
        Ok(Self(standalone::Keywords::new(language)))
    }

    /// Adds texts.
    pub fn add(&mut self, texts: Vec<String>) -> Result<(), JsValue> {
        if texts.iter().all(|text| self.0.add(text)) {
            return Ok(());
        }
        js(Err(Error::invalid("add", "called before `build`", "called after it; make a new index")))
    }

    /// Compresses the index; no text can be added afterwards.
    pub fn build(&mut self) {
        self.0.seal();
    }

    /// Returns the best `limit` texts: `{ ids, scores }`.
    pub fn search(&self, query: &str, limit: usize) -> Found {
        found(&self.0.search(query, limit))
    }

    /// Serialises the index.
    pub fn save(&self) -> Result<Vec<u8>, JsValue> {
        js(self.0.save())
    }

    /// Reads the output of `save`.
    pub fn load(bytes: &[u8]) -> Result<KeywordIndex, JsValue> {
        js(standalone::Keywords::load(bytes)).map(Self)
    }
}
