//! The keyword ranking is that of the library in memory.

use crate::made::{Changed, Made, Near, WORDS, document};
use proptest::prelude::*;
use std::fs;
use std::rc::Rc;
use vademecum::document::{Document, Hit};
use vademecum::engine::{KnowledgeBase, Mode, SearchRequest as InMemory};
use vademecum_parts::{Library, Mode as PartsMode, Options, SearchRequest};
use vademecum_protocol::cancel::Cancel;
use vademecum_testing::{add, block_on, kb};

/// A library of made documents, of which some were removed again.
fn library(documents: &[(Vec<usize>, Option<usize>)], removed: &[usize], neighbours: usize) -> KnowledgeBase {
    let kb = kb(None);
    let made = documents.iter().enumerate().map(|(at, (words, title))| {
        document(&format!("d{at}.txt"), title.map(|word| WORDS[word % WORDS.len()]), words)
    });
    add(&kb, made.collect()).unwrap();
    if neighbours > 0 {
        let long: String =
            (0..neighbours).map(|at| format!("The boat number {at} left the harbour at dawn. ")).collect();
        add(&kb, vec![Document { title: Some("Log".into()), ..Document::new("log.txt", long) }]).unwrap();
    }
    let ids: Vec<String> = removed.iter().map(|at| format!("d{at}.txt")).collect();
    kb.remove("default", &ids).unwrap();
    kb
}

/// More than a tile of sums has.
const DOCUMENTS: usize = 20_000;

fn query() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => (0..WORDS.len()).prop_map(|at| WORDS[at].to_owned()),
        1 => (0..WORDS.len(), 2usize..5).prop_map(|(at, length)| WORDS[at].chars().take(length).collect()),
        1 => (0..WORDS.len(), 0..WORDS.len()).prop_map(|(one, other)| format!("\"{} {}\"", WORDS[one], WORDS[other])),
        1 => Just("harbuor".to_owned()),
    ];
    prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn a_small_library_is_ranked_as_in_memory(
        documents in prop::collection::vec((prop::collection::vec(0usize..16, 1..30), prop::option::of(0usize..16)), 1..25),
        removed in prop::collection::vec(0usize..25, 0..4),
        neighbours in 0usize..120,
        query in query(), prefix in any::<bool>(), typos in any::<bool>(), strict_phrases in any::<bool>(), limit in 1usize..30,
    ) {
        let kb = library(&documents, &removed, neighbours);
        let made = Made::of(&kb);
        let request = InMemory { query: query.clone(), prefix, typos, strict_phrases, limit, mode: Mode::Keyword, explain: true, sendable: true, ..InMemory::default() };
        let expected = block_on(kb.search(&request, &Cancel::default()));
        let request = SearchRequest { query, prefix, typos, strict_phrases, limit, mode: PartsMode::Keyword, ..SearchRequest::default() };
        let found = made.search(&request, None);
        let (expected, found) = match (expected, found) {
            (Ok(expected), Ok(found)) => (expected, found),
            (Err(expected), Err(found)) => {
                prop_assert_eq!(expected.code(), found.code());
                return Ok(());
            }
            (expected, found) => return Err(TestCaseError::fail(format!("{expected:?} {found:?}"))),
        };
        if found.missing.iter().any(|missing| missing.what == "phrases") {
            // Stop words alone are not looked for in parts, and the result says so.
            return Ok(());
        }
        // A query whose words all are unknown is corrected, which parts do with fewer candidates.
        prop_assume!(expected.searched_for.is_none() && found.searched_for.is_none());
        prop_assert_eq!(found.total, expected.total);
        for (one, other) in found.hits.iter().zip(&expected.hits) {
            prop_assert_eq!(&one.chunk, &other.chunk);
            prop_assert_eq!(one.score, other.score);
            prop_assert_eq!(&one.explain.as_ref().unwrap()["keyword"], &other.explain.as_ref().unwrap()["keyword"]);
        }
        prop_assert_eq!(found.hits.len(), expected.hits.len());
    }

    #[test]
    fn a_document_is_read_as_from_memory(lines in prop::collection::vec("[a-zé𝄞 ]{1,80}", 1..60), title in prop::option::of("[A-Z]{1,9}")) {
        let kb = kb(None);
        let text = format!("# Heading\n\nbegin {}\n\n## Second\n\n{}", lines.join("\n\n"), lines.join(". "));
        add(&kb, vec![Document { title, ..Document::new("a/b.md", text) }, Document::new("c.txt", "Another one.")]).unwrap();
        let made = Made::of(&kb);
        for id in ["a/b.md", "c.txt"] {
            let expected = kb.document("default", id).unwrap();
            let found = block_on(made.library.document("default", id)).unwrap();
            prop_assert_eq!(&found.document, &expected.document);
            prop_assert_eq!(&found.chunks, &expected.chunks);
        }
    }
}

