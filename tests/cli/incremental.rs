//! A second build does only what is new.

use crate::ran::{Folder, LIBRARY, model};
use serde_json::{Value, json};
use std::fs;

fn files(report: &Value) -> [u64; 4] {
    ["added", "changed", "unchanged", "removed"].map(|name| report["files"][name].as_u64().unwrap())
}

#[test]
fn an_unchanged_folder_changes_nothing_not_even_the_files_time() {
    let folder = Folder::of(&[("a.md", "Apples."), ("rows.csv", "name,year\nAda,1815\nAlan,1912\n")]);
    folder.build();
    let before = (
        fs::read(folder.path(LIBRARY)).unwrap(),
        folder.path(LIBRARY).metadata().unwrap().modified().unwrap(),
    );
    let report = folder.build();
    assert_eq!((files(&report), &report["documents"]), ([0, 0, 2, 0], &json!(3)));
    let after = (
        fs::read(folder.path(LIBRARY)).unwrap(),
        folder.path(LIBRARY).metadata().unwrap().modified().unwrap(),
    );
    assert_eq!(before, after);
}

#[test]
fn changed_new_and_removed_files_are_all_that_is_touched() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears."), ("c.md", "Plums.")]);
    folder.build();
    folder.write_at("notes/a.md", "Apricots.", 10);
    fs::remove_file(folder.path("notes/b.md")).unwrap();
    folder.write("notes/d.md", "Cherries.");
    assert_eq!(files(&folder.build()), [1, 1, 1, 1]);
    assert_eq!(
        [folder.found("apricots"), folder.found("plums"), folder.found("cherries")].concat(),
        ["a.md", "c.md", "d.md"]
    );
    assert_eq!(folder.found("pears"), [""; 0]);
    assert_eq!(folder.found("apples"), [""; 0]);
}

#[test]
fn rows_that_are_gone_from_a_table_are_gone_from_the_library() {
    let folder = Folder::of(&[("rows.csv", "name,year\nAda,1815\nAlan,1912\n")]);
    folder.build();
    folder.write_at("notes/rows.csv", "name,year\nAda,1815\n", 10);
    let report = folder.build();
    assert_eq!((&report["documents"], files(&report)), (&json!(1), [0, 1, 0, 0]));
    fs::remove_file(folder.path("notes/rows.csv")).unwrap();
    assert_eq!(folder.build_with("--allow-empty")["documents"], 0);
}

#[test]
fn a_folder_that_is_empty_all_at_once_removes_nothing_unless_that_is_confirmed() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears.")]);
    folder.build();
    let before = fs::read(folder.path(LIBRARY)).unwrap();
    fs::rename(folder.path("notes"), folder.path("elsewhere")).unwrap();
    fs::create_dir(folder.path("notes")).unwrap();
    let ran = folder.says("build notes --out notes.library --json");
    assert_eq!((ran.code, ran.error().as_str()), (3, "folder_empty"), "{ran:?}");
    assert!(ran.err.contains("notes") && ran.err.contains("--allow-empty"), "{ran:?}");
    assert_eq!(fs::read(folder.path(LIBRARY)).unwrap(), before);
    assert_eq!(folder.build_with("--allow-empty")["documents"], 0);
    folder.write("one/a.md", "Apples.");
    folder.write("two/b.md", "Pears.");
    assert_eq!(folder.says("build one two --out two.library --json").code, 0);
    fs::remove_file(folder.path("two/b.md")).unwrap();
    let one = folder.says("build one two --out two.library --json");
    assert_eq!((one.code, one.error().as_str()), (3, "folder_empty"), "one of two folders is empty: {one:?}");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_stays_when_the_collection_changes_and_moves_when_it_can() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears.")]);
    folder.build();
    fs::remove_file(folder.path("notes/b.md")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path("notes/b.md")).unwrap();
    let documents = |name: &str| {
        let inspected = folder.says("inspect notes.library --json").json();
        let all = inspected["collections"].as_array().unwrap().clone();
        all.iter().find(|one| one["name"] == name).map_or(0, |one| one["documents"].as_u64().unwrap())
    };
    for _ in 0..2 {
        let moved = folder.build_with("--collection fruit");
        assert_eq!(moved["notAdded"][0]["code"], "file_unreadable", "{moved}");
        assert_eq!([documents("default"), documents("fruit")], [1, 1]);
        assert_eq!(folder.found("pears"), ["b.md"]);
    }
    folder.build_with("--collection plants");
    assert_eq!([documents("default"), documents("fruit"), documents("plants")], [1, 0, 1]);
    fs::remove_file(folder.path("notes/b.md")).unwrap();
    folder.write("notes/b.md", "Pears.");
    folder.build_with("--collection plants");
    assert_eq!([documents("default"), documents("fruit"), documents("plants")], [0, 0, 2]);
}

#[test]
fn what_add_has_replaced_is_read_again_by_the_next_build() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears.")]);
    folder.build();
    folder.write("other/a.md", "Quinces.");
    assert_eq!(folder.says("add notes.library other/a.md --json").code, 0);
    assert_eq!(folder.found("quinces"), ["a.md"]);
    assert_eq!(files(&folder.build()), [0, 1, 1, 0]);
    assert_eq!((folder.found("apples"), folder.found("quinces")), (vec!["a.md".to_owned()], vec![]));
}

