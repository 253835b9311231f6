//! Reads the weights of an encoder from an ONNX file.
//!
//! The graph is followed from its output back to its inputs, by what its operators compute and not by the names
//! of its weights, which exporters change. A graph that computes anything else is refused, and the operator in
//! the way is named.

mod attention;
mod graph;
mod head;
mod linear;
pub mod proto;
mod tensor;

use crate::{Refusal, Result};
use attention::Attention;
use graph::Graph;
use prost::Message;
use prost::bytes::Bytes;
use vademecum_kernel::head::{Head, Input};
use vademecum_kernel::matrix::Matrix;
use vademecum_kernel::weights::{Layer, Linear, Norm, Weights};

/// A model file whose graph is in order.
#[derive(Debug)]
pub struct Model {
    graph: Graph,
    /// Whether weights in floats are rounded to int8.
    is_rounded: bool,
}

impl Model {
    /// Parses a file.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`] for a file that is damaged or contradicts itself.
    pub fn parse(file: Vec<u8>) -> Result<Self> {
        let model =
            proto::Model::decode(Bytes::from(file)).map_err(|error| Refusal::Corrupt(error.to_string()))?;
        let graph = model.graph.ok_or_else(|| Refusal::Corrupt("it has no graph".into()))?;
        Ok(Self { graph: Graph::new(graph)?, is_rounded: false })
    }

    /// Rounds the encoder's weights in floats to int8 as they are read: linear maps with a scale per output, tables with a scale
    /// per entry. Heads keep their precision.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self { is_rounded: true, ..self }
    }

    /// Returns the names of the graph's outputs.
    pub fn outputs(&self) -> &[String] {
        &self.graph.outputs
    }

    /// Reads the encoder whose token vectors are the output `output`.
    ///
    /// # Errors
    /// [`Refusal::Corrupt`] for weights that contradict each other, [`Refusal::Other`] for a model of another
    /// architecture.
    pub fn encoder(&self, output: &str) -> Result<Weights> {
        let weights = body(&self.graph, output, self.is_rounded)?;
        weights.check().map_err(contradicted)?;
        Ok(weights)
    }

    /// Reads the encoder and the head whose result is the output `output`: a sentence vector before it is normalised,
    /// or logits of the sequence.
    ///
    /// # Errors
    /// Those of [`Model::encoder`]; [`Refusal::Other`] also where the output is made in another way.
    pub fn with_head(&self, output: &str) -> Result<(Weights, Head)> {
        match head::head(&self.graph, output)? {
            Some((tokens, head)) if head.input != Input::EachToken => self.checked(tokens, head),
            _ => Err(in_the_way(&self.graph, self.graph.skip(output))),
        }
    }

    /// Reads the encoder and the head of a model that finds answers in a text: its outputs `start` and `end` are
    /// logits of each token. Also returns which entries of the head's rows they are.
    ///
    /// # Errors
    /// Those of [`Model::with_head`].
    pub fn with_spans(&self, start: &str, end: &str) -> Result<(Weights, Head, [usize; 2])> {
        let graph = &self.graph;
        let (Some((from, first)), Some((to, last))) = (head::entry(graph, start)?, head::entry(graph, end)?)
        else {
            return Err(in_the_way(graph, graph.skip_arrangement(start)));
        };
        match head::head(graph, from)? {
            Some((tokens, head)) if from == to && head.input == Input::EachToken => {
                let (weights, head) = self.checked(tokens, head)?;
                let outputs = head.outputs(weights.width());
                if first.max(last) < outputs {
                    return Ok((weights, head, [first, last]));
                }
                Err(Refusal::Corrupt(format!("its head has {outputs} outputs per token, not 2")))
            }
            _ => Err(in_the_way(graph, from)),
        }
    }

    fn checked(&self, tokens: &str, head: Head) -> Result<(Weights, Head)> {
        let weights = self.encoder(tokens)?;
        head.check(weights.width()).map_err(contradicted)?;
        Ok((weights, head))
    }
}

fn contradicted(reason: String) -> Refusal {
    Refusal::Corrupt(format!("its {reason}"))
}

