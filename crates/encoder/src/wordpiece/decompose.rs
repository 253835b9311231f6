//! Canonical decomposition of characters, with the bytes of the text that each part is made of.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;
use vademecum_text::normal_forms::{Form, normalised};

/// A character, and the bytes of the text that it is made of.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) character: char,
    pub(super) range: Range<usize>,
}

/// Decomposes characters; keeps what it has decomposed, because a browser takes longer to ask than a table.
#[derive(Debug, Default)]
pub(super) struct Decomposer {
    known: FxHashMap<char, Box<str>>,
}

impl Decomposer {
    /// Returns the parts of a run of characters in canonical order.
    pub(super) fn decompose(&mut self, run: &[Placed]) -> Vec<Placed> {
        let mut parts = Vec::with_capacity(run.len());
        for Placed { character, range } in run {
            let known = self.known.entry(*character);
            let decomposed =
                known.or_insert_with(|| normalised(character.encode_utf8(&mut [0; 4]), Form::Nfd).into());
            parts.extend(decomposed.chars().map(|character| Placed { character, range: range.clone() }));
        }
        if run.len() > 1 {
            order(&mut parts);
        }
        parts
    }
}

/// Moves decomposed characters into canonical order. Those of one combining class keep theirs.
fn order(parts: &mut [Placed]) {
    let written: String = parts.iter().map(|placed| placed.character).collect();
    let ordered = normalised(&written, Form::Nfd);
    if ordered == written {
        return;
    }
    let mut places: FxHashMap<char, VecDeque<Placed>> = FxHashMap::default();
    for placed in parts.iter() {
        places.entry(placed.character).or_default().push_back(placed.clone());
    }
    for (into, character) in parts.iter_mut().zip(ordered.chars()) {
        if let Some(placed) = places.get_mut(&character).and_then(VecDeque::pop_front) {
            *into = placed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_canonical_order_with_the_bytes_that_they_are_made_of() {
        let run = ['é', '\u{5b4}', '\u{323}'].map(|character| Placed { character, range: 0..0 });
        let run: Vec<Placed> =
            run.into_iter().enumerate().map(|(at, placed)| Placed { range: at..at + 1, ..placed }).collect();
        let parts: Vec<(char, usize)> = Decomposer::default()
            .decompose(&run)
            .into_iter()
            .map(|placed| (placed.character, placed.range.start))
            .collect();
        assert_eq!(parts, [('e', 0), ('\u{5b4}', 1), ('\u{323}', 2), ('\u{301}', 0)]);
    }
}
