//! The token budget of a conversation: which turns stay complete, which are summarised, and by whom.

use proptest::prelude::*;
use serde_json::{Value, json};
use vademecum::agent::context::{Context, TerminatedBy, Turn};
use vademecum::agent::history::{condense, tokens};
use vademecum::agent::ports::{Llm, NoFunctions};
use vademecum::cancel::Cancel;
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{
    Buckets, NoLlm, Recorder, ScriptedLlm, assert_all_golden, library, pipeline, run_with,
};
use vademecum_testing::in_linear_time;

fn turn(question: &str, answer: &str) -> Turn {
    Turn { question: question.into(), answer: answer.into(), ..Turn::default() }
}

/// A conversation of `turns` turns with about 20 tokens each.
fn talk(turns: usize) -> Vec<Turn> {
    let one = |n| {
        let answer = format!("Plan {n} costs {n} euros a month. It may be ended at any time.");
        turn(&format!("What is the price of plan {n}?"), &answer)
    };
    (1..=turns).map(one).collect()
}

fn asked(history: &[Turn], fields: Value, llm: &dyn Llm) -> (Context, Recorder) {
    let mut data = json!({ "question": "What does the gold plan cost?", "history": history, "historyTokens": 200,
                           "steps": [{ "step": "rewrite" }] });
    data.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    run_with(&pipeline(data), &Buckets(Vec::new()), llm, &NoFunctions, Cancel::default())
}

const STAYS: &str = r#"{"question": "What does the gold plan cost?"}"#;

fn replies(summary: Result<String>) -> ScriptedLlm {
    ScriptedLlm::replying([summary, Ok(STAYS.into())])
}

#[test]
fn a_history_within_its_budget_is_unchanged_and_needs_no_model() {
    let llm = ScriptedLlm::replying([Ok(STAYS.into())]);
    let (context, events) = asked(&talk(3), json!({}), &llm);
    assert_eq!(context.request.history, talk(3));
    assert_eq!(events.shape(), ["start rewrite", "stop rewrite", "done"]);
}

#[test]
fn recent_turns_stay_complete_and_a_model_summarises_the_others_in_one_call() {
    let llm = replies(Ok("Plans 1 to 16 cost as many euros a month as their number.".into()));
    let (context, events) = asked(&talk(20), json!({}), &llm);
    let (summary, rest) = context.request.history.split_first().unwrap();
    assert!(summary.summary && summary.question.is_empty());
    assert_eq!(summary.answer, "Plans 1 to 16 cost as many euros a month as their number.");
    assert_eq!(rest, &talk(20)[20 - rest.len()..]);
    assert!(rest.len() >= 2 && tokens(&context.request.history) <= 200, "{}", rest.len());
    assert_eq!(
        events.shape(),
        ["start summarize", "stop summarize", "start rewrite", "stop rewrite", "done"]
    );
    assert_eq!((context.log.usage.llm_calls, context.log.failures.len()), (2, 0));
    assert_eq!(llm.callers.borrow()[0].0, "summarize");
    assert_all_golden("summarize_prompt", &llm.requests.borrow()[..1]);
}

#[test]
fn a_condensed_history_has_room_before_it_is_condensed_again() {
    let llm = replies(Ok("Plans cost euros.".into()));
    let mut history = asked(&talk(20), json!({}), &llm).0.request.history;
    history.push(turn("What about plan 21?", "Plan 21 costs 21 euros a month."));
    let again = ScriptedLlm::replying([Ok(STAYS.into())]);
    assert_eq!(asked(&history, json!({}), &again).0.request.history, history);
}

#[test]
fn later_steps_see_the_summary_and_the_recent_turns() {
    let llm = replies(Ok("Plans 1 to 16 were priced.".into()));
    asked(&talk(20), json!({}), &llm);
    let prompt = llm.requests.borrow()[1].messages[1].content.clone();
    assert!(
        prompt.contains("Before that: Plans 1 to 16 were priced.\nQ: What is the price of plan"),
        "{prompt}"
    );
    assert!(prompt.contains("plan 20?") && !prompt.contains("plan 3?"), "{prompt}");
}

