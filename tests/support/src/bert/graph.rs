//! Builds the graph of a model file operator by operator.

use vademecum_kernel::matrix::{Matrix, Numbers};
use vademecum_kernel::weights::{Linear, Norm};
use vademecum_model::onnx::proto::{Attribute, Graph, Model, Node, Opset, Tensor, ValueInfo};

const F32: i32 = 1;
const I8: i32 = 3;
const I64: i32 = 7;

/// A graph that grows; tensors are known by their names.
#[derive(Default)]
pub(super) struct Builder {
    graph: Graph,
    names: usize,
}

impl Builder {
    /// Adds an input of whole numbers, `batch × sequence`.
    pub(super) fn input(&mut self, name: &str) {
        self.graph.input.push(info(name, I64, &["batch", "sequence"]));
    }

    /// Names a tensor as an output with these dimensions.
    pub(super) fn output(&mut self, tensor: &str, name: &str, dims: &[&str]) {
        self.node("Identity", &[tensor], Vec::new(), &[name.to_owned()]);
        self.graph.output.push(info(name, F32, dims));
    }

    /// Adds an operator; returns its output.
    pub(super) fn op(&mut self, op: &str, inputs: &[&str], attributes: Vec<Attribute>) -> String {
        let output = self.name(op);
        self.node(op, inputs, attributes, std::slice::from_ref(&output));
        output
    }

    /// Adds an operator of several outputs.
    pub(super) fn ops<const N: usize>(
        &mut self,
        op: &str,
        inputs: &[&str],
        attributes: Vec<Attribute>,
    ) -> [String; N] {
        let outputs = std::array::from_fn(|_| self.name(op));
        self.node(op, inputs, attributes, &outputs);
        outputs
    }

    pub(super) fn floats(&mut self, dims: &[i64], values: &[f32]) -> String {
        self.tensor(F32, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    pub(super) fn whole(&mut self, dims: &[i64], values: &[i64]) -> String {
        self.tensor(I64, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    pub(super) fn number(&mut self, value: f32) -> String {
        self.floats(&[], &[value])
    }

    /// Adds a table, a row per entry; int8 rows are dequantised.
    pub(super) fn table(&mut self, table: &Matrix) -> String {
        let dims = [table.rows as i64, table.columns as i64];
        match &table.numbers {
            Numbers::F32(_) | Numbers::I16 { .. } => self.floats(&dims, &table.floats()),
            Numbers::I8 { values, scales } => {
                let whole = self.tensor(I8, &dims, values.iter().map(|value| *value as u8).collect());
                let scales = self.floats(&[dims[0]], scales);
                self.op("DequantizeLinear", &[&whole, &scales], vec![int("axis", 0)])
            }
        }
    }

    /// Adds a linear map of `input`; int8 weights are multiplied with dynamically quantised activations.
    pub(super) fn linear(&mut self, input: &str, map: &Linear) -> String {
        let Matrix { rows, columns, numbers } = &map.weights;
        let dims = [*columns as i64, *rows as i64];
        let product = match numbers {
            Numbers::F32(_) | Numbers::I16 { .. } => {
                let weights = self.floats(&dims, &transposed(&map.weights.floats(), *columns));
                self.op("MatMul", &[input, &weights], Vec::new())
            }
            Numbers::I8 { values, scales } => {
                let bytes = transposed(values, *columns).iter().map(|value| *value as u8).collect();
                let weights = self.tensor(I8, &dims, bytes);
                let scales = self.floats(&[dims[1]], scales);
                let [quantised, scale, zero] = self.ops("DynamicQuantizeLinear", &[input], Vec::new());
                let whole = self.op("MatMulInteger", &[&quantised, &weights, &zero], Vec::new());
                let float = self.op("Cast", &[&whole], vec![int("to", i64::from(F32))]);
                let both = self.op("Mul", &[&scale, &scales], Vec::new());
                self.op("Mul", &[&float, &both], Vec::new())
            }
        };
        let bias = self.floats(&[*rows as i64], &map.bias);
        self.op("Add", &[&bias, &product], Vec::new())
    }

    pub(super) fn norm(&mut self, input: &str, norm: &Norm) -> String {
        let width = [norm.weights.len() as i64];
        let (weights, bias) = (self.floats(&width, &norm.weights), self.floats(&width, &norm.bias));
        let attributes = vec![int("axis", -1), float("epsilon", norm.epsilon)];
        self.op("LayerNormalization", &[input, &weights, &bias], attributes)
    }

    /// Returns the file.
    pub(super) fn model(mut self) -> Model {
        self.graph.name = "made".into();
        let opset = Opset { domain: String::new(), version: 17 };
        Model { ir_version: 8, graph: Some(self.graph), opset_import: vec![opset] }
    }

    fn node(&mut self, op: &str, inputs: &[&str], attribute: Vec<Attribute>, output: &[String]) {
        let input = inputs.iter().map(|name| (*name).to_owned()).collect();
        let node = Node { input, output: output.to_vec(), op_type: op.into(), attribute, ..Node::default() };
        self.graph.node.push(node);
    }

    fn tensor(&mut self, data_type: i32, dims: &[i64], raw: Vec<u8>) -> String {
        let name = self.name("weights");
        let tensor = Tensor {
            name: name.clone(),
            dims: dims.to_vec(),
            data_type,
            raw_data: raw.into(),
            ..Tensor::default()
        };
        self.graph.initializer.push(tensor);
        name
    }

    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}_{}", self.names)
    }
}

pub(super) fn int(name: &str, i: i64) -> Attribute {
    Attribute { name: name.into(), i, r#type: 2, ..Attribute::default() }
}

pub(super) fn ints(name: &str, ints: &[i64]) -> Attribute {
    Attribute { name: name.into(), ints: ints.to_vec(), r#type: 7, ..Attribute::default() }
}

fn float(name: &str, f: f32) -> Attribute {
    Attribute { name: name.into(), f, r#type: 1, ..Attribute::default() }
}

fn transposed<T: Copy>(values: &[T], columns: usize) -> Vec<T> {
    (0..columns).flat_map(|column| values.iter().skip(column).step_by(columns)).copied().collect()
}

/// Returns a field of a message with a length.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    assert!(bytes.len() < 128);
    [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
}

/// Describes an input or output whose dimensions are named, or numbers.
fn info(name: &str, element: i32, dims: &[&str]) -> ValueInfo {
    let dim = |dim: &&str| match dim.parse::<u8>() {
        Ok(number) if number < 128 => field(1, &[1 << 3, number]),
        _ => field(1, &field(2, dim.as_bytes())),
    };
    let shape: Vec<u8> = dims.iter().flat_map(dim).collect();
    let tensor = [vec![1 << 3, element as u8], field(2, &shape)].concat();
    ValueInfo { name: name.into(), r#type: field(1, &tensor).into() }
}
