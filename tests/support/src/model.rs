//! A naive model of the index for comparison: a list of documents that every query scans.

use super::random::Random;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vademecum::document::Format;
use vademecum::index::Prepared;
use vademecum::text::chunk::{Budget, Piece, chunk, estimate_tokens};
use vademecum::text::structure;
use vademecum::text::terms::{Analyzer, Language, words};

/// Dimension of the vectors.
pub const DIMENSIONS: usize = 24;

/// A document of a test.
#[derive(Debug, Clone)]
pub struct Source {
    pub collection: &'static str,
    pub id: &'static str,
    pub title: Option<&'static str>,
    pub url: Option<&'static str>,
    pub text: String,
    pub year: Option<i64>,
    pub tags: Vec<&'static str>,
}

impl Source {
    pub fn metadata(&self) -> Map<String, Value> {
        let mut metadata = Map::new();
        if let Some(year) = self.year {
            metadata.insert("year".into(), year.into());
        }
        if !self.tags.is_empty() {
            metadata.insert("tags".into(), json!(self.tags));
        }
        if self.never_sent() {
            metadata.insert("neverSend".into(), true.into());
        }
        metadata
    }

    pub fn never_sent(&self) -> bool {
        self.tags.contains(&"green")
    }

    pub fn prepared(&self) -> Prepared {
        let structure = structure::read(self.text.clone(), Format::Markdown).unwrap();
        let budget = Budget { max_tokens: 128, overlap: 0, count: &estimate_tokens, title: self.title };
        Prepared {
            id: self.id.into(),
            collection: self.collection.into(),
            title: self.title.map(Into::into),
            url: self.url.map(Into::into),
            pieces: chunk(&structure, &budget),
            links: structure.links.into_iter().map(|link| (link.at.start, link.target)).collect(),
            text: structure.text,
            metadata: self.metadata(),
            language: Language::English,
        }
    }
}

/// A chunk of a live document.
#[derive(Debug, Clone)]
pub struct Naive {
    pub source: Rc<Source>,
    pub ordinal: usize,
    pub text: String,
    pub embedded: String,
    pub terms: BTreeMap<String, u32>,
    pub length: u32,
    pub links: Vec<String>,
}

impl Naive {
    fn of(source: &Rc<Source>, prepared: &Prepared, ordinal: usize, piece: &Piece) -> Self {
        let text = prepared.text[piece.bytes.clone()].to_owned();
        let (mut terms, mut length) = (BTreeMap::new(), 0);
        let mut count = |field: &str, weight: u32| {
            for term in Analyzer::new(Language::English).terms(field) {
                *terms.entry(term.text).or_insert(0) += weight;
                length += weight;
            }
        };
        count(&text, 1);
        count(source.title.unwrap_or_default(), 3);
        piece.headings.iter().for_each(|heading| count(heading, 1));
        piece.context.iter().for_each(|row| count(row, 1));
        let links = prepared.links.iter().filter(|(at, _)| piece.bytes.contains(at));
        Self {
            source: source.clone(),
            ordinal,
            embedded: piece.embedded(&text),
            text,
            terms,
            length,
            links: links.map(|(_, target)| target.clone()).collect(),
        }
    }

    pub fn id(&self) -> String {
        format!("{}/{}#{}", self.source.collection, self.source.id, self.ordinal)
    }
}

/// The live documents in insertion order.
#[derive(Debug, Clone, Default)]
pub struct Model(pub Vec<Rc<Source>>);

impl Model {
    pub fn add(&mut self, source: Source) {
        self.remove(source.collection, source.id);
        self.0.push(Rc::new(source));
    }

