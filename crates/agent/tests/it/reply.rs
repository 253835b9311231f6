//! LLM replies are parsed in every form and for any chunking.

use proptest::prelude::*;
use serde_json::{Value, json};
use vademecum::agent::reply::{self, Assembler, Completion, Part, TokenUsage};
use vademecum::error::{Error, Result};
use vademecum_testing::in_linear_time;

fn assemble(parts: impl IntoIterator<Item = Part>) -> Result<(Completion, String)> {
    let mut assembler = Assembler::default();
    let mut streamed = String::new();
    for part in parts {
        streamed.push_str(&assembler.take(part)?);
    }
    let (completion, rest) = assembler.finish()?;
    Ok((completion, streamed + &rest))
}

fn response(status: u16, body: &str) -> Vec<Part> {
    vec![Part::Head { status, retry_after: None }, Part::Bytes(body.as_bytes().to_vec())]
}

const STREAM: &str = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n\
    : keep-alive\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"Thirty \"}}]}\r\n\r\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"days é🐈\"},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n\
    data: [DONE]\n\n";

#[test]
fn a_complete_response_is_parsed_with_its_usage() {
    let body = json!({ "choices": [{ "message": { "content": "Thirty days" } }], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } });
    let (completion, streamed) = assemble(response(200, &body.to_string())).unwrap();
    assert_eq!((completion.content.as_str(), streamed.as_str()), ("Thirty days", "Thirty days"));
    assert_eq!(completion.usage, Some(TokenUsage { prompt_tokens: 7, completion_tokens: 3 }));
}

#[test]
fn an_incomplete_usage_report_is_ignored() {
    for usage in [
        json!({}),
        json!({ "input_tokens": 7, "output_tokens": 3 }),
        json!({ "prompt_tokens": 7 }),
        json!(null),
    ] {
        let reply = json!({ "choices": [{ "message": { "content": "Hi" } }], "usage": usage });
        assert_eq!(assemble([Part::Value(reply)]).unwrap().0.usage, None, "{usage}");
    }
}

#[test]
fn the_finish_reason_is_kept_for_complete_and_streamed_replies() {
    let choice =
        |reason: Value| json!({ "choices": [{ "delta": { "content": "Hi" }, "finish_reason": reason }] });
    for (reason, is_cut) in
        [("stop", false), ("tool_calls", false), ("length", true), ("content_filter", true)]
    {
        let whole = assemble([Part::Value(choice(json!(reason)))]).unwrap().0;
        let streamed =
            assemble([Part::Value(choice(json!(reason))), Part::Value(choice(Value::Null))]).unwrap().0;
        for completion in [whole, streamed] {
            assert_eq!(completion.finish_reason.as_deref(), Some(reason));
            assert_eq!(completion.cut_off().map(|error| error.code()), is_cut.then_some("llm_cut_off"));
        }
    }
    assert_eq!(assemble([Part::Text("Hi".into())]).unwrap().0.finish_reason, None);
}

#[test]
fn strings_completions_and_deltas_are_parsed() {
    assert_eq!(assemble([Part::Text("Hi".into())]).unwrap().0.content, "Hi");
    let message = json!({ "choices": [{ "message": { "content": [{ "type": "text", "text": "Hi" }] } }] });
    assert_eq!(assemble([Part::Value(message)]).unwrap().0.content, "Hi");
    let delta = |text: &str| Part::Value(json!({ "choices": [{ "delta": { "content": text } }] }));
    assert_eq!(
        assemble([delta("H"), delta("i")]).unwrap(),
        (Completion { content: "Hi".into(), ..Completion::default() }, "Hi".into())
    );
}

#[test]
fn an_http_error_contains_the_servers_message_and_advice() {
    for (status, body, says, retryable) in [
        (401, "{\"error\":{\"message\":\"bad key\"}}", "HTTP 401: bad key. Check the API key.", false),
        (404, "", "HTTP 404. Check the endpoint's address", false),
        (429, "{\"error\":\"slow down\"}", "HTTP 429: slow down. Wait a moment", true),
        (500, "<h1>Oops</h1>", "HTTP 500: <h1>Oops</h1>. The server failed", true),
    ] {
        let error = assemble(response(status, body)).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!((error.code(), error.retryable()), ("llm_http", retryable));
    }
}

