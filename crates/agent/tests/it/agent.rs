//! Pipelines with a model, without one, and with a misbehaving model.

use futures_util::future::LocalBoxFuture;
use std::rc::Rc;
use vademecum::agent::citation::{CitationStyle, check};
use vademecum::agent::context::{By, Context, TerminatedBy};
use vademecum::agent::event::Event;
use vademecum::agent::ports::{CollectionView, Found, NoFunctions, SearchLimits, Searcher};
use vademecum::agent::reply::TokenUsage;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::engine::{KnowledgeBase, Mode};
use vademecum::error::Error;
use vademecum_testing::agent::{NoLlm, QUESTION, Recorder, ScriptedLlm, assert_golden, library, run_with};
use vademecum_testing::{TestEmbedder, add, contracts, kb};

fn pipeline(steps: serde_json::Value) -> Pipeline {
    vademecum_testing::agent::pipeline(serde_json::json!({ "steps": steps }))
}

fn search_and_answer() -> Pipeline {
    pipeline(serde_json::json!([{ "step": "search" }, { "step": "answer" }]))
}

fn run(
    pipeline: &Pipeline,
    kb: &KnowledgeBase,
    llm: Option<&ScriptedLlm>,
    cancel: Cancel,
) -> (Context, Recorder) {
    match llm {
        Some(llm) => run_with(pipeline, kb, llm, &NoFunctions, cancel),
        None => run_with(pipeline, kb, &NoLlm, &NoFunctions, cancel),
    }
}

#[test]
fn without_a_model_the_best_sentence_is_quoted() {
    let (result, events) = run(&search_and_answer(), &library(), None, Cancel::default());
    let answer = result.answer.unwrap();
    assert!(
        answer.starts_with("Either party may end this contract with a notice of 30 days. [1]"),
        "{answer}"
    );
    assert_eq!((result.answered_by, result.log.terminated_by), (Some(By::Rule), TerminatedBy::Completed));
    assert_eq!(result.log.usage.llm_calls, 0);
    assert_eq!(
        events.shape()[..5],
        ["start search", "stop search", "start answer", "token answer", "citation answer"]
    );
}

#[test]
fn a_quotation_has_the_span_of_its_words() {
    let kb = library();
    let (result, _) = run(&search_and_answer(), &kb, None, Cancel::default());
    let citation = &result.citations[0];
    let units = |text: &str, start: usize, end: usize| {
        String::from_utf16(&text.encode_utf16().collect::<Vec<_>>()[start..end]).unwrap()
    };
    let document = kb.document(&citation.collection, &citation.doc_id).unwrap().document;
    let quote = citation.quote.unwrap();
    assert_eq!(
        units(&document.text, quote.start, quote.end),
        "Either party may end this contract with a notice of 30 days."
    );
    assert!(citation.span.start <= quote.start && quote.end <= citation.span.end);
    assert_eq!(units(&result.answer.unwrap(), citation.at.start, citation.at.end), "[1]");
}

#[test]
fn citations_of_the_model_are_resolved_and_invented_ones_removed() {
    let mut llm = ScriptedLlm::replying([Ok("Thirty days, in writing [1]. See also [9].".into())]);
    llm.usage = Some(TokenUsage { prompt_tokens: 120, completion_tokens: 9 });
    let (result, events) = run(&search_and_answer(), &library(), Some(&llm), Cancel::default());
    assert_eq!(result.answer.as_deref(), Some("Thirty days, in writing [1]. See also."));
    assert_eq!(result.citations[0].chunk_id, result.context_used[0].chunk.id);
    assert_eq!(result.citations[0].doc_id, "acme.md");
    assert_eq!(result.invalid_citations, ["9"]);
    assert_eq!(
        (result.log.usage.llm_calls, result.log.usage.prompt_tokens, result.log.usage.estimated),
        (1, 120, false)
    );
    assert_eq!(
        events.shape(),
        [
            "start search",
            "stop search",
            "start answer",
            "token answer",
            "citation answer",
            "stop answer",
            "done"
        ]
    );
}

#[test]
fn the_prompt_matches_the_golden_file() {
    let llm = ScriptedLlm::replying([Ok("Thirty days [1].".into())]);
    let (result, _) = run(&search_and_answer(), &library(), Some(&llm), Cancel::default());
    assert_eq!(result.log.error, None);
    assert_golden("answer_prompt", &llm.requests.borrow()[0]);
}

#[test]
fn a_failing_model_is_reported_and_the_answer_is_quoted_instead() {
    let failure =
        Error::LlmHttp { status: 401, retry_after_ms: None, detail: String::new(), advice: "Mend it." };
    let llm = ScriptedLlm::replying([Err(failure)]);
    let (result, events) = run(&search_and_answer(), &library(), Some(&llm), Cancel::default());
    let failure = &result.log.failures[0];
    assert_eq!((&*failure.code, failure.step.as_str(), failure.retryable), ("llm_http", "answer", false));
    assert!(result.answer.unwrap().contains("30 days"));
    assert_eq!((result.answered_by, result.log.error), (Some(By::Rule), None));
    assert_eq!(
        events.shape()[2..],
        ["start answer", "failed answer", "token answer", "citation answer", "stop answer", "done"]
    );
}

