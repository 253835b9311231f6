//! The list of sources of an answer, citations by document in the graph style, and author summaries of documents.

use serde_json::{Value, json};
use vademecum::agent::context::Context;
use vademecum::agent::event::Event;
use vademecum::agent::ports::{ChatRequest, Llm, Role};
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{KnowledgeBase, Mode};
use vademecum_testing::agent::{FunctionLlm, TestFunctions, calls, run_with, says};
use vademecum_testing::styles::{last, spec};
use vademecum_testing::{add, block_on, hashing, kb, markdown};

fn with(id: &str, title: &str, url: Option<&str>, text: &str) -> Document {
    Document { title: Some(title.into()), url: url.map(Into::into), ..markdown(id, text) }
}

fn library() -> KnowledgeBase {
    let kb = kb(hashing());
    let pages = Some(vec!["Imprint.".to_owned(), "The notice of ACME is 30 days.".to_owned()]);
    let paged = Document {
        pages,
        text: String::new(),
        ..with("acme", "ACME 2023", Some("https://a.example/acme?x=1"), "")
    };
    let globex = with(
        "globex.md",
        "The [deal](https://evil.example) <b>now</b>",
        Some("javascript:alert(1)"),
        "The notice of Globex is 60 days.",
    );
    let initech = with("initech.md", "Initech", None, "The notice of Initech is 90 days.");
    add(&kb, vec![paged, globex, initech]).unwrap();
    kb
}

fn turn(request: &ChatRequest) -> usize {
    request.messages.iter().filter(|message| message.role == Role::Assistant).count()
}

/// A model that searches in three ways and cites as the passages are marked.
fn llm() -> FunctionLlm {
    FunctionLlm::new(|step, request| {
        let cited = |id: &str, about: &str| {
            let shown: String = request
                .messages
                .iter()
                .map(|message| message.content.as_str())
                .collect::<Vec<_>>()
                .join("\n");
            if shown.contains(&format!("[{id}] ")) {
                return format!("[{id}]");
            }
            let (before, _) = shown.split_once(about).unwrap_or_else(|| panic!("{about} in {shown}"));
            let at = before.rfind("\n[").unwrap();
            before[at + 1..].split_inclusive(']').next().unwrap().to_owned()
        };
        let answer = || {
            let (acme, globex) = (cited("acme", "ACME is 30"), cited("globex.md", "Globex is 60"));
            says(format!("Globex has 60 days {globex}. ACME has 30 days {acme}, and 30 {acme}."))
        };
        match step {
            "think" if turn(request) == 0 => calls(&[("search", json!({ "query": "notice days" }))]),
            "analyze_query" => {
                says("{\"calls\": [{\"tool\": \"vector_search\", \"args\": {\"query\": \"notice days\"}}]}")
            }
            "review" if !last(request).contains("search_text {") => says(
                "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"search_text\", \"args\": {\"query\": \"notice days\"}}}",
            ),
            "review" | "grade_results" => says("{\"status\": \"enough\"}"),
            "think" | "answer" | "compose" | "synthesize" => answer(),
            _ => says("{}"),
        }
    })
}

fn asked(pipeline: Value) -> (Context, Vec<String>) {
    let pipeline = serde_json::from_value(pipeline).unwrap();
    let (result, recorder) =
        run_with(&pipeline, &library(), &llm(), &TestFunctions::default(), Cancel::default());
    let events = recorder.0.borrow();
    let tokens = events
        .iter()
        .filter_map(|event| if let Event::Token { text, .. } = event { Some(text.clone()) } else { None })
        .collect();
    (result, tokens)
}

fn styled(style: Value) -> (Context, Vec<String>) {
    asked(serde_json::to_value(spec(style, "What are the notice periods?", json!({}))).unwrap())
}

#[test]
fn an_answer_ends_with_its_sources_on_request_in_every_style() {
    let pipeline = json!({
        "question": "What are the notice periods?", "threshold": 0.0, "limit": 6,
        "steps": [{ "step": "search" }, { "step": "answer", "sources": true }, { "step": "ground" }],
    });
    let style = |name: &str, more: Value| {
        let mut style = json!({ "name": name, "sources": true });
        style.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        styled(style)
    };
    let number = json!({ "citations": "number" });
    for (result, tokens) in
        [asked(pipeline), style("react", json!({})), style("investigate", number), style("graph", json!({}))]
    {
        let answer = result.answer.unwrap();
        let (text, section) = answer.split_once("\n\n**Sources**\n\n").unwrap_or_else(|| panic!("{answer}"));
        assert!(text.ends_with("."), "{text}");
        let lines: Vec<&str> = section.lines().collect();
        assert_eq!(lines.len(), 2, "{section}");
        let acme = lines.iter().find(|line| line.contains("ACME")).unwrap();
        assert!(
            acme.starts_with("- [") && acme.ends_with("] ACME 2023, page 1: <https://a.example/acme?x=1>"),
            "{acme}"
        );
        let numbers: Vec<&str> = lines.iter().map(|line| &line[3..4]).collect();
        assert!(numbers.is_sorted(), "{section}");
        for foreign in ["evil.example", "javascript", "<b>"] {
            assert!(!section.contains(foreign), "{section}");
        }
        assert!(
            answer.ends_with(tokens.last().unwrap().as_str()) && tokens.last().unwrap().contains("Sources")
        );
        assert!(result.grounding.unwrap().iter().all(|one| !one.text.contains("Sources")));
        assert_eq!(result.citations.len(), 3);
    }
}

