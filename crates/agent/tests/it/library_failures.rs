//! A failing searcher is never treated as an empty result.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::Cell;
use vademecum::agent::context::TerminatedBy;
use vademecum::agent::hooks::hits;
use vademecum::agent::ports::{CollectionView, Found, Llm, NeverSentText, SearchLimits, Searcher};
use vademecum::cancel::Cancel;
use vademecum::document::{DocumentSummary, Hit, Listing};
use vademecum::engine::KnowledgeBase;
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, pipeline, run_with, says};
use vademecum_testing::styles::spec;
use vademecum_testing::{add, kb, markdown};

/// Returns no hits, and fails in everything else.
struct Broken;

impl Searcher for Broken {
    fn search<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(std::future::ready(Ok(Found::default())))
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        Err(Error::Closed)
    }

    fn document(
        &self,
        _: &[String],
        _: &str,
        _: Option<&Value>,
    ) -> Result<Option<(DocumentSummary, Vec<Hit>)>> {
        Err(Error::Closed)
    }

    fn listing(&self, _: &str, _: Option<&Value>, _: &[String], _: usize) -> Result<Listing> {
        Err(Error::Closed)
    }

    fn values(&self, _: &str, _: &str, _: Option<&Value>) -> Result<Vec<(Value, usize)>> {
        Err(Error::Closed)
    }
}

#[test]
fn a_searcher_without_a_collection_list_ends_the_run_with_its_error() {
    let llm = FunctionLlm::new(|_, _| says("{}"));
    for name in ["investigate", "graph"] {
        for llm in [&llm as &dyn Llm, &NoLlm] {
            let asked = spec(json!({ "name": name }), "List all contracts over 1000", json!({}));
            let (result, _) = run_with(&asked, &Broken, llm, &TestFunctions::default(), Cancel::default());
            assert_eq!(result.log.terminated_by, TerminatedBy::Error, "{name}");
            assert_eq!(result.log.error.unwrap().code, "closed", "{name}");
        }
    }
}

#[test]
fn a_failing_engine_is_not_an_empty_result() {
    // Returns no hits, and then fails in the relaxed search.
    struct Lost(Cell<usize>);
    impl Searcher for Lost {
        fn search<'a>(
            &'a self,
            _: &'a str,
            _: &'a str,
            _: &'a SearchLimits,
        ) -> LocalBoxFuture<'a, Result<Found>> {
            self.0.set(self.0.get() + 1);
            let found =
                if self.0.get() == 1 { Ok(Found::default()) } else { Err(relayed("library_corrupt")) };
            Box::pin(std::future::ready(found))
        }

        fn collections(&self) -> Result<Vec<CollectionView>> {
            Ok(vec![CollectionView { name: "default".into(), ..CollectionView::default() }])
        }
    }
    let asked = spec(json!({ "name": "investigate" }), "What is the notice?", json!({}));
    let library = Lost(Cell::new(0));
    let (result, _) = run_with(&asked, &library, &NoLlm, &TestFunctions::default(), Cancel::default());
    let error = result.log.error.unwrap();
    assert_eq!((error.step.as_str(), error.code.as_ref()), ("relax", "library_corrupt"));
}

/// An error relayed by an engine in another module, which has only its code.
fn relayed(code: &str) -> Error {
    Error::relayed(code, "It cannot be told.".into(), false).unwrap()
}

/// Has one sendable document and one that must never be sent, and fails in one operation from the n-th time on.
struct Failing {
    what: &'static str,
    from: usize,
    asked: Cell<usize>,
    code: &'static str,
}

impl Failing {
    fn new(what: &'static str, from: usize, code: &'static str) -> Self {
        Self { what, from, asked: Cell::new(0), code }
    }

    fn try_to(&self, what: &str) -> Result<()> {
        if what != self.what {
            return Ok(());
        }
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() >= self.from { Err(relayed(self.code)) } else { Ok(()) }
    }
}

fn passage(id: &str, text: &str, never: bool) -> Hit {
    let chunk = json!({ "id": format!("default/{id}#0"), "docId": id, "text": text });
    let mut hit = hits(&json!([chunk]), "default", "the library").unwrap().remove(0);
    if never {
        hit.chunk.keep_on_device();
    }
    hit
}

/// The one that may not be sent.
fn secrets() -> KnowledgeBase {
    let library = kb(None);
    let mut secret = markdown("secret", "The merger costs forty million dollars in cash.");
    secret.metadata.insert("neverSend".into(), true.into());
    add(&library, vec![secret]).unwrap();
    library
}

impl Searcher for Failing {
    fn search<'a>(
        &'a self,
        question: &'a str,
        _: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        let asks_for_secrets =
            limits.filters.as_ref().is_some_and(|one| one.to_string().contains("neverSend"));
        let what = if asks_for_secrets { "secrets" } else { "search" };
        let found = self.try_to(what).map(|()| {
            let hits = vec![
                passage("open", "The notice is 30 days, as everybody knows by now.", false),
                passage("secret", "The merger costs forty million dollars in cash.", true),
            ];
            let hits = if question.is_empty() { Vec::new() } else { hits };
            Found { total: hits.len(), hits, ..Found::default() }
        });
        Box::pin(std::future::ready(found))
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        self.try_to("collections")?;
        let view = |name: &str| CollectionView { name: name.into(), ..CollectionView::default() };
        Ok(vec![view("default"), view("notes")])
    }

    fn never_sent_in(&self, text: &str) -> Result<NeverSentText> {
        self.try_to("never_sent")?;
        secrets().never_sent_in(text)
    }

    fn listing(&self, _: &str, _: Option<&Value>, _: &[String], _: usize) -> Result<Listing> {
        self.try_to("listing").map(|()| Listing::default())
    }
}

