//! Non-interference: requests to an LLM do not depend on documents marked `neverSend`. Libraries that differ
//! only in these give byte-identical requests, for any question and style, whatever the LLM replies.

use futures_util::future::LocalBoxFuture;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use vademecum::agent::context::Context;
use vademecum::agent::ports::{Caller, ChatRequest, Llm};
use vademecum::agent::reply::{Completion, FunctionCall};
use vademecum::agent::styles::pipeline::Pipeline;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum::error::Result;
use vademecum::eval::{CaseOptions, make_cases};
use vademecum_testing::agent::{TestFunctions, run_with};
use vademecum_testing::styles::spec;
use vademecum_testing::{add, block_on, hashing, kb, markdown};

fn document(id: &str, title: &str, text: &str, metadata: Value) -> Document {
    let metadata = metadata.as_object().unwrap().clone();
    Document { title: Some(title.into()), metadata, ..markdown(id, text) }
}

/// Public documents: people, contracts and notes that mention each other.
fn open() -> Vec<(&'static str, Document)> {
    let contract = |id: &str, party: &str, days: u32, total: f64, year: u32| {
        let text = format!(
            "# {party} contract\n\nEither party may end the {party} contract with a notice of {days} days. See the Handbook.\n\n\
             ## Price\n\nThe fee of {party} is {total} euros a year, and support is part of it.\n\n## Law\n\nGerman law governs the {party} contract."
        );
        (
            "default",
            document(
                id,
                &format!("{party} contract"),
                &text,
                json!({ "party": party, "total": total, "year": year }),
            ),
        )
    };
    let mut all = vec![
        contract("acme.md", "ACME", 30, 1200.0, 2022),
        contract("globex.md", "Globex", 60, 98_000.0, 2023),
        contract("initech.md", "Initech", 90, 150_000.0, 2023),
        contract("umbra.md", "Umbra", 14, 99_999.0, 2024),
    ];
    let handbook = "# Handbook\n\nA notice is sent by mail. Salaries are paid on the last day of a month.\n\n[The ACME contract](acme.md) is the oldest one.";
    all.push(("default", document("handbook.md", "Handbook", handbook, json!({ "neverSend": false }))));
    for n in 0..12 {
        let text = format!(
            "# Note {n}\n\nNote number {n} tells that the team of Globex met in room {n} and spoke of salaries, notices and support."
        );
        all.push((
            "notes",
            document(
                &format!("note-{n}.md"),
                &format!("Note {n}"),
                &text,
                json!({ "year": 2020 + n % 5, "room": n }),
            ),
        ));
    }
    all
}

