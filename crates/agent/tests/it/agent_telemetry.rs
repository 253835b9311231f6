//! The events of a run, and its concurrency.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::event::{Event, Timed};
use vademecum::agent::ports::{
    Caller, ChatRequest, CollectionView, Found, Functions, Llm, Observer, SearchLimits, Searcher,
};
use vademecum::agent::reply::Completion;
use vademecum::agent::styles::pipeline::{Pipeline, Ports};
use vademecum::cancel::Cancel;
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum::error::Result;
use vademecum::platform::Platform;
use vademecum_testing::agent::TestFunctions;
use vademecum_testing::{add, block_on, contracts, hashing, kb, turn};

/// A host whose clock advances by 10 ms per search and 100 ms per LLM call. It searches a knowledge base, replies by step, and
/// counts concurrent work.
struct Host<'a> {
    kb: &'a KnowledgeBase,
    now: Cell<f64>,
    searches: UnderWay,
    calls: UnderWay,
}

#[derive(Default)]
struct UnderWay {
    now: Cell<usize>,
    most: Cell<usize>,
}

impl UnderWay {
    /// Yields, so that other work can begin.
    async fn pass(&self) {
        self.now.set(self.now.get() + 1);
        self.most.set(self.most.get().max(self.now.get()));
        turn().await;
        self.now.set(self.now.get() - 1);
    }
}

impl Platform for Host<'_> {
    fn now(&self) -> f64 {
        self.now.get()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(turn())
    }

    fn sleep(&self, _: f64) -> LocalBoxFuture<'static, ()> {
        panic!("nothing here waits");
    }
}

impl Searcher for Host<'_> {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(async move {
            self.now.set(self.now.get() + 10.0);
            self.searches.pass().await;
            Searcher::search(self.kb, question, collection, limits).await
        })
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        self.kb.collections()
    }
}

impl Llm for Host<'_> {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        Box::pin(async move {
            self.now.set(self.now.get() + 100.0);
            self.calls.pass().await;
            let content = match caller.step {
                "gate" => json!({ "search": true, "reason": "It is about a contract." }).to_string(),
                "rewrite" => {
                    json!({ "question": "What is the notice to end the ACME contract?" }).to_string()
                }
                "select" => json!({ "collections": ["default"], "reasoning": "Contracts." }).to_string(),
                "expand" => json!({ "terms": ["termination"] }).to_string(),
                "decompose" => {
                    let parts = ["What is the notice of the ACME contract?", "What does ACME cost?"];
                    json!({ "questions": parts }).to_string()
                }
                "rerank" => {
                    let passages = request.messages.last().unwrap().content.matches("\n[").count();
                    let scores: Vec<Value> =
                        (1..=passages).map(|n| json!({ "n": n, "score": 10 - n % 10 })).collect();
                    json!({ "scores": scores }).to_string()
                }
                "reason" => json!({ "sufficient": true, "reason": "The notice is there." }).to_string(),
                _ => "Either party may end the contract with a notice of 30 days [1].".to_owned(),
            };
            if request.stream {
                on_token(&content);
            }
            Ok(Completion { content, ..Completion::default() })
        })
    }
}

fn library() -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, contracts()).unwrap();
    for name in ["invoices", "notes"] {
        kb.collection(name, &CollectionOptions::default()).unwrap();
    }
    kb
}

fn run(pipeline: Value, functions: &dyn Functions, host: &Host<'_>) -> (Context, Vec<Value>) {
    let pipeline: Pipeline = serde_json::from_value(pipeline).unwrap();
    let observer = Timekeeper { host, events: RefCell::default() };
    let cancel = Cancel::default();
    let ports = Ports { llm: host, searcher: host, functions, observer: &observer, platform: host, cancel };
    let context = block_on(pipeline.run(ports));
    (context, observer.events.take())
}

/// Records every event with its time.
struct Timekeeper<'a> {
    host: &'a Host<'a>,
    events: RefCell<Vec<Value>>,
}

impl Observer for Timekeeper<'_> {
    fn event(&self, event: &Event) {
        let timed = serde_json::to_value(Timed { at: self.host.now(), event }).unwrap();
        self.events.borrow_mut().push(timed);
    }
}

fn host(kb: &KnowledgeBase) -> Host<'_> {
    Host { kb, now: Cell::new(0.0), searches: UnderWay::default(), calls: UnderWay::default() }
}

fn every_step() -> Value {
    let steps = ["gate", "rewrite", "select", "expand", "decompose", "search", "rerank", "reason"];
    let mut steps: Vec<Value> = steps.iter().map(|step| json!({ "step": step })).collect();
    steps.push(json!({ "step": "custom", "name": "count", "function": "9.custom.function" }));
    steps.extend([json!({ "step": "answer" }), json!({ "step": "ground" })]);
    json!({
        "question": "And to end it?",
        "history": [{ "question": "What does the ACME contract cost?", "answer": "12,000 euros a year." }],
        "threshold": 0.0,
        "steps": steps,
    })
}

fn of_every_step() -> Vec<Value> {
    let kb = library();
    let functions = TestFunctions::default().with("9.custom.function", |_| Ok(json!({ "counted": 2 })));
    let (context, events) = run(every_step(), &functions, &host(&kb));
    assert_eq!((context.log.error, context.log.failures), (None, Vec::new()));
    assert_eq!(context.log.terminated_by, TerminatedBy::Completed);
    events
}

