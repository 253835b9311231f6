//! Passages that are looked at are embedded before others.

use futures_util::FutureExt;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::engine::{KnowledgeBase, Mode, Options, SearchRequest};
use vademecum::platform::Native;
use vademecum_testing::{TestEmbedder, add, markdown};

/// Number of documents, of one chunk each.
const DOCUMENTS: usize = 300;
/// Number of chunks per call of the embedder.
const BATCH: usize = 8;

/// Adds documents, of which number 250 is about zebras, and calls `during` while the second batch is being embedded. Returns the
/// knowledge base and all texts in the order in which they were embedded.
fn embedded(during: impl Fn(&KnowledgeBase) + 'static) -> (Rc<KnowledgeBase>, Vec<String>) {
    let embedder = Rc::new(TestEmbedder::default());
    let kb = KnowledgeBase::new(Some(embedder.clone()), Rc::new(Native::default()), Options::default());
    let kb = Rc::new(kb);
    let own = Rc::downgrade(&kb);
    *embedder.before.borrow_mut() = Some(Box::new(move |call| {
        if call == 2 {
            during(&own.upgrade().unwrap());
        }
    }));
    let animal = |n| if n == 250 { "zebras" } else { "owls" };
    let documents = (0..DOCUMENTS).map(|n| {
        markdown(
            &format!("{n}.md"),
            &format!("Note {n} {}is about {}.", "and so on ".repeat(n % 7), animal(n)),
        )
    });
    add(&kb, documents.collect()).unwrap();
    assert_eq!(kb.stats().unwrap().pending, 0);
    let texts = embedder.texts.borrow().clone();
    let distinct: HashSet<&String> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len(), "no text is embedded twice");
    (kb, texts)
}

fn search(kb: &KnowledgeBase, query: &str) {
    let request = SearchRequest { query: query.into(), mode: Mode::Keyword, ..SearchRequest::default() };
    let found = kb.search(&request, &Cancel::default()).now_or_never().unwrap().unwrap();
    assert!(!found.hits.is_empty());
}

/// The texts of the first batch that is chosen after `during`.
fn third_batch(texts: &[String]) -> &[String] {
    &texts[2 * BATCH..3 * BATCH]
}

#[test]
fn without_a_search_chunks_are_embedded_in_windows_of_text_order() {
    let (_, texts) = embedded(|_| {});
    assert_eq!(texts.len(), DOCUMENTS);
    let at = |number: usize| texts.iter().position(|text| text.contains(&format!("Note {number} "))).unwrap();
    assert!(
        (0..128).all(|number| at(number) < 128) && (128..256).all(|number| (128..256).contains(&at(number)))
    );
}

#[test]
fn a_passage_that_is_found_is_embedded_next() {
    let (_, texts) = embedded(|kb| search(kb, "zebras"));
    assert_eq!(texts.len(), DOCUMENTS);
    assert!(texts[2 * BATCH].contains("zebras"), "{:?}", third_batch(&texts));
}

#[test]
fn a_document_that_is_opened_is_embedded_next_and_the_latest_goes_first() {
    let (_, texts) = embedded(|kb| {
        kb.document("default", "200.md").unwrap();
        kb.document("default", "270.md").unwrap();
    });
    assert_eq!(texts.len(), DOCUMENTS);
    assert!(texts[2 * BATCH].contains("Note 270 ") && texts[2 * BATCH + 1].contains("Note 200 "));
}

#[test]
fn a_document_that_is_looked_at_and_then_removed_is_left_out() {
    let (kb, texts) = embedded(|kb| {
        search(kb, "zebras");
        assert_eq!(kb.remove("default", &["250.md".to_owned()]).unwrap(), 1);
    });
    assert_eq!((texts.len(), kb.stats().unwrap().embedded), (DOCUMENTS - 1, DOCUMENTS - 1));
}
