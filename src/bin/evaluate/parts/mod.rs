//! `--parts`: bytes, requests and recall of libraries in parts.

mod asked;
mod made;
mod report;
mod source;

use crate::arguments::{Arguments, PartsOf};
use crate::served::CachedEmbedder;
use futures_util::FutureExt;
use made::{MadeEmbedder, Random, Vectors, copies};
use report::{Curve, Measured, Sessions};
use source::{Host, Sent};
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;
use vademecum::Result as Outcome;
use vademecum::cancel::Cancel;
use vademecum::document::Hit;
use vademecum::encoder::Kind;
use vademecum::engine::{KnowledgeBase, Mode as InMemory, Options};
use vademecum::eval::LabelledQuery;
use vademecum::eval::beir::Dataset;
use vademecum::eval::metrics::ndcg_at;
use vademecum::index::vectors::Method;
use vademecum::platform::Native;
use vademecum_parts::write::{Content, Described, PublishOptions, publish};
use vademecum_parts::{Library, Mode, SearchRequest, SearchResponse};

/// Numbers of cells read, for the curve.
const PROBES: [usize; 9] = [8, 16, 32, 48, 64, 96, 128, 192, 256];
/// Number of hits.
const LIMIT: usize = 10;
/// Number of documents that are added at once.
const BATCH: usize = 8000;
/// From this many passages on, fewer questions are asked, and fewer numbers of cells are tried.
const LARGE: usize = 300_000;
/// Numbers of cells read of a large library, and the number of questions it is asked.
const LARGE_PROBES: [usize; 4] = [32, 52, 96, 192];
const LARGE_QUESTIONS: usize = 60;

/// A question with its vector.
#[derive(Clone)]
struct Question<'a> {
    labelled: &'a LabelledQuery,
    vector: Vec<f32>,
}

/// Measures a labelled set, whose vectors are real.
pub(crate) fn labelled(
    arguments: &Arguments,
    kb: &KnowledgeBase,
    dataset: &Dataset,
    embedder: &CachedEmbedder,
) -> Result<(), String> {
    let question = |labelled: &'_ LabelledQuery| -> Result<Vec<f32>, String> {
        embedder.vector(Kind::Query, &labelled.text).ok_or_else(|| "a question was not embedded".to_owned())
    };
    let vectors: Vec<Vec<f32>> = dataset.queries.iter().map(question).collect::<Result<_, _>>()?;
    let questions = dataset.queries.iter().zip(vectors);
    let questions: Vec<Question<'_>> =
        questions.map(|(labelled, vector)| Question { labelled, vector }).collect();
    let name = format!("{} passages of `{}`", grouped(dataset.documents.len()), dataset.name);
    measure(&name, &arguments.parts, kb, &questions, None)
}

/// Measures altered copies of a labelled set with made vectors.
pub(crate) fn enlarged(arguments: &Arguments, dataset: &Dataset, count: usize) -> Result<(), String> {
    let embedder = Rc::new(MadeEmbedder(RefCell::new(Vectors::new())));
    let options = Options { graph_from: usize::MAX, ..arguments.options.clone() };
    let kb = KnowledgeBase::new(Some(embedder.clone()), Rc::new(Native::default()), options);
    let never = Cancel::default();
    let mut copies = copies(&dataset.documents);
    let began = Instant::now();
    while kb.stats().map_err(|error| error.to_string())?.chunks < count {
        let some: Vec<_> = copies.by_ref().take(BATCH).collect();
        now(kb.add("default", some, &never, &|_| {}))?;
        now(kb.maintain())?;
    }
    // Questions are like passages, but none of them.
    let draw = |labelled| Question { labelled, vector: embedder.0.borrow_mut().draw() };
    let questions: Vec<Question<'_>> = dataset.queries.iter().map(draw).collect();
    let name = format!("{} passages: altered copies of `{}` with made vectors", grouped(count), dataset.name);
    measure(&name, &arguments.parts, &kb, &questions, Some(began.elapsed().as_secs_f64()))
}

