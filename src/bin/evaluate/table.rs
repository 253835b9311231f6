//! Formats results as text and as a table.

use crate::encode::cores;
use std::fmt::Write;
use std::time::Duration;
use vademecum::eval::{ARMS, AgentRow, Row};

/// The results of a set.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) documents: usize,
    pub(crate) chunks: usize,
    /// Number of embeddings that were not cached, and the time to compute them.
    pub(crate) computed: (usize, Duration),
    /// Milliseconds to embed a question.
    pub(crate) question_ms: f64,
    pub(crate) rows: Vec<Row>,
    pub(crate) agent: Vec<AgentRow>,
}

pub(crate) fn summary(outcome: &Outcome) -> String {
    let (count, took) = outcome.computed;
    format!(
        "  {} chunks; {count} embeddings made in {:.1} s, the others kept; {:.1} ms to embed a question",
        outcome.chunks,
        took.as_secs_f64(),
        outcome.question_ms
    )
}

/// Returns the table.
pub(crate) fn rows(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| set | arm | recall@5 | recall@10 | recall@100 | nDCG@10 | MRR@10 | all-support@10 | ms |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in outcomes.iter().flat_map(|outcome| &outcome.rows) {
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

/// Checks the default ranking method, hybrid with DBSF, against the minimum of each metric.
pub(crate) fn check(outcomes: &[Outcome], least: &[(String, f64)]) -> Result<(), String> {
    for row in outcomes.iter().flat_map(|outcome| &outcome.rows).filter(|row| row.arm == ARMS[2].name) {
        for (metric, least) in least {
            let value = match metric.as_str() {
                "recall@10" => row.recall_10,
                "nDCG@10" => row.ndcg_10,
                "MRR@10" => row.mrr_10,
                "all-support@10" => row.all_support_10,
                other => return Err(format!("there is no metric `{other}` with a least value")),
            };
            if value < *least {
                return Err(format!(
                    "{metric} of {}, {}, is {value:.3}; it must reach {least}",
                    row.set, row.arm
                ));
            }
        }
    }
    Ok(())
}

/// Returns the contents of `docs/evaluation.md`.
pub(crate) fn page(outcomes: &[Outcome], date: &str) -> String {
    let sets: Vec<String> = outcomes.iter().map(set).collect();
    format!(
        "# Evaluation\n\n\
         How well the engine finds what it should, with its default options. This page is written by `cargo xtask eval`.\n\n\
         Measured on {date}, on {}, {} cores, with all-MiniLM-L6-v2 in int8, texts cut to 128 tokens.\n\n\
         {}\n\
         ## The sets\n\n\
         | folder | documents | chunks | questions |\n|---|--:|--:|---|\n{}\n{}",
        std::env::consts::ARCH,
        cores(),
        rows(outcomes),
        sets.join(""),
        include_str!("notes.md"),
    )
}

fn set(outcome: &Outcome) -> String {
    let mut sets: Vec<String> =
        outcome.rows.iter().map(|row| format!("{} {}", row.queries, row.set)).collect();
    sets.dedup();
    format!("| {} | {} | {} | {} |\n", outcome.name, outcome.documents, outcome.chunks, sets.join(", "))
}
