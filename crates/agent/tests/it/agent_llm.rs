//! LLM calls: the form of requests, retries, repairs and the budget.

use futures_util::future::{LocalBoxFuture, join_all};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use vademecum::agent::context::{By, Context, Request, TerminatedBy, Thought};
use vademecum::agent::llm_call::{Prompt, Question, StepOverrides};
use vademecum::agent::outcome::{StepOutcome, StepResult};
use vademecum::agent::ports::{Caller, ChatRequest, Llm};
use vademecum::agent::reply::{Completion, FunctionCall, TokenUsage, json as reply};
use vademecum::agent::run::{KnownLlm, Notes, Run, Step};
use vademecum::agent::step_id::StepId;
use vademecum::agent::styles::{Listed, SearchOverrides};
use vademecum::agent::{budget::Account, budget::Budget, budget::Limit, capability::Capability};
use vademecum::agent::{event::Event, library::Library, steps::Answer, steps::Search};
use vademecum::{Error, Result, cancel::Cancel, platform::Platform};
use vademecum_testing::agent::{Recorder, TestFunctions};
use vademecum_testing::{add, block_on, contracts, hashing, kb, turn};

/// A clock that advances only by waiting.
#[derive(Default)]
struct Clock(Cell<f64>);

impl Platform for Clock {
    fn now(&self) -> f64 {
        self.0.get()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(turn())
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        self.0.set(self.0.get() + milliseconds);
        Box::pin(turn())
    }
}

/// The behaviour of a model when called.
enum Does {
    Says(&'static str),
    Calls(&'static str),
    Fails(u16, Option<u64>),
    Hangs,
}

#[derive(Default)]
struct Model {
    script: RefCell<VecDeque<Does>>,
    requests: RefCell<Vec<ChatRequest>>,
    /// The number of concurrent calls, and its maximum.
    under_way: Cell<(usize, usize)>,
}

fn model(script: impl IntoIterator<Item = Does>) -> Model {
    Model { script: RefCell::new(script.into_iter().collect()), ..Model::default() }
}

impl Llm for Model {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        _: Caller<'a>,
        request: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.requests.borrow_mut().push(request.clone());
        let next = self.script.borrow_mut().pop_front().expect("one more reply in the script");
        Box::pin(async move {
            let (calls, most) = self.under_way.get();
            self.under_way.set((calls + 1, most.max(calls + 1)));
            turn().await;
            let (calls, most) = self.under_way.get();
            self.under_way.set((calls - 1, most));
            match next {
                Does::Says(text) => Ok(Completion { content: text.into(), ..Completion::default() }),
                Does::Calls(arguments) => {
                    let call = FunctionCall {
                        name: "word".into(),
                        arguments: arguments.into(),
                        ..FunctionCall::default()
                    };
                    Ok(Completion { tool_calls: vec![call], ..Completion::default() })
                }
                Does::Fails(status, retry_after_ms) => {
                    Err(Error::LlmHttp { status, retry_after_ms, detail: String::new(), advice: "" })
                }
                Does::Hangs => std::future::pending().await,
            }
        })
    }
}

/// A step that requests one word.
#[derive(Default)]
struct Word(StepOverrides);

impl Step for Word {
    fn id(&self) -> &StepId {
        &StepId::Own(Cow::Borrowed("word"))
    }

    fn describe(&self, _: &Context) -> Value {
        json!({})
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let (word, by) = word(run, &self.0).await?;
            run.think(Thought { step: "word".into(), by, text: word.clone() });
            context.custom.insert("word".into(), word.into());
            Ok(StepOutcome::new(by, StepResult::Custom { changed: vec!["word".into()] }))
        })
    }
}

async fn word(run: &Run<'_>, own: &StepOverrides) -> Result<(String, By)> {
    let prompt = Prompt {
        template: "# system\nLike this:\n{\"word\": \"no\"}\n\n# user\nSay {{what}}.",
        values: vec![("what", "yes".into())],
        inputs: json!({ "what": "yes" }),
    };
    let read = |value: &Value| reply::field(value, &["word", "answer"]).and_then(reply::text);
    let schema = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
    let question = Question { prompt, schema, read: &read, fallback: "the rule's word" };
    run.decide(&"word".into(), own, question, || "rule".to_owned()).await
}