#[test]
fn an_empty_reply_is_a_failure() {
    let llm = ScriptedLlm::replying([Ok("  \n".into())]);
    let (result, _) = run(&search_and_answer(), &library(), Some(&llm), Cancel::default());
    assert_eq!(result.log.failures[0].code, "llm_reply");
    assert_eq!(result.answered_by, Some(By::Rule));
}

#[test]
fn a_failing_search_skips_the_answer() {
    let elsewhere =
        pipeline(serde_json::json!([{ "step": "search", "collection": "nowhere" }, { "step": "answer" }]));
    let llm = ScriptedLlm::replying([]);
    let (result, events) = run(&elsewhere, &library(), Some(&llm), Cancel::default());
    assert_eq!(result.log.error.unwrap().code, "unknown_collection");
    assert_eq!(events.shape(), ["start search", "failed search", "done"]);
}

#[test]
fn cancelling_while_the_model_writes_ends_the_run_at_once() {
    let cancel = Cancel::default();
    let mut llm = ScriptedLlm::replying([Ok("never".into())]);
    llm.cancels = Some(cancel.clone());
    let (result, events) = run(&search_and_answer(), &library(), Some(&llm), cancel);
    assert_eq!((result.log.terminated_by, result.answer), (TerminatedBy::Aborted, None));
    assert_eq!(events.shape().last().unwrap(), "done");
}

#[test]
fn a_cancelled_call_is_recorded_with_its_request() {
    let cancel = Cancel::default();
    let mut llm = ScriptedLlm::replying([Ok("never".into())]);
    llm.cancels = Some(cancel.clone());
    let (result, events) = run(&search_and_answer(), &library(), Some(&llm), cancel);
    let call = result.log.tool_calls.last().unwrap();
    let code = call.error.as_ref().map(|error| &*error.code);
    assert_eq!((result.log.tool_calls.len(), &*call.tool, code), (2, "llm", Some("aborted")));
    assert!(call.arguments["request"]["messages"][1]["content"].as_str().unwrap().contains(QUESTION));
    let told = |event: &Event| matches!(event, Event::Tool { call: told, .. } if told == call);
    assert_eq!(events.0.borrow().iter().filter(|event| told(event)).count(), 1);
    assert_eq!((result.log.usage.llm_calls, result.log.usage.estimated), (1, true));
    assert!(result.log.usage.prompt_tokens > 50, "the prompt has been read: {:?}", result.log.usage);
}

#[test]
fn a_cancelled_search_is_recorded() {
    let cancel = Cancel::default();
    let stopping = Stopping(cancel.clone());
    let (result, _) = run_with(&search_and_answer(), &stopping, &NoLlm, &NoFunctions, cancel);
    let calls: Vec<_> = result
        .log
        .tool_calls
        .iter()
        .map(|call| (&*call.tool, call.error.as_ref().map(|e| &*e.code)))
        .collect();
    assert_eq!(calls, [("search", Some("aborted"))]);
    assert_eq!((result.log.usage.llm_calls, result.log.usage.estimated), (0, false));
}

/// Cancels the run that searches it, and never returns a result.
struct Stopping(Cancel);

impl Searcher for Stopping {
    fn search<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, vademecum::error::Result<Found>> {
        self.0.cancel();
        Box::pin(std::future::pending())
    }

    fn collections(&self) -> vademecum::error::Result<Vec<CollectionView>> {
        Ok(Vec::new())
    }
}

#[test]
fn a_run_cancelled_before_it_begins_makes_no_call() {
    let cancel = Cancel::default();
    cancel.cancel();
    let (result, events) = run(&search_and_answer(), &library(), Some(&ScriptedLlm::default()), cancel);
    assert_eq!(result.log.terminated_by, TerminatedBy::Aborted);
    assert_eq!(events.shape(), ["done"]);
}

#[test]
fn a_pipeline_without_search_answers_without_passages() {
    let llm = ScriptedLlm::replying([Ok("Four.".into())]);
    let (result, _) =
        run(&pipeline(serde_json::json!([{ "step": "answer" }])), &library(), Some(&llm), Cancel::default());
    assert_eq!(result.answer.as_deref(), Some("Four."));
    assert!(llm.requests.borrow()[0].messages[0].content.contains("without any documents"));
}

/// Embeds all texts into the same direction, so that every text matches every query.
struct OfCats;

impl vademecum::encoder::Embedder for OfCats {
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
        _: vademecum::encoder::Kind,
    ) -> futures_util::future::LocalBoxFuture<'a, vademecum::Result<vademecum::encoder::Embeddings>> {
        let is_of_cats = |text: &String| ["Cats", "Felines", "They"].iter().any(|word| text.contains(word));
        let vector = |text| if is_of_cats(text) { [1.0, 0.0] } else { [0.0, 1.0] };
        let (values, truncated) = (texts.iter().flat_map(vector).collect(), vec![false; texts.len()]);
        Box::pin(std::future::ready(Ok(vademecum::encoder::Embeddings { dimensions: 2, values, truncated })))
    }
}

