//! Fallback for empty results: searches without the threshold and in all collections, and counts the documents without each
//! condition.
//!
//! The threshold and the choice of collections are the engine's decisions and are dropped at once. Conditions are the user's: the
//! documents without one are counted and reported, but not used without asking.

use super::asking::total;
use crate::context::{By, Context, SearchResult, Thought};
use crate::coverage::{COLLECTIONS, Relaxation, condition_text, conditions};
use crate::evidence::sendable;
use crate::outcome::{StepOutcome, StepResult};
use crate::ports::{CollectionView, SearchLimits, Strategy};
use crate::reply::json::{field, text};
use crate::run::{Run, Step};
use crate::step_id::StepId;
use crate::tools::Use;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::hops::Hops;

/// The relax step.
#[derive(Debug, Clone, PartialEq)]
pub struct Relax {
    /// Maximum number of chunks per search.
    pub top_k: usize,
}

impl Step for Relax {
    fn id(&self) -> &StepId {
        &StepId::Relax
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "filters": context.filters, "threshold": context.request.threshold })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let last = context.workspace.progress.made.last();
            let query = last.and_then(|one| field(&one.arguments, &["query"]).and_then(text));
            let query = query.unwrap_or_else(|| context.asked().to_owned());
            let views =
                Use { run, context, step: self.id(), top_k: self.top_k, hops: Hops::default() }.views();
            let filters = context.filters.clone();
            let (mut results, searched) = self.search(run, &query, &views, filters.as_ref()).await?;
            let mut tried = Vec::new();
            let relaxation_of = |without: &str, found: usize, used: bool| Relaxation {
                without: without.into(),
                field: None,
                found,
                used,
            };
            // Without a threshold, only the restriction to one search mode was dropped.
            let has_threshold = context.request.threshold.is_some_and(|threshold| threshold > 0.0);
            let found = count(&results);
            if searched && (has_threshold || found > 0) {
                tried.push(relaxation_of(
                    if has_threshold { "threshold" } else { "strategy" },
                    found,
                    found > 0,
                ));
            }
            let others = if results.is_empty() { not_chosen(run, context, &views) } else { Vec::new() };
            if !others.is_empty() {
                let (found, searched) = self.search(run, &query, &others, filters.as_ref()).await?;
                if !found.is_empty() {
                    tried.push(relaxation_of(COLLECTIONS, count(&found), true));
                    context.collections = context.workspace.progress.own_collections.clone();
                    results = found;
                } else if searched {
                    // The conditions were planned by the fields of the chosen collections.
                    let own = context.workspace.progress.own_filters.clone();
                    let elsewhere = if own == filters {
                        Vec::new()
                    } else {
                        self.search(run, &query, &others, own.as_ref()).await?.0
                    };
                    tried.push(relaxation_of(COLLECTIONS, count(&elsewhere), false));
                }
            }
            if results.is_empty() {
                tried.extend(without_each(run, context, &views));
            }
            let told: Vec<String> =
                tried.iter().map(|one| format!("{} ({})", one.without, one.found)).collect();
            let text = format!("found nothing; without {}", told.join(", "));
            run.think(Thought { step: self.id().clone(), by: By::Rule, text });
            let found = count(&results);
            for (collection, chunks) in results {
                let is_new = |hit: &Hit| {
                    context.workspace.progress.shown.iter().all(|one| one.chunk.key() != hit.chunk.key())
                };
                let new: Vec<Hit> = sendable(&chunks).into_iter().filter(is_new).collect();
                context.workspace.progress.shown.extend(new);
                let result = SearchResult { question: query.clone(), collection, chunks, iterations: 1 };
                context.results.get_or_insert_default().push(result);
            }
            let result = StepResult::Relax { tried: tried.clone(), found_chunks: found };
            context.workspace.progress.relaxed = true;
            context.relaxations.extend(tried);
            Ok(StepOutcome::new(By::Rule, result))
        })
    }
}

/// The non-empty results by collection.
type Found = Vec<(String, Vec<Hit>)>;

impl Relax {
    /// Searches without the threshold; also returns whether any search was possible.
    async fn search(
        &self,
        run: &Run<'_>,
        query: &str,
        views: &[CollectionView],
        filters: Option<&Value>,
    ) -> Result<(Found, bool)> {
        let limits = SearchLimits {
            limit: self.top_k,
            threshold: Some(0.0),
            filters: filters.cloned(),
            documents: None,
            hops: Hops::default(),
            mode: Strategy::Hybrid,
            fields_of: run.searcher.collections().into_iter().map(|one| one.name).collect(),
        };
        let (mut found, mut searched) = (Vec::new(), false);
        for view in views {
            let searcher = run.search_overrides.searcher.as_deref();
            match run.search(self.id(), searcher, query, &view.name, &limits).await {
                Ok(chunks) => {
                    searched = true;
                    found.push((view.name.clone(), chunks));
                }
                // Searches that the budget does not allow are skipped.
                Err(Error::BudgetExhausted { .. }) => {}
                Err(error) if searcher.is_some() => {
                    run.fall_back(self.id(), error, "what the other searches find")?;
                }
                // A failed search is no empty result.
                Err(error) => return Err(error),
            }
        }
        found.retain(|(_, chunks): &(String, Vec<Hit>)| !chunks.is_empty());
        Ok((found, searched))
    }
}

fn count(found: &Found) -> usize {
    found.iter().map(|(_, chunks)| chunks.len()).sum()
}

/// Returns the collections that the caller allows but that were not chosen for the question.
fn not_chosen(run: &Run<'_>, context: &Context, chosen: &[CollectionView]) -> Vec<CollectionView> {
    let own = context.workspace.progress.own_collections.as_ref().filter(|own| !own.is_empty());
    let is_other = |one: &CollectionView| {
        chosen.iter().all(|view| view.name != one.name) && own.is_none_or(|own| own.contains(&one.name))
    };
    run.searcher.collections().into_iter().filter(is_other).collect()
}

fn without_each(run: &Run<'_>, context: &Context, views: &[CollectionView]) -> Vec<Relaxation> {
    let all = conditions(context.filters.as_ref());
    let without = |left_out: usize| {
        let left: Vec<Value> =
            all.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, one)| one.clone()).collect();
        (!left.is_empty()).then_some(Value::Array(left))
    };
    let named = |condition: &Value| condition.get("field").and_then(Value::as_str).map(str::to_owned);
    let first = |condition: &Value| condition.get("or")?.as_array()?.first().and_then(named);
    let field_of = |condition: &Value| match named(condition).or_else(|| first(condition)) {
        Some(field) => Some(field),
        None => condition.as_object().and_then(|parts| parts.keys().next().cloned()),
    };
    // The user cannot drop the caller's own conditions.
    let own = conditions(context.workspace.progress.own_filters.as_ref());
    let relaxation = |(at, condition): (usize, &Value)| Relaxation {
        without: condition_text(condition),
        field: field_of(condition),
        found: total(run, views, without(at).as_ref(), false),
        used: false,
    };
    all.iter().enumerate().filter(|(_, one)| !own.contains(one)).map(relaxation).collect()
}
