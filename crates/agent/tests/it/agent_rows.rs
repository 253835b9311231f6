//! Lists, counts and sums over all documents that match the conditions, whatever words their texts contain.

use serde_json::{Value, json};
use vademecum::agent::clarify::{Change, Kind};
use vademecum::agent::context::{Context, TerminatedBy};
use vademecum::agent::plan::Format;
use vademecum::agent::ports::Llm;
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum_testing::agent::{FunctionLlm, NoLlm, calls, run_with, says};
use vademecum_testing::block_on;
use vademecum_testing::styles::{last, spec};

const LIST: &str = "List all invoices over $1k";
const STYLES: [&str; 3] = ["investigate", "graph", "react"];

/// Invoices in a library without vectors, whose texts contain no word of any question: `large` of more than 1,000 and eleven of
/// less, every second one from Acme. Also two contracts.
fn bills(large: usize) -> KnowledgeBase {
    let kb = vademecum_testing::kb(None);
    let schema = json!({ "total_amount": "number", "vendor": "string", "day": "date" });
    declare(&kb, "invoices", "What was bought", Some(schema));
    declare(&kb, "contracts", "What was signed", Some(json!({ "party": "string" })));
    let bill = |number: usize, total: usize| {
        let vendor = if number.is_multiple_of(2) { "Acme" } else { "Globex" };
        let text = format!("Widgets, shipped by sea. Crate {number}.");
        let metadata = json!({ "total_amount": total, "vendor": vendor, "day": "2023-05-01" });
        document(&format!("inv-{number:03}"), &text, metadata)
    };
    let bills = (0..large)
        .map(|number| bill(number, 1_010 + number * 10))
        .chain((0..11).map(|at| bill(500 + at, 100 + at)));
    put(&kb, "invoices", bills.collect());
    let contract = |id: &str, text: &str| document(id, text, json!({ "party": "Initech" }));
    put(
        &kb,
        "contracts",
        vec![
            contract("lease", "The lease of the office ends in June."),
            contract("nda", "Nothing is told to others."),
        ],
    );
    kb
}

fn declare(kb: &KnowledgeBase, name: &str, description: &str, schema: Option<Value>) {
    let description = Some(description.to_owned());
    kb.collection(name, &CollectionOptions { description, language: None, schema }).unwrap();
}

fn document(id: &str, text: &str, metadata: Value) -> Document {
    Document { metadata: metadata.as_object().unwrap().clone(), ..Document::new(id, text) }
}

fn put(kb: &KnowledgeBase, name: &str, documents: Vec<Document>) {
    block_on(kb.add(name, documents, &Cancel::default(), &|_| {})).unwrap();
}

fn over(kb: &KnowledgeBase, pipeline: &Pipeline, llm: &dyn Llm) -> Context {
    run_with(pipeline, kb, llm, &vademecum_testing::agent::TestFunctions::default(), Cancel::default()).0
}

fn asked(kb: &KnowledgeBase, style: &str, question: &str, llm: &dyn Llm) -> Context {
    over(kb, &spec(json!({ "name": style }), question, json!({})), llm)
}

fn resumed(kb: &KnowledgeBase, stopped: &Context, answer: &str, llm: &dyn Llm) -> Context {
    let pipeline = json!({ "question": "-", "resume": { "state": stopped.state, "answer": answer } });
    over(kb, &serde_json::from_value(pipeline).unwrap(), llm)
}

/// A model that returns `plan`, makes one search without a result, and writes the answer with `compose`.
fn planner(plan: Value, compose: impl Fn(&str) -> String + 'static) -> FunctionLlm {
    planner_for("list", plan, compose)
}

