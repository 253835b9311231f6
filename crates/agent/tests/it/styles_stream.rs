//! The react style streams its answer, but no text that turns out to be a tool call.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::RefCell;
use vademecum::agent::context::Context;
use vademecum::agent::event::Event;
use vademecum::agent::ports::{Caller, ChatRequest, Llm, Role};
use vademecum::agent::reply::{Assembler, Completion, FunctionCall, Part};
use vademecum::cancel::Cancel;
use vademecum::error::Result;
use vademecum_testing::agent::{Recorder, TestFunctions};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::spec;
use vademecum_testing::turn as yielded;

const QUESTION: &str = "What is the notice period of the ACME support contract?";

/// A part of a stream, as sent by an endpoint.
fn delta(delta: Value) -> Part {
    Part::Bytes(format!("data: {}\n\n", json!({ "choices": [{ "delta": delta }] })).into_bytes())
}

fn text(content: &str) -> Vec<Part> {
    content.split_inclusive(' ').map(|piece| delta(json!({ "content": piece }))).collect()
}

/// A tool call whose arguments arrive a few characters at a time.
fn call(name: &str, arguments: Value) -> Vec<Part> {
    let named = json!({ "index": 0, "id": "c1", "function": { "name": name, "arguments": "" } });
    let letters: Vec<char> = arguments.to_string().chars().collect();
    let more = |piece: &[char]| {
        let piece: String = piece.iter().collect();
        delta(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": piece } }] }))
    };
    [delta(json!({ "tool_calls": [named] }))].into_iter().chain(letters.chunks(5).map(more)).collect()
}

/// A complete reply.
fn whole(message: Value) -> Vec<Part> {
    vec![Part::Bytes(json!({ "choices": [{ "message": message }] }).to_string().into_bytes())]
}

/// An endpoint that sends these turns part by part, and records how many tokens were emitted before each part.
struct Streaming<'a> {
    turns: Vec<Vec<Part>>,
    requests: RefCell<Vec<ChatRequest>>,
    recorder: &'a Recorder,
    tokens_before: RefCell<Vec<usize>>,
}

impl Llm for Streaming<'_> {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        self.complete_with_calls(caller, request, on_token, &|_| {})
    }

    fn complete_with_calls<'a>(
        &'a self,
        _: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
        on_call: &'a dyn Fn(&FunctionCall),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let turn = self.requests.borrow().len();
        self.requests.borrow_mut().push(request.clone());
        Box::pin(async move {
            let mut assembler = Assembler::default();
            for part in self.turns[turn.min(self.turns.len() - 1)].clone() {
                self.tokens_before.borrow_mut().push(tokens(self.recorder).len());
                yielded().await;
                let text = assembler.take(part)?;
                assembler.first_call().into_iter().for_each(on_call);
                if !text.is_empty() {
                    on_token(&text);
                }
            }
            let (completion, rest) = assembler.finish()?;
            completion.tool_calls.first().into_iter().for_each(on_call);
            on_token(&rest);
            Ok(completion)
        })
    }
}

fn tokens(recorder: &Recorder) -> Vec<String> {
    let events = recorder.0.borrow();
    events
        .iter()
        .filter_map(|event| if let Event::Token { text, .. } = event { Some(text.clone()) } else { None })
        .collect()
}

/// Returns the tokens that remain valid: a recovered failure invalidates those before it.
fn standing(recorder: &Recorder) -> String {
    recorder.0.borrow().iter().fold(String::new(), |said, event| match event {
        Event::Token { text, .. } => said + text,
        Event::Failed { fallback: Some(_), .. } => String::new(),
        _ => said,
    })
}

struct Asked {
    result: Context,
    tokens: Vec<String>,
    standing: String,
    requests: Vec<ChatRequest>,
    /// The largest number of tokens emitted before the last part.
    early: usize,
}

fn asked(turns: Vec<Vec<Part>>) -> Asked {
    asked_with(turns, json!({}))
}

/// Works as [`asked`], with more options and a custom tool `weather`.
fn asked_with(turns: Vec<Vec<Part>>, more: Value) -> Asked {
    let recorder = Recorder::default();
    let pipeline = spec(json!({ "name": "react", "maxIterations": 4 }), QUESTION, more);
    let kb = corpus();
    let llm = Streaming {
        turns,
        requests: RefCell::default(),
        recorder: &recorder,
        tokens_before: RefCell::default(),
    };
    let platform = vademecum::platform::Native::default();
    let functions = TestFunctions::default().with("tool.weather", |_| Ok(json!("It rains.")));
    let ports = vademecum::agent::styles::pipeline::Ports {
        llm: &llm,
        searcher: &kb,
        functions: &functions,
        observer: &recorder,
        platform: &platform,
        cancel: Cancel::default(),
    };
    let result = vademecum_testing::block_on(pipeline.run(ports));
    let early = llm.tokens_before.borrow().iter().copied().max().unwrap_or_default();
    let requests = llm.requests.borrow().clone();
    Asked { result, tokens: tokens(&recorder), standing: standing(&recorder), requests, early }
}

