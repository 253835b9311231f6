//! The investigate style on a company's documents: call counts, filters, relaxation, clarification and output.

use serde_json::{Value, json};
use vademecum::agent::clarify::Kind;
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::coverage::Status;
use vademecum::agent::plan::Format;
use vademecum_testing::agent::{FunctionLlm, NoLlm, assert_golden, says};
use vademecum_testing::styles::{ask, last, resume, run, spec};

fn investigate() -> Value {
    json!({ "name": "investigate" })
}

fn by_rule(question: &str) -> Context {
    run(&spec(investigate(), question, json!({})), &NoLlm).0
}

/// A model that plans one query, makes these calls one after another, and then writes an answer.
fn planner(route: Value, plan: Value, next: Vec<Value>, answer: &'static str) -> FunctionLlm {
    FunctionLlm::new(move |step, request| match step {
        "decompose" => says(route.to_string()),
        "plan" => says(plan.to_string()),
        "review" => {
            let made = last(request).rsplit_once("Searches so far:").unwrap().1.matches("\n- ").count();
            says(match next.get(made) {
                Some(call) => {
                    json!({ "status": "more", "reason": "go on", "nextToolCall": call }).to_string()
                }
                None => json!({ "status": "enough", "reason": "all is there" }).to_string(),
            })
        }
        "compose" => says(answer),
        other => panic!("{other} asks"),
    })
}

fn calls_of(llm: &FunctionLlm) -> [usize; 4] {
    ["decompose", "plan", "review", "compose"].map(|step| llm.count(step))
}

#[test]
fn a_contract_takes_two_tool_calls_and_three_reviews_and_is_cited_with_its_page() {
    let llm = planner(
        json!({ "bucket": "contracts", "intent": "qa" }),
        json!({ "filters": { "party": { "operator": "LIKE", "value": "%ACME%" } }, "searchStrategy": "hybrid", "subqueries": ["terminate the contract early"] }),
        vec![
            json!({ "tool": "search_text", "args": { "bucket": "contracts", "query": "termination" } }),
            json!({ "tool": "search_text", "args": { "bucket": "contracts", "query": "notice of 30 days", "doc_id": "acme-supply-2022" } }),
        ],
        "Either side may end it with 30 days' notice [acme-supply-2022], [made-up-1].",
    );
    let (result, _) = ask(investigate(), "Find ACME contracts regarding termination", &llm);
    assert_eq!(calls_of(&llm), [1, 1, 3, 1]);
    assert_eq!(result.log.usage.llm_calls, 6);
    let tools: Vec<_> = result.log.tool_calls.iter().filter(|call| call.step == "tool").collect();
    assert_eq!(tools.len(), 2);
    // A condition of the question applies to every search, even if the model omits it from its call.
    assert!(
        result.evidence().iter().all(|hit| hit.chunk.metadata["party"].as_str().unwrap().contains("ACME"))
    );
    let scoped = &result.results.as_ref().unwrap()[1];
    assert!(
        !scoped.chunks.is_empty() && scoped.chunks.iter().all(|hit| hit.chunk.doc_id == "acme-supply-2022")
    );
    assert_eq!(result.invalid_citations, ["made-up-1"]);
    let citation = &result.citations[0];
    assert_eq!((citation.doc_id.as_str(), citation.page), ("acme-supply-2022", Some(5)));
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
    assert!(
        result.coverage.iter().any(|one| one.text.starts_with("party like") && one.status == Status::Covered)
    );
    let asked = llm.asked.borrow();
    let reviews: Vec<_> =
        asked.iter().filter(|(step, _)| step == "review").map(|(_, request)| request.clone()).collect();
    assert_golden("review_prompt", &reviews[0]);
    assert!(last(&reviews[1]).contains("passages") && last(&reviews[1]).contains("Calls left: 3"));
}

#[test]
fn all_invoices_over_an_amount_from_a_vendor_are_listed() {
    let result = by_rule("Find invoices over $1k from Acme");
    let output = result.output.as_ref().unwrap();
    let column = |name: &str| output.columns.iter().position(|one| one == name).unwrap();
    let (vendor, total) = (column("vendor_name"), column("total_amount"));
    assert!(output.rows.len() > 3 && output.rows.len() < 60);
    assert!(output.rows.iter().all(|row| row[vendor] == "Acme" && row[total].as_f64().unwrap() > 1000.0));
    let expected = vademecum_testing::corpus::documents("invoices")
        .iter()
        .filter(|one| {
            one.metadata["vendor_name"] == "Acme" && one.metadata["total_amount"].as_f64().unwrap() > 1000.0
        })
        .count();
    assert_eq!((output.rows.len(), output.total), (expected, expected));
    assert_eq!(output.csv.lines().count(), expected + 1);
    assert!(result.answer.unwrap().starts_with("- Invoice"));
}

