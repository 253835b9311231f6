//! The searcher port: how the agent searches an index.

use crate::document::{DocumentSummary, Hit, Listing};
use crate::error::{Error, Result};
use crate::hops::Hops;
use crate::relevance::{Frequencies, Relevance, RelevanceRequest};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// Search mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Keyword search.
    Keyword,
    /// Vector search.
    Semantic,
    /// Both, fused.
    #[default]
    Hybrid,
}

impl Strategy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Serialises a number with its shortest decimal form as `f32`: 0.3, not the digits of the nearest `f64`.
pub fn decimal<S: Serializer>(number: &Option<f32>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    number.map(|one| one.to_string().parse().unwrap_or(f64::from(one))).serialize(serializer)
}

/// The options of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchLimits {
    /// Maximum number of hits.
    pub limit: usize,
    /// Minimum cosine of a vector hit. Default: none.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "decimal")]
    pub threshold: Option<f32>,
    /// Only chunks of documents whose metadata match this filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Value>,
    /// Only chunks of the documents with these ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<Vec<String>>,
    /// Maximum number of passages in a chain from the question to a hit; 1 searches for the question alone.
    pub hops: Hops,
    /// Search mode; omitted when hybrid, the default.
    #[serde(skip_serializing_if = "Strategy::is_default")]
    pub mode: Strategy,
    /// Further collections whose fields the filter may name: a document whose collection lacks a field does not match a condition
    /// on it.
    #[serde(skip)]
    pub fields_of: Vec<String>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The number of chunks that matched before the limit, if the searcher counts them.
    pub total: usize,
    /// The mode that was used.
    pub mode: Strategy,
    /// Why the mode is weaker than requested, if it is.
    pub degraded: Option<Error>,
    /// The errors of collections elsewhere that could not be searched.
    pub lost: Vec<Error>,
}

/// A collection as it is described to a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CollectionView {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The types of its metadata fields.
    pub schema: Value,
    /// Whether it has no documents.
    #[serde(default)]
    pub is_empty: bool,
    /// Whether it is kept elsewhere: it can be searched, and its documents cannot be listed.
    #[serde(default)]
    pub is_remote: bool,
}

/// What a text holds of documents that are never sent. Sentences are fingerprinted: see `text::shingles`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeverSentText {
    /// Whether any document is never sent.
    pub any: bool,
    /// Windows of the text that are windows of these documents, in any order; one may occur more than once.
    pub windows: Vec<u64>,
    /// Chunks of which the text holds a sentence, in the order of a listing; behind them the same of summaries, by the first chunk of
    /// their document.
    pub chunks: Vec<NeverSentChunk>,
    /// Texts of the chunks of which the text holds a sentence, or all where the chunk is shorter than a window.
    pub texts: Vec<String>,
}

/// A chunk of a document that is never sent of which a text holds a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeverSentChunk {
    /// Its id.
    pub id: String,
    /// Its document.
    pub doc_id: String,
    /// Its collection.
    pub collection: String,
    /// The windows of each sentence that the text holds.
    pub sentences: Vec<Vec<u64>>,
}

/// A document with all its chunks in order.
pub type WholeDocument = (DocumentSummary, Vec<Hit>);

/// Searches the chunks of one or more collections.
pub trait Searcher {
    /// Searches one collection.
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>>;

    /// Searches several collections with comparable scores. The default searches only the first.
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

    /// Returns the minimum cosine of vector hits for runs that set none.
    fn threshold(&self) -> Option<f32> {
        None
    }

    /// Returns the collections by name.
    ///
    /// # Errors
    /// If the collections cannot be read, which does not mean that there are none.
    fn collections(&self) -> Result<Vec<CollectionView>>;

    /// Returns what a text holds of documents that are never sent.
    ///
    /// # Errors
    /// Where that cannot be determined: the text must not be sent then.
    fn never_sent_in(&self, _text: &str) -> Result<NeverSentText> {
        Ok(NeverSentText::default())
    }

    /// Returns in how many chunks each of these terms occurs. By default, none is counted.
    ///
    /// # Errors
    /// If they cannot be counted.
    fn frequencies(&self, _terms: &[String]) -> Result<Frequencies> {
        Ok(Frequencies::default())
    }

    /// Returns a question with the words that no document contains replaced by similar ones of the documents; `None` if there is
    /// nothing to replace. By default, nothing is.
    ///
    /// # Errors
    /// If the documents cannot be read.
    fn did_you_mean<'a>(&'a self, _question: &'a str) -> LocalBoxFuture<'a, Result<Option<String>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Returns how a question relates to passages and texts. The default knows nothing of them.
    fn relevance<'a>(&'a self, _request: &'a RelevanceRequest) -> LocalBoxFuture<'a, Result<Relevance>> {
        Box::pin(std::future::ready(Ok(Relevance::default())))
    }

    /// Returns a value that changes whenever search results may change; `None` if unknown.
    fn fingerprint(&self) -> Option<String> {
        None
    }

    /// Returns a document by its id, from the first of these collections that has it, with all its chunks in order; `None` if
    /// there is none or it does not match the filter.
    ///
    /// # Errors
    /// If the filter is invalid or the document cannot be read.
    fn document(
        &self,
        _collections: &[String],
        _id: &str,
        _filters: Option<&Value>,
    ) -> Result<Option<(DocumentSummary, Vec<Hit>)>> {
        Ok(None)
    }

    /// Returns a document of a collection that is kept elsewhere, as [`Searcher::document`] does of others. By default, there is none.
    fn document_elsewhere<'a>(
        &'a self,
        _collection: &'a str,
        _id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<WholeDocument>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Lists the documents of a collection that match a filter, at most `limit`. The filter may also name fields of the
    /// collections in `fields_of`.
    ///
    /// # Errors
    /// If the filter is invalid.
    fn listing(
        &self,
        _collection: &str,
        _filters: Option<&Value>,
        _fields_of: &[String],
        _limit: usize,
    ) -> Result<Listing> {
        Ok(Listing::default())
    }

    /// Returns the most frequent values of a metadata field, with counts, among the documents that [`Searcher::listing`] would
    /// list.
    ///
    /// # Errors
    /// If the filter is invalid or the values cannot be read.
    fn values(
        &self,
        _collection: &str,
        _field: &str,
        _filters: Option<&Value>,
    ) -> Result<Vec<(Value, usize)>> {
        Ok(Vec::new())
    }

    /// Returns a view of this searcher that does not depend on documents that must never be sent. With `None`, the default, the
    /// caller filters marked hits and documents itself.
    fn sendable(&self) -> Option<Box<dyn Searcher + '_>> {
        None
    }
}
