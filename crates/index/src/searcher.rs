//! A snapshot of the index: what it sees does not change, whatever is written meanwhile.

use super::bitmap::Bitmap;
use super::chunk_key::ChunkKey;
use super::documents::{StoredChunk, StoredDocument};
use super::filter::{Facet, Facets, Filter, Schema, Schemas};
use super::fusion::{self, Fusion, Matches, Weights};
use super::inverted::{self, WordQuery, groups};
use super::links::names_of;
use super::rescore::{Asked, refine};
use super::segment::Segment;
use super::vectors::{Effort, Method};

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;
use vademecum_protocol::error::Result;
use vademecum_text::terms::{self, Analyzer, Language, phrase_in};
use vademecum_util::vec_map;
use vademecum_vectors::top::Best;

/// How many candidates each arm hands to fusion: what the labelled sets were measured with.
const CANDIDATES: usize = 100;
/// More quoted phrases than anybody asks for: each is looked for in texts.
const MOST_PHRASES: usize = 8;
/// How many chunks a search reads for phrases: nothing but the text says where words stand together.
const MOST_READ: usize = 50_000;

/// What to look for. A part that is `None` takes no part in the search.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The words to match by BM25.
    pub keywords: Option<&'a str>,
    /// Treat the last word as the beginning of one, as while a question is being typed.
    pub prefix: bool,
    /// A word that no document has may stand for one that differs by a slip.
    pub typos: bool,
    /// What stands in double quotes must be there, in both arms; otherwise chunks that have it come first among those
    /// found by words.
    pub strict_phrases: bool,
    /// The question's unit vector.
    pub vector: Option<&'a [f32]>,
    /// Vector hits with a cosine below this are dropped; keyword hits never are.
    pub threshold: f32,
    /// Only chunks of these collections; all where empty.
    pub collections: HashSet<String>,
    /// Only chunks of documents that this wants.
    pub filter: Option<&'a Filter>,
    /// Only these chunks; all where absent.
    pub among: Option<&'a [ChunkKey]>,
    /// How the two arms are joined.
    pub fusion: Fusion,
    /// How much each arm counts.
    pub weights: Weights,
    /// How the vectors are searched.
    pub effort: Effort,
    /// How many hits to return.
    pub limit: usize,
}

/// A snapshot of the index, to search in.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub(super) segments: Vec<Rc<Segment>>,
    pub(super) schemas: Rc<Schemas>,
    /// Those of the documents that may be found, where not all of a segment may.
    pub(super) languages: Option<Vec<Language>>,
}

/// What a query's text asks for, in every language the index is in.
struct Parsed {
    words: Vec<Vec<String>>,
    unfinished: Option<(String, Vec<String>)>,
    /// What stands in quotes.
    phrases: Vec<Vec<String>>,
    /// All words in a row, where none of them is filed by itself.
    in_a_row: Option<Vec<String>>,
    /// How many chunks may still be read for phrases.
    unread: Cell<usize>,
}

impl Searcher {
    /// Searches with the arms the query has.
    ///
    /// # Errors
    /// [`vademecum_protocol::Error::VectorShape`] where the question's vector has another length than the index's.
    pub fn search(&self, query: &Query<'_>) -> Result<Matches> {
        let both = query.keywords.is_some() && query.vector.is_some();
        let depth = if both { CANDIDATES.max(query.limit) } else { query.limit };
        let parsed = query.keywords.map(|text| self.parse(text, query.prefix));
        let wanted = self.wanted_everywhere(query, parsed.as_ref());
        let words = parsed.as_ref().map(|parsed| self.by_words(parsed, query, &wanted, depth));
        let near = query.vector.map(|vector| self.by_vector(vector, query, &wanted, depth)).transpose()?;
        Ok(fusion::join(words, near, query.fusion, query.weights, query.limit))
    }

