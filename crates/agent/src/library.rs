//! The library as a run sees it. In a run that may call an LLM, this is a view without the documents that must never be sent, so
//! that no decision, count or output of a step depends on them.

use super::ports::{CollectionView, Found, NeverSentText, SearchLimits, Searcher};
use serde_json::{Value, json};
use std::cell::RefCell;
use vademecum_protocol::document::{DocumentSummary, Hit, Listing, NEVER_SEND};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::relevance::{Frequencies, Relevance, RelevanceRequest};

/// Error codes of an unusable filter or collection. Errors of the engine module arrive with their code.
const OF_FILTERS: [&str; 6] = [
    "unknown_field",
    "unknown_operator",
    "filter_type",
    "filter_invalid",
    "unknown_collection",
    "invalid_argument",
];

/// Error code of a collection elsewhere whose documents cannot be listed.
const UNLISTED: &str = "remote_unsupported";

/// The searchable documents of a run.
pub struct Library<'a> {
    /// All documents.
    whole: &'a dyn Searcher,
    /// The searcher's own view of the sendable documents.
    own: Option<Box<dyn Searcher + 'a>>,
    /// Whether documents that must never be sent are left out.
    sendable: bool,
    /// The first failure for which a caller got an empty result.
    failed: RefCell<Option<Error>>,
    /// The first error of a collection elsewhere whose documents were left out.
    left_out: RefCell<Option<Error>>,
}

impl std::fmt::Debug for Library<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Library").field("sendable", &self.sendable).finish_non_exhaustive()
    }
}

/// Returns a filter for documents that must never be sent and match another filter.
fn marked(filters: Option<&Value>) -> Value {
    let marked = json!({ "field": NEVER_SEND, "operator": "=", "value": true });
    match filters {
        Some(filters) => json!({ "and": [filters, marked] }),
        None => marked,
    }
}

impl<'a> Library<'a> {
    /// Creates a view of all documents, for a run without an LLM.
    pub fn whole(searcher: &'a dyn Searcher) -> Self {
        Self {
            whole: searcher,
            own: None,
            sendable: false,
            failed: RefCell::default(),
            left_out: RefCell::default(),
        }
    }

    /// Creates a view of the sendable documents, for a run that may call an LLM.
    pub fn sendable(searcher: &'a dyn Searcher) -> Self {
        Self { own: searcher.sendable(), sendable: true, ..Self::whole(searcher) }
    }

    /// Returns whether documents that must never be sent are left out.
    pub fn is_view(&self) -> bool {
        self.sendable
    }

    /// Searches several collections with comparable scores.
    ///
    /// # Errors
    /// The errors of the searcher.
    pub async fn search_all(
        &self,
        question: &str,
        collections: &[String],
        limits: &SearchLimits,
    ) -> Result<Found> {
        let mut found = self.searcher().search_all(question, collections, limits).await?;
        if self.filters() {
            let before = found.hits.len();
            found.hits.retain(|hit| !hit.chunk.never_sent());
            if found.hits.len() < before {
                found.total = found.hits.len();
            }
        }
        Ok(found)
    }

