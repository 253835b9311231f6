//! Searches over the library and remote collections.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::{Document, parse_chunk_id};
use vademecum::engine::federation::{Leaves, RemoteOptions, SourceReport};
use vademecum::engine::{
    CollectionOptions, KnowledgeBase, ListRequest, Mode, Options, SearchRequest, SearchResponse, View,
};
use vademecum::error::{Error, Result};
use vademecum::searcher::{SearchLimits, Searcher};
use vademecum_testing::remote::{Elsewhere, Passing, Scripted};
use vademecum_testing::{add, block_on, hashing, hashing_named, ids, kb, markdown};

const TEXTS: [(&str, &str); 8] = [
    ("tides.md", "The moon pulls the sea, and the tide rises twice a day."),
    ("harbour.md", "Ships wait outside the harbour until the tide is high enough."),
    ("bread.md", "Bread rises because yeast makes gas in the warm dough."),
    ("moon.md", "The moon is a quarter as wide as the earth."),
    ("salt.md", "Sea water is salty; a litre of it holds thirty-five grams of salt."),
    ("yeast.md", "Yeast is a fungus that ferments sugar."),
    ("ferry.md", "The ferry sails at high tide only, so its hours change every day."),
    ("oven.md", "An oven for bread has to be hot before the dough goes in."),
];

fn document(at: usize) -> Document {
    let (id, text) = TEXTS[at];
    let mut document = markdown(id, text);
    document.metadata.insert("number".into(), json!(at));
    document
}

fn library(which: impl Fn(usize) -> bool) -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, (0..TEXTS.len()).filter(|at| which(*at)).map(document).collect()).unwrap();
    kb
}

fn passing(which: impl Fn(usize) -> bool) -> KnowledgeBase {
    let kb = KnowledgeBase::new(hashing(), Rc::new(Passing::default()), Options::default());
    add(&kb, (0..TEXTS.len()).filter(|at| which(*at)).map(document).collect()).unwrap();
    kb
}

fn is_even(at: usize) -> bool {
    at.is_multiple_of(2)
}

/// A library with the even texts, and one with the others attached to it.
fn halves() -> (KnowledgeBase, Rc<Elsewhere>) {
    let (kb, other) = (library(is_even), Elsewhere::of(library(|at| !is_even(at))));
    kb.attach("far", other.clone(), RemoteOptions::default()).unwrap();
    (kb, other)
}

pub(crate) fn asking(query: &str, mode: Mode) -> SearchRequest {
    SearchRequest { query: query.into(), mode, threshold: -1.0, ..SearchRequest::default() }
}

fn found(kb: &KnowledgeBase, request: &SearchRequest) -> Result<SearchResponse> {
    block_on(kb.search(request, &Cancel::default()))
}

pub(crate) fn sources(response: &SearchResponse) -> &[SourceReport] {
    response.sources.as_deref().unwrap_or_default()
}

pub(crate) fn code(report: &SourceReport) -> &str {
    report.error.as_ref().map_or("none", |error| error["code"].as_str().unwrap())
}

/// Attaches a collection with one outcome to the even texts, and searches.
pub(crate) fn with(outcome: Option<Result<Value>>, request: &SearchRequest) -> Result<SearchResponse> {
    let kb = passing(is_even);
    kb.attach("far", Scripted::of(outcome), RemoteOptions::default()).unwrap();
    found(&kb, request)
}

#[test]
fn two_halves_rank_as_the_whole_library_does_by_vector() {
    let (halves, _) = halves();
    let whole = library(|_| true);
    for query in
        ["when does the tide rise?", "yeast in bread", "salt water of the sea", "how wide is the moon"]
    {
        let request = asking(query, Mode::Vector);
        let (apart, together) = (found(&halves, &request).unwrap(), found(&whole, &request).unwrap());
        // Passages of equal cosine may change places.
        let set = |response: &SearchResponse| {
            ids(response).iter().map(ToString::to_string).collect::<BTreeSet<_>>()
        };
        assert_eq!((ids(&apart)[0], set(&apart)), (ids(&together)[0], set(&together)), "{query}");
        for (one, other) in apart.hits.iter().zip(&together.hits) {
            assert!((one.score - other.score).abs() < 1e-3, "{query}: {} and {}", one.score, other.score);
        }
    }
}

