//! Hostile input: every call succeeds or fails with an error code, in bounded time.

use serde_json::{Value, json};
use std::rc::Rc;
use std::time::{Duration, Instant};
use vademecum::cancel::Cancel;
use vademecum::document::{Document, Format};
use vademecum::engine::{KnowledgeBase, Mode, Options, SearchRequest, SearchResponse};
use vademecum::index::Query;
use vademecum::platform::Native;
use vademecum_testing::directory::{Files, Memory, open};
use vademecum_testing::{add, block_on, hashing, ids, kb, markdown, search};

fn ask(kb: &KnowledgeBase, request: SearchRequest) -> vademecum::Result<SearchResponse> {
    block_on(kb.search(&request, &Cancel::default()))
}

fn keyword(query: impl Into<String>) -> SearchRequest {
    SearchRequest { query: query.into(), mode: Mode::Keyword, ..SearchRequest::default() }
}

fn within<T>(limit: Duration, what: &str, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    println!("{what}: {:?}", started.elapsed());
    assert!(started.elapsed() < limit, "{what} took {:?}", started.elapsed());
    done
}

const SECONDS: Duration = Duration::from_secs(10);

fn library() -> KnowledgeBase {
    let kb = kb(hashing());
    let documents = (0..200).map(|n| {
        let mut document =
            markdown(&format!("{n}.md"), &format!("# Title {n}\n\nThe quick fox number {n} says word{n}."));
        document.metadata.insert("n".into(), n.into());
        document
    });
    add(&kb, documents.collect()).unwrap();
    kb
}

#[test]
fn a_filter_of_depth_1000_is_rejected() {
    let kb = library();
    for wrap in [
        |inner: Value| json!({ "not": inner }),
        |inner: Value| json!({ "and": [inner] }),
        |inner: Value| json!([inner]),
        |inner: Value| json!({ "n": inner }),
    ] {
        let deep = (0..1000).fold(json!({ "n": 1 }), |inner, _| wrap(inner));
        let error = ask(&kb, SearchRequest { filters: Some(deep), ..keyword("fox") }).unwrap_err();
        assert!(
            ["filter_invalid", "unknown_field", "filter_type", "unknown_operator"].contains(&error.code()),
            "{error}"
        );
    }
}

#[test]
fn a_query_of_a_megabyte_is_answered() {
    let kb = library();
    let many: String = (0..150_000).map(|n| format!("word{n} ")).collect();
    let shapes = [
        ("words", many.clone()),
        ("one word", "x".repeat(1 << 20)),
        ("quotes", "\"".repeat(1 << 20) + "fox"),
        ("a phrase", format!("\"{many}\"")),
        ("phrases", "\"quick fox\" ".repeat(80_000)),
        ("signs and a word", "?!".repeat(500_000) + " fox"),
    ];
    for (name, query) in shapes {
        for (prefix, typos) in [(false, false), (true, true)] {
            for mode in [Mode::Keyword, Mode::Hybrid] {
                let request = SearchRequest { prefix, typos, mode, ..keyword(query.clone()) };
                let found = within(SECONDS, name, || ask(&kb, request).unwrap());
                assert!(found.hits.len() <= 10);
            }
        }
    }
}

#[test]
fn a_word_of_64_kilobytes_is_indexed_and_searched() {
    let kb = library();
    let long = "q".repeat(64 << 10);
    add(&kb, vec![Document::new("long.txt", format!("Before {long} after. {}", "é".repeat(32 << 10)))])
        .unwrap();
    for query in [long.clone(), format!("\"before {long}\""), "after".into()] {
        let found = within(SECONDS, "a long word", || ask(&kb, keyword(query)).unwrap());
        assert!(found.hits.iter().all(|hit| hit.chunk.doc_id == "long.txt"));
    }
    assert_eq!(ask(&kb, keyword(&long[..60_000])).unwrap().hits[0].chunk.doc_id, "long.txt");
    let typos = SearchRequest { typos: true, ..keyword("w".repeat(64 << 10)) };
    within(SECONDS, "a misspelt long word", || ask(&kb, typos).unwrap());
}

#[test]
fn a_large_document_of_any_shape_is_parsed() {
    large(6 << 20);
}

#[test]
#[ignore = "half a minute; run it with --release"]
fn a_document_of_20_megabytes_of_any_shape_is_parsed() {
    large(20 << 20);
}

fn large(size: usize) {
    let fill = |part: &str| part.repeat(size / part.len());
    let shapes = [
        ("prose", fill("The quick brown fox jumps over the lazy dog. It was never seen again.\n\n")),
        ("one line without spaces", fill("abcdefghij")),
        ("newlines", fill("\n") + "end"),
        ("punctuation", fill("…!?—") + "end"),
    ];
    let options = Options { max_document_bytes: 32 << 20, ..Options::default() };
    for (name, text) in shapes {
        let kb = KnowledgeBase::new(None, Rc::new(Native::default()), options.clone());
        within(Duration::from_secs(60), name, || add(&kb, vec![Document::new("big.txt", text)]).unwrap());
        let found = within(SECONDS, name, || search(&kb, "\"quick brown\" fox end", Mode::Keyword).unwrap());
        assert!(found.hits.len() <= 10, "{name}");
        assert_eq!(kb.remove("default", &["big.txt".into()]).unwrap(), 1, "{name}");
    }
    let kb = KnowledgeBase::new(None, Rc::new(Native::default()), options);
    assert_eq!(add(&kb, vec![Document::new("p.txt", fill("…!?"))]).unwrap_err().code(), "empty_document");
}

