//! The searcher port: what the agent asks of an index, and what the engine answers.

use crate::document::{DocumentSummary, Hit, Listing};
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// How to search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// By words.
    Keyword,
    /// By meaning.
    Semantic,
    /// By both.
    #[default]
    Hybrid,
}

impl Strategy {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// Writes a number as it was given: 0.3, and not the nearest of 32 bits in the digits of 64.
pub fn decimal<S: Serializer>(number: &Option<f32>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    number.map(|one| one.to_string().parse().unwrap_or(f64::from(one))).serialize(serializer)
}

/// What a searcher may need beside the question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchLimits {
    /// The most hits wanted.
    pub limit: usize,
    /// The least cosine a vector hit may have; any where absent.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "decimal")]
    pub threshold: Option<f32>,
    /// Only chunks of documents whose metadata this wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// Only chunks of the documents with these ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<Vec<String>>,
    /// How many passages a chain may have that leads from the question to a hit; 1 looks for the question alone.
    pub hops: usize,
    /// How to search; not told where it is by both, as always unless a plan says otherwise.
    #[serde(skip_serializing_if = "Strategy::is_usual")]
    pub mode: Strategy,
    /// Collections whose fields a filter may name as well: in one without the field, no document meets a condition on it.
    #[serde(skip)]
    pub fields_of: Vec<String>,
}

/// What a search found, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The chunks, best first.
    pub hits: Vec<Hit>,
    /// How many chunks matched before the limit, as far as the searcher counts.
    pub total: usize,
    /// How it was really searched.
    pub mode: Strategy,
    /// Why it was searched with less than was wanted, if it was.
    pub degraded: Option<Error>,
}

/// A collection as a model chooses among them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CollectionView {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// The types of its metadata fields.
    pub schema: Value,
}

/// Finds chunks for a question.
pub trait Searcher {
    /// Searches one collection.
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>>;

    /// Searches several collections as one, so that their hits can be compared; the first alone, unless the searcher knows
    /// better.
    fn search_all<'a>(
        &'a self,
        question: &'a str,
        collections: &'a [String],
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        match collections.first() {
            Some(first) => self.search(question, first, limits),
            None => Box::pin(std::future::ready(Ok(Found::default()))),
        }
    }

    /// The least cosine that a run asks of vector hits unless it names one itself.
    fn threshold(&self) -> Option<f32> {
        None
    }

    /// The collections there are, by name.
    ///
    /// # Errors
    /// Where that cannot be told; it does not mean that there are none.
    fn collections(&self) -> Result<Vec<CollectionView>>;

    /// The chunks of all documents that are never sent.
    ///
    /// # Errors
    /// Where they cannot be told: nothing may be sent then.
    fn never_sent(&self) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }

    /// What changes with what searches find; none where that is not known.
    fn fingerprint(&self) -> Option<String> {
        None
    }

    /// A document by its id, in the first of these collections that has it: what it is, and all its chunks in order; none
    /// where it does not fulfil the filter.
    ///
    /// # Errors
    /// Those of a filter that cannot be used, and where it cannot be told whether the document is there.
    fn document(
        &self,
        _collections: &[String],
        _id: &str,
        _filters: Option<&Value>,
    ) -> Result<Option<(DocumentSummary, Vec<Hit>)>> {
        Ok(None)
    }

    /// The documents of a collection that fulfil a filter, at most `limit` of them. A filter may name fields of the
    /// collections `fields_of` as well.
    ///
    /// # Errors
    /// Those of a filter that cannot be used.
    fn listing(
        &self,
        _collection: &str,
        _filters: Option<&Value>,
        _fields_of: &[String],
        _limit: usize,
    ) -> Result<Listing> {
        Ok(Listing::default())
    }

    /// The most frequent values of a metadata field among the documents that [`Searcher::listing`] would list.
    ///
    /// # Errors
    /// Those of a filter that cannot be used, and where the values cannot be told.
    fn values(
        &self,
        _collection: &str,
        _field: &str,
        _filters: Option<&Value>,
    ) -> Result<Vec<(Value, usize)>> {
        Ok(Vec::new())
    }

    /// The same searcher as if the documents that are never sent were not there: nothing that it tells depends on them. None
    /// where it has no such view of its own: hits and documents that are marked are left out then.
    fn sendable(&self) -> Option<Box<dyn Searcher + '_>> {
        None
    }
}
