//! The searches of the agent: fields of filters, search modes and degradation.

use serde_json::{Value, json};
use std::rc::Rc;
use vademecum::agent::context::{By, Context};
use vademecum::agent::ports::{Llm, NoFunctions};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum_testing::agent::{NoLlm, Recorder, ScriptedLlm, TestFunctions, run_with};
use vademecum_testing::{TestEmbedder, add, block_on, contracts, kb, markdown};

const QUESTION: &str = "Which bills of ACME are over 1000?";

fn pipeline(fields: Value) -> Pipeline {
    let mut pipeline = json!({ "question": QUESTION, "threshold": 0.0 });
    pipeline.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(pipeline).unwrap()
}

fn run(fields: Value, kb: &KnowledgeBase, llm: &dyn Llm) -> (Context, Recorder) {
    run_with(&pipeline(fields), kb, llm, &NoFunctions, Cancel::default())
}

/// Bills with a `total`, and notes without one.
fn bills_and_notes() -> KnowledgeBase {
    let kb = kb(None);
    let mut bill = markdown("bill.md", "A bill of ACME.");
    bill.metadata = json!({ "total": 2000 }).as_object().unwrap().clone();
    for (name, document) in [("bills", bill), ("notes", markdown("note.md", "ACME sends many bills."))] {
        kb.collection(name, &CollectionOptions::default()).unwrap();
        block_on(kb.add(name, vec![document], &Cancel::default(), &|_| {})).unwrap();
    }
    kb
}

fn with_embedder() -> (KnowledgeBase, Rc<TestEmbedder>) {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    add(&kb, contracts()).unwrap();
    (kb, embedder)
}

fn found(context: &Context) -> Vec<(&str, usize)> {
    let results = context.results.iter().flatten();
    results.map(|result| (result.collection.as_str(), result.chunks.len())).collect()
}

fn calls(context: &Context) -> impl Iterator<Item = &vademecum::agent::context::ToolCall> {
    context.log.tool_calls.iter().filter(|call| call.tool == "search")
}

/// A model that returns a fixed plan.
fn planning(route: Value, plan: Value) -> ScriptedLlm {
    ScriptedLlm::replying([Ok(route.to_string()), Ok(plan.to_string())])
}

#[test]
fn a_collection_without_a_field_finds_nothing_and_the_others_are_searched() {
    for steps in [
        json!([{ "step": "search" }, { "step": "answer" }]),
        json!([{ "step": "reason" }, { "step": "answer" }]),
    ] {
        let fields = json!({ "collections": ["bills", "notes"], "filters": { "total": { ">": 1000 } }, "steps": steps });
        let (context, _) = run(fields, &bills_and_notes(), &NoLlm);
        assert_eq!((&context.log.error, context.log.failures.as_slice()), (&None, &[][..]), "{steps}");
        assert_eq!(found(&context), [("bills", 1), ("notes", 0)], "{steps}");
        assert!(context.answer.unwrap().contains("bill of ACME"));
    }
}

#[test]
fn a_field_that_no_collection_of_the_search_has_is_an_error() {
    for (fields, search) in [
        (json!({ "totl": 2000 }), json!({ "step": "search", "collections": ["bills", "notes"] })),
        (json!({ "total": 2000 }), json!({ "step": "search", "collection": "notes" })),
    ] {
        let (context, _) = run(json!({ "filters": fields, "steps": [search] }), &bills_and_notes(), &NoLlm);
        assert_eq!(context.log.error.unwrap().code, "unknown_field", "{search}");
    }
}

#[test]
fn no_choice_of_collections_makes_a_filter_fail() {
    let kb = bills_and_notes();
    let choice = ScriptedLlm::replying([Ok(json!({ "collections": ["notes"] }).to_string())]);
    let filtered = json!({
        "collections": ["bills", "notes"], "filters": { "total": { ">": 1000 } },
        "steps": [{ "step": "select" }, { "step": "search" }],
    });
    let (context, _) = run(filtered, &kb, &choice);
    assert_eq!((&context.log.error, found(&context)), (&None, vec![("notes", 0)]));

    let plan = json!({ "filters": [{ "field": "total", "operator": ">", "value": 1000 }] });
    let llm = planning(json!({ "collections": ["bills"], "intent": "list" }), plan);
    let steps = json!([{ "step": "decompose", "phases": 2 }, { "step": "search", "collection": "notes" }]);
    let (context, _) = run(json!({ "steps": steps }), &kb, &llm);
    assert!(context.filters.is_some());
    assert_eq!((&context.log.error, found(&context)), (&None, vec![("notes", 0)]));
}

