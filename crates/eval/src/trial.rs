//! Measures of what was asked elsewhere: a page asks its own questions in several ways, and hands over what came of each.

use super::agent::without_citations;
use super::answers::{exact_match, f1};
use super::metrics::{
    Relevance, all_support_at, distinct, ndcg_at, precision_of, recall_at, reciprocal_rank_at,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use vademecum_agent::evidence::{Scored, interleave};
use vademecum_protocol::document::{Key, Span};
use vademecum_protocol::error::{Error, Result};
use vademecum_util::small_sort::sort_by;

/// What one way of asking made of every question.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Trials {
    /// How many documents of a ranking are looked at.
    pub k: usize,
    /// Question by question.
    pub runs: Vec<Trial>,
}

/// What came of one question.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Trial {
    /// What should have been found.
    pub relevant: Relevance,
    /// What is a right answer, if that is known.
    pub answers: Vec<String>,
    /// What was found, search by search, or all in one.
    pub rankings: Vec<Vec<FoundChunk>>,
    /// What was answered; nothing where this way does not answer.
    pub answer: Option<String>,
    /// What the answer cites.
    pub citations: Vec<Cited>,
    /// Calls of an LLM.
    pub llm_calls: usize,
    /// Tokens of their prompts.
    pub prompt_tokens: usize,
    /// Tokens of their replies.
    pub completion_tokens: usize,
    /// Milliseconds.
    pub ms: f64,
    /// Whether nothing came of it. It counts as nothing found, and its time is left out.
    pub failed: bool,
}

/// A chunk that was found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FoundChunk {
    /// The chunk.
    pub id: String,
    /// Its document.
    pub doc_id: String,
    /// How good the search found it.
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
    /// The document that it names.
    pub doc_id: String,
    /// Where it stands in the answer, in UTF-16 code units.
    #[serde(default)]
    pub at: Option<Span>,
}

/// How good a way of asking is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    /// The means over the questions; `ms` has the median and the 95th percentile as well.
    pub metrics: Map<String, Value>,
    /// Question by question, in their order.
    pub per_case: Vec<MeasuredCase>,
}

/// How well one question was answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MeasuredCase {
    /// As of all questions; what cannot be told of this one is null.
    pub metrics: Map<String, Value>,
    /// The first documents found.
    pub ranking: Vec<String>,
}

/// Recall is told at these depths, and at `k`.
const DEPTHS: [usize; 2] = [1, 5];

/// Measures every trial, and averages. What is not known of a question, such as how good an answer is to which no right
/// one is known, is left out of its mean.
///
/// # Errors
/// [`Error::InvalidArgument`] where `k` is 0 or nothing was tried.
pub fn measure_trials(trials: &Trials) -> Result<Measured> {
    let Trials { k, runs } = trials;
    if *k == 0 || runs.is_empty() {
        let got = format!("{k}, and {} runs", runs.len());
        return Err(Error::invalid("trials", "`k` from 1 and at least one run", got));
    }
    // A failed run of a way that answers has given a wrong answer; a search that failed has given none.
    let answers = runs.iter().any(|run| run.answer.is_some());
    let per_case: Vec<MeasuredCase> = runs.iter().map(|run| measured(run, *k, answers)).collect();
    let mut metrics = Map::new();
    // Every case has the same measures.
    for name in per_case.iter().take(1).flat_map(|case| case.metrics.keys()) {
        let known = per_case.iter().filter_map(|case| case.metrics.get(name)?.as_f64());
        metrics.insert(name.clone(), json!(mean(&known.collect::<Vec<_>>())));
    }
    let mut times: Vec<f64> = runs.iter().filter(|run| !run.failed).map(|run| run.ms).collect();
    sort_by(&mut times, f64::total_cmp);
    let ms = json!({ "mean": mean(&times), "p50": percentile(&times, 0.5), "p95": percentile(&times, 0.95) });
    metrics.insert("ms".into(), ms);
    Ok(Measured { metrics, per_case })
}

