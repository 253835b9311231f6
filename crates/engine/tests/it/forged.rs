//! Forged libraries: all checksums are valid, the contents arbitrary. An import either fails or gives a
//! library that can be searched, changed and saved, in bounded time.

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use vademecum::cancel::Cancel;
use vademecum::engine::{
    FacetRequest, KnowledgeBase, ListRequest, Mode, Options, SearchRequest, VectorsRequest,
};
use vademecum::error::Result;
use vademecum_testing::random::Random;
use vademecum_testing::{add, block_on, hashing, in_seconds, kb, markdown};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A container file. The parts of an exported library are container files as well.
#[derive(Debug, Clone)]
struct File {
    kind: u8,
    sections: Vec<(String, Vec<u8>)>,
}

#[derive(Serialize, Deserialize)]
struct Table {
    kind: u8,
    sections: Vec<(String, u64, u64)>,
}

const MAGIC: &[u8] = b"VADEMEC\n";

impl File {
    fn read(bytes: &[u8]) -> Option<Self> {
        let length = u32::from_le_bytes(bytes.get(12..16)?.try_into().ok()?) as usize;
        if !bytes.starts_with(MAGIC) {
            return None;
        }
        let table: Table = postcard::from_bytes(bytes.get(24..24 + length)?).ok()?;
        let mut rest = &bytes[24 + length..];
        let sections = table.sections.into_iter().map(|(name, length, _)| {
            let (section, behind) = rest.split_at(length as usize);
            rest = behind;
            (name, section.to_vec())
        });
        Some(Self { kind: table.kind, sections: sections.collect() })
    }

    fn write(&self) -> Vec<u8> {
        let sections = self.sections.iter();
        let sections = sections.map(|(name, bytes)| (name.clone(), bytes.len() as u64, xxh3_64(bytes)));
        let table = postcard::to_allocvec(&Table { kind: self.kind, sections: sections.collect() }).unwrap();
        let mut out = MAGIC.to_vec();
        out.extend(1u32.to_le_bytes());
        out.extend((table.len() as u32).to_le_bytes());
        let mut sum = Xxh3::new();
        sum.update(&out);
        sum.update(&table);
        out.extend(sum.digest().to_le_bytes());
        out.extend(table);
        self.sections.iter().for_each(|(_, bytes)| out.extend(bytes));
        out
    }
}

/// A decoded exported library.
struct Library {
    kind: u8,
    files: Vec<(String, File)>,
}

impl Library {
    fn read(bytes: &[u8]) -> Self {
        let whole = File::read(bytes).unwrap();
        let files = whole.sections.into_iter().map(|(name, bytes)| (name, File::read(&bytes).unwrap()));
        Self { kind: whole.kind, files: files.collect() }
    }

    /// Re-encodes the library with one section of one file replaced.
    fn with(&self, file: usize, section: usize, bytes: Vec<u8>) -> Vec<u8> {
        let mut files = self.files.clone();
        files[file].1.sections[section].1 = bytes;
        let sections = files.into_iter().map(|(name, file)| (name, file.write()));
        File { kind: self.kind, sections: sections.collect() }.write()
    }

    /// Iterates over every section of every file.
    fn sections(&self) -> impl Iterator<Item = (usize, usize, &str, &[u8])> {
        self.files.iter().enumerate().flat_map(|(at, (_, file))| {
            let sections = file.sections.iter().enumerate();
            sections.map(move |(section, (name, bytes))| (at, section, name.as_str(), bytes.as_slice()))
        })
    }
}

fn empty() -> KnowledgeBase {
    let options = Options { graph_from: 20, ..Options::default() };
    KnowledgeBase::new(hashing(), std::rc::Rc::new(vademecum::platform::Native::default()), options)
}

