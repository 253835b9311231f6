//! Analyses the text of a query in the languages of a snapshot.

use std::cell::Cell;
use vademecum_text::terms::{self, Analyzer, Bigrams, Language, Rule, is_unspaced};
use vademecum_util::vec_map;

/// Maximum number of quoted phrases per query: each is verified in the texts.
const MAX_PHRASES: usize = 8;
/// Maximum number of chunks read per query to verify phrases, since positions are not indexed.
const MAX_PHRASE_READS: usize = 50_000;

/// The text of a query, analysed in every language of the index.
pub(super) struct Parsed {
    /// Per word: its terms in each language.
    pub(super) words: Vec<Vec<String>>,
    /// A last word that is still being typed, and its terms.
    pub(super) unfinished: Option<(String, Vec<String>)>,
    /// The characters and pairs of characters of unspaced scripts, if the index contains them.
    pub(super) bigrams: Vec<String>,
    /// The quoted phrases.
    pub(super) phrases: Vec<Vec<String>>,
    /// All words as one phrase, if all are stop words.
    pub(super) stop_word_phrase: Option<Vec<String>>,
    /// Number of chunks that may still be read to verify phrases.
    pub(super) reads_left: Cell<usize>,
}

impl Parsed {
    /// Analyses a text in each language; a chunk contains a word if it contains its term in any of them. Stop words of the language of the
    /// text are stop words in all of them: in documents of other languages they are rare, and would count as telling.
    pub(super) fn of(text: &str, prefix: bool, mut languages: Vec<Language>, rule: Rule) -> Self {
        if languages.is_empty() {
            languages.push(Language::default());
        }
        // Pairs match any part of a word in these scripts, so no word is unfinished.
        let by_bigrams = rule == Rule::Bigrams;
        let prefix = prefix && !(by_bigrams && text.ends_with(is_unspaced));
        let mut bigrams = Vec::new();
        if by_bigrams && text.contains(is_unspaced) {
            languages.iter().for_each(|one| bigrams.extend(Bigrams::of(text, &Analyzer::new(*one))));
        }
        let queries: Vec<terms::Query> = languages
            .into_iter()
            .map(|language| terms::Query::parse(text, &Analyzer::new(language), prefix))
            .collect();
        let mut parsed = Self {
            words: Vec::new(),
            bigrams: vec_map::set(bigrams),
            unfinished: None,
            phrases: Vec::new(),
            stop_word_phrase: None,
            reads_left: Cell::new(MAX_PHRASE_READS),
        };
        if let Some(first) = queries.first() {
            for phrase in &first.phrases {
                if parsed.phrases.len() < MAX_PHRASES && !parsed.phrases.contains(phrase) {
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
            // Queries such as "The Who": stop words are not indexed, but the texts can be searched for the
            // phrase.
            let words =
                queries.first().map(|query| query.words.iter().map(|word| word.text.clone()).collect());
            parsed.stop_word_phrase = words.filter(|words: &Vec<String>| !words.is_empty());
            return parsed;
        }
        let speaking: Vec<&terms::Query> = queries.iter().filter(|query| !query.only_stop_words).collect();
        let own = own_language(&queries);
        let is_stop_word =
            |at: usize| own.and_then(|own| own.words.get(at)).is_some_and(|word| word.terms.is_empty());
        let count = speaking.iter().map(|query| query.words.len()).max().unwrap_or_default();
        for at in (0..count).filter(|at| !is_stop_word(*at)) {
            let by_language: Vec<&[String]> =
                speaking.iter().filter_map(|query| Some(query.words.get(at)?.terms.as_slice())).collect();
            // An identifier splits into several terms: the first terms of all languages form one group, the
            // second another.
            let most = by_language.iter().map(|terms| terms.len()).max().unwrap_or_default();
            parsed.words.extend((0..most).map(|part| {
                by_language.iter().filter_map(|terms| terms.get(part).cloned()).collect::<Vec<_>>()
            }));
        }
        parsed
    }
}

/// Returns the query as analysed in its own language: the one with most stop words, at least two, if there is one.
fn own_language(queries: &[terms::Query]) -> Option<&terms::Query> {
    let (mut own, mut most) = (None, 1);
    for query in queries {
        let stop_words = query.words.iter().filter(|word| word.terms.is_empty()).count();
        if stop_words >= most {
            own = Some(query).filter(|_| stop_words > most);
            most = stop_words;
        }
    }
    own
}
