//! Runs that end early.
#![cfg(unix)]

use crate::made::pdf;
use crate::ran::{Folder, LIBRARY, Ran, model};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Number of files, of which each is several seconds' share of the work of embedding.
const FILES: usize = 100;

/// Starts a build that takes several seconds, and waits for its first checkpoint.
fn begun(folder: &Folder, model: &str) -> Child {
    for at in 0..FILES {
        let text = format!(
            "# Note {at}\n\nThe {at}th wave breaks on the shore, and the sand of day {at} moves on. "
        );
        folder.write(&format!("notes/{at}.md"), text.repeat(16));
    }
    let mut child = folder.command();
    child.args(["build", "notes", "--out", LIBRARY, "--model", model, "--checkpoint", "0.2", "--json"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !folder.path(LIBRARY).exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

/// Builds to the end, and returns how many passages were embedded then, and how many there are.
fn continued(folder: &Folder, model: &str) -> (u64, u64) {
    let report = folder.build_with(&format!("--model {model}"));
    assert_eq!(
        (report["documents"].as_u64(), &report["vectors"]),
        (Some(FILES as u64), &report["chunks"]),
        "{report}"
    );
    (report["embedded"].as_u64().unwrap(), report["chunks"].as_u64().unwrap())
}

#[test]
fn a_build_that_was_killed_continues_from_its_checkpoint() {
    let Some(model) = model() else { return };
    let folder = Folder::of(&[]);
    let mut child = begun(&folder, &model);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.says("inspect notes.library").code, 0, "what is there is whole");
    fs::remove_file(folder.path("notes/0.md")).unwrap();
    folder.write("notes/new.md", "A new note."); // the number of documents tells that the other one is gone
    let (embedded, all) = continued(&folder, &model);
    assert!(embedded > 0 && embedded < all, "{embedded} of {all}");
    let left =
        fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.contains(".tmp-") || name.ends_with(".lock")).count(), 0);
}

#[test]
fn ctrl_c_keeps_what_was_done_and_says_so() {
    let Some(model) = model() else { return };
    let folder = Folder::of(&[]);
    let child = begun(&folder, &model);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let began = Instant::now();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert!(began.elapsed() < Duration::from_secs(5), "it went on for {:?}", began.elapsed());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert_eq!(ran.json()["stopped"], true);
    let (embedded, all) = continued(&folder, &model);
    assert!(embedded > 0 && embedded < all, "{embedded} of {all}");
}

/// A folder whose library is built from many batches of files, without a model.
fn many() -> Folder {
    let folder = Folder::of(&[]);
    for at in 0..256 * 8 {
        folder.write(&format!("notes/{at}.md"), format!("Wave {at} breaks on the shore. ").repeat(40));
    }
    folder.build();
    folder
}

/// Changes an option of a build without a model, ends the build after its first checkpoint, and returns the library after the next build.
fn changed_and_stopped(option: &str) -> (Folder, serde_json::Value) {
    let folder = many();
    let time = || folder.path(LIBRARY).metadata().unwrap().modified().unwrap();
    let before = time();
    let mut child = folder.command();
    child.args(["build", "notes", "--out", LIBRARY, "--checkpoint", "0", "--json"]).args(option.split(' '));
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while time() == before {
        assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(Ran::of(&child.wait_with_output().unwrap()).code, 130);
    let report = folder.build_with(option);
    (folder, report)
}

#[test]
fn a_stopped_build_with_another_collection_is_completed_by_the_next() {
    let (folder, report) = changed_and_stopped("--collection other");
    assert_eq!(report["documents"], 256 * 8, "{}", report["files"]);
    let inspected = folder.says("inspect notes.library --json").json();
    for collection in inspected["collections"].as_array().unwrap() {
        let expected = if collection["name"] == "other" { 256 * 8 } else { 0 };
        assert_eq!(collection["documents"], expected, "{collection}");
    }
}

#[test]
fn a_stopped_build_with_other_lengths_of_passages_is_completed_by_the_next() {
    let (folder, report) = changed_and_stopped("--chunk-tokens 20");
    let whole = folder.says("build notes --out whole.library --chunk-tokens 20 --json").json();
    assert_eq!((&report["documents"], &report["chunks"]), (&whole["documents"], &whole["chunks"]));
}

#[test]
fn a_fresh_build_leaves_the_library_alone_until_it_is_complete() {
    let folder = many();
    let before = fs::read(folder.path(LIBRARY)).unwrap();
    let mut child = folder.command();
    child.args(["build", "notes", "--out", LIBRARY, "--fresh", "--checkpoint", "0", "--json"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !folder.path("notes.library.fresh").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(Ran::of(&child.wait_with_output().unwrap()).code, 130);
    assert!(fs::read(folder.path(LIBRARY)).unwrap() == before, "the library was written before the end");
    let report = folder.build_with("--fresh");
    assert_eq!(report["documents"], 256 * 8);
    assert!(report["files"]["unchanged"].as_u64() > Some(0), "it goes on: {}", report["files"]);
    let names: Vec<String> = fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(LIBRARY))
        .collect();
    assert!(names.len() == 2 && names.iter().any(|name| name == "notes.library.files"), "{names:?}");
    assert_eq!(folder.build()["files"]["unchanged"], 256 * 8);
    let again = folder.build_with("--fresh");
    assert_eq!(again["files"]["added"], 256 * 8, "everything is read again: {}", again["files"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_of_pdf_that_is_killed_leaves_the_earlier_text_and_is_started_again_by_the_next_build() {
    let folder = Folder::of(&[]);
    let text = |word: &str| format!("BT /F1 12 Tf 72 700 Td ({word}) Tj ET ");
    folder.write("notes/a.pdf", pdf(&[&text("apples")], ""));
    folder.build();
    let slow = format!("{}{}", text("pears"), "0 0 m 9 9 l S\n".repeat(500_000));
    folder.write_at("notes/a.pdf", pdf(&[&slow, &slow, &slow], ""), 10);
    let mut command = folder.command();
    let command = command.args(["build", "notes", "--out", LIBRARY, "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let began = Instant::now();
    let reader = loop {
        let ids = fs::read_to_string(&children).unwrap_or_default();
        if let Some(id) = ids.split_whitespace().next() {
            break id.to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no reader");
        std::thread::sleep(Duration::from_millis(1));
    };
    std::thread::sleep(Duration::from_millis(50)); // it has begun by then, and takes much longer
    assert!(Command::new("kill").args(["-KILL", &reader]).status().unwrap().success());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!((ran.code, &ran.json()["notAdded"][0]["code"]), (1, &"file_unfinished".into()), "{ran:?}");
    assert_eq!(folder.found("apples"), ["a.pdf"]);
    assert_eq!(folder.build()["files"]["changed"], 1);
    assert_eq!((folder.found("apples"), folder.found("pears")), (vec![], vec!["a.pdf".to_owned()]));
}