#[test]
fn a_long_add_leaves_the_record_of_the_build_in_use() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    for at in 0..300 {
        folder.write(&format!("more/{at}.md"), format!("Pear {at}."));
    }
    assert_eq!(folder.says("add notes.library more --checkpoint 0 --json").code, 0);
    assert_eq!(files(&folder.build()), [0, 0, 1, 0]);
}

#[test]
fn a_file_that_was_read_without_the_model_is_read_again_with_it() {
    let Some(model) = model() else { return };
    let folder = Folder::of(&[("a.md", "Apples are red."), ("b.md", "Pears are green.")]);
    let options = format!("--model {model}");
    folder.build_with(&options);
    folder.write_at("notes/b.md", "Plums are blue.", 10);
    assert_eq!(files(&folder.build()), [0, 1, 1, 0]);
    assert_eq!(files(&folder.build()), [0, 0, 2, 0]);
    let again = folder.build_with(&options);
    assert_eq!((files(&again), &again["vectors"]), ([0, 1, 1, 0], &again["chunks"]));
    assert_eq!(files(&folder.build_with(&options)), [0, 0, 2, 0]);
}

#[test]
fn a_file_with_a_new_time_and_the_same_contents_is_unchanged() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    folder.write_at("notes/a.md", "Apples.", 60);
    assert_eq!(files(&folder.build()), [0, 0, 1, 0]);
}

#[test]
fn a_file_that_was_just_written_is_compared_by_its_contents() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.write_at("notes/a.md", "Apples.", 0);
    let time = folder.path("notes/a.md").metadata().unwrap().modified().unwrap();
    folder.build();
    fs::write(folder.path("notes/a.md"), "Orange.").unwrap();
    fs::File::options().write(true).open(folder.path("notes/a.md")).unwrap().set_modified(time).unwrap();
    assert_eq!(files(&folder.build()), [0, 1, 0, 0], "size and time are the same");
}

#[test]
fn refused_files_are_reported_again_without_reading_them_again() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.pdf", "no pdf"), ("empty.md", "\n")]);
    let first = folder.build();
    let second = folder.build();
    assert_eq!(first["notAdded"], second["notAdded"]);
    let codes: Vec<&Value> = second["notAdded"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["file_damaged", "file_without_text"]);
}

#[test]
fn without_its_record_a_library_is_brought_up_to_date_by_reading_everything() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears.")]);
    folder.build();
    fs::remove_file(folder.path("notes.library.files")).unwrap();
    let report = folder.build();
    assert_eq!((files(&report), &report["documents"]), ([2, 0, 0, 0], &json!(2)));
}

#[test]
fn a_library_that_something_else_has_written_is_brought_up_to_date_by_reading_everything() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears.")]);
    folder.build();
    let whole = fs::read(folder.path(LIBRARY)).unwrap();
    folder.write("notes/c.md", "Plums.");
    folder.build();
    fs::write(folder.path(LIBRARY), whole).unwrap(); // an older copy
    let report = folder.build();
    assert_eq!((files(&report), &report["documents"]), ([0, 3, 0, 0], &json!(3)));
    assert_eq!(folder.found("plums"), ["c.md"]);
}

#[test]
fn fresh_ignores_what_is_there() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.write(LIBRARY, "damaged");
    assert_eq!(folder.says("build notes --out notes.library --json").code, 3);
    assert_eq!(files(&folder.build_with("--fresh")), [1, 0, 0, 0]);
}

#[test]
fn a_fresh_build_continues_what_was_made_in_the_same_way_alone() {
    let folder = Folder::of(&[("a.md", "Apples."), ("b.md", "Pears.")]);
    let aside = || {
        fs::rename(folder.path(LIBRARY), folder.path("notes.library.fresh")).unwrap();
        fs::rename(folder.path("notes.library.files"), folder.path("notes.library.fresh.files")).unwrap();
    };
    folder.build();
    aside();
    assert_eq!(files(&folder.build_with("--fresh")), [0, 0, 2, 0]);
    aside();
    assert_eq!(files(&folder.build_with("--fresh --chunk-tokens 20")), [2, 0, 0, 0]);
    aside();
    folder.write("notes.library.fresh", "damaged");
    assert_eq!(files(&folder.build_with("--fresh --chunk-tokens 20")), [2, 0, 0, 0]);
    assert!(
        !folder.path("notes.library.fresh").exists() && !folder.path("notes.library.fresh.files").exists()
    );
}

#[test]
fn nothing_is_embedded_twice() {
    let Some(model) = model() else { return };
    let folder =
        Folder::of(&[("a.md", "# Apples\n\nApples are red."), ("b.md", "# Pears\n\nPears are green.")]);
    let embedded = |report: Value| report["embedded"].as_u64().unwrap();
    let options = format!("--model {model}");
    assert_eq!(embedded(folder.build_with(&options)), 2);
    assert_eq!(embedded(folder.build_with(&options)), 0);
    folder.write_at("notes/b.md", "# Pears\n\nPears are green.\n\n# Plums\n\nPlums are blue.", 10);
    assert_eq!(embedded(folder.build_with(&options)), 1, "only the passage that is new");
    fs::remove_file(folder.path("notes.library.files")).unwrap();
    let report = folder.build_with(&options);
    assert_eq!((embedded(report.clone()), &report["vectors"]), (0, &json!(3)), "also without the record");
}
