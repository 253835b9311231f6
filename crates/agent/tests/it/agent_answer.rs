//! Answers, their citations and their grounding.

use proptest::prelude::*;
use serde_json::{Value, json};
use vademecum::agent::citation::{CitationStyle, check};
use vademecum::agent::context::{By, Context, TerminatedBy};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::document::{Document, Span};
use vademecum::engine::Mode;
use vademecum_testing::agent::{
    NoLlm, Recorder, ScriptedLlm, TestFunctions, assert_golden, library, pipeline, run_with, shown,
};
use vademecum_testing::{add, contracts, hashing, in_linear_time, kb, markdown, search};

/// Custom steps: a decomposition, a gate, and one that changes the answer.
fn functions() -> TestFunctions {
    TestFunctions::default()
        .with("parts", |_| {
            Ok(json!({ "subQuestions": ["How long is the notice of the ACME contract?", "Does the Globex licence renew itself?"] }))
        })
        .with("skip", |_| Ok(json!({ "skipRetrieval": true })))
        .with("replace", |_| {
            Ok(json!({ "answer": "Thirty [1], or [2].", "evidence": [{ "id": "x", "text": "Thirty days." }] }))
        })
        .with("meddle", |_| Ok(json!({ "answer": "😀 Thirty days [2], or not [9]." })))
}

fn custom(function: &str) -> Value {
    json!({ "step": "custom", "name": function, "function": function })
}

fn without_llm(fields: Value) -> Context {
    run_with(&pipeline(fields), &library(), &NoLlm, &functions(), Cancel::default()).0
}

fn with_llm(fields: Value, replies: &[&str]) -> (Context, Recorder, ScriptedLlm) {
    let llm = ScriptedLlm::replying(replies.iter().map(|reply| Ok((*reply).to_owned())));
    let (context, events) = run_with(&pipeline(fields), &library(), &llm, &functions(), Cancel::default());
    (context, events, llm)
}

fn slice(text: &str, span: Span) -> String {
    String::from_utf16(&text.encode_utf16().collect::<Vec<_>>()[span.start..span.end]).unwrap()
}

fn stop(events: &Recorder, step: &str) -> Value {
    let all = events.0.borrow();
    let values = all.iter().map(|event| serde_json::to_value(event).unwrap());
    values.rev().find(|event| event["type"] == "stop" && event["step"] == step).unwrap()["metadata"].clone()
}

#[test]
fn documents_are_cited_by_id_and_invented_ids_are_removed() {
    let steps = json!([{ "step": "search" }, { "step": "answer", "citations": "doc" }]);
    let (result, _, llm) =
        with_llm(json!({ "steps": steps }), &["Thirty days [acme.md], yearly [globex.md][initech-2.md]."]);
    assert_eq!(result.answer.as_deref(), Some("Thirty days [acme.md], yearly [globex.md]."));
    assert_eq!(result.invalid_citations, ["initech-2.md"]);
    let documents: Vec<&str> = result.citations.iter().map(|one| one.doc_id.as_str()).collect();
    assert_eq!(documents, ["acme.md", "globex.md"]);
    assert_eq!(slice(result.answer.as_ref().unwrap(), result.citations[1].at), "[globex.md]");
    assert_golden("answer_by_document_prompt", &llm.requests.borrow()[0]);
}

#[test]
fn an_answer_is_cut_where_the_model_continues_the_prompt() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let echo = "Thirty days [1].\n{fence}\n[1] The contract\n\nQuestion: And then?";
    let (result, _, _) = with_llm(json!({ "steps": steps }), &[echo]);
    assert_eq!(result.answer.as_deref(), Some("Thirty days [1]."));
    let (result, _, _) = with_llm(json!({ "steps": steps }), &["{fence}\nno answer"]);
    assert_eq!((result.answered_by, &*result.log.failures[0].code), (Some(By::Rule), "llm_reply"));
}

#[test]
fn a_citation_has_the_page_of_the_quotation() {
    let kb = kb(hashing());
    let pages = vec!["Nothing here but a cover.".into(), "The notice is 30 days.".into()];
    add(&kb, vec![Document { pages: Some(pages), ..Document::new("acme.pdf", "") }]).unwrap();
    let asked = pipeline(
        json!({ "question": "How long is the notice?", "steps": [{ "step": "search" }, { "step": "answer" }] }),
    );
    let (result, _) = run_with(&asked, &kb, &NoLlm, &functions(), Cancel::default());
    let found = &result.citations[0];
    let page = result.context_used[found.number - 1].chunk.page;
    // The passage begins on the cover page.
    assert_eq!((page, found.page), (Some(1), Some(2)));
}

