//! Corrections of misspelt queries.

use futures_util::future::LocalBoxFuture;
use proptest::prelude::*;
use serde_json::json;
use std::future::ready;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::encoder::{Counter, Embedder, Embeddings, Kind};
use vademecum::engine::{KnowledgeBase, Mode, SearchRequest, SearchResponse};
use vademecum::error::Result;
use vademecum::text::terms::{Language, plain, words};
use vademecum_testing::{add, block_on, hashing, ids, kb, markdown};

fn rust() -> KnowledgeBase {
    let kb = kb(hashing());
    let documents = vec![
        markdown(
            "borrow.md",
            "# Borrowing\n\nIn Rust, borrowing lends a value. The borrow checker tests each loan.",
        ),
        markdown(
            "own.md",
            "# Ownership\n\nEvery value in Rust has an owner. Relational data is another topic.",
        ),
        markdown("iter.md", "# Iterators\n\nAn iterator walks over a collection, because loops are tedious."),
    ];
    add(&kb, documents).unwrap();
    kb
}

fn keyword(query: &str) -> SearchRequest {
    SearchRequest { query: query.into(), mode: Mode::Keyword, ..SearchRequest::default() }
}

fn found(kb: &KnowledgeBase, request: &SearchRequest) -> SearchResponse {
    block_on(kb.search(request, &Cancel::default())).unwrap()
}

fn meant(query: &str) -> Option<String> {
    found(&rust(), &keyword(query)).did_you_mean
}

#[test]
fn a_query_without_a_known_word_is_searched_for_as_corrected() {
    let kb = rust();
    for mode in [Mode::Keyword, Mode::Hybrid] {
        let response = found(&kb, &SearchRequest { mode, ..keyword("what is borowing in rsut") });
        assert_eq!(response.did_you_mean.as_deref(), Some("what is borrowing in rust"), "{mode:?}");
        assert_eq!(response.searched_for, response.did_you_mean);
        let as_meant = found(&kb, &SearchRequest { mode, ..keyword("what is borrowing in rust") });
        assert_eq!(response.hits, as_meant.hits);
        assert_eq!((as_meant.did_you_mean, as_meant.searched_for), (None, None));
    }
}

#[test]
fn a_function_word_of_another_language_is_not_misspelt() {
    assert_eq!(meant("wann sind die borowing"), Some("wann sind die borrowing".to_owned()));
    assert_eq!(meant("Wann sind die Zeiten"), None);
}

#[test]
fn a_query_with_a_known_word_is_searched_for_as_typed() {
    let response = found(&rust(), &keyword("borowing of a collection"));
    assert_eq!(response.did_you_mean.as_deref(), Some("borrowing of a collection"));
    assert_eq!(response.searched_for, None);
    assert_eq!(ids(&response), ["iter.md"]);
}

#[test]
fn a_search_that_tolerates_typos_reports_what_it_understood() {
    let response = found(&rust(), &SearchRequest { typos: true, ..keyword("borowing") });
    assert_eq!(response.did_you_mean.as_deref(), Some("borrowing"));
    assert_eq!(response.searched_for, None, "the words as typed were matched");
    assert_eq!(ids(&response), ["borrow.md"]);
}

#[test]
fn the_most_similar_word_is_suggested_as_it_is_written() {
    for (typed, expected) in [
        ("iteratr", "iterator"),
        ("borrowign", "borrowing"),
        ("Ownershp!", "Ownership!"),
        ("becuase", "because"),
        ("ownr", "owner"),
        ("waht is an iteratro?", "what is an iterator?"),
        ("relationla  data", "relational  data"),
    ] {
        assert_eq!(meant(typed).as_deref(), Some(expected), "{typed}");
    }
}

#[test]
fn a_word_of_four_letters_is_not_taken_for_another_that_differs_by_one() {
    for typed in ["cost of it", "much more", "sent", "rest"] {
        assert_eq!(meant(typed), None, "{typed}");
    }
}

#[test]
fn another_first_letter_or_ending_makes_a_word_of_its_own() {
    let documents = [
        Document::new("a", "Turn the pages, and write about the plot."),
        Document::new("b", "A language of letters."),
    ];
    let kb = kb(None);
    add(&kb, documents.to_vec()).unwrap();
    let meant = |query| found(&kb, &keyword(query)).did_you_mean;
    for typed in ["wages", "writer", "blot"] {
        assert_eq!(meant(typed), None, "{typed}");
    }
    assert_eq!(meant("langage").as_deref(), Some("language"));
    assert_eq!(meant("apges").as_deref(), Some("pages"));
}

/// An embedder whose tokenizer has "borowing" as one token.
struct WithWord;

