//! Sources that send whole parts, wrong bytes, or nothing.

use crate::made::{Changed, Made, Near, counter, document};
use vademecum::document::Document;
use vademecum::engine::KnowledgeBase;
use vademecum_parts::errors::part_missing;
use vademecum_parts::{Library, Options, Reply, SearchRequest};
use vademecum_testing::{add, block_on, kb};

fn library() -> KnowledgeBase {
    let kb = kb(None);
    let made = (0..200).map(|at| document(&format!("d{at}"), None, &[at, at + 1, at * at, at / 3]));
    add(&kb, made.collect()).unwrap();
    add(&kb, vec![Document::new("rare", "A zebra crossed the river.")]).unwrap();
    kb
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { query: query.into(), ..SearchRequest::default() }
}

#[test]
fn a_source_that_sends_whole_parts_gives_the_same_result() {
    let made = Made::of(&library());
    let folder = made.folder.path().to_owned();
    let source = Changed::new(&made, move |fetch, _| {
        Ok(Reply::Whole(std::fs::read(folder.join(fetch.part.path())).unwrap()))
    });
    let whole = made.through(source);
    for query in ["harbour tide", "zebra", "unused leave moon"] {
        assert_eq!(block_on(whole.search(&request(query), None)), made.search(&request(query), None));
    }
}

#[test]
fn bytes_at_hand_are_taken_without_waiting_unless_they_are_damaged() {
    let made = Made::of(&library());
    for is_damaged in [false, true] {
        let mut source = Near::new(&made);
        source.is_damaged = is_damaged;
        let awaited = source.awaited.clone();
        let near = made.through(source);
        for query in ["harbour tide", "zebra", "unused leave moon"] {
            assert_eq!(block_on(near.search(&request(query), None)), made.search(&request(query), None));
        }
        assert_eq!(awaited.get() > 0, is_damaged);
    }
}

#[test]
fn wrong_bytes_are_asked_for_once_more_past_caches() {
    let made = Made::of(&library());
    let (stale, count) = counter();
    let source = Changed::new(&made, move |fetch, reply| match reply {
        Ok(Reply::Range(mut bytes)) if !fetch.fresh => {
            bytes[0] ^= 1;
            stale.set(stale.get() + 1);
            Ok(Reply::Range(bytes))
        }
        reply => reply,
    });
    let asked = source.asked.clone();
    let mended = made.through(source);
    assert_eq!(block_on(mended.search(&request("zebra"), None)), made.search(&request("zebra"), None));
    let fresh = asked.borrow().iter().filter(|fetch| fetch.fresh).count();
    assert_eq!((fresh, asked.borrow().len()), (count.get(), 2 * count.get()));
}

#[test]
fn bytes_that_stay_wrong_are_an_error_with_a_code() {
    let made = Made::of(&library());
    for cut in [false, true] {
        let source = Changed::new(&made, move |_, reply| {
            reply.map(|reply| match reply {
                Reply::Range(bytes) if cut => Reply::Range(bytes[..bytes.len() / 2].to_vec()),
                Reply::Range(bytes) => {
                    Reply::Range(b"<!doctype html>".iter().copied().cycle().take(bytes.len()).collect())
                }
                whole => whole,
            })
        });
        let error = block_on(made.through(source).search(&request("zebra"), None)).unwrap_err();
        assert_eq!(error.code(), "part_damaged");
    }
}

#[test]
fn what_is_missing_is_said_and_what_is_there_answers() {
    let made = Made::of(&library());
    // All parts of texts but those of the first hits are gone.
    let texts = |library: &Library| library.manifest().sections["texts"].part.clone();
    let root = texts(&made.library);
    let source = Changed::new(&made, |_, reply| reply);
    let asked = source.asked.clone();
    let whole = made.through(source);
    block_on(whole.search(&request("zebra"), None)).unwrap();
    let known: Vec<_> = asked.borrow().iter().map(|fetch| fetch.part).collect();
    let source = Changed::new(&made, move |fetch, reply| {
        match known.contains(&fetch.part) || fetch.part.to_string() == root {
            true => reply,
            false => Err(part_missing(&fetch.part.to_string(), "the device is offline")),
        }
    });
    let offline = made.through(source);
    let found = block_on(offline.search(&request("zebra"), None)).unwrap();
    assert_eq!((found.hits.len(), found.missing.is_empty()), (1, true));
    match block_on(offline.search(&request("harbour river"), None)) {
        Ok(found) => assert_eq!((found.missing[0].what, found.missing[0].code), ("text", "part_missing")),
        Err(error) => assert_eq!((error.code(), error.retryable()), ("part_missing", true)),
    }
}

#[test]
fn what_is_no_manifest_is_refused_with_a_code() {
    let made = Made::of(&library());
    let manifest = std::fs::read_to_string(made.folder.path().join("manifest.json")).unwrap();
    let open = |text: &str| {
        let source = std::rc::Rc::new(Changed::new(&made, |_, reply| reply));
        Library::open(text.as_bytes(), source, &Options::default()).map(|_| ()).map_err(|error| error.code())
    };
    assert_eq!(open(&manifest), Ok(()));
    assert_eq!(open(&manifest.replacen("\"format\":3", "\"format\":2", 1)), Ok(()));
    for text in [
        "",
        "<!doctype html><title>404</title>",
        "{}",
        "{\"format\":3}",
        &manifest.replace("\"offset\":", "\"offset\":9999999"),
    ] {
        assert_eq!(open(text), Err("manifest_invalid"), "{text}");
    }
    assert_eq!(open(&manifest.replacen("\"format\":3", "\"format\":99", 1)), Err("library_newer"));
    assert_eq!(open("{\"format\":4,\"anything\":[]}"), Err("library_newer"));
}

#[test]
fn a_library_of_an_earlier_format_is_refused_and_its_author_told_what_to_do() {
    let made = Made::of(&library());
    let manifest = std::fs::read_to_string(made.folder.path().join("manifest.json")).unwrap();
    let earlier = manifest.replacen("\"format\":3", "\"format\":1", 1);
    let source = std::rc::Rc::new(Changed::new(&made, |_, reply| reply));
    let error = Library::open(earlier.as_bytes(), source, &Options::default()).unwrap_err();
    assert_eq!(error.code(), "manifest_invalid");
    assert!(error.to_string().contains("publish the library again"), "{error}");
}

#[test]
fn blocks_in_memory_stay_below_the_limit_and_are_not_read_again() {
    let made = Made::of(&library());
    let source = Changed::new(&made, |_, reply| reply);
    let asked = source.asked.clone();
    let library = made.through(source);
    block_on(library.search(&request("harbour"), None)).unwrap();
    let before = asked.borrow().len();
    block_on(library.search(&request("harbour"), None)).unwrap();
    assert_eq!(asked.borrow().len(), before);
    assert!(library.memory() > 0);
    let manifest = std::fs::read(made.folder.path().join("manifest.json")).unwrap();
    let source = Changed::new(&made, |_, reply| reply);
    let small = Library::open(&manifest, std::rc::Rc::new(source), &Options { max_memory: 20_000 }).unwrap();
    for query in ["harbour", "tide", "zebra", "river moon"] {
        assert_eq!(block_on(small.search(&request(query), None)), made.search(&request(query), None));
        assert!(small.memory() <= 20_000);
    }
}
