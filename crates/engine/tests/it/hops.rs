//! Multi-hop search.

use proptest::prelude::*;
use serde_json::json;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase, Mode, SearchRequest, SearchResponse};
use vademecum::hops::Hops;
use vademecum_testing::{TestEmbedder, add, block_on, hashing, ids, kb, markdown, turn};

fn titled(id: &str, title: &str, text: &str) -> Document {
    Document { title: Some(title.into()), ..Document::new(id, text) }
}

/// The journal mentions the society, and the prize mentions the journal. Only the journal answers the
/// question.
fn periodicals() -> Vec<Document> {
    vec![
        titled("journal", "Annals of Tides", "A quarterly on sea levels, issued by the Lunar Society."),
        titled("society", "Lunar Society", "Founded 1766 at Birmingham; Erasmus Darwin presided."),
        titled("prize", "Neptune Prize", "Awarded once for a paper that the Annals of Tides printed."),
        titled("garden", "Kitchen garden", "Beans and peas are sown in April."),
    ]
}

const QUESTION: &str = "Which quarterly writes about sea levels?";

fn asked(hops: impl Into<Hops>) -> SearchRequest {
    SearchRequest {
        query: QUESTION.into(),
        mode: Mode::Keyword,
        hops: hops.into(),
        ..SearchRequest::default()
    }
}

fn found(kb: &KnowledgeBase, request: &SearchRequest) -> SearchResponse {
    block_on(kb.search(request, &Cancel::default())).unwrap()
}

fn filled(documents: Vec<Document>) -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, documents).unwrap();
    kb
}

#[test]
fn a_passage_without_a_word_of_the_question_is_found_through_one_that_mentions_it() {
    let kb = filled(periodicals());
    assert_eq!(ids(&found(&kb, &asked(1))), ["journal"]);
    let chained = found(&kb, &asked(2));
    assert_eq!(ids(&chained)[0], "journal", "what the question itself finds best stays first");
    assert!(ids(&chained).contains(&"society"));
}

#[test]
fn links_are_followed_in_both_directions() {
    let kb = filled(periodicals());
    let chained = found(&kb, &asked(2));
    assert!(ids(&chained).contains(&"prize"), "it names the journal, which does not name it");
    assert!(!ids(&chained).contains(&"garden"), "nothing leads there");
}

#[test]
fn a_link_is_followed_without_a_matching_word() {
    let kb = filled(vec![
        markdown("guide.md", "Opening hours of the observatory: ask [there](staff.md)."),
        markdown("staff.md", "Caroline, weekdays until five."),
        markdown("menu.md", "Soup, bread, cheese."),
    ]);
    let request = |hops: usize| SearchRequest { query: "observatory opening hours".into(), ..asked(hops) };
    assert_eq!(ids(&found(&kb, &request(1))), ["guide.md"]);
    assert_eq!(ids(&found(&kb, &request(2))), ["guide.md", "staff.md"]);
}

/// A film with three people, about whom the same is known.
fn film() -> Vec<Document> {
    vec![
        titled(
            "film",
            "Low Tide",
            "A film that Anna Kessler and Ole Lund wrote in one summer, directed by Ravi von Menon.",
        ),
        titled("writer", "Anna Kessler", "Born in a village by the sea."),
        titled("other", "Ole Lund", "Born in a village by the sea."),
        titled("director", "Ravi von Menon", "Born in a village by the sea."),
    ]
}

fn director_of_the_film() -> SearchRequest {
    SearchRequest { query: "Where was the director of Low Tide born?".into(), ..asked(2) }
}

#[test]
fn of_the_linked_documents_the_one_named_nearest_to_a_word_of_the_question_comes_first() {
    assert_eq!(ids(&found(&filled(film()), &director_of_the_film()))[..2], ["film", "director"]);
}

#[test]
fn a_document_that_many_mention_is_not_taken_for_the_subject_of_the_rest() {
    let mentioned =
        |at| titled(&format!("list-{at}"), &format!("List {at}"), "Among others, Ravi von Menon.");
    let kb = filled(film().into_iter().chain((0..101).map(mentioned)).collect());
    assert_eq!(ids(&found(&kb, &director_of_the_film()))[..2], ["film", "writer"]);
}

