//! Reranks the evidence and keeps the best chunks.
//!
//! A caller's function, such as a cross-encoder, ranks all chunks at once; an LLM rates batches concurrently. Without either, the
//! order of the engine is kept.

use crate::budget_plan::{Cost, LONG_CALL};
use crate::context::{By, Context, Thought};
use crate::errors::function_result;
use crate::evidence::{fitting, sendable};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::prompt::with_parts;
use crate::reply::json;
use crate::run::{Run, Step};
use crate::search_overrides::Ranker;
use crate::step_id::StepId;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as object};
use std::collections::BTreeMap;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::{Chunk, Hit};
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;
use vademecum_util::small_sort::sort_by;

const PROMPT: &str = include_str!("../prompts/rerank.md");
/// Number of chunks to rank with a function.
const FETCH_FOR_FUNCTION: usize = 100;
/// Number of chunks to rank with an LLM: three calls of ten.
const FETCH_FOR_LLM: usize = 30;
/// Maximum batch size; small models lose count in longer batches.
const MAX_BATCH: usize = 50;
/// Chunks that are kept.
const KEEP: Range<usize> = Range::from("rerank.keep", 1);
/// Chunks that are ranked.
#[cfg(feature = "schema")]
const FETCH: Range<usize> = Range::from("rerank.fetch", 1);
/// Chunks that an LLM rates in one call.
const BATCH: Range<usize> = Range::new("rerank.batch", 1, MAX_BATCH);
/// The maximum rating by an LLM.
const MAX_RATING: f64 = 10.0;
/// Maximum number of tokens of passages in a call.
const MAX_SHOWN_TOKENS: usize = 3_000;

/// The rerank step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = "Options of `rerank`.", rename = "RerankOptions", extend("x-extends" = ["StepOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Rerank {
    /// Number of chunks that are kept.
    #[cfg_attr(feature = "schema", schemars(transform = KEEP.declared()))]
    pub keep: usize,
    /// Number of chunks that are ranked, and so the minimum that each search before finds. Default: 20 by a model of `Reranker.onnx`, 100 by another function, 30 by an LLM.
    #[cfg_attr(feature = "schema", schemars(transform = FETCH.declared()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch: Option<usize>,
    /// Number of chunks that an LLM rates in one call; fewer where they are long.
    #[cfg_attr(feature = "schema", schemars(transform = BATCH.declared()))]
    pub batch: usize,
    /// Function that ranks in place of the LLM.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Reranker>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Default for Rerank {
    fn default() -> Self {
        Self { keep: 8, fetch: None, batch: 10, reranker: None, own: StepOverrides::default() }
    }
}

impl From<&Ranker> for Rerank {
    fn from(ranker: &Ranker) -> Self {
        Self { reranker: ranker.reranker.clone(), own: ranker.own.clone(), ..Self::default() }
    }
}

/// A ranking, with who made it.
pub(crate) struct Ranking {
    /// The chunks in their new order.
    pub hits: Vec<Hit>,
    by: By,
    batches: usize,
    failed: usize,
}

impl Rerank {
    /// Returns the number of chunks to rank.
    pub(crate) fn wanted(&self, run: &Run<'_>) -> usize {
        let fetch = match &self.reranker {
            Some(_) => self.fetch.unwrap_or(FETCH_FOR_FUNCTION),
            None if run.has_llm(&self.own) => self.fetch.unwrap_or(FETCH_FOR_LLM),
            None => 0,
        };
        fetch.max(self.keep)
    }

    /// Returns the approximate number of LLM calls needed to rank `chunks` chunks.
    pub(crate) fn calls(&self, chunks: usize) -> usize {
        chunks.div_ceil(self.batch.max(1))
    }

    /// Returns the number of LLM calls needed to rank these chunks; 0 if no LLM ranks.
    pub(crate) fn calls_for(&self, run: &Run<'_>, hits: &[Hit]) -> usize {
        if self.reranker.is_some() || hits.len() < 2 || !run.has_llm(&self.own) {
            return 0;
        }
        self.batches(&sendable(hits)).len()
    }

