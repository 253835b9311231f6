//! The option `weights` rounds weights in floats as a model is loaded by the kernel, and is refused where the kernel does not run it.

use futures_util::FutureExt;
use vademecum::cancel::Cancel;
use vademecum::encoder::Kind;
use vademecum::encoder::kernel::{KernelEmbedder, KernelPairEncoder, Level, Loaded};
use vademecum::encoder::model_files::ModelFiles;
use vademecum::encoder::native::NativeEmbedder;
use vademecum::encoder::onnx::{Backend, OnnxOptions, OnnxPairEncoder};
use vademecum::encoder::onnx_options::Rounding;
use vademecum::encoder::pair_options::{PairOptions, Task};
use vademecum::error::Error;
use vademecum::platform::Native;
use vademecum_testing::bert::{self, Output, Shape, onnx, tokenizer};

const WIDTH: usize = 64;

fn model(output: &Output) -> ModelFiles {
    let shape = Shape { heads: 4, width: WIDTH, inner: 128, layers: 3, is_quantised: false };
    ModelFiles::of("made.onnx", onnx(&bert::weights(&shape, 3), output))
}

fn options(weights: Option<Rounding>, backend: Backend) -> OnnxOptions {
    OnnxOptions { weights, backend, ..OnnxOptions::default() }
}

fn native(files: &ModelFiles, tokenizer: &str, backend: Backend) -> Error {
    let tokenizer = ("tokenizer.json", tokenizer.as_bytes());
    let options = options(Some(Rounding::Int8), backend);
    let loading = NativeEmbedder::load("no such library", files, tokenizer, options, Level::best());
    loading.now_or_never().unwrap().map(|_| ()).unwrap_err()
}

#[test]
fn rounded_vectors_differ_from_those_of_the_file_and_are_close_to_them() {
    let texts = ["the moon pulls the sea", "a cold kitchen", "owls"].map(str::to_owned);
    let tokens = tokenizer();
    let vectors = |weights, level| {
        let file = ("tokenizer.json", tokens.as_bytes());
        let options = options(weights, Backend::Kernel);
        let Loaded::Kernel(embedder) =
            KernelEmbedder::load(model(&Output::Tokens), file, options, level).unwrap()
        else {
            panic!("not run by the kernel")
        };
        let (cancel, platform) = (Cancel::default(), Native::default());
        let made = embedder.embed(&texts, Kind::Document, &cancel, &platform).now_or_never().unwrap();
        made.unwrap().into_rows(texts.len()).unwrap()
    };
    for level in Level::all() {
        let (full, rounded) = (vectors(None, level), vectors(Some(Rounding::Int8), level));
        for ((full, _), (rounded, _)) in full.iter().zip(&rounded) {
            let cosine: f32 = full.iter().zip(rounded).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.995, "{}: {cosine}", level.name());
            assert_ne!(full, rounded, "{}", level.name());
        }
    }
}

#[test]
fn rounding_for_the_onnx_runtime_is_refused_before_it_is_loaded() {
    let tokens = tokenizer();
    let error = native(&model(&Output::Tokens), &tokens, Backend::OnnxRuntime);
    assert_eq!(error.code(), "invalid_argument");
    assert!(error.to_string().contains("the kernel alone rounds weights"), "{error}");
    let options = PairOptions { weights: Some(Rounding::Int8), ..PairOptions::default() };
    let (files, tokenizer) = (model(&Output::logits(WIDTH, 1)), ("tokenizer.json", tokens.as_bytes()));
    let loading = OnnxPairEncoder::load(Task::Rerank, "no such library", &files, tokenizer, options.clone());
    assert_eq!(loading.now_or_never().unwrap().unwrap_err().code(), "invalid_argument");
    let loaded = KernelPairEncoder::load(Task::Rerank, files, tokenizer, options, Level::best()).unwrap();
    assert!(matches!(loaded, Loaded::Kernel(_)));
}

#[test]
fn a_model_that_the_kernel_does_not_run_is_unfit_for_rounding_instead_of_left_to_the_runtime() {
    let error = native(&model(&Output::Tokens), r#"{"model":{"type":"Unigram"}}"#, Backend::Auto);
    assert_eq!(error.code(), "model_unfit");
    let text = error.to_string();
    assert!(text.contains("which alone rounds `weights`, does not run it"), "{text}");
}
