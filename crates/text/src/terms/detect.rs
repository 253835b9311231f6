//! Language detection: by script, and for the Latin script by the analyser's stop words. Trigram tables would
//! be more accurate on short texts, at many times the size.

use super::language::Language;
use super::normal::{first, normal};
use super::stop::{bit, languages_of, stop_words};
use super::words::words;

/// Number of characters examined.
const SAMPLE: usize = 2048;
/// A shorter text, in words, need not contain a function word.
const SHORT_TEXT: usize = 12;
/// Minimum share of function words in longer texts.
const MIN_SHARE: f32 = 0.06;
/// Number of letters from which a language's distinctive letters are expected.
const MIN_LETTERS: usize = 100;
/// Number of words from which a text in the Latin script can be surely of a language.
const SURE_WORDS: usize = 30;
/// Minimum share of function words in such a text.
const SURE_SHARE: f32 = 0.15;
/// Minimum number of first letters that they have: in a table, the same few words may be in each row.
const SURE_LETTERS: u32 = 6;
/// Minimum ratio of the score of its language to the next one's. Kindred languages share many function words.
const SURE_RATIO: f32 = 1.5;

/// English function words that are also keywords of programming languages, and thus not evidence.
const KEYWORDS: &[&str] = &[
    "all", "and", "any", "as", "can", "do", "each", "for", "from", "if", "in", "into", "is", "let's", "not",
    "of", "on", "or", "own", "self", "so", "some", "then", "this", "to", "until", "where", "while", "with",
    "yet",
];

impl Language {
    /// Detects the most likely language of `text` from its first 2,048 characters. `Other` if there is no
    /// evidence.
    pub fn detect(text: &str) -> Self {
        Self::detect_with_certainty(text).0
    }

    /// Detects a language as [`detect`](Self::detect) does. Returns whether there is much evidence for it, too: a text without, such as a
    /// table or a list of names, may be in the language of its neighbours.
    pub fn detect_with_certainty(text: &str) -> (Self, bool) {
        let sample = first(text, SAMPLE);
        let scripts = Scripts::count(sample);
        let most = scripts.latin.max(scripts.greek).max(scripts.tamil).max(scripts.other);
        let most = most.max(scripts.cyrillic).max(scripts.arabic);
        let found = if most == 0 {
            Self::Other
        } else if most == scripts.greek {
            Self::Greek
        } else if most == scripts.tamil {
            Self::Tamil
        } else if most == scripts.cyrillic {
            cyrillic(sample, &scripts)
        } else if most == scripts.arabic {
            arabic(sample, &scripts)
        } else if most == scripts.latin {
            return latin(sample);
        } else {
            Self::Other
        };
        (found, most >= MIN_LETTERS)
    }
}

#[derive(Default)]
struct Scripts {
    latin: usize,
    greek: usize,
    cyrillic: usize,
    arabic: usize,
    tamil: usize,
    other: usize,
}

impl Scripts {
    fn count(text: &str) -> Self {
        let mut scripts = Self::default();
        for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
            let script = match letter {
                'a'..='z' | 'A'..='Z' | 'À'..='ɏ' | 'Ḁ'..='ỿ' => &mut scripts.latin,
                'Ͱ'..='Ͽ' | 'ἀ'..='ῼ' => &mut scripts.greek,
                'Ѐ'..='ԯ' => &mut scripts.cyrillic,
                '\u{600}'..='\u{6ff}' => &mut scripts.arabic,
                '\u{b80}'..='\u{bff}' => &mut scripts.tamil,
                _ => &mut scripts.other,
            };
            *script += 1;
        }
        scripts
    }
}

/// Russian, unless the letters are those of another Cyrillic alphabet.
fn cyrillic(text: &str, scripts: &Scripts) -> Language {
    let foreign = "іїєґўјљњћђџѓќѕәғқңөұүһІЇЄҐЎЈЉЊЋЂЏ";
    let has_own = text.contains(['ы', 'э', 'Ы', 'Э', 'ё']);
    if is_foreign(text, foreign, scripts.cyrillic) || (!has_own && scripts.cyrillic >= MIN_LETTERS) {
        Language::Other
    } else {
        Language::Russian
    }
}

