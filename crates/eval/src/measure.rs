//! Measures retrieval on labelled questions.

use super::LabelledQuery;
use super::metrics::{Relevance, all_support_at, distinct, ndcg_at, recall_at, reciprocal_rank_at};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use vademecum_engine::{KnowledgeBase, Mode, SearchRequest};
use vademecum_index::Fusion;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::hops::Hops;

/// Number of chunks per question. Documents are ranked by their best chunk, so a ranking has fewer documents
/// if some have several chunks in it.
const CHUNKS: usize = 100;

/// A ranking method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arm {
    /// Name used in tables.
    pub name: &'static str,
    /// The retrievers used.
    pub mode: Mode,
    /// The fusion method.
    pub fusion: Fusion,
    /// Maximum number of hops.
    pub hops: Hops,
}

/// All ranking methods.
pub const ARMS: [Arm; 8] = [
    Arm { name: "keyword", mode: Mode::Keyword, fusion: Fusion::Dbsf, hops: Hops::Most(1) },
    Arm { name: "vector", mode: Mode::Vector, fusion: Fusion::Dbsf, hops: Hops::Most(1) },
    Arm { name: "hybrid, DBSF", mode: Mode::Hybrid, fusion: Fusion::Dbsf, hops: Hops::Most(1) },
    Arm { name: "hybrid, min-max", mode: Mode::Hybrid, fusion: Fusion::MinMax, hops: Hops::Most(1) },
    Arm { name: "hybrid, RRF", mode: Mode::Hybrid, fusion: Fusion::Rrf, hops: Hops::Most(1) },
    Arm { name: "hybrid, 2 hops", mode: Mode::Hybrid, fusion: Fusion::Dbsf, hops: Hops::Most(2) },
    Arm { name: "hybrid, 3 hops", mode: Mode::Hybrid, fusion: Fusion::Dbsf, hops: Hops::Most(3) },
    Arm { name: "hybrid, hops auto", mode: Mode::Hybrid, fusion: Fusion::Dbsf, hops: Hops::Auto },
];

/// Means over the questions of a set.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Name of the set.
    pub set: String,
    /// Name of the ranking method.
    pub arm: &'static str,
    /// Number of questions.
    pub queries: usize,
    /// Recall@5, of documents.
    pub recall_5: f64,
    /// Recall@10.
    pub recall_10: f64,
    /// Recall@100.
    pub recall_100: f64,
    /// nDCG@10.
    pub ndcg_10: f64,
    /// MRR@10.
    pub mrr_10: f64,
    /// Share of questions with all relevant documents among the first 10.
    pub all_support_10: f64,
    /// Milliseconds per search, including the embedding of the question.
    pub took_ms: f64,
}

/// Asks every question by one ranking method. Returns one row per set, ordered by name.
///
/// # Errors
/// [`Error::NoEmbedder`] if the method needs vectors that cannot be computed now, and those of
/// [`KnowledgeBase::search`].
pub async fn measure(
    kb: &KnowledgeBase,
    queries: &[LabelledQuery],
    arm: Arm,
    threshold: f32,
    cancel: &Cancel,
) -> Result<Vec<Row>> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for query in queries {
        let request = SearchRequest { threshold, limit: CHUNKS, ..request(query, arm) };
        let found = kb.search(&request, cancel).await?;
        if found.mode != arm.mode {
            // Do not count a hybrid search that fell back to keywords.
            return Err(Error::NoEmbedder { what: "Measuring hybrid search" });
        }
        let row = rows.entry(&query.set).or_default();
        row.add(found.hits.iter().map(|hit| hit.chunk.doc_id.as_str()), &query.relevant);
        row.took_ms += found.took_ms;
    }
    Ok(mean_rows(rows, arm.name))
}

/// Returns rows as a table in Markdown.
pub fn table<'a>(rows: impl IntoIterator<Item = &'a Row>) -> String {
    let mut text = String::from(
        "| set | arm | recall@5 | recall@10 | recall@100 | nDCG@10 | MRR@10 | all-support@10 | ms |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.1} |",
            row.set,
            row.arm,
            row.recall_5,
            row.recall_10,
            row.recall_100,
            row.ndcg_10,
            row.mrr_10,
            row.all_support_10,
            row.took_ms
        );
    }
    text
}

/// Returns the means of summed rows.
pub(super) fn mean_rows(sums: BTreeMap<&str, Row>, arm: &'static str) -> Vec<Row> {
    sums.into_iter().map(|(set, sums)| sums.mean(set, arm)).collect()
}

/// Returns the ids of the first `limit` chunks for a question, for comparing two builds of the engine.
///
/// # Errors
/// Those of [`KnowledgeBase::search`].
pub async fn chunks_for(
    kb: &KnowledgeBase,
    query: &LabelledQuery,
    arm: Arm,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<String>> {
    let found = kb.search(&SearchRequest { limit, ..request(query, arm) }, cancel).await?;
    Ok(found.hits.into_iter().map(|hit| hit.chunk.id).collect())
}

fn request(query: &LabelledQuery, arm: Arm) -> SearchRequest {
    SearchRequest {
        query: query.text.clone(),
        mode: arm.mode,
        fusion: arm.fusion,
        hops: arm.hops,
        ..SearchRequest::default()
    }
}

impl Row {
    /// Adds the metrics of a question, given the documents of the chunks found.
    pub(super) fn add<'a>(&mut self, found: impl Iterator<Item = &'a str>, relevant: &Relevance) {
        let ranking = distinct(found);
        self.queries += 1;
        self.recall_5 += recall_at(&ranking, relevant, 5);
        self.recall_10 += recall_at(&ranking, relevant, 10);
        self.recall_100 += recall_at(&ranking, relevant, 100);
        self.ndcg_10 += ndcg_at(&ranking, relevant, 10);
        self.mrr_10 += reciprocal_rank_at(&ranking, relevant, 10);
        self.all_support_10 += all_support_at(&ranking, relevant, 10);
    }

    fn mean(self, set: &str, arm: &'static str) -> Self {
        let share = 1.0 / self.queries.max(1) as f64;
        Self {
            set: set.to_owned(),
            arm,
            queries: self.queries,
            recall_5: self.recall_5 * share,
            recall_10: self.recall_10 * share,
            recall_100: self.recall_100 * share,
            ndcg_10: self.ndcg_10 * share,
            mrr_10: self.mrr_10 * share,
            all_support_10: self.all_support_10 * share,
            took_ms: self.took_ms * share,
        }
    }
}