    pub fn remove(&mut self, collection: &str, id: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|one| (one.collection, one.id) != (collection, id));
        self.0.len() < before
    }

    pub fn chunks(&self) -> Vec<Naive> {
        let of = |source: &Rc<Source>| {
            let prepared = source.prepared();
            let pieces = prepared.pieces.iter().enumerate();
            pieces.map(|(at, piece)| Naive::of(source, &prepared, at, piece)).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}

/// Returns the unit vector of a text. Equal texts have equal vectors, and some texts have similar ones.
pub fn vector(text: &str) -> Vec<f32> {
    let seed = text.bytes().fold(7u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let (mut near, mut far) = (Random(seed % 4), Random(seed));
    let values: Vec<f32> = (0..DIMENSIONS).map(|_| near.float() + 0.5 * far.float()).collect();
    vademecum::encoder::normalised(&values)
}

/// Returns a vector after quantization to int8.
pub fn rounded(vector: &[f32]) -> Vec<f32> {
    let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
    let scale = largest / 127.0;
    let factor = if scale > 0.0 { scale.recip() } else { 0.0 };
    vector.iter().map(|value| (value * factor).round_ties_even() * scale).collect()
}

pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

/// Returns the BM25 scores of chunks that contain one of the terms, with statistics of all chunks.
pub fn bm25(chunks: &[Naive], terms: &[&str]) -> Vec<(usize, f64)> {
    let all = chunks.len() as f64;
    let average = (chunks.iter().map(|one| f64::from(one.length)).sum::<f64>() / all.max(1.0)).max(1.0);
    let holding = |term: &str| chunks.iter().filter(|one| one.terms.contains_key(term)).count() as f64;
    let score = |chunk: &Naive| {
        let of = |term: &&str| {
            let frequency = f64::from(*chunk.terms.get(*term)?);
            let df = holding(term);
            let idf = (1.0 + (all - df + 0.5) / (df + 0.5)).ln();
            let norm = 1.2 * (1.0 - 0.75 + 0.75 * f64::from(chunk.length) / average);
            Some(idf * frequency * 2.2 / (frequency + norm))
        };
        let found: Vec<f64> = terms.iter().filter_map(of).collect();
        (!found.is_empty()).then(|| found.iter().sum())
    };
    chunks.iter().enumerate().filter_map(|(at, chunk)| Some((at, score(chunk)?))).collect()
}

/// Returns a title without its disambiguation in parentheses.
fn spoken(title: &str) -> &str {
    title.split(" (").next().unwrap()
}

/// Whether a text mentions a title: it contains the title literally, from the start of a word to the end of a
/// word.
fn says(text: &str, title: &str) -> bool {
    let title = spoken(title);
    let starts: BTreeSet<usize> = words(text).map(|(at, _)| at).collect();
    let ends: BTreeSet<usize> = words(text).map(|(at, word)| at + word.len()).collect();
    let lead = words(title).next().unwrap().0;
    let end = words(title).last().map(|(at, word)| at + word.len()).unwrap();
    (0..text.len())
        .filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(title)))
        .any(|at| starts.contains(&(at + lead)) && ends.contains(&(at + end)))
}

/// Whether a link in a document refers to another: by its URL, by a path relative to its own URL or id, or, as in a
/// wiki, by its title.
fn leads(link: &str, from: &Source, to: &Source) -> bool {
    let bare = link.split('#').next().unwrap();
    if bare.is_empty() {
        return false;
    }
    if to.url == Some(bare) {
        return true;
    }
    if link.contains("://") {
        return false;
    }
    let walk = |base: &str| {
        let mut folders: Vec<&str> = base.split('/').collect();
        folders.pop();
        for part in bare.split('/') {
            match part {
                "." => {}
                ".." => drop(folders.pop()),
                _ => folders.push(part),
            }
        }
        folders.join("/")
    };
    (from.collection == to.collection && walk(from.id) == to.id)
        || from.url.is_some_and(|url| Some(walk(url).as_str()) == to.url)
        || to.title.is_some_and(|title| spoken(title) == link)
}

/// Whether a chunk mentions or links to another document.
pub fn names(chunk: &Naive, other: &Source) -> bool {
    let own = &chunk.source;
    (own.collection, own.id) != (other.collection, other.id)
        && (other.title.is_some_and(|title| says(&chunk.text, title))
            || chunk.links.iter().any(|link| leads(link, own, other)))
}