/// A library of two segments with every feature: long posting lists, links, metadata, vectors, a graph, and
/// deleted documents.
fn library() -> Vec<u8> {
    let kb = empty();
    for segment in 0..2 {
        let document = |at: usize| {
            let mut one = markdown(
                &format!("{segment}-{at}.md"),
                &format!(
                    "# Part {at} of {segment}\n\nCommon words, and word{at}. See [next]({segment}-{}.md).",
                    at + 1
                ),
            );
            one.metadata.insert("at".into(), at.into());
            one.metadata.insert("tags".into(), json!(["one", format!("tag{}", at % 3)]));
            one
        };
        let count = if segment == 0 { 160 } else { 30 };
        add(&kb, (0..count).map(document).collect()).unwrap();
        kb.remove("default", &[format!("{segment}-3.md"), format!("{segment}-4.md")]).unwrap();
        kb.export().unwrap(); // seals a segment
        while let Some((id, vectors)) = kb.next_graph().unwrap() {
            assert!(kb.set_graph(id, vectors.build_graph().unwrap()).unwrap());
        }
    }
    assert_eq!(kb.stats().unwrap().index.segments, 2);
    kb.export().unwrap()
}

/// Imports a library and uses it. Returns the error if the import fails.
fn used(bytes: &[u8]) -> Result<()> {
    let kb = empty();
    block_on(kb.import(bytes))?;
    for (query, hops) in [("common words part", 1), ("next word7", 3), ("\"common words\"", 1), ("wo", 1)] {
        for mode in [Mode::Keyword, Mode::Hybrid] {
            let request = SearchRequest {
                query: query.into(),
                mode,
                hops: hops.into(),
                prefix: true,
                typos: true,
                filters: Some(json!({ "at": { ">=": 0 } })),
                explain: true,
                ..SearchRequest::default()
            };
            // A forged library may lack the field, but must neither hang nor panic.
            drop(block_on(kb.search(&request, &Cancel::default())));
            let open = SearchRequest { filters: None, ..request };
            drop(block_on(kb.search(&open, &Cancel::default()))?);
        }
    }
    drop(kb.facets(&FacetRequest { field: "tags".into(), ..FacetRequest::default() }));
    kb.documents(&ListRequest::default())?;
    kb.vectors(&VectorsRequest::default())?;
    kb.fingerprint()?;
    add(&kb, vec![markdown("0-7.md", "# Part 7 of 0\n\nAnother text.")])?;
    kb.remove("default", &["1-7.md".into()])?;
    block_on(kb.maintain())?;
    let again = kb.export()?;
    block_on(empty().import(&again)).map(drop)
}

/// Runs `used` with a generous time limit. Returns whether the import failed.
fn survives(bytes: &[u8], what: &str) -> bool {
    match in_seconds(5, what, || used(bytes)) {
        Ok(()) => false,
        Err(error) => {
            let code = error.code();
            assert!(["library_corrupt", "library_newer", "vector_shape"].contains(&code), "{what}: {error}");
            true
        }
    }
}

#[test]
fn decoding_and_encoding_a_library_round_trips() {
    let bytes = library();
    let parts = Library::read(&bytes);
    let (file, section, _, first) = parts.sections().next().unwrap();
    assert_eq!(parts.with(file, section, first.to_vec()), bytes);
    let names: BTreeSet<&str> = parts.sections().map(|one| one.2).collect();
    for name in [
        "manifest",
        "counts",
        "documents",
        "keys",
        "words",
        "names",
        "rows",
        "scales",
        "present",
        "mean",
        "sketches",
        "truncated",
        "graph",
        "deleted",
    ] {
        assert!(names.contains(name), "{name} of {names:?}");
    }
    assert!(!survives(&bytes, "an honest library"));
}

