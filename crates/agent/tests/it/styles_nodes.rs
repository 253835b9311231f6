//! Custom nodes and edges of the graph style, and running a single node.

use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::ports::Llm;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::{last, spec};

const QUESTION: &str = "What is the notice period of the ACME support contract?";

fn graph(more: Value) -> Value {
    let mut style = json!({ "name": "graph", "maxIterations": 2 });
    style.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    style
}

fn run(style: Value, more: Value, llm: &dyn Llm, functions: TestFunctions) -> Context {
    run_with(&spec(style, QUESTION, more), &corpus(), llm, &functions, Cancel::default()).0
}

fn node(name: &str) -> Value {
    json!({ "name": name, "function": name })
}

#[test]
fn a_custom_node_runs_at_the_end_of_its_edge_followed_by_the_default_order() {
    let functions = TestFunctions::default().with("shout", |state| {
        let answer = state["answer"].as_str().unwrap().to_uppercase();
        Ok(json!({ "answer": answer, "mood": "loud" }))
    });
    let style =
        graph(json!({ "nodes": [node("shout")], "edges": [{ "from": "synthesize", "to": "shout" }] }));
    let result = run(style, json!({}), &NoLlm, functions);
    assert_eq!(result.log.error, None);
    let steps = result.steps_taken.join(" ");
    assert!(
        steps.starts_with("analyze_query execute_tools") && steps.ends_with("synthesize shout ground"),
        "{steps}"
    );
    let answer = result.answer.unwrap();
    assert_eq!(answer, answer.to_uppercase());
    assert_eq!(result.custom["mood"], "loud");
}

#[test]
fn a_node_can_provide_the_evidence_instead_of_the_search() {
    let functions = TestFunctions::default()
        .with("fetch", |_| Ok(json!({ "evidence": [{ "id": "w1", "text": "The notice period of the ACME support contract is 7 days." }] })));
    let style = graph(json!({
        "nodes": [node("fetch")],
        "edges": [{ "from": "start", "to": "fetch" }, { "from": "fetch", "to": "synthesize" }],
    }));
    let result = run(style, json!({}), &NoLlm, functions);
    assert_eq!(result.steps_taken, ["fetch", "synthesize", "ground"]);
    assert!(result.answer.unwrap().contains("7 days"));
}

#[test]
fn a_function_returns_the_next_node_or_nothing_for_the_default() {
    for (said, steps) in [
        (json!("end"), "analyze_query edge"),
        (json!("synthesize"), "analyze_query edge synthesize ground"),
        (json!(null), "analyze_query edge execute_tools"),
    ] {
        let answer = said.clone();
        let functions = TestFunctions::default().with("where", move |_| Ok(answer.clone()));
        let style = graph(json!({ "edges": [{ "from": "analyze_query", "router": "where" }] }));
        let result = run(style, json!({}), &NoLlm, functions);
        assert!(result.steps_taken.join(" ").starts_with(steps), "{said}: {:?}", result.steps_taken);
        assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
    }
    for said in [json!("nowhere"), json!(7)] {
        let shown = said.to_string();
        let functions = TestFunctions::default().with("where", move |_| Ok(said.clone()));
        let style = graph(json!({ "edges": [{ "from": "analyze_query", "router": "where" }] }));
        let error = run(style, json!({}), &NoLlm, functions).log.error.unwrap();
        assert_eq!((error.code.as_ref(), error.step.as_str()), ("function_result", "edge"), "{shown}");
    }
}

#[test]
fn a_cycle_of_edges_ends_at_the_limit_of_rounds() {
    let times = Rc::new(Cell::new(0));
    let counted = times.clone();
    let functions = TestFunctions::default()
        .with("again", move |_| {
            counted.set(counted.get() + 1);
            Ok(Value::Null)
        })
        .with("back", |_| Ok(json!("analyze_query")));
    let style = graph(json!({
        "nodes": [node("again")],
        "edges": [{ "from": "ground", "to": "again" }, { "from": "again", "router": "back" }],
    }));
    let result = run(style, json!({}), &NoLlm, functions);
    assert_eq!((times.get(), result.log.terminated_by), (2, TerminatedBy::Completed));
    assert!(result.answer.is_some() && result.steps_taken.len() < 20, "{:?}", result.steps_taken);
    assert_eq!(result.steps_taken.iter().filter(|step| *step == "synthesize").count(), 2);
}

#[test]
fn invalid_nodes_and_edges_are_refused_before_anything_runs() {
    for (parts, named) in [
        (json!({ "nodes": [node("ground")], "edges": [] }), "ground"),
        (json!({ "nodes": [node("a b")], "edges": [] }), "a b"),
        (json!({ "nodes": [node("a"), node("a")], "edges": [{ "from": "start", "to": "a" }] }), "`a`"),
        (json!({ "nodes": [node("a")], "edges": [] }), "an edge leads to"),
        (json!({ "edges": [{ "from": "grade", "to": "end" }] }), "grade_results"),
        (json!({ "edges": [{ "from": "start", "to": "finish" }] }), "synthesize"),
        (json!({ "edges": [{ "from": "end", "to": "ground" }] }), "`end`"),
        (json!({ "edges": [{ "from": "start", "to": "start" }] }), "`start`"),
        (json!({ "edges": [{ "from": "strat", "to": "ground" }] }), "(did you mean `start`?)"),
        (json!({ "edges": [{ "from": "start", "to": "sinthesize" }] }), "(did you mean `synthesize`?)"),
        (json!({ "edges": [{ "from": "start" }] }), "nothing"),
        (
            json!({ "edges": [{ "from": "start", "to": "ground" }, { "from": "start", "to": "end" }] }),
            "second",
        ),
    ] {
        let error = spec(graph(parts.clone()), QUESTION, json!({})).check().unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
        assert!(error.to_string().contains(named), "{parts}: {error}");
    }
}

