//! Multi-hop retrieval: searches for missing facts that other facts lead to.
//!
//! An LLM judges the evidence and asks follow-up queries, never the same one twice. Without an LLM, the searcher follows chains
//! of passages itself.

use super::example::is_copied;
use crate::budget_plan::{Cost, LONG_CALL};
use crate::context::{By, Context, SearchResult, Thought};
use crate::evidence::{fitting, interleave, query_key, unique};
use crate::llm_call::{Prompt, Question, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::ports::SearchLimits;
use crate::prompt::{add_quoted, with_parts};
use crate::reply::json;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as object};
use std::collections::HashSet;
use vademecum_grounding::citation::CitationStyle;
use vademecum_grounding::sufficiency::judge;
use vademecum_protocol::document::{Hit, Key};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::hops::Hops;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;

const PROMPT: &str = include_str!("../prompts/reason.md");
/// Maximum number of tokens of passages shown to the LLM.
const MAX_SHOWN_TOKENS: usize = 2_500;

/// Follow-up queries.
const ITERATIONS: Range<usize> = Range::from("reason.maxIterations", 1);

/// The reason step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = "Options of `reason`.", rename = "ReasonOptions", extend("x-extends" = ["StepOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Reason {
    /// Maximum number of follow-up queries that an LLM may ask.
    #[cfg_attr(feature = "schema", schemars(transform = ITERATIONS.declared()))]
    pub max_iterations: usize,
    /// Maximum number of passages of a chain of evidence that a search follows by itself, from 1 to 4, or `"auto"`.
    pub hops: Hops,
    /// Function that searches in place of the knowledge base. Default: that of the search step before.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Searcher>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searcher: Option<String>,
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Default for Reason {
    fn default() -> Self {
        Self { max_iterations: 3, hops: Hops::Auto, searcher: None, own: StepOverrides::default() }
    }
}

/// The LLM's judgement of the evidence.
struct Judgement {
    sufficient: bool,
    query: Option<String>,
    reason: String,
}

/// The progress of the step.
struct Progress {
    by: By,
    sufficient: bool,
    iterations: usize,
    queries: Vec<String>,
    why: String,
}

impl Reason {
    fn limits(&self, context: &Context, hops: Hops) -> SearchLimits {
        SearchLimits {
            limit: context.request.limit.max(context.fetch),
            threshold: context.request.threshold,
            filters: context.filters.clone(),
            documents: None,
            hops,
            mode: context.workspace.strategy,
            fields_of: context
                .searched()
                .into_iter()
                .chain(context.workspace.candidates.iter().cloned())
                .collect(),
        }
    }

    fn searcher<'a>(&'a self, context: &'a Context) -> Option<&'a str> {
        self.searcher.as_deref().or(context.workspace.searcher.as_deref())
    }

    /// Searches every collection searched before. Skips searches that the budget does not allow.
    async fn search_once(
        &self,
        run: &Run<'_>,
        context: &Context,
        query: &str,
        hops: Hops,
    ) -> Result<Vec<SearchResult>> {
        let limits = self.limits(context, hops);
        let collections = context.searched();
        let searcher = self.searcher(context);
        let searches: Vec<_> = collections
            .iter()
            .map(|collection| run.search(self.id(), searcher, query, collection, &limits))
            .collect();
        let found: Vec<Result<Vec<Hit>>> =
            futures_util::stream::iter(searches).buffered(run.concurrency.max(1)).collect().await;
        let mut results = Vec::new();
        for (collection, found) in collections.into_iter().zip(found) {
            match found {
                Ok(chunks) => {
                    results.push(SearchResult { question: query.into(), collection, chunks, iterations: 1 });
                }
                Err(Error::BudgetExhausted { .. }) => {}
                Err(error) => run.fall_back(self.id(), error, "what was found before")?,
            }
        }
        Ok(results)
    }

    async fn ask(&self, run: &Run<'_>, context: &Context, tried: &[String]) -> Result<Judgement> {
        let open = run.sendable(&context.evidence())?;
        let shown = fitting(&open, CitationStyle::Number, MAX_SHOWN_TOKENS);
        let question = with_parts(context.asked(), context.parts());
        let list: Vec<String> = tried.iter().map(|query| format!("- {query}")).collect();
        let mut values = run.fenced(self.id(), &shown, CitationStyle::Number);
        values.push(("question", question.clone()));
        add_quoted(&mut values, "tried", &list.join("\n"));
        let inputs = object!({ "question": question, "chunks": shown, "tried": tried });
        let schema = object!({
            "type": "object",
            "properties": {
                "sufficient": { "type": "boolean" },
                "query": { "type": "string" },
                "reason": { "type": "string" },
            },
            "required": ["sufficient"],
        });
        let question = Question {
            prompt: Prompt { template: PROMPT, values, inputs },
            schema,
            read: &|reply| read(reply, context.asked()),
            fallback: "",
        };
        run.ask_json(self.id(), &self.own, &question).await
    }

