//! Model files in the form of safetensors, with the names of BERT's published models.

use super::Output;
use serde_json::json;
use std::collections::BTreeMap;
use vademecum_kernel::matrix::Matrix;
use vademecum_kernel::weights::{Linear, Norm, Weights};

/// Tensors by name: shapes and numbers.
#[derive(Default)]
struct Tensors(BTreeMap<String, (Vec<usize>, Vec<f32>)>);

impl Tensors {
    fn matrix(&mut self, name: &str, matrix: &Matrix) {
        self.0.insert(name.to_owned(), (vec![matrix.rows, matrix.columns], matrix.floats()));
    }

    fn row(&mut self, name: &str, values: &[f32]) {
        self.0.insert(name.to_owned(), (vec![values.len()], values.to_vec()));
    }

    fn linear(&mut self, name: &str, map: &Linear) {
        self.matrix(&format!("{name}.weight"), &map.weights);
        self.row(&format!("{name}.bias"), &map.bias);
    }

    fn norm(&mut self, name: &str, norm: &Norm) {
        self.row(&format!("{name}.weight"), &norm.weights);
        self.row(&format!("{name}.bias"), &norm.bias);
    }

    fn file(&self) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
        for (name, (shape, values)) in &self.0 {
            let start = data.len();
            data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            let tensor = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
            header.insert(name.clone(), tensor);
        }
        let header = serde_json::Value::Object(header).to_string().into_bytes();
        [(header.len() as u64).to_le_bytes().to_vec(), header, data].concat()
    }
}

/// Returns the file of an encoder and what follows its layers.
pub fn safetensors(weights: &Weights, output: &Output) -> Vec<u8> {
    let mut tensors = Tensors::default();
    tensors.matrix("bert.embeddings.word_embeddings.weight", &weights.words);
    tensors.matrix("bert.embeddings.position_embeddings.weight", &weights.positions);
    tensors.matrix("bert.embeddings.token_type_embeddings.weight", weights.segments.as_ref().unwrap());
    tensors.norm("bert.embeddings.LayerNorm", &weights.embedded);
    for (at, layer) in weights.layers.iter().enumerate() {
        let name = |name: &str| format!("bert.encoder.layer.{at}.{name}");
        tensors.linear(&name("attention.self.query"), &layer.query);
        tensors.linear(&name("attention.self.key"), &layer.key);
        tensors.linear(&name("attention.self.value"), &layer.value);
        tensors.linear(&name("attention.output.dense"), &layer.output);
        tensors.norm(&name("attention.output.LayerNorm"), &layer.attended);
        tensors.linear(&name("intermediate.dense"), &layer.inner);
        tensors.linear(&name("output.dense"), &layer.outer);
        tensors.norm(&name("output.LayerNorm"), &layer.mapped);
    }
    match output {
        Output::Tokens | Output::Sentence(_) => {}
        Output::Logits { pooler, classifier } => {
            tensors.linear("bert.pooler.dense", pooler);
            tensors.linear("classifier", classifier);
        }
        Output::Spans(map) => tensors.linear("qa_outputs", map),
    }
    tensors.file()
}

/// Returns the `config.json` of an encoder.
pub fn config(weights: &Weights) -> String {
    json!({
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_attention_heads": weights.heads,
        "num_hidden_layers": weights.layers.len(),
        "hidden_size": weights.width(),
        "intermediate_size": weights.layers.first().map_or(0, |layer| layer.inner.weights.rows),
        "vocab_size": weights.words.rows,
        "max_position_embeddings": weights.positions.rows,
        "layer_norm_eps": weights.embedded.epsilon,
    })
    .to_string()
}

/// Returns the file `model.safetensors` of a module `Dense`.
pub fn dense(map: &Linear) -> Vec<u8> {
    let mut tensors = Tensors::default();
    tensors.linear("linear", map);
    tensors.file()
}