fn planner_for(intent: &'static str, plan: Value, compose: impl Fn(&str) -> String + 'static) -> FunctionLlm {
    FunctionLlm::new(move |step, request| {
        match step {
        "decompose" => says(json!({ "reasoning": "", "collections": ["invoices"], "intent": intent }).to_string()),
        "plan" => says(plan.to_string()),
        "review" if last(request).contains("Searches so far:\nnone") => says(
            json!({ "status": "more", "reason": "look", "nextToolCall": { "tool": "search_semantic", "args": { "bucket": "invoices", "query": "large purchases" } } }).to_string(),
        ),
        "review" => says("{\"status\": \"clarify\", \"reason\": \"nothing\", \"clarificationDetails\": {\"type\": \"no_results\", \"missingInfo\": \"No invoices.\"}}"),
        "compose" => says(compose(last(request))),
        other => panic!("{other} asks"),
    }
    })
}

fn over_1k() -> Value {
    json!({
        "filters": [{ "field": "total_amount", "operator": ">", "value": 1000 }],
        "searchStrategy": "hybrid",
        "subqueries": ["large purchases"],
        "output": { "format": "table", "needsCitations": true },
    })
}

#[test]
fn without_a_model_every_style_lists_all_rows_even_if_no_text_matches() {
    let kb = bills(19);
    for style in STYLES {
        let result = asked(&kb, style, LIST, &NoLlm);
        assert_eq!(result.log.terminated_by, TerminatedBy::Completed, "{style}");
        let output = result.output.as_ref().unwrap_or_else(|| panic!("{style} has no rows"));
        assert_eq!((output.rows.len(), output.total), (19, 19), "{style}");
        let answer = result.answer.unwrap();
        assert_eq!(answer.lines().filter(|line| line.starts_with("- inv-")).count(), 19, "{style}: {answer}");
        // Each row is cited with a passage of its document.
        assert_eq!(result.citations.len(), 19, "{style}");
        for citation in &result.citations {
            let used = &result.context_used[citation.number - 1];
            assert_eq!(
                (&used.chunk.doc_id, &used.chunk.id),
                (&citation.doc_id, &citation.chunk_id),
                "{style}"
            );
            assert!(used.chunk.text.contains("Widgets"), "{style}");
        }
    }
}

#[test]
fn pipelines_list_all_rows_with_and_without_a_plan() {
    let kb = bills(19);
    for steps in [
        json!([{ "step": "decompose", "phases": 2 }, { "step": "search" }, { "step": "answer" }]),
        json!([{ "step": "search", "collection": "invoices" }, { "step": "answer" }]),
        json!([{ "step": "select" }, { "step": "search" }, { "step": "answer" }]),
    ] {
        let pipeline: Pipeline = serde_json::from_value(json!({ "question": LIST, "steps": steps })).unwrap();
        let result = over(&kb, &pipeline, &NoLlm);
        assert_eq!(result.output.as_ref().map(|output| output.rows.len()), Some(19), "{steps}");
        assert_eq!(result.answer.unwrap().lines().count(), 19, "{steps}");
        // The prompt for the answer contains the rows that the search did not find.
        let llm = FunctionLlm::new(|step, request| match step {
            "answer" => {
                assert!(last(request).contains(": 19 (all of them are listed)."), "{}", last(request));
                says("There are 19, inv-000 [1] among them.")
            }
            "select" => says("{\"reasoning\": \"\", \"collections\": [\"invoices\"]}"),
            "decompose" if last(request).contains("Wanted:") => says(over_1k().to_string()),
            _ => says("{\"reasoning\": \"\", \"collections\": [\"invoices\"], \"intent\": \"list\"}"),
        });
        let result = over(&kb, &pipeline, &llm);
        assert_eq!(llm.count("answer"), 1, "{steps}");
        assert_eq!(result.citations[0].doc_id, "inv-000", "{steps}");
        assert_eq!(result.context_used[0].chunk.doc_id, "inv-000");
    }
}

