//! Decomposition in two phases: the prompts of both, and which parts of a model's plan are accepted.

use proptest::prelude::*;
use serde_json::{Value, json};
use vademecum::agent::context::Context;
use vademecum::agent::ports::{NoFunctions, SearchLimits, Searcher};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum_testing::agent::{Bucket, Buckets, NoLlm, ScriptedLlm, TestFunctions, run_with};
use vademecum_testing::{block_on, kb, markdown};

const QUESTION: &str = "Find invoices over $1k from Acme";
const ROUTE: &str = r#"{"collections": ["invoices"], "intent": "list"}"#;

fn buckets() -> Buckets {
    Buckets(vec![
        Bucket::new(
            "invoices",
            "Bills",
            json!({ "total_amount": "number", "vendor_name": "string", "paid": "boolean", "invoice_date": "date" }),
        ),
        Bucket::new("contracts", "Agreements", json!({ "year": "number", "party": ["number", "string"] })),
    ])
}

fn pipeline() -> Pipeline {
    serde_json::from_value(json!({ "question": QUESTION, "steps": [{ "step": "decompose", "phases": 2 }] }))
        .unwrap()
}

fn plan_of(pipeline: &Pipeline, replies: &[&str]) -> (Context, ScriptedLlm) {
    let llm = ScriptedLlm::replying(replies.iter().map(|reply| Ok((*reply).to_owned())));
    let (context, _) = run_with(pipeline, &buckets(), &llm, &NoFunctions, Cancel::default());
    assert_eq!(context.log.error, None);
    (context, llm)
}

fn filters(plan: &str) -> (Option<Value>, Value) {
    filters_of(QUESTION, plan)
}

fn filters_of(asked: &str, plan: &str) -> (Option<Value>, Value) {
    let pipeline = Pipeline { question: asked.to_owned(), ..pipeline() };
    let (context, _) = plan_of(&pipeline, &[ROUTE, plan]);
    assert_eq!(context.log.failures, [], "{plan}");
    (context.filters, context.plan.unwrap()["dropped"].clone())
}

