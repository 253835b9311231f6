//! The hits of remote collections, as they take part in a ranking.

use super::reply::RemoteHit;
use super::report::SourceReport;
use crate::{Mode, SearchRequest};
use std::collections::HashSet;
use vademecum_index::filter::{Filter, Schema};
use vademecum_index::{ChunkKey, Foreign, Passage, Searcher};
use vademecum_protocol::document::Chunk;
use vademecum_protocol::error::Error;

/// What remote collections answered to a request.
pub(crate) struct Asked {
    hits: Vec<RemoteHit>,
    /// What became of each.
    pub(crate) reports: Vec<SourceReport>,
    /// The errors of those that failed.
    pub(crate) failed: Vec<Error>,
    /// The fields of all collections that are searched.
    pub(crate) schema: Schema,
    /// The collections of the library that are searched; all if empty.
    pub(crate) local: HashSet<String>,
    /// Whether no collection of the library is searched.
    pub(crate) alone: bool,
}

impl Asked {
    pub(super) fn new(
        answers: impl Iterator<Item = (Vec<RemoteHit>, SourceReport, Option<Error>)>,
        schema: Schema,
        local: HashSet<String>,
        alone: bool,
    ) -> Self {
        let mut asked =
            Self { hits: Vec::new(), reports: Vec::new(), failed: Vec::new(), schema, local, alone };
        for (hits, report, failed) in answers {
            asked.hits.extend(hits);
            asked.reports.push(report);
            asked.failed.extend(failed);
        }
        asked
    }

    /// Leaves out hits that do not match the request, whatever the collection made of its conditions, and returns the scores of the
    /// rest.
    pub(crate) fn pooled(
        &mut self,
        searcher: &Searcher,
        request: &SearchRequest,
        filter: Option<&Filter>,
        mode: Mode,
    ) -> Foreign {
        let hits = std::mem::take(&mut self.hits);
        let metadata = hits.iter().map(|hit| &hit.chunk.metadata);
        let matches = filter.map(|filter| filter.matching(metadata, &self.schema));
        self.hits = hits
            .into_iter()
            .enumerate()
            .filter(|(at, _)| matches.as_ref().is_none_or(|all| all.get(*at) == Some(&true)))
            .map(|(_, hit)| hit)
            .filter(|hit| !request.sendable || !hit.chunk.never_sent())
            .collect();
        if mode == Mode::Vector {
            self.hits.iter_mut().for_each(|hit| hit.keyword = None);
        } else {
            self.rate(searcher, request);
        }
        let is_near = |cosine: &f32| mode != Mode::Keyword && *cosine >= request.threshold;
        self.hits.iter_mut().for_each(|hit| hit.vector = hit.vector.filter(is_near));
        self.hits.retain(|hit| hit.keyword.is_some() || hit.vector.is_some());
        for report in &mut self.reports {
            report.hits = self.hits.iter().filter(|hit| hit.chunk.collection == report.collection).count();
        }
        let arm = |score: fn(&RemoteHit) -> Option<f32>| {
            let scores = self.hits.iter().enumerate();
            scores.filter_map(move |(at, hit)| Some((ChunkKey::foreign(at), score(hit)?))).collect()
        };
        Foreign { keyword: arm(|hit| hit.keyword), vector: arm(|hit| hit.vector), alone: self.alone }
    }

    /// Rates the passages of collections that search by vectors alone by their words.
    fn rate(&mut self, searcher: &Searcher, request: &SearchRequest) {
        let rated: HashSet<String> = self
            .hits
            .iter()
            .filter(|hit| hit.keyword.is_some())
            .map(|hit| hit.chunk.collection.clone())
            .collect();
        let mut unrated: Vec<&mut RemoteHit> =
            self.hits.iter_mut().filter(|hit| !rated.contains(&hit.chunk.collection)).collect();
        if unrated.is_empty() {
            return;
        }
        let passages: Vec<Passage<'_>> = unrated
            .iter()
            .map(|hit| Passage {
                title: hit.chunk.title.as_deref().unwrap_or_default(),
                text: &hit.chunk.text,
            })
            .collect();
        let scores = searcher.keyword_scores(&request.query, request.prefix, &passages);
        for (hit, score) in unrated.iter_mut().zip(scores) {
            hit.keyword = Some(score).filter(|score| *score > 0.0);
        }
    }

    /// Returns the passage of a hit of the ranking.
    pub(crate) fn chunk(&self, key: ChunkKey) -> Option<Chunk> {
        Some(self.hits.get(key.foreign_number()?)?.chunk.clone())
    }
}
