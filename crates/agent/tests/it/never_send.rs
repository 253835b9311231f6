//! Documents marked `neverSend` are searched, cited and quoted on the device, while none of their text reaches an LLM.

use futures_util::future::LocalBoxFuture;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use vademecum::agent::context::{By, Context, TerminatedBy};
use vademecum::agent::ports::{
    Caller, ChatRequest, CollectionView, Found, Llm, NeverSentText, NoFunctions, SearchLimits, Searcher,
};
use vademecum::agent::reply::Completion;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::KnowledgeBase;
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{NoLlm, ScriptedLlm, TestFunctions, pipeline, run_with};
use vademecum_testing::{add, hashing, kb, markdown};

/// Every sentence of the marked documents contains one of these.
const CANARIES: [&str; 4] = ["kestrel", "ocarina", "basalt", "wolfram"];

fn secret(id: &str, title: &str, text: &str) -> Document {
    let mut document = markdown(id, text);
    document.title = Some(title.into());
    document.metadata.insert("neverSend".into(), true.into());
    document
}

fn secrets() -> Vec<Document> {
    vec![
        secret(
            "wolfram-plan.md",
            "The wolfram plan",
            "# Notice to end the wolfram contract\n\nThe notice to end the ACME contract of Kestrel is only nine days.\n\n\
             The contract with Ocarina may end by a notice\nthat is sent by mail.",
        ),
        secret("basalt.txt", "Basalt", "Basalt: the notice to end the basalt contract costs 5,000 euros."),
    ]
}

/// A library with sendable and marked documents.
fn library() -> KnowledgeBase {
    let kb = vademecum_testing::agent::library();
    add(&kb, secrets()).unwrap();
    kb
}

/// A library with only marked documents.
fn vault() -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, secrets()).unwrap();
    kb
}

/// Returns the canary in a text; only text of the marked documents contains one.
fn canary_in(text: &str) -> Option<&'static str> {
    let low = text.to_lowercase();
    CANARIES.into_iter().find(|canary| low.contains(canary))
}

/// Gives the same replies to every step in turn, and records its requests.
struct Parrot {
    replies: Vec<String>,
    at: Cell<usize>,
    requests: RefCell<Vec<String>>,
}

impl Parrot {
    fn new(replies: impl IntoIterator<Item = &'static str>) -> Self {
        let replies = replies.into_iter().map(str::to_owned).collect();
        Self { replies, at: Cell::new(0), requests: RefCell::default() }
    }

    fn assert_no_canary(&self) {
        for request in self.requests.borrow().iter() {
            assert_eq!(canary_in(request), None, "{request}");
        }
    }
}

impl Llm for Parrot {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        _: Caller<'a>,
        request: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.requests.borrow_mut().push(serde_json::to_string(request).unwrap());
        let content = self.replies[self.at.replace(self.at.get() + 1) % self.replies.len()].clone();
        Box::pin(std::future::ready(Ok(Completion { content, ..Completion::default() })))
    }
}

fn run(kb: &KnowledgeBase, fields: Value, llm: &dyn Llm, functions: &TestFunctions) -> Context {
    run_with(&pipeline(fields), kb, llm, functions, Cancel::default()).0
}

fn none() -> TestFunctions {
    TestFunctions::default()
}

#[test]
fn without_a_model_never_sent_documents_are_found_quoted_and_cited() {
    let result =
        run(&vault(), json!({ "steps": [{ "step": "search" }, { "step": "answer" }] }), &NoLlm, &none());
    assert!(result.answer.as_deref().is_some_and(|answer| answer.contains("only nine days")));
    assert!(result.citations.iter().any(|citation| citation.doc_id == "wolfram-plan.md"));
    assert_eq!(result.log.failures, []);
}

