//! The encoder as the engine's port, on all cores.
//!
//! The engine asks for a few passages at a time, and for several such batches at once. A call waits one turn, until all of them are
//! there, and the first to continue computes them together: so every core has work, without a copy of the model for each.

use crate::host::Host;
use futures_util::future::{LocalBoxFuture, ready};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use vademecum::encoder::alignment::{Aligned, Sought};
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::{Counter, Embedder, Embeddings, Kind};
use vademecum::error::{Error, Result};

/// Batches of the engine, of eight passages each, that are computed together on each core.
const BATCHES_PER_CORE: usize = 16;

/// A call that waits for its vectors.
#[derive(Debug)]
struct Job {
    texts: Vec<String>,
    result: RefCell<Option<Result<Embeddings>>>,
}

/// A loaded model.
pub(crate) struct ModelEmbedder {
    native: NativeEmbedder,
    id: String,
    counter: Option<Counter>,
    host: Rc<Host>,
    waiting: RefCell<Vec<Rc<Job>>>,
    made: Cell<usize>,
}

impl ModelEmbedder {
    pub(crate) fn new(native: NativeEmbedder, id: String, counter: Option<Counter>, host: Rc<Host>) -> Self {
        Self { native, id, counter, host, waiting: RefCell::default(), made: Cell::new(0) }
    }

    /// Returns the number of passages embedded so far.
    pub(crate) fn made(&self) -> usize {
        self.made.get()
    }

    async fn compute(&self, texts: &[String], kind: Kind) -> Result<Embeddings> {
        self.native.embed(texts, kind, &self.host.cancel(), &*self.host).await
    }

    /// Computes everything that waits.
    async fn compute_all(&self) {
        let jobs = self.waiting.take();
        let texts: Vec<String> = jobs.iter().flat_map(|job| job.texts.iter().cloned()).collect();
        let all = self.compute(&texts, Kind::Document).await;
        if all.is_ok() {
            self.made.set(self.made.get() + texts.len());
        }
        let mut from = 0;
        for job in jobs {
            let to = from + job.texts.len();
            let own = all.as_ref().map_err(Clone::clone).map(|all| part(all, from, to));
            *job.result.borrow_mut() = Some(own);
            from = to;
        }
    }
}

/// Returns the vectors of some of the texts.
fn part(all: &Embeddings, from: usize, to: usize) -> Embeddings {
    let values = all.values.get(from * all.dimensions..to * all.dimensions);
    Embeddings {
        dimensions: all.dimensions,
        values: values.unwrap_or_default().to_vec(),
        truncated: all.truncated.get(from..to).unwrap_or_default().to_vec(),
    }
}

/// Waits until other tasks have had their turn.
async fn turn() {
    let mut has_passed = false;
    poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut has_passed, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

impl Embedder for ModelEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        if kind == Kind::Query {
            return Box::pin(self.compute(texts, kind));
        }
        let job = Rc::new(Job { texts: texts.to_vec(), result: RefCell::default() });
        self.waiting.borrow_mut().push(job.clone());
        Box::pin(async move {
            turn().await;
            if job.result.borrow().is_none() {
                self.compute_all().await;
            }
            let missing = || Err(Error::EmbedderFailed { reason: "it gave no vectors".into() });
            job.result.take().unwrap_or_else(missing)
        })
    }

    fn align<'a>(
        &'a self,
        texts: &'a [String],
        sought: &'a Sought,
    ) -> LocalBoxFuture<'a, Result<Option<Aligned>>> {
        Box::pin(async move { self.native.align(texts, sought, &self.host.cancel(), &*self.host).await })
    }

    fn id(&self) -> Option<String> {
        Some(self.id.clone())
    }

    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        Box::pin(ready(self.counter.clone()))
    }

    fn concurrency(&self) -> usize {
        cores() * BATCHES_PER_CORE
    }
}

/// Returns the number of cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
