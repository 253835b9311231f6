//! A graph by the names of its tensors, and the constants that it derives from its weights.

use super::proto::{self, Node};
use super::tensor::{Constant, Values};
use crate::{Refusal, Result};
use std::collections::{HashMap, HashSet};
use vademecum_kernel::matrix;

/// How many operators a constant may be derived by. Files of exporters need 4.
const DEPTH: usize = 12;

/// A graph whose operators are in order: none uses a tensor that a later one computes.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    producers: HashMap<String, usize>,
    weights: HashMap<String, proto::Tensor>,
    pub(super) outputs: Vec<String>,
}

impl Graph {
    pub(super) fn new(graph: proto::Graph) -> Result<Self> {
        let weights: HashMap<String, proto::Tensor> =
            graph.initializer.into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect();
        let mut known: HashSet<&str> = weights.keys().map(String::as_str).collect();
        known.extend(graph.input.iter().map(|input| input.name.as_str()));
        let mut producers = HashMap::new();
        for (at, node) in graph.node.iter().enumerate() {
            if let Some(input) =
                node.input.iter().find(|name| !name.is_empty() && !known.contains(name.as_str()))
            {
                return Err(Refusal::Corrupt(format!(
                    "nothing computes `{input}`, which `{}` needs",
                    node.op_type
                )));
            }
            for output in &node.output {
                known.insert(output);
                producers.insert(output.clone(), at);
            }
        }
        let outputs = graph.output.into_iter().map(|output| output.name).collect();
        Ok(Self { nodes: graph.node, producers, weights, outputs })
    }

