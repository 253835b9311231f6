//! `search`, `ask`, `inspect`, `eval` and the help.

use crate::ran::{Folder, LIBRARY, model};
use serde_json::{Value, json};

fn handbook() -> Folder {
    let folder = Folder::of(&[
        (
            "leave.md",
            "# Leave\n\nEvery employee has 30 days of paid leave a year. Up to five unused days carry over to March.",
        ),
        (
            "travel.md",
            "---\nyear: 2024\n---\n\n# Travel\n\nBook trains in second class. Hand in receipts within four weeks.",
        ),
    ]);
    folder.build();
    folder
}

#[test]
fn a_search_prints_passages_with_their_sources() {
    let folder = handbook();
    let ran = folder.says("search notes.library trains");
    assert!(ran.out.starts_with("1. travel.md  Travel  ("), "{ran:?}");
    assert!(ran.out.contains("Book trains in second class."), "{ran:?}");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let nothing = folder.says("search notes.library xylophone");
    assert_eq!((nothing.code, nothing.out.trim()), (1, "Nothing was found."));
    let typo = folder.says("search notes.library receits");
    assert!(typo.out.contains("receipts"), "{typo:?}");
}

#[test]
fn a_search_takes_a_limit_a_collection_and_a_filter() {
    let folder = handbook();
    let hits = |arguments: &[&str]| {
        let line = [&["search", LIBRARY, "days weeks", "--json"], arguments].concat();
        folder.run(&line).json()["hits"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(hits(&[]), 2);
    assert_eq!(hits(&["--top", "1"]), 1);
    assert_eq!(hits(&["--filter", "{\"year\": {\">=\": 2024}}"]), 1);
    let unknown = folder.says("search notes.library days --collection nothing --json");
    assert_eq!((unknown.code, unknown.error().as_str()), (2, "unknown_collection"));
    let vector = folder.says("search notes.library days --mode vector --json");
    assert_eq!((vector.code, vector.error().as_str()), (3, "no_embedder"));
}

#[test]
fn an_answer_quotes_and_cites() {
    let folder = handbook();
    let ran = folder.run(&["ask", LIBRARY, "How many days of leave do I have?"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out, "Every employee has 30 days of paid leave a year. [1]\n\n[1] leave.md  Leave\n");
    let json = folder.run(&["ask", LIBRARY, "How many days of leave do I have?", "--json"]).json();
    assert_eq!(json["citations"][0]["docId"], "leave.md");
}

#[test]
fn a_question_that_the_library_does_not_answer_gets_the_nearest_passages_and_another_exit_code() {
    let folder = handbook();
    let ran = folder.run(&["ask", LIBRARY, "Who won the second class regatta in Sydney?"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.starts_with("The library does not say."), "{ran:?}");
    let passage = "The nearest passages:\n- travel.md  Travel\n  Book trains in second class.";
    assert!(ran.out.contains(passage), "{ran:?}");
    let json = folder.run(&["ask", LIBRARY, "Who won the second class regatta in Sydney?", "--json"]).json();
    assert_eq!(json["abstained"], true);
    let empty = folder.run(&["ask", LIBRARY, "?", "--json"]);
    assert_eq!((empty.code, empty.error().as_str()), (2, "empty_question"));
}

#[test]
fn an_error_of_a_question_is_an_error_and_no_missing_answer() {
    let folder = handbook();
    let refused = [
        ("ask notes.library leave? --collection nothing --json", "unknown_collection"),
        ("ask notes.library leave? --filter {\"colour\":1} --json", "unknown_field"),
        ("ask notes.library leave? --filter {\"year\":{\"near\":1}} --json", "unknown_operator"),
    ];
    for (line, code) in refused {
        let (asked, searched) = (folder.says(line), folder.says(&line.replacen("ask", "search", 1)));
        assert_eq!((asked.code, asked.error().as_str()), (2, code), "{line}: {asked:?}");
        assert_eq!((searched.code, searched.error().as_str()), (2, code), "{line}: {searched:?}");
        assert_eq!(asked.json()["error"]["hint"], searched.json()["error"]["hint"], "{line}");
    }
}

#[test]
fn inspect_tells_what_is_there() {
    let folder = handbook();
    let ran = folder.says("inspect notes.library --json");
    let json = ran.json();
    assert_eq!(
        (&json["documents"], &json["embedded"], &json["format"], &json["model"]),
        (&json!(2), &json!(0), &json!(1), &json!(null))
    );
    assert_eq!(json["bytes"], folder.path(LIBRARY).metadata().unwrap().len());
    assert!(
        folder.says("inspect notes.library").out.contains("2 documents, 2 passages, 0 of them with a vector")
    );
}

#[test]
fn a_labelled_set_is_measured_on_a_library_of_its_corpus() {
    let folder = handbook();
    folder.write("set/corpus.jsonl", "{\"_id\":\"d1\",\"title\":\"Tides\",\"text\":\"The moon pulls the sea.\"}\n{\"_id\":\"d2\",\"title\":\"Salt\",\"text\":\"Salt in water.\"}\n");
    folder.write("set/queries.jsonl", "{\"_id\":\"q1\",\"text\":\"what pulls the sea\"}\n");
    folder.write("set/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n");
    assert_eq!(folder.says("build set/corpus.jsonl --out set.library").code, 0);
    let json = folder.says("eval set.library --beir set --json").json();
    assert_eq!(
        (&json["rows"][0]["arm"], &json["rows"][0]["ndcg10"]),
        (&json!("keyword"), &json!(1.0)),
        "{json}"
    );
    assert!(folder.says("eval set.library --beir set").out.starts_with("| set | arm |"));
    let other = folder.says("eval notes.library --beir set --json");
    assert_eq!((other.code, other.error().as_str()), (3, "dataset_invalid"));
}

#[test]
fn vectors_are_used_with_their_model_alone() {
    let Some(model) = model() else { return };
    let folder = handbook();
    folder.build_with(&format!("--model {model}"));
    let meaning = |options: &[&str]| {
        folder.run(&[&["search", LIBRARY, "holidays I did not take", "--json"], options].concat())
    };
    let hybrid = meaning(&["--model", &model]);
    assert_eq!(
        (&hybrid.json()["mode"], &hybrid.json()["hits"][0]["docId"]),
        (&json!("hybrid"), &json!("leave.md"))
    );
    assert_eq!(meaning(&[]).json()["hits"], hybrid.json()["hits"], "the model that built the library");
    let other = meaning(&["--model", &model, "--model-id", "other"]);
    assert_eq!((other.code, other.error().as_str()), (3, "embedder_mismatch"));
    let refused =
        folder.says(&format!("build notes --out {LIBRARY} --model {model} --model-id other --json"));
    assert_eq!((refused.code, refused.error().as_str()), (3, "embedder_mismatch"));
    let again = folder.build_with(&format!("--model {model} --model-id other --reembed"));
    assert_eq!((&again["embedded"], &again["vectors"]), (&json!(2), &json!(2)));
    assert_eq!(folder.says("inspect notes.library --json").json()["model"], "other");
    assert_eq!(folder.run(&["ask", LIBRARY, "How many days of leave do I have?"]).code, 0);
    let near = folder.run(&["ask", LIBRARY, "Who approves paid leave?"]);
    assert!(
        near.code == 1 && near.out.contains("The nearest sentence, which may not answer:\n  "),
        "{near:?}"
    );
    assert_eq!(meaning(&["--mode", "keyword"]).err, "", "without a model");
    let record = folder.path("notes.library.files");
    let mut recorded: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    recorded["model"]["model"] = json!("moved-away");
    std::fs::write(&record, recorded.to_string()).unwrap();
    let moved = meaning(&[]);
    assert_eq!(moved.json()["mode"], "keyword");
    assert!(moved.err.contains("The model that the library was built with cannot be used."), "{moved:?}");
    folder.build_with(&format!("--model {model} --model-id other"));
    assert_eq!(meaning(&[]).json()["mode"], "hybrid", "a build records where the model is now");
    std::fs::remove_file(&record).unwrap();
    let words = meaning(&[]);
    assert_eq!(words.json()["mode"], "keyword");
    assert!(words.err.contains("Searching by words alone"), "{words:?}");
}

#[test]
fn the_help_has_examples_and_completions_are_printed() {
    let folder = Folder::new();
    for line in ["--help", "build --help"] {
        let help = folder.says(line);
        assert!(help.code == 0 && help.out.contains("Examples:\n  vademecum build"), "{help:?}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.says(&format!("completions {shell}"));
        assert!(script.code == 0 && script.out.contains("vademecum"), "{shell}");
    }
}
