//! Rerankers, readers and heads by the kernel return what an ONNX runtime returns, on every level of instructions.
//!
//! The models have random weights. The runtime is not part of the repository: `cargo xtask test` downloads it and sets its
//! path.

use futures_util::FutureExt;
use vademecum::cancel::Cancel;
use vademecum::encoder::Kind;
use vademecum::encoder::kernel::{KernelEmbedder, KernelPairEncoder, Level, Loaded};
use vademecum::encoder::model_files::{Activation, ModelFiles};
use vademecum::encoder::onnx::{Backend, OnnxEmbedder, OnnxOptions, OnnxPairEncoder, Pooling};
use vademecum::encoder::pair_options::{PairOptions, Task};
use vademecum::platform::Native;
use vademecum_testing::bert::{self, Output, Shape, linear, onnx, safetensors, tokenizer};

const WIDTH: usize = 64;
const QUESTION: &str = "how does the moon pull the sea";

fn shape(is_quantised: bool) -> Shape {
    Shape { heads: 4, width: WIDTH, inner: 128, layers: 3, is_quantised }
}

fn model(output: &Output, is_quantised: bool) -> ModelFiles {
    ModelFiles::of("made.onnx", onnx(&bert::weights(&shape(is_quantised), 3), output))
}

/// Returns passages of different words and lengths.
fn passages() -> Vec<String> {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    let word = |n: usize| (0..1 + n % 5).map(|at| letter(n * 11 + at * at * 7 + n / 26)).collect::<String>();
    (0..60usize)
        .map(|n| (0..1 + n % 17).map(|at| word(n * 31 + at * (n + 3))).collect::<Vec<_>>().join(" "))
        .collect()
}

fn runtime() -> Option<String> {
    let library = std::env::var("ORT_DYLIB_PATH").ok();
    if library.is_none() {
        println!("skipped: ORT_DYLIB_PATH is not set; `cargo xtask test` sets it");
    }
    library
}

fn kernel(task: Task, files: ModelFiles, level: Level) -> Box<KernelPairEncoder> {
    let tokens = tokenizer();
    let file = ("tokenizer.json", tokens.as_bytes());
    match KernelPairEncoder::load(task, files, file, PairOptions::default(), level).unwrap() {
        Loaded::Kernel(model) => model,
        Loaded::Other(reason) => panic!("not run by the kernel: {reason}"),
    }
}

fn by_runtime(task: Task, library: &str, files: &ModelFiles) -> OnnxPairEncoder {
    let tokens = tokenizer();
    let file = ("tokenizer.json", tokens.as_bytes());
    now(OnnxPairEncoder::load(task, library, files, file, PairOptions::default())).unwrap()
}

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().unwrap()
}

/// Returns the rank correlation of two ratings.
fn rank_correlation(a: &[f32], b: &[f32]) -> f64 {
    let ranks = |values: &[f32]| -> Vec<f64> {
        values.iter().map(|own| values.iter().filter(|other| *other < own).count() as f64).collect()
    };
    let (a, b) = (ranks(a), ranks(b));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (of_a, of_b) = (mean(&a), mean(&b));
    let product = |x: &[f64], of_x: f64, y: &[f64], of_y: f64| {
        x.iter().zip(y).map(|(x, y)| (x - of_x) * (y - of_y)).sum::<f64>()
    };
    product(&a, of_a, &b, of_b) / (product(&a, of_a, &a, of_a) * product(&b, of_b, &b, of_b)).sqrt()
}

#[test]
fn ratings_are_those_of_the_runtime() {
    let Some(library) = runtime() else { return };
    let (cancel, platform) = (Cancel::default(), Native::default());
    for classes in [1, 2] {
        for is_quantised in [false, true] {
            let files = model(&Output::logits(WIDTH, classes), is_quantised);
            let reference = by_runtime(Task::Rerank, &library, &files);
            let expected = now(reference.rate(QUESTION, &passages(), &cancel, &platform)).unwrap();
            let spread = expected.iter().fold(0f32, |most, value| most.max(*value))
                - expected.iter().fold(1f32, |least, value| least.min(*value));
            assert!(spread > 0.05, "the ratings differ: {expected:?}");
            for level in Level::all() {
                let model = kernel(Task::Rerank, files.clone(), level);
                let found = now(model.rate(QUESTION, &passages(), &cancel, &platform)).unwrap();
                assert!(found.iter().all(|rating| rating.is_finite()));
                let difference =
                    found.iter().zip(&expected).fold(0f32, |most, (a, b)| most.max((a - b).abs()));
                let correlation = rank_correlation(&found, &expected);
                println!("{} int8 {is_quantised}: {difference:.5} {correlation:.4}", level.name());
                if is_quantised {
                    assert!(correlation > 0.99, "{}: {correlation}", level.name());
                } else {
                    assert!(difference < 1e-3, "{}: {difference}", level.name());
                }
            }
        }
    }
}

#[test]
fn answers_are_those_of_the_runtime() {
    let Some(library) = runtime() else { return };
    let (cancel, platform) = (Cancel::default(), Native::default());
    let files = model(&Output::spans(WIDTH), false);
    let reference = by_runtime(Task::Read, &library, &files);
    let expected = now(reference.read(QUESTION, &passages(), &cancel, &platform)).unwrap();
    for level in Level::all() {
        let model = kernel(Task::Read, files.clone(), level);
        let found = now(model.read(QUESTION, &passages(), &cancel, &platform)).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            let (found, expected) = (found.as_ref().unwrap(), expected.as_ref().unwrap());
            assert_eq!(found.range, expected.range, "{}", level.name());
            assert!((found.probability - expected.probability).abs() < 1e-3);
        }
    }
    // Answers are whole words of the passage.
    for (answer, passage) in expected.iter().zip(passages()) {
        let text = &passage[answer.as_ref().unwrap().range.clone()];
        assert!(
            !text.is_empty() && format!(" {passage} ").contains(&format!(" {text} ")),
            "{text:?} of {passage:?}"
        );
    }
}

