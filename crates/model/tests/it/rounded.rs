//! Models in 16-bit floats have the numbers of the full-precision model, each rounded to 16 bits, in both forms of files.

use half::f16;
use prost::Message;
use vademecum_kernel::matrix::Matrix;
use vademecum_kernel::weights::Weights;
use vademecum_model::onnx::{Model, proto};
use vademecum_model::safetensors;
use vademecum_testing::bert::{self, Output, Shape};

const WIDTH: usize = 32;
const F32: i32 = 1;
const F16: i32 = 10;

fn weights() -> Weights {
    bert::weights(&Shape { heads: 2, width: WIDTH, inner: 48, layers: 2, is_quantised: false }, 5)
}

fn halved(raw: &[u8]) -> Vec<u8> {
    let halve = |bytes: &[u8; 4]| f16::from_f32(f32::from_le_bytes(*bytes)).to_le_bytes();
    raw.as_chunks().0.iter().flat_map(halve).collect()
}

/// Rewrites the tensors of a graph to 16-bit floats: as bytes, or one by one as the file's whole numbers.
fn graph(as_bytes: bool) -> Vec<u8> {
    let mut model = proto::Model::decode(bert::onnx(&weights(), &Output::Tokens).as_slice()).unwrap();
    let graph = model.graph.as_mut().unwrap();
    let floats = |tensor: &&mut proto::Tensor| tensor.data_type == F32 && !tensor.raw_data.is_empty();
    let mut changed = 0;
    for tensor in graph.initializer.iter_mut().filter(floats) {
        let raw = halved(&tensor.raw_data);
        tensor.data_type = F16;
        tensor.raw_data = Vec::new().into();
        if as_bytes {
            tensor.raw_data = raw.into();
        } else {
            tensor.int32_data =
                raw.as_chunks().0.iter().map(|bytes| i32::from(u16::from_le_bytes(*bytes))).collect();
        }
        changed += 1;
    }
    assert!(changed > 30, "{changed} tensors");
    model.encode_to_vec()
}

/// Rewrites a file in the form of safetensors to 16-bit floats.
fn tensors() -> Vec<u8> {
    let file = bert::safetensors(&weights(), &Output::Tokens);
    let (length, rest) = file.split_first_chunk::<8>().unwrap();
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header).unwrap();
    for tensor in header.values_mut().filter(|tensor| tensor["dtype"] == "F32") {
        tensor["dtype"] = "F16".into();
        for place in tensor["data_offsets"].as_array_mut().unwrap() {
            *place = (place.as_u64().unwrap() / 2).into();
        }
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes(), header.as_slice(), &halved(data)].concat()
}

fn assert_rounded(found: &Weights) {
    let expected = weights();
    let rounded =
        |values: &[f32]| -> Vec<f32> { values.iter().map(|value| f16::from_f32(*value).to_f32()).collect() };
    let is_rounded = |found: &Matrix, expected: &Matrix| found.floats() == rounded(&expected.floats());
    assert!(is_rounded(&found.words, &expected.words) && is_rounded(&found.positions, &expected.positions));
    assert_ne!(found.words.floats(), expected.words.floats(), "nothing was rounded");
    assert_eq!(found.layers.len(), expected.layers.len());
    for (found, expected) in found.layers.iter().zip(&expected.layers) {
        for (found, expected) in [(&found.query, &expected.query), (&found.outer, &expected.outer)] {
            assert!(is_rounded(&found.weights, &expected.weights));
            assert_eq!(found.bias, rounded(&expected.bias));
        }
        assert_eq!(found.mapped.weights, rounded(&expected.mapped.weights));
    }
}

#[test]
fn graphs_in_16_bit_floats_are_read() {
    for as_bytes in [true, false] {
        assert_rounded(&Model::parse(graph(as_bytes)).unwrap().encoder("last_hidden_state").unwrap());
    }
}

#[test]
fn safetensors_in_16_bit_floats_are_read() {
    let model = safetensors::Model::parse(tensors(), bert::config(&weights()).as_bytes()).unwrap();
    assert_rounded(&model.encoder().unwrap());
}

#[test]
fn a_file_of_16_bit_floats_that_is_cut_is_corrupt() {
    let file = tensors();
    let cut = file[..file.len() - 2].to_vec();
    let refused = safetensors::Model::parse(cut, bert::config(&weights()).as_bytes()).map(|_| ());
    assert!(matches!(refused, Err(vademecum_model::Refusal::Corrupt(_))), "{refused:?}");
}