/// A half of a layer that ends in a normalisation.
struct Mapped {
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// Follows the layers from the last one to the embeddings.
fn body(graph: &Graph, output: &str, is_rounded: bool) -> Result<Weights> {
    let mut layers = Vec::new();
    let mut head_width = None;
    let mut name = graph.skip(output);
    loop {
        let Some((sum, norm)) = linear::norm(graph, name)? else { return Err(in_the_way(graph, name)) };
        let sum = graph.skip(sum);
        let Some((below, inner, outer)) = mapped(graph, sum)? else {
            let heads = head_width.ok_or_else(|| in_the_way(graph, sum))?;
            layers.reverse();
            let weights = embedded(graph, sum, norm, layers, heads)?;
            return Ok(if is_rounded { weights.with_rounded_tables() } else { weights });
        };
        let mapped = Mapped { inner, outer, norm };
        let Some((sum, norm)) = linear::norm(graph, below)? else { return Err(in_the_way(graph, below)) };
        let Some((attention, output)) = attended(graph, graph.skip(sum))? else {
            return Err(in_the_way(graph, sum));
        };
        name = attention.input;
        if head_width.is_some_and(|width| width != attention.head_width) {
            return Err(Refusal::Other("its layers differ in the number of their attention heads".into()));
        }
        head_width = Some(attention.head_width);
        let layer = layer(attention, output, norm, mapped);
        // At once, so that of the layers one alone is in memory in floats.
        layers.push(if is_rounded { layer.rounded() } else { layer });
    }
}

fn layer(attention: Attention<'_>, output: Linear, attended: Norm, mapped: Mapped) -> Layer {
    let Attention { query, key, value, scale, .. } = attention;
    let Mapped { inner, outer, norm } = mapped;
    Layer { query, key, value, scale, output, attended, inner, outer, mapped: norm }
}

/// Recognises `x + outer(gelu(inner(x)))`: returns x and the two maps.
fn mapped<'a>(graph: &'a Graph, sum: &str) -> Result<Option<(&'a str, Linear, Linear)>> {
    for (branch, residual) in graph.either(sum, "Add").into_iter().flatten() {
        let Some((activated, outer)) = linear::linear(graph, branch)? else { continue };
        let Some(straight) = linear::gelu(graph, activated) else { continue };
        let Some((input, inner)) = linear::linear(graph, straight)? else { continue };
        if graph.skip(input) == graph.skip(residual) {
            return Ok(Some((graph.skip(input), inner, outer)));
        }
    }
    Ok(None)
}

/// Recognises `x + output(attention(x))`.
fn attended<'a>(graph: &'a Graph, sum: &str) -> Result<Option<(Attention<'a>, Linear)>> {
    for (branch, residual) in graph.either(sum, "Add").into_iter().flatten() {
        let Some((context, output)) = linear::linear(graph, branch)? else { continue };
        let Some(attention) = attention::attention(graph, context)? else { continue };
        if attention.input == graph.skip(residual) {
            return Ok(Some((attention, output)));
        }
    }
    Ok(None)
}

/// Recognises the sum of the vectors of tokens, positions and segments.
fn embedded(graph: &Graph, sum: &str, norm: Norm, layers: Vec<Layer>, head_width: usize) -> Result<Weights> {
    let (mut words, mut positions, mut segments, mut first_position) = (None, None, None, 0);
    let mut open = vec![sum];
    while let Some(name) = open.pop() {
        let name = graph.skip(name);
        if let Some([first, second]) = linear::pair(graph, name, "Add") {
            open.extend([first, second]);
            continue;
        }
        let Some((table, ids)) = looked_up(graph, name)? else { return Err(in_the_way(graph, name)) };
        let into = if graph.skip(ids) == "input_ids" {
            &mut words
        } else if graph.skip(ids) == "token_type_ids" || are_zeros(graph, ids)? {
            &mut segments
        } else {
            first_position = first_position_of(graph, ids)?;
            &mut positions
        };
        if into.replace(table).is_some() {
            return Err(Refusal::Other("its embeddings add two tables of one kind".into()));
        }
    }
    let missing = |what: &str| Refusal::Other(format!("its embeddings have no table of {what}"));
    let words = words.ok_or_else(|| missing("tokens"))?;
    if !words.columns.is_multiple_of(head_width) {
        let reason = format!("its {} values per token are not heads of {head_width}", words.columns);
        return Err(Refusal::Corrupt(reason));
    }
    let heads = words.columns / head_width;
    let positions = positions.ok_or_else(|| missing("positions"))?;
    Ok(Weights { heads, words, positions, first_position, segments, embedded: norm, layers })
}

