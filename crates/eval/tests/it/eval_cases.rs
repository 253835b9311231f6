//! Questions generated from the documents.

use futures_util::future::{LocalBoxFuture, ready};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use vademecum::agent::context::By;
use vademecum::agent::ports::{Caller, ChatRequest, Llm, NoLlm};
use vademecum::agent::reply::Completion;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase, Mode};
use vademecum::error::{Error, Result};
use vademecum::eval::{Case, CaseOptions, make_cases};
use vademecum_testing::{add, block_on, hashing, kb, markdown};

/// An LLM with a constant reply or error, which records its requests.
struct Says {
    reply: Result<&'static str>,
    asked: RefCell<Vec<String>>,
}

fn says(reply: &'static str) -> Says {
    Says { reply: Ok(reply), asked: RefCell::default() }
}

fn fails(error: Error) -> Says {
    Says { reply: Err(error), asked: RefCell::default() }
}

impl Llm for Says {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        _: Caller<'a>,
        request: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.asked.borrow_mut().push(serde_json::to_string(request).unwrap());
        let said = |content: &str| Completion { content: content.into(), ..Completion::default() };
        Box::pin(ready(self.reply.clone().map(said)))
    }
}

const TOPICS: [&str; 6] = ["granite", "violins", "glaciers", "compilers", "orchids", "submarines"];

fn documents() -> Vec<Document> {
    let text = |topic: &str| {
        format!(
            "# About {topic}\n\nEvery serious collector of {topic} keeps careful written records for many decades. It is so.\n\n\
             ## More\n\nThe museum near the harbour displays several famous {topic} during quiet winter months."
        )
    };
    TOPICS.iter().map(|topic| markdown(&format!("{topic}.md"), &text(topic))).collect()
}

fn library(documents: Vec<Document>) -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, documents).unwrap();
    kb
}

fn made(kb: &KnowledgeBase, count: usize, seed: u64, llm: &dyn Llm) -> Vec<Case> {
    let options = CaseOptions { count, seed, collections: None };
    block_on(make_cases(kb, &options, llm, &Cancel::default())).unwrap()
}

#[test]
fn documents_take_turns_and_questions_have_words_of_their_document() {
    let kb = library(documents());
    let cases = made(&kb, TOPICS.len(), 1, &NoLlm);
    let about: BTreeSet<&str> = cases.iter().map(|case| case.relevant[0].as_str()).collect();
    assert_eq!(about.len(), TOPICS.len());
    for case in &cases {
        let found = vademecum_testing::search(&kb, &case.question, Mode::Keyword).unwrap();
        assert_eq!(found.hits[0].chunk.doc_id, case.relevant[0], "{}", case.question);
    }
    // In the second round, other passages are used.
    let more = made(&kb, 100, 1, &NoLlm);
    assert_eq!(&more[..cases.len()], &cases[..]);
    let questions: BTreeSet<&str> = more.iter().map(|case| case.question.as_str()).collect();
    assert_eq!((more.len(), questions.len()), (2 * TOPICS.len(), 2 * TOPICS.len()));
}

#[test]
fn the_order_of_insertion_does_not_matter() {
    let mut turned = documents();
    turned.reverse();
    assert_eq!(made(&library(documents()), 6, 7, &NoLlm), made(&library(turned), 6, 7, &NoLlm));
}

#[test]
fn another_seed_selects_other_documents() {
    let kb = library(documents());
    let first = |seed: u64| made(&kb, 1, seed, &NoLlm)[0].question.clone();
    assert!((1..10).map(first).collect::<BTreeSet<_>>().len() > 1);
}

#[test]
fn cases_are_restricted_to_collections() {
    let kb = library(documents());
    kb.collection("empty", &CollectionOptions::default()).unwrap();
    let of = |name: &str| {
        let options = CaseOptions { collections: Some(vec![name.into()]), ..CaseOptions::default() };
        block_on(make_cases(&kb, &options, &NoLlm, &Cancel::default())).map_err(|error| error.code())
    };
    assert_eq!(of("empty"), Ok(Vec::new()));
    assert_eq!(of("default").unwrap().len(), 2 * TOPICS.len());
    assert_eq!(of("missing"), Err("unknown_collection"));
}

