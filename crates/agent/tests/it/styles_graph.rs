//! The graph style, and properties of all styles: events, budgets and checkpoints.

use proptest::prelude::*;
use serde_json::{Value, json};
use vademecum::agent::checkpoint::State;
use vademecum::agent::context::TerminatedBy;
use vademecum::agent::event::Event;
use vademecum::cancel::Cancel;
use vademecum::error::Error;
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, assert_golden, calls, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::{ask, last, resume, run, spec};

const QUESTION: &str = "How do GenServer and Agent differ?";

fn graph() -> Value {
    json!({ "name": "graph", "topK": 10 })
}

#[test]
fn calls_are_planned_executed_and_graded_until_the_evidence_suffices() {
    let llm = FunctionLlm::new(|step, request| match step {
        "analyze_query" => says(
            json!({ "intent": "compare", "concepts": ["GenServer", "Agent"], "calls": [
                { "tool": "vector_search", "args": { "query": "GenServer" } },
                { "tool": "keyword_search", "args": { "query": "Agent" } },
            ] })
            .to_string(),
        ),
        "grade_results" if last(request).contains("document_lookup {") => {
            says("{\"status\": \"enough\", \"reason\": \"both are there\"}")
        }
        "grade_results" => says(
            json!({ "status": "more", "reason": "one is missing", "nextToolCalls": [
                { "tool": "document_lookup", "args": { "doc_id": "docs-genserver" } },
            ] })
            .to_string(),
        ),
        "synthesize" => says("A GenServer handles messages [1]; an Agent keeps state [2]."),
        other => panic!("{other} asks"),
    });
    let (result, _) = ask(graph(), QUESTION, &llm);
    let steps = [
        "analyze_query",
        "execute_tools",
        "grade_results",
        "execute_tools",
        "grade_results",
        "synthesize",
        "ground",
    ];
    assert_eq!(result.steps_taken, steps);
    assert_eq!(result.log.usage.llm_calls, 4);
    let tools: Vec<&str> = result
        .log
        .tool_calls
        .iter()
        .filter(|call| call.step == "execute_tools")
        .map(|call| &*call.tool)
        .collect();
    assert_eq!(tools, ["vector_search", "keyword_search", "document_lookup"]);
    assert_eq!(result.query_analysis.unwrap()["concepts"], json!(["GenServer", "Agent"]));
    assert_eq!((result.citations.len(), result.log.terminated_by), (2, TerminatedBy::Completed));
    let asked = llm.asked.borrow();
    assert_golden("analyze_prompt", &asked[0].1);
}

#[test]
fn without_a_model_each_side_of_a_comparison_is_searched() {
    let (result, _) = run(&spec(graph(), QUESTION, json!({})), &NoLlm);
    assert_eq!(result.sub_questions, ["What is GenServer?", "What is Agent?"]);
    assert_eq!(result.coverage.len(), 2);
    let collections: Vec<&str> =
        result.context_used.iter().map(|hit| hit.chunk.collection.as_str()).collect();
    assert!(["docs", "faq", "api"].iter().any(|one| collections.contains(one)), "{collections:?}");
    assert!(result.answer.is_some() && result.log.usage.llm_calls == 0);
}

#[test]
fn a_loop_ends_at_its_limit() {
    let llm = FunctionLlm::new(|step, request| match step {
        "synthesize" => says("So it is."),
        _ => {
            let made = last(request).matches("\n- vector_search").count();
            says(json!({ "status": "more", "calls": [{ "tool": "vector_search", "args": { "query": format!("Agent {made}") } }] }).to_string())
        }
    });
    let style = json!({ "name": "graph", "maxIterations": 2 });
    let (result, _) = ask(style, QUESTION, &llm);
    assert_eq!(result.steps_taken.iter().filter(|step| *step == "execute_tools").count(), 2);
    assert!(llm.count("grade_results") <= 2);
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
}

/// All styles.
fn styles() -> [Value; 3] {
    [json!({ "name": "react" }), json!({ "name": "investigate" }), json!({ "name": "graph" })]
}

