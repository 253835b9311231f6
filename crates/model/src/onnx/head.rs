//! Recognises what a graph computes of its token vectors.

use super::graph::{Graph, whole};
use super::linear::{self, gelu, linear, pair};
use super::proto::Node;
use crate::Result;
use vademecum_kernel::head::{Activation, Dense, Head, Input};

/// How many maps a head may have.
const MAX_MAPS: usize = 8;

/// Recognises linear maps, with a function after each, of the first token's vector, of the mean or of each token
/// vector: returns the tensor of token vectors and the head. A normalisation to unit length at the end is left out.
pub(super) fn head<'a>(graph: &'a Graph, output: &'a str) -> Result<Option<(&'a str, Head)>> {
    let mut name = before_normalisation(graph, output);
    let mut maps = Vec::new();
    while maps.len() <= MAX_MAPS {
        if let Some((tokens, input)) = selected(graph, name)? {
            maps.reverse();
            return Ok(Some((tokens, Head { input, maps })));
        }
        let (activation, below) = activated(graph, name);
        let Some((input, map)) = linear(graph, below)? else { return Ok(None) };
        maps.push(Dense::new(&map, activation));
        name = graph.skip(input);
    }
    Ok(None)
}

/// Recognises one entry of the last dimension of a tensor: returns the tensor and the entry's index.
pub(super) fn entry<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<(&'a str, usize)>> {
    let name = graph.skip_arrangement(name);
    if let Some(node) = graph.op(name, "Split", 1) {
        let is_last = matches!(whole(node, "axis"), Some(-1 | 2));
        let index = node.output.iter().position(|output| output == name);
        let input = node.input.first().map(|input| graph.skip(input));
        return Ok(input.zip(index).filter(|_| is_last));
    }
    for axis in [-1, 2] {
        if let Some(found) = slice(graph, name, axis)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Recognises the vectors that a head maps: returns the tensor of all token vectors, and which are taken.
fn selected<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<(&'a str, Input)>> {
    if linear::norm(graph, name)?.is_some() {
        return Ok(Some((graph.skip(name), Input::EachToken)));
    }
    let arranged = graph.skip_arrangement(name);
    if let Some((tokens, 0)) = slice(graph, arranged, 1)? {
        return Ok(linear::norm(graph, tokens)?.map(|_| (tokens, Input::FirstToken)));
    }
    Ok(mean(graph, name)?.map(|tokens| (tokens, Input::Mean)))
}

/// Recognises one entry of dimension `axis`, by `Gather` or by `Slice`: returns the tensor and the entry's index.
fn slice<'a>(graph: &'a Graph, name: &'a str, axis: i64) -> Result<Option<(&'a str, usize)>> {
    if let Some(node) = graph.op(name, "Gather", 2)
        && let [data, index] = node.input.as_slice()
        && whole(node, "axis").unwrap_or(0) == axis
    {
        let index = graph.constant(index)?.and_then(|index| index.whole());
        return Ok(match index.as_deref() {
            Some([index]) => usize::try_from(*index).ok().map(|index| (graph.skip(data), index)),
            _ => None,
        });
    }
    let Some(node) = graph.op(name, "Slice", 4) else { return Ok(None) };
    let [data, start, end, axes, step @ ..] = node.input.as_slice() else { return Ok(None) };
    let step_is_one = step.first().is_none_or(|step| linear::is_number(graph, step, 1.0));
    let number = |name: &str| -> Result<Option<i64>> {
        let constant = graph.constant(name)?.and_then(|constant| constant.whole());
        Ok(constant.and_then(|values| if let [value] = values.as_slice() { Some(*value) } else { None }))
    };
    let (Some(start), Some(end), Some(over)) = (number(start)?, number(end)?, number(axes)?) else {
        return Ok(None);
    };
    let is_one = over == axis && step_is_one && start >= 0 && end == start + 1;
    Ok(is_one.then_some((graph.skip(data), start as usize)))
}

/// Recognises the mean of token vectors over the tokens of the mask, or over all.
fn mean<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<&'a str>> {
    let name = graph.skip_arrangement(name);
    if let Some(node) = graph.op(name, "ReduceMean", 1)
        && is_over_tokens(graph, node)?
        && let Some(tokens) = node.input.first().map(|tokens| graph.skip(tokens))
    {
        return Ok(linear::norm(graph, tokens)?.map(|_| tokens));
    }
    let Some([sum, count]) = pair(graph, name, "Div") else { return Ok(None) };
    let Some(node) = graph.op(graph.skip_arrangement(sum), "ReduceSum", 1) else { return Ok(None) };
    if !is_over_tokens(graph, node)? || is_computed(graph, count) {
        return Ok(None);
    }
    let Some(masked) = node.input.first() else { return Ok(None) };
    for (tokens, mask) in graph.either(graph.skip(masked), "Mul").into_iter().flatten() {
        let tokens = graph.skip(tokens);
        if !is_computed(graph, mask) && linear::norm(graph, tokens)?.is_some() {
            return Ok(Some(tokens));
        }
    }
    Ok(None)
}

