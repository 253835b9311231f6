//! Chunks are exact slices of their document, lose nothing, and keep to their budget, whatever the text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use proptest::prelude::*;
use vademecum::document::Format;
use vademecum::text::chunk::{chunk, estimate_tokens};
use vademecum::text::sentence::sentences;
use vademecum::text::structure::read;

fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-z ]{0,60}",
        "#{1,4} [A-Za-z 🐈é]{1,20}",
        "[-*] [a-z ]{0,30}",
        "```[a-z]{0,4}",
        "\\PC{0,40}",
        "[\u{4e00}-\u{4e40}。]{0,30}",
        "    [a-z(){};]{0,20}",
        "<p>[a-z &;<>/]{0,30}",
        Just(String::new()),
    ];
    prop::collection::vec(line, 0..30)
        .prop_flat_map(|lines| prop_oneof![Just("\n"), Just("\r\n")].prop_map(move |end| lines.join(end)))
}

fn formats() -> impl Strategy<Value = Format> {
    prop_oneof![Just(Format::Text), Just(Format::Markdown), Just(Format::Html)]
}

proptest! {
    #[test]
    fn a_chunk_is_its_span_of_the_text_in_javascript_and_in_rust(
        text in any_text(), format in formats(), budget in 4usize..60,
    ) {
        let structure = read(text, format);
        let units: Vec<u16> = structure.text.encode_utf16().collect();
        for piece in chunk(&structure, budget) {
            let in_rust = structure.text.get(piece.bytes.clone());
            let in_javascript = String::from_utf16(&units[piece.utf16.clone()]).ok();
            prop_assert!(in_rust.is_some_and(|text| !text.trim().is_empty()));
            prop_assert_eq!(in_rust, in_javascript.as_deref());
        }
    }

    #[test]
    fn every_word_of_the_text_is_in_a_chunk_and_chunks_do_not_overlap(
        text in any_text(), format in formats(), budget in 4usize..60,
    ) {
        let structure = read(text, format);
        let pieces = chunk(&structure, budget);
        let mut end = 0;
        for piece in &pieces {
            prop_assert!(piece.bytes.start >= end);
            prop_assert!(!structure.text[end..piece.bytes.start].contains(char::is_alphanumeric));
            end = piece.bytes.end;
        }
        prop_assert!(!structure.text[end..].contains(char::is_alphanumeric));
    }

    #[test]
    fn a_chunk_without_headings_keeps_to_its_budget(text in "[a-zé犬 .\n]{0,400}", budget in 4usize..60) {
        let structure = read(text, Format::Text);
        for piece in chunk(&structure, budget) {
            prop_assert!(estimate_tokens(&structure.text[piece.bytes]) <= budget);
        }
    }

    #[test]
    fn sentences_are_in_order_and_lose_no_word(text in any_text()) {
        let mut end = 0;
        for sentence in sentences(&text) {
            prop_assert!(sentence.start >= end);
            prop_assert!(!text[end..sentence.start].contains(char::is_alphanumeric));
            end = sentence.end;
        }
        prop_assert!(!text[end..].contains(char::is_alphanumeric));
    }
}
