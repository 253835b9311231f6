//! The kernel's sentence vectors are those of the reference, on every level of instructions.

use super::tokenizer::{json, model, reference};
use futures_util::FutureExt;
use vademecum::Result;
use vademecum::cancel::Cancel;
use vademecum::encoder::kernel::{KernelEmbedder, Loaded};
use vademecum::encoder::model_files::ModelFiles;
use vademecum::encoder::onnx::{Backend, Expected, OnnxOptions, Pooling};
use vademecum::encoder::{Embeddings, Kind};
use vademecum::platform::Native;
use vademecum_kernel::simd::Level;

fn load(model: Vec<u8>, options: OnnxOptions, level: Level) -> Option<Result<Loaded>> {
    let tokenizer = json()?;
    let files = ModelFiles::of("model.onnx", model);
    Some(KernelEmbedder::load(files, ("tokenizer.json", &tokenizer), options, level))
}

fn loaded(options: OnnxOptions, level: Level) -> Option<Box<KernelEmbedder>> {
    match load(model()?, options, level)?.unwrap() {
        Loaded::Kernel(embedder) => Some(embedder),
        Loaded::Other(reason) => panic!("not run by the kernel: {reason}"),
    }
}

#[test]
fn vectors_are_cut_to_the_requested_dimensions_and_scaled_again() {
    let cut = |dimensions| OnnxOptions { dimensions, ..OnnxOptions::default() };
    let Some(whole) = loaded(cut(None), Level::best()) else { return };
    let short = loaded(cut(Some(128)), Level::best()).unwrap();
    let texts = ["A tide.".to_owned()];
    let (whole, short) = (embed(&whole, &texts).values, embed(&short, &texts).values);
    assert_eq!(short.len(), 128);
    let length = whole[..128].iter().map(|value| value * value).sum::<f32>().sqrt();
    for (short, whole) in short.iter().zip(&whole) {
        assert!((short - whole / length).abs() < 1e-5);
    }
    let code = |dimensions| {
        load(model().unwrap(), cut(Some(dimensions)), Level::best()).unwrap().map(|_| ()).unwrap_err().code()
    };
    assert_eq!(code(0), "invalid_argument");
    assert_eq!(code(385), "model_unfit");
}

fn embed(embedder: &KernelEmbedder, texts: &[String]) -> Embeddings {
    embedder
        .embed(texts, Kind::Document, &Cancel::default(), &Native::default())
        .now_or_never()
        .unwrap()
        .unwrap()
}