/// A library with long lists of postings.
fn large() -> KnowledgeBase {
    let kb = kb(None);
    let made = (0..3000usize).map(|at| {
        let words: Vec<usize> =
            (0..at % 60 + 9).map(|place| (at * 7 + place * place * (at % 13 + 1)) % 97).collect();
        let own = document(&format!("d{at}"), (at % 50 == 0).then_some("Harbour"), &words);
        Document { text: format!("{} number{at} group{}", own.text, at % 300), ..own }
    });
    add(&kb, made.collect()).unwrap();
    kb
}

#[test]
fn chunks_are_ranked_as_in_memory_where_frequent_words_are_left_out() {
    let kb = kb(None);
    let text = |at: usize| {
        let ordinary = if at.is_multiple_of(4) { String::new() } else { "ordinary ".repeat(1 + at % 3) };
        let common = if at.is_multiple_of(2) { "" } else { "common" };
        let lantern = if at % 40 == 7 { "lantern ".repeat(1 + at / 40 % 5) } else { String::new() };
        format!("{ordinary}{common} {lantern}word{} {}", at % 700, "filler ".repeat(at % 17))
    };
    let documents = (0..DOCUMENTS).map(|at| Document::new(format!("d{at}"), text(at)));
    add(&kb, documents.collect()).unwrap();
    let made = Made::of(&kb);
    let near = made.through(Near::new(&made));
    for (query, leaves_out) in [
        ("ordinary common lantern", true),
        ("lantern ordinary common word7", true),
        ("\"common lantern\" ordinary", true),
        ("lantern word7", false),
        ("ordinary common", false),
    ] {
        let (mode, limit) = (Mode::Keyword, 30);
        let request =
            InMemory { query: query.to_owned(), limit, mode, sendable: true, ..InMemory::default() };
        let expected = block_on(kb.search(&request, &Cancel::default())).unwrap();
        let mode = PartsMode::Keyword;
        let request = SearchRequest { query: query.to_owned(), limit, mode, ..SearchRequest::default() };
        let far = made.search(&request, None).unwrap();
        let near = block_on(near.search(&request, None)).unwrap();
        let ranked =
            |hits: &[Hit]| hits.iter().map(|hit| (hit.chunk.id.clone(), hit.score)).collect::<Vec<_>>();
        assert_eq!(ranked(&near.hits), ranked(&expected.hits), "{query}");
        assert_eq!(ranked(&far.hits), ranked(&expected.hits), "{query}");
        let words: Vec<&str> = query.split([' ', '"']).filter(|word| !word.is_empty()).collect();
        let matches = |at: &usize| words.iter().any(|word| text(*at).split(' ').any(|one| one == *word));
        let matches = (0..DOCUMENTS).filter(matches).count();
        assert_eq!(far.total, matches, "{query}");
        // Chunks with none but those terms are not counted.
        assert!((matches.min(1000)..=matches).contains(&near.total), "{query}: {} of {matches}", near.total);
        assert_eq!(near.total < matches, leaves_out, "{query}: {} of {matches}", near.total);
    }
}