    /// Searches the documents that a view leaves out, in the collections that were searched. For the user only.
    ///
    /// # Errors
    /// The errors of the searcher.
    pub async fn search_withheld(
        &self,
        question: &str,
        searched: &[String],
        limits: &SearchLimits,
    ) -> Result<Vec<Hit>> {
        let mut collections = self.kept_here()?;
        // A search of several collections is recorded under all their names.
        let names: Vec<&str> =
            searched.iter().flat_map(|names| names.split(", ").chain([names.as_str()])).collect();
        collections.retain(|name| names.contains(&name.as_str()));
        if collections.is_empty() {
            return Ok(Vec::new());
        }
        let limits = SearchLimits { filters: Some(marked(limits.filters.as_ref())), ..limits.clone() };
        match self.whole.search_all(question, &collections, &limits).await {
            Ok(found) => Ok(found.hits.into_iter().filter(|hit| hit.chunk.never_sent()).collect()),
            // No document has the mark, or none with the mark has the field of a condition.
            Err(error) if error.code() == "unknown_field" => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Counts the documents that match a filter and that a view leaves out. For the user only.
    ///
    /// # Errors
    /// The errors of the searcher.
    pub fn count_withheld(&self, collections: &[String], filters: Option<&Value>) -> Result<usize> {
        if !self.sendable {
            return Ok(0);
        }
        let names = self.kept_here()?;
        let filters = marked(filters);
        let mut count = 0;
        for name in collections.iter().filter(|name| names.contains(name)) {
            match self.whole.listing(name, Some(&filters), &names, 1) {
                Ok(listing) => count += listing.total,
                // As in `search_withheld`.
                Err(error) if error.code() == "unknown_field" => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// Returns the names of the collections of the library itself.
    fn kept_here(&self) -> Result<Vec<String>> {
        let all = self.whole.collections()?;
        Ok(all.into_iter().filter(|one| !one.is_remote).map(|one| one.name).collect())
    }

    /// Returns whether a document may be in one of these collections although [`Library::document`] does not find it there.
    pub fn is_elsewhere(&self, collections: &[String]) -> bool {
        self.collections().iter().any(|one| one.is_remote && collections.contains(&one.name))
    }

    /// Returns a document from the first of these collections, kept elsewhere, that has it; `None` if all of them can tell that they
    /// have not.
    ///
    /// # Errors
    /// The first error of a collection, if no other has the document.
    pub async fn document_elsewhere(
        &self,
        collections: &[String],
        id: &str,
    ) -> Result<Option<(DocumentSummary, Vec<Hit>)>> {
        let mut failed = None;
        for view in self.collections() {
            if !view.is_remote || !collections.contains(&view.name) {
                continue;
            }
            match self.searcher().document_elsewhere(&view.name, id).await {
                Ok(None) => {}
                Ok(Some((summary, _))) if self.sendable && summary.never_sent() => {}
                Ok(found) => return Ok(found),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(None), Err)
    }

    /// Returns in how many chunks each of these terms occurs, as [`Searcher::frequencies`].
    pub fn frequencies(&self, terms: &[String]) -> Frequencies {
        self.told(self.searcher().frequencies(terms))
    }

    /// Returns a question with misspelt words corrected, as [`Searcher::did_you_mean`].
    pub async fn did_you_mean(&self, question: &str) -> Option<String> {
        self.told(self.searcher().did_you_mean(question).await)
    }

    /// Returns how a question relates to passages and texts, as [`Searcher::relevance`].
    ///
    /// # Errors
    /// The errors of the searcher.
    pub async fn relevance(&self, request: &RelevanceRequest) -> Result<Relevance> {
        self.searcher().relevance(request).await
    }

    /// Returns the default minimum cosine of vector hits.
    pub fn threshold(&self) -> Option<f32> {
        self.whole.threshold()
    }

    /// Returns the collections by name.
    pub fn collections(&self) -> Vec<CollectionView> {
        self.told(self.searcher().collections())
    }

    /// Returns the names of the collections.
    ///
    /// # Errors
    /// If the collections cannot be read.
    pub fn names(&self) -> Result<Vec<String>> {
        Ok(self.searcher().collections()?.into_iter().map(|one| one.name).collect())
    }

    /// Returns what a text holds of documents that are never sent, as [`Searcher::never_sent_in`].
    ///
    /// # Errors
    /// Where that cannot be determined: the text must not be sent then.
    pub fn never_sent_in(&self, text: &str) -> Result<NeverSentText> {
        self.whole.never_sent_in(text)
    }

    /// Returns a document by its id, as [`Searcher::document`].
    pub fn document(
        &self,
        collections: &[String],
        id: &str,
        filters: Option<&Value>,
    ) -> Option<(DocumentSummary, Vec<Hit>)> {
        let found = self.told(self.searcher().document(collections, id, filters));
        found.filter(|(summary, _)| !self.filters() || !summary.never_sent())
    }

    /// Lists the documents of a collection that match a filter, as [`Searcher::listing`].
    ///
    /// # Errors
    /// If the filter is invalid.
    pub fn listing(
        &self,
        collection: &str,
        filters: Option<&Value>,
        fields_of: &[String],
        limit: usize,
    ) -> Result<Listing> {
        let most = if self.filters() { usize::MAX } else { limit };
        let listing = self.searcher().listing(collection, filters, fields_of, most);
        if let Err(error) = &listing
            && error.code() == UNLISTED
        {
            self.left_out.borrow_mut().get_or_insert(error.clone());
            return Ok(Listing::default());
        }
        // Callers treat an invalid filter as one without matches; any other error must fail the step.
        if let Err(error) = &listing
            && !OF_FILTERS.contains(&error.code())
        {
            self.failed.borrow_mut().get_or_insert(error.clone());
        }
        let mut listing = listing?;
        if !self.filters() {
            return Ok(listing);
        }
        listing.documents.retain(|document| !document.never_sent());
        listing.total = listing.documents.len();
        listing.documents.truncate(limit);
        Ok(listing)
    }

    /// The most frequent values of a metadata field, as [`Searcher::values`].
    pub fn values(&self, collection: &str, field: &str, filters: Option<&Value>) -> Vec<(Value, usize)> {
        // Which of the values are of documents that may be sent cannot be told from their counts.
        if self.filters() {
            match self.never_sent_in("") {
                Ok(NeverSentText { any: false, .. }) => {}
                Ok(_) => return Vec::new(),
                Err(error) => return self.told(Err(error)),
            }
        }
        let values = self.searcher().values(collection, field, filters);
        // Values are offered for narrowing alone, where those of other collections do as well.
        if values.as_ref().is_err_and(|error| error.code() == UNLISTED) {
            Vec::new()
        } else {
            self.told(values)
        }
    }

    /// Returns and clears the error of a collection elsewhere whose documents were left out of a listing since the last call.
    pub(super) fn left_out(&self) -> Option<Error> {
        self.left_out.take()
    }

    /// Returns and clears the failure since the last call.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failed.take()
    }

    fn searcher(&self) -> &dyn Searcher {
        self.own.as_deref().unwrap_or(self.whole)
    }

    /// Returns whether results of the searcher still have to be filtered.
    fn filters(&self) -> bool {
        self.sendable && self.own.is_none()
    }

    /// Returns the outcome, or a default after recording the error, which later fails the step by [`Library::failure`].
    fn told<T: Default>(&self, outcome: Result<T>) -> T {
        outcome.unwrap_or_else(|error| {
            self.failed.borrow_mut().get_or_insert(error);
            T::default()
        })
    }
}
