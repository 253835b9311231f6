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
fn a_list_that_the_question_names_is_quoted_as_a_whole() {
    let text = "# Trip\n\n## Packing list\n\n- tent\n- two ropes\n- stove\n\nDeparture: 9 May.";
    let answer = quoted(text, "What is on the packing list?").answer.unwrap();
    assert!(answer.starts_with("- tent\n- two ropes\n- stove\n[1]"), "{answer}");
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
fn code_completes_a_sentence_that_ends_before_it() {
    let text = "# Restoring\n\nThe vault is copied each night. If the copy is damaged, fetch an older one with\n\n```sh\nvault fetch --days 2\n```\n\nThen open it.";
    let answer = quoted(text, "What do I do if the copy of the vault is damaged?").answer.unwrap();
    assert!(
        answer.starts_with("If the copy is damaged, fetch an older one with\nvault fetch --days 2\n[1]"),
        "{answer}"
    );
}

#[test]
fn a_brief_answer_to_a_question_in_the_text_brings_its_explanation() {
    let text = "# Questions\n\n*Why is there no sauna in the boathouse?* Tried it. The smoke went into the sails, and the insurer wrote a letter. Members may use the one in town.";
    let answer = quoted(text, "Why is there no sauna in the boathouse?").answer.unwrap();
    assert!(answer.contains("The smoke went into the sails, and the insurer wrote a letter."), "{answer}");
}

#[test]
fn a_brief_answer_is_quoted_alone_where_another_question_follows_or_nothing_is_asked() {
    for (text, question, other) in [
        (
            "# Rules\n\nAre dogs allowed? No.\n\nIs there parking? Yes, behind the hall.",
            "Are dogs allowed?",
            "parking",
        ),
        ("# Rules\n\nDo you rent oars? No. Do you rent boats? Yes.", "Do you rent oars?", "boats"),
        (
            "# Rules\n\n| Question | Answer |\n|---|---|\n| Dogs allowed? | Yes |\n\nPrices are in euros.",
            "Are dogs allowed?",
            "euros",
        ),
        (
            "# Boats\n\nWho built the boathouse? Ann Lee. Bob Ray painted the doors.",
            "Who built the boathouse?",
            "painted",
        ),
        (
            "# Boats\n\nThe form for a mooring is at https://club.example/forms?name=boat. Dues are paid in March.",
            "Is there a form for a mooring?",
            "Dues",
        ),
    ] {
        let answer = quoted(text, question).answer.unwrap_or_else(|| panic!("{question}"));
        assert!(!answer.contains(other), "{question}: {answer}");
    }
}

#[test]
fn a_sentence_above_code_that_does_not_complete_it_answers() {
    let text = "# Build\n\nThe build fails because the disk is full\n\n```sh\ndf -h\n```\n";
    let answer = quoted(text, "Why does the build fail?").answer.unwrap();
    assert!(answer.starts_with("The build fails because the disk is full"), "{answer}");
}

#[test]
fn a_sentence_that_announces_code_answers_alone_where_the_code_does_not_answer() {
    let text = "# Builds\n\nThe compiler stays at 1.70 because newer ones miscompile the parser:\n\n```sh\nrustup override set 1.70\n```";
    let result = quoted(text, "Why does the compiler stay at 1.70?");
    let answer = result.answer.unwrap();
    assert!(
        answer.starts_with("The compiler stays at 1.70 because newer ones miscompile the parser: [1]"),
        "{answer}"
    );
}

#[test]
fn code_that_nothing_announces_answers_a_question_for_code_alone() {
    let text = "# Firing\n\nThe firing of the raku glaze is logged by hand.\n\n```sh\nkilnlog add --glaze raku --firing last\n```";
    let answer = |question: &str| quoted(text, question).answer.unwrap();
    let code = answer("What is the command that logs a firing of the raku glaze?");
    assert!(code.contains("kilnlog"), "{code}");
    assert!(!answer("Who logs a firing of the raku glaze?").contains("kilnlog"));
}

#[test]
fn the_row_that_a_question_names_comes_before_rows_with_other_words_of_it() {
    let text = "# Baths\n\n| Day | Main pool | Sauna |\n|---|---|---|\n| Monday | 06:30 - 20:30 | close of the main pool |\n\
                | Friday | 06:30 - 19:00 | 12:00 |\n| Sunday | 08:00 - 17:00 | 10:00 |";
    let answer = quoted(text, "When does the main pool close on Fridays?").answer.unwrap();
    assert!(answer.starts_with("Day: Friday; Main pool: 06:30 - 19:00; Sauna: 12:00 [1]"), "{answer}");
}

#[test]
fn a_setting_answers_below_the_names_around_it_and_is_quoted_as_it_is_written() {
    let text = "# Of the tide gauges.\nversion: 3\nmachines:\n  - name: heron\n    user: nils\n    address: 192.168.7.22\n  - name: vole\n    user: mia\n    \
                address: 192.168.7.35\nlimits:\n  # raised because the new phone films in 4K\n  photo_timeout: 240\n";
    let result = quoted(text, "What is the address of Mia's machine?");
    assert!(
        result.answer.as_deref().unwrap().starts_with("address: 192.168.7.35 [1]"),
        "{:?}",
        result.answer
    );
    assert_eq!(source(text, &result), "address: 192.168.7.35");
    assert!(result.grounding.unwrap().iter().all(|one| one.supported));
}

#[test]
fn a_sentence_of_a_quoted_mail_is_whole_without_the_marks_of_its_lines() {
    let text = "Subject: Stairs\n\nThanks, that is fine.\n\n> The present stairs are of pine and the fourth step\n> from the top is cracked. Our budget is 6,500.\n>\n> - oak treads\n> - a rail";
    let result = quoted(text, "Which step of the stairs is cracked?");
    let answer = result.answer.clone().unwrap();
    assert!(
        answer.starts_with("The present stairs are of pine and the fourth step from the top is cracked. [1]"),
        "{answer}"
    );
    assert!(result.grounding.unwrap().iter().all(|one| one.supported));
}

#[test]
fn the_answer_to_a_question_of_an_interview_is_in_the_next_paragraph() {
    let text = "[00:06] PN: There was a fire in the bakery, I believe?\n\n[00:07] WD: It was a firework through the loft window. We closed for eleven weeks.";
    let answer = quoted(text, "What started the fire in the bakery?").answer.unwrap();
    assert!(answer.contains("a firework through the loft window"), "{answer}");
}

#[test]
fn an_identifier_that_the_document_lacks_is_not_answered_by_another_one() {
    let text = "# Dehumidifier\n\n| Error | Meaning of the error |\n|---|---|\n| E1 | Humidity sensor faulty |\n| E2 | Coil sensor faulty |";
    let answer = quoted(text, "What does error E2 mean?").answer.unwrap();
    assert!(answer.starts_with("Error: E2; Meaning of the error: Coil sensor faulty [1]"), "{answer}");
    assert!(quoted(text, "What does error E4 mean?").abstained);
}

const STEPS: [&str; 6] = [
    "Check that the carboy holds at least twenty litres of pure water and that its display is green.",
    "Empty the waste bottle behind the bench if it is more than two thirds full, and note it.",
    "Rinse the whole line with pure water for twenty-five minutes until the cell has settled.",
    "Run the four mixed standards in rising order, and then one blank from the small flask.",
    "Trim both ends of each stick with the ceramic knife; steel blades leave traces of iron.",
    "Measure each stick twice and write both lengths on the sheet, in millimetres.",
];

#[test]
fn a_list_that_chunks_cut_in_two_is_quoted_as_a_whole_and_alone() {
    let steps: Vec<String> =
        STEPS.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)).collect();
    let other = "## Repairs\n\nThe lid of the melter is glued.\n\n1. Warm the lid.\n2. Press it on.";
    let text = format!(
        "# Melter\n\n## Before a run\n\nCheck the melter before a run:\n\n{}\n\n{other}",
        steps.join("\n")
    );
    let result = quoted(&text, "What are the steps to check before a run of the melter?");
    let answer = result.answer.clone().unwrap();
    assert!(result.citations.len() > 1, "the list is in several chunks: {answer}");
    let lines: Vec<&str> =
        answer.lines().filter(|line| line.starts_with(|one: char| one.is_ascii_digit())).collect();
    assert_eq!(lines, steps, "{answer}");
    assert!(!answer.contains("lid"), "{answer}");
    let grounding = result.grounding.unwrap();
    assert!(grounding.iter().all(|one| one.supported), "{grounding:?}");
}

