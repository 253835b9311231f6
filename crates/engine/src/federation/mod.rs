//! Searches remote collections together with the library. Not in the lite build, which has no room for it.
//!
//! The question is embedded once, on the device. Each remote collection gets what it may be told, and has until its deadline; the
//! scores of all hits are pooled with the library's by retriever and fused once, by the same rule ([`vademecum_index::Foreign`]).
//! A collection that is late, fails, or gives a reply of another shape is reported and has no hits; the library's own answer
//! depends on none of them. Chains of several hops go on from the library's passages; hits of remote collections take part in the
//! first hop, so that a question leaves the device once.

pub(crate) mod failure;
mod pool;
mod port;
mod registry;
pub(crate) mod remote;
mod reply;
mod report;

pub(crate) use pool::Asked;
pub use port::{Leaves, RemoteCollection, RemoteIds, RemoteOptions, RemoteRequest};
pub use report::SourceReport;

use crate::{DocumentView, KnowledgeBase, Mode, SearchRequest};
use futures_util::future::{Either, LocalBoxFuture, join_all, select};
use remote::Remote;
use reply::{Expected, RemoteHit, Reply};
use std::collections::HashSet;
use std::pin::pin;
use std::rc::Rc;
use vademecum_encoder::is_same;
use vademecum_index::filter::{Filter, Schema};
use vademecum_protocol::cancel::Cancel;
use vademecum_protocol::error::{Error, Result};

/// Letters and digits of the shortest text that is kept from being sent.
const SHORTEST: usize = 6;

/// A remote collection that answered, or failed.
struct Answer {
    hits: Vec<RemoteHit>,
    report: SourceReport,
    failed: Option<Error>,
}

impl KnowledgeBase {
    /// Returns the remote collections that a request searches, with their names.
    fn remotes_of(&self, request: &SearchRequest) -> Result<Vec<(Rc<str>, Remote)>> {
        let state = self.open_state()?.borrow();
        let is_wanted = |name: &str| request.collections.iter().flatten().any(|one| one == name);
        let wanted = state.remotes.iter().filter(|(name, remote)| match request.collections {
            Some(_) => is_wanted(name),
            None => remote.once.is_none(),
        });
        Ok(wanted.map(|(name, remote)| (name.clone(), remote.clone())).collect())
    }

    /// Asks the remote collections of a request, all at once; `None` if it has none.
    ///
    /// # Errors
    /// [`Error::Aborted`], those of [`Filter::parse`], and the first failure if no other collection is searched and all have failed.
    pub(crate) async fn ask_remotes(
        &self,
        others: &[String],
        request: &SearchRequest,
        vector: Option<&Vec<f32>>,
        cancel: &Cancel,
    ) -> Result<Option<Asked>> {
        let remotes = self.remotes_of(request)?;
        if remotes.is_empty() {
            return Ok(None);
        }
        // Boxed: a browser then compiles `ask_all` only for searches that have remote collections.
        let asking: LocalBoxFuture<'_, _> = Box::pin(self.ask_all(remotes, others, request, vector, cancel));
        asking.await
    }

    /// Asks these remote collections.
    async fn ask_all(
        &self,
        remotes: Vec<(Rc<str>, Remote)>,
        others: &[String],
        request: &SearchRequest,
        vector: Option<&Vec<f32>>,
        cancel: &Cancel,
    ) -> Result<Option<Asked>> {
        let names: HashSet<&str> = remotes.iter().map(|(name, _)| &**name).collect();
        let mut local: HashSet<String> = request.collections.iter().flatten().cloned().collect();
        local.retain(|name| !names.contains(name.as_str()));
        let alone = request.collections.is_some() && local.is_empty();
        let schema = self.schema_with(&remotes, &local, others, request.sendable, alone)?;
        let filters = request.filters.as_ref().map(|filters| Filter::plain(filters, &schema)).transpose()?;
        let mode = match request.mode {
            Mode::Hybrid if vector.is_none() => Mode::Keyword,
            mode => mode,
        };
        let holds_secret = self.holds_secret(request)?;
        let vector = vector.map(|vector| Rc::new(vector.clone()));
        let ask = |(name, remote): &(Rc<str>, Remote)| {
            let name = remote.once.as_ref().unwrap_or(name);
            let leaves = remote.options.leaves.as_ref();
            let is_told = |what: fn(&Leaves) -> bool| leaves.is_none_or(what);
            let vector = vector.clone().filter(|_| mode != Mode::Keyword && is_told(|leaves| leaves.vector));
            let own = RemoteRequest {
                query: is_told(|leaves| leaves.query).then(|| request.query.clone()),
                embedder: vector.as_ref().and_then(|_| self.embedder.as_ref()?.id()),
                vector,
                limit: match mode {
                    Mode::Hybrid => request.limit.max(remote.options.candidates),
                    _ => request.limit,
                },
                filters: filters.clone(),
                mode,
                threshold: request.threshold,
                documents: request.documents.clone(),
                run: request.run,
            };
            let denied = if holds_secret && leaves.is_some() {
                Some(failure::never_sent(name))
            } else {
                Self::unfit(name, remote, &own)
            };
            self.ask(name.clone(), remote.clone(), own, denied)
        };
        let answers = cancel.guard(join_all(remotes.iter().map(ask))).await?;
        if alone
            && answers.iter().all(|answer| answer.failed.is_some())
            && let Some(error) = answers.iter().find_map(|answer| answer.failed.clone())
        {
            return Err(error);
        }
        Ok(Some(Asked::new(
            answers.into_iter().map(|one| (one.hits, one.report, one.failed)),
            schema,
            local,
            alone,
        )))
    }

