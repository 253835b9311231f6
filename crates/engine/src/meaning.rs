//! Measures how near passages and texts are to a question, and which cosines to expect in this library. Not in the lite build,
//! which has no room for it.
//!
//! Encoders differ in the cosines they give: to unrelated texts about 0 or about 0.8. What a cosine means is
//! therefore measured on the library itself: a sample of its passages lends short spans, which are searched
//! for as if they were questions. Documents marked `neverSend` take no part.

use super::KnowledgeBase;
use super::calibrated::Calibrated;
use futures_util::future::{LocalBoxFuture, try_join_all};
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_encoder::alignment::Sought;
use vademecum_encoder::{Embedder, Kind};
use vademecum_index::{ChunkKey, Query, Searcher};
use vademecum_protocol::error::Result;
use vademecum_protocol::relevance::{Calibration, Relevance, RelevanceRequest};
use vademecum_text::sentence::sentences;
use vademecum_text::terms::words;
use vademecum_util::within::Within;

/// Number of passages in the sample.
const SAMPLE: usize = 32;
/// Number of documents in the sample below which a library says too little of itself: [`BACKGROUND`] is then unrelated too.
const MIN_SAMPLE: usize = 8;
/// Texts that few questions are about.
const BACKGROUND: [&str; 8] = [
    "The ferry leaves the pier at seven and returns after sunset.",
    "Whisk the egg whites until they are stiff, then fold in the sugar.",
    "The goalkeeper saved two penalties in the second half.",
    "Lichens grow slowly on the northern side of the rocks.",
    "The violin section tuned while the hall was still empty.",
    "Snow closed the mountain pass for three days.",
    "The tailor shortened the sleeves by a thumb's width.",
    "Bees visit the lavender in the late afternoon.",
];
/// Number of texts per call of an embedder that takes several calls at once: few, so that all its workers finish together.
const TEXTS_PER_CALL: usize = 4;
/// Number of words of a span.
const SPAN_WORDS: usize = 10;
/// Number of hits among which the nearest passage of another document is looked for.
const NEAR: usize = 30;

