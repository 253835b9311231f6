//! Durability: a save cut at any byte leaves the state before or after, and a damaged file is reported, not
//! read.

use std::collections::BTreeSet;
use std::rc::Rc;
use vademecum::document::Document;
use vademecum::engine::{CollectionOptions, FacetRequest, KnowledgeBase, Mode};
use vademecum_testing::directory::{Files, Memory, Step, open};
use vademecum_testing::random::Random;
use vademecum_testing::{add, block_on, markdown, search};

const IDS: [&str; 6] = ["cats.md", "dogs.md", "guide.md", "more.md", "extra.md", "late.md"];

fn documents() -> Vec<Document> {
    let mut cats = markdown("cats.md", "# Cats\n\nCats purr. See the Great Dog Guide and [dogs](dogs.md).");
    cats.metadata.insert("year".into(), 2020.into());
    let mut dogs = markdown("dogs.md", "# Dogs\n\nDogs wag.\n\n## Food\n\nThey eat what there is.");
    dogs.metadata.insert("year".into(), 2021.into());
    vec![cats, dogs, markdown("guide.md", "# Great Dog Guide\n\nAll about dogs, and how they purr not.")]
}

fn extra(id: &str) -> Document {
    markdown(id, &format!("# The {id}\n\nMore about cats that purr, in {id}."))
}

/// Serialises all visible state.
fn seen(kb: &KnowledgeBase) -> String {
    let mut seen = String::new();
    let stats = kb.stats().unwrap();
    let counts = (stats.documents, stats.chunks, stats.embedded);
    seen.push_str(&format!("{counts:?} {:?}\n", stats.collections));
    for id in IDS {
        let document = kb.document("default", id).ok();
        seen.push_str(&format!("{document:?}\n"));
    }
    for query in ["purr", "dogs wag", "more \"about dogs\""] {
        for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
            let found = search(kb, query, mode).unwrap();
            let hits: Vec<_> = found.hits.iter().map(|hit| (&hit.chunk.id, hit.score)).collect();
            seen.push_str(&format!("{query} {mode:?} {hits:?}\n"));
        }
    }
    let years = kb.facets(&FacetRequest { field: "year".into(), ..FacetRequest::default() });
    seen + &format!("{:?}", years.unwrap_or_default())
}