    /// Returns the fields of all collections that a request searches.
    fn schema_with(
        &self,
        remotes: &[(Rc<str>, Remote)],
        local: &HashSet<String>,
        others: &[String],
        sendable: bool,
        alone: bool,
    ) -> Result<Schema> {
        let mut schema = Schema::default();
        if !alone {
            let mut fields_of = local.clone();
            if !local.is_empty() {
                fields_of.extend(others.iter().cloned());
            }
            schema = self.snapshot(sendable)?.schema(&fields_of);
        }
        for (_, remote) in remotes {
            match &remote.schema {
                Some(known) => schema.merge(known),
                None => schema.accept_any(),
            }
        }
        Ok(schema)
    }

    /// Returns whether what would be sent of a request holds text of documents that are never sent.
    fn holds_secret(&self, request: &SearchRequest) -> Result<bool> {
        let mut text = request.query.clone();
        // Not as JSON, in which the signs of a line's end are letters.
        let mut conditions = Vec::new();
        request.filters.iter().for_each(|filter| strings_in(filter, &mut conditions));
        for part in conditions.into_iter().chain(request.documents.iter().flatten().cloned()) {
            text.push('\n');
            text.push_str(&part);
        }
        let found = self.snapshot(false)?.never_sent_in(&text);
        let is_long = |text: &String| text.chars().filter(|char| char.is_alphanumeric()).count() >= SHORTEST;
        Ok(!found.chunks.is_empty() || found.texts.iter().any(is_long))
    }

    /// Returns why a collection cannot be asked this.
    fn unfit(name: &str, remote: &Remote, request: &RemoteRequest) -> Option<Error> {
        if let (Some(found), Some(own)) = (&remote.options.embedder, &request.embedder)
            && !is_same(own, found)
        {
            let message = format!(
                "The vectors of the remote collection `{name}` were made by the embedder `{found}`, and the question's by `{own}`. \
                 Open the library with that embedder, or fill the collection with this one."
            );
            return Some(Error::Relayed { code: "embedder_mismatch", message, retryable: false });
        }
        let mode = match request.mode {
            Mode::Keyword => "keyword",
            Mode::Vector => "vector",
            Mode::Hybrid => "hybrid",
        };
        let has_nothing = match request.mode {
            Mode::Keyword => request.query.is_none(),
            Mode::Vector | Mode::Hybrid => request.vector.is_none() && request.query.is_none(),
        };
        has_nothing.then(|| failure::tells_nothing(name, mode))
    }

    async fn ask(
        &self,
        name: Rc<str>,
        remote: Remote,
        request: RemoteRequest,
        denied: Option<Error>,
    ) -> Answer {
        let started = self.platform.now();
        let leaves = remote.options.leaves.as_ref();
        let is_asked = denied.is_none();
        let reply = match denied {
            Some(error) => Err(error),
            None => {
                let deadline = self.platform.sleep(remote.options.deadline_ms);
                match select(remote.collection.search(&request), pin!(deadline)).await {
                    Either::Left((reply, _)) => reply,
                    Either::Right(_) => Err(failure::late(&name, remote.options.deadline_ms)),
                }
            }
        };
        let expected = Expected {
            name: &name,
            limit: request.limit,
            documents: request.documents.as_deref(),
            needs_vector: request.mode == Mode::Vector,
        };
        let read = reply.and_then(|reply| reply::hits(expected, &reply));
        let (reply, failed) = match read {
            Ok(reply) => (reply, None),
            Err(error) => (Reply { hits: Vec::new(), total: None, missing: None }, Some(error)),
        };
        let Reply { hits, total, missing } = reply;
        let is_denied = failed.as_ref().is_some_and(|error| error.code() == "send_denied");
        let report = SourceReport {
            collection: name.to_string(),
            hits: hits.len(),
            total,
            took_ms: self.platform.now() - started,
            sent: is_asked && leaves.is_some() && !is_denied,
            url: leaves.map(|leaves| leaves.url.clone()).filter(|url| !url.is_empty()),
            error: failed.as_ref().map(report::plain).or_else(|| missing.map(report::missing)),
        };
        Answer { hits, report, failed }
    }

    /// Returns a document of a remote collection with its passages; `None` if the collection has no such document.
    ///
    /// # Errors
    /// [`Error::UnknownCollection`] for a name that is not attached, `remote_unsupported` if the collection gives no documents,
    /// `remote_timeout`, `remote_reply`, and those of the collection.
    pub async fn remote_document(
        &self,
        collection: &str,
        id: &str,
        run: Option<u32>,
    ) -> Result<Option<DocumentView>> {
        let remote = self.open_state()?.borrow().remotes.get(collection).cloned();
        let Some(remote) = remote else {
            let known = self.open_state()?.borrow().known(collection).map(drop);
            return known.and(Ok(None));
        };
        let request = RemoteIds { ids: vec![id.to_owned()], run };
        let ids = SearchRequest { query: id.to_owned(), ..SearchRequest::default() };
        if remote.options.leaves.is_some() && self.holds_secret(&ids)? {
            return Err(failure::never_sent(collection));
        }
        let deadline = self.platform.sleep(remote.options.deadline_ms);
        let reply = match select(remote.collection.documents(&request), pin!(deadline)).await {
            Either::Left((reply, _)) => reply?,
            Either::Right(_) => return Err(failure::late(collection, remote.options.deadline_ms)),
        };
        match reply {
            Some(reply) => reply::document(collection, id, &reply),
            None => Err(failure::unsupported(collection, "give whole documents: it has no `get`")),
        }
    }
}

/// Collects the texts in a filter: values, and names of fields.
fn strings_in(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(list) => list.iter().for_each(|one| strings_in(one, into)),
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                into.push(name.clone());
                strings_in(value, into);
            }
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}
