//! Behaviour of a knowledge base, and its errors on invalid input.

use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase, Mode, Options, Phase, SearchRequest};
use vademecum::platform::Native;
use vademecum_testing::{TestEmbedder, add, block_on, hashing, ids, kb, markdown, search};

fn code<T: std::fmt::Debug>(result: Result<T, vademecum::Error>) -> &'static str {
    result.unwrap_err().code()
}

fn described(description: &str) -> CollectionOptions {
    CollectionOptions { description: Some(description.into()), ..CollectionOptions::default() }
}

fn pets() -> Vec<Document> {
    vec![
        markdown("cats.md", "# Cats\n\nCats purr when they are content."),
        markdown("dogs.md", "# Dogs\n\nDogs wag their tails when they are content."),
    ]
}

#[test]
fn every_mode_finds_the_relevant_document() {
    let kb = kb(hashing());
    add(&kb, pets()).unwrap();
    for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
        let found = search(&kb, "purring cats", mode).unwrap();
        assert_eq!(ids(&found)[0], "cats.md", "{mode:?}");
        assert_eq!(found.mode, mode);
    }
}

#[test]
fn a_hit_has_its_location() {
    let kb = kb(None);
    let text = "# Cats 🐈\n\nIntro.\n\n## Sounds\n\nThey purr: “mrr”.";
    add(&kb, vec![markdown("cats.md", text)]).unwrap();
    let hit = &search(&kb, "purr", Mode::Keyword).unwrap().hits[0];
    assert_eq!(hit.chunk.id, "default/cats.md#1");
    assert_eq!(hit.chunk.headings, ["Cats 🐈", "Sounds"]);
    assert_eq!(hit.chunk.title.as_deref(), Some("Cats 🐈"));
    let units: Vec<u16> = text.encode_utf16().collect();
    assert_eq!(String::from_utf16(&units[hit.chunk.span.start..hit.chunk.span.end]).unwrap(), hit.chunk.text);
    assert_eq!(&text[hit.chunk.bytes.start..hit.chunk.bytes.end], hit.chunk.text);
}

#[test]
fn keyword_search_works_before_vectors_are_set() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = Rc::new(kb(Some(embedder.clone())));
    let seen = Rc::new(RefCell::new(Vec::new()));
    *embedder.before.borrow_mut() = Some(Box::new({
        let (kb, seen) = (Rc::downgrade(&kb), seen.clone());
        move |_| {
            let kb = kb.upgrade().unwrap();
            seen.borrow_mut()
                .push((search(&kb, "purr", Mode::Keyword).unwrap().hits.len(), kb.stats().unwrap().pending));
        }
    }));
    add(&kb, pets()).unwrap();
    assert_eq!(*seen.borrow(), [(1, 2)]);
    assert_eq!(kb.stats().unwrap().pending, 0);
}

#[test]
fn hybrid_search_does_not_wait_for_a_model_that_is_loading() {
    let embedder = Rc::new(TestEmbedder::default());
    embedder.not_ready.set(true);
    let kb = kb(Some(embedder.clone()));
    add(&kb, pets()).unwrap();
    let calls = embedder.calls.get();
    let found = search(&kb, "purr", Mode::Hybrid).unwrap();
    assert_eq!((found.mode, ids(&found)), (Mode::Keyword, vec!["cats.md"]));
    assert_eq!(embedder.calls.get(), calls);
}

#[test]
fn hybrid_search_reports_why_it_proceeded_without_vectors() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    add(&kb, pets()).unwrap();
    embedder.failing.set(true);
    let found = search(&kb, "purr", Mode::Hybrid).unwrap();
    assert_eq!(found.mode, Mode::Keyword);
    assert_eq!(found.degraded.unwrap()["code"], "embedder_failed");
    assert_eq!(code(search(&kb, "purr", Mode::Vector)), "embedder_failed");
}

