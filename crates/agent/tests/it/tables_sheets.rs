//! Questions over the sheets of workbooks, and over rows that the caller's filter narrows.

use super::tables::{asked, library};
use serde_json::{Value, json};
use vademecum::agent::context::Context;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::document::{DEFAULT_COLLECTION, Document};
use vademecum::engine::KnowledgeBase;
use vademecum_testing::agent::{NoLlm, TestFunctions, run_with};
use vademecum_testing::block_on;

/// Makes documents of the rows of a sheet, as the reader of workbooks does.
fn rows(file: &str, sheet: &str, rows: &[Value]) -> Vec<Document> {
    let row = |(at, fields): (usize, &Value)| {
        let mut metadata = fields.as_object().unwrap().clone();
        let lines: Vec<String> = metadata.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        metadata.insert("file".into(), json!(file));
        metadata.insert("sheet".into(), json!(sheet));
        let title = fields["Name"].as_str().map(str::to_owned);
        Document { title, metadata, ..Document::new(format!("{file}#{sheet}!{}", at + 1), lines.join("\n")) }
    };
    rows.iter().enumerate().map(row).collect()
}

fn workbooks(sheets: &[(&str, &str, &[Value])]) -> KnowledgeBase {
    let kb = vademecum_testing::kb(None);
    for (file, sheet, of_sheet) in sheets {
        let rows = rows(file, sheet, of_sheet);
        block_on(kb.add(DEFAULT_COLLECTION, rows, &Cancel::default(), &|_| {})).unwrap();
    }
    kb
}

fn ids(result: &Context) -> Vec<&str> {
    result.output.as_ref().unwrap().documents.iter().map(|[_, id]| id.as_str()).collect()
}

fn answer(result: &Context) -> String {
    result.answer.clone().expect("an answer")
}

#[test]
fn sheets_with_other_columns_are_tables_of_their_own() {
    let staff = [
        json!({ "Name": "Ada Lund", "Joined": "2017-04-01", "Leave": 30, "Desk": "A1" }),
        json!({ "Name": "Bo Sand", "Joined": "2022-09-15", "Leave": 28, "Desk": "B2" }),
        json!({ "Name": "Cleo Marsh", "Joined": "2019-02-11", "Leave": 26, "Desk": "C3" }),
    ];
    let phones =
        [json!({ "Name": "Ada Lund", "Extension": 4412 }), json!({ "Name": "Bo Sand", "Extension": 4400 })];
    let kb = workbooks(&[("staff.xlsx", "Staff", &staff), ("staff.xlsx", "Phones", &phones)]);
    let joined = asked(&kb, "Who joined before 2020?");
    assert_eq!(ids(&joined), ["staff.xlsx#Staff!1", "staff.xlsx#Staff!3"]);
    // By this filter the documents that are never sent are counted.
    let selected = serde_json::to_value(&joined.workspace.progress.rows_of).unwrap();
    let of_staff = json!({ "and": [
        { "field": "file", "operator": "in", "value": ["staff.xlsx"] },
        { "field": "sheet", "operator": "in", "value": ["Staff"] },
    ] });
    assert_eq!(selected["filters"][0], of_staff, "{selected}");
    assert!(!answer(&joined).contains("a value is missing"), "{}", answer(&joined));
    let leave = answer(&asked(&kb, "What is the total leave?"));
    assert!(leave.starts_with("The sum of Leave is 84, over the 3 rows in staff.xlsx."), "{leave}");
    let extension = answer(&asked(&kb, "What is the extension of Bo Sand?"));
    assert!(extension.starts_with("Bo Sand (Extension 4400)"), "{extension}");
}

#[test]
fn sheets_of_workbooks_with_the_same_columns_are_one_table() {
    let month = |amount: u32| {
        [
            json!({ "Name": "Rent", "Amount": amount, "Note": "paid" }),
            json!({ "Name": "Power", "Amount": 60 }),
        ]
    };
    let (january, february, march) = (month(900), month(950), [json!({ "Name": "Repair", "Amount": 40 })]);
    let phones = [json!({ "Person": "Bo", "Extension": 4400 })];
    let kb = workbooks(&[
        ("a.xlsx", "March", &march),
        ("a.xlsx", "January", &january),
        ("a.xlsx", "February", &february),
        ("b.xlsx", "Later", &month(1000)),
        ("b.xlsx", "Phones", &phones),
    ]);
    let sum = answer(&asked(&kb, "What is the sum of all amounts?"));
    assert!(sum.starts_with("The sum of Amount is 3070, over the 7 documents in a.xlsx, b.xlsx."), "{sum}");
    let in_january = answer(&asked(&kb, "What is the sum of the amounts in the sheet January?"));
    assert!(in_january.starts_with("The sum of Amount is 960, over the 2 documents"), "{in_january}");
}

#[test]
fn a_column_that_is_called_sheet_is_one_like_others() {
    let text = "sheet,title,scale\n1,Ground floor,50\n2,Roof,100\n3,Cellar,\n";
    let kb = library(&[("plans.csv", text)]);
    let roof = answer(&asked(&kb, "What is the title of sheet 2?"));
    assert!(roof.contains("Roof") && !roof.contains("Cellar"), "{roof}");
    let scale = answer(&asked(&kb, "What is the sum of the scales?"));
    assert!(scale.starts_with("The sum of scale is 150, over 2 of the 3 rows in plans.csv."), "{scale}");
}

#[test]
fn an_answer_about_rows_tells_the_filter_that_it_was_asked_with() {
    let text = "Category,Shop,Amount\nTransport,Rail,46\nRent,Kern,980\nTransport,Bus,12\nFood,Baker,7\n";
    let kb = library(&[("budget.csv", text)]);
    let said = |filters: Value| {
        let steps = json!([{ "step": "search" }, { "step": "answer" }]);
        let asked =
            json!({ "question": "What is the sum of all amounts?", "steps": steps, "filters": filters });
        let pipeline: Pipeline = serde_json::from_value(asked).unwrap();
        answer(&run_with(&pipeline, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0)
    };
    for (filters, told) in [
        (json!({ "Category": "Transport" }), "is 58, over the 2 rows in budget.csv with Category Transport."),
        (
            json!({ "Category": ["Rent", "Food"] }),
            "is 987, over the 2 rows in budget.csv with Category Rent or Food.",
        ),
        (
            json!([{ "field": "Amount", "operator": "<", "value": 20 }]),
            "is 19, over the 2 rows in budget.csv with Amount < 20.",
        ),
        (
            json!({ "Amount": { ">": 20, "<": 900 } }),
            "is 46, over the 1 row in budget.csv with Amount < 900 and Amount > 20.",
        ),
        (
            json!({ "or": [{ "Shop": "Bus" }, { "Shop": "Rail" }] }),
            "is 58, over the 2 rows in budget.csv with Shop Bus or Shop Rail.",
        ),
        (
            json!([{ "field": "file", "operator": "in", "value": ["budget.csv"] }]),
            "is 1045, over the 4 rows in budget.csv.",
        ),
        (
            json!([{ "field": "Category", "operator": "in", "value": ["Food"] }]),
            "is 7, over the 1 row in budget.csv with Category Food.",
        ),
    ] {
        let answer = said(filters);
        assert!(answer.contains(told), "{answer}");
    }
}
