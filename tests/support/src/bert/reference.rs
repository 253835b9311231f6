//! The forward pass of an encoder in plain f32, as its definition has it.

use vademecum_kernel::weights::{Layer, Linear, Norm, Weights};

/// Returns the vectors of the tokens `ids`.
pub fn forward(weights: &Weights, ids: &[u32]) -> Vec<Vec<f32>> {
    let width = weights.width();
    let segment = weights.segments.as_ref().map(|segments| segments.floats()[..width].to_vec());
    let embed = |(at, id): (usize, &u32)| {
        let (mut word, mut position) = (vec![0.0; width], vec![0.0; width]);
        weights.words.copy_row(*id as usize, &mut word);
        weights.positions.copy_row(at + weights.first_position, &mut position);
        let sum = add(&word, &position);
        norm(&weights.embedded, &segment.as_ref().map_or(sum.clone(), |segment| add(&sum, segment)))
    };
    let embedded = ids.iter().enumerate().map(embed).collect();
    weights.layers.iter().fold(embedded, |tokens, layer| run(layer, &tokens, weights.heads))
}

fn run(layer: &Layer, tokens: &[Vec<f32>], heads: usize) -> Vec<Vec<f32>> {
    let (query, key, value) = (map(&layer.query, tokens), map(&layer.key, tokens), map(&layer.value, tokens));
    let head = tokens[0].len() / heads;
    let context: Vec<Vec<f32>> = query
        .iter()
        .map(|query| {
            (0..heads)
                .flat_map(|at| {
                    let range = at * head..(at + 1) * head;
                    let scores: Vec<f32> = key
                        .iter()
                        .map(|key| (layer.scale * dot(&query[range.clone()], &key[range.clone()])).exp())
                        .collect();
                    let total: f32 = scores.iter().sum();
                    range
                        .map(|column| {
                            scores
                                .iter()
                                .zip(&value)
                                .map(|(score, value)| score / total * value[column])
                                .sum()
                        })
                        .collect::<Vec<f32>>()
                })
                .collect()
        })
        .collect();
    let attended: Vec<Vec<f32>> = map(&layer.output, &context)
        .iter()
        .zip(tokens)
        .map(|(output, token)| norm(&layer.attended, &add(output, token)))
        .collect();
    let inner: Vec<Vec<f32>> = map(&layer.inner, &attended)
        .iter()
        .map(|row| row.iter().map(|value| gelu(*value)).collect())
        .collect();
    let outer = map(&layer.outer, &inner);
    outer.iter().zip(&attended).map(|(outer, token)| norm(&layer.mapped, &add(outer, token))).collect()
}

fn map(linear: &Linear, rows: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let floats = linear.weights.floats();
    let weights: Vec<&[f32]> = floats.chunks_exact(linear.weights.columns).collect();
    rows.iter()
        .map(|row| weights.iter().zip(&linear.bias).map(|(weights, bias)| dot(weights, row) + bias).collect())
        .collect()
}

fn norm(norm: &Norm, row: &[f32]) -> Vec<f32> {
    let count = row.len() as f32;
    let mean = row.iter().sum::<f32>() / count;
    let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    let scale = (variance + norm.epsilon).sqrt().recip();
    let scaled = row.iter().map(|value| (value - mean) * scale);
    scaled.zip(&norm.weights).zip(&norm.bias).map(|((value, weight), bias)| value * weight + bias).collect()
}

/// GELU by the series of the error function, in f64.
fn gelu(value: f32) -> f32 {
    let x = f64::from(value) / std::f64::consts::SQRT_2;
    let erf = if x.abs() > 5.0 {
        x.signum()
    } else {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    };
    (f64::from(value) / 2.0 * (1.0 + erf)) as f32
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
