//! Relevance, and the cosines that are measured on the library itself.

use futures_util::future::{LocalBoxFuture, ready};
use proptest::prelude::*;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use vademecum::Result;
use vademecum::document::Document;
use vademecum::encoder::alignment::{Aligned, Sought};
use vademecum::encoder::{Embedder, Embeddings, Kind};
use vademecum::engine::{KnowledgeBase, Options};
use vademecum_protocol::relevance::{Calibration, RelevanceRequest};
use vademecum_protocol::searcher::Searcher;
use vademecum_testing::directory::{Memory, open, open_with};
use vademecum_testing::{add, block_on, hashing, hashing_named, kb, markdown};

/// Embeds words like another embedder, but so that every two texts have a cosine of at least 0.8. Counts the texts.
struct Narrow(Rc<dyn Embedder>, Rc<Cell<usize>>);

impl Embedder for Narrow {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        self.1.set(self.1.get() + texts.len());
        let Embeddings { dimensions, values, truncated } = block_on(self.0.embed(texts, kind)).unwrap();
        let shifted = values.chunks(dimensions).flat_map(|row| {
            let rest = row.iter().map(|value| value * 0.2f32.sqrt());
            rest.chain([0.8f32.sqrt()]).collect::<Vec<f32>>()
        });
        let embeddings = Embeddings { dimensions: dimensions + 1, values: shifted.collect(), truncated };
        Box::pin(ready(Ok(embeddings)))
    }
}

fn note(number: usize) -> Document {
    let subject =
        ["lease", "ferry", "oven", "choir", "glacier", "printer", "orchard", "museum", "archive", "tram"];
    let word = subject[number % subject.len()];
    markdown(
        &format!("{number}.md"),
        &format!("The {word}{number} of district {number} has rule {}.", number * 7),
    )
}

/// Returns the id of a document's first chunk, or an unknown id.
fn chunk_of(kb: &KnowledgeBase, id: &str) -> String {
    kb.document("default", id).map_or_else(|_| "unknown".into(), |found| found.chunks[0].id.clone())
}

fn calibrated(kb: &KnowledgeBase) -> Option<Calibration> {
    block_on(kb.calibrate()).unwrap()
}

#[test]
fn a_passage_is_nearer_to_a_span_of_its_own_than_any_other() {
    let kb = kb(hashing());
    add(&kb, (0..40).map(note).collect()).unwrap();
    let found = calibrated(&kb).unwrap();
    assert_eq!(found.spans, 32);
    assert!(found.own.mean > found.nearest.mean && found.nearest.mean > found.unrelated.mean, "{found:?}");
    assert!(found.threshold > found.unrelated.mean && found.threshold < found.own.mean, "{found:?}");
    assert_eq!(kb.stats().unwrap().calibration, Some(found));
    assert_eq!(kb.default_threshold(), Some(found.threshold));
}

/// Records the number of texts of each call, and takes several calls at once.
struct Parallel(Rc<dyn Embedder>, Rc<RefCell<Vec<usize>>>);

impl Embedder for Parallel {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        self.1.borrow_mut().push(texts.len());
        self.0.embed(texts, kind)
    }

    fn concurrency(&self) -> usize {
        3
    }
}

#[test]
fn texts_of_a_question_are_divided_among_an_embedders_workers_with_the_same_result() {
    let calls = Rc::new(RefCell::new(Vec::new()));
    let [one, several] =
        [hashing(), Some(Rc::new(Parallel(hashing().unwrap(), calls.clone())) as Rc<dyn Embedder>)].map(
            |embedder| {
                let kb = kb(embedder);
                add(&kb, (0..40).map(note).collect()).unwrap();
                calls.borrow_mut().clear();
                let request = RelevanceRequest {
                    question: "The lease10 of district 10".into(),
                    passages: Vec::new(),
                    texts: (0..10).map(|number| format!("The lease{number} of district {number}")).collect(),
                    words: Vec::new(),
                };
                block_on(kb.relevance(&request, true)).unwrap()
            },
        );
    assert_eq!(several.texts, one.texts);
    // 32 spans of the calibration, the question, and ten texts.
    assert_eq!(*calls.borrow(), [vec![4; 8], vec![1], vec![4, 4, 2]].concat());
}