#[test]
fn without_a_model_old_questions_keep_the_first_sentence_of_their_answers() {
    let (context, events) = asked(&talk(20), json!({}), &NoLlm);
    let lines: Vec<&str> = context.request.history[0].answer.lines().collect();
    assert!(lines.len() > 1);
    for line in lines {
        assert!(line.starts_with("What is the price of plan "), "{line}");
        assert!(line.ends_with("euros a month.") && !line.contains("ended"), "{line}");
    }
    // Only the oldest turns are dropped.
    let last = 20 - (context.request.history.len() - 1);
    assert!(context.request.history[0].answer.ends_with(&format!("Plan {last} costs {last} euros a month.")));
    assert!(!context.request.history[0].answer.contains("plan 1?"));
    assert_eq!(events.shape(), ["start rewrite", "stop rewrite", "done"]);
    assert_eq!(context.log.reasoning_trace[0].step, "summarize");
}

#[test]
fn the_rule_summarises_if_the_model_fails_or_is_off_topic() {
    for (reply, code) in [
        (Err(Error::LlmFailed { reason: "down".into() }), "llm_failed"),
        (Ok("  ".into()), "llm_reply"),
        (Ok("Bananas are yellow.".into()), "llm_reply"),
    ] {
        let (context, events) = asked(&talk(20), json!({}), &replies(reply));
        assert_eq!(context.request.history, condense(&talk(20), 200));
        assert_eq!((&*context.log.failures[0].code, context.log.error.is_none()), (code, true));
        assert_eq!(events.shape()[..3], ["start summarize", "failed summarize", "stop summarize"]);
    }
}

