//! Answers by rule from running text: comparisons, definitions, reasons, code, and text that is indented or aligned by spaces.

use super::quoted_fields::quoted;

fn answer(text: &str, question: &str) -> String {
    quoted(text, question).answer.unwrap()
}

const PLANS: &str = "# Plans\n\nThe basic plan has two seats and the team plan twenty. The basic plan is meant for one person. \
                     The team plan is meant for whole offices. We renamed the plans in May.";

#[test]
fn a_comparison_quotes_what_each_side_is() {
    for question in
        ["basic plan vs team plan", "What is the difference between the basic plan and the team plan?"]
    {
        let said = answer(PLANS, question);
        let places = ["basic plan is meant", "team plan is meant"].map(|words| said.find(words));
        assert!(places.iter().all(Option::is_some), "{question}: {said}");
    }
}

#[test]
fn a_sentence_that_contrasts_both_sides_comes_first() {
    let text = "# Trams\n\nTrams run on rails. Buses run on roads. Unlike buses, trams cannot leave their way. The depot is old.";
    let said = answer(text, "trams or buses, what is the difference?");
    assert!(said.starts_with("Unlike buses, trams cannot leave their way."), "{said}");
}

#[test]
fn a_comparison_of_something_that_the_documents_do_not_tell_is_no_sure_answer() {
    let text = "# House\n\nThe pump is loud. The filter is washed weekly.";
    let sure = |question: &str| quoted(text, question).confidence.unwrap();
    assert!(sure("Compare the pump and the filter") > 0.9);
    for question in [
        "Compare the price of the pump and the filter",
        "pump vs weir",
        "Compare the weight of the pump and the filter",
    ] {
        assert!(sure(question) < 0.7, "{question}: {}", sure(question));
    }
}

#[test]
fn neither_comments_of_code_nor_reports_of_compilers_answer() {
    let text = "# Moves\n\n  } // Here s ends. However, because the value was moved, it cannot be used,\n  // and nothing happens.\n\n\
                A value has one owner. Its memory may be gone after the value was moved.";
    let said = answer(text, "Why can't I use a value after it was moved?");
    assert!(!said.contains("However") && said.contains("Its memory may be gone"), "{said}");
    assert_eq!(
        quoted(
            "# Moves\n\n| ^^ value used here after it was moved",
            "Where is the value used after it was moved?"
        )
        .answer,
        None
    );
}

#[test]
fn a_sum_below_a_rule_is_no_table_and_an_empty_cell_takes_no_name() {
    let bill = "# Bill\n\nRent        900\nHeating     120\n-------------\nTotal      1020";
    let said = answer(bill, "What is the rent?");
    assert!(said.contains("900") && !said.contains("Total: 900"), "{said}");
    let loans = "# Loans\n\nType of item    At one time    Loan period\n------------------------------------------\n\
                 Novels          15             4 weeks\nMaps                           2 weeks";
    let said = answer(loans, "How long is the loan period of maps?");
    assert!(said.contains("2 weeks") && !said.contains("At one time: 2 weeks"), "{said}");
}

#[test]
fn a_definition_may_be_asked_for_in_other_ways_and_given_inside_a_sentence() {
    let text = "# Ice\n\nA cold snap may last for days. When ice covers a bridge before the road, it is known as a bridge freeze and is a \
                common cause of crashes. Salt helps.";
    for question in ["define bridge freeze", "What is a bridge freeze?", "the meaning of bridge freeze"] {
        let said = answer(text, question);
        assert!(said.starts_with("When ice covers a bridge before the road"), "{question}: {said}");
    }
}

#[test]
fn a_sentence_with_a_reason_is_preferred_for_why() {
    let text = "# Ferry\n\nThe ferry to Orla does not run in winter and never did. The ferry does not run because the bay is frozen.";
    let said = answer(text, "Why does the ferry not run?");
    assert!(said.starts_with("The ferry does not run because the bay is frozen."), "{said}");
}

#[test]
fn the_sentence_that_goes_on_about_the_first_one_follows_it() {
    let text = "# Tank\n\nThe plants are trimmed in May. Rinse the sponge every six weeks. Do it in a bucket of old water. The pump is loud.";
    let said = answer(text, "How do I rinse the sponge?");
    assert!(
        said.starts_with("Rinse the sponge every six weeks. [1] Do it in a bucket of old water."),
        "{said}"
    );
}

#[test]
fn clauses_with_a_hanging_indent_are_quoted() {
    let text = "LIBRARY RULES\n\n4.1 For each day that an adult keeps a book too long we\n    charge 15 pence, up to a maximum of 6 pounds.\n\n\
                4.2 Dogs stay outside.";
    let said = answer(text, "How much does a book cost that is kept too long?");
    assert!(said.contains("charge 15 pence, up to a maximum of 6 pounds"), "{said}");
}

#[test]
fn columns_that_are_aligned_by_spaces_are_a_table() {
    let text = "# Loans\n\nType of item        At one time    Loan period\n-----------------------------------------------\n\
                Novels                  15           4 weeks\nRecordings               6           3 weeks\nSheet music              5           6 weeks";
    let said = answer(text, "What is the loan period of sheet music?");
    assert!(said.starts_with("Type of item: Sheet music; At one time: 5; Loan period: 6 weeks"), "{said}");
}

#[test]
fn a_caption_does_not_come_before_the_sentence_that_explains() {
    let text = "# Vectors\n\nListing 8-5: Attempting to access the element at index 100\n\n\
                To access the element at index 100 makes the program stop. Vectors grow.";
    let said = answer(text, "What if I access the element at index 100?");
    assert!(said.starts_with("To access the element at index 100"), "{said}");
}

#[test]
fn what_a_compiler_reports_is_no_answer() {
    let text = "# Moves\n\nThis gives the error:\n\n```\nerror[E0382]: borrow of moved value: `s1`\n --> src/main.rs:5:16\n```\n\n\
                The error E0382 of a moved value means that its owner has changed.";
    let said = answer(text, "error[E0382]: borrow of moved value, what does it mean?");
    assert!(said.starts_with("The error E0382 of a moved value means"), "{said}");
}

#[test]
fn a_year_and_a_number_of_the_question_tell_sentences_apart() {
    let text = "# Dividend\n\nThe dividend for 2024 is 0.80 euros a share. In 2023 it was 0.65 euros a share. The Brix 12 costs 169 euros. \
                A Brix 20 is 229 euros.";
    let first = |question: &str| answer(text, question);
    assert!(first("What was the dividend in 2023?").starts_with("In 2023 it was 0.65"), "the other year");
    assert!(
        first("How much does the Brix 20 cost?").starts_with("A Brix 20 is 229 euros."),
        "the other model"
    );
}