    /// Each language makes its own terms of a word; a chunk that has one of them has the word.
    fn parse(&self, text: &str, prefix: bool) -> Parsed {
        let mut languages = self.languages();
        if languages.is_empty() {
            languages.push(Language::default());
        }
        let queries: Vec<terms::Query> = languages
            .into_iter()
            .map(|language| terms::Query::parse(text, &Analyzer::new(language), prefix))
            .collect();
        let mut parsed = Parsed {
            words: Vec::new(),
            unfinished: None,
            phrases: Vec::new(),
            in_a_row: None,
            unread: Cell::new(MOST_READ),
        };
        if let Some(first) = queries.first() {
            for phrase in &first.phrases {
                if parsed.phrases.len() < MOST_PHRASES && !parsed.phrases.contains(phrase) {
                    parsed.phrases.push(phrase.clone());
                }
            }
            let terms = queries
                .iter()
                .filter_map(|query| query.unfinished.as_ref())
                .flat_map(|word| word.terms.clone());
            parsed.unfinished = first.unfinished.as_ref().map(|word| (word.text.clone(), terms.collect()));
        }
        if queries.iter().all(|query| query.only_stop_words) && parsed.unfinished.is_none() {
            // "The Who": stop words are not filed, but a text can be looked at for all of them in a row.
            let words =
                queries.first().map(|query| query.words.iter().map(|word| word.text.clone()).collect());
            parsed.in_a_row = words.filter(|words: &Vec<String>| !words.is_empty());
            return parsed;
        }
        let speaking: Vec<&terms::Query> = queries.iter().filter(|query| !query.only_stop_words).collect();
        let count = speaking.iter().map(|query| query.words.len()).max().unwrap_or_default();
        for at in 0..count {
            let by_language: Vec<&[String]> =
                speaking.iter().filter_map(|query| Some(query.words.get(at)?.terms.as_slice())).collect();
            // An identifier makes several terms: the first of each language belong together, then the second.
            let most = by_language.iter().map(|terms| terms.len()).max().unwrap_or_default();
            parsed.words.extend((0..most).map(|part| {
                by_language.iter().filter_map(|terms| terms.get(part).cloned()).collect::<Vec<_>>()
            }));
        }
        parsed
    }

    fn by_words(
        &self,
        parsed: &Parsed,
        query: &Query<'_>,
        wanted: &[Option<Bitmap>],
        limit: usize,
    ) -> fusion::Words {
        let asked = WordQuery {
            words: parsed.words.clone(),
            unfinished: parsed.unfinished.clone(),
            typos: query.typos,
        };
        let files: Vec<_> = self.segments.iter().map(|segment| &*segment.words).collect();
        let groups = groups(&asked, &files);
        let parts: Vec<inverted::Part<'_>> = self
            .segments
            .iter()
            .zip(wanted)
            .map(|(segment, wanted)| inverted::Part {
                words: &segment.words,
                lengths: &segment.documents.lengths,
                length: segment.documents.length(),
                keys: &segment.keys,
                deleted: &segment.deleted,
                wanted: wanted.as_ref(),
            })
            .collect();
        if let Some(words) = &parsed.in_a_row {
            return self.all_with(words, &parsed.unread, &parts, limit);
        }
        // What lies behind the cut may belong before it after a closer look.
        let looked_up = inverted::LookedUp::of(&groups, &parts);
        let (mut found, total) = looked_up.search(limit.max(CANDIDATES));
        let asked = |terms: &Vec<String>| Asked {
            terms: terms.clone(),
            idf: looked_up.rarity(&inverted::Group::of(terms)),
        };
        let asked: Vec<Asked> = parsed.words.iter().map(asked).collect();
        refine(&mut found, &asked, &self.segments);
        if !parsed.phrases.is_empty() && !query.strict_phrases {
            self.prefer_phrases(parsed, &parts, &groups, limit.max(CANDIDATES), &mut found);
        }
        found.truncate(limit);
        (found, total)
    }