#[test]
fn two_halves_rank_nearly_as_the_whole_library_does_by_both() {
    let (halves, _) = halves();
    let whole = library(|_| true);
    for query in ["when does the tide rise?", "yeast in bread", "salt water of the sea"] {
        let request = SearchRequest { threshold: 0.0, ..asking(query, Mode::Hybrid) };
        let (apart, together) = (found(&halves, &request).unwrap(), found(&whole, &request).unwrap());
        // Words are rarer or less rare in a half, so scores by words differ a little.
        assert_eq!(ids(&apart)[0], ids(&together)[0], "{query}");
        let names: BTreeSet<&str> = apart.hits.iter().map(|hit| hit.chunk.collection.as_str()).collect();
        assert_eq!(names, BTreeSet::from(["default", "far"]), "{query}");
    }
}

#[test]
fn passages_that_were_found_by_vectors_alone_are_rated_by_their_words_here() {
    let kb = library(is_even);
    let other = Rc::into_inner(Elsewhere::of(library(|at| !is_even(at)))).unwrap();
    let other = Elsewhere { vectors_only: true, ..other };
    kb.attach("far", Rc::new(other), RemoteOptions::default()).unwrap();
    let request = SearchRequest { explain: true, ..asking("yeast fungus sugar", Mode::Hybrid) };
    let response = found(&kb, &request).unwrap();
    assert_eq!(ids(&response)[0], "yeast.md");
    let arms = response.hits[0].explain.clone().unwrap();
    assert!(arms["keyword"]["score"].as_f64().unwrap() > 0.5, "{arms}");
    assert_eq!(arms["keyword"]["rank"], 1);
    assert!(arms["vector"]["score"].as_f64().unwrap() > 0.0, "{arms}");
}

#[test]
fn hits_carry_the_name_of_their_collection_and_ids_that_can_be_parsed() {
    let (kb, _) = halves();
    let response = found(&kb, &asking("tide", Mode::Vector)).unwrap();
    for hit in &response.hits {
        let (collection, document, _) = parse_chunk_id(&hit.chunk.id).unwrap();
        assert_eq!(
            (collection.as_str(), document),
            (hit.chunk.collection.as_str(), hit.chunk.doc_id.as_str())
        );
    }
    assert_eq!(response.hits.iter().filter(|hit| hit.chunk.collection == "far").count(), 4);
    let [report] = sources(&response) else { panic!("{response:?}") };
    assert_eq!(
        (report.collection.as_str(), report.hits, report.sent, code(report)),
        ("far", 4, true, "none")
    );
}

#[test]
fn collections_choose_which_are_asked() {
    let (kb, other) = halves();
    let only =
        |name: &str| SearchRequest { collections: Some(vec![name.into()]), ..asking("tide", Mode::Vector) };
    let local = found(&kb, &only("default")).unwrap();
    assert_eq!((other.requests.borrow().len(), local.sources.is_none()), (0, true));
    let far = found(&kb, &only("far")).unwrap();
    assert!(far.hits.iter().all(|hit| hit.chunk.collection == "far") && far.hits.len() == 4);
    assert_eq!(found(&kb, &only("fra")).unwrap_err().code(), "unknown_collection");
    assert!(found(&kb, &only("fra")).unwrap_err().to_string().contains("there are: default, far"));
}

#[test]
fn a_collection_is_told_what_it_needs_and_nothing_else() {
    let (kb, other) = halves();
    let request = SearchRequest {
        limit: 3,
        threshold: 0.1,
        filters: Some(json!({ "number": { ">": 1, "<=": 5 } })),
        documents: Some(vec!["moon.md".into(), "tides.md".into()]),
        ..asking("the moon", Mode::Vector)
    };
    let response = found(&kb, &request).unwrap();
    assert_eq!(ids(&response), ["moon.md"]);
    let asked = other.requests.borrow()[0].clone();
    assert_eq!((asked.query.as_deref(), asked.limit, asked.threshold), (Some("the moon"), 3, 0.1));
    assert_eq!(asked.vector.unwrap().len(), 256);
    assert_eq!(asked.documents, request.documents);
    let conditions = json!({ "and": [
        { "field": "number", "operator": "<=", "value": 5 },
        { "field": "number", "operator": ">", "value": 1 },
    ]});
    assert_eq!(asked.filters, Some(conditions));
    found(&kb, &asking("the moon", Mode::Keyword)).unwrap();
    assert_eq!(other.requests.borrow()[1].vector, None);
}

