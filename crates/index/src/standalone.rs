//! Parts of the index by themselves: an inverted file over plain texts, and vectors as bytes.

use super::deleted::Deleted;
use super::inverted::{OpenWords, Part, WordQuery, Words, groups, search};
use super::persist::container::{self, Kind, Sections};
use super::vectors::Vectors;
use rustc_hash::FxHashMap;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::terms::{Analyzer, Language, Query, words};

/// Raw words with the numbers of the terms they come to.
pub(super) type SeenWords = FxHashMap<Box<str>, Box<[u32]>>;

/// Texts by number, found by their words.
#[derive(Debug)]
pub struct Keywords {
    language: Language,
    words: Words,
    lengths: Vec<u32>,
    keys: Vec<u32>,
    seen: SeenWords,
}

impl Keywords {
    /// None yet, of one language.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            words: Words::open(),
            lengths: Vec::new(),
            keys: Vec::new(),
            seen: SeenWords::default(),
        }
    }

    /// Adds a text, whose number is that of the texts before it; false once sealed, when nothing is added any more.
    pub fn add(&mut self, text: &str) -> bool {
        let Words::Open(open) = &mut self.words else { return false };
        let analyzer = Analyzer::new(self.language);
        let row = self.keys.len() as u32;
        let mut length = 0;
        for (_, word) in words(text) {
            let numbers = term_numbers(word, open, &analyzer, &mut self.seen);
            numbers.iter().for_each(|number| open.count(*number, row, 1));
            length += numbers.len() as u32;
        }
        self.lengths.push(length);
        self.keys.push(row);
        true
    }

    /// Compresses what was added.
    pub fn seal(&mut self) {
        let lengths = &self.lengths;
        self.words =
            Words::Sealed(self.words.sealed(&|row| lengths.get(row as usize).copied().unwrap_or_default()));
        self.seen = SeenWords::default();
    }

    /// The best texts for a query with their scores.
    pub fn search(&self, query: &str, limit: usize) -> Vec<(u32, f32)> {
        let query = Query::parse(query, &Analyzer::new(self.language), false);
        let asked = WordQuery {
            words: query.words.into_iter().flat_map(|word| word.terms).map(|term| vec![term]).collect(),
            ..WordQuery::default()
        };
        let deleted = Deleted::default();
        let part = Part {
            words: &self.words,
            lengths: &self.lengths,
            length: self.lengths.iter().map(|length| u64::from(*length)).sum(),
            keys: &self.keys,
            deleted: &deleted,
            wanted: None,
        };
        search(&[part], &groups(&asked, &[&self.words]), limit).0
    }

    /// As bytes.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn save(&self) -> Result<Vec<u8>> {
        let words = match &self.words {
            Words::Sealed(words) => words.clone(),
            open @ Words::Open(_) => {
                open.sealed(&|row| self.lengths.get(row as usize).copied().unwrap_or_default())
            }
        };
        let parts = (&words, &self.lengths, self.language);
        let bytes = container::encode(&parts)?;
        container::write(Kind::Text, &[("keywords", &bytes)])
    }

    /// Back from bytes.
    ///
    /// # Errors
    /// [`Error::LibraryCorrupt`], [`Error::LibraryNewer`].
    pub fn load(bytes: &[u8]) -> Result<Self> {
        let sections = Sections::read("the keyword index", bytes, Kind::Text)?;
        let (words, lengths, language): (super::inverted::SealedWords, Vec<u32>, Language) =
            sections.value("keywords")?;
        if !words.is_sound(lengths.len()) {
            return Err(sections.corrupt("its parts do not fit together"));
        }
        Ok(Self {
            language,
            words: Words::Sealed(words),
            keys: (0..lengths.len() as u32).collect(),
            lengths,
            seen: SeenWords::default(),
        })
    }
}

/// The numbers of the terms a word comes to, remembered: most words of a text were seen before.
pub(super) fn term_numbers<'a>(
    word: &str,
    open: &mut OpenWords,
    analyzer: &Analyzer,
    seen: &'a mut SeenWords,
) -> &'a [u32] {
    // Looked up twice where it is there: the borrow checker does not see that an early return ends the first.
    if !seen.contains_key(word) {
        let mut numbers = Vec::new();
        analyzer.word(word, &mut |term| numbers.push(open.number(term)));
        seen.insert(word.into(), numbers.into());
    }
    seen.get(word).map_or(&[], |numbers| numbers)
}

/// Vectors as bytes, their graph with them.
///
/// # Errors
/// Where they cannot be written.
pub fn save_vectors(vectors: &Vectors) -> Result<Vec<u8>> {
    let mut sections = vectors.sections();
    if let Some(graph) = vectors.graph() {
        sections.push(("graph", container::encode(graph)?));
    }
    let sections: Vec<(&str, &[u8])> =
        sections.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    container::write(Kind::Vectors, &sections)
}

/// Back from bytes.
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
