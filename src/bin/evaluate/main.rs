//! The program run by `cargo xtask eval`: measures recall, nDCG and MRR of the engine on labelled sets with
//! the real encoder.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command-line program prints

mod agent;
mod answering;
mod arguments;
mod cache;
mod encode;
mod handover;
mod parts;
mod questions;
mod reference;
mod served;
mod table;
mod timed;

use arguments::Arguments;
use cache::Cache;
use encode::{Encoders, Text};
use futures_util::FutureExt;
use served::{CachedEmbedder, Recorder};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;
use table::Outcome;
use vademecum::Result;
use vademecum::cancel::Cancel;
use vademecum::encoder::{Embedder, Kind};
use vademecum::engine::KnowledgeBase;
use vademecum::error::Error;
use vademecum::eval::beir::Dataset;
use vademecum::eval::{ARMS, AgentRow, RULES, Row, STRATEGIES, measure, measure_agent, measure_rule};
use vademecum::platform::Native;

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let told = |error: Error| error.to_string();
    if arguments.rules {
        return rules(arguments);
    }
    if let Some(rounds) = arguments.timed {
        return timed::run(arguments, rounds);
    }
    let encoders = Rc::new(Encoders::new(&arguments.encoder)?);
    if let Some(file) = &arguments.reference {
        let worst = reference::check(&encoders.load().map_err(told)?, file, encoders.least_cosine())?;
        println!("  the encoder agrees with its reference: least cosine {worst:.6}");
    }
    let mut cache = Cache::open(&arguments.cache, &encoders.fingerprint())?;
    if arguments.answers {
        return answering::run(arguments, &encoders, cache);
    }
    if !arguments.questions.is_empty() {
        return questions::run(arguments, &encoders, cache);
    }
    let mut outcomes = Vec::new();
    for folder in &arguments.folders {
        let mut dataset = Dataset::read(folder).map_err(told)?;
        arguments.alter(&mut dataset);
        for count in &arguments.parts.enlarged {
            parts::enlarged(arguments, &dataset, *count)?;
        }
        if arguments.parts.wanted && !arguments.parts.enlarged.is_empty() {
            continue;
        }
        outcomes.push(evaluate(arguments, &encoders, &mut cache, dataset)?);
    }
    if arguments.parts.wanted {
        return Ok(());
    }
    println!("\n{}", if arguments.agent { agent::rows(&outcomes) } else { table::rows(&outcomes) });
    if let Some(file) = &arguments.table {
        let page = if arguments.agent { agent::page } else { table::page }(&outcomes, &arguments.date);
        std::fs::write(file, page).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    // The default ranking method: hybrid with DBSF.
    let rows = outcomes.iter().flat_map(|outcome| &outcome.rows).filter(|row| row.arm == ARMS[2].name);
    table::check(rows, &arguments.least)
}

/// Measures the rules by which text becomes terms; the last one must reach the minimum values.
fn rules(arguments: &Arguments) -> Result<(), String> {
    let mut rows = Vec::new();
    for folder in &arguments.folders {
        let dataset = Dataset::read(folder).map_err(|error| error.to_string())?;
        for (name, rule) in RULES {
            rows.extend(measure_rule(&dataset, name, rule).map_err(|error| error.to_string())?);
        }
    }
    rows.sort_by(|one: &Row, other| one.set.cmp(&other.set)); // stable: rules keep their order
    println!("\n{}", vademecum::eval::table(&rows));
    let [.., (last, _)] = RULES;
    table::check(rows.iter().filter(|row| row.arm == last), &arguments.least)
}