#[test]
fn a_collection_may_be_told_the_vector_alone() {
    let (kb, other) = (library(is_even), Elsewhere::of(library(|at| !is_even(at))));
    let leaves = Leaves { url: "https://vectors.example".into(), query: false, vector: true };
    let options = RemoteOptions { leaves: Some(leaves), ..RemoteOptions::default() };
    kb.attach("far", other.clone(), options).unwrap();
    let response = found(&kb, &asking("tide", Mode::Vector)).unwrap();
    assert_eq!(other.requests.borrow()[0].query, None);
    assert_eq!(sources(&response)[0].url.as_deref(), Some("https://vectors.example"));
    let response = found(&kb, &asking("tide", Mode::Keyword)).unwrap();
    assert_eq!((code(&sources(&response)[0]), other.requests.borrow().len()), ("remote_unsupported", 1));
    assert!(!response.hits.is_empty() && !sources(&response)[0].sent);
}

#[test]
fn a_filter_may_name_fields_that_the_collection_alone_has() {
    let (kb, _) = halves();
    let other = kb_with("colour", json!("red"));
    let schema = Some(json!({ "colour": "string", "made": "date" }));
    kb.attach("known", Elsewhere::of(other), RemoteOptions { schema, ..RemoteOptions::default() }).unwrap();
    let filtered = |filters: Value, names: &[&str]| SearchRequest {
        filters: Some(filters),
        collections: Some(names.iter().map(ToString::to_string).collect()),
        ..asking("tide", Mode::Vector)
    };
    assert_eq!(
        ids(&found(&kb, &filtered(json!({ "colour": "red" }), &["known", "default"])).unwrap()),
        ["x"]
    );
    let typo = found(&kb, &filtered(json!({ "colur": "red" }), &["known", "default"])).unwrap_err();
    assert_eq!(typo.code(), "unknown_field");
    // Without a schema, any field may be there.
    assert_eq!(
        found(&kb, &filtered(json!({ "taste": "salty" }), &["far"])).unwrap_err().code(),
        "unknown_field"
    );
    let response = found(&kb, &filtered(json!({ "taste": "salty" }), &["far", "default"])).unwrap();
    assert_eq!((response.hits.len(), code(&sources(&response)[0])), (0, "unknown_field"));
}

fn kb_with(field: &str, value: Value) -> KnowledgeBase {
    let kb = kb(hashing());
    let mut document = Document::new("x", "A red buoy shows the tide.");
    document.metadata.insert(field.into(), value);
    add(&kb, vec![document]).unwrap();
    kb
}

#[test]
fn a_late_collection_is_reported_and_not_waited_for() {
    let kb = passing(is_even);
    let slow = Scripted::of(None);
    let options = RemoteOptions { deadline_ms: 50.0, ..RemoteOptions::default() };
    kb.attach("slow", slow.clone(), options).unwrap();
    let response = found(&kb, &asking("tide", Mode::Hybrid)).unwrap();
    assert!(!response.hits.is_empty());
    let [report] = sources(&response) else { panic!("{response:?}") };
    assert_eq!(
        (code(report), report.sent, report.error.as_ref().unwrap()["retryable"].clone()),
        ("remote_timeout", true, json!(true))
    );
    assert!((50.0..=60.0).contains(&report.took_ms), "{}", report.took_ms);
    assert_eq!(slow.dropped.get(), 1, "the search is ended");
}

#[test]
fn a_failing_collection_leaves_the_answer_of_the_others() {
    let failure = Error::relayed_by_remote("remote_unavailable", "There is nobody.".into(), true).unwrap();
    let response = with(Some(Err(failure.clone())), &asking("tide", Mode::Hybrid)).unwrap();
    let plain = found(&passing(is_even), &asking("tide", Mode::Hybrid)).unwrap();
    assert_eq!(response.hits, plain.hits);
    assert_eq!(code(&sources(&response)[0]), "remote_unavailable");
    let alone = SearchRequest { collections: Some(vec!["far".into()]), ..asking("tide", Mode::Hybrid) };
    assert_eq!(with(Some(Err(failure)), &alone).unwrap_err().code(), "remote_unavailable");
}

