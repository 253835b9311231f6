//! The tokenizer agrees with the reference implementation on every id.
//!
//! The model's files are not part of the repository: `cargo xtask test` downloads them and sets their path.

use vademecum::document::Format;
use vademecum::encoder::onnx::Tokens;
use vademecum::text::chunk::{Budget, chunk};
use vademecum::text::structure::read;

/// A sentence as the model's authors' own library embeds it.
#[derive(serde::Deserialize)]
pub(crate) struct Reference {
    pub(crate) text: String,
    pub(crate) ids: Vec<u32>,
    pub(crate) embedding: Vec<f32>,
}

pub(crate) fn json() -> Option<Vec<u8>> {
    file("tokenizer.json")
}

pub(crate) fn model() -> Option<Vec<u8>> {
    file("model.onnx")
}

fn file(name: &str) -> Option<Vec<u8>> {
    let Ok(models) = std::env::var("VADEMECUM_MODELS") else {
        println!("skipped: VADEMECUM_MODELS is not set; `cargo xtask test` sets it");
        return None;
    };
    Some(std::fs::read(format!("{models}/all-minilm-l6-v2/{name}")).unwrap())
}

fn tokenizer(max_tokens: usize) -> Option<Tokens> {
    Some(Tokens::load(&json()?, "tokenizer.json", max_tokens).unwrap())
}

pub(crate) fn reference() -> Vec<Reference> {
    serde_json::from_str(include_str!("../../../../tests/data/minilm-reference.json")).unwrap()
}

#[test]
fn all_fifty_reference_sentences_get_the_same_ids() {
    let Some(tokens) = tokenizer(128) else { return };
    let reference = reference();
    assert_eq!(reference.len(), 50);
    for Reference { text, ids, .. } in reference {
        assert_eq!(tokens.encode(&text).unwrap().ids, ids, "{text}");
    }
}

#[test]
fn a_text_over_the_limit_is_truncated_and_flagged() {
    let Some(tokens) = tokenizer(8) else { return };
    let long = tokens.encode("one two three four five six seven eight nine").unwrap();
    assert_eq!((long.ids.len(), long.truncated), (8, true));
    let exact = tokens.encode("one two three four five six").unwrap();
    assert_eq!((exact.ids.len(), exact.truncated), (8, false));
}

#[test]
fn tokens_are_counted_up_to_the_limit() {
    let Some(tokens) = tokenizer(8) else { return };
    assert_eq!(tokens.count("one two three"), 3);
    assert_eq!(tokens.count(&"one two three ".repeat(100)), 8);
    assert_eq!(tokens.count(" \n"), 0);
}

#[test]
fn chunks_measured_by_the_tokenizer_are_not_truncated() {
    let Some(tokens) = tokenizer(64) else { return };
    let text =
        include_str!("../../../../README.md").repeat(2) + include_str!("../../../text/src/html/reader.rs");
    let structure = read(text, Format::Markdown).unwrap();
    let budget = Budget {
        max_tokens: 64,
        overlap: 10,
        count: &|text| tokens.count(text),
        title: Some("A title of some length"),
    };
    let pieces = chunk(&structure, &budget);
    assert!(pieces.len() > 50);
    for piece in pieces {
        let embedded = piece.embedded(&structure.text[piece.bytes.clone()]);
        assert!(!tokens.encode(&embedded).unwrap().truncated, "{embedded}");
    }
}

#[test]
fn an_invalid_tokenizer_file_is_rejected_with_its_url() {
    for bytes in [&b"not json"[..], b"{}", b"{\"version\":\"1.0\",\"model\":{\"type\":\"WordPie"] {
        let error = Tokens::load(bytes, "/models/tokenizer.json", 128).unwrap_err();
        assert_eq!(error.code(), "tokenizer_invalid");
        assert!(error.to_string().contains("/models/tokenizer.json"), "{error}");
    }
}
