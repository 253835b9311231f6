//! Where nothing was found: what there would be without the threshold, and without each of the conditions.
//!
//! The threshold is the engine's own and is given up at once. A condition is the user's: what there is without it is counted, and
//! told, and not used unasked.

use super::review::total;
use crate::agent::context::{By, Context, SearchResult, Thought};
use crate::agent::coverage::{Relaxation, condition_text, conditions};
use crate::agent::evidence::sendable;
use crate::agent::ports::{SearchLimits, Strategy};
use crate::agent::reply::json::{field, text};
use crate::agent::run::{Run, Step};
use crate::agent::tools::Use;
use crate::document::Hit;
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};

/// The step that gives up what stands in the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Relax {
    /// The most chunks a search finds.
    pub top_k: usize,
}

impl Step for Relax {
    fn name(&self) -> &str {
        "relax"
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "filters": context.filters, "threshold": context.threshold })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let last = context.progress.made.last();
            let query = last.and_then(|one| field(&one.arguments, &["query"]).and_then(text));
            let query = query.unwrap_or_else(|| context.asked().to_owned());
            let at = Use { run, context, step: self.name(), top_k: self.top_k, hops: 1 };
            let views = at.views();
            let limits = SearchLimits {
                limit: self.top_k,
                threshold: Some(0.0),
                filters: context.filters.clone(),
                documents: None,
                hops: 1,
                mode: Strategy::Hybrid,
                fields_of: run.searcher.collections().into_iter().map(|one| one.name).collect(),
            };
            let mut results = Vec::new();
            for view in &views {
                match run.search(self.name(), None, &query, &view.name, &limits).await {
                    Ok(chunks) => results.push((view.name.clone(), chunks)),
                    Err(Error::Aborted) => return Err(Error::Aborted),
                    // What cannot be searched any more is left out.
                    Err(_) => {}
                }
            }
            let found: usize = results.iter().map(|(_, chunks): &(String, Vec<Hit>)| chunks.len()).sum();
            let mut tried = Vec::new();
            if !results.is_empty() {
                tried.push(Relaxation { without: "threshold".into(), field: None, found, used: found > 0 });
            }
            if found == 0 {
                tried.extend(without_each(run, context, &views));
            }
            let told: Vec<String> =
                tried.iter().map(|one| format!("{} ({})", one.without, one.found)).collect();
            let text = format!("found nothing; without {}", told.join(", "));
            run.think(Thought { step: self.name().to_owned(), by: By::Rule, text });
            for (collection, chunks) in results.into_iter().filter(|(_, chunks)| !chunks.is_empty()) {
                let is_new =
                    |hit: &Hit| context.progress.shown.iter().all(|one| one.chunk.id != hit.chunk.id);
                let new: Vec<Hit> = sendable(&chunks).into_iter().filter(is_new).collect();
                context.progress.shown.extend(new);
                let result = SearchResult { question: query.clone(), collection, chunks, iterations: 1 };
                context.results.get_or_insert_default().push(result);
            }
            let metadata = json!({ "tried": tried, "foundChunks": found, "by": By::Rule });
            context.progress.relaxed = true;
            context.relaxations.extend(tried);
            Ok(metadata)
        })
    }
}

fn without_each(
    run: &Run<'_>,
    context: &Context,
    views: &[crate::agent::ports::CollectionView],
) -> Vec<Relaxation> {
    let all = conditions(context.filters.as_ref());
    let without = |left_out: usize| {
        let left: Vec<Value> =
            all.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, one)| one.clone()).collect();
        (!left.is_empty()).then_some(Value::Array(left))
    };
    let field_of = |condition: &Value| match condition.get("field").and_then(Value::as_str) {
        Some(field) => Some(field.to_owned()),
        None => condition.as_object().and_then(|parts| parts.keys().next().cloned()),
    };
    // What the caller demands is not the user's to give up.
    let own = conditions(context.progress.own_filters.as_ref());
    let relaxation = |(at, condition): (usize, &Value)| Relaxation {
        without: condition_text(condition),
        field: field_of(condition),
        found: total(run, views, without(at).as_ref()),
        used: false,
    };
    all.iter().enumerate().filter(|(_, one)| !own.contains(one)).map(relaxation).collect()
}
