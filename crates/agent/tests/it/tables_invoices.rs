//! Questions of a careless user over invoices, orders and expenses that lack some values.

use super::tables::{asked, library, problem};
use serde_json::Value;
use std::collections::BTreeSet;
use vademecum::agent::context::Context;

const FILES: [(&str, &str); 3] = [
    ("invoices.csv", include_str!("../tables/invoices.csv")),
    ("orders.csv", include_str!("../tables/sales.csv")),
    ("expenses.csv", include_str!("../tables/spending.csv")),
];

/// Checks the sentences, citations and reasons of answers, besides their rows and values.
fn problem_of(result: &Context, case: &Value) -> Option<String> {
    let answer = result.answer.clone().unwrap_or_default();
    let told = |what: String| Some(format!("{}\n    wanted {what}\n    got {answer}", case["question"]));
    if case["declines"] == true {
        return if result.output.is_some() { told("none".into()) } else { None };
    }
    if let Some(said) = case["says"].as_str().filter(|said| !answer.contains(said)) {
        return told(said.to_owned());
    }
    if let Some(cites) = case["cites"].as_array() {
        let wanted: BTreeSet<String> =
            cites.iter().map(|row| format!("{}.csv#{row}", case["table"].as_str().unwrap())).collect();
        let cited: BTreeSet<String> = result.citations.iter().map(|one| one.doc_id.clone()).collect();
        if cited != wanted {
            return told(format!("citations of {wanted:?}, not {cited:?}"));
        }
    }
    problem(result, case)
}

#[test]
fn questions_over_tables_with_gaps_are_answered_exactly_or_left_to_passages() {
    let kb = library(&FILES);
    let cases: Vec<Value> = serde_json::from_str(include_str!("../tables/invoices.json")).unwrap();
    let ask = |case: &Value| problem_of(&asked(&kb, case["question"].as_str().unwrap()), case);
    let problems: Vec<String> = cases.iter().filter_map(ask).collect();
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn rows_that_are_quoted_are_supported_and_do_not_disagree() {
    let kb = library(&FILES);
    for question in [
        "Who approved INV-1012?",
        "Why did Orbit Hosting cost so much?",
        "Why did Acme Tools send us invoices?",
        "Why did Jana Weiss spend it?",
        "Why does Lumen Energy bill us for utilities?",
    ] {
        let result = asked(&kb, question);
        assert_eq!(result.output, None, "{question}");
        let reason = result.reason.clone().unwrap_or_default();
        assert!(!reason.contains("disagree"), "{question}: {reason}");
        let grounding = result.grounding.unwrap();
        assert!(grounding.iter().all(|one| one.supported), "{question}: {grounding:?}");
    }
}

#[test]
fn a_row_of_which_only_the_names_of_fields_are_asked_is_no_answer() {
    let kb = library(&FILES);
    for question in ["overdue invoices", "which vendors are not paid", "is everything paid"] {
        let result = asked(&kb, question);
        assert!(result.citations.is_empty(), "{question}: {:?}", result.answer);
    }
    let result = asked(&kb, "Why did we not order more from Harbor Cafe?");
    let reason = result.reason.unwrap_or_default();
    assert!(reason.starts_with("These are the nearest rows"), "{reason}: {:?}", result.answer);
}
