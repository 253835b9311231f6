//! Runs over the synthetic library, for tests of the looping styles.

use super::agent::{FunctionLlm, Recorder, TestFunctions, run_with};
use super::corpus::corpus;
use serde_json::{Value, json};
use vademecum::agent::context::Context;
use vademecum::agent::ports::{ChatRequest, Llm};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;

/// Returns the pipeline of a style; `more` contains additional fields.
pub fn spec(style: Value, question: &str, more: Value) -> Pipeline {
    let mut pipeline = json!({ "question": question, "threshold": 0.0, "style": style });
    pipeline.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(pipeline).unwrap()
}

/// Runs a pipeline over the synthetic library.
pub fn run(pipeline: &Pipeline, llm: &dyn Llm) -> (Context, Recorder) {
    run_with(pipeline, &corpus(), llm, &TestFunctions::default(), Cancel::default())
}

/// Asks a question in a style, with an LLM that calls a function.
pub fn ask(style: Value, question: &str, llm: &FunctionLlm) -> (Context, Recorder) {
    run(&spec(style, question, json!({})), llm)
}

/// Resumes a saved state after a round trip through JSON text.
pub fn resume(state: &Value, answer: Option<&str>, llm: &dyn Llm) -> (Context, Recorder) {
    let state: Value = serde_json::from_str(&state.to_string()).unwrap();
    let pipeline = json!({ "question": "-", "resume": { "state": state, "answer": answer } });
    run(&serde_json::from_value(pipeline).unwrap(), llm)
}

/// Returns the text of a request's last message.
pub fn last(request: &ChatRequest) -> &str {
    &request.messages.last().unwrap().content
}