#[test]
fn a_citation_links_only_to_http_https_or_mailto() {
    let harmless = ["https://a.example/x", "HTTP://a.example/x", "mailto:a@b.example", "ch04.html"];
    let harmful = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        " javascript:alert(1)",
        "javascript&colon;alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://a.example/x",
        "blob:https://a.example/x",
        "tel:1",
    ];
    for (url, kept) in harmless.map(|url| (url, true)).into_iter().chain(harmful.map(|url| (url, false))) {
        let kb = kb(hashing());
        add(&kb, vec![with("acme", "ACME", Some(url), "The notice of ACME is 30 days.")]).unwrap();
        for by_rule in [false, true] {
            let llm = FunctionLlm::new(|_, _| says("It has 30 days [1]."));
            let pipeline = serde_json::from_value(json!({
                "question": "What is the notice of ACME?", "threshold": 0.0,
                "budget": { "llmCalls": if by_rule { 0 } else { 6 } },
                "steps": [{ "step": "search" }, { "step": "answer" }],
            }))
            .unwrap();
            let (result, recorder) =
                run_with(&pipeline, &kb, &llm, &TestFunctions::default(), Cancel::default());
            let wanted = kept.then(|| url.to_owned());
            assert!(!result.citations.is_empty(), "{url}");
            assert!(result.citations.iter().all(|one| one.url == wanted), "{url}: {:?}", result.citations);
            assert!(result.context_used.iter().all(|hit| hit.chunk.url == wanted), "{url}");
            let told: Vec<_> = recorder
                .0
                .borrow()
                .iter()
                .filter_map(|event| match event {
                    Event::Citation { citation, .. } => Some(citation.url.clone()),
                    _ => None,
                })
                .collect();
            assert!(!told.is_empty() && told.iter().all(|one| *one == wanted), "{url}: {told:?}");
        }
    }
}

#[test]
fn without_citations_or_a_request_there_is_no_list() {
    let (result, _) = styled(json!({ "name": "graph" }));
    assert!(!result.answer.unwrap().contains("Sources"));
    let silent =
        FunctionLlm::new(
            |step, _| if step == "answer" { says("The passages do not say.") } else { says("{}") },
        );
    let pipeline = json!({
        "question": "What are the notice periods?", "threshold": 0.0,
        "steps": [{ "step": "search" }, { "step": "answer", "sources": true }],
    });
    let pipeline = serde_json::from_value(pipeline).unwrap();
    let (result, _) = run_with(&pipeline, &library(), &silent, &TestFunctions::default(), Cancel::default());
    assert_eq!(result.answer.as_deref(), Some("The passages do not say."));
}

#[test]
fn a_graph_cites_by_document_on_request() {
    let (result, _) = styled(json!({ "name": "graph", "citations": "doc", "sources": true }));
    let answer = result.answer.unwrap();
    assert!(
        answer.starts_with("Globex has 60 days [globex.md]. ACME has 30 days [acme], and 30 [acme]."),
        "{answer}"
    );
    assert!(answer.contains("- [globex.md] ") && answer.contains("- [acme] ACME 2023, page 1"), "{answer}");
    assert_eq!(
        result.citations.iter().map(|one| one.doc_id.as_str()).collect::<Vec<_>>(),
        ["globex.md", "acme", "acme"]
    );
}

fn summarised(id: &str, summary: &str, more: Value) -> Document {
    let text = format!("# {id}\n\nSection one of {id} is about nothing much.\n\n# Part two\n\nIt goes on.");
    let metadata = more.as_object().unwrap().clone();
    Document { summary: Some(summary.into()), metadata, ..markdown(id, &text) }
}

#[test]
fn a_document_is_found_by_the_words_of_its_summary() {
    let kb = kb(None);
    add(
        &kb,
        vec![
            summarised("a", "How beavers build dams.", json!({})),
            summarised("b", "Tax law of Malta.", json!({})),
        ],
    )
    .unwrap();
    let found = vademecum_testing::search(&kb, "beavers dams", Mode::Keyword).unwrap();
    assert_eq!(vademecum_testing::ids(&found)[0], "a");
    assert!(!found.hits[0].chunk.text.contains("beavers"), "the text is the document's own");
    // The summary survives export and import, and is removed with the document.
    let bytes = kb.export().unwrap();
    let other = vademecum_testing::kb(None);
    block_on(other.import(&bytes)).unwrap();
    assert_eq!(
        vademecum_testing::ids(&vademecum_testing::search(&other, "Malta tax", Mode::Keyword).unwrap())[0],
        "b"
    );
    add(&kb, vec![markdown("a", "# a\n\nSomething else.")]).unwrap();
    assert!(vademecum_testing::search(&kb, "beavers", Mode::Keyword).unwrap().hits.is_empty());
}

