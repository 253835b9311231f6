//! What the text in a search box asks for.

use super::analyzer::Analyzer;
use super::normal::plain;
use super::unfinished_word;
use super::words::words;
use std::collections::HashSet;
use vademecum_util::within::Within;

/// Distinct words of a query that count, and words of its phrases.
const MOST_WORDS: usize = 1024;

/// The quotation marks a phrase may begin with, each with those that end it.
const QUOTES: [(char, &[char]); 4] = [('"', &['"']), ('“', &['”']), ('„', &['“', '”']), ('«', &['»'])];

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The distinct words, in and outside of phrases, in order, without the one still being typed.
    pub words: Vec<QueryWord>,
    /// What stood in double quotes: words that must stand side by side, for [`phrase_in`](super::phrase_in).
    pub phrases: Vec<Vec<String>>,
    /// The word still being typed.
    pub unfinished: Option<QueryWord>,
    /// Whether the query has words and all are stop words. Each then has itself as its term, which finds it where an
    /// index files stop words: it is enough to do so for titles and headings, where "The Who" stands.
    pub only_stop_words: bool,
}

/// A word of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryWord {
    /// The word lower-cased, without accents, unstemmed.
    pub text: String,
    /// What it is found by; none for a stop word among others that are not.
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
            if found.len() == MOST_WORDS {
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
    let mut left = MOST_WORDS;
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

/// What stands between quotation marks. One without its partner is an ordinary character, and so is the straight
/// one after a letter or digit: it ends nothing here, it measures inches.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut previous = ' ';
    let mut from = 0;
    // Marks that no partner follows: not looked for again, or many of them would take for ever.
    let mut hopeless: Vec<char> = Vec::new();
    for (at, mark) in text.char_indices().filter(|(_, letter)| !letter.is_control()) {
        let after_letter = std::mem::replace(&mut previous, mark).is_alphanumeric();
        if at < from || hopeless.contains(&mark) || (mark == '"' && after_letter) {
            continue;
        }
        let Some((_, partners)) = QUOTES.iter().find(|(opening, _)| *opening == mark) else { continue };
        let rest = text.within(at + mark.len_utf8()..);
        match rest.char_indices().find(|(_, letter)| partners.contains(letter)) {
            Some((length, partner)) => {
                found.extend(rest.get(..length));
                from = at + mark.len_utf8() + length + partner.len_utf8();
            }
            None => hopeless.push(mark),
        }
        if found.len() == MOST_WORDS {
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
    fn what_stands_in_quotes_is_a_phrase_with_its_stop_words() {
        for text in
            ["find \"State of the Art\"", "“State of the Art”", "„State of the Art“", "«State of the Art»"]
        {
            assert_eq!(parse(text, false).phrases, [["state", "of", "the", "art"]], "{text}");
        }
        assert_eq!(parse("\"one\" «two» \"\"", false).phrases, [["one"], ["two"]]);
    }

    #[test]
    fn a_quote_without_its_partner_is_an_ordinary_character() {
        for text in ["\"hash map", "5\" or 6\" pipes", "“ hash", "hash\""] {
            assert!(parse(text, false).phrases.is_empty(), "{text}");
        }
        assert_eq!(texts(&parse("\"hash map", false)), ["hash", "map"]);
        assert_eq!(parse("„ «hash map»", false).phrases, [["hash", "map"]]);
    }

    #[test]
    fn the_word_being_typed_stands_apart() {
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
    fn a_query_of_stop_words_alone_asks_for_them() {
        let query = parse("to be or not to be", false);
        assert!(query.only_stop_words);
        let terms: Vec<&str> = query.words.iter().flat_map(|word| &word.terms).map(String::as_str).collect();
        assert_eq!(terms, ["to", "be", "or", "not"]);
        assert!(parse("the who", true).only_stop_words);
        assert!(!parse("the wh", true).only_stop_words);
        assert!(!parse("", true).only_stop_words);
    }

    #[test]
    fn a_query_without_end_is_cut() {
        let long: String = (0..200_000).map(|number| format!("w{number} ")).collect();
        assert_eq!(parse(&long, true).words.len(), MOST_WORDS);
        let quoted: usize = parse(&format!("\"{long}\""), false).phrases.iter().map(Vec::len).sum();
        assert_eq!(quoted, MOST_WORDS);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text in "([ab\"“”„«» .]|\\PC){0,60}", prefix in any::<bool>()) {
            let query = parse(&text, prefix);
            // Set apart, for a mark that combines belongs to the letter, or the quotation mark, before it.
            let apart = text.replace(['"', '“', '”', '„', '«', '»'], "\n");
            for phrase in &query.phrases {
                prop_assert!(super::super::phrase_in(&apart, phrase));
            }
        }
    }
}
