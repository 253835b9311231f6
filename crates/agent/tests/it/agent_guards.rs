//! The limits of a run: what custom steps may change, what a correction may remove, and how long prompts may be.

use serde_json::{Value, json};
use vademecum::agent::context::{By, Context};
use vademecum::agent::ports::NoFunctions;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::error::{Error, Thrown};
use vademecum_testing::agent::{NoLlm, ScriptedLlm, TestFunctions, library, run_with};

fn pipeline(steps: Value) -> Pipeline {
    vademecum_testing::agent::pipeline(json!({ "steps": steps }))
}

/// Runs a search, an answer and a step that returns `change`.
fn changed(change: impl Fn(&mut Value) + 'static) -> Context {
    let kb = library();
    let functions = TestFunctions::default().with("mine", move |input| {
        let mut output = input.clone();
        change(&mut output);
        Ok(output)
    });
    let mine = json!({ "step": "custom", "name": "mine", "function": "mine" });
    let pipeline = pipeline(json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }, mine]));
    run_with(&pipeline, &kb, &NoLlm, &functions, Cancel::default()).0
}

/// Converts numbers as JavaScript writes them.
fn through_javascript(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().filter(|number| number.fract() == 0.0) {
                *value = json!(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(through_javascript),
        Value::Object(fields) => fields.values_mut().for_each(through_javascript),
        _ => {}
    }
}

#[test]
fn a_step_may_return_the_whole_context_with_a_change() {
    let context = changed(|context| {
        through_javascript(context);
        context["answer"] = json!("Thirty days [1].");
    });
    assert_eq!((&context.log.error, context.answer.as_deref()), (&None, Some("Thirty days [1].")));
    assert_eq!((context.citations.len(), context.grounding), (1, None));
    assert!(context.custom.is_empty() && context.collections.is_none());
}

#[test]
fn an_unchanged_context_is_no_change() {
    let (before, after) = (changed(|context| *context = Value::Null), changed(through_javascript));
    assert_eq!(
        (&after.log.error, &after.citations, &after.grounding),
        (&None, &before.citations, &before.grounding)
    );
    assert_eq!((after.answered_by, after.ranked), (before.answered_by, before.ranked));
}

#[test]
fn the_log_is_read_only_and_the_error_names_the_step() {
    for name in ["question", "results", "citations", "contextUsed", "usage"] {
        let error = changed(move |context| context[name] = json!(["mine"])).log.error.unwrap();
        assert_eq!((&*error.code, error.step.as_str()), ("function_result", "mine"));
        assert!(error.message.contains(name) && error.message.contains("`mine`"), "{}", error.message);
    }
    let error = changed(|context| context["evidence"] = json!([{ "id": "a" }])).log.error.unwrap();
    assert!(error.message.contains("the step `mine`"), "{}", error.message);
}

#[test]
fn unknown_fields_are_stored_in_custom_for_later_steps() {
    let context = changed(|context| *context = json!({ "mine": 1, "custom": { "kept": 2 } }));
    assert_eq!(context.custom.get("kept"), Some(&json!(2)));
    assert_eq!(context.custom.get("mine"), Some(&json!(1)));
    let cleared = changed(|context| {
        *context = json!({ "collections": null, "subQuestions": null, "evidence": null, "answer": null });
    });
    assert_eq!((cleared.log.error, cleared.answer), (None, None));
}

#[test]
fn a_correction_must_not_lose_supported_sentences() {
    let kb = library();
    let answer = "The contract may end with a notice of 30 days [1]. The notice must be in writing [1]. It costs a goat [1].";
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground", "correct": true }]);
    let mended = |mended: &str| {
        let llm = ScriptedLlm::replying([answer, mended].map(|reply| Ok(reply.to_owned())));
        run_with(&pipeline(steps.clone()), &kb, &llm, &NoFunctions, Cancel::default()).0.answer.unwrap()
    };
    assert_eq!(mended("The notice must be in writing [1]."), answer);
    let without_the_goat =
        "The contract may end with a notice of 30 days [1]. The notice must be in writing [1].";
    assert_eq!(mended(without_the_goat), without_the_goat);
}

#[test]
fn a_truncated_answer_is_kept_and_reported() {
    let answered = |reason: &str, said: &str| {
        let mut llm = ScriptedLlm::replying([Ok(said.to_owned())]);
        llm.finish_reason = Some(reason.into());
        let steps = json!([{ "step": "search" }, { "step": "answer" }]);
        run_with(&pipeline(steps), &library(), &llm, &NoFunctions, Cancel::default())
    };
    for reason in ["length", "content_filter"] {
        let (result, events) = answered(reason, "The notice is 30");
        let cited = Some("The notice is 30 [1]");
        assert_eq!((result.answer.as_deref(), result.answered_by), (cited, Some(By::Llm)));
        let [failure] = result.log.failures.as_slice() else { panic!("{:?}", result.log.failures) };
        assert_eq!((&*failure.code, failure.step.as_str()), ("llm_cut_off", "answer"));
        assert!(failure.message.contains(reason), "{}", failure.message);
        let stop = serde_json::to_value(&events.0.borrow()[..]).unwrap();
        let stop = stop.as_array().unwrap().iter().rfind(|event| event["type"] == "stop").unwrap();
        assert_eq!(stop["metadata"]["finishReason"], reason);
    }
    assert_eq!(answered("stop", "The notice is 30 days [1].").0.log.failures, []);
}

#[test]
fn a_truncated_correction_is_discarded() {
    let functions =
        TestFunctions::default().with("mine", |_| Ok(json!({ "answer": "It costs a goat [1]." })));
    let mine = json!({ "step": "custom", "name": "mine", "function": "mine" });
    let steps =
        json!([{ "step": "search" }, { "step": "answer" }, mine, { "step": "ground", "correct": true }]);
    let mut llm =
        ScriptedLlm::replying(["An answer.", "The notice must be in writing [1]."].map(|it| Ok(it.into())));
    llm.finish_reason = Some("length".into());
    let (result, _) = run_with(&pipeline(steps), &library(), &llm, &functions, Cancel::default());
    assert_eq!(result.answer.as_deref(), Some("It costs a goat [1]."));
    let failed: Vec<(&str, &str)> =
        result.log.failures.iter().map(|it| (&*it.code, it.step.as_str())).collect();
    assert_eq!(failed, [("llm_cut_off", "answer"), ("llm_cut_off", "ground")]);
}

#[test]
fn every_prompt_fits_a_small_model() {
    let long = |at: usize| json!({ "id": format!("{at}"), "text": format!("Notice {at}. {}", "word ".repeat(6_000)) });
    let functions = TestFunctions::default().with("find", move |_| Ok((0..3).map(long).collect()));
    let steps = json!([
        { "step": "search", "searcher": "find", "selfCorrect": true, "maxIterations": 2 },
        { "step": "rerank" }, { "step": "reason", "maxIterations": 1 }, { "step": "answer" }, { "step": "ground", "correct": true },
    ]);
    let (no, rated) = (r#"{"sufficient": false}"#, r#"{"1": 5}"#);
    let answer = format!("It is {} [1].", "wholly unknown ".repeat(400));
    let replies = [
        no,
        r#"{"query": "termination"}"#,
        no,
        rated,
        rated,
        rated,
        r#"{"sufficient": true}"#,
        &answer,
        "It is.",
    ];
    let llm = ScriptedLlm::replying(replies.map(|reply| Ok(reply.to_owned())));
    let (result, _) = run_with(&pipeline(steps), &library(), &llm, &functions, Cancel::default());
    assert_eq!((result.log.error, result.log.failures.len(), llm.replies.borrow().len()), (None, 0, 0));
    for (request, (step, _)) in llm.requests.borrow().iter().zip(llm.callers.borrow().iter()) {
        let letters: usize = request.messages.iter().map(|message| message.content.len()).sum();
        // The prompt contains the corrected answer twice.
        let most = if step == "ground" { 4_000 * 5 + 2 * answer.len() } else { 3_500 * 5 };
        assert!(letters < most, "{step}: {letters}");
    }
    assert_eq!(result.context_used[0].chunk.text.len(), 10 + 6_000 * 5, "what is used is whole");
}

#[test]
fn an_invalid_threshold_is_refused() {
    for threshold in [json!("0.2"), json!(1.5), json!(-0.1), json!([0.2])] {
        let error = changed(move |context| *context = json!({ "threshold": threshold })).log.error.unwrap();
        assert_eq!(error.code, "function_result");
        assert!(error.message.contains("`threshold` as a number from 0 to 1"), "{}", error.message);
    }
    assert_eq!(changed(|context| *context = json!({ "threshold": 1 })).request.threshold, Some(1.0));
    assert_eq!(changed(|context| *context = json!({ "threshold": null })).request.threshold, None);
}

#[test]
fn a_step_skipped_for_lack_of_time_is_not_attributed_to_the_function() {
    let functions = TestFunctions::default().with("mine", |_| Ok(json!({ "answer": "Never." })));
    let steps = json!([{ "step": "custom", "name": "mine", "function": "mine" }]);
    let mut pipeline = pipeline(steps);
    pipeline.budget.ms = Some(1e-9);
    let (context, events) = run_with(&pipeline, &library(), &NoLlm, &functions, Cancel::default());
    assert_eq!((context.answer, &*context.log.failures[0].code), (None, "budget_exhausted"));
    assert!(context.log.reasoning_trace.iter().all(|thought| thought.by == By::Rule));
    let stops = events
        .0
        .borrow()
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .find(|event| event["type"] == "stop");
    assert_eq!(stops.unwrap()["metadata"], json!({ "changed": [], "by": "rule" }));
}

#[test]
fn the_thrown_value_is_the_cause_of_the_error() {
    let message = "too many ".repeat(100);
    let thrown =
        Thrown { name: Some("QuotaError".into()), message: message.clone(), code: Some("quota".into()) };
    let functions = TestFunctions::default().with("mine", move |_| {
        let cause = Some(Box::new(thrown.clone()));
        Err(Error::FunctionFailed { what: "mine".into(), reason: "too many".into(), cause })
    });
    let pipeline = pipeline(json!([{ "step": "custom", "name": "mine", "function": "mine" }]));
    let (context, _) = run_with(&pipeline, &library(), &NoLlm, &functions, Cancel::default());
    let error = serde_json::to_value(context.log.error.unwrap()).unwrap();
    assert_eq!((&error["code"], &error["step"]), (&json!("function_failed"), &json!("mine")));
    assert_eq!(error["cause"], json!({ "name": "QuotaError", "message": message, "code": "quota" }));
}
