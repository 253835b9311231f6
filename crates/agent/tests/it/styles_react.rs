//! The react style: prompts, tool calls and the end of a run.

use serde_json::{Value, json};
use std::cell::Cell;
use vademecum::agent::context::TerminatedBy;
use vademecum::agent::ports::{ChatRequest, Role};
use vademecum::cancel::Cancel;
use vademecum::error::Error;
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, assert_golden, calls, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::{ask, last, run, spec};

const QUESTION: &str = "What is the notice period of the ACME support contract?";

fn react(more: Value) -> Value {
    let mut style = json!({ "name": "react" });
    style.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    style
}

/// Returns the number of previous turns in a request.
fn turn(request: &ChatRequest) -> usize {
    request.messages.iter().filter(|message| message.role == Role::Assistant).count()
}

#[test]
fn a_model_searches_and_then_answers_with_checked_sources() {
    let llm = FunctionLlm::new(|_, request| match turn(request) {
        0 => calls(&[("search", json!({ "query": "ACME support contract notice" }))]),
        _ => calls(&[("final_answer", json!({ "answer": "90 days [1], they say [99]." }))]),
    });
    let (result, recorder) = ask(react(json!({ "citations": true })), QUESTION, &llm);
    assert_eq!(result.answer.as_deref(), Some("90 days [1], they say."));
    assert_eq!((result.citations.len(), result.invalid_citations), (1, vec!["99".to_owned()]));
    assert_eq!((result.iterations, result.search_count, result.log.usage.llm_calls), (2, 1, 2));
    assert_eq!(result.steps_taken, ["think", "act", "think", "ground"]);
    assert_eq!(recorder.shape().last().map(String::as_str), Some("done"));
    let asked = llm.asked.borrow();
    let (_, first) = &asked[0];
    assert_golden("react_prompt", first);
    assert_eq!(first.tool_choice, Some(json!("auto")));
    let names: Vec<&Value> = first
        .tools
        .as_ref()
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["function"]["name"])
        .collect();
    assert_eq!(names, ["search", "refine_and_search", "final_answer"]);
    // The message with the call precedes the result, and both have the id of the call.
    let second = &asked[1].1.messages;
    assert_eq!(
        second.iter().map(|one| one.role).collect::<Vec<_>>(),
        [Role::System, Role::User, Role::Assistant, Role::Tool]
    );
    assert_eq!(Some(&second[2].tool_calls[0].id), second[3].tool_call_id.as_ref());
    assert!(
        second[3].content.contains("[1] ") && second[3].content.starts_with("=== "),
        "{}",
        second[3].content
    );
}

#[test]
fn several_calls_of_a_turn_are_executed_and_answered_in_order() {
    let llm = FunctionLlm::new(|_, request| match turn(request) {
        0 => calls(&[
            ("search", json!({ "query": "GenServer" })),
            ("search", json!({ "query": "acetone flash point" })),
            ("no_such_tool", json!({})),
        ]),
        _ => says("Done [1]."),
    });
    let (result, _) = ask(react(json!({})), "What is a GenServer, and when does acetone burn?", &llm);
    let results: Vec<_> = result.results.unwrap().into_iter().map(|one| one.question).collect();
    assert_eq!(results, ["GenServer", "acetone flash point"]);
    let asked = llm.asked.borrow();
    let told: Vec<&str> = asked[1]
        .1
        .messages
        .iter()
        .filter(|one| one.role == Role::Tool)
        .map(|one| one.content.as_str())
        .collect();
    assert_eq!(told.len(), 3);
    assert!(told[2].starts_with("Error: ") && told[2].contains("refine_and_search"), "{}", told[2]);
    assert_eq!((result.search_count, result.log.failures.len()), (2, 1));
    let answer = result.answer.unwrap();
    assert!(
        answer.ends_with("\n\nDone [1]."),
        "behind a quotation, and no call of a tool is the answer: {answer}"
    );
}

#[test]
fn arguments_that_are_no_json_are_returned_to_the_model() {
    let llm = FunctionLlm::new(|_, request| match turn(request) {
        0 => {
            let mut reply = calls(&[("search", json!({}))]).unwrap();
            reply.tool_calls[0].arguments = "{\"query\": ".into();
            Ok(reply)
        }
        1 => calls(&[("search", json!({ "q": "ACME notice" }))]),
        _ => says("It is 90 days."),
    });
    let (result, _) = ask(react(json!({})), QUESTION, &llm);
    let asked = llm.asked.borrow();
    assert!(last(&asked[1].1).starts_with("Error: "), "{}", last(&asked[1].1));
    assert!(!result.results.unwrap()[0].chunks.is_empty(), "another name of the argument is understood");
    assert_eq!(result.log.error, None);
}

