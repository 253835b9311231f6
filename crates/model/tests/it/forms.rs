//! Int8 weights are the same in every form that quantisers write them in.
//!
//! The shipped model, whose form is `Cast(int8) × scale`, is rewritten to the other ones.

use super::reading::{model, read};
use prost::Message;
use vademecum_kernel::matrix::Numbers;
use vademecum_kernel::weights::Weights;
use vademecum_model::Refusal;
use vademecum_model::onnx::proto::{Attribute, Graph, Model, Node, Tensor};

const U8: i32 = 2;
const I8: i32 = 3;

fn node(op_type: &str, input: &[&str], output: &[&str]) -> Node {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Node { op_type: op_type.into(), input: owned(input), output: owned(output), ..Node::default() }
}

fn weight<'a>(graph: &'a mut Graph, name: &str) -> &'a mut Tensor {
    graph.initializer.iter_mut().find(|tensor| tensor.name == name).unwrap()
}

/// Returns the name `x` of every weight `x = Cast(x_q) × x_scale`, and takes these two operators out.
fn take_weights(graph: &mut Graph) -> Vec<String> {
    let scales: Vec<String> = graph.initializer.iter().map(|tensor| tensor.name.clone()).collect();
    let names: Vec<String> =
        scales.iter().filter_map(|name| name.strip_suffix("_scale")).map(str::to_owned).collect();
    graph.node.retain(|node| {
        !names.iter().any(|name| [name.clone(), format!("{name}_f")].contains(&node.output[0]))
    });
    names
}

/// Moves the weights of `name` to unsigned bytes with the zero point 128, and drops the other dimension of its
/// scales. Returns the axis of the scales.
fn make_unsigned(graph: &mut Graph, name: &str) -> i64 {
    let weights = weight(graph, &format!("{name}_q"));
    assert_eq!(weights.data_type, I8);
    weights.data_type = U8;
    weights.raw_data = weights.raw_data.iter().map(|byte| byte.wrapping_add(128)).collect();
    let scale = weight(graph, &format!("{name}_scale"));
    let axis = if scale.dims[0] == 1 { 1 } else { 0 };
    scale.dims = vec![scale.dims[axis]];
    let zeros = vec![128u8; scale.dims[0] as usize];
    let dims = scale.dims.clone();
    let zeros = Tensor {
        name: format!("{name}_zero"),
        dims,
        data_type: U8,
        raw_data: zeros.into(),
        ..Tensor::default()
    };
    graph.initializer.push(zeros);
    axis as i64
}

