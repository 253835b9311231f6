//! `VectorIndex` and `KeywordIndex`: the index without documents, for those who bring their own and want numbers
//! back. Synchronous; what is added gets the ids 0, 1, 2, …

use super::convert::to_js;
use super::error;
use crate::error::{Error, Result};
use crate::index::raw;
use crate::index::vectors::{Effort, Graph, Method, Vectors};
use crate::text::terms::Language;
use js_sys::{Float32Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

fn js<T>(result: Result<T>) -> Result<T, JsValue> {
    result.map_err(|error| error::to_js(&error))
}

/// `{ ids, scores }`, best first.
fn found(rows: &[(u32, f32)]) -> Object {
    let ids: Vec<u32> = rows.iter().map(|row| row.0).collect();
    let scores: Vec<f32> = rows.iter().map(|row| row.1).collect();
    let object = Object::new();
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&object, &"ids".into(), &Uint32Array::from(ids.as_slice()));
    let _ = Reflect::set(&object, &"scores".into(), &Float32Array::from(scores.as_slice()));
    object
}

/// `{ method, ef, candidates }`, read field by field: a search takes less time than the general way would.
fn effort_of(options: &JsValue) -> Result<Effort> {
    let mut effort = Effort::default();
    let Some(object) = options.dyn_ref::<Object>() else { return Ok(effort) };
    for key in Object::keys(object).iter().filter_map(|key| key.as_string()) {
        let value = Reflect::get(object, &key.as_str().into()).unwrap_or_default();
        if value.is_undefined() || value.is_null() {
            continue;
        }
        let expected = match key.as_str() {
            "method" => "\"exact\", \"sketch\" or \"hnsw\"",
            "ef" | "candidates" => "a whole number from 1",
            _ => {
                return Err(Error::invalid(
                    "options",
                    "an object with method, ef, candidates",
                    format!("one with `{key}`"),
                ));
            }
        };
        let number = value.as_f64().filter(|number| *number >= 1.0).map(|number| number as usize);
        match (key.as_str(), value.as_string().as_deref()) {
            ("method", Some("exact")) => effort.method = Some(Method::Exact),
            ("method", Some("sketch")) => effort.method = Some(Method::Sketch),
            ("method", Some("hnsw")) => effort.method = Some(Method::Hnsw),
            ("ef", _) if number.is_some() => effort.ef = number,
            ("candidates", _) if number.is_some() => effort.candidates = number,
            _ => return Err(Error::invalid(key, expected, format!("{value:?}"))),
        }
    }
    Ok(effort)
}

/// Unit vectors of one length, searched by cosine.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct VectorIndex {
    dimensions: usize,
    count: usize,
    vectors: Vectors,
}

#[wasm_bindgen]
impl VectorIndex {
    /// An empty one for vectors of `dimensions` numbers.
    #[wasm_bindgen(constructor)]
    pub fn new(dimensions: usize) -> Result<VectorIndex, JsValue> {
        if dimensions == 0 {
            return js(Err(Error::invalid("dimensions", "at least 1", "0")));
        }
        Ok(Self { dimensions, ..Self::default() })
    }

    /// Adds vectors, row after row; they are scaled to length 1.
    pub fn add(&mut self, vectors: &[f32]) -> Result<(), JsValue> {
        if !vectors.len().is_multiple_of(self.dimensions) {
            let expected = format!("a multiple of {} numbers", self.dimensions);
            return js(Err(Error::invalid("vectors", expected, format!("{}", vectors.len()))));
        }
        if vectors.iter().any(|value| !value.is_finite()) {
            let expected = "finite numbers".to_owned();
            return js(Err(Error::VectorShape { expected, got: "a number that is not finite".into() }));
        }
        for row in vectors.chunks_exact(self.dimensions) {
            js(self.vectors.set(self.count, &crate::embed::normalised(row)))?;
            self.count += 1;
        }
        Ok(())
    }

    /// Makes the sketches that searching many vectors is quick by.
    pub fn build(&mut self) {
        self.vectors.seal();
    }

    /// Builds the HNSW graph, takes it in use and returns its bytes. Minutes for tens of thousands of vectors.
    pub fn graph(&mut self) -> Option<Vec<u8>> {
        let graph = self.vectors.build_graph()?;
        let bytes = graph.to_bytes();
        self.vectors.set_graph(graph).then_some(bytes)
    }

    /// Takes a graph in use that was built over the same vectors.
    #[wasm_bindgen(js_name = setGraph)]
    pub fn set_graph(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        let fits = Graph::from_bytes(bytes).is_some_and(|graph| self.vectors.set_graph(graph));
        if fits { Ok(()) } else { js(Err(Error::invalid("graph", "a graph over these vectors", "another"))) }
    }

    /// The `limit` nearest: `{ ids, scores, method }`. Options: `{ method, ef, candidates }`.
    pub fn search(&self, query: &[f32], limit: usize, options: JsValue) -> Result<Object, JsValue> {
        let effort = js(effort_of(&options))?;
        let query = crate::embed::normalised(query);
        let nearest = js(self.vectors.search(&query, limit, -1.0, None, effort))?;
        let object = found(&nearest.rows);
        let _ = Reflect::set(&object, &"method".into(), &to_js(&nearest.method)?);
        Ok(object)
    }

    /// As bytes.
    pub fn save(&self) -> Result<Vec<u8>, JsValue> {
        if self.count == 0 {
            return js(Err(Error::invalid(
                "save",
                "called on an index with vectors",
                "called on an empty one",
            )));
        }
        Ok(raw::save_vectors(&self.vectors))
    }

    /// Back from bytes.
    pub fn load(bytes: &[u8]) -> Result<VectorIndex, JsValue> {
        let vectors = js(raw::load_vectors(bytes))?;
        Ok(Self { dimensions: vectors.dimensions().max(1), count: vectors.present().len(), vectors })
    }

    /// Bytes in memory: `{ vectors, sketch, graph }`.
    pub fn memory(&self) -> Result<JsValue, JsValue> {
        to_js(&self.vectors.memory())
    }
}

/// Texts, searched by BM25.
#[wasm_bindgen]
#[derive(Debug)]
pub struct KeywordIndex(raw::Keywords);

#[wasm_bindgen]
impl KeywordIndex {
    /// An empty one for texts of a language, by its English name or ISO 639-1 code; English unless named.
    #[wasm_bindgen(constructor)]
    pub fn new(language: Option<String>) -> Result<KeywordIndex, JsValue> {
        let language = match language {
            Some(name) => Language::parse(&name).ok_or_else(|| {
                error::to_js(&Error::invalid("language", "a language's English name or ISO 639-1 code", name))
            })?,
            None => Language::default(),
        };
        Ok(Self(raw::Keywords::new(language)))
    }

    /// Adds texts.
    pub fn add(&mut self, texts: Vec<String>) -> Result<(), JsValue> {
        if texts.iter().all(|text| self.0.add(text)) {
            return Ok(());
        }
        js(Err(Error::invalid("add", "called before `build`", "called after it; make a new index")))
    }

    /// Compresses what was added; nothing can be added afterwards.
    pub fn build(&mut self) {
        self.0.seal();
    }

    /// The `limit` best: `{ ids, scores }`.
    pub fn search(&self, query: &str, limit: usize) -> Object {
        found(&self.0.search(query, limit))
    }

    /// As bytes.
    pub fn save(&self) -> Vec<u8> {
        self.0.save()
    }

    /// Back from bytes.
    pub fn load(bytes: &[u8]) -> Result<KeywordIndex, JsValue> {
        js(raw::Keywords::load(bytes)).map(Self)
    }
}