#[test]
fn the_threshold_follows_an_embedder_whose_cosines_are_all_high() {
    let narrow: Rc<dyn Embedder> = Rc::new(Narrow(hashing().unwrap(), Rc::default()));
    let kb = kb(Some(narrow));
    add(&kb, (0..40).map(note).collect()).unwrap();
    let found = calibrated(&kb).unwrap();
    assert!(found.unrelated.mean >= 0.8 && found.threshold > 0.8, "{found:?}");
}

#[test]
fn a_library_of_one_sentence_is_measured_against_a_background() {
    let kb = kb(hashing());
    assert_eq!(calibrated(&kb), None);
    add(&kb, vec![markdown("one.md", "The lease ends in May.")]).unwrap();
    let found = calibrated(&kb).unwrap();
    assert_eq!(found.spans, 1);
    assert!(found.own.mean > found.unrelated.mean, "{found:?}");
}

#[test]
fn an_addition_embeds_new_spans_only_and_none_if_nothing_has_changed() {
    let made = Rc::new(Cell::new(0));
    let kb = kb(Some(Rc::new(Narrow(hashing().unwrap(), made.clone()))));
    add(&kb, (0..40).map(note).collect()).unwrap();
    let during = |work: &dyn Fn()| {
        made.set(0);
        work();
        made.get()
    };
    assert_eq!(
        during(&|| {
            calibrated(&kb);
        }),
        32
    );
    assert_eq!(
        during(&|| {
            calibrated(&kb);
        }),
        0
    );
    add(&kb, vec![note(41)]).unwrap();
    assert!(
        during(&|| {
            calibrated(&kb);
        }) <= 1
    );
}

#[test]
fn what_was_measured_is_kept_with_the_library() {
    let directory = Rc::new(Memory::default());
    let kb = open(&directory).unwrap();
    add(&kb, (0..12).map(note).collect()).unwrap();
    let found = calibrated(&kb);
    block_on(kb.save()).unwrap();
    let again = open(&directory).unwrap();
    assert!(found.is_some());
    assert_eq!(again.calibration(), found);
}

#[test]
fn documents_that_are_never_sent_take_no_part() {
    let secret = |number: usize| {
        let metadata = json!({ "neverSend": true }).as_object().unwrap().clone();
        Document { metadata, ..note(number) }
    };
    let (with, without) = (kb(hashing()), kb(hashing()));
    add(&with, (0..20).map(note).chain((20..40).map(secret)).collect()).unwrap();
    add(&without, (0..20).map(note).collect()).unwrap();
    assert_eq!(calibrated(&with), calibrated(&without));
}

/// Matches texts with words by the letters that both have first; gives as many numbers too many as its field says.
struct Matching(Rc<dyn Embedder>, usize);

impl Embedder for Matching {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        self.0.embed(texts, kind)
    }

    fn align<'a>(
        &'a self,
        texts: &'a [String],
        sought: &'a Sought,
    ) -> LocalBoxFuture<'a, Result<Option<Aligned>>> {
        Box::pin(async move {
            let of_text = |text: &String| {
                let is_in = |word: &Range<usize>| text.contains(&sought.question[word.clone()]);
                sought.words.iter().map(|word| f32::from(u8::from(is_in(word)))).collect::<Vec<f32>>()
            };
            let mut matches: Vec<f32> = texts.iter().flat_map(of_text).collect();
            matches.resize(matches.len() + self.1, 0.5);
            Ok(Some(Aligned { embeddings: self.embed(texts, Kind::Document).await?, matches }))
        })
    }

    fn concurrency(&self) -> usize {
        3
    }
}