#[test]
fn a_collection_that_could_search_only_a_part_is_reported_with_its_hits() {
    let missing = json!({ "code": "offline", "message": "This device is offline." });
    let hit = json!({ "id": "p1", "text": "The tide is high.", "keyword": 2.0 });
    let reply = json!({ "hits": [hit], "missing": missing });
    let found = with(Some(Ok(reply)), &asking("tide", Mode::Keyword)).unwrap();
    let [report] = sources(&found) else { panic!("one collection") };
    assert_eq!((code(report), report.hits), ("offline", 1));
    let wrong = json!({ "hits": [], "missing": "all" });
    let found = with(Some(Ok(wrong)), &asking("tide", Mode::Keyword)).unwrap();
    assert_eq!(code(&sources(&found)[0]), "remote_reply");
}

#[test]
fn the_search_fails_if_every_searched_collection_has() {
    let kb = passing(is_even);
    let failure = || Some(Err(Error::relayed_by_remote("remote_busy", "Later.".into(), true).unwrap()));
    kb.attach("a", Scripted::of(failure()), RemoteOptions::default()).unwrap();
    kb.attach("b", Scripted::of(failure()), RemoteOptions::default()).unwrap();
    kb.attach("c", Scripted::of(Some(Ok(json!({ "hits": [] })))), RemoteOptions::default()).unwrap();
    let of = |names: &[&str]| SearchRequest {
        collections: Some(names.iter().map(ToString::to_string).collect()),
        ..asking("tide", Mode::Hybrid)
    };
    assert_eq!(found(&kb, &of(&["a", "b"])).unwrap_err().code(), "remote_busy");
    let response = found(&kb, &of(&["a", "b", "c"])).unwrap();
    assert_eq!(
        sources(&response).iter().map(code).collect::<Vec<_>>(),
        ["remote_busy", "remote_busy", "none"]
    );
}

#[test]
fn an_aborted_search_ends_those_of_all_collections() {
    let kb = passing(is_even);
    let slow = Scripted::of(None);
    kb.attach("slow", slow.clone(), RemoteOptions::default()).unwrap();
    let cancel = Cancel::default();
    let request = asking("tide", Mode::Hybrid);
    let work = futures_util::future::join(kb.search(&request, &cancel), async {
        vademecum_testing::turn().await;
        cancel.cancel();
    });
    assert_eq!(block_on(work).0.unwrap_err(), Error::Aborted);
    assert_eq!(slow.dropped.get(), 1);
}

#[test]
fn a_question_with_text_that_is_never_sent_stays_on_the_device() {
    let (kb, other) = halves();
    let mut secret = Document::new("secret", "The safe opens with the birthday of the founder.");
    secret.metadata.insert("neverSend".into(), json!(true));
    let mut short = Document::new("name", "Falcon Nine");
    short.metadata.insert("neverSend".into(), json!(true));
    add(&kb, vec![secret, short]).unwrap();
    for query in ["Is it so: the safe opens with the birthday of the founder?", "What is Falcon Nine?"] {
        let response = found(&kb, &asking(query, Mode::Hybrid)).unwrap();
        assert_eq!(
            (code(&sources(&response)[0]), sources(&response)[0].sent),
            ("never_sent", false),
            "{query}"
        );
        assert!(!response.hits.is_empty(), "the library itself is searched");
    }
    let filters = Some(json!({ "number": 1, "and": [{ "not": { "number": "Falcon Nine" } }] }));
    let filtered = SearchRequest { filters, ..asking("tide", Mode::Hybrid) };
    assert!(
        found(&kb, &filtered).is_err() || code(&sources(&found(&kb, &filtered).unwrap())[0]) == "never_sent"
    );
    assert_eq!(other.requests.borrow().len(), 0);
    let here = RemoteOptions { leaves: None, ..RemoteOptions::default() };
    kb.attach("here", Elsewhere::of(library(is_even)), here).unwrap();
    let response = found(&kb, &asking("What is Falcon Nine?", Mode::Hybrid)).unwrap();
    assert_eq!(sources(&response).iter().map(code).collect::<Vec<_>>(), ["never_sent", "none"]);
    assert!(sources(&response).iter().all(|report| !report.sent));
    found(&kb, &asking("tide of a falcon", Mode::Hybrid)).unwrap();
    assert_eq!(other.requests.borrow().len(), 1);
}

