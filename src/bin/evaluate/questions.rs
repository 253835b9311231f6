//! Measures the answers of the demo page to questions about files, and about its sample library.

use crate::arguments::Arguments;
use crate::cache::Cache;
use crate::encode::{self, Encoders, Text};
use crate::now;
use crate::served::{CachedEmbedder, Recorder};
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::document::{DEFAULT_COLLECTION, Document};
use vademecum::encoder::{Embedder, Kind};
use vademecum::engine::{CollectionOptions, KnowledgeBase};
use vademecum::eval::{Asked, Judged, Tally, Verdict, ask, parse_questions, tallies};
use vademecum::platform::Native;
use vademecum_files::{Place, Walk, WalkOptions, read};

/// The collection of the page's sample.
const SAMPLE: &str = "rust-book";

/// The documents of the page's sample library.
#[derive(Deserialize)]
struct Sample {
    documents: Vec<Document>,
}

/// Measures every folder. The answers must reach the minimum values, together.
pub(crate) fn run(arguments: &Arguments, encoders: &Rc<Encoders>, mut cache: Cache) -> Result<(), String> {
    let sample = arguments.sample.as_deref().map(sample).transpose()?.unwrap_or_default();
    let (mut asked, mut judged) = (Vec::new(), Vec::new());
    for folder in &arguments.questions {
        let documents = files(&folder.join("files"))?;
        let path = folder.join("questions.jsonl");
        let mut questions =
            parse_questions(&path.display().to_string(), &text(&path)?).map_err(|error| error.to_string())?;
        questions.retain(|question| !question.sample || arguments.sample.is_some());
        println!("{}: {} documents, {} questions", folder.display(), documents.len(), questions.len());
        let answers;
        (answers, cache) = answered(arguments, encoders, cache, [&documents, &sample], &questions)?;
        asked.extend(questions);
        judged.extend(answers);
    }
    if let Some(to) = &arguments.answers_to {
        let lines: Vec<String> =
            judged.iter().filter_map(|one: &Judged| serde_json::to_string(one).ok()).collect();
        std::fs::write(to, lines.join("\n")).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    let (kinds, [answerable, unanswerable]) = tallies(&judged, &asked);
    let rows = kinds.iter().map(|(kind, tally)| (kind.as_str(), *tally));
    let sums = [("**answerable**", answerable), ("**unanswerable**", unanswerable)];
    println!("\n{}", table(rows.chain(sums)));
    for one in judged.iter().filter(|one| one.verdict == Verdict::Wrong) {
        println!("wrong: {}", one.question);
    }
    check(answerable, unanswerable, &arguments.least)
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn sample(path: &Path) -> Result<Vec<Document>, String> {
    let sample: Sample =
        serde_json::from_str(&text(path)?).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(sample.documents)
}

/// Reads the files of a folder as the page does; none of a set that is about the sample alone.
fn files(folder: &Path) -> Result<Vec<Document>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let place = Place::of(folder).map_err(|error| error.to_string())?;
    let mut documents = Vec::new();
    for found in &Walk::of(&[place], &WalkOptions::default()).found {
        let refused = |refusal| format!("{}: {refusal:?}", found.id);
        let contents = found.contents().map_err(refused)?;
        documents
            .extend(read(found, contents.bytes, &vademecum_files::pdf::pages).map_err(refused)?.documents);
    }
    Ok(documents)
}

fn answered(
    arguments: &Arguments,
    encoders: &Rc<Encoders>,
    mut cache: Cache,
    documents: [&[Document]; 2],
    questions: &[Asked],
) -> Result<(Vec<Judged>, Cache), String> {
    let counter = Some(encoders.counter().map_err(|error| error.to_string())?);
    let recorder = Rc::new(Recorder::new(counter.clone()));
    filled(recorder.clone(), arguments, documents)?;
    let mut texts: Vec<Text> = recorder.texts();
    texts.extend(questions.iter().map(|question| Text::new(Kind::Query, &question.text)));
    encode::missing(encoders, &mut cache, texts)?;
    let embedder = Rc::new(CachedEmbedder::new(cache, counter, encoders.clone()));
    let kb = filled(embedder.clone(), arguments, documents)?;
    let platform = Native::default();
    let judged = questions.iter().map(|question| now(ask(&kb, question, &platform)));
    let judged = judged.collect::<Result<Vec<_>, _>>()?;
    embedder.made()?;
    drop(kb);
    Ok((judged, embedder.release()))
}

fn filled(
    embedder: Rc<dyn Embedder>,
    arguments: &Arguments,
    [own, sample]: [&[Document]; 2],
) -> Result<KnowledgeBase, String> {
    let kb = KnowledgeBase::new(Some(embedder), Rc::new(Native::default()), arguments.options.clone());
    for (collection, documents) in [(DEFAULT_COLLECTION, own), (SAMPLE, sample)] {
        if !documents.is_empty() {
            kb.collection(collection, &CollectionOptions::default()).map_err(|error| error.to_string())?;
            now(kb.add(collection, documents.to_vec(), &Cancel::default(), &|_| {}))?;
        }
    }
    Ok(kb)
}

fn table<'a>(rows: impl Iterator<Item = (&'a str, Tally)>) -> String {
    let mut text = String::from(
        "| kind | questions | right | right further down | wrong | wrongly declined |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for (kind, Tally { all, right, late, wrong, missed }) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {kind} | {all} | {right} | {late} | {wrong} | {missed} |");
    }
    text
}

/// Fails if a share is below its minimum value.
fn check(answerable: Tally, unanswerable: Tally, least: &[(String, f64)]) -> Result<(), String> {
    let share = |part: usize, tally: Tally| part as f64 / tally.all.max(1) as f64;
    for (metric, least) in least {
        let value = match metric.as_str() {
            "right" => share(answerable.right, answerable),
            "not-wrong" => 1.0 - share(answerable.wrong, answerable),
            "declined" => share(unanswerable.right, unanswerable),
            _ => return Err(format!("there is no metric `{metric}`")),
        };
        if value < *least {
            return Err(format!("{metric} is {value:.3}, below {least}"));
        }
    }
    Ok(())
}
