//! Searches a library in parts: both arms side by side, fused as a knowledge base fuses them.

use super::admitted::{Admitted, Restriction};
use super::bounds::Ranked;
use super::postings::Postings;
use super::spelling::Speller;
use super::texts::{self, Text};
use super::vectors::{Nearest, Wanted};
use crate::library::Library;
use crate::request::{Missing, Mode, SearchRequest, SearchResponse};
use futures_util::future::join;
use serde_json::json;
use std::rc::Rc;
use vademecum_index::filter::{Filter, Schema};
use vademecum_index::partial::{
    KeywordHits, Lists, RESCORED, Ranking, Statistics, Whole, Words, join as fuse,
};
use vademecum_index::{Found, WEIGHT, Weights};
use vademecum_protocol::address::harmless;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::range::Range;
use vademecum_text::terms::{Analyzer, is_blank, phrase_in};

/// Maximum number of hits of a search.
const LIMIT: Range<usize> = Range::new("limit", 1, 10_000);
/// Cosines.
const THRESHOLD: Range<f32> = Range::new("threshold", -1.0, 1.0);
/// Number of cells that are read.
const PROBES: Range<usize> = Range::new("probes", 1, 100_000);
/// Number of hits per arm that are fused, as in an index.
const CANDIDATES: usize = 100;
/// Maximum number of chunks that are read to verify a phrase: the best of those that contain its words.
const PHRASE_READS: usize = 40;
/// The same where phrases are required.
const STRICT_PHRASE_READS: usize = 200;

/// What the keyword arm found.
struct ByWords {
    hits: KeywordHits,
    missing: Vec<Missing>,
    did_you_mean: Option<String>,
}

impl Library {
    /// Searches. `vector` is the unit vector of the query, for the modes `vector` and `hybrid`; hybrid mode without one searches
    /// by words and says so in `mode`. Omits addresses that must not be rendered as links.
    ///
    /// # Errors
    /// [`Error::EmptyQuestion`], [`Error::UnknownCollection`], [`Error::NoEmbedder`] in vector mode without a vector,
    /// [`Error::VectorShape`], [`Error::InvalidArgument`], those of a filter; `part_missing` or `part_damaged` if nothing could answer.
    pub async fn search(&self, request: &SearchRequest, vector: Option<&[f32]>) -> Result<SearchResponse> {
        self.check(request, vector)?;
        let (mut response, by_words) = self.search_once(request, vector, true).await?;
        if let (Some(0), Some(query)) = (by_words, response.did_you_mean.clone()) {
            let other = SearchRequest { query: query.clone(), ..request.clone() };
            if let (again, Some(1..)) = self.search_once(&other, vector, false).await? {
                let (did_you_mean, searched_for) = (Some(query.clone()), Some(query));
                response = SearchResponse { did_you_mean, searched_for, ..again };
            }
        }
        Ok(response)
    }

    async fn did_you_mean(&self, request: &SearchRequest, known: &Postings) -> Result<Option<String>> {
        let Some(texts) = &self.texts else { return Ok(None) };
        let analyzers = self.manifest.languages.iter().copied().map(Analyzer::new).collect();
        let speller = Speller { blocks: &self.blocks, terms: &self.terms, known, texts, analyzers };
        speller.did_you_mean(&request.query, request.prefix).await
    }

