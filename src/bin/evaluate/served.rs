//! The embedders of a run: one that records the texts, and one that serves cached vectors.

use crate::cache::{Cache, Embedded, key};
use crate::encode::{Encoders, Text, embed, wait};
use futures_util::future::{LocalBoxFuture, ready};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use vademecum::Result;
use vademecum::cancel::Cancel;
use vademecum::encoder::alignment::{Aligned, Sought};
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::{Counter, Embedder, Embeddings, Kind};
use vademecum::platform::Native;

/// Records every text and returns a constant unit vector.
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

/// Returns cached vectors. Embeds only texts that are generated during a search, such as residual queries.
pub(crate) struct CachedEmbedder {
    cache: RefCell<Cache>,
    counter: Option<Counter>,
    encoders: Rc<Encoders>,
    encoder: OnceCell<NativeEmbedder>,
    made: Cell<usize>,
}

impl CachedEmbedder {
    pub(crate) fn new(cache: Cache, counter: Option<Counter>, encoders: Rc<Encoders>) -> Self {
        let cache = RefCell::new(cache);
        Self { cache, counter, encoders, encoder: OnceCell::new(), made: Cell::new(0) }
    }

    /// Takes the cache back; no cached vector can be returned afterwards.
    pub(crate) fn release(&self) -> Cache {
        self.cache.take()
    }

    /// Returns the number of embeddings computed since the last call, and saves them.
    pub(crate) fn made(&self) -> std::result::Result<usize, String> {
        let made = self.made.take();
        if made > 0 {
            self.cache.borrow().save()?;
        }
        Ok(made)
    }

    pub(crate) fn vector(&self, kind: Kind, text: &str) -> Option<Vec<f32>> {
        self.cache.borrow().get(&key(kind, text)).map(|row| row.vector.clone())
    }

    fn encoder(&self) -> Result<&NativeEmbedder> {
        match self.encoder.get() {
            Some(encoder) => Ok(encoder),
            None => {
                let loaded = self.encoders.load()?;
                Ok(self.encoder.get_or_init(move || loaded))
            }
        }
    }

    fn row(&self, text: &str, kind: Kind) -> Result<Embedded> {
        if let Some(row) = self.cache.borrow().get(&key(kind, text)) {
            return Ok(row.clone());
        }
        let (key, row) = embed(self.encoder()?, &Text::new(kind, text))?;
        self.made.set(self.made.get() + 1);
        self.cache.borrow_mut().insert(key, row.clone());
        Ok(row)
    }

    fn rows(&self, texts: &[String], kind: Kind) -> Result<Embeddings> {
        let mut embeddings = Embeddings::default();
        for text in texts {
            let row = self.row(text, kind)?;
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

    fn align<'a>(
        &'a self,
        texts: &'a [String],
        sought: &'a Sought,
    ) -> LocalBoxFuture<'a, Result<Option<Aligned>>> {
        let aligned = self
            .encoder()
            .and_then(|encoder| wait(encoder.align(texts, sought, &Cancel::default(), &Native::default())));
        Box::pin(ready(aligned))
    }

    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(ready(self.counter.clone()))
    }
}
