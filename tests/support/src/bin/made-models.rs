//! Writes small models of the BERT kind with random weights to a folder, for tests in a browser.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::PathBuf;
use vademecum_testing::bert::{Output, Shape, config, dense, linear, onnx, safetensors, tokenizer, weights};

const WIDTH: usize = 64;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("the folder"));
    let write = |name: &str, contents: Vec<u8>| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    };
    let shape = |is_quantised| Shape { heads: 4, width: WIDTH, inner: 128, layers: 3, is_quantised };
    let (full, quantised) = (weights(&shape(false), 3), weights(&shape(true), 3));
    let (map, logits, spans) = (linear(48, WIDTH, 9), Output::logits(WIDTH, 1), Output::spans(WIDTH));
    write("tokenizer.json", tokenizer().into_bytes());
    write("reranker.onnx", onnx(&full, &logits));
    write("reranker-int8.onnx", onnx(&quantised, &logits));
    write("reader.onnx", onnx(&full, &spans));
    write("head.onnx", onnx(&full, &Output::Sentence(map.clone())));
    // As sentence-transformers publishes a model: the same head, beside the graph.
    let pooling = r#"{"word_embedding_dimension":64,"pooling_mode_mean_tokens":true}"#;
    let modules = r#"[
        {"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
        {"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
        {"idx":2,"name":"2","path":"2_Dense","type":"sentence_transformers.models.Dense"}
    ]"#;
    let of_dense = r#"{"in_features":64,"out_features":48,"bias":true,"activation_function":"torch.nn.modules.activation.Tanh"}"#;
    write("published/onnx/model.onnx", onnx(&full, &Output::Tokens));
    write("published/model.safetensors", safetensors(&full, &Output::Tokens));
    write("published/config.json", config(&full).into_bytes());
    write("published/modules.json", modules.into());
    write("published/1_Pooling/config.json", pooling.into());
    write("published/2_Dense/config.json", of_dense.into());
    write("published/2_Dense/model.safetensors", dense(&map));
}