impl KnowledgeBase {
    /// Measures the cosines of passages and texts with a question, and those to expect; without passages and texts only
    /// the latter. Without an encoder that is ready, nothing.
    ///
    /// Boxed, because a future that is awaited in two crates is compiled in both.
    ///
    /// # Errors
    /// [`Error::Closed`](vademecum_protocol::error::Error::Closed), and the embedder's.
    pub fn relevance<'a>(
        &'a self,
        request: &'a RelevanceRequest,
        sendable: bool,
    ) -> LocalBoxFuture<'a, Result<Relevance>> {
        Box::pin(async move {
            let searcher = self.snapshot(sendable)?;
            let mut relevance =
                Relevance { passages: vec![None; request.passages.len()], ..Relevance::default() };
            let Some(embedder) = self.embedder.clone().filter(|embedder| embedder.is_ready()) else {
                return Ok(relevance);
            };
            relevance.calibration = self.calibrate().await?;
            if request.passages.is_empty() && request.texts.is_empty() {
                return Ok(relevance);
            }
            let question = self.question_vector(&*embedder, &request.question).await?;
            if !request.texts.is_empty() {
                let sought = Sought { question: request.question.clone(), words: request.words.clone() };
                let (rows, matches) = match aligned(&*embedder, &request.texts, &sought).await? {
                    Some(both) => both,
                    None => (embedded(&*embedder, &request.texts, Kind::Document).await?, Vec::new()),
                };
                relevance.texts = rows.iter().map(|vector| cosine(vector, &question)).collect();
                relevance.matches = matches;
            }
            let keys: Vec<Option<ChunkKey>> =
                request.passages.iter().map(|passage| key_of(&searcher, passage)).collect();
            let wanted: Vec<ChunkKey> = keys.iter().copied().flatten().collect();
            let cosines = cosines(&searcher, &question, &wanted)?;
            for (place, key) in relevance.passages.iter_mut().zip(keys) {
                *place = cosines.iter().find(|(found, _)| Some(*found) == key).map(|(_, cosine)| *cosine);
            }
            Ok(relevance)
        })
    }

    /// Measures which cosines to expect, unless that is known: `None` without an encoder that is ready, and in a
    /// library that is too small. The result depends on the documents that may be sent alone, not on when it was
    /// measured before.
    ///
    /// # Errors
    /// [`Error::Closed`](vademecum_protocol::error::Error::Closed), and the embedder's.
    pub async fn calibrate(&self) -> Result<Option<Calibration>> {
        let searcher = self.snapshot(true)?;
        let sample = searcher.sample(SAMPLE);
        let chunks = searcher.chunks();
        let known = self.open_state()?.borrow().calibrated.clone();
        if let Some(known) = known.as_ref().filter(|known| known.holds(&sample, chunks)) {
            return Ok(known.value);
        }
        let Some(embedder) = self.embedder.clone().filter(|embedder| embedder.is_ready()) else {
            return Ok(known.and_then(|known| known.value));
        };
        let mut vectors: Vec<(ChunkKey, Rc<Vec<f32>>)> = known.map(|known| known.vectors).unwrap_or_default();
        vectors.retain(|(key, _)| sample.contains(key));
        let documents: HashSet<_> = sample.iter().map(|key| searcher.document_of(*key)).collect();
        let is_new = |key: &&ChunkKey| vectors.iter().all(|(known, _)| known != *key);
        let fresh: Vec<(ChunkKey, String)> = sample
            .iter()
            .filter(is_new)
            .filter_map(|key| Some((*key, span(searcher.chunk(*key)?.text())?)))
            .collect();
        let texts: Vec<String> = fresh.iter().map(|(_, text)| text.clone()).collect();
        if !texts.is_empty() {
            let rows = embedded(&*embedder, &texts, Kind::Query).await?.into_iter().map(Rc::new);
            vectors.extend(fresh.iter().map(|(key, _)| *key).zip(rows));
            // In an order that depends on the sample alone, and with it every last bit of the sums.
            vectors.sort_by_key(|(key, _)| sample.iter().position(|one| one == key));
        }
        let mut background = Vec::new();
        if !sample.is_empty() && documents.len() < MIN_SAMPLE {
            let texts = BACKGROUND.map(str::to_owned);
            background = embedded(&*embedder, &texts, Kind::Document).await?;
        }
        let value = measure(&searcher, &vectors, &background)?;
        self.open_state()?.borrow_mut().calibrated = Some(Calibrated { sample, chunks, value, vectors });
        Ok(value)
    }

    /// Returns whether the cosines to expect are unknown or were measured on a library of a rather different size.
    ///
    /// # Errors
    /// [`Error::Closed`](vademecum_protocol::error::Error::Closed).
    pub fn is_uncalibrated(&self) -> Result<bool> {
        let searcher = self.snapshot(true)?;
        let (sample, chunks) = (searcher.sample(SAMPLE), searcher.chunks());
        let state = self.open_state()?.borrow();
        Ok(!state.calibrated.as_ref().is_some_and(|known| known.nearly_holds(&sample, chunks)))
    }

    /// Returns the vector of a question, computed or that of the last search.
    async fn question_vector(&self, embedder: &dyn Embedder, question: &str) -> Result<Rc<Vec<f32>>> {
        let last = self.open_state()?.borrow().last_question.clone();
        if let Some((_, vector)) = last.filter(|(text, _)| text == question) {
            return Ok(vector);
        }
        let rows = embedder.embed(&[question.to_owned()], Kind::Query).await?.into_rows(1)?;
        Ok(Rc::new(rows.into_iter().next().map(|(vector, _)| vector).unwrap_or_default()))
    }
}

/// Embeds texts that a question waits for: a few per call, if the embedder takes several calls at once.
async fn embedded(embedder: &dyn Embedder, texts: &[String], kind: Kind) -> Result<Vec<Vec<f32>>> {
    let call = async |some: &[String]| -> Result<Vec<Vec<f32>>> {
        let rows = embedder.embed(some, kind).await?.into_rows(some.len())?;
        Ok(rows.into_iter().map(|(vector, _)| vector).collect())
    };
    Ok(try_join_all(texts.chunks(texts_per_call(embedder, texts)).map(call)).await?.concat())
}

