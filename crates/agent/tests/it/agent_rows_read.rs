//! Rows are output only if every word of a question is interpreted, since an additional word selects fewer documents.

use serde_json::{Value, json};
use vademecum::agent::clarify::Kind;
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::ports::Llm;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum_testing::agent::{FunctionLlm, NoLlm, run_with, says};
use vademecum_testing::block_on;
use vademecum_testing::styles::{last, spec};

const STYLES: [&str; 3] = ["investigate", "graph", "react"];

fn declare(kb: &KnowledgeBase, name: &str, schema: Value, documents: Vec<(&str, String, Value)>) {
    let options = CollectionOptions { description: None, language: None, schema: Some(schema) };
    kb.collection(name, &options).unwrap();
    let document = |(id, text, metadata): (&str, String, Value)| Document {
        metadata: metadata.as_object().unwrap().clone(),
        ..Document::new(id, text)
    };
    block_on(kb.add(name, documents.into_iter().map(document).collect(), &Cancel::default(), &|_| {}))
        .unwrap();
}

/// Tickets of a help desk, contracts, people and recipes.
fn desk() -> KnowledgeBase {
    let kb = vademecum_testing::kb(None);
    let ticket = |id, text: &str, status, category, amount: usize| {
        (id, text.to_owned(), json!({ "status": status, "category": category, "amount": amount }))
    };
    declare(
        &kb,
        "tickets",
        json!({ "status": "string", "category": "string", "amount": "number" }),
        vec![
            ticket("t-chair", "Chair is broken.", "open", "furniture", 500),
            ticket("t-jam", "The printer on the second floor jams.", "closed", "hardware", 1500),
            ticket("t-mail", "Mails are not sent.", "open", "software", 2500),
            ticket("t-disk", "A disk was replaced.", "closed", "hardware", 4000),
        ],
    );
    let contract = |number: usize| {
        let text = if number == 7 {
            "Disputes go to arbitration in Geneva.".to_owned()
        } else {
            format!("Party {number} delivers goods.")
        };
        (text, json!({ "price": 250 * number }))
    };
    let ids: Vec<String> = (1..=8).map(|number| format!("c-{number}")).collect();
    let contracts = ids.iter().enumerate().map(|(at, id)| {
        let (text, metadata) = contract(at + 1);
        (id.as_str(), text, metadata)
    });
    declare(&kb, "contracts", json!({ "price": "number" }), contracts.collect());
    let person = |id, role: &str, salary: usize, remote: bool, age: usize| {
        let metadata = json!({ "role": role, "salary": salary, "city": "Bern", "age": age, "team": if remote { "far" } else { "near" } });
        (id, format!("{id} works here."), metadata)
    };
    declare(
        &kb,
        "employees",
        json!({ "role": "string", "salary": "number", "city": "string", "age": "number", "team": "string" }),
        vec![
            person("ann", "nurse", 52_000, true, 31),
            person("bob", "surgeon", 120_000, false, 58),
            person("eve", "nurse", 61_000, false, 44),
        ],
    );
    let recipe = |id, minutes: usize| {
        (id, format!("Boil the {id}."), json!({ "prep_minutes": minutes, "course": "main course" }))
    };
    declare(
        &kb,
        "recipes",
        json!({ "prep_minutes": "number", "course": "string" }),
        vec![recipe("soup", 20), recipe("stew", 90), recipe("rice", 30)],
    );
    kb
}

fn asked(kb: &KnowledgeBase, style: &str, question: &str, llm: &dyn Llm) -> Context {
    over(kb, &spec(json!({ "name": style }), question, json!({})), llm)
}

fn over(kb: &KnowledgeBase, pipeline: &Pipeline, llm: &dyn Llm) -> Context {
    run_with(pipeline, kb, llm, &vademecum_testing::agent::TestFunctions::default(), Cancel::default()).0
}

/// Returns the ids of the rows' documents, sorted; `None` without rows.
fn rows(result: &Context) -> Option<Vec<String>> {
    let mut ids: Vec<String> = result.output.as_ref()?.documents.iter().map(|one| one[1].clone()).collect();
    ids.sort();
    Some(ids)
}

