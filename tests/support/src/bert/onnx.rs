//! Model files in ONNX form, as exporters of transformers write them.

use super::Output;
use super::graph::{Builder, int, ints};
use prost::Message;
use vademecum_kernel::weights::{Layer, Linear, Weights};

/// Returns the file of an encoder and what follows its layers.
pub fn onnx(weights: &Weights, output: &Output) -> Vec<u8> {
    let mut graph = Builder::default();
    for name in ["input_ids", "attention_mask", "token_type_ids"] {
        graph.input(name);
    }
    let mut tokens = embedded(&mut graph, weights);
    let mask = mask(&mut graph);
    for one in &weights.layers {
        tokens = layer(&mut graph, one, weights.heads, &tokens, &mask);
    }
    add(&mut graph, output, &tokens);
    graph.model().encode_to_vec()
}

fn embedded(graph: &mut Builder, weights: &Weights) -> String {
    let words = graph.table(&weights.words);
    let words = graph.op("Gather", &[&words, "input_ids"], vec![int("axis", 0)]);
    let most = weights.positions.rows as i64;
    let all = graph.whole(&[1, most], &(0..most).collect::<Vec<_>>());
    let shape = graph.op("Shape", &["input_ids"], Vec::new());
    let one = graph.whole(&[], &[1]);
    let length = graph.op("Gather", &[&shape, &one], vec![int("axis", 0)]);
    let axis = graph.whole(&[1], &[0]);
    let length = graph.op("Unsqueeze", &[&length, &axis], Vec::new());
    let (start, axes, step) = (graph.whole(&[1], &[0]), graph.whole(&[1], &[1]), graph.whole(&[1], &[1]));
    let positions = graph.op("Slice", &[&all, &start, &length, &axes, &step], Vec::new());
    let table = graph.table(&weights.positions);
    let positions = graph.op("Gather", &[&table, &positions], vec![int("axis", 0)]);
    let table = graph.table(weights.segments.as_ref().unwrap());
    let segments = graph.op("Gather", &[&table, "token_type_ids"], vec![int("axis", 0)]);
    let sum = graph.op("Add", &[&words, &segments], Vec::new());
    let sum = graph.op("Add", &[&sum, &positions], Vec::new());
    graph.norm(&sum, &weights.embedded)
}

/// Adds what is added to scores: a large negative number for padding.
fn mask(graph: &mut Builder) -> String {
    let axes = graph.whole(&[2], &[1, 2]);
    let mask = graph.op("Unsqueeze", &["attention_mask", &axes], Vec::new());
    let mask = graph.op("Cast", &[&mask], vec![int("to", 1)]);
    let (one, large) = (graph.number(1.0), graph.number(-1e9));
    let padding = graph.op("Sub", &[&one, &mask], Vec::new());
    graph.op("Mul", &[&padding, &large], Vec::new())
}

fn layer(graph: &mut Builder, layer: &Layer, heads: usize, input: &str, mask: &str) -> String {
    let head = (layer.query.weights.rows / heads) as i64;
    let split = graph.whole(&[4], &[0, 0, heads as i64, head]);
    let mut part = |map: &Linear, order: &[i64]| {
        let mapped = graph.linear(input, map);
        let mapped = graph.op("Reshape", &[&mapped, &split], Vec::new());
        graph.op("Transpose", &[&mapped], vec![ints("perm", order)])
    };
    let query = part(&layer.query, &[0, 2, 1, 3]);
    let key = part(&layer.key, &[0, 2, 3, 1]);
    let value = part(&layer.value, &[0, 2, 1, 3]);
    let scores = graph.op("MatMul", &[&query, &key], Vec::new());
    let factor = graph.number(layer.scale.recip());
    let scores = graph.op("Div", &[&scores, &factor], Vec::new());
    let scores = graph.op("Add", &[&scores, mask], Vec::new());
    let shares = graph.op("Softmax", &[&scores], vec![int("axis", -1)]);
    let context = graph.op("MatMul", &[&shares, &value], Vec::new());
    let context = graph.op("Transpose", &[&context], vec![ints("perm", &[0, 2, 1, 3])]);
    let joined = graph.whole(&[3], &[0, 0, heads as i64 * head]);
    let context = graph.op("Reshape", &[&context, &joined], Vec::new());
    let output = graph.linear(&context, &layer.output);
    let sum = graph.op("Add", &[&output, input], Vec::new());
    let attended = graph.norm(&sum, &layer.attended);
    let inner = graph.linear(&attended, &layer.inner);
    let inner = gelu(graph, &inner);
    let outer = graph.linear(&inner, &layer.outer);
    let sum = graph.op("Add", &[&outer, &attended], Vec::new());
    graph.norm(&sum, &layer.mapped)
}