#[test]
fn one_node_runs_alone_with_its_input() {
    let llm = FunctionLlm::new(|step, request| {
        assert_eq!(step, "grade_results");
        assert!(last(request).contains("7 days"), "{}", last(request));
        says("{\"status\": \"enough\", \"reason\": \"it is there\"}")
    });
    let given = json!({ "evidence": [{ "id": "w1", "text": "The notice is 7 days." }], "calls": [] });
    let only = json!({ "only": { "step": "grade_results", "given": given } });
    let mut pipeline = spec(graph(json!({})), QUESTION, only);
    // A grade before any call would be based on nothing.
    pipeline.question = QUESTION.into();
    let (result, recorder) =
        run_with(&pipeline, &corpus(), &llm, &TestFunctions::default(), Cancel::default());
    assert_eq!(result.steps_taken, ["grade_results"]);
    assert_eq!((result.log.error, result.answer), (None, None));
    assert_eq!(recorder.shape(), ["start grade_results", "stop grade_results", "done"]);
}

#[test]
fn a_graph_can_be_run_node_by_node_and_resumed_at_any() {
    let alone = |step: &str, state: Option<&Value>| {
        let only = json!({ "only": { "step": step, "state": state } });
        run(graph(json!({})), only, &NoLlm, TestFunctions::default())
    };
    let first = alone("analyze_query", None);
    assert_eq!((first.steps_taken.len(), first.log.terminated_by), (1, TerminatedBy::Completed));
    let second = alone("execute_tools", first.state.as_ref());
    assert_eq!(second.steps_taken, ["analyze_query", "execute_tools"]);
    assert!(!second.evidence().is_empty());
    let third = alone("synthesize", second.state.as_ref());
    let whole = run(graph(json!({ "maxIterations": 1 })), json!({}), &NoLlm, TestFunctions::default());
    assert_eq!(third.answer, whole.answer);
    let pipeline = json!({ "question": "-", "resume": { "state": second.state } });
    let (rest, _) = run_with(
        &serde_json::from_value(pipeline).unwrap(),
        &corpus(),
        &NoLlm,
        &TestFunctions::default(),
        Cancel::default(),
    );
    assert!(rest.answer.is_some() && rest.state.is_none(), "{:?}", rest.steps_taken);
    assert_eq!(rest.steps_taken[..2], ["analyze_query", "execute_tools"]);
}

#[test]
fn calls_in_the_input_of_a_node_are_executed() {
    let only = json!({ "only": { "step": "execute_tools", "given": { "calls": [{ "tool": "keyword_search", "args": { "query": "GenServer" } }] } } });
    let result = run(graph(json!({})), only, &NoLlm, TestFunctions::default());
    assert_eq!(result.results.unwrap()[0].question, "GenServer");
}

#[test]
fn unknown_nodes_and_invalid_input_are_refused() {
    for only in [
        json!({ "step": "grade" }),
        json!({ "step": "edge" }),
        json!({ "step": "synthesize", "given": { "usage": {} } }),
        json!({ "step": "synthesize", "given": { "evidence": 7 } }),
        json!({ "step": "execute_tools", "given": { "calls": [7] } }),
        json!({ "step": "synthesize", "state": { "version": 99 } }),
    ] {
        assert!(spec(graph(json!({})), QUESTION, json!({ "only": only })).check().is_err(), "{only}");
    }
    let style = json!({ "name": "react" });
    assert!(spec(style, QUESTION, json!({ "only": { "step": "think" } })).check().is_err());
}

#[test]
fn a_stopped_run_with_custom_nodes_resumes_with_them() {
    let functions = || TestFunctions::default().with("shout", |_| Ok(json!({ "mood": "loud" })));
    let style =
        graph(json!({ "nodes": [node("shout")], "edges": [{ "from": "synthesize", "to": "shout" }] }));
    let llm = FunctionLlm::new(|step, _| match step {
        "analyze_query" => {
            says("{\"calls\": [{\"tool\": \"keyword_search\", \"args\": {\"query\": \"ACME notice\"}}]}")
        }
        _ => says("{\"status\": \"enough\"}"),
    });
    let stopped = run(style, json!({ "budget": { "llmCalls": 1 } }), &llm, functions());
    let state = stopped.state.expect("a state");
    let pipeline = json!({ "question": "-", "resume": { "state": state }, "budget": { "llmCalls": 9 } });
    let (result, _) = run_with(
        &serde_json::from_value(pipeline).unwrap(),
        &corpus(),
        &llm,
        &functions(),
        Cancel::default(),
    );
    assert_eq!(result.custom["mood"], "loud", "{:?}", result.steps_taken);
}
