//! Self-correcting search: repeats a search with other queries until the results suffice.
//!
//! Searches, judges, rewrites, and searches again. The last try is a search without the threshold, if there is one. Keeps the
//! interleaved results of all tries, or those of one try if they cover more of the question.

use super::example::is_copied;
use crate::context::{By, Thought};
use crate::evidence::{fitting, interleave, query_key};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::ports::SearchLimits;
use crate::prompt::add_quoted;
use crate::reply::json;
use crate::run::Run;
use crate::step_id::StepId;
use serde_json::{Value, json as object};
use std::cell::Cell;
use vademecum_grounding::citation::CitationStyle;
use vademecum_grounding::sufficiency::judge;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms::is_blank;

const SUFFICIENT: &str = include_str!("../prompts/sufficient.md");
const SEARCH_AGAIN: &str = include_str!("../prompts/search_again.md");
const STEP: &StepId = &StepId::Search;
/// Maximum number of tokens of passages shown to the judge.
const MAX_SHOWN_TOKENS: usize = 2_000;
/// The criterion without an LLM.
const FALLBACK: &str = "the terms of the question in what was found";

/// A search for one query in one collection.
pub(super) struct SelfCorrect<'a> {
    pub(super) run: &'a Run<'a>,
    /// Maximum number of searches.
    pub(super) max_iterations: usize,
    /// Name of the caller's search function.
    pub(super) searcher: Option<&'a str>,
    /// Prompt and LLM of the judge.
    pub(super) judge: StepOverrides,
    /// Prompt and LLM of the rewriter.
    pub(super) rewriter: StepOverrides,
    /// The question that the results must answer.
    pub(super) wanted: &'a str,
    pub(super) collection: &'a str,
    pub(super) limits: &'a SearchLimits,
    /// Number of top hits that are judged.
    pub(super) shown: usize,
}

