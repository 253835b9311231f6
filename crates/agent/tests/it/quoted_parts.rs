//! Answers by rule that are no sentences: rows of tables, lists and code.

use serde_json::json;
use vademecum::agent::context::Context;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{NoLlm, TestFunctions, pipeline, run_with};
use vademecum_testing::{add, kb, markdown};

fn quoted(text: &str, question: &str) -> Context {
    let kb = kb(None);
    add(&kb, vec![markdown("kiln.md", text)]).unwrap();
    let steps = json!([{ "step": "search" }, { "step": "answer" }, { "step": "ground" }]);
    let asked = pipeline(json!({ "question": question, "steps": steps }));
    run_with(&asked, &kb, &NoLlm, &TestFunctions::default(), Cancel::default()).0
}

/// Returns the part of the document that the first citation quotes.
fn source(text: &str, result: &Context) -> String {
    let span = result.citations[0].quote.unwrap();
    String::from_utf16(&text.encode_utf16().collect::<Vec<_>>()[span.start..span.end]).unwrap()
}

const KILN: &str = "# The kiln\n\nThe kiln stands in the yard and was bought in 1996.\n\n| Glaze | Cone | Hours |\n|---|---|---|\n\
                    | Celadon | 10 | 14 |\n| Raku | 06 | 3 |\n\nBefore you light the kiln, check three things:\n\n1. The flue is open.\n\
                    2. No shelf touches the wall.\n3. The cones can be seen.\n\nTo log a firing, type:\n\n```sh\nkilnlog add \\\n  --glaze raku\n```";

#[test]
fn a_row_of_a_table_answers_with_the_names_of_its_columns() {
    let result = quoted(KILN, "What cone does a celadon glaze melt at?");
    let answer = result.answer.clone().unwrap();
    assert!(answer.starts_with("Glaze: Celadon; Cone: 10; Hours: 14 [1]"), "{answer}");
    assert_eq!(source(KILN, &result), "| Celadon | 10 | 14 |");
    let grounding = result.grounding.unwrap();
    assert!(!grounding.is_empty() && grounding.iter().all(|one| one.supported));
}

#[test]
fn a_list_is_quoted_with_the_line_that_announces_it() {
    let result = quoted(KILN, "What must be checked before lighting the kiln?");
    let expected = "Before you light the kiln, check three things:\n1. The flue is open.\n2. No shelf touches the wall.\n3. The cones can be seen.\n[1]";
    let answer = result.answer.clone().unwrap();
    assert!(answer.starts_with(expected), "{answer}");
    assert!(source(KILN, &result).ends_with("3. The cones can be seen."));
    let grounding = result.grounding.unwrap();
    assert!(!grounding.is_empty() && grounding.iter().all(|one| one.supported));
}

#[test]
fn an_item_of_a_list_answers_without_its_marker() {
    let text = "# Camp\n\n- The gate is locked at ten.\n- The shower takes two tokens.\n- Fires are lit by the warden.";
    let result = quoted(text, "When is the gate of the camp locked?");
    assert!(result.answer.unwrap().starts_with("The gate is locked at ten. [1]"));
}

#[test]
fn code_is_quoted_with_its_lines_and_the_line_that_announces_it() {
    let result = quoted(KILN, "How do I log a firing of the kiln?");
    let answer = result.answer.unwrap();
    assert!(answer.starts_with("To log a firing, type:\nkilnlog add \\\n  --glaze raku\n[1]"), "{answer}");
}

#[test]
fn code_that_nothing_announces_answers_a_question_for_code_alone() {
    let text = "# Firing\n\nThe firing of the raku glaze is logged by hand.\n\n```sh\nkilnlog add --glaze raku --firing last\n```";
    let answer = |question: &str| quoted(text, question).answer.unwrap();
    let code = answer("What is the command that logs a firing of the raku glaze?");
    assert!(code.contains("kilnlog"), "{code}");
    assert!(!answer("Who logs a firing of the raku glaze?").contains("kilnlog"));
}