/// A step that makes several concurrent requests.
struct Words(usize);

impl Step for Words {
    fn id(&self) -> &StepId {
        &StepId::Own(Cow::Borrowed("words"))
    }

    fn describe(&self, _: &Context) -> Value {
        json!({})
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let own = StepOverrides::default();
            let words = join_all((0..self.0).map(|_| word(run, &own))).await;
            let words = words.into_iter().map(|word| Ok(word?.0)).collect::<Result<Vec<_>>>()?;
            context.custom.insert("words".into(), words.into());
            Ok(StepOutcome::new(By::Llm, StepResult::Custom { changed: vec!["words".into()] }))
        })
    }
}

struct Outcome {
    context: Context,
    events: Recorder,
    waited: f64,
}

impl Outcome {
    fn word(&self) -> &str {
        self.context.custom["word"].as_str().unwrap()
    }
}

fn run(steps: &[&dyn Step], llm: &dyn Llm, budget: Budget, capability: Option<Capability>) -> Outcome {
    let kb = kb(hashing());
    add(&kb, contracts()).unwrap();
    let (clock, events) = (Clock::default(), Recorder::default());
    let functions = TestFunctions::default()
        .with("mine", |inputs| Ok(json!(format!("My own prompt for {}", inputs["what"]))))
        .with("not a text", |_| Ok(json!({ "prompt": 1 })));
    let run = Run {
        llm,
        searcher: Library::sendable(&kb),
        functions: &functions,
        observer: &events,
        platform: &clock,
        cancel: Cancel::default(),
        model: None,
        concurrency: 4,
        strict: false,
        history_tokens: 1_500,
        max_reply_bytes: 1 << 20,
        tools: &[],
        search_overrides: SearchOverrides::default(),
        keep: &|_| None,
        checkpoints: false,
        account: Account::new(budget),
        llms: RefCell::new([(None, KnownLlm { capability, ..KnownLlm::default() })].into()),
        notes: Notes::default(),
        fence: 0,
        started: 0.0,
        step_started: Cell::new(0.0),
    };
    let question = "What is the notice to end the contract?".into();
    let request = Request { question, limit: 5, threshold: Some(0.0), ..Request::default() };
    let context = Context { request, ..Context::default() };
    let context = block_on(run.take(&Listed(steps.to_vec()), context));
    drop(run);
    let done = events.0.borrow().iter().filter(|event| matches!(event, Event::Done { .. })).count();
    assert_eq!(done, 1, "exactly one terminal event");
    Outcome { context, waited: clock.now(), events }
}

fn ask(script: impl IntoIterator<Item = Does>, capability: Option<Capability>) -> (Outcome, Model) {
    let model = model(script);
    (run(&[&Word::default()], &model, Budget::default(), capability), model)
}

#[test]
fn an_unreadable_reply_is_requested_once_more_with_an_example() {
    let (outcome, model) =
        ask([Does::Says("Of course! It is yes."), Does::Says("```json\n{\"Word\": \"yes\",}\n```")], None);
    assert_eq!(outcome.word(), "yes");
    assert_eq!(outcome.context.log.failures, []);
    let requests = model.requests.borrow();
    let said: Vec<&str> = requests[1].messages.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(said[2], "Of course! It is yes.");
    assert!(said[3].contains("\"word\""), "{}", said[3]);
}

#[test]
fn a_second_unreadable_reply_falls_back_and_is_reported() {
    let (outcome, model) = ask([Does::Says("no"), Does::Says("{\"unrelated\": 1}")], None);
    assert_eq!((outcome.word(), model.requests.borrow().len()), ("rule", 2));
    assert_eq!(outcome.context.log.failures[0].code, "llm_reply");
    assert_eq!(outcome.events.shape(), ["start word", "failed word", "stop word", "done"]);
    assert_eq!(outcome.context.log.reasoning_trace.last().unwrap().by, By::Rule);
    assert_eq!(outcome.context.log.error, None);
}

