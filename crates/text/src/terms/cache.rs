//! A cache of the terms of words. Texts repeat the same few thousand words, and analysing a word takes ten
//! times as long as a lookup.

use super::language::Language;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The terms of a word.
pub(super) type Terms = Rc<[Box<str>]>;

/// Maximum number of words per language, about a megabyte; the cache is cleared when it is full.
const CAPACITY: usize = 8192;
/// Maximum length of a cached word, in bytes; longer ones rarely repeat.
const MAX_BYTES: usize = 24;

thread_local! {
    /// Per language, in the order of [`Language::ALL`].
    static CACHE: RefCell<Vec<FxHashMap<Box<str>, Terms>>> =
        RefCell::new(Language::ALL.map(|_| FxHashMap::default()).into());
}

/// Returns the cached terms of `word` in `language`, computed by `make` on a miss.
pub(super) fn terms_of(language: Language, word: &str, make: impl FnOnce() -> Terms) -> Terms {
    if word.len() > MAX_BYTES {
        return make();
    }
    let of = language as usize;
    let known = CACHE.with_borrow(|cache| cache.get(of).and_then(|words| words.get(word)).cloned());
    known.unwrap_or_else(|| {
        let made = make();
        CACHE.with_borrow_mut(|cache| {
            if let Some(words) = cache.get_mut(of) {
                if words.len() >= CAPACITY {
                    words.clear();
                }
                words.insert(word.into(), made.clone());
            }
        });
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Analyzer;

    fn found(language: Language, word: &str) -> Vec<String> {
        Analyzer::new(language).terms(word).into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn cached_and_computed_terms_are_equal() {
        let before = found(Language::English, "libraries");
        for number in 0..2 * CAPACITY {
            found(Language::English, &format!("filler{number}"));
        }
        assert_eq!(found(Language::English, "libraries"), before);
        assert_ne!(found(Language::Other, "libraries"), before);
        assert!(CACHE.with_borrow(|cache| cache.iter().all(|words| words.len() <= CAPACITY)));
    }
}
