//! Follow-ups about what the question before found, and its conditions.

use serde_json::json;
use vademecum::agent::context::Context;
use vademecum::agent::ports::NoFunctions;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{Buckets, NoLlm, run_with};

/// Runs a step on a question after another one.
fn after(before: &str, asked: &str, step: serde_json::Value) -> Context {
    let pipeline =
        json!({ "question": asked, "history": [{ "question": before, "answer": "" }], "steps": [step] });
    let pipeline = serde_json::from_value(pipeline).unwrap();
    run_with(&pipeline, &Buckets(Vec::new()), &NoLlm, &NoFunctions, Cancel::default()).0
}

/// Asserts that the second question of each case, asked after the first, is rewritten to the third; `None` for one that is not rewritten.
fn assert_rewritten(cases: &[(&str, &str, Option<&str>)]) {
    for (before, asked, rewritten) in cases {
        let context = after(before, asked, json!({ "step": "rewrite" }));
        assert_eq!(context.rewritten_question.as_deref(), *rewritten, "{asked}");
    }
}

#[test]
fn a_question_about_some_of_them_keeps_the_conditions_of_the_one_before() {
    let joined = [
        (
            "Which members are over 40?",
            "Which of them live in Oslo?",
            Some("Which members are over 40 and live in Oslo?"),
        ),
        (
            "Which members are over 40?",
            "And how many of them live in Oslo?",
            Some("How many members are over 40 and live in Oslo?"),
        ),
        (
            "Who lives in Oslo?",
            "Which ones pay more than 50?",
            Some("Who lives in Oslo and pay more than 50?"),
        ),
        (
            "How many invoices are unpaid?",
            "Which of these are from May?",
            Some("Which invoices are unpaid and are from May?"),
        ),
        (
            "Which members pay at most 50 euros?",
            "Which of them, if any, live in Oslo?",
            Some("Which members pay at most 50 euros and live in Oslo?"),
        ),
    ];
    assert_rewritten(&joined);
    for rewritten in joined.iter().filter_map(|one| one.2) {
        let split = after("Hello", rewritten, json!({ "step": "decompose", "phases": 2 })).sub_questions;
        assert_eq!(split, [rewritten]);
    }
}

#[test]
fn a_question_that_a_further_condition_would_change_is_not_joined() {
    assert_rewritten(&[
        (
            "Which rivers flow through Berlin?",
            "Which of them is the longest?",
            Some("Which of them is the longest? (rivers flow Berlin)"),
        ),
        (
            "Which members are over 40?",
            "Which of them has the highest salary?",
            Some("Which of them has the highest salary? (members over 40)"),
        ),
        ("Which members pay the most?", "Which of them live in Oslo?", None),
        ("Which 3 members pay more than 50?", "Which of them live in Oslo?", None),
        (
            "Who lives in Oslo?",
            "How many of them joined in 2020?",
            Some("How many of them joined in 2020? (lives Oslo)"),
        ),
        ("Why did the price rise?", "Which of them pay more?", Some("Which of them pay more? (price rise)")),
        ("Which members are over 40?", "Which of these members live in Oslo?", None),
        ("Which invoices are over 100?", "How many of those invoices are unpaid?", None),
        ("Which members are over 40?", "Which of these two plans includes support?", None),
    ]);
}

#[test]
fn an_amount_keeps_what_it_is_compared_by() {
    assert_rewritten(&[
        (
            "Which members pay between 20 and 40 euros?",
            "What is their average age?",
            Some("What is their average age? (members pay between 20 and 40 euros)"),
        ),
        (
            "Which members pay more than $1,500?",
            "Where do they live?",
            Some("Where do they live? (members pay more than $1,500)"),
        ),
        (
            "Which members pay no more than 50 euros?",
            "Where do they live?",
            Some("Where do they live? (members pay no more than 50 euros)"),
        ),
        (
            "Which invoices came no later than 2020?",
            "Who sent them?",
            Some("Who sent them? (invoices came no later than 2020)"),
        ),
    ]);
}
