//! Contents of a saved library: vectors, settings, imports, and a file of the first format.

use std::cell::Cell;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::{Document, Format};
use vademecum::encoder::Embedder;
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::engine::{CollectionOptions, KnowledgeBase, Mode, Options, Phase, Progress, SearchRequest};
use vademecum::error::Result;
use vademecum_testing::directory::{Files, Memory, open, open_with};
use vademecum_testing::random::Random;
use vademecum_testing::{TestEmbedder, add, block_on, hashing_named, ids, kb, markdown, search};

fn pets() -> Vec<Document> {
    vec![
        markdown("cats.md", "# Cats\n\nCats purr when they are content."),
        markdown("dogs.md", "# Dogs\n\nDogs wag their tails when they are content."),
    ]
}

fn named(directory: &Rc<Memory>, name: &'static str, reembed: bool) -> Result<KnowledgeBase> {
    open_with(directory, Some(hashing_named(name)), Options { reembed, ..Options::default() })
}

#[test]
fn text_is_not_embedded_twice() {
    let memory = Memory::of(Files::new());
    let embedder = Rc::new(TestEmbedder::default());
    let opened = || open_with(&memory, Some(embedder.clone()), Options::default()).unwrap();
    let mut kb = opened();
    add(&kb, pets()).unwrap();
    let embedded = || embedder.texts.borrow().iter().filter(|text| *text != "purring cats").count();
    assert_eq!(embedded(), 2);
    for round in 0..6 {
        add(&kb, pets()).unwrap();
        kb.remove("default", &["cats.md".into()]).unwrap();
        if round % 2 == 0 {
            block_on(kb.save()).unwrap();
        }
        add(&kb, pets()).unwrap();
        if round % 3 == 0 {
            kb = opened();
        }
        block_on(kb.maintain()).unwrap();
        add(&kb, pets()).unwrap();
        assert_eq!((embedded(), kb.stats().unwrap().pending), (2, 0), "round {round}");
        assert_eq!(ids(&search(&kb, "purring cats", Mode::Vector).unwrap())[0], "cats.md");
    }
    // A second document with the same text is added and deleted; the vector must stay available.
    add(&kb, vec![markdown("copy.md", &pets()[0].text)]).unwrap();
    kb.remove("default", &["copy.md".into()]).unwrap();
    block_on(kb.maintain()).unwrap();
    add(&kb, pets()).unwrap();
    assert_eq!(embedded(), 2);
}

#[test]
fn vectors_of_another_embedder_are_rejected_or_recomputed() {
    let memory = Memory::of(Files::new());
    add(&named(&memory, "one", false).unwrap(), pets()).unwrap();
    let before = memory.files.borrow().clone();
    let error = named(&memory, "two", false).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "embedder_mismatch");
    assert!(error.to_string().contains("one") && error.to_string().contains("two"), "{error}");
    assert_eq!(*memory.files.borrow(), before);
    let kb = named(&memory, "two", true).unwrap();
    assert_eq!(kb.stats().unwrap().pending, 2);
    assert_eq!(search(&kb, "purr", Mode::Keyword).unwrap().total, 1);
    assert_eq!(block_on(kb.embed_pending(&Cancel::default(), &|_| {})).unwrap(), 2);
    assert_eq!(named(&memory, "two", false).unwrap().stats().unwrap().pending, 0);
    assert_eq!(named(&memory, "one", false).map(|_| ()).unwrap_err().code(), "embedder_mismatch");
    let other = Memory::of(Files::new());
    add(&named(&other, "one", false).unwrap(), vec![markdown("x.md", "Another text.")]).unwrap();
    let bytes = named(&other, "one", false).unwrap().export().unwrap();
    assert_eq!(block_on(kb.import(&bytes)).unwrap(), 1, "`reembed` holds for an import too");
    let strict = named(&memory, "two", false).unwrap();
    assert_eq!(block_on(strict.import(&bytes)).unwrap_err().code(), "embedder_mismatch");
}

