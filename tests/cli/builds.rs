//! `build` and `add`: what is in the library, and how it is reported.

use crate::ran::{Folder, LIBRARY};
use serde_json::json;

#[test]
fn a_folder_becomes_a_library_and_the_report_counts_files() {
    let folder = Folder::of(&[
        ("tides.md", "# Tides\n\nThe moon pulls the sea."),
        ("deep/salt.txt", "Salt in water."),
        ("a.png", "x"),
    ]);
    let report = folder.build();
    assert_eq!(report["files"], json!({ "added": 2, "changed": 0, "unchanged": 0, "removed": 0 }));
    assert_eq!(
        (&report["documents"], &report["vectors"], &report["skipped"]),
        (&json!(2), &json!(0), &json!({ "png": 1 }))
    );
    assert_eq!(folder.found("moon"), ["tides.md"]);
    assert_eq!(folder.first("salt")["metadata"], json!({ "type": "text", "folder": "deep" }));
}

#[test]
fn without_json_the_report_is_for_people_and_progress_is_on_standard_error() {
    let folder = Folder::of(&[("a.md", "Text."), ("scan.pdf", "no pdf")]);
    let ran = folder.says("build notes --out notes.library");
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("1 file added, 1 not added:\n  scan.pdf: It is damaged"), "{ran:?}");
    assert_eq!(ran.err, "");
}

#[test]
fn several_folders_are_told_apart_by_their_names_and_files_keep_theirs() {
    let folder = Folder::new();
    folder.write("one/a.md", "Apples.");
    folder.write("two/a.md", "Pears.");
    folder.write("b.md", "Plums.");
    assert_eq!(folder.says("build one two b.md --out notes.library --json").code, 0);
    assert_eq!(
        [folder.found("apples"), folder.found("pears"), folder.found("plums")].concat(),
        ["one/a.md", "two/a.md", "b.md"]
    );
    folder.write("other/one/c.md", "Cherries.");
    let refused = folder.says("build one other/one --out notes.library --json");
    assert_eq!((refused.code, refused.error().as_str()), (2, "invalid_argument"));
}

#[test]
fn documents_go_to_a_collection_with_its_description() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.run(&["build", "notes", "--out", LIBRARY, "--collection", "fruit", "--description", "What grows"]);
    let inspected = folder.says("inspect notes.library --json").json();
    let collections = inspected["collections"].as_array().unwrap();
    let fruit = collections.iter().find(|one| one["name"] == "fruit").unwrap();
    assert_eq!((&fruit["documents"], &fruit["description"]), (&json!(1), &json!("What grows")));
    let moved = folder.build_with("--collection roots");
    assert_eq!(moved["documents"], 1, "the documents left the other collection: {moved}");
}

#[test]
fn ignore_files_are_honoured_and_hidden_files_are_left_out() {
    let folder = Folder::of(&[
        (".gitignore", "draft.md\n"),
        (".vademecumignore", "private/\n"),
        ("sub/.ignore", "old.md\n"),
        ("draft.md", "Draft."),
        ("private/a.md", "Private."),
        ("sub/old.md", "Old."),
        ("sub/new.md", "New."),
        (".hidden/a.md", "Hidden."),
    ]);
    let ids = |report: serde_json::Value| report["documents"].clone();
    assert_eq!(ids(folder.build()), 1);
    assert_eq!(folder.found("new"), ["sub/new.md"]);
    assert_eq!(ids(folder.build_with("--no-ignore")), 4);
}

#[test]
fn add_puts_files_beside_those_of_a_build_and_the_next_build_keeps_them() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    folder.write("b.md", "Pears.");
    folder.write("odd.thing", "Plums.");
    let added = folder.says("add notes.library b.md odd.thing --json");
    assert_eq!((added.code, &added.json()["files"]["added"]), (0, &json!(2)), "{added:?}");
    let again = folder.build();
    assert_eq!((&again["documents"], &again["files"]["unchanged"]), (&json!(3), &json!(1)));
    assert_eq!([folder.found("pears"), folder.found("plums")].concat(), ["b.md", "odd.thing"]);
}

#[test]
fn of_a_file_and_a_folder_with_one_id_the_second_is_refused() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.write("other/a.md", "Pears.");
    let ran = folder.says("build notes other/a.md --out notes.library --json");
    let report = ran.json();
    assert_eq!((ran.code, &report["documents"]), (1, &json!(1)), "{ran:?}");
    assert_eq!(
        (&report["notAdded"][0]["file"], &report["notAdded"][0]["code"]),
        (&json!("a.md"), &json!("file_same_id"))
    );
    assert_eq!(folder.found("apples"), ["a.md"]);
}

#[test]
fn addresses_are_below_the_one_that_is_given() {
    let folder = Folder::of(&[
        ("index.html", "<p>Home of apples"),
        ("sub/index.html", "<p>Pears"),
        ("sub/x.md", "Plums"),
    ]);
    folder.build_with("--url https://x.example/base/");
    let url = |question: &str| folder.first(question)["url"].clone();
    assert_eq!(
        [url("apples"), url("pears"), url("plums")],
        ["https://x.example/base/", "https://x.example/base/sub/", "https://x.example/base/sub/x.md"]
    );
}

#[test]
fn chunks_are_as_long_as_asked_for() {
    let folder = Folder::of(&[("a.txt", &"The moon pulls the sea. ".repeat(100))]);
    let (usual, short) = (
        folder.build()["chunks"].as_u64().unwrap(),
        folder.build_with("--chunk-tokens 20")["chunks"].as_u64().unwrap(),
    );
    assert!(short > 2 * usual, "{short} and {usual}");
    let refused = folder.says("build notes --out notes.library --chunk-tokens 1 --json");
    assert_eq!((refused.code, refused.error().as_str()), (2, "invalid_argument"));
}

#[test]
fn add_of_a_table_that_has_lost_rows_removes_their_documents() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    folder.write("rows.csv", "name,year\nAda,1815\nAlan,1912\nGrace,1906\n");
    folder.write("rows.csv2.md", "Not a row.");
    assert_eq!(folder.says("add notes.library rows.csv rows.csv2.md --json").code, 0);
    folder.write("rows.csv", "name,year\nAda,1815\nGrace,1906\n");
    let report = folder.says("add notes.library rows.csv --json").json();
    assert_eq!(report["documents"], 4, "{report}");
    assert_eq!(folder.found("alan"), Vec::<String>::new());
    assert_eq!(folder.found("grace"), ["rows.csv#2"]);
    assert_eq!(folder.found("apples"), ["a.md"]);
}
