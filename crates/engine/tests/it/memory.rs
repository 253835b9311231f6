//! `maxMemory`: texts and postings are read from the files of saved segments, with the same results; what does not fit is refused.

use futures_util::future::LocalBoxFuture;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::Document;
use vademecum::engine::{KnowledgeBase, ListRequest, MemoryUse, Mode, Options};
use vademecum::platform::{Native, Platform};
use vademecum_testing::corpus::{collections, documents};
use vademecum_testing::directory::{Memory, Step, open_with};
use vademecum_testing::{add, block_on, hashing, markdown, search, turn};

/// Opens a library with a limit of its memory.
fn open(directory: &Rc<Memory>, max_memory: Option<usize>) -> KnowledgeBase {
    directory.now.set(true);
    open_with(directory, hashing(), Options { max_memory, ..Options::default() }).unwrap()
}

/// Saves the corpus, of several segments, with a document removed.
fn saved() -> Rc<Memory> {
    let directory = Memory::of(Default::default());
    let kb = open(&directory, None);
    for collection in collections() {
        kb.collection(&collection.name, &Default::default()).unwrap();
        let own = documents(&collection.name);
        block_on(kb.add(&collection.name, own, &Cancel::default(), &|_| {})).unwrap();
    }
    add(&kb, vec![notes("a.md"), notes("b.md")]).unwrap();
    kb.remove("default", &["a.md".into()]).unwrap();
    block_on(kb.save()).unwrap();
    directory
}

fn notes(id: &str) -> Document {
    markdown(
        id,
        &format!("# Notes of {id}\n\nThe lighthouse is painted in spring.\n\n## Über\n\nDas Öl ist heiß."),
    )
}

/// Everything that can be read: hits of questions by each mode, corrections, phrases, and all documents.
fn seen(kb: &KnowledgeBase) -> Vec<String> {
    let queries = [
        "termination notice",
        "\"actor library\"",
        "invoice of the supplier",
        "maintanance intervall",
        "lighthouse",
        "Öl heiß",
        "what holds the messages of an actor",
    ];
    let modes = [Mode::Keyword, Mode::Vector, Mode::Hybrid];
    let asked = queries.iter().flat_map(|query| modes.iter().map(move |mode| (query, mode)));
    let mut seen: Vec<String> = asked
        .map(|(query, mode)| {
            let found = search(kb, query, *mode).unwrap();
            format!("{query} {mode:?} {:?} {:?} {:?}", found.total, found.did_you_mean, found.hits)
        })
        .collect();
    for name in collections().into_iter().map(|one| one.name).chain(["default".into()]) {
        let request =
            ListRequest { collections: Some(vec![name.clone()]), limit: 1000, ..ListRequest::default() };
        for document in kb.documents(&request).unwrap().documents {
            seen.push(format!("{:?}", kb.document(&name, &document.id).unwrap()));
        }
    }
    seen.push(kb.fingerprint().unwrap());
    seen
}

fn memory(kb: &KnowledgeBase) -> MemoryUse {
    kb.stats().unwrap().memory.expect("in the full build")
}

/// Compares one by one: a failure shows the first difference alone.
fn same(one: &[String], other: &[String]) {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).for_each(|(one, other)| assert_eq!(one, other));
}

#[test]
fn a_library_above_its_limit_answers_as_one_in_memory_does() {
    let directory = saved();
    let whole = open(&directory, None);
    let expected = seen(&whole);
    assert_eq!((directory.reads.get(), memory(&whole).on_disk), (0, 0));
    let paged = open(&directory, Some(1));
    let (above, whole) = (memory(&paged), memory(&whole));
    assert!(above.on_disk > 10_000, "{above:?}");
    assert!(above.taken + above.on_disk / 2 < whole.taken, "{above:?} {whole:?}");
    same(&seen(&paged), &expected);
    paged.settle().unwrap();
    // What was read is dropped, and read again.
    same(&seen(&paged), &expected);
}

#[test]
fn a_question_reads_only_a_part_of_the_texts_and_what_was_read_is_dropped() {
    let directory = saved();
    let kb = open(&directory, Some(1));
    let (opened, reads) = (memory(&kb), directory.reads.get());
    search(&kb, "lighthouse", Mode::Keyword).unwrap();
    let asked = memory(&kb);
    assert!((1..40).contains(&(directory.reads.get() - reads)), "{}", directory.reads.get() - reads);
    assert!(
        asked.taken > opened.taken && asked.taken - opened.taken < opened.on_disk / 4,
        "{opened:?} {asked:?}"
    );
    search(&kb, "lighthouse", Mode::Keyword).unwrap();
    kb.settle().unwrap();
    assert_eq!(memory(&kb), opened);
}