#[test]
fn a_sentence_head_has_the_vectors_of_the_runtime() {
    let Some(library) = runtime() else { return };
    let (cancel, platform) = (Cancel::default(), Native::default());
    let (files, tokens) = (model(&Output::Sentence(linear(48, WIDTH, 9)), false), tokenizer());
    let file = ("tokenizer.json", tokens.as_bytes());
    let options = OnnxOptions { dimensions: Some(32), ..OnnxOptions::default() };
    let reference = now(OnnxEmbedder::load(&library, &files, file, options.clone())).unwrap();
    let expected = now(reference.embed(&passages(), Kind::Document, &cancel, &platform)).unwrap();
    assert_eq!((reference.pooling(), expected.dimensions), (Pooling::Model, 32));
    for level in Level::all() {
        let Loaded::Kernel(embedder) =
            KernelEmbedder::load(files.clone(), file, options.clone(), level).unwrap()
        else {
            panic!("not run by the kernel")
        };
        let found = now(embedder.embed(&passages(), Kind::Document, &cancel, &platform)).unwrap();
        assert_eq!((embedder.pooling(), found.dimensions), (Pooling::Model, 32));
        for (found, expected) in found.values.iter().zip(&expected.values) {
            assert!((found - expected).abs() < 1e-3, "{}", level.name());
        }
    }
}

#[test]
fn a_dense_module_follows_the_pooling_whatever_runs_the_model() {
    let Some(library) = runtime() else { return };
    let (cancel, platform) = (Cancel::default(), Native::default());
    let (dense, tokens) = (linear(48, WIDTH, 9), tokenizer());
    let file = ("tokenizer.json", tokens.as_bytes());
    let embed = |files: &ModelFiles, backend| {
        let options = OnnxOptions { backend, ..OnnxOptions::default() };
        if backend == Backend::OnnxRuntime {
            let embedder = now(OnnxEmbedder::load(&library, files, file, options)).unwrap();
            return now(embedder.embed(&passages(), Kind::Document, &cancel, &platform)).unwrap();
        }
        let loaded = KernelEmbedder::load(files.clone(), file, options, Level::best()).unwrap();
        let Loaded::Kernel(embedder) = loaded else { panic!("not run by the kernel") };
        now(embedder.embed(&passages(), Kind::Document, &cancel, &platform)).unwrap()
    };
    // The same head within the graph.
    let whole = embed(&model(&Output::Sentence(dense.clone()), false), Backend::OnnxRuntime);
    let mut files = model(&Output::Tokens, false);
    files.dense = vec![(Activation::Tanh, bert::dense(&dense))];
    for backend in [Backend::Kernel, Backend::OnnxRuntime] {
        let found = embed(&files, backend);
        assert_eq!(found.dimensions, 48);
        for (found, expected) in found.values.iter().zip(&whole.values) {
            assert!((found - expected).abs() < 1e-3, "{backend:?}");
        }
    }
}

#[test]
fn safetensors_give_the_ratings_of_the_graph() {
    let (cancel, platform) = (Cancel::default(), Native::default());
    let (weights, output) = (bert::weights(&shape(false), 3), Output::logits(WIDTH, 1));
    let files = ModelFiles {
        url: "model.safetensors".into(),
        model: safetensors(&weights, &output),
        config: Some(bert::config(&weights).into_bytes()),
        ..ModelFiles::default()
    };
    let rate = |files: ModelFiles| {
        let model = kernel(Task::Rerank, files, Level::best());
        now(model.rate(QUESTION, &passages(), &cancel, &platform)).unwrap()
    };
    let (of_graph, found) = (rate(model(&output, false)), rate(files));
    assert!(found.iter().zip(&of_graph).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn models_of_another_task_and_damaged_ones_are_refused_with_a_code() {
    let load = |task, files: ModelFiles, backend| {
        let tokens = tokenizer();
        let file = ("tokenizer.json", tokens.as_bytes());
        let options = PairOptions { backend, ..PairOptions::default() };
        KernelPairEncoder::load(task, files, file, options, Level::best())
    };
    // No other back end could run these: they lack the outputs.
    let refused = |task, output| load(task, model(&output, false), Backend::Auto).map(|_| ()).unwrap_err();
    for (task, output, reason) in [
        (Task::Rerank, Output::Tokens, "it is a sentence encoder"),
        (Task::Read, Output::logits(WIDTH, 1), "a reader has `start_logits` and `end_logits`"),
    ] {
        let error = refused(task, output);
        assert_eq!(error.code(), "model_unfit");
        assert!(error.to_string().contains(reason), "{error}");
    }
    let code = |task, files, backend| load(task, files, backend).map(|_| ()).unwrap_err().code();
    assert_eq!(code(Task::Read, model(&Output::logits(WIDTH, 1), false), Backend::Kernel), "model_unfit");
    assert_eq!(code(Task::Rerank, model(&Output::logits(WIDTH, 3), false), Backend::Auto), "model_unfit");
    let mut cut = model(&Output::logits(WIDTH, 1), false);
    cut.model.truncate(500);
    assert_eq!(code(Task::Rerank, cut, Backend::Auto), "model_corrupt");
    let weights = bert::weights(&shape(false), 3);
    let without_config =
        ModelFiles::of("model.safetensors", safetensors(&weights, &Output::logits(WIDTH, 1)));
    assert_eq!(code(Task::Rerank, without_config, Backend::Auto), "model_unfit");
}
