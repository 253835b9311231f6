//! Serves the `Searcher` port to the agent's module, which has no index. Requests and replies are JSON text,
//! which crosses faster than objects and preserves what JavaScript does not, such as the difference between
//! `1.0` and `1`.

use super::engine::{Engine, settled};
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

/// Search results, with the error as plain data.
#[derive(Serialize)]
struct FoundText {
    hits: Vec<Hit>,
    total: usize,
    mode: Strategy,
    /// Code, message, and whether it is retryable.
    degraded: Option<Plain>,
    /// The same of collections that could not be searched.
    #[cfg(feature = "meaning")]
    lost: Vec<Plain>,
}

/// An error as plain data.
type Plain = (&'static str, String, bool);

fn plain(error: &Error) -> Plain {
    (error.code(), error.to_string(), error.retryable())
}

impl From<Found> for FoundText {
    fn from(Found { hits, total, mode, degraded, lost }: Found) -> Self {
        #[cfg(not(feature = "meaning"))]
        drop(lost);
        Self {
            hits,
            total,
            mode,
            degraded: degraded.as_ref().map(plain),
            #[cfg(feature = "meaning")]
            lost: lost.iter().map(plain).collect(),
        }
    }
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::invalid("reply", "plain data", error.to_string()))
}

/// Parses a request; the agent's module has the same version as this one.
fn read<T: DeserializeOwned>(request: &str) -> Result<T> {
    serde_json::from_str(request)
        .map_err(|error| Error::invalid("request", "what the agent's module sends", error.to_string()))
}

#[wasm_bindgen]
impl Engine {
    /// Searches several collections as one: `[question, collections, limits, fieldsOf]`. The signal is
    /// aborted when the requesting run, of which `run` is the number, ends.
    #[wasm_bindgen(js_name = searchFor)]
    pub fn search_for(
        &self,
        request: String,
        sendable: bool,
        signal: Option<AbortSignal>,
        run: Option<u32>,
    ) -> Promise {
        self.promise_text(signal, async move |kb, linked| {
            let (question, collections, mut limits, fields_of): (String, Vec<String>, SearchLimits, _) =
                read(&request)?;
            limits.fields_of = fields_of;
            let found = linked
                .cancel
                .guard(View { kb: &kb, sendable }.search_as(run, &question, &collections, &limits))
                .await??;
            text(&FoundText::from(found))
        })
    }

    /// Counts the chunks that contain each of these terms.
    pub fn frequencies(&self, terms: &str, sendable: bool) -> Result<String, JsValue> {
        self.text_of(|kb| text(&View { kb, sendable }.frequencies(&read::<Vec<String>>(terms)?)?))
    }

    /// Corrects misspelt words of a question; in the lite build at once, because no embedder is asked.
    #[cfg(not(feature = "meaning"))]
    #[wasm_bindgen(js_name = didYouMean)]
    pub fn did_you_mean(&self, question: &str, sendable: bool) -> Result<String, JsValue> {
        self.text_of(|kb| text(&kb.corrected(question, false, sendable, &|_| false)?))
    }

    /// Corrects misspelt words of a question.
    #[cfg(feature = "meaning")]
    #[wasm_bindgen(js_name = didYouMean)]
    pub fn did_you_mean(&self, question: String, sendable: bool) -> Promise {
        self.promise_text(None, async move |kb, _| text(&kb.did_you_mean(&question, false, sendable).await?))
    }

    /// Measures a question against passages and texts, by a
    /// [`RelevanceRequest`](vademecum_protocol::relevance::RelevanceRequest). Not in the lite build, which has no room for it: words
    /// decide there.
    #[cfg(feature = "meaning")]
    pub fn relevance(&self, request: String, sendable: bool, signal: Option<AbortSignal>) -> Promise {
        self.promise_text(signal, async move |kb, linked| {
            let request = read(&request)?;
            text(&linked.cancel.guard(kb.relevance(&request, sendable)).await??)
        })
    }

    /// Returns the default threshold of runs.
    pub fn threshold(&self) -> Option<f32> {
        self.0.default_threshold()
    }

