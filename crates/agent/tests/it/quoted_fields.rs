//! Answers by rule that are names with their values: rows of two columns, fields of JSON and heads of mails.

use serde_json::json;
use vademecum::agent::context::Context;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{NoLlm, TestFunctions, pipeline, run_with};
use vademecum_testing::{add, kb, markdown};

/// Asks a library of one document by words, and answers by rule.
pub(super) fn quoted(text: &str, question: &str) -> Context {
    let kb = kb(None);
    add(&kb, vec![markdown("notes.md", text)]).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }]);
    let asked = pipeline(json!({ "question": question, "steps": steps }));
    run_with(&asked, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
}

fn first(text: &str, question: &str) -> String {
    quoted(text, question).answer.unwrap()
}

#[test]
fn the_row_that_names_a_measure_answers_its_verb() {
    let scooter = "# Scooter Brisa\n\n| Feature | Value |\n|---|---|\n| Weight | 17.2 kg |\n| Width | 44 cm |\n\
                   | Price | 480 € |\n\nThe scooter was built in 2019 for short ways.";
    for (question, row) in [
        ("What does the scooter weigh?", "Feature: Weight; Value: 17.2 kg"),
        ("How much does the scooter cost?", "Feature: Price; Value: 480 €"),
        ("How wide is the scooter?", "Feature: Width; Value: 44 cm"),
    ] {
        let answer = first(scooter, question);
        assert!(answer.starts_with(row), "{question}: {answer}");
    }
    assert!(quoted(scooter, "How tall is the scooter?").abstained, "its width is another measure");
}

#[test]
fn a_field_of_minified_json_answers_alone_and_complete() {
    let config = r#"{"server":{"timeout":30,"bind address":"0.0.0.0 : 80","workers":4},"cache":{"size":512,"path":"/var/a b"}}"#;
    let answer = first(config, "What is the timeout of the server?");
    assert!(answer.starts_with("\"timeout\":30 [1]"), "{answer}");
}

#[test]
fn the_head_of_a_mail_tells_who_sent_it_and_to_whom() {
    let mail = "From: Ruth Okafor <ruth@okafor.example>\nTo: Martin Vale <m.vale@mailbox.example>\nSubject: Your boiler\n\
                Date: 2026-02-09T08:45:00Z\n\nDear Martin,\n\nyour boiler is due. Leo Santos will come at ten.";
    for (question, line) in [
        ("Who sent the mail about the boiler?", "From: Ruth Okafor <ruth@okafor.example> [1]"),
        ("To whom was the mail about the boiler sent?", "To: Martin Vale <m.vale@mailbox.example> [1]"),
        ("When was the mail about the boiler sent?", "Date: 2026-02-09T08:45:00Z [1]"),
    ] {
        let answer = first(mail, question);
        assert!(answer.starts_with(line), "{question}: {answer}");
    }
}

#[test]
fn the_attribute_of_another_owner_is_not_quoted() {
    let notes = "# Club\n\nTom's discount is 10 percent. Priya Nair joined the club in May.";
    let answer = quoted(notes, "What is the discount of Priya Nair?");
    assert!(answer.abstained, "{:?}", answer.answer);
    let own = first(notes, "What is Tom's discount?");
    assert!(own.starts_with("Tom's discount is 10 percent."), "{own}");
}

#[test]
fn an_amount_without_a_subject_follows_the_sentence_that_has_it() {
    let notes =
        "# Allotment\n\nNew members are on a waiting list. The average is 14 months. Sheds stay small.";
    let answer = first(notes, "How long are new members on the waiting list?");
    assert!(
        answer.starts_with("New members are on a waiting list. [1] The average is 14 months. [1]"),
        "{answer}"
    );
}

#[test]
fn the_subject_of_a_mail_comes_after_what_it_says() {
    let mail = "From: Ruth Okafor <ruth@okafor.example>\nTo: Martin Vale <m.vale@mailbox.example>\nSubject: The budget for Larch Road\n\n\
                Dear Martin,\n\nour budget is 46,000 in all, and the tiles are plain.";
    let answer = first(mail, "What is the budget for Larch Road?");
    assert!(answer.starts_with("our budget is 46,000 in all"), "{answer}");
}
