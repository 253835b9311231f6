//! A reader of the caller's finds the words that answer, where no LLM writes.

use super::agent_evidence::without_llm;
use serde_json::{Value, json};
use vademecum_testing::agent::TestFunctions;

/// Returns where `words` are in a chunk, in UTF-16 code units.
fn place(chunk: &Value, words: &str, probability: f32) -> Value {
    let text = chunk["text"].as_str().unwrap();
    let Some(at) = text.find(words) else { return Value::Null };
    let start = text[..at].encode_utf16().count();
    json!({ "start": start, "end": start + words.encode_utf16().count(), "probability": probability })
}

fn reading(words: &'static str, probability: f32) -> TestFunctions {
    TestFunctions::default().with("read", move |input| {
        assert_eq!(input["question"], "What is the notice to end the ACME contract?");
        Ok(input["chunks"].as_array().unwrap().iter().map(|chunk| place(chunk, words, probability)).collect())
    })
}

fn asked() -> Value {
    json!({
        "question": "What is the notice to end the ACME contract?",
        "steps": [{ "step": "search" }, { "step": "answer", "reader": "read" }],
    })
}

#[test]
fn the_words_that_it_finds_are_the_answer_with_their_place() {
    let (result, _) = without_llm(asked(), &reading("30 days", 0.9));
    assert_eq!(result.answer.as_deref(), Some("30 days [1]"));
    assert_eq!((result.abstained, result.confidence), (false, Some(0.9)));
    let citation = &result.citations[0];
    let hit = &result.context_used[citation.number - 1];
    let quoted = citation.quote.unwrap();
    let from = quoted.start - hit.chunk.span.start;
    let text: Vec<u16> = hit.chunk.text.encode_utf16().collect();
    assert_eq!(String::from_utf16(&text[from..from + 7]).unwrap(), "30 days");
}

#[test]
fn an_improbable_answer_is_none() {
    let (result, _) = without_llm(asked(), &reading("30 days", 0.01));
    assert_eq!((result.abstained, result.citations.len()), (true, 0));
    assert_eq!(result.confidence, Some(0.01));
    assert_eq!(result.reason.as_deref(), Some("The nearest passages do not seem to answer this question."));
}

#[test]
fn a_reader_that_fails_leaves_the_answer_to_the_rule_and_is_reported() {
    for wrong in [json!("30 days"), json!([]), json!([{ "start": 3, "end": 1, "probability": 0.5 }])] {
        let functions = TestFunctions::default().with("read", move |_| Ok(wrong.clone()));
        let (result, _) = without_llm(asked(), &functions);
        assert_eq!(result.log.failures[0].code, "function_result");
        assert!(result.answer.unwrap().contains("30 days"), "the sentence is quoted");
    }
}