#[test]
fn a_library_at_hand_reads_all_lengths_once_and_is_ranked_as_without_them() {
    let made = Made::of(&large());
    let manifest = fs::read(made.folder.path().join("manifest.json")).unwrap();
    let mut older: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    older["sections"].as_object_mut().unwrap().remove("lengths").unwrap();
    let older = serde_json::to_vec(&older).unwrap();
    let opened = [manifest, older].map(|manifest| {
        let source = Near::new(&made);
        let read = source.read.clone();
        (Library::open(&manifest, Rc::new(source), &Options::default()).unwrap(), read)
    });
    let ask = |query: &str| {
        let request = SearchRequest { query: query.into(), ..SearchRequest::default() };
        let expected = made.search(&request, None).unwrap();
        for (library, _) in &opened {
            assert_eq!(block_on(library.search(&request, None)).unwrap(), expected, "{query}");
        }
        assert!(!expected.hits.is_empty(), "{query}");
    };
    ask("tides");
    let [before, before_older] = opened.each_ref().map(|(_, read)| read.get());
    ["harbour boats", "unused leave", "moon river holiday"].iter().for_each(|query| ask(query));
    let [after, after_older] = opened.each_ref().map(|(_, read)| read.get());
    assert!(after - before < after_older - before_older, "{} {}", after - before, after_older - before_older);
}