#[test]
fn all_fifty_reference_sentences_have_the_vectors_of_the_reference() {
    let (texts, expected): (Vec<String>, Vec<Vec<f32>>) =
        reference().into_iter().map(|one| (one.text, one.embedding)).unzip();
    for level in Level::all() {
        let Some(embedder) = loaded(OnnxOptions::default(), level) else { return };
        let rows = embed(&embedder, &texts).into_rows(texts.len()).unwrap();
        let cosines = rows
            .iter()
            .zip(&expected)
            .map(|((row, _), expected)| row.iter().zip(expected).map(|(a, b)| a * b).sum::<f32>());
        let least = cosines.fold(1f32, f32::min);
        println!("{}: {least:.5}", level.name());
        assert!(least > 0.99, "{}: {least}", level.name());
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others_and_a_long_one_is_flagged() {
    let options =
        || OnnxOptions { max_tokens: 4_000, document_prefix: "passage: ".into(), ..OnnxOptions::default() };
    let Some(embedder) = loaded(options(), Level::best()) else { return };
    let texts =
        ["A tide.".to_owned(), String::new(), "long ".repeat(600), "The moon pulls the sea.".to_owned()];
    let together = embed(&embedder, &texts);
    // The model has 512 positions, whatever is asked for.
    assert_eq!(together.truncated, [false, false, true, false]);
    let alone: Vec<f32> =
        texts.iter().flat_map(|text| embed(&embedder, std::slice::from_ref(text)).values).collect();
    assert_eq!(together.values, alone);
    assert_eq!(embedder.token_ids(&texts[2]).len(), 512);
    let plain = loaded(OnnxOptions::default(), Level::best()).unwrap();
    assert_eq!(embed(&plain, &["passage: A tide.".to_owned()]).values, together.values[..384]);
}

#[test]
fn the_first_and_the_last_token_are_pooled_on_request() {
    let pooled = |pooling| {
        let options = OnnxOptions { pooling: Some(pooling), ..OnnxOptions::default() };
        let embedder = loaded(options, Level::best())?;
        assert_eq!(embedder.pooling(), pooling);
        Some(embed(&embedder, &["A tide.".to_owned()]).values)
    };
    let Some(mean) = pooled(Pooling::Mean) else { return };
    let (first, last) = (pooled(Pooling::Cls).unwrap(), pooled(Pooling::LastToken).unwrap());
    assert!(mean != first && first != last && last != mean);
}

#[test]
fn tokenizers_of_another_kind_are_left_to_the_runtime() {
    let Some(file) = model() else { return };
    let reason = |loaded: Result<Loaded>| match loaded.unwrap() {
        Loaded::Other(reason) => reason,
        Loaded::Kernel(_) => panic!("it was loaded"),
    };
    let other = br#"{"model":{"type":"Unigram"}}"#;
    let files = ModelFiles::of("model.onnx", file);
    let tokenizer = ("tokenizer.json", other.as_slice());
    let loaded = KernelEmbedder::load(files, tokenizer, OnnxOptions::default(), Level::best());
    assert_eq!(reason(loaded), "its tokenizer is not WordPiece");
}

#[test]
fn a_model_without_the_requested_head_is_refused_because_no_runtime_has_it_either() {
    let Some(file) = model() else { return };
    for backend in [Backend::Auto, Backend::Kernel] {
        let options = OnnxOptions { pooling: Some(Pooling::Model), backend, ..OnnxOptions::default() };
        let error = load(file.clone(), options, Level::best()).unwrap().map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "model_unfit");
        assert!(error.to_string().contains(r#"["last_hidden_state"] hold token vectors alone"#), "{error}");
    }
}

#[test]
fn unfit_models_and_options_are_refused_with_a_code() {
    let Some(file) = model() else { return };
    let code =
        |file: Vec<u8>, options| load(file, options, Level::best()).unwrap().map(|_| ()).unwrap_err().code();
    let short = OnnxOptions { max_tokens: 2, ..OnnxOptions::default() };
    assert_eq!(code(file.clone(), short), "invalid_argument");
    let expecting = |vector| {
        let expected = Some(Expected { text: "A tide.".into(), vector });
        OnnxOptions { expected, ..OnnxOptions::default() }
    };
    assert_eq!(code(file.clone(), expecting(vec![1.0; 384])), "model_unfit");
    assert_eq!(code(file.clone(), expecting(vec![1.0; 3])), "model_unfit");
    assert_eq!(code(file[..file.len() / 2].to_vec(), OnnxOptions::default()), "model_corrupt");
    assert_eq!(code(b"<!doctype html>".to_vec(), OnnxOptions::default()), "model_corrupt");

    let mut tokenizer: serde_json::Value = serde_json::from_slice(&json().unwrap()).unwrap();
    let vocabulary = tokenizer["model"]["vocab"].as_object_mut().unwrap();
    vocabulary.retain(|_, id| id.as_u64().unwrap() < 20_000);
    let tokenizer = tokenizer.to_string();
    let tokenizer = ("tokenizer.json", tokenizer.as_bytes());
    let files = ModelFiles::of("model.onnx", file);
    let error = KernelEmbedder::load(files, tokenizer, OnnxOptions::default(), Level::best()).unwrap_err();
    assert_eq!(error.code(), "tokenizer_mismatch");
}