#[test]
fn a_list_below_a_heading_answers_a_question_for_what_the_heading_names() {
    let text = "# Brook\n\nThe brook in the old town is to be opened. The goal of the survey is to find ten fish.\n\n## 2. Goals\n\n- Carry a storm \
                without flooding.\n- Plant the banks.\n- Let trout swim up.\n\nThe mill pond is not part of it.";
    for question in ["brook goals", "What are the goals?"] {
        let answer = quoted(text, question).answer.unwrap();
        assert!(answer.starts_with("- Carry a storm without flooding.\n- Plant"), "{question}: {answer}");
    }
    let pump = "# Shed\n\n## Pump\n\nIt is painted green.\n\n- brass body\n- two valves";
    let answer = quoted(pump, "What colour is the pump?").answer.unwrap();
    assert!(answer.starts_with("It is painted green."), "{answer}");
    let answer = quoted(text, "Why does the survey have a goal?").answer;
    assert!(answer.as_ref().is_none_or(|answer| !answer.starts_with("- Carry")), "{answer:?}");
}

#[test]
fn a_field_with_the_name_that_is_asked_for_answers_before_the_title() {
    let text = "FRIENDS OF THE MILL\nMinutes of the meeting on 12 March in the Loft\n\nPresent: Hester Quayle, Ilse March\nApologies: Bart Finch\nChair: Gwil Rook\n\nThe minutes were accepted.";
    let answer = quoted(text, "Who was present at the meeting of the mill in March?").answer.unwrap();
    assert!(answer.starts_with("Present: Hester Quayle, Ilse March [1]"), "{answer}");
}

#[test]
fn a_list_below_a_heading_that_is_the_question_answers_it() {
    let text = "# Baths\n\nChildren may come from the age of ten, with an adult beside them.\n\n## Who should not bathe\n\nStay at home in case of:\n\n\
                - an allergy to iodine\n- open wounds\n- a pacemaker";
    let answer = quoted(text, "Who should not bathe in the baths?").answer.unwrap();
    assert!(answer.starts_with("Stay at home in case of:\n- an allergy to iodine"), "{answer}");
}

#[test]
fn what_is_to_be_done_follows_the_sentence_about_the_case() {
    let text = "# Kiln\n\nThe kiln is old. If the controller shows E-4, the thermocouple has lost contact. Switch off at the wall and wait. Then call Jo.";
    let answer = quoted(text, "What should I do if the controller shows E-4?").answer.unwrap();
    assert!(answer.starts_with("If the controller shows E-4, the thermocouple has lost contact. [1] Switch off at the wall and wait. [1]"), "{answer}");
}
