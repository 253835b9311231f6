//! Properties of an embedder: its default threshold, and the id of its vectors.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use vademecum::agent::context::Context;
use vademecum::agent::ports::NoFunctions;
use vademecum::cancel::Cancel;
use vademecum::encoder::hashing::HashingEmbedder;
use vademecum::encoder::{Embedder, Embeddings, Kind};
use vademecum::engine::{KnowledgeBase, Options};
use vademecum::error::{Error, Result};
use vademecum::platform::Native;
use vademecum_testing::agent::{NoLlm, run_with};
use vademecum_testing::directory::Memory;
use vademecum_testing::{add, block_on, kb, markdown};

#[derive(Default)]
struct Named {
    id: RefCell<String>,
    threshold: Cell<Option<f32>>,
}

impl Named {
    fn of(id: &str) -> Rc<Self> {
        Rc::new(Self { id: RefCell::new(id.into()), ..Self::default() })
    }
}

impl Embedder for Named {
    fn embed<'a>(&'a self, texts: &'a [String], kind: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        HashingEmbedder.embed(texts, kind)
    }

    fn threshold(&self) -> Option<f32> {
        self.threshold.get()
    }

    fn id(&self) -> Option<String> {
        Some(self.id.borrow().clone())
    }
}

/// Matches by trigrams only: the question shares no term with the document.
fn run(kb: &KnowledgeBase, fields: Value) -> Context {
    add(kb, vec![markdown("a.md", "Terminations and notices of contracts.")]).unwrap();
    let mut pipeline = json!({ "question": "terminating contractors", "steps": [{ "step": "search" }] });
    pipeline.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let pipeline = serde_json::from_value(pipeline).unwrap();
    run_with(&pipeline, kb, &NoLlm, &NoFunctions, Cancel::default()).0
}

fn found(context: &Context) -> usize {
    context.results.iter().flatten().map(|one| one.chunks.len()).sum()
}

#[test]
fn a_run_has_the_threshold_of_the_library_the_embedder_or_the_caller() {
    let embedder = Named::of("m");
    let first = kb(Some(embedder.clone()));
    let measured = run(&first, json!({ "question": "trmnatin cntrcts" }));
    assert!(measured.request.threshold.is_some());
    assert_eq!(measured.request.threshold, first.calibration().map(|one| one.threshold));
    embedder.threshold.set(Some(0.95));
    let own = run(&kb(Some(embedder.clone())), json!({ "question": "trmnatin cntrcts" }));
    assert_eq!((own.request.threshold, found(&own)), (Some(0.95), 0));
    let given = run(&kb(Some(embedder)), json!({ "question": "trmnatin cntrcts", "threshold": 0.01 }));
    assert_eq!((given.request.threshold, found(&given)), (Some(0.01), 1));
    assert_eq!(run(&kb(None), json!({})).request.threshold, None);
}

#[test]
fn a_self_correcting_search_retries_without_the_threshold_only_if_there_is_one() {
    let steps = json!([{ "step": "search", "selfCorrect": true, "maxIterations": 1 }]);
    let searches = |threshold: Option<f32>| {
        let embedder = Named::of("m");
        embedder.threshold.set(threshold);
        let context = run(&kb(Some(embedder)), json!({ "question": "Who is Zaphod?", "steps": steps }));
        context.results.unwrap()[0].iterations
    };
    assert_eq!((searches(None), searches(Some(0.0)), searches(Some(0.5))), (2, 1, 2));
}

fn open(directory: &Rc<Memory>, embedder: Rc<Named>, reembed: bool) -> Result<KnowledgeBase> {
    let options = Options { reembed, ..Options::default() };
    block_on(KnowledgeBase::open(directory.clone(), Some(embedder), Rc::new(Native::default()), options))
}

fn settled(embedder: &Named, id: &str) {
    *embedder.id.borrow_mut() = id.into();
}

/// Saves a library with vectors made by a model.
fn kept_by(id: &str) -> Rc<Memory> {
    let directory = Rc::new(Memory::default());
    let kb = open(&directory, Named::of(id), false).unwrap();
    add(&kb, vec![markdown("a.md", "Terminations and notices.")]).unwrap();
    block_on(kb.save()).unwrap();
    directory
}

#[test]
fn a_library_of_another_pooling_is_rejected_once_the_pooling_is_known() {
    for (kept, own, fits) in [
        ("m", "m", true),
        ("m", "m pooling=cls", false),
        ("m pooling=cls", "m pooling=cls", true),
        ("m pooling=cls", "m", false),
    ] {
        let embedder = Named::of("m pooling=?");
        let kb = open(&kept_by(kept), embedder.clone(), false).unwrap();
        let before = kb.fingerprint().unwrap();
        settled(&embedder, own);
        let refused = kb.settle_embedder().map_err(|error| error.code());
        assert_eq!(refused, if fits { Ok(()) } else { Err("embedder_mismatch") }, "{kept} by {own}");
        assert!(!fits || kb.fingerprint().unwrap() == before, "{kept} by {own}");
        assert_eq!(kb.stats().unwrap().embedded, 1);
    }
}

#[test]
fn a_library_of_another_model_is_rejected_immediately_whatever_its_pooling() {
    for kept in ["other", "other pooling=cls", "m2"] {
        let refused = open(&kept_by(kept), Named::of("m pooling=?"), false).map(drop).unwrap_err();
        assert!(matches!(refused, Error::EmbedderMismatch { .. }), "{kept}: {refused}");
    }
}

#[test]
fn vectors_of_another_pooling_are_recomputed_with_reembed_and_saved_under_the_new_id() {
    let directory = kept_by("m");
    let embedder = Named::of("m pooling=?");
    let kb = open(&directory, embedder.clone(), true).unwrap();
    settled(&embedder, "m pooling=cls");
    kb.settle_embedder().unwrap();
    assert_eq!(kb.stats().unwrap().embedded, 0);
    block_on(kb.embed_pending(&Cancel::default(), &|_| {})).unwrap();
    block_on(kb.save()).unwrap();
    assert!(open(&directory, Named::of("m pooling=cls"), false).is_ok());
    assert!(open(&directory, Named::of("m"), false).is_err());
    // Importing vectors of another pooling fails too, before the model is loaded and after.
    let other = open(&kept_by("m"), Named::of("m"), false).unwrap().export().unwrap();
    let waiting = open(&directory, Named::of("m pooling=?"), false).unwrap();
    assert_eq!(block_on(waiting.import(&other)).map_err(|error| error.code()), Err("embedder_mismatch"));
}

#[test]
fn the_error_for_a_single_vector_is_in_the_singular() {
    let none = || Embeddings { dimensions: 0, values: Vec::new(), truncated: Vec::new() };
    let said = |texts: usize| none().into_rows(texts).unwrap_err().to_string();
    assert!(said(1).starts_with("The embedder must return 1 vector, but returned"), "{}", said(1));
    assert!(said(2).starts_with("The embedder must return 2 vectors of one length, but"), "{}", said(2));
}
