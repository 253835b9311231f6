//! Questions over tables, answered without a model: exact rows, numbers, groups and values.
//!
//! `tests/tables` has the tables as CSV files, and the questions with their answers, which were computed by another program.

use super::amounts::{number, without_zeros};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use vademecum::agent::context::Context;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::document::{DEFAULT_COLLECTION, Document, Format};
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, run_with, says};
use vademecum_testing::block_on;
use vademecum_testing::styles::{last, spec};

const DEVELOPMENT: [(&str, &str); 3] = [
    ("employees.csv", include_str!("../tables/employees.csv")),
    ("orders.csv", include_str!("../tables/orders.csv")),
    ("cars.csv", include_str!("../tables/cars.csv")),
];
const HELD_OUT: [(&str, &str); 3] = [
    ("books.csv", include_str!("../tables/books.csv")),
    ("flats.csv", include_str!("../tables/flats.csv")),
    ("expenses.csv", include_str!("../tables/expenses.csv")),
];

const LATER: [(&str, &str); 2] = [
    ("students.csv", include_str!("../tables/students.csv")),
    ("stock.csv", include_str!("../tables/stock.csv")),
];

/// Splits a line of CSV, whose quoted cells have no quotes inside.
fn cells(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter == separator && !quoted => cells.push(String::new()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    cells
}

/// Makes documents of a CSV file as the demo page does: a document per row, with the types that whole columns have.
fn documents(file: &str, text: &str) -> Vec<Document> {
    let separator = if text.lines().next().unwrap().contains(';') { ';' } else { ',' };
    let rows: Vec<Vec<String>> = text.lines().map(|line| cells(line, separator)).collect();
    let (names, rows) = rows.split_first().unwrap();
    let column = |at: usize| rows.iter().map(move |row| row[at].as_str()).filter(|cell| !cell.is_empty());
    let is_number = |cell: &str| cell.parse::<f64>().is_ok() && !(cell.starts_with('0') && cell.len() > 1);
    // "45.000": the dots may group thousands.
    let is_grouped = |cell: &str| {
        let mut parts = cell.split('.');
        let first = parts.next().unwrap_or_default();
        (1..=3).contains(&first.len()) && !first.starts_with('0') && parts.all(|part| part.len() == 3)
    };
    let keeps_dots = |at: usize| {
        let dotted: Vec<&str> = column(at).filter(|cell| cell.contains('.')).collect();
        dotted.len() > 1 && dotted.into_iter().all(is_grouped)
    };
    let of = |at: usize, cell: &str| {
        if column(at).all(is_number) && !keeps_dots(at) {
            serde_json::from_str(cell).unwrap()
        } else if column(at).all(|cell| ["true", "false"].contains(&cell)) {
            json!(cell == "true")
        } else {
            json!(cell)
        }
    };
    let document = |(number, row): (usize, &Vec<String>)| {
        let there = || names.iter().zip(row).enumerate().filter(|(_, (_, cell))| !cell.is_empty());
        let mut metadata: Map<String, Value> =
            there().map(|(at, (name, cell))| (name.clone(), of(at, cell))).collect();
        metadata.insert("file".into(), json!(file));
        metadata.insert("path".into(), json!(format!("folder/{file}")));
        let lines: Vec<String> = there().map(|(_, (name, cell))| format!("{name}: {cell}")).collect();
        let title = there().find(|(_, (name, _))| ["title", "name"].contains(&name.to_lowercase().as_str()));
        let title = title.map_or(format!("{file}, row {}", number + 1), |(_, (_, cell))| cell.clone());
        Document {
            title: Some(title),
            metadata,
            ..Document::new(format!("{file}#{}", number + 1), lines.join("\n"))
        }
    };
    rows.iter().enumerate().map(document).collect()
}

pub(super) fn library(files: &[(&str, &str)]) -> KnowledgeBase {
    let kb = vademecum_testing::kb(None);
    for (file, text) in files {
        let documents = documents(file, text);
        block_on(kb.add(DEFAULT_COLLECTION, documents, &Cancel::default(), &|_| {})).unwrap();
    }
    kb
}

pub(super) fn asked(kb: &KnowledgeBase, question: &str) -> Context {
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }]);
    let pipeline: Pipeline =
        serde_json::from_value(json!({ "question": question, "steps": steps, "limit": 6 })).unwrap();
    run_with(&pipeline, kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
}

