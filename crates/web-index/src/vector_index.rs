//! `VectorIndex`: an index over vectors computed by the caller. Synchronous; vectors get the ids 0, 1, 2, …

use super::found::{Found, found, js};
use js_sys::{Object, Reflect};
use vademecum_index::standalone;
use vademecum_index::vectors::{Effort, Graph, Method, Vectors};
use vademecum_protocol::error::{Error, Result};
use wasm_bindgen::prelude::*;

/// Unit vectors of equal length, searched by cosine.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct VectorIndex {
    dimensions: usize,
    count: usize,
    vectors: Vectors,
}

#[wasm_bindgen]
impl VectorIndex {
    /// Creates an empty index for vectors of `dimensions` numbers.
    #[wasm_bindgen(constructor)]
    pub fn new(dimensions: usize) -> Result<VectorIndex, JsValue> {
        if dimensions == 0 {
            return js(Err(Error::invalid("dimensions", "at least 1", "0")));
        }
        Ok(Self { dimensions, ..Self::default() })
    }

    /// Adds vectors, concatenated row by row; scales them to unit length.
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
            js(self.vectors.set(self.count, &vademecum_encoder::normalised(row)))?;
            self.count += 1;
        }
        Ok(())
    }

    /// Builds the sketches, which speed up searches over many vectors.
    pub fn build(&mut self) {
        self.vectors.seal();
    }

    /// Builds the HNSW graph, attaches it and returns its bytes. Takes minutes for tens of thousands of
    /// vectors.
    pub fn graph(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        let Some(graph) = self.vectors.build_graph() else { return Ok(None) };
        let bytes = js(graph.to_bytes())?;
        Ok(self.vectors.set_graph(graph).then_some(bytes))
    }

    /// Attaches a graph that was built over the same vectors.
    #[wasm_bindgen(js_name = setGraph)]
    pub fn set_graph(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        let fits = Graph::from_bytes(bytes).is_some_and(|graph| self.vectors.set_graph(graph));
        if fits { Ok(()) } else { js(Err(Error::invalid("graph", "a graph over these vectors", "another"))) }
    }

    /// Returns the `limit` nearest vectors: `{ ids, scores, method }`. Options: `{ method, ef, candidates }`.
    pub fn search(
        &self,
        query: &[f32],
        limit: usize,
        #[wasm_bindgen(
            unchecked_param_type = "{ method?: \"exact\" | \"sketch\" | \"hnsw\"; ef?: number; candidates?: number } | null | undefined"
        )]
        options: JsValue,
    ) -> Result<Found, JsValue> {
        let effort = js(effort_of(&options))?;
        let query = vademecum_encoder::normalised(query);
        let nearest = js(self.vectors.search(&query, limit, -1.0, None, effort))?;
        let found = found(&nearest.rows);
        if let Some(method) = nearest.method {
            found.set_method(name_of(method).into());
        }
        Ok(found)
    }

    /// Serialises the index.
    pub fn save(&self) -> Result<Vec<u8>, JsValue> {
        if self.count == 0 {
            return js(Err(Error::invalid(
                "save",
                "called on an index with vectors",
                "called on an empty one",
            )));
        }
        js(standalone::save_vectors(&self.vectors))
    }

    /// Reads the output of `save`.
    pub fn load(bytes: &[u8]) -> Result<VectorIndex, JsValue> {
        let vectors = js(standalone::load_vectors(bytes))?;
        Ok(Self { dimensions: vectors.dimensions().max(1), count: vectors.present().len(), vectors })
    }

    /// Returns the memory in bytes: `{ vectors, sketch, graph }`.
    pub fn memory(&self) -> JsValue {
        let memory = self.vectors.memory();
        let parts = [("vectors", memory.vectors), ("sketch", memory.sketch), ("graph", memory.graph)];
        let object = Object::new();
        for (part, bytes) in parts {
            // Setting a property of a fresh object cannot fail.
            let _ = Reflect::set(&object, &part.into(), &(bytes as f64).into());
        }
        object.into()
    }
}

#[wasm_bindgen]
extern "C" {
    /// Search options, read property by property: generic deserialisation takes longer than a search.
    type Options;

    #[wasm_bindgen(method, getter, structural)]
    fn method(this: &Options) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn ef(this: &Options) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    fn candidates(this: &Options) -> JsValue;
}

fn effort_of(options: &JsValue) -> Result<Effort> {
    let mut effort = Effort::default();
    let Some(object) = options.dyn_ref::<Object>() else { return Ok(effort) };
    let options: &Options = object.unchecked_ref();
    let given = |value: JsValue| (!value.is_undefined() && !value.is_null()).then_some(value);
    let mut read = 0;
    if let Some(value) = given(options.method()) {
        effort.method = Some(method_of(&value)?);
        read += 1;
    }
    for (key, value, slot) in
        [("ef", options.ef(), &mut effort.ef), ("candidates", options.candidates(), &mut effort.candidates)]
    {
        if let Some(value) = given(value) {
            let number = value.as_f64().filter(|number| *number >= 1.0);
            let number =
                number.ok_or_else(|| Error::invalid(key, "a whole number from 1", format!("{value:?}")))?;
            *slot = Some(number as usize);
            read += 1;
        }
    }
    let keys = Object::keys(object);
    if keys.length() > read {
        let mut names = keys.iter().filter_map(|key| key.as_string());
        if let Some(other) = names.find(|key| !["method", "ef", "candidates"].contains(&key.as_str())) {
            let expected = "an object with method, ef, candidates";
            return Err(Error::invalid("options", expected, format!("one with `{other}`")));
        }
    }
    Ok(effort)
}

fn method_of(value: &JsValue) -> Result<Method> {
    match value.as_string().as_deref() {
        Some("exact") => Ok(Method::Exact),
        Some("sketch") => Ok(Method::Sketch),
        Some("hnsw") => Ok(Method::Hnsw),
        _ => Err(Error::invalid("method", "\"exact\", \"sketch\" or \"hnsw\"", format!("{value:?}"))),
    }
}

const fn name_of(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Sketch => "sketch",
        Method::Hnsw => "hnsw",
    }
}
