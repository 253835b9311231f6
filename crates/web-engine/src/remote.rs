//! Implements the port of remote collections by a JavaScript object, and attaches them.

use super::engine::Engine;
use futures_util::future::LocalBoxFuture;
use js_sys::{Float32Array, Promise};
use serde::Serialize;
use serde_json::Value;
use std::rc::Rc;
use vademecum_engine::SearchRequest;
use vademecum_engine::federation::{RemoteCollection, RemoteIds, RemoteOptions, RemoteRequest};
use vademecum_protocol::error::{Error, Result};
use vademecum_web::abort::AbortOnDrop;
use vademecum_web::convert::{from_js, to_js};
use vademecum_web::error;
use vademecum_web::thrown::{code_of, is_retryable, message_of};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

#[wasm_bindgen]
extern "C" {
    /// `{ search(request, vector, signal), documents(ids, signal) }`. Requests and replies are JSON text.
    pub type JsRemote;

    #[wasm_bindgen(method, catch)]
    fn search(
        this: &JsRemote,
        request: String,
        vector: JsValue,
        signal: &AbortSignal,
    ) -> Result<Promise, JsValue>;

    /// Resolves to undefined if the collection gives no documents.
    #[wasm_bindgen(method, catch)]
    fn documents(this: &JsRemote, ids: String, signal: &AbortSignal) -> Result<Promise, JsValue>;
}

/// Converts what the page throws: it has given it a code of remote collections.
fn failed(thrown: &JsValue) -> Error {
    let (code, message) = (code_of(thrown).unwrap_or_default(), message_of(thrown));
    let known = Error::relayed_by_remote(&code, message.clone(), is_retryable(thrown));
    known.unwrap_or(Error::Relayed { code: "remote_failed", message, retryable: false })
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::invalid("request", "plain data", error.to_string()))
}

fn json(reply: &JsValue) -> Result<Value> {
    let text = reply.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| Error::invalid("reply", "JSON text", error.to_string()))
}

fn read(options: &str) -> Result<RemoteOptions> {
    serde_json::from_str(options).map_err(|error| Error::invalid("attach", "its options", error.to_string()))
}

async fn settled(
    call: impl FnOnce(&AbortSignal) -> std::result::Result<Promise, JsValue>,
) -> Result<JsValue> {
    let abort = AbortOnDrop::new().map_err(|thrown| failed(&thrown))?;
    let promise = call(&abort.signal()).map_err(|thrown| failed(&thrown))?;
    abort.settled(promise).await.map_err(|thrown| failed(&thrown))
}

impl RemoteCollection for JsRemote {
    fn search<'a>(&'a self, request: &'a RemoteRequest) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let vector = request.vector.as_ref();
            let vector = vector.map_or(JsValue::NULL, |vector| Float32Array::from(vector.as_slice()).into());
            let request = text(request)?;
            json(&settled(|signal| JsRemote::search(self, request, vector, signal)).await?)
        })
    }

    fn documents<'a>(&'a self, ids: &'a RemoteIds) -> LocalBoxFuture<'a, Result<Option<Value>>> {
        Box::pin(async move {
            let ids = text(ids)?;
            let reply = settled(|signal| JsRemote::documents(self, ids, signal)).await?;
            if reply.is_undefined() { Ok(None) } else { json(&reply).map(Some) }
        })
    }
}

#[wasm_bindgen]
impl Engine {
    /// Attaches a remote collection, by [`RemoteOptions`] as JSON text, in which null is not the same as absent.
    pub fn attach(&self, name: &str, remote: JsRemote, options: &str) -> Result<(), JsValue> {
        let attached = read(options).and_then(|options| self.0.attach(name, Rc::new(remote), options));
        attached.map_err(|error| error::to_js(&error))
    }

    /// Detaches a remote collection; returns whether there was one.
    pub fn detach(&self, name: &str) -> Result<bool, JsValue> {
        self.0.detach(name).map_err(|error| error::to_js(&error))
    }

    /// Searches a remote collection alone, without attaching it; its hits are of a collection `name`.
    #[wasm_bindgen(js_name = searchRemote)]
    pub fn search_remote(
        &self,
        name: String,
        remote: JsRemote,
        options: String,
        request: JsValue,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let options = read(&options);
        let request = from_js::<SearchRequest>("search", request);
        self.promise(signal, async move |kb, linked| {
            kb.search_remote(&name, Rc::new(remote), options?, request?, &linked.cancel).await
        })
    }

    /// Returns a document of a remote collection with its passages; null if it has none of this id.
    #[wasm_bindgen(js_name = remoteDocument)]
    pub fn remote_document(&self, name: String, id: String, signal: Option<AbortSignal>) -> Promise {
        self.promise_as(
            signal,
            async move |kb, linked| linked.cancel.guard(kb.remote_document(&name, &id, None)).await?,
            |view| to_js(&view),
        )
    }
}