#[test]
fn unusual_documents_are_stored_unchanged() {
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    let odd_ids =
        ["a/b#0", "../x", "\u{200b}", "\u{0}", "🐈", "a\nb", " x ", "\"q\"", "default/a", "%2e", "a:b"];
    let documents: Vec<Document> = odd_ids
        .iter()
        .enumerate()
        .map(|(at, id)| {
            let mut document =
                Document::new(*id, format!("od\u{200b}d\u{0}\u{7f}\u{feff} text number{at} \u{202e}zzz"));
            document.format = Some(Format::Markdown);
            document.title = Some(["", " ", "\u{0}", "...", "(x)"][at % 5].into());
            document.url = Some(["", "#", "/"][at % 3].into());
            document
        })
        .collect();
    add(&kb, documents).unwrap();
    for kb in [&kb, &open(&memory).unwrap()] {
        for (at, id) in odd_ids.iter().enumerate() {
            assert_eq!(kb.document("default", id).unwrap().document.id, *id);
            assert_eq!(ids(&search(kb, &format!("number{at}"), Mode::Keyword).unwrap()), [*id]);
        }
    }
    assert_eq!(kb.remove("default", &odd_ids.map(str::to_owned)).unwrap(), odd_ids.len());
}

#[test]
fn ten_thousand_headings_give_ten_thousand_chunks() {
    let text: String =
        (0..10_000).map(|n| format!("{} Part {n}\n\nText{n} of it.\n\n", "#".repeat(1 + n % 6))).collect();
    let kb = kb(None);
    within(SECONDS, "adding", || add(&kb, vec![markdown("h.md", &text)]).unwrap());
    let found = within(SECONDS, "searching", || search(&kb, "text9999", Mode::Keyword).unwrap());
    assert!(found.hits[0].chunk.text.contains("Text9999"));
    let all = SearchRequest { limit: 10_000, ..keyword("part") };
    let found = within(SECONDS, "ten thousand hits", || ask(&kb, all).unwrap());
    assert!(found.hits.len() > 5_000 && found.total >= found.hits.len(), "{}", found.hits.len());
    within(SECONDS, "removing", || kb.remove("default", &["h.md".into()]).unwrap());
}

fn tiny(count: usize) -> Duration {
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    let documents = (0..count).map(|n| {
        let mut document = Document::new(format!("{n}"), format!("tiny number{n} group{}", n % 100));
        document.title = Some(format!("Item{n} title"));
        document
    });
    let documents = documents.collect();
    let started = Instant::now();
    add(&kb, documents).unwrap();
    let took = started.elapsed();
    block_on(kb.maintain()).unwrap();
    let last = format!("number{}", count - 1);
    assert_eq!(search(&kb, &last, Mode::Keyword).unwrap().total, 1);
    let found = search(&kb, "tiny group7", Mode::Hybrid).unwrap();
    assert!(found.hits[0].chunk.text.ends_with("group7"));
    let again = open(&memory).unwrap();
    assert_eq!(again.stats().unwrap().documents, count);
    took
}

#[test]
fn many_tiny_documents_are_inserted_fast() {
    let took = tiny(10_000);
    assert!(took < SECONDS, "{took:?}");
}

#[test]
#[ignore = "half a minute; run it with --release"]
fn a_hundred_thousand_tiny_documents_are_inserted_fast() {
    println!("{:?}", tiny(100_000));
}

#[test]
fn a_snapshot_is_not_affected_by_later_writes() {
    let mut index = vademecum::index::Index::new(false);
    let source = |text: &str| vademecum_testing::model::Source {
        collection: "a",
        id: "one.md",
        title: None,
        url: None,
        text: text.into(),
        year: None,
        tags: Vec::new(),
    };
    let found = |searcher: &vademecum::index::Searcher, words: &str| {
        searcher.search(&Query { keywords: Some(words), limit: 5, ..Query::default() }).unwrap().best.len()
    };
    index.insert(vec![source("old text").prepared()]);
    index.seal();
    let before = index.searcher();
    index.insert(vec![source("new text").prepared()]);
    index.seal();
    let between = index.searcher();
    let job = index.next_merge().expect("a segment of deleted chunks");
    index.remove("a", "one.md");
    let merged = block_on(job.run(&|| Box::pin(std::future::ready(())))).expect("all sources are in memory");
    index.finish_merge(merged);
    let after = index.searcher();
    assert_eq!((found(&before, "old"), found(&before, "new")), (1, 0));
    assert_eq!((found(&between, "old"), found(&between, "new")), (0, 1));
    assert_eq!((found(&after, "old"), found(&after, "new")), (0, 0));
}