fn working() -> FunctionLlm {
    FunctionLlm::new(|step, request| match step {
        "decompose" => says("{\"collections\": [\"docs\", \"api\"], \"intent\": \"qa\"}"),
        "plan" => says("{\"subqueries\": [\"GenServer\", \"Agent\"]}"),
        "review" if last(request).contains("- search_") => says("{\"status\": \"enough\"}"),
        "review" => says(
            "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"search_text\", \"args\": {\"query\": \"Agent\"}}}",
        ),
        "analyze_query" => {
            says("{\"calls\": [{\"tool\": \"keyword_search\", \"args\": {\"query\": \"Agent\"}}]}")
        }
        "grade_results" => says("{\"status\": \"enough\"}"),
        "think" if request.messages.len() < 3 => calls(&[("search", json!({ "query": "Agent" }))]),
        _ => says("An Agent keeps state [1]."),
    })
}

#[test]
fn every_style_reports_each_step_and_ends_once() {
    for style in styles() {
        let (result, recorder) = ask(style.clone(), QUESTION, &working());
        let events = recorder.0.borrow();
        let done = events.iter().filter(|event| matches!(event, Event::Done { .. })).count();
        assert!(done == 1 && matches!(events.last(), Some(Event::Done { .. })), "{style}");
        let shape = recorder.shape();
        for step in &result.steps_taken {
            assert!(
                shape.contains(&format!("start {step}")) && shape.contains(&format!("stop {step}")),
                "{style}: {step}"
            );
        }
        assert_eq!(result.log.error, None, "{style}");
    }
}

#[test]
fn an_exhausted_budget_still_gives_an_answer() {
    for style in styles() {
        for limits in [
            json!({ "llmCalls": 1 }),
            json!({ "llmCalls": 2 }),
            json!({ "tokens": 900 }),
            json!({ "toolCalls": 0 }),
        ] {
            let llm = working();
            let (result, _) = run(&spec(style.clone(), QUESTION, json!({ "budget": limits })), &llm);
            assert!(result.answer.is_some() || result.clarification.is_some(), "{style} {limits}");
            assert!(result.log.usage.llm_calls <= limits["llmCalls"].as_u64().unwrap_or(99) as usize);
            assert!(
                matches!(
                    result.log.terminated_by,
                    TerminatedBy::Budget | TerminatedBy::Completed | TerminatedBy::Clarify
                ),
                "{style} {limits}"
            );
        }
    }
}

