//! Keyword search in languages that do not separate words by spaces, on the set in `tests/data/languages`.

use std::path::Path;
use vademecum::eval::beir::Dataset;
use vademecum::eval::{RULES, Row, measure_rule};

fn rows() -> Vec<Vec<Row>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/languages");
    let dataset = Dataset::read(&folder).unwrap();
    assert!(dataset.documents.len() >= 60 && dataset.queries.len() >= 60);
    RULES.map(|(name, rule)| measure_rule(&dataset, name, rule).unwrap()).into()
}

#[test]
fn pairs_of_characters_rank_better_than_characters_in_each_language() {
    let [characters, pairs] = <[Vec<Row>; 2]>::try_from(rows()).unwrap();
    assert_eq!(pairs.iter().map(|row| row.set.as_str()).collect::<Vec<_>>(), ["ja", "ko", "th", "zh"]);
    for (before, after) in characters.iter().zip(&pairs) {
        println!(
            "{} nDCG@10 {:.3} -> {:.3}, MRR@10 {:.3} -> {:.3}, recall@5 {:.3} -> {:.3}, recall@10 {:.3} -> {:.3}",
            after.set,
            before.ndcg_10,
            after.ndcg_10,
            before.mrr_10,
            after.mrr_10,
            before.recall_5,
            after.recall_5,
            before.recall_10,
            after.recall_10
        );
        assert!(
            after.ndcg_10 >= before.ndcg_10 && after.recall_10 >= before.recall_10,
            "{after:?} {before:?}"
        );
    }
}
