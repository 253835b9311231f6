//! Document summaries, user fields of the same name, and URLs of hits.

use serde_json::json;
use vademecum::agent::ports::Searcher;
use vademecum::document::Document;
use vademecum::engine::{KnowledgeBase, Mode};
use vademecum_testing::{add, block_on, ids, kb, markdown, search};

fn with(id: &str, summary: Option<&str>, metadata: serde_json::Value) -> Document {
    let metadata = metadata.as_object().unwrap().clone();
    Document { summary: summary.map(Into::into), metadata, ..markdown(id, "# Part\n\nIt goes on.") }
}

fn found(kb: &KnowledgeBase, words: &str) -> Vec<String> {
    ids(&search(kb, words, Mode::Keyword).unwrap()).into_iter().map(Into::into).collect()
}

#[test]
fn a_field_named_summary_is_an_ordinary_field() {
    let kb = kb(None);
    let own = json!({ "summary": "Walruses sleep.", "year": 2023 });
    let both = with("both", Some("How beavers build dams."), own.clone());
    add(&kb, vec![with("own", None, own.clone()), both]).unwrap();
    let copy = vademecum_testing::kb(None);
    block_on(copy.import(&kb.export().unwrap())).unwrap();
    for kb in [kb, copy] {
        assert!(found(&kb, "walruses").is_empty(), "what it says is no part of a passage");
        assert_eq!(found(&kb, "beavers"), ["both"]);
        let hit = search(&kb, "goes on", Mode::Keyword).unwrap().hits.into_iter();
        let summaries: Vec<_> =
            hit.map(|hit| (hit.chunk.doc_id.clone(), hit.chunk.summary().map(str::to_owned))).collect();
        assert!(summaries.contains(&("own".into(), None)), "{summaries:?}");
        assert!(
            summaries.contains(&("both".into(), Some("How beavers build dams.".into()))),
            "{summaries:?}"
        );
        let schema = &kb.collections().unwrap()[0].schema;
        assert!(schema.get("summary").is_some() && schema.get("vademecumSummary").is_none(), "{schema}");
        let document = kb.document("default", "both").unwrap().document;
        assert_eq!(
            (document.summary.as_deref(), json!(document.metadata)),
            (Some("How beavers build dams."), own.clone())
        );
        add(&kb, vec![document]).unwrap();
        assert_eq!(found(&kb, "beavers"), ["both"]);
    }
}

#[test]
fn metadata_with_the_reserved_name_is_rejected_and_the_document_named() {
    let kb = kb(None);
    let error = add(&kb, vec![with("mine", None, json!({ "vademecumSummary": "x" }))]).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    let said = error.to_string();
    assert!(
        said.contains("`mine`") && said.contains("`vademecumSummary`") && said.contains("`summary`"),
        "{said}"
    );
    assert_eq!(kb.stats().unwrap().documents, 0);
}

#[test]
fn a_hit_omits_a_url_that_must_not_become_a_link_but_the_document_keeps_it() {
    let kb = kb(None);
    let at =
        |id: &str, url: &str| Document { url: Some(url.into()), ..markdown(id, "The notice is 60 days.") };
    let bad = [
        ("a", "javascript:alert(1)"),
        ("b", " JAVA\tscript:x"),
        ("c", "file:///etc/passwd"),
        ("d", "https://e.example/\u{1b}[0m"),
    ];
    let good = [("e", "https://e.example/?a=1"), ("f", "/notes/f.md#part"), ("g", "mailto:a@b.example")];
    add(&kb, bad.iter().chain(&good).map(|(id, url)| at(id, url)).collect()).unwrap();
    let hits = search(&kb, "notice", Mode::Keyword).unwrap().hits;
    assert_eq!(hits.len(), 7);
    for hit in hits {
        let kept = good.iter().find(|(id, _)| *id == hit.chunk.doc_id).map(|(_, url)| (*url).to_owned());
        assert_eq!(hit.chunk.url, kept, "{}", hit.chunk.doc_id);
    }
    for (id, url) in bad.iter().chain(&good) {
        assert_eq!(kb.document("default", id).unwrap().document.url.as_deref(), Some(*url));
    }
}
