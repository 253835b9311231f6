//! Test helpers of several crates: small libraries, scripted LLMs and random cases.
//!
//! ```
//! let kb = vademecum_testing::kb(None);
//! assert_eq!(kb.stats().unwrap().documents, 0);
//! ```
#![allow(dead_code, unreachable_pub, missing_docs, missing_debug_implementations)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

pub mod agent;
pub mod bert;
pub mod corpus;
pub mod directory;
pub mod model;
pub mod obedient;
pub mod random;
pub mod remote;
pub mod styles;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Poll;
use std::time::{Duration, SystemTime};
use vademecum::cancel::Cancel;
use vademecum::document::{Document, Format};
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::encoder::{Embedder, Embeddings, Kind};
use vademecum::engine::{Added, KnowledgeBase, Mode, Options, SearchRequest, SearchResponse};
use vademecum::error::{Error, Result};
use vademecum::platform::Native;

/// Polls a future to its end. Futures in these tests never wait for external events, so one that is still pending after
/// many polls would never finish.
pub fn block_on<F: Future>(work: F) -> F::Output {
    let mut work = std::pin::pin!(work);
    (0..10_000).find_map(|_| work.as_mut().now_or_never()).expect("work that ends")
}

/// Yields to other tasks once.
pub async fn turn() {
    let mut passed = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut passed, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Runs `work` on up to a megabyte of input, and panics if it takes more than five seconds of CPU time: far more than
/// linear algorithms need, and far less than quadratic ones.
pub fn in_linear_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    in_seconds(5, what, work)
}

/// Runs `work`, and panics if it takes more than `most` seconds of CPU time. Uses wall-clock time on systems without
/// CPU time per thread.
pub fn in_seconds<T>(most: u64, what: &str, work: impl FnOnce() -> T) -> T {
    let began = spent();
    let done = work();
    let took = spent() - began;
    assert!(took < Duration::from_secs(most), "{what} took {took:?}");
    done
}

/// Returns the CPU time of this thread, or the wall-clock time on systems without it.
fn spent() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ours = told.and_then(|told| told.split(' ').next()?.parse().ok());
    ours.map(Duration::from_nanos)
        .unwrap_or_else(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap())
}

pub fn kb(embedder: Option<Rc<dyn Embedder>>) -> KnowledgeBase {
    KnowledgeBase::new(embedder, Rc::new(Native::default()), Options::default())
}

pub fn hashing() -> Option<Rc<dyn Embedder>> {
    Some(Rc::new(HashingEmbedder))
}

/// Returns the hashing embedder under another name, as libraries store it.
pub fn hashing_named(name: &'static str) -> Rc<dyn Embedder> {
    Rc::new(Named(name))
}

struct Named(&'static str);

impl Embedder for Named {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        HashingEmbedder.embed(texts, kind)
    }

    fn id(&self) -> Option<String> {
        Some(self.0.to_owned())
    }
}

pub fn add(kb: &KnowledgeBase, documents: Vec<Document>) -> Result<Added> {
    block_on(kb.add("default", documents, &Cancel::default(), &|_| {}))
}

pub fn search(kb: &KnowledgeBase, query: &str, mode: Mode) -> Result<SearchResponse> {
    let request = SearchRequest { query: query.into(), mode, ..SearchRequest::default() };
    block_on(kb.search(&request, &Cancel::default()))
}

pub fn ids(response: &SearchResponse) -> Vec<&str> {
    response.hits.iter().map(|hit| hit.chunk.doc_id.as_str()).collect()
}

pub fn markdown(id: &str, text: &str) -> Document {
    Document { format: Some(Format::Markdown), ..Document::new(id, text) }
}

/// Returns the documents of a small library for tests of the agent.
pub fn contracts() -> Vec<Document> {
    vec![
        markdown(
            "acme.md",
            "# ACME support contract\n\n## Termination\n\nEither party may end this contract with a notice of 30 days. \
             The notice must be in writing.\n\n## Price\n\nThe yearly price is 12,000 euros.",
        ),
        markdown(
            "globex.md",
            "# Globex licence\n\n## Renewal\n\nThe licence renews itself every year.\n\n## Liability\n\nLiability is limited \
             to the fees that were paid.",
        ),
    ]
}

/// A function that receives the number of each call of an embedder before it runs.
pub type Hook = Box<dyn Fn(usize)>;

/// An embedder that counts its calls, calls a hook before each, and fails on demand.
#[derive(Default)]
pub struct TestEmbedder {
    pub failing: Cell<bool>,
    pub calls: Cell<usize>,
    pub before: RefCell<Option<Hook>>,
    pub not_ready: Cell<bool>,
    /// Yields to other tasks before each result.
    pub slow: Cell<bool>,
    /// All texts that it received.
    pub texts: RefCell<Vec<String>>,
}

impl Embedder for TestEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        self.calls.set(self.calls.get() + 1);
        if let Some(before) = &*self.before.borrow() {
            before(self.calls.get());
        }
        if self.failing.get() {
            return Box::pin(std::future::ready(Err(Error::EmbedderFailed {
                reason: "out of order".into(),
            })));
        }
        self.texts.borrow_mut().extend_from_slice(texts);
        let slow = self.slow.get();
        Box::pin(async move {
            if slow {
                turn().await;
            }
            HashingEmbedder.embed(texts, kind).await
        })
    }

    fn is_ready(&self) -> bool {
        !self.not_ready.get()
    }
}
