//! Measures answers by rule: whether they contain the right words, and whether the agent abstains where the documents do not say.

use super::LabelledQuery;
use super::answers::{first_sentence, says};
use super::beir::Unanswerable;
use super::metrics::{area_under_curve, share_above};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use vademecum_agent::context::Context;
use vademecum_agent::ports::{NoFunctions, NoLlm, NoObserver};
use vademecum_agent::styles::pipeline::{Pipeline, Ports};
use vademecum_engine::KnowledgeBase;
use vademecum_grounding::citation::without_citations;
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;

/// The kind of questions that the documents answer.
pub const ANSWERABLE: &str = "answerable";

/// The answer to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The estimated probability that it is right.
    pub confidence: f32,
    /// Whether no answer was given.
    pub abstained: bool,
    /// Whether the answer contains the right words.
    pub right: bool,
    /// Whether its first sentence does.
    pub right_first: bool,
    /// Its length in characters, without citations.
    pub length: usize,
}

/// Answers to the questions of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// Name of the set.
    pub set: String,
    /// Kind of questions: [`ANSWERABLE`], or what the documents lack.
    pub kind: String,
    /// Number of questions.
    pub queries: usize,
    /// Share that got an answer.
    pub answered: f64,
    /// Share whose answer contains the right words; an abstention does not.
    pub right: f64,
    /// Share whose first sentence does.
    pub right_first: f64,
    /// Mean length of an answer in characters.
    pub length: f64,
    /// Area under the curve by which the probability tells answerable questions from those of this kind.
    pub area: f64,
    /// Share answered by a threshold on the probability that keeps 95 % of the answerable questions.
    pub false_answers: f64,
}

/// Asks `kb` questions that its documents answer, and each of `without` questions that its documents do not. The first row is of
/// the former.
///
/// # Errors
/// The error that ended a run.
pub async fn measure_answers(
    kb: &KnowledgeBase,
    set: &str,
    queries: &[LabelledQuery],
    without: &[(&KnowledgeBase, &[Unanswerable])],
    platform: &dyn Platform,
) -> Result<Vec<AnswerRow>> {
    let mut known = Vec::new();
    for query in queries.iter().filter(|query| !query.answers.is_empty()) {
        known.push(answer(kb, &query.text, &query.answers, platform).await?);
    }
    let mut by_kind: BTreeMap<&str, Vec<Answered>> = BTreeMap::new();
    for (kb, unanswerable) in without {
        for query in *unanswerable {
            let answered = answer(kb, &query.text, &[], platform).await?;
            by_kind.entry(&query.kind).or_default().push(answered);
        }
    }
    let mut rows = vec![row(set, ANSWERABLE, &known, &known)];
    rows.extend(by_kind.iter().map(|(kind, answered)| row(set, kind, answered, &known)));
    Ok(rows)
}

/// Asks one question.
async fn answer(
    kb: &KnowledgeBase,
    question: &str,
    right: &[String],
    platform: &dyn Platform,
) -> Result<Answered> {
    Ok(judged(&asked(kb, question, platform).await?, right))
}

/// Runs a search and an answer by rule.
pub(super) async fn asked(kb: &KnowledgeBase, question: &str, platform: &dyn Platform) -> Result<Context> {
    let pipeline = json!({ "question": question, "steps": [{ "step": "search" }, { "step": "answer" }] });
    let context = answered_by_rule(kb, pipeline, platform).await?;
    match &context.log.error {
        Some(error) => Err(Error::LlmFailed { reason: format!("{question}: {}", error.message) }),
        None => Ok(context),
    }
}

/// Runs a pipeline without a model: every step by its rule.
///
/// # Errors
/// [`Error::InvalidArgument`] if `pipeline` is no pipeline, and those of [`Pipeline::check`]. An error that ends the run is in `log.error`.
pub async fn answered_by_rule(
    kb: &KnowledgeBase,
    pipeline: Value,
    platform: &dyn Platform,
) -> Result<Context> {
    let pipeline: Pipeline = serde_json::from_value(pipeline)
        .map_err(|error| Error::invalid("steps", "a pipeline", error.to_string()))?;
    pipeline.check()?;
    let ports = Ports {
        llm: &NoLlm,
        searcher: kb,
        functions: &NoFunctions,
        observer: &NoObserver,
        platform,
        cancel: Cancel::default(),
    };
    Ok(pipeline.run(ports).await)
}

fn judged(context: &Context, right: &[String]) -> Answered {
    let cited: Vec<_> = context.citations.iter().map(|citation| citation.at).collect();
    let text = without_citations(context.answer.as_deref().unwrap_or_default(), &cited);
    Answered {
        confidence: context.confidence.unwrap_or(0.0), // nothing was found
        abstained: context.abstained,
        right: says(&text, right),
        right_first: says(first_sentence(&text), right),
        length: text.trim().chars().count(),
    }
}

fn row(set: &str, kind: &str, answered: &[Answered], known: &[Answered]) -> AnswerRow {
    let count = answered.len().max(1) as f64;
    let share = |is: &dyn Fn(&Answered) -> bool| answered.iter().filter(|one| is(one)).count() as f64 / count;
    let given = answered.iter().filter(|one| !one.abstained);
    let lengths: Vec<f64> = given.map(|one| one.length as f64).collect();
    let confidences = |of: &[Answered]| of.iter().map(|one| one.confidence).collect::<Vec<f32>>();
    AnswerRow {
        set: set.to_owned(),
        kind: kind.to_owned(),
        queries: answered.len(),
        answered: share(&|one| !one.abstained),
        right: share(&|one| one.right),
        right_first: share(&|one| one.right_first),
        length: lengths.iter().copied().reduce(|a, b| a + b).unwrap_or_default()
            / lengths.len().max(1) as f64,
        area: area_under_curve(&confidences(known), &confidences(answered)),
        false_answers: share_above(&confidences(known), &confidences(answered)),
    }
}
