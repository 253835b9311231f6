//! Salvaging a damaged library: opened read-only, with the losses reported, for export into a new one.

use std::collections::BTreeMap;
use std::rc::Rc;
use vademecum::engine::{CollectionOptions, KnowledgeBase, ListRequest, Mode, Options};
use vademecum::error::Result;
use vademecum::index::Index;
use vademecum::index::persist::{Lost, Settings, export};
use vademecum_testing::directory::{Files, Memory, open, open_with};
use vademecum_testing::random::Random;
use vademecum_testing::{add, block_on, hashing, ids, kb, markdown, search};

fn salvaged(directory: &Rc<Memory>) -> Result<KnowledgeBase> {
    open_with(directory, hashing(), Options { salvage: true, ..Options::default() })
}

/// Three segments with vectors and graphs; the first two have deleted documents, the first a replaced one.
fn library() -> Rc<Memory> {
    let memory = Memory::of(Files::new());
    let kb = open_with(&memory, hashing(), Options { graph_from: 4, ..Options::default() }).unwrap();
    kb.collection(
        "default",
        &CollectionOptions { description: Some("Notes".into()), ..CollectionOptions::default() },
    )
    .unwrap();
    for segment in 0..3 {
        let document = |at: usize| {
            let mut one = markdown(
                &format!("{segment}-{at}.md"),
                &format!("# Note {at}\n\nPurring of segment {segment}."),
            );
            one.metadata.insert("at".into(), at.into());
            one
        };
        add(&kb, (0..6 + segment).map(document).collect()).unwrap();
        if segment < 2 {
            kb.remove("default", &[format!("{segment}-1.md")]).unwrap();
        }
        block_on(kb.save()).unwrap();
        while let Some((id, vectors)) = kb.next_graph().unwrap() {
            assert!(kb.set_graph(id, vectors.build_graph().unwrap()).unwrap());
        }
    }
    add(&kb, vec![markdown("0-2.md", "# Note 2\n\nWritten anew.")]).unwrap();
    block_on(kb.save()).unwrap();
    for part in ["manifest", "text", "vectors", "graph", "deleted"] {
        assert!(memory.files.borrow().keys().any(|name| name.contains(part)), "{part}");
    }
    memory
}

/// Returns every document's text and metadata, by id.
fn documents(kb: &KnowledgeBase) -> BTreeMap<String, String> {
    let listed = kb.documents(&ListRequest { limit: 1000, ..ListRequest::default() }).unwrap().documents;
    let told = |id: &str| format!("{:?}", kb.document("default", id).unwrap());
    listed.into_iter().map(|one| (one.id.clone(), told(&one.id))).collect()
}

fn lost(kb: &KnowledgeBase) -> Lost {
    kb.stats().unwrap().lost.expect("what is lost is told")
}

/// Accidental damage to a file.
fn damages(bytes: &[u8], random: &mut Random) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let mut flipped = bytes.to_vec();
    let at = random.below(bytes.len());
    flipped[at] ^= 1 << random.below(8);
    let mut zeroed = bytes.to_vec();
    let at = random.below(bytes.len() - 8);
    zeroed[at..].fill(0);
    vec![
        ("a flipped bit", Some(flipped)),
        ("a cut", Some(bytes[..random.below(bytes.len())].to_vec())),
        ("zeros", Some(zeroed)),
        ("no bytes", Some(Vec::new())),
        ("no file", None),
    ]
}

#[test]
fn the_undamaged_parts_are_read_and_the_loss_is_reported() {
    let library = library();
    let whole = documents(&open(&library).unwrap());
    assert_eq!(whole.len(), 6 + 7 + 8 - 2);
    let names: Vec<String> = library.files.borrow().keys().cloned().collect();
    let mut random = Random(3);
    for name in &names {
        let bytes = library.files.borrow()[name].clone();
        for (damage, changed) in damages(&bytes, &mut random) {
            let what = format!("{damage} in {name}");
            let mut files = library.files.borrow().clone();
            match &changed {
                Some(changed) if *changed == bytes => continue, // zeros where there were zeros
                Some(changed) => drop(files.insert(name.clone(), changed.clone())),
                None => drop(files.remove(name)),
            }
            let memory = Memory::of(files.clone());
            match open(&memory) {
                // The other manifest is identical.
                Ok(kb) => assert!(name.contains("manifest") && documents(&kb) == whole, "{what}"),
                Err(error) => {
                    assert_eq!(error.code(), "library_corrupt", "{what}");
                    assert!(error.to_string().contains("salvage: true"), "{error}");
                }
            }
            let kb = salvaged(&memory).unwrap_or_else(|error| panic!("{what}: {error}"));
            let left = documents(&kb);
            let lost = lost(&kb);
            assert!(left.iter().all(|(id, told)| whole.get(id) == Some(told)), "{what}");
            assert_eq!(left.len() + lost.documents as usize, whole.len(), "{what}");
            let is_lost = name.contains("text") || name.contains("deleted");
            assert_eq!(left.len() < whole.len(), is_lost, "{what}");
            let named: Vec<&str> = lost.files.iter().map(|one| one.file.as_str()).collect();
            assert_eq!(named, if name.contains("manifest") { vec![] } else { vec![name.as_str()] }, "{what}");
            assert!(lost.files.iter().all(|one| !one.reason.is_empty()));
            let found = search(&kb, "purring", Mode::Keyword).unwrap();
            assert!(!found.hits.is_empty() && ids(&found).iter().all(|id| left.contains_key(*id)), "{what}");
            assert_eq!(kb.stats().unwrap().pending > 0, name.contains("vectors"), "{what}");
            // The library is read-only, and damaged files are untouched.
            assert_eq!(add(&kb, vec![markdown("new.md", "New.")]).unwrap_err().code(), "read_only");
            assert_eq!(kb.remove("default", &["2-1.md".into()]).unwrap_err().code(), "read_only");
            block_on(kb.save()).unwrap();
            assert_eq!(*memory.files.borrow(), files, "{what}");
            // Its contents can be imported into another library.
            let fresh = vademecum_testing::kb(hashing());
            assert_eq!(block_on(fresh.import(&kb.export().unwrap())).unwrap(), left.len(), "{what}");
            assert_eq!(documents(&fresh), left, "{what}");
        }
    }
}

