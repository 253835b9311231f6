//! What becomes of a model's answer that nothing in the documents supports.

use serde_json::json;
use vademecum::agent::context::{By, Context};
use vademecum::agent::ports::Role;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{FunctionLlm, ScriptedLlm, TestFunctions, calls, pipeline, run_with, says};
use vademecum_testing::styles::ask;
use vademecum_testing::{add, kb, markdown};

const MILL: (&str, &str) = (
    "mill.md",
    "# The mill\n\nThe mill at Tarn was closed in 2016. Its miller, Odo Lund, keeps the key. The wheel turns for 9 hours a day.",
);

fn written(question: &str, reply: &str) -> Context {
    let kb = kb(None);
    add(&kb, vec![markdown(MILL.0, MILL.1)]).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }]);
    let asked = pipeline(json!({ "question": question, "steps": steps }));
    let llm = ScriptedLlm::replying([Ok(reply.to_owned())]);
    run_with(&asked, &kb, &llm, &TestFunctions::default(), Cancel::default()).0
}

#[test]
fn without_a_passage_that_is_near_the_run_abstains_and_keeps_what_was_written() {
    let reply = "The mill of Verona sings at night.";
    let result = written("Which key opens the cellar of the opera in Verona?", reply);
    assert_eq!((result.answer, result.abstained, result.answered_by), (None, true, Some(By::Rule)));
    assert_eq!(result.unsupported.as_deref(), Some(reply));
    assert_eq!(result.told.as_deref(), Some("The library does not say."));
    assert!(result.reason.unwrap().starts_with("No passage supports what the model wrote"));
    assert!(result.citations.is_empty() && !result.context_used.is_empty());
}

#[test]
fn a_question_back_is_kept() {
    let reply = "Which opera do you mean?";
    let result = written("Which key opens the cellar of the opera in Verona?", reply);
    assert_eq!((result.answer.as_deref(), result.unsupported), (Some(reply), None));
}

#[test]
fn an_answer_whose_sources_the_model_names_is_kept() {
    let reply = "Das Schloss der Oper klemmt [1].";
    let result = written("Which key opens the cellar of the opera in Verona?", reply);
    assert_eq!((result.answer.as_deref(), result.abstained), (Some(reply), false));
    assert_eq!(result.unsupported, None);
}

#[test]
fn a_short_answer_is_cited_where_its_sentence_answers_the_question() {
    let right = written("How long does the wheel of the mill turn?", "9 hours");
    assert_eq!(right.answer.as_deref(), Some("9 hours [1]"));
    let wrong = written("When was the mill at Tarn closed?", "9 hours").answer.unwrap();
    assert!(wrong.starts_with("The mill at Tarn was closed in 2016. [1]\n\n9 hours"), "{wrong}");
}

#[test]
fn fences_and_the_question_that_a_model_repeats_are_no_part_of_its_answer() {
    let question = "When was the mill at Tarn closed?";
    let kb = kb(None);
    add(&kb, vec![markdown(MILL.0, MILL.1)]).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let asked = pipeline(json!({ "question": question, "steps": steps }));
    let llm = FunctionLlm::new(move |_, request| {
        let prompt = &request.messages[1].content;
        let fence = prompt.lines().next().unwrap().trim_matches('=');
        says(format!(
            "It was closed in 2016.\n\nQuestion: {question} Who has the key?\n=={fence}=\n# The mill"
        ))
    });
    let (result, _) = run_with(&asked, &kb, &llm, &TestFunctions::default(), Cancel::default());
    assert_eq!(result.answer.as_deref(), Some("It was closed in 2016. [1]"));
}

/// Asks in the style react; the model never calls a tool.
fn answered_at_once(question: &str, reply: &str) -> Context {
    let reply = reply.to_owned();
    let llm = FunctionLlm::new(move |_, _| says(&reply));
    ask(json!({ "name": "react" }), question, &llm).0
}

/// Asks in the style react; the model searches for the author's birthplace, then for its river.
fn answered_after_two_searches(reply: &str) -> Context {
    let kb = kb(None);
    let moor = "Moorland is a novel by Ada Lund.\n\nAda Lund was born in Tarn, as a daughter of the miller.";
    add(&kb, vec![markdown("moor.md", moor), markdown("tarn.md", "The river Ebbing runs past Tarn.")])
        .unwrap();
    let question = "Which waters does the birthplace of the writer of Moorland overlook?";
    let asked = pipeline(json!({ "question": question, "style": { "name": "react" } }));
    let reply = reply.to_owned();
    let llm = FunctionLlm::new(move |_, request| {
        let turns = request.messages.iter().filter(|one| one.role == Role::Assistant).count();
        match turns {
            0 => calls(&[("search", json!({ "query": "Where was Ada Lund born?" }))]),
            1 => calls(&[("refine_and_search", json!({ "refined_query": "Which river runs past Tarn?" }))]),
            _ => says(&reply),
        }
    });
    run_with(&asked, &kb, &llm, &TestFunctions::default(), Cancel::default()).0
}

