//! Models whose weights are finite, but too large to compute with, are refused when they are loaded: their vectors would be zero, or
//! the same of every text.

use vademecum::encoder::kernel::{KernelEmbedder, KernelPairEncoder, Level, Loaded};
use vademecum::encoder::model_files::ModelFiles;
use vademecum::encoder::onnx::{OnnxOptions, Pooling};
use vademecum::encoder::pair_options::{PairOptions, Task};
use vademecum::error::Result;
use vademecum_kernel::matrix::{Matrix, Numbers};
use vademecum_kernel::weights::Layer;
use vademecum_testing::bert::{self, Output, Shape, linear, onnx, tokenizer};

const WIDTH: usize = 64;
const FACTOR: f32 = 1e37;

/// Returns a model, one of whose matrices is multiplied.
fn model(output: &Output, is_quantised: bool, part: impl Fn(&mut Layer) -> &mut Matrix) -> ModelFiles {
    let shape = Shape { heads: 4, width: WIDTH, inner: 128, layers: 3, is_quantised };
    let mut weights = bert::weights(&shape, 3);
    let matrix = part(&mut weights.layers[1]);
    match &mut matrix.numbers {
        Numbers::F32(numbers)
        | Numbers::I8 { scales: numbers, .. }
        | Numbers::I16 { scales: numbers, .. } => {
            numbers.iter_mut().for_each(|number| *number *= FACTOR);
        }
    }
    ModelFiles::of("made.onnx", onnx(&weights, output))
}

fn embedder(files: ModelFiles, pooling: Option<Pooling>, level: Level) -> Result<()> {
    let (tokens, options) = (tokenizer(), OnnxOptions { pooling, ..OnnxOptions::default() });
    let loaded = KernelEmbedder::load(files, ("tokenizer.json", tokens.as_bytes()), options, level)?;
    assert!(matches!(loaded, Loaded::Kernel(_)));
    Ok(())
}

fn pair_encoder(task: Task, files: ModelFiles, level: Level) -> Result<()> {
    let tokens = tokenizer();
    let file = ("tokenizer.json", tokens.as_bytes());
    let loaded = KernelPairEncoder::load(task, files, file, PairOptions::default(), level)?;
    assert!(matches!(loaded, Loaded::Kernel(_)));
    Ok(())
}

fn assert_refused(result: Result<()>, what: &str) {
    let error = result.expect_err(what);
    assert_eq!(error.code(), "model_corrupt", "{what}: {error}");
    assert!(error.to_string().contains("not two different vectors of finite numbers"), "{what}: {error}");
}

#[test]
fn encoders_whose_weights_overflow_are_refused_with_what_came() {
    type Part = fn(&mut Layer) -> &mut Matrix;
    let parts: [(&str, Part); 4] = [
        ("value", |layer| &mut layer.value.weights),
        ("output", |layer| &mut layer.output.weights),
        ("inner", |layer| &mut layer.inner.weights),
        ("outer", |layer| &mut layer.outer.weights),
    ];
    for level in Level::all() {
        for is_quantised in [false, true] {
            for (name, part) in parts {
                let what = format!("{name} {} {is_quantised}", level.name());
                let files = |output: &Output| model(output, is_quantised, part);
                for pooling in [Pooling::Mean, Pooling::Cls, Pooling::LastToken] {
                    assert_refused(embedder(files(&Output::Tokens), Some(pooling), level), &what);
                }
                let rerank = pair_encoder(Task::Rerank, files(&Output::logits(WIDTH, 1)), level);
                assert_refused(rerank, &what);
                assert_refused(pair_encoder(Task::Read, files(&Output::spans(WIDTH)), level), &what);
            }
        }
    }
}

#[test]
fn a_head_whose_weights_overflow_is_refused() {
    let mut map = linear(2, WIDTH, 5);
    let Numbers::F32(numbers) = &mut map.weights.numbers else { panic!("not full precision") };
    numbers.iter_mut().for_each(|number| *number = number.signum() * f32::MAX);
    let shape = Shape { heads: 4, width: WIDTH, inner: 128, layers: 2, is_quantised: false };
    let weights = bert::weights(&shape, 3);
    let files = ModelFiles::of("made.onnx", onnx(&weights, &Output::Spans(map)));
    let error = pair_encoder(Task::Read, files, Level::best()).unwrap_err();
    assert!(error.code() == "model_corrupt" && error.to_string().contains("computes the logit "), "{error}");
}