#[test]
fn each_additional_hop_reaches_one_passage_further() {
    let kb = filled(vec![
        titled("a", "Alpha Report", "The expedition was paid by the Borealis Fund."),
        titled("b", "Borealis Fund", "Money comes from the Cassiopeia Trust."),
        titled("c", "Cassiopeia Trust", "Governed out of Dorado House."),
        titled("d", "Dorado House", "Eleven rooms, slate roof."),
    ]);
    for hops in 1..=4 {
        let request = SearchRequest { query: "expedition".into(), ..asked(hops) };
        let response = found(&kb, &request);
        let mut reached = ids(&response);
        reached.sort_unstable();
        assert_eq!(reached, ["a", "b", "c", "d"][..hops], "{hops} hops");
    }
}

#[test]
fn a_search_that_decides_itself_goes_on_while_the_best_passages_leave_a_part_of_the_question_open() {
    let kb = filled(periodicals());
    let plain = found(&kb, &asked(Hops::Auto));
    assert_eq!(
        plain.hits,
        found(&kb, &asked(1)).hits,
        "the journal has every word of the question that any document has"
    );
    let request = |hops: Hops| SearchRequest {
        query: "Who presided the issuer of the quarterly?".into(),
        ..asked(hops)
    };
    let chained = found(&kb, &request(Hops::Auto));
    let single = found(&kb, &request(1.into()));
    assert_eq!(
        ids(&chained)[..ids(&single).len()],
        ids(&single),
        "the hits of the question keep their places"
    );
    assert!(ids(&chained).len() > ids(&single).len(), "{:?}", ids(&chained));
}

#[test]
fn a_search_that_decides_itself_reads_the_question_in_the_language_of_the_passages() {
    let german = CollectionOptions { language: Some("de".into()), ..CollectionOptions::default() };
    let kb = kb(hashing());
    kb.collection("default", &german).unwrap();
    let blatt = "Eine Vierteljahresschrift über Meeresspiegel, herausgegeben von der Mondgesellschaft.";
    let documents = vec![
        titled("blatt", "Gezeitenblatt", blatt),
        titled("bund", "Mondgesellschaft", "Gegründet 1766 in Bremen."),
        titled("rat", "Stadtrat", "Der Vorsitzende leitet die Sitzung."),
    ];
    add(&kb, documents).unwrap();
    let request =
        |hops: Hops| SearchRequest { query: "Vorsitzenden von Vierteljahresschriften".into(), ..asked(hops) };
    assert!(!ids(&found(&kb, &request(1.into()))).contains(&"bund"));
    assert!(
        ids(&found(&kb, &request(Hops::Auto))).contains(&"bund"),
        "the quarterly lacks a word that the council has"
    );
}

#[test]
fn filters_hold_at_every_hop() {
    let mut documents = periodicals();
    for document in &mut documents {
        let public = document.id != "society";
        document.metadata.insert("public".into(), json!(public));
    }
    let kb = filled(documents);
    for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
        let filters = Some(json!({ "public": true }));
        let response = found(&kb, &SearchRequest { filters, mode, threshold: -1.0, ..asked(3) });
        assert!(ids(&response).contains(&"prize"), "{mode:?}");
        assert!(!ids(&response).contains(&"society"), "{mode:?}");
    }
}

#[test]
fn collections_hold_at_every_hop() {
    let kb = kb(hashing());
    kb.collection("closed", &CollectionOptions::default()).unwrap();
    let (open, closed): (Vec<_>, Vec<_>) = periodicals().into_iter().partition(|one| one.id != "society");
    add(&kb, open).unwrap();
    block_on(kb.add("closed", closed, &Cancel::default(), &|_| {})).unwrap();
    let within = |names: &[&str]| {
        let collections = Some(names.iter().map(|name| (*name).to_owned()).collect());
        found(&kb, &SearchRequest { collections, ..asked(2) })
    };
    assert!(!ids(&within(&["default"])).contains(&"society"));
    assert!(
        ids(&within(&["default", "closed"])).contains(&"society"),
        "a name leads into another collection"
    );
}