    /// Ranks chunks for a question with its sub-questions.
    pub(crate) async fn rank(
        &self,
        run: &Run<'_>,
        question: &str,
        parts: &[String],
        hits: Vec<Hit>,
    ) -> Result<Ranking> {
        let unranked = |hits| Ranking { hits, by: By::Rule, batches: 0, failed: 0 };
        if hits.len() < 2 {
            return Ok(unranked(hits));
        }
        if let Some(name) = &self.reranker {
            let input = object!({ "question": question, "chunks": hits });
            let order = match run.call_function(self.id(), name, &input).await {
                Ok(output) => by_function(&output, &hits),
                Err(error) => Err(error),
            };
            return match order {
                Ok(order) => {
                    Ok(Ranking { hits: in_order(&hits, &order), by: By::Function, batches: 1, failed: 0 })
                }
                Err(error) => {
                    run.fall_back(self.id(), error, "the order they were found in")?;
                    Ok(unranked(hits))
                }
            };
        }
        if !run.has_llm(&self.own) {
            return Ok(unranked(hits));
        }
        self.by_llm(run, &with_parts(question, parts), hits).await
    }

    async fn by_llm(&self, run: &Run<'_>, question: &str, hits: Vec<Hit>) -> Result<Ranking> {
        let open = match run.sendable(&hits) {
            Ok(open) => open,
            Err(error) => {
                run.fall_back(self.id(), error, "the order they were found in")?;
                return Ok(Ranking { hits, by: By::Rule, batches: 0, failed: 0 });
            }
        };
        let parts = self.batches(&open);
        let calls: Vec<_> = parts.iter().map(|batch| self.rate(run, question, batch)).collect();
        let batches = calls.len();
        let rated: Vec<Result<Vec<Option<f64>>>> =
            futures_util::stream::iter(calls).buffered(run.concurrency.max(1)).collect().await;
        let mut ratings: Vec<Option<f64>> = Vec::new();
        let mut errors = Vec::new();
        for (batch, rated) in parts.into_iter().zip(rated) {
            match rated {
                Ok(rated) => ratings.extend(rated),
                Err(Error::Aborted) => return Err(Error::Aborted),
                Err(error) => {
                    ratings.extend(batch.iter().map(|_| None));
                    errors.push(error);
                }
            }
        }
        let failed = errors.len();
        // Concurrent calls usually fail for the same reason, so one failure is reported.
        if let Some(error) = errors.into_iter().next() {
            let fallback = format!("the order they were found in, for {failed} of {batches} batches");
            run.fall_back(self.id(), error, &fallback)?;
        }
        let by = if failed == batches { By::Rule } else { By::Llm };
        // Chunks that must never be sent were not rated and keep their position.
        let mut ratings = ratings.into_iter();
        let rating = |hit: &Hit| if hit.chunk.never_sent() { None } else { ratings.next().flatten() };
        let ratings: Vec<Option<f64>> = hits.iter().map(rating).collect();
        Ok(Ranking { hits: in_order(&hits, &order(&ratings)), by, batches, failed })
    }

    /// Splits chunks into the batches of LLM calls, limited by number and tokens.
    fn batches<'a>(&self, hits: &'a [Hit]) -> Vec<&'a [Hit]> {
        let (mut batches, mut rest) = (Vec::new(), hits);
        while !rest.is_empty() {
            let most = rest.get(..self.batch.max(1)).unwrap_or(rest);
            let fitting = fitting(most, CitationStyle::Number, MAX_SHOWN_TOKENS).len().max(1);
            let (batch, behind) = rest.split_at(fitting.min(rest.len()));
            batches.push(batch);
            rest = behind;
        }
        batches
    }

    /// Returns the ratings of one batch.
    async fn rate(&self, run: &Run<'_>, question: &str, batch: &[Hit]) -> Result<Vec<Option<f64>>> {
        let shown = fitting(batch, CitationStyle::Number, MAX_SHOWN_TOKENS);
        let mut values = run.fenced(self.id(), &shown, CitationStyle::Number);
        values.push(("question", question.to_owned()));
        let prompt =
            Prompt { template: PROMPT, values, inputs: object!({ "question": question, "chunks": shown }) };
        let rating = object!({
            "type": "object",
            "properties": { "n": { "type": "integer" }, "score": { "type": "number" } },
            "required": ["n", "score"],
        });
        let schema = object!({
            "type": "object",
            "properties": { "scores": { "type": "array", "items": rating } },
            "required": ["scores"],
        });
        let read = |reply: &Value| ratings(reply, batch.len());
        run.ask_json(self.id(), &self.own, &Question { prompt, schema, read: &read, fallback: "" }).await
    }
}

