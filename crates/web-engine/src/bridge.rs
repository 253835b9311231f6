//! What the agent's module, which has no index, asks of an [`Engine`]: its `Searcher` port, replies as JSON text. Text
//! crosses faster than objects, and keeps what JavaScript has no word for, such as whether `1.0` was whole.

use super::engine::Engine;
use js_sys::Promise;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use vademecum_engine::{KnowledgeBase, View};
use vademecum_eval::{CaseOptions, draft_cases};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::searcher::{Found, SearchLimits, Searcher, Strategy};
use vademecum_web::convert::{from_js, to_js};
use vademecum_web::error;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// What was found, with an error as plain data.
#[derive(Serialize)]
struct FoundText {
    hits: Vec<Hit>,
    total: usize,
    mode: Strategy,
    /// Code, message, and whether to try again.
    degraded: Option<(&'static str, String, bool)>,
}

impl From<Found> for FoundText {
    fn from(Found { hits, total, mode, degraded }: Found) -> Self {
        let degraded = degraded.map(|error| (error.code(), error.to_string(), error.retryable()));
        Self { hits, total, mode, degraded }
    }
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::invalid("reply", "plain data", error.to_string()))
}

/// The agent's module is of the same version as this one.
fn read<T: DeserializeOwned>(request: &str) -> Result<T> {
    serde_json::from_str(request)
        .map_err(|error| Error::invalid("request", "what the agent's module sends", error.to_string()))
}

#[wasm_bindgen]
impl Engine {
    /// Searches collections as one: `[question, collections, limits, fieldsOf]`. The signal is aborted when the run that asks
    /// has ended.
    #[wasm_bindgen(js_name = searchFor)]
    pub fn search_for(&self, request: String, sendable: bool, signal: Option<AbortSignal>) -> Promise {
        self.promise_text(signal, async move |kb, linked| {
            let (question, collections, mut limits, fields_of): (String, Vec<String>, SearchLimits, _) =
                read(&request)?;
            limits.fields_of = fields_of;
            let found = linked
                .cancel
                .guard(View { kb: &kb, sendable }.search_all(&question, &collections, &limits))
                .await??;
            text(&FoundText::from(found))
        })
    }

    /// The least cosine that a run asks of vector hits unless it names one itself.
    pub fn threshold(&self) -> Option<f32> {
        self.0.default_threshold()
    }

    /// The collections as a model chooses among them. Here and below, nothing depends on documents that are never sent where
    /// `sendable` is said.
    pub fn collections(&self, sendable: bool) -> Result<String, JsValue> {
        self.told(|kb| text(&View { kb, sendable }.collections()?))
    }

    /// The chunks of all documents that are never sent.
    #[wasm_bindgen(js_name = neverSent)]
    pub fn never_sent(&self) -> Result<String, JsValue> {
        self.told(|kb| text(&View { kb, sendable: false }.never_sent()?))
    }

    /// A document and its chunks: `[collections, id, filters]`.
    #[wasm_bindgen(js_name = documentFor)]
    pub fn document_for(&self, request: &str, sendable: bool) -> Result<String, JsValue> {
        self.told(|kb| {
            let (collections, id, filters): (Vec<String>, String, Option<Value>) = read(request)?;
            text(&View { kb, sendable }.document(&collections, &id, filters.as_ref())?)
        })
    }

    /// The documents that fulfil a filter: `[collection, filters, fieldsOf, limit]`.
    pub fn listing(&self, request: &str, sendable: bool) -> Result<String, JsValue> {
        self.told(|kb| {
            let (collection, filters, fields_of, limit): (String, Option<Value>, Vec<String>, usize) =
                read(request)?;
            text(&View { kb, sendable }.listing(&collection, filters.as_ref(), &fields_of, limit)?)
        })
    }

    /// The most frequent values of a field: `[collection, field, filters]`.
    pub fn values(&self, request: &str, sendable: bool) -> Result<String, JsValue> {
        self.told(|kb| {
            let (collection, field, filters): (String, String, Option<Value>) = read(request)?;
            text(&View { kb, sendable }.values(&collection, &field, filters.as_ref())?)
        })
    }

    /// Cases by rule, by [`CaseOptions`], for the agent's `writeCases`.
    #[wasm_bindgen(js_name = draftCases)]
    pub fn draft_cases(&self, options: JsValue, signal: Option<AbortSignal>) -> Promise {
        let options = from_js::<CaseOptions>("makeCases", options);
        self.promise_text(signal, async move |kb, linked| text(&draft_cases(&kb, &options?, &linked.cancel)?))
    }

    /// Of each document that is looked for, those collections that hold it.
    pub fn locate(&self, wanted: JsValue) -> Result<JsValue, JsValue> {
        let found = from_js("wanted", wanted).and_then(|wanted| located(&self.0, &wanted));
        found.map_err(|error| error::to_js(&error)).and_then(|found| to_js(&found))
    }

    fn told(&self, tell: impl FnOnce(&KnowledgeBase) -> Result<String>) -> Result<String, JsValue> {
        tell(&self.0).map_err(|error| error::to_js(&error))
    }
}

/// Documents that are looked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    ids: Vec<String>,
    collections: Vec<String>,
}

/// What [`Engine::locate`] takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllWanted {
    wanted: Vec<Wanted>,
}

fn located(kb: &KnowledgeBase, all: &AllWanted) -> Result<Vec<Vec<Vec<String>>>> {
    let of_one = |one: &Wanted| one.ids.iter().map(|id| kb.holding(id, &one.collections)).collect();
    all.wanted.iter().map(of_one).collect()
}
