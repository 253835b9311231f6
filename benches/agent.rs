//! `cargo bench --bench agent`: what each step costs by itself, without an LLM and an encoder, over 10,000 chunks. The
//! time is the step's own, as its `stop` event tells it.
#![allow(missing_docs)] // criterion's macros make public items without any

use criterion::{Criterion, criterion_group, criterion_main};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use vademecum::Result;
use vademecum::agent::event::Event;
use vademecum::agent::ports::{Caller, ChatRequest, Llm, NoFunctions, Observer};
use vademecum::agent::reply::Completion;
use vademecum::agent::styles::pipeline::{Pipeline, Ports};
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::embed::hashing::HashingEmbedder;
use vademecum::error::Error;
use vademecum::platform::Native;
use vademecum::retrieve::{KnowledgeBase, Options};

const CHUNKS: usize = 10_000;

/// Short encyclopaedic texts, each of which names two others.
fn library() -> Option<KnowledgeBase> {
    let kb =
        KnowledgeBase::new(Some(Rc::new(HashingEmbedder)), Rc::new(Native::default()), Options::default());
    let name = |at: usize| format!("Town{} of Vale{}", at % CHUNKS, at * 7 % 997);
    let documents = (0..CHUNKS).map(|at| {
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
    });
    let added = kb.add("default", documents.collect(), &Cancel::default(), &|_| {}).now_or_never();
    matches!(added, Some(Ok(_))).then_some(kb)
}

struct Nobody;

impl Llm for Nobody {
    fn has(&self, _: Option<&str>) -> bool {
        false
    }

    fn complete<'a>(
        &'a self,
        _: Caller<'a>,
        _: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        Box::pin(ready(Err(Error::LlmFailed { reason: "there is none".into() })))
    }
}

/// Keeps how long one step took.
struct Watch {
    step: &'static str,
    ms: Cell<f64>,
}

impl Observer for Watch {
    fn event(&self, event: &Event) {
        if let Event::Stop { step, duration_ms, .. } = event
            && step == self.step
        {
            self.ms.set(self.ms.get() + duration_ms);
        }
    }
}

fn steps(criterion: &mut Criterion) {
    let Some(kb) = library() else { return };
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
        let pipeline = json!({
            "question": "Who founded the town where the mayor of Town77 of Vale539 was born?", "threshold": 0.0, "steps": steps,
        });
        let Ok(pipeline) = serde_json::from_value::<Pipeline>(pipeline) else { continue };
        group.bench_function(step, |bench| {
            bench.iter_custom(|runs| {
                let watch = Watch { step, ms: Cell::new(0.0) };
                let platform = Native::default();
                for _ in 0..runs {
                    let ports = Ports {
                        llm: &Nobody,
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