/// Parses ratings: a list of objects, a list of numbers, or an object by number. A missing passage has no rating, as in a
/// truncated reply; a list of numbers must be complete.
fn ratings(reply: &Value, count: usize) -> Option<Vec<Option<f64>>> {
    let inner =
        json::field(reply, &["scores", "ratings", "passages", "results", "rankings"]).unwrap_or(reply);
    let mut rated: BTreeMap<usize, f64> = BTreeMap::new();
    let mut add = |number: Option<f64>, score: Option<f64>| {
        if let (Some(number), Some(score)) = (number, score)
            && (1.0..=count as f64).contains(&number)
        {
            rated.entry(number as usize).or_insert(score.clamp(0.0, MAX_RATING));
        }
    };
    match inner {
        Value::Array(list) if !list.is_empty() && list.iter().all(|one| json::number(one).is_some()) => {
            if list.len() != count {
                return None;
            }
            for (at, score) in list.iter().enumerate() {
                add(Some((at + 1) as f64), json::number(score));
            }
        }
        Value::Array(list) => {
            for one in list {
                let number = json::field(one, &["n", "number", "id", "index", "passage"]).and_then(numeral);
                add(number, json::field(one, &["score", "rating", "relevance", "value"]).and_then(numeral));
            }
        }
        Value::Object(fields) => {
            for (number, score) in fields {
                let score = json::field(score, &["score", "rating"]).unwrap_or(score);
                add(numeral(&Value::from(number.as_str())), numeral(score));
            }
        }
        _ => {}
    }
    // Ratings of unknown passages are ignored, but the reply has the right form.
    let is_rating =
        |one: &Value| json::field(one, &["n"]).is_some() && json::field(one, &["score"]).is_some();
    let has_form = inner.as_array().is_some_and(|list| list.iter().all(is_rating));
    (has_form || !rated.is_empty()).then(|| (1..=count).map(|number| rated.get(&number).copied()).collect())
}

/// Parses a number, also in the forms `[3]` and `7/10`.
fn numeral(value: &Value) -> Option<f64> {
    let bare = |text: &str| {
        text.trim_matches(['[', ']', ' ']).split('/').next().and_then(|number| number.trim().parse().ok())
    };
    json::number(value).or_else(|| value.as_str().and_then(bare)).filter(|number: &f64| number.is_finite())
}

/// Returns the indices of rated items, best first; unrated ones keep their position.
fn order(ratings: &[Option<f64>]) -> Vec<usize> {
    let mut rated: Vec<(usize, f64)> =
        ratings.iter().enumerate().filter_map(|(at, rating)| Some((at, (*rating)?))).collect();
    sort_by(&mut rated, |a, b| b.1.total_cmp(&a.1));
    let mut next = rated.into_iter().map(|(at, _)| at);
    let place = |(at, rating): (usize, &Option<f64>)| rating.and_then(|_| next.next()).unwrap_or(at);
    ratings.iter().enumerate().map(place).collect()
}

