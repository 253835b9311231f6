//! Unicode's normal forms. Natively a library knows them, in a browser the browser: its tables would be an eighth of what a
//! page waits for. They agree, because what Unicode has assigned once keeps its forms for good.

use std::sync::OnceLock;

/// A normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Composed.
    Nfc,
    /// Decomposed.
    Nfd,
    /// Composed, full-width and other presentation forms made ordinary ones.
    Nfkc,
}

impl Form {
    /// As Unicode calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nfc => "NFC",
            Self::Nfd => "NFD",
            Self::Nfkc => "NFKC",
        }
    }
}

/// Brings a text into a form.
pub type Normaliser = fn(&str, Form) -> String;

static HOST: OnceLock<Normaliser> = OnceLock::new();

/// Has texts brought into forms by the host. The first that is given stays.
pub fn use_host(normaliser: Normaliser) {
    let _ = HOST.set(normaliser);
}

/// `text` in a normal form.
pub fn normalised(text: &str, form: Form) -> String {
    if text.chars().all(|letter| is_itself(letter, form)) {
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

/// Only before `use_host`, which is called when a module starts.
#[cfg(target_arch = "wasm32")]
fn by_library(text: &str, _: Form) -> String {
    text.to_owned()
}

/// Letters of the most written scripts that stay what they are in a form, whatever stands beside them: nobody need be asked
/// about them.
const fn is_itself(letter: char, form: Form) -> bool {
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
    fn what_nobody_is_asked_about_is_itself_in_every_form_whatever_stands_beside_it() {
        let certain = |text: &str, form| match form {
            Form::Nfc => unicode_normalization::is_nfc_quick(text.chars()),
            Form::Nfd => unicode_normalization::is_nfd_quick(text.chars()),
            Form::Nfkc => unicode_normalization::is_nfkc_quick(text.chars()),
        };
        let mut seen = 0;
        for form in [Form::Nfc, Form::Nfd, Form::Nfkc] {
            for letter in ('\0'..=char::MAX).filter(|letter| is_itself(*letter, form)) {
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
    fn a_text_is_brought_into_each_form() {
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
