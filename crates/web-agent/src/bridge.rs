//! Implements the [`Searcher`] port over the `Engine` of another wasm module.

use super::call::Call;
use futures_util::future::LocalBoxFuture;
use js_sys::{Promise, Reflect};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use vademecum_agent::ports::{CollectionView, Found, NeverSentText, SearchLimits, Searcher, Strategy};
use vademecum_protocol::document::{DocumentSummary, Hit, Listing};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::relevance::{Frequencies, Relevance, RelevanceRequest};
use vademecum_web::thrown::{code_of, is_retryable, message_of};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The methods of `Engine` that the agent calls. With `sendable`, no result depends on documents that are never sent.
    #[derive(Debug)]
    pub type JsSearcher;

    #[wasm_bindgen(method, catch, js_name = searchFor)]
    fn search_for(
        this: &JsSearcher,
        request: String,
        sendable: bool,
        signal: JsValue,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = frequencies)]
    fn frequencies_text(this: &JsSearcher, terms: String, sendable: bool) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = didYouMean)]
    fn did_you_mean_text(this: &JsSearcher, question: &str, sendable: bool) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = relevance)]
    fn relevance_text(
        this: &JsSearcher,
        request: String,
        sendable: bool,
        signal: JsValue,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method)]
    fn threshold(this: &JsSearcher) -> Option<f32>;

    #[wasm_bindgen(method, catch, js_name = collections)]
    fn collections_text(this: &JsSearcher, sendable: bool) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = neverSentIn)]
    fn never_sent_in_text(this: &JsSearcher, text: &str) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = documentFor)]
    fn document_text(this: &JsSearcher, request: String, sendable: bool) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = documentElsewhere)]
    fn document_elsewhere_text(
        this: &JsSearcher,
        request: String,
        sendable: bool,
        signal: JsValue,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = listing)]
    fn listing_text(this: &JsSearcher, request: String, sendable: bool) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = values)]
    fn values_text(this: &JsSearcher, request: String, sendable: bool) -> Result<String, JsValue>;

    #[wasm_bindgen(method, js_name = isOpen)]
    fn is_open(this: &JsSearcher) -> bool;

    #[wasm_bindgen(method, catch, js_name = fingerprint)]
    fn fingerprint_text(this: &JsSearcher) -> Result<String, JsValue>;
}

impl JsSearcher {
    /// Checks that the engine was not closed.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub(super) fn check_open(&self) -> Result<()> {
        if self.is_open() { Ok(()) } else { Err(Error::Closed) }
    }
}

#[derive(Deserialize)]
struct FoundText {
    hits: Vec<Hit>,
    total: usize,
    mode: Strategy,
    degraded: Option<Plain>,
    #[serde(default)]
    lost: Vec<Plain>,
}

/// Code and message of an error, and whether it is retryable.
type Plain = (String, String, bool);

impl From<FoundText> for Found {
    fn from(FoundText { hits, total, mode, degraded, lost }: FoundText) -> Self {
        let error = |(code, message, retryable): Plain| relayed(&code, message, retryable);
        Self { hits, total, mode, degraded: degraded.map(error), lost: lost.into_iter().map(error).collect() }
    }
}

fn relayed(code: &str, message: String, retryable: bool) -> Error {
    let unknown = Error::FunctionFailed { what: "searching".into(), reason: message.clone(), cause: None };
    Error::relayed_by_remote(code, message, retryable).unwrap_or(unknown)
}

fn failed(thrown: &JsValue) -> Error {
    relayed(&code_of(thrown).unwrap_or_default(), message_of(thrown), is_retryable(thrown))
}

fn text(request: &impl Serialize) -> Result<String> {
    serde_json::to_string(request).map_err(|error| Error::invalid("request", "plain data", error.to_string()))
}

