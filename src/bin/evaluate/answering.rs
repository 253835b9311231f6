//! Measures answers by rule on labelled sets, with and without the encoder.

use crate::arguments::Arguments;
use crate::cache::Cache;
use crate::encode::{self, Encoders, Text};
use crate::served::{CachedEmbedder, Recorder};
use crate::{fill, now};
use std::collections::HashSet;
use std::fmt::Write;
use std::rc::Rc;
use vademecum::cancel::Cancel;
use vademecum::encoder::Kind;
use vademecum::engine::KnowledgeBase;
use vademecum::eval::beir::{Dataset, Unanswerable};
use vademecum::eval::{ANSWERABLE, AnswerRow, LabelledQuery, RowsRow, measure_answers, measure_rows};
use vademecum::platform::Native;

/// How answers are found that must reach the minimum values.
const WITH_ENCODER: &str = "with the encoder";

/// Measures every set: its own questions, those whose documents are taken out, and those of the other sets.
pub(crate) fn run(arguments: &Arguments, encoders: &Rc<Encoders>, mut cache: Cache) -> Result<(), String> {
    let mut datasets = Vec::new();
    for folder in &arguments.folders {
        let mut dataset = Dataset::read(folder).map_err(|error| error.to_string())?;
        arguments.alter(&mut dataset);
        dataset.unanswerable.truncate(arguments.most_unanswerable());
        datasets.push(dataset);
    }
    let (mut rows, mut of_rows) = (Vec::new(), Vec::new());
    for (at, dataset) in datasets.iter().enumerate() {
        let others = datasets.iter().enumerate().filter(|(other, _)| *other != at);
        let foreign = others
            .flat_map(|(_, other)| &other.queries)
            .map(|query| Unanswerable { text: query.text.clone(), kind: "of another set".into() });
        let mut unanswerable = dataset.unanswerable.clone();
        unanswerable.extend(foreign.take(arguments.most_unanswerable()));
        cache = measure(arguments, encoders, cache, dataset, &unanswerable, &mut rows)?;
        if dataset.queries.iter().any(|query| query.rows) {
            let (kb, platform) = (by_words(arguments, dataset)?, Native::default());
            of_rows.push(now(measure_rows(&kb, &dataset.name, &dataset.queries, &platform))?);
        }
    }
    println!("\n{}", table(&rows));
    if !of_rows.is_empty() {
        println!("{}", table_of_rows(&of_rows));
    }
    check(&rows, &of_rows, &arguments.least)
}

fn measure(
    arguments: &Arguments,
    encoders: &Rc<Encoders>,
    mut cache: Cache,
    dataset: &Dataset,
    unanswerable: &[Unanswerable],
    rows: &mut Vec<(&'static str, AnswerRow)>,
) -> Result<Cache, String> {
    let (name, queries) = (dataset.name.as_str(), dataset.queries.as_slice());
    println!("{name}: {} documents, {} questions", dataset.documents.len(), queries.len());
    let counter = Some(encoders.counter().map_err(|error| error.to_string())?);
    let recorder = Rc::new(Recorder::new(counter.clone()));
    fill(recorder.clone(), arguments, dataset)?;
    let mut texts: Vec<Text> = recorder.texts();
    texts.extend(queries.iter().map(|query| Text::new(Kind::Query, &query.text)));
    encode::missing(encoders, &mut cache, texts)?;
    let (without, gone) = taken_out(dataset);
    let embedder = Rc::new(CachedEmbedder::new(cache, counter, encoders.clone()));
    let platform = Native::default();
    let (kb, kb_without) =
        (fill(embedder.clone(), arguments, dataset)?, fill(embedder.clone(), arguments, &without)?);
    let (words, words_without) = (by_words(arguments, dataset)?, by_words(arguments, &without)?);
    for (how, kb, kb_without) in [(WITH_ENCODER, &kb, &kb_without), ("by words", &words, &words_without)] {
        let without = [(kb, unanswerable), (kb_without, gone.as_slice())];
        let measured = now(measure_answers(kb, name, queries, &without, &platform))?;
        rows.extend(measured.into_iter().map(|row| (how, row)));
        embedder.made()?;
    }
    drop((kb, kb_without));
    Ok(embedder.release())
}

/// Returns the set without the documents of every second answerable question, and these questions.
fn taken_out(dataset: &Dataset) -> (Dataset, Vec<Unanswerable>) {
    let answerable = dataset.queries.iter().filter(|query| !query.answers.is_empty());
    let gone: Vec<&LabelledQuery> = answerable.step_by(2).collect();
    let ids: HashSet<&String> = gone.iter().flat_map(|query| query.relevant.keys()).collect();
    let mut without = dataset.clone();
    without.documents.retain(|document| !ids.contains(&document.id));
    let kind = "document taken out";
    let gone = gone.iter().map(|query| Unanswerable { text: query.text.clone(), kind: kind.into() });
    (without, gone.collect())
}

/// Fills a knowledge base without an encoder.
fn by_words(arguments: &Arguments, dataset: &Dataset) -> Result<KnowledgeBase, String> {
    let kb = KnowledgeBase::new(None, Rc::new(Native::default()), arguments.options.clone());
    now(kb.add("default", dataset.documents.clone(), &Cancel::default(), &|_| {}))?;
    Ok(kb)
}

fn table(rows: &[(&str, AnswerRow)]) -> String {
    let mut text = String::from(
        "| set | how | kind | questions | answered | gold in answer | in first sentence | characters | area | false at 95 % kept |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (how, row) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {how} | {} | {} | {:.3} | {:.3} | {:.3} | {:.0} | {:.3} | {:.3} |",
            row.set,
            row.kind,
            row.queries,
            row.answered,
            row.right,
            row.right_first,
            row.length,
            row.area,
            row.false_answers
        );
    }
    text
}

fn table_of_rows(rows: &[RowsRow]) -> String {
    let mut text =
        String::from("| set | questions | exact | wrong rows | missing rows |\n|---|--:|--:|--:|--:|\n");
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {} | {} |",
            row.set, row.queries, row.exact, row.wrong, row.missing
        );
    }
    for question in rows.iter().flat_map(|row| &row.inexact) {
        let _ = writeln!(text, "not exact: {question}");
    }
    text
}

/// Fails if a metric with the encoder is below its minimum value: of the answerable questions of any set, or the area for questions
/// of another subject.
fn check(rows: &[(&str, AnswerRow)], of_rows: &[RowsRow], least: &[(String, f64)]) -> Result<(), String> {
    let of = |kind: &'static str| {
        rows.iter()
            .filter(|(how, _)| *how == WITH_ENCODER)
            .map(|(_, row)| row)
            .filter(move |row| row.kind == kind)
    };
    let least_of =
        |kind: &'static str, value: &dyn Fn(&AnswerRow) -> f64| of(kind).map(value).reduce(f64::min);
    for (metric, least) in least {
        let value = match metric.as_str() {
            "answered" => least_of(ANSWERABLE, &|row| row.answered),
            "right" => least_of(ANSWERABLE, &|row| row.right),
            "right-first" => least_of(ANSWERABLE, &|row| row.right_first),
            "area" => least_of("subject", &|row| row.area),
            "rows" => of_rows.iter().map(|row| row.exact).reduce(f64::min),
            _ => None,
        };
        let value = value.ok_or(format!("there is no metric `{metric}`"))?;
        if value < *least {
            return Err(format!("{metric} is {value:.3}, below {least}"));
        }
    }
    Ok(())
}