fn evaluate(
    arguments: &Arguments,
    encoders: &Rc<Encoders>,
    cache: &mut Cache,
    dataset: Dataset,
) -> Result<Outcome, String> {
    println!("{}: {} documents, {} questions", dataset.name, dataset.documents.len(), dataset.queries.len());
    // The knowledge base decides which texts it embeds, so a first one only records them. For a comparison it
    // estimates tokens, because the other build receives vectors only.
    let counter = match arguments.hand_over {
        Some(_) => None,
        None => Some(encoders.counter().map_err(|error| error.to_string())?),
    };
    let recorder = Rc::new(Recorder::new(counter.clone()));
    fill(recorder.clone(), arguments, &dataset)?;
    let mut texts: Vec<Text> = recorder.texts();
    texts.extend(dataset.queries.iter().map(|query| Text::new(Kind::Query, &query.text)));
    let computed = encode::missing(encoders, cache, texts)?;
    let embedder = Rc::new(CachedEmbedder::new(std::mem::take(cache), counter, encoders.clone()));
    let kb = fill(embedder.clone(), arguments, &dataset)?;

    if arguments.parts.wanted {
        parts::labelled(arguments, &kb, &dataset, &embedder)?;
    }
    let (rows, agent) = if arguments.parts.wanted {
        (Vec::new(), Vec::new())
    } else if arguments.agent {
        (Vec::new(), strategies(arguments, &kb, &dataset, &embedder)?)
    } else {
        (arms(arguments, &kb, &dataset, &embedder)?, Vec::new())
    };
    if let Some(file) = &arguments.hand_over {
        handover::write(file, arguments, &kb, &dataset, &recorder, &embedder)?;
    }
    let stats = kb.stats().map_err(|error| error.to_string())?;
    drop(kb);
    *cache = embedder.release();
    let outcome = Outcome {
        name: dataset.name,
        documents: stats.documents,
        chunks: stats.chunks,
        computed,
        question_ms: encode::question_ms(encoders, &dataset.queries)?,
        rows,
        agent,
    };
    println!("{}", table::summary(&outcome));
    Ok(outcome)
}

fn arms(
    arguments: &Arguments,
    kb: &KnowledgeBase,
    dataset: &Dataset,
    embedder: &CachedEmbedder,
) -> Result<Vec<Row>, String> {
    let never = Cancel::default();
    let mut rows = Vec::new();
    for arm in ARMS {
        rows.extend(twice(embedder, arm.name, || {
            now(measure(kb, &dataset.queries, arm, arguments.threshold, &never))
        })?);
    }
    rows.sort_by(|one: &Row, other| one.set.cmp(&other.set)); // stable: methods keep their order
    Ok(rows)
}

fn strategies(
    arguments: &Arguments,
    kb: &KnowledgeBase,
    dataset: &Dataset,
    embedder: &CachedEmbedder,
) -> Result<Vec<AgentRow>, String> {
    let platform = Native::default();
    let mut rows = Vec::new();
    for strategy in STRATEGIES {
        rows.extend(twice(embedder, strategy.name(), || {
            now(measure_agent(kb, &dataset.queries, strategy, arguments.threshold, &platform))
        })?);
    }
    rows.sort_by(|one: &AgentRow, other| one.set.cmp(&other.set));
    Ok(rows)
}

/// Measures, and measures again if embeddings had to be computed in between, because these distort the times.
fn twice<T>(
    embedder: &CachedEmbedder,
    name: &str,
    work: impl Fn() -> Result<T, String>,
) -> Result<T, String> {
    let measured = work()?;
    match embedder.made()? {
        0 => Ok(measured),
        made => {
            println!("  {name}: {made} embeddings made on the way");
            work()
        }
    }
}

fn fill(
    embedder: Rc<dyn Embedder>,
    arguments: &Arguments,
    dataset: &Dataset,
) -> Result<KnowledgeBase, String> {
    let started = Instant::now();
    let kb = KnowledgeBase::new(Some(embedder), Rc::new(Native::default()), arguments.options.clone());
    now(kb.add("default", dataset.documents.clone(), &Cancel::default(), &|_| {}))?;
    println!("  indexed in {:.1} s", started.elapsed().as_secs_f64());
    Ok(kb)
}

/// Resolves a future that never waits.
fn now<T>(work: impl Future<Output = Result<T>>) -> Result<T, String> {
    work.now_or_never()
        .ok_or("the engine waited for something that never comes")?
        .map_err(|error| error.to_string())
}