fn search() -> Vec<Part> {
    call("search", json!({ "query": "ACME support contract notice" }))
}

const ANSWER: &str =
    "The notice is 90 days [1]. It has to be given in writing, to the end of a contract year [1].";

#[test]
fn an_answer_in_words_is_streamed() {
    let asked = asked(vec![search(), text(ANSWER)]);
    assert!(asked.requests.iter().all(|request| request.stream && request.tools.is_some()));
    assert_eq!(asked.result.answer.as_deref(), Some(ANSWER));
    assert_eq!(asked.tokens.concat(), ANSWER);
    assert!(asked.early > 4, "{} of {:?}", asked.early, asked.tokens);
    assert_eq!(asked.result.citations.len(), 2);
}

#[test]
fn the_argument_of_the_final_answer_is_streamed() {
    let answer = "The notice is \"90 days\" [1].\n\n- in writing – always\n- see §7 😀 [2]";
    let asked = asked(vec![search(), call("final_answer", json!({ "answer": answer }))]);
    assert_eq!(asked.result.answer.as_deref(), Some(answer));
    assert_eq!(asked.tokens.concat(), answer);
    assert!(asked.early > 3, "{:?}", asked.tokens);
}

#[test]
fn text_beside_a_call_is_not_streamed() {
    for preamble in [
        "I will look that up. ",
        "Let me think: {\"plan\": 1} ",
        "The first search found little, so I try other words. ",
    ] {
        let mut first = text(preamble);
        first.extend(search());
        let mut second = text(preamble);
        second.extend(call("refine_and_search", json!({ "refined_query": "ACME notice period days" })));
        let asked = asked(vec![first, second, text(ANSWER)]);
        assert_eq!(asked.tokens.concat(), ANSWER, "{preamble}");
        assert_eq!(asked.result.search_count, 2);
        assert!(asked.result.log.failures.is_empty());
    }
}

#[test]
fn text_streamed_before_a_call_is_retracted_and_the_call_is_executed() {
    let mut second = text("The first passage names the plan [1], but not the price, which I look for now. ");
    second.extend(call("refine_and_search", json!({ "refined_query": "price of the ACME contract" })));
    let asked = asked(vec![search(), second, text(ANSWER)]);
    assert_eq!((asked.result.answer.as_deref(), asked.standing.as_str()), (Some(ANSWER), ANSWER));
    assert_eq!((asked.result.search_count, asked.result.log.failures[0].code.as_ref()), (2, "llm_reply"));
}

#[test]
fn tokens_are_sanitised_and_their_citations_checked() {
    let said = "The notice is 90 days [1] ![x](https://evil.example/a) [99]. See [here](https://evil.example/b), `vec![9]` and [1].";
    let asked = asked(vec![search(), text(said)]);
    let answer = asked.result.answer.unwrap();
    assert_eq!(asked.standing, answer);
    assert!(!asked.tokens.concat().contains("evil") && answer.contains("`vec![9]`"), "{answer}");
    assert_eq!(asked.result.invalid_citations, ["99"]);
}

#[test]
fn a_short_answer_without_citations_is_emitted_at_the_end_in_its_pieces() {
    let said = "The documents do not hold the answer.";
    let asked = asked(vec![search(), text(said)]);
    assert_eq!(asked.tokens.concat(), said);
    assert!(asked.tokens.len() > 4, "{:?}", asked.tokens);
    assert_eq!(asked.early, 0, "it may be the words beside a call until the turn ends");
}

/// An answer of 2,000 characters without a citation, of which the first 400 are held back.
fn long() -> String {
    let days: Vec<String> = (1..=48).map(|day| format!("It rains on day {day} and on the next.")).collect();
    days.join(" ")
}

#[test]
fn a_long_answer_without_citations_is_streamed() {
    let weather = json!([{
        "name": "weather", "description": "Tells the weather.", "function": "tool.weather",
        "parameters": { "type": "object", "properties": {} },
    }]);
    for first in [vec![search()], vec![call("weather", json!({}))], vec![]] {
        let turns = [first.clone(), vec![text(&long())]].concat();
        let asked = asked_with(turns, json!({ "tools": weather }));
        // Behind a quotation, or in place of an answer: no passage supports it.
        assert!(asked.result.unsupported.or(asked.result.answer).unwrap().ends_with(&long()));
        assert_eq!(asked.standing, long());
        let all = asked.tokens.len();
        assert!(all > 200 && asked.early > all * 3 / 4, "{} of {all} after {first:?}", asked.early);
    }
}

