//! The vector arm, against an exact scan.

use crate::made::{Made, Near};
use std::collections::BTreeSet;
use std::rc::Rc;
use vademecum::document::Document;
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::encoder::{Embedder, Kind};
use vademecum::engine::{KnowledgeBase, Mode, SearchRequest as InMemory};
use vademecum_parts::{Mode as PartsMode, SearchRequest};
use vademecum_protocol::cancel::Cancel;
use vademecum_testing::{add, block_on, hashing, kb};

const TOPICS: [&str; 12] = [
    "harbour boats tide",
    "leave holiday unused days",
    "moon orbit gravity",
    "river flood water",
    "bread oven flour",
    "train ticket station",
    "garden roses soil",
    "tax form income",
    "doctor health cold",
    "violin concert music",
    "school pupils lesson",
    "winter snow ice",
];

fn library(count: usize) -> KnowledgeBase {
    let kb = kb(hashing());
    let documents = (0..count).map(|at| {
        let (topic, other) = (TOPICS[at % TOPICS.len()], TOPICS[at / 7 % TOPICS.len()]);
        let metadata = [("group".to_owned(), serde_json::json!(at % 40))].into_iter().collect();
        Document {
            metadata,
            ..Document::new(
                format!("d{at}"),
                format!("{topic} item{} {other} part{} case{at}", at % 31, at % 17),
            )
        }
    });
    add(&kb, documents.collect()).unwrap();
    kb
}

fn vector(query: &str) -> Vec<f32> {
    let embedder: Rc<dyn Embedder> = Rc::new(HashingEmbedder);
    let texts = [query.to_owned()];
    block_on(embedder.embed(&texts, Kind::Query)).unwrap().into_rows(1).unwrap().remove(0).0
}

/// Returns the share of the ids of an exact search that a search in parts found, and the largest error of their scores.
fn recall(kb: &KnowledgeBase, made: &Made, query: &str, filters: Option<serde_json::Value>) -> (f64, f32) {
    let in_memory = InMemory {
        query: query.into(),
        mode: Mode::Vector,
        threshold: -1.0,
        filters: filters.clone(),
        ..InMemory::default()
    };
    let expected = block_on(kb.search(&in_memory, &Cancel::default())).unwrap();
    let request = SearchRequest {
        query: query.into(),
        mode: PartsMode::Vector,
        threshold: -1.0,
        filters,
        ..SearchRequest::default()
    };
    let found = made.search(&request, Some(&vector(query))).unwrap();
    assert!(found.missing.is_empty());
    let wanted: BTreeSet<&str> = expected.hits.iter().map(|hit| hit.chunk.id.as_str()).collect();
    let shared: Vec<_> = found.hits.iter().filter(|hit| wanted.contains(hit.chunk.id.as_str())).collect();
    let error = |hit: &&vademecum::document::Hit| {
        let other = expected.hits.iter().find(|other| other.chunk.id == hit.chunk.id).unwrap();
        (hit.score - other.score).abs()
    };
    let worst = shared.iter().map(error).fold(0f32, f32::max);
    (shared.len() as f64 / wanted.len().max(1) as f64, worst)
}

#[test]
fn nearest_chunks_are_found_with_scores_close_to_their_cosines() {
    let kb = library(1500);
    let made = Made::of(&kb);
    assert!(made.library.manifest().cells.as_ref().unwrap().count > 20);
    let (mut sum, queries) = (
        0.0,
        [
            "boats in the harbour item3",
            "unused holiday case77",
            "music lesson part4",
            "snow on the roses",
            "income of a doctor",
        ],
    );
    for query in queries {
        let (recall, worst) = recall(&kb, &made, query, None);
        assert!(worst < 0.02, "{query}: {worst}");
        sum += recall;
    }
    assert!(sum / queries.len() as f64 > 0.8, "{sum}");
}

#[test]
fn a_selective_filter_still_finds_the_nearest_of_what_it_admits() {
    let kb = library(1500);
    let made = Made::of(&kb);
    for group in [0, 3, 39] {
        let (recall, _) =
            recall(&kb, &made, "boats in the harbour", Some(serde_json::json!({ "group": group })));
        assert!(recall > 0.85, "{group}: {recall}");
    }
}

#[test]
fn centroids_are_read_ahead_and_not_by_questions() {
    let made = Made::of(&library(2000));
    let bytes_of = |is_ahead: bool| {
        let near = Near::new(&made);
        let read = near.read.clone();
        let library = made.through(near);
        if is_ahead {
            assert!((0..100).any(|_| !block_on(library.preload()).unwrap()), "it has an end");
        }
        let before = read.get();
        let request =
            SearchRequest { query: "boats".into(), mode: PartsMode::Vector, ..SearchRequest::default() };
        let vector = vector("boats");
        let found = block_on(library.search(&request, Some(&vector))).unwrap();
        assert_eq!(found, made.search(&request, Some(&vector)).unwrap());
        read.get() - before
    };
    let centroids = made.library.manifest().cells.as_ref().unwrap().count as usize * 384;
    let [ahead, plain] = [true, false].map(bytes_of);
    assert!(ahead + centroids / 2 < plain, "{ahead}, {plain}, {centroids}");
}

#[test]
fn hybrid_search_uses_both_arms_and_tells_the_scores_of_each() {
    let kb = library(300);
    let made = Made::of(&kb);
    let query = "train ticket item15 case77";
    let request = SearchRequest { query: query.into(), ..SearchRequest::default() };
    let found = made.search(&request, Some(&vector(query))).unwrap();
    assert_eq!((found.mode, found.hits[0].chunk.doc_id.as_str()), (PartsMode::Hybrid, "d77"));
    let explain = found.hits[0].explain.as_ref().unwrap();
    assert_eq!(explain["keyword"]["rank"], 1);
    assert!(explain["vector"]["score"].as_f64().unwrap() > 0.3, "{explain}");
    let in_memory = InMemory { query: query.into(), ..InMemory::default() };
    let expected = block_on(kb.search(&in_memory, &Cancel::default())).unwrap();
    let ids = |hits: &[vademecum::document::Hit]| {
        hits.iter().map(|hit| hit.chunk.id.clone()).collect::<BTreeSet<_>>()
    };
    assert!(ids(&found.hits).intersection(&ids(&expected.hits)).count() >= 7);
    assert!(found.total >= 10 && found.missing.is_empty());
}

#[test]
fn a_vector_that_does_not_fit_is_refused_and_none_is_no_hybrid_search() {
    let made = Made::of(&library(50));
    let request = SearchRequest { query: "boats".into(), ..SearchRequest::default() };
    assert_eq!(made.search(&request, Some(&[1.0, 0.0])).unwrap_err().code(), "vector_shape");
    assert_eq!(made.search(&request, None).unwrap().mode, PartsMode::Keyword);
    let request = SearchRequest { mode: PartsMode::Vector, ..request };
    assert_eq!(made.search(&request, None).unwrap_err().code(), "no_embedder");
    let wordless = Made::of(&vademecum_testing::kb(None));
    assert_eq!(wordless.search(&request, Some(&[1.0])).unwrap_err().code(), "no_embedder");
}