fn lists(kb: &KnowledgeBase, question: &str, wanted: &[&str]) {
    for style in STYLES {
        let result = asked(kb, style, question, &NoLlm);
        let got =
            rows(&result).unwrap_or_else(|| panic!("{style} has no rows: {question}: {:?}", result.answer));
        assert_eq!(got, wanted, "{style}: {question}");
        assert_eq!(result.log.terminated_by, TerminatedBy::Completed, "{style}: {question}");
    }
}

/// Asserts that there are neither rows nor a count, and none of these words.
fn makes_no_rows(kb: &KnowledgeBase, question: &str, never: &[&str]) {
    for style in STYLES {
        let result = asked(kb, style, question, &NoLlm);
        assert_eq!(rows(&result), None, "{style}: {question}");
        let answer = result.answer.unwrap_or_default();
        assert!(
            !answer.contains("There are") && !answer.contains("There is"),
            "{style}: {question}: {answer}"
        );
        let asks = result.clarification.map(|one| one.question).unwrap_or_default();
        assert!(
            !asks.contains("found none") && !asks.contains("found nothing"),
            "{style}: {question}: {asks}"
        );
        for word in never {
            assert!(!answer.contains(word), "{style}: {question}: {answer}");
        }
    }
}

#[test]
fn a_word_in_no_condition_prevents_a_count_of_all() {
    let kb = desk();
    for question in ["How many contracts mention arbitration?", "Find contracts with arbitration in Geneva"] {
        makes_no_rows(&kb, question, &["delivers", "8 documents"]);
        let answer = asked(&kb, "graph", question, &NoLlm).answer.unwrap();
        assert!(answer.contains("arbitration in Geneva"), "{answer}");
    }
    for question in
        ["How many contracts were renewed?", "What is the sum of the price of all contracts with Globex?"]
    {
        makes_no_rows(&kb, question, &["delivers", "8"]);
    }
}

#[test]
fn a_word_that_is_a_value_of_one_field_becomes_a_condition() {
    let kb = desk();
    for style in STYLES {
        let answer = asked(&kb, style, "How many documents are closed?", &NoLlm).answer.unwrap();
        assert!(answer.starts_with("There are 2 documents in tickets with status"), "{style}: {answer}");
        let answer = asked(&kb, style, "How many tickets are not closed?", &NoLlm).answer.unwrap();
        assert!(answer.starts_with("There are 2 documents in tickets with status"), "{style}: {answer}");
    }
    lists(&kb, "List all documents with status open", &["t-chair", "t-mail"]);
    lists(&kb, "List all closed tickets", &["t-disk", "t-jam"]);
    lists(&kb, "Which tickets are closed?", &["t-disk", "t-jam"]);
    lists(&kb, "List all nurses", &["ann", "eve"]);
    lists(&kb, "Show me the employees whose role is surgeon", &["bob"]);
    lists(&kb, "List recipes of the main course", &["rice", "soup", "stew"]);
    lists(&kb, "List tickets in the category furniture or software", &["t-chair", "t-mail"]);
    lists(&kb, "List tickets with amount 1500", &["t-jam"]);
}

#[test]
fn a_negation_is_applied_or_nothing_is_listed() {
    let kb = desk();
    lists(&kb, "List all tickets that are not closed", &["t-chair", "t-mail"]);
    lists(&kb, "List all documents not closed", &["t-chair", "t-mail"]);
    lists(&kb, "List all documents except hardware", &["t-chair", "t-mail"]);
    lists(&kb, "List tickets with an amount of no more than 1500", &["t-chair", "t-jam"]);
    lists(&kb, "List tickets with an amount not over 500", &["t-chair"]);
    makes_no_rows(&kb, "List all tickets that are not archived", &["Chair", "disk"]);
    makes_no_rows(&kb, "List all tickets except those of Monday", &["Chair", "disk"]);
}

