//! Measures runs made elsewhere: a page asks its own questions in several ways, and passes the outcomes.

use super::answers::{exact_match, f1, first_sentence, says};
use super::metrics::{
    Relevance, all_support_at, area_under_curve, distinct, ndcg_at, precision_of, recall_at,
    reciprocal_rank_at, share_above,
};
use super::rows::wrong_and_missing;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use vademecum_agent::evidence::{Scored, interleave};
use vademecum_agent::steps::is_refusal;
use vademecum_grounding::citation::without_citations;
use vademecum_protocol::document::{Key, Span};
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by;

/// The outcomes of one way of asking.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Trials {
    /// Cut-off of the metrics.
    pub k: usize,
    /// One run per question.
    pub runs: Vec<Trial>,
}

/// The outcome of one question.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Trial {
    /// The question.
    pub question: String,
    /// The relevant documents; none of a question that the documents do not answer.
    pub relevant: Relevance,
    /// Whether the documents do not answer it.
    pub unanswerable: bool,
    /// The correct answers, if known.
    pub answers: Vec<String>,
    /// Whether the answer is the list of all relevant documents.
    pub expects_rows: bool,
    /// The rankings of its searches.
    pub rankings: Vec<Vec<FoundChunk>>,
    /// The answer, if this way of asking answers.
    pub answer: Option<String>,
    /// Ids of the documents that are the rows of the answer.
    pub rows: Vec<String>,
    /// Whether it says that the documents do not answer.
    pub abstained: bool,
    /// The estimated probability that the passages answer.
    pub confidence: Option<f32>,
    /// The answer's citations.
    pub citations: Vec<Cited>,
    /// Number of LLM calls.
    pub llm_calls: usize,
    /// Number of prompt tokens.
    pub prompt_tokens: usize,
    /// Number of completion tokens.
    pub completion_tokens: usize,
    /// Elapsed time in milliseconds.
    pub ms: f64,
    /// Whether the run failed. It counts as an empty result, and its time is omitted.
    pub failed: bool,
}

/// A chunk in a ranking.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FoundChunk {
    /// Id of the chunk.
    pub id: String,
    /// Id of its document.
    pub doc_id: String,
    /// Score of the search.
    #[serde(default)]
    pub score: f32,
}

impl Scored for FoundChunk {
    fn key(&self) -> Key<'_> {
        ["", &self.doc_id, &self.id]
    }

    fn score(&self) -> f32 {
        self.score
    }
}

/// A citation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cited {
    /// Id of the cited document.
    pub doc_id: String,
    /// Its position in the answer, in UTF-16 code units.
    #[serde(default)]
    pub at: Option<Span>,
}

/// The metrics of one way of asking.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    /// Means over the questions; for `ms` also the median and the 95th percentile.
    pub metrics: Map<String, Value>,
    /// Metrics per question, in order.
    pub per_case: Vec<MeasuredCase>,
}

/// The metrics of one question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MeasuredCase {
    /// As above; null if unknown for this question.
    pub metrics: Map<String, Value>,
    /// The first `k` documents.
    pub ranking: Vec<String>,
}

/// Cut-offs of recall, in addition to `k`.
const DEPTHS: [usize; 2] = [1, 5];

/// Computes the metrics of every run and their means. A metric that is unknown for a question, such as the F1
/// of an answer without a known correct one, is omitted from its mean.
///
/// # Errors
/// [`Error::InvalidArgument`] if `k` is 0 or there are no runs.
pub fn measure_trials(trials: &Trials) -> Result<Measured> {
    let Trials { k, runs } = trials;
    if *k == 0 || runs.is_empty() {
        let got = format!("{k}, and {} runs", runs.len());
        return Err(Error::invalid("trials", "`k` from 1 and at least one run", got));
    }
    // A failed run of a method that answers counts as a wrong answer; a failed search has no answer to score.
    let answers = runs.iter().any(|run| run.answer.is_some() || run.abstained);
    let per_case: Vec<MeasuredCase> = runs.iter().map(|run| measured(run, *k, answers)).collect();
    let mut metrics = Map::new();
    // Every case has the same metrics.
    for name in per_case.iter().take(1).flat_map(|case| case.metrics.keys()) {
        let known = per_case.iter().filter_map(|case| case.metrics.get(name)?.as_f64());
        metrics.insert(name.clone(), json!(mean(&known.collect::<Vec<_>>())));
    }
    let mut times: Vec<f64> = runs.iter().filter(|run| !run.failed).map(|run| run.ms).collect();
    sort_by(&mut times, f64::total_cmp);
    let ms = json!({ "mean": mean(&times), "p50": percentile(&times, 0.5), "p95": percentile(&times, 0.95) });
    metrics.insert("ms".into(), ms);
    metrics.extend(abstention(runs));
    Ok(Measured { metrics, per_case })
}