/// Returns whether a tensor depends on the layers. Masks, and what is computed of them, do not.
fn is_computed(graph: &Graph, name: &str) -> bool {
    graph.depends_on(name, |node| matches!(node.op_type.as_str(), "MatMul" | "MatMulInteger" | "Gemm"))
}

/// Returns whether an operator reduces the dimension of tokens alone.
fn is_over_tokens(graph: &Graph, node: &Node) -> Result<bool> {
    let attribute = node.attribute.iter().find(|attribute| attribute.name == "axes");
    let axes = match (attribute, node.input.get(1)) {
        (Some(attribute), _) => Some(attribute.ints.clone()),
        (None, Some(axes)) => graph.constant(axes)?.and_then(|axes| axes.whole()),
        (None, None) => None,
    };
    Ok(axes.is_some_and(|axes| axes == [1]))
}

/// Returns the tensor before it is divided by its length, if it is.
fn before_normalisation<'a>(graph: &'a Graph, name: &'a str) -> &'a str {
    let name = graph.skip(name);
    if let Some(node) = graph.op(name, "LpNormalization", 1)
        && matches!(whole(node, "axis").unwrap_or(-1), -1 | 1)
        && whole(node, "p").unwrap_or(2) == 2
    {
        return node.input.first().map_or(name, |input| graph.skip(input));
    }
    let Some([dividend, divisor]) = pair(graph, name, "Div") else { return name };
    let dividend = graph.skip(dividend);
    match measured(graph, divisor) {
        Some(of) if graph.skip(of) == dividend => dividend,
        _ => name,
    }
}

/// Recognises the length of vectors, kept from being 0: returns the vectors.
fn measured<'a>(graph: &'a Graph, name: &'a str) -> Option<&'a str> {
    let mut name = graph.skip_arrangement(name);
    while let Some(node) = graph.node(name)
        && matches!(node.op_type.as_str(), "Clip" | "Max")
    {
        name = graph.skip_arrangement(node.input.first()?);
    }
    if let Some(node) = graph.op(name, "ReduceL2", 1) {
        return node.input.first().map(String::as_str);
    }
    let sum = graph.op(name, "Sqrt", 1).and_then(|node| node.input.first())?;
    let squares =
        graph.op(graph.skip_arrangement(sum), "ReduceSum", 1).and_then(|node| node.input.first())?;
    let [first, second] = pair(graph, squares, "Mul").or_else(|| pair(graph, squares, "Pow"))?;
    (graph.skip(first) == graph.skip(second) || linear::is_number(graph, second, 2.0)).then_some(first)
}

/// Returns the function that computes a tensor, and what it is applied to.
fn activated<'a>(graph: &'a Graph, name: &'a str) -> (Activation, &'a str) {
    let name = graph.skip(name);
    let input = |op: &str| graph.op(name, op, 1).and_then(|node| node.input.first());
    if let Some(input) = input("Tanh") {
        (Activation::Tanh, graph.skip(input))
    } else if let Some(input) = input("Relu") {
        (Activation::Relu, graph.skip(input))
    } else if let Some(input) = gelu(graph, name) {
        (Activation::Gelu, graph.skip(input))
    } else {
        (Activation::Identity, name)
    }
}
