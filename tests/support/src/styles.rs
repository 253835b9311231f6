//! What tests of the looping styles need: runs over the made library.

use super::agent::{FunctionLlm, Recorder, TestFunctions, run_with};
use super::corpus::corpus;
use serde_json::{Value, json};
use vademecum::agent::context::Context;
use vademecum::agent::ports::{ChatRequest, Llm};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;

/// A run of a style as data; `more` goes beside the question and the style.
pub fn spec(style: Value, question: &str, more: Value) -> Pipeline {
    let mut pipeline = json!({ "question": question, "threshold": 0.0, "style": style });
    pipeline.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(pipeline).unwrap()
}

/// Runs it over the made library.
pub fn run(pipeline: &Pipeline, llm: &dyn Llm) -> (Context, Recorder) {
    run_with(pipeline, &corpus(), llm, &TestFunctions::default(), Cancel::default())
}

/// Asks in a style, with a model that says what a function does.
pub fn ask(style: Value, question: &str, llm: &FunctionLlm) -> (Context, Recorder) {
    run(&spec(style, question, json!({})), llm)
}

/// Goes on from a saved state, sent as text as it would be.
pub fn resume(state: &Value, answer: Option<&str>, llm: &dyn Llm) -> (Context, Recorder) {
    let state: Value = serde_json::from_str(&state.to_string()).unwrap();
    let pipeline = json!({ "question": "-", "resume": { "state": state, "answer": answer } });
    run(&serde_json::from_value(pipeline).unwrap(), llm)
}

/// What a request's last message says.
pub fn last(request: &ChatRequest) -> &str {
    &request.messages.last().unwrap().content
}