fn measured(run: &Trial, k: usize, answering: bool) -> MeasuredCase {
    let found = interleave(run.rankings.iter().map(Vec::as_slice));
    let mut ranking = distinct(found.iter().map(|chunk| chunk.doc_id.as_str()));
    if run.failed {
        ranking.clear();
    }
    // Without a relevant document, no ranking is better than another.
    let of_ranking = |value: f64| json!((!run.unanswerable).then_some(value));
    let mut metrics = Map::new();
    for depth in DEPTHS.into_iter().filter(|depth| *depth < k).chain([k]) {
        metrics.insert(format!("recall@{depth}"), of_ranking(recall_at(&ranking, &run.relevant, depth)));
    }
    metrics.insert(format!("ndcg@{k}"), of_ranking(ndcg_at(&ranking, &run.relevant, k)));
    metrics.insert(format!("mrr@{k}"), of_ranking(reciprocal_rank_at(&ranking, &run.relevant, k)));
    metrics.insert(format!("allSupport@{k}"), of_ranking(all_support_at(&ranking, &run.relevant, k)));
    let cited = run.citations.iter().filter(|_| !run.failed).map(|citation| citation.doc_id.as_str());
    let precision = precision_of(cited, &run.relevant).filter(|_| !run.unanswerable);
    metrics.insert("citationPrecision".into(), json!(precision));
    metrics.extend(answer_metrics(run, answering));
    metrics.extend(row_metrics(run, answering));
    metrics.insert("llmCalls".into(), json!(run.llm_calls));
    metrics.insert("promptTokens".into(), json!(run.prompt_tokens));
    metrics.insert("completionTokens".into(), json!(run.completion_tokens));
    metrics.insert("ms".into(), json!(run.ms));
    MeasuredCase { metrics, ranking: ranking.into_iter().take(k).map(str::to_owned).collect() }
}

/// Returns the metrics of an answer; null where they are unknown, and for ways of asking that do not answer.
fn answer_metrics(run: &Trial, answering: bool) -> Map<String, Value> {
    let said = said(run);
    let share = |is: bool| json!(f64::from(u8::from(is)));
    // A failed run has answered wrongly.
    let scored = answering && !run.unanswerable && !run.answers.is_empty();
    let score = |of: &dyn Fn(&str) -> f64| json!(scored.then(|| said.as_deref().map_or(0.0, of)));
    let gold = |text: &str| f64::from(u8::from(says(text, &run.answers)));
    let mut metrics = Map::new();
    metrics.insert("exactMatch".into(), score(&|text| gold_exact(text, &run.answers)));
    metrics.insert("f1".into(), score(&|text| f1(text, &run.answers)));
    metrics.insert("goldInAnswer".into(), score(&gold));
    metrics.insert("goldInFirstSentence".into(), score(&|text| gold(first_sentence(text))));
    let known = |is: bool| if answering && is { share(said.is_some()) } else { Value::Null };
    metrics.insert("answered".into(), known(!run.unanswerable));
    metrics.insert("falseAnswers".into(), known(run.unanswerable && !run.failed));
    metrics.insert("answerLength".into(), json!(said.map(|text| text.trim().chars().count())));
    metrics
}

