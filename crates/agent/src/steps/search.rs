//! Searches for every query in every collection.

use super::counted::counted;
use super::self_correct::SelfCorrect;
use crate::budget_plan::{Cost, LONG_CALL};
use crate::context::{By, Context, SearchResult, Thought};
use crate::llm_call::StepOverrides;
use crate::outcome::{StepOutcome, StepResult};
use crate::ports::SearchLimits;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_grounding::asking::with_verb;
use vademecum_grounding::claim::claimed_terms;
use vademecum_grounding::expected::{Expected, asks_meaning};
use vademecum_protocol::document::{DEFAULT_COLLECTION, Hit};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::hops::Hops;
use vademecum_protocol::range::Range;
#[cfg(feature = "schema")]
use vademecum_protocol::schema as host;
use vademecum_text::sentence::sentences;
use vademecum_util::within::Within;

/// The search step. The collections are the first given of: `collection`, `collections`, those of the run, `default`; all of
/// a library whose `default` is empty, unless a function of the caller searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(description = "Options of `search`.", rename = "SearchStepOptions")
)]
#[serde(rename_all = "camelCase", default)]
pub struct Search {
    /// Collection to search; takes precedence over `collections`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Name>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// Collections to search. Default: those of the pipeline, else `default`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<host::Name>>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<String>>,
    /// Function that searches in place of the knowledge base, one collection at a time.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Searcher>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searcher: Option<String>,
    /// Maximum number of passages of a chain of evidence, from 1 to 4, or `"auto"`. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<Hops>,
    /// Whether what was found is judged, and searched again in other words until it is enough.
    pub self_correct: bool,
    /// Maximum number of queries that `selfCorrect` tries for one question. Where none is enough, a last search has no threshold.
    #[cfg_attr(feature = "schema", schemars(transform = ITERATIONS.declared()))]
    pub max_iterations: usize,
    /// Function that writes the prompt that asks, with `selfCorrect`, whether what was found is enough.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::ChunksPromptFunction>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sufficient_prompt: Option<String>,
    /// Function that writes the prompt that asks, with `selfCorrect`, for another query.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::ChunksPromptFunction>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite_prompt: Option<String>,
    /// Model that is asked in place of the agent's.
    #[cfg_attr(feature = "schema", schemars(with = "Option<host::Llm>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
}

/// Queries of one question.
const ITERATIONS: Range<usize> = Range::from("search.maxIterations", 1);

impl Default for Search {
    fn default() -> Self {
        Self {
            collection: None,
            collections: None,
            searcher: None,
            hops: None,
            self_correct: false,
            max_iterations: 3,
            sufficient_prompt: None,
            rewrite_prompt: None,
            llm: None,
        }
    }
}

/// Number of chunks among which a definition is looked for: many passages are about a thing, and one says what it is.
const DEFINING: usize = 30;
/// Maximum number of definitions that replace better-ranked chunks.
const MAX_DEFINITIONS: usize = 2;

/// Returns the number of chunks of a search that are kept.
fn kept(context: &Context) -> usize {
    context.request.limit.max(context.fetch)
}

/// Cuts chunks to `kept`, best first. The last ones make way for chunks further down that say what the question asks for, if none of
/// the others does.
fn keep_definitions(chunks: &mut Vec<Hit>, question: &str, kept: usize) {
    let question = &*with_verb(question);
    let asked = claimed_terms(question);
    if !asks_meaning(question) {
        chunks.truncate(kept);
        return;
    }
    let defines = |hit: &Hit| {
        let text = &hit.chunk.text;
        sentences(text).into_iter().any(|at| Expected::Definition.is_in(text.within(at), &asked))
    };
    let beyond = chunks.split_off(kept.min(chunks.len()));
    if !beyond.is_empty() && !chunks.iter().any(defines) {
        let found: Vec<Hit> =
            beyond.into_iter().filter(defines).take(MAX_DEFINITIONS.min(kept.saturating_sub(1))).collect();
        chunks.truncate(kept - found.len());
        chunks.extend(found);
    }
}

impl Search {
    /// Returns whether a definition is looked for among more chunks than are kept. A caller's function is asked for what it should
    /// return, and hops lead to chunks that are kept together.
    fn seeks_definition(&self, context: &Context) -> bool {
        let is_plain = self.searcher.is_none() && !self.self_correct && self.hops.is_none();
        is_plain && context.queries().iter().any(|query| asks_meaning(&with_verb(query)))
    }

    fn chosen(&self, context: &Context) -> Vec<String> {
        self.collection
            .clone()
            .map(|one| vec![one])
            .or_else(|| self.collections.clone())
            .or_else(|| context.collections.clone())
            .filter(|chosen| !chosen.is_empty())
            .unwrap_or_else(|| match self.searcher {
                Some(_) => vec![DEFAULT_COLLECTION.into()],
                None => context.workspace.scope(),
            })
    }

    fn limits(&self, context: &Context) -> SearchLimits {
        SearchLimits {
            limit: kept(context).max(if self.seeks_definition(context) { DEFINING } else { 0 }),
            threshold: context.request.threshold,
            filters: context.filters.clone(),
            documents: None,
            hops: self.hops.unwrap_or_default(),
            mode: context.workspace.strategy,
            fields_of: self
                .chosen(context)
                .into_iter()
                .chain(context.workspace.candidates.iter().cloned())
                .collect(),
        }
    }