#[test]
fn the_summaries_tool_returns_only_sendable_summaries() {
    let kb = kb(None);
    let secret = "The beavers of Kestrel dam the river in March.";
    add(
        &kb,
        vec![
            summarised("open", "How beavers build dams.", json!({})),
            summarised("secret", secret, json!({ "neverSend": true })),
        ],
    )
    .unwrap();
    let llm = FunctionLlm::new(|step, request| match step {
        "review" if !last(request).contains("search_summaries {") => says(
            "{\"status\": \"more\", \"nextToolCall\": {\"tool\": \"search_summaries\", \"args\": {\"query\": \"beavers\"}}}",
        ),
        "review" => says("{\"status\": \"enough\"}"),
        _ => says("{}"),
    });
    let pipeline = spec(json!({ "name": "investigate" }), "Explain what beavers do.", json!({}));
    let result = run_with(&pipeline, &kb, &llm, &TestFunctions::default(), Cancel::default()).0;
    assert_eq!(result.log.error, None);
    let said: String = llm
        .asked
        .borrow()
        .iter()
        .flat_map(|(_, request)| &request.messages)
        .map(|one| one.content.clone())
        .collect();
    assert!(said.contains("How beavers build dams."), "{said}");
    assert!(!said.contains("Kestrel") && !said.contains("secret"), "{said}");
}

#[test]
fn a_request_with_the_summary_of_a_never_sent_document_is_blocked() {
    let kb = kb(None);
    let secret = "The beavers of Kestrel dam the river in March.";
    add(
        &kb,
        vec![
            summarised("secret", secret, json!({ "neverSend": true })),
            markdown("open", "Beavers are animals."),
        ],
    )
    .unwrap();
    let llm = FunctionLlm::new(|_, _| says("They do."));
    let pipeline = serde_json::from_value(json!({
        "question": format!("Is it true: {secret}"), "threshold": 0.0, "steps": [{ "step": "search" }, { "step": "answer" }],
    })).unwrap();
    let dynamic: &dyn Llm = &llm;
    let result = run_with(&pipeline, &kb, dynamic, &TestFunctions::default(), Cancel::default()).0;
    assert_eq!(llm.asked.borrow().len(), 0);
    assert!(result.log.failures.iter().any(|failure| failure.code == "never_sent"));
}

#[test]
fn an_unsafe_address_is_in_no_part_of_a_result() {
    const SCRIPT: &str = "javascript:alert(1)";
    let secret = with("vault.md", "Vault", Some(SCRIPT), "The notice of the Kestrel vault is 9 days.");
    let metadata = json!({ "neverSend": true }).as_object().unwrap().clone();
    let kb = library();
    add(&kb, vec![Document { metadata, ..secret }]).unwrap();
    let llm = FunctionLlm::new(|_, _| says("Globex has 60 days [1]."));
    let steps = json!([{ "step": "search" }, { "step": "rerank" }, { "step": "answer" }]);
    let pipeline = json!({ "question": "What is the notice of Globex and the vault?", "threshold": 0.0, "steps": steps });
    let pipeline = serde_json::from_value(pipeline).unwrap();
    let dynamic: &dyn Llm = &llm;
    let mut result = run_with(&pipeline, &kb, dynamic, &TestFunctions::default(), Cancel::default()).0;
    let found: Vec<&str> =
        result.results.iter().flatten().flat_map(|one| &one.chunks).map(|hit| &*hit.chunk.doc_id).collect();
    assert!(found.contains(&"globex.md") && result.withheld.iter().any(|hit| hit.chunk.doc_id == "vault.md"));
    // A suspicion reports the suspicious text itself.
    let suspicious = std::mem::take(&mut result.log.suspicions);
    assert!(suspicious.iter().any(|one| one.text.contains(SCRIPT)));
    let json = serde_json::to_string(&result).unwrap();
    assert!(json.contains("https://a.example/acme?x=1") && !json.contains(SCRIPT), "{json}");
}

#[test]
fn a_table_of_documents_has_no_column_for_their_summaries() {
    use vademecum::agent::plan::Format;
    use vademecum::agent::table::Output;
    let kb = kb(None);
    add(&kb, vec![summarised("a", "How beavers build dams.", json!({ "year": 2023 }))]).unwrap();
    let listed = kb.documents(&Default::default()).unwrap();
    assert_eq!(listed.documents[0].metadata["vademecumSummary"], "How beavers build dams.");
    assert_eq!(Output::of(Format::Table, &listed.documents, 1).columns, ["title", "year"]);
}