    async fn by_llm(&self, run: &Run<'_>, context: &mut Context) -> Result<Option<Progress>> {
        let mut tried = vec![context.asked().to_owned()];
        tried.extend(context.queries());
        tried.extend(context.results.iter().flatten().map(|result| result.question.clone()));
        let mut seen = HashSet::new();
        tried.retain(|query| seen.insert(query_key(query)));
        let mut done = Progress {
            by: By::Llm,
            sufficient: false,
            iterations: 0,
            queries: Vec::new(),
            why: String::new(),
        };
        while done.iterations < self.max_iterations {
            let judgement = match self.ask(run, context, &tried).await {
                Ok(judgement) => judgement,
                Err(error) if done.iterations == 0 => {
                    run.fall_back(self.id(), error, "chains of passages that the searcher finds by itself")?;
                    return Ok(None);
                }
                Err(error) => {
                    run.fall_back(self.id(), error, "the evidence so far")?;
                    done.why = "could not judge any more".into();
                    return Ok(Some(done));
                }
            };
            done.iterations += 1;
            done.why = judgement.reason;
            done.sufficient = judgement.sufficient;
            if judgement.sufficient {
                break;
            }
            let Some(query) = judgement.query.filter(|query| seen.insert(query_key(query))) else {
                done.why = format!("{}; there was nothing new to search for", done.why);
                break;
            };
            let found = self.search_once(run, context, &query, Hops::default()).await?;
            if found.is_empty() {
                break;
            }
            add(context, found);
            tried.push(query.clone());
            done.queries.push(query);
        }
        Ok(Some(done))
    }

    async fn by_rule(&self, run: &Run<'_>, context: &mut Context) -> Result<Progress> {
        let query = context.asked().to_owned();
        let found = self.search_once(run, context, &query, self.hops).await?;
        let searches = context.results.as_ref().map_or(0, Vec::len);
        let searched = !found.is_empty();
        let before = context.evidence();
        add(context, found);
        // An existing ranking is kept. Otherwise the chains come first, which begin with the best hits of the search.
        if context.ranked.is_none() {
            let chains =
                interleave(context.results.iter().flatten().skip(searches).map(|one| one.chunks.as_slice()));
            context.ranked = Some(unique(chains.iter().chain(&before)));
        }
        let evidence = context.evidence();
        let judged = judge(&query, evidence.get(..context.request.limit).unwrap_or(&evidence));
        let queries = if searched { vec![query] } else { Vec::new() };
        let by = if searched && self.searcher(context).is_some() { By::Function } else { By::Rule };
        Ok(Progress {
            by,
            sufficient: judged.sufficient,
            iterations: usize::from(searched),
            queries,
            why: judged.reason(),
        })
    }
}

/// Merges new hits into the existing ranking, or adds them to the results.
fn add(context: &mut Context, found: Vec<SearchResult>) {
    if let Some(ranked) = &context.ranked {
        let new = interleave(found.iter().map(|result| result.chunks.as_slice()));
        context.ranked = Some(interleave([ranked.as_slice(), new.as_slice()]));
    }
    context.results.get_or_insert_default().extend(found);
}

fn read(reply: &Value, asked: &str) -> Option<Judgement> {
    let query = json::field(reply, &["query", "followUpQuery", "followUp", "nextQuery", "search"])
        .and_then(json::text);
    if query.as_ref().is_some_and(|query| is_copied(PROMPT, query, asked)) {
        return None;
    }
    let sufficient = json::field(reply, &["sufficient", "enough", "isSufficient"]).and_then(json::yes);
    let reason = json::field(reply, &["reason", "reasoning", "explanation"]).and_then(json::text);
    // A query alone implies that more is needed.
    let sufficient = sufficient.or_else(|| query.as_ref().map(|_| false))?;
    Some(Judgement { sufficient, query, reason: reason.unwrap_or_else(|| "no reason was given".into()) })
}

impl Step for Reason {
    fn id(&self) -> &StepId {
        &StepId::Reason
    }

    fn check(&self) -> Result<()> {
        ITERATIONS.check(self.max_iterations)?;
        self.hops.check("reason.hops")
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        let asked = Cost { calls: self.max_iterations, least: 1, tokens: LONG_CALL };
        run.has_llm(&self.own).then_some(asked)
    }

    fn describe(&self, context: &Context) -> Value {
        object!({ "question": context.asked(), "chunkCount": context.evidence().len(), "maxIterations": self.max_iterations })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            if context.skip_retrieval {
                let text = "looked for nothing, because no search is needed".to_owned();
                run.think(Thought { step: self.id().clone(), by: By::Rule, text });
                let (queries, sufficient) = (Vec::new(), None);
                let result = StepResult::Reason { iterations: 0, queries, added_chunks: 0, sufficient };
                return Ok(StepOutcome::new(By::Rule, result));
            }
            let before = context.evidence();
            let before: HashSet<Key<'_>> = before.iter().map(|hit| hit.chunk.key()).collect();
            let by_llm = if run.has_llm(&self.own) { self.by_llm(run, context).await? } else { None };
            let done = match by_llm {
                Some(done) => done,
                None => self.by_rule(run, context).await?,
            };
            let added = context.evidence().iter().filter(|hit| !before.contains(&hit.chunk.key())).count();
            let verdict = if done.sufficient { "enough" } else { "not known to be enough" };
            let text = format!(
                "added {added} chunks by {}; the evidence is {verdict}: {}",
                if done.queries.is_empty() {
                    "no search".to_owned()
                } else {
                    format!("searching for {}", done.queries.join("; "))
                },
                done.why
            );
            run.think(Thought { step: self.id().clone(), by: done.by, text });
            let result = StepResult::Reason {
                iterations: done.iterations,
                queries: done.queries,
                added_chunks: added,
                sufficient: Some(done.sufficient),
            };
            Ok(StepOutcome::new(done.by, result))
        })
    }
}