#[test]
fn a_request_that_cannot_be_compared_with_the_library_is_not_sent_at_any_point_of_a_run() {
    for (from, sent) in [(1, 0), (2, 0), (4, 1), (5, 1), (7, 2)] {
        let llm = FunctionLlm::new(|_, _| says("{\"search\": true, \"question\": \"What is the notice?\"}"));
        let steps = json!([{ "step": "gate" }, { "step": "rewrite" }, { "step": "search" }]);
        let turn = json!({ "question": "Is there a contract?", "answer": "Yes." });
        let data = json!({ "question": "What is its notice?", "history": [turn], "steps": steps });
        let library = Failing::new("never_sent", from, "closed");
        let (result, _) =
            run_with(&pipeline(data), &library, &llm, &TestFunctions::default(), Cancel::default());
        assert_eq!(llm.asked.borrow().len(), sent, "{from}");
        let failures =
            result.log.failures.iter().filter(|one| one.code == "closed" && one.step != "library").count();
        assert_eq!(failures, 2 - sent, "{from}: {:?}", result.log.failures);
    }
}

#[test]
fn a_failure_between_two_steps_is_reported_under_its_own_name() {
    let llm = FunctionLlm::new(|_, _| says("{\"search\": true}"));
    let steps = json!([{ "step": "gate" }, { "step": "select" }, { "step": "search" }]);
    let data = json!({ "question": "What is the notice?", "budget": { "llmCalls": 9 }, "steps": steps });
    let library = Failing::new("collections", 1, "closed");
    let (result, recorder) =
        run_with(&pipeline(data), &library, &llm, &TestFunctions::default(), Cancel::default());
    let error = result.log.error.unwrap();
    assert_eq!((error.step.as_str(), error.code.as_ref()), ("library", "closed"), "no step was under way");
    assert_eq!(result.log.terminated_by, TerminatedBy::Error);
    assert_eq!(recorder.shape(), ["failed library", "done"]);
    assert!(llm.asked.borrow().is_empty());
}

#[test]
fn a_failing_count_in_another_module_is_not_zero() {
    for (code, fails) in [("closed", true), ("library_corrupt", true), ("unknown_field", false)] {
        let asked = spec(json!({ "name": "investigate" }), "List all contracts over 1000", json!({}));
        let library = Failing::new("listing", 1, code);
        let (result, _) = run_with(&asked, &library, &NoLlm, &TestFunctions::default(), Cancel::default());
        assert!(library.asked.get() > 0, "{code}");
        if fails {
            assert_eq!(result.log.error.unwrap().code, code);
        } else {
            assert!(result.log.error.is_none_or(|error| error.code == code), "a filter that is none is told");
        }
    }
}

#[test]
fn a_failed_search_for_withheld_documents_is_reported() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let ask = |library: &Failing, reply: &'static str| {
        let llm = FunctionLlm::new(move |_, _| says(reply));
        let data = json!({ "question": "What is the notice?", "steps": steps });
        run_with(&pipeline(data), library, &llm, &TestFunctions::default(), Cancel::default()).0
    };
    let whole = ask(&Failing::new("nothing", 1, "closed"), "30 days [1].");
    assert_eq!((whole.withheld.len(), whole.log.failures.len()), (1, 0), "{:?}", whole.log.failures);
    // Withheld documents are only searched at the end; the collections are read once before.
    for (what, from, code) in [("secrets", 1, "library_corrupt"), ("collections", 2, "closed")] {
        let library = Failing::new(what, from, code);
        let result = ask(&library, "30 days [1].");
        let told: Vec<(&str, &str)> =
            result.log.failures.iter().map(|one| (one.step.as_str(), one.code.as_ref())).collect();
        assert!(library.asked.get() > 0);
        assert_eq!((told, result.withheld.len()), (vec![("library", code)], 0), "{what}");
        assert!(result.answer.is_some());
    }
}

#[test]
fn a_library_that_cannot_check_a_sentence_is_reported() {
    let question = "The merger costs forty million dollars in cash.";
    let llm = FunctionLlm::new(|_, _| says("30 days [1]."));
    let data = json!({ "question": question, "steps": [{ "step": "search" }, { "step": "answer" }] });
    // The first search is that of the step, the second one looks for the sentence.
    let library = Failing::new("search", 2, "library_corrupt");
    let (result, _) = run_with(&pipeline(data), &library, &llm, &TestFunctions::default(), Cancel::default());
    assert!(llm.asked.borrow().is_empty(), "nothing is sent");
    assert_eq!(result.log.failures[0].code, "library_corrupt", "{:?}", result.log.failures);
}