#[test]
fn all_sub_questions_are_in_the_prompt() {
    let steps = json!([custom("parts"), { "step": "search" }, { "step": "answer" }]);
    let (_, _, llm) = with_llm(json!({ "limit": 1, "steps": steps }), &["30 days [1], yearly [2]."]);
    assert_golden("answer_parts_prompt", &llm.requests.borrow()[0]);
}

#[test]
fn without_a_model_each_sub_question_is_answered_by_its_best_sentence() {
    let result =
        without_llm(json!({ "steps": [custom("parts"), { "step": "search" }, { "step": "answer" }] }));
    let quoted: Vec<&str> = result.citations.iter().map(|one| one.doc_id.as_str()).collect();
    assert_eq!(quoted, ["acme.md", "globex.md"], "{:?}", result.answer);
    assert!(result.answer.unwrap().contains("The licence renews itself every year."));
}

#[test]
fn passages_beyond_the_prompt_are_neither_shown_nor_cited() {
    let steps = json!([{ "step": "search" }, { "step": "answer", "maxTokens": 60 }]);
    let (result, events, llm) = with_llm(json!({ "steps": steps }), &["30 days [1][4]."]);
    let told = stop(&events, "answer");
    let used = result.context_used.len();
    assert!((1..4).contains(&used), "{used}");
    assert_eq!((&told["contextChunkCount"], &told["foundChunkCount"]), (&json!(used), &json!(4)));
    let prompt = shown(&llm.requests.borrow()[0]);
    assert!(prompt.contains(&format!("\n[{used}] ")) && !prompt.contains(&format!("\n[{}] ", used + 1)));
    assert_eq!(result.invalid_citations, ["4"]);
}

#[test]
fn no_unnecessary_search_is_made() {
    let steps = json!([custom("skip"), { "step": "search" }, { "step": "rerank" }, { "step": "reason" }, { "step": "answer" }, { "step": "ground" }]);
    let (result, _, llm) =
        with_llm(json!({ "steps": steps, "question": "Who was Ada?" }), &["A pioneer [1]."]);
    assert_eq!(llm.requests.borrow().len(), 1);
    assert!(shown(&llm.requests.borrow()[0]).contains("without any documents"));
    assert_eq!((result.answer.as_deref(), result.invalid_citations.len()), (Some("A pioneer."), 1));
    assert!(!result.grounding.unwrap()[0].supported, "no document says so");
    for (question, answer) in [
        ("Hello!", "Hello. What would you like to know from your documents?"),
        ("Who was Ada?", "The documents were not searched for this."),
    ] {
        let result = without_llm(json!({ "question": question, "steps": steps }));
        assert_eq!(result.answer.as_deref(), Some(answer));
        assert_eq!(result.grounding, Some(Vec::new()), "there is nothing to support");
    }
    let steps =
        json!([{ "step": "rewrite" }, { "step": "gate" }, { "step": "search" }, { "step": "answer" }]);
    let result = without_llm(json!({ "question": "Please, who are you?", "steps": steps }));
    assert!(result.answer.unwrap().starts_with("I answer questions"), "to the question as the gate saw it");
}

#[test]
fn a_quoted_list_item_is_cited_without_its_marker() {
    let kb = kb(hashing());
    add(&kb, vec![markdown("a.md", "# Terms\n\n- 🦀 The notice is 30 days.\n- The price is 5 euros.")])
        .unwrap();
    let asked = pipeline(
        json!({ "question": "How long is the notice?", "steps": [{ "step": "search" }, { "step": "answer" }, { "step": "ground" }] }),
    );
    let (result, _) = run_with(&asked, &kb, &NoLlm, &functions(), Cancel::default());
    let document = kb.document("default", "a.md").unwrap().document.text;
    let said = "🦀 The notice is 30 days.";
    assert!(result.answer.as_ref().unwrap().starts_with(said));
    assert_eq!(slice(&document, result.citations[0].quote.unwrap()), said);
    let grounded = &result.grounding.unwrap()[0];
    assert_eq!((grounded.verbatim, slice(&document, grounded.span.unwrap()).as_str()), (Some(true), said));
}