#[test]
fn a_repetition_that_was_streamed_is_no_part_of_the_answer_and_no_failure() {
    let asked = asked(vec![search(), text(&format!("{ANSWER} {ANSWER} {ANSWER} The notice"))]);
    assert_eq!(asked.result.answer.as_deref(), Some(ANSWER));
    assert!(asked.result.log.failures.is_empty(), "{:?}", asked.result.log.failures);
    assert!(asked.tokens.concat().starts_with(ANSWER));
}

#[test]
fn an_answer_that_begins_with_a_citation_or_contains_a_brace_is_streamed() {
    for beginning in ["Write `{}` or { a: 1 } there. ", "[1] says so. ", "\n\n[1, 2] say so. "] {
        let said = format!("{beginning}{ANSWER}");
        let asked = asked(vec![search(), text(&said)]);
        assert_eq!(asked.standing, asked.result.answer.unwrap(), "{beginning}");
        assert!(asked.early > 4, "{} of {:?}", asked.early, asked.tokens);
    }
}

#[test]
fn possible_calls_in_words_are_held_back_until_the_turn_ends() {
    let written = json!({ "tool": "search", "arguments": { "query": "ACME notice" } }).to_string();
    for first in [
        format!("{written} {}", long()),
        format!("[{written}] {}", long()),
        format!("```json\n{written}\n``` {}", long()),
    ] {
        let asked = asked(vec![text(&first), text(ANSWER)]);
        assert_eq!((asked.tokens.concat(), asked.result.search_count), (ANSWER.to_owned(), 1), "{first}");
        assert!(asked.result.log.failures.is_empty(), "{:?}", asked.result.log.failures);
    }
    // A model that writes calls into the text surrounds them with other words.
    let second = format!("I search once more, {written}, because [1] says too little.");
    let asked = asked(vec![text(&written), text(&second), text(ANSWER)]);
    assert_eq!((asked.tokens.concat(), asked.result.log.takes_tools), (ANSWER.to_owned(), None));
    assert!(asked.result.log.failures.is_empty(), "{:?}", asked.result.log.failures);
}

#[test]
fn endpoints_that_reply_in_one_piece_are_supported() {
    let arguments = json!({ "query": "ACME notice" }).to_string();
    let calls =
        json!([{ "id": "c1", "type": "function", "function": { "name": "search", "arguments": arguments } }]);
    let first = whole(json!({ "content": "Passage [1] may help.", "tool_calls": calls }));
    let asked = asked(vec![first.clone(), first, whole(json!({ "content": ANSWER }))]);
    assert_eq!((asked.tokens.concat(), asked.result.answer.as_deref()), (ANSWER.to_owned(), Some(ANSWER)));
    assert!(asked.result.log.failures.is_empty(), "{:?}", asked.result.log.failures);
}

#[test]
fn an_answer_as_json_in_words_is_emitted_at_the_end() {
    let said = json!({ "tool": "final_answer", "arguments": { "answer": ANSWER } }).to_string();
    let asked = asked(vec![search(), text(&said)]);
    assert_eq!((asked.tokens.concat(), asked.result.answer.as_deref()), (ANSWER.to_owned(), Some(ANSWER)));
}

#[test]
fn thoughts_are_not_emitted_as_tokens() {
    let asked = asked(vec![search(), text(&format!("<think>Passage [1] says 90. </think> {ANSWER}"))]);
    assert_eq!((asked.tokens.concat(), asked.result.answer.as_deref()), (ANSWER.to_owned(), Some(ANSWER)));
}

#[test]
fn tokens_add_up_to_the_answer_for_any_text_and_chunking() {
    use proptest::prelude::*;
    let part = "([a-z ]{0,6}|\\[[0-9]{1,2}\\]|\\[|\\]|`|``|\\*|<b>|!\\[a\\]\\(b\\)|\\[a\\]\\(https://e\\.example\\)|https://e\\.example/x|\\{|\n|😀){0,24}";
    let recorder_of = |said: &str, as_call: bool| {
        let last = if as_call { call("final_answer", json!({ "answer": said })) } else { text(said) };
        asked(vec![search(), last])
    };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: ProptestConfig::default().cases / 10,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&(part, any::<bool>()), |(said, as_call)| {
            prop_assume!(said.chars().any(char::is_alphanumeric) && !said.contains('{'));
            let asked = recorder_of(&format!("So [1] {said}"), as_call);
            // A quotation may come first, because no passage supports it.
            let answer = asked.result.answer.unwrap_or_default();
            prop_assert!(answer.ends_with(&asked.standing), "{:?} {:?}", answer, asked.standing);
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_turns_of_a_chat_are_assembled_from_their_deltas() {
    let asked = asked(vec![search(), text(ANSWER)]);
    let second = &asked.requests[1].messages;
    let sent = second.iter().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(sent.tool_calls[0].function.name, "search");
    assert_eq!(sent.tool_calls[0].function.arguments, "{\"query\":\"ACME support contract notice\"}");
}