    /// Searches for a query without replacing words; computes `did_you_mean` if `corrects`. Returns the response, and the number of chunks that match by words: `None` if that arm did not search.
    async fn search_once(
        &self,
        request: &SearchRequest,
        vector: Option<&[f32]>,
        corrects: bool,
    ) -> Result<(SearchResponse, Option<usize>)> {
        let vector = vector.filter(|_| request.mode != Mode::Keyword && self.vectors.is_some());
        let mode = if vector.is_none() { Mode::Keyword } else { request.mode };
        let admitted = self.admitted(request).await?;
        let by_words = mode != Mode::Vector;
        let Weights { keyword, vector: weight } = request.weights;
        let depth = if mode == Mode::Hybrid { CANDIDATES.max(request.limit) } else { request.limit };
        let manifest = &self.manifest;
        let words =
            Words::of(&request.query, request.prefix, request.typos, &manifest.languages, manifest.rule);
        let mut missing = Vec::new();
        // Required phrases restrict both arms, so they are looked for first.
        #[cfg(not(feature = "small"))]
        let admitted = match request.strict_phrases && !words.phrases().is_empty() {
            true => Some(self.with_phrases(&words, request, admitted.as_ref(), &mut missing).await?),
            false => admitted,
        };
        let lexical = async {
            match by_words {
                true => Some(self.by_words(&words, request, admitted.as_ref(), (depth, corrects)).await),
                false => None,
            }
        };
        #[cfg(not(feature = "small"))]
        let semantic = async {
            let (vector, sections) = vector.zip(self.vectors.as_ref())?;
            let wanted =
                Wanted { limit: request.limit, depth, threshold: request.threshold, probes: request.probes };
            Some(sections.search(&self.blocks, vector, wanted, admitted.as_ref()).await)
        };
        #[cfg(not(feature = "small"))]
        let (words, near) = join(lexical, semantic).await;
        #[cfg(feature = "small")]
        let (words, near) = (lexical.await, None::<Result<super::vectors::Nearest>>);
        let (words, near) = one_may_fail(words, near, &mut missing)?;
        let counted = words.as_ref().map(|found| found.hits.1);
        let mut did_you_mean = None;
        let words = words.map(|found| {
            missing.extend(found.missing);
            did_you_mean = found.did_you_mean;
            found.hits
        });
        let near = near.map(|found| {
            missing.extend(found.unread.map(|(count, error)| lacking("vector", count, &error)));
            found.hits
        });
        let matches = fuse(words, near, request.fusion, Weights { keyword, vector: weight }, request.limit);
        let total = matches.total;
        let hits = self.hits(&matches.best, &mut missing).await?;
        let response = SearchResponse {
            hits,
            total,
            mode,
            threshold: request.threshold,
            missing,
            did_you_mean,
            ..SearchResponse::default()
        };
        Ok((response, counted))
    }

    #[cfg(feature = "small")]
    #[expect(clippy::unused_async, reason = "in the place of the one below")]
    async fn admitted(&self, _: &SearchRequest) -> Result<Option<Admitted>> {
        Ok(None)
    }

    /// Returns the chunks that the request's collections, documents and filter admit; `None` if all.
    #[cfg(not(feature = "small"))]
    async fn admitted(&self, request: &SearchRequest) -> Result<Option<Admitted>> {
        let infos = &self.manifest.collections;
        let mut collections = vec![request.collections.is_none(); infos.len()];
        for name in request.collections.iter().flatten() {
            if let Some(wanted) = collections.get_mut(self.known(name)?) {
                *wanted = true;
            }
        }
        let mut schema = Schema::default();
        for (info, _) in infos.iter().zip(&collections).filter(|(_, wanted)| **wanted) {
            schema.merge(&info.schema);
        }
        let filter = request.filters.as_ref().map(|filters| Filter::parse(filters, &schema)).transpose()?;
        let restriction =
            Restriction { collections, filter: filter.as_ref(), ids: request.documents.as_deref() };
        self.tables.admitted(&self.blocks, infos, &restriction).await
    }

    async fn postings(&self, words: &Words, request: &SearchRequest) -> Result<Postings> {
        let all = Statistics { chunks: self.manifest.chunks, length: self.manifest.length };
        self.terms.lists(&self.blocks, words, request.typos, all, self.manifest.next_key).await
    }

    async fn by_words(
        &self,
        words: &Words,
        request: &SearchRequest,
        admitted: Option<&Admitted>,
        (depth, corrects): (usize, bool),
    ) -> Result<ByWords> {
        let mut missing = Vec::new();
        if words.stop_word_phrase().is_some() {
            missing.push(Missing {
                what: "phrases",
                count: 1,
                code: "empty_question",
                message: "The query has stop words alone, which stand in texts only, and a library in parts is not read whole for them. Add another word.".to_owned(),
            });
            return Ok(ByWords { hits: (Vec::new(), 0), missing, did_you_mean: None });
        }
        let postings = self.postings(words, request).await?;
        let contains = |key: u32| admitted.is_none_or(|admitted| admitted.contains(key));
        let filter: Option<&dyn Fn(u32) -> bool> = if admitted.is_some() { Some(&contains) } else { None };
        let ranked = depth.max(RESCORED);
        let chosen = filter.map_or(Ranked::All, Ranked::Admitted);
        let whole = postings.whole(words);
        let lists = postings.best(&self.blocks, &self.lengths, (words, &whole), chosen, ranked).await?;
        let mut ranking = lists.search(words, filter, depth);
        ranking.best.truncate(ranked);
        let first: Vec<u32> = ranking.best.iter().take(RESCORED).map(|one| one.0).collect();
        let texts = self.texts(&first).await;
        note(&mut missing, "text", &texts);
        ranking.rescore(|key| texts.iter().flatten().find(|text| text.key() == key).and_then(Text::fields));
        #[cfg(not(feature = "small"))]
        if !request.strict_phrases {
            self.prefer_phrases((words, &whole), &postings, &contains, depth, &mut ranking, &mut missing)
                .await?;
        }
        ranking.best.truncate(depth);
        // A correction that cannot be made is not worth an error.
        let did_you_mean =
            if corrects { self.did_you_mean(request, &postings).await.unwrap_or_default() } else { None };
        Ok(ByWords { hits: (ranking.best, ranking.total), missing, did_you_mean })
    }