#[test]
fn transistors_come_as_a_table_after_three_tool_calls() {
    let call = |query: &str| json!({ "tool": "search_semantic", "args": { "bucket": "datasheets", "query": query } });
    let llm = planner(
        json!({ "collections": ["datasheets"], "intent": "list" }),
        json!({ "filters": [{ "field": "device_type", "operator": "=", "value": "NPN" }], "subqueries": ["NPN transistor"], "output": { "format": "table" } }),
        vec![call("NPN transistor ratings"), call("collector current"), call("package of the transistor")],
        "| part | package |\n|---|---|\n| VT3904 | TO-92 [vt3904] |",
    );
    let (result, _) = ask(investigate(), "List NPN transistors in a table with their package", &llm);
    assert_eq!(calls_of(&llm), [1, 1, 4, 1]);
    let output = result.output.unwrap();
    assert_eq!(output.format, Format::Table);
    let device = output.columns.iter().position(|one| one == "device_type").unwrap();
    assert!(output.rows.len() >= 3 && output.rows.iter().all(|row| row[device] == "NPN"));
    assert!(result.answer.unwrap().contains("[vt3904]"));
    let by_rule = by_rule("List NPN transistors in a table");
    assert!(by_rule.answer.unwrap().starts_with("| title |"), "without a model the rows are the answer");
}

#[test]
fn solvents_take_four_tool_calls_across_data_sheets_and_certificates() {
    let call = |bucket: &str, query: &str| json!({ "tool": "search_semantic", "args": { "bucket": bucket, "query": query } });
    let llm = planner(
        json!({ "collections": ["datasheets", "certificates"], "intent": "compare" }),
        json!({ "subqueries": ["boiling point of acetone", "purity of acetone"] }),
        vec![
            call("datasheets", "acetone boiling point"),
            call("certificates", "acetone purity"),
            call("datasheets", "ethanol boiling point"),
            call("certificates", "ethanol purity"),
        ],
        "Acetone boils at 56 °C [acetone] and is 99.8 percent pure [coa-acetone].",
    );
    let (result, _) =
        ask(investigate(), "Compare boiling point and certified purity of acetone and ethanol", &llm);
    assert_eq!(calls_of(&llm), [1, 1, 5, 1]);
    assert_eq!(result.citations.len(), 2);
    let searched: Vec<String> = result.results.unwrap().into_iter().map(|one| one.collection).collect();
    assert_eq!(searched, ["datasheets", "certificates", "datasheets", "certificates"]);
}

#[test]
fn an_empty_year_is_relaxed_then_asked_about_and_resumed_without_it() {
    let stopped = by_rule("Find contracts from 2024");
    assert_eq!(stopped.log.terminated_by, TerminatedBy::Clarify);
    let asked = stopped.clarification.as_ref().unwrap();
    assert_eq!((asked.kind, asked.total), (Kind::NoResults, 0));
    let tried: Vec<_> = asked.tried.iter().map(|one| (one.without.as_str(), one.found, one.used)).collect();
    assert_eq!(tried, [("collections", 65, false), ("year = 2024", 16, false)]);
    assert!(asked.question.contains("year"), "{}", asked.question);
    assert_eq!(stopped.answer, None);
    assert!(stopped.coverage.iter().any(|one| one.status == Status::Gap && one.text == "year = 2024"));
    let state = stopped.state.unwrap();
    let (result, recorder) = resume(&state, Some("Yes, search all years"), &NoLlm);
    assert_eq!((result.log.terminated_by, result.filters.clone()), (TerminatedBy::Completed, None));
    assert!(result.answer.is_some() && !result.evidence().is_empty());
    assert!(
        !recorder.shape().iter().any(|line| line == "start decompose"),
        "what was done is not done again"
    );
    assert_eq!(result.request.question, "Find contracts from 2024");
    let (narrowed, _) = resume(&state, Some("then in 2023"), &NoLlm);
    assert!(
        narrowed.evidence().iter().all(|hit| hit.chunk.metadata["year"] == 2023)
            && !narrowed.evidence().is_empty()
    );
    let (ended, _) = resume(&state, Some("no"), &NoLlm);
    assert_eq!((ended.log.terminated_by, ended.evidence().len()), (TerminatedBy::Completed, 0));
    let (again, _) = resume(&state, None, &NoLlm);
    assert_eq!(again.log.terminated_by, TerminatedBy::Clarify, "without an answer the question stands");
}