#[test]
fn changes_of_a_library_above_its_limit_are_saved_and_merged() {
    let directory = saved();
    let change = |kb: &KnowledgeBase| {
        kb.remove("default", &["b.md".into()]).unwrap();
        block_on(kb.maintain()).unwrap();
        block_on(kb.save()).unwrap();
        block_on(kb.maintain()).unwrap();
        block_on(kb.save()).unwrap();
    };
    let other = Memory::of(directory.files.borrow().clone());
    let whole = open(&other, None);
    change(&whole);
    let paged = open(&directory, Some(1));
    change(&paged);
    assert!(memory(&paged).on_disk > 10_000);
    same(&seen(&paged), &seen(&whole));
    same(&seen(&open(&directory, None)), &seen(&whole));
    assert_eq!(
        block_on(vademecum_testing::kb(hashing()).import(&paged.export().unwrap())).unwrap(),
        whole.stats().unwrap().documents
    );
}

#[test]
fn documents_added_above_the_limit_go_to_the_disk_or_are_refused_as_a_whole() {
    let directory = Memory::of(Default::default());
    let limit = 400_000;
    let kb = open(&directory, Some(limit));
    let text = |at: usize| {
        let words: Vec<String> =
            (0..3_000).map(|word| format!("word{}", (word * 7 + at * 31) % 900)).collect();
        markdown(&format!("{at}.md"), &words.join(" "))
    };
    let mut added = 0;
    let refused = loop {
        match add(&kb, vec![text(added)]) {
            Ok(_) => added += 1,
            Err(error) => break error,
        }
        kb.settle().unwrap();
        let taken = memory(&kb).taken;
        assert!(taken <= limit, "{added} documents take {taken}");
        assert!(added < 200, "the limit is never reached");
    };
    assert_eq!(refused.code(), "library_too_large", "{refused}");
    assert!(refused.to_string().contains("`maxMemory` is 0.4 MB"), "{refused}");
    let stats = kb.stats().unwrap();
    assert!(memory(&kb).on_disk > limit / 4, "{added} {stats:?}");
    assert_eq!(stats.documents, added, "nothing of the refused call is there");
    assert_eq!(search(&kb, "word5", Mode::Keyword).unwrap().hits.len(), 10);
    assert_eq!(open(&directory, None).stats().unwrap().documents, added);

    // Without reading at once, texts count as well.
    let slow = Memory::of(Default::default());
    let kb = open_with(&slow, hashing(), Options { max_memory: Some(limit), ..Options::default() }).unwrap();
    let fitting = (0..added).take_while(|at| add(&kb, vec![text(*at)]).is_ok()).count();
    assert!(fitting > 0 && fitting < added, "{fitting} of {added}");
    // An import is refused before anything changes.
    let large = open(&directory, None).export().unwrap();
    let refused = block_on(kb.import(&large)).unwrap_err();
    assert_eq!((refused.code(), kb.stats().unwrap().documents), ("library_too_large", fitting));
}

#[test]
fn a_file_that_is_gone_or_changed_is_an_error_and_never_a_missing_text() {
    for is_gone in [true, false] {
        let directory = saved();
        let kb = open(&directory, Some(1));
        let before = kb.stats().unwrap().documents;
        let mut files = directory.files.borrow().clone();
        let texts: Vec<String> = files.keys().filter(|name| name.ends_with("-text.vdm")).cloned().collect();
        for name in &texts {
            match is_gone {
                true => drop(files.remove(name)),
                false => files.get_mut(name).unwrap().iter_mut().for_each(|byte| *byte ^= 0x20),
            }
        }
        *directory.files.borrow_mut() = files;
        let _ = search(&kb, "termination notice", Mode::Hybrid);
        let error = kb.settle().unwrap_err();
        assert_eq!(error.code(), "storage_failed");
        assert!(texts.iter().any(|name| error.to_string().contains(name)), "{error}");
        // Nothing that was made without the texts is saved: no tombstones, no merged segment, no vectors.
        let files = directory.files.borrow().clone();
        kb.remove("default", &["b.md".into()]).unwrap();
        assert_eq!(block_on(kb.maintain()).unwrap_err().code(), "storage_failed");
        assert_eq!(block_on(kb.save()).unwrap_err().code(), "storage_failed");
        assert_eq!(
            block_on(kb.add("default", vec![notes("c.md")], &Cancel::default(), &|_| {})).unwrap_err().code(),
            "storage_failed"
        );
        assert_eq!(*directory.files.borrow(), files);
        assert!(kb.export().is_err());
        assert_eq!(kb.settle().unwrap_err().code(), "storage_failed", "until it is opened again");
        if is_gone {
            continue;
        }
        // Once the files are as they were, so is the library.
        for name in &texts {
            directory.files.borrow_mut().get_mut(name).unwrap().iter_mut().for_each(|byte| *byte ^= 0x20);
        }
        let again = open(&directory, Some(1));
        assert_eq!((again.stats().unwrap().documents, again.settle().is_ok()), (before, true));
    }
}

