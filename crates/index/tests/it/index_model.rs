//! Property test: after any sequence of changes, the index finds what a scan over the live documents finds.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use vademecum::index::filter::Filter;
use vademecum::index::persist::{self, Library, Settings};
use vademecum::index::vectors::{Effort, Method};
use vademecum::index::{ChunkKey, Index, Merged, Query, Searcher};
use vademecum::text::shingles::{covered, each_words, rolled, whole};
use vademecum_testing::block_on;
use vademecum_testing::directory::{Files, Memory};
use vademecum_testing::model::{Model, Naive, Source, bm25, cosine, names, rounded, vector};

const IDS: [&str; 7] = ["one.md", "two.md", "d/one.md", "d/two.md", "d/e/deep.md", "x", "y.txt"];
const COLLECTIONS: [&str; 2] = ["a", "b"];
const TITLES: [&str; 6] =
    ["Great Bear", "Mercury Rising (film)", "Mercury Rising (song)", "Café Noir", "Bear", "“Red” Fox!"];
const URLS: [&str; 4] =
    ["https://h.example/p/one", "https://h.example/p/two", "https://h.example/", "/local/x"];
const WORDS: [&str; 28] = [
    "bear",
    "Great",
    "Bear",
    "bears",
    "mercury",
    "Mercury",
    "Rising",
    "apple",
    "pear",
    "kiwi",
    "zoo",
    "the",
    "Great Bear",
    "Mercury Rising",
    "Café Noir",
    "“Red” Fox!",
    "Bearish",
    "xGreat Bear",
    ".",
    "\n\n## Fruit Bowl\n\n",
    "\n\n## Bear Island\n\n",
    "[l](two.md)",
    "[l](../one.md)",
    "[l](d/two.md#part)",
    "[l](https://h.example/p/one#x)",
    "[l](./two)",
    "[[Great Bear]]",
    "[l](#here)",
];
const TAGS: [&str; 3] = ["red", "blue", "green"];

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<Source>),
    Remove(&'static str, &'static str),
    /// Sets the vectors of up to this many chunks without one.
    Embed(usize),
    Seal,
    BeginMerge,
    EndMerge,
    Maintain,
    SaveAndOpen,
    /// Saves, then drops the texts and postings of all segments from memory.
    PageOut,
    /// Drops what was read from files.
    ForgetRead,
    ExportAndImport,
    /// Imports documents with vectors from another index, one of which was removed there.
    Absorb(Vec<Source>),
    Compare,
}

fn source() -> impl Strategy<Value = Source> {
    let text = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..14);
    (
        (prop::sample::select(&COLLECTIONS[..]), prop::sample::select(&IDS[..])),
        prop::option::weighted(0.6, prop::sample::select(&TITLES[..])),
        prop::option::weighted(0.4, prop::sample::select(&URLS[..])),
        text,
        prop::option::of(2000i64..2003),
        prop::sample::subsequence(&TAGS[..], 0..3),
    )
        .prop_map(|((collection, id), title, url, words, year, tags)| Source {
            collection,
            id,
            title,
            url,
            text: format!("Plum {}", words.join(" ")),
            year,
            tags,
        })
}

fn step() -> impl Strategy<Value = Step> {
    let sources = || {
        prop::collection::vec(source(), 1..4).prop_map(|mut sources| {
            let mut seen = HashSet::new();
            sources.retain(|one| seen.insert((one.collection, one.id)));
            sources
        })
    };
    prop_oneof![
        10 => sources().prop_map(Step::Add),
        5 => (prop::sample::select(&COLLECTIONS[..]), prop::sample::select(&IDS[..])).prop_map(|(c, i)| Step::Remove(c, i)),
        3 => (0usize..9).prop_map(Step::Embed),
        6 => Just(Step::Seal),
        2 => Just(Step::BeginMerge),
        2 => Just(Step::EndMerge),
        1 => Just(Step::Maintain),
        2 => Just(Step::SaveAndOpen),
        3 => Just(Step::PageOut),
        1 => Just(Step::ForgetRead),
        1 => Just(Step::ExportAndImport),
        1 => sources().prop_map(Step::Absorb),
        1 => Just(Step::Compare),
    ]
}

