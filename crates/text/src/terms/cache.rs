//! Terms of words that came before. Texts are made of the same few thousand words, and taking a word apart costs ten
//! times what finding it here does.

use super::language::Language;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What a word comes to.
pub(super) type Terms = Rc<[Box<str>]>;

/// So many words a language are kept: about a megabyte. Then it begins anew.
const MOST: usize = 8192;
/// Longer words rarely come twice.
const LONGEST: usize = 24;

thread_local! {
    /// By language, in the order of [`Language::ALL`].
    static KEPT: RefCell<Vec<FxHashMap<Box<str>, Terms>>> =
        RefCell::new(Language::ALL.map(|_| FxHashMap::default()).into());
}

/// The terms of `word` in `language`, which `make` makes where they are not kept. They depend on nothing else.
pub(super) fn terms_of(language: Language, word: &str, make: impl FnOnce() -> Terms) -> Terms {
    if word.len() > LONGEST {
        return make();
    }
    let of = language as usize;
    let known = KEPT.with_borrow(|kept| kept.get(of).and_then(|words| words.get(word)).cloned());
    known.unwrap_or_else(|| {
        let made = make();
        KEPT.with_borrow_mut(|kept| {
            if let Some(words) = kept.get_mut(of) {
                if words.len() >= MOST {
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
    fn a_word_comes_to_the_same_however_often_and_in_whatever_company() {
        let before = found(Language::English, "libraries");
        for number in 0..2 * MOST {
            found(Language::English, &format!("filler{number}"));
        }
        assert_eq!(found(Language::English, "libraries"), before);
        assert_ne!(found(Language::Other, "libraries"), before);
        assert!(KEPT.with_borrow(|kept| kept.iter().all(|words| words.len() <= MOST)));
    }
}