    /// Ranks chunks that contain a quoted phrase before those that do not.
    #[cfg(not(feature = "small"))]
    async fn prefer_phrases(
        &self,
        (words, whole): (&Words, &Rc<Whole>),
        postings: &Postings,
        admitted: &dyn Fn(u32) -> bool,
        depth: usize,
        ranking: &mut Ranking,
        missing: &mut Vec<Missing>,
    ) -> Result<()> {
        let lift = ranking.best.first().map_or(0.0, |best| best.1);
        for phrase in words.phrases() {
            let lists = postings
                .having(&self.blocks, &self.lengths, (words, whole), phrase, admitted, PHRASE_READS)
                .await?;
            let (keys, _) = best_of(&lists, words, PHRASE_READS);
            // Rescoring only raises scores. So ranked chunks come first, the others in the order of their scores, and once `depth` contain the only phrase,
            // later ones are not among the best, but for scores that rounding makes equal.
            let is_ranked = |key: &&u32| ranking.best.iter().any(|one| one.0 == **key);
            let ranked = keys.iter().take_while(is_ranked).count();
            let first = if words.phrases().len() == 1 { ranked.max(depth) } else { keys.len() };
            let (first, later) = keys.split_at(first.min(keys.len()));
            let mut containing = self.containing(first, phrase, missing).await;
            if containing.len() < depth {
                containing.extend(self.containing(later, phrase, missing).await);
            }
            let found = lists.search(words, Some(&|key| containing.contains(&key)), depth);
            ranking.prefer(&found.best, lift, depth);
        }
        Ok(())
    }

    /// Returns the chunks that contain a phrase.
    #[cfg(not(feature = "small"))]
    async fn containing(&self, keys: &[u32], phrase: &[String], missing: &mut Vec<Missing>) -> Vec<u32> {
        let has = |text: &Text| {
            let fields = text.fields().map(|fields| [fields.text, fields.title]);
            let headings = text.headings().iter().map(String::as_str);
            fields.into_iter().flatten().chain(headings).any(|field| phrase_in(field, phrase))
        };
        let texts = self.texts(keys).await;
        note(missing, "phrases", &texts);
        texts.iter().flatten().filter(|text| has(text)).map(Text::key).collect()
    }

    /// Returns the admitted chunks that contain all quoted phrases.
    #[cfg(not(feature = "small"))]
    async fn with_phrases(
        &self,
        words: &Words,
        request: &SearchRequest,
        admitted: Option<&Admitted>,
        missing: &mut Vec<Missing>,
    ) -> Result<Admitted> {
        let postings = self.postings(words, request).await?;
        let whole = postings.whole(words);
        let mut found: Option<Vec<u32>> = None;
        let mut cut = 0;
        for phrase in words.phrases() {
            let admits = |key: u32| {
                admitted.is_none_or(|admitted| admitted.contains(key))
                    && found.as_ref().is_none_or(|found| found.binary_search(&key).is_ok())
            };
            let lists = postings
                .having(&self.blocks, &self.lengths, (words, &whole), phrase, &admits, STRICT_PHRASE_READS)
                .await?;
            let (keys, has_more) = best_of(&lists, words, STRICT_PHRASE_READS);
            cut += usize::from(has_more);
            let mut containing = self.containing(&keys, phrase, missing).await;
            containing.sort_unstable();
            found = Some(containing);
        }
        if cut > 0 {
            let message = format!(
                "Phrases were looked for in the best {STRICT_PHRASE_READS} passages that contain their words, not in all. Add words, or a filter."
            );
            missing.push(Missing { what: "phrases", count: cut, code: "part_missing", message });
        }
        Ok(Admitted::of_keys(&found.unwrap_or_default()))
    }

    async fn texts(&self, keys: &[u32]) -> Vec<Result<Text>> {
        match &self.texts {
            Some(tree) => texts::read(tree, &self.blocks, keys).await,
            None => Vec::new(),
        }
    }

