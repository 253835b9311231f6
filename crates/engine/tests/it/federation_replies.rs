//! The replies of remote collections: what is refused, and what becomes of hits.

use crate::federation::{asking, code, sources, with};
use serde_json::{Value, json};
use vademecum::document::parse_chunk_id;
use vademecum::engine::{Mode, SearchRequest};
use vademecum_testing::ids;

#[test]
fn ids_of_another_system_become_ids_of_the_collection() {
    let hits = json!({ "hits": [
        { "id": "7f/3#x", "text": "The tide of a lake.", "vector": 0.9 },
        { "id": "b", "docId": "lakes", "ordinal": 4, "text": "Lakes have a tide too.", "vector": 0.8 },
        { "id": "c", "docId": "lakes", "text": "Small ones have none.", "vector": 0.7 },
    ]});
    let response = with(Some(Ok(hits)), &asking("tide", Mode::Vector)).unwrap();
    let far: Vec<(&str, &str)> = response
        .hits
        .iter()
        .filter(|hit| hit.chunk.collection == "far")
        .map(|hit| (hit.chunk.id.as_str(), hit.chunk.doc_id.as_str()))
        .collect();
    assert_eq!(far, [("far/7f/3#x#0", "7f/3#x"), ("far/lakes#4", "lakes"), ("far/c#0", "lakes")]);
    assert!(far.iter().all(|(id, _)| parse_chunk_id(id).is_some()));
}

#[test]
fn a_hit_that_does_not_match_the_conditions_is_left_out_whatever_the_collection_says() {
    let hit = |id: &str, cosine: f32, metadata: Value| json!({ "id": id, "text": "The tide.", "vector": cosine, "metadata": metadata });
    let reply = json!({ "hits": [
        hit("a", 0.9, json!({ "number": 7 })),
        hit("b", 0.8, json!({ "number": 1 })),
        hit("c", 0.7, json!({})),
        hit("d", 0.2, json!({ "number": 8 })),
    ]});
    let request = SearchRequest {
        filters: Some(json!({ "number": { ">=": 7 } })),
        threshold: 0.5,
        collections: Some(vec!["far".into()]),
        ..asking("tide", Mode::Vector)
    };
    let response = with(Some(Ok(reply)), &request).unwrap();
    assert_eq!(ids(&response), ["a"]);
    assert_eq!(sources(&response)[0].hits, 1);
}

#[test]
fn a_reply_of_another_shape_names_the_path_and_gives_no_hit() {
    let good = json!({ "id": "a", "text": "The tide.", "vector": 0.5 });
    let but = |field: &str, value: Value| {
        let mut hit = good.clone();
        hit[field] = value;
        json!({ "hits": [good, hit] })
    };
    let twelve: Vec<Value> =
        (0..12).map(|at| json!({ "id": at.to_string(), "text": "a", "vector": 0.1 })).collect();
    for (reply, path) in [
        (json!([good]), "`reply`"),
        (json!({}), "`hits`"),
        (json!({ "hits": {} }), "`hits`"),
        (json!({ "hits": [null] }), "`hits[0]`"),
        (json!({ "hits": [good, good] }), "`hits[1].id`"),
        (json!({ "hits": twelve }), "`hits`"),
        (json!({ "hits": [good], "total": -1 }), "`total`"),
        (but("id", json!(7)), "`hits[1].id`"),
        (but("id", json!("")), "`hits[1].id`"),
        (but("text", json!(null)), "`hits[1].text`"),
        (but("text", json!(" … ")), "`hits[1].text`"),
        (but("vector", json!("0.5")), "`hits[1].vector`"),
        (but("vector", json!(1.2)), "`hits[1].vector`"),
        (but("vector", json!(null)), "`hits[1].vector`"),
        (but("keyword", json!(-1)), "`hits[1].keyword`"),
        (but("docId", json!([])), "`hits[1].docId`"),
        (but("ordinal", json!(1.5)), "`hits[1].ordinal`"),
        (but("title", json!({})), "`hits[1].title`"),
        (but("url", json!(3)), "`hits[1].url`"),
        (but("metadata", json!([])), "`hits[1].metadata`"),
        (but("headings", json!(["a", 1])), "`hits[1].headings[1]`"),
        (but("page", json!(0)), "`hits[1].page`"),
        (but("score", json!(1)), "`hits[1]`"),
        (but("span", json!({ "start": 0 })), "`hits[1].span.end`"),
    ] {
        let response = with(Some(Ok(reply.clone())), &asking("tide", Mode::Vector)).unwrap();
        let [report] = sources(&response) else { panic!("{response:?}") };
        assert_eq!(code(report), "remote_reply", "{reply}");
        let message = report.error.as_ref().unwrap()["message"].as_str().unwrap();
        assert!(message.contains(path), "{message} should name {path}");
        assert!(response.hits.iter().all(|hit| hit.chunk.collection == "default"), "{reply}");
    }
}

#[test]
fn a_hit_of_a_document_that_was_not_asked_for_is_an_error() {
    let reply = json!({ "hits": [{ "id": "a", "docId": "other", "text": "The tide.", "vector": 0.5 }] });
    let request = SearchRequest { documents: Some(vec!["mine".into()]), ..asking("tide", Mode::Vector) };
    let response = with(Some(Ok(reply)), &request).unwrap();
    assert_eq!(code(&sources(&response)[0]), "remote_reply");
}

#[test]
fn a_collection_may_leave_conditions_to_be_checked_here_and_give_more_hits() {
    let hit = |at: usize| json!({ "id": at.to_string(), "text": "The tide.", "vector": 0.9 - at as f64 / 100.0, "metadata": { "number": at } });
    let hits: Vec<Value> = (0..40).map(hit).collect();
    let request = SearchRequest {
        filters: Some(json!({ "number": { ">=": 20 } })),
        collections: Some(vec!["far".into()]),
        limit: 5,
        ..asking("tide", Mode::Vector)
    };
    let reply = json!({ "hits": hits, "unfiltered": true });
    assert_eq!(ids(&with(Some(Ok(reply)), &request).unwrap()), ["20", "21", "22", "23", "24"]);
    assert_eq!(with(Some(Ok(json!({ "hits": hits }))), &request).unwrap_err().code(), "remote_reply");
}