#[test]
fn a_refused_schema_is_followed_by_json_then_text_and_remembered() {
    let refused = || Does::Fails(400, None);
    let yes = || Does::Says("{\"word\": \"yes\"}");
    let model = model([refused(), refused(), yes(), yes()]);
    let outcome = run(&[&Word::default(), &Word::default()], &model, Budget::default(), None);
    let formats: Vec<Option<String>> = model
        .requests
        .borrow()
        .iter()
        .map(|request| Some(request.response_format.as_ref()?["type"].as_str()?.to_owned()))
        .collect();
    assert_eq!(formats, [Some("json_schema".into()), Some("json_object".into()), None, None]);
    assert_eq!(outcome.context.log.capability, Some(Capability::Text));
    assert_eq!(outcome.context.log.usage.llm_calls, 4);
}

#[test]
fn one_of_several_concurrent_calls_probes_the_endpoint() {
    let (refused, yes) = (|| Does::Fails(400, None), || Does::Says("{\"word\": \"yes\"}"));
    let model = model([refused(), refused(), yes(), yes(), yes()]);
    let outcome = run(&[&Words(3)], &model, Budget::default(), None);
    assert_eq!(outcome.context.custom["words"], json!(["yes", "yes", "yes"]));
    let forms = model.requests.borrow().iter().filter(|request| request.has_form()).count();
    assert_eq!((forms, outcome.context.log.usage.llm_calls), (2, 5));
    assert_eq!(model.under_way.get().1, 2, "once it is known, the others are asked side by side");
}

#[test]
fn no_concurrent_call_is_made_once_the_server_counts_as_down() {
    let model = model((0..9).map(|_| Does::Fails(503, None)));
    let outcome = run(&[&Words(5)], &model, Budget::default(), None);
    assert_eq!(outcome.context.custom["words"], json!(["rule", "rule", "rule", "rule", "rule"]));
    assert_eq!((model.requests.borrow().len(), outcome.context.log.failures.len()), (9, 5));
}

#[test]
fn a_form_refused_with_404_does_not_mark_the_llm_as_down() {
    let (missing, yes) = (|| Does::Fails(404, None), || Does::Says("{\"word\": \"yes\"}"));
    let script = model([missing(), missing(), yes(), yes()]);
    let outcome = run(&[&Word::default(), &Word::default()], &script, Budget::default(), None);
    let said: Vec<_> =
        outcome.context.log.reasoning_trace.iter().map(|it| (it.by, it.text.as_str())).collect();
    assert_eq!(said, [(By::Llm, "yes"), (By::Llm, "yes")]);
    let script = model([missing(), missing(), missing()]);
    let outcome = run(&[&Word::default(), &Word::default()], &script, Budget::default(), None);
    assert_eq!((outcome.word(), outcome.context.log.failures.len()), ("rule", 1), "404 in every form");
}

#[test]
fn a_server_is_not_called_a_fourth_time_after_three_failures() {
    let model = model((0..9).map(|_| Does::Fails(503, None)));
    let word = Word::default();
    let outcome = run(&[&word, &word, &word, &word, &word], &model, Budget::default(), None);
    assert_eq!(
        (outcome.context.log.failures.len(), outcome.waited),
        (3, 4_500.0),
        "three calls, with two retries each"
    );
    let given_up =
        outcome.context.log.reasoning_trace.iter().filter(|it| it.text.contains("not called again"));
    assert_eq!(given_up.count(), 1);
}

#[test]
fn a_stated_capability_is_used_at_once() {
    let (outcome, model) = ask([Does::Calls("{\"word\": \"yes\"}")], Some(Capability::Tools));
    assert_eq!(outcome.word(), "yes");
    let requests = model.requests.borrow();
    assert_eq!(requests[0].tools.as_ref().unwrap()[0]["function"]["name"], "word");
    assert_eq!(requests[0].tool_choice.as_ref().unwrap()["function"]["name"], "word");
    assert_eq!(requests[0].response_format, None);
}

#[test]
fn a_busy_endpoint_is_retried_after_its_delay() {
    let (outcome, model) =
        ask([Does::Fails(429, Some(2_000)), Does::Fails(503, None), Does::Says("{\"word\": \"yes\"}")], None);
    assert_eq!((outcome.word(), model.requests.borrow().len()), ("yes", 3));
    assert_eq!(outcome.waited, 3_000.0, "two seconds as told, then one as twice the half second");
    assert_eq!(outcome.context.log.usage.llm_calls, 3);
}