#[test]
fn a_short_answer_is_supported_if_it_answers_the_last_search() {
    let right = answered_after_two_searches("the Ebbing");
    assert_eq!(right.answer.as_deref(), Some("the Ebbing [2]"));
    // The first search asked for "Tarn", and the last one names it.
    for wrong in ["a daughter of the miller", "Tarn"] {
        let result = answered_after_two_searches(wrong);
        let follows = |answer: String| answer.ends_with(&format!("\n\n{wrong}"));
        assert!(
            result.answer.is_some_and(follows) || result.unsupported.as_deref() == Some(wrong),
            "{wrong}"
        );
    }
}

#[test]
fn what_a_model_answers_without_a_search_is_compared_with_the_documents() {
    let question = "What is the notice period of the ACME support contract?";
    let right = answered_at_once(question, "The notice period of the ACME support contract is 90 days.");
    assert_eq!(right.steps_taken, ["think", "search", "ground"]);
    let answer = right.answer.unwrap();
    assert!(answer.starts_with("The notice period of the ACME support contract is 90 days. ["), "{answer}");
    let wrong = answered_at_once(question, "It is seven years.").answer.unwrap();
    assert!(wrong.contains("90 days") && wrong.ends_with("\n\nIt is seven years."), "{wrong}");
}

#[test]
fn a_greeting_is_answered_without_a_search() {
    let result = answered_at_once("Hello!", "Hello, what would you like to know?");
    assert_eq!(result.answer.as_deref(), Some("Hello, what would you like to know?"));
    assert_eq!(result.steps_taken, ["think", "ground"]);
}

#[test]
fn a_run_whose_planned_calls_all_fail_searches_for_the_question() {
    let llm = FunctionLlm::new(|step, _| match step {
        "synthesize" => says("The notice period of the ACME support contract is 90 days."),
        "grade_results" => says(r#"{"status": "more", "nextToolCall": {"tool": "the plan", "args": {}}}"#),
        _ => says(r#"{"calls": [{"tool": "the user", "args": {}}], "concepts": []}"#),
    });
    let question = "What is the notice period of the ACME support contract?";
    let (result, _) = ask(json!({ "name": "graph" }), question, &llm);
    assert!(result.steps_taken.iter().any(|step| *step == "search"), "{:?}", result.steps_taken);
    let answer = result.answer.unwrap();
    assert!(answer.starts_with("The notice period of the ACME support contract is 90 days. ["), "{answer}");
}

#[test]
fn a_quotation_with_a_name_comes_before_a_supported_answer_without_one() {
    let wrong = written("Who keeps the key of the mill?", "The mill keeps the key.");
    let answer = wrong.answer.unwrap();
    assert!(answer.starts_with("Its miller, Odo Lund, keeps the key. [1]"), "{answer}");
    assert!(wrong.reason.unwrap().starts_with("What the model wrote names nobody"));
    let right = written("Who keeps the key of the mill?", "Odo Lund keeps the key.");
    assert_eq!((right.answer.as_deref(), right.reason), (Some("Odo Lund keeps the key. [1]"), None));
}

#[test]
fn sentences_that_a_model_repeats_are_said_once() {
    let said = "The wheel of the mill turns for 9 hours a day.";
    let result = written("How long does the wheel turn?", &format!("{said} {said} {said} The wheel of the"));
    assert_eq!(result.answer.as_deref(), Some(format!("{said} [1]").as_str()));
}

#[test]
fn an_answer_without_a_name_stays_alone_where_nobody_is_asked_for_or_the_quotation_says_less() {
    for (question, reply) in [
        ("When was the mill at Tarn closed?", "The mill at Tarn is closed."),
        ("Is the mill at Tarn closed?", "Yes, the mill at Tarn is closed."),
        ("Who may turn the wheel of the mill?", "The wheel of the mill turns for 9 hours a day."),
    ] {
        assert_eq!(written(question, reply).answer, Some(format!("{reply} [1]")));
    }
}

#[test]
fn a_quotation_is_followed_by_the_sentence_that_its_pronoun_refers_to() {
    let result = written("Who keeps the key of the mill at Tarn?", "The mill at Tarn sings.");
    let answer = result.answer.unwrap();
    let quoted = "Its miller, Odo Lund, keeps the key. [1] The mill at Tarn was closed in 2016. [1]";
    assert_eq!(answer, format!("{quoted}\n\nThe mill at Tarn sings."));
    let units: Vec<u16> = answer.encode_utf16().collect();
    let cited = result.citations.iter().map(|one| String::from_utf16_lossy(&units[one.at.start..one.at.end]));
    assert!(cited.into_iter().all(|marker| marker == "[1]"));
}