#[test]
fn the_model_answers_from_sendable_passages_and_cites_them_as_shown() {
    let llm = ScriptedLlm::replying([Ok("The notice is 30 days [1].".into())]);
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let result = run(&library(), json!({ "steps": steps, "limit": 20 }), &llm, &none());
    let mut found = result.results.as_ref().unwrap().iter().flat_map(|one| &one.chunks);
    assert!(found.all(|hit| !hit.chunk.never_sent()), "the run knows nothing of them");
    assert!(
        result.withheld.iter().filter(|hit| hit.chunk.never_sent()).count() >= 2,
        "the user is told of them"
    );
    assert_eq!(result.withheld.iter().filter(|hit| !hit.chunk.never_sent()).count(), 0);
    assert!(result.context_used.iter().all(|hit| !hit.chunk.never_sent()));
    assert_eq!(result.citations[0].chunk_id, result.context_used[0].chunk.id);
    assert_eq!((result.answered_by, result.log.failures.len()), (Some(By::Llm), 0));
    let request = &llm.requests.borrow()[0];
    assert_eq!(canary_in(&request.messages[1].content), None);
    let sources: Vec<&str> = request.sources.iter().map(|source| source.chunk_id.as_str()).collect();
    let mut used: Vec<&str> = result.context_used.iter().map(|hit| hit.chunk.id.as_str()).collect();
    used.sort_unstable();
    let mut told = sources.clone();
    told.sort_unstable();
    assert_eq!(told, used, "the ledger tells what was shown");
}

#[test]
fn if_nothing_else_is_found_never_sent_passages_are_quoted_but_not_passed_to_later_questions() {
    let steps = json!([
        { "step": "search", "selfCorrect": true }, { "step": "rerank" }, { "step": "reason" },
        { "step": "answer" }, { "step": "ground", "correct": true },
    ]);
    let llm = Parrot::new(["no"]);
    let result = run(&vault(), json!({ "steps": steps }), &llm, &none());
    llm.assert_no_canary();
    let empty = Parrot::new(["no"]);
    let without = run(&kb(hashing()), json!({ "steps": steps }), &empty, &none());
    assert_eq!(requests_but_for_fences(&llm), requests_but_for_fences(&empty));
    let told: Vec<(&str, &str)> =
        result.log.failures.iter().map(|failure| (failure.step.as_str(), &*failure.code)).collect();
    assert!(told.contains(&("answer", "never_sent")), "{told:?}");
    let thought = |one: &&vademecum::agent::context::Thought| {
        one.step == "answer" && one.text.contains("`neverSend`") && one.text.contains("Instead: ")
    };
    assert!(result.log.reasoning_trace.iter().find(thought).is_some());
    assert!(result.answer.unwrap().contains("only nine days"));
    assert_eq!(without.answer, None);
    assert_eq!(result.told.as_deref(), Some("The library does not say."), "what a later question is told");
    assert_eq!(result.answered_by, Some(By::Rule));
}

/// Returns the requests with a fixed fence number.
fn requests_but_for_fences(llm: &Parrot) -> Vec<String> {
    let number = |request: &String| {
        let fence = request.split("=== passages ").nth(1).and_then(|rest| rest.get(..16));
        fence.map_or_else(|| request.clone(), |fence| request.replace(fence, "0"))
    };
    llm.requests.borrow().iter().map(number).collect()
}

#[test]
fn an_answer_that_quotes_never_sent_passages_is_not_corrected_by_a_model() {
    let functions = TestFunctions::default().with("mine", |context| {
        Ok(json!({ "answer": format!("{} Unicorns deliver pink bananas on Tuesdays.", context["answer"].as_str().unwrap()) }))
    });
    let mine = json!({ "step": "custom", "name": "mine", "function": "mine" });
    let steps =
        json!([{ "step": "search" }, { "step": "answer" }, mine, { "step": "ground", "correct": true }]);
    let llm = Parrot::new(["It is nine days [1]."]);
    let result = run(&vault(), json!({ "steps": steps }), &llm, &functions);
    assert_eq!(llm.requests.borrow().len(), 0);
    assert!(result.answer.unwrap().contains("bananas"));
    assert_eq!(
        result.log.failures.last().map(|it| (&*it.code, it.step.as_str())),
        Some(("never_sent", "ground"))
    );
}

