//! Unicode normalisation: by a library natively, by the host in a browser, because the tables would be an
//! eighth of the engine's size. Both agree, since Unicode guarantees that normalised text of assigned
//! characters is stable.

use std::sync::OnceLock;

/// A normalisation form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition: replaces presentation forms such as full-width letters.
    Nfkc,
}

impl Form {
    /// Returns its name, as used by Unicode and JavaScript.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nfc => "NFC",
            Self::Nfd => "NFD",
            Self::Nfkc => "NFKC",
        }
    }
}

/// Normalises a text.
pub type Normaliser = fn(&str, Form) -> String;

static HOST: OnceLock<Normaliser> = OnceLock::new();

/// Sets the host's normaliser. Later calls have no effect.
pub fn use_host(normaliser: Normaliser) {
    let _ = HOST.set(normaliser);
}

/// Returns `text` in a normalisation form.
pub fn normalised(text: &str, form: Form) -> String {
    if text.chars().all(|letter| is_invariant(letter, form)) {
        return text.to_owned();
    }
    HOST.get().map_or_else(|| by_library(text, form), |host| host(text, form))
}

#[cfg(not(target_arch = "wasm32"))]
fn by_library(text: &str, form: Form) -> String {
    use unicode_normalization::UnicodeNormalization;
    match form {
        Form::Nfc => text.nfc().collect(),
        Form::Nfd => text.nfd().collect(),
        Form::Nfkc => text.nfkc().collect(),
    }
}

/// Only reached before `use_host`, which a module calls when it starts.
#[cfg(target_arch = "wasm32")]
fn by_library(text: &str, _: Form) -> String {
    text.to_owned()
}

/// Returns whether `letter` is one of a common script that is invariant in a form regardless of its neighbours, so
/// that the host need not be called.
pub const fn is_invariant(letter: char, form: Form) -> bool {
    let whole = matches!(letter,
        '\0'..='\u{7f}' | '一'..='\u{9fff}' | 'א'..='ת' | 'ء' | 'ا'..='غ' | 'ف'..='ي'
        | 'А'..='И' | 'К'..='и' | 'к'..='я' | 'Α'..='Ρ' | 'Σ'..='Ω' | 'α'..='ω');
    whole
        || !matches!(form, Form::Nfd)
            && matches!(letter, 'À'..='ı' | 'Ĵ'..='ľ' | 'Ł'..='ň' | 'Ŋ'..='ž' | 'Й' | 'й' | 'ѐ'..='џ' | '가'..='힣')
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::IsNormalized;

    #[test]
    fn invariant_letters_are_invariant_next_to_any_other() {
        let certain = |text: &str, form| match form {
            Form::Nfc => unicode_normalization::is_nfc_quick(text.chars()),
            Form::Nfd => unicode_normalization::is_nfd_quick(text.chars()),
            Form::Nfkc => unicode_normalization::is_nfkc_quick(text.chars()),
        };
        let mut seen = 0;
        for form in [Form::Nfc, Form::Nfd, Form::Nfkc] {
            for letter in ('\0'..=char::MAX).filter(|letter| is_invariant(*letter, form)) {
                assert_eq!(
                    certain(&letter.to_string(), form),
                    IsNormalized::Yes,
                    "{letter:?} in {}",
                    form.name()
                );
                assert_eq!(unicode_normalization::char::canonical_combining_class(letter), 0, "{letter:?}");
                seen += 1;
            }
        }
        assert!(seen > 70_000, "{seen}");
    }

    #[test]
    fn each_form_is_applied() {
        for (form, written, wanted) in [
            (Form::Nfc, "e\u{301}", "é"),
            (Form::Nfd, "é", "e\u{301}"),
            (Form::Nfkc, "ﬁ Ｒ", "fi R"),
            (Form::Nfd, "мой", "мои\u{306}"),
        ] {
            assert_eq!(normalised(written, form), wanted);
        }
    }
}
