//! Searches a snapshot of the index, which later writes do not affect.

use super::bitmap::Bitmap;
use super::chunk_key::ChunkKey;
use super::documents::{StoredChunk, StoredDocument};
use super::filter::{Facet, Facets, Filter, Schema, Schemas};
use super::fusion::{self, Fusion, Matches, Weights};
use super::inverted::{self, KeywordQuery, groups};
use super::links::names_of;
use super::parsed::Parsed;
use super::rescore::{Fields, QueryWord, ReadWords, rescore};
use super::segment::Segment;
use super::vectors::{Effort, Method};
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_protocol::error::Result;
use vademecum_text::terms::{Analyzer, Language, Rule, phrase_in};
use vademecum_text::title::bare_title;
use vademecum_util::vec_map;
use vademecum_vectors::top::TopK;

/// Number of hits per retriever that are passed to fusion; the value used for the published measurements.
pub(super) const CANDIDATES: usize = 100;

/// A search. A retriever whose input is `None` is not used.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// Keywords, matched by BM25.
    pub keywords: Option<&'a str>,
    /// Treat the last word as a prefix, for search as you type.
    pub prefix: bool,
    /// Replace words that no document contains by similar ones.
    pub typos: bool,
    /// Require quoted phrases, in both retrievers; otherwise chunks that contain them rank first among the
    /// keyword hits.
    pub strict_phrases: bool,
    /// The query's unit vector.
    pub vector: Option<&'a [f32]>,
    /// Minimum cosine of vector hits; keyword hits are not affected.
    pub threshold: f32,
    /// Restrict to these collections; all if empty.
    pub collections: HashSet<String>,
    /// Restrict to documents that match this filter.
    pub filter: Option<&'a Filter>,
    /// Restrict to these chunks.
    pub among: Option<&'a [ChunkKey]>,
    /// Fusion method.
    pub fusion: Fusion,
    /// Weights of the retrievers.
    pub weights: Weights,
    /// Vector search method and effort.
    pub effort: Effort,
    /// Maximum number of hits.
    pub limit: usize,
    /// The words read by earlier searches of the same snapshot.
    pub read: Option<&'a ReadWords>,
}

/// A snapshot of the index.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub(super) segments: Vec<Rc<Segment>>,
    pub(super) schemas: Rc<Schemas>,
    /// The languages of the remaining documents, if this is a view without documents marked `neverSend`.
    pub(super) languages: Option<Vec<Language>>,
}

impl Searcher {
    /// Runs a search.
    ///
    /// # Errors
    /// [`vademecum_protocol::Error::VectorShape`] if the query's vector has another length than the index's.
    pub fn search(&self, query: &Query<'_>) -> Result<Matches> {
        let (words, near) = self.arms(query)?;
        Ok(fusion::join(words, near, query.fusion, query.weights, query.limit))
    }

    /// Returns the hits of each retriever; `None` for one that is not used.
    pub(super) fn arms(
        &self,
        query: &Query<'_>,
    ) -> Result<(Option<fusion::KeywordHits>, Option<fusion::VectorHits>)> {
        let both = query.keywords.is_some() && query.vector.is_some();
        let depth = if both { CANDIDATES.max(query.limit) } else { query.limit };
        let parsed = query.keywords.map(|text| self.parse(text, query.prefix));
        let wanted = self.admitted_by_segment(query, parsed.as_ref());
        let words = parsed.as_ref().map(|parsed| self.keyword_hits(parsed, query, &wanted, depth));
        let near = query.vector.map(|vector| self.vector_hits(vector, query, &wanted, depth)).transpose()?;
        Ok((words, near))
    }

