//! Parses the text of a search box.

use super::analyzer::Analyzer;
use super::normal::plain;
use super::unfinished_word;
use super::words::words;
use std::collections::HashSet;
use vademecum_util::within::Within;

/// Maximum number of distinct words of a query, and of words in its phrases.
const MAX_WORDS: usize = 1024;

/// Opening quotation marks, each with its closing marks.
const QUOTES: [(char, &[char]); 4] = [('"', &['"']), ('“', &['”']), ('„', &['“', '”']), ('«', &['»'])];

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The distinct words in order, including those in phrases, without the one still being typed.
    pub words: Vec<QueryWord>,
    /// The quoted phrases, for [`phrase_in`](super::phrase_in).
    pub phrases: Vec<Vec<String>>,
    /// The word still being typed.
    pub unfinished: Option<QueryWord>,
    /// Whether the query has words and all are stop words. Each is then its own term, which matches if an
    /// index contains the stop words of titles and headings, as in "The Who".
    pub only_stop_words: bool,
}

/// A word of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryWord {
    /// The word in lower case, without accents, unstemmed.
    pub text: String,
    /// Its terms; none for a stop word, unless all words are.
    pub terms: Vec<String>,
}

impl Query {
    /// Parses `text`. With `prefix`, a word at its very end is still being typed.
    pub fn parse(text: &str, analyzer: &Analyzer, prefix: bool) -> Self {
        let unfinished = if prefix { unfinished_word(text) } else { None };
        let complete = match &unfinished {
            Some((start, _)) => text.within(..*start),
            None => text,
        };
        let mut query = Self {
            words: distinct_words(complete, analyzer),
            phrases: phrases(text),
            unfinished: unfinished.and_then(|(start, word)| {
                Some(QueryWord { text: word, terms: terms_of(text.get(start..)?, analyzer) })
            }),
            only_stop_words: false,
        };
        let mut all = query.words.iter_mut().chain(&mut query.unfinished).peekable();
        query.only_stop_words = all.peek().is_some() && all.all(|word| word.terms.is_empty());
        if query.only_stop_words {
            for word in query.words.iter_mut().chain(&mut query.unfinished) {
                word.terms.push(word.text.clone());
            }
        }
        query
    }
}

fn distinct_words(text: &str, analyzer: &Analyzer) -> Vec<QueryWord> {
    let mut seen = HashSet::new();
    let mut seen_raw = HashSet::new();
    let mut found = Vec::new();
    for (_, raw) in words(text).filter(|(_, raw)| seen_raw.insert(*raw)) {
        let word = plain(raw);
        if !word.is_empty() && seen.insert(word.clone()) {
            found.push(QueryWord { text: word, terms: terms_of(raw, analyzer) });
            if found.len() == MAX_WORDS {
                break;
            }
        }
    }
    found
}

fn terms_of(word: &str, analyzer: &Analyzer) -> Vec<String> {
    let mut terms = Vec::new();
    analyzer.word(word, &mut |term| terms.push(term.to_owned()));
    terms
}

fn phrases(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut left = MAX_WORDS;
    for quoted in quoted(text) {
        let phrase: Vec<String> =
            words(quoted).map(|(_, word)| plain(word)).filter(|word| !word.is_empty()).take(left).collect();
        left -= phrase.len();
        if !phrase.is_empty() {
            found.push(phrase);
        }
        if left == 0 {
            break;
        }
    }
    found
}