#[test]
fn after_an_embedder_failure_the_text_remains_and_embedding_resumes() {
    let embedder = Rc::new(TestEmbedder::default());
    embedder.failing.set(true);
    let kb = kb(Some(embedder.clone()));
    assert_eq!(code(add(&kb, pets())), "embedder_failed");
    assert_eq!(kb.stats().unwrap().pending, 2);
    assert_eq!(ids(&search(&kb, "purr", Mode::Keyword).unwrap()), ["cats.md"]);
    embedder.failing.set(false);
    assert_eq!(block_on(kb.embed_pending(&Cancel::default(), &|_| {})).unwrap(), 2);
    assert_eq!(kb.stats().unwrap().embedded, 2);
}

#[test]
fn cancelling_between_batches_keeps_completed_batches() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    let cancel = Cancel::default();
    *embedder.before.borrow_mut() = Some(Box::new({
        let cancel = cancel.clone();
        move |call| {
            if call == 3 {
                cancel.cancel();
            }
        }
    }));
    let many: Vec<Document> =
        (0..40).map(|n| Document::new(format!("{n}.txt"), format!("Document number {n}."))).collect();
    assert_eq!(code(block_on(kb.add("default", many, &cancel, &|_| {}))), "aborted");
    let stats = kb.stats().unwrap();
    assert_eq!(
        (stats.chunks, stats.embedded),
        (40, 24),
        "the batch under way is finished, no other is begun"
    );
    *embedder.before.borrow_mut() = None;
    assert_eq!(block_on(kb.embed_pending(&Cancel::default(), &|_| {})).unwrap(), 16);
}

#[test]
fn concurrent_additions_both_finish_and_embed_nothing_twice() {
    let embedder = Rc::new(TestEmbedder::default());
    embedder.slow.set(true);
    let kb = kb(Some(embedder.clone()));
    let documents =
        |name: &str| (0..20).map(|n| Document::new(format!("{name}{n}"), format!("{name} {n}"))).collect();
    let never = Cancel::default();
    let quiet = |_| {};
    let all = futures_util::future::join3(
        kb.add("default", documents("left"), &never, &quiet),
        kb.add("default", documents("right"), &never, &quiet),
        kb.embed_pending(&never, &quiet),
    );
    let (left, right, pending) = block_on(all);
    assert_eq!((left.unwrap().chunks, right.unwrap().chunks, pending.unwrap()), (20, 20, 0));
    assert_eq!((kb.stats().unwrap().pending, embedder.texts.borrow().len()), (0, 40));
}

#[test]
fn closing_during_embedding_ends_the_addition() {
    let embedder = Rc::new(TestEmbedder::default());
    embedder.slow.set(true);
    let kb = Rc::new(kb(Some(embedder.clone())));
    *embedder.before.borrow_mut() = Some(Box::new({
        let kb = Rc::downgrade(&kb);
        move |_| kb.upgrade().unwrap().close()
    }));
    assert_eq!(code(add(&kb, pets())), "closed");
}

#[test]
fn a_document_removed_during_embedding_stays_removed() {
    let embedder = Rc::new(TestEmbedder::default());
    embedder.slow.set(true);
    let kb = Rc::new(kb(Some(embedder.clone())));
    *embedder.before.borrow_mut() = Some(Box::new({
        let kb = Rc::downgrade(&kb);
        move |_| assert_eq!(kb.upgrade().unwrap().remove("default", &["cats.md".into()]).unwrap(), 1)
    }));
    add(&kb, pets()).unwrap();
    let stats = kb.stats().unwrap();
    assert_eq!((stats.documents, stats.chunks, stats.embedded), (1, 1, 1));
}

#[test]
fn a_signal_aborted_before_the_call_starts_no_work() {
    let kb = kb(hashing());
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(code(block_on(kb.add("default", pets(), &cancel, &|_| {}))), "aborted");
    assert_eq!(kb.stats().unwrap().documents, 0);
    let request = SearchRequest { query: "cats".into(), ..SearchRequest::default() };
    assert_eq!(code(block_on(kb.search(&request, &cancel))), "aborted");
}