#[test]
fn questions_about_passages_are_answered_from_them() {
    let kb = desk();
    makes_no_rows(&kb, "List all documents about printers", &["Chair", "disk"]);
    let answer = asked(&kb, "investigate", "List all tickets about printers", &NoLlm).answer.unwrap();
    assert!(answer.contains("The printer on the second floor jams."), "{answer}");
    makes_no_rows(&kb, "List all archived tickets", &["Chair", "disk"]);
    lists(&kb, "List the 2 largest tickets by amount", &["t-disk", "t-mail"]);
    makes_no_rows(&kb, "List the 2 largest tickets of Monday by amount", &["Chair", "disk"]);
}

#[test]
fn a_range_is_read_if_only_one_field_fits() {
    let kb = desk();
    lists(&kb, "List tickets with an amount between 1000 and 3000", &["t-jam", "t-mail"]);
    makes_no_rows(&kb, "List all documents between 1000 and 3000", &[]);
}

#[test]
fn a_question_of_only_documents_and_conditions_is_a_list_in_any_wording() {
    let kb = desk();
    let over = ["c-5", "c-6", "c-7", "c-8"];
    for question in [
        "Which contracts are over $1k?",
        "Show contracts over $1k",
        "What contracts exceed $1k?",
        "Which contracts cost more than $1k?",
        "List all contracts over $1k",
    ] {
        lists(&kb, question, &over);
    }
    lists(&kb, "Who earns more than 60000?", &["bob", "eve"]);
    lists(&kb, "Which employees are older than 40?", &["bob", "eve"]);
    lists(&kb, "Which nurses earn less than 60000?", &["ann"]);
    lists(&kb, "Which recipes take less than 60 minutes?", &["rice", "soup"]);
    // With one more word, passages answer.
    for question in
        ["Which contracts over $1k mention arbitration?", "Which contracts are over $1k and unpaid?"]
    {
        for style in ["graph", "react"] {
            assert_eq!(rows(&asked(&kb, style, question, &NoLlm)), None, "{style}: {question}");
        }
    }
}

#[test]
fn alternatives_on_one_field_become_one_condition() {
    let kb = desk();
    lists(&kb, "List all contracts over $1.9k or under $600", &["c-1", "c-2", "c-8"]);
    lists(&kb, "Which employees earn more than 100000 or less than 60000?", &["ann", "bob"]);
    makes_no_rows(&kb, "List all contracts over $1.9k or signed by Globex", &["delivers"]);
    lists(&kb, "List tickets over $2k or closed", &["t-disk", "t-jam", "t-mail"]);
}

#[test]
fn other_languages_produce_no_wrong_rows() {
    let kb = desk();
    for question in [
        "Liste alle Rechnungen über 1100",
        "Wie viele Rechnungen gibt es?",
        "Liste alle Tickets über 1100",
        "Combien de contrats y a-t-il ?",
    ] {
        for style in STYLES {
            let result = asked(&kb, style, question, &NoLlm);
            assert_eq!(rows(&result), None, "{style}: {question}");
        }
    }
}

#[test]
fn a_collection_too_large_to_summarise_is_an_overload() {
    let kb = vademecum_testing::kb(None);
    let ids: Vec<String> = (0..130).map(|at| format!("p-{at}")).collect();
    let patients =
        ids.iter().map(|id| (id.as_str(), format!("{id} had a cough."), json!({ "ward": "north" })));
    declare(&kb, "patients", json!({ "ward": "string" }), patients.collect());
    for question in ["Summarize all patients", "Give me a summary of the patients", "Compare all patients"] {
        let result = asked(&kb, "investigate", question, &NoLlm);
        let clarification = result.clarification.unwrap_or_else(|| panic!("{question}: {:?}", result.answer));
        assert_eq!((clarification.kind, clarification.total), (Kind::Overload, 130), "{question}");
    }
    let result = asked(&kb, "investigate", "Summarize the cough of the patients", &NoLlm);
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
}

/// A model with a fixed plan that searches once, judges that there is nothing, and writes.
fn model(collection: &'static str, filters: Value, review: &'static str) -> FunctionLlm {
    FunctionLlm::new(move |step, request| {
        match step {
        "decompose" => says(json!({ "collections": [collection], "intent": "list" }).to_string()),
        "plan" => says(json!({ "filters": filters, "searchStrategy": "hybrid", "subqueries": ["broken chair"] }).to_string()),
        "review" if last(request).contains("Searches so far:\nnone") => says(
            json!({ "status": "more", "reason": "look", "nextToolCall": { "tool": "search_text", "args": { "query": "chair printer" } } }).to_string(),
        ),
        "review" => says(review),
        "compose" => says("None of them [t-chair]."),
        other => panic!("{other} asks"),
    }
    })
}