#[test]
fn an_endpoint_that_stays_busy_or_requests_a_long_delay_is_not_retried() {
    let (outcome, model) =
        ask([Does::Fails(500, None), Does::Fails(500, None), Does::Fails(500, None)], None);
    assert_eq!((outcome.word(), model.requests.borrow().len()), ("rule", 3));
    assert_eq!(
        (&*outcome.context.log.failures[0].code, outcome.context.log.failures[0].retryable),
        ("llm_http", true)
    );
    let (outcome, model) = ask([Does::Fails(429, Some(600_000))], None);
    assert_eq!((outcome.word(), model.requests.borrow().len(), outcome.waited), ("rule", 1, 0.0));
}

#[test]
fn a_wrong_key_is_not_retried() {
    let (outcome, model) = ask([Does::Fails(401, None)], None);
    assert_eq!((outcome.word(), model.requests.borrow().len()), ("rule", 1));
}

#[test]
fn the_last_call_of_the_budget_is_kept_for_the_answer() {
    let model = model([Does::Says("Thirty days [1].")]);
    let budget = Budget { llm_calls: Some(1), ..Budget::default() };
    let outcome = run(&[&Word::default(), &Search::default(), &Answer::default()], &model, budget, None);
    assert_eq!((outcome.word(), outcome.context.answered_by), ("rule", Some(By::Llm)));
    assert_eq!(outcome.context.answer.as_deref(), Some("Thirty days [1]."));
    assert_eq!(outcome.context.log.terminated_by, TerminatedBy::Budget);
    assert_eq!(outcome.context.log.budget_exhausted, Some(Limit::LlmCalls));
    assert_eq!(outcome.context.log.failures[0].code, "budget_exhausted");
}

#[test]
fn without_tokens_for_the_prompt_the_answer_is_quoted() {
    let budget = Budget { tokens: Some(20), ..Budget::default() };
    let outcome = run(&[&Search::default(), &Answer::default()], &model([]), budget, None);
    assert!(outcome.context.answer.unwrap().contains("30 days"));
    assert_eq!(outcome.context.answered_by, Some(By::Rule));
    assert_eq!(outcome.context.log.budget_exhausted, Some(Limit::Tokens));
}

#[test]
fn a_silent_model_costs_only_the_time_of_the_budget() {
    let budget = Budget { ms: Some(1_000.0), ..Budget::default() };
    let model = model([Does::Hangs, Does::Hangs]);
    let outcome = run(&[&Word::default(), &Search::default(), &Answer::default()], &model, budget, None);
    assert_eq!(outcome.waited, 1_000.0, "three quarters for the word, the rest for the answer");
    assert_eq!((outcome.word(), outcome.context.answered_by), ("rule", Some(By::Rule)));
    assert!(outcome.context.answer.unwrap().contains("30 days"));
    assert_eq!(outcome.context.log.terminated_by, TerminatedBy::Budget);
}

#[test]
fn without_searches_left_the_answer_says_that_no_search_was_made() {
    let budget = Budget { tool_calls: Some(0), ..Budget::default() };
    let outcome = run(&[&Search::default(), &Answer::default()], &model([]), budget, None);
    let said = "The documents were not searched for this: no search could be made.";
    assert_eq!(outcome.context.answer.as_deref(), Some(said));
    assert_eq!(outcome.context.log.budget_exhausted, Some(Limit::ToolCalls));
}

#[test]
fn a_prompt_of_the_callers_own_is_what_is_sent() {
    let model = model([Does::Says("{\"word\": \"mine\"}")]);
    let step = Word(StepOverrides { prompt: Some("mine".into()), llm: None });
    let outcome = run(&[&step], &model, Budget::default(), None);
    assert_eq!(outcome.word(), "mine");
    let requests = model.requests.borrow();
    assert_eq!(requests[0].messages.len(), 1);
    assert_eq!(requests[0].messages[0].content, "My own prompt for \"yes\"");
}

#[test]
fn a_prompt_that_is_no_text_is_reported_and_the_step_continues() {
    let step = Word(StepOverrides { prompt: Some("not a text".into()), llm: None });
    let outcome = run(&[&step], &model([]), Budget::default(), None);
    assert_eq!((outcome.word(), &*outcome.context.log.failures[0].code), ("rule", "function_result"));
}