#[test]
fn a_library_held_by_another_writer_is_read_only() {
    let memory = Memory::of(Files::new());
    add(&open(&memory).unwrap(), pets()).unwrap();
    let bytes = open(&memory).unwrap().export().unwrap();
    memory.read_only.set(true);
    let kb = open(&memory).unwrap();
    assert_eq!(ids(&search(&kb, "purr", Mode::Keyword).unwrap()), ["cats.md"]);
    assert_eq!(add(&kb, pets()).unwrap_err().code(), "read_only");
    assert_eq!(kb.remove("default", &["cats.md".into()]).unwrap_err().code(), "read_only");
    assert_eq!(kb.collection("x", &CollectionOptions::default()).unwrap_err().code(), "read_only");
    assert_eq!(block_on(kb.import(&bytes)).unwrap_err().code(), "read_only");
    assert_eq!(block_on(kb.save()).unwrap().files, 0, "there is nothing to save");
    assert_eq!(kb.stats().unwrap().documents, 2);
}

#[test]
fn an_import_replaces_keeps_and_links_documents() {
    let other = kb(vademecum_testing::hashing());
    add(
        &other,
        vec![
            markdown("dogs.md", "# New Dogs\n\nThey bark. See the Cat Manual."),
            markdown("gone.md", "Gone."),
        ],
    )
    .unwrap();
    other.remove("default", &["gone.md".into()]).unwrap();
    let bytes = other.export().unwrap();
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    let mut manual = markdown("manual.md", "All about cats. New Dogs are for another day.");
    manual.title = Some("Cat Manual".into());
    add(&kb, pets().into_iter().chain([manual]).collect()).unwrap();
    for _ in 0..2 {
        assert_eq!(block_on(kb.import(&bytes)).unwrap(), 1);
        let again = open(&memory).unwrap();
        for kb in [&kb, &again] {
            assert_eq!(kb.stats().unwrap().documents, 3);
            assert_eq!(ids(&search(kb, "bark", Mode::Keyword).unwrap()), ["dogs.md"]);
            assert_eq!(search(kb, "wag", Mode::Keyword).unwrap().total, 0);
            assert_eq!(ids(&search(kb, "purr", Mode::Keyword).unwrap()), ["cats.md"]);
        }
    }
    // Deletions are counted in an imported segment that already has tombstones.
    kb.remove("default", &["dogs.md".into()]).unwrap();
    block_on(kb.save()).unwrap();
    assert_eq!(open(&memory).unwrap().stats().unwrap().documents, 2);
}

#[test]
fn an_import_is_reported_when_it_is_found_and_before_it_is_saved() {
    let other = kb(vademecum_testing::hashing());
    add(&other, pets()).unwrap();
    let bytes = other.export().unwrap();
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    let reported = Cell::new(0);
    let report = |progress: Progress| {
        assert_eq!(progress, Progress { phase: Phase::Read, loaded: 2, total: 2 });
        assert_eq!(ids(&search(&kb, "purr", Mode::Keyword).unwrap()), ["cats.md"]);
        assert!(memory.files.borrow().is_empty(), "nothing is saved yet");
        reported.set(reported.get() + 1);
    };
    block_on(kb.take_in(&bytes, false, &report)).unwrap();
    assert_eq!(reported.get(), 1);
    assert_eq!(open(&memory).unwrap().stats().unwrap().documents, 2);
}

#[test]
fn a_library_can_import_its_own_copy_repeatedly() {
    let kb = kb(vademecum_testing::hashing());
    add(&kb, pets()).unwrap();
    add(&kb, vec![markdown("link.md", "Read [all about dogs](dogs.md) that wag.")]).unwrap();
    for round in 0..40 {
        let bytes = kb.export().unwrap();
        assert_eq!(block_on(kb.import(&bytes)).unwrap(), 3, "round {round}");
        assert_eq!(ids(&search(&kb, "purr", Mode::Keyword).unwrap()), ["cats.md"], "round {round}");
        let hops = SearchRequest {
            query: "read".into(),
            hops: 2.into(),
            mode: Mode::Keyword,
            ..SearchRequest::default()
        };
        let found = block_on(kb.search(&hops, &Cancel::default())).unwrap();
        assert_eq!(ids(&found), ["link.md", "dogs.md"], "round {round}");
        if round % 7 == 0 {
            block_on(kb.maintain()).unwrap();
        }
    }
    assert_eq!(kb.stats().unwrap().documents, 3);
}

#[test]
fn importing_something_else_fails_without_effect() {
    let kb = kb(vademecum_testing::hashing());
    add(&kb, pets()).unwrap();
    let whole = kb.export().unwrap();
    let before = kb.stats().unwrap();
    let mut random = Random(5);
    for round in 0..400 {
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(random.below(whole.len())),
            1 => {
                let at = random.below(whole.len());
                bytes[at] ^= 1 << random.below(8);
            }
            _ => bytes = (0..random.below(300)).map(|_| random.draw() as u8).collect(),
        }
        let code = block_on(kb.import(&bytes)).unwrap_err().code();
        assert!(["library_corrupt", "library_newer"].contains(&code), "{code}");
    }
    assert_eq!(kb.stats().unwrap(), before);
}