#[test]
fn progress_counts_documents_then_chunks() {
    let kb = kb(hashing());
    let seen = RefCell::new(Vec::new());
    let note = |progress: vademecum::engine::Progress| {
        seen.borrow_mut().push((progress.phase, progress.loaded, progress.total));
    };
    block_on(kb.add("default", pets(), &Cancel::default(), &note)).unwrap();
    assert_eq!(*seen.borrow(), [(Phase::Read, 2, 2), (Phase::Embed, 0, 2), (Phase::Embed, 2, 2)]);
}

#[test]
fn invalid_documents_are_rejected_without_effect() {
    let kb = kb(hashing());
    add(&kb, pets()).unwrap();
    let before = kb.stats().unwrap();
    let good = || Document::new("good.txt", "Fine text.");
    for (bad, expected) in [
        (vec![good(), Document::new("e.txt", " \n\t ")], "empty_document"),
        (vec![good(), Document::new("p.txt", "…!?")], "empty_document"),
        (vec![good(), good()], "duplicate_id"),
        (vec![good(), Document::new("  ", "No id.")], "invalid_argument"),
        (vec![good(), Document::new("big.txt", "word ".repeat(10 << 20))], "document_too_large"),
        (vec![good(), markdown("cats.md", "")], "empty_document"),
    ] {
        assert_eq!(code(add(&kb, bad)), expected);
        assert_eq!(kb.stats().unwrap(), before, "{expected}");
    }
    assert_eq!(ids(&search(&kb, "purr", Mode::Keyword).unwrap()), ["cats.md"]);
}

#[test]
fn a_document_just_under_the_limit_is_read_whole() {
    let options = Options { max_document_bytes: 4 << 20, ..Options::default() };
    let kb = KnowledgeBase::new(None, Rc::new(Native::default()), options);
    let text = "The quick brown fox jumps over the lazy dog. ".repeat((4 << 20) / 45);
    let added =
        block_on(kb.add("default", vec![Document::new("big.txt", text)], &Cancel::default(), &|_| {}))
            .unwrap();
    assert!(added.chunks > 7_000, "{}", added.chunks);
}

#[test]
fn an_unknown_collection_names_the_nearest_one() {
    let kb = kb(None);
    kb.collection("contracts", &described("Signed contracts")).unwrap();
    let error = block_on(kb.add("contrcts", pets(), &Cancel::default(), &|_| {})).unwrap_err();
    assert_eq!(error.code(), "unknown_collection");
    assert!(error.to_string().contains("did you mean `contracts`?"), "{error}");
    let request =
        SearchRequest { query: "x".into(), collections: Some(vec!["no".into()]), ..SearchRequest::default() };
    assert_eq!(code(block_on(kb.search(&request, &Cancel::default()))), "unknown_collection");
    assert_eq!(code(kb.remove("no", &[])), "unknown_collection");
    assert_eq!(code(kb.document("default", "no")), "unknown_document");
}

#[test]
fn a_search_is_restricted_to_its_collections() {
    let kb = kb(hashing());
    kb.collection("notes", &CollectionOptions::default()).unwrap();
    add(&kb, pets()).unwrap();
    let note = vec![Document::new("n.txt", "Cats and dogs.")];
    block_on(kb.add("notes", note, &Cancel::default(), &|_| {})).unwrap();
    for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
        let request = SearchRequest {
            query: "cats".into(),
            collections: Some(vec!["notes".into()]),
            mode,
            ..SearchRequest::default()
        };
        let found = block_on(kb.search(&request, &Cancel::default())).unwrap();
        assert_eq!((ids(&found), found.total), (vec!["n.txt"], 1), "{mode:?}");
    }
}

