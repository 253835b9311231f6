//! Questions for what something is.

use serde_json::json;
use vademecum::agent::context::Context;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::CollectionOptions;
use vademecum_testing::agent::{NoLlm, TestFunctions, pipeline, run_with};
use vademecum_testing::{add, block_on, kb, markdown};

fn asked(documents: Vec<Document>, question: &str) -> Context {
    let kb = kb(None);
    add(&kb, documents).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let asked = pipeline(json!({ "question": question, "limit": 3, "steps": steps }));
    run_with(&asked, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
}

/// Passages about weirs, of which only the last says what one is.
fn weirs(definition: &str) -> Vec<Document> {
    let mut all: Vec<Document> = (1..=8)
        .map(|at| {
            markdown(
                &format!("weir-{at}.md"),
                &format!("# Weir {at}\n\nThe weir, the old weir of mill {at}: go to the weir."),
            )
        })
        .collect();
    all.push(markdown("glossary.md", definition));
    all
}

#[test]
fn a_definition_is_found_among_many_passages_that_only_mention_the_thing() {
    let filler =
        "Rivers of the north freeze in some years, and boats wait in the harbour for the thaw to begin. "
            .repeat(3);
    let found = asked(
        weirs(&format!("# Terms\n\n{filler}A weir is a low wall across a river. {filler}")),
        "What is a weir?",
    );
    assert!(
        found.answer.unwrap().starts_with("A weir is a low wall across a river. ["),
        "{:?}",
        found.context_used.len()
    );
    assert_eq!(found.context_used.len(), 3, "the limit holds");
    assert!(found.confidence.unwrap() >= 0.5);
}

#[test]
fn without_a_definition_the_nearest_sentences_are_quoted_with_doubt() {
    let confidence = |question: &str, last: &str| {
        asked(weirs(&format!("# Terms\n\n{last}")), question).confidence.unwrap()
    };
    assert!(confidence("What is a weir?", "A weir is a low wall.") >= 0.5);
    assert!(confidence("What is a weir?", "A lock lifts boats past the weir.") < 0.5);
    assert!(
        confidence("What is the weir of mill 3?", "A lock lifts boats past the weir.") >= 0.5,
        "an attribute is asked for"
    );
}

#[test]
fn the_best_passage_stays_whatever_defines_the_thing() {
    let kb = kb(None);
    add(
        &kb,
        weirs("# Terms\n\nRivers freeze in some years, and boats wait in the harbour. A weir is a low wall."),
    )
    .unwrap();
    let steps = json!([{ "step": "search" }]);
    let asked = pipeline(json!({ "question": "What is a weir?", "limit": 1, "steps": steps }));
    let found = run_with(&asked, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0;
    assert_eq!(found.evidence().len(), 1);
    assert!(found.evidence()[0].chunk.doc_id.starts_with("weir-"));
}

#[test]
fn what_one_thing_is_does_not_ask_for_all_rows_of_a_collection_of_that_name() {
    let chapter = |at: usize, text: &str| {
        let mut chapter = markdown(&format!("{at}.md"), text);
        let titles = [
            "Baskets", "Willows", "Looms", "Rods", "Knots", "Rims", "Lids", "Handles", "Chairs", "Fences",
            "Traps", "Boats",
        ];
        chapter.title = titles.get(at - 1).map(|title| (*title).to_owned());
        chapter.metadata = json!({ "chapter": at }).as_object().unwrap().clone();
        chapter
    };
    let kb = kb(None);
    let options = CollectionOptions {
        description: Some("The Osier Weaving Book, by Ada Lund".into()),
        ..CollectionOptions::default()
    };
    kb.collection("osier-book", &options).unwrap();
    let mut chapters = vec![chapter(1, "Baskets hold apples."), chapter(2, "Osier is a willow.")];
    chapters.extend((3..=12).map(|at| chapter(at, "Cut the osier in winter. The osier grows again.")));
    block_on(kb.add("osier-book", chapters, &Cancel::default(), &|_| {})).unwrap();
    let ask = |question: &str| {
        let steps = json!([{ "step": "search" }, { "step": "answer" }]);
        let asked = pipeline(json!({ "question": question, "steps": steps }));
        run_with(&asked, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
    };
    let found = ask("What is osier?");
    assert!(found.output.is_none(), "{:?}", found.output);
    assert!(found.answer.unwrap().starts_with("Osier is a willow."));
    assert_eq!(ask("List all osier chapters").output.unwrap().total, 12);
}
