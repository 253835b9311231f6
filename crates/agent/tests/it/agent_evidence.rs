//! Gathering evidence: self-correcting search, reranking and multi-hop reasoning.

use futures_util::future::LocalBoxFuture;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::ports::{Caller, ChatRequest, Llm, NoFunctions};
use vademecum::agent::reply::Completion;
use vademecum::cancel::Cancel;
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{
    NoLlm, QUESTION, Recorder, ScriptedLlm, TestFunctions, assert_golden, library, pipeline, run_with,
};

pub(super) fn without_llm(fields: Value, functions: &TestFunctions) -> (Context, Recorder) {
    run_with(&pipeline(fields), &library(), &NoLlm, functions, Cancel::default())
}

fn with_llm(fields: Value, replies: &[&str]) -> (Context, Recorder, ScriptedLlm) {
    let llm = ScriptedLlm::replying(replies.iter().map(|reply| Ok((*reply).to_owned())));
    let (context, events) = run_with(&pipeline(fields), &library(), &llm, &NoFunctions, Cancel::default());
    (context, events, llm)
}

fn refused() -> Error {
    Error::LlmHttp { status: 401, retry_after_ms: None, detail: String::new(), advice: "Mend it." }
}

/// Returns the metadata of the stop event of a step.
fn stop(events: &Recorder, step: &str) -> Value {
    let all = events.0.borrow();
    let values = all.iter().map(|event| serde_json::to_value(event).unwrap());
    values.rev().find(|event| event["type"] == "stop" && event["step"] == step).unwrap()["metadata"].clone()
}

fn evidence_ids(context: &Context) -> Vec<String> {
    context.evidence().into_iter().map(|hit| hit.chunk.id).collect()
}

/// Returns the limits of every search, in order.
fn searches(context: &Context) -> Vec<Value> {
    context
        .log
        .tool_calls
        .iter()
        .filter(|call| call.tool == "search")
        .map(|call| call.arguments.clone())
        .collect()
}

/// A custom searcher with two passages, and its queries.
fn two_passages() -> (TestFunctions, Rc<RefCell<Vec<Value>>>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let log = asked.clone();
    let functions = TestFunctions::default().with("find", move |input| {
        log.borrow_mut().push(input.clone());
        let first = json!({ "id": "a", "text": "The contract with ACME has a notice of 30 days." });
        let second = json!({ "id": "b", "text": "Liability of Globex is limited to the fees." });
        let asks_for_missing = input["question"] == "Globex liability limited";
        Ok(json!([if asks_for_missing { second } else { first }]))
    });
    (functions, asked)
}

#[test]
fn a_sufficient_search_is_not_repeated() {
    let (result, events) = without_llm(
        json!({ "steps": [{ "step": "search", "selfCorrect": true }] }),
        &TestFunctions::default(),
    );
    assert_eq!(result.results.unwrap()[0].iterations, 1);
    assert_eq!(stop(&events, "search")["by"], "rule");
    assert!(result.log.reasoning_trace.iter().any(|thought| thought.text.contains("enough after 1")));
}

#[test]
fn the_rules_next_query_has_the_missing_terms() {
    let (functions, asked) = two_passages();
    let (result, _) = without_llm(
        json!({
            "question": "How is liability limited in the contract with Globex?",
            "steps": [{ "step": "search", "selfCorrect": true, "searcher": "find" }],
        }),
        &functions,
    );
    let asked: Vec<Value> = asked.borrow().iter().map(|input| input["question"].clone()).collect();
    assert_eq!(asked[1..], ["Globex liability limited"]);
    let found = &result.results.as_ref().unwrap()[0];
    assert_eq!(found.iterations, 2);
    assert_eq!(found.question, "How is liability limited in the contract with Globex?");
    assert_eq!(evidence_ids(&result), ["b", "a"], "the finds of both tries");
}

#[test]
fn the_last_search_has_no_threshold() {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let log = asked.clone();
    let functions = TestFunctions::default().with("find", move |input| {
        let threshold = input["threshold"].as_f64().unwrap();
        log.borrow_mut().push((input["question"].as_str().unwrap().to_owned(), threshold > 0.0));
        let near = json!([{ "id": "near", "text": "Something near." }]);
        Ok(if threshold > 0.0 { json!([]) } else { near })
    });
    let (result, _) = without_llm(
        json!({ "threshold": 0.5, "steps": [{ "step": "search", "selfCorrect": true, "searcher": "find" }] }),
        &functions,
    );
    assert_eq!(*asked.borrow(), [(QUESTION.to_owned(), true), (QUESTION.to_owned(), false)]);
    assert_eq!(evidence_ids(&result), ["near"]);
}