    /// Lifts the chunks that hold a quoted phrase before those that do not.
    fn prefer_phrases(
        &self,
        parsed: &Parsed,
        parts: &[inverted::Part<'_>],
        groups: &[inverted::Group],
        limit: usize,
        found: &mut Vec<(u32, f32)>,
    ) {
        let lift = found.first().map_or(0.0, |best| best.1);
        for phrase in &parsed.phrases {
            let holding: Vec<Bitmap> = self
                .segments
                .iter()
                .zip(parts)
                .map(|(segment, part)| with_phrase(segment, phrase, &part.live(), &parsed.unread))
                .collect();
            let parts: Vec<inverted::Part<'_>> =
                parts.iter().zip(&holding).map(|(part, wanted)| part.only(wanted)).collect();
            for (key, score) in inverted::search(&parts, groups, limit).0 {
                match found.iter_mut().find(|one| one.0 == key) {
                    Some(one) => one.1 += lift,
                    None => found.push((key, score + lift)),
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
    }

    /// The chunks that hold a phrase, all equally good.
    fn all_with(
        &self,
        phrase: &[String],
        unread: &Cell<usize>,
        parts: &[inverted::Part<'_>],
        limit: usize,
    ) -> fusion::Words {
        let mut keys: Vec<u32> = Vec::new();
        for (segment, part) in self.segments.iter().zip(parts) {
            let holding = with_phrase(segment, phrase, &part.live(), unread);
            keys.extend(holding.iter().filter_map(|row| segment.keys.get(row)));
        }
        keys.sort_unstable();
        let total = keys.len();
        keys.truncate(limit);
        (keys.into_iter().map(|key| (key, 1.0)).collect(), total)
    }

    fn by_vector(
        &self,
        vector: &[f32],
        query: &Query<'_>,
        wanted: &[Option<Bitmap>],
        limit: usize,
    ) -> Result<fusion::Near> {
        let mut best = Best::new(limit);
        let mut methods: Vec<(u32, Method)> = Vec::new();
        // Approximations depend on every row there is.
        let exact = Effort { method: Some(Method::Exact), ..query.effort };
        let effort = if self.is_view() { exact } else { query.effort };
        // Vectors of chunks that are all deleted may even be of another length.
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
        // A segment's chunks have keys of their own.
        methods.sort_unstable_by_key(|one| one.0);
        let method =
            |key| methods.get(methods.binary_search_by_key(&key, |one| one.0).ok()?).map(|one| one.1);
        let best = best.into_sorted().into_iter();
        Ok(best.filter_map(|(key, score)| Some((key, score, method(key)?))).collect())
    }

    fn languages(&self) -> Vec<Language> {
        if let Some(languages) = &self.languages {
            return languages.clone();
        }
        vec_map::set(self.segments.iter().flat_map(|segment| segment.documents.languages.iter().copied()))
    }

    /// A chunk with its document.
    pub fn chunk(&self, key: ChunkKey) -> Option<StoredChunk<'_>> {
        self.segments.iter().find_map(|segment| segment.chunk(segment.row(key)?))
    }

    /// The key of the first chunk of the document that a chunk belongs to.
    pub fn document_of(&self, key: ChunkKey) -> Option<ChunkKey> {
        Some(ChunkKey(key.0.checked_sub(self.chunk(key)?.ordinal as u32)?))
    }

    /// A document by its id, with the keys of its chunks.
    pub fn document(&self, collection: &str, id: &str) -> Option<(StoredDocument<'_>, Vec<ChunkKey>)> {
        self.segments.iter().find_map(|segment| {
            let document = segment.documents.document(segment.find(collection, id)?)?;
            let range = document.row.chunks.start as usize..document.row.chunks.end as usize;
            let keys = segment.keys.get(range)?.iter().map(|key| ChunkKey(*key));
            Some((document, keys.collect()))
        })
    }

    /// How many documents have each value of a field, the most frequent first, at most `limit` values; of the
    /// documents of `collections` (all where empty) that `filter` wants.
    pub fn facets(
        &self,
        field: &str,
        collections: &HashSet<String>,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Vec<Facet> {
        let mut facets = Facets::default();
        for segment in &self.segments {
            let documents = self.documents_wanted(segment, collections, filter);
            facets.merge(segment.columns(&self.schemas).facets(field, &documents));
        }
        facets.top(limit)
    }

    /// The documents that a chunk names by title or links to, each by the key of its first chunk, in order. Its own
    /// is not among them.
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

    /// The first `limit` chunks that name or link to the document a chunk belongs to, in order; its own are not among them.
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

    /// The fields of the metadata in `collections`; in all where empty.
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

    /// The fields of the metadata in one collection.
    pub fn schema_of(&self, collection: &str) -> Option<&Schema> {
        self.schemas.get(collection)
    }

    /// Whether it is without the documents that are never sent.
    fn is_view(&self) -> bool {
        self.languages.is_some()
    }

    /// The documents of a segment that may be found.
    pub(super) fn documents_wanted(
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

    /// Those of `keys` that a query may find, whatever they say.
    pub fn admitted(&self, query: &Query<'_>, keys: &[ChunkKey]) -> Vec<ChunkKey> {
        let parsed = query.keywords.map(|text| self.parse(text, query.prefix));
        let wanted = self.wanted_everywhere(query, parsed.as_ref());
        let is_wanted = |key: &ChunkKey| {
            self.segments.iter().zip(&wanted).any(|(segment, wanted)| {
                let row = segment.row(*key);
                row.is_some_and(|row| wanted.as_ref().is_none_or(|wanted| wanted.contains(row as usize)))
            })
        };
        keys.iter().copied().filter(is_wanted).collect()
    }

    /// For each segment, the chunks that may be found; none where all may.
    fn wanted_everywhere(&self, query: &Query<'_>, parsed: Option<&Parsed>) -> Vec<Option<Bitmap>> {
        let strict = parsed.filter(|parsed| query.strict_phrases && !parsed.phrases.is_empty());
        self.segments.iter().map(|segment| self.wanted(segment, query, strict)).collect()
    }

    /// The chunks of a segment that may be found; none where all may.
    fn wanted(&self, segment: &Segment, query: &Query<'_>, strict: Option<&Parsed>) -> Option<Bitmap> {
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
            for row in self.documents_wanted(segment, &query.collections, query.filter).iter() {
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
            chunks.intersect(&with_phrase(segment, phrase, &chunks, &parsed.unread));
        }
        Some(chunks)
    }
}

/// The chunks of `among` in whose text, title or headings a phrase stands. The inverted file says where all its
/// words are, the text whether they stand together; no more texts are read than `unread` says.
fn with_phrase(segment: &Segment, phrase: &[String], among: &Bitmap, unread: &Cell<usize>) -> Bitmap {
    let mut possible = Bitmap::new(segment.len());
    for language in &segment.documents.languages {
        let analyzer = Analyzer::new(*language);
        let mut holding = among.clone();
        for word in phrase {
            analyzer.word(word, &mut |term| {
                let chunks: Bitmap =
                    segment.words.chunks_with(term).into_iter().map(|chunk| chunk as usize).collect();
                holding.intersect(&chunks);
            });
        }
        possible.unite(&holding);
    }
    let mut found = Bitmap::new(segment.len());
    let left = unread.get();
    unread.set(left.saturating_sub(possible.count()));
    for row in possible.iter().take(left) {
        let Some(chunk) = segment.chunk(row as u32) else { continue };
        let fields = [chunk.text()].into_iter().chain(chunk.document.title());
        if fields.chain(chunk.headings().iter().map(String::as_str)).any(|text| phrase_in(text, phrase)) {
            found.insert(row);
        }
    }
    found
}