#[test]
fn a_reply_that_is_no_completion_is_an_error() {
    for body in [
        "<!doctype html><p>Hello",
        "Hello",
        "{\"ok\":true}",
        "{\"choices\":",
        "",
        "data: nonsense\n\n",
        "data: [DONE]\n\n",
    ] {
        let error = assemble(response(200, body)).unwrap_err();
        assert_eq!(error.code(), "llm_reply", "{body}");
    }
}

#[test]
fn an_error_within_a_stream_is_an_error() {
    let error =
        assemble(response(200, "data: {\"error\":{\"message\":\"model not found\"}}\n\n")).unwrap_err();
    assert!(matches!(&error, Error::LlmReply { got, .. } if got.contains("model not found")), "{error}");
}

#[test]
fn events_without_blank_lines_between_them_are_separated() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\ndata: [DONE]\n";
    assert_eq!(assemble(response(200, body)).unwrap().0.content, "ab");
}

proptest! {
    #[test]
    fn a_stream_is_parsed_the_same_for_any_chunking(cuts in prop::collection::vec(1usize..60, 0..20)) {
        let mut parts = vec![Part::Head { status: 200, retry_after: None }];
        let mut rest = STREAM.as_bytes();
        for cut in cuts {
            let (head, tail) = rest.split_at(cut.min(rest.len()));
            parts.push(Part::Bytes(head.to_vec()));
            rest = tail;
        }
        parts.push(Part::Bytes(rest.to_vec()));
        let (completion, streamed) = assemble(parts).unwrap();
        prop_assert_eq!(&completion.content, "Thirty days é🐈");
        prop_assert_eq!(streamed, completion.content);
        prop_assert_eq!(completion.usage, Some(TokenUsage { prompt_tokens: 7, completion_tokens: 3 }));
    }

    #[test]
    fn no_bytes_cause_a_panic(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6)) {
        let parts = parts.into_iter().map(Part::Bytes);
        if let Ok((completion, _)) = assemble(parts) {
            prop_assert!(completion.content.len() < 1000);
        }
    }
}

#[test]
fn an_endless_stream_is_aborted() {
    let chunk = "data: {\"choices\":[{\"delta\":{\"content\":\"and on \"}}]}\n\n".repeat(1_000);
    let mut assembler = Assembler::default();
    let ended = (0..1_000).find_map(|_| assembler.take(Part::Bytes(chunk.clone().into_bytes())).err());
    assert!(matches!(ended, Some(Error::LlmReplyTooLarge { .. })), "{ended:?}");
    let mut assembler = Assembler::default();
    let nothing = json!({ "choices": [{ "delta": {} }] });
    let ended = (0..1_000_000).find_map(|_| assembler.take(Part::Value(nothing.clone())).err());
    assert!(matches!(ended, Some(Error::LlmReplyTooLarge { .. })), "{ended:?}");
}

#[test]
fn function_calls_are_assembled_from_fragments() {
    let piece = |value: serde_json::Value| {
        Part::Value(json!({ "choices": [{ "delta": { "tool_calls": [value] } }] }))
    };
    let parts = [
        piece(json!({ "index": 0, "id": "a", "function": { "name": "search", "arguments": "{\"que" } })),
        piece(json!({ "index": 1, "id": "b", "function": { "name": "stop", "arguments": { "now": true } } })),
        piece(json!({ "index": 0, "function": { "arguments": "ry\": 1}" } })),
    ];
    let (completion, _) = assemble(parts).unwrap();
    let calls: Vec<(&str, &str)> =
        completion.tool_calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("search", "{\"query\": 1}"), ("stop", "{\"now\":true}")]);
}

#[test]
fn function_calls_are_assembled_for_any_first_index() {
    let piece = |index: u64, arguments: &str| {
        let call = json!({ "index": index, "function": { "arguments": arguments } });
        Part::Value(json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }))
    };
    let (completion, _) =
        assemble([piece(1, "{\"a"), piece(7, "{\"b"), piece(1, "\": 1}"), piece(7, "\": 2}")]).unwrap();
    let arguments: Vec<&str> = completion.tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["{\"a\": 1}", "{\"b\": 2}"]);
}