    // Kept out of line, as are other large functions: see `APART` in `xtask/src/package/module.rs`.
    #[inline(never)]
    fn keyword_hits(
        &self,
        parsed: &Parsed,
        query: &Query<'_>,
        wanted: &[Option<Bitmap>],
        limit: usize,
    ) -> fusion::KeywordHits {
        let asked = KeywordQuery {
            words: parsed.words.clone(),
            unfinished: parsed.unfinished.clone(),
            exact: parsed.bigrams.clone(),
            typos: query.typos,
        };
        let files: Vec<_> =
            self.segments.iter().map(|segment| (&*segment.words, &*segment.deleted)).collect();
        let groups = groups(&asked, &files);
        let readers: Vec<inverted::SegmentReader<'_>> = self
            .segments
            .iter()
            .zip(wanted)
            .map(|(segment, wanted)| inverted::SegmentReader {
                words: &segment.words,
                lengths: &segment.documents.lengths,
                length: segment.documents.length(),
                keys: &segment.keys,
                deleted: &segment.deleted,
                filter: wanted.as_ref(),
            })
            .collect();
        if let Some(words) = &parsed.stop_word_phrase {
            return self.by_phrase(words, &parsed.reads_left, &readers, limit);
        }
        // Rescoring may lift hits from below the limit.
        let query_terms = inverted::QueryTerms::of(&groups, &readers);
        let (mut found, total) = query_terms.search(limit.max(CANDIDATES));
        let asked = |terms: &Vec<String>| QueryWord {
            terms: terms.clone(),
            idf: query_terms.idf(&inverted::TermGroup::of(terms)),
        };
        let asked: Vec<QueryWord> = parsed.words.iter().map(asked).collect();
        rescore(&mut found, &asked, query.read.unwrap_or(&ReadWords::default()), |key| {
            let chunk = self.chunk(ChunkKey(key))?;
            let title = chunk.document.title().unwrap_or_default();
            Some(Fields { language: chunk.document.language(), title, text: chunk.text() })
        });
        if !parsed.phrases.is_empty() && !query.strict_phrases {
            self.prefer_phrases(parsed, &readers, &groups, limit.max(CANDIDATES), &mut found);
        }
        found.truncate(limit);
        (found, total)
    }

