//! Chunk ids are unique whatever collections and documents are called, and ids of older versions are still
//! accepted.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use vademecum::agent::context::Context;
use vademecum::agent::event::Event;
use vademecum::agent::ports::{NoFunctions, Source};
use vademecum::cancel::Cancel;
use vademecum::document::{chunk_id, parse_chunk_id};
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum_testing::agent::{FunctionLlm, NoLlm, pipeline, run_with, says};
use vademecum_testing::{block_on, hashing, kb, markdown};

const NAME: &str = "[a/#%25F0-]{0,6}";

proptest! {
    #[test]
    fn chunk_ids_are_unique_and_can_be_parsed(
        chunks in prop::collection::btree_set((NAME, NAME, 0usize..12), 0..40),
    ) {
        let ids: BTreeSet<String> = chunks.iter().map(|(collection, document, at)| chunk_id(collection, document, *at)).collect();
        prop_assert_eq!(ids.len(), chunks.len());
        for (collection, document, at) in &chunks {
            let id = chunk_id(collection, document, *at);
            prop_assert_eq!(parse_chunk_id(&id), Some((collection.clone(), document.as_str(), *at)));
        }
    }

    #[test]
    fn only_ids_that_round_trip_are_parsed(text in "[a/#%2F015]{0,10}") {
        if let Some((collection, document, at)) = parse_chunk_id(&text) {
            prop_assert_eq!(chunk_id(&collection, document, at), text);
        }
    }
}

#[test]
fn ids_have_the_documented_form() {
    let listed: Vec<(String, String, usize, String)> =
        serde_json::from_str(include_str!("../../../../tests/data/chunk-ids.json")).unwrap();
    for (collection, document, at, id) in listed {
        assert_eq!(chunk_id(&collection, &document, at), id);
        assert_eq!(parse_chunk_id(&id), Some((collection, document.as_str(), at)));
    }
    for wrong in ["", "a", "a/b", "a#0", "a/b#", "a/b#x", "a/b#01", "a/b#-1", "a/b#+1", "%/b#0", "%2f/b#0"] {
        assert_eq!(parse_chunk_id(wrong), None, "{wrong}");
    }
}

/// Two documents whose collection and id are equal when joined by an unescaped slash.
fn two_of_a_name() -> KnowledgeBase {
    let kb = kb(hashing());
    let one = markdown("b/c", "# Notice\n\nThe notice period of the ACME contract is thirty days.");
    let other = markdown("c", "# Notice\n\nThe notice period of the Globex contract is ninety days.");
    for (collection, document) in [("a", one), ("a/b", other)] {
        kb.collection(collection, &CollectionOptions::default()).unwrap();
        block_on(kb.add(collection, vec![document], &Cancel::default(), &|_| {})).unwrap();
    }
    kb
}

const ASKED: &str = "What is the notice period of the contracts?";

#[test]
fn documents_with_the_same_unescaped_path_are_both_evidence_and_both_in_the_ledger() {
    let kb = two_of_a_name();
    let llm = FunctionLlm::new(|_, _| says("Thirty days [1] and ninety days [2]."));
    let fields = json!({
        "question": ASKED, "collections": ["a", "a/b"],
        "steps": [{ "step": "search" }, { "step": "answer" }],
    });
    let (result, _) = run_with(&pipeline(fields), &kb, &llm, &NoFunctions, Cancel::default());
    let mut found: Vec<String> = result.evidence().iter().map(|hit| hit.chunk.id.clone()).collect();
    found.sort();
    assert_eq!(found, ["a%2Fb/c#0", "a/b/c#0"]);
    assert!(result.invalid_citations.is_empty(), "{:?}", result.invalid_citations);
    let sources: BTreeSet<(String, String)> = llm
        .asked
        .borrow()
        .iter()
        .flat_map(|(_, request)| request.sources.clone())
        .map(|Source { collection, doc_id, .. }| (collection, doc_id))
        .collect();
    assert_eq!(sources.len(), 2, "{sources:?}");
}

/// Replaces the ids in a checkpoint by those of versions that did not escape them.
fn with_old_ids(state: &Value) -> Value {
    let text = state.to_string();
    assert!(text.contains("a%2Fb/c#0"), "{text}");
    serde_json::from_str(&text.replace("a%2Fb/c#0", "a/b/c#0")).unwrap()
}

/// Returns the first checkpoint of a run that has found a passage.
fn stopped(kb: &KnowledgeBase, collections: &[&str]) -> Value {
    let fields = json!({
        "question": ASKED, "collections": collections, "style": { "name": "graph" }, "checkpoints": true,
    });
    let (_, events) = run_with(&pipeline(fields), kb, &NoLlm, &NoFunctions, Cancel::default());
    let events = events.0.borrow();
    let mut states = events.iter().filter_map(|event| match event {
        Event::Checkpoint { state } => Some(state.clone()),
        _ => None,
    });
    states.find(|state| state.to_string().contains("a%2Fb/c#0")).expect("a state with a passage")
}

fn gone_on_with(kb: &KnowledgeBase, state: &Value) -> Context {
    let fields = json!({ "question": "-", "resume": { "state": state } });
    run_with(&pipeline(fields), kb, &NoLlm, &NoFunctions, Cancel::default()).0
}

#[test]
fn a_checkpoint_with_older_ids_resumes_with_the_same_passages() {
    let kb = two_of_a_name();
    let state = stopped(&kb, &["a/b"]);
    let (now, before) = (gone_on_with(&kb, &state), gone_on_with(&kb, &with_old_ids(&state)));
    assert_eq!(before.log.error, None);
    let ids = |result: &Context| result.evidence().into_iter().map(|hit| hit.chunk.id).collect::<Vec<_>>();
    assert_eq!(ids(&before), ["a%2Fb/c#0"]);
    assert_eq!((ids(&before), before.answer, before.citations), (ids(&now), now.answer, now.citations));
}

#[test]
fn a_checkpoint_with_an_ambiguous_id_is_rejected() {
    let kb = two_of_a_name();
    let error = gone_on_with(&kb, &with_old_ids(&stopped(&kb, &["a", "a/b"]))).log.error.unwrap();
    assert_eq!(error.code, "invalid_state");
    assert!(error.message.contains("a/b/c#0"), "{}", error.message);
}