#[test]
fn every_sentence_has_a_supporting_span_or_is_flagged() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }]);
    let reply = "😀 The notice period is 30 days [1]. The price is 99,000 euros [2].";
    let (result, events, _) = with_llm(json!({ "steps": steps }), &[reply]);
    let found = result.grounding.unwrap();
    assert_eq!(slice(&result.answer.unwrap(), found[0].at), "😀 The notice period is 30 days [1].");
    let document = library().document("default", found[0].doc_id.as_ref().unwrap()).unwrap().document.text;
    assert_eq!(
        slice(&document, found[0].span.unwrap()),
        "Either party may end this contract with a notice of 30 days."
    );
    assert_eq!((found[1].supported, found[1].missing.as_slice()), (false, ["99,000".to_owned()].as_slice()));
    let told = stop(&events, "ground");
    assert_eq!(
        (&told["sentences"], &told["supported"], &told["unsupported"]),
        (&json!(2), &json!(1), &json!(1))
    );
    assert_eq!(told["by"], "rule");
}

#[test]
fn unsupported_sentences_are_corrected_once_and_only_if_it_helps() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground", "correct": true }]);
    let wrong = "The notice is 31 days [1].";
    let (result, events, llm) =
        with_llm(json!({ "steps": steps }), &[wrong, "😀 The notice is 30 days [1], see [8]."]);
    assert_eq!(result.answer.as_deref(), Some("😀 The notice is 30 days [1], see."));
    assert_eq!(slice(result.answer.as_ref().unwrap(), result.citations[0].at), "[1]");
    assert_eq!(result.invalid_citations, ["8"]);
    assert!(result.grounding.unwrap().iter().all(|one| one.supported));
    assert_eq!(
        (&stop(&events, "ground")["corrected"], &stop(&events, "ground")["by"]),
        (&json!(true), &json!("llm"))
    );
    assert_golden("correct_prompt", &llm.requests.borrow()[1]);
    let tokens = events.shape().iter().filter(|line| *line == "token ground").count();
    assert_eq!(tokens, 0, "what may not be kept is not shown");

    let mended = "Either party may end this contract with a notice of 30 days.";
    let (result, _, _) = with_llm(json!({ "steps": steps }), &[wrong, mended]);
    assert_eq!(result.answer.unwrap(), format!("{mended} [1]"), "a forgotten source is added");

    let (result, events, _) = with_llm(json!({ "steps": steps }), &[wrong, "It is 32 days [1]."]);
    assert_eq!(
        result.answer.unwrap(),
        format!("Either party may end this contract with a notice of 30 days. [1]\n\n{wrong}"),
        "a correction that does not help is not kept"
    );
    assert_eq!(stop(&events, "ground")["corrected"], false);
    let (result, _, llm) = with_llm(json!({ "steps": steps }), &["The notice is 30 days [1]."]);
    assert_eq!(
        (llm.requests.borrow().len(), result.log.failures.len()),
        (1, 0),
        "nothing to mend, nobody asked"
    );
}

#[test]
fn a_refusal_by_an_llm_claims_nothing() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground", "correct": true }]);
    let refusal = "The passages do not say what the notice to end the ACME contract is.";
    let (result, events, llm) = with_llm(json!({ "steps": steps }), &[refusal]);
    assert_eq!(llm.requests.borrow().len(), 1, "nothing to mend");
    let quoted = "Either party may end this contract with a notice of 30 days. [1]";
    assert_eq!(result.answer.as_deref(), Some(&*format!("{quoted}\n\n{refusal}")), "the passages say it");
    assert_eq!(result.grounding.unwrap().iter().map(|one| &*one.text).collect::<Vec<_>>(), [quoted]);
    assert_eq!(stop(&events, "ground")["unsupported"], 0);
    let but = "The passages do not say it, but Initech pays 7 dollars.";
    let (result, _, _) = with_llm(json!({ "steps": steps }), &[but, but]);
    assert!(!result.grounding.unwrap().last().unwrap().supported);
}

