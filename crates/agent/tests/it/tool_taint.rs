//! The taint of custom tool calls: whether the model had read documents, tool output or earlier answers when it wrote the
//! arguments.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::RefCell;
use vademecum::agent::context::Context;
use vademecum::agent::ports::{ChatRequest, Functions, Llm, Role, ToolUse};
use vademecum::cancel::Cancel;
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{FunctionLlm, calls, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::spec;

const QUESTION: &str = "What is the notice period of the ACME support contract?";

/// Records every tool call, and denies those in `denied`.
#[derive(Default)]
struct Tools {
    used: RefCell<Vec<ToolUse>>,
    denied: bool,
    fails: bool,
}

impl Functions for Tools {
    fn call<'a>(&'a self, name: &'a str, _: &'a Value) -> LocalBoxFuture<'a, Result<Value>> {
        panic!("{name} is no tool");
    }

    fn call_tool<'a>(&'a self, _: &'a str, tool: &'a ToolUse) -> LocalBoxFuture<'a, Result<Value>> {
        self.used.borrow_mut().push(tool.clone());
        let denied = Error::relayed("tool_denied", "Not run: the secret reason.".into(), false);
        let failed = Error::FunctionFailed { what: tool.name.clone(), reason: "offline".into(), cause: None };
        Box::pin(std::future::ready(match denied.filter(|_| self.denied) {
            Some(denied) => Err(denied),
            None if self.fails => Err(failed),
            None => Ok(json!("done")),
        }))
    }
}

impl Tools {
    fn tainted(&self) -> Vec<bool> {
        self.used.borrow().iter().map(|one| one.tainted).collect()
    }
}

fn asked(style: Value, more: Value, llm: &dyn Llm, tools: &Tools) -> Context {
    let mut all = json!({ "tools": [{ "name": "send_mail", "function": "tool.send_mail" }] });
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    run_with(&spec(style, QUESTION, all), &corpus(), llm, tools, Cancel::default()).0
}

fn turn(request: &ChatRequest) -> usize {
    request.messages.iter().filter(|message| message.role == Role::Assistant).count()
}