#[test]
fn every_call_is_in_the_audit_log() {
    let model = model([Does::Says("{\"word\": \"yes\"}"), Does::Fails(401, None)]);
    let outcome =
        run(&[&Word::default(), &Search::default(), &Answer::default()], &model, Budget::default(), None);
    let calls = &outcome.context.log.tool_calls;
    let code = |at: usize| calls[at].error.as_ref().map(|error| &*error.code);
    let call = |at: usize| (calls[at].step.as_str(), &*calls[at].tool, code(at));
    assert_eq!(
        [call(0), call(1), call(2)],
        [("word", "llm", None), ("search", "search", None), ("answer", "llm", Some("llm_http"))]
    );
    assert_eq!(calls[0].result["content"], "{\"word\": \"yes\"}");
    assert!(calls.len() == 3 && calls[1].result["chunks"][0].is_string());
}

#[test]
fn an_llm_that_rejects_all_requests_is_called_once() {
    let model = model([Does::Fails(401, None)]);
    let steps: [&dyn Step; 4] = [&Word::default(), &Word::default(), &Search::default(), &Answer::default()];
    let outcome = run(&steps, &model, Budget::default(), None);
    assert_eq!((model.requests.borrow().len(), outcome.context.log.failures.len()), (1, 1));
    assert_eq!(outcome.context.answered_by, Some(By::Rule));
    assert!(
        outcome.context.log.reasoning_trace.iter().any(|thought| thought.text.contains("not called again"))
    );
}

#[test]
fn implausible_token_counts_are_replaced_by_estimates() {
    let usage = TokenUsage { prompt_tokens: usize::MAX, completion_tokens: usize::MAX };
    let account = Account::new(Budget { tokens: Some(1_000), ..Budget::default() });
    account.book_llm_call(10, 0.0).unwrap();
    account.count_tokens(10, usage.prompt_tokens, usage.completion_tokens, false);
    account.count_tokens(0, usage.prompt_tokens, usage.completion_tokens, false);
    assert_eq!(account.book_llm_call(1, 0.0).unwrap_err().code(), "budget_exhausted");
    let llm = Telling { usage };
    let outcome = run(&[&Word::default()], &llm, Budget::default(), None);
    assert!(outcome.context.log.usage.estimated && outcome.context.log.usage.prompt_tokens < 1_000);
}

#[test]
fn zero_and_implausible_counts_are_estimated_on_either_side() {
    const MOST: usize = u32::MAX as usize;
    for (prompt_tokens, completion_tokens) in [(0, 0), (50, 0), (0, 5), (50, MOST), (MOST, 5)] {
        let llm = Telling { usage: TokenUsage { prompt_tokens, completion_tokens } };
        let usage = run(&[&Word::default()], &llm, Budget::default(), None).context.log.usage;
        assert!(usage.estimated && (1..1_000).contains(&usage.prompt_tokens), "{usage:?}");
        assert!((1..1_000).contains(&usage.completion_tokens), "{usage:?}");
    }
    // A model with hidden reasoning reports more tokens than it returns.
    let llm = Telling { usage: TokenUsage { prompt_tokens: 50, completion_tokens: 30_000 } };
    let usage = run(&[&Word::default()], &llm, Budget::default(), None).context.log.usage;
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.estimated), (50, 30_000, false));
}

#[test]
fn pending_prompts_count_before_their_replies_arrive() {
    let account = Account::new(Budget { tokens: Some(100), ..Budget::default() });
    account.book_llm_call(60, 0.0).unwrap();
    assert!(account.book_llm_call(60, 0.0).is_err(), "the first has not been answered");
    account.count_tokens(60, 10, 10, false);
    account.book_llm_call(60, 0.0).unwrap();
}

#[test]
fn a_busy_endpoint_is_not_retried_without_calls_left() {
    let budget = Budget { llm_calls: Some(1), ..Budget::default() };
    let outcome = run(&[&Word::default()], &model([Does::Fails(429, Some(5_000))]), budget, None);
    assert_eq!((outcome.waited, &*outcome.context.log.failures[0].code), (0.0, "llm_http"));
}

/// Always replies yes, and reports the given usage.
struct Telling {
    usage: TokenUsage,
}

impl Llm for Telling {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        _: Caller<'a>,
        _: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let reply = Completion {
            content: "{\"word\": \"yes\"}".into(),
            usage: Some(self.usage),
            ..Completion::default()
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
}