/// The index under test and its storage.
struct Subject {
    index: Index,
    library: Library,
    directory: Rc<Memory>,
    merge: Option<Merged>,
    model: Model,
}

/// Returns an empty directory that reads at once.
fn readable() -> Rc<Memory> {
    let directory = Memory::of(Files::new());
    directory.now.set(true);
    directory
}

fn opened(directory: &Rc<Memory>) -> (Library, Index) {
    let (library, index, _) = block_on(Library::open(directory.clone(), false)).unwrap();
    (library, index)
}

fn merged(index: &mut Index) -> Option<Merged> {
    let job = index.next_merge()?;
    Some(block_on(job.run(&|| Box::pin(std::future::ready(())))).expect("sources that can be read"))
}

fn embed(index: &mut Index, count: usize) {
    for key in index.without_vector().into_iter().take(count) {
        let text = index.searcher().chunk(key).unwrap().embedded_text();
        index.set_vector(key, &vector(&text), false).unwrap();
    }
}

/// Builds an index of these documents in one step.
fn fresh(sources: &[Rc<Source>]) -> Index {
    let mut index = Index::new(false);
    index.insert(sources.iter().map(|one| one.prepared()).collect());
    index
}

impl Subject {
    fn new() -> Self {
        let directory = readable();
        let (library, index) = opened(&directory);
        Self { index, library, directory, merge: None, model: Model::default() }
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Add(sources) => {
                let embedded = self.embedded_texts();
                let keys = self.index.insert(sources.iter().map(Source::prepared).collect());
                sources.into_iter().for_each(|source| self.model.add(source));
                let lacking = self.index.without_vector();
                let searcher = self.index.searcher();
                for key in lacking.into_iter().filter(|key| keys.contains(key)) {
                    let text = searcher.chunk(key).unwrap().embedded_text();
                    assert!(!embedded.contains(&text), "embedded before: {text}");
                }
            }
            Step::Remove(collection, id) => {
                assert_eq!(self.index.remove(collection, id), self.model.remove(collection, id));
            }
            Step::Embed(count) => embed(&mut self.index, count),
            Step::Seal => self.index.seal(),
            Step::BeginMerge if self.merge.is_none() => self.merge = merged(&mut self.index),
            Step::BeginMerge => {}
            Step::EndMerge => {
                self.merge.take().into_iter().for_each(|merged| self.index.finish_merge(merged));
            }
            Step::Maintain => {
                self.merge = None;
                while let Some(merged) = merged(&mut self.index) {
                    self.index.finish_merge(merged);
                }
            }
            Step::SaveAndOpen => {
                let saving = self.library.prepare(&mut self.index, &Settings::default()).unwrap();
                block_on(self.library.write(saving)).unwrap();
                self.merge = None;
                (self.library, self.index) = opened(&self.directory);
            }
            Step::PageOut => {
                let saving = self.library.prepare(&mut self.index, &Settings::default()).unwrap();
                block_on(self.library.write(saving)).unwrap();
                self.merge = None;
                for (_, id) in self.index.in_memory() {
                    let file = block_on(self.library.hold(id)).expect("a saved segment");
                    assert!(self.index.page_out(id, &file));
                }
                let memory = self.index.memory();
                assert!(memory.pageable == 0 && (memory.paged > 0 || self.model.0.is_empty()), "{memory:?}");
            }
            Step::ForgetRead => {
                self.index.clear_cache();
                assert!(self.merge.is_some() || self.library.disk().cached() == 0);
            }
            Step::ExportAndImport => {
                let bytes = persist::export(&mut self.index, &Settings::default()).unwrap();
                let (other, ..) = block_on(persist::import(&bytes, false, false)).unwrap();
                self.index = Index::new(false);
                assert_eq!(self.index.absorb(other).unwrap(), self.model.0.len());
                self.directory = readable();
                self.library = opened(&self.directory).0;
                self.merge = None;
            }
            Step::Absorb(sources) => {
                let first = Rc::new(sources[0].clone());
                let mut other = fresh(std::slice::from_ref(&first));
                embed(&mut other, 1);
                other.remove(first.collection, first.id);
                other.insert(sources.iter().map(Source::prepared).collect());
                embed(&mut other, 2);
                self.index.absorb(other).unwrap();
                sources.into_iter().for_each(|source| self.model.add(source));
            }
            Step::Compare => self.compare(),
        }
    }

    /// Returns the texts of live chunks that have a vector.
    fn embedded_texts(&self) -> BTreeSet<String> {
        let lacking: HashSet<ChunkKey> = self.index.without_vector().into_iter().collect();
        let searcher = self.index.searcher();
        let mut texts = BTreeSet::new();
        for source in &self.model.0 {
            let (_, keys) = searcher.document(source.collection, source.id).unwrap();
            for key in keys.into_iter().filter(|key| !lacking.contains(key)) {
                texts.insert(searcher.chunk(key).unwrap().embedded_text());
            }
        }
        texts
    }

    fn compare(&self) {
        let searcher = self.index.searcher();
        let chunks = self.model.chunks();
        let size = self.index.size(None);
        assert_eq!((size.documents, size.chunks), (self.model.0.len(), chunks.len()));
        let keys = keys(&searcher, &self.model);
        let by_id: BTreeMap<String, ChunkKey> =
            keys.iter().map(|key| (searcher.chunk(*key).unwrap().id(), *key)).collect();
        let ids: Vec<String> = chunks.iter().map(Naive::id).collect();
        assert_eq!(keys.iter().map(|key| searcher.chunk(*key).unwrap().id()).collect::<Vec<_>>(), ids);
        same_words(&searcher, &fresh(&self.model.0).searcher(), &chunks);
        self.same_vectors(&searcher, &chunks, &by_id);
        same_filters(&searcher, &self.model, &chunks);
        same_links(&searcher, &self.model, &chunks, &by_id);
        same_never_sent(&searcher, &chunks);
    }

    fn same_vectors(&self, searcher: &Searcher, chunks: &[Naive], by_id: &BTreeMap<String, ChunkKey>) {
        let lacking: HashSet<ChunkKey> = self.index.without_vector().into_iter().collect();
        for question in ["one question", "another", "a third"] {
            let question = vector(question);
            let mut expected: Vec<(f64, String)> = chunks
                .iter()
                .filter(|chunk| !lacking.contains(&by_id[&chunk.id()]))
                .map(|chunk| (cosine(&question, &rounded(&vector(&chunk.embedded))), chunk.id()))
                .collect();
            // Stable sort: equal vectors stay in order of insertion.
            expected.sort_by(|a, b| b.0.total_cmp(&a.0));
            for limit in [3, 100] {
                let query = Query {
                    vector: Some(&question),
                    threshold: -1.0,
                    limit,
                    effort: Effort { method: Some(Method::Exact), ..Effort::default() },
                    ..Query::default()
                };
                let found = hits(searcher, &query);
                assert_eq!(found.len(), expected.len().min(limit));
                for ((id, score), (cosine, _)) in found.iter().zip(&expected) {
                    let own = expected.iter().find(|one| one.1 == *id).expect("a chunk with a vector");
                    assert!((f64::from(*score) - cosine).abs() < 1e-5, "{score} for {cosine}");
                    assert!((own.0 - cosine).abs() < 1e-5);
                }
                let place = |id: &String| expected.iter().position(|one| one.1 == *id).unwrap();
                for pair in found.windows(2).filter(|pair| pair[0].1 == pair[1].1) {
                    assert!(place(&pair[0].0) < place(&pair[1].0), "ties by insertion");
                }
            }
        }
    }
}

