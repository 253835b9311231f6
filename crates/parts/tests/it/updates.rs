//! The same library gives the same bytes, and an update leaves what is unchanged alone.

use crate::made::{Made, document, open, write};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use vademecum::document::Document;
use vademecum::engine::KnowledgeBase;
use vademecum_parts::SearchRequest;
use vademecum_parts::write::PublishOptions;
use vademecum_testing::{add, block_on, hashing, kb};

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let parts = fs::read_dir(folder.join("parts")).unwrap().map(|entry| entry.unwrap().path());
    let all = parts.chain([folder.join("manifest.json")]);
    all.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect()
}

fn documents(range: std::ops::Range<usize>) -> Vec<Document> {
    range
        .map(|at| {
            let words: Vec<usize> = (0..60).map(|place| (at * 31 + place * (at % 7 + 3)) % 101).collect();
            let own = document(&format!("d{at}"), None, &words);
            Document { text: format!("{} unique{at} {at} {}", own.text, at * at), ..own }
        })
        .collect()
}

fn library(count: usize) -> KnowledgeBase {
    let kb = kb(hashing());
    add(&kb, documents(0..count)).unwrap();
    kb
}

#[test]
fn the_same_library_gives_the_same_bytes() {
    let (one, other) = (Made::of(&library(400)), Made::of(&library(400)));
    assert_eq!(files(one.folder.path()), files(other.folder.path()));
    let again = write(&library(400), one.folder.path(), PublishOptions::default());
    assert_eq!((again.new_parts, again.new_bytes), (0, 0));
}

#[test]
fn every_part_is_listed_and_named_by_its_contents() {
    let made = Made::of(&library(300));
    let listed = block_on(made.library.parts()).unwrap();
    let files = files(made.folder.path());
    assert_eq!(listed.len() + 1, files.len());
    for part in listed {
        let contents = fs::read(made.folder.path().join(&part.path)).unwrap();
        assert_eq!(vademecum_parts::PartName::of(&contents).to_string(), part.name);
        assert_eq!(contents.len(), part.bytes as usize);
    }
}

#[test]
fn an_update_rewrites_little_and_removes_only_what_it_is_told_to() {
    let kb = library(2000);
    let folder = tempfile::tempdir().unwrap();
    let first = write(&kb, folder.path(), PublishOptions::default());
    let before = files(folder.path());
    add(&kb, documents(2000..2005)).unwrap();
    let second = write(&kb, folder.path(), PublishOptions::default());
    let after = files(folder.path());
    assert!(second.new_bytes * 2 < first.bytes, "{second:?} after {first:?}");
    assert_eq!(second.removed, 0);
    for (name, contents) in before.iter().filter(|(name, _)| *name != "manifest.json") {
        assert_eq!(after.get(name), Some(contents));
    }
    let request = SearchRequest { query: "unique2003".into(), ..SearchRequest::default() };
    let found = block_on(open(folder.path()).search(&request, None)).unwrap();
    assert_eq!(found.hits[0].chunk.doc_id, "d2003");

    kb.remove("default", &["d7".to_owned()]).unwrap();
    let third = write(&kb, folder.path(), PublishOptions { prune: true, ..PublishOptions::default() });
    assert!(third.removed > 0);
    // Readers may still have the manifest that was replaced, but none before it.
    fs::write(folder.path().join("manifest.json"), &after["manifest.json"]).unwrap();
    let parts = block_on(open(folder.path()).parts()).unwrap();
    assert!(parts.iter().all(|part| folder.path().join(&part.path).is_file()));
}

#[test]
fn cells_keep_their_centroids_until_the_library_has_grown_by_half() {
    let kb = library(400);
    let folder = tempfile::tempdir().unwrap();
    write(&kb, folder.path(), PublishOptions::default());
    let trained = || open(folder.path()).manifest().cells.as_ref().unwrap().trained_on;
    add(&kb, documents(400..500)).unwrap();
    write(&kb, folder.path(), PublishOptions::default());
    assert_eq!(trained(), 400);
    add(&kb, documents(500..700)).unwrap();
    write(&kb, folder.path(), PublishOptions::default());
    assert_eq!(trained(), 700);
}