/// Changes to a library; each saves at least once.
type Change = (&'static str, fn(&KnowledgeBase) -> vademecum::Result<()>);

const CHANGES: [Change; 7] = [
    ("the first documents", |kb| add(kb, documents()).map(|_| ())),
    ("one more", |kb| add(kb, vec![extra("more.md")]).map(|_| ())),
    ("one replaced", |kb| {
        add(kb, vec![markdown("more.md", "# Other\n\nNothing of the Great Dog Guide.")]).map(|_| ())
    }),
    ("one removed", |kb| {
        kb.remove("default", &["cats.md".into()])?;
        block_on(kb.save()).map(|_| ())
    }),
    ("a collection declared", |kb| {
        let schema = Some(serde_json::json!({ "year": "number" }));
        kb.collection("notes", &CollectionOptions { schema, ..CollectionOptions::default() })?;
        block_on(kb.save()).map(|_| ())
    }),
    ("segments merged", |kb| {
        block_on(kb.maintain())?;
        block_on(kb.save()).map(|_| ())
    }),
    ("two more, another gone", |kb| {
        kb.remove("default", &["dogs.md".into()])?;
        add(kb, vec![extra("extra.md"), extra("late.md")]).map(|_| ())
    }),
];

/// Offsets at which a file is cut: at the boundaries of its parts, and next to them.
fn seams(bytes: &[u8]) -> BTreeSet<usize> {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let (_, sections): (u32, Vec<(String, u64, u64)>) =
        postcard::from_bytes(&bytes[24..24 + length]).unwrap();
    let mut seams = BTreeSet::from([0, 1, 8, 12, 16, 23, 24, 24 + length]);
    let mut at = 24 + length;
    for (_, length, _) in sections {
        at += length as usize;
        seams.extend([at.saturating_sub(1), at]);
    }
    assert_eq!(at, bytes.len(), "the sections reach to the end of the file");
    seams
}

/// All cuts of one change: the bytes written, and the number of complete manifests by then.
fn cuts(steps: &[Step]) -> Vec<(usize, usize)> {
    let mut random = Random(1);
    let mut cuts = Vec::new();
    let (mut before, mut manifests) = (0, 0);
    for step in steps {
        if let Step::Written(name, bytes) = step {
            let mut places = seams(bytes);
            places.extend((0..6).map(|_| random.below(bytes.len())));
            // One unit is spent on creating the file.
            cuts.extend(
                places.into_iter().filter(|at| *at < bytes.len()).map(|at| (before + 1 + at, manifests)),
            );
            manifests += usize::from(name.starts_with("manifest"));
        }
        cuts.push((before, manifests - usize::from(is_manifest(step))));
        before += step.size();
        cuts.push((before, manifests));
    }
    cuts
}

fn is_manifest(step: &Step) -> bool {
    matches!(step, Step::Written(name, _) if name.starts_with("manifest"))
}

/// The states of the directory: initially, and after each manifest.
fn states(start: &Files, steps: &[Step]) -> Vec<String> {
    let mut files = start.clone();
    let mut states = vec![seen(&open(&Memory::of(files.clone())).unwrap())];
    for step in steps {
        match step {
            Step::Written(name, bytes) => drop(files.insert(name.clone(), bytes.clone())),
            Step::Removed(name) => drop(files.remove(name)),
        }
        if is_manifest(step) {
            states.push(seen(&open(&Memory::of(files.clone())).unwrap()));
        }
    }
    states
}

#[test]
fn a_save_cut_at_any_byte_leaves_the_state_before_or_after() {
    let mut files = Files::new();
    let mut tried = 0;
    for (name, change) in CHANGES {
        let whole = Memory::of(files.clone());
        change(&open(&whole).unwrap()).unwrap();
        let steps = whole.steps.take();
        let states = states(&files, &steps);
        for (left, manifests) in cuts(&steps) {
            let cut = Memory::of(files.clone());
            let kb = open(&cut).unwrap();
            cut.left.set(Some(left));
            let _ = change(&kb);
            let after = open(&Memory::of(cut.files.take()));
            let after = after.unwrap_or_else(|error| panic!("{name}, cut at {left}: {error}"));
            assert_eq!(seen(&after), states[manifests], "{name}, cut at {left}");
            tried += 1;
        }
        files = whole.files.take();
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn a_library_is_usable_after_a_cut_save() {
    let mut files = Files::new();
    for (name, change) in CHANGES {
        let whole = Memory::of(files.clone());
        change(&open(&whole).unwrap()).unwrap();
        let steps = whole.steps.take();
        for (left, _) in cuts(&steps).into_iter().step_by(7) {
            let cut = Memory::of(files.clone());
            let kb = open(&cut).unwrap();
            cut.left.set(Some(left));
            let _ = change(&kb);
            let again = Memory::of(cut.files.take());
            change(&open(&again).unwrap()).unwrap();
            let kept = seen(&open(&Memory::of(again.files.take())).unwrap());
            assert_eq!(kept, seen(&open(&whole).unwrap()), "{name}, cut at {left}");
        }
        files = whole.files.take();
    }
}

/// A library with every type of file.
fn kept() -> Rc<Memory> {
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    for (_, change) in CHANGES {
        change(&kb).unwrap();
    }
    kb.remove("default", &["late.md".into()]).unwrap();
    block_on(kb.save()).unwrap();
    let names: String = memory.files.borrow().keys().cloned().collect();
    assert!(["text", "vectors", "deleted", "manifest"].iter().all(|part| names.contains(part)), "{names}");
    memory
}

#[test]
fn a_changed_byte_is_reported_and_no_file_is_touched() {
    let whole = kept();
    let mut random = Random(1);
    let content = seen(&open(&whole).unwrap());
    whole.steps.take();
    for (name, bytes) in whole.files.borrow().iter() {
        let mut places = seams(bytes);
        places.extend(0..24);
        places.extend((0..60).map(|_| random.below(bytes.len())));
        for at in places.into_iter().filter(|at| *at < bytes.len()) {
            let mut files = whole.files.borrow().clone();
            files.get_mut(name).unwrap()[at] ^= 1 << random.below(8);
            let damaged = Memory::of(files.clone());
            match open(&damaged) {
                Ok(kb) => assert_eq!(seen(&kb), content, "{name} at {at}"),
                // The version precedes everything that a newer format may change.
                Err(error) if (8..12).contains(&at) => {
                    assert!(["library_corrupt", "library_newer"].contains(&error.code()), "{error}");
                }
                Err(error) => assert_eq!(error.code(), "library_corrupt", "{name} at {at}: {error}"),
            }
            assert_eq!((damaged.steps.take(), damaged.files.take()), (Vec::new(), files));
        }
    }
}

#[test]
fn a_truncated_zeroed_empty_missing_or_newer_file_is_reported() {
    let whole = kept();
    let content = seen(&open(&whole).unwrap());
    whole.steps.take();
    for (name, bytes) in whole.files.borrow().iter() {
        let with = |bytes: Option<Vec<u8>>| {
            let mut files = whole.files.borrow().clone();
            match bytes {
                Some(bytes) => files.insert(name.clone(), bytes),
                None => files.remove(name),
            };
            let damaged = Memory::of(files.clone());
            let outcome = open(&damaged).map(|kb| seen(&kb));
            assert_eq!((damaged.steps.take(), damaged.files.take()), (Vec::new(), files));
            outcome.map_err(|error| (error.code(), error.to_string()))
        };
        for damage in
            [Some(bytes[..bytes.len() / 2].to_vec()), Some(vec![0; bytes.len()]), Some(Vec::new()), None]
        {
            if name.starts_with("manifest") {
                assert_eq!(with(damage), Ok(content.clone()), "the other one says the same");
                continue;
            }
            let (code, message) = with(damage).unwrap_err();
            assert_eq!(code, "library_corrupt", "{name}");
            assert!(message.contains("vdm"), "{message}");
        }
        let mut newer = bytes.clone();
        newer[8] += 1;
        assert_eq!(with(Some(newer)).unwrap_err().0, "library_newer", "{name}");
    }
}

#[test]
fn a_save_without_space_keeps_the_previous_state_and_a_later_one_succeeds() {
    for lying in [false, true] {
        let memory = Memory::of(Files::new());
        let kb = open(&memory).unwrap();
        add(&kb, documents()).unwrap();
        let before = seen(&kb);
        let room = if lying { usize::MAX } else { memory.size() };
        for more in [0usize, 50, 500, 900, 1200] {
            memory.quota.set(Some(room.saturating_add(more)));
            memory.lying.set(lying);
            let failed = add(&kb, vec![extra("more.md"), extra(&format!("late.md{more}"))]);
            if failed.is_ok() {
                continue;
            }
            let kept = open(&Memory::of(memory.files.borrow().clone())).unwrap();
            assert_eq!(seen(&kept), before, "with room for {more} bytes, lying: {lying}");
            assert!(search(&kb, "more.md", Mode::Keyword).unwrap().total > 0, "it is there in memory");
        }
        memory.quota.set(None);
        memory.lying.set(false);
        block_on(kb.embed_pending(&vademecum::cancel::Cancel::default(), &|_| {})).unwrap();
        block_on(kb.save()).unwrap();
        assert_eq!(seen(&open(&memory).unwrap()), seen(&kb));
    }
}

#[test]
fn saving_writes_only_changes() {
    let memory = Memory::of(Files::new());
    let kb = open(&memory).unwrap();
    let many = (0..300).map(|n| extra(&format!("{n}.md"))).collect();
    add(&kb, many).unwrap();
    let whole = memory.size();
    memory.steps.take();
    assert_eq!(block_on(kb.save()).unwrap().files, 0);
    assert_eq!(block_on(open(&memory).unwrap().save()).unwrap().files, 0);
    assert!(memory.steps.borrow().is_empty());
    add(&kb, vec![extra("more.md")]).unwrap();
    let written: usize = memory.steps.take().iter().map(Step::size).sum();
    assert!(written * 20 < whole, "{written} of {whole}");
    kb.remove("default", &["7.md".into()]).unwrap();
    let saved = block_on(kb.save()).unwrap();
    assert_eq!(saved.files, 2, "the tombstones and the manifest");
    assert!(saved.bytes * 50 < whole, "{} of {whole}", saved.bytes);
}

#[test]
fn saves_and_merges_do_not_remove_conversations() {
    let beside = Files::from([
        ("chat-00ff-0.json".into(), b"{}".to_vec()),
        ("chat-00ff-name".into(), b"mine".to_vec()),
    ]);
    let memory = Memory::of(beside.clone());
    let kb = open(&memory).unwrap();
    for (what, change) in CHANGES {
        change(&kb).unwrap();
        let files = memory.files.borrow();
        assert!(beside.iter().all(|(name, bytes)| files.get(name) == Some(bytes)), "{what}");
    }
    assert_eq!(seen(&open(&memory).unwrap()), seen(&kb));
}

#[test]
fn losing_both_manifests_is_reported() {
    let whole = kept();
    for damage in [None, Some(Vec::new()), Some(vec![7; 100])] {
        let mut files = whole.files.borrow().clone();
        let names: Vec<String> = files.keys().filter(|name| name.starts_with("manifest")).cloned().collect();
        assert_eq!(names.len(), 2);
        for name in names {
            match &damage {
                Some(bytes) => drop(files.insert(name, bytes.clone())),
                None => drop(files.remove(&name)),
            }
        }
        let damaged = Memory::of(files.clone());
        assert_eq!(open(&damaged).map(drop).unwrap_err().code(), "library_corrupt");
        assert_eq!(*damaged.files.borrow(), files);
    }
}
