//! References of a sentence to the one before.

use vademecum_text::terms::words;

/// Words with which a sentence refers to the one before, in English, German, French and Spanish.
const BACK: [&str; 31] = [
    "he", "she", "it", "they", "his", "her", "its", "their", "this", "that", "these", "those", "such", "er",
    "sie", "es", "dies", "diese", "dieser", "dieses", "ihr", "sein", "il", "elle", "ils", "elles", "ce",
    "cette", "este", "esta", "ellos",
];

/// Words near the beginning of a sentence that refer to the one before: "Do it in a bucket". With a capital, "Sie" is the reader.
const OBJECTS: [&str; 4] = ["it", "them", "es", "sie"];
/// The same at the beginning, in two words.
const AFTER_THAT: [&str; 3] = ["after that", "before that", "instead of"];

/// Returns whether a sentence goes on about the one before: one of its first words refers to it.
pub(super) fn goes_on(sentence: &str) -> bool {
    let low = sentence.to_lowercase();
    let is_after = AFTER_THAT.iter().any(|words| low.starts_with(words));
    refers_back(sentence) || is_after || words(sentence).take(3).any(|(_, word)| OBJECTS.contains(&word))
}

/// Returns whether a sentence begins with a word that refers to the one before.
pub(super) fn refers_back(sentence: &str) -> bool {
    words(sentence).next().is_some_and(|(_, word)| BACK.contains(&word.to_lowercase().as_str()))
}