/// Builds a library with the secret documents before, among or after the others.
fn library(secrets: &[(&'static str, Document)], place: usize) -> KnowledgeBase {
    let kb = kb(hashing());
    for name in ["notes", "vault"] {
        kb.collection(name, &CollectionOptions::default()).unwrap();
    }
    let mut all = open();
    let at = [0, all.len() / 2, all.len()][place % 3];
    all.splice(
        at..at,
        secrets.iter().map(|(name, document)| {
            let mut document = document.clone();
            document.metadata.insert("neverSend".into(), true.into());
            (*name, document)
        }),
    );
    for (collection, document) in all {
        block_on(kb.add(collection, vec![document], &Cancel::default(), &|_| {})).unwrap();
    }
    kb
}

/// A pseudorandom generator.
#[derive(Clone, Copy)]
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// An LLM that tries to extract secrets: calls every tool with filters that bisect a range, and guesses
/// sentences. Its replies depend only on its seed and the number of requests, so two runs diverge only if the
/// requests do.
struct Prober {
    seed: u64,
    at: Cell<u64>,
    requests: RefCell<Vec<String>>,
}

impl Prober {
    fn new(seed: u64) -> Self {
        Self { seed, at: Cell::new(0), requests: RefCell::default() }
    }
}

const FIELDS: [&str; 6] = ["total", "salary", "year", "room", "neverSend", "codename"];
const WORDS: [&str; 10] = [
    "salary of Olga Brandt",
    "notice",
    "Kestrel",
    "contract notice of 30 days",
    "layoffs in March",
    "\"nine days\"",
    "Handbook",
    "Kündigung der Mitarbeiter",
    "who met in room 4",
    "The notice to end the Kestrel contract is only nine days.",
];

impl Prober {
    fn arguments(random: &mut Random) -> Value {
        let value = match random.below(4) {
            0 => json!(true),
            1 => json!("k%"),
            _ => json!(random.below(200_000)),
        };
        let field = random.of(&FIELDS);
        let operator = random.of(&[">=", "<", "=", "!=", "like", "exists", "contains"]);
        let filters = match random.below(3) {
            0 => json!({ field: { operator: value } }),
            1 => json!([{ "field": field, "operator": operator, "value": value }]),
            _ => json!({}),
        };
        let id = random.of(&["acme.md", "salaries.md", "kestrel.md", "note-1.md", "nobody.md"]);
        let mut arguments = json!({
            "query": random.of(&WORDS), "refined_query": random.of(&WORDS), "top_k": 1 + random.below(50), "filters": filters,
        });
        if random.below(3) == 0 {
            arguments["bucket"] = json!(random.of(&["default", "notes", "vault", "nowhere"]));
        }
        if random.below(3) == 0 {
            arguments["doc_id"] = json!(id);
        }
        arguments
    }

    fn reply(&self, step: &str, request: &ChatRequest, at: u64) -> Completion {
        let mut random = Random(self.seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.below(2);
        let tools = [
            "list_documents",
            "get_document_metadata",
            "document_lookup",
            "search_text",
            "keyword_search",
            "semantic_search",
            "hybrid_search",
            "search",
            "search_summaries",
            "refine_search",
            "search_with_filters",
        ];
        let offered: Vec<String> = request
            .tools
            .as_ref()
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned))
            .collect();
        if !offered.is_empty() && at < 9 && random.below(8) > 0 {
            let name = offered[random.below(offered.len())].clone();
            let arguments = Self::arguments(&mut random).to_string();
            let calls = vec![FunctionCall { id: format!("c{at}"), name, arguments }];
            return Completion { tool_calls: calls, ..Completion::default() };
        }
        let tool = random.of(&tools);
        let call = json!({ "tool": tool, "args": Self::arguments(&mut random) });
        let second = json!({ "tool": random.of(&tools), "args": Self::arguments(&mut random) });
        let word = random.of(&WORDS);
        let content = match step {
            "gate" => json!({ "search": true }),
            "rewrite" | "rewrite_question" => json!({ "question": word }),
            "select" => json!({ "collections": [random.of(&["default", "notes", "vault"])] }),
            "expand" => json!({ "terms": [word] }),
            "decompose" => json!({
                "questions": [word, "What is the notice?"], "collections": random.of(&[&json!([]), &json!(["default", "notes"])]),
                "intent": random.of(&["qa", "list", "compare", "aggregate"]),
            }),
            "plan" => json!({
                "subqueries": [word], "filters": Self::arguments(&mut random)["filters"],
                "strategy": random.of(&["hybrid", "keyword", "semantic"]),
            }),
            "rerank" => {
                json!({ "scores": [{ "n": 1, "score": random.below(9) }, { "n": 2, "score": random.below(9) }] })
            }
            "reason" | "search" => json!({ "sufficient": false, "query": word, "reason": "more is wanted" }),
            "analyze_query" => json!({ "calls": [call, second] }),
            "review" | "grade_results" if at < 10 => json!({ "status": "more", "nextToolCall": call }),
            "review" | "grade_results" => json!({ "status": "enough" }),
            "make_case" => json!({ "question": format!("What is told of {at}?") }),
            "think" if at < 6 => {
                return Completion {
                    content: json!({ "tool": tool, "arguments": call["args"] }).to_string(),
                    ..Completion::default()
                };
            }
            _ => {
                return Completion {
                    content: format!("It is {word} [1]. See [2]."),
                    ..Completion::default()
                };
            }
        };
        Completion { content: content.to_string(), ..Completion::default() }
    }
}

impl Llm for Prober {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        _: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let at = self.at.replace(self.at.get() + 1);
        let said = format!("{} {}", caller.step, serde_json::to_string(request).unwrap());
        self.requests.borrow_mut().push(said);
        Box::pin(std::future::ready(Ok(self.reply(caller.step, request, at))))
    }
}

/// Replaces the random numbers of fences by their order of appearance.
fn without_fences(requests: &[String]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let one = |request: &String| {
        let mut text = request.clone();
        for rest in request.split("passages ").skip(1) {
            let number: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            if number.len() == 16 && !seen.contains(&number) {
                seen.push(number);
            }
        }
        for (at, number) in seen.iter().enumerate() {
            text = text.replace(number, &format!("fence {at}"));
        }
        text
    };
    requests.iter().map(one).collect()
}

const QUESTIONS: [&str; 7] = [
    "What is the notice to end the ACME contract?",
    "List all contracts over 1000",
    "What does Olga Brandt earn?",
    "Which codename does the Kestrel project have?",
    "Compare Globex and Initech",
    "List all notes in a table",
    "Find layoffs in March",
];

