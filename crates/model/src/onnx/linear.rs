//! Recognises linear maps, layer normalisations and the exact GELU.

use super::graph::{Graph, float, whole};
use super::proto::Node;
use crate::Result;
use vademecum_kernel::weights::{Linear, Norm};

/// Returns the input and the weights of a linear map: `MatMul` and `Add`, `Gemm`, or their dynamically quantised
/// form.
pub(super) fn linear<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<(&'a str, Linear)>> {
    let name = graph.skip(name);
    if let Some(node) = graph.op(name, "Gemm", 2) {
        return gemm(graph, node);
    }
    for (product, bias) in graph.either(name, "Add").into_iter().flatten() {
        if !graph.is_constant(bias) {
            continue;
        }
        let (Some(bias), Some((input, mut map))) = (graph.constant(bias)?, product_of(graph, product)?)
        else {
            continue;
        };
        map.bias = bias.floats();
        return Ok(Some((input, map)));
    }
    product_of(graph, name)
}

/// Returns the input and the weights of a product with a constant matrix; the bias is zero.
fn product_of<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<(&'a str, Linear)>> {
    let name = graph.skip_arrangement(name);
    let found = if let Some(node) = graph.op(name, "MatMul", 2)
        && let [input, weights, ..] = node.input.as_slice()
        && graph.is_constant(weights)
    {
        graph
            .constant(weights)?
            .and_then(|weights| weights.matrix(false))
            .map(|weights| (input.as_str(), weights))
    } else {
        quantised_product(graph, name)?
    };
    Ok(found.map(|(input, weights)| {
        let bias = vec![0.0; weights.rows];
        (input, Linear { weights, bias })
    }))
}

/// Recognises `Cast(MatMulInteger(quantised input, weights)) × (scale of the input × scale of the weights)`.
fn quantised_product<'a>(
    graph: &'a Graph,
    name: &'a str,
) -> Result<Option<(&'a str, vademecum_kernel::matrix::Matrix)>> {
    for (product, scales) in graph.either(name, "Mul").into_iter().flatten() {
        let Some(node) = graph.op(graph.skip(product), "MatMulInteger", 2) else { continue };
        let [activations, weights, zeros @ ..] = node.input.as_slice() else { continue };
        let Some(quantiser) = graph.op(activations, "DynamicQuantizeLinear", 1) else { continue };
        let Some(zeros) = graph.zero_points(zeros.get(1))? else { continue };
        for (first, second) in graph.either(graph.skip(scales), "Mul").into_iter().flatten() {
            if quantiser.output.get(1).is_none_or(|scale| scale != first) || !graph.is_constant(second) {
                continue;
            }
            let (Some(weights), Some(scales)) = (graph.constant(weights)?, graph.constant(second)?) else {
                continue;
            };
            let matrix =
                weights.scaled(&scales.floats(), &zeros, 1).and_then(|weights| weights.matrix(false));
            let input = quantiser.input.first().map(String::as_str);
            return Ok(input.zip(matrix));
        }
    }
    Ok(None)
}

fn gemm<'a>(graph: &'a Graph, node: &'a Node) -> Result<Option<(&'a str, Linear)>> {
    let [input, weights, bias @ ..] = node.input.as_slice() else { return Ok(None) };
    let is_plain = [float(node, "alpha"), float(node, "beta")].iter().flatten().all(|factor| *factor == 1.0)
        && whole(node, "transA").unwrap_or(0) == 0;
    if !is_plain || !graph.is_constant(weights) {
        return Ok(None);
    }
    let by_output = whole(node, "transB").unwrap_or(0) == 1;
    let Some(weights) = graph.constant(weights)?.and_then(|weights| weights.matrix(by_output)) else {
        return Ok(None);
    };
    let bias = match bias.first() {
        Some(name) => match graph.constant(name)? {
            Some(bias) => bias.floats(),
            None => return Ok(None),
        },
        None => vec![0.0; weights.rows],
    };
    Ok(Some((input, Linear { weights, bias })))
}

/// Returns the input and the weights of a layer normalisation, as one operator or as its parts.
pub(super) fn norm<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<(&'a str, Norm)>> {
    let name = graph.skip(name);
    if let Some(node) = graph.op(name, "LayerNormalization", 3) {
        let [input, weights, bias] = node.input.as_slice() else { return Ok(None) };
        let (Some(weights), Some(bias)) = (graph.constant(weights)?, graph.constant(bias)?) else {
            return Ok(None);
        };
        let epsilon = float(node, "epsilon").unwrap_or(1e-5);
        let norm = Norm { weights: weights.floats(), bias: bias.floats(), epsilon };
        return Ok((whole(node, "axis").unwrap_or(-1) == -1).then_some((input, norm)));
    }
    for (scaled, bias) in graph.either(name, "Add").into_iter().flatten() {
        for (divided, weights) in graph.either(graph.skip(scaled), "Mul").into_iter().flatten() {
            if !graph.is_constant(bias) || !graph.is_constant(weights) {
                continue;
            }
            let Some((input, epsilon)) = standardised(graph, divided)? else { continue };
            let (Some(weights), Some(bias)) = (graph.constant(weights)?, graph.constant(bias)?) else {
                continue;
            };
            return Ok(Some((input, Norm { weights: weights.floats(), bias: bias.floats(), epsilon })));
        }
    }
    Ok(None)
}