fn dequantised(graph: &mut Graph) {
    for name in take_weights(graph) {
        let axis = make_unsigned(graph, &name);
        let [q, scale, zero] = ["q", "scale", "zero"].map(|part| format!("{name}_{part}"));
        let mut node = node("DequantizeLinear", &[&q, &scale, &zero], &[&name]);
        node.attribute.push(Attribute { name: "axis".into(), i: axis, r#type: 2, ..Attribute::default() });
        graph.node.insert(0, node);
    }
}

/// Replaces each product with a constant by the operators of dynamic quantisation; tables are dequantised.
fn dynamically_quantised(graph: &mut Graph) {
    dequantised(graph);
    let mut nodes = Vec::new();
    for old in std::mem::take(&mut graph.node) {
        let is_product = old.op_type == "MatMul"
            && graph.initializer.iter().any(|tensor| tensor.name == format!("{}_q", old.input[1]));
        if !is_product {
            nodes.push(old);
            continue;
        }
        let (input, name, output) = (&old.input[0], &old.input[1], &old.output[0]);
        let [q, scale, zero] = ["q", "scale", "zero"].map(|part| format!("{name}_{part}"));
        let [x, x_scale, x_zero, whole, float, both] =
            ["x", "xs", "xz", "w", "f", "s"].map(|part| format!("{output}/{part}"));
        nodes.push(node("DynamicQuantizeLinear", &[input], &[&x, &x_scale, &x_zero]));
        nodes.push(node("MatMulInteger", &[&x, &q, &x_zero, &zero], &[&whole]));
        nodes.push(node("Cast", &[&whole], &[&float]));
        nodes.push(node("Mul", &[&x_scale, &scale], &[&both]));
        nodes.push(node("Mul", &[&float, &both], &[output]));
    }
    graph.node = nodes;
}

fn changed(file: &[u8], change: impl FnOnce(&mut Graph)) -> Result<Weights, Refusal> {
    let mut model = Model::decode(file).unwrap();
    change(model.graph.as_mut().unwrap());
    read(model.encode_to_vec(), None)
}

fn assert_same(found: &Weights, expected: &Weights) {
    assert_eq!((found.heads, found.layers.len()), (expected.heads, expected.layers.len()));
    assert!(found.words == expected.words && found.positions == expected.positions);
    for (found, expected) in found.layers.iter().zip(&expected.layers) {
        let maps = |layer: &vademecum_kernel::weights::Layer| {
            [&layer.query, &layer.key, &layer.value, &layer.output, &layer.inner, &layer.outer]
                .map(|map| (map.weights.clone(), map.bias.clone()))
        };
        assert!(maps(found) == maps(expected));
    }
}

#[test]
fn dequantised_and_dynamically_quantised_weights_are_those_of_the_model() {
    let Some(file) = model() else { return };
    let expected = read(file.clone(), None).unwrap();
    assert_same(&changed(&file, dequantised).unwrap(), &expected);
    assert_same(&changed(&file, dynamically_quantised).unwrap(), &expected);
}

/// Moves the dequantisation of the token table behind its lookup, as onnxruntime's dynamic quantisation does.
fn with_quantised_lookups(graph: &mut Graph, data_type: i32, zero: u8) {
    dynamically_quantised(graph);
    let at = graph.node.iter().position(|node| node.op_type == "Gather" && node.input[1] == "input_ids");
    let lookup = &mut graph.node[at.unwrap()];
    let (table, entries) = (format!("{}_q", lookup.input[0]), lookup.output[0].clone());
    lookup.input[0] = table.clone();
    lookup.output[0] = "found".into();
    let dequantise = node("DequantizeLinear", &["found", "the_scale", "the_zero"], &[&entries]);
    graph.node.insert(at.unwrap() + 1, dequantise);
    weight(graph, &table).data_type = data_type;
    for (name, data_type, raw) in
        [("the_scale", 1, SCALE.to_le_bytes().to_vec()), ("the_zero", data_type, vec![zero])]
    {
        let tensor = Tensor { name: name.into(), data_type, raw_data: raw.into(), ..Tensor::default() };
        graph.initializer.push(tensor);
    }
}

/// The scale of the table of tokens.
const SCALE: f32 = 0.0035;

#[test]
fn tables_that_are_dequantised_after_the_lookup_are_read_exactly() {
    let Some(file) = model() else { return };
    let expected = read(file.clone(), None).unwrap();
    let mut model = Model::decode(file.as_slice()).unwrap();
    dynamically_quantised(model.graph.as_mut().unwrap());
    let graph = model.graph.as_mut().unwrap();
    let lookup = graph.node.iter().find(|node| node.op_type == "Gather" && node.input[1] == "input_ids");
    let table = format!("{}_q", lookup.unwrap().input[0]);
    let bytes = weight(graph, &table).raw_data.clone();
    for (data_type, zero) in [(I8, 0), (U8, 128), (U8, 101), (U8, 0), (I8, 5)] {
        let found = changed(&file, |graph| with_quantised_lookups(graph, data_type, zero)).unwrap();
        assert!(found.layers.len() == expected.layers.len() && found.positions == expected.positions);
        let value = |byte: &u8| {
            let byte = if data_type == U8 { i16::from(*byte) } else { i16::from(*byte as i8) };
            f32::from(byte - i16::from(zero)) * SCALE
        };
        assert!(found.words.floats().iter().copied().eq(bytes.iter().map(value)), "{data_type} {zero}");
        let mut row = vec![0.0; found.width()];
        found.words.copy_row(2129, &mut row);
        assert_eq!(row, found.words.floats()[2129 * row.len()..][..row.len()]);
        assert!(!matches!(found.words.numbers, Numbers::F32(_)), "the table takes four times its memory");
    }
}

#[test]
fn tables_that_are_dequantised_after_the_lookup_with_a_scale_per_column_are_refused() {
    let Some(file) = model() else { return };
    let refused = changed(&file, |graph| {
        with_quantised_lookups(graph, U8, 128);
        let scale = weight(graph, "the_scale");
        scale.dims = vec![384];
        scale.raw_data = SCALE.to_le_bytes().repeat(384).into();
    });
    let Err(Refusal::Other(reason)) = refused else { panic!("the model was read") };
    assert!(reason.contains("`DequantizeLinear`"), "{reason}");
}

#[test]
fn weights_whose_zero_points_cannot_be_read_are_refused() {
    let Some(file) = model() else { return };
    for form in [dequantised, dynamically_quantised] {
        let refused = changed(&file, |graph| {
            form(graph);
            let zeros = weight(graph, "val_118_zero"); // of a linear map of the first layer
            let count = zeros.raw_data.len();
            zeros.data_type = 1;
            zeros.raw_data = [0.5f32.to_le_bytes()].concat().repeat(count).into();
        });
        assert!(matches!(refused, Err(Refusal::Other(_))), "{:?}", refused.map(drop));
    }
}

#[test]
fn positions_that_are_not_counted_from_zero_are_refused() {
    let Some(file) = model() else { return };
    let refused = changed(&file, |graph| {
        let positions = weight(graph, "inner.embeddings.position_ids");
        let mut raw = positions.raw_data.to_vec();
        raw[..8].copy_from_slice(&7i64.to_le_bytes());
        positions.raw_data = raw.into();
    });
    assert_eq!(refused.map(drop), Err(Refusal::Other("its positions are counted in another way".into())));
}

#[test]
fn weights_without_a_number_are_refused_however_many_rows_they_claim() {
    let Some(file) = model() else { return };
    let refused = changed(&file, |graph| {
        let weights = weight(graph, "val_118_q");
        weights.dims = vec![1 << 40, 0];
        weights.raw_data = Vec::new().into();
    });
    assert!(matches!(refused, Err(Refusal::Other(_))), "{:?}", refused.map(drop));
}