#[test]
fn a_removed_document_is_not_reached_and_not_followed() {
    let kb = filled(periodicals());
    kb.remove("default", &["society".into()]).unwrap();
    assert!(!ids(&found(&kb, &asked(4))).contains(&"society"));
    kb.remove("default", &["journal".into()]).unwrap();
    assert_eq!(found(&kb, &asked(4)).hits.len(), 0);
}

#[test]
fn the_threshold_holds_at_every_hop() {
    let kb = filled(periodicals());
    let reached = |threshold| {
        let request = SearchRequest { mode: Mode::Vector, threshold, ..asked(3) };
        ids(&found(&kb, &request)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(reached(0.3).contains(&"society".to_owned()), "the journal leads there");
    // The first hop reaches the journal at 0.554; the residual query is less similar to anything.
    assert_eq!(reached(0.55), ["journal"]);
}

#[test]
fn strict_phrases_hold_at_every_hop() {
    let kb = filled(periodicals());
    let query = "\"sea levels\" quarterly".to_owned();
    let request = SearchRequest { query, strict_phrases: true, ..asked(3) };
    assert_eq!(ids(&found(&kb, &request)), ["journal"]);
}

#[test]
fn the_limit_holds_and_no_chunk_is_duplicated() {
    let kb = filled(periodicals());
    for limit in 1..=4 {
        let response = found(&kb, &SearchRequest { limit, mode: Mode::Hybrid, ..asked(3) });
        let chunks: HashSet<&str> = response.hits.iter().map(|hit| hit.chunk.id.as_str()).collect();
        assert_eq!(chunks.len(), response.hits.len());
        assert!(response.hits.len() <= limit && response.total >= response.hits.len());
    }
}

#[test]
fn hops_out_of_range_are_rejected_by_name() {
    for hops in [0, 5, usize::MAX] {
        let error = block_on(filled(periodicals()).search(&asked(hops), &Cancel::default())).unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
        assert!(error.to_string().contains("hops"), "{error}");
    }
}

#[test]
fn an_explanation_contains_the_path_of_a_hit() {
    let kb = filled(periodicals());
    let response = found(&kb, &SearchRequest { explain: true, ..asked(2) });
    let explained = |id: &str| {
        let hit = response.hits.iter().find(|hit| hit.chunk.doc_id == id).unwrap();
        hit.explain.clone().unwrap()
    };
    assert_eq!(explained("society")["via"], json!(["default/journal#0"]));
    assert_eq!(explained("journal")["via"], json!([]));
    assert_eq!(explained("journal")["keyword"]["rank"], 1);
}

#[test]
fn the_residual_queries_of_a_hop_are_embedded_in_one_call() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    add(&kb, periodicals()).unwrap();
    for hops in 1..=3 {
        let before = embedder.calls.get();
        found(&kb, &SearchRequest { mode: Mode::Hybrid, ..asked(hops) });
        assert_eq!(embedder.calls.get() - before, hops);
    }
}

#[test]
fn if_the_embedder_fails_between_hops_hybrid_mode_continues_by_keyword_and_vector_mode_fails() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    add(&kb, periodicals()).unwrap();
    let fail_at_second_hop = || {
        let (failing, second) = (embedder.clone(), embedder.calls.get() + 2);
        embedder.failing.set(false);
        *embedder.before.borrow_mut() = Some(Box::new(move |call| failing.failing.set(call >= second)));
    };
    fail_at_second_hop();
    let response = found(&kb, &SearchRequest { mode: Mode::Hybrid, ..asked(2) });
    assert!(ids(&response).contains(&"society"));
    assert_eq!(response.degraded.unwrap()["code"], "embedder_failed");
    fail_at_second_hop();
    let request = SearchRequest { mode: Mode::Vector, ..asked(2) };
    let error = block_on(kb.search(&request, &Cancel::default())).unwrap_err();
    assert_eq!(error.code(), "embedder_failed");
}