fn read<T: DeserializeOwned>(reply: Result<String, JsValue>) -> Result<T> {
    let reply = reply.map_err(|thrown| failed(&thrown))?;
    serde_json::from_str(&reply).map_err(|error| Error::FunctionFailed {
        what: "searching".into(),
        reason: error.to_string(),
        cause: None,
    })
}

/// An engine, with or without the documents that are never sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct EngineView<'e> {
    pub(super) engine: &'e JsSearcher,
    pub(super) sendable: bool,
}

impl Searcher for EngineView<'_> {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move { self.search_all(question, &[collection.to_owned()], limits).await })
    }

    fn search_all<'a>(
        &'a self,
        question: &'a str,
        collections: &'a [String],
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move {
            let request = text(&(question, collections, limits, &limits.fields_of))?;
            let mut call = Call::new();
            let promise = self
                .engine
                .search_for(request, self.sendable, call.signal())
                .map_err(|thrown| failed(&thrown))?;
            let reply = call.outcome(&promise).await.and_then(|text| text.as_string().ok_or(text));
            read::<FoundText>(reply).map(Found::from)
        })
    }

    fn threshold(&self) -> Option<f32> {
        JsSearcher::threshold(self.engine)
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        read(self.engine.collections_text(self.sendable))
    }

    fn never_sent_in(&self, text: &str) -> Result<NeverSentText> {
        read(self.engine.never_sent_in_text(text))
    }

    fn frequencies(&self, terms: &[String]) -> Result<Frequencies> {
        read(self.engine.frequencies_text(text(&terms)?, self.sendable))
    }

    fn did_you_mean<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            let mut call = Call::new();
            let found =
                self.engine.did_you_mean_text(question, self.sendable).map_err(|thrown| failed(&thrown))?;
            // The lite build returns the text itself.
            let promise = Promise::resolve(&found);
            read(call.outcome(&promise).await.and_then(|text| text.as_string().ok_or(text)))
        })
    }

    fn relevance<'a>(&'a self, request: &'a RelevanceRequest) -> LocalBoxFuture<'a, Result<Relevance>> {
        Box::pin(async move {
            // The lite build does not measure meaning.
            if !Reflect::has(self.engine, &"relevance".into()).unwrap_or(false) {
                return Ok(Relevance::default());
            }
            let mut call = Call::new();
            let promise = self
                .engine
                .relevance_text(text(request)?, self.sendable, call.signal())
                .map_err(|thrown| failed(&thrown))?;
            let reply = call.outcome(&promise).await.and_then(|text| text.as_string().ok_or(text));
            read(reply)
        })
    }

    fn fingerprint(&self) -> Option<String> {
        self.engine.fingerprint_text().ok()
    }

    fn document(
        &self,
        collections: &[String],
        id: &str,
        filters: Option<&Value>,
    ) -> Result<Option<(DocumentSummary, Vec<Hit>)>> {
        read(self.engine.document_text(text(&(collections, id, filters))?, self.sendable))
    }

    fn document_elsewhere<'a>(
        &'a self,
        collection: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<(DocumentSummary, Vec<Hit>)>>> {
        Box::pin(async move {
            let mut call = Call::new();
            let promise = self
                .engine
                .document_elsewhere_text(text(&(collection, id))?, self.sendable, call.signal())
                .map_err(|thrown| failed(&thrown))?;
            read(call.outcome(&promise).await.and_then(|text| text.as_string().ok_or(text)))
        })
    }

    fn listing(
        &self,
        collection: &str,
        filters: Option<&Value>,
        fields_of: &[String],
        limit: usize,
    ) -> Result<Listing> {
        read(self.engine.listing_text(text(&(collection, filters, fields_of, limit))?, self.sendable))
    }

    fn values(&self, collection: &str, field: &str, filters: Option<&Value>) -> Result<Vec<(Value, usize)>> {
        read(self.engine.values_text(text(&(collection, field, filters))?, self.sendable))
    }

    fn sendable(&self) -> Option<Box<dyn Searcher + '_>> {
        Some(Box::new(Self { sendable: true, ..*self }))
    }
}
