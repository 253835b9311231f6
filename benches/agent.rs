//! `cargo bench --bench agent`: the time of each step without an LLM and an encoder, over 10,000 chunks, as
//! reported by its `stop` event.
//!
//! Texts and questions are those of `shared/data/wiki-multihop` if it exists next to the repository,
//! generated ones otherwise. Vectors are hashed terms with a model's dimensions, computed once.
#![allow(missing_docs)] // criterion's macros generate undocumented public items

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use vademecum::Result;
use vademecum::agent::event::Event;
use vademecum::agent::ports::{NoFunctions, NoLlm, Observer};
use vademecum::agent::styles::pipeline::{Pipeline, Ports};
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::encoder::{Embedder, Embeddings, Kind};
use vademecum::engine::{KnowledgeBase, Options};
use vademecum::eval::beir::Dataset;
use vademecum::platform::Native;

const CHUNKS: usize = 10_000;
/// Number of questions, asked in turn, so that no single one dominates.
const QUESTIONS: usize = 50;

/// The dimensions of all-MiniLM-L6-v2.
const DIMENSIONS: usize = 384;

/// A caching encoder.
#[derive(Default)]
struct CachingEmbedder(RefCell<HashMap<Vec<String>, Embeddings>>);

impl Embedder for CachingEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        Box::pin(async move {
            if let Some(kept) = self.0.borrow().get(texts) {
                return Ok(kept.clone());
            }
            let made = HashingEmbedder.embed(texts, kind).await?;
            let rows = made.values.chunks(made.dimensions);
            let values = rows.flat_map(|row| row.iter().cycle().take(DIMENSIONS).copied()).collect();
            let made = Embeddings { dimensions: DIMENSIONS, values, ..made };
            if kind == Kind::Query {
                self.0.borrow_mut().insert(texts.to_vec(), made.clone());
            }
            Ok(made)
        })
    }
}

/// Reads texts and questions written by people.
fn real() -> Option<(Vec<Document>, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/wiki-multihop");
    let set = Dataset::read(&folder).ok()?;
    let every = (set.queries.len() / QUESTIONS).max(1);
    let questions = set.queries.iter().step_by(every).map(|query| query.text.clone());
    Some((set.documents, questions.collect()))
}

/// Generates short encyclopaedic texts, each mentioning two others, and questions about them.
fn made() -> (Vec<Document>, Vec<String>) {
    let name = |at: usize| format!("Town{} of Vale{}", at % CHUNKS, at * 7 % 997);
    let document = |at: usize| {
        let text = format!(
            "{} is a town on the river Ald{}. It was founded in {} by settlers from {}. Its mayor was born in {}, \
             where wool, salt and timber number {} were traded at the yearly fair.",
            name(at),
            at % 313,
            1000 + at % 900,
            name(at * 31 + 17),
            name(at * 17 + 5),
            at % 101,
        );
        Document { title: Some(name(at)), ..Document::new(format!("d{at}"), text) }
    };
    let question = "Who founded the town where the mayor of Town77 of Vale539 was born?";
    ((0..CHUNKS).map(document).collect(), vec![question.into()])
}

/// Adds documents up to 10,000 chunks.
fn library(documents: Vec<Document>) -> Option<KnowledgeBase> {
    let kb = KnowledgeBase::new(
        Some(Rc::new(CachingEmbedder::default())),
        Rc::new(Native::default()),
        Options::default(),
    );
    let mut documents = documents.into_iter().peekable();
    loop {
        let missing = CHUNKS.saturating_sub(kb.stats().ok()?.chunks);
        // A document gives at least one chunk.
        let some: Vec<Document> = documents.by_ref().take(missing.div_ceil(2)).collect();
        if some.is_empty() {
            return Some(kb);
        }
        kb.add("default", some, &Cancel::default(), &|_| {}).now_or_never()?.ok()?;
    }
}

/// Records the time of a step.
struct StepTimer {
    step: &'static str,
    ms: Cell<f64>,
}

impl Observer for StepTimer {
    fn event(&self, event: &Event) {
        if let Event::Stop { step, duration_ms, .. } = event
            && step == self.step
        {
            self.ms.set(self.ms.get() + duration_ms);
        }
    }
}

fn steps(criterion: &mut Criterion) {
    let (documents, questions) = real().unwrap_or_else(made);
    let Some(kb) = library(documents) else { return };
    let pipelines: [(&str, Value); 10] = [
        ("gate", json!([{ "step": "gate" }])),
        ("rewrite", json!([{ "step": "rewrite" }])),
        ("select", json!([{ "step": "select" }])),
        ("expand", json!([{ "step": "expand" }])),
        ("decompose", json!([{ "step": "decompose" }])),
        ("search", json!([{ "step": "search" }])),
        ("rerank", json!([{ "step": "search" }, { "step": "rerank" }])),
        ("reason", json!([{ "step": "search" }, { "step": "reason" }])),
        ("answer", json!([{ "step": "search" }, { "step": "answer" }])),
        ("ground", json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }])),
    ];
    let mut group = criterion.benchmark_group("one step over 10,000 chunks");
    group.sample_size(20);
    for (step, steps) in pipelines {
        let pipeline = |question: &String| {
            serde_json::from_value(json!({ "question": question, "threshold": 0.0, "steps": steps })).ok()
        };
        let pipelines: Vec<Pipeline> = questions.iter().filter_map(pipeline).collect();
        let mut next = pipelines.iter().cycle();
        group.bench_function(step, |bench| {
            bench.iter_custom(|runs| {
                let watch = StepTimer { step, ms: Cell::new(0.0) };
                let platform = Native::default();
                for pipeline in next.by_ref().take(usize::try_from(runs).unwrap_or(usize::MAX)) {
                    let ports = Ports {
                        llm: &NoLlm,
                        searcher: &kb,
                        functions: &NoFunctions,
                        observer: &watch,
                        platform: &platform,
                        cancel: Cancel::default(),
                    };
                    let _ = pipeline.run(ports).now_or_never();
                }
                Duration::from_secs_f64(watch.ms.get() / 1000.0)
            });
        });
    }
    group.finish();
}

criterion_group!(agent, steps);
criterion_main!(agent);