fn measured(run: &Trial, k: usize, answering: bool) -> MeasuredCase {
    let found = interleave(run.rankings.iter().map(Vec::as_slice));
    let mut ranking = distinct(found.iter().map(|chunk| chunk.doc_id.as_str()));
    if run.failed {
        ranking.clear();
    }
    let mut metrics = Map::new();
    for depth in DEPTHS.into_iter().filter(|depth| *depth < k).chain([k]) {
        metrics.insert(format!("recall@{depth}"), json!(recall_at(&ranking, &run.relevant, depth)));
    }
    metrics.insert(format!("ndcg@{k}"), json!(ndcg_at(&ranking, &run.relevant, k)));
    metrics.insert(format!("mrr@{k}"), json!(reciprocal_rank_at(&ranking, &run.relevant, k)));
    metrics.insert(format!("allSupport@{k}"), json!(all_support_at(&ranking, &run.relevant, k)));
    let cited = run.citations.iter().filter(|_| !run.failed).map(|citation| citation.doc_id.as_str());
    metrics.insert("citationPrecision".into(), json!(precision_of(cited, &run.relevant)));
    let (exact, overlap) = answer_quality(run, answering).unzip();
    metrics.insert("exactMatch".into(), json!(exact));
    metrics.insert("f1".into(), json!(overlap));
    metrics.insert("llmCalls".into(), json!(run.llm_calls));
    metrics.insert("promptTokens".into(), json!(run.prompt_tokens));
    metrics.insert("completionTokens".into(), json!(run.completion_tokens));
    metrics.insert("ms".into(), json!(run.ms));
    MeasuredCase { metrics, ranking: ranking.into_iter().take(k).map(str::to_owned).collect() }
}

/// Exact match and F1, where they can be told.
fn answer_quality(run: &Trial, answering: bool) -> Option<(f64, f64)> {
    if run.answers.is_empty() || !answering {
        return None;
    }
    if run.failed {
        return Some((0.0, 0.0));
    }
    let spans: Vec<Span> = run.citations.iter().filter_map(|citation| citation.at).collect();
    let said = without_citations(run.answer.as_ref()?, &spans);
    Some((f64::from(u8::from(exact_match(&said, &run.answers))), f1(&said, &run.answers)))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The least of the sorted values that so great a share of them does not exceed.
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
        // The second run cites nothing, and no right answer is known of it.
        assert_eq!((value("citationPrecision"), value("exactMatch"), value("f1")), (0.5, 1.0, 1.0));
        assert_eq!((value("llmCalls"), value("promptTokens"), value("completionTokens")), (1.0, 50.0, 5.0));
        assert_eq!(found.metrics["ms"], json!({ "mean": 20.0, "p50": 10.0, "p95": 30.0 }));
    }

    #[test]
    fn a_run_that_failed_found_nothing_and_its_time_is_left_out() {
        let good = json!({ "relevant": { "a": 1 }, "answers": ["x"], "rankings": [chunks(&["a"])], "answer": "x", "ms": 8.0 });
        let mut bad = good.clone();
        bad["failed"] = json!(true);
        bad["ms"] = json!(1000.0);
        let found = measure_trials(&trials(json!({ "k": 10, "runs": [good, bad] }))).unwrap();
        for name in ["recall@1", "recall@10", "ndcg@10", "mrr@10", "allSupport@10", "exactMatch", "f1"] {
            assert_eq!(found.metrics[name], 0.5, "{name}");
        }
        assert_eq!(found.metrics["ms"]["p95"], 8.0);
        assert_eq!(found.per_case[1].ranking, Vec::<String>::new());
    }

    #[test]
    fn a_search_is_not_blamed_for_answers_that_it_does_not_give() {
        let runs =
            json!([{ "relevant": { "a": 1 }, "answers": ["x"], "rankings": [chunks(&["a"])], "ms": 1.0 }]);
        let found = measure_trials(&trials(json!({ "k": 3, "runs": runs }))).unwrap();
        for name in ["exactMatch", "f1", "citationPrecision"] {
            assert_eq!(found.metrics[name], Value::Null, "{name}");
        }
        assert_eq!(found.metrics["recall@3"], 1.0);
        assert!(!found.metrics.contains_key("recall@5"), "it would be deeper than anything was looked at");
    }

    #[test]
    fn nothing_to_measure_is_misuse() {
        for (k, runs) in [(0, json!([{}])), (10, json!([]))] {
            let error = measure_trials(&trials(json!({ "k": k, "runs": runs }))).unwrap_err();
            assert_eq!(error.code(), "invalid_argument");
        }
    }

    proptest! {
        #[test]
        fn every_measure_is_a_share_and_every_mean_lies_between_the_least_and_the_most(
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
            for (name, value) in measured.metrics.iter().filter(|(name, _)| !["ms", "llmCalls", "promptTokens", "completionTokens"].contains(&name.as_str())) {
                let each: Vec<f64> = measured.per_case.iter().filter_map(|case| case.metrics[name].as_f64()).collect();
                let Some(mean) = value.as_f64() else { prop_assert!(each.is_empty()); continue };
                prop_assert!(each.iter().all(|one| (0.0..=1.0 + 1e-9).contains(one)), "{name}");
                let (least, most) = each.iter().fold((1.0_f64, 0.0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
                prop_assert!((least - 1e-9..=most + 1e-9).contains(&mean), "{name}");
            }
        }
    }
}