/// Returns the texts between quotation marks. An unmatched mark is an ordinary character, and so is a
/// straight one after a letter or digit, which denotes inches.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut previous = ' ';
    let mut from = 0;
    // Marks known to have no closing mark, to avoid quadratic time.
    let mut unmatched: Vec<char> = Vec::new();
    for (at, mark) in text.char_indices().filter(|(_, letter)| !letter.is_control()) {
        let after_letter = std::mem::replace(&mut previous, mark).is_alphanumeric();
        if at < from || unmatched.contains(&mark) || (mark == '"' && after_letter) {
            continue;
        }
        let Some((_, partners)) = QUOTES.iter().find(|(opening, _)| *opening == mark) else { continue };
        let rest = text.within(at + mark.len_utf8()..);
        match rest.char_indices().find(|(_, letter)| partners.contains(letter)) {
            Some((length, partner)) => {
                found.extend(rest.get(..length));
                from = at + mark.len_utf8() + length + partner.len_utf8();
            }
            None => unmatched.push(mark),
        }
        if found.len() == MAX_WORDS {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str, prefix: bool) -> Query {
        Query::parse(text, &Analyzer::default(), prefix)
    }

    fn texts(query: &Query) -> Vec<&str> {
        query.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn a_query_has_its_distinct_words_in_order_with_their_terms() {
        let query = parse("The libraries of HashMap, the Libraries", false);
        assert_eq!(texts(&query), ["the", "libraries", "of", "hashmap"]);
        let terms: Vec<&str> = query.words.iter().flat_map(|word| &word.terms).map(String::as_str).collect();
        assert_eq!(terms, ["librari", "hash", "map", "hashmap"]);
        assert!(!query.only_stop_words);
    }

    #[test]
    fn quoted_text_is_a_phrase_including_stop_words() {
        for text in
            ["find \"State of the Art\"", "“State of the Art”", "„State of the Art“", "«State of the Art»"]
        {
            assert_eq!(parse(text, false).phrases, [["state", "of", "the", "art"]], "{text}");
        }
        assert_eq!(parse("\"one\" «two» \"\"", false).phrases, [["one"], ["two"]]);
    }

    #[test]
    fn an_unmatched_quote_is_an_ordinary_character() {
        for text in ["\"hash map", "5\" or 6\" pipes", "“ hash", "hash\""] {
            assert!(parse(text, false).phrases.is_empty(), "{text}");
        }
        assert_eq!(texts(&parse("\"hash map", false)), ["hash", "map"]);
        assert_eq!(parse("„ «hash map»", false).phrases, [["hash", "map"]]);
    }

    #[test]
    fn the_unfinished_word_is_separate() {
        let query = parse("borrow Librarie", true);
        assert_eq!(texts(&query), ["borrow"]);
        assert_eq!(
            query.unfinished,
            Some(QueryWord { text: "librarie".into(), terms: vec!["librari".into()] })
        );
        assert_eq!(parse("borrow ", true).unfinished, None);
        assert_eq!(parse("\"borrow checker\"", true).unfinished, None);
    }

    #[test]
    fn a_query_of_stop_words_only_searches_for_them() {
        let query = parse("to be or not to be", false);
        assert!(query.only_stop_words);
        let terms: Vec<&str> = query.words.iter().flat_map(|word| &word.terms).map(String::as_str).collect();
        assert_eq!(terms, ["to", "be", "or", "not"]);
        assert!(parse("the who", true).only_stop_words);
        assert!(!parse("the wh", true).only_stop_words);
        assert!(!parse("", true).only_stop_words);
    }

    #[test]
    fn a_very_long_query_is_truncated() {
        let long: String = (0..200_000).map(|number| format!("w{number} ")).collect();
        assert_eq!(parse(&long, true).words.len(), MAX_WORDS);
        let quoted: usize = parse(&format!("\"{long}\""), false).phrases.iter().map(Vec::len).sum();
        assert_eq!(quoted, MAX_WORDS);
    }

    proptest! {
        #[test]
        fn any_text_can_be_parsed(text in "([ab\"“”„«» .]|\\PC){0,60}", prefix in any::<bool>()) {
            let query = parse(&text, prefix);
            // Set apart, for a mark that combines belongs to the letter, or the quotation mark, before it.
            let apart = text.replace(['"', '“', '”', '„', '«', '»'], "\n");
            for phrase in &query.phrases {
                prop_assert!(super::super::phrase_in(&apart, phrase));
            }
        }
    }
}