#[test]
fn an_undamaged_library_is_salvaged_completely() {
    let library = library();
    let kb = salvaged(&library).unwrap();
    assert_eq!(documents(&kb), documents(&open(&library).unwrap()));
    assert_eq!(lost(&kb), Lost::default());
    assert_eq!(open(&library).unwrap().stats().unwrap().lost, None);
    assert_eq!(add(&kb, vec![markdown("new.md", "New.")]).unwrap_err().code(), "read_only");
}

#[test]
fn without_a_manifest_nothing_is_salvaged() {
    let library = library();
    library.files.borrow_mut().retain(|name, _| !name.contains("manifest"));
    assert_eq!(salvaged(&library).map(drop).unwrap_err().code(), "library_corrupt");
}

#[test]
fn a_library_of_an_older_version_is_salvaged_without_counts() {
    let library = library();
    let whole = documents(&open(&library).unwrap());
    // A single manifest, without the section of counts.
    let mut files = library.files.borrow().clone();
    let newest = files["manifest-1.vdm"].clone();
    files.remove("manifest-0.vdm");
    files.insert("manifest-1.vdm".into(), without_counts(&newest));
    let text = files.keys().find(|name| name.contains("text")).unwrap().clone();
    files.insert(text, b"nothing".to_vec());
    let kb = salvaged(&Memory::of(files)).unwrap();
    let left = documents(&kb);
    assert!(left.len() < whole.len() && left.iter().all(|(id, told)| whole.get(id) == Some(told)));
    assert_eq!((lost(&kb).documents, lost(&kb).files.len()), (0, 1));
}

/// Re-encodes a manifest with its first section only.
fn without_counts(bytes: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let (kind, sections): (u8, Vec<(String, u64, u64)>) =
        postcard::from_bytes(&bytes[24..24 + length]).unwrap();
    assert_eq!(sections.len(), 2);
    let first = sections[0].1 as usize;
    let table = postcard::to_allocvec(&(kind, &sections[..1])).unwrap();
    let mut out = bytes[..12].to_vec();
    out.extend((table.len() as u32).to_le_bytes());
    let sum = xxhash_rust::xxh3::xxh3_64(&[out.as_slice(), &table].concat());
    out.extend(sum.to_le_bytes());
    out.extend(table);
    out.extend(&bytes[24 + length..24 + length + first]);
    out
}

#[test]
fn the_undamaged_parts_of_an_export_are_imported() {
    let library = library();
    let whole = documents(&open(&library).unwrap());
    let bytes = open(&library).unwrap().export().unwrap();
    let mut random = Random(5);
    let mut taken = 0;
    for round in 0..150 {
        let mut changed = bytes.clone();
        let at = random.below(bytes.len());
        match round % 3 {
            0 => changed[at] ^= 1 << random.below(8),
            1 => changed.truncate(at),
            _ => changed[at..(at + 20).min(bytes.len())].fill(0),
        }
        let kb = kb(hashing());
        match block_on(kb.take_in(&changed, true, &|_| {})) {
            Ok((count, lost)) => {
                let (left, lost) = (documents(&kb), lost.unwrap());
                assert_eq!(count, left.len());
                assert!(left.iter().all(|(id, told)| whole.get(id) == Some(told)), "round {round} at {at}");
                assert_eq!(count + lost.documents as usize, whole.len(), "round {round} at {at}");
                taken += 1;
            }
            Err(error) => {
                assert!(["library_corrupt", "library_newer"].contains(&error.code()), "{error}");
                assert_eq!(documents(&kb).len(), 0);
            }
        }
    }
    assert!(taken > 75, "{taken} of 150");
    let (count, lost) = block_on(kb(hashing()).take_in(&bytes, true, &|_| {})).unwrap();
    assert_eq!((count, lost), (whole.len(), Some(Lost::default())));
}

#[test]
fn settings_of_a_collection_that_cannot_be_read_are_an_error_and_salvaged_without_them() {
    let mut index = Index::default();
    let settings = Settings {
        collections: [("papers".to_owned(), r#"{ "description": 7 }"#.to_owned())].into(),
        ..Settings::default()
    };
    let bytes = export(&mut index, &settings).unwrap();
    let kb = kb(None);
    let error = block_on(kb.import(&bytes)).unwrap_err();
    assert_eq!(error.code(), "library_corrupt");
    assert!(error.to_string().contains("`papers`"), "{error}");
    assert!(kb.stats().unwrap().collections.iter().all(|one| one.name != "papers"));
    block_on(kb.take_in(&bytes, true, &|_| {})).unwrap();
    assert!(kb.stats().unwrap().collections.iter().any(|one| one.name == "papers"));
}
