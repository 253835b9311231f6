#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]
mod support;
use serde_json::json;
use support::agent::{NoLlm, run_with};
use support::corpus::corpus;
use vademecum::agent::ports::NoFunctions;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;

#[test]
fn probe() {
    let kb = corpus();
    for (style, question) in [
        ("investigate", "Find ACME contracts regarding termination"),
        ("investigate", "Find invoices over $1k from Acme"),
        ("investigate", "List NPN transistors in a table"),
        ("investigate", "Which solvents have a flash point below 20 degrees and who certified their purity?"),
        ("investigate", "Find contracts from 2024"),
        ("investigate", "List every invoice"),
        ("investigate", "Explain the maintenance steps for battery cabinet B-120"),
        ("graph", "How do GenServer and Agent differ?"),
        ("react", "What is the notice to end the ACME contract?"),
    ] {
        let pipeline: Pipeline =
            serde_json::from_value(json!({"question": question, "threshold": 0.0, "style": {"name": style}}))
                .unwrap();
        let (result, _) = run_with(&pipeline, &kb, &NoLlm, &NoFunctions, Cancel::default());
        println!(
            "=== {style}: {question}\n  steps {:?}\n  filters {:?} collections {:?}\n  {:?} error {:?}",
            result.steps_taken.join(" "),
            result.filters.as_ref().map(|f| f.to_string()),
            result.collections,
            result.terminated_by,
            result.error
        );
        for t in &result.reasoning_trace {
            println!("    {}: {}", t.step, t.text.chars().take(200).collect::<String>());
        }
        println!(
            "  answer: {}",
            result.answer.as_deref().unwrap_or("-").chars().take(400).collect::<String>()
        );
        if let Some(c) = &result.clarification {
            println!(
                "  clarify: {} | {} | options {:?} | facets {:?}",
                c.question,
                c.missing_info,
                c.options,
                c.facets.iter().map(|f| (&f.field, f.values.len())).collect::<Vec<_>>()
            );
        }
        if let Some(o) = &result.output {
            println!("  output rows {} columns {:?}", o.rows.len(), o.columns);
        }
        for c in &result.coverage {
            println!("    cover {:?} {} {:?} {} missing {:?}", c.kind, c.text, c.status, c.share, c.missing);
        }
    }
}