/// Returns how the rows of an answer differ from the relevant documents; null for questions whose answer is no rows. A failed run
/// lacks all rows.
fn row_metrics(run: &Trial, answering: bool) -> Map<String, Value> {
    let counts = (answering && run.expects_rows).then(|| {
        let rows = run.rows.iter().filter(|_| !run.failed).map(String::as_str);
        let [wrong, missing] = wrong_and_missing(rows, &run.relevant);
        [f64::from(u8::from(wrong + missing == 0)), wrong as f64, missing as f64]
    });
    let names = ["exactRows", "wrongRows", "missingRows"];
    let values = counts.map_or([None; 3], |counts| counts.map(Some));
    names.into_iter().zip(values).map(|(name, value)| (name.to_owned(), json!(value))).collect()
}

fn gold_exact(text: &str, answers: &[String]) -> f64 {
    f64::from(u8::from(exact_match(text, answers)))
}

/// Returns the answer without citations, or `None` if none was given: the run failed, abstained, or says that the documents do
/// not answer.
fn said(run: &Trial) -> Option<String> {
    let answer =
        run.answer.as_ref().filter(|answer| !run.failed && !run.abstained && !answer.trim().is_empty())?;
    let spans: Vec<Span> = run.citations.iter().filter_map(|citation| citation.at).collect();
    let said = without_citations(answer, &spans);
    (!is_refusal(&said, &run.question)).then_some(said)
}

