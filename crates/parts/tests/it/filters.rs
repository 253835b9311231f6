//! Filters, collections and ids admit the same documents as in memory.

use crate::made::Made;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, Mode, SearchRequest as InMemory};
use vademecum_parts::SearchRequest;
use vademecum_protocol::cancel::Cancel;
use vademecum_testing::{block_on, kb};

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..4i64).prop_map(|number| json!(number)),
        "[ab]{1,2}".prop_map(|text| json!(text)),
        any::<bool>().prop_map(|flag| json!(flag)),
        Just(json!(null)),
        Just(json!("2023-05-01")),
        prop::collection::vec("[ab]", 0..3).prop_map(|list| json!(list)),
        (0..3i64).prop_map(|number| json!({ "inner": number, "name": "a" })),
    ]
}

fn condition() -> impl Strategy<Value = Value> {
    let field = prop::sample::select(vec!["x", "y", "z", "z.inner", "z.name", "a.b", "when"]);
    let operator = prop::sample::select(vec![
        "=", "!=", ">", ">=", "<", "<=", "in", "not_in", "like", "contains", "exists", "between",
    ]);
    (field, operator, value(), value()).prop_map(|(field, operator, one, other)| {
        let value = match operator {
            "in" | "not_in" | "between" => json!([one, other]),
            "exists" => json!(one == json!(true)),
            "like" => json!("%a_"),
            _ => one,
        };
        json!({ field: { operator: value } })
    })
}

fn filter() -> impl Strategy<Value = Value> {
    condition().prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| json!({ "and": parts })),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| json!({ "or": parts })),
            inner.prop_map(|part| json!({ "not": part })),
        ]
    })
}

proptest! {
    #[test]
    fn every_filter_admits_the_same_documents(
        metadata in prop::collection::vec((prop::option::of(value()), prop::option::of(value()), prop::option::of(value()), 0..3usize), 1..20),
        filter in filter(),
        collections in prop::option::of(prop::collection::btree_set(0..3usize, 1..3)),
        documents in prop::option::of(prop::collection::btree_set(0..20usize, 0..6)),
    ) {
        let kb = kb(None);
        let names = ["default", "staff", "other"];
        let schema = json!({ "when": "date" });
        kb.collection("staff", &CollectionOptions { schema: Some(schema), ..CollectionOptions::default() }).unwrap();
        kb.collection("other", &CollectionOptions::default()).unwrap();
        for (at, (x, y, z, collection)) in metadata.into_iter().enumerate() {
            let mut own = serde_json::Map::new();
            own.insert("a.b".into(), json!(at % 3));
            own.insert("when".into(), json!("2023-05-02"));
            for (name, value) in [("x", x), ("y", y), ("z", z)] {
                own.extend(value.map(|value| (name.to_owned(), value)));
            }
            let document = Document { metadata: own, ..Document::new(format!("d{at}"), format!("A common word, number {at}.")) };
            block_on(kb.add(names[collection], vec![document], &Cancel::default(), &|_| {})).unwrap();
        }
        let collections = collections.map(|set| set.into_iter().map(|at| names[at].to_owned()).collect::<Vec<_>>());
        let documents = documents.map(|set: BTreeSet<usize>| set.into_iter().map(|at| format!("d{at}")).collect::<Vec<_>>());
        let made = Made::of(&kb);
        let in_memory = InMemory {
            query: "common".into(), mode: Mode::Keyword, limit: 100,
            filters: Some(filter.clone()), collections: collections.clone(), documents: documents.clone(), ..InMemory::default()
        };
        let request = SearchRequest { query: "common".into(), limit: 100, filters: Some(filter), collections, documents, ..SearchRequest::default() };
        let expected = block_on(kb.search(&in_memory, &Cancel::default())).map(|found| found.hits.into_iter().map(|hit| hit.chunk.id).collect::<Vec<_>>());
        let found = made.search(&request, None).map(|found| found.hits.into_iter().map(|hit| hit.chunk.id).collect::<Vec<_>>());
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn documents_that_are_never_sent_are_not_published() {
    let kb = kb(None);
    let secret: serde_json::Map<String, Value> =
        [("neverSend".to_owned(), json!(true)), ("pay".to_owned(), json!(1))].into_iter().collect();
    let documents = vec![
        Document { metadata: secret, ..Document::new("secret", "Zebra salaries of the board.") },
        Document::new("open", "Opening hours of the library."),
    ];
    vademecum_testing::add(&kb, documents).unwrap();
    assert_eq!(kb.publication().unwrap().withheld, 1);
    let made = Made::of(&kb);
    for query in ["zebra", "salaries", "hours"] {
        let request = SearchRequest { query: query.into(), ..SearchRequest::default() };
        let found = made.search(&request, None).unwrap();
        assert!(found.hits.iter().all(|hit| hit.chunk.doc_id == "open"), "{query}");
    }
    assert_eq!(made.library.manifest().documents, 1);
    let manifest = std::fs::read_to_string(made.folder.path().join("manifest.json")).unwrap();
    assert!(!manifest.contains("pay"), "{manifest}");
    assert_eq!(block_on(made.library.document("default", "secret")).unwrap_err().code(), "unknown_document");
}