fn gelu(graph: &mut Builder, input: &str) -> String {
    let (root, one, half) = (graph.number(2f32.sqrt()), graph.number(1.0), graph.number(0.5));
    let scaled = graph.op("Div", &[input, &root], Vec::new());
    let error = graph.op("Erf", &[&scaled], Vec::new());
    let sum = graph.op("Add", &[&error, &one], Vec::new());
    let product = graph.op("Mul", &[input, &sum], Vec::new());
    graph.op("Mul", &[&product, &half], Vec::new())
}

fn add(graph: &mut Builder, output: &Output, tokens: &str) {
    match output {
        Output::Tokens => graph.output(tokens, "last_hidden_state", &["batch", "sequence", "width"]),
        Output::Sentence(dense) => {
            let mean = mean(graph, tokens);
            let mapped = graph.linear(&mean, dense);
            let mapped = graph.op("Tanh", &[&mapped], Vec::new());
            let length = graph.op("ReduceL2", &[&mapped], vec![ints("axes", &[1]), int("keepdims", 1)]);
            let least = graph.number(1e-12);
            let length = graph.op("Clip", &[&length, &least], Vec::new());
            let shape = graph.op("Shape", &[&mapped], Vec::new());
            let length = graph.op("Expand", &[&length, &shape], Vec::new());
            let unit = graph.op("Div", &[&mapped, &length], Vec::new());
            graph.output(tokens, "token_embeddings", &["batch", "sequence", "width"]);
            graph.output(&unit, "sentence_embedding", &["batch", "dimensions"]);
        }
        Output::Logits { pooler, classifier } => {
            let first = graph.whole(&[], &[0]);
            let first = graph.op("Gather", &[tokens, &first], vec![int("axis", 1)]);
            let pooled = graph.linear(&first, pooler);
            let pooled = graph.op("Tanh", &[&pooled], Vec::new());
            let logits = graph.linear(&pooled, classifier);
            graph.output(&logits, "logits", &["batch", "classes"]);
        }
        Output::Spans(map) => {
            let both = graph.linear(tokens, map);
            let halves = graph.whole(&[2], &[1, 1]);
            let parts: [String; 2] = graph.ops("Split", &[&both, &halves], vec![int("axis", -1)]);
            let axis = graph.whole(&[1], &[-1]);
            for (part, name) in parts.iter().zip(["start_logits", "end_logits"]) {
                let row = graph.op("Squeeze", &[part, &axis], Vec::new());
                graph.output(&row, name, &["batch", "sequence"]);
            }
        }
    }
}

/// Adds the mean over the mask, as sentence-transformers computes it.
fn mean(graph: &mut Builder, tokens: &str) -> String {
    let axis = graph.whole(&[1], &[-1]);
    let mask = graph.op("Unsqueeze", &["attention_mask", &axis], Vec::new());
    let shape = graph.op("Shape", &[tokens], Vec::new());
    let mask = graph.op("Expand", &[&mask, &shape], Vec::new());
    let mask = graph.op("Cast", &[&mask], vec![int("to", 1)]);
    let masked = graph.op("Mul", &[tokens, &mask], Vec::new());
    let axes = graph.whole(&[1], &[1]);
    let sum = graph.op("ReduceSum", &[&masked, &axes], vec![int("keepdims", 0)]);
    let count = graph.op("ReduceSum", &[&mask, &axes], vec![int("keepdims", 0)]);
    let least = graph.number(1e-9);
    let count = graph.op("Clip", &[&count, &least], Vec::new());
    graph.op("Div", &[&sum, &count], Vec::new())
}