    /// Returns the collections for a model to choose from. With `sendable`, here and below, results do not
    /// depend on documents marked `neverSend`.
    pub fn collections(&self, sendable: bool) -> Result<String, JsValue> {
        self.text_of(|kb| text(&View { kb, sendable }.collections()?))
    }

    /// Returns what a text holds of documents that are never sent.
    #[wasm_bindgen(js_name = neverSentIn)]
    pub fn never_sent_in(&self, wanted: &str) -> Result<String, JsValue> {
        self.text_of(|kb| text(&View { kb, sendable: false }.never_sent_in(wanted)?))
    }

    /// Returns a document and its chunks: `[collections, id, filters]`.
    #[wasm_bindgen(js_name = documentFor)]
    pub fn document_for(&self, request: &str, sendable: bool) -> Result<String, JsValue> {
        self.text_of(|kb| {
            let (collections, id, filters): (Vec<String>, String, Option<Value>) = read(request)?;
            text(&View { kb, sendable }.document(&collections, &id, filters.as_ref())?)
        })
    }

    /// Returns a document of a remote collection and its passages: `[collection, id]`.
    #[cfg(feature = "meaning")]
    #[wasm_bindgen(js_name = documentElsewhere)]
    pub fn document_elsewhere(
        &self,
        request: String,
        sendable: bool,
        signal: Option<AbortSignal>,
        run: Option<u32>,
    ) -> Promise {
        self.promise_text(signal, async move |kb, linked| {
            let (collection, id): (String, String) = read(&request)?;
            let view = View { kb: &kb, sendable };
            text(&linked.cancel.guard(view.document_as(run, &collection, &id)).await??)
        })
    }

    /// Lists the documents that match a filter: `[collection, filters, fieldsOf, limit]`.
    pub fn listing(&self, request: &str, sendable: bool) -> Result<String, JsValue> {
        self.text_of(|kb| {
            let (collection, filters, fields_of, limit): (String, Option<Value>, Vec<String>, usize) =
                read(request)?;
            text(&View { kb, sendable }.listing(&collection, filters.as_ref(), &fields_of, limit)?)
        })
    }

    /// Returns the most frequent values of a field: `[collection, field, filters]`.
    pub fn values(&self, request: &str, sendable: bool) -> Result<String, JsValue> {
        self.text_of(|kb| {
            let (collection, field, filters): (String, String, Option<Value>) = read(request)?;
            text(&View { kb, sendable }.values(&collection, &field, filters.as_ref())?)
        })
    }

    /// Generates questions by rule from [`CaseOptions`], as input of the agent's `writeCases`.
    #[wasm_bindgen(js_name = draftCases)]
    pub fn draft_cases(&self, options: JsValue, signal: Option<AbortSignal>) -> Promise {
        let options = from_js::<CaseOptions>("makeCases", options);
        self.promise_text(signal, async move |kb, linked| text(&draft_cases(&kb, &options?, &linked.cancel)?))
    }

    /// Returns, per document id, the given collections that contain it.
    pub fn locate(&self, wanted: JsValue) -> Result<JsValue, JsValue> {
        let found = from_js("wanted", wanted).and_then(|wanted| located(&self.0, &wanted));
        found.map_err(|error| error::to_js(&error)).and_then(|found| to_js(&found))
    }

    fn text_of(&self, read_kb: impl FnOnce(&KnowledgeBase) -> Result<String>) -> Result<String, JsValue> {
        settled(&self.0, read_kb(&self.0)).map_err(|error| error::to_js(&error))
    }
}

/// Ids to look up, and the collections to look in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    ids: Vec<String>,
    collections: Vec<String>,
}

/// The argument of [`Engine::locate`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllWanted {
    wanted: Vec<Wanted>,
}

fn located(kb: &KnowledgeBase, all: &AllWanted) -> Result<Vec<Vec<Vec<String>>>> {
    let of_one = |one: &Wanted| one.ids.iter().map(|id| kb.holding(id, &one.collections)).collect();
    all.wanted.iter().map(of_one).collect()
}
