//! Shared by the wasm modules: conversion of values and errors, abort signals, and host functions.
//! The folder `js` contains the npm package's JavaScript, which calls the modules.
//!
//! Compiled for wasm only. An exported method follows one pattern:
//!
//! ```ignore
//! #[wasm_bindgen]
//! pub fn search(&self, request: JsValue, signal: Option<AbortSignal>) -> Promise {
//!     let request = from_js::<SearchRequest>("search", request); // read arguments first
//!     let (kb, linked) = (self.0.clone(), Linked::to(signal));
//!     future_to_promise(async move {
//!         let response = kb.search(&request?, &linked.cancel).await;
//!         response.map_err(|error| error::to_js(&error)).and_then(|response| convert::to_js(&response))
//!     })
//! }
//! ```
//!
//! It takes `&self`, reads its arguments immediately and returns a `Promise`, so that no borrow is held while
//! JavaScript runs. Values cross as plain JSON-like objects ([`convert`]), errors as `Error` objects with a
//! code ([`error`]), vectors as typed arrays. [`abort::Linked`] turns an `AbortSignal` into a cancellation.
//!
//! Start reading at `convert.rs`.

#![cfg(target_arch = "wasm32")]

pub mod abort;
pub mod convert;
pub mod error;
mod host;
#[cfg(feature = "message-pauses")]
mod message_pause;
pub mod platform;
#[cfg(feature = "runtime")]
pub mod runtime;
pub mod thrown;