/// Returns how well the probabilities tell answerable questions from others; null without questions of both kinds, or without a
/// probability.
fn abstention(runs: &[Trial]) -> Map<String, Value> {
    let of = |unanswerable: bool| -> Vec<f32> {
        let runs = runs.iter().filter(|run| run.unanswerable == unanswerable && !run.failed);
        // An answer over rows has no probability: they are not chosen by likeness.
        runs.map(|run| run.confidence.unwrap_or(if said(run).is_some() { 1.0 } else { 0.0 })).collect()
    };
    let (answerable, others) = (of(false), of(true));
    let known =
        runs.iter().any(|run| run.confidence.is_some()) && !answerable.is_empty() && !others.is_empty();
    let values = known.then(|| (area_under_curve(&answerable, &others), share_above(&answerable, &others)));
    let (area, above) = values.unzip();
    let named = [("abstentionArea", json!(area)), ("falseAnswersAt95", json!(above))];
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the nearest-rank percentile of sorted values.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trials(value: Value) -> Trials {
        serde_json::from_value(value).unwrap()
    }

    fn chunks(documents: &[&str]) -> Value {
        let chunk = |(at, id): (usize, &&str)| json!({ "id": format!("{id}#{at}"), "docId": id });
        documents.iter().enumerate().map(chunk).collect()
    }

    #[test]
    fn values_worked_out_by_hand() {
        let found = measure_trials(&trials(json!({ "k": 10, "runs": [
            {
                "relevant": { "a": 1, "b": 1 }, "answers": ["30 days"], "answer": "30 days [1] [2]",
                "rankings": [chunks(&["a", "a", "x"]), chunks(&["x", "b"])],
                "citations": [{ "docId": "a", "at": { "start": 8, "end": 11 } }, { "docId": "x", "at": { "start": 12, "end": 15 } }],
                "llmCalls": 2, "promptTokens": 100, "completionTokens": 10, "ms": 30.0,
            },
            { "relevant": { "c": 2 }, "rankings": [chunks(&["x", "c"])], "answer": "", "ms": 10.0 },
        ] })))
        .unwrap();
        let value = |name: &str| found.metrics[name].as_f64().unwrap();
        assert_eq!(found.per_case[0].ranking, ["a", "x", "b"]);
        assert_eq!((value("recall@1"), value("recall@5"), value("recall@10")), (0.25, 1.0, 1.0));
        assert_eq!((value("mrr@10"), value("allSupport@10")), (0.75, 1.0));
        // (1 + 1 / log2 4) / (1 + 1 / log2 3) and 1 / log2 3.
        assert!((value("ndcg@10") - (0.919_720_8 + 0.630_929_8) / 2.0).abs() < 1e-6);
        // The second run has no citations, and no correct answer is known for it.
        assert_eq!((value("citationPrecision"), value("exactMatch"), value("f1")), (0.5, 1.0, 1.0));
        assert_eq!((value("llmCalls"), value("promptTokens"), value("completionTokens")), (1.0, 50.0, 5.0));
        assert_eq!(found.metrics["ms"], json!({ "mean": 20.0, "p50": 10.0, "p95": 30.0 }));
    }

    #[test]
    fn a_failed_run_found_nothing_and_its_time_is_omitted() {
        let good = json!({ "relevant": { "a": 1 }, "answers": ["x"], "rankings": [chunks(&["a"])], "answer": "x", "ms": 8.0 });
        let mut bad = good.clone();
        bad["failed"] = json!(true);
        bad["ms"] = json!(1000.0);
        let found = measure_trials(&trials(json!({ "k": 10, "runs": [good, bad] }))).unwrap();
        for name in [
            "recall@1",
            "recall@10",
            "ndcg@10",
            "mrr@10",
            "allSupport@10",
            "exactMatch",
            "f1",
            "goldInAnswer",
            "answered",
        ] {
            assert_eq!(found.metrics[name], 0.5, "{name}");
        }
        assert_eq!(found.metrics["ms"]["p95"], 8.0);
        assert_eq!(found.per_case[1].ranking, Vec::<String>::new());
    }

    #[test]
    fn rows_are_compared_with_the_relevant_documents_and_a_failed_run_lacks_all() {
        let run = |rows: &[&str], failed: bool| {
            json!({ "relevant": { "a": 1, "b": 1 }, "expectsRows": true, "answer": "two", "rows": rows, "failed": failed,
                "rankings": [chunks(&["a"])], "ms": 1.0 })
        };
        let other = json!({ "relevant": { "a": 1 }, "answer": "x", "rows": ["c"], "rankings": [chunks(&["a"])], "ms": 1.0 });
        let runs =
            json!([run(&["b", "a"], false), run(&["a", "c", "d"], false), run(&["a", "b"], true), other]);
        let measured = measure_trials(&trials(json!({ "k": 10, "runs": runs }))).unwrap();
        let of = |at: usize| {
            ["exactRows", "wrongRows", "missingRows"].map(|name| measured.per_case[at].metrics[name].as_f64())
        };
        assert_eq!(of(0), [Some(1.0), Some(0.0), Some(0.0)]);
        assert_eq!(of(1), [Some(0.0), Some(2.0), Some(1.0)]);
        assert_eq!(of(2), [Some(0.0), Some(0.0), Some(2.0)]);
        assert_eq!(of(3), [None; 3]);
        assert_eq!(measured.metrics["missingRows"], json!(1.0));
    }

    #[test]
    fn a_search_is_not_scored_for_answers() {
        let runs =
            json!([{ "relevant": { "a": 1 }, "answers": ["x"], "rankings": [chunks(&["a"])], "ms": 1.0 }]);
        let found = measure_trials(&trials(json!({ "k": 3, "runs": runs }))).unwrap();
        for name in ["exactMatch", "f1", "citationPrecision", "goldInAnswer", "answered", "falseAnswers"] {
            assert_eq!(found.metrics[name], Value::Null, "{name}");
        }
        assert_eq!(found.metrics["recall@3"], 1.0);
        assert!(!found.metrics.contains_key("recall@5"), "it would be deeper than anything was looked at");
    }

    #[test]
    fn answers_and_abstentions_are_scored_by_the_kind_of_the_question() {
        let run = |question: &str, unanswerable: bool, answer: Value, confidence: f32, abstained: bool| {
            json!({ "question": question, "unanswerable": unanswerable, "answer": answer, "confidence": confidence,
                "abstained": abstained, "relevant": if unanswerable { json!({}) } else { json!({ "a": 1 }) },
                "answers": if unanswerable { json!([]) } else { json!(["35 minutes"]) }, "rankings": [chunks(&["a"])], "ms": 1.0 })
        };
        let runs = json!([
            run("How long does it take?", false, json!("It takes 35 minutes. It leaves at six."), 0.9, false),
            run(
                "How long is the crossing?",
                false,
                json!("It leaves at six. It takes 35 minutes."),
                0.6,
                false
            ),
            run("How long does it last?", false, json!(null), 0.1, true),
            run("How high is the tower?", true, json!("It leaves at six."), 0.4, false),
            run("Who painted it?", true, json!("The documents do not say who painted it."), 0.05, false),
        ]);
        let found = measure_trials(&trials(json!({ "k": 10, "runs": runs }))).unwrap();
        let value = |name: &str| found.metrics[name].as_f64().unwrap_or(f64::NAN);
        let near = |name: &str, expected: f64| {
            assert!((value(name) - expected).abs() < 1e-9, "{name}: {}", value(name));
        };
        near("goldInAnswer", 2.0 / 3.0);
        near("goldInFirstSentence", 1.0 / 3.0);
        near("answered", 2.0 / 3.0);
        near("falseAnswers", 0.5);
        near("abstentionArea", 5.0 / 6.0);
        near("falseAnswersAt95", 0.5);
        near("answerLength", (38.0 + 38.0 + 17.0) / 3.0);
        near("recall@10", 1.0);
        assert_eq!(found.per_case[3].metrics["recall@10"], Value::Null, "nothing is relevant");
        assert_eq!(found.per_case[0].metrics["falseAnswers"], Value::Null);
    }

    #[test]
    fn abstaining_is_not_measured_without_questions_of_both_kinds() {
        let run = json!({ "question": "Who?", "relevant": { "a": 1 }, "answer": "x", "confidence": 0.5, "rankings": [chunks(&["a"])], "ms": 1.0 });
        let found = measure_trials(&trials(json!({ "k": 3, "runs": [run] }))).unwrap();
        assert_eq!(
            (&found.metrics["abstentionArea"], &found.metrics["falseAnswersAt95"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(
            (found.metrics["answered"].as_f64(), &found.metrics["falseAnswers"]),
            (Some(1.0), &Value::Null)
        );
    }

    #[test]
    fn empty_input_is_an_error() {
        for (k, runs) in [(0, json!([{}])), (10, json!([]))] {
            let error = measure_trials(&trials(json!({ "k": k, "runs": runs }))).unwrap_err();
            assert_eq!(error.code(), "invalid_argument");
        }
    }

    proptest! {
        #[test]
        fn every_metric_is_a_share_and_every_mean_within_its_range(
            found in prop::collection::vec(prop::collection::vec("[a-h]", 0..12), 1..6),
            k in 1usize..12,
        ) {
            let run = |documents: &Vec<String>| {
                let ids: Vec<&str> = documents.iter().map(String::as_str).collect();
                json!({ "relevant": { "a": 1, "b": 2 }, "answers": ["a b"], "answer": documents.join(" "),
                    "rankings": [chunks(&ids)], "citations": ids.iter().map(|id| json!({ "docId": id })).collect::<Value>(), "ms": 1.0 })
            };
            let runs: Vec<Value> = found.iter().map(run).collect();
            let measured = measure_trials(&trials(json!({ "k": k, "runs": runs }))).unwrap();
            for (name, value) in measured.metrics.iter().filter(|(name, _)| !["ms", "llmCalls", "promptTokens", "completionTokens", "answerLength"].contains(&name.as_str())) {
                let each: Vec<f64> = measured.per_case.iter().filter_map(|case| case.metrics.get(name)?.as_f64()).collect();
                let Some(mean) = value.as_f64() else { prop_assert!(each.is_empty()); continue };
                prop_assert!(each.iter().all(|one| (0.0..=1.0 + 1e-9).contains(one)), "{name}");
                let (least, most) = each.iter().fold((1.0_f64, 0.0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
                prop_assert!((least - 1e-9..=most + 1e-9).contains(&mean), "{name}");
            }
        }
    }
}
