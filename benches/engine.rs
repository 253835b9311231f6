//! `cargo bench`: native micro-benchmarks of the engine's parts over generated texts and vectors, for
//! locating regressions. `cargo xtask bench` measures what users wait for.
#![allow(missing_docs)] // criterion's macros generate undocumented public items
#![allow(clippy::unwrap_used)] // a benchmark that cannot be set up should panic

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use vademecum::document::Format;
use vademecum::index::standalone::{Keywords, load_vectors, save_vectors};
use vademecum::index::vectors::{Effort, Method, Vectors};
use vademecum::text::chunk::{Budget, chunk};
use vademecum::text::structure::read;
use vademecum::text::terms::{Language, words};

const DIMENSIONS: usize = 384;
const VECTORS: usize = 10_000;
const TEXTS: usize = 5_000;

/// A deterministic pseudorandom generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    }
}

/// Generates a text with a skewed distribution of words.
fn text(random: &mut Random, length: usize) -> String {
    let mut text = String::new();
    for at in 0..length {
        let rank = (1.0 / (random.unit() + 0.5002)) as u64;
        text.push_str(&format!("w{} ", rank * 7 + random.next() % 5));
        if at % 15 == 14 {
            text.push_str("end. ");
        }
    }
    text
}

/// Generates clustered vectors, as those of texts are.
fn clustered(random: &mut Random) -> Vectors {
    let centres: Vec<Vec<f32>> = (0..100).map(|_| (0..DIMENSIONS).map(|_| random.unit()).collect()).collect();
    let mut vectors = Vectors::new(false);
    for row in 0..VECTORS {
        let centre = centres.get(row % centres.len()).map_or(&[][..], Vec::as_slice);
        let vector: Vec<f32> = centre.iter().map(|value| value + 0.8 * random.unit()).collect();
        let _ = vectors.set(row, &vademecum::encoder::normalised(&vector));
    }
    vectors.seal();
    vectors
}

fn words_and_chunks(criterion: &mut Criterion) {
    let document = text(&mut Random(7), 20_000);
    criterion.bench_function("words of 100 KB", |bench| bench.iter(|| words(black_box(&document)).count()));
    let structure = read(document.clone(), Format::Text).unwrap_or_default();
    criterion.bench_function("chunks of 100 KB", |bench| {
        bench.iter(|| chunk(black_box(&structure), &Budget::estimated(128)).len());
    });
}

fn keywords(criterion: &mut Criterion) {
    let mut random = Random(7);
    let texts: Vec<String> = (0..TEXTS).map(|_| text(&mut random, 100)).collect();
    let filled = || {
        let mut index = Keywords::new(Language::English);
        texts.iter().for_each(|text| {
            index.add(text);
        });
        index.seal();
        index
    };
    let mut group = criterion.benchmark_group("keywords, 5,000 texts");
    group.sample_size(20);
    group.bench_function("build", |bench| bench.iter(filled));
    let index = filled();
    group.bench_function("search for ten words", |bench| {
        bench.iter(|| index.search(black_box("w7 w8 w15 w22 w29 w71 w140 w701 w1400 w2802"), 10));
    });
    let bytes = index.save().unwrap();
    group.bench_function("open", |bench| bench.iter(|| Keywords::load(black_box(&bytes)).is_ok()));
    group.finish();
}

fn vectors(criterion: &mut Criterion) {
    let mut random = Random(7);
    let vectors = clustered(&mut random);
    let question: Vec<f32> =
        vademecum::encoder::normalised(&(0..DIMENSIONS).map(|_| random.unit()).collect::<Vec<_>>());
    let mut group = criterion.benchmark_group("vectors, 10,000 of 384");
    for method in [Method::Exact, Method::Sketch] {
        let effort = Effort { method: Some(method), ..Effort::default() };
        group.bench_function(format!("{method:?}"), |bench| {
            bench.iter(|| vectors.search(black_box(&question), 10, -1.0, None, effort).is_ok());
        });
    }
    let bytes = save_vectors(&vectors).unwrap();
    group.bench_function("open", |bench| bench.iter(|| load_vectors(black_box(&bytes)).is_ok()));
    group.finish();
}

criterion_group!(engine, words_and_chunks, keywords, vectors);
criterion_main!(engine);
