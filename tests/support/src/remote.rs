//! Remote collections for tests: another library, scripted replies, and a clock that runs while others wait.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Poll;
use vademecum::cancel::Cancel;
use vademecum::document::Hit;
use vademecum::engine::federation::{RemoteCollection, RemoteIds, RemoteRequest};
use vademecum::engine::{KnowledgeBase, Mode, SearchRequest};
use vademecum::error::Result;
use vademecum::platform::Platform;

/// A remote collection that is a library of its own.
pub struct Elsewhere {
    pub kb: KnowledgeBase,
    pub requests: RefCell<Vec<RemoteRequest>>,
    /// Whether hits have no score of words, as those of vector databases.
    pub vectors_only: bool,
}

impl Elsewhere {
    pub fn of(kb: KnowledgeBase) -> Rc<Self> {
        Rc::new(Self { kb, requests: RefCell::default(), vectors_only: false })
    }
}

fn plain(hit: &Hit, vectors_only: bool) -> Value {
    let score =
        |arm: &str| hit.explain.as_ref().map(|explain| explain[arm]["score"].clone()).unwrap_or_default();
    let chunk = &hit.chunk;
    json!({
        "id": chunk.id, "docId": chunk.doc_id, "text": chunk.text, "title": chunk.title, "headings": chunk.headings,
        "metadata": chunk.metadata, "vector": score("vector"),
        "keyword": if vectors_only { Value::Null } else { score("keyword") },
    })
}

impl RemoteCollection for Elsewhere {
    fn search<'a>(&'a self, request: &'a RemoteRequest) -> LocalBoxFuture<'a, Result<Value>> {
        self.requests.borrow_mut().push(request.clone());
        Box::pin(async move {
            let own = SearchRequest {
                query: request.query.clone().unwrap_or_else(|| "?".to_owned()),
                mode: if self.vectors_only { Mode::Vector } else { request.mode },
                limit: request.limit,
                filters: request.filters.clone(),
                documents: request.documents.clone(),
                threshold: request.threshold,
                explain: true,
                ..SearchRequest::default()
            };
            let found = self.kb.search(&own, &Cancel::default()).await?;
            let hits: Vec<Value> = found.hits.iter().map(|hit| plain(hit, self.vectors_only)).collect();
            Ok(json!({ "hits": hits, "total": found.total }))
        })
    }

    fn documents<'a>(&'a self, ids: &'a RemoteIds) -> LocalBoxFuture<'a, Result<Option<Value>>> {
        let document = |id: &String| self.kb.document("default", id).ok();
        let one = |id: &String| {
            document(id).map(|view| {
                let passages: Vec<Value> =
                    view.chunks.iter().map(|chunk| json!({ "id": chunk.id, "text": chunk.text })).collect();
                json!({ "id": id, "title": view.document.title, "metadata": view.document.metadata, "passages": passages })
            })
        };
        let all: Vec<Value> = ids.ids.iter().filter_map(one).collect();
        Box::pin(std::future::ready(Ok(Some(json!({ "documents": all })))))
    }
}

/// A remote collection that gives the same outcome to every search; `None` is one that never answers.
pub struct Scripted {
    pub outcome: Option<Result<Value>>,
    pub asked: Cell<usize>,
    /// Searches that ended without being answered.
    pub dropped: Rc<Cell<usize>>,
}

impl Scripted {
    pub fn of(outcome: Option<Result<Value>>) -> Rc<Self> {
        Rc::new(Self { outcome, asked: Cell::default(), dropped: Rc::default() })
    }
}

struct OnDrop(Rc<Cell<usize>>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

impl RemoteCollection for Scripted {
    fn search<'a>(&'a self, _: &'a RemoteRequest) -> LocalBoxFuture<'a, Result<Value>> {
        self.asked.set(self.asked.get() + 1);
        match self.outcome.clone() {
            Some(outcome) => Box::pin(std::future::ready(outcome)),
            None => {
                let guard = OnDrop(self.dropped.clone());
                Box::pin(async move {
                    let _guard = guard;
                    std::future::pending().await
                })
            }
        }
    }
}

/// A clock that passes a millisecond whenever a timer is polled.
#[derive(Default)]
pub struct Passing(Rc<Cell<f64>>);

impl Platform for Passing {
    fn now(&self) -> f64 {
        self.0.get()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        let (clock, until) = (self.0.clone(), self.0.get() + milliseconds);
        Box::pin(std::future::poll_fn(move |context| {
            if clock.get() >= until {
                return Poll::Ready(());
            }
            clock.set(clock.get() + 1.0);
            context.waker().wake_by_ref();
            Poll::Pending
        }))
    }
}