#[test]
fn a_model_writes_the_question_given_the_fenced_passage() {
    let kb = library(documents());
    let llm = says("Sure! {\"question\": \"What do collectors write down?\"}");
    let cases = made(&kb, 2, 1, &llm);
    assert!(cases.iter().all(|case| case.by == By::Llm && case.question == "What do collectors write down?"));
    let asked = llm.asked.borrow();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|request| request.matches("=== passages").count() == 3), "{asked:?}");
}

#[test]
fn an_unusable_reply_falls_back_to_the_rule() {
    let kb = library(documents());
    let by_rule = made(&kb, 4, 1, &NoLlm);
    // An empty reply, invalid JSON, JSON without a question, and a copy of the passage.
    for reply in ["", "I cannot.", "{\"question\": \"?\"}", "{\"question\": \"for many decades\"}"] {
        let said = made(&kb, 4, 1, &says(reply));
        let ours: Vec<&Case> = said.iter().filter(|case| case.by == By::Rule).collect();
        assert!(!ours.is_empty() && ours.iter().all(|case| by_rule.contains(case)), "{reply}");
    }
}

#[test]
fn a_model_that_fails_repeatedly_is_not_called_any_more() {
    let llm = fails(Error::LlmFailed { reason: "it is away".into() });
    let kb = library(documents());
    assert_eq!(made(&kb, 6, 1, &llm), made(&kb, 6, 1, &NoLlm));
    assert_eq!(llm.asked.borrow().len(), 3);
}

#[test]
fn a_veto_concerns_one_request_only() {
    let llm = fails(Error::SendDenied { reason: "it returned null".into(), cause: None });
    let kb = library(documents());
    assert_eq!(made(&kb, 6, 1, &llm), made(&kb, 6, 1, &NoLlm));
    assert_eq!(llm.asked.borrow().len(), 6);
}

#[test]
fn never_sent_documents_do_not_reach_a_model() {
    let mut documents = documents();
    documents[2].metadata.insert("neverSend".into(), true.into());
    let llm = says("{\"question\": \"What is it about?\"}");
    let cases = made(&library(documents), 100, 1, &llm);
    let private: Vec<&Case> = cases.iter().filter(|case| case.relevant[0] == "glaciers.md").collect();
    assert!(private.is_empty());
    assert!(llm.asked.borrow().iter().all(|request| !request.contains("glaciers")));
    assert!(cases.iter().filter(|case| case.by == By::Llm).count() >= 5);
}

#[test]
fn a_count_out_of_range_is_an_error_and_cancellation_works() {
    let kb = library(documents());
    let code = |options: CaseOptions, cancel: &Cancel| {
        block_on(make_cases(&kb, &options, &NoLlm, cancel)).unwrap_err().code()
    };
    for count in [0, 1001] {
        let options = CaseOptions { count, ..CaseOptions::default() };
        assert_eq!(code(options, &Cancel::default()), "invalid_argument");
    }
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(code(CaseOptions::default(), &cancel), "aborted");
}

#[test]
fn a_megabyte_in_one_document_takes_linear_time() {
    let sentence = "Every ordinary sentence number mentions different subjects and curious objects. ";
    let text: String = (0..12_000).map(|n| format!("{sentence}Word{n} follows.\n\n")).collect();
    let kb = library(vec![Document::new("long.txt", text)]);
    let cases = vademecum_testing::in_linear_time("a thousand cases", || made(&kb, 1000, 1, &NoLlm));
    assert!(!cases.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

    #[test]
    fn cases_are_deterministic_and_refer_to_existing_documents(
        texts in prop::collection::vec("([A-Za-zé]{2,9}[ .\n]){0,60}|\\PC{0,80}", 0..6),
        seed in any::<u64>(),
        count in 1usize..20,
    ) {
        let documents = texts.iter().enumerate().map(|(n, text)| Document::new(format!("{n}.txt"), text.clone()));
        let documents: Vec<Document> = documents.filter(|one| !one.text.trim().is_empty()).collect();
        let kb = kb(None);
        prop_assume!(add(&kb, documents).is_ok());
        let cases = made(&kb, count, seed, &NoLlm);
        prop_assert_eq!(&cases, &made(&kb, count, seed, &NoLlm));
        prop_assert!(cases.len() <= count);
        for case in &cases {
            prop_assert!(case.question.contains(char::is_alphanumeric));
            let document = kb.document(&case.collection, &case.relevant[0]).unwrap();
            prop_assert!(case.question.split(' ').all(|word| document.document.text.contains(word)));
        }
    }
}