/// The entries of a list in an answer, without citations.
fn entries(answer: &str) -> BTreeSet<String> {
    let entry = |line: &str| {
        let entry = line.strip_prefix("- ")?;
        Some(entry.split(" [").next().unwrap_or(entry).to_owned())
    };
    answer.lines().filter_map(entry).collect()
}

/// Checks an answer; returns what is wrong.
pub(super) fn problem(result: &Context, case: &Value) -> Option<String> {
    let answer = without_zeros(&result.answer.clone().unwrap_or_default());
    let told = |what: String| Some(format!("{}\n    wanted {what}\n    got {answer}", case["question"]));
    let Some(output) = &result.output else { return told("a table's answer".into()) };
    if let Some(rows) = case["rows"].as_array() {
        let id = |row: &Value| format!("{}.csv#{row}", case["table"].as_str().unwrap());
        let wanted: BTreeSet<String> = rows.iter().map(id).collect();
        let got: BTreeSet<String> = output.documents.iter().map(|[_, id]| id.clone()).collect();
        let cited: BTreeSet<String> = result.citations.iter().map(|one| one.doc_id.clone()).collect();
        if got != wanted || cited != wanted {
            return told(format!("{wanted:?} as rows {got:?} and citations {cited:?}"));
        }
    }
    if case["value"] == json!(false) && !answer.starts_with("No:") {
        return told("no".into());
    }
    if case["value"].is_number() {
        let value = number(&case["value"]);
        let unit = ["", " EUR", " USD", " AUD", " thousand EUR", " kg", " m", " m²", " %"];
        let says = |unit: &&str| {
            let stated = [
                format!(" is {value}{unit}, over"),
                format!("There are {value} "),
                format!("There is {value} "),
            ];
            stated.iter().any(|one| answer.contains(one))
                || answer.starts_with(&format!("{value} %"))
                || (output.rows.len() == 1 && answer.contains(&format!(" {value}{unit}")))
        };
        if !unit.iter().any(says) {
            return told(value);
        }
    }
    if let Some(groups) = case["groups"].as_object() {
        let wanted: BTreeMap<String, String> =
            groups.iter().map(|(name, value)| (name.clone(), number(value))).collect();
        let bare = |value: &str| value.split(' ').next().unwrap_or(value).to_owned();
        let got: BTreeMap<String, String> = entries(&answer)
            .iter()
            .filter_map(|entry| entry.rsplit_once(": ").map(|(name, value)| (name.to_owned(), bare(value))))
            .collect();
        if got != wanted {
            return told(format!("{wanted:?}"));
        }
    }
    if let Some(values) = case["values"].as_array() {
        let wanted: BTreeSet<String> = values.iter().map(|one| one.as_str().unwrap().to_owned()).collect();
        let is_only =
            wanted.len() == 1 && output.rows.len() == 1 && wanted.iter().all(|one| answer.contains(one));
        if entries(&answer) != wanted && !is_only {
            return told(format!("{wanted:?}"));
        }
    }
    None
}

fn check(files: &[(&str, &str)], questions: &str) {
    let kb = library(files);
    let cases: Vec<Value> = serde_json::from_str(questions).unwrap();
    let question = |case: &Value| case["question"].as_str().unwrap().to_owned();
    let problems: Vec<String> =
        cases.iter().filter_map(|case| problem(&asked(&kb, &question(case)), case)).collect();
    assert!(
        problems.is_empty(),
        "{} of {} are exact\n{}",
        cases.len() - problems.len(),
        cases.len(),
        problems.join("\n")
    );
}

#[test]
fn forty_questions_over_three_tables_are_answered_exactly() {
    check(&DEVELOPMENT, include_str!("../tables/development.json"));
}

#[test]
fn forty_questions_over_three_other_tables_are_answered_exactly() {
    check(&HELD_OUT, include_str!("../tables/held-out.json"));
}

#[test]
fn questions_over_tables_that_were_added_later_are_answered_exactly() {
    check(&LATER, include_str!("../tables/later.json"));
}

/// Returns the ids of the rows, if the answer has any.
fn rows(result: &Context) -> Option<Vec<&str>> {
    Some(result.output.as_ref()?.documents.iter().map(|[_, id]| id.as_str()).collect())
}