#[test]
fn collections_schemas_and_languages_are_persistent() {
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    let options = CollectionOptions {
        description: Some("Verträge".into()),
        language: Some("de".into()),
        schema: Some(serde_json::json!({ "signed": "date" })),
    };
    kb.collection("contracts", &options).unwrap();
    let mut document = markdown("a.md", "Die Bücher liegen in den Bibliotheken.");
    document.metadata.insert("signed".into(), "2024-05-01".into());
    block_on(kb.add("contracts", vec![document], &Cancel::default(), &|_| {})).unwrap();
    let again = open(&memory).unwrap();
    let moved = vademecum_testing::kb(vademecum_testing::hashing());
    assert_eq!(block_on(moved.import(&kb.export().unwrap())).unwrap(), 1);
    for other in [&again, &moved] {
        assert_eq!(other.stats().unwrap().collections, kb.stats().unwrap().collections);
        let request = SearchRequest {
            query: "Bibliothek".into(),
            collections: Some(vec!["contracts".into()]),
            filters: Some(serde_json::json!({ "signed": { ">": "2024-04" } })),
            mode: Mode::Keyword,
            ..SearchRequest::default()
        };
        assert_eq!(block_on(other.search(&request, &Cancel::default())).unwrap().total, 1);
        let mut wrong = markdown("b.md", "Falsch.");
        wrong.metadata.insert("signed".into(), "soon".into());
        let outcome = block_on(other.add("contracts", vec![wrong], &Cancel::default(), &|_| {}));
        assert_eq!(outcome.unwrap_err().code(), "metadata_type");
    }
}

/// Builds the fixture of the first format, when requested by an environment variable.
fn first_library() -> KnowledgeBase {
    let kb = kb(Some(hashing_named("hashing-256")));
    let options = CollectionOptions {
        description: Some("Ship's papers".into()),
        language: Some("en".into()),
        schema: Some(serde_json::json!({ "written": "date" })),
    };
    kb.collection("papers", &options).unwrap();
    let mut log = markdown(
        "log.md",
        "# Ship's Log\n\n## Monday\n\nWe sailed at dawn. See the Chart of Reefs.\n\n## Tuesday\n\nFog, and [the crew](crew.html) sang.",
    );
    log.metadata.insert("written".into(), "1871-03-02".into());
    log.metadata.insert("tags".into(), serde_json::json!(["sea", "fog"]));
    let mut chart = Document::new("chart.txt", "");
    chart.title = Some("Chart of Reefs".into());
    chart.url = Some("https://ship.example/chart".into());
    chart.pages =
        Some(vec!["North of the cape the reef is dry at low tide.".into(), "South of it is a wreck.".into()]);
    chart.metadata.insert("depth".into(), 4.5.into());
    let mut crew =
        Document::new("crew.html", "<h1>Crew</h1><p>The cook is Ada, the mate is <b>Grace</b>.</p>");
    crew.format = Some(Format::Html);
    let gone = markdown("gone.md", "# Cargo\n\nBarrels that went overboard.");
    block_on(kb.add("papers", vec![log, chart, crew, gone], &Cancel::default(), &|_| {})).unwrap();
    kb.export().unwrap(); // seals the tail, so that the following deletion is a tombstone
    kb.remove("papers", &["gone.md".into()]).unwrap();
    add(&kb, vec![markdown("note.md", "A note in a collection of its own segment.")]).unwrap();
    kb
}

