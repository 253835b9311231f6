//! Answers by rule: which sentences are quoted, and when the agent abstains.

use serde_json::json;
use vademecum::agent::context::Context;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{NoLlm, ScriptedLlm, TestFunctions, pipeline, run_with, shown};
use vademecum_testing::{add, kb, markdown};

/// Asks a library of these documents by words, and answers by rule.
fn quoted(documents: &[(&str, &str)], question: &str) -> Context {
    let kb = kb(None);
    add(&kb, documents.iter().map(|(id, text)| markdown(id, text)).collect()).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let asked = pipeline(json!({ "question": question, "steps": steps }));
    run_with(&asked, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
}

const HARBOUR: (&str, &str) = (
    "harbour.md",
    "# The harbour\n\nThe harbour of Ozymand is a quiet place for old ships. It was dug by Tilda Osei. \
     The digging of the harbour took until 1874. The harbour holds forty ships at most.",
);

#[test]
fn a_sentence_with_the_kind_of_thing_that_is_asked_for_comes_first() {
    let first = |question: &str| quoted(&[HARBOUR], question).answer.unwrap();
    assert!(first("When was the harbour dug?").starts_with("The digging of the harbour took until 1874."));
    assert!(first("How many ships does the harbour hold?").starts_with("The harbour holds forty ships"));
    assert!(first("Who dug the harbour?").starts_with("It was dug by Tilda Osei."));
}

#[test]
fn a_sentence_that_does_not_answer_is_left_out() {
    let leave = (
        "leave.md",
        "# Leave\n\nEvery employee has 30 days of paid leave a year.\n\nUp to five unused days carry over to March.",
    );
    let result = quoted(&[leave], "How many days of leave do I have?");
    assert_eq!(result.answer.as_deref(), Some("Every employee has 30 days of paid leave a year. [1]"));
}

#[test]
fn a_sentence_that_refers_back_is_quoted_with_the_one_before() {
    let result = quoted(&[HARBOUR], "Who dug the harbour?");
    assert!(result.answer.unwrap().contains("The harbour of Ozymand is a quiet place"));
}

#[test]
fn a_sentence_that_says_what_the_first_one_leaves_open_follows_it() {
    let quarks = (
        "quarks.md",
        "Free quarks have never been observed, in spite of many searches. This phenomenon is called colour confinement. \
         Protons are heavier than electrons by far. Neutrons decay outside nuclei within minutes.",
    );
    let result = quoted(&[quarks], "What is the name for the absence of free quarks that can be observed?");
    let answer = result.answer.unwrap();
    let places = ["Free quarks have", "This phenomenon"].map(|words| answer.find(words));
    assert!(places[0].is_some() && places[0] < places[1], "{answer}");
}

#[test]
fn sentences_that_contradict_each_other_are_both_quoted_and_the_result_says_so() {
    let documents = [
        ("old.md", "The notice period of the Nagel lease is 30 days."),
        ("new.md", "The notice period of the Nagel lease is 90 days."),
    ];
    let result = quoted(&documents, "What is the notice period of the Nagel lease?");
    let answer = result.answer.unwrap();
    assert!(answer.contains("30 days") && answer.contains("90 days"), "{answer}");
    assert!(result.reason.unwrap().contains("disagree"));
    assert!(!result.abstained);
}

#[test]
fn passages_about_something_else_are_no_answer() {
    let result = quoted(&[HARBOUR], "Which ships of the Roman navy were lost near Carthage?");
    assert_eq!((result.answer, result.abstained, result.citations.len()), (None, true, 0));
    assert!(result.confidence.unwrap() < 0.2 && !result.reason.unwrap().is_empty());
    assert_eq!(result.context_used.len(), 1, "the nearest passage is part of the result");
}

#[test]
fn questions_of_one_word_of_stop_words_and_of_two_thousand_words_end_in_a_judgement() {
    assert!(quoted(&[HARBOUR], "harbour?").answer.is_some());
    let nothing = quoted(&[HARBOUR], "Who is it that was there?");
    assert_eq!((nothing.answer, nothing.abstained), (None, true));
    let long = format!("When was the harbour of Ozymand dug? {}", "Please answer soon. ".repeat(700));
    assert!(quoted(&[HARBOUR], &long).answer.unwrap().contains("1874"));
}

#[test]
fn a_doubtful_judgement_is_part_of_the_prompt_and_beside_the_answer() {
    let kb = kb(None);
    add(&kb, vec![markdown(HARBOUR.0, HARBOUR.1)]).unwrap();
    let llm = ScriptedLlm::replying([Ok("The documents do not say.".to_owned())]);
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let asked = pipeline(json!({ "question": "Which ships sank near Carthage?", "steps": steps }));
    let (result, _) = run_with(&asked, &kb, &llm, &TestFunctions::default(), Cancel::default());
    assert!(
        shown(&llm.requests.borrow()[0]).contains("doubts that the passages answer this: its estimate is")
    );
    assert!(result.confidence.unwrap() < 0.5 && result.answer.is_some());
}

#[test]
fn an_answer_that_replaces_an_abstention_is_no_abstention() {
    let kb = kb(None);
    add(&kb, vec![markdown(HARBOUR.0, HARBOUR.1)]).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "custom", "name": "mine", "function": "mine" }]);
    let asked = pipeline(
        json!({ "question": "Which famous explorer painted the quiet harbour in watercolours?", "steps": steps }),
    );
    let mine = TestFunctions::default().with("mine", |context| {
        assert_eq!(context["answer"], "The library does not say.");
        assert!(context["nearest"].is_object(), "{context}");
        Ok(json!({ "answer": "Ask the navy." }))
    });
    let (result, _) = run_with(&asked, &kb, &NoLlm, &mine, Cancel::default());
    assert_eq!(
        (result.answer.as_deref(), result.abstained, result.reason),
        (Some("Ask the navy."), false, None)
    );
    assert_eq!(result.nearest, None);
}