#[test]
fn an_llm_judges_the_results_and_writes_the_next_query() {
    let (result, events, llm) = with_llm(
        json!({ "steps": [{ "step": "search", "selfCorrect": true }] }),
        &[
            r#"{"sufficient": false, "reason": "no date"}"#,
            r#"Try this: {"query": "termination date"}"#,
            r#"{"enough": "yes"}"#,
        ],
    );
    let asked: Vec<Value> = searches(&result).iter().map(|search| search["question"].clone()).collect();
    assert_eq!(asked, [QUESTION, "termination date"]);
    assert_eq!(result.results.unwrap()[0].iterations, 2);
    assert_eq!(stop(&events, "search")["by"], "llm");
    assert_golden("sufficient_prompt", &llm.requests.borrow()[0]);
    assert_golden("search_again_prompt", &llm.requests.borrow()[1]);
}

#[test]
fn the_same_query_is_never_searched_twice() {
    let no = r#"{"sufficient": false}"#;
    let (result, _, _) = with_llm(
        json!({ "steps": [{ "step": "search", "selfCorrect": true }] }),
        &[no, r#"{"query": "the ACME contract: to end, notice"}"#],
    );
    assert_eq!(searches(&result).len(), 1);
    let (result, _, _) = with_llm(
        json!({ "steps": [{ "step": "search", "selfCorrect": true, "maxIterations": 2 }] }),
        &[no, r#"{"query": "termination"}"#, no],
    );
    assert_eq!(searches(&result).len(), 2, "and no more queries than were allowed");
}

#[test]
fn a_failing_llm_is_not_called_again_in_the_same_search() {
    let llm = ScriptedLlm::replying([Err(refused())]);
    let steps = json!({ "steps": [{ "step": "search", "selfCorrect": true }] });
    let (result, events) = run_with(&pipeline(steps), &library(), &llm, &NoFunctions, Cancel::default());
    assert_eq!((result.log.failures.len(), result.log.usage.llm_calls), (1, 1));
    assert_eq!(stop(&events, "search")["by"], "rule");
    assert!(!evidence_ids(&result).is_empty());
}

#[test]
fn the_caller_may_write_the_prompts_of_the_correction() {
    let functions = TestFunctions::default()
        .with("judge", |input| {
            Ok(json!(format!("Judge {} chunks", input["chunks"].as_array().unwrap().len())))
        })
        .with("again", |input| Ok(json!(format!("Again: {}", input["question"].as_str().unwrap()))));
    let step = json!({
        "step": "search", "selfCorrect": true, "maxIterations": 2, "sufficientPrompt": "judge", "rewritePrompt": "again",
    });
    let replies = [r#"{"sufficient": false}"#, r#"{"query": "end of contract"}"#, r#"{"sufficient": true}"#];
    let llm = ScriptedLlm::replying(replies.map(|reply| Ok(reply.to_owned())));
    run_with(&pipeline(json!({ "steps": [step] })), &library(), &llm, &functions, Cancel::default());
    let said: Vec<String> =
        llm.requests.borrow().iter().map(|request| request.messages[0].content.clone()).collect();
    assert_eq!(said[..2], ["Judge 4 chunks".to_owned(), format!("Again: {QUESTION}")]);
}

#[test]
fn reranking_by_an_llm_makes_the_search_fetch_more() {
    let (result, events, llm) = with_llm(
        json!({ "limit": 2, "steps": [{ "step": "search" }, { "step": "rerank", "keep": 2 }] }),
        &[r#"{"scores": [{"n": 1, "score": 2}, {"n": 3, "score": 9}, {"n": 2, "score": 1}]}"#],
    );
    assert_eq!(searches(&result)[0]["limits"]["limit"], 30);
    let found = &result.results.as_ref().unwrap()[0].chunks;
    assert_eq!(evidence_ids(&result), [found[2].chunk.id.clone(), found[0].chunk.id.clone()]);
    let told = stop(&events, "rerank");
    assert_eq!(
        (&told["rankedCount"], &told["keptCount"], &told["by"]),
        (&json!(4), &json!(2), &json!("llm"))
    );
    assert_golden("rerank_prompt", &llm.requests.borrow()[0]);
}

#[test]
fn without_a_reranker_order_and_fetch_size_are_unchanged() {
    let (result, events) = without_llm(
        json!({ "limit": 4, "steps": [{ "step": "search" }, { "step": "rerank", "keep": 3 }] }),
        &TestFunctions::default(),
    );
    assert_eq!(searches(&result)[0]["limits"]["limit"], 4);
    let found: Vec<String> =
        result.results.iter().flatten().flat_map(|one| &one.chunks).map(|hit| hit.chunk.id.clone()).collect();
    assert_eq!(evidence_ids(&result), found[..3]);
    assert_eq!(stop(&events, "rerank")["by"], "rule");
}

#[test]
fn a_failed_batch_keeps_its_position_and_the_others_are_ranked() {
    let llm = ScriptedLlm::replying([Err(refused()), Ok(r#"{"scores": [1, 9]}"#.to_owned())]);
    let steps = json!({ "steps": [{ "step": "search" }, { "step": "rerank", "batch": 2 }] });
    let (result, events) = run_with(&pipeline(steps), &library(), &llm, &NoFunctions, Cancel::default());
    let found: Vec<&str> =
        result.results.as_ref().unwrap()[0].chunks.iter().map(|hit| hit.chunk.id.as_str()).collect();
    assert_eq!(evidence_ids(&result), [found[0], found[1], found[3], found[2]]);
    assert_eq!((result.log.failures.len(), &stop(&events, "rerank")["failedBatches"]), (1, &json!(1)));
    assert_eq!(result.log.error, None);
}

#[test]
fn a_custom_reranker_returns_scores_ids_or_both() {
    let ids = |input: &Value| -> Vec<Value> {
        input["chunks"].as_array().unwrap().iter().map(|chunk| chunk["id"].clone()).collect()
    };
    let rank = TestFunctions::default()
        .with("scores", move |input| Ok((0..ids(input).len()).map(|at| json!(at)).collect()))
        .with("ids", move |input| Ok(ids(input).into_iter().rev().collect()))
        .with("both", move |input| {
            let scored = ids(input).into_iter().enumerate();
            Ok(scored.map(|(at, id)| json!({ "id": id, "score": at })).collect())
        })
        .with("wrong", |_| Ok(json!([1])));
    let ranked = |name: &str| {
        let steps = json!([{ "step": "search" }, { "step": "rerank", "reranker": name }]);
        without_llm(json!({ "limit": 4, "steps": steps }), &rank)
    };
    let found = evidence_ids(&ranked("wrong").0);
    for name in ["scores", "ids", "both"] {
        let (result, events) = ranked(name);
        assert_eq!(evidence_ids(&result), found.iter().rev().cloned().collect::<Vec<_>>(), "{name}");
        assert_eq!(searches(&result)[0]["limits"]["limit"], 100);
        assert_eq!(stop(&events, "rerank")["by"], "function");
    }
    let (result, events) = ranked("wrong");
    assert_eq!(result.log.failures[0].code, "function_result");
    assert_eq!(stop(&events, "rerank")["by"], "rule");
}

#[test]
fn an_unrated_passage_keeps_its_position() {
    let (result, _, _) = with_llm(
        json!({ "steps": [{ "step": "search" }, { "step": "rerank" }] }),
        &[r#"{"scores": [{"n": 2, "score": 1}, {"n": 3, "score": 9}]}"#],
    );
    let found: Vec<&str> =
        result.results.as_ref().unwrap()[0].chunks.iter().map(|hit| hit.chunk.id.as_str()).collect();
    assert_eq!(evidence_ids(&result), [found[0], found[2], found[1], found[3]]);
}

#[test]
fn reranking_must_keep_at_least_one_chunk() {
    for step in [json!({ "step": "rerank", "keep": 0 }), json!({ "step": "rerank", "batch": 0 })] {
        let misuse = pipeline(json!({ "steps": [step] })).check().unwrap_err();
        assert_eq!(misuse.code(), "invalid_argument");
    }
}

#[test]
fn an_llm_follows_one_fact_to_another() {
    let (result, events, llm) = with_llm(
        json!({ "limit": 1, "steps": [{ "step": "search" }, { "step": "reason" }] }),
        &[
            r#"{"sufficient": false, "query": "Globex licence renewal", "reason": "renewal is missing"}"#,
            r#"{"sufficient": true, "reason": "all there"}"#,
        ],
    );
    let told = stop(&events, "reason");
    assert_eq!(told["queries"], json!(["Globex licence renewal"]));
    assert_eq!(
        (&told["iterations"], &told["addedChunks"], &told["by"]),
        (&json!(2), &json!(1), &json!("llm"))
    );
    let documents: Vec<String> = result.evidence().into_iter().map(|hit| hit.chunk.doc_id).collect();
    assert_eq!(documents, ["acme.md", "globex.md"]);
    assert_eq!(result.results.as_ref().unwrap().len(), 2, "a follow-up is a search as well");
    assert_golden("reason_prompt", &llm.requests.borrow()[1]);
}

#[test]
fn reasoning_stops_at_a_repeated_query_and_at_its_limit() {
    let steps = json!([{ "step": "search" }, { "step": "reason", "maxIterations": 2 }]);
    let (result, _, _) = with_llm(
        json!({ "steps": steps }),
        &[r#"{"sufficient": false, "query": "notice, end ACME contract"}"#],
    );
    assert_eq!(searches(&result).len(), 1);
    let replies = [r#"{"followUp": "one thing"}"#, r#"{"followUp": "other thing"}"#];
    let (result, events, _) = with_llm(json!({ "steps": steps }), &replies);
    assert_eq!(stop(&events, "reason")["queries"], json!(["one thing", "other thing"]));
    assert_eq!(searches(&result).len(), 3);
}

#[test]
fn without_an_llm_the_searcher_follows_chains() {
    let (result, events) = without_llm(
        json!({ "steps": [{ "step": "search" }, { "step": "reason", "hops": 3 }] }),
        &TestFunctions::default(),
    );
    assert_eq!(searches(&result)[1]["limits"]["hops"], 3);
    assert_eq!(stop(&events, "reason")["by"], "rule");
    let llm = ScriptedLlm::replying([Err(refused())]);
    let steps = json!({ "steps": [{ "step": "search" }, { "step": "reason" }] });
    let (result, _) = run_with(&pipeline(steps), &library(), &llm, &NoFunctions, Cancel::default());
    assert_eq!(searches(&result)[1]["limits"]["hops"], "auto", "as after an LLM that fails");
}

#[test]
fn reasoning_reuses_the_searcher_of_the_search_step() {
    let (functions, asked) = two_passages();
    let steps = json!([{ "step": "search", "searcher": "find" }, { "step": "reason" }, { "step": "rerank", "keep": 9 }]);
    let (result, _) = without_llm(json!({ "limit": 4, "steps": steps }), &functions);
    let told: Vec<Value> =
        asked.borrow().iter().map(|input| json!([input["hops"], input["limit"]])).collect();
    assert_eq!(
        told,
        [json!([1, 9]), json!(["auto", 9])],
        "by the same function, and as many as are ranked later"
    );
    assert_eq!(result.results.unwrap().len(), 2);
}

#[test]
fn reasoning_without_an_llm_keeps_a_ranking() {
    let functions = TestFunctions::default().with("last", |input| {
        Ok((0..input["chunks"].as_array().unwrap().len()).map(|at| json!(at)).collect())
    });
    let ranking = json!([{ "step": "search" }, { "step": "rerank", "reranker": "last" }]);
    let mut reasoning = ranking.as_array().unwrap().clone();
    reasoning.push(json!({ "step": "reason" }));
    let ranked = evidence_ids(&without_llm(json!({ "steps": ranking }), &functions).0);
    let (result, _) = without_llm(json!({ "steps": reasoning }), &functions);
    let order: Vec<usize> =
        ranked.iter().filter_map(|id| evidence_ids(&result).iter().position(|other| other == id)).collect();
    assert_eq!((order[0], ranked.len()), (0, order.len()), "the best stays the best");
    assert_eq!(result.results.unwrap().len(), 2);
}

#[test]
fn a_query_copied_from_the_prompt_is_not_searched() {
    for (step, replies) in [
        (
            json!({ "step": "search", "selfCorrect": true }),
            vec![r#"{"sufficient": false}"#, r#"{"query": "Termination notice supplier contract"}"#],
        ),
        (json!({ "step": "reason" }), vec![r#"{"sufficient": false, "query": "Jane Doe birthplace"}"#]),
    ] {
        let copied = *replies.last().unwrap();
        let replies: Vec<&str> = replies.iter().copied().chain([copied]).collect();
        let (result, _, _) = with_llm(json!({ "steps": [step] }), &replies);
        assert_eq!(result.log.failures.len(), 1);
        assert!(searches(&result).iter().all(|search| search["question"] == QUESTION), "{step}");
    }
}

#[test]
fn reasoning_without_a_search_step_searches_itself() {
    let (result, _) = without_llm(
        json!({ "steps": [{ "step": "reason" }, { "step": "answer" }] }),
        &TestFunctions::default(),
    );
    assert!(result.answer.unwrap().contains("30 days"));
}

#[test]
fn searches_beyond_the_budget_are_skipped() {
    let steps =
        json!([{ "step": "search", "selfCorrect": true }, { "step": "reason" }, { "step": "answer" }]);
    let fields =
        json!({ "question": "What do ACME and Initech pay?", "budget": { "toolCalls": 1 }, "steps": steps });
    let (result, _) = without_llm(fields, &TestFunctions::default());
    assert_eq!(searches(&result).len(), 1);
    assert_eq!((result.log.terminated_by, result.log.error), (TerminatedBy::Budget, None));
    assert!(!result.context_used.is_empty());
}

/// Requests something new each time, and rates every second passage as relevant.
#[derive(Default)]
struct Restless(Cell<usize>);

impl Llm for Restless {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        _: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        const WORDS: [&str; 5] = ["licence", "price", "renewal", "liability", "notice"];
        let turn = self.0.replace(self.0.get() + 1);
        let content = match caller.step {
            "rerank" => r#"{"2": 9, "4": 8, "1": 1}"#.to_owned(),
            _ => format!(r#"{{"sufficient": false, "query": "{}"}}"#, WORDS[turn % WORDS.len()]),
        };
        Box::pin(std::future::ready(Ok(Completion { content, ..Completion::default() })))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 10))]

    #[test]
    fn no_chunk_is_evidence_twice_for_any_order_of_steps(
        order in proptest::collection::vec(0..4_usize, 1..6), llm in any::<bool>(), limit in 1..5_usize
    ) {
        let kinds = [
            json!({ "step": "search" }),
            json!({ "step": "search", "selfCorrect": true }),
            json!({ "step": "reason" }),
            json!({ "step": "rerank", "keep": 3 }),
        ];
        let steps: Vec<&Value> = order.iter().map(|at| &kinds[*at]).collect();
        let pipeline = pipeline(json!({ "limit": limit, "steps": steps }));
        let restless = Restless::default();
        let llm: &dyn Llm = if llm { &restless } else { &NoLlm };
        let (result, _) = run_with(&pipeline, &library(), llm, &NoFunctions, Cancel::default());
        prop_assert_eq!(&result.log.error, &None);
        let mut ids = evidence_ids(&result);
        let all = ids.len();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), all);
    }

    #[test]
    fn a_failed_step_leaves_the_context_unchanged(
        order in proptest::collection::vec(0..4_usize, 1..5), broken in 0..3_usize
    ) {
        let kinds =
            [json!({ "step": "search" }), json!({ "step": "reason" }), json!({ "step": "answer" }), json!({ "step": "ground" })];
        let broken = [
            json!({ "step": "search", "collection": "nowhere" }),
            json!({ "step": "custom", "name": "mine", "function": "missing" }),
            // Changes the answer before its limit is refused.
            json!({ "step": "custom", "name": "mine", "function": "halfway" }),
        ][broken].clone();
        let before: Vec<Value> = order.iter().map(|at| kinds[*at].clone()).collect();
        let after: Vec<Value> = before.iter().cloned().chain([broken, json!({ "step": "answer" })]).collect();
        let state = |steps: &[Value]| {
            let halfway = |_: &Value| Ok(json!({ "answer": "x", "collections": ["x"], "limit": 0 }));
            let (context, _) =
                without_llm(json!({ "steps": steps }), &TestFunctions::default().with("halfway", halfway));
            let state = (
                context.collections.clone(),
                context.results.clone(), context.ranked.clone(), context.answer.clone(),
                context.citations.clone(), context.context_used.clone(), context.grounding.clone(),
            );
            (state, context.log.error)
        };
        let ((kept, none), (left, error)) = (state(&before), state(&after));
        prop_assert!(none.is_none() && error.is_some());
        prop_assert_eq!(kept, left);
    }
}
