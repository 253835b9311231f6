//! The weights read from a model file are those that the model computes with.
//!
//! The model's file is not part of the repository: `cargo xtask test` downloads it and sets its path.

use prost::Message;
use vademecum_kernel::forward::{Encoder, Scratch, Sequence};
use vademecum_kernel::simd::Level;
use vademecum_kernel::weights::Weights;
use vademecum_model::Refusal;
use vademecum_model::onnx::{Model, proto};
use vademecum_testing::bert::reference::forward;

#[derive(serde::Deserialize)]
struct Reference {
    ids: Vec<u32>,
    embedding: Vec<f32>,
}

pub(crate) fn model() -> Option<Vec<u8>> {
    let Ok(models) = std::env::var("VADEMECUM_MODELS") else {
        println!("skipped: VADEMECUM_MODELS is not set; `cargo xtask test` sets it");
        return None;
    };
    Some(std::fs::read(format!("{models}/all-minilm-l6-v2/model.onnx")).unwrap())
}

/// Reads the encoder whose token vectors are `output`, or the first output.
pub(crate) fn read(file: Vec<u8>, output: Option<&str>) -> Result<Weights, Refusal> {
    let model = Model::parse(file)?;
    let first = model.outputs().first().cloned().unwrap();
    model.encoder(output.unwrap_or(&first))
}

#[test]
fn the_weights_of_the_shipped_model_give_the_reference_embeddings() {
    let Some(file) = model() else { return };
    let weights = read(file, Some("last_hidden_state")).unwrap();
    assert_eq!((weights.layers.len(), weights.heads, weights.width()), (6, 12, 384));
    assert_eq!((weights.words.rows, weights.max_tokens()), (30_522, 512));
    assert!(
        weights.words.is_quantised() && weights.layers.iter().all(|layer| layer.inner.weights.is_quantised())
    );

    let references: Vec<Reference> =
        serde_json::from_str(include_str!("../../../../tests/data/minilm-reference.json")).unwrap();
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    // A fifth of them, since the plain forward pass is slow; the last one has 128 tokens.
    for Reference { ids, embedding } in references.into_iter().skip(2).step_by(5) {
        let tokens = forward(&weights, &ids);
        let mean: Vec<f32> =
            (0..weights.width()).map(|at| tokens.iter().map(|token| token[at]).sum()).collect();
        let lengths = product(&mean, &mean).sqrt() * product(&embedding, &embedding).sqrt();
        let cosine = product(&mean, &embedding) / lengths;
        assert!(cosine > 0.9999, "{} tokens: {cosine}", ids.len());
    }
}

#[test]
fn a_model_with_another_activation_is_refused_with_the_operator_in_the_way() {
    let Some(file) = model() else { return };
    let mut model = proto::Model::decode(file.as_slice()).unwrap();
    let nodes = &mut model.graph.as_mut().unwrap().node;
    nodes.iter_mut().rev().find(|node| node.op_type == "Erf").unwrap().op_type = "Tanh".into();
    let Err(Refusal::Other(reason)) = read(model.encode_to_vec(), None) else { panic!("the model was read") };
    assert!(reason.contains("`Add`"), "{reason}");
}

#[test]
fn damaged_files_are_refused() {
    let Some(file) = model() else { return };
    let cut = file[..file.len() / 2].to_vec();
    assert!(matches!(read(cut, None), Err(Refusal::Corrupt(_))));
    assert!(matches!(read(b"# Notes".to_vec(), None), Err(Refusal::Corrupt(_))));
    assert!(matches!(read(Vec::new(), None), Err(Refusal::Corrupt(_))));

    let mut model = proto::Model::decode(file.as_slice()).unwrap();
    let weights = &mut model.graph.as_mut().unwrap().initializer;
    let bias = weights.iter_mut().find(|tensor| tensor.name.ends_with("query.bias")).unwrap();
    let mut raw = bias.raw_data.to_vec();
    raw[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    bias.raw_data = raw.into();
    let Err(Refusal::Corrupt(reason)) = read(model.encode_to_vec(), None) else {
        panic!("the model was read")
    };
    assert!(reason.contains("query"), "{reason}");
}

#[test]
fn a_graph_whose_operators_need_each_other_is_refused() {
    let node = |input: &str, output: &str| proto::Node {
        input: vec![input.into()],
        output: vec![output.into()],
        op_type: "Identity".into(),
        ..proto::Node::default()
    };
    let graph = proto::Graph {
        node: vec![node("a", "b"), node("b", "a")],
        output: vec![proto::ValueInfo { name: "b".into(), ..proto::ValueInfo::default() }],
        ..proto::Graph::default()
    };
    let model = proto::Model { graph: Some(graph), ..proto::Model::default() };
    let refused = Err(Refusal::Corrupt("nothing computes `a`, which `Identity` needs".into()));
    assert_eq!(read(model.encode_to_vec(), None).map(drop), refused);
}

#[test]
fn the_shipped_model_keeps_its_directions_on_every_level() {
    let Some(file) = model() else { return };
    let weights = read(file, Some("last_hidden_state")).unwrap();
    let ids: Vec<u32> = [101, 2129, 2079, 1045, 25141, 1037, 4274, 1029, 102].into();
    let expected = forward(&weights, &ids);
    for level in Level::all() {
        let encoder = Encoder::new(weights.clone(), level);
        let mut scratch = Scratch::default();
        let found = encoder.forward(&[Sequence::of(&ids)], &mut scratch).unwrap();
        for (found, expected) in found.chunks_exact(384).zip(&expected) {
            let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let cosine =
                product(found, expected) / (product(found, found) * product(expected, expected)).sqrt();
            assert!(cosine > 0.99, "{}: {cosine}", level.name());
        }
    }
}