/// Asks about the harbour; a model answers `reply`. Its grounding is reported, or its sources are listed.
fn written(grounded: bool, reply: &str) -> Context {
    let kb = kb(None);
    add(&kb, vec![markdown(HARBOUR.0, HARBOUR.1)]).unwrap();
    let question = "How many ships does the harbour hold?";
    let asked = if grounded {
        pipeline(
            json!({ "question": question, "steps": [{ "step": "search" }, { "step": "answer" }, { "step": "ground" }] }),
        )
    } else {
        pipeline(
            json!({ "question": question, "steps": [{ "step": "search" }, { "step": "answer", "citations": "doc", "sources": true }] }),
        )
    };
    run_with(
        &asked,
        &kb,
        &ScriptedLlm::replying([Ok(reply.to_owned())]),
        &TestFunctions::default(),
        Cancel::default(),
    )
    .0
}

const HOLDS: &str = "The harbour holds forty ships at most.";

#[test]
fn a_quotation_that_answers_comes_before_what_a_model_wrote_without_support() {
    let result = written(true, "Around 90 boats sleep there 😀 [1].");
    let answer = result.answer.unwrap();
    assert_eq!(answer, format!("{HOLDS} [1]\n\nAround 90 boats sleep there 😀 [1]."));
    assert!(result.reason.unwrap().starts_with("No passage supports what the model wrote"));
    let units: Vec<u16> = answer.encode_utf16().collect();
    for citation in &result.citations {
        assert_eq!(String::from_utf16_lossy(&units[citation.at.start..citation.at.end]), "[1]");
    }
    assert_eq!(
        json!(result.citations.iter().map(|one| one.by).collect::<Vec<_>>()),
        json!(["grounding", "model"])
    );
    let grounding = result.grounding.unwrap();
    assert_eq!(grounding.iter().map(|one| one.supported).collect::<Vec<_>>(), [true, false]);
    let second = grounding[1].at;
    assert!(String::from_utf16_lossy(&units[second.start..second.end]).starts_with("Around 90 boats"));
}

#[test]
fn a_supported_answer_stays_as_it_is() {
    let reply = "It holds forty ships at most [1].";
    let result = written(true, reply);
    assert_eq!((result.answer.as_deref(), result.reason), (Some(reply), None));
}

#[test]
fn sources_list_the_quotation_that_comes_first() {
    let answer = written(false, "Around 90 boats sleep there.").answer.unwrap();
    assert!(answer.starts_with(&format!("{HOLDS} [harbour.md]\n\nAround 90")), "{answer}");
    assert!(answer.contains("**Sources**\n\n- [harbour.md]"), "{answer}");
}

#[test]
fn a_run_without_an_answer_says_which_question_was_meant() {
    let asked = |question: &str| quoted(&[HARBOUR], question);
    let misspelt = asked("when was the habrour duug");
    assert!(misspelt.abstained, "{misspelt:?}");
    assert_eq!(misspelt.did_you_mean.as_deref(), Some("when was the harbour dug"));
    assert_eq!(asked("Who painted the ceiling?").did_you_mean, None);
    let answered = asked("when was the habrour dug");
    assert_eq!((answered.abstained, answered.did_you_mean), (false, None));
}

#[test]
fn a_run_without_an_answer_tells_the_nearest_sentence_unless_all_are_far() {
    let harbour = (HARBOUR.0, HARBOUR.1.replace("# The harbour", "# The harbour 🚢 of Özyölk"));
    let result = quoted(
        &[(harbour.0, &harbour.1)],
        "Which famous explorer painted the quiet harbour in watercolours?",
    );
    assert!(result.abstained, "{result:?}");
    let nearest = result.nearest.unwrap();
    assert_eq!(result.context_used[nearest.number - 1].chunk.doc_id, "harbour.md");
    let units: Vec<u16> = harbour.1.encode_utf16().collect();
    let told = String::from_utf16_lossy(&units[nearest.span.start..nearest.span.end]);
    assert_eq!(told, "The harbour of Ozymand is a quiet place for old ships.");
    assert_eq!(quoted(&[HARBOUR], "Who painted the ceiling?").nearest, None);
    assert_eq!(quoted(&[HARBOUR], "Who dug the harbour?").nearest, None);
}
