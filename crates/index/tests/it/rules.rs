//! Segments made by different rules for terms.

use proptest::prelude::*;
use vademecum::document::Format;
use vademecum::index::persist::{Settings, export, import};
use vademecum::index::{Index, Prepared, Query};
use vademecum::text::chunk::{Budget, chunk};
use vademecum::text::structure;
use vademecum::text::terms::{Language, Rule};
use vademecum_testing::block_on;

fn document(id: &str, text: &str) -> Prepared {
    let text = structure::read(text.to_owned(), Format::Text).unwrap();
    Prepared {
        id: id.to_owned(),
        collection: "notes".into(),
        title: None,
        url: None,
        pieces: chunk(&text, &Budget::estimated(128)),
        text: text.text,
        links: Vec::new(),
        metadata: serde_json::Map::new(),
        language: Language::Other,
    }
}

/// Inserts documents by a rule and seals the segment.
fn insert(index: &mut Index, rule: Rule, documents: &[(&str, &str)]) {
    index.set_rule(rule);
    index.insert(documents.iter().map(|(id, text)| document(id, text)).collect());
    index.seal();
}

fn made(rule: Rule, documents: &[(&str, &str)]) -> Index {
    let mut index = Index::default();
    insert(&mut index, rule, documents);
    index
}

/// Returns the ids and scores of the hits.
fn found(index: &Index, query: &str) -> Vec<(String, f32)> {
    let searcher = index.searcher();
    let matches = searcher.search(&Query { keywords: Some(query), limit: 20, ..Query::default() }).unwrap();
    let id = |key| searcher.chunk(key).unwrap().document.id().to_owned();
    matches.best.iter().map(|one| (id(one.key), one.score)).collect()
}

fn reopened(mut index: Index) -> Index {
    let bytes = export(&mut index, &Settings::default()).unwrap();
    block_on(import(&bytes, false, false)).unwrap().0
}

const OLD: [(&str, &str); 3] =
    [("honey", "蜂蜜很甜"), ("bees", "蜜蜂会飞"), ("korean", "도서관에서 책을 빌린다")];
const NEW: [(&str, &str); 2] = [("jam", "蜂蜜和果酱"), ("library", "도서관은 크다")];

#[test]
fn an_index_made_by_the_earlier_rule_is_searched_by_it_before_and_after_it_is_saved() {
    let index = made(Rule::Words, &OLD);
    assert_eq!(found(&index, "도서관"), [], "the word is not found within a longer one");
    let before = found(&index, "蜂蜜");
    assert_eq!(before.len(), 2);
    assert_eq!(found(&reopened(index), "蜂蜜"), before);
}

#[test]
fn an_index_made_by_the_current_rule_finds_words_within_phrases_and_in_order() {
    for index in [made(Rule::CURRENT, &OLD), reopened(made(Rule::CURRENT, &OLD))] {
        assert_eq!(found(&index, "도서관")[0].0, "korean");
        let honey = found(&index, "蜂蜜");
        assert_eq!(honey[0].0, "honey");
        assert!(honey[0].1 > 2.0 * honey[1].1, "{honey:?}");
    }
}

#[test]
fn an_index_with_segments_of_both_rules_is_searched_by_the_earlier_one() {
    let mut index = made(Rule::Words, &OLD);
    insert(&mut index, Rule::CURRENT, &NEW);
    let han = |index: &Index| found(index, "蜂蜜");
    let all: Vec<(&str, &str)> = OLD.into_iter().chain(NEW).collect();
    assert_eq!(han(&index), han(&made(Rule::Words, &all)), "new segments only add terms");
    // Once nothing of the earlier rule is left, the current one applies.
    let renewed = OLD.map(|(id, text)| document(id, text));
    index.insert(renewed.into());
    while let Some(job) = index.next_merge() {
        let merged =
            block_on(job.run(&|| Box::pin(std::future::ready(())))).expect("all sources are in memory");
        index.finish_merge(merged);
    }
    assert_eq!(found(&index, "도서관").len(), 2);
}

#[test]
fn merging_makes_the_terms_of_the_current_rule() {
    let mut index = made(Rule::Words, &OLD);
    // A segment of which more than a third is deleted is rewritten.
    insert(&mut index, Rule::Words, &[("a", "花"), ("b", "果酱")]);
    index.remove("notes", "a");
    index.remove("notes", "bees");
    index.remove("notes", "korean");
    let mut merges = 0;
    while let Some(job) = index.next_merge() {
        let merged =
            block_on(job.run(&|| Box::pin(std::future::ready(())))).expect("all sources are in memory");
        index.finish_merge(merged);
        merges += 1;
    }
    assert!(merges > 0);
    let fresh = made(Rule::CURRENT, &[("honey", "蜂蜜很甜"), ("b", "果酱")]);
    assert_eq!(found(&index, "蜂蜜"), found(&fresh, "蜂蜜"));
    assert_eq!(index.fingerprint(""), fresh.fingerprint(""));
}

#[test]
fn the_rule_does_not_affect_other_scripts() {
    let documents = [("a", "The borrow checker reads code"), ("b", "Größe und Maß"), ("c", "Привет мир")];
    for query in ["borrow code", "größe", "мир", "checker"] {
        let [words, pairs] = [Rule::Words, Rule::Bigrams].map(|rule| found(&made(rule, &documents), query));
        assert_eq!(words, pairs);
    }
}

proptest! {
    #[test]
    fn scores_are_as_if_deleted_documents_had_never_been_added(
        texts in prop::collection::vec("[蜂蜜花东京都ータワ도서관ทีบ้ a]{1,12}", 2..8), query in "[蜂蜜花东京都ータワ도서관ทีบ้]{1,6}",
        gone in any::<prop::sample::Index>(), rule in prop::sample::select(&[Rule::Words, Rule::Bigrams][..]),
    ) {
        let ids: Vec<String> = (0..texts.len()).map(|at| format!("d{at}")).collect();
        let documents: Vec<(&str, &str)> = ids.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
        let gone = gone.index(documents.len());
        let mut index = made(rule, &documents);
        index.remove("notes", documents[gone].0);
        let mut rest = documents;
        rest.remove(gone);
        prop_assert_eq!(found(&index, &query), found(&made(rule, &rest), &query));
    }

    #[test]
    fn a_text_is_found_by_any_part_of_it(text in "[蜂蜜花东京都ータワ도서관ทบ]{2,12}", at in 0usize..10, length in 1usize..5) {
        let letters: Vec<char> = text.chars().collect();
        let start = at % letters.len();
        let part: String = letters[start..(start + length).min(letters.len())].iter().collect();
        let hits = found(&made(Rule::CURRENT, &[("only", &text)]), &part);
        prop_assert_eq!(hits.len(), 1, "{} in {}", part, text);
    }
}