#[test]
fn a_summary_in_json_is_parsed_and_a_long_one_ends_at_a_sentence() {
    let llm = replies(Ok(r#"{"summary": "Many plans were priced."}"#.into()));
    assert_eq!(asked(&talk(20), json!({}), &llm).0.request.history[0].answer, "Many plans were priced.");
    let llm = replies(Ok("Every plan has its price. ".repeat(100)));
    let answer = asked(&talk(20), json!({}), &llm).0.request.history[0].answer.clone();
    assert!(answer.ends_with("price.") && answer.len() > 100 && answer.len() < 400, "{answer}");
}

#[test]
fn the_summary_call_counts_and_leaves_the_reserve_of_the_answer() {
    let kb = library();
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let data =
        json!({ "history": talk(20), "historyTokens": 200, "budget": { "llmCalls": 1 }, "steps": steps });
    let llm = ScriptedLlm::replying([Ok("It is ninety days [1].".into())]);
    let (context, _) = run_with(&pipeline(data), &kb, &llm, &NoFunctions, Cancel::default());
    assert_eq!(llm.callers.borrow()[0].0, "answer");
    assert_eq!(context.request.history, condense(&talk(20), 200));
    assert_eq!(context.log.failures[0].code, "budget_exhausted");
}

#[test]
fn aborting_the_summary_ends_the_run_and_keeps_the_history() {
    let cancel = Cancel::default();
    let llm = ScriptedLlm { cancels: Some(cancel.clone()), ..replies(Ok(String::new())) };
    let data = json!({ "history": talk(20), "historyTokens": 200, "steps": [{ "step": "rewrite" }] });
    let (context, events) = run_with(&pipeline(data), &Buckets(Vec::new()), &llm, &NoFunctions, cancel);
    assert_eq!((context.log.terminated_by, context.request.history), (TerminatedBy::Aborted, talk(20)));
    assert_eq!(events.shape(), ["start summarize", "failed summarize", "done"]);
}

#[test]
fn text_that_must_not_be_sent_is_in_no_prompt_and_no_summary() {
    let mut history = talk(20);
    for turn in &mut history {
        turn.answer = "The canary sings at midnight.".into();
        turn.withheld = true;
    }
    let llm = replies(Ok("Prices of plans were asked for.".into()));
    let (context, _) = asked(&history, json!({}), &llm);
    let callers: Vec<String> = llm.callers.borrow().iter().map(|one| one.0.clone()).collect();
    assert_eq!(callers, ["summarize", "rewrite"], "both are told of the history");
    for request in llm.requests.borrow().iter() {
        let said: Vec<&str> = request.messages.iter().map(|message| message.content.as_str()).collect();
        let said = said.join("\n");
        assert!(said.contains("What is the price of plan"), "the questions are no secret: {said}");
        assert!(!said.contains("canary"), "{said}");
    }
    let summary = &context.request.history[0];
    assert!(summary.summary && !summary.withheld && !summary.answer.contains("canary"), "{}", summary.answer);
    assert!(context.request.history[1..].iter().all(|turn| turn.withheld), "what stays whole stays marked");
    let by_rule = condense(&history, 200);
    assert!(by_rule[0].summary && !by_rule[0].answer.contains("canary"));
    assert!(by_rule[1..].iter().all(|turn| turn.withheld));
}

#[test]
fn the_rule_resolves_no_pronoun_with_a_summary() {
    let summary =
        Turn { answer: "Ada Lovelace wrote about the engine.".into(), summary: true, ..Turn::default() };
    for asked in ["What does it cost?", "Who made it?", "Where did she live?", "And the gold plan?"] {
        let data = json!({ "question": asked, "history": [summary], "steps": [{ "step": "rewrite" }] });
        let (context, _) =
            run_with(&pipeline(data), &Buckets(Vec::new()), &NoLlm, &NoFunctions, Cancel::default());
        assert_eq!(context.rewritten_question, None, "{asked}");
    }
    let history = json!([summary, { "question": "What does the basic plan cost?" }]);
    let data =
        json!({ "question": "And the gold plan?", "history": history, "steps": [{ "step": "rewrite" }] });
    let (context, _) =
        run_with(&pipeline(data), &Buckets(Vec::new()), &NoLlm, &NoFunctions, Cancel::default());
    assert_eq!(context.rewritten_question.as_deref(), Some("What does the gold plan cost?"));
}

#[test]
fn a_summary_of_a_summary_keeps_its_newest_lines() {
    let once = condense(&talk(30), 200);
    let more: Vec<Turn> = once.into_iter().chain(talk(6)).collect();
    let twice = condense(&more, 200);
    assert_eq!(twice.iter().filter(|turn| turn.summary).count(), 1);
    assert!(twice[0].answer.contains("plan 1?"), "{}", twice[0].answer);
}

fn histories() -> impl Strategy<Value = Vec<Turn>> {
    let text = prop_oneof![
        "\\PC{0,80}",
        "(What|does|it|cost|the|plan|12|ACME|[.?!,\n ]){0,200}",
        "[字语言。 \n]{0,100}",
        "[\\s\\.…]{0,50}",
    ];
    let turn = (text.clone(), text, any::<bool>(), proptest::bool::weighted(0.1));
    let turn = turn.prop_map(|(question, answer, withheld, summary)| Turn {
        question,
        answer,
        withheld,
        summary,
        ..Turn::default()
    });
    proptest::collection::vec(turn, 0..12)
}

proptest! {
    #[test]
    fn every_history_fits_its_budget_and_keeps_the_newest_turn(history in histories(), budget in 0_usize..300) {
        let condensed = condense(&history, budget);
        prop_assert!(tokens(&condensed) <= budget);
        prop_assert_eq!(&condense(&condensed, budget), &condensed);
        if let Some(newest) = history.last().filter(|newest| !newest.summary) {
            let last = condensed.last();
            if tokens(std::slice::from_ref(newest)) <= budget {
                prop_assert_eq!(last, Some(newest));
            } else {
                let last = last.unwrap();
                prop_assert!(newest.question.starts_with(last.question.trim_end_matches('…')));
                prop_assert!(newest.answer.starts_with(last.answer.trim_end_matches('…')));
            }
        }
        // Complete turns are the last ones, in order, after at most one summary.
        let turns: Vec<&Turn> = condensed.iter().filter(|turn| !turn.summary).collect();
        if tokens(&history) > budget {
            prop_assert!(condensed.iter().skip(1).all(|turn| !turn.summary));
            prop_assert!(turns.len() <= 1 || history.iter().rev().zip(turns.iter().rev()).all(|(one, other)| one == *other));
        }
    }
}

#[test]
fn megabytes_of_history_are_condensed_in_time() {
    let texts = ["word ", ".", "\n", "字", "(.", "a.b ", "\u{200b}", "Q: x\nA: "];
    for text in texts {
        let long = text.repeat(1_000_000 / text.len());
        in_linear_time(&format!("condensing {text:?}"), || {
            let long = vec![turn(&long, &long), turn("What?", &long)];
            assert!(tokens(&condense(&long, 1_500)) <= 1_500);
        });
    }
    let many: Vec<Turn> = (0..50_000).map(|_| turn("What does it cost?", "Nothing.")).collect();
    in_linear_time("condensing many turns", || assert!(tokens(&condense(&many, 1_500)) <= 1_500));
}
