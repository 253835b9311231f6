//! The wasm boundary: what the npm package's JavaScript calls. One file an exported class or an implemented port.
//!
//! Every method takes `&self`, takes what it needs at once and returns a `Promise`, so that no borrow is held while
//! JavaScript runs. Values cross as plain JSON-like objects, vectors as flat typed arrays.
//!
//! The package has a wasm module for each of the features `engine`, `agent`, `html` and `index`, so that a page that searches does not
//! wait for the agent. The agent's module asks the engine's by way of JavaScript (`searched`, `searcher`).

#[cfg(any(feature = "engine", feature = "agent"))]
mod abort;
#[cfg(feature = "agent")]
pub mod agent;
#[cfg(feature = "agent")]
mod call;
#[cfg(any(feature = "engine", feature = "agent"))]
mod convert;
#[cfg(feature = "onnx")]
mod counter;
#[cfg(feature = "engine")]
pub mod directory;
#[cfg(feature = "engine")]
mod documents;
#[cfg(feature = "engine")]
pub mod embedder;
#[cfg(feature = "engine")]
pub mod engine;
#[cfg(any(feature = "engine", feature = "agent", feature = "index"))]
mod error;
#[cfg(feature = "onnx")]
mod fetch;
#[cfg(feature = "agent")]
mod functions;
mod host;
#[cfg(feature = "agent")]
mod llm;
#[cfg(feature = "onnx")]
pub mod onnx_embedder;
#[cfg(any(feature = "engine", feature = "agent"))]
mod platform;
#[cfg(feature = "index")]
pub mod raw;
#[cfg(feature = "html")]
pub mod read_html;
#[cfg(feature = "engine")]
pub mod searched;
#[cfg(feature = "agent")]
pub mod searcher;
#[cfg(any(feature = "engine", feature = "agent"))]
mod thrown;
#[cfg(all(feature = "engine", not(feature = "html")))]
pub mod use_html;