/// Returns the keys of live chunks in order of insertion.
fn keys(searcher: &Searcher, model: &Model) -> Vec<ChunkKey> {
    let all = model.0.iter().map(|one| searcher.document(one.collection, one.id).expect("it is live").1);
    let keys: Vec<ChunkKey> = all.flatten().collect();
    assert!(keys.is_sorted(), "keys grow in the order of insertion");
    keys
}

fn hits(searcher: &Searcher, query: &Query<'_>) -> Vec<(String, f32)> {
    let found = searcher.search(query).unwrap();
    assert_eq!(found.best.len(), found.total.min(query.limit));
    found.best.iter().map(|hit| (searcher.chunk(hit.key).unwrap().id(), hit.score)).collect()
}

fn same_words(searcher: &Searcher, fresh: &Searcher, chunks: &[Naive]) {
    // A single word that is no title: plain BM25, without rescoring.
    for word in ["kiwi", "plum", "island", "rise", "nobody"] {
        let query = Query { keywords: Some(word), limit: 100, ..Query::default() };
        let found = hits(searcher, &query);
        let mut expected = bm25(chunks, &[word]);
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        assert_eq!(found.len(), expected.len(), "{word}");
        for ((id, score), (_, expected_score)) in found.iter().zip(&expected) {
            let own = bm25(chunks, &[word]).into_iter().find(|one| chunks[one.0].id() == *id).unwrap().1;
            assert!((f64::from(*score) - expected_score).abs() < 1e-4, "{word}: {score}, {expected_score}");
            assert!((f64::from(*score) - own).abs() < 1e-4, "{word}: {score} for {id}, {own}");
        }
    }
    for words in ["great bear", "mercury rising kiwi", "apple pear", "\"great bear\" zoo", "the", "bear plum"]
    {
        for limit in [2, 100] {
            let query = Query { keywords: Some(words), limit, ..Query::default() };
            let (found, expected) = (hits(searcher, &query), hits(fresh, &query));
            assert_eq!(ids(&found), ids(&expected), "{words}");
            let close = |one: &(&(String, f32), &(String, f32))| (one.0.1 - one.1.1).abs() < 1e-4;
            assert!(found.iter().zip(&expected).all(|one| close(&one)), "{words}: {found:?}, {expected:?}");
        }
    }
}

