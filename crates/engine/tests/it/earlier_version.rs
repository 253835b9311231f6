//! A library saved and exported by version 0.1.0, with segments, graphs, a deleted document and a schema,
//! still opens.

use std::path::Path;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, KnowledgeBase, Mode, Options, SearchRequest};
use vademecum_testing::directory::{Files, Memory, open_with};
use vademecum_testing::{block_on, hashing_named, ids, kb, markdown, search};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/library-0.1.0");

fn log(at: usize) -> Document {
    let text = format!(
        "# Log {at}\n\n## Morning\n\nDay {at}: the wind came from the north, {at} knots.\n\n## Evening\n\n\
         See [the next day](log-{}.md).",
        at + 1
    );
    let mut log = markdown(&format!("log-{at}.md"), &text);
    log.metadata.insert("written".into(), format!("1871-03-{:02}", at + 1).into());
    log.metadata.insert("knots".into(), at.into());
    log
}

/// Builds the same library with this version.
fn made_today() -> KnowledgeBase {
    let kb = kb(Some(hashing_named("hashing-256")));
    let options = CollectionOptions {
        description: Some("Ship's papers".into()),
        language: Some("en".into()),
        schema: Some(serde_json::json!({ "written": "date" })),
    };
    kb.collection("papers", &options).unwrap();
    block_on(kb.add("papers", (0..9).map(log).collect(), &Cancel::default(), &|_| {})).unwrap();
    kb.remove("papers", &["log-2.md".into()]).unwrap();
    kb
}

fn assert_whole(kb: &KnowledgeBase) {
    let stats = kb.stats().unwrap();
    assert_eq!((stats.documents, stats.pending), (8, 0));
    let papers = stats.collections.iter().find(|one| one.name == "papers").unwrap();
    assert_eq!((papers.documents, papers.description.as_str()), (8, "Ship's papers"));
    for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
        assert_eq!(ids(&search(kb, "Log 7 morning wind", mode).unwrap())[0], "log-7.md", "{mode:?}");
    }
    let filters = serde_json::json!({ "written": { "<": "1871-03-05" }, "knots": { ">=": 1 } });
    let request = SearchRequest {
        query: "wind".into(),
        filters: Some(filters),
        mode: Mode::Keyword,
        ..SearchRequest::default()
    };
    let found = block_on(kb.search(&request, &Cancel::default())).unwrap();
    assert!(ids(&found).iter().all(|id| ["log-1.md", "log-3.md"].contains(id)), "log-2.md was removed");
    assert!(found.total > 0);
    assert_eq!(kb.fingerprint().unwrap(), made_today().fingerprint().unwrap());
}

#[test]
fn a_library_that_version_0_1_0_kept_opens_and_goes_on() {
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
    };
    let files: Files = std::fs::read_dir(Path::new(FOLDER).join("kept")).unwrap().map(file).collect();
    let memory = Memory::of(files);
    let opened = |memory: &Rc<Memory>| {
        open_with(memory, Some(hashing_named("hashing-256")), Options { graph_from: 4, ..Options::default() })
            .unwrap()
    };
    assert_whole(&opened(&memory));
    // This version can change and save it.
    let kb = opened(&memory);
    block_on(kb.add("papers", vec![log(9)], &Cancel::default(), &|_| {})).unwrap();
    block_on(kb.save()).unwrap();
    kb.remove("papers", &["log-9.md".into()]).unwrap();
    block_on(kb.save()).unwrap();
    assert_whole(&opened(&memory));
}

#[test]
fn a_library_that_version_0_1_0_exported_is_imported() {
    let kb = kb(Some(hashing_named("hashing-256")));
    let bytes = std::fs::read(Path::new(FOLDER).join("exported.vdm")).unwrap();
    assert_eq!(block_on(kb.import(&bytes)).unwrap(), 8);
    assert_whole(&kb);
}