#[test]
fn reranking_keeps_the_position_of_never_sent_hits_of_a_custom_searcher() {
    let found = run(&library(), json!({ "steps": [{ "step": "search" }], "limit": 20 }), &NoLlm, &none());
    let chunks = serde_json::to_value(found.evidence()).unwrap();
    let functions = || {
        let chunks = chunks.clone();
        TestFunctions::default().with("mine", move |_| Ok(chunks.clone()))
    };
    let steps = json!([{ "step": "search", "searcher": "mine" }, { "step": "rerank", "keep": 20 }]);
    let fields = json!({ "steps": steps, "limit": 20 });
    let before = found.evidence();
    let open = before.iter().filter(|hit| !hit.chunk.never_sent()).count();
    let scores: Vec<Value> = (1..=open).map(|n| json!({ "n": n, "score": n })).collect();
    let llm = ScriptedLlm::replying([Ok(json!({ "scores": scores }).to_string())]);
    let after = run(&library(), fields, &llm, &functions()).ranked.unwrap();
    assert_eq!(before.len(), after.len());
    assert!(before.iter().any(|hit| hit.chunk.never_sent()));
    for (one, other) in before.iter().zip(&after) {
        assert_eq!(one.chunk.never_sent(), other.chunk.never_sent());
        assert!(!one.chunk.never_sent() || one.chunk.id == other.chunk.id);
    }
    let ids = |hits: &[vademecum::document::Hit]| -> Vec<String> {
        hits.iter().filter(|hit| !hit.chunk.never_sent()).map(|hit| hit.chunk.id.clone()).collect()
    };
    let reversed: Vec<String> = ids(&before).into_iter().rev().collect();
    assert_eq!(ids(&after), reversed);
}

#[test]
fn a_custom_prompt_receives_only_sendable_passages() {
    let shown = std::rc::Rc::new(RefCell::new(Vec::new()));
    let told = shown.clone();
    let functions = TestFunctions::default().with("mine", move |inputs| {
        told.borrow_mut().push(inputs.to_string());
        Ok(json!("The notice to end the ACME contract of KESTREL\nis only \"nine days\", is it not?"))
    });
    let steps = json!([{ "step": "search" }, { "step": "answer", "prompt": "mine" }]);
    let llm = ScriptedLlm::default();
    let result = run(&library(), json!({ "steps": steps, "limit": 20 }), &llm, &functions);
    assert_eq!(canary_in(&shown.borrow()[0]), None);
    assert_eq!(llm.requests.borrow().len(), 0);
    assert_eq!(result.log.failures.iter().map(|it| &*it.code).collect::<Vec<_>>(), ["never_sent"]);
    assert_eq!((result.answered_by, result.log.usage.llm_calls), (Some(By::Rule), 0));
}

#[test]
fn a_blocked_request_does_not_count_as_a_failing_model() {
    let functions = TestFunctions::default()
        .with("leaks", |_| Ok(json!("The notice to end the ACME contract of Kestrel is only nine days.")));
    let leak = json!({ "step": "expand", "prompt": "leaks" });
    let steps = json!([{ "step": "search" }, leak, leak, leak, leak, { "step": "answer" }]);
    let llm = ScriptedLlm::replying([Ok("The notice is 30 days [1].".into())]);
    let result = run(&library(), json!({ "steps": steps, "limit": 20 }), &llm, &functions);
    assert_eq!((result.log.failures.len(), result.answered_by), (4, Some(By::Llm)));
}

/// A model whose requests the caller denies.
struct Denied(Cell<usize>);

impl Llm for Denied {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        _: Caller<'a>,
        _: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.0.set(self.0.get() + 1);
        let denied = Error::SendDenied { reason: "it returned null".into(), cause: None };
        Box::pin(std::future::ready(Err(denied)))
    }
}

#[test]
fn a_denied_request_is_not_retried_costs_nothing_and_is_no_failure_of_the_model() {
    let llm = Denied(Cell::new(0));
    let steps = json!([
        { "step": "gate" }, { "step": "rewrite" }, { "step": "expand" }, { "step": "decompose" }, { "step": "search" },
        { "step": "answer" },
    ]);
    let fields = json!({ "steps": steps, "budget": { "llmCalls": 5, "tokens": 8_000 } });
    let result = run(&library(), fields, &llm, &none());
    assert_eq!(llm.0.get(), 5, "each step asks once");
    assert!(result.log.failures.iter().all(|failure| failure.code == "send_denied" && !failure.retryable));
    assert_eq!((result.log.failures.len(), result.answered_by), (5, Some(By::Rule)));
    assert_eq!((result.log.usage.llm_calls, result.log.usage.prompt_tokens), (0, 0));
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
}