#[test]
fn every_part_is_counted() {
    let long = "x".repeat(100_000);
    let endless = [
        Part::Value(json!({ "choices": [{ "delta": { "content": long } }] })),
        Part::Value(
            json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": long } }] } }] }),
        ),
    ];
    for part in endless {
        let mut assembler = Assembler::default();
        let ended = (0..60).find_map(|_| assembler.take(part.clone()).err());
        assert!(matches!(ended, Some(Error::LlmReplyTooLarge { .. })), "{ended:?}");
    }
    let mut assembler = Assembler::default();
    let ended = (0..300_000).find_map(|_| assembler.take(Part::Bytes(Vec::new())).err());
    assert!(matches!(ended, Some(Error::LlmReplyTooLarge { .. })), "{ended:?}");
}

#[test]
fn an_endless_http_error_is_reported() {
    for piece in [&b"busy "[..], b""] {
        let mut assembler = Assembler::default();
        assembler.take(Part::Head { status: 503, retry_after: Some(1.0) }).unwrap();
        let ended = (0..300_000).find_map(|_| assembler.take(Part::Bytes(piece.to_vec())).err());
        assert!(matches!(ended, Some(Error::LlmHttp { status: 503, .. })), "{ended:?}");
    }
}

#[test]
fn thoughts_are_not_streamed() {
    let parts =
        ["<thi", "nk>It may be", " 30.</th", "ink>", "Thirty ", "days"].map(|text| Part::Text(text.into()));
    let (completion, streamed) = assemble(parts).unwrap();
    assert_eq!(streamed, "Thirty days");
    assert_eq!(completion.content, "<think>It may be 30.</think>Thirty days");
    assert_eq!(assemble([Part::Text("<".into())]).unwrap().1, "<", "nor is anything else held back");
}

#[test]
fn a_body_is_parsed_once() {
    let line = "data: {},\n".repeat(150_000);
    for (first, rest, piece) in [("", " ".repeat(60_000), 1), ("data: {\"a\": [\n", line, 4096)] {
        in_linear_time(first, || {
            let mut assembler = Assembler::default();
            assembler.take(Part::Bytes(first.as_bytes().to_vec())).unwrap();
            for bytes in rest.as_bytes().chunks(piece) {
                assembler.take(Part::Bytes(bytes.to_vec())).unwrap();
            }
            assert_eq!(assembler.finish().unwrap_err().code(), "llm_reply");
        });
    }
}

#[test]
fn json_is_searched_in_linear_time() {
    for piece in
        ["[", "{", "[\"x ", "{\"a\":", "{\"a\": \"x", "{a [", "[1] ", "'[", "{\"a\": [1], ", "[0,\"[\"],"]
    {
        let text = piece.repeat(1_000_000 / piece.len());
        let found = in_linear_time(piece, || reply::json::find(&text, |value| value.get("wanted").cloned()));
        assert_eq!(found, None);
    }
}

#[test]
fn a_reply_that_is_too_large_is_refused_before_it_is_parsed() {
    let long = "word ".repeat(4 << 20);
    let whole = json!({ "choices": [{ "message": { "content": long } }] });
    let call = json!({ "choices": [{ "message": { "tool_calls": [{ "function": { "name": "search", "arguments": long } }] } }] });
    let events = format!("data: {whole}\n\n");
    for part in [
        Part::Text(long),
        Part::Value(whole.clone()),
        Part::Value(call),
        Part::Bytes(whole.to_string().into_bytes()),
        Part::Bytes(events.into_bytes()),
    ] {
        let started = std::time::Instant::now();
        let error = assemble([part]).unwrap_err();
        assert_eq!(error.code(), "llm_reply");
        let said = error.to_string();
        assert!(said.ends_with("Raise `maxReplyBytes`, or ask for less."), "{said}");
        assert!(started.elapsed().as_secs() < 5);
    }
    let mut small = Assembler::limited(10);
    assert!(small.take(Part::Text("ten bytes.".into())).is_ok());
    assert!(small.take(Part::Text("!".into())).is_err());
}