    /// Returns the operator that computes a tensor.
    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(*self.producers.get(name)?)
    }

    /// Returns the operator that computes a tensor, if it is an `op` with at least `inputs` inputs.
    pub(super) fn op(&self, name: &str, op: &str, inputs: usize) -> Option<&Node> {
        self.node(name).filter(|node| node.op_type == op && node.input.len() >= inputs)
    }

    /// Returns the tensor that operators without an effect on its numbers were applied to.
    pub(super) fn skip<'a>(&'a self, mut name: &'a str) -> &'a str {
        while let Some(node) = self.node(name)
            && matches!(node.op_type.as_str(), "Identity" | "Dropout" | "Cast")
            && let Some(input) = node.input.first()
        {
            name = input;
        }
        name
    }

    /// Returns the tensor that operators were applied to which do not change numbers, only their arrangement.
    pub(super) fn skip_arrangement<'a>(&'a self, mut name: &'a str) -> &'a str {
        loop {
            name = self.skip(name);
            match self.node(name) {
                Some(node)
                    if matches!(
                        node.op_type.as_str(),
                        "Reshape" | "Transpose" | "Squeeze" | "Unsqueeze" | "Flatten" | "Expand"
                    ) =>
                {
                    let Some(input) = node.input.first() else { return name };
                    name = input;
                }
                _ => return name,
            }
        }
    }

    /// Returns the inputs of a `Mul` or `Add`, in both orders.
    pub(super) fn either<'a>(&'a self, name: &str, op: &str) -> Option<[(&'a str, &'a str); 2]> {
        match self.op(name, op, 2)?.input.as_slice() {
            [first, second] => Some([(first, second), (second, first)]),
            _ => None,
        }
    }

    /// Returns whether `is` holds for an operator that the numbers of `name` depend on. A shape depends on none.
    pub(super) fn depends_on(&self, name: &str, is: impl Fn(&Node) -> bool) -> bool {
        let (mut seen, mut open) = (HashSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            if let Some(node) = self.node(name) {
                if is(node) {
                    return true;
                }
                if node.op_type != "Shape" {
                    open.extend(node.input.iter().map(String::as_str));
                }
            }
        }
        false
    }

    /// Returns a tensor that no input changes.
    ///
    /// # Errors
    /// [`Refusal`] for weights that cannot be read.
    pub(super) fn constant(&self, name: &str) -> Result<Option<Constant>> {
        self.derived(name, DEPTH)
    }

    /// Returns whether a tensor is a constant, without reading its numbers.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        self.weights.contains_key(name)
            || self.node(name).is_some_and(|node| match node.op_type.as_str() {
                "Constant" => true,
                "Cast" | "Identity" | "Transpose" | "DequantizeLinear" | "Mul" => {
                    node.input.iter().all(|name| self.is_leaf(name, 4))
                }
                _ => false,
            })
    }

    /// Returns the zero points of int8 weights: none where they are left out, `None` where they are not constant
    /// whole numbers of 8 bits. Weights are not read without their zero points, because they would be wrong.
    pub(super) fn zero_points(&self, name: Option<&String>) -> Result<Option<Vec<i16>>> {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(Some(Vec::new())) };
        let zeros = self.constant(name)?.and_then(|zeros| zeros.whole());
        let of_8_bits = |zero: &i64| (-128..=255).contains(zero).then_some(*zero as i16);
        Ok(zeros.and_then(|zeros| zeros.iter().map(of_8_bits).collect()))
    }

    /// Returns whether at most `depth` operators of one input are between a tensor and a weight.
    fn is_leaf(&self, name: &str, depth: usize) -> bool {
        self.weights.contains_key(name)
            || self.node(name).is_some_and(|node| match (node.op_type.as_str(), node.input.as_slice()) {
                ("Constant", _) => true,
                ("Cast" | "Identity" | "Transpose", [input]) => depth > 0 && self.is_leaf(input, depth - 1),
                _ => false,
            })
    }

    fn derived(&self, name: &str, depth: usize) -> Result<Option<Constant>> {
        if let Some(tensor) = self.weights.get(name) {
            return Constant::read(tensor).map(Some);
        }
        let (Some(node), Some(depth)) = (self.node(name), depth.checked_sub(1)) else { return Ok(None) };
        let input = |at: usize| match node.input.get(at) {
            Some(name) if !name.is_empty() => self.derived(name, depth),
            _ => Ok(None),
        };
        match node.op_type.as_str() {
            "Constant" => {
                let tensor = node.attribute.iter().find_map(|attribute| attribute.t.as_ref());
                tensor.map(Constant::read).transpose()
            }
            "Cast" | "Identity" => input(0),
            "Transpose" => Ok(input(0)?.and_then(transposed)),
            "DequantizeLinear" => {
                let (Some(weights), Some(scales)) = (input(0)?, input(1)?) else { return Ok(None) };
                let Some(zeros) = self.zero_points(node.input.get(2))? else { return Ok(None) };
                let axis = whole(node, "axis").unwrap_or(1);
                let axis = if axis < 0 { axis + weights.dims.len() as i64 } else { axis };
                Ok(weights.scaled(&scales.floats(), &zeros, axis.max(0) as usize))
            }
            "Mul" => {
                // Weights × scales: the first of the two in either order.
                let (Some(first), Some(second)) = (input(0)?, input(1)?) else { return Ok(None) };
                let (weights, scales) = if matches!(first.values, Values::Scaled { .. }) {
                    (first, second)
                } else {
                    (second, first)
                };
                let axis = scales.dims.iter().position(|dim| *dim > 1).unwrap_or(0);
                let axis = axis + weights.dims.len().saturating_sub(scales.dims.len());
                Ok(weights.scaled(&scales.floats(), &[], axis))
            }
            _ => Ok(None),
        }
    }
}

/// Returns a setting that is a whole number.
pub(super) fn whole(node: &Node, name: &str) -> Option<i64> {
    node.attribute.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.i)
}

/// Returns a setting that is a number.
pub(super) fn float(node: &Node, name: &str) -> Option<f32> {
    node.attribute.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.f)
}

/// Transposes a matrix; `None` for a tensor of another rank.
fn transposed(constant: Constant) -> Option<Constant> {
    let [rows, columns] = *constant.dims.as_slice() else { return None };
    if rows == 0 || columns == 0 {
        return None; // the other dimension could be of any size
    }
    let values = match constant.values {
        Values::Float(values) => Values::Float(matrix::transposed(&values, columns, rows)),
        Values::Whole(values) => {
            let order = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
            Values::Whole(order.filter_map(|at| values.get(at).copied()).collect())
        }
        Values::Scaled { bytes, sign, zeros, scales, axis } => {
            let bytes = matrix::transposed_bytes(&bytes, columns, rows).into();
            Values::Scaled { bytes, sign, zeros, scales, axis: 1usize.saturating_sub(axis) }
        }
    };
    Some(Constant { dims: vec![columns, rows], values })
}
