//! Recognises multi-head attention over all tokens.

use super::graph::{Graph, whole};
use super::linear::{linear, pair};
use super::proto::Node;
use crate::{Refusal, Result};
use vademecum_kernel::weights::Linear;

/// Attention of one layer.
pub(super) struct Attention<'a> {
    /// The tensor that queries, keys and values are computed from.
    pub(super) input: &'a str,
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) scale: f32,
    pub(super) head_width: usize,
}

/// Recognises `softmax(scale × query × keyᵀ + mask) × value`.
pub(super) fn attention<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<Attention<'a>>> {
    let Some([weights, values]) = pair(graph, graph.skip_arrangement(name), "MatMul") else {
        return Ok(None);
    };
    let weights = without_check_for_nan(graph, graph.skip(weights));
    let softmax = graph.op(weights, "Softmax", 1);
    let over_keys = softmax.filter(|node| matches!(whole(node, "axis").unwrap_or(-1), -1 | 3));
    let Some(scores) = over_keys.and_then(|node| node.input.first()) else { return Ok(None) };
    let scores = unmasked(graph, scores)?;
    let (Some(product), scores) = unscaled(graph, scores, "MatMul") else { return Ok(None) };
    let Some([queries, keys]) = pair(graph, product, "MatMul") else { return Ok(None) };
    let (Some(query), of_query) = unscaled_linear(graph, queries)? else { return Ok(None) };
    let (Some(key), of_key) = unscaled_linear(graph, keys)? else { return Ok(None) };
    let Some(value) = linear(graph, graph.skip_arrangement(values))? else { return Ok(None) };
    let head_width = head_width(graph, queries)
        .ok_or_else(|| Refusal::Other("the number of its attention heads is not in its graph".into()))?;
    let factors = [scores, of_query, of_key].concat();
    let scale = factors.iter().map(|factor| factor.value(graph, head_width)).product::<Option<f32>>();
    let Some(scale) = scale else { return Ok(None) };
    let input = graph.skip(query.0);
    if graph.skip(key.0) != input || graph.skip(value.0) != input {
        return Ok(None);
    }
    Ok(Some(Attention { input, query: query.1, key: key.1, value: value.1, scale, head_width }))
}

/// Skips `Where(IsNaN(x), 0, x)`: rows without any token, which are not computed here.
fn without_check_for_nan<'a>(graph: &'a Graph, name: &'a str) -> &'a str {
    let checked = graph.op(name, "Where", 3).and_then(|node| {
        let [condition, _, otherwise] = node.input.as_slice() else { return None };
        let tested = graph.op(condition, "IsNaN", 1)?.input.first()?;
        (tested == otherwise).then_some(otherwise.as_str())
    });
    checked.map_or(name, |name| graph.skip(name))
}

/// Returns scores before a mask was added to them. The mask is left out, because no padding is computed.
fn unmasked<'a>(graph: &'a Graph, name: &'a str) -> Result<&'a str> {
    let name = graph.skip(name);
    for (scores, mask) in graph.either(name, "Add").into_iter().flatten() {
        let depends = |name: &str| {
            graph.depends_on(name, |node| node.op_type == "MatMul" || node.op_type == "MatMulInteger")
        };
        if !depends(mask) {
            check_mask(graph, mask)?;
            return Ok(graph.skip(scores));
        }
    }
    Ok(name)
}

/// Refuses masks that compare positions: of models whose tokens do not see all others.
fn check_mask(graph: &Graph, mask: &str) -> Result<()> {
    let joins = |node: &Node| {
        let variable = node.input.iter().filter(|input| !graph.is_constant(input)).count();
        match node.op_type.as_str() {
            "Trilu" | "CumSum" => true,
            "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" | "Sub" => variable > 1,
            _ => false,
        }
    };
    if graph.depends_on(mask, joins) {
        return Err(Refusal::Other("its attention mask depends on the positions of tokens".into()));
    }
    Ok(())
}

/// A factor of scores.
#[derive(Clone, Copy)]
enum Factor<'a> {
    Of(&'a str),
    ByDivision(&'a str),
}

impl Factor<'_> {
    fn value(self, graph: &Graph, head_width: usize) -> Option<f32> {
        match self {
            Self::Of(name) => number(graph, name, head_width, 12),
            Self::ByDivision(name) => number(graph, name, head_width, 12).map(f32::recip),
        }
    }
}