#[test]
fn unsupported_sentences_can_be_removed() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground", "drop": true }]);
    let reply = "🦀 Llamas are woolly [2]. The notice is 30 days [1]. Initech pays 7 dollars [3].";
    let (result, events, _) = with_llm(json!({ "steps": steps }), &[reply]);
    assert_eq!(result.answer.as_deref(), Some("The notice is 30 days [1]."));
    assert_eq!(result.citations.len(), 1);
    assert_eq!(slice(result.answer.as_ref().unwrap(), result.citations[0].at), "[1]");
    assert_eq!(stop(&events, "ground")["dropped"], 2);
    let (result, _, _) = with_llm(json!({ "steps": steps }), &["Llamas are woolly."]);
    assert!(result.answer.unwrap().ends_with("Llamas are woolly."), "an answer is never emptied");
}

#[test]
fn a_quoted_answer_is_verbatim_and_keeps_its_quotations() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground", "correct": true, "drop": true }]);
    let result = without_llm(json!({ "steps": steps }));
    let found = result.grounding.unwrap();
    assert!(!found.is_empty() && found.iter().all(|one| one.verbatim == Some(true)), "{found:?}");
    assert!(result.citations.iter().all(|one| one.quote.is_some()));
}

#[test]
fn an_answer_by_a_custom_step_is_checked_too() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }, custom("meddle")]);
    let result = without_llm(json!({ "steps": steps }));
    let answer = result.answer.unwrap();
    assert_eq!(answer, "😀 Thirty days [2], or not.");
    assert_eq!((result.citations.len(), slice(&answer, result.citations[0].at).as_str()), (1, "[2]"));
    assert_eq!(result.citations[0].chunk_id, result.context_used[1].chunk.id);
    assert_eq!((result.invalid_citations, result.grounding), (vec!["9".to_owned()], None));
    assert_eq!(result.answered_by, Some(By::Function));
    let replaced =
        without_llm(json!({ "steps": [{ "step": "search" }, { "step": "answer" }, custom("replace")] }));
    assert_eq!(replaced.answer.as_deref(), Some("Thirty [1], or."));
    assert_eq!(replaced.citations[0].chunk_id, "x", "of the evidence that came with it");
}

#[test]
fn the_last_call_of_the_budget_is_for_the_answer() {
    let steps = json!([
        { "step": "search", "selfCorrect": true }, { "step": "rerank" }, { "step": "reason" }, { "step": "answer" },
        { "step": "ground", "correct": true },
    ]);
    let fields = json!({ "budget": { "llmCalls": 1 }, "steps": steps });
    let (result, _, llm) = with_llm(fields, &["The notice is 31 days [1]."]);
    let asked: Vec<String> = llm.callers.borrow().iter().map(|(step, _)| step.clone()).collect();
    assert_eq!(asked, ["answer"]);
    assert_eq!((result.answered_by, result.log.terminated_by), (Some(By::Llm), TerminatedBy::Budget));
    assert_eq!(result.log.error, None);
    assert!(result.log.failures.iter().all(|failure| failure.code == "budget_exhausted"));
}

#[test]
fn every_step_reports_its_decision_and_who_made_it() {
    let steps = json!([
        { "step": "search", "selfCorrect": true }, { "step": "rerank" }, { "step": "reason" }, { "step": "answer" },
        { "step": "ground" },
    ]);
    let (result, events) =
        run_with(&pipeline(json!({ "steps": steps })), &library(), &NoLlm, &functions(), Cancel::default());
    for step in ["search", "rerank", "reason", "answer", "ground"] {
        assert_eq!(stop(&events, step)["by"], "rule", "{step}");
        assert!(result.log.reasoning_trace.iter().any(|thought| thought.step == step), "{step}");
    }
    let step = json!({ "question": "q", "steps": steps });
    let pipeline: Pipeline = serde_json::from_value(step).unwrap();
    let written = serde_json::to_value(&pipeline).unwrap();
    assert_eq!(serde_json::from_value::<Pipeline>(written).unwrap(), pipeline);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    #[test]
    fn spans_are_correct_for_any_reply(
        replies in proptest::collection::vec("([A-Za-z]{1,6} |30 days|notice |😀|[.!?] |\\n|\\[[0-9]\\]|\\[acme\\.md\\]|“|”){1,30}", 2),
        doc in any::<bool>(), drop in any::<bool>(),
    ) {
        let style = if doc { "doc" } else { "number" };
        let steps = json!([
            { "step": "search" }, { "step": "answer", "citations": style }, { "step": "ground", "correct": true, "drop": drop },
        ]);
        let (result, _, _) = with_llm(json!({ "steps": steps }), &[&replies[0], &replies[1]]);
        let answer = result.answer.unwrap();
        for one in &result.citations {
            let written = if doc { format!("[{}]", one.doc_id) } else { format!("[{}]", one.number) };
            prop_assert_eq!(slice(&answer, one.at), written);
        }
        let kb = library();
        for one in result.grounding.unwrap() {
            prop_assert_eq!(slice(&answer, one.at), one.text);
            if let (Some(id), Some(span)) = (one.doc_id, one.span) {
                let document = kb.document("default", &id).unwrap().document.text;
                prop_assert!(!slice(&document, span).trim().is_empty());
            }
        }
    }
}