/// Recognises the entries of a table, and returns the table and the indices: `Gather(table, indices)`, or the form of dynamic
/// quantisation, which looks up whole numbers and dequantises what it finds, with one scale.
fn looked_up<'a>(graph: &'a Graph, name: &str) -> Result<Option<(Matrix, &'a str)>> {
    let whole = graph.op(name, "DequantizeLinear", 2).map(|node| node.input.as_slice());
    let (entries, scaling) = match whole {
        Some([entries, scaling @ ..]) => (entries.as_str(), Some(scaling)),
        _ => (name, None),
    };
    let Some([table, ids]) = linear::pair(graph, entries, "Gather") else { return Ok(None) };
    let Some(table) = graph.constant(table)? else { return Ok(None) };
    let table = match scaling {
        None => Some(table),
        Some([scale, zero @ ..]) => {
            let scale = graph.constant(scale)?.and_then(|scale| scale.scalar());
            let zeros = graph.zero_points(zero.first())?.filter(|zeros| zeros.len() < 2);
            scale.zip(zeros).and_then(|(scale, zeros)| table.scaled(&[scale], &zeros, 0))
        }
        Some([]) => None,
    };
    Ok(table.and_then(|table| table.table()).map(|table| (table, ids)))
}

/// Returns whether ids are zeros whatever the input: the segment of single texts.
fn are_zeros(graph: &Graph, ids: &str) -> Result<bool> {
    let mut name = graph.skip_arrangement(ids);
    if let Some(node) = graph.op(name, "Slice", 3)
        && let Some(data) = node.input.first()
    {
        name = graph.skip_arrangement(data);
    }
    let constant = graph.constant(name)?.and_then(|constant| constant.whole());
    Ok(constant.is_some_and(|ids| !ids.is_empty() && ids.iter().all(|id| *id == 0)))
}

/// Returns the position of the first token: 0, or in models of the RoBERTa kind, which count tokens from the id
/// of padding, the one after it.
fn first_position_of(graph: &Graph, ids: &str) -> Result<usize> {
    if counts_from_zero(graph, graph.skip_arrangement(ids))? {
        return Ok(0);
    }
    let counted = |name: &str| graph.depends_on(name, |node| node.op_type == "CumSum");
    let sum = graph.either(graph.skip(ids), "Add").into_iter().flatten();
    let padding = sum.filter(|(ids, _)| counted(ids)).find_map(|(_, padding)| {
        let padding = graph.constant(padding).ok()??.scalar()?;
        (padding >= 0.0).then_some(padding as usize)
    });
    padding
        .map(|padding| padding + 1)
        .ok_or_else(|| Refusal::Other("its positions are counted in another way".into()))
}

/// Recognises the beginning of a constant 0, 1, 2 and so on, and the operator `Range` from 0.
fn counts_from_zero(graph: &Graph, name: &str) -> Result<bool> {
    if let Some(node) = graph.op(name, "Range", 3)
        && let [start, _, step] = node.input.as_slice()
    {
        return Ok(linear::is_number(graph, start, 0.0) && linear::is_number(graph, step, 1.0));
    }
    let Some(node) = graph.op(name, "Slice", 3) else { return Ok(false) };
    let [data, start, ..] = node.input.as_slice() else { return Ok(false) };
    let step_is_one = node.input.get(4).is_none_or(|step| linear::is_number(graph, step, 1.0));
    let positions = graph.constant(graph.skip_arrangement(data))?.and_then(|constant| constant.whole());
    let counts =
        positions.is_some_and(|positions| (0..).zip(&positions).all(|(at, position)| at == *position));
    Ok(counts && step_is_one && linear::is_number(graph, start, 0.0))
}

/// Returns the refusal that names the operator which computes `name`.
fn in_the_way(graph: &Graph, name: &str) -> Refusal {
    let op = graph.node(name).map_or("an input", |node| node.op_type.as_str());
    Refusal::Other(format!(
        "`{op}`, which computes `{name}`, is not where an encoder of the BERT kind has it"
    ))
}
