//! Embedders without a model behind them: one that only notes what it is asked for, one that has it all.

use crate::cache::{Cache, key};
use crate::encode::Text;
use futures_util::future::{LocalBoxFuture, ready};
use std::cell::RefCell;
use vademecum::Result;
use vademecum::embed::{Counter, Embedder, Embeddings, Kind};
use vademecum::error::Error;

/// Notes every text and gives it the cheapest unit vector there is.
pub(crate) struct Recorder {
    texts: RefCell<Vec<Text>>,
    counter: Option<Counter>,
}

impl Recorder {
    pub(crate) fn new(counter: Option<Counter>) -> Self {
        Self { texts: RefCell::default(), counter }
    }

    pub(crate) fn texts(&self) -> Vec<Text> {
        self.texts.borrow().clone()
    }
}

impl Embedder for Recorder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        self.texts.borrow_mut().extend(texts.iter().map(|text| Text::new(kind, text)));
        let count = texts.len();
        Box::pin(ready(Ok(Embeddings {
            dimensions: 1,
            values: vec![1.0; count],
            truncated: vec![false; count],
        })))
    }

    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(ready(self.counter.clone()))
    }
}

/// Gives what the cache holds.
pub(crate) struct CachedEmbedder {
    cache: RefCell<Cache>,
    counter: Option<Counter>,
}

impl CachedEmbedder {
    pub(crate) fn new(cache: Cache, counter: Option<Counter>) -> Self {
        Self { cache: RefCell::new(cache), counter }
    }

    /// The cache again; nothing can be embedded any more.
    pub(crate) fn release(&self) -> Cache {
        self.cache.take()
    }

    pub(crate) fn vector(&self, kind: Kind, text: &str) -> Option<Vec<f32>> {
        self.cache.borrow().get(&key(kind, text)).map(|row| row.vector.clone())
    }

    fn rows(&self, texts: &[String], kind: Kind) -> Result<Embeddings> {
        let cache = self.cache.borrow();
        let mut embeddings = Embeddings::default();
        for text in texts {
            let row = cache.get(&key(kind, text)).ok_or_else(|| Error::EmbedderFailed {
                reason: format!("there is no embedding of {text:?}"),
            })?;
            embeddings.dimensions = row.vector.len();
            embeddings.values.extend(&row.vector);
            embeddings.truncated.push(row.truncated);
        }
        Ok(embeddings)
    }
}

impl Embedder for CachedEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        Box::pin(ready(self.rows(texts, kind)))
    }

    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(ready(self.counter.clone()))
    }
}
