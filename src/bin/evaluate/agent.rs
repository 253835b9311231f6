//! Formats the results of the agent's evaluation.

use crate::encode::cores;
use crate::table::Outcome;
use std::fmt::Write;

/// Returns the table.
pub(crate) fn rows(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| set | way to answer | questions | recall@10 | all-support@10 | nDCG@10 | exact match | F1 | LLM calls | prompt tokens | reply tokens | ms |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in outcomes.iter().flat_map(|outcome| &outcome.agent) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.1} | {:.0} | {:.0} | {:.1} |",
            row.set,
            row.strategy,
            row.queries,
            row.recall_10,
            row.all_support_10,
            row.ndcg_10,
            row.exact_match,
            row.f1,
            row.llm_calls,
            row.prompt_tokens,
            row.completion_tokens,
            row.took_ms
        );
    }
    text
}

/// Returns the contents of `docs/agent-evaluation.md`.
pub(crate) fn page(outcomes: &[Outcome], date: &str) -> String {
    format!(
        "# Evaluation of the agent\n\n\
         How much more the agent finds than one search does, and what that costs. This page is written by \
         `cargo xtask eval --agent`.\n\n\
         Measured on {date}, on {}, {} cores, with all-MiniLM-L6-v2 in int8, over {} passages.\n\n{}\n{}",
        std::env::consts::ARCH,
        cores(),
        outcomes.iter().map(|outcome| outcome.documents).sum::<usize>(),
        rows(outcomes),
        include_str!("agent-notes.md"),
    )
}