/// Evaluates a number that depends on the width of a head at most.
fn number(graph: &Graph, name: &str, head_width: usize, depth: usize) -> Option<f32> {
    let depth = depth.checked_sub(1)?;
    if let Some(constant) = graph.constant(name).ok().flatten() {
        return constant.scalar();
    }
    let node = graph.node(name)?;
    let input = |at: usize| node.input.get(at).and_then(|name| number(graph, name, head_width, depth));
    match node.op_type.as_str() {
        "Cast" | "Identity" | "Squeeze" | "Unsqueeze" | "Reshape" => input(0),
        "Sqrt" => input(0).map(f32::sqrt),
        "Div" => Some(input(0)? / input(1)?),
        // The last entry of a shape of queries or keys is the only one that scores are scaled by.
        "Slice" | "Gather" => {
            let of_shape = node.input.first().is_some_and(|name| graph.op(name, "Shape", 1).is_some());
            of_shape.then_some(head_width as f32)
        }
        _ => None,
    }
}

/// Returns the tensor computed by `op` below multiplications by numbers and changes of arrangement, and the
/// factors.
fn unscaled<'a>(graph: &'a Graph, name: &'a str, op: &str) -> (Option<&'a str>, Vec<Factor<'a>>) {
    let (mut name, mut factors) = (graph.skip_arrangement(name), Vec::new());
    for _ in 0..4 {
        if graph.op(name, op, 1).is_some() {
            return (Some(name), factors);
        }
        let is_tensor = |name: &str| {
            graph
                .depends_on(name, |node| matches!(node.op_type.as_str(), "MatMul" | "MatMulInteger" | "Gemm"))
                && number(graph, name, 1, 12).is_none()
        };
        if let Some([dividend, divisor]) = pair(graph, name, "Div") {
            factors.push(Factor::ByDivision(divisor));
            name = graph.skip_arrangement(dividend);
        } else if let Some([first, second]) = pair(graph, name, "Mul") {
            let (tensor, factor) = if is_tensor(first) { (first, second) } else { (second, first) };
            factors.push(Factor::Of(factor));
            name = graph.skip_arrangement(tensor);
        } else {
            break;
        }
    }
    (None, factors)
}

type Found<'a> = (Option<(&'a str, Linear)>, Vec<Factor<'a>>);

/// Returns the linear map below multiplications by numbers and changes of arrangement, and the factors.
fn unscaled_linear<'a>(graph: &'a Graph, name: &'a str) -> Result<Found<'a>> {
    let (mut name, mut factors) = (graph.skip_arrangement(name), Vec::new());
    for _ in 0..4 {
        if let Some(found) = linear(graph, name)? {
            return Ok((Some(found), factors));
        }
        let Some([first, second]) = pair(graph, name, "Mul").or_else(|| pair(graph, name, "Div")) else {
            break;
        };
        let divides = graph.op(name, "Div", 2).is_some();
        let is_number = |name: &str| number(graph, name, 1, 12).is_some();
        let (tensor, factor) = if is_number(second) { (first, second) } else { (second, first) };
        factors.push(if divides { Factor::ByDivision(factor) } else { Factor::Of(factor) });
        name = graph.skip_arrangement(tensor);
    }
    Ok((None, factors))
}

/// Returns the last entry of the shape that splits queries into heads.
fn head_width<'a>(graph: &'a Graph, mut name: &'a str) -> Option<usize> {
    for _ in 0..12 {
        let node = graph.node(name)?;
        if node.op_type == "Reshape"
            && let Some(shape) = node.input.get(1)
            && let Some(width) = last_entry(graph, shape)
        {
            return Some(width);
        }
        let is_number = |name: &String| number(graph, name, 1, 12).is_some();
        name = node.input.iter().find(|name| !is_number(name))?;
    }
    None
}

fn last_entry(graph: &Graph, shape: &str) -> Option<usize> {
    let entries = match graph.constant(shape).ok()? {
        Some(constant) => constant.whole()?,
        None => {
            let last = graph.op(graph.skip(shape), "Concat", 2)?.input.last()?;
            graph.constant(graph.skip_arrangement(last)).ok()??.whole()?
        }
    };
    usize::try_from(*entries.last()?).ok().filter(|width| *width > 0)
}