#[test]
fn a_run_stopped_after_any_step_resumes_to_the_same_result() {
    for style in styles() {
        let pipeline = spec(style.clone(), QUESTION, json!({ "checkpoints": true }));
        let (whole, recorder) = run(&pipeline, &working());
        let states: Vec<Value> = recorder
            .0
            .borrow()
            .iter()
            .filter_map(|event| match event {
                Event::Checkpoint { state } => Some(state.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(states.len(), whole.steps_taken.len(), "{style}");
        for state in states {
            let (resumed, _) = resume(&state, None, &working());
            assert_eq!(resumed.answer, whole.answer, "{style}");
            assert_eq!(resumed.citations, whole.citations, "{style}");
            assert_eq!(resumed.steps_taken, whole.steps_taken, "{style}");
            assert_eq!(resumed.log.usage.llm_calls, whole.log.usage.llm_calls, "{style}");
            assert_eq!(resumed.log.tool_calls.len(), whole.log.tool_calls.len(), "{style}");
        }
    }
}

#[test]
fn an_aborted_run_keeps_its_results_and_its_position() {
    for style in styles() {
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let llm = FunctionLlm::new(move |step, request| {
            if matches!(step, "compose" | "synthesize") || request.messages.len() > 2 {
                stop.cancel();
                return Err(Error::Aborted);
            }
            (working().function)(step, request)
        });
        let pipeline = spec(style.clone(), QUESTION, json!({}));
        let (stopped, _) = run_with(&pipeline, &corpus(), &llm, &TestFunctions::default(), cancel);
        assert_eq!(stopped.log.terminated_by, TerminatedBy::Aborted, "{style}");
        let (result, _) = resume(stopped.state.as_ref().unwrap(), None, &working());
        assert_eq!(
            (result.log.terminated_by, result.log.error.clone()),
            (TerminatedBy::Completed, None),
            "{style}"
        );
        assert!(result.steps_taken.starts_with(&stopped.steps_taken), "{style}");
    }
}

#[test]
fn a_changed_index_is_reported() {
    let stopped =
        run(&spec(json!({ "name": "investigate" }), "Find contracts from 2024", json!({})), &NoLlm).0;
    let mut state = stopped.state.unwrap();
    assert!(!resume(&state, Some("yes"), &NoLlm).0.index_changed);
    assert!(state["index"].is_string());
    state["index"] = json!("another");
    let (result, _) = resume(&state, Some("yes"), &NoLlm);
    assert!(result.index_changed);
    assert!(result.log.failures.iter().any(|one| one.code == "index_changed"));
}

#[test]
fn an_invalid_state_is_refused_with_its_code() {
    let state = run(&spec(json!({ "name": "investigate" }), "Find contracts from 2024", json!({})), &NoLlm)
        .0
        .state
        .unwrap();
    let mut other = state.clone();
    other["version"] = json!(99);
    let mut unknown = state;
    unknown["more"] = json!(1);
    for bad in [json!(null), json!("{}"), json!({}), other, unknown, json!([1]), json!({ "version": 1 })] {
        let pipeline = json!({ "question": "-", "resume": { "state": bad } });
        let pipeline: vademecum::agent::styles::pipeline::Pipeline =
            serde_json::from_value(pipeline).unwrap();
        assert_eq!(pipeline.check().unwrap_err().code(), "invalid_state");
    }
}

/// Changes the value at a path of a state.
fn mutate(value: &mut Value, path: &[usize], new: &Value) {
    let Some((at, rest)) = path.split_first() else {
        *value = new.clone();
        return;
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let at = at % fields.len();
            mutate(fields.values_mut().nth(at).unwrap(), rest, new);
        }
        Value::Array(items) if !items.is_empty() => {
            let at = at % items.len();
            mutate(&mut items[at], rest, new);
        }
        leaf => *leaf = new.clone(),
    }
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z.é{}\\[\\]\"]{0,12}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({ "a": [1, "b"] })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]
    #[test]
    fn no_damaged_state_causes_a_panic(
        which in 0usize..3, at in 0usize..9, path in prop::collection::vec(0usize..40, 1..7), new in junk(), answer in prop::option::of("[a-z ]{0,20}")
    ) {
        thread_local! {
            static STATES: Vec<Vec<Value>> = styles().iter().map(|style| {
                let (_, recorder) = run(&spec(style.clone(), QUESTION, json!({ "checkpoints": true })), &working());
                let events = recorder.0.borrow();
                events.iter().filter_map(|event| match event {
                    Event::Checkpoint { state } => Some(state.clone()),
                    _ => None,
                }).collect()
            }).collect();
        }
        let mut state = STATES.with(|states| states[which][at % states[which].len()].clone());
        mutate(&mut state, &path, &new);
        let pipeline = json!({ "question": "-", "resume": { "state": state, "answer": answer } });
        if let Ok(pipeline) = serde_json::from_value::<vademecum::agent::styles::pipeline::Pipeline>(pipeline) {
            match pipeline.check() {
                Err(error) => prop_assert!(["invalid_state", "invalid_argument", "empty_question"].contains(&error.code())),
                Ok(()) => {
                    let (result, recorder) = run(&pipeline, &NoLlm);
                    let done = recorder.0.borrow().iter().filter(|event| matches!(event, Event::Done { .. })).count();
                    prop_assert_eq!(done, 1, "{:?}", result.log.terminated_by);
                }
            }
        }
    }
}

#[test]
fn a_changed_state_is_refused_with_the_nearest_name() {
    let asked = spec(json!({ "name": "investigate" }), "Find contracts from 2024", json!({}));
    let state = run(&asked, &NoLlm).0.state.unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut state = state.clone();
        change(&mut state);
        State::read(&state).unwrap_err().to_string()
    };
    State::read(&state).unwrap();
    let said = refused(&|state| state["pipeline"]["steps"] = json!([{ "step": "serch" }]));
    assert!(
        said.contains("got one with the unknown name `serch` (did you mean `search`?). Ask again."),
        "{said}"
    );
    let said = refused(&|state| state["pipeline"]["limt"] = json!(3));
    assert!(said.contains("`limt` (did you mean `limit`?)"), "{said}");
    let said = refused(&|state| drop(state.as_object_mut().unwrap().remove("progress")));
    assert!(said.contains("got one without `progress`"), "{said}");
}