fn style(number: usize) -> Value {
    match number {
        0 => json!([{ "step": "search" }, { "step": "answer" }]),
        1 => json!([
            { "step": "gate" }, { "step": "rewrite" }, { "step": "select" }, { "step": "expand" },
            { "step": "decompose", "phases": 2 }, { "step": "search", "hops": 3 }, { "step": "rerank" }, { "step": "reason" },
            { "step": "answer", "citations": "doc" }, { "step": "ground", "correct": true, "drop": true },
        ]),
        2 => json!([
            { "step": "rewrite" }, { "step": "decompose" }, { "step": "search", "collections": ["default", "notes", "vault"], "selfCorrect": true },
            { "step": "rerank" }, { "step": "answer" }, { "step": "ground" },
        ]),
        3 => json!({ "name": "react" }),
        4 => json!({ "name": "investigate" }),
        _ => json!({ "name": "graph" }),
    }
}

/// Runs a conversation of two turns, the second continuing the first. Returns all requests.
fn requests(kb: &KnowledgeBase, number: usize, question: &str, more: &Value, seed: u64) -> Vec<String> {
    let llm = Prober::new(seed);
    let asked = |question: &str, history: Value| -> Pipeline {
        let mut more = more.clone();
        more["history"] = history;
        match style(number) {
            style @ Value::Object(_) => spec(style, question, more),
            steps => {
                let mut fields = json!({ "question": question, "steps": steps });
                fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                serde_json::from_value(fields).unwrap()
            }
        }
    };
    let run = |pipeline: &Pipeline| -> Context {
        run_with(pipeline, kb, &llm, &TestFunctions::default(), Cancel::default()).0
    };
    let first = run(&asked(question, json!([])));
    // As a conversation stores a turn: withheld quotations are kept beside the text that replaces them.
    let withheld = first.told.is_some() && first.answer.is_some();
    let mut turn = json!({
        "question": question, "answer": first.answer.clone().or_else(|| first.told.clone()).unwrap_or_default(), "withheld": withheld,
        "answeredBy": first.answered_by,
    });
    if let Some(told) = first.told.as_ref().filter(|_| withheld) {
        turn["told"] = json!(told);
    }
    run(&asked("And what of its price?", json!([turn])));
    if let Some(state) = &first.state {
        let again = json!({ "question": "-", "resume": { "state": state, "answer": "yes, all of them" } });
        run(&serde_json::from_value(again).unwrap());
    }
    let asked = llm.requests.take();
    without_fences(&asked)
}

fn secret() -> impl Strategy<Value = (&'static str, Document)> {
    let texts = prop::sample::select(vec![
        "# Kestrel contract\n\nThe notice to end the Kestrel contract is only nine days. The ACME contract and the Handbook say nothing of it.",
        "# Salaries\n\nOlga Brandt earns a salary of 98431 euros. Ravi Menon earns 99118 euros.",
        "# Layoffs March\n\nProject Kestrel dismisses Olga Brandt and Ravi Menon on 14 March. See [ACME](acme.md) and [notes](note-3.md).",
        "# Geheim\n\nDie Kündigung der Mitarbeiter wird im März ausgesprochen, und die Löhne werden nicht mehr bezahlt werden.",
        "notice notice notice notice contract contract salary support salaries fee Globex ACME Initech Umbra",
        "secret",
    ]);
    let ids = prop::sample::select(vec!["salaries.md", "kestrel.md", "a", "zz.md"]);
    let titles =
        prop::sample::select(vec!["Salaries", "ACME contract", "The Kestrel plan", "Note 3", "Globex"]);
    let metadata = prop::sample::select(vec![
        json!({}),
        json!({ "salary": 98431 }),
        json!({ "codename": "kestrel-nine", "total": 5 }),
        json!({ "total": "many", "year": "2024" }),
        json!({ "party": "Kestrel", "total": 150_001.0, "year": 2021 }),
    ]);
    let collections = prop::sample::select(vec!["default", "default", "notes", "vault"]);
    (texts, ids, titles, metadata, collections)
        .prop_map(|(text, id, title, metadata, collection)| (collection, document(id, title, text, metadata)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 3))]

    #[test]
    fn libraries_that_differ_in_never_sent_documents_give_the_same_requests(
        one in prop::collection::vec(secret(), 0..4),
        other in prop::collection::vec(secret(), 0..4),
        places in (0usize..3, 0usize..3),
        number in 0usize..6,
        question in prop::sample::select(QUESTIONS.to_vec()),
        more in prop::sample::select(vec![
            json!({}), json!({ "threshold": 0.0, "limit": 20 }), json!({ "filters": { "year": { ">=": 2022 } } }),
            json!({ "collections": ["default", "vault"] }), json!({ "filters": { "neverSend": { "!=": true } } }),
        ]),
        seed in any::<u64>(),
    ) {
        let first = requests(&library(&one, places.0), number, question, &more, seed);
        let second = requests(&library(&other, places.1), number, question, &more, seed);
        prop_assert!(!first.is_empty());
        for (one, other) in first.iter().zip(&second) {
            prop_assert_eq!(one, other);
        }
        prop_assert_eq!(first.len(), second.len());
    }

    #[test]
    fn cases_do_not_depend_on_never_sent_documents(
        one in prop::collection::vec(secret(), 0..4),
        other in prop::collection::vec(secret(), 0..4),
        places in (0usize..3, 0usize..3),
        seed in 0u64..1000,
    ) {
        let cases = |kb: &KnowledgeBase| {
            let llm = Prober::new(seed);
            let options = CaseOptions { count: 40, seed, collections: None };
            let cases = block_on(make_cases(kb, &options, &llm, &Cancel::default())).unwrap();
            let by_rule = block_on(make_cases(kb, &options, &vademecum_testing::agent::NoLlm, &Cancel::default())).unwrap();
            (cases, by_rule, without_fences(&llm.requests.take()))
        };
        prop_assert_eq!(cases(&library(&one, places.0)), cases(&library(&other, places.1)));
    }
}