#[test]
fn out_of_range_numbers_in_the_inverted_index_are_rejected() {
    let parts = Library::read(&library());
    let (mut refused, mut tried) = (0, 0);
    for (file, section, _, bytes) in parts.sections().filter(|one| one.2 == "words").collect::<Vec<_>>() {
        for at in (0..bytes.len().saturating_sub(8)).step_by(61) {
            let mut changed = bytes.to_vec();
            changed[at..at + 8].fill(0xff);
            tried += 1;
            refused += usize::from(survives(&parts.with(file, section, changed), &format!("words at {at}")));
        }
    }
    assert!(tried > 30, "{tried} places");
    assert_eq!(refused, tried, "every one of them is refused");
    assert_eq!(used(&library()).map_err(|error| error.code()), Ok(()), "what was not altered is taken");
}

#[test]
fn arbitrary_bytes_in_any_section_do_no_harm() {
    let parts = Library::read(&library());
    let mut random = Random(11);
    let (mut refused, mut tried) = (0, 0);
    for (file, section, name, bytes) in parts.sections().collect::<Vec<_>>() {
        for round in 0..14 {
            let mut changed = bytes.to_vec();
            let at = random.below(changed.len().max(1));
            let end = changed.len().min(at + 1 + random.below(8));
            match round % 7 {
                0 => changed[at..end].fill(0xff),
                1 => changed[at..end].fill(0),
                2 => changed[at..end].iter_mut().for_each(|byte| *byte = random.draw() as u8),
                3 if end > at => changed[at] ^= 1 << random.below(8),
                4 => changed.truncate(at),
                5 => drop(changed.splice(at..at, [0xff, 0xff, 0xff, 0xff, 0x0f])),
                _ => drop(changed.drain(at..end)),
            }
            let is_altered = changed != bytes;
            let what = format!("{name} of file {file}, round {round} at {at}");
            let is_refused = survives(&parts.with(file, section, changed), &what);
            assert!(is_altered || !is_refused, "{what}: what was not altered is taken");
            tried += usize::from(is_altered);
            refused += usize::from(is_refused);
        }
    }
    // Changed texts and numbers within bounds give a valid library: there is no signature.
    assert!(tried > 200 && refused * 2 > tried, "{refused} of {tried} are refused");
}

#[test]
fn a_duplicated_segment_is_rejected() {
    let parts = Library::read(&library());
    let text =
        |file: &File| file.kind == parts.files.iter().find(|one| one.0.contains("text")).unwrap().1.kind;
    let texts: Vec<usize> =
        parts.files.iter().enumerate().filter(|(_, one)| text(&one.1)).map(|(at, _)| at).collect();
    let mut twice = Library { kind: parts.kind, files: parts.files.clone() };
    // Replace the smaller segment by the larger: vectors and tombstones do not fit, and chunk keys repeat.
    twice.files[texts[1]].1 = twice.files[texts[0]].1.clone();
    let sections = twice.files.iter().map(|(name, file)| (name.clone(), file.write())).collect();
    let bytes = File { kind: twice.kind, sections }.write();
    assert_eq!(used(&bytes).unwrap_err().code(), "library_corrupt");
}

#[test]
fn searching_many_similar_words_terminates() {
    let kb = kb(None);
    // Words with a common prefix, each within one edit of others, unsorted, in the tail.
    let words = |from: usize| {
        let mut random = Random(from as u64);
        (0..4000).map(|_| format!("prefix{:06x} ", random.below(1 << 24))).collect::<String>()
    };
    add(&kb, (0..20).map(|at| markdown(&format!("{at}.md"), &words(at))).collect()).unwrap();
    for (query, prefix) in
        [("p", true), ("prefix", true), ("prefixx1234", false), (&*"prefix".repeat(20_000), true)]
    {
        let request = SearchRequest {
            query: query.into(),
            prefix,
            typos: true,
            mode: Mode::Keyword,
            ..SearchRequest::default()
        };
        let found = in_seconds(5, &query[..query.len().min(20)], || {
            block_on(kb.search(&request, &Cancel::default())).unwrap()
        });
        // Prefix and typo queries match; a word similar to none does not.
        assert_eq!(found.hits.is_empty(), query.len() > 100, "{query:.20}: {}", found.hits.len());
        assert!(found.hits.len() <= request.limit);
    }
}