#[test]
fn questions_that_no_table_answers_are_left_to_passages() {
    let kb = library(&DEVELOPMENT);
    for question in [
        "What is the population density of Berlin?",
        "What is the salary of the president of France?",
        "Which employees speak French?",
        "Which employees in Berlin wrote poems?",
        "What are the ticket prices?",
        "Why was order 1003 cancelled?",
        "How do I cancel an order?",
        "Which flights from Berlin cost more than 50000?",
        "What is the capital of Munich?",
        "How many employees in Sales have left?",
        "Who earns less than the average?",
        "Describe the Tesla Model 3",
        "Which employees are younger than 30?",
        "Which orders mention a discount?",
    ] {
        let result = asked(&kb, question);
        assert_eq!(rows(&result), None, "{question}: {:?}", result.answer);
    }
}

#[test]
fn a_value_that_is_missing_is_neither_counted_nor_forgotten() {
    let kb = library(&DEVELOPMENT);
    let answer = asked(&kb, "How many employees earn at least 70000?").answer.unwrap();
    let told =
        "There are 5 rows in employees.csv with Salary >= 70000 (1 more may do so, but a value is missing).";
    assert!(answer.starts_with(told), "{answer}");
    let answer = asked(&kb, "What is the average salary of remote employees?").answer.unwrap();
    assert!(answer.starts_with("The average of Salary is 57142.86, over 7 of the 8 rows"), "{answer}");
}

#[test]
fn no_row_is_an_answer_too() {
    let kb = library(&DEVELOPMENT);
    let result = asked(&kb, "Which employees in Munich earn more than 90000?");
    let told = "There are no rows in employees.csv with City Munich and Salary > 90000.";
    assert_eq!(result.answer.as_deref(), Some(told));
    assert_eq!(rows(&result), Some(Vec::new()));
}

#[test]
fn a_model_that_writes_the_answer_is_given_the_number_and_the_rows() {
    let kb = library(&DEVELOPMENT);
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    for (question, told) in [
        (
            "What is the average salary in Engineering?",
            "Computed over all rows: The average of Salary is 76500, over 4 of the 5 rows in employees.csv with Department Engineering.",
        ),
        ("How many orders per status?", "- delivered: 8"),
        (
            "Which employees in Munich earn more than 90000?",
            "There are no rows in employees.csv with City Munich and Salary > 90000.",
        ),
    ] {
        let llm = FunctionLlm::new(move |_, request| {
            assert!(last(request).contains(told), "{}", last(request));
            says("So it is.")
        });
        let pipeline: Pipeline =
            serde_json::from_value(json!({ "question": question, "steps": steps })).unwrap();
        run_with(&pipeline, &kb, &llm, &TestFunctions::default(), Cancel::default());
        assert_eq!(llm.count("answer"), 1, "{question}");
    }
}

fn texts(documents: Vec<Document>) -> KnowledgeBase {
    let kb = vademecum_testing::kb(None);
    block_on(kb.add(DEFAULT_COLLECTION, documents, &Cancel::default(), &|_| {})).unwrap();
    kb
}

/// Returns the text that each citation quotes, from the document's own text.
fn quoted(kb: &KnowledgeBase, result: &Context) -> Vec<String> {
    let quote = |one: &vademecum::agent::citation::Citation| {
        let text: Vec<u16> =
            kb.document(&one.collection, &one.doc_id).unwrap().document.text.encode_utf16().collect();
        let span = one.quote.unwrap();
        String::from_utf16(&text[span.start..span.end]).unwrap()
    };
    result.citations.iter().map(quote).collect()
}

