//! Options of LLM calls: prompts and models of single steps, strictness, a budget, and the length of passages in a call.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::RefCell;
use vademecum::agent::context::{By, Context, TerminatedBy};
use vademecum::agent::ports::{Caller, ChatRequest, Llm};
use vademecum::agent::reply::Completion;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, library, pipeline, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::{ask, last, spec};

const QUESTION: &str = "What does the ACME supply contract say of termination?";

/// Gives usable replies to every step, and records the step, the name of its model and the prompt.
#[derive(Default)]
struct Working(RefCell<Vec<(String, Option<String>, String)>>);

fn working(step: &str) -> String {
    match step {
        "decompose" => json!({ "reasoning": "", "collections": ["contracts"], "intent": "qa" }),
        "plan" => json!({ "filters": [], "searchStrategy": "hybrid", "subqueries": ["termination"] }),
        "analyze_query" => json!({ "intent": "qa", "concepts": [], "calls": [{ "tool": "vector_search", "args": { "query": "termination notice" } }] }),
        "prune" => json!({ "irrelevant": [] }),
        "grade_results" => json!({ "status": "enough", "reason": "there" }),
        "compose" | "synthesize" | "answer" => return "It may be ended [1].".into(),
        _ => Value::Null,
    }
    .to_string()
}

impl Llm for Working {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let mut asked = self.0.borrow_mut();
        let reviews = asked.iter().filter(|(step, ..)| step == "review").count();
        asked.push((caller.step.into(), caller.llm.map(str::to_owned), last(request).to_owned()));
        let reply = match (caller.step, reviews) {
            ("review", 0) => json!({ "status": "more", "reason": "look", "nextToolCall": { "tool": "search_text", "args": { "query": "termination" } } }).to_string(),
            ("review", _) => json!({ "status": "enough", "reason": "there" }).to_string(),
            (step, _) => working(step),
        };
        Box::pin(std::future::ready(says(reply)))
    }
}

fn told(step: &'static str) -> impl Fn(&Value) -> Result<Value> {
    move |inputs| {
        assert_eq!(inputs["question"], QUESTION, "{step}");
        Ok(json!(format!("my own words for {step}")))
    }
}

#[test]
fn every_step_of_a_style_may_have_its_own_prompt_and_model() {
    for (style, steps) in [
        ("investigate", &["decompose", "plan", "review", "prune", "compose"][..]),
        ("graph", &["analyze_query", "grade_results", "synthesize"][..]),
    ] {
        for own in steps {
            let mut data = json!({ "name": style, "llm": "style.llm", "steps": { *own: { "prompt": "own.prompt", "llm": "own.llm" } } });
            if *own == "prune" {
                data["prune"] = "llm".into();
            }
            let functions = TestFunctions::default().with("own.prompt", told(own));
            let llm = Working::default();
            let (result, _) =
                run_with(&spec(data, QUESTION, json!({})), &corpus(), &llm, &functions, Cancel::default());
            assert_eq!(result.log.error, None, "{style} {own}");
            assert_eq!(result.answered_by, Some(By::Llm), "{style} {own}: {:?}", result.log.failures);
            let asked = llm.0.borrow();
            assert!(asked.iter().any(|(step, ..)| step == own), "{own} asks");
            for (step, named, prompt) in asked.iter() {
                let is_own = step == own;
                assert_eq!(named.as_deref(), Some(if is_own { "own.llm" } else { "style.llm" }), "{step}");
                assert_eq!(prompt == &format!("my own words for {own}"), is_own, "{step}: {prompt}");
            }
        }
        let unknown = spec(json!({ "name": style, "steps": { "summon": {} } }), QUESTION, json!({}));
        let error = unknown.check().unwrap_err().to_string();
        assert!(error.contains("`summon`") && error.contains(steps[0]), "{error}");
    }
}

fn failing(error: fn() -> Error) -> FunctionLlm {
    FunctionLlm::new(move |_, _| Err(error()))
}

