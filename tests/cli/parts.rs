//! `publish`, `build --parts`, and folders of parts in place of a library file.

use crate::ran::{Folder, LIBRARY, model};
use std::fs;

fn handbook() -> Folder {
    Folder::of(&[
        (
            "leave.md",
            "# Leave\n\nEvery employee has 30 days of paid leave a year. Up to five unused days carry over to March.",
        ),
        (
            "travel.md",
            "---\nyear: 2024\n---\n\n# Travel\n\nBook trains in second class. Hand in receipts within four weeks.",
        ),
        ("board.md", "---\nneverSend: true\n---\n\n# Board\n\nThe salaries of the board are secret."),
    ])
}

#[test]
fn a_library_in_parts_is_searched_and_inspected_as_the_file_is() {
    let folder = handbook();
    folder.build();
    let published = folder.says("publish notes.library site/search");
    assert_eq!(published.code, 0, "{published:?}");
    assert!(published.out.contains("1 document left out: marked `neverSend`"), "{published:?}");

    for place in ["site/search", "site/search/manifest.json"] {
        for question in ["trains", "unused days", "receits"] {
            let of_file = folder.run(&["search", LIBRARY, question]);
            let of_parts = folder.run(&["search", place, question]);
            assert_eq!((of_parts.code, of_parts.err.as_str()), (0, ""), "{of_parts:?}");
            let source = |out: &str| {
                out.lines()
                    .find(|line| line.starts_with("1. "))
                    .map(|line| line.split("  (").next().unwrap().to_owned())
            };
            assert_eq!(source(&of_parts.out), source(&of_file.out), "{question}");
        }
        let inspected = folder.says(&format!("inspect {place}"));
        assert!(inspected.out.contains("2 documents, 2 passages"), "{inspected:?}");
        let json = folder.says(&format!("inspect {place} --json")).json();
        assert_eq!((&json["format"], &json["damaged"]), (&3.into(), &serde_json::json!([])));
    }
    let secret = folder.says("search site/search salaries --json");
    assert_eq!((secret.code, secret.json()["hits"].as_array().map_or(9, Vec::len)), (1, 0), "{secret:?}");
    let filtered =
        folder.run(&["search", "site/search", "days weeks", "--filter", "{\"year\": 2024}", "--json"]).json();
    assert_eq!(filtered["hits"].as_array().unwrap().len(), 1);
    let vector = folder.says("search site/search days --mode vector --json");
    assert_eq!((vector.code, vector.error().as_str()), (3, "no_embedder"));
}

#[test]
fn a_build_writes_the_parts_as_well_and_an_update_only_what_changed() {
    let folder = handbook();
    let first = folder.build_with("--parts search");
    assert_eq!(first["parts"]["documents"], 2);
    let again = folder.build_with("--parts search");
    assert_eq!(
        (&again["parts"]["newParts"], &again["parts"]["parts"]),
        (&0.into(), &first["parts"]["parts"])
    );
    folder.write("notes/new.md", "# Parking\n\nThe car park opens at six.");
    let more = folder.build_with("--parts search");
    assert!(more["parts"]["newParts"].as_u64().unwrap() > 0, "{more}");
    let found = folder.says("search search parking");
    assert!(found.out.starts_with("1. new.md"), "{found:?}");
    // The parts of the manifest before are kept, those before it are not.
    folder.write("notes/new.md", "# Parking\n\nThe car park opens at seven.");
    folder.build();
    let pruned = folder.says("publish notes.library search --prune --json").json();
    assert!(pruned["removed"].as_u64().unwrap() > 0, "{pruned}");
}

#[test]
fn what_is_damaged_or_missing_is_told_with_a_code() {
    let folder = handbook();
    folder.build_with("--parts search");
    let parts: Vec<_> =
        fs::read_dir(folder.path("search/parts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let whole: Vec<Vec<u8>> = parts.iter().map(|path| fs::read(path).unwrap()).collect();
    for (path, contents) in parts.iter().zip(&whole) {
        fs::write(path, vec![0; contents.len()]).unwrap();
    }
    let damaged = folder.says("search search trains --json");
    assert_eq!((damaged.code, damaged.error().as_str()), (3, "part_damaged"));
    assert!(damaged.json()["error"]["hint"].as_str().unwrap().contains("publish"), "{damaged:?}");
    parts.iter().for_each(|path| fs::remove_file(path).unwrap());
    assert_eq!(folder.says("search search trains --json").error(), "part_missing");
    parts.iter().zip(&whole).for_each(|(path, contents)| fs::write(path, contents).unwrap());
    assert_eq!(folder.says("search search trains --json").code, 0);
    fs::remove_file(&parts[0]).unwrap();
    let inspected = folder.says("inspect search --json");
    assert!(
        inspected.code == 1 && inspected.json()["damaged"].as_array().unwrap().len() == 1
            || inspected.code == 3,
        "{inspected:?}"
    );
    folder.write("search/manifest.json", "<!doctype html>");
    assert_eq!(folder.says("search search trains --json").error(), "manifest_invalid");
    folder.write("search/manifest.json", "{\"format\": 99}");
    assert_eq!(folder.says("search search trains --json").error(), "library_newer");
    let other = folder.says("publish notes.library notes --json");
    assert_eq!((other.code, other.error().as_str()), (2, "invalid_argument"));
}

#[test]
fn a_question_finds_other_words_of_the_same_meaning_in_parts() {
    let Some(model) = model() else { return };
    let folder = handbook();
    folder.build_with(&format!("--model {model} --parts search"));
    let line = ["search", "search", "How much vacation do I get?", "--model", &model, "--json"];
    let found = folder.run(&line).json();
    assert_eq!(
        (&found["mode"], &found["hits"][0]["docId"]),
        (&"hybrid".into(), &"leave.md".into()),
        "{found}"
    );
    let without = folder.says("search search trains");
    assert!(without.err.contains("Searching by words alone"), "{without:?}");
    let other =
        folder.run(&["search", "search", "trains", "--model", &model, "--model-id", "another", "--json"]);
    assert_eq!(other.error(), "embedder_mismatch");
}