#[test]
fn texts_that_are_embedded_later_are_read_within_the_limit() {
    let directory = Memory::of(Default::default());
    directory.now.set(true);
    let limit = 1_000_000;
    let options = Options { max_memory: Some(limit), ..Options::default() };
    let kb = open_with(&directory, None, options.clone()).unwrap();
    for at in 0..40 {
        let words: Vec<String> =
            (0..2_500).map(|word| format!("word{}", (word * 7 + at * 31) % 900)).collect();
        add(&kb, vec![markdown(&format!("{at}.md"), &words.join(" "))]).unwrap();
    }
    drop(kb);
    let kb = open_with(&directory, hashing(), options).unwrap();
    let most = std::cell::Cell::new(0);
    let seen = |_| most.set(most.get().max(memory(&kb).taken));
    let embedded = block_on(kb.embed_pending(&Cancel::default(), &seen)).unwrap();
    assert!(embedded > 500, "{embedded}");
    // Vectors come on top until the next save, texts do not.
    let vectors = embedded * 300;
    assert!(most.get() <= limit + vectors, "{} with {vectors} of vectors", most.get());
    kb.settle().unwrap();
    assert!(memory(&kb).taken <= limit, "{:?}", memory(&kb));
    assert!(memory(&kb).on_disk > limit / 2, "{:?}", memory(&kb));
}

/// Returns a document of about 21 KB.
fn long(at: usize) -> Document {
    let words: Vec<String> = (0..3_000).map(|word| format!("word{}", (word * 7 + at * 31) % 900)).collect();
    markdown(&format!("{at}.md"), &words.join(" "))
}

#[test]
fn each_merge_above_the_limit_is_saved_before_the_next_one() {
    let directory = Memory::of(Default::default());
    let kb = open(&directory, None);
    for at in 0..4 {
        add(&kb, (at * 5..at * 5 + 5).map(long).collect()).unwrap();
    }
    drop(kb);
    let merges = |limit| {
        let directory = Memory::of(directory.files.borrow().clone());
        let kb = open(&directory, limit);
        let gone: Vec<String> = (0..20).filter(|at| at % 5 < 2).map(|at| format!("{at}.md")).collect();
        assert_eq!(kb.remove("default", &gone).unwrap(), 8);
        block_on(kb.maintain()).unwrap();
        let steps = directory.steps.borrow();
        let manifest = |step: &&Step| matches!(step, Step::Written(name, _) if name == "manifest-0.vdm");
        (steps.iter().filter(manifest).count(), kb.stats().unwrap().index.deleted)
    };
    // Each segment is written anew, since two fifths of it are gone.
    assert_eq!(merges(None), (0, 0));
    assert_eq!(merges(Some(1)), (4, 0));
}

/// A host whose other tasks go on at each pause.
struct Shared(Native);

impl Platform for Shared {
    fn now(&self) -> f64 {
        self.0.now()
    }

    fn pause(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(turn())
    }

    fn sleep(&self, milliseconds: f64) -> LocalBoxFuture<'static, ()> {
        self.0.sleep(milliseconds)
    }
}

#[test]
fn additions_at_the_same_time_do_not_exceed_the_limit_together() {
    let directory = Memory::of(Default::default());
    directory.now.set(true);
    let options = Options { max_memory: Some(2_300_000), ..Options::default() };
    let host = Rc::new(Shared(Native::default()));
    let kb = block_on(KnowledgeBase::open(directory, hashing(), host, options)).unwrap();
    // Each is inserted in several steps, between which the other one is admitted.
    let (one, other) = ((0..60).map(long).collect(), (60..120).map(long).collect());
    let cancel = Cancel::default();
    let both = futures_util::future::join(
        kb.add("default", one, &cancel, &|_| {}),
        kb.add("default", other, &cancel, &|_| {}),
    );
    let (one, other) = block_on(both);
    let refused =
        [one, other].into_iter().filter_map(Result::err).map(|error| error.code()).collect::<Vec<_>>();
    assert_eq!(refused, ["library_too_large"]);
    assert_eq!(kb.stats().unwrap().documents, 60);
}

#[test]
fn vectors_that_are_still_to_come_count_as_well() {
    let directory = Memory::of(Default::default());
    let limit = 200_000;
    let fitting = |embedder: Option<Rc<dyn vademecum::encoder::Embedder>>, directory: &Rc<Memory>| {
        directory.now.set(true);
        let options = Options { max_memory: Some(limit), ..Options::default() };
        let kb = open_with(directory, embedder, options).unwrap();
        (0..60).take_while(|at| add(&kb, vec![long(100 + *at)]).is_ok()).count()
    };
    let by_words = fitting(None, &directory);
    let full = Memory::of(directory.files.borrow().clone());
    assert!((3..60).contains(&by_words), "{by_words}");
    assert_eq!(fitting(hashing(), &full), 0, "the vectors of {by_words} documents are missing");
}