/// Parses the result of a caller's function into indices: scores in the order of the chunks, ids in the new order, or objects
/// with id and score. Missing chunks come last.
fn by_function(output: &Value, hits: &[Hit]) -> Result<Vec<usize>> {
    let wrong = || {
        let expected = "a score for each chunk, a list of ids, or a list of { id, score }";
        function_result("the reranker", expected, &excerpt(&output.to_string(), 80))
    };
    let list = output.as_array().ok_or_else(wrong)?;
    let mut worth: Vec<Option<f64>> = vec![None; hits.len()];
    if list.iter().all(Value::is_number) {
        if list.len() != hits.len() {
            return Err(wrong());
        }
        worth = list.iter().map(json::number).collect();
    } else {
        for (at, one) in list.iter().enumerate() {
            let id = one.as_str().or_else(|| one.get("id")?.as_str()).ok_or_else(wrong)?;
            let score =
                if one.is_string() { Some(-(at as f64)) } else { one.get("score").and_then(json::number) };
            let score = score.ok_or_else(wrong)?;
            // Chunks of several documents may share an id; an object may name the document.
            let says =
                |name: &str, own: &str| one.get(name).and_then(Value::as_str).is_none_or(|said| said == own);
            for (hit, slot) in hits.iter().zip(&mut worth) {
                let Chunk { id: own, doc_id, collection, .. } = &hit.chunk;
                if own == id && says("docId", doc_id) && says("collection", collection) {
                    slot.get_or_insert(score);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..hits.len()).collect();
    let worth = |at: &usize| worth.get(*at).copied().flatten().unwrap_or(f64::NEG_INFINITY);
    sort_by(&mut order, |a, b| worth(b).total_cmp(&worth(a)));
    Ok(order)
}

fn in_order(hits: &[Hit], order: &[usize]) -> Vec<Hit> {
    order.iter().filter_map(|at| hits.get(*at)).cloned().collect()
}

impl Step for Rerank {
    fn id(&self) -> &StepId {
        &StepId::Rerank
    }

    fn check(&self) -> Result<()> {
        KEEP.check(self.keep)?;
        BATCH.check(self.batch)
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        let calls = self.calls(self.fetches(run));
        (self.reranker.is_none() && run.has_llm(&self.own)).then(|| Cost::of(calls, LONG_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        object!({ "chunkCount": context.evidence().len(), "keep": self.keep, "reranker": self.reranker })
    }

    fn fetches(&self, run: &Run<'_>) -> usize {
        self.wanted(run)
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let mut hits = context.evidence();
            hits.truncate(self.wanted(run));
            let ranked = hits.len();
            let mut ranking = self.rank(run, context.asked(), context.parts(), hits).await?;
            ranking.hits.truncate(self.keep);
            let Ranking { hits, by, batches, failed } = ranking;
            let order = if by == By::Rule { "in the order they were found" } else { "in a new order" };
            let text = format!("kept {} of {ranked} chunks, {order}", hits.len());
            run.think(Thought { step: self.id().clone(), by, text });
            let (ranked_count, kept_count) = (ranked, hits.len());
            context.ranked = Some(hits);
            let result = StepResult::Rerank { ranked_count, kept_count, batches, failed_batches: failed };
            Ok(StepOutcome::new(by, result))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ratings_are_parsed_in_any_form() {
        for (reply, wanted) in [
            (
                object!({ "scores": [{ "n": 2, "score": 9 }, { "n": 1, "score": 3 }] }),
                Some(vec![Some(3.0), Some(9.0)]),
            ),
            (object!([{ "passage": "[2]", "rating": "9/10" }]), Some(vec![None, Some(9.0)])),
            (object!({ "1": 3, "2": { "score": 20 } }), Some(vec![Some(3.0), Some(10.0)])),
            (object!([3, "9"]), Some(vec![Some(3.0), Some(9.0)])),
            (object!([3]), None),
            (object!({ "scores": [{ "n": 7, "score": 9 }] }), Some(vec![None, None])),
            (object!({ "scores": [] }), Some(vec![None, None])),
            (object!("no"), None),
        ] {
            assert_eq!(ratings(&reply, 2), wanted, "{reply}");
        }
    }

    #[test]
    fn unrated_chunks_keep_their_position() {
        assert_eq!(order(&[Some(1.0), None, Some(5.0), Some(5.0), None]), [2, 1, 3, 0, 4]);
    }

    proptest! {
        #[test]
        fn an_order_is_a_permutation(ratings in proptest::collection::vec(proptest::option::of(-1.0..11.0), 0..20)) {
            let mut order = order(&ratings);
            order.sort_unstable();
            prop_assert_eq!(order, (0..ratings.len()).collect::<Vec<_>>());
        }
    }
}
