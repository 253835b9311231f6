//! Questions over tables that are easily misread: each is answered exactly, or left to passages.

use super::tables::{asked, library, problem};
use serde_json::{Value, json};

/// Checks questions that each table of a set has of its own; a question without a sure reading is left to passages.
fn check_each(tables: &str) {
    let tables: Vec<Value> = serde_json::from_str(tables).unwrap();
    let mut problems = Vec::new();
    for table in &tables {
        let lines: Vec<&str> =
            table["rows"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        let name = table["table"].as_str().unwrap();
        let kb = library(&[(&format!("{name}.csv"), &lines.join("\n"))]);
        for case in table["cases"].as_array().unwrap() {
            let mut case = case.clone();
            case["table"] = json!(name);
            let result = asked(&kb, case["question"].as_str().unwrap());
            let declined = result.output.is_none();
            problems.extend(match case["declines"] == json!(true) {
                true if declined => None,
                true => {
                    Some(format!("{}\n    wanted none\n    got {}", case["question"], result.answer.unwrap()))
                }
                false => problem(&result, &case),
            });
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn questions_that_are_easily_misread_are_answered_exactly_or_left_to_passages() {
    check_each(include_str!("../tables/adversarial.json"));
}

#[test]
fn questions_over_tables_of_other_domains_are_answered_exactly_or_left_to_passages() {
    check_each(include_str!("../tables/further.json"));
}