#[test]
fn a_view_for_a_model_has_no_marked_hit_of_a_remote_collection() {
    let reply = json!({ "hits": [
        { "id": "a", "text": "The tide.", "vector": 0.9, "metadata": { "neverSend": true } },
        { "id": "b", "text": "The tides.", "vector": 0.8 },
    ]});
    let kb = passing(is_even);
    kb.attach("far", Scripted::of(Some(Ok(reply))), RemoteOptions::default()).unwrap();
    let limits = SearchLimits { limit: 10, ..SearchLimits::default() };
    for (sendable, expected) in [(false, 2), (true, 1)] {
        let names = ["default".to_owned(), "far".to_owned()];
        let view = View { kb: &kb, sendable };
        let hits = block_on(view.search_all("tide", &names, &limits)).unwrap().hits;
        assert_eq!(hits.iter().filter(|hit| hit.chunk.collection == "far").count(), expected);
    }
}

#[test]
fn a_run_is_told_which_collections_were_lost() {
    let kb = passing(is_even);
    let failure = Error::relayed_by_remote("remote_busy", "Later.".into(), true).unwrap();
    kb.attach("far", Scripted::of(Some(Err(failure.clone()))), RemoteOptions::default()).unwrap();
    let limits = SearchLimits { limit: 10, ..SearchLimits::default() };
    let names = ["default".to_owned(), "far".to_owned()];
    let found = block_on(View { kb: &kb, sendable: true }.search_all("tide", &names, &limits)).unwrap();
    assert_eq!(found.lost, [failure]);
}

#[test]
fn names_are_those_of_no_other_collection() {
    let (kb, other) = halves();
    block_on(async { kb.collection("notes", &CollectionOptions::default()) }).unwrap();
    for taken in ["far", "default", "notes", " "] {
        let error = kb.attach(taken, other.clone(), RemoteOptions::default()).unwrap_err();
        assert_eq!(error.code(), "invalid_argument", "{taken}");
    }
    assert_eq!(kb.collection("far", &CollectionOptions::default()).unwrap_err().code(), "remote_unsupported");
    let added = block_on(kb.add("far", vec![document(0)], &Cancel::default(), &|_| {}));
    assert_eq!(added.unwrap_err().code(), "remote_unsupported");
    let list = ListRequest { collections: Some(vec!["far".into()]), ..ListRequest::default() };
    assert_eq!(kb.documents(&list).unwrap_err().code(), "remote_unsupported");
    let late = RemoteOptions { deadline_ms: 0.0, ..RemoteOptions::default() };
    assert_eq!(kb.attach("new", other, late).unwrap_err().code(), "invalid_argument");
    assert!(kb.detach("far").unwrap());
    assert!(!kb.detach("far").unwrap());
    assert_eq!(found(&kb, &asking("tide", Mode::Hybrid)).unwrap().sources, None);
}

#[test]
fn a_model_sees_remote_collections_with_their_descriptions() {
    let (kb, other) = halves();
    let options = RemoteOptions {
        description: "Letters of the harbour master".into(),
        schema: Some(json!({ "year": "number" })),
        ..RemoteOptions::default()
    };
    kb.attach("letters", other, options).unwrap();
    let views = View { kb: &kb, sendable: true }.collections().unwrap();
    let letters = views.iter().find(|view| view.name == "letters").unwrap();
    assert_eq!(letters.description, "Letters of the harbour master");
    assert_eq!(letters.schema, json!({ "year": "number" }));
    assert!(letters.is_remote && !letters.is_empty);
}

#[test]
fn documents_of_remote_collections_come_by_id_or_with_the_reason_why_not() {
    let (kb, _) = halves();
    let get = |collection: &str, id: &str| block_on(kb.remote_document(collection, id, None));
    let view = get("far", "moon.md").unwrap().unwrap();
    assert_eq!((view.document.id.as_str(), view.chunks.len()), ("moon.md", 1));
    assert_eq!((view.chunks[0].id.as_str(), &view.chunks[0].text), ("far/moon.md#0", &view.document.text));
    assert_eq!(get("far", "none").unwrap(), None);
    assert_eq!(get("nowhere", "a").unwrap_err().code(), "unknown_collection");
    kb.attach("blind", Scripted::of(None), RemoteOptions::default()).unwrap();
    assert_eq!(get("blind", "a").unwrap_err().code(), "remote_unsupported");
}