#[test]
fn the_model_that_writes_the_answer_sees_all_rows_and_may_cite_each() {
    let kb = bills(20);
    let llm = planner(over_1k(), |prompt| {
        assert!(
            prompt.contains("Documents in invoices with total_amount > 1000: 20 (all of them are listed)."),
            "{prompt}"
        );
        assert!((0..20).all(|number| prompt.contains(&format!("[inv-{number:03}] "))), "{prompt}");
        assert!(!prompt.contains("inv-500"), "{prompt}");
        assert!(
            prompt.contains("Over all 20: total_amount: sum 22100, average 1105, least 1010, greatest 1200."),
            "{prompt}"
        );
        assert!(
            prompt.contains("Wanted: a list of everything that fits, as a Markdown table, with citations."),
            "{prompt}"
        );
        "| inv-003 | 1040 [inv-003] |\n\nTwenty in all, and none is [inv-999].".into()
    });
    let result = asked(&kb, "investigate", LIST, &llm);
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed, "{:?}", result.clarification);
    assert_eq!(llm.count("compose"), 1);
    assert_eq!(result.output.unwrap().rows.len(), 20);
    let citation = &result.citations[0];
    assert_eq!(
        (citation.doc_id.as_str(), result.invalid_citations.as_slice()),
        ("inv-003", &["inv-999".to_owned()][..])
    );
    assert!(result.context_used[citation.number - 1].chunk.text.contains("Crate 3"));
    // The reviewer sees their number before it judges that there are none.
    let asked = llm.asked.borrow();
    let review = &asked.iter().rfind(|(step, _)| step == "review").unwrap().1;
    assert!(last(review).contains("Documents that fulfil them: 20"), "{}", last(review));
}

#[test]
fn rows_beyond_the_prompt_are_counted_and_reported() {
    let kb = bills(90);
    let style = json!({ "name": "investigate", "maxTokens": 400 });
    let llm = planner(over_1k(), |prompt| {
        let (_, rest) =
            prompt.split_once("total_amount > 1000: 90 (the first ").unwrap_or_else(|| panic!("{prompt}"));
        let listed: usize = rest.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(prompt.matches("[inv-").count(), listed);
        assert!((5..40).contains(&listed), "{listed}");
        assert!(prompt.contains("Over all 90: "));
        "Ninety.".into()
    });
    let result = over(&kb, &spec(style, LIST, json!({})), &llm);
    assert_eq!((llm.count("compose"), result.output.unwrap().rows.len()), (1, 90));
}

#[test]
fn rows_that_must_not_be_sent_are_neither_shown_to_a_model_nor_counted() {
    let kb = bills(19);
    let secret =
        json!({ "total_amount": 999_983, "vendor": "Hooli", "day": "2023-05-01", "neverSend": true });
    put(&kb, "invoices", vec![document("inv-secret", "Not for others.", secret)]);
    let llm = planner(over_1k(), |_| "Nineteen [inv-001], and [inv-secret].".into());
    let result = asked(&kb, "investigate", LIST, &llm);
    assert_eq!(llm.count("compose"), 1);
    for (step, request) in llm.asked.borrow().iter() {
        let text = serde_json::to_string(request).unwrap();
        for secret in ["inv-secret", "999983", "Hooli", ": 20 ", "them: 20"] {
            assert!(!text.contains(secret), "{step} is told {secret}");
        }
    }
    let output = result.output.unwrap();
    assert_eq!((output.rows.len(), output.total, output.left_out), (19, 19, 1), "the user is told of it");
    let by_rule = asked(&kb, "investigate", LIST, &NoLlm).output.unwrap();
    let told = (by_rule.rows.len(), by_rule.withheld, by_rule.left_out);
    assert_eq!(told, (20, true, 0), "what no model is told of is there without one");
    assert_eq!(result.invalid_citations, ["inv-secret"]);
    // The same in a chat with tools.
    let llm = FunctionLlm::new(|_, _| says("Nineteen [1]."));
    let result = asked(&kb, "react", LIST, &llm);
    assert!(!format!("{:?}", llm.asked.borrow()).contains("inv-secret"));
    assert_eq!(result.citations[0].doc_id, "inv-000");
}