#[test]
fn an_unmarked_secret_does_change_the_requests() {
    let secret = (
        "default",
        document("salaries.md", "Salaries", "Olga Brandt earns 98431 euros.", json!({ "salary": 98431 })),
    );
    for number in 0..6 {
        let question = "What does Olga Brandt earn?";
        let asked =
            |kb: &KnowledgeBase, seed| requests(kb, number, question, &json!({ "threshold": 0.0 }), seed);
        let kb = library(&[], 0);
        add(&kb, vec![secret.1.clone()]).unwrap();
        let differs = (0..8).any(|seed| asked(&library(&[], 0), seed) != asked(&kb, seed));
        assert!(differs, "style {number}");
    }
}

#[test]
fn a_collection_of_withheld_documents_alone_is_empty_to_a_view() {
    use vademecum::agent::ports::Searcher;
    let secret = document("s", "Secret", "# Secret\n\nKestrel.", json!({ "neverSend": true }));
    let open = document("o", "Open", "# Open\n\nKestrel.", json!({}));
    let empty = |documents: Vec<Document>| {
        let kb = kb(None);
        add(&kb, documents).unwrap();
        let all = Searcher::collections(&kb).unwrap();
        let view = Searcher::sendable(&kb).unwrap().collections().unwrap();
        [all, view].map(|views| views.iter().find(|one| one.name == "default").unwrap().is_empty)
    };
    assert_eq!(empty(vec![secret.clone()]), [false, true]);
    assert_eq!(empty(vec![secret, open]), [false, false]);
}

#[test]
fn searching_the_sendable_view_equals_searching_a_library_without_the_rest() {
    use vademecum::agent::ports::{SearchLimits, Searcher};
    let secrets: Vec<(&str, Document)> = (0..40)
        .map(|n| {
            let text = format!("# Kestrel {n}\n\nThe notice of Kestrel {n} is {n} days, and the contract of ACME is support for Globex.");
            ("default", document(&format!("s{n}"), "ACME contract", &text, json!({ "salary": n })))
        })
        .collect();
    let limits = SearchLimits { limit: 50, threshold: Some(0.0), hops: 2.into(), ..SearchLimits::default() };
    let found = |kb: &KnowledgeBase| {
        let view = Searcher::sendable(kb).unwrap();
        let names: Vec<String> = view.collections().unwrap().into_iter().map(|one| one.name).collect();
        WORDS.map(|words| {
            let found = block_on(view.search_all(words, &names, &limits)).unwrap();
            let hits: Vec<(String, u32)> =
                found.hits.iter().map(|hit| (hit.chunk.id.clone(), hit.score.to_bits())).collect();
            (
                hits,
                found.total,
                view.listing("default", None, &[], 100).unwrap(),
                view.values("default", "total", None).unwrap(),
            )
        })
    };
    let (with, without) = (library(&secrets, 1), library(&[], 0));
    let expected = found(&without);
    assert_eq!(found(&with), expected);
    // After removal and re-insertion, tombstones and excluded documents coexist.
    with.remove("default", &["s3".into(), "s4".into()]).unwrap();
    assert_eq!(found(&with), expected);
}