#[test]
fn tables_in_texts_are_read_row_by_row() {
    let parts = "# Spare parts\n\nWe keep these päрts.\n\n| Part | Price | Stock | Supplier |\n|---|---:|---|---|\n\
        | Bolt | €2.50 | 400 | Acme |\n| Nut | €1.20 | 900 | Acme |\n| Gear | €34.00 | 12 | Globex |\n| Chain | €21.90 | 0 | |\n\n\
        Prices change in May.\n";
    let kb = texts(vec![
        Document::new("parts.md", parts),
        Document::new("trips.csv", "city,days,hotel\nRome,3,Aurora\nOslo,5,Fjord\nLima,8,\n"),
        Document {
            format: Some(Format::Html),
            ..Document::new(
                "rooms.html",
                "<h1>Rooms</h1><table><tr><th>Room</th><th>Seats</th></tr><tr><td>Elm</td><td>8</td></tr><tr><td>Oak</td><td>20</td></tr></table>",
            )
        },
    ]);
    for (question, starts, places) in [
        (
            "Which parts cost more than 10 euros?",
            "- Gear (Price €34.00, Stock 12, Supplier Globex) [1]",
            vec!["| Gear | €34.00 | 12 | Globex |", "| Chain | €21.90 | 0 | |"],
        ),
        (
            "What is the price of the gear?",
            "Gear (Price €34.00) [1]",
            vec!["| Gear | €34.00 | 12 | Globex |"],
        ),
        (
            "How many parts does Acme supply?",
            "There are 2 rows in Spare parts with Supplier Acme.",
            vec!["| Bolt | €2.50 | 400 | Acme |", "| Nut | €1.20 | 900 | Acme |"],
        ),
        (
            "Which parts have no supplier?",
            "- Chain (Price €21.90, Stock 0)",
            vec!["| Chain | €21.90 | 0 | |"],
        ),
        (
            "How many days in total?",
            "The sum of days is 16, over the 3 rows in trips.csv.",
            vec!["Rome,3,Aurora", "Oslo,5,Fjord", "Lima,8,"],
        ),
        ("Which trips have no hotel?", "- Lima (days 8)", vec!["Lima,8,"]),
        ("Which rooms have more than 10 seats?", "- Oak (Seats 20)", vec!["Oak | 20"]),
    ] {
        let result = asked(&kb, question);
        let answer = result.answer.clone().unwrap();
        assert!(answer.starts_with(starts), "{question}: {answer}");
        assert_eq!(quoted(&kb, &result), places, "{question}");
    }
    // The rows are those of the table.
    let output = asked(&kb, "Which parts cost more than 10 euros?").output.unwrap();
    assert_eq!(
        (output.total, output.columns),
        (2, ["title", "Price", "Stock", "Supplier"].map(str::to_owned).to_vec())
    );
    assert_eq!(output.rows[0], [json!("Gear"), json!("€34.00"), json!("12"), json!("Globex")]);
    assert_eq!(
        output.documents,
        [[DEFAULT_COLLECTION, "parts.md"], [DEFAULT_COLLECTION, "parts.md"]]
            .map(|one| one.map(str::to_owned))
    );
    assert!(asked(&kb, "When do prices change?").answer.unwrap().contains("Prices change in May."));
}

#[test]
fn amounts_and_dates_in_texts_are_summed_up_with_their_places() {
    let mut documents: Vec<Document> = [
        ("A-1", "€1,200.00", "2024-01-03", "Acme"),
        ("A-2", "€340.50", "2024-02-11", "Globex"),
        ("A-3", "€89.50", "2024-02-20", "Acme"),
    ]
    .into_iter()
    .map(|(name, total, date, vendor)| {
        let text = format!(
            "Invoice {name}\n\nVendor: {vendor}\nDate: {date}\nTotal: {total}\n\nThank you for your order."
        );
        Document { title: Some(format!("Invoice {name}")), ..Document::new(format!("{name}.txt"), text) }
    })
    .collect();
    for (name, worth, signed) in [
        ("Acme", "$12,000", "3 May 2023"),
        ("Globex", "$48,500", "17 January 2024"),
        ("Initech", "$7,250", "2 February 2024"),
    ] {
        let text = format!(
            "This contract between us and {name} was signed on {signed}. The services are worth {worth} and end after a year. Notice is given in writing."
        );
        documents.push(Document {
            title: Some(format!("{name} contract")),
            ..Document::new(format!("{name}.txt"), text)
        });
    }
    let kb = texts(documents);
    let worth = |amount: &str| format!("The services are worth {amount} and end after a year.");
    for (question, starts, places) in [
        (
            "What is the total of all invoices?",
            "The sum of Total is 1630.00 EUR, over the 3 documents",
            vec!["Total: €1,200.00".to_owned(), "Total: €340.50".into(), "Total: €89.50".into()],
        ),
        (
            "What is the total of the invoices from Acme?",
            "The sum of Total is 1289.50 EUR, over the 2 documents",
            vec!["Total: €1,200.00".into(), "Total: €89.50".into()],
        ),
        (
            "Which invoices are from February 2024?",
            "- Invoice A-2 (",
            vec!["Date: 2024-02-11".into(), "Date: 2024-02-20".into()],
        ),
        ("What is the largest invoice?", "Invoice A-1 (Total €1,200.00", vec!["Total: €1,200.00".into()]),
        (
            "Which contracts are worth more than $10,000?",
            "- Acme contract (",
            vec![worth("$12,000"), worth("$48,500")],
        ),
        (
            "What are all contracts worth in total?",
            "The sum of Worth is 67750 USD, over the 3 documents",
            vec![worth("$12,000"), worth("$48,500"), worth("$7,250")],
        ),
        (
            "When was the Globex contract signed?",
            "Globex contract (Signed 17 January 2024)",
            vec!["This contract between us and Globex was signed on 17 January 2024.".into()],
        ),
    ] {
        let result = asked(&kb, question);
        let answer = result.answer.clone().unwrap();
        assert!(answer.starts_with(starts), "{question}: {answer}");
        assert_eq!(quoted(&kb, &result), places, "{question}");
    }
    assert_eq!(asked(&kb, "How is notice given?").output, None);
}

