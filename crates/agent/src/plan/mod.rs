//! The query plan: the intent of a question, collections, conditions on fields, entities, and queries with their purpose.
//!
//! A model writes it as JSON. The JSON is parsed leniently and then checked against the collections: a field that none of them
//! has, or a value of the wrong type, is dropped and reported in `dropped`.

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

/// The intent of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// An answer to a question.
    #[default]
    Qa,
    /// All matching items.
    List,
    /// A summary of documents.
    Summarize,
    /// Similarities and differences.
    Compare,
    /// A calculation.
    Compute,
}

/// A named entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// `company`, `person`, `product`, `chemical` or `other`.
    pub role: &'static str,
}

/// A query with its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subquery {
    /// `filter_docs`, `find_clauses` and the like.
    pub purpose: String,
    /// The query.
    pub query: String,
}

/// The requested form of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Sentences.
    #[default]
    NaturalLanguage,
    /// Rows and columns.
    Table,
    /// One item per line.
    List,
}

/// The requested properties of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputPreferences {
    /// The form.
    pub format: Format,
    /// Whether it should cite its sources.
    pub needs_citations: bool,
}

/// A query plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The intent.
    pub intent: Intent,
    /// The collections to search.
    pub collections: Vec<String>,
    /// The named entities.
    pub entities: Vec<Entity>,
    /// Conditions on metadata.
    pub filters: Vec<Condition>,
    /// Short phrases for the topic.
    pub topic_terms: Vec<String>,
    /// Queries with their purpose.
    pub subqueries: Vec<Subquery>,
    /// The search mode.
    pub search_strategy: Strategy,
    /// The requested properties of the answer.
    pub output_preferences: OutputPreferences,
    /// Parts of the draft that are unusable, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

/// Checks the conditions of a draft against collections, any of which may have a field; returns the rest with reasons.
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
    /// Checks a draft against the chosen collections.
    ///
    /// A document without a field does not match a condition on it, so collections without the field are removed; a condition
    /// that would remove all collections is dropped instead. If a model wrote the draft for the question `asked`, conditions that
    /// the question does not state are dropped too.
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