#[test]
fn a_degraded_search_is_reported_once() {
    for (failing, code) in [(true, "embedder_failed"), (false, "embedder_loading")] {
        let (kb, embedder) = with_embedder();
        embedder.failing.set(failing);
        embedder.not_ready.set(!failing);
        let steps = json!([{ "step": "search", "collections": ["default", "default"] }, { "step": "reason" }, { "step": "answer" }]);
        let (context, events) = run(
            json!({ "question": "What is the notice to end the ACME contract?", "steps": steps }),
            &kb,
            &NoLlm,
        );
        assert!(context.answer.as_ref().unwrap().contains("30 days"));
        assert_eq!(context.log.failures.iter().map(|failure| &*failure.code).collect::<Vec<_>>(), [code]);
        assert_eq!(events.shape()[..3], ["start search", "failed search", "stop search"]);
        assert_eq!(events.shape().iter().filter(|event| event.starts_with("failed")).count(), 1);
        assert!(
            context.log.reasoning_trace[0].text.contains("keywords alone"),
            "{:?}",
            context.log.reasoning_trace
        );
        for call in calls(&context) {
            assert_eq!((&call.result["degraded"], &call.result["mode"]), (&json!(code), &json!("keyword")));
        }
    }
}

#[test]
fn a_complete_search_reports_no_degradation() {
    let without = kb(None);
    add(&without, contracts()).unwrap();
    for kb in [with_embedder().0, without] {
        let (context, _) = run(json!({ "steps": [{ "step": "search" }] }), &kb, &NoLlm);
        assert_eq!(context.log.failures, []);
        assert!(calls(&context).all(|call| call.result.get("degraded").is_none()));
    }
}

#[test]
fn a_search_uses_the_strategy_of_the_plan() {
    let steps = json!([{ "step": "decompose", "phases": 2 }, { "step": "search" }, { "step": "reason" }]);
    for (strategy, embeds, told) in [
        ("keyword", false, json!("keyword")),
        ("semantic", true, json!("semantic")),
        ("hybrid", true, Value::Null),
    ] {
        let (kb, embedder) = with_embedder();
        let llm = planning(
            json!({ "collections": ["default"], "intent": "qa" }),
            json!({ "searchStrategy": strategy }),
        );
        llm.replies
            .borrow_mut()
            .push_back(Ok(json!({ "sufficient": false, "query": "ACME notice" }).to_string()));
        llm.replies.borrow_mut().push_back(Ok(json!({ "sufficient": true }).to_string()));
        let before = embedder.calls.get();
        let (context, _) = run(json!({ "steps": steps }), &kb, &llm);
        assert_eq!((&context.log.error, context.log.failures.as_slice()), (&None, &[][..]));
        assert_eq!(embedder.calls.get() > before, embeds, "{strategy}");
        assert_eq!(calls(&context).count(), 2);
        assert!(calls(&context).all(|call| call.arguments["limits"]["mode"] == told), "{strategy}");
    }
}

#[test]
fn a_plan_for_vector_search_falls_back_to_keywords_without_vectors() {
    let without = kb(None);
    add(&without, contracts()).unwrap();
    let (failing, embedder) = with_embedder();
    embedder.failing.set(true);
    for (kb, code) in [(without, "no_embedder"), (failing, "embedder_failed")] {
        let llm = planning(json!({ "collections": ["default"] }), json!({ "searchStrategy": "semantic" }));
        let steps = json!([{ "step": "decompose", "phases": 2 }, { "step": "search" }]);
        let (context, _) = run(json!({ "steps": steps }), &kb, &llm);
        assert_eq!((&context.log.error, &*context.log.failures[0].code), (&None, code));
        assert!(found(&context)[0].1 > 0);
    }
}

#[test]
fn results_of_a_custom_searcher_are_truncated_to_the_limit() {
    let functions = TestFunctions::default().with("find", |_| {
        Ok((0..50)
            .map(|at| json!({ "id": format!("{at}"), "text": format!("Bill {at} of ACME.") }))
            .collect())
    });
    let fields =
        json!({ "limit": 3, "steps": [{ "step": "search", "searcher": "find" }, { "step": "answer" }] });
    let (context, _) = run_with(&pipeline(fields), &kb(None), &NoLlm, &functions, Cancel::default());
    let ids: Vec<&str> = context.context_used.iter().map(|hit| hit.chunk.id.as_str()).collect();
    assert_eq!((found(&context), ids), (vec![("default", 3)], vec!["0", "1", "2"]));
}

#[test]
fn reasoning_reports_a_custom_searcher() {
    let by = |searcher: Value| {
        let functions = TestFunctions::default().with("find", |_| Ok(json!([])));
        let steps = json!({ "steps": [{ "step": "reason", "searcher": searcher }] });
        run_with(&pipeline(steps), &kb(None), &NoLlm, &functions, Cancel::default()).0.log.reasoning_trace[0]
            .by
    };
    assert_eq!((by(json!("find")), by(Value::Null)), (By::Function, By::Rule));
}

#[test]
fn without_a_choice_default_is_searched_or_all_collections_of_a_library_where_it_is_empty() {
    let kb = bills_and_notes();
    let steps = json!({ "question": "ACME", "steps": [{ "step": "search" }, { "step": "answer" }] });
    let (all, _) = run(steps.clone(), &kb, &NoLlm);
    assert_eq!(found(&all), [("bills", 1), ("notes", 1)]);
    let resumed = serde_json::from_value::<Context>(serde_json::to_value(&all).unwrap()).unwrap();
    assert_eq!(resumed.collections, None, "a scope is no choice");
    add(&kb, vec![markdown("default.md", "ACME is in the default collection.")]).unwrap();
    let (default, _) = run(steps, &kb, &NoLlm);
    assert_eq!(found(&default), [("default", 1)]);
}