/// Arabic, unless the letters are those of Persian or Urdu.
fn arabic(text: &str, scripts: &Scripts) -> Language {
    if is_foreign(text, "پچژگکیہےںٹڈڑ", scripts.arabic) {
        Language::Other
    } else {
        Language::Arabic
    }
}

/// Returns whether more than one letter in fifty is foreign; fewer may be from names.
fn is_foreign(text: &str, letters: &str, all: usize) -> bool {
    text.chars().filter(|letter| letters.contains(*letter)).count() * 50 > all
}

/// Returns the most likely language of a text in the Latin script, and whether the text contains many function words of it and much
/// fewer of any other.
fn latin(text: &str) -> (Language, bool) {
    let is_latin = |one: &Language| stop_words(*one).first().is_some_and(|word| word.is_ascii()); // the others are detected by script
    let mut scores: Vec<(Language, f32)> =
        Language::ALL.into_iter().filter(is_latin).map(|language| (language, 0.0)).collect();
    let candidates = scores.iter().fold(0, |all, (language, _)| all | bit(*language));
    let (mut all, mut known) = (0_usize, 0_usize);
    let mut letters = 0_u32; // bits for the first letters of the function words
    for (_, raw) in words(text) {
        all += 1;
        let word = normal(raw, Language::Other);
        let speaking = languages_of(&word) & candidates;
        let is_evidence = speaking != 0
            && word.chars().nth(1).is_some() // a single letter is none
            && KEYWORDS.binary_search(&word.as_str()).is_err();
        if !is_evidence {
            continue;
        }
        known += 1;
        // A word shared by many languages is weak evidence for each.
        let weight = 1.0 / speaking.count_ones() as f32;
        let spoken = scores.iter_mut().filter(|(language, _)| speaking & bit(*language) != 0);
        spoken.for_each(|(_, score)| *score += weight);
        letters |= word.bytes().next().map_or(0, |letter| 1 << (letter % 32));
    }
    let (mut best, mut score, mut next) = (Language::Other, 0.0, 0.0);
    for (language, own) in scores {
        if own >= score {
            (best, score, next) = (language, own, score);
        } else if own > next {
            next = own;
        }
    }
    if score > 0.0 {
        let enough = all < SHORT_TEXT || score >= MIN_SHARE * all as f32;
        let is_sure = enough
            && all >= SURE_WORDS
            && letters.count_ones() >= SURE_LETTERS
            && known as f32 >= SURE_SHARE * all as f32
            && score >= SURE_RATIO * next;
        (if enough { best } else { Language::Other }, is_sure)
    } else if all < SHORT_TEXT && known == 0 && is_plain(text) {
        (Language::English, false) // a few words in ASCII: assume the default
    } else {
        (Language::Other, false)
    }
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || " \n-,.!?'".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_enough_to_detect_its_language() {
        for (language, text) in [
            (Language::Arabic, "ذهبت إلى المكتبة في المدينة لأنني كنت أبحث عن كتاب قديم."),
            (
                Language::Danish,
                "Jeg gik på biblioteket i byen, fordi jeg ledte efter en gammel bog, som ingen andre havde.",
            ),
            (
                Language::Dutch,
                "Ik ging naar de bibliotheek in de stad, omdat ik een oud boek zocht dat niemand had.",
            ),
            (Language::English, "I went to the library in the city because I was looking for an old book."),
            (
                Language::Finnish,
                "Menin kaupungin kirjastoon, koska etsin vanhaa kirjaa, jota kukaan muu ei ollut lukenut.",
            ),
            (
                Language::French,
                "Je suis allé à la bibliothèque de la ville parce que je cherchais un vieux livre.",
            ),
            (Language::German, "Ich ging in die Bibliothek der Stadt, weil ich ein altes Buch suchte."),
            (Language::Greek, "Πήγα στη βιβλιοθήκη της πόλης επειδή έψαχνα ένα παλιό βιβλίο."),
            (
                Language::Hungarian,
                "Elmentem a városi könyvtárba, mert egy régi könyvet kerestem, amely sehol sem volt.",
            ),
            (Language::Italian, "Sono andato nella biblioteca della città perché cercavo un vecchio libro."),
            (
                Language::Norwegian,
                "Jeg gikk på biblioteket i byen fordi jeg så etter en gammel bok som ingen andre hadde.",
            ),
            (
                Language::Portuguese,
                "Fui à biblioteca da cidade porque estava à procura de um livro antigo que não tinha.",
            ),
            (
                Language::Romanian,
                "Am mers la biblioteca din oraș pentru că am căutat o carte veche care nu era acasă.",
            ),
            (
                Language::Russian,
                "Я пошёл в городскую библиотеку, потому что искал старую книгу, которой ни у кого не было.",
            ),
            (
                Language::Spanish,
                "Fui a la biblioteca de la ciudad porque buscaba un libro antiguo que no tenía.",
            ),
            (
                Language::Swedish,
                "Jag gick till biblioteket i staden eftersom jag letade efter en gammal bok som ingen hade.",
            ),
            (Language::Tamil, "நான் ஒரு பழைய புத்தகத்தைத் தேடி நூலகத்திற்குச் சென்றேன்."),
            (
                Language::Turkish,
                "Şehirdeki kütüphaneye gittim çünkü çok eski bir kitap arıyordum ama yok dediler.",
            ),
        ] {
            assert_eq!(Language::detect(text), language, "{text}");
        }
    }

    #[test]
    fn a_text_without_evidence_is_other() {
        for text in [
            "",
            "12 + 30",
            "我去城里的图书馆找一本旧书。",
            "彼は図書館に行った。",
            "fn main() { let mut x = vec![1, 2]; for i in x.iter() { if i > 1 { return foo(i) } } }",
            "Я шукав стару книгу в бібліотеці міста, але її там не було, і я пішов додому.",
            "من به کتابخانه شهر رفتم چون دنبال یک کتاب قدیمی می‌گشتم.",
        ] {
            assert_eq!(Language::detect(text), Language::Other, "{text}");
        }
    }

    #[test]
    fn a_few_english_words_are_english() {
        for text in ["Rust compiler", "What is this?", "How do I return a book?", "Opening hours"] {
            assert_eq!(Language::detect(text), Language::English, "{text}");
        }
    }

    #[test]
    fn only_a_text_of_many_function_words_is_surely_of_a_language() {
        let german = "Sehr geehrte Frau Brandt, hiermit kündigen wir den Vertrag über die Wohnung in der Lindenstraße zum Ende \
                      des nächsten Monats. Wir bitten Sie, uns den Eingang dieses Schreibens zu bestätigen und mit uns einen Termin \
                      für die Übergabe zu vereinbaren.";
        assert_eq!(Language::detect_with_certainty(german), (Language::German, true));
        let english = "Dear Ms Brandt, we hereby terminate the lease of the flat in Linden Street at the end of next month. \
                       Would you please confirm that you have received this letter, and suggest when we could hand over the keys?";
        assert_eq!(Language::detect_with_certainty(english), (Language::English, true));
        let table =
            "name,city,team,since\nAnna Berg,Berlin,Sales,2019\nDe la Cruz,Madrid,Ops,2020\n".repeat(9);
        for unsure in ["Hiermit kündigen wir den Vertrag.", &table, "fn main() { let x = 1; }", "", "1 2 3"]
        {
            assert!(!Language::detect_with_certainty(unsure).1, "{unsure}");
        }
    }

    #[test]
    fn a_foreign_name_does_not_change_the_language() {
        assert_eq!(
            Language::detect("The word Ελλάδα is what the Greeks call their country."),
            Language::English
        );
    }

    #[test]
    fn keywords_are_sorted_for_binary_search() {
        assert!(KEYWORDS.is_sorted());
    }
}
