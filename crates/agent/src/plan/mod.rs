//! What a question asks for, as a search can use it: the intent, the collections, conditions on fields, things that are
//! named, and queries with what each is for.
//!
//! A model writes it as JSON. What it writes is read leniently and then held to what there is: a field that no
//! chosen collection has, or a value its type cannot take, is dropped, and `dropped` says so.

mod condition;
mod numbers;
mod reading;
mod schema;
mod stated;

pub use condition::Condition;
pub(crate) use condition::Proposed;
pub(crate) use numbers::{is_date, number, year};
pub(crate) use reading::Draft;
pub(crate) use schema::{Kind, fields, schema_line};

pub use super::ports::Strategy;

use super::ports::CollectionView;
use serde::{Deserialize, Serialize};
use stated::Stated;
use vademecum_protocol::error::excerpt;

/// What the asker wants done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// An answer to a question.
    #[default]
    Qa,
    /// Everything that fits.
    List,
    /// The gist of documents.
    Summarize,
    /// What two or more things have in common and what not.
    Compare,
    /// A number made of others.
    Compute,
}

/// What is named, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// `company`, `person`, `product`, `chemical` or `other`.
    pub role: &'static str,
}

/// A query and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subquery {
    /// `filter_docs`, `find_clauses` and the like.
    pub purpose: String,
    /// What to search for.
    pub query: String,
}

/// The form an answer is wanted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Sentences.
    #[default]
    NaturalLanguage,
    /// Rows and columns.
    Table,
    /// One item a line.
    List,
}

/// How the answer is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputPreferences {
    /// Its form.
    pub format: Format,
    /// Whether it should say where everything stands.
    pub needs_citations: bool,
}

/// The plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What is wanted.
    pub intent: Intent,
    /// Where to look.
    pub collections: Vec<String>,
    /// What is named.
    pub entities: Vec<Entity>,
    /// What documents must fulfil.
    pub filters: Vec<Condition>,
    /// Short phrases for what it is about.
    pub topic_terms: Vec<String>,
    /// Queries, with what each is for.
    pub subqueries: Vec<Subquery>,
    /// How to search.
    pub search_strategy: Strategy,
    /// How the answer is wanted.
    pub output_preferences: OutputPreferences,
    /// What was proposed and cannot be used, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

/// A draft's conditions held to the fields of collections, of which any may have a field; and why others are left out.
pub(crate) fn checked(draft: Draft, collections: &[CollectionView]) -> (Vec<Condition>, Vec<String>) {
    let views: Vec<&CollectionView> = collections.iter().collect();
    let (mut conditions, mut dropped) = (Vec::new(), draft.unread);
    for proposed in draft.conditions {
        match proposed.checked(&views) {
            Ok(condition) => conditions.push(condition),
            Err(reason) => dropped.push(reason),
        }
    }
    (conditions, dropped)
}

impl Plan {
    /// Holds a draft to the collections that were chosen.
    ///
    /// A document without a field cannot meet a condition on it, so collections without the field drop out; a condition
    /// that would leave no collection is dropped itself. So is one that the question does not state, where a model that
    /// was `asked` it has written the draft.
    pub(crate) fn new(
        intent: Intent,
        draft: Draft,
        chosen: &[CollectionView],
        most: usize,
        asked: Option<&String>,
    ) -> Self {
        let stated = asked.map(|question| Stated::new(question));
        let mut left: Vec<&CollectionView> = chosen.iter().collect();
        let (mut filters, mut dropped): (Vec<Condition>, Vec<String>) = (Vec::new(), draft.unread);
        for proposed in draft.conditions {
            let with_field: Vec<&CollectionView> =
                left.iter().copied().filter(|one| schema::knows(one, &proposed.field)).collect();
            if with_field.is_empty() {
                dropped.push(format!("`{}` is a field of no collection that is left", proposed.field));
                continue;
            }
            match proposed.checked(&with_field) {
                Ok(condition) if filters.contains(&condition) => {}
                Ok(one) if stated.as_ref().is_some_and(|stated| !stated.states(&one)) => {
                    let value = excerpt(&one.value.to_string(), 40);
                    dropped
                        .push(format!("the question does not say `{}` {} {value}", one.field, one.operator));
                }
                Ok(condition) => {
                    left = with_field;
                    filters.push(condition);
                }
                Err(reason) => dropped.push(reason),
            }
        }
        let format = draft.format.unwrap_or(match intent {
            Intent::List => Format::List,
            _ => Format::NaturalLanguage,
        });
        Self {
            intent,
            collections: left.into_iter().map(|one| one.name.clone()).collect(),
            entities: draft.entities,
            filters,
            topic_terms: draft.topic_terms,
            subqueries: draft.subqueries.into_iter().take(most).collect(),
            search_strategy: draft.strategy.unwrap_or_default(),
            output_preferences: OutputPreferences {
                format,
                needs_citations: draft.needs_citations.unwrap_or(true),
            },
            dropped,
        }
    }
}