    /// Reads the texts of hits. Hits whose text cannot be read are left out, and counted in `missing`.
    async fn hits(&self, best: &[Found], missing: &mut Vec<Missing>) -> Result<Vec<Hit>> {
        let keys: Vec<u32> = best.iter().map(|found| found.key.number()).collect();
        let mut hits = Vec::new();
        let mut failed: Option<(usize, Error)> = None;
        for (text, found) in self.texts(&keys).await.into_iter().zip(best) {
            let text = match text {
                Ok(text) => text,
                Err(Error::Aborted) => return Err(Error::Aborted),
                Err(error) => {
                    failed.get_or_insert((0, error)).0 += 1;
                    continue;
                }
            };
            let info = self.manifest.collections.get(text.collection() as usize);
            if let Some(chunk) = info.and_then(|info| text.chunk(&info.name)) {
                let explain = Some(json!({ "keyword": found.keyword, "vector": found.vector }));
                let mut hit = Hit { chunk, score: found.score, explain };
                hit.clear_address(harmless);
                hits.push(hit);
            }
        }
        match failed {
            Some((_, error)) if hits.is_empty() => Err(error),
            Some((count, error)) => {
                // Counted for what is left out, whatever else lacked it.
                missing.retain(|missing| missing.what != "text");
                missing.push(lacking("text", count, &error));
                Ok(hits)
            }
            None => Ok(hits),
        }
    }

    fn check(&self, request: &SearchRequest, vector: Option<&[f32]>) -> Result<()> {
        if is_blank(&request.query) && (request.mode != Mode::Vector || vector.is_none()) {
            return Err(Error::EmptyQuestion);
        }
        LIMIT.check(request.limit)?;
        THRESHOLD.check(request.threshold)?;
        request.probes.map_or(Ok(()), |probes| PROBES.check(probes))?;
        let Weights { keyword, vector: weight } = request.weights;
        let sum = keyword + weight;
        if !(WEIGHT.holds(keyword) && WEIGHT.holds(weight) && sum.is_finite() && sum > 0.0) {
            let got = format!("{{ keyword: {keyword}, vector: {weight} }}");
            return Err(Error::invalid("weights", "two numbers from 0, of which one is more", got));
        }
        if request.collections.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid(
                "collections",
                "at least one collection, or absent for all",
                "an empty list",
            ));
        }
        if request.mode == Mode::Vector && (vector.is_none() || self.vectors.is_none()) {
            return Err(Error::NoEmbedder { what: "Vector search" });
        }
        let shape = vector.zip(self.vectors.as_ref()).filter(|_| request.mode != Mode::Keyword);
        match shape {
            Some((vector, own))
                if vector.len() != own.dimensions || !vector.iter().all(|x| x.is_finite()) =>
            {
                Err(Error::VectorShape {
                    expected: format!("{} finite numbers, as the library's vectors have", own.dimensions),
                    got: format!("{} numbers", vector.len()),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the chunks with the highest scores, at most `most`, the best first, and whether there are more.
#[cfg(not(feature = "small"))]
fn best_of(lists: &Lists, words: &Words, most: usize) -> (Vec<u32>, bool) {
    let Ranking { best, total, .. } = lists.search(words, None, most);
    (best.into_iter().take(most).map(|one| one.0).collect(), total > most)
}

/// Passes on what the arms found, if one did: the failure of the other is noted.
fn one_may_fail(
    words: Option<Result<ByWords>>,
    near: Option<Result<Nearest>>,
    missing: &mut Vec<Missing>,
) -> Result<(Option<ByWords>, Option<Nearest>)> {
    match (words.transpose(), near.transpose()) {
        (Err(Error::Aborted), _) | (_, Err(Error::Aborted)) => Err(Error::Aborted),
        (Err(error), Ok(Some(near))) => {
            missing.push(lacking("keyword", 0, &error));
            Ok((None, Some(near)))
        }
        (Ok(Some(words)), Err(error)) => {
            missing.push(lacking("vector", 0, &error));
            Ok((Some(words), None))
        }
        (words, near) => Ok((words?, near?)),
    }
}

/// Notes texts that could not be read.
fn note(missing: &mut Vec<Missing>, what: &'static str, texts: &[Result<Text>]) {
    let mut failed = texts.iter().filter_map(|text| text.as_ref().err());
    if let Some(first) = failed.next() {
        missing.push(lacking(what, 1 + failed.count(), first));
    }
}

fn lacking(what: &'static str, count: usize, error: &Error) -> Missing {
    Missing { what, count, code: error.code(), message: error.to_string() }
}