#[test]
fn the_events_of_a_run_through_every_step_match_the_golden_file() {
    let mut told = String::new();
    let events = of_every_step();
    // Each step begins and ends once, in the order of the pipeline. There are no events after the end or between two steps.
    let named = |kind: &str| -> Vec<&str> {
        let of_kind = events.iter().filter(|event| event["type"] == kind);
        of_kind.map(|event| event["step"].as_str().unwrap()).collect()
    };
    let all = [
        "gate",
        "rewrite",
        "select",
        "expand",
        "decompose",
        "search",
        "rerank",
        "reason",
        "count",
        "answer",
        "ground",
    ];
    assert_eq!((named("start"), named("stop")), (all.to_vec(), all.to_vec()));
    let mut under_way = None;
    for event in &events[..events.len() - 1] {
        assert_ne!(event["type"], "done");
        under_way = if event["type"] == "start" { Some(&event["step"]) } else { under_way };
        assert_eq!(under_way, Some(&event["step"]), "{event}");
        under_way = under_way.filter(|_| event["type"] != "stop");
    }
    assert_eq!(events.last().unwrap()["type"], "done");
    for mut event in events {
        // Prompts have their own golden files.
        if let Some(request) = event.pointer_mut("/call/arguments/request") {
            *request = json!("…");
        }
        told += &format!("{event}\n");
    }
    let path = format!("{}/../../tests/data/events.golden.jsonl", env!("CARGO_MANIFEST_DIR"));
    let golden = std::fs::read_to_string(&path).unwrap();
    assert_eq!(told, golden, "if this change is wanted, the new events are the left side:\n{told}");
}

#[test]
fn the_costs_of_llm_calls_add_up_to_the_cost_of_the_run() {
    let events = of_every_step();
    let sum = |kind: &str| -> u64 {
        let of_calls = events.iter().filter_map(|event| event.pointer("/call/result/usage"));
        of_calls.map(|usage| usage[kind].as_u64().unwrap()).sum()
    };
    let usage = &events.last().unwrap()["usage"];
    for kind in ["promptTokens", "completionTokens"] {
        assert!(sum(kind) > 0);
        assert_eq!(Some(sum(kind)), usage[kind].as_u64(), "{kind}");
    }
}

#[test]
fn calls_lie_within_their_step_and_times_are_monotonic() {
    let events = of_every_step();
    let at = |event: &Value| event["at"].as_f64().unwrap();
    assert!(events.windows(2).all(|pair| at(&pair[0]) <= at(&pair[1])));
    for call in events.iter().filter(|event| event["type"] == "tool") {
        let start = events.iter().find(|event| event["type"] == "start" && event["step"] == call["step"]);
        let began = at(call) - call["call"]["durationMs"].as_f64().unwrap();
        assert!(at(start.unwrap()) <= began, "{call}");
    }
    let done = events.last().unwrap();
    assert_eq!(Some(at(done)), done["durationMs"].as_f64());
}

#[test]
fn the_durations_of_steps_add_up_to_the_duration_of_the_run() {
    let events = of_every_step();
    let took = |event: &Value| event["durationMs"].as_f64().unwrap();
    let stops = events.iter().filter(|event| event["type"] == "stop");
    let done = events.last().unwrap();
    assert_eq!(stops.clone().map(took).sum::<f64>(), took(done));
    // Eight steps call the LLM once, and two queries are searched in one collection.
    assert_eq!((done["usage"]["llmCalls"].as_u64(), took(done)), (Some(8), 8.0 * 100.0 + 2.0 * 10.0));
    for step in stops {
        let calls = events.iter().filter(|event| event["type"] == "tool" && event["step"] == step["step"]);
        let each: Vec<f64> = calls.map(|event| took(&event["call"])).collect();
        // Concurrent calls take as long as the longest one.
        assert!(each.iter().all(|call| *call <= took(step)), "{step}: {each:?}");
    }
}

#[test]
fn concurrent_searches_and_llm_calls_are_limited() {
    let kb = library();
    for concurrency in [None, Some(1), Some(2), Some(100)] {
        let host = host(&kb);
        let mut pipeline = json!({
            "question": "What is the notice, what is the price, and what renews itself every year?",
            "collections": ["default", "invoices", "notes"],
            "threshold": 0.0,
            "steps": [{ "step": "decompose" }, { "step": "search" }, { "step": "rerank", "batch": 1 }],
        });
        if let Some(concurrency) = concurrency {
            pipeline["concurrency"] = json!(concurrency);
        }
        let (context, _) = run(pipeline, &TestFunctions::default(), &host);
        assert_eq!(context.log.error, None);
        // Two queries in three collections; four chunks, each in its own batch.
        let wanted = concurrency.unwrap_or(4);
        assert_eq!(context.results.unwrap().len(), 6);
        assert_eq!(host.searches.most.get(), wanted.min(6), "{concurrency:?}");
        assert_eq!(host.calls.most.get(), wanted.min(4), "{concurrency:?}");
    }
}

#[test]
fn self_correcting_searches_are_limited_too() {
    let kb = library();
    let host = host(&kb);
    let pipeline = json!({
        "question": "What is the notice?",
        "collections": ["default", "invoices", "notes"],
        "threshold": 0.0,
        "concurrency": 2,
        "steps": [{ "step": "search", "selfCorrect": true, "maxIterations": 2 }],
    });
    let (context, _) = run(pipeline, &TestFunctions::default(), &host);
    assert_eq!(context.log.error, None);
    assert_eq!((host.searches.most.get(), host.calls.most.get()), (2, 2));
}
