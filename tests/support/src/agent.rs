//! Scripted LLMs, a recorder of events and other helpers for tests of the agent.

use super::{add, block_on, contracts, hashing, kb};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use vademecum::agent::context::Context;
use vademecum::agent::event::Event;
use vademecum::agent::ports::{
    Caller, ChatRequest, CollectionView, Found, Functions, Llm, Observer, SearchLimits, Searcher,
};
use vademecum::agent::reply::{Completion, FunctionCall, TokenUsage};
use vademecum::agent::styles::pipeline::{Pipeline, Ports};
use vademecum::cancel::Cancel;
use vademecum::engine::KnowledgeBase;
use vademecum::error::{Error, Result};
use vademecum::platform::Native;

/// The question of [`pipeline`].
pub const QUESTION: &str = "What is the notice to end the ACME contract?";

/// Returns a pipeline of the default question with these fields, which keeps hits of any score.
pub fn pipeline(fields: Value) -> Pipeline {
    let mut pipeline = json!({ "question": QUESTION, "threshold": 0.0 });
    pipeline.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(pipeline).unwrap()
}

/// Returns a knowledge base of a few contracts, with vectors.
pub fn library() -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, contracts()).unwrap();
    kb
}

/// Runs a pipeline with these parts.
pub fn run_with(
    pipeline: &Pipeline,
    searcher: &dyn Searcher,
    llm: &dyn Llm,
    functions: &dyn Functions,
    cancel: Cancel,
) -> (Context, Recorder) {
    let recorder = Recorder::default();
    let platform = Native::default();
    let ports = Ports { llm, searcher, functions, observer: &recorder, platform: &platform, cancel };
    let context = block_on(pipeline.run(ports));
    (context, recorder)
}

/// The absence of a model: every call panics.
pub struct NoLlm;

impl Llm for NoLlm {
    fn has(&self, _: Option<&str>) -> bool {
        false
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        _: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        panic!("{} asked a model that is not there", caller.step);
    }
}

/// A user's function.
pub type UserFunction = Box<dyn Fn(&Value) -> Result<Value>>;

/// Users' functions, by name.
#[derive(Default)]
pub struct TestFunctions(pub BTreeMap<&'static str, UserFunction>);

impl TestFunctions {
    pub fn with(mut self, name: &'static str, function: impl Fn(&Value) -> Result<Value> + 'static) -> Self {
        self.0.insert(name, Box::new(function));
        self
    }
}

impl Functions for TestFunctions {
    fn call<'a>(&'a self, name: &'a str, input: &'a Value) -> LocalBoxFuture<'a, Result<Value>> {
        let missing = || {
            Err(Error::FunctionFailed {
                what: name.to_owned(),
                reason: "no such function".into(),
                cause: None,
            })
        };
        Box::pin(std::future::ready(self.0.get(name).map_or_else(missing, |function| function(input))))
    }
}

/// An LLM that replies as scripted and records its requests.
#[derive(Default)]
pub struct ScriptedLlm {
    pub replies: RefCell<VecDeque<Result<String>>>,
    pub requests: RefCell<Vec<ChatRequest>>,
    pub usage: Option<TokenUsage>,
    /// The finish reason of every reply.
    pub finish_reason: Option<String>,
    /// The step and the model name of each request.
    pub callers: RefCell<Vec<(String, Option<String>)>>,
    /// Cancelled at the next request, as by a user who stops the run.
    pub cancels: Option<Cancel>,
}

impl ScriptedLlm {
    pub fn replying(replies: impl IntoIterator<Item = Result<String>>) -> Self {
        Self { replies: RefCell::new(replies.into_iter().collect()), ..Self::default() }
    }
}

impl Llm for ScriptedLlm {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.requests.borrow_mut().push(request.clone());
        self.callers.borrow_mut().push((caller.step.to_owned(), caller.llm.map(str::to_owned)));
        let reply = self.replies.borrow_mut().pop_front().expect("a scripted reply");
        Box::pin(async move {
            if let Some(cancel) = &self.cancels {
                cancel.cancel();
                std::future::pending::<()>().await;
            }
            // The number of the fence is random and occurs only in the prompt.
            let content = reply?.replace("{fence}", &fence_of(request).unwrap_or_default());
            content.split_inclusive(' ').for_each(on_token);
            let finish_reason = self.finish_reason.clone();
            Ok(Completion { content, usage: self.usage, finish_reason, ..Completion::default() })
        })
    }
}

/// Records every event.
#[derive(Default)]
pub struct Recorder(pub RefCell<Vec<Event>>);