#[test]
fn an_empty_question_and_invalid_options_are_rejected() {
    let kb = kb(hashing());
    assert_eq!(code(search(&kb, " ?! ", Mode::Hybrid)), "empty_question");
    let ask = |request: SearchRequest| code(block_on(kb.search(&request, &Cancel::default())));
    let cats = || SearchRequest { query: "cats".into(), ..SearchRequest::default() };
    assert_eq!(ask(SearchRequest { limit: 0, ..cats() }), "invalid_argument");
    assert_eq!(ask(SearchRequest { threshold: 1.5, ..cats() }), "invalid_argument");
    assert_eq!(ask(SearchRequest { threshold: f32::NAN, ..cats() }), "invalid_argument");
    assert_eq!(code(search(&vademecum_testing::kb(None), "cats", Mode::Vector)), "no_embedder");
}

#[test]
fn every_call_on_a_closed_knowledge_base_fails() {
    let kb = kb(hashing());
    add(&kb, pets()).unwrap();
    kb.close();
    assert_eq!(code(add(&kb, pets())), "closed");
    assert_eq!(code(search(&kb, "cats", Mode::Keyword)), "closed");
    assert_eq!(code(kb.remove("default", &["cats.md".into()])), "closed");
    assert_eq!(code(kb.collection("x", &CollectionOptions::default())), "closed");
    assert_eq!(code(kb.document("default", "cats.md")), "closed");
    assert_eq!(code(kb.stats()), "closed");
    assert_eq!(code(kb.fingerprint()), "closed");
    assert_eq!(code(block_on(kb.embed_pending(&Cancel::default(), &|_| {}))), "closed");
}

#[test]
fn a_prefix_finds_a_word_as_it_is_typed() {
    let kb = kb(None);
    add(&kb, pets()).unwrap();
    let typed = |query: &str, prefix| {
        let request =
            SearchRequest { query: query.into(), prefix, mode: Mode::Keyword, ..SearchRequest::default() };
        block_on(kb.search(&request, &Cancel::default())).unwrap().hits.len()
    };
    assert_eq!((typed("pur", true), typed("pur", false), typed("pur ", true)), (1, 0, 0));
    assert_eq!(typed("cats pu", true), 1);
    assert_eq!(typed("tails", true), 1);
}

/// Builds a fresh index of the same documents.
fn rebuilt(model: &BTreeMap<String, String>) -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, model.iter().map(|(id, text)| Document::new(id, text)).collect()).unwrap();
    kb
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn any_sequence_of_changes_searches_like_a_fresh_index(
        changes in prop::collection::vec((0usize..6, prop::option::of("(apple|pear|plum|fig|kiwi)( (apple|pear|plum|fig|kiwi)){0,5}")), 1..25),
        query in "(apple|pear|plum|fig) (kiwi|pear)",
    ) {
        let changed = kb(hashing());
        let mut model = BTreeMap::new();
        for (number, text) in changes {
            let id = format!("{number}.txt");
            match text {
                Some(text) => {
                    add(&changed, vec![Document::new(&id, &text)]).unwrap();
                    model.insert(id, text);
                }
                None => {
                    let removed = changed.remove("default", std::slice::from_ref(&id)).unwrap();
                    prop_assert_eq!(removed == 1, model.remove(&id).is_some());
                }
            }
        }
        let fresh = rebuilt(&model);
        let counts = |kb: &KnowledgeBase| {
            let stats = kb.stats().unwrap();
            (stats.documents, stats.chunks, stats.embedded, stats.pending)
        };
        prop_assert_eq!(counts(&changed), counts(&fresh));
        for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
            let scores = |kb: &KnowledgeBase| {
                let mut hits: Vec<(String, i64)> = search(kb, &query, mode).unwrap().hits.iter()
                    .map(|hit| (hit.chunk.id.clone(), (hit.score * 1e4).round() as i64))
                    .collect();
                hits.sort();
                hits
            };
            prop_assert_eq!(scores(&changed), scores(&fresh), "{:?}", mode);
        }
    }
}