impl Embedder for WithWord {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        HashingEmbedder.embed(texts, kind)
    }

    fn counter(&self) -> LocalBoxFuture<'_, Option<Counter>> {
        let count = |text: &str| if text == "borowing" { 1_usize } else { 2 };
        Box::pin(ready(Some(Rc::new(count) as Counter)))
    }
}

#[test]
fn a_word_that_the_embedder_knows_whole_is_not_misspelt() {
    let kb = kb(Some(Rc::new(WithWord)));
    add(&kb, vec![markdown("borrow.md", "# Borrowing\n\nIn Rust, borrowing lends a value.")]).unwrap();
    assert_eq!(found(&kb, &keyword("borowing in rsut")).did_you_mean.as_deref(), Some("borowing in rust"));
    assert_eq!(found(&kb, &keyword("borowing")).did_you_mean, None);
}

#[test]
fn words_that_are_close_to_words_of_the_library_are_not_misspelt() {
    let kb = kb(None);
    let text = "Members may get first aid, set the alarm and led the group. Guess the value of Brandt. Print the shape.";
    add(&kb, vec![Document::new("a", text)]).unwrap();
    for typed in ["How many?", "acid", "lend", "sent", "brand", "guests", "point", "share"] {
        assert_eq!(found(&kb, &keyword(typed)).did_you_mean, None, "{typed}");
    }
}

#[test]
fn known_short_quoted_and_numeric_words_are_kept() {
    for typed in ["rust", "the rst", "\"borowing\"", "2023 rust2", "xylophone", "借用", "빌리는책을"] {
        assert_eq!(meant(typed), None, "{typed}");
    }
}

#[test]
fn the_beginning_of_a_word_is_not_misspelt_while_it_is_typed() {
    let kb = rust();
    let typing = |query: &str| found(&kb, &SearchRequest { prefix: true, ..keyword(query) }).did_you_mean;
    assert_eq!(typing("colle"), None);
    assert_eq!(typing("borowing colle").as_deref(), Some("borrowing colle"));
    assert_eq!(typing("borowing").as_deref(), Some("borrowing"));
}

#[test]
fn vector_search_is_not_corrected() {
    let request = SearchRequest { mode: Mode::Vector, threshold: -1.0, ..keyword("borowing") };
    let response = found(&rust(), &request);
    assert_eq!((response.did_you_mean, response.searched_for), (None, None));
}

#[test]
fn what_a_filter_excludes_is_not_found_by_a_correction() {
    let kb = rust();
    let elsewhere = SearchRequest { documents: Some(vec!["iter.md".into()]), ..keyword("borowing") };
    let response = found(&kb, &elsewhere);
    assert_eq!(response.did_you_mean.as_deref(), Some("borrowing"), "the library has the word");
    assert_eq!((response.searched_for, response.hits.len()), (None, 0));
}

#[test]
fn words_of_documents_that_are_gone_or_never_sent_are_not_suggested() {
    let kb = rust();
    let secret = Document {
        metadata: json!({ "neverSend": true }).as_object().unwrap().clone(),
        ..markdown("secret.md", "# Zanzibar\n\nThe zanzibar account.")
    };
    add(&kb, vec![secret, markdown("gone.md", "A mongoose.")]).unwrap();
    assert_eq!(found(&kb, &keyword("zanzibr")).did_you_mean.as_deref(), Some("zanzibar"));
    let sendable = SearchRequest { sendable: true, ..keyword("zanzibr") };
    assert_eq!(found(&kb, &sendable).did_you_mean, None);
    assert_eq!(found(&kb, &keyword("mongose")).did_you_mean.as_deref(), Some("mongoose"));
    kb.remove("default", &["gone.md".to_owned()]).unwrap();
    assert_eq!(found(&kb, &keyword("mongose")).did_you_mean, None);
}

proptest! {
    #[test]
    fn every_corrected_word_is_in_the_library_or_a_stop_word(
        text in "([a-e]{3,9} ){1,30}", typed in "([a-e]{3,9} ){1,4}",
    ) {
        let kb = kb(hashing());
        add(&kb, vec![Document::new("one.txt", format!("The text is this. {text}"))]).unwrap();
        let response = found(&kb, &keyword(&typed));
        let Some(meant) = &response.did_you_mean else { return Ok(()) };
        prop_assert!(meant != &typed);
        prop_assert_eq!(words(meant).count(), words(&typed).count());
        for ((_, new), (_, old)) in words(meant).zip(words(&typed)).filter(|((_, new), (_, old))| new != old) {
            let known = |word: &str| found(&kb, &keyword(word)).did_you_mean.is_none();
            let is_stop_word = Language::ALL.iter().any(|language| language.stop_words().contains(&new));
            prop_assert!(is_stop_word || words(&text).any(|(_, word)| plain(word) == new), "{new}");
            prop_assert!(known(new) && !known(old));
        }
    }
}