#[test]
fn texts_are_matched_with_the_words_of_a_question_by_an_embedder_that_can() {
    let ask = |embedder: Rc<dyn Embedder>, words| {
        let kb = kb(Some(embedder));
        add(&kb, (0..12).map(note).collect()).unwrap();
        let texts = (0..6).map(|number| format!("The lease{number} of district {number}")).collect();
        let question = "Which lease4 is it?".into();
        block_on(
            kb.relevance(&RelevanceRequest { question, texts, words, ..RelevanceRequest::default() }, true),
        )
    };
    let [which, lease] = [0..5, 6..12];
    let plain = ask(hashing().unwrap(), vec![which.clone(), lease.clone()]).unwrap();
    assert!(plain.matches.is_empty() && plain.texts.len() == 6);
    let matched = ask(Rc::new(Matching(hashing().unwrap(), 0)), vec![which.clone(), lease.clone()]).unwrap();
    assert_eq!(matched.texts, plain.texts);
    let expected: Vec<[f32; 2]> = (0..6).map(|number| [0.0, if number == 4 { 1.0 } else { 0.0 }]).collect();
    assert_eq!(matched.matches, expected);
    assert!(ask(Rc::new(Matching(hashing().unwrap(), 0)), Vec::new()).unwrap().matches.is_empty());
    let wrong = ask(Rc::new(Matching(hashing().unwrap(), 1)), vec![which, lease]).unwrap_err();
    assert_eq!(wrong.code(), "vector_shape");
}

#[test]
fn a_question_is_measured_against_passages_and_texts() {
    let kb = kb(hashing());
    add(&kb, (0..12).map(note).collect()).unwrap();
    let request = RelevanceRequest {
        question: "What rule has the lease0 of district 0?".into(),
        passages: ["0.md", "1.md", "missing.md"]
            .map(|id| ("default".into(), id.into(), chunk_of(&kb, id)))
            .to_vec(),
        texts: vec!["The lease0 of district 0 has rule 0.".into(), "A volcano.".into()],
        words: Vec::new(),
    };
    let found = block_on(kb.relevance(&request, true)).unwrap();
    let counted = kb.frequencies(&["district".into(), "volcano".into()]).unwrap();
    assert_eq!((counted.terms.as_slice(), counted.chunks), ([12, 0].as_slice(), 12));
    assert!(found.passages[0] > found.passages[1] && found.passages[2].is_none(), "{:?}", found.passages);
    assert!(found.texts[0] > found.texts[1], "{:?}", found.texts);
    assert!(found.calibration.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_calibration_does_not_depend_on_the_order_of_insertion(order in Just((0..24usize).collect::<Vec<_>>()).prop_shuffle()) {
        let (one, other) = (kb(hashing()), kb(hashing()));
        add(&one, (0..24).map(note).collect()).unwrap();
        add(&other, order.into_iter().map(note).collect()).unwrap();
        let (one, other) = (calibrated(&one).unwrap(), calibrated(&other).unwrap());
        // Sums of the same numbers in another order differ in their last bits.
        prop_assert!((one.threshold - other.threshold).abs() < 1e-4, "{one:?} {other:?}");
        prop_assert!((one.nearest.mean - other.nearest.mean).abs() < 1e-4);
    }
}

#[test]
fn another_embedder_is_measured_again() {
    let directory = Rc::new(Memory::default());
    let old = open_with(&directory, Some(hashing_named("old")), Options::default()).unwrap();
    add(&old, (0..12).map(note).collect()).unwrap();
    assert!(calibrated(&old).is_some());
    block_on(old.save()).unwrap();
    let reembed = Options { reembed: true, ..Options::default() };
    let new = open_with(&directory, Some(hashing_named("new")), reembed).unwrap();
    assert_eq!(new.calibration(), None);
}
