//! Detects instructions to a model in plain words.

use super::phrase_tokens::{phrases, pieces, words};
use super::phrases::{ENGLISH, OTHERS, PIECES};
use super::suspicion::Found;

/// Returns the phrases that tell a model what to do.
pub(super) fn instructions(text: &str) -> Vec<Found> {
    let plain = words(text, |letter| letter);
    let mut found = phrases(&plain, &ENGLISH);
    found.extend(phrases(&plain, &OTHERS));
    found.extend(pieces(text, PIECES));
    found
}