#[test]
fn a_withheld_answer_is_neither_shown_to_a_model_nor_used_by_a_rule() {
    let turn = json!({
        "question": "Who has a contract that ends soon?",
        "answer": "Kestrel has a contract that ends within nine days. [1]",
        "withheld": true,
    });
    let fields =
        json!({ "question": "When did he sign it?", "history": [turn], "steps": [{ "step": "rewrite" }] });
    let llm = Parrot::new([r#"{"question": "When was the contract signed that ends soon?"}"#]);
    let result = run(&library(), fields.clone(), &llm, &none());
    assert_eq!(llm.requests.borrow().len(), 1);
    llm.assert_no_canary();
    assert_eq!(result.request.history[0].answer, "Kestrel has a contract that ends within nine days. [1]");
    let by_rule = run(&library(), fields, &NoLlm, &none());
    assert_eq!(by_rule.rewritten_question.as_deref().and_then(canary_in), None);
}

#[test]
fn a_mark_that_is_no_boolean_is_refused() {
    for mark in [json!("true"), json!(1), json!([true])] {
        let mut document = markdown("a.md", "Some text.");
        document.metadata.insert("neverSend".into(), mark);
        let error = add(&library(), vec![document]).unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
        assert!(error.to_string().contains("neverSend"), "{error}");
    }
    let mut document = markdown("a.md", "Some text.");
    document.metadata.insert("neverSend".into(), false.into());
    add(&library(), vec![document]).unwrap();
}

#[test]
fn the_mark_is_not_offered_as_a_field_for_planning() {
    let llm = Parrot::new(["{}"]);
    let steps = json!([{ "step": "select" }, { "step": "decompose", "phases": 2 }]);
    let kb = library();
    kb.collection("other", &Default::default()).unwrap();
    run(&kb, json!({ "steps": steps }), &llm, &none());
    assert!(!llm.requests.borrow().is_empty());
    assert!(llm.requests.borrow().iter().all(|request| !request.contains("neverSend")));
}

/// Careless custom functions that copy search results into every field that a step may change.
fn careless() -> TestFunctions {
    let texts = |context: &Value| -> Vec<String> {
        let chunks = context["results"].as_array().into_iter().flatten();
        let chunks = chunks.flat_map(|result| result["chunks"].as_array().unwrap().clone());
        chunks.map(|chunk| chunk["text"].as_str().unwrap().to_owned()).collect()
    };
    TestFunctions::default()
        .with("questions", move |context| {
            let all = format!("What of the contract? {}", texts(context).join("\n"));
            Ok(json!({ "rewrittenQuestion": format!("Why? {all}"), "expandedQuery": all, "subQuestions": [all, all] }))
        })
        .with("evidence", |context| {
            let chunks = context["results"].as_array().into_iter().flatten();
            let chunks = chunks.flat_map(|result| result["chunks"].as_array().unwrap().clone());
            let bare = chunks.map(|chunk| json!({ "id": chunk["id"], "text": chunk["text"] }));
            Ok(json!({ "evidence": bare.collect::<Vec<_>>() }))
        })
        .with("answer", move |context| Ok(json!({ "answer": format!("{} So it is [1].", texts(context).join(" ")) })))
        .with("prompt", |inputs| Ok(json!(format!("Say something of {inputs}"))))
}

fn step() -> impl Strategy<Value = Value> {
    let mine = |name: &str| json!({ "step": "custom", "name": name, "function": name });
    let steps = vec![
        json!({ "step": "gate" }),
        json!({ "step": "rewrite" }),
        json!({ "step": "select" }),
        json!({ "step": "expand" }),
        json!({ "step": "decompose" }),
        json!({ "step": "decompose", "phases": 2 }),
        json!({ "step": "search" }),
        json!({ "step": "search", "selfCorrect": true, "hops": 2 }),
        json!({ "step": "search", "selfCorrect": true, "sufficientPrompt": "prompt", "rewritePrompt": "prompt" }),
        json!({ "step": "rerank" }),
        json!({ "step": "rerank", "prompt": "prompt", "batch": 2 }),
        json!({ "step": "reason" }),
        json!({ "step": "reason", "prompt": "prompt" }),
        json!({ "step": "answer" }),
        json!({ "step": "answer", "citations": "doc" }),
        json!({ "step": "answer", "prompt": "prompt" }),
        json!({ "step": "ground", "correct": true }),
        json!({ "step": "ground", "correct": true, "drop": true, "prompt": "prompt" }),
        mine("questions"),
        mine("evidence"),
        mine("answer"),
    ];
    prop::sample::select(steps)
}

const REPLIES: [&str; 8] = [
    "The notice is 30 days [1]. It is free of charge.",
    r#"{"search": true, "question": "What is the notice to end the ACME contract?", "collections": ["default"]}"#,
    r#"{"sufficient": false, "query": "notice period of a contract", "reason": "the price is missing"}"#,
    r#"{"sufficient": true}"#,
    r#"{"scores": [{"n": 1, "score": 2}, {"n": 2, "score": 9}]}"#,
    r#"{"questions": ["What is the notice?", "What is the price?"], "terms": ["cancellation"]}"#,
    r#"{"collections": ["default"], "intent": "qa", "filters": [], "subqueries": [{"question": "notice"}]}"#,
    "no",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 2))]

    #[test]
    fn no_request_contains_never_sent_text_for_any_steps_in_any_order(
        steps in prop::collection::vec(step(), 1..9),
        replies in prop::collection::vec(prop::sample::select(REPLIES.to_vec()), 1..6),
        begins_with_search in any::<bool>(),
        withheld in any::<bool>(),
    ) {
        let mut steps = steps;
        if begins_with_search {
            steps.insert(0, json!({ "step": "search" }));
        }
        let llm = Parrot::new(replies);
        let mut fields = json!({ "steps": steps, "limit": 20 });
        if withheld {
            let answer = "The notice to end the ACME contract of Kestrel is only nine days. [1]";
            fields["history"] = json!([{ "question": "What is the notice?", "answer": answer, "withheld": true }]);
        }
        let result = run(&library(), fields, &llm, &careless());
        llm.assert_no_canary();
        prop_assert!(result.log.error.is_none(), "{:?}", result.log.error);
    }
}

