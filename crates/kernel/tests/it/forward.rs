//! The forward pass of every level gives the vectors of the plain one.

use proptest::prelude::*;
use vademecum_kernel::forward::{Encoder, Scratch, Sequence};
use vademecum_kernel::matrix::Numbers;
use vademecum_kernel::simd::Level;
use vademecum_kernel::simd::product::is_exact;
use vademecum_kernel::weights::{Layer, Weights};
use vademecum_testing::bert::{Shape, reference, weights};

/// Returns the greatest difference between the vectors of two computations, over the greatest value.
fn difference(found: &[f32], expected: &[Vec<f32>]) -> f32 {
    let expected = expected.concat();
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().all(|value| value.is_finite()));
    let greatest = expected.iter().fold(0f32, |greatest, value| greatest.max(value.abs()));
    found.iter().zip(&expected).fold(0f32, |most, (a, b)| most.max((a - b).abs())) / greatest
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn lengths_to_ids(lengths: &[usize], vocabulary: usize) -> Vec<Vec<u32>> {
    let ids = |(at, length): (usize, &usize)| {
        (0..*length).map(|n| ((n * 7 + at * 13) % vocabulary) as u32).collect()
    };
    lengths.iter().enumerate().map(ids).collect()
}

fn expected(weights: &Weights, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
    texts.iter().flat_map(|ids| reference::forward(weights, ids)).collect()
}

fn computed(weights: &Weights, texts: &[Vec<u32>], level: Level) -> Vec<f32> {
    let encoder = Encoder::new(weights.clone(), level);
    let sequences: Vec<Sequence<'_>> = texts.iter().map(|ids| Sequence::of(ids)).collect();
    encoder.forward(&sequences, &mut Scratch::default()).unwrap().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn full_precision_differs_from_the_plain_pass_by_rounding_only(
        heads in 1usize..5, head in 1usize..5, inner in 1usize..70, layers in 1usize..4,
        lengths in prop::collection::vec(1usize..20, 1..5), seed: u64,
    ) {
        let shape = Shape { heads, width: heads * head * 4, inner, layers, is_quantised: false };
        let weights = weights(&shape, seed);
        let texts = lengths_to_ids(&lengths, weights.words.rows);
        let expected = expected(&weights, &texts);
        for level in Level::all() {
            let difference = difference(&computed(&weights, &texts, level), &expected);
            prop_assert!(difference < 1e-4, "{}: {difference}", level.name());
        }
    }

    #[test]
    fn int8_weights_are_multiplied_exactly_and_activations_rounded_by_token(
        heads in 1usize..5, head in 1usize..5, inner in 1usize..70, layers in 1usize..4,
        lengths in prop::collection::vec(1usize..20, 1..5), seed: u64,
    ) {
        let shape = Shape { heads, width: heads * head * 4, inner, layers, is_quantised: true };
        let weights = weights(&shape, seed);
        let texts = lengths_to_ids(&lengths, weights.words.rows);
        let expected = expected(&weights, &texts);
        for level in Level::all() {
            let difference = difference(&computed(&weights, &texts, level), &expected);
            // 16-bit activations leave next to no error, 8-bit ones up to 1/510 of a row's range each.
            let limit = if level.activations() == vademecum_kernel::simd::Activations::I16 { 1e-3 } else { 0.1 };
            prop_assert!(difference < limit, "{}: {difference}", level.name());
        }
    }
}