#[test]
fn all_invoices_are_an_overload_that_is_narrowed_or_exported() {
    let stopped = by_rule("List every invoice");
    let asked = stopped.clarification.as_ref().unwrap();
    let all = vademecum_testing::corpus::documents("invoices").len();
    assert_eq!(
        (stopped.log.terminated_by, asked.kind, asked.total),
        (TerminatedBy::Clarify, Kind::Overload, all)
    );
    assert!(asked.missing_info.contains(&all.to_string()) && asked.question.contains("CSV"));
    assert!(asked.facets.iter().any(|one| one.field == "vendor_name" && one.values.len() > 1));
    let state = stopped.state.unwrap();
    let (exported, _) = resume(&state, Some("CSV export, please"), &NoLlm);
    let output = exported.output.unwrap();
    assert_eq!((output.rows.len(), output.csv.lines().count()), (all, all + 1));
    assert_eq!(exported.log.terminated_by, TerminatedBy::Completed);
    let (narrowed, _) = resume(&state, Some("only Globex"), &NoLlm);
    let rows = narrowed.output.unwrap();
    let vendor = rows.columns.iter().position(|one| one == "vendor_name").unwrap();
    assert!(!rows.rows.is_empty() && rows.rows.iter().all(|row| row[vendor] == "Globex"));
}

#[test]
fn a_long_manual_is_found_by_its_summary_and_then_searched_within() {
    let result = by_rule("Explain the maintenance steps for battery cabinet B-120");
    let tools: Vec<&str> =
        result.log.tool_calls.iter().filter(|call| call.step == "tool").map(|call| &*call.tool).collect();
    assert_eq!(tools[..2], ["search_summaries", "search_semantic"]);
    let within = &result.log.tool_calls.iter().filter(|call| call.step == "tool").nth(1).unwrap().arguments;
    assert!(within["doc_id"].as_str().unwrap().contains("b-120"), "{within}");
    let last = result.results.as_ref().unwrap().last().unwrap();
    assert!(last.chunks.len() > 3 && last.chunks.iter().all(|hit| hit.chunk.doc_id.contains("b-120")));
}

#[test]
fn the_user_is_asked_instead_of_answering_from_nothing() {
    let llm = planner(
        json!({ "collections": ["contracts"], "intent": "qa" }),
        json!({ "filters": { "year": 2024 }, "subqueries": ["contract"] }),
        vec![json!({ "tool": "search_text", "args": { "bucket": "contracts", "query": "contract" } })],
        "I made this up.",
    );
    let (result, recorder) = ask(investigate(), "What does the contract of 2024 say?", &llm);
    assert_eq!((result.log.terminated_by, result.answer), (TerminatedBy::Clarify, None));
    assert_eq!(llm.count("compose"), 0);
    assert!(recorder.shape().contains(&"clarify review".to_owned()));
}

#[test]
fn the_limit_of_tool_calls_is_never_exceeded() {
    let llm = FunctionLlm::new(|step, request| match step {
        "decompose" => says("{\"collections\": [\"faq\"], \"intent\": \"qa\"}"),
        "plan" => says("{\"subqueries\": [\"Agent\"]}"),
        "review" => {
            let made = last(request).matches("\n- search").count();
            says(json!({ "status": "more", "reason": "more", "nextToolCall": { "tool": "search_text", "args": { "query": format!("Agent {made}") } } }).to_string())
        }
        _ => says("Enough of it."),
    });
    for cap in [1, 4] {
        let style = json!({ "name": "investigate", "maxToolCalls": cap });
        let before = llm.count("review");
        let (result, _) = ask(style, "What is an Agent?", &llm);
        assert_eq!(result.log.tool_calls.iter().filter(|call| call.step == "tool").count(), cap);
        assert_eq!(llm.count("review") - before, cap + 1);
        assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
    }
}