fn texts_per_call(embedder: &dyn Embedder, texts: &[String]) -> usize {
    if embedder.concurrency() > 1 { TEXTS_PER_CALL } else { texts.len().max(1) }
}

/// Vectors of texts, and their matches with words.
type Both = (Vec<Vec<f32>>, Vec<Vec<f32>>);

/// Embeds texts, and compares them with the words of a question; `None` without words, and if the embedder cannot.
async fn aligned(embedder: &dyn Embedder, texts: &[String], sought: &Sought) -> Result<Option<Both>> {
    if sought.words.is_empty() {
        return Ok(None);
    }
    let call = async |some: &[String]| -> Result<Option<Both>> {
        let Some(aligned) = embedder.align(some, sought).await? else { return Ok(None) };
        let matches = aligned.rows(some.len(), sought.words.len())?;
        let rows = aligned.embeddings.into_rows(some.len())?;
        Ok(Some((rows.into_iter().map(|(vector, _)| vector).collect(), matches)))
    };
    let parts = try_join_all(texts.chunks(texts_per_call(embedder, texts)).map(call)).await?;
    let parts: Option<Vec<_>> = parts.into_iter().collect();
    Ok(parts.map(|parts| {
        let (rows, matches): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        (rows.concat(), matches.concat())
    }))
}

/// Measures the cosines of spans, each with the passage that it is from, with other passages, and with the background.
fn measure(
    searcher: &Searcher,
    spans: &[(ChunkKey, Rc<Vec<f32>>)],
    background: &[Vec<f32>],
) -> Result<Option<Calibration>> {
    let sample: Vec<ChunkKey> = spans.iter().map(|(key, _)| *key).collect();
    let document = |key: ChunkKey| searcher.document_of(key);
    let (mut unrelated, mut nearest, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for (key, vector) in spans {
        let is_other = |other: ChunkKey| document(other) != document(*key);
        let around: Vec<f32> = background.iter().map(|text| cosine(text, vector)).collect();
        for (found, cosine) in cosines(searcher, vector, &sample)? {
            if found == *key {
                own.push(cosine);
            } else if is_other(found) {
                unrelated.push(cosine);
            }
        }
        let query = Query { vector: Some(vector), threshold: -1.0, limit: NEAR, ..Query::default() };
        let near = searcher.search(&query)?.best;
        let other = near.iter().find(|found| is_other(found.key)).map(|found| found.score);
        nearest.extend(around.iter().copied().chain(other).reduce(f32::max));
        unrelated.extend(around);
    }
    Ok((!unrelated.is_empty()).then(|| Calibration::of(&unrelated, &nearest, &own)))
}

/// Returns the cosine of a vector with those chunks that have one.
fn cosines(searcher: &Searcher, vector: &[f32], among: &[ChunkKey]) -> Result<Vec<(ChunkKey, f32)>> {
    if among.is_empty() {
        return Ok(Vec::new());
    }
    let query = Query {
        vector: Some(vector),
        threshold: -1.0,
        among: Some(among),
        limit: among.len(),
        ..Query::default()
    };
    Ok(searcher.search(&query)?.best.iter().map(|found| (found.key, found.score)).collect())
}

fn key_of(searcher: &Searcher, (collection, document, chunk): &(String, String, String)) -> Option<ChunkKey> {
    let (_, keys) = searcher.document(collection, document)?;
    keys.into_iter().find(|key| searcher.chunk(*key).is_some_and(|one| one.id() == *chunk))
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the beginning of the longest sentence of a passage, `None` if it has no word.
fn span(passage: &str) -> Option<String> {
    let longest = sentences(passage).into_iter().rev().max_by_key(std::ops::Range::len)?;
    let sentence = passage.within(longest);
    let end = words(sentence).take(SPAN_WORDS).last().map(|(at, word)| at + word.len())?;
    Some(sentence.within(..end).to_owned())
}