/// Returns weights of which every matrix is int8, as a model is read with its weights rounded.
fn rounded(weights: &Weights) -> Weights {
    let layers = weights.layers.iter().cloned().map(Layer::rounded).collect();
    Weights { layers, ..weights.clone().with_rounded_tables() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rounded_weights_keep_the_directions_of_token_vectors(
        heads in 1usize..5, inner in 16usize..70, layers in 1usize..4,
        lengths in prop::collection::vec(1usize..20, 1..5), seed: u64,
    ) {
        let width = heads * 16;
        let weights = weights(&Shape { heads, width, inner, layers, is_quantised: false }, seed);
        let texts = lengths_to_ids(&lengths, weights.words.rows);
        let expected = expected(&weights, &texts);
        for level in Level::all() {
            let found = computed(&rounded(&weights), &texts, level);
            let least = found.chunks(width).zip(&expected).map(|(a, b)| cosine(a, b)).fold(1.0, f32::min);
            prop_assert!(least > 0.99, "{}: {least}", level.name());
        }
    }
}

#[test]
fn channels_that_are_outliers_of_every_layer_take_no_precision_from_the_others() {
    const WIDTH: usize = 256;
    let is_outlier = |at: usize| [7, 40, 201].contains(&(at % WIDTH));
    let mut weights =
        weights(&Shape { heads: 4, width: WIDTH, inner: 256, layers: 2, is_quantised: true }, 11);
    for layer in &mut weights.layers {
        layer
            .attended
            .weights
            .iter_mut()
            .enumerate()
            .filter(|(at, _)| is_outlier(*at))
            .for_each(|(_, weight)| *weight = 30.0);
        // As in trained models, large values have small weights.
        for map in [&mut layer.query, &mut layer.key, &mut layer.value, &mut layer.inner] {
            let Numbers::I8 { values, .. } = &mut map.weights.numbers else { panic!("weights are not int8") };
            values
                .iter_mut()
                .enumerate()
                .filter(|(at, _)| is_outlier(*at))
                .for_each(|(_, value)| *value /= 32);
        }
    }
    let others = |values: &[f32]| {
        let others = values.iter().enumerate().filter(|(at, _)| !is_outlier(*at));
        others.map(|(_, value)| *value).collect::<Vec<_>>()
    };
    let texts = lengths_to_ids(&[12, 20], weights.words.rows);
    let expected = expected(&weights, &texts);
    for level in Level::all() {
        let found = computed(&weights, &texts, level);
        let tokens = found.chunks(WIDTH).zip(&expected);
        let least = tokens.map(|(a, b)| cosine(&others(a), &others(b))).fold(1.0, f32::min);
        // 0.9976 with one step for all channels.
        assert!(least > 0.9995, "{}: {least}", level.name());
    }
}

#[test]
fn a_text_has_the_same_vectors_alone_and_in_a_batch() {
    let weights = weights(&Shape { heads: 2, width: 32, inner: 48, layers: 2, is_quantised: true }, 3);
    let texts = lengths_to_ids(&[5, 1, 17, 9], weights.words.rows);
    for level in Level::all() {
        let alone: Vec<f32> =
            texts.iter().flat_map(|ids| computed(&weights, std::slice::from_ref(ids), level)).collect();
        assert_eq!(computed(&weights, &texts, level), alone, "{}", level.name());
    }
}

#[test]
fn tokens_of_the_second_segment_have_its_vector() {
    let mut weights = weights(&Shape { heads: 2, width: 16, inner: 16, layers: 1, is_quantised: false }, 5);
    let ids = [1, 2, 3, 4];
    let run = |weights: &Weights, second| {
        let encoder = Encoder::new(weights.clone(), Level::best());
        encoder.forward(&[Sequence { ids: &ids, second }], &mut Scratch::default()).unwrap().to_vec()
    };
    let (one, two) = (run(&weights, 4), run(&weights, 2));
    assert_ne!(one, two);
    weights.segments = None;
    assert_eq!(run(&weights, 4), run(&weights, 2));
}

#[test]
fn unknown_tokens_and_texts_that_are_too_long_are_errors() {
    let weights = weights(&Shape { heads: 1, width: 16, inner: 16, layers: 1, is_quantised: false }, 1);
    let (vocabulary, most) = (weights.words.rows as u32, weights.max_tokens());
    let encoder = Encoder::new(weights, Level::best());
    let run = |ids: &[u32]| encoder.forward(&[Sequence::of(ids)], &mut Scratch::default()).map(<[f32]>::len);
    assert_eq!(run(&[vocabulary - 1]), Ok(16));
    assert!(run(&[vocabulary]).unwrap_err().contains("has no vector"));
    assert_eq!(run(&vec![0; most]), Ok(16 * most));
    assert!(run(&vec![0; most + 1]).unwrap_err().contains("are more than"));
    assert_eq!(run(&[]), Ok(0));
}

#[test]
fn products_of_whole_numbers_are_exact_on_every_level() {
    for level in Level::all() {
        assert!(is_exact(level), "{}", level.name());
    }
}