impl SelfCorrect<'_> {
    /// Returns the hits, the number of searches, and who judged them.
    pub(super) async fn search(&self, question: &str) -> Result<(Vec<Hit>, usize, By)> {
        let judge = Judge { llm: Cell::new(true), by: Cell::new(By::Rule) };
        let mut tried = vec![question.to_owned()];
        let mut kept: Vec<Hit> = Vec::new();
        let mut iterations = 0;
        let mut reason;
        loop {
            let query = tried.last().map_or(question, String::as_str);
            let Some(found) = self.search_once(query, self.limits, iterations).await? else {
                return Ok((kept, iterations, judge.by.get()));
            };
            iterations += 1;
            kept = self.better(kept, found);
            let verdict = self.sufficient(&judge, &kept).await?;
            reason = verdict.1;
            if verdict.0 {
                self.think(&judge, &format!("enough after {iterations} of them: {reason}"));
                return Ok((kept, iterations, judge.by.get()));
            }
            if iterations >= self.max_iterations {
                break;
            }
            let Some(next) = self.rewritten(&judge, &kept, &tried).await? else { break };
            tried.push(next);
        }
        // Without a threshold, the first search was the same.
        if self.limits.threshold.is_some_and(|threshold| threshold > 0.0) {
            let relaxed = SearchLimits { threshold: Some(0.0), ..self.limits.clone() };
            if let Some(found) = self.search_once(question, &relaxed, iterations).await? {
                iterations += 1;
                kept = self.better(kept, found);
            }
        }
        self.think(&judge, &format!("not enough after {iterations} of them, kept the best: {reason}"));
        Ok((kept, iterations, judge.by.get()))
    }

    /// Searches once; `None` if the budget does not allow it, or if it fails after an earlier success.
    async fn search_once(
        &self,
        query: &str,
        limits: &SearchLimits,
        before: usize,
    ) -> Result<Option<Vec<Hit>>> {
        let searcher = self.searcher;
        match self.run.search(STEP, searcher, query, self.collection, limits).await {
            Ok(found) => Ok(Some(found)),
            Err(Error::BudgetExhausted { .. }) => Ok(None),
            Err(error) if before == 0 => Err(error),
            Err(error) => self.run.fall_back(STEP, error, "what was found before").map(|()| None),
        }
    }

    /// Interleaves two results, or returns one of them if it covers more of the question.
    fn better(&self, kept: Vec<Hit>, found: Vec<Hit>) -> Vec<Hit> {
        let mut both = interleave([found.as_slice(), kept.as_slice()]);
        both.truncate(self.limits.limit);
        let worth = |hits: &[Hit]| judge(self.wanted, self.top(hits)).coverage;
        let mut best = (worth(&both), both);
        for one in [kept, found] {
            let worth = worth(&one);
            if worth > best.0 {
                best = (worth, one);
            }
        }
        best.1
    }

    fn top<'h>(&self, hits: &'h [Hit]) -> &'h [Hit] {
        hits.get(..self.shown).unwrap_or(hits)
    }

    /// Returns the passages for the judge; `None` if none may be sent, after which only rules decide.
    fn shown(&self, by: &Judge, kept: &[Hit], fallback: &str) -> Result<Option<Vec<Hit>>> {
        match self.run.sendable(self.top(kept)) {
            Ok(open) => Ok(Some(fitting(&open, CitationStyle::Number, MAX_SHOWN_TOKENS))),
            Err(error) => {
                if by.llm.replace(false) && self.run.has_llm(&self.judge) {
                    self.run.fall_back(STEP, error, fallback)?;
                }
                Ok(None)
            }
        }
    }

    async fn sufficient(&self, by: &Judge, kept: &[Hit]) -> Result<(bool, String)> {
        let rule = || {
            let found = judge(self.wanted, self.top(kept));
            (found.sufficient, found.reason())
        };
        // An empty result needs no judge.
        if kept.is_empty() {
            return Ok((false, "nothing was found".into()));
        }
        let Some(shown) = self.shown(by, kept, FALLBACK)? else { return Ok(rule()) };
        let mut values = self.run.fenced(STEP, &shown, CitationStyle::Number);
        values.push(("question", self.wanted.to_owned()));
        let question = Question {
            prompt: Prompt {
                template: SUFFICIENT,
                values,
                inputs: object!({ "question": self.wanted, "chunks": shown }),
            },
            schema: object!({
                "type": "object",
                "properties": { "sufficient": { "type": "boolean" }, "reason": { "type": "string" } },
                "required": ["sufficient"],
            }),
            read: &|reply| {
                let sufficient =
                    json::field(reply, &["sufficient", "enough", "isSufficient"]).and_then(json::yes)?;
                let reason = json::field(reply, &["reason", "reasoning", "explanation"]).and_then(json::text);
                Some((sufficient, reason.unwrap_or_else(|| "no reason was given".into())))
            },
            fallback: FALLBACK,
        };
        by.decide(self.run, &self.judge, question, rule).await
    }

    /// Returns another query; `None` if there is no new one.
    async fn rewritten(&self, by: &Judge, kept: &[Hit], tried: &[String]) -> Result<Option<String>> {
        let is_new = |query: &String| tried.iter().all(|one| query_key(one) != query_key(query));
        let rule = || judge(self.wanted, self.top(kept)).next_query();
        let fallback = "the words of the question that were not found";
        let Some(shown) = self.shown(by, kept, fallback)? else { return Ok(rule().filter(is_new)) };
        let mut values = self.run.fenced(STEP, &shown, CitationStyle::Number);
        let list: Vec<String> = tried.iter().map(|query| format!("- {query}")).collect();
        values.push(("question", self.wanted.to_owned()));
        add_quoted(&mut values, "tried", &list.join("\n"));
        let inputs = object!({ "question": self.wanted, "chunks": shown, "tried": tried });
        let question = Question {
            prompt: Prompt { template: SEARCH_AGAIN, values, inputs },
            schema: object!({
                "type": "object",
                "properties": { "query": { "type": "string" } },
                "required": ["query"],
            }),
            read: &|reply| read_query(reply, self.wanted),
            fallback,
        };
        let next = by.decide(self.run, &self.rewriter, question, rule).await?;
        Ok(next.filter(is_new).or_else(|| rule().filter(is_new)))
    }

    fn think(&self, judge: &Judge, verdict: &str) {
        let text = format!("searches of {} for \"{}\" found {verdict}", self.collection, self.wanted);
        self.run.think(Thought { step: STEP.to_owned(), by: judge.by.get(), text });
    }
}

fn read_query(reply: &Value, wanted: &str) -> Option<Option<String>> {
    let names = ["query", "rewrittenQuery", "rewritten", "newQuery", "question", "search"];
    let query = json::field(reply, &names)?;
    // There is nothing else to search for.
    if query.as_str().is_some_and(is_blank) {
        return Some(None);
    }
    let query = json::text(query)?;
    (!is_copied(SEARCH_AGAIN, &query, wanted)).then_some(Some(query))
}

/// Decides by LLM until it fails, then by rule.
struct Judge {
    llm: Cell<bool>,
    by: Cell<By>,
}

impl Judge {
    async fn decide<T>(
        &self,
        run: &Run<'_>,
        own: &StepOverrides,
        question: Question<'_, T>,
        rule: impl FnOnce() -> T,
    ) -> Result<T> {
        if !self.llm.get() {
            return Ok(rule());
        }
        let (decided, by) = run.decide(STEP, own, question, rule).await?;
        self.llm.set(by == By::Llm);
        if by == By::Llm {
            self.by.set(by);
        }
        Ok(decided)
    }
}