    /// Ranks chunks that contain a quoted phrase before those that do not.
    fn prefer_phrases(
        &self,
        parsed: &Parsed,
        readers: &[inverted::SegmentReader<'_>],
        groups: &[inverted::TermGroup],
        limit: usize,
        found: &mut Vec<(u32, f32)>,
    ) {
        let lift = found.first().map_or(0.0, |best| best.1);
        for phrase in &parsed.phrases {
            let containing: Vec<Bitmap> = self
                .segments
                .iter()
                .zip(readers)
                .map(|(segment, reader)| {
                    chunks_with_phrase(segment, phrase, &reader.live(), &parsed.reads_left)
                })
                .collect();
            let readers: Vec<inverted::SegmentReader<'_>> =
                readers.iter().zip(&containing).map(|(reader, wanted)| reader.only(wanted)).collect();
            for (key, score) in inverted::search(&readers, groups, limit).0 {
                match found.iter_mut().find(|one| one.0 == key) {
                    Some(one) => one.1 += lift,
                    None => found.push((key, score + lift)),
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
    }

    /// Returns the chunks that contain a phrase, all with the same score.
    fn by_phrase(
        &self,
        phrase: &[String],
        reads_left: &Cell<usize>,
        readers: &[inverted::SegmentReader<'_>],
        limit: usize,
    ) -> fusion::KeywordHits {
        let mut keys: Vec<u32> = Vec::new();
        for (segment, reader) in self.segments.iter().zip(readers) {
            let containing = chunks_with_phrase(segment, phrase, &reader.live(), reads_left);
            keys.extend(containing.iter().filter_map(|row| segment.keys.get(row)));
        }
        keys.sort_unstable();
        let total = keys.len();
        keys.truncate(limit);
        (keys.into_iter().map(|key| (key, 1.0)).collect(), total)
    }

    fn vector_hits(
        &self,
        vector: &[f32],
        query: &Query<'_>,
        wanted: &[Option<Bitmap>],
        limit: usize,
    ) -> Result<fusion::VectorHits> {
        let mut best = TopK::new(limit);
        let mut methods: Vec<(u32, Method)> = Vec::new();
        // Sketches and graphs depend on all rows, including excluded ones.
        let exact = Effort { method: Some(Method::Exact), ..query.effort };
        let effort = if self.is_view() { exact } else { query.effort };
        // Vectors left over from deleted chunks may have another length.
        let alive = self.segments.iter().zip(wanted).filter(|(segment, _)| segment.embedded() > 0);
        for (segment, wanted) in alive {
            let found = segment.vectors.search(vector, limit, query.threshold, wanted.as_ref(), effort)?;
            for (row, score) in found.rows {
                if let (Some(key), Some(method)) = (segment.keys.get(row as usize), found.method) {
                    best.push(*key, score);
                    methods.push((*key, method));
                }
            }
        }
        // Keys are unique across segments.
        methods.sort_unstable_by_key(|one| one.0);
        let method =
            |key| methods.get(methods.binary_search_by_key(&key, |one| one.0).ok()?).map(|one| one.1);
        let best = best.into_sorted().into_iter();
        Ok(best.map(|(key, score)| (key, score, method(key))).collect())
    }

    /// Analyses a query by the oldest rule of the segments, to whose terms later ones only add.
    pub(super) fn parse(&self, text: &str, prefix: bool) -> Parsed {
        let rule = self.segments.iter().map(|segment| segment.rule).min().unwrap_or(Rule::CURRENT);
        Parsed::of(text, prefix, self.languages(), rule)
    }

    /// Returns the languages of its documents.
    pub fn languages(&self) -> Vec<Language> {
        if let Some(languages) = &self.languages {
            return languages.clone();
        }
        vec_map::set(self.segments.iter().flat_map(|segment| segment.documents.languages.iter().copied()))
    }

    /// Returns a live chunk.
    pub fn chunk(&self, key: ChunkKey) -> Option<StoredChunk<'_>> {
        self.segments.iter().find_map(|segment| segment.chunk(segment.row(key)?))
    }

    /// Returns the key of the first chunk of a chunk's document.
    pub fn document_of(&self, key: ChunkKey) -> Option<ChunkKey> {
        Some(ChunkKey(key.0.checked_sub(self.chunk(key)?.ordinal as u32)?))
    }

    /// Returns the title of a chunk's document as texts mention it: without a disambiguation. `None` if it is too short or
    /// too long to be looked for in texts.
    pub fn name_of(&self, key: ChunkKey) -> Option<&str> {
        bare_title(self.chunk(key)?.document.title()?)
    }

    /// Returns a document by id, with the keys of its chunks.
    pub fn document(&self, collection: &str, id: &str) -> Option<(StoredDocument<'_>, Vec<ChunkKey>)> {
        self.segments.iter().find_map(|segment| {
            let document = segment.documents.document(segment.find(collection, id)?)?;
            let range = document.row.chunks.start as usize..document.row.chunks.end as usize;
            let keys = segment.keys.get(range)?.iter().map(|key| ChunkKey(*key));
            Some((document, keys.collect()))
        })
    }

    /// Counts the values of a field over the documents of `collections` (of all if empty) that match
    /// `filter`. Returns at most `limit` values, the most frequent first.
    pub fn facets(
        &self,
        field: &str,
        collections: &HashSet<String>,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Vec<Facet> {
        let mut facets = Facets::default();
        for segment in &self.segments {
            let documents = self.matching_documents(segment, collections, filter);
            facets.merge(segment.columns(&self.schemas).facets(field, &documents));
        }
        facets.top(limit)
    }

    /// Returns the documents that a chunk mentions by title or links to, each as the key of its first chunk,
    /// sorted. Excludes its own document.
    pub fn named_by(&self, key: ChunkKey) -> Vec<ChunkKey> {
        let own = self
            .chunk(key)
            .map(|chunk| (chunk.document.collection().to_owned(), chunk.document.id().to_owned()));
        let names: Vec<u64> =
            vec_map::set(self.segments.iter().flat_map(|segment| segment.names.of_chunk(key.0)));
        let mut found = Vec::new();
        for segment in &self.segments {
            for name in &names {
                for row in segment.names.documents_named(*name, &segment.documents) {
                    let Some(document) = segment.documents.document(*row) else { continue };
                    let is_own = own.as_ref().is_some_and(|(collection, id)| {
                        collection == document.collection() && id == document.id()
                    });
                    if !is_own && !segment.deleted.documents().contains(*row as usize) {
                        found.extend(
                            segment.keys.get(document.row.chunks.start as usize).map(|key| ChunkKey(*key)),
                        );
                    }
                }
            }
        }
        vec_map::set(found)
    }

    /// Returns up to `limit` chunks of other documents that mention or link to a chunk's document, sorted.
    pub fn naming(&self, key: ChunkKey, limit: usize) -> Vec<ChunkKey> {
        let Some(chunk) = self.chunk(key) else { return Vec::new() };
        let names = names_of(&chunk.document);
        let naming = |name: &u64| {
            self.segments.iter().flat_map(|segment| segment.names.chunks_naming(*name)).collect::<Vec<u32>>()
        };
        let keys = vec_map::set(names.iter().flat_map(naming));
        let is_other = |key: &ChunkKey| {
            self.chunk(*key).is_some_and(|other| {
                (other.document.collection(), other.document.id())
                    != (chunk.document.collection(), chunk.document.id())
            })
        };
        keys.into_iter().map(ChunkKey).filter(is_other).take(limit).collect()
    }

    /// Returns the metadata fields of `collections`; of all if empty.
    pub fn schema(&self, collections: &HashSet<String>) -> Schema {
        let mut all = Schema::default();
        let wanted =
            self.schemas.iter().filter(|(name, _)| collections.is_empty() || collections.contains(&***name));
        wanted.for_each(|(_, schema)| all.merge(schema));
        if self.is_view() {
            all.know_never_send();
        }
        all
    }

    /// Returns the metadata fields of one collection.
    pub fn schema_of(&self, collection: &str) -> Option<&Schema> {
        self.schemas.get(collection)
    }

    /// Returns whether this is a view without documents marked `neverSend`.
    fn is_view(&self) -> bool {
        self.languages.is_some()
    }

    /// Returns the live documents of a segment that match.
    pub(super) fn matching_documents(
        &self,
        segment: &Segment,
        collections: &HashSet<String>,
        filter: Option<&Filter>,
    ) -> Bitmap {
        let mut documents = Bitmap::full(segment.documents.rows.len());
        documents.subtract(segment.deleted.documents());
        if !collections.is_empty()
            && segment.documents.collections.iter().any(|name| !collections.contains(&**name))
        {
            for row in 0..segment.documents.rows.len() {
                let document = segment.documents.document(row as u32);
                if document.is_none_or(|document| !collections.contains(document.collection())) {
                    documents.remove(row);
                }
            }
        }
        if let Some(filter) = filter {
            documents.intersect(&segment.columns(&self.schemas).select(filter));
        }
        documents
    }

    /// Returns those of `keys` that pass the query's restrictions, whatever their text.
    pub fn admitted(&self, query: &Query<'_>, keys: &[ChunkKey]) -> Vec<ChunkKey> {
        let parsed = query.keywords.map(|text| self.parse(text, query.prefix));
        let wanted = self.admitted_by_segment(query, parsed.as_ref());
        let is_wanted = |key: &ChunkKey| {
            self.segments.iter().zip(&wanted).any(|(segment, wanted)| {
                let row = segment.row(*key);
                row.is_some_and(|row| wanted.as_ref().is_none_or(|wanted| wanted.contains(row as usize)))
            })
        };
        keys.iter().copied().filter(is_wanted).collect()
    }

    /// Returns, per segment, the chunks that pass the restrictions; `None` if all do.
    fn admitted_by_segment(&self, query: &Query<'_>, parsed: Option<&Parsed>) -> Vec<Option<Bitmap>> {
        let strict = parsed.filter(|parsed| query.strict_phrases && !parsed.phrases.is_empty());
        self.segments.iter().map(|segment| self.admitted_chunks(segment, query, strict)).collect()
    }

    /// Returns the chunks of a segment that pass the restrictions; `None` if all do.
    fn admitted_chunks(
        &self,
        segment: &Segment,
        query: &Query<'_>,
        strict: Option<&Parsed>,
    ) -> Option<Bitmap> {
        let everywhere = query.collections.is_empty()
            || segment.documents.collections.iter().all(|name| query.collections.contains(&**name));
        let open = query.filter.is_none() && query.among.is_none() && strict.is_none();
        if everywhere && open && segment.deleted.is_empty() {
            return None;
        }
        let mut chunks = Bitmap::new(segment.len());
        if everywhere && query.filter.is_none() {
            chunks = Bitmap::full(segment.len());
            chunks.subtract(segment.deleted.chunks());
        } else {
            for row in self.matching_documents(segment, &query.collections, query.filter).iter() {
                for chunk in segment.documents.rows.get(row).into_iter().flat_map(|row| row.chunks.clone()) {
                    chunks.insert(chunk as usize);
                }
            }
        }
        if let Some(among) = query.among {
            let rows: Bitmap =
                among.iter().filter_map(|key| segment.row(*key)).map(|row| row as usize).collect();
            chunks.intersect(&rows);
        }
        for (parsed, phrase) in
            strict.iter().flat_map(|one| one.phrases.iter().map(move |phrase| (one, phrase)))
        {
            chunks.intersect(&chunks_with_phrase(segment, phrase, &chunks, &parsed.reads_left));
        }
        Some(chunks)
    }
}

/// Returns the chunks of `among` whose text, title or headings contain a phrase. Among chunks that contain all
/// words, the text decides whether they are adjacent. Reads at most `reads_left` texts.
fn chunks_with_phrase(
    segment: &Segment,
    phrase: &[String],
    among: &Bitmap,
    reads_left: &Cell<usize>,
) -> Bitmap {
    let mut possible = Bitmap::new(segment.len());
    for language in &segment.documents.languages {
        let analyzer = Analyzer::new(*language);
        let mut containing = among.clone();
        for word in phrase {
            analyzer.word(word, &mut |term| {
                let chunks: Bitmap =
                    segment.words.chunks_with(term).into_iter().map(|chunk| chunk as usize).collect();
                containing.intersect(&chunks);
            });
        }
        possible.unite(&containing);
    }
    let mut found = Bitmap::new(segment.len());
    let left = reads_left.get();
    reads_left.set(left.saturating_sub(possible.count()));
    for row in possible.iter().take(left) {
        let Some(chunk) = segment.chunk(row as u32) else { continue };
        let fields = [chunk.text()].into_iter().chain(chunk.document.title());
        if fields.chain(chunk.headings().iter().map(String::as_str)).any(|text| phrase_in(text, phrase)) {
            found.insert(row);
        }
    }
    found
}