fn ids(hits: &[(String, f32)]) -> Vec<&str> {
    hits.iter().map(|hit| hit.0.as_str()).collect()
}

fn same_filters(searcher: &Searcher, model: &Model, chunks: &[Naive]) {
    type Wanted = fn(&Source) -> bool;
    let filters: [(Value, Wanted); 4] = [
        (json!({ "year": { ">": 2000 } }), |one| one.year.is_some_and(|year| year > 2000)),
        (json!({ "tags": "red" }), |one| one.tags.contains(&"red")),
        (json!({ "not": { "tags": ["red", "blue"] } }), |one| {
            !one.tags.contains(&"red") && !one.tags.contains(&"blue")
        }),
        (json!({ "year": 2001, "tags": { "exists": true } }), |one| {
            one.year == Some(2001) && !one.tags.is_empty()
        }),
    ];
    for collections in [vec![], vec!["a"], vec!["b"], vec!["a", "b"]] {
        let collections: HashSet<String> = collections.into_iter().map(str::to_owned).collect();
        let within = |one: &Source| collections.is_empty() || collections.contains(one.collection);
        let schema = searcher.schema(&collections);
        for (filter, wanted) in &filters {
            // A field that occurs in no document is an error, tested elsewhere.
            let Ok(filter) = Filter::parse(filter, &schema) else { continue };
            let query = Query {
                keywords: Some("plum"),
                filter: Some(&filter),
                collections: collections.clone(),
                limit: 100,
                ..Query::default()
            };
            let found: BTreeSet<String> = hits(searcher, &query).into_iter().map(|hit| hit.0).collect();
            let expected = chunks.iter().filter(|one| within(&one.source) && wanted(&one.source));
            let expected = expected.filter(|one| one.terms.contains_key("plum")).map(Naive::id).collect();
            assert_eq!(found, expected);
            let facets = searcher.facets("year", &collections, Some(&filter), 10);
            let mut years: BTreeMap<i64, usize> = BTreeMap::new();
            let those = model.0.iter().filter(|one| within(one) && wanted(one));
            those.filter_map(|one| one.year).for_each(|year| *years.entry(year).or_default() += 1);
            let mut expected: Vec<(i64, usize)> = years.into_iter().collect();
            expected.sort_by_key(|one| std::cmp::Reverse(one.1));
            let found: Vec<(i64, usize)> = facets
                .iter()
                .map(|one| (serde_json::to_value(&one.value).unwrap().as_f64().unwrap() as i64, one.count))
                .collect();
            assert_eq!(found, expected);
        }
    }
}