#[test]
fn lengths_that_are_missing_or_damaged_change_no_result() {
    let kb = large();
    let made = Made::of(&kb);
    for is_damaged in [false, true] {
        let other = Made::of(&kb);
        let part = &other.library.manifest().sections["lengths"].part;
        let file = other.folder.path().join(format!("parts/{part}.bin"));
        assert!(file.is_file());
        if is_damaged {
            fs::write(&file, vec![1; fs::metadata(&file).unwrap().len() as usize]).unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
        let near = other.through(Near::new(&other));
        for query in ["tides", "harbour boats", "moon river holiday"] {
            let request = SearchRequest { query: query.into(), ..SearchRequest::default() };
            assert_eq!(block_on(near.search(&request, None)).unwrap(), made.search(&request, None).unwrap());
        }
    }
}

#[test]
fn a_large_library_is_ranked_as_in_memory() {
    // Long lists of postings, several blocks of terms, several levels of directories.
    let kb = large();
    let made = Made::of(&kb);
    assert!(made.library.manifest().sections["texts"].levels > 1);
    for query in ["harbour tides", "number77 boats", "group12 unused leave", "group1", "num", "h"] {
        let in_memory = InMemory {
            query: query.into(),
            prefix: true,
            mode: Mode::Keyword,
            limit: 50,
            ..InMemory::default()
        };
        let expected = block_on(kb.search(&in_memory, &Cancel::default())).unwrap();
        let request =
            SearchRequest { query: query.into(), prefix: true, limit: 50, ..SearchRequest::default() };
        let found = made.search(&request, None).unwrap();
        assert_eq!((found.mode, found.hits.is_empty()), (PartsMode::Keyword, false), "{query}");
        let ids = |hits: &[vademecum::document::Hit]| -> Vec<(String, f32)> {
            hits.iter().map(|hit| (hit.chunk.id.clone(), hit.score)).collect()
        };
        assert_eq!(ids(&found.hits), ids(&expected.hits), "{query}");
        // Also of few hits, and of some documents alone.
        for (limit, only) in [
            (1, None),
            (7, None),
            (7, Some((0..3000).step_by(3).map(|at| format!("d{at}")).collect::<Vec<_>>())),
        ] {
            let in_memory = InMemory { limit, documents: only.clone(), ..in_memory.clone() };
            let expected = block_on(kb.search(&in_memory, &Cancel::default())).unwrap();
            let request = SearchRequest { limit, documents: only, ..request.clone() };
            let found = made.search(&request, None).unwrap();
            assert_eq!(ids(&found.hits), ids(&expected.hits), "{query}, {limit}");
        }
    }
}

#[test]
fn chunks_with_a_phrase_come_first_among_the_best_that_contain_its_words() {
    // Also with lists of postings that are not read whole.
    for every in [100, 600] {
        let kb = kb(None);
        let made = (0..5 * every).map(|at| {
            let text = if at % every == 7 { "unused leave of the crew" } else { "leave the unused boats" };
            Document::new(format!("d{at}"), format!("{text}, number {at}."))
        });
        add(&kb, made.collect()).unwrap();
        let made = Made::of(&kb);
        let request = SearchRequest { query: "\"unused leave\" crew".into(), ..SearchRequest::default() };
        let found = made.search(&request, None).unwrap();
        let first: Vec<&str> = found.hits.iter().take(5).map(|hit| hit.chunk.doc_id.as_str()).collect();
        assert_eq!(first, (0..5).map(|at| format!("d{}", at * every + 7)).collect::<Vec<_>>());
        let request = SearchRequest { strict_phrases: true, limit: 20, ..request };
        let found = made.search(&request, None).unwrap();
        assert_eq!(found.hits.len(), 5);
        assert_eq!(found.missing.iter().map(|missing| missing.what).collect::<Vec<_>>(), ["phrases"]);
    }
}

#[test]
fn texts_are_read_for_a_phrase_until_enough_contain_it() {
    let filling = |at: usize, words: usize| -> String {
        (0..words).map(|word| format!("filling{} ", (at * 7919 + word * 104_729) % 9973)).collect()
    };
    let ids = |made: &Made, query: &str| {
        let near = Near::new(made);
        let read = near.read.clone();
        let request =
            SearchRequest { query: query.into(), mode: PartsMode::Keyword, ..SearchRequest::default() };
        let found = block_on(made.through(near).search(&request, None)).unwrap();
        let ids: Vec<String> = found.hits.into_iter().map(|hit| hit.chunk.doc_id).collect();
        (ids, read.get())
    };
    // Short texts with both words have higher scores than long ones with the phrase.
    let all = kb(None);
    let late = (0..38).map(|at| {
        let text = if at < 3 {
            format!("unused leave {}", filling(at, 100))
        } else {
            format!("leave the unused boats {at}")
        };
        Document::new(format!("d{at}"), text)
    });
    add(&all, late.collect()).unwrap();
    let made = Made::of(&all);
    let with_phrase = ["d0", "d1", "d2"];
    assert!(!with_phrase.iter().any(|id| ids(&made, "unused leave").0.contains(&(*id).to_owned())));
    assert_eq!(ids(&made, "\"unused leave\"").0[..3], with_phrase);
    // Where all have the phrase, the texts that any search reads are enough.
    let all = kb(None);
    let made =
        (0..60).map(|at| Document::new(format!("d{at}"), format!("unused leave {}", filling(at, 150))));
    add(&all, made.collect()).unwrap();
    let made = Made::of(&all);
    let (plain, quoted) = (ids(&made, "unused leave").1, ids(&made, "\"unused leave\"").1);
    assert!(quoted < plain + plain / 10, "{quoted}, {plain}");
}

#[test]
fn a_misspelt_word_is_corrected_and_the_correction_searched_for() {
    let kb = kb(None);
    add(
        &kb,
        vec![Document::new("a", "The libraries open at nine."), Document::new("b", "Boats leave at ten.")],
    )
    .unwrap();
    let made = Made::of(&kb);
    let request = SearchRequest { query: "libraires".into(), ..SearchRequest::default() };
    let found = made.search(&request, None).unwrap();
    assert_eq!(
        (found.did_you_mean.as_deref(), found.searched_for.as_deref()),
        (Some("libraries"), Some("libraries"))
    );
    assert_eq!(found.hits[0].chunk.doc_id, "a");
    let request = SearchRequest { query: "boats libraires".into(), ..SearchRequest::default() };
    let found = made.search(&request, None).unwrap();
    assert_eq!((found.did_you_mean.as_deref(), found.searched_for), (Some("boats libraries"), None));
    let request = SearchRequest { query: "boats \"libraires\"".into(), ..SearchRequest::default() };
    assert_eq!(made.search(&request, None).unwrap().did_you_mean, None);
}

#[test]
fn an_empty_library_finds_nothing_and_an_empty_question_is_refused() {
    let made = Made::of(&kb(None));
    let request = SearchRequest { query: "harbour".into(), ..SearchRequest::default() };
    assert!(made.search(&request, None).unwrap().hits.is_empty());
    assert_eq!(
        made.search(&SearchRequest { query: " ?".into(), ..request }, None).unwrap_err().code(),
        "empty_question"
    );
    assert_eq!(block_on(made.library.parts()).unwrap(), []);
}

#[test]
fn what_is_read_ahead_is_not_read_by_questions_and_changes_no_result() {
    let kb = kb(None);
    // Completions are listed of beginnings that many terms have.
    let words: Vec<String> = (10..24).map(|at| format!("word{at}")).collect();
    let made =
        (0..3000usize).map(|at| Document::new(format!("d{at}"), format!("{} number{at}", words.join(" "))));
    add(&kb, made.collect()).unwrap();
    let made = Made::of(&kb);
    let bytes_of = |query: &str, is_ahead: bool| {
        let near = Near::new(&made);
        let (read, awaited) = (near.read.clone(), near.awaited.clone());
        let library = made.through(near);
        if is_ahead {
            assert!((0..100).any(|_| !block_on(library.preload()).unwrap()), "it has an end");
            assert!(library.memory() > 0 && awaited.get() == 0);
            // Only whether blocks are at hand is asked from now on.
            let again = || {
                let before = read.get();
                assert!(!block_on(library.preload()).unwrap());
                read.get() - before
            };
            assert!(again() == again() && again() < 10_000);
        }
        let before = read.get();
        let request = SearchRequest { query: query.into(), ..SearchRequest::default() };
        assert_eq!(
            block_on(library.search(&request, None)).unwrap(),
            made.search(&request, None).unwrap(),
            "{query}"
        );
        read.get() - before
    };
    // Of the first 12 a question is asked ahead, which reads texts as well.
    for query in &words {
        let [ahead, plain] = [true, false].map(|is_ahead| bytes_of(query, is_ahead));
        assert!(ahead == 0 && plain > 0, "{query}: {ahead} of {plain}");
    }
}

#[test]
fn nothing_is_read_ahead_from_a_host() {
    let made = Made::of(&large());
    let source = Changed::new(&made, |_, reply| reply);
    let asked = source.asked.clone();
    assert!(!block_on(made.through(source).preload()).unwrap());
    assert!(asked.borrow().is_empty());
}

#[test]
fn a_list_for_which_a_quarter_of_the_memory_has_no_room_is_not_read_ahead() {
    let kb = kb(None);
    let text = |at: usize| {
        format!("nearly {} number{at}", if at.is_multiple_of(2) { "notable" } else { "nautical" })
    };
    add(&kb, (0..4000).map(|at| Document::new(format!("d{at}"), text(at))).collect()).unwrap();
    let made = Made::of(&kb);
    let manifest = fs::read(made.folder.path().join("manifest.json")).unwrap();
    // The memory before the first list, and at the end.
    let memory = |max_memory: usize| {
        let library = Library::open(&manifest, Rc::new(Near::new(&made)), &Options { max_memory }).unwrap();
        assert!(block_on(library.preload()).unwrap());
        let before = library.memory();
        assert!((0..1000).any(|_| !block_on(library.preload()).unwrap()), "it has an end");
        (before, library.memory())
    };
    let (before, all) = memory(1 << 24);
    // The longest of the three lists takes 20 kB and is read first, the others take 10 kB each.
    let (_, without_longest) = memory(4 * (before + 15_000));
    let (_, longest_alone) = memory(4 * (before + 25_000));
    assert!(without_longest <= all - 20_000, "{without_longest} of {all}");
    assert!((before + 20_000..=all - 20_000).contains(&longest_alone), "{before}, {longest_alone} of {all}");
}