fn measure(
    name: &str,
    wanted: &PartsOf,
    kb: &KnowledgeBase,
    questions: &[Question<'_>],
    indexed: Option<f64>,
) -> Result<(), String> {
    let folder = wanted.folder.join(name.split(' ').next().unwrap_or_default());
    let _ = std::fs::remove_dir_all(&folder);
    let publication = kb.publication().map_err(|error| error.to_string())?;
    let content = Content {
        searcher: &publication.searcher,
        embedder: publication.embedder.clone().or_else(|| Some("cached".to_owned())),
        collections: vec![Described { name: "default".to_owned(), ..Described::default() }],
        calibration: None,
    };
    let began = Instant::now();
    let options = PublishOptions { cells: wanted.cells, ..PublishOptions::default() };
    let published = publish(&content, &folder, options).map_err(|error| error.to_string())?;
    let seconds = began.elapsed().as_secs_f64();
    let memory = peak_memory();
    let probes = if published.chunks < LARGE { PROBES.as_slice() } else { LARGE_PROBES.as_slice() };
    let (_, library) = Host::open(&folder, true)?;
    let cells = library.manifest().cells.clone();
    let sections =
        library.manifest().sections.iter().map(|(name, root)| (name.clone(), root.bytes)).collect();
    let exact: Vec<Vec<String>> = questions.iter().map(|one| exact(kb, one)).collect::<Result<_, _>>()?;
    asked::write(&folder, name, questions, &exact, &publication.searcher)?;
    // Spread over the set, whose first half is of one kind.
    let most = if published.chunks < LARGE { usize::MAX } else { LARGE_QUESTIONS };
    let step = questions.len().div_ceil(most).max(1);
    let questions: Vec<Question<'_>> = questions.iter().step_by(step).cloned().collect();
    let exact: Vec<Vec<String>> = exact.into_iter().step_by(step).collect();
    let questions = questions.as_slice();
    let measured = Measured {
        name: name.to_owned(),
        published,
        seconds,
        indexed,
        memory,
        questions: questions.len(),
        sections,
        cells: cells.as_ref().map_or(0, |cells| cells.count as usize),
        probes: cells.map_or(0, |cells| cells.probes),
        sessions: [
            sessions(&folder, questions, Mode::Keyword, true)?,
            sessions(&folder, questions, Mode::Keyword, false)?,
            sessions(&folder, questions, Mode::Hybrid, true)?,
            sessions(&folder, questions, Mode::Hybrid, false)?,
        ]
        .into(),
        curve: probes
            .iter()
            .map(|probes| curve(&folder, questions, &exact, Some(*probes)))
            .collect::<Result<_, _>>()?,
        recall: curve(&folder, questions, &exact, None)?.recall,
        quality: quality(kb, &library, questions)?,
    };
    println!("{:#}", measured.value());
    measured.write(&folder)
}

fn request(one: &Question<'_>, mode: Mode, probes: Option<usize>) -> SearchRequest {
    SearchRequest { query: one.labelled.text.clone(), mode, limit: LIMIT, probes, ..SearchRequest::default() }
}

fn ask(
    library: &Library,
    one: &Question<'_>,
    mode: Mode,
    probes: Option<usize>,
) -> Result<SearchResponse, String> {
    let vector = (mode != Mode::Keyword).then_some(one.vector.as_slice());
    now(library.search(&request(one, mode, probes), vector))
}

/// Returns the ids of the nearest passages.
fn exact(kb: &KnowledgeBase, one: &Question<'_>) -> Result<Vec<String>, String> {
    let searcher = kb.publication().map_err(|error| error.to_string())?.searcher;
    let effort = vademecum::index::vectors::Effort { method: Some(Method::Exact), ..Default::default() };
    let query = vademecum::index::Query {
        vector: Some(&one.vector),
        limit: LIMIT,
        threshold: -1.0,
        effort,
        ..Default::default()
    };
    let best = searcher.search(&query).map_err(|error| error.to_string())?.best;
    Ok(best.iter().filter_map(|found| Some(searcher.chunk(found.key)?.id())).collect())
}

/// Asks each question first in a session, and the next one second.
fn sessions(folder: &Path, questions: &[Question<'_>], mode: Mode, range: bool) -> Result<Sessions, String> {
    let name = if mode == Mode::Keyword { "keyword" } else { "hybrid" };
    let mut sessions = Sessions { mode: name, range, ..Sessions::default() };
    // Neighbours in a labelled set ask about the same things.
    let mut order: Vec<usize> = (0..questions.len()).collect();
    let mut random = Random(5);
    order.sort_by_cached_key(|_| random.next());
    let seconds = order.iter().cycle().skip(1);
    for (one, other) in order.iter().zip(seconds) {
        let (host, library) = Host::open(folder, range)?;
        let (Some(one), Some(other)) = (questions.get(*one), questions.get(*other)) else { continue };
        ask(&library, one, mode, None)?;
        sessions.first.push(host.sent());
        ask(&library, other, mode, None)?;
        sessions.second.push(host.sent());
    }
    let (host, library) = Host::open(folder, range)?;
    for at in order {
        if let Some(one) = questions.get(at) {
            ask(&library, one, mode, None)?;
            sessions.all.push(host.sent());
        }
    }
    Ok(sessions)
}

fn curve(
    folder: &Path,
    questions: &[Question<'_>],
    exact: &[Vec<String>],
    probes: Option<usize>,
) -> Result<Curve, String> {
    let (mut found, mut all, mut sent) = (0, 0, Vec::<Sent>::new());
    let warm = questions.first().ok_or("there are no questions")?;
    for (one, exact) in questions.iter().zip(exact) {
        let (host, library) = Host::open(folder, true)?;
        // The centroids are read by any first question.
        ask(&library, warm, Mode::Vector, Some(1))?;
        host.sent();
        let response = ask(&library, one, Mode::Vector, probes)?;
        sent.push(host.sent());
        let wanted: HashSet<&String> = exact.iter().collect();
        found += response.hits.iter().filter(|hit| wanted.contains(&hit.chunk.id)).count();
        all += wanted.len();
    }
    Ok(Curve { probes: probes.unwrap_or_default(), recall: found as f64 / all.max(1) as f64, sent })
}

/// nDCG@10 in memory and in parts, by words and in both ways, and the share of the hits that are the same.
fn quality(
    kb: &KnowledgeBase,
    library: &Library,
    questions: &[Question<'_>],
) -> Result<Vec<report::Quality>, String> {
    let mut rows = Vec::new();
    for (name, mode, in_memory) in
        [("keyword", Mode::Keyword, InMemory::Keyword), ("hybrid", Mode::Hybrid, InMemory::Hybrid)]
    {
        let mut row = report::Quality { name, ..report::Quality::default() };
        for one in questions {
            let parts = ask(library, one, mode, None)?.hits;
            let memory = now(in_memory_hits(kb, one, in_memory))?;
            let gains = |hits: &[Hit]| {
                let ids: Vec<&str> = hits.iter().map(|hit| hit.chunk.doc_id.as_str()).collect();
                ndcg_at(&ids, &one.labelled.relevant, LIMIT)
            };
            row.parts += gains(&parts) / questions.len() as f64;
            row.memory += gains(&memory) / questions.len() as f64;
            let ids: HashSet<&str> = memory.iter().map(|hit| hit.chunk.id.as_str()).collect();
            let same = parts.iter().filter(|hit| ids.contains(hit.chunk.id.as_str())).count();
            row.same += same as f64 / (ids.len().max(1) * questions.len()) as f64;
        }
        rows.push(row);
    }
    Ok(rows)
}

async fn in_memory_hits(kb: &KnowledgeBase, one: &Question<'_>, mode: InMemory) -> Outcome<Vec<Hit>> {
    let searcher = kb.publication()?.searcher;
    let both = mode == InMemory::Hybrid;
    let query = vademecum::index::Query {
        keywords: Some(&one.labelled.text),
        vector: both.then_some(one.vector.as_slice()),
        limit: LIMIT,
        ..Default::default()
    };
    let best = searcher.search(&query)?.best;
    let hit = |found: &vademecum::index::Found| {
        let chunk = searcher.chunk(found.key)?.to_chunk();
        Some(Hit { chunk, score: found.score, explain: None })
    };
    Ok(best.iter().filter_map(hit).collect())
}

/// Returns the most memory that this process has used, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn now<T>(work: impl Future<Output = Outcome<T>>) -> Result<T, String> {
    let done = work.now_or_never().ok_or("the work did not end at once")?;
    done.map_err(|error| error.to_string())
}

/// Formats a number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