#[test]
fn a_chat_begins_with_the_rows() {
    let kb = bills(19);
    let llm = FunctionLlm::new(|_, request| match request.messages.len() {
        2 => {
            assert!(last(request).contains("19 (all of them are listed)"), "{}", last(request));
            calls(&[("search", json!({ "query": "widgets by sea" }))])
        }
        _ => says("There are 19: [2] and others, [25] too."),
    });
    let result = asked(&kb, "react", LIST, &llm);
    assert_eq!(result.output.unwrap().rows.len(), 19);
    assert_eq!(result.citations[0].doc_id, "inv-001");
    assert!(result.context_used.iter().all(|hit| !hit.chunk.text.is_empty()));
}

#[test]
fn counts_and_sums_cover_all_documents() {
    let kb = bills(150);
    for style in STYLES {
        let counted = asked(&kb, style, "How many invoices over $1k are there?", &NoLlm);
        assert_eq!(
            counted.answer.as_deref(),
            Some("There are 150 documents in invoices with total_amount > 1000."),
            "{style}"
        );
        let summed =
            asked(&kb, style, "What is the sum of total_amount of all invoices from Acme over $1k?", &NoLlm);
        let sum: usize = (0..150).step_by(2).map(|number| 1_010 + number * 10).sum();
        let answer = summed.answer.unwrap();
        assert!(answer.starts_with(&format!("total_amount: sum {sum}, average ")), "{style}: {answer}");
        assert!(answer.contains("over the 75 documents"), "{style}: {answer}");
    }
    // A count of something other than documents is answered from passages.
    let days = asked(&kb, "graph", "How many days is the notice of the lease?", &NoLlm);
    assert_eq!(days.output, None);
}

#[test]
fn a_question_for_passages_is_answered_from_them_even_if_it_begins_like_a_list() {
    let kb = bills(3);
    for style in STYLES {
        let result = asked(&kb, style, "List the end of the lease of the office", &NoLlm);
        let answer = result.answer.unwrap();
        assert!(answer.contains("June") || answer.contains("lease"), "{style}: {answer}");
        assert_eq!(
            result.output.map_or(0, |output| output
                .documents
                .iter()
                .filter(|one| one[0] == "invoices")
                .count()),
            0
        );
    }
}

#[test]
fn an_overload_is_detected_for_every_intent_that_few_passages_cannot_answer() {
    let kb = bills(130);
    let plan = || json!({ "filters": [{ "field": "total_amount", "operator": ">", "value": 1000 }], "searchStrategy": "hybrid", "subqueries": ["invoices"] });
    for (intent, question) in [
        ("list", "List all invoices over $1k"),
        ("summarize", "Summarize all invoices over $1k"),
        ("compare", "Compare all invoices over $1k"),
    ] {
        let llm = planner_for(intent, plan(), |_| panic!("nothing is written"));
        let result = asked(&kb, "investigate", question, &llm);
        let clarification = result.clarification.unwrap_or_else(|| panic!("{intent} passes in silence"));
        assert_eq!((clarification.kind, clarification.total), (Kind::Overload, 130), "{intent}");
        assert!(clarification.facets.iter().any(|one| one.field == "vendor"));
    }
    // The engine aggregates any number of documents.
    let llm = planner_for("compute", plan(), |prompt| {
        assert!(prompt.contains(": 130 ("), "{prompt}");
        "130.".into()
    });
    assert_eq!(
        asked(&kb, "investigate", "How many invoices over $1k are there?", &llm).answer.as_deref(),
        Some("130.")
    );
}