#[test]
fn a_search_can_be_cancelled_between_two_hops() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = kb(Some(embedder.clone()));
    add(&kb, periodicals()).unwrap();
    let (cancel, second) = (Cancel::default(), embedder.calls.get() + 2);
    let flag = cancel.clone();
    *embedder.before.borrow_mut() = Some(Box::new(move |call| {
        if call == second {
            flag.cancel();
        }
    }));
    let request = SearchRequest { mode: Mode::Hybrid, ..asked(3) };
    let error = block_on(kb.search(&request, &cancel)).unwrap_err();
    assert_eq!(error.code(), "aborted");
    assert_eq!(embedder.calls.get(), second, "nothing is embedded after that");
}

#[test]
fn documents_added_between_two_hops_are_not_seen() {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = Rc::new(kb(Some(embedder.clone())));
    add(&kb, periodicals()).unwrap();
    embedder.slow.set(true);
    let response = block_on(async {
        let request = SearchRequest { mode: Mode::Hybrid, ..asked(3) };
        let never = Cancel::default();
        let meddling = async {
            turn().await;
            turn().await;
            kb.remove("default", &["society".into()]).unwrap();
        };
        let (response, ()) = futures_util::future::join(kb.search(&request, &never), meddling).await;
        response.unwrap()
    });
    assert!(ids(&response).contains(&"society"), "it was there when the search began");
    assert!(!ids(&found(&kb, &asked(3))).contains(&"society"));
}

/// Generates documents that mention each other at random.
fn web() -> impl Strategy<Value = (Vec<Document>, String)> {
    const NAMES: [&str; 8] =
        ["Avalon", "Brigadoon", "Cockaigne", "Dis", "Erewhon", "Faerie", "Gondor", "Hyperborea"];
    const WORDS: [&str; 6] = ["river", "king", "song", "mountain", "treaty", "harbour"];
    let said = || prop::collection::vec((0..NAMES.len(), 0..WORDS.len()), 1..5);
    let texts = prop::collection::vec(said(), 2..NAMES.len());
    let question = prop::collection::vec(0..WORDS.len(), 1..4);
    (texts, question).prop_map(|(texts, question)| {
        let documents = texts.iter().zip(NAMES).map(|(said, title)| {
            let text: Vec<String> =
                said.iter().map(|(name, word)| format!("{} of {}.", WORDS[*word], NAMES[*name])).collect();
            titled(title, title, &text.join(" "))
        });
        let question: Vec<&str> = question.iter().map(|word| WORDS[*word]).collect();
        (documents.collect(), question.join(" "))
    })
}

fn depth() -> impl Strategy<Value = Hops> {
    prop_oneof![(2usize..=4).prop_map(Hops::Most), Just(Hops::Auto)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn more_hops_find_everything_one_hop_finds_without_duplicates((documents, query) in web(), hops in depth()) {
        let kb = filled(documents);
        for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
            let request = |hops: Hops| SearchRequest { query: query.clone(), mode, explain: true, ..asked(hops) };
            let (single, chained) = (found(&kb, &request(1.into())), found(&kb, &request(hops)));
            if hops == Hops::Auto {
                let first = |response: &SearchResponse| {
                    response.hits.iter().take(3).map(|hit| hit.chunk.id.clone()).collect::<Vec<_>>()
                };
                let (own, all) = (first(&single), first(&chained));
                prop_assert_eq!(&all[..own.len()], own.as_slice());
            }
            let chunks: Vec<&str> = chained.hits.iter().map(|hit| hit.chunk.id.as_str()).collect();
            for hit in &single.hits {
                prop_assert!(chunks.contains(&hit.chunk.id.as_str()));
            }
            let distinct: HashSet<&&str> = chunks.iter().collect();
            prop_assert_eq!(distinct.len(), chunks.len());
            prop_assert!(chained.hits.is_sorted_by(|one, next| one.score >= next.score));
            let is_single = hops == Hops::Auto && chained.hits == single.hits;
            prop_assert!(is_single || chained.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
            for hit in &chained.hits {
                let explain = hit.explain.clone().unwrap();
                let via: Vec<&str> = explain["via"].as_array().unwrap().iter().filter_map(|id| id.as_str()).collect();
                prop_assert!(via.len() < hops.most() && !via.contains(&hit.chunk.id.as_str()));
            }
            let again = found(&kb, &request(hops));
            prop_assert_eq!(chained.hits, again.hits, "the same every time");
        }
    }
}