    async fn one(
        &self,
        run: &Run<'_>,
        context: &Context,
        question: String,
        collection: String,
    ) -> Result<(SearchResult, By)> {
        let limits = self.limits(context);
        if self.self_correct {
            // The results need not contain terms that were only added to the query.
            let wanted = if context.sub_questions.contains(&question) { &question } else { context.asked() };
            let correct = SelfCorrect {
                run,
                max_iterations: self.max_iterations,
                searcher: self.searcher.as_deref(),
                judge: StepOverrides { prompt: self.sufficient_prompt.clone(), llm: self.llm.clone() },
                rewriter: StepOverrides { prompt: self.rewrite_prompt.clone(), llm: self.llm.clone() },
                wanted,
                collection: &collection,
                limits: &limits,
                shown: context.request.limit,
            };
            let (chunks, iterations, by) = correct.search(&question).await?;
            return Ok((SearchResult { question, collection, chunks, iterations }, by));
        }
        let found = run.search(self.id(), self.searcher.as_deref(), &question, &collection, &limits).await;
        let (chunks, iterations) = match found {
            Ok(chunks) => (chunks, 1),
            // The answer is based on what was found so far.
            Err(Error::BudgetExhausted { .. }) => (Vec::new(), 0),
            Err(error) => return Err(error),
        };
        Ok((SearchResult { question, collection, chunks, iterations }, By::Rule))
    }

    /// Returns who did the work: the caller's function, if one searches, or else who judged the results.
    fn by(&self, found: &[(SearchResult, By)]) -> By {
        if self.searcher.is_some() {
            By::Function
        } else if found.iter().any(|(_, by)| *by == By::Llm) {
            By::Llm
        } else {
            By::Rule
        }
    }
}

/// Leaves out searches of collections elsewhere that failed, after reporting them; an error if no other search is left.
fn without_lost<T>(run: &Run<'_>, step: &StepId, found: Vec<Result<T>>) -> Result<Vec<T>> {
    let has_others = found.iter().any(Result::is_ok);
    let mut kept = Vec::with_capacity(found.len());
    for one in found {
        match one {
            Err(error) if has_others && error.is_of_remote() => run.tell_lost(step, &error),
            one => kept.push(one?),
        }
    }
    Ok(kept)
}

impl Step for Search {
    fn id(&self) -> &StepId {
        &StepId::Search
    }

    fn check(&self) -> Result<()> {
        if self.collections.as_ref().is_some_and(Vec::is_empty) {
            let expected = "at least one name, or no `collections` for those of the run";
            return Err(Error::invalid("search.collections", expected, "[]"));
        }
        ITERATIONS.check(self.max_iterations)?;
        self.hops.map_or(Ok(()), |hops| hops.check("search.hops"))
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        // One judgement, and for each further try another query and another judgement.
        let calls = self.max_iterations.saturating_mul(2).saturating_sub(1);
        let own = StepOverrides { prompt: None, llm: self.llm.clone() };
        (self.self_correct && run.has_llm(&own)).then_some(Cost { calls, least: 1, tokens: LONG_CALL })
    }

    fn describe(&self, context: &Context) -> Value {
        json!({
            "question": context.asked(),
            "subQuestions": context.queries(),
            "collections": self.chosen(context),
            "searcher": self.searcher,
        })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let collections = if context.skip_retrieval { Vec::new() } else { self.chosen(context) };
            let queries = context.queries();
            let pairs = queries.iter().flat_map(|question| {
                collections.iter().map(move |collection| (question.clone(), collection.clone()))
            });
            let searches: Vec<_> =
                pairs.map(|(question, collection)| self.one(run, context, question, collection)).collect();
            let found: Vec<Result<_>> =
                futures_util::stream::iter(searches).buffered(run.concurrency.max(1)).collect().await;
            let found = without_lost(run, self.id(), found)?;
            let by = self.by(&found);
            let mut results: Vec<SearchResult> = found.into_iter().map(|(result, _)| result).collect();
            if self.seeks_definition(context) {
                for result in &mut results {
                    keep_definitions(&mut result.chunks, &result.question, kept(context));
                }
            }
            let total_chunks: usize = results.iter().map(|result| result.chunks.len()).sum();
            let iterations = results.iter().map(|result| result.iterations).max().unwrap_or(0);
            let searches: usize = results.iter().map(|result| result.iterations).sum();
            let text = if context.skip_retrieval {
                "searched nothing, because no search is needed".to_owned()
            } else {
                let (chunks, searches) = (counted(total_chunks, "chunk"), counted(searches, "search"));
                format!("found {chunks} in {searches} of {}", collections.join(", "))
            };
            run.think(Thought { step: self.id().clone(), by, text });
            context.results = Some(results);
            context.ranked = None;
            context.workspace.searcher = self.searcher.clone();
            let result_count = context.results.iter().flatten().count();
            Ok(StepOutcome::new(by, StepResult::Search { result_count, total_chunks, iterations }))
        })
    }
}