#[test]
fn a_question_that_passages_answer_causes_no_overload() {
    let kb = bills(130);
    put(
        &kb,
        "invoices",
        vec![document(
            "inv-odd",
            "The gearbox was returned because of rust.",
            json!({ "total_amount": 5000, "vendor": "Acme" }),
        )],
    );
    for question in ["Why was the gearbox returned?", "Why was the gearbox returned in invoices over $1k?"] {
        let result = asked(&kb, "investigate", question, &NoLlm);
        assert_eq!(
            result.log.terminated_by,
            TerminatedBy::Completed,
            "{question}: {:?}",
            result.clarification
        );
        assert!(result.answer.unwrap().contains("rust"), "{question}");
    }
    // If no passage answers and the conditions match too many documents, the user is asked to narrow them.
    let result =
        asked(&kb, "investigate", "Which crates of invoices over $1k were insured by Lloyds?", &NoLlm);
    let clarification = result.clarification.unwrap();
    assert_eq!(clarification.kind, Kind::Overload, "{}", clarification.question);
    let result = resumed(&kb, &result_state(&kb), "best", &NoLlm);
    assert_eq!(result.log.terminated_by, TerminatedBy::Completed);
}

fn result_state(kb: &KnowledgeBase) -> Context {
    asked(kb, "investigate", "Which crates of invoices over $1k were insured by Lloyds?", &NoLlm)
}

#[test]
fn an_overload_reported_by_a_model_is_kept() {
    let kb = bills(19);
    for (said, kind) in [("overload", Kind::Overload), ("no_results", Kind::NoResults)] {
        let llm = FunctionLlm::new(move |step, _| {
            match step {
            "decompose" => says("{\"collections\": [\"contracts\"], \"intent\": \"qa\"}"),
            "plan" => says("{\"filters\": [], \"searchStrategy\": \"hybrid\", \"subqueries\": [\"office\"]}"),
            _ => says(json!({ "status": "clarify", "reason": "r", "clarificationDetails": { "type": said, "missingInfo": "Which office?" } }).to_string()),
        }
        });
        let result = asked(&kb, "investigate", "When does it end?", &llm);
        let clarification = result.clarification.unwrap();
        assert_eq!((clarification.kind, clarification.question.as_str()), (kind, "Which office?"));
    }
}

#[test]
fn a_wrong_choice_of_collections_is_relaxed_and_reported() {
    let kb = bills(3);
    let wrong = |filters: Value| {
        FunctionLlm::new(move |step, request| {
            match step {
            "decompose" => says("{\"collections\": [\"invoices\"], \"intent\": \"qa\"}"),
            "plan" => says(json!({ "filters": filters, "searchStrategy": "keyword", "subqueries": ["lease office end"] }).to_string()),
            "review" if last(request).contains("Searches so far:\nnone") => says(
                json!({ "status": "more", "reason": "look", "nextToolCall": { "tool": "search_text", "args": { "query": "lease of the office" } } }).to_string(),
            ),
            "review" => says("{\"status\": \"enough\", \"reason\": \"there\"}"),
            "compose" => says("In June [lease]."),
            other => panic!("{other} asks"),
        }
        })
    };
    let result = asked(&kb, "investigate", "When does the lease of the office end?", &wrong(json!([])));
    assert_eq!(result.answer.as_deref(), Some("In June [lease]."));
    assert!(result.relaxations.iter().any(|one| one.without == "collections" && one.used && one.found > 0));
    // If no other collection meets a condition, the user decides.
    let question = "When does the lease of the office over $1k end?";
    let filters = json!([{ "field": "total_amount", "operator": ">", "value": 1000 }]);
    let stopped = asked(&kb, "investigate", question, &wrong(filters));
    let clarification = stopped.clarification.as_ref().unwrap();
    assert!(clarification.tried.iter().any(|one| one.without == "collections" && !one.used && one.found > 0));
    let option = clarification.options.iter().find(|one| one.id == "everywhere").unwrap();
    assert_eq!(option.change, Change::Everywhere);
    for answer in ["everywhere", "Please search everywhere"] {
        let result = resumed(&kb, &stopped, answer, &NoLlm);
        assert!(
            result.answer.as_ref().is_some_and(|answer| answer.contains("June")),
            "{answer}: {:?}",
            result.answer
        );
    }
}

