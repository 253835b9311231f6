//! Parts of the index without documents: a keyword index over plain texts, and vectors as bytes.

use super::deleted::Deleted;
use super::inverted::{InvertedIndex, KeywordQuery, OpenInvertedIndex, SegmentReader, groups, search};
use super::persist::container::{self, Kind, Sections};
use super::vectors::Vectors;
use rustc_hash::FxHashMap;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms::{Analyzer, Bigrams, Language, Query, Rule, words};

/// Term numbers by raw word.
pub(super) type TermCache = FxHashMap<Box<str>, Box<[u32]>>;

/// A keyword index over texts that are numbered from 0.
#[derive(Debug)]
pub struct Keywords {
    language: Language,
    words: InvertedIndex,
    lengths: Vec<u32>,
    keys: Vec<u32>,
    seen: TermCache,
    rule: Rule,
}

impl Keywords {
    /// Creates an empty index for one language.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            words: InvertedIndex::open(),
            lengths: Vec::new(),
            keys: Vec::new(),
            seen: TermCache::default(),
            rule: Rule::CURRENT,
        }
    }

    /// Adds a text, numbered by the count of texts before it. Returns false if the index is sealed.
    pub fn add(&mut self, text: &str) -> bool {
        let InvertedIndex::Open(open) = &mut self.words else { return false };
        let analyzer = Analyzer::new(self.language);
        let row = self.keys.len() as u32;
        let mut length = 0;
        let mut bigrams = Bigrams::default();
        for (start, word) in words(text) {
            let numbers = term_numbers(word, open, &analyzer, &mut self.seen);
            numbers.iter().for_each(|number| open.count(*number, row, 1));
            length += numbers.len() as u32;
            bigrams.add(start, word, &analyzer, &mut |term| {
                let number = open.number(term);
                open.count(number, row, 1);
            });
        }
        self.lengths.push(length);
        self.keys.push(row);
        true
    }

    /// Compresses the index; no text can be added afterwards.
    pub fn seal(&mut self) {
        let lengths = &self.lengths;
        self.words = InvertedIndex::Sealed(
            self.words.sealed(&|row| lengths.get(row as usize).copied().unwrap_or_default()),
        );
        self.seen = TermCache::default();
    }

    /// Returns the numbers and BM25 scores of the best texts for a query.
    pub fn search(&self, query: &str, limit: usize) -> Vec<(u32, f32)> {
        let analyzer = Analyzer::new(self.language);
        let exact = if self.rule == Rule::Bigrams { Bigrams::of(query, &analyzer) } else { Vec::new() };
        let query = Query::parse(query, &analyzer, false);
        let asked = KeywordQuery {
            exact,
            words: query.words.into_iter().flat_map(|word| word.terms).map(|term| vec![term]).collect(),
            ..KeywordQuery::default()
        };
        let deleted = Deleted::default();
        let part = SegmentReader {
            words: &self.words,
            lengths: &self.lengths,
            length: self.lengths.iter().map(|length| u64::from(*length)).sum(),
            keys: &self.keys,
            deleted: &deleted,
            filter: None,
        };
        search(&[part], &groups(&asked, &[(&self.words, &deleted)]), limit).0
    }

    /// Serialises the index.
    ///
    /// # Errors
    /// [`Error::internal`] if serialisation fails.
    pub fn save(&self) -> Result<Vec<u8>> {
        let words = match &self.words {
            InvertedIndex::Sealed(words) => words.clone(),
            open @ InvertedIndex::Open(_) => {
                open.sealed(&|row| self.lengths.get(row as usize).copied().unwrap_or_default())
            }
        };
        let parts = (&words, &self.lengths, self.language);
        let bytes = container::encode(&parts)?;
        container::write(Kind::Text, &[("keywords", &bytes), ("rule", &container::encode(&self.rule)?)])
    }

    /// Reads what [`Keywords::save`] wrote.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`].
    pub fn load(bytes: &[u8]) -> Result<Self> {
        let sections = Sections::read("the keyword index", bytes, Kind::Text)?;
        let (words, lengths, language): (super::inverted::SealedInvertedIndex, Vec<u32>, Language) =
            sections.value("keywords")?;
        if !words.is_sound(lengths.len()) {
            return Err(sections.corrupt("its parts do not fit together"));
        }
        Ok(Self {
            language,
            words: InvertedIndex::Sealed(words),
            keys: (0..lengths.len() as u32).collect(),
            lengths,
            seen: TermCache::default(),
            // Earlier versions stored none.
            rule: if sections.find("rule").is_some() { sections.value("rule")? } else { Rule::Words },
        })
    }
}

/// Returns the numbers of a word's terms, cached per raw word because most words of a text repeat.
pub(super) fn term_numbers<'a>(
    word: &str,
    open: &mut OpenInvertedIndex,
    analyzer: &Analyzer,
    seen: &'a mut TermCache,
) -> &'a [u32] {
    // Two lookups for a cached word: the borrow checker does not accept an early return of the first.
    if !seen.contains_key(word) {
        let mut numbers = Vec::new();
        analyzer.word(word, &mut |term| numbers.push(open.number(term)));
        seen.insert(word.into(), numbers.into());
    }
    seen.get(word).map_or(&[], |numbers| numbers)
}

/// Serialises vectors and their graph.
///
/// # Errors
/// [`Error::internal`] if serialisation fails.
pub fn save_vectors(vectors: &Vectors) -> Result<Vec<u8>> {
    let mut sections = vectors.sections();
    if let Some(graph) = vectors.graph() {
        sections.push(("graph", container::encode(graph)?));
    }
    let sections: Vec<(&str, &[u8])> =
        sections.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    container::write(Kind::Vectors, &sections)
}

/// Reads what [`save_vectors`] wrote.
///
/// # Errors
/// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`].
pub fn load_vectors(bytes: &[u8]) -> Result<Vectors> {
    let sections = Sections::read("the vectors", bytes, Kind::Vectors)?;
    let unfit = || -> Error { sections.corrupt("its parts do not fit together") };
    let mut vectors = Vectors::from_sections(&|name| sections.find(name), false).ok_or_else(unfit)?;
    if let Some(graph) = sections.find("graph") {
        let fits = super::vectors::Graph::from_bytes(graph).is_some_and(|graph| vectors.set_graph(graph));
        if !fits {
            return Err(unfit());
        }
    }
    Ok(vectors)
}
