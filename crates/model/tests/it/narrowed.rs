//! Weights in floats are read as int8 on request, in both forms of files; int8 weights and heads stay as they are.

use vademecum_kernel::weights::{Layer, Weights};
use vademecum_model::onnx::Model;
use vademecum_model::safetensors;
use vademecum_testing::bert::{self, Output, Shape, onnx};

const WIDTH: usize = 32;

fn weights(is_quantised: bool) -> Weights {
    bert::weights(&Shape { heads: 2, width: WIDTH, inner: 48, layers: 2, is_quantised }, 5)
}

fn assert_equal(found: &Weights, expected: &Weights) {
    assert!(found.words.is_quantised() && found.positions.is_quantised());
    assert_eq!((&found.words, &found.positions), (&expected.words, &expected.positions));
    assert_eq!(found.segments, expected.segments);
    assert_eq!(found.layers.len(), expected.layers.len());
    for (found, expected) in found.layers.iter().zip(&expected.layers) {
        let maps = |layer: &Layer| {
            let Layer { query, key, value, output, inner, outer, .. } = layer.clone();
            [query, key, value, output, inner, outer]
        };
        for (found, expected) in maps(found).iter().zip(&maps(expected)) {
            assert!(found.weights.is_quantised());
            assert_eq!((&found.weights, &found.bias), (&expected.weights, &expected.bias));
        }
    }
}

#[test]
fn both_forms_have_the_same_int8_weights_and_the_heads_of_the_file() {
    let output = Output::logits(WIDTH, 1);
    let file = onnx(&weights(false), &output);
    let (found, head) = Model::parse(file.clone()).unwrap().rounded().with_head("logits").unwrap();
    let (plain, same) = Model::parse(file).unwrap().with_head("logits").unwrap();
    assert_eq!(head, same);
    assert!(!plain.words.is_quantised() && !plain.layers[0].query.weights.is_quantised());
    let expected = Weights {
        layers: plain.layers.iter().cloned().map(Layer::rounded).collect(),
        ..plain.with_rounded_tables()
    };
    assert_equal(&found, &expected);
    let tensors = bert::safetensors(&weights(false), &output);
    let tensors = safetensors::Model::parse(tensors, bert::config(&weights(false)).as_bytes()).unwrap();
    let (found, same) = tensors.rounded().with_head().unwrap();
    assert_eq!(head, same);
    assert_equal(&found, &expected);
}

#[test]
fn int8_weights_of_a_file_stay_as_they_are() {
    let file = onnx(&weights(true), &Output::Tokens);
    let found = Model::parse(file.clone()).unwrap().rounded().encoder("last_hidden_state").unwrap();
    let plain = Model::parse(file).unwrap().encoder("last_hidden_state").unwrap();
    assert_equal(&found, &plain.with_rounded_tables());
}
