//! Query syntax and search options.

use serde_json::json;
use std::collections::BTreeSet;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase, Mode, SearchRequest, SearchResponse};
use vademecum::index::vectors::Method;
use vademecum_testing::{add, block_on, hashing, ids, kb, markdown};

fn music() -> KnowledgeBase {
    let kb = kb(hashing());
    let documents = vec![
        markdown("who.md", "# The Who\n\nAn English rock band from London."),
        markdown(
            "stones.md",
            "# The Rolling Stones\n\nA rock band from London. Stones were rolling when the band began.",
        ),
        markdown(
            "dylan.md",
            "# Like a Rolling Stone\n\nA song by Bob Dylan; a rock critic liked it. A cold day in London.",
        ),
        markdown(
            "geology.md",
            "# Geology\n\nA stone is a rock. Rocks that roll are called rolling rocks, or stones.",
        ),
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

#[test]
fn quoted_phrases_rank_first_and_are_required_if_strict() {
    let kb = music();
    let open = found(&kb, &keyword("\"rolling stone\" rock London"));
    assert_eq!(ids(&open)[0], "dylan.md", "{:?}", ids(&open));
    assert!(open.hits.len() > 1, "the others are still there");
    for mode in [Mode::Keyword, Mode::Hybrid] {
        let strict = SearchRequest { strict_phrases: true, mode, ..keyword("\"rolling stone\" rock London") };
        assert_eq!(ids(&found(&kb, &strict)), ["dylan.md"], "{mode:?}");
    }
    let nowhere = SearchRequest { strict_phrases: true, ..keyword("\"rock stone\"") };
    assert_eq!(found(&kb, &nowhere).hits.len(), 0);
}

#[test]
fn an_unclosed_quotation_mark_is_an_ordinary_character() {
    assert_eq!(ids(&found(&music(), &keyword("Dylan\"")))[0], "dylan.md");
}

#[test]
fn a_name_of_stop_words_is_found_as_a_phrase() {
    let kb = music();
    assert_eq!(ids(&found(&kb, &keyword("the who"))), ["who.md"]);
    assert_eq!(found(&kb, &keyword("who the")).hits.len(), 0);
}

#[test]
fn a_question_of_stop_words_only_is_still_searched_by_vector() {
    let request = SearchRequest { mode: Mode::Hybrid, threshold: -1.0, ..keyword("What is this about?") };
    assert_eq!(found(&music(), &request).hits.len(), 4);
}

#[test]
fn typos_are_corrected_if_enabled() {
    let kb = music();
    assert_eq!(found(&kb, &keyword("Dillan")).hits.len(), 0);
    let forgiving = |query: &str| SearchRequest { typos: true, ..keyword(query) };
    assert_eq!(ids(&found(&kb, &forgiving("Dilan"))), ["dylan.md"]);
    assert_eq!(ids(&found(&kb, &forgiving("gelogy"))), ["geology.md"]);
    let known = found(&kb, &forgiving("stone"));
    assert_eq!(ids(&known), ids(&found(&kb, &keyword("stone"))), "a word that is there is not corrected");
}

#[test]
fn words_adjacent_in_the_question_and_in_a_text_score_higher() {
    let kb = kb(None);
    let documents = vec![
        Document::new(
            "apart",
            "The bank was steep. We sat by the river. A steep river bank has no bank clerk.",
        ),
        Document::new(
            "together",
            "The river bank was steep. We sat there, and there was nobody but us that day.",
        ),
        Document::new(
            "other",
            "Nothing of interest stands here, whatever one may look for in it on any day.",
        ),
    ];
    add(&kb, documents).unwrap();
    let hits = found(&kb, &keyword("day at a river bank")).hits;
    assert_eq!(hits[0].chunk.doc_id, "together");
}

#[test]
fn each_collection_is_stemmed_in_its_language() {
    let kb = kb(None);
    kb.collection(
        "de",
        &CollectionOptions { language: Some("german".into()), ..CollectionOptions::default() },
    )
    .unwrap();
    let german = vec![Document::new("katzen", "Die Katzen schnurren, wenn sie zufrieden sind.")];
    block_on(kb.add("de", german, &Cancel::default(), &|_| {})).unwrap();
    add(&kb, vec![Document::new("cats", "The cats are purring because they are content.")]).unwrap();
    assert_eq!(ids(&found(&kb, &keyword("Katze"))), ["katzen"]);
    assert_eq!(ids(&found(&kb, &keyword("cat purrs"))), ["cats"]);
    let stats = kb.stats().unwrap();
    let languages: Vec<_> = stats.collections.iter().map(|one| one.language.map(|one| one.code())).collect();
    assert_eq!(languages, [Some("de"), Some("en")]);
}

/// A German letter, an English one, and a table whose text does not tell its language.
fn letters() -> [Document; 3] {
    let brief = "Sehr geehrte Frau Brandt, hiermit kündigen wir den Vertrag über die Wohnung zum Ende des nächsten Monats. Wir bitten Sie, \
                 uns den Eingang dieses Schreibens zu bestätigen und mit uns einen Termin für die Übergabe der Schlüssel zu vereinbaren.";
    let letter = "Dear Ms Brandt, we hereby cancel both contracts for the flat at the end of next month. Would you please confirm \
                  that you have received this letter, and suggest a day on which we could hand over the keys and the papers?";
    let table = "name,city\nAnna Berg,Berlin\nHans Meier,Köln\n";
    [Document::new("brief", brief), Document::new("letter", letter), Document::new("table", table)]
}

#[test]
fn each_document_of_a_collection_is_stemmed_in_its_own_language() {
    for turn in 0..2 {
        let kb = kb(None);
        let [brief, letter, table] = letters();
        let ordered = if turn == 0 { vec![brief, letter, table] } else { vec![letter, brief, table] };
        add(&kb, ordered).unwrap();
        assert_eq!(ids(&found(&kb, &keyword("Verträge"))), ["brief"]);
        assert_eq!(ids(&found(&kb, &keyword("contract"))), ["letter"]);
        assert_eq!(ids(&found(&kb, &keyword("Berlin"))), ["table"]);
    }
}

#[test]
fn a_declared_language_is_that_of_all_documents() {
    let kb = kb(None);
    let german = CollectionOptions { language: Some("german".into()), ..CollectionOptions::default() };
    kb.collection("default", &german).unwrap();
    let [_, letter, _] = letters();
    add(&kb, vec![letter]).unwrap();
    assert_eq!(ids(&found(&kb, &keyword("letters"))), ["letter"]);
    assert_eq!(found(&kb, &keyword("receiving")).hits.len(), 0, "only English has its stem in \"received\"");
}

#[test]
fn stop_words_of_the_questions_language_do_not_match_documents_in_another() {
    let kb = kb(None);
    let [brief, letter, _] = letters();
    let quoting = Document::new(
        "zitat",
        "Der Text auf dem Schild lautet, wie wir von den Nachbarn wissen, \"what is the thing\", und das ist schon alles, was man \
         auf ihm lesen kann, wenn man nicht nahe an das Schild tritt, das hinter dem Haus neben der alten Garage hängt.",
    );
    add(&kb, vec![brief, letter, quoting]).unwrap();
    assert_eq!(ids(&found(&kb, &keyword("what is the contract"))), ["letter"]);
    let poems = Document::new(
        "poems",
        "It is a book of poems that have been written about the long war, which they had seen, and those who were there.",
    );
    add(&kb, vec![poems]).unwrap();
    assert_eq!(ids(&found(&kb, &keyword("war poems"))), ["poems"], "\"war\" alone does not make it German");
}

#[test]
fn a_rejected_addition_does_not_set_the_collections_language() {
    let kb = kb(None);
    let mixed = vec![
        Document::new("eins", "Die Katzen schnurren, wenn sie zufrieden sind."),
        Document::new("leer", " "),
    ];
    assert_eq!(add(&kb, mixed).unwrap_err().code(), "empty_document");
    assert_eq!(kb.stats().unwrap().collections[0].language, None);
}

#[test]
fn an_explanation_has_both_retrievers_and_the_vector_method() {
    let request = SearchRequest { explain: true, mode: Mode::Hybrid, ..keyword("rock band") };
    let explained = found(&music(), &request).hits[0].explain.clone().unwrap();
    assert_eq!(explained["keyword"]["rank"], 1);
    assert!(explained["keyword"]["score"].as_f64().unwrap() > 0.0);
    assert_eq!(explained["vector"]["method"], json!(Method::Exact));
}

#[test]
fn numbers_out_of_range_are_rejected_by_name() {
    let kb = music();
    let refused = |request: SearchRequest| {
        let error = block_on(kb.search(&request, &Cancel::default())).unwrap_err();
        (error.code(), error.to_string())
    };
    for (request, name) in [
        (SearchRequest { limit: 0, ..keyword("x") }, "limit"),
        (SearchRequest { limit: 1 << 30, ..keyword("x") }, "limit"),
        (SearchRequest { ef: Some(0), ..keyword("x") }, "ef"),
        (SearchRequest { threshold: f32::NAN, ..keyword("x") }, "threshold"),
        (SearchRequest { collections: Some(Vec::new()), ..keyword("x") }, "collections"),
    ] {
        let (code, message) = refused(request);
        assert_eq!(code, "invalid_argument");
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn metadata_nested_too_deep_is_rejected() {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({ "in": deep });
    }
    let mut document = Document::new("deep", "Text.");
    document.metadata.insert("field".into(), deep);
    let kb = kb(None);
    let error = add(&kb, vec![document.clone()]).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(error.to_string().contains("deep"), "{error}");
    assert_eq!(kb.stats().unwrap().documents, 0, "nothing of it is kept");
    let shallow = json!({ "in": { "in": [1] } });
    document.metadata.insert("field".into(), shallow.clone());
    add(&kb, vec![document]).unwrap();
    assert_eq!(found(&kb, &keyword("text")).hits[0].chunk.metadata["field"], shallow);
}

#[test]
fn a_number_that_javascript_cannot_represent_is_rejected() {
    let mut document = Document::new("big", "Text.");
    document.metadata.insert("big".into(), json!(9_007_199_254_740_993_i64));
    let kb = kb(None);
    let error = add(&kb, vec![document.clone()]).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(error.to_string().contains("big"), "{error}");
    assert_eq!(kb.stats().unwrap().documents, 0, "nothing of it is kept");
    document.metadata.insert("big".into(), json!(9_007_199_254_740_991_i64));
    add(&kb, vec![document]).unwrap();
    let kept = &found(&kb, &keyword("text")).hits[0].chunk.metadata["big"];
    assert_eq!(kept.as_f64(), Some(9_007_199_254_740_991.0), "the largest one that it can hold is kept");
}

#[test]
fn declaring_a_field_keeps_earlier_declarations() {
    let kb = kb(None);
    let declare = |schema| {
        kb.collection("default", &CollectionOptions { schema: Some(schema), ..CollectionOptions::default() })
    };
    declare(json!({ "year": "number" })).unwrap();
    declare(json!({ "signed": "date" })).unwrap();
    assert_eq!(kb.stats().unwrap().collections[0].schema, json!({ "year": "number", "signed": "date" }));
    // Both declarations apply to documents added later.
    let mut document = Document::new("a", "Text.");
    document.metadata.insert("year".into(), "soon".into());
    assert_eq!(add(&kb, vec![document]).unwrap_err().code(), "metadata_type");
}

#[test]
fn a_complete_word_that_is_also_a_prefix_is_found_across_segments() {
    let kb = kb(None);
    for segment in 0..3 {
        let exact = markdown(&format!("exact-{segment}.md"), "The time is measured in seconds.");
        // More completions than the limit, each in more documents than the complete word.
        let longer: String =
            ('a'..='z').flat_map(|one| [format!("timex{one} "), format!("timez{one} ")]).collect();
        let longer = (0..9).map(|at| markdown(&format!("longer-{segment}-{at}.md"), &longer));
        add(&kb, [exact].into_iter().chain(longer).collect()).unwrap();
        kb.export().unwrap(); // seals the tail
    }
    assert!(kb.stats().unwrap().index.segments > 1);
    for typed in ["t", "ti", "tim", "time"] {
        let request = SearchRequest { prefix: true, limit: 100, ..keyword(typed) };
        let all = found(&kb, &request);
        assert!(!all.hits.is_empty(), "{typed} finds words that begin so");
        if typed == "time" {
            let exact: BTreeSet<&str> = ids(&all).into_iter().filter(|id| id.starts_with("exact")).collect();
            assert_eq!(exact, BTreeSet::from(["exact-0.md", "exact-1.md", "exact-2.md"]));
        }
    }
}