#[test]
fn at_the_limit_one_more_call_writes_the_answer() {
    for cap in [1, 3] {
        let number = Cell::new(0);
        let llm = FunctionLlm::new(move |step, _| {
            number.set(number.get() + 1);
            match step {
                "think" => calls(&[("search", json!({ "query": format!("ACME notice {}", number.get()) }))]),
                _ => says("It is 90 days [1]."),
            }
        });
        let (result, _) = ask(react(json!({ "maxIterations": cap })), QUESTION, &llm);
        assert_eq!((llm.count("think"), llm.count("answer")), (cap, 1));
        assert_eq!((result.iterations, result.answer.as_deref()), (cap, Some("It is 90 days [1].")));
    }
}

#[test]
fn a_model_without_tools_is_prompted_for_calls_in_words() {
    // The endpoint refuses tools.
    let llm = FunctionLlm::new(|_, request| {
        if request.tools.is_some() {
            return Err(Error::LlmHttp {
                status: 400,
                retry_after_ms: None,
                detail: String::new(),
                advice: "",
            });
        }
        match turn(request) {
            0 => says(
                "I will search.\n```json\n{\"action\": \"search\", \"action_input\": {\"query\": \"ACME notice\"}}\n```",
            ),
            _ => says("{\"tool\": \"final_answer\", \"arguments\": {\"answer\": \"90 days [1].\"}}"),
        }
    });
    let (result, _) = ask(react(json!({})), QUESTION, &llm);
    assert_eq!((result.answer.as_deref(), result.log.takes_tools), (Some("90 days [1]."), Some(false)));
    let asked = llm.asked.borrow();
    assert_golden("react_text_prompt", &asked[1].1);
    assert!(last(&asked[2].1).starts_with("Result of search:\n=== "), "{}", last(&asked[2].1));
    drop(asked);
    // The endpoint silently ignores tools, so the model would answer from nothing.
    let llm = FunctionLlm::new(|_, request| match (request.tools.is_some(), turn(request)) {
        (true, _) => says("I believe it is 30 days."),
        (false, 0) => says("{\"tool\": \"search\", \"arguments\": {\"query\": \"ACME notice\"}}"),
        _ => says("90 days [1]."),
    });
    let (result, _) = ask(react(json!({})), QUESTION, &llm);
    assert_eq!((result.answer.as_deref(), result.search_count), (Some("90 days [1]."), 1));
}

#[test]
fn a_custom_tool_needs_one_registration() {
    let tools = json!([{
        "name": "web_search", "description": "Search the web.", "function": "tool.web_search",
        "parameters": { "type": "object", "properties": { "query": { "type": "string" } } },
    }]);
    let llm = FunctionLlm::new(|_, request| match turn(request) {
        0 => calls(&[("web_search", json!({ "query": "weather" }))]),
        1 => {
            calls(&[("web_search", json!({ "query": "chunks" })), ("web_search", json!({ "query": "fail" }))])
        }
        _ => says("Rain [1]."),
    });
    let functions = TestFunctions::default().with("tool.web_search", |input| match input["query"].as_str() {
        Some("chunks") => Ok(json!([{ "id": "w1", "text": "It rains.", "title": "Weather" }])),
        Some("fail") => {
            Err(Error::FunctionFailed { what: "web_search".into(), reason: "offline".into(), cause: None })
        }
        _ => Ok(json!("sunny")),
    });
    let pipeline = spec(react(json!({})), "What is the weather?", json!({ "tools": tools }));
    let (result, _) = run_with(&pipeline, &corpus(), &llm, &functions, Cancel::default());
    let asked = llm.asked.borrow();
    assert!(last(&asked[1].1).contains("sunny"));
    assert!(last(&asked[2].1).starts_with("Error: "));
    assert_eq!(result.citations[0].chunk_id, "w1", "chunks that a tool returns can be cited");
    let names: Vec<&str> =
        result.log.tool_calls.iter().map(|call| &*call.tool).filter(|tool| *tool != "llm").collect();
    assert_eq!(names, ["web_search", "web_search", "web_search"]);
}

#[test]
fn without_a_model_a_rule_searches_until_nothing_is_missing() {
    let (result, _) = run(&spec(react(json!({})), QUESTION, json!({})), &NoLlm);
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
    assert!(result.answer.is_some() && result.search_count >= 1 && result.iterations <= 3);
    assert_eq!(result.log.usage.llm_calls, 0);
}

#[test]
fn a_run_continues_without_a_failing_model() {
    let llm = FunctionLlm::new(|_, _| Err(Error::LlmFailed { reason: "offline".into() }));
    let (result, _) = ask(react(json!({})), QUESTION, &llm);
    assert_eq!((result.log.terminated_by, result.log.error), (TerminatedBy::Completed, None));
    assert!(!result.log.failures.is_empty() && result.answer.is_some());
}

#[test]
fn numbers_out_of_range_are_refused_before_anything_runs() {
    for style in [
        json!({ "maxIterations": 0 }),
        json!({ "maxIterations": 11 }),
        json!({ "topK": 0 }),
        json!({ "hops": 9 }),
    ] {
        assert_eq!(spec(react(style), QUESTION, json!({})).check().unwrap_err().code(), "invalid_argument");
    }
}
