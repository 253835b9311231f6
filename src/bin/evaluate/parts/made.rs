//! Large libraries made from small ones: altered copies of passages, and vectors with the structure of embeddings.

use futures_util::future::{LocalBoxFuture, ready};
use std::cell::RefCell;
use vademecum::Result;
use vademecum::document::Document;
use vademecum::encoder::{Embedder, Embeddings, Kind};

/// Length of a made vector.
const DIMENSIONS: usize = 384;
/// Number of clusters of made vectors, and of clusters within each.
const CLUSTERS: usize = 300;
const WITHIN: usize = 10;
/// One word in this many is exchanged in a copy.
const EXCHANGED: u64 = 6;

/// Random numbers that are always the same (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A normally distributed number, nearly: the sum of uniform ones.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

/// Draws unit vectors with a common direction, nested clusters of unequal size and noise whose spectrum decays, as embeddings have:
/// the distribution of `benches/peers/synthetic.mjs`, with another rotation.
#[derive(Debug)]
pub(crate) struct Vectors {
    random: Random,
    mean: Vec<f32>,
    clusters: Vec<Vec<f32>>,
    within: Vec<Vec<f32>>,
    /// Summed shares of the clusters.
    shares: Vec<f32>,
    spectrum: Vec<f32>,
}

impl Vectors {
    pub(crate) fn new() -> Self {
        let spectrum: Vec<f32> = (0..DIMENSIONS).map(|at| (1.0 + at as f32).powf(-0.45)).collect();
        let mut made = Self {
            random: Random(7),
            mean: Vec::new(),
            clusters: Vec::new(),
            within: Vec::new(),
            shares: Vec::new(),
            spectrum,
        };
        made.mean = made.direction();
        made.clusters = (0..CLUSTERS).map(|_| made.direction()).collect();
        made.within = (0..CLUSTERS * WITHIN).map(|_| made.direction()).collect();
        let mut sum = 0.0;
        for at in 0..CLUSTERS {
            sum += (1.0 + at as f32).powf(-0.7);
            made.shares.push(sum);
        }
        made
    }

    fn direction(&mut self) -> Vec<f32> {
        let mut values: Vec<f32> = (0..DIMENSIONS).map(|_| self.random.normal()).collect();
        values.iter_mut().zip(&self.spectrum).for_each(|(value, weight)| *value *= weight);
        unit(&mut values);
        values
    }

    pub(crate) fn draw(&mut self) -> Vec<f32> {
        let drawn = self.random.unit() * self.shares.last().copied().unwrap_or_default();
        let cluster = self.shares.partition_point(|share| *share < drawn).min(CLUSTERS - 1);
        let within = cluster * WITHIN + self.random.next() as usize % WITHIN;
        let noise = self.direction();
        let parts = [
            (0.25, Some(&self.mean)),
            (0.55, self.clusters.get(cluster)),
            (0.45, self.within.get(within)),
            (0.75, Some(&noise)),
        ];
        let mut sum = vec![0.0; DIMENSIONS];
        for (weight, part) in parts {
            sum.iter_mut().zip(part.into_iter().flatten()).for_each(|(sum, value)| *sum += weight * value);
        }
        unit(&mut sum);
        sum
    }
}

fn unit(values: &mut [f32]) {
    let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter_mut().for_each(|value| *value /= norm);
}

/// Gives each text the next made vector, whatever it says.
pub(crate) struct MadeEmbedder(pub(crate) RefCell<Vectors>);

impl Embedder for MadeEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String], _: Kind) -> LocalBoxFuture<'a, Result<Embeddings>> {
        let mut vectors = self.0.borrow_mut();
        let values = texts.iter().flat_map(|_| vectors.draw()).collect();
        Box::pin(ready(Ok(Embeddings {
            dimensions: DIMENSIONS,
            values,
            truncated: vec![false; texts.len()],
        })))
    }

    fn id(&self) -> Option<String> {
        Some("made".to_owned())
    }
}

/// Returns the documents and altered copies of them, without end: in a copy, one word in six is another word of the passages.
pub(crate) fn copies(documents: &[Document]) -> impl Iterator<Item = Document> {
    let vocabulary: Vec<&str> = documents.iter().flat_map(|one| one.text.split(' ')).collect();
    let mut random = Random(11);
    (0..).map_while(move |at| {
        let copy = at / documents.len().max(1);
        let original = documents.get(at % documents.len().max(1))?;
        if copy == 0 {
            return Some(original.clone());
        }
        let mut word = |word: &str| match random.next() % EXCHANGED {
            0 => vocabulary
                .get(random.next() as usize % vocabulary.len())
                .map_or_else(String::new, |one| (*one).to_owned()),
            _ => word.to_owned(),
        };
        let text: Vec<String> = original.text.split(' ').map(&mut word).collect();
        let title = original.title.as_ref().map(|title| format!("{title} {}", word("x")));
        Some(Document {
            title,
            id: format!("{}-{copy}", original.id),
            text: text.join(" "),
            ..original.clone()
        })
    })
}