#[test]
fn passages_without_a_word_of_the_question_are_quoted_too() {
    let kb = kb(Some(Rc::new(OfCats)));
    let add = |id: &str, text: &str| add(&kb, vec![vademecum_testing::markdown(id, text)]).unwrap();
    add("cats.md", "# Cats\n\nThey purr. They sleep. They hunt.");
    let asked = |question: &str| {
        let asked = serde_json::json!({ "question": question, "steps": [{ "step": "search" }, { "step": "answer" }] });
        run(&serde_json::from_value(asked).unwrap(), &kb, None, Cancel::default()).0
    };
    assert_eq!(asked("Felines?").answer.as_deref(), Some("They purr. [1] They sleep. [1] They hunt. [1]"));
    let other = asked("Volcanoes?");
    assert_eq!((other.answer, other.abstained), (None, true));
    assert_eq!(other.reason.as_deref(), Some("The nearest passages do not seem to answer this question."));
    assert!(
        other.confidence.unwrap() < 0.25 && other.context_used.len() == 1,
        "the nearest passage is shown"
    );
}

#[test]
fn without_a_model_and_without_evidence_it_says_so() {
    let (result, _) = run(&search_and_answer(), &kb(None), None, Cancel::default());
    assert_eq!((result.answer.as_deref(), result.abstained), (None, true));
    assert_eq!(result.reason.as_deref(), Some("Nothing in the documents answers this question."));
    assert_eq!((result.confidence, result.log.error), (None, None));
    let llm = ScriptedLlm::replying([]);
    let (result, _) = run(&search_and_answer(), &kb(None), Some(&llm), Cancel::default());
    assert_eq!(
        (result.answered_by, result.log.usage.llm_calls),
        (Some(By::Rule), 0),
        "nothing is sent for nothing"
    );
}

#[test]
fn a_failing_embedder_leaves_keyword_search() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    add(&kb, contracts()).unwrap();
    embedder.failing.set(true);
    assert_eq!(vademecum_testing::search(&kb, QUESTION, Mode::Hybrid).unwrap().mode, Mode::Keyword);
    let (result, _) = run(&search_and_answer(), &kb, None, Cancel::default());
    assert!(result.answer.unwrap().contains("30 days"));
}

#[test]
fn misuse_is_refused_before_anything_runs() {
    let empty: Pipeline =
        serde_json::from_value(serde_json::json!({ "question": " ", "steps": [{ "step": "search" }] }))
            .unwrap();
    assert_eq!(empty.check().unwrap_err().code(), "empty_question");
    assert_eq!(pipeline(serde_json::json!([])).check().unwrap_err().code(), "invalid_argument");
    let unknown = serde_json::from_value::<Pipeline>(
        serde_json::json!({ "question": "q", "steps": [{ "step": "dance" }] }),
    );
    assert!(unknown.unwrap_err().to_string().contains("dance"));
}

#[test]
fn a_pipeline_survives_a_round_trip_through_json() {
    let before = search_and_answer();
    let json = serde_json::to_string(&before).unwrap();
    assert_eq!(serde_json::from_str::<Pipeline>(&json).unwrap(), before);
}

#[test]
fn every_event_is_an_object_with_a_type() {
    let (_, events) = run(&search_and_answer(), &library(), None, Cancel::default());
    for event in events.0.borrow().iter() {
        let value = serde_json::to_value(event).unwrap();
        assert!(value["type"].is_string(), "{value}");
        if let Event::Done { .. } = event {
            assert_eq!(value["terminatedBy"], "completed");
        }
    }
}

#[test]
fn brackets_that_are_no_citations_are_kept() {
    let (result, _) = run(&search_and_answer(), &library(), None, Cancel::default());
    let checked = check(
        "In [2023] the array `a[i]` [see 1] was [1, 2] open [",
        &result.context_used,
        CitationStyle::Number,
    );
    assert_eq!(checked.text, "In [2023] the array `a[i]` [see 1] was [1][2] open [");
    assert_eq!(checked.citations.len(), 2);
    let shout =
        check("Done![9] It works![1] See ![1](plan.png).", &result.context_used, CitationStyle::Number);
    assert_eq!(shout.text, "Done! It works![1] See ![1](plan.png).");
    assert_eq!((shout.citations.len(), shout.invalid.len()), (1, 1), "a mark is no code");
    let code = "Write vec![1, 2, 3] or `&v[100]` or ```\nv[1]\n``` and v[0], not ` alone [1].";
    let checked = check(code, &result.context_used, CitationStyle::Number);
    assert_eq!((checked.text.as_str(), checked.citations.len()), (code, 1));
    assert!(checked.invalid.is_empty());
}