impl Observer for Recorder {
    fn event(&self, event: &Event) {
        self.0.borrow_mut().push(event.clone());
    }
}

impl Recorder {
    /// Returns the types and steps of the events, with tokens merged into one and without tool calls.
    pub fn shape(&self) -> Vec<String> {
        let mut shape: Vec<String> = Vec::new();
        for event in self.0.borrow().iter() {
            let value = serde_json::to_value(event).unwrap();
            if value["type"] == "tool" {
                continue;
            }
            let step = value.get("step").and_then(|step| step.as_str()).unwrap_or_default();
            let line = format!("{} {step}", value["type"].as_str().unwrap()).trim().to_owned();
            if shape.last() != Some(&line) || !line.starts_with("token") {
                shape.push(line);
            }
        }
        shape
    }
}

/// A collection with a description for a model.
pub struct Bucket(CollectionView);

impl Bucket {
    pub fn new(name: &str, description: &str, schema: Value) -> Self {
        Self(CollectionView {
            name: name.into(),
            description: description.into(),
            schema,
            is_empty: false,
            is_remote: false,
        })
    }
}

/// Collections to choose from, all without hits.
pub struct Buckets(pub Vec<Bucket>);

impl Searcher for Buckets {
    fn search<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(std::future::ready(Ok(Found::default())))
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        Ok(self.0.iter().map(|bucket| bucket.0.clone()).collect())
    }
}

/// Returns the messages of a request as in a golden file, with a fixed number instead of the fence's random one.
pub fn shown(request: &ChatRequest) -> String {
    let with_number =
        request.messages.iter().map(|message| format!("--- {:?}\n{}\n", message.role, message.content));
    let with_number: String = with_number.collect();
    let mut pieces = with_number.split(FENCE);
    let first = pieces.next().unwrap().to_owned();
    pieces.fold(first, |shown, piece| match piece.split_at_checked(16) {
        Some((number, rest)) if number.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            format!("{shown}{FENCE}0123456789abcdef{rest}")
        }
        _ => shown + FENCE + piece,
    })
}

/// Returns the fence line around the passages of a request.
pub fn fence_of(request: &ChatRequest) -> Option<String> {
    let mut lines = request.messages.iter().flat_map(|message| message.content.lines());
    lines.find(|line| line.starts_with(FENCE)).map(str::to_owned)
}

/// The prefix of a fence line, before its number.
pub const FENCE: &str = "=== passages ";

/// Compares a request with `tests/data/{name}.golden.txt`.
pub fn assert_golden(name: &str, request: &ChatRequest) {
    assert_all_golden(name, std::slice::from_ref(request));
}

/// Compares several requests with one golden file.
pub fn assert_all_golden(name: &str, requests: &[ChatRequest]) {
    let path = format!("{}/../data/{name}.golden.txt", env!("CARGO_MANIFEST_DIR"));
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let shown: String = requests.iter().map(shown).collect();
    assert_eq!(shown, golden, "if this change is wanted, the new {name} is the left side");
}

/// Returns the reply to a step's request.
pub type Answering = Box<dyn Fn(&str, &ChatRequest) -> Result<Completion>>;

/// An LLM that replies with the result of a function and records its requests.
pub struct FunctionLlm {
    pub function: Answering,
    pub asked: RefCell<Vec<(String, ChatRequest)>>,
}

impl FunctionLlm {
    pub fn new(function: impl Fn(&str, &ChatRequest) -> Result<Completion> + 'static) -> Self {
        Self { function: Box::new(function), asked: RefCell::default() }
    }

    /// Returns the number of requests by a step.
    pub fn count(&self, step: &str) -> usize {
        self.asked.borrow().iter().filter(|(asker, _)| asker == step).count()
    }
}

impl Llm for FunctionLlm {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let reply = (self.function)(caller.step, request);
        self.asked.borrow_mut().push((caller.step.to_owned(), request.clone()));
        Box::pin(std::future::ready(reply))
    }
}

/// Returns a text reply.
pub fn says(content: impl Into<String>) -> Result<Completion> {
    Ok(Completion { content: content.into(), ..Completion::default() })
}

/// Returns a reply that calls tools.
pub fn calls(calls: &[(&str, Value)]) -> Result<Completion> {
    let call = |(at, (name, arguments)): (usize, &(&str, Value))| FunctionCall {
        id: format!("c{at}"),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
    };
    Ok(Completion { tool_calls: calls.iter().enumerate().map(call).collect(), ..Completion::default() })
}