#[test]
fn the_same_pipeline_without_the_mark_sends_the_text() {
    let kb = vademecum_testing::agent::library();
    let open = secrets().into_iter().map(|document| Document { metadata: Default::default(), ..document });
    add(&kb, open.collect()).unwrap();
    let llm = Parrot::new(["The notice is 30 days [1]."]);
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    run_with(&pipeline(json!({ "steps": steps, "limit": 20 })), &kb, &llm, &NoFunctions, Cancel::default());
    assert!(canary_in(&llm.requests.borrow()[0]).is_some());
}

/// Searches a library, but cannot list the marked documents.
struct Forgetful(KnowledgeBase);

impl Searcher for Forgetful {
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Searcher::search(&self.0, question, collection, limits)
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        Searcher::collections(&self.0)
    }

    fn never_sent_in(&self, _: &str) -> Result<NeverSentText> {
        Err(Error::Closed)
    }
}

#[test]
fn nothing_is_sent_if_the_never_sent_documents_are_unknown() {
    let llm = ScriptedLlm::replying([Ok("Nine days.".into())]);
    let steps = pipeline(json!({ "steps": [{ "step": "search" }, { "step": "answer" }] }));
    let searcher = Forgetful(vademecum_testing::agent::library());
    let (result, _) = run_with(&steps, &searcher, &llm, &NoFunctions, Cancel::default());
    assert_eq!(result.log.usage.llm_calls, 0);
    assert!(result.log.failures.iter().any(|failure| failure.code == "closed"), "{:?}", result.log.failures);
}