#[test]
fn a_year_without_a_condition_is_not_ignored() {
    let kb = bills(19);
    let stopped = asked(&kb, "investigate", "List all invoices over $1k from 2030", &NoLlm);
    assert_eq!((stopped.log.terminated_by, &stopped.output), (TerminatedBy::Clarify, &None));
    let result = resumed(&kb, &stopped, "rows", &NoLlm);
    assert_eq!(result.output.unwrap().rows.len(), 19, "where the user agrees to those of any year");
}

#[test]
fn a_document_known_only_by_metadata_can_be_cited() {
    let kb = bills(4);
    for (tool, args) in [
        ("get_document_metadata", json!({ "doc_id": "inv-002" })),
        ("list_documents", json!({ "bucket": "invoices", "filters": { "total_amount": { "=": 1030 } } })),
    ] {
        let llm = FunctionLlm::new(move |step, request| match step {
            "decompose" => says("{\"collections\": [\"invoices\"], \"intent\": \"qa\"}"),
            "plan" => says("{\"filters\": [], \"searchStrategy\": \"hybrid\", \"subqueries\": []}"),
            "review" if last(request).contains("Searches so far:\nnone") => says(
                json!({ "status": "more", "reason": "look", "nextToolCall": { "tool": tool, "args": args } })
                    .to_string(),
            ),
            "review" => says("{\"status\": \"enough\", \"reason\": \"there\"}"),
            "compose" => says("It is of 1030 [inv-002], not [inv-003]."),
            other => panic!("{other} asks"),
        });
        let result = asked(&kb, "investigate", "Of what amount is the third one?", &llm);
        assert_eq!(result.answer.as_deref(), Some("It is of 1030 [inv-002], not."), "{tool}");
        assert_eq!(result.invalid_citations, ["inv-003"], "{tool}: it was never shown");
        let citation = &result.citations[0];
        assert_eq!(citation.doc_id, "inv-002");
        assert!(result.context_used[citation.number - 1].chunk.text.contains("Crate 2"), "{tool}");
    }
}

#[test]
fn a_planned_strategy_is_used_and_its_queries_are_no_sub_questions() {
    let kb = bills(4);
    for (strategy, tool) in [("keyword", "search_text"), ("semantic", "search_semantic")] {
        let llm = FunctionLlm::new(move |step, request| {
            match step {
            "decompose" => says("{\"collections\": [\"invoices\"], \"intent\": \"qa\"}"),
            "plan" => says(json!({ "filters": [], "searchStrategy": strategy, "subqueries": ["widgets", "crate by sea"] }).to_string()),
            "review" => {
                let prompt = last(request);
                assert!(prompt.contains(&format!("Plan: intent qa, strategy {strategy}; queries:\n- widgets\n- crate by sea")), "{prompt}");
                assert!(request.messages[0].content.contains(&format!("\"tool\": \"{tool}\"")), "the example follows the plan");
                if prompt.contains("Searches so far:\nnone") {
                    says(json!({ "status": "more", "reason": "r", "nextToolCall": { "tool": tool, "args": { "query": "widgets" } } }).to_string())
                } else {
                    says("{\"status\": \"enough\", \"reason\": \"r\"}")
                }
            }
            "compose" => {
                assert!(!last(request).contains("Its parts"), "{}", last(request));
                assert!(last(request).contains("Wanted: an answer, in sentences, with citations."));
                says("Widgets [inv-000].")
            }
            other => panic!("{other} asks"),
        }
        });
        let result = asked(&kb, "investigate", "How were the widgets shipped?", &llm);
        assert_eq!(result.answer.as_deref(), Some("Widgets [inv-000]."));
        // Vector search alone is impossible without vectors, which is reported.
        let degraded = result.log.failures.iter().any(|one| one.code == "no_embedder");
        assert_eq!(degraded, strategy == "semantic", "{:?}", result.log.failures);
    }
}

#[test]
fn rows_have_the_requested_format() {
    let kb = bills(5);
    let result = asked(&kb, "graph", "List all invoices over $1k in a table", &NoLlm);
    assert_eq!(result.output.unwrap().format, Format::Table);
    assert!(result.answer.unwrap().starts_with("| title |"));
}