#[test]
fn strict_turns_a_failure_of_the_model_into_an_error_of_the_run() {
    let steps: Vec<Value> = ["gate", "rewrite", "expand", "decompose"]
        .into_iter()
        .map(|step| json!([{ "step": step }]))
        .collect();
    let behind = [json!({ "step": "answer" }), json!({ "step": "rerank" }), json!({ "step": "reason" })];
    let behind = behind.into_iter().map(|step| json!([{ "step": "search" }, step]));
    let again = json!([{ "step": "search", "selfCorrect": true }]);
    type Broken = (fn() -> Error, &'static str);
    let broken: [Broken; 2] = [
        (|| Error::LlmFailed { reason: "gone".into() }, "llm_failed"),
        (|| Error::LlmReply { expected: "JSON", got: "prose".into() }, "llm_reply"),
    ];
    for steps in steps.into_iter().chain(behind).chain([again]) {
        for (error, code) in broken {
            let run = |strict: bool| {
                let pipeline = pipeline(json!({ "steps": steps, "strict": strict }));
                run_with(&pipeline, &library(), &failing(error), &TestFunctions::default(), Cancel::default())
                    .0
            };
            let strict = run(true);
            assert_eq!(
                strict.log.error.map(|error| error.code.into_owned()),
                Some(code.to_owned()),
                "{steps}"
            );
            assert_eq!(strict.log.terminated_by, TerminatedBy::Error, "{steps}");
            assert_eq!(run(false).log.error, None, "{steps}");
        }
    }
    for style in ["react", "investigate", "graph"] {
        let spec = spec(json!({ "name": style }), QUESTION, json!({ "strict": true }));
        let (result, _) =
            run_with(&spec, &corpus(), &failing(broken[0].0), &TestFunctions::default(), Cancel::default());
        assert_eq!(
            result.log.error.map(|error| error.code.into_owned()).as_deref(),
            Some("llm_failed"),
            "{style}"
        );
    }
    // A request denied by the caller and an exhausted budget are no failures of the model.
    let denied = failing(|| Error::SendDenied { reason: "no".into(), cause: None });
    let spec = pipeline(json!({ "steps": [{ "step": "search" }, { "step": "answer" }], "strict": true }));
    let (result, _) = run_with(&spec, &library(), &denied, &TestFunctions::default(), Cancel::default());
    assert_eq!((result.log.error, result.answered_by), (None, Some(By::Rule)));
}

fn asked_within(budget: Value, steps: Value) -> (Context, Vec<String>) {
    let llm = FunctionLlm::new(|step, _| match step {
        "gate" => says("{\"reason\": \"\", \"search\": true}"),
        "expand" => says("{\"terms\": []}"),
        "decompose" => says("{\"reasoning\": \"\", \"questions\": []}"),
        "rerank" => says("{\"scores\": []}"),
        "reason" => says("{\"sufficient\": true}"),
        _ => says("30 days [1]."),
    });
    let pipeline: Pipeline = pipeline(json!({ "budget": budget, "steps": steps }));
    let (result, _) = run_with(&pipeline, &library(), &llm, &TestFunctions::default(), Cancel::default());
    let asked = llm.asked.borrow().iter().map(|(step, _)| step.clone()).collect();
    (result, asked)
}

#[test]
fn calls_beyond_the_budget_are_given_up_in_order_before_the_run_begins() {
    let steps = ["gate", "expand", "decompose", "search", "rerank", "reason", "answer"];
    let steps: Value = steps.into_iter().map(|step| json!({ "step": step })).collect();
    let asked = |calls: usize| asked_within(json!({ "llmCalls": calls }), steps.clone());
    for (calls, expected) in [
        (1, &["answer"][..]),
        (2, &["decompose", "answer"]),
        (3, &["decompose", "reason", "answer"]),
        (4, &["gate", "decompose", "reason", "answer"]),
        (5, &["gate", "expand", "decompose", "reason", "answer"]),
        (20, &["gate", "expand", "decompose", "rerank", "reason", "answer"]),
    ] {
        let (result, asked) = asked(calls);
        assert_eq!(asked, expected, "{calls}");
        assert_eq!(result.answered_by, Some(By::Llm), "{calls}");
        let plan: Vec<(&str, bool)> =
            result.log.budget_plan.iter().map(|one| (one.step.as_str(), one.planned > 0)).collect();
        assert_eq!(
            plan.iter().filter(|(_, asks)| *asks).map(|(step, _)| *step).collect::<Vec<_>>(),
            expected,
            "{calls}"
        );
        assert!(result.log.failures.is_empty(), "what is planned does not fail: {:?}", result.log.failures);
        let fits = calls == 20;
        assert_eq!(result.log.terminated_by == TerminatedBy::Completed, fits, "{calls}");
    }
    // So few tokens only allow the answer, with fewer passages.
    let (result, asked) = asked_within(json!({ "tokens": 900 }), steps.clone());
    assert_eq!(
        (asked, result.answered_by),
        (vec!["answer".to_owned()], Some(By::Llm)),
        "{:?}",
        result.log.failures
    );
    assert!(asked_within(json!({ "ms": 60_000 }), steps).0.log.budget_plan.is_empty(), "time is not planned");
}

#[test]
fn a_loop_makes_as_many_calls_as_its_budget_allows_and_always_answers() {
    for calls in 1..=5 {
        let llm = Working::default();
        let more = json!({ "budget": { "llmCalls": calls } });
        let pipeline = spec(json!({ "name": "investigate" }), QUESTION, more);
        let (result, _) = run_with(&pipeline, &corpus(), &llm, &TestFunctions::default(), Cancel::default());
        let asked: Vec<String> = llm.0.borrow().iter().map(|(step, ..)| step.clone()).collect();
        assert_eq!(asked.len(), calls, "{asked:?}");
        assert_eq!(asked.last().map(String::as_str), Some("compose"), "{asked:?}");
        assert_eq!(result.answered_by, Some(By::Llm));
        assert_eq!(asked.contains(&"plan".to_owned()), calls > 1, "{asked:?}");
    }
}

#[test]
fn each_call_shows_the_requested_length_of_passages_around_its_query() {
    let filler = "Nothing of interest stands in this sentence at all. ".repeat(30);
    let kb = vademecum_testing::kb(None);
    let text = format!("{filler}The flux capacitor needs service every spring. {filler}");
    vademecum_testing::add(&kb, vec![vademecum::document::Document::new("long", &text)]).unwrap();
    for (args, tool, most) in [
        (json!({ "query": "flux capacitor service" }), "search_text", 400),
        (json!({ "query": "flux capacitor service" }), "search_semantic", 500),
        (json!({ "query": "flux capacitor service", "context_chars": 120 }), "search_text", 120),
    ] {
        let llm = FunctionLlm::new(move |step, request| match step {
            "decompose" => says("{\"collections\": [\"default\"], \"intent\": \"qa\"}"),
            "plan" => says("{\"filters\": [], \"searchStrategy\": \"hybrid\", \"subqueries\": []}"),
            "review" if last(request).contains("Searches so far:\nnone") => says(
                json!({ "status": "more", "reason": "r", "nextToolCall": { "tool": tool, "args": args } })
                    .to_string(),
            ),
            "review" => says("{\"status\": \"enough\", \"reason\": \"r\"}"),
            _ => says("Every spring [long]."),
        });
        let pipeline = spec(json!({ "name": "investigate" }), "When is service due?", json!({}));
        run_with(&pipeline, &kb, &llm, &TestFunctions::default(), Cancel::default());
        let asked = llm.asked.borrow();
        let review = last(&asked.iter().rfind(|(step, _)| step == "review").unwrap().1);
        let shown = review.split("===\n[long]").nth(1).unwrap().split("\n===").next().unwrap();
        let (_, passage) = shown.split_once('\n').unwrap();
        assert!(passage.contains("flux capacitor needs service"), "{tool}: {passage}");
        assert!((most / 2..=most + 4).contains(&passage.chars().count()), "{tool} {most}: {passage}");
    }
}

#[test]
fn a_custom_searcher_receives_the_threshold_as_written() {
    let functions = TestFunctions::default().with("mine", |input| {
        assert_eq!(input["threshold"].to_string(), "0.3");
        Ok(json!([]))
    });
    let pipeline = pipeline(json!({ "threshold": 0.3, "steps": [{ "step": "search", "searcher": "mine" }] }));
    let (result, _) = run_with(&pipeline, &library(), &NoLlm, &functions, Cancel::default());
    assert_eq!(result.log.error, None);
    assert_eq!(serde_json::to_value(&result).unwrap()["threshold"].to_string(), "0.3");
}

#[test]
fn the_reasons_of_a_router_are_kept() {
    let llm = FunctionLlm::new(|step, _| match step {
        "decompose" => {
            says("{\"reasoning\": \"contracts end\", \"collections\": [\"contracts\"], \"intent\": \"qa\"}")
        }
        "plan" => says("{\"filters\": [], \"searchStrategy\": \"hybrid\", \"subqueries\": []}"),
        "review" => says("{\"status\": \"enough\", \"reason\": \"r\"}"),
        _ => says("Yes."),
    });
    let (result, _) = ask(json!({ "name": "investigate" }), QUESTION, &llm);
    assert!(
        result.log.reasoning_trace[0].text.contains("contracts end"),
        "{:?}",
        result.log.reasoning_trace[0]
    );
}