#[test]
fn the_first_phase_sees_no_fields_and_the_second_those_of_the_chosen_collections() {
    let (context, llm) = plan_of(&pipeline(), &[ROUTE, r#"{"filters": []}"#]);
    let asked = |at: usize| llm.requests.borrow()[at].messages[1].content.clone();
    assert!(asked(0).contains("- contracts: Agreements") && !asked(0).contains("total_amount"));
    assert!(asked(1).contains("total_amount (number)") && !asked(1).contains("party"));
    assert_eq!(context.collections.unwrap(), ["invoices"]);
    assert_eq!(context.log.usage.llm_calls, 2);
}

#[test]
fn the_whole_plan_is_in_the_result() {
    let said = r#"{
        "filters": [{"field": "total_amount", "operator": ">", "value": 1000, "raw_text": "over $1k"}],
        "search_strategy": "keyword",
        "subqueries": [{"purpose": "filter_docs", "query": "Acme invoices"}, "Acme bills"],
        "entities": [{"name": "Acme", "role": "Company"}, "Bob", {"name": "X1", "role": "spaceship"}],
        "topic_terms": ["invoices"],
        "output_preferences": {"format": "table", "needs_citations": false}
    }"#;
    let (context, _) = plan_of(&pipeline(), &[ROUTE, said]);
    assert_eq!(
        context.plan.unwrap(),
        json!({
            "intent": "list",
            "collections": ["invoices"],
            "entities": [{ "name": "Acme", "role": "company" }, { "name": "Bob", "role": "other" }, { "name": "X1", "role": "other" }],
            "filters": [{ "field": "total_amount", "operator": ">", "value": 1000, "rawText": "over $1k" }],
            "topicTerms": ["invoices"],
            "subqueries": [{ "purpose": "filter_docs", "query": "Acme invoices" }, { "purpose": "answer", "query": "Acme bills" }],
            "searchStrategy": "keyword",
            "outputPreferences": { "format": "table", "needsCitations": false },
        })
    );
    assert_eq!(context.sub_questions, ["Acme invoices", "Acme bills"]);
    assert_eq!(context.filters, Some(json!([{ "field": "total_amount", "operator": ">", "value": 1000 }])));
}

#[test]
fn filters_are_parsed_in_every_spelling() {
    let one = json!([{ "field": "total_amount", "operator": ">", "value": 1000 }]);
    for said in [
        r#"{"filters": {"total_amount": {"operator": ">", "value": 1000}}}"#,
        r#"{"filters": {"total_amount": {">": "1,000"}}}"#,
        r#"{"constraints": [{"field": "totalAmount", "op": "gt", "value": "$1k"}]}"#,
        r#"{"filters": [{"total_amount": {"$gt": 1000.0}}]}"#,
        r#"{"filters": {"and": [{"field": "Total Amount", "operator": "greater than", "value": 1000}]}}"#,
    ] {
        assert_eq!(filters(said), (Some(one.clone()), Value::Null), "{said}");
    }
    let vendor = json!([{ "field": "vendor_name", "operator": "=", "value": "Acme" }]);
    assert_eq!(filters(r#"{"filters": {"vendor_name": "Acme"}}"#).0, Some(vendor));
    let asked = "Which bills of A and B, dated between 2023 and 29 February 2024, are paid?";
    let many = r#"{"filters": {"vendor_name": ["A", "B"], "paid": "yes", "invoice_date": {"between": ["2023", "2024-02-29"]}}}"#;
    assert_eq!(
        filters_of(asked, many).0,
        Some(json!([
            { "field": "invoice_date", "operator": "between", "value": ["2023", "2024-02-29"] },
            { "field": "paid", "operator": "=", "value": true },
            { "field": "vendor_name", "operator": "in", "value": ["A", "B"] },
        ]))
    );
}

#[test]
fn a_value_that_no_field_accepts_is_dropped_and_reported() {
    for said in [
        r#"{"filters": {"colour": "red"}}"#,
        r#"{"filters": {"year": 2023}}"#,
        r#"{"filters": {"total_amount": "a lot"}}"#,
        r#"{"filters": {"total_amount": {"like": "1%"}}}"#,
        r#"{"filters": {"total_amount": {"near": 5}}}"#,
        r#"{"filters": {"paid": {">": true}}}"#,
        r#"{"filters": {"invoice_date": {">": "next week"}}}"#,
        r#"{"filters": {"invoice_date": "2023-02-30"}}"#,
        r#"{"filters": {"total_amount": {"between": [1]}}}"#,
        r#"{"filters": {"or": [{"paid": true}]}}"#,
        r#"{"filters": "total over 1000"}"#,
    ] {
        let (filters, dropped) = filters(said);
        assert_eq!((filters, dropped.as_array().map(Vec::len)), (None, Some(1)), "{said}");
    }
}

#[test]
fn a_condition_that_the_question_does_not_state_is_dropped_and_reported() {
    let one = |field: &str, operator: &str, value: Value| {
        json!({ "filters": [{ "field": field, "operator": operator, "value": value }] }).to_string()
    };
    for (asked, field, operator, value) in [
        ("Bills over 2.5 million euros", "total_amount", ">", json!(2_500_000)),
        ("Bills over 1,500 euros", "total_amount", ">", json!(1500)),
        ("Bills of thirty euros", "total_amount", "=", json!(30)),
        ("Bills of May 5th, 2023", "invoice_date", "=", json!("2023-05-05")),
        ("Bills of the Acme company", "vendor_name", "contains", json!("ACME Inc.")),
        ("Bills of A and B", "vendor_name", "in", json!(["A", "B"])),
        ("All unpaid bills", "paid", "=", json!(false)),
        ("Bills of 2023", "invoice_date", ">=", json!("2023-01-01")),
        ("Bills of 2023", "invoice_date", "between", json!(["2023-01-01", "2023-12-31"])),
        ("Bills of Sept. 2023", "invoice_date", "between", json!(["2023-09", "2023-09-30"])),
        ("Bills since 1/7/2023", "invoice_date", ">=", json!("2023-07-01T00:00:00")),
        ("Bills of all years but 2023", "invoice_date", "!=", json!("2023")),
        ("Bills that aren't from Acme", "vendor_name", "not_in", json!(["Acme"])),
        ("Which bills have an invoice date?", "invoice_date", "exists", json!(true)),
    ] {
        let (filters, dropped) = filters_of(asked, &one(field, operator, value));
        assert_eq!((filters.is_some(), dropped), (true, Value::Null), "{asked}");
    }
    for (asked, field, operator, value) in [
        ("Bills over 2.5 million euros", "total_amount", ">", json!(1000)),
        ("Bills of this year", "invoice_date", ">=", json!("2023-01-01")),
        ("Bills of the Acme company", "vendor_name", "contains", json!("The Globex")),
        ("Bills of A and C", "vendor_name", "in", json!(["A", "B"])),
        ("Bills of the Acme company", "vendor_name", "contains", json!("Globex company")),
        ("Bills of the Acme company", "vendor_name", "=", json!("Acme Bank")),
        ("Bills of the Acme company", "vendor_name", "!=", json!("Acme")),
        ("Bills of 2023", "invoice_date", ">=", json!("2023-07-01")),
        ("Bills of 2023", "invoice_date", "=", json!("2023-01-01")),
        ("Bills of May 2023", "invoice_date", "=", json!("2023-05-31")),
        ("Bills of 2023", "invoice_date", "!=", json!("2023")),
        ("All bills", "paid", "=", json!(false)),
        ("All bills", "invoice_date", "exists", json!(true)),
    ] {
        let (filters, dropped) = filters_of(asked, &one(field, operator, value));
        assert_eq!((filters, dropped.as_array().map(Vec::len)), (None, Some(1)), "{asked}");
        assert!(dropped[0].as_str().unwrap().contains(field), "{dropped}");
    }
}

#[test]
fn the_example_of_the_prompt_is_not_accepted_as_a_plan() {
    let example = r#"{"filters": [{"field": "total_amount", "operator": ">", "value": 1000}], "searchStrategy": "hybrid",
        "subqueries": [{"purpose": "find_clauses", "query": "termination notice period"}],
        "entities": [{"name": "ACME", "role": "company"}], "topicTerms": ["termination"], "output": {"format": "list"}}"#;
    let asked = Pipeline { question: "Who signed for Globex?".into(), ..pipeline() };
    let (context, _) = plan_of(&asked, &[ROUTE, example, example]);
    assert_eq!((context.log.failures.len(), &context.filters), (1, &None));
    assert!(!context.plan.unwrap().to_string().to_lowercase().contains("termination"));
    // The model's own parts are kept.
    let mixed =
        r#"{"topicTerms": ["termination", "signatures"], "entities": [{"name": "ACME", "role": "company"}]}"#;
    let plan = plan_of(&asked, &[ROUTE, mixed]).0.plan.unwrap();
    assert_eq!((&plan["topicTerms"], &plan["entities"]), (&json!(["signatures"]), &json!([])));
}

#[test]
fn a_collection_without_a_field_is_removed_by_a_condition_on_it() {
    let both = r#"{"collections": ["contracts", "invoices"]}"#;
    let (context, _) = plan_of(
        &Pipeline { question: "What was agreed in 2023 and paid?".into(), ..pipeline() },
        &[both, r#"{"filters": [{"field": "year", "value": 2023}, {"field": "paid", "value": true}]}"#],
    );
    assert_eq!(context.collections.unwrap(), ["contracts"]);
    assert_eq!(context.filters.unwrap().as_array().unwrap().len(), 1);
    assert_eq!(context.plan.unwrap()["dropped"].as_array().unwrap().len(), 1);
}

#[test]
fn the_callers_filter_is_kept() {
    let mut demanding = pipeline();
    demanding.filters = Some(json!({ "paid": false }));
    let (context, _) = plan_of(&demanding, &[ROUTE, r#"{"filters": {"total_amount": {">": 1000}}}"#]);
    assert_eq!(
        context.filters,
        Some(json!([{ "paid": false }, { "field": "total_amount", "operator": ">", "value": 1000 }]))
    );
}

#[test]
fn unknown_words_fall_back_to_the_defaults() {
    let (context, _) = plan_of(
        &pipeline(),
        &[r#"{"intent": "dance", "bucket": "attic"}"#, r#"{"search_strategy": "telepathy"}"#],
    );
    let plan = context.plan.unwrap();
    assert_eq!((&plan["intent"], &plan["searchStrategy"]), (&json!("qa"), &json!("hybrid")));
    assert_eq!(context.collections.unwrap(), ["invoices", "contracts"]);
}

#[test]
fn either_phase_may_fail_and_falls_back_to_its_rule() {
    let failing = ["no", "no", r#"{"filters": {"paid": true}}"#];
    let (context, _) = plan_of(&pipeline(), &failing);
    assert_eq!((context.log.failures.len(), context.collections.unwrap()), (1, vec!["invoices".to_owned()]));
    let (context, _) = plan_of(&pipeline(), &[ROUTE, "no", "no"]);
    assert_eq!(
        context.filters,
        Some(json!([{ "field": "total_amount", "operator": ">", "value": 1000 }])),
        "by the rule"
    );
    assert_eq!((context.log.failures.len(), context.plan.unwrap()["intent"].clone()), (1, json!("list")));
}

#[test]
fn a_custom_prompt_receives_the_phase() {
    let functions =
        TestFunctions::default().with("mine", |input| Ok(json!(format!("phase {}", input["phase"]))));
    let llm = ScriptedLlm::replying([Ok(ROUTE.to_owned()), Ok(r#"{"filters": []}"#.to_owned())]);
    let own: Pipeline = serde_json::from_value(
        json!({ "question": QUESTION, "steps": [{ "step": "decompose", "phases": 2, "prompt": "mine" }] }),
    )
    .unwrap();
    run_with(&own, &buckets(), &llm, &functions, Cancel::default());
    let asked: Vec<String> =
        llm.requests.borrow().iter().map(|request| request.messages[0].content.clone()).collect();
    assert_eq!(asked, ["phase 1", "phase 2"]);
}

fn by_rule(asked: &str) -> Context {
    let mut pipeline = pipeline();
    pipeline.question = asked.to_owned();
    let buckets = Buckets(vec![
        Bucket::new(
            "invoices",
            "Bills of our suppliers",
            json!({ "total_amount": "number", "vendor": "string", "due": "date" }),
        ),
        Bucket::new(
            "contracts",
            "Signed agreements",
            json!({ "year": "number", "party": ["string"], "signed": "date" }),
        ),
        Bucket::new("datasheets", "Properties of electronic parts", json!({ "voltage": "number" })),
    ]);
    run_with(&pipeline, &buckets, &NoLlm, &NoFunctions, Cancel::default()).0
}

#[test]
fn clearly_stated_conditions_become_filters() {
    let condition = |field: &str, operator: &str, value: Value| json!([{ "field": field, "operator": operator, "value": value }]);
    for (asked, filters, intent) in [
        ("List invoices over $1k", condition("total_amount", ">", json!(1000)), "list"),
        (
            "Which invoices have a total of more than 1,500 euros?",
            condition("total_amount", ">", json!(1500)),
            "list",
        ),
        (
            "Invoices with an amount between 100 and 200",
            condition("total_amount", "between", json!([100, 200])),
            "qa",
        ),
        ("Summarize the contracts since 2021", condition("year", ">=", json!(2021)), "summarize"),
        ("contracts from 2021 to 2023", condition("year", "between", json!([2021, 2023])), "qa"),
        (
            "How many agreements were signed before 2022-05-01?",
            condition("signed", "<", json!("2022-05-01")),
            "compute",
        ),
        // A bare number can only belong to the one numeric field.
        ("invoices over 1000", condition("total_amount", ">", json!(1000)), "qa"),
        ("parts with a voltage under 3.3", condition("voltage", "<", json!(3.3)), "qa"),
        ("Find invoices above 2 million dollars", condition("total_amount", ">", json!(2_000_000)), "list"),
    ] {
        let context = by_rule(asked);
        assert_eq!(context.filters, Some(filters), "{asked}");
        assert_eq!(context.plan.unwrap()["intent"], intent, "{asked}");
    }
    for asked in [
        "Which contracts have a notice of more than 30 days?",
        "What did suppliers say in 2023?",
        "invoices with a total from ACME",
        "contracts signed with more than 3 parties",
        "List invoices over everything",
    ] {
        let context = by_rule(asked);
        assert_eq!(context.filters, None, "{asked}");
    }
}

/// Arbitrary JSON with keywords of plans.
fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "filters",
        "field",
        "operator",
        "value",
        "total_amount",
        "invoice_date",
        "paid",
        "party",
        "year",
        ">",
        "between",
        "in",
        "exists",
        "like",
        "contains",
        "2023-01-01",
        "1e3",
        "subqueries",
        "entities",
        "name",
        "and",
        "or",
        "intent",
        "list",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

/// Conditions that look valid and may not be.
fn conditions() -> impl Strategy<Value = Value> {
    let field = prop::sample::select(vec![
        "total_amount",
        "vendor_name",
        "paid",
        "invoice_date",
        "party",
        "year",
        "colour",
    ]);
    let operator = prop::sample::select(vec![
        "=", "!=", ">", "<=", "in", "not_in", "between", "like", "contains", "exists", "",
    ]);
    let one = prop_oneof![
        Just(json!("2023-01-01")),
        Just(json!("2024-13")),
        Just(json!(5)),
        Just(json!("$1k")),
        Just(json!("Acme")),
        Just(json!(true)),
        Just(json!("yes")),
        Just(Value::Null),
        Just(json!(2023)),
        Just(json!("2023T10:00")),
        Just(json!("2023-01-01T25:99")),
    ];
    let value = prop_oneof![one.clone(), prop::collection::vec(one, 0..3).prop_map(Value::from)];
    let condition = (field, operator, value)
        .prop_map(|(field, operator, value)| json!({ "field": field, "operator": operator, "value": value }));
    prop::collection::vec(condition, 0..4).prop_map(Value::from)
}

/// A collection with one document, so that filters are applied.
fn library() -> vademecum::engine::KnowledgeBase {
    let kb = kb(None);
    let mut document = markdown("a.md", "Find invoices over from Acme.");
    let metadata = json!({ "total_amount": 5, "vendor_name": "Acme", "paid": true, "invoice_date": "2023-05-01", "party": ["x", 3], "year": 2023 });
    document.metadata = metadata.as_object().unwrap().clone();
    vademecum_testing::add(&kb, vec![document]).unwrap();
    kb
}

proptest! {
    #[test]
    fn every_plan_of_a_model_is_searchable(filters in prop_oneof![anything(), conditions()], more in anything()) {
        let kb = library();
        let route = r#"{"collections": ["default"], "intent": "qa"}"#.to_owned();
        let plan = json!({ "filters": filters, "subqueries": more, "entities": more, "searchStrategy": "hybrid" }).to_string();
        let llm = ScriptedLlm::replying([Ok(route), Ok(plan)]);
        // A question that states every planned condition.
        let question = "Is 5 or $1k in total to Acme, party, colour, yes, invoice date 2023-01-01T10:00, vendor name, true and paid?";
        let pipeline = Pipeline { question: question.into(), ..pipeline() };
        let (context, _) = run_with(&pipeline, &kb, &llm, &NoFunctions, Cancel::default());
        prop_assert!(context.log.error.is_none() && context.log.failures.is_empty());
        if let Some(filters) = context.filters {
            let limits = SearchLimits {
                documents: None,
                limit: 3,
                threshold: None,
                filters: Some(filters.clone()),
                hops: 1.into(),
                mode: context.workspace.strategy,
                fields_of: Vec::new(),
            };
            let found = block_on(Searcher::search(&kb, QUESTION, "default", &limits));
            prop_assert!(found.is_ok(), "{filters}: {found:?}");
        }
    }
}

#[test]
fn each_phase_reports_who_did_it() {
    let plan = r#"{"filters": []}"#;
    for (replies, by, phases) in [
        (vec![ROUTE, plan], "llm", ["llm", "llm"]),
        (vec![ROUTE, "no", "no"], "llm", ["llm", "rule"]),
        (vec!["no", "no", plan], "llm", ["rule", "llm"]),
        (vec!["no", "no", "no", "no"], "rule", ["rule", "rule"]),
    ] {
        let llm = ScriptedLlm::replying(replies.iter().map(|reply| Ok((*reply).to_owned())));
        let (context, events) = run_with(&pipeline(), &buckets(), &llm, &NoFunctions, Cancel::default());
        let events = events.0.borrow();
        let mut events = events.iter().map(|event| serde_json::to_value(event).unwrap());
        let stop = events.find(|event| event["type"] == "stop").unwrap()["metadata"].clone();
        assert_eq!((&stop["by"], &stop["phases"]), (&json!(by), &json!(phases)));
        let decided = |start: &str| {
            let thought = context.log.reasoning_trace.iter().find(|thought| thought.text.starts_with(start));
            json!(thought.unwrap().by)
        };
        assert_eq!([decided("Wanted:"), decided("Planned:")], phases.map(|by| json!(by)));
    }
}
