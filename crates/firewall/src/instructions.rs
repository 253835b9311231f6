//! Instructions to a model in plain words.

use super::phrase_tokens::{phrases, pieces, words};
use super::phrases::{ENGLISH, OTHERS, PIECES};
use super::suspicion::Found;

/// Returns what says in plain words what a model has to do.
pub(super) fn instructions(text: &str) -> Vec<Found> {
    let plain = words(text, |letter| letter);
    let mut found = phrases(&plain, &ENGLISH);
    found.extend(phrases(&plain, &OTHERS));
    found.extend(pieces(text, PIECES));
    found
}