#[test]
fn a_number_that_may_be_zero_and_names_of_columns_that_are_small_words_are_read() {
    let flights = "Flight,From,To,Duration (min),Price,Stops\nLH1,Berlin,Rome,115,\"€1.089,90\",0\nBA2,London,Berlin,130,\"€142,00\",1\nTK3,Berlin,Oslo,95,\"€210,50\",0\n";
    let kb = library(&[("flights.csv", flights)]);
    for (question, numbers) in [
        ("Which flights have no stops and take less than 100 minutes?", vec![3]),
        ("List all flights to Berlin", vec![2]),
        ("List all flights from Berlin to Rome", vec![1]),
        ("Which flights from Berlin cost more than €1,000?", vec![1]),
        ("Which flights take less than two hours?", vec![1, 3]),
    ] {
        let result = asked(&kb, question);
        let wanted: Vec<String> = numbers.iter().map(|number| format!("flights.csv#{number}")).collect();
        assert_eq!(
            rows(&result),
            Some(wanted.iter().map(String::as_str).collect()),
            "{question}: {:?}",
            result.answer
        );
    }
    let orders = library(&DEVELOPMENT);
    let answer = asked(&orders, "How many orders were shipped?").answer.unwrap();
    assert!(answer.starts_with("There are 10 rows in orders.csv with a ship_date."), "{answer}");
}

#[test]
fn a_column_of_yes_and_no_behind_under_and_a_number_behind_in_are_conditions() {
    let bikes = "Bike,Insurance,Storage,Price\nGravel 1,true,4,900\nTour 2,false,,1200\nTour 3,true,7,1500\n";
    let kb = library(&[("bikes.csv", bikes)]);
    for (question, numbers) in [
        ("Which bikes are under insurance?", vec![1, 3]),
        ("Which bikes are not under insurance?", vec![2]),
        ("Which bikes are in storage?", vec![1, 3]),
        ("Which bikes are under 1000?", vec![1]),
    ] {
        let result = asked(&kb, question);
        let wanted: Vec<String> = numbers.iter().map(|number| format!("bikes.csv#{number}")).collect();
        assert_eq!(
            rows(&result),
            Some(wanted.iter().map(String::as_str).collect()),
            "{question}: {:?}",
            result.answer
        );
    }
}

#[test]
fn conditions_that_the_user_has_dropped_are_not_read_again() {
    let kb = vademecum_testing::kb(None);
    let schema = Some(json!({ "year": "number" }));
    kb.collection("contracts", &CollectionOptions { description: None, language: None, schema }).unwrap();
    let contract = |id: &str, year: i32| Document {
        metadata: json!({ "year": year }).as_object().unwrap().clone(),
        ..Document::new(id, "The contract may be ended with 30 days of notice.")
    };
    let contracts = vec![contract("acme.md", 2023), contract("globex.md", 2022)];
    block_on(kb.add("contracts", contracts, &Cancel::default(), &|_| {})).unwrap();
    let over =
        |pipeline: &Pipeline| run_with(pipeline, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0;
    let stopped = over(&spec(json!({ "name": "investigate" }), "Find contracts from 2024", json!({})));
    assert!(stopped.clarification.is_some_and(|one| one.question.contains("found none")));
    let resume =
        json!({ "question": "-", "resume": { "state": stopped.state, "answer": "Yes, search all years" } });
    let resumed = over(&serde_json::from_value(resume).unwrap());
    assert_eq!(rows(&resumed), Some(vec!["acme.md", "globex.md"]), "{:?}", resumed.answer);
}