#[test]
fn vectors_of_another_embedder_are_not_compared() {
    let kb = KnowledgeBase::new(Some(hashing_named("mine")), Rc::new(Passing::default()), Options::default());
    add(&kb, vec![document(0)]).unwrap();
    let other = Elsewhere::of(library(|at| !is_even(at)));
    let of = |embedder: &str| RemoteOptions { embedder: Some(embedder.into()), ..RemoteOptions::default() };
    kb.attach("theirs", other.clone(), of("theirs")).unwrap();
    kb.attach("mine", other, of("mine")).unwrap();
    let response = found(&kb, &asking("tide", Mode::Hybrid)).unwrap();
    let codes: Vec<(&str, &str)> =
        sources(&response).iter().map(|report| (report.collection.as_str(), code(report))).collect();
    assert_eq!(codes, [("mine", "none"), ("theirs", "embedder_mismatch")]);
    let response = found(&kb, &asking("tide", Mode::Keyword)).unwrap();
    assert!(sources(&response).iter().all(|report| code(report) == "none"), "words need no embedder");
}

#[test]
fn chains_go_on_from_the_library_and_the_question_leaves_once() {
    let (kb, other) = halves();
    let request = SearchRequest { hops: 3.into(), explain: true, ..asking("tide of the moon", Mode::Hybrid) };
    let response = found(&kb, &request).unwrap();
    assert_eq!(other.requests.borrow().len(), 1);
    assert!(response.hits.iter().any(|hit| hit.chunk.collection == "far"));
    for hit in &response.hits {
        let via = hit.explain.as_ref().unwrap()["via"].as_array().unwrap().clone();
        assert!(via.iter().all(|id| id.as_str().unwrap().starts_with("default/")), "{via:?}");
    }
}

#[test]
fn a_corrected_question_does_not_leave_the_device() {
    let (kb, other) = halves();
    let response = found(&kb, &asking("ferrry", Mode::Keyword)).unwrap();
    assert_eq!(other.requests.borrow().len(), 1);
    assert_eq!(response.searched_for, None);
    assert!(response.did_you_mean.is_some());
}

#[test]
fn the_question_is_embedded_once_for_all_collections() {
    let embedder = Rc::new(vademecum_testing::TestEmbedder::default());
    let kb = KnowledgeBase::new(Some(embedder.clone()), Rc::new(Passing::default()), Options::default());
    add(&kb, vec![document(0)]).unwrap();
    for name in ["a", "b", "c"] {
        let reply = json!({ "hits": [] });
        kb.attach(name, Scripted::of(Some(Ok(reply))), RemoteOptions::default()).unwrap();
    }
    let before = embedder.calls.get();
    found(&kb, &asking("tide", Mode::Hybrid)).unwrap();
    assert_eq!(embedder.calls.get() - before, 1);
}

#[test]
fn a_collection_is_searched_once_without_being_attached() {
    let (kb, other) = (library(is_even), Elsewhere::of(library(|at| !is_even(at))));
    let request = asking("tide", Mode::Vector);
    let cancel = Cancel::default();
    let search = kb.search_remote("default", other, RemoteOptions::default(), request.clone(), &cancel);
    let response = block_on(search).unwrap();
    assert_eq!(response.hits.len(), 4);
    assert!(response.hits.iter().all(|hit| hit.chunk.id.starts_with("default/")));
    assert_eq!(sources(&response)[0].collection, "default");
    assert_eq!(found(&kb, &request).unwrap().sources, None);
    let late = Scripted::of(None);
    let options = RemoteOptions { deadline_ms: 5.0, ..RemoteOptions::default() };
    let kb = passing(is_even);
    let error = block_on(kb.search_remote("mine", late, options, request, &Cancel::default())).unwrap_err();
    assert_eq!(error.code(), "remote_timeout");
    assert!(error.to_string().contains("`mine`"), "{error}");
    assert_eq!(View { kb: &kb, sendable: false }.collections().unwrap().len(), 1);
}