#[test]
fn thoughts_are_no_part_of_the_answer() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let said = "<think>[1] or [9]? I think 31.</think>\n\nThirty days [1].";
    let (result, _, _) = with_llm(json!({ "steps": steps }), &[said]);
    assert_eq!(result.answer.as_deref(), Some("Thirty days [1]."));
    assert_eq!((result.citations.len(), result.invalid_citations.len()), (1, 0));
    // Thoughts alone are no answer.
    let (result, _, _) = with_llm(json!({ "steps": steps }), &["<think>It may be thirty"]);
    assert_eq!(result.answered_by, Some(By::Rule));
    assert!(!result.answer.unwrap().contains("<think>"));
}

#[test]
fn thoughts_are_no_part_of_a_correction() {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground", "correct": true }]);
    let notice = "Either party may end this contract with a notice of 30 days [1].";
    let (result, _, _) = with_llm(
        json!({ "steps": steps }),
        &["The price of the moon is 99 euros.", &format!("<think>The moon?</think>{notice}")],
    );
    assert_eq!(result.answer.as_deref(), Some(notice));
}

#[test]
fn every_answer_is_checked_in_linear_time() {
    let steps = |style: &str| {
        json!([
            { "step": "search" },
            { "step": "answer", "citations": style },
            { "step": "ground", "drop": true },
        ])
    };
    let different = (0..100_000).fold(String::new(), |text, number| text + &format!("Not {number}. "));
    let long = [
        "[".repeat(1_000_000),
        "[1]".repeat(100_000),
        "[acme.md]".repeat(100_000),
        "[a.1,".repeat(100_000),
        "a. ".repeat(100_000),
        "Notice 30 [1]. ".repeat(100_000),
        "“".repeat(100_000),
        different,
    ];
    for (answer, style) in long.iter().flat_map(|answer| [(answer, "number"), (answer, "doc")]) {
        let (result, _, _) = in_linear_time(style, || with_llm(json!({ "steps": steps(style) }), &[answer]));
        assert!(result.answer.unwrap().len() <= 64 << 10);
        assert!(result.log.failures.is_empty());
    }
}

#[test]
fn citations_are_parsed_in_linear_time() {
    let kb = kb(hashing());
    add(&kb, contracts()).unwrap();
    let evidence = search(&kb, "notice", Mode::Keyword).unwrap().hits;
    for piece in ["[", "[1]", "[acme.md]", "[a.1,", "[1,", "said [acme.md; ", "`[", "``` ` "] {
        for style in [CitationStyle::Number, CitationStyle::Doc] {
            let text = piece.repeat(300_000 / piece.len());
            let checked = in_linear_time(piece, || check(&text, &evidence, style));
            assert!(checked.text.len() <= 300_000);
        }
    }
}

#[test]
fn grounding_is_not_carried_over_to_the_next_answer() {
    let steps =
        json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }, { "step": "answer" }]);
    assert_eq!(without_llm(json!({ "steps": steps })).grounding, None);
    let (result, _, _) = with_llm(json!({ "steps": steps }), &["A month [1].", "The notice is 30 days [1]."]);
    assert_eq!((result.answer.as_deref(), result.grounding), (Some("The notice is 30 days [1]."), None));
}

#[test]
fn small_talk_is_answered_after_a_rewrite() {
    let asked = |question: &str| {
        let steps = json!([{ "step": "rewrite" }, { "step": "gate" }, { "step": "answer" }]);
        without_llm(json!({ "question": question, "steps": steps })).answer
    };
    assert_eq!(asked("Please, who are you?"), asked("Who are you?"));
}