const NONE: &str = "{\"status\": \"clarify\", \"reason\": \"nothing\", \"clarificationDetails\": {\"type\": \"no_results\", \"missingInfo\": \"No such ticket.\"}}";
const ENOUGH: &str = "{\"status\": \"enough\", \"reason\": \"read\"}";

#[test]
fn a_reviewer_is_overruled_only_if_conditions_cover_the_whole_question() {
    let kb = desk();
    for (question, filters) in [
        ("List all archived tickets", json!([])),
        ("List all tickets", json!([])),
        (
            "List all archived tickets over $1k",
            json!([{ "field": "amount", "operator": ">", "value": 1000 }]),
        ),
    ] {
        let llm = model("tickets", filters.clone(), NONE);
        let result = asked(&kb, "investigate", question, &llm);
        let clarification = result.clarification.unwrap_or_else(|| panic!("{question} is answered"));
        assert_eq!(clarification.question, "No such ticket.", "{question}");
        let told = if filters == json!([]) { "not counted" } else { "3" };
        for (_, request) in llm.asked.borrow().iter().filter(|(step, _)| step == "review") {
            assert!(
                last(request).contains(&format!("Documents that fulfil them: {told}")),
                "{}",
                last(request)
            );
        }
    }
    let filters = json!([{ "field": "amount", "operator": ">", "value": 1000 }]);
    let result = asked(&kb, "investigate", "List all tickets over $1k", &model("tickets", filters, NONE));
    assert_eq!(rows(&result).unwrap(), ["t-disk", "t-jam", "t-mail"]);
}

#[test]
fn the_prompt_describes_the_rows() {
    let kb = desk();
    let over = json!([{ "field": "amount", "operator": ">", "value": 1000 }]);
    for (question, filters, said, given) in [
        (
            "List all archived tickets",
            json!([]),
            "These are all documents of the collection; the question may ask for fewer.",
            None,
        ),
        (
            "List all tickets",
            json!([]),
            "These are all documents of the collection; the question may ask for fewer.",
            Some(4),
        ),
        (
            "List archived tickets over $1k",
            over.clone(),
            "The rows are of all documents that fulfil the conditions; the question may ask for fewer.",
            Some(3),
        ),
        (
            "List all tickets over $1k",
            over,
            "all of them counted: answer from the rows, and give their number.",
            Some(3),
        ),
    ] {
        let llm = model("tickets", filters, ENOUGH);
        let result = asked(&kb, "investigate", question, &llm);
        let all = llm.asked.borrow();
        let prompt = last(&all.iter().find(|(step, _)| step == "compose").unwrap().1);
        assert!(prompt.contains(said), "{question}: {prompt}");
        assert_eq!(said.contains("counted"), prompt.contains("all of them counted"), "{question}");
        let count = result.output.as_ref().map_or(0, |output| output.rows.len());
        assert!(given.map_or(count < 4, |given: usize| count == given), "{question}: {count}");
    }
}

#[test]
fn numbers_of_single_things_are_counted_and_not_added_up() {
    let kb = vademecum_testing::kb(None);
    let page = |id, chapter: usize, exercises: usize| {
        (id, "Text.".to_owned(), json!({ "chapter": chapter, "exercises": exercises }))
    };
    let pages = vec![page("a", 4, 11), page("b", 4, 12), page("c", 8, 13), page("d", 9, 14)];
    declare(&kb, "guide", json!({ "chapter": "number", "exercises": "number" }), pages);
    for style in STYLES {
        let chapters = asked(&kb, style, "How many chapters are there?", &NoLlm).answer.unwrap();
        assert!(chapters.contains('3') && !chapters.contains("25"), "{style}: {chapters}");
        let exercises = asked(&kb, style, "How many exercises are there?", &NoLlm).answer.unwrap();
        assert!(exercises.contains("50"), "{style}: {exercises}");
    }
}