fn same_links(searcher: &Searcher, model: &Model, chunks: &[Naive], by_id: &BTreeMap<String, ChunkKey>) {
    for chunk in chunks {
        let key = by_id[&chunk.id()];
        let id = |key: &ChunkKey| searcher.chunk(*key).unwrap().id();
        let found: Vec<String> = searcher.named_by(key).iter().map(id).collect();
        let named = model.0.iter().filter(|other| names(chunk, other));
        let expected: Vec<String> = named.map(|one| format!("{}/{}#0", one.collection, one.id)).collect();
        assert_eq!(found, expected, "named by {}: {:?}", chunk.id(), chunk.text);
        let found: Vec<String> = searcher.naming(key, usize::MAX).iter().map(id).collect();
        let expected: Vec<String> =
            chunks.iter().filter(|other| names(other, &chunk.source)).map(Naive::id).collect();
        assert_eq!(found, expected, "naming {}", chunk.id());
    }
}

fn same_never_sent(searcher: &Searcher, chunks: &[Naive]) {
    let never: Vec<&Naive> = chunks.iter().filter(|chunk| chunk.source.never_sent()).collect();
    let texts = ["", "Great Bear Mercury Rising Café Noir and more", "bear"].map(str::to_owned).into_iter();
    for text in texts.chain(chunks.iter().map(|chunk| format!("of {}", chunk.text.to_uppercase()))) {
        let there = rolled(&text);
        let found = searcher.never_sent_in(&text);
        let sentences = |chunk: &Naive| -> Vec<Vec<u64>> {
            let all = covered(&chunk.text).into_iter();
            all.filter(|sentence| sentence.iter().all(|window| there.contains(window))).collect()
        };
        let mut expected: Vec<(String, Vec<Vec<u64>>)> = never
            .iter()
            .map(|chunk| (chunk.id(), sentences(chunk)))
            .filter(|one| !one.1.is_empty())
            .collect();
        let mut told: Vec<(String, Vec<Vec<u64>>)> =
            found.chunks.into_iter().map(|chunk| (chunk.id, chunk.sentences)).collect();
        expected.sort();
        told.sort();
        assert_eq!(told, expected, "{text}");
        let windows = never.iter().flat_map(|chunk| covered(&chunk.text)).flatten();
        let windows: BTreeSet<u64> = windows.filter(|window| there.contains(window)).collect();
        assert_eq!(found.windows.into_iter().collect::<BTreeSet<u64>>(), windows, "{text}");
        assert_eq!(found.any, !never.is_empty());
        let mut words = HashSet::new();
        each_words(&text, |one| _ = words.insert(one));
        let is_there = |chunk: &&&Naive| {
            !sentences(chunk).is_empty() || whole(&chunk.text).is_some_and(|short| words.contains(&short))
        };
        let mut expected: Vec<&str> = never.iter().filter(is_there).map(|chunk| &*chunk.text).collect();
        let told = searcher.never_sent_in(&text).texts;
        let mut told: Vec<&str> = told.iter().map(String::as_str).collect();
        expected.sort_unstable();
        told.sort_unstable();
        assert_eq!(told, expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 3000, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_changes_finds_what_a_scan_finds(
        steps in prop::collection::vec(step(), 1..45)
    ) {
        let mut subject = Subject::new();
        steps.into_iter().for_each(|step| subject.apply(step));
        subject.compare();
        embed(&mut subject.index, usize::MAX);
        prop_assert!(subject.index.without_vector().is_empty(), "all chunks have vectors");
        subject.compare();
        // The fingerprint depends on the documents only, not on the order of changes or segment boundaries.
        let mut fresh = fresh(&subject.model.0);
        embed(&mut fresh, usize::MAX);
        let counts = |index: &Index| (index.size(None).documents, index.size(None).chunks, index.size(None).vectors);
        prop_assert_eq!(counts(&subject.index), counts(&fresh));
        let of_all = Query { keywords: Some("plum"), limit: 100, ..Query::default() };
        let (found, expected) = (hits(&subject.index.searcher(), &of_all), hits(&fresh.searcher(), &of_all));
        prop_assert_eq!(ids(&found), ids(&expected));
    }
}