#[test]
fn a_library_of_the_first_format_still_opens() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/library-v1.vdm");
    if std::env::var_os("VADEMECUM_WRITE_FIXTURE").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")).unwrap();
        std::fs::write(path, first_library().export().unwrap()).unwrap();
    }
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.len() < 40 << 10, "{} bytes", bytes.len());
    let memory = Memory::of(Files::new());
    let kb = named(&memory, "hashing-256", false).unwrap();
    assert_eq!(block_on(kb.import(&bytes)).unwrap(), 4);
    let again = named(&memory, "hashing-256", false).unwrap();
    for kb in [&kb, &again] {
        let stats = kb.stats().unwrap();
        assert_eq!((stats.documents, stats.chunks, stats.pending), (4, 5, 0));
        let papers = stats.collections.iter().find(|one| one.name == "papers").unwrap();
        assert_eq!((papers.documents, papers.description.as_str()), (3, "Ship's papers"));
        for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
            let found = search(kb, "sailed at dawn on Monday", mode).unwrap();
            assert_eq!(found.hits[0].chunk.id, "papers/log.md#0", "{mode:?}");
            assert_eq!(found.hits[0].chunk.headings, ["Ship's Log", "Monday"]);
        }
        let wreck = &search(kb, "wreck", Mode::Keyword).unwrap().hits[0].chunk;
        assert_eq!(
            (wreck.doc_id.as_str(), wreck.url.as_deref()),
            ("chart.txt", Some("https://ship.example/chart"))
        );
        assert_eq!(wreck.page, Some(1));
        assert_eq!(search(kb, "overboard", Mode::Keyword).unwrap().total, 0);
        assert_eq!(ids(&search(kb, "\"the mate is grace\"", Mode::Keyword).unwrap()), ["crew.html"]);
        let request = SearchRequest {
            query: "fog".into(),
            filters: Some(serde_json::json!({ "written": { "<": "1872" }, "tags": "fog" })),
            mode: Mode::Keyword,
            ..SearchRequest::default()
        };
        let found = block_on(kb.search(&request, &Cancel::default())).unwrap();
        assert_eq!(ids(&found)[0], "log.md");
        assert_eq!(found.hits[0].chunk.metadata["written"], "1871-03-02");
    }
    // Returns the same results as a library built from the same documents today.
    let today = fingerprint(&first_library());
    assert_eq!(fingerprint(&kb), today, "as it was imported");
    assert_eq!(fingerprint(&again), today, "as it was kept");
}

fn fingerprint(kb: &KnowledgeBase) -> String {
    kb.fingerprint().unwrap()
}

#[test]
fn libraries_with_equal_contents_have_equal_fingerprints() {
    let memory = Memory::of(Files::new());
    let embedder = || Some(Rc::new(HashingEmbedder) as Rc<dyn Embedder>);
    let kept = open_with(&memory, embedder(), Options::default()).unwrap();
    add(&kept, pets()).unwrap();
    let before = fingerprint(&kept);
    assert_eq!(fingerprint(&kept), before);
    let reopened = open_with(&memory, embedder(), Options::default()).unwrap();
    assert_eq!(fingerprint(&reopened), before, "a library that was closed and opened again");
    // Built in another order, with other segments, and with documents deleted in between.
    let other = open_with(&Memory::of(Files::new()), embedder(), Options::default()).unwrap();
    for document in pets().into_iter().rev().chain([markdown("mice.md", "Mice squeak.")]) {
        add(&other, vec![document]).unwrap();
        block_on(other.save()).unwrap();
    }
    assert_ne!(fingerprint(&other), before);
    other.remove("default", &["mice.md".into()]).unwrap();
    assert_eq!(fingerprint(&other), before);
    block_on(other.maintain()).unwrap();
    assert_eq!(fingerprint(&other), before);
}

#[test]
fn every_change_of_results_changes_the_fingerprint() {
    let of = |documents: Vec<Document>, embedder: Option<Rc<dyn Embedder>>, collection: &str| {
        let kb = kb(embedder);
        kb.collection(collection, &CollectionOptions::default()).unwrap();
        block_on(kb.add(collection, documents, &Cancel::default(), &|_| {})).unwrap();
        fingerprint(&kb)
    };
    let one = |id: &str, text: &str| vec![Document { format: Some(Format::Text), ..Document::new(id, text) }];
    let mut dated = one("cats", "Cats purr.");
    dated[0].metadata.insert("year".into(), 2020.into());
    let mut titled = one("cats", "Cats purr.");
    titled[0].title = Some("Cats".into());
    let all = [
        of(one("cats", "Cats purr."), None, "default"),
        of(one("cats", "Cats purr!"), None, "default"),
        of(one("cat", "Cats purr."), None, "default"),
        of(dated, None, "default"),
        of(titled, None, "default"),
        of(one("cats", "Cats purr."), None, "pets"),
        of(one("cats", "Cats purr."), Some(Rc::new(HashingEmbedder)), "default"),
        of(one("cats", "Cats purr."), Some(hashing_named("another")), "default"),
        of(Vec::new(), None, "default"),
    ];
    let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "{all:?}");
}