/// A react model that makes these calls turn by turn, and then answers.
fn calling(turns: &'static [&'static [&'static str]]) -> FunctionLlm {
    FunctionLlm::new(move |_, request| match turns.get(turn(request)) {
        Some(tools) => {
            let call = |tool: &&'static str| (*tool, json!({ "query": "ACME notice" }));
            calls(&tools.iter().map(call).collect::<Vec<_>>())
        }
        None => says("90 days."),
    })
}

#[test]
fn a_tool_is_tainted_once_a_model_has_read_passages_and_not_before() {
    let (tools, style) = (Tools::default(), json!({ "name": "react", "maxIterations": 4 }));
    let result = asked(style, json!({}), &calling(&[&["send_mail"]]), &tools);
    assert_eq!(tools.tainted(), [false]);
    assert!(tools.used.borrow()[0].sources.is_empty());
    assert_eq!(result.answer.as_deref(), Some("90 days."));

    let tools = Tools::default();
    asked(json!({ "name": "react" }), json!({}), &calling(&[&["search"], &["send_mail"]]), &tools);
    assert_eq!(tools.tainted(), [true]);
    let used = tools.used.borrow();
    let sources: Vec<&str> = used[0].sources.iter().map(|one| one.doc_id.as_str()).collect();
    assert!(!sources.is_empty() && sources.len() <= 6, "{sources:?}");
    let evidence = used[0].state["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), used[0].sources.len());
    assert_eq!(used[0].state["question"], QUESTION);
    assert_eq!(used[0].state["searches"][0]["question"], "ACME notice");
    assert_eq!(used[0].state["calls"][0]["tool"], "search");
}

#[test]
fn calls_of_one_turn_do_not_taint_each_other() {
    let tools = Tools::default();
    asked(json!({ "name": "react" }), json!({}), &calling(&[&["search", "send_mail"]]), &tools);
    assert_eq!(tools.tainted(), [false]);
}

#[test]
fn tool_output_and_errors_taint_but_denied_calls_do_not() {
    for (denied, fails, after) in [(false, false, true), (false, true, true), (true, false, false)] {
        let tools = Tools { denied, fails, ..Tools::default() };
        asked(json!({ "name": "react" }), json!({}), &calling(&[&["send_mail"], &["send_mail"]]), &tools);
        assert_eq!(tools.tainted(), [false, after], "{denied} {fails}");
    }
}

#[test]
fn a_denied_call_is_reported_to_the_model_without_the_reason_and_logged() {
    let (tools, llm) = (Tools { denied: true, ..Tools::default() }, calling(&[&["send_mail"]]));
    let result = asked(json!({ "name": "react" }), json!({}), &llm, &tools);
    let told = llm.asked.borrow()[1].1.messages.last().unwrap().content.clone();
    assert!(told.contains("may not be called") && !told.contains("secret reason"), "{told}");
    assert_eq!((result.log.error, result.answer.as_deref()), (None, Some("90 days.")));
    let call = result.log.tool_calls.iter().find(|call| call.tool == "send_mail").unwrap();
    assert_eq!(call.error.as_ref().map(|error| &*error.code), Some("tool_denied"));
}

#[test]
fn an_earlier_answer_taints_the_questions_that_follow() {
    for (answer, tainted) in [("The contract ends in 2025 [1].", true), ("", false)] {
        let tools = Tools::default();
        let llm = FunctionLlm::new(|step, request| match (step, turn(request)) {
            ("rewrite", _) => says(QUESTION),
            ("think", 0) => calls(&[("send_mail", json!({}))]),
            _ => says("90 days."),
        });
        let history = json!({ "history": [{ "question": "Which contract?", "answer": answer }] });
        asked(json!({ "name": "react" }), history, &llm, &tools);
        assert_eq!(tools.tainted(), [tainted]);
    }
}

#[test]
fn investigate_and_graph_taint_the_calls_that_follow_a_search() {
    let next = |request: &ChatRequest| {
        let said = &request.messages.last().unwrap().content;
        let tool = match said.matches("passages, ").count() {
            0 if said.contains("send_mail {") => "search_text",
            0 => "send_mail",
            _ => "send_mail",
        };
        json!({ "status": "more", "nextToolCall": { "tool": tool, "args": { "query": "ACME notice", "to": said.len() } } })
    };
    let tools = Tools::default();
    let llm = FunctionLlm::new(move |step, request| match step {
        "review" => says(next(request).to_string()),
        _ => says("{}"),
    });
    asked(json!({ "name": "investigate", "maxToolCalls": 4 }), json!({}), &llm, &tools);
    assert_eq!(tools.tainted().first(), Some(&false));
    assert_eq!(tools.tainted().last(), Some(&true));

    let tools = Tools::default();
    let llm = FunctionLlm::new(|step, _| match step {
        "analyze_query" => says(
            "{\"calls\": [{\"tool\": \"vector_search\", \"args\": {\"query\": \"ACME notice\"}}, {\"tool\": \"send_mail\", \"args\": {}}]}",
        ),
        "grade_results" => says(
            "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"send_mail\", \"args\": {\"to\": \"a\"}}}",
        ),
        _ => says("90 days [1]."),
    });
    asked(json!({ "name": "graph", "maxIterations": 2 }), json!({}), &llm, &tools);
    assert_eq!(tools.tainted(), [false, true]);
}

#[test]
fn a_resumed_run_stays_tainted_and_is_tainted_by_default() {
    let tools = Tools::default();
    // The second request exceeds the budget, so the run stops there.
    let more = json!({ "budget": { "llmCalls": 2 } });
    let stopped = asked(
        json!({ "name": "react", "maxIterations": 4 }),
        more,
        &calling(&[&["search"], &["search"], &["send_mail"]]),
        &tools,
    );
    let state = stopped.state.expect("a state to go on from");
    let go_on = |state: &Value, tools: &Tools| {
        let pipeline = json!({ "question": "-", "resume": { "state": state }, "budget": { "llmCalls": 9 } });
        let llm = FunctionLlm::new(|_, request| match request.messages.last().unwrap().content.as_str() {
            last if last.contains("done") => says("90 days."),
            _ => calls(&[("send_mail", json!({}))]),
        });
        run_with(&serde_json::from_value(pipeline).unwrap(), &corpus(), &llm, tools, Cancel::default());
    };
    let tools = Tools::default();
    go_on(&state, &tools);
    assert_eq!(tools.tainted().first(), Some(&true));
    let mut old = state;
    old["progress"] = json!({});
    let tools = Tools::default();
    go_on(&old, &tools);
    assert_eq!(tools.tainted().first(), Some(&true));
}