/// Recognises `(x - mean(x)) / sqrt(mean((x - mean(x))²) + epsilon)`: returns x and epsilon.
fn standardised<'a>(graph: &'a Graph, name: &'a str) -> Result<Option<(&'a str, f32)>> {
    let Some([centred, root]) = pair(graph, name, "Div") else { return Ok(None) };
    let Some([input, mean]) = pair(graph, centred, "Sub") else { return Ok(None) };
    let Some(sum) = graph.op(graph.skip(root), "Sqrt", 1).and_then(|node| node.input.first()) else {
        return Ok(None);
    };
    let is_mean_of = |name: &str, of: &str| {
        graph
            .op(graph.skip(name), "ReduceMean", 1)
            .and_then(|node| node.input.first())
            .is_some_and(|input| graph.skip(input) == graph.skip(of))
    };
    for (variance, epsilon) in graph.either(graph.skip(sum), "Add").into_iter().flatten() {
        let square = graph.op(graph.skip(variance), "ReduceMean", 1).and_then(|node| node.input.first());
        let Some(square) = square else { continue };
        let is_square = pair(graph, square, "Pow").or_else(|| pair(graph, square, "Mul")).is_some_and(
            |[first, second]| {
                graph.skip(first) == graph.skip(centred)
                    && (graph.skip(second) == graph.skip(centred) || is_number(graph, second, 2.0))
            },
        );
        let epsilon = graph.constant(epsilon)?.and_then(|epsilon| epsilon.scalar());
        if is_square
            && is_mean_of(mean, input)
            && let Some(epsilon) = epsilon
        {
            return Ok(Some((input, epsilon)));
        }
    }
    Ok(None)
}

/// Returns the input of `x / 2 × (1 + erf(x / √2))`, in any order of its products, or of the operator `Gelu`.
pub(super) fn gelu<'a>(graph: &'a Graph, name: &'a str) -> Option<&'a str> {
    let name = graph.skip(name);
    if let Some(node) = graph.op(name, "Gelu", 1) {
        let approximates = node.attribute.iter().any(|attribute| attribute.name == "approximate");
        return node.input.first().map(String::as_str).filter(|_| !approximates);
    }
    let (factor, parts) = product(graph, name)?;
    let [first, second] = *parts.as_slice() else { return None };
    for (input, one_more) in [(first, second), (second, first)] {
        for (error, one) in graph.either(one_more, "Add").into_iter().flatten() {
            let Some(scaled) = graph.op(graph.skip(error), "Erf", 1).and_then(|node| node.input.first())
            else {
                continue;
            };
            let (inner, of) = product(graph, scaled)?;
            let is_right =
                (inner - std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-3 && (factor - 0.5).abs() < 1e-3;
            if is_right && is_number(graph, one, 1.0) && of == [input] {
                return Some(input);
            }
        }
    }
    None
}

/// Splits a product into its constant factor and the other ones, up to 4 of them.
pub(super) fn product<'a>(graph: &'a Graph, name: &'a str) -> Option<(f32, Vec<&'a str>)> {
    let (mut factor, mut parts, mut open) = (1.0, Vec::new(), vec![name]);
    while let Some(name) = open.pop() {
        let name = graph.skip(name);
        let number = |name: &str| graph.constant(name).ok().flatten().and_then(|constant| constant.scalar());
        if let Some(node) = graph.op(name, "Div", 2)
            && let [dividend, divisor] = node.input.as_slice()
            && let Some(divisor) = number(divisor)
        {
            factor /= divisor;
            open.push(dividend);
        } else if let Some(node) = graph.op(name, "Mul", 2) {
            for part in &node.input {
                match graph.is_constant(part).then(|| number(part)).flatten() {
                    Some(number) => factor *= number,
                    None => open.push(part),
                }
            }
        } else {
            parts.push(name);
        }
        if open.len() + parts.len() > 4 {
            return None;
        }
    }
    Some((factor, parts))
}

/// Returns the two inputs of an operator.
pub(super) fn pair<'a>(graph: &'a Graph, name: &str, op: &str) -> Option<[&'a str; 2]> {
    match graph.op(graph.skip(name), op, 2)?.input.as_slice() {
        [first, second] => Some([first, second]),
        _ => None,
    }
}

/// Returns whether a tensor is one constant number.
pub(super) fn is_number(graph: &Graph, name: &str, value: f32) -> bool {
    let constant = graph.constant(graph.skip(name)).ok().flatten();
    constant.and_then(|constant| constant.scalar()).is_some_and(|found| (found - value).abs() < 1e-6)
}
