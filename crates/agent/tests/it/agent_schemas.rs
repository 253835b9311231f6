//! Every reply that the schema of a step allows is accepted without a second request.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use vademecum::agent::ports::{ChatRequest, Searcher};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{FunctionLlm, TestFunctions, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::{add, contracts, hashing, kb};

const QUESTION: &str = "What is the notice to end the ACME contract?";

/// A pseudo-random generator.
struct Lot(Cell<u64>);

impl Lot {
    fn below(&self, most: usize) -> usize {
        let next =
            self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.set(next);
        ((next >> 33) as usize) % most.max(1)
    }
}

/// Returns a random value that matches a schema. Texts are empty or consist of words of the question, so that their relevance
/// does not matter.
fn allowed(schema: &Value, lot: &Lot) -> Value {
    if let Some(options) = schema["enum"].as_array() {
        return options[lot.below(options.len())].clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let mut fields = Map::new();
            for (name, kind) in schema["properties"].as_object().into_iter().flatten() {
                if required.contains(&name.as_str()) || lot.below(2) == 0 {
                    fields.insert(name.clone(), allowed(kind, lot));
                }
            }
            assert!(required.iter().all(|name| fields.contains_key(*name)), "{schema}");
            Value::Object(fields)
        }
        Some("array") => {
            let most = schema["maxItems"].as_u64().map_or(3, |most| most as usize);
            (0..lot.below(most + 1)).map(|_| allowed(&schema["items"], lot)).collect()
        }
        Some("string") => ["", QUESTION, "ACME contract", "notice"][lot.below(4)].into(),
        Some("boolean") => (lot.below(2) == 0).into(),
        Some("integer") => (lot.below(40) as i64 - 10).into(),
        Some("number") => ((lot.below(300) as f64 - 100.0) / 7.0).into(),
        None => json!(["", 7, null, "ACME"])[lot.below(4)].clone(),
        Some(other) => panic!("a kind that is not drawn: {other}"),
    }
}

fn drawing(seed: u64) -> FunctionLlm {
    let lot = Lot(Cell::new(seed));
    FunctionLlm::new(move |step, request: &ChatRequest| {
        assert!(
            !request.messages.iter().any(|one| one.content.starts_with("That cannot be read")),
            "{step} asks again: {request:?}"
        );
        match &request.response_format {
            Some(form) => says(allowed(&form["json_schema"]["schema"], &lot).to_string()),
            None => says("The notice is 30 days [1]."),
        }
    })
}

/// Runs each pipeline, and returns the number of requests of every step.
fn try_all(pipelines: &[Value], library: &dyn Searcher, seed: u64) -> Vec<BTreeMap<String, usize>> {
    let mut asked = Vec::new();
    for data in pipelines {
        let mut data = data.clone();
        data["question"] = QUESTION.into();
        data["threshold"] = json!(0.0);
        let pipeline: Pipeline = serde_json::from_value(data.clone()).unwrap();
        let llm = drawing(seed);
        let (result, _) = run_with(&pipeline, library, &llm, &TestFunctions::default(), Cancel::default());
        assert!(llm.asked.borrow().iter().any(|(_, request)| request.response_format.is_some()), "{data}");
        assert_eq!(result.log.error, None, "{data}");
        assert!(
            result.log.failures.iter().all(|one| one.code != "llm_reply"),
            "{data}: {:?}",
            result.log.failures
        );
        let mut counts = BTreeMap::new();
        for (step, _) in llm.asked.borrow().iter() {
            *counts.entry(step.clone()).or_default() += 1;
        }
        asked.push(counts);
    }
    asked
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]
    #[test]
    fn a_reply_that_matches_the_schema_of_a_step_needs_no_second_call(seed in any::<u64>()) {
        let kb = kb(hashing());
        add(&kb, contracts()).unwrap();
        let history = json!([{ "question": "What about ACME?", "answer": "A contract." }]);
        let steps = [
            json!({ "step": "gate" }),
            json!({ "step": "expand" }),
            json!({ "step": "decompose" }),
            json!({ "step": "decompose", "phases": 2 }),
            json!({ "step": "select", "collections": ["default", "other"] }),
        ];
        let mut pipelines: Vec<Value> = steps.into_iter().map(|step| json!({ "steps": [step] })).collect();
        pipelines.push(json!({ "steps": [{ "step": "rewrite" }], "history": history }));
        for behind in [json!({ "step": "rerank" }), json!({ "step": "reason" })] {
            pipelines.push(json!({ "steps": [{ "step": "search" }, behind] }));
        }
        pipelines.push(json!({ "steps": [{ "step": "search", "selfCorrect": true }] }));
        let asked = try_all(&pipelines, &kb, seed);
        let steps = ["gate", "expand", "decompose", "decompose", "select", "rewrite", "rerank", "reason", "search"];
        // A step without a loop makes one request; one with a loop makes at most as many as its limit.
        let most = [1, 1, 1, 2, 1, 1, 1, 3, 5];
        for (at, (step, most)) in steps.into_iter().zip(most).enumerate() {
            let calls = asked[at].get(step).copied().unwrap_or(0);
            let least = if at < 7 { most } else { 1 };
            prop_assert!((least..=most).contains(&calls), "{} asks {} times", pipelines[at], calls);
            prop_assert_eq!(asked[at].len(), 1, "nobody else asks");
        }
    }
}

#[test]
fn a_reply_that_matches_the_schema_of_a_style_needs_no_second_call() {
    let library = corpus();
    for seed in 0..25 {
        let styles = [
            json!({ "style": { "name": "investigate", "prune": "llm" } }),
            json!({ "style": { "name": "graph" } }),
        ];
        let asked = try_all(&styles, &library, seed * 7_919);
        let times = |style: usize, step: &str| asked[style].get(step).copied().unwrap_or(0);
        assert_eq!((times(0, "decompose"), times(0, "plan"), times(1, "analyze_query")), (1, 1, 1), "{seed}");
        // At most one of these follows each tool call.
        assert!(
            times(0, "review") <= 5 && times(0, "prune") <= 4 && times(0, "compose") <= 1,
            "{seed}: {asked:?}"
        );
        assert!(times(1, "grade_results") <= 2 && times(1, "synthesize") <= 1, "{seed}: {asked:?}");
    }
}

#[test]
fn no_sub_questions_are_a_simple_question_and_take_one_call() {
    let kb = kb(hashing());
    add(&kb, contracts()).unwrap();
    let llm = FunctionLlm::new(|_, _| says("{\"reasoning\": \"one thing is asked\", \"questions\": []}"));
    let pipeline: Pipeline =
        serde_json::from_value(json!({ "question": QUESTION, "steps": [{ "step": "decompose" }] })).unwrap();
    let (result, recorder) = run_with(&pipeline, &kb, &llm, &TestFunctions::default(), Cancel::default());
    assert_eq!((llm.count("decompose"), result.sub_questions.as_slice()), (1, &[QUESTION.to_owned()][..]));
    assert!(result.log.reasoning_trace[0].text.contains("one thing is asked"));
    let events = serde_json::to_value(recorder.0.borrow().iter().collect::<Vec<_>>()).unwrap();
    let stop = events.as_array().unwrap().iter().find(|event| event["type"] == "stop").unwrap();
    assert_eq!(stop["metadata"]["reasoning"], "one thing is asked");
    assert_eq!(stop["metadata"]["subQuestions"], json!([QUESTION]));
}
