//! Compares the token vectors of texts with those of a question's words.

use super::runner::Runner;
use crate::alignment::Sought;
use crate::encoded::Placed;
use crate::normalised;
use crate::wordpiece::WordPiece;
use std::ops::Range;
use vademecum_protocol::error::Result;

/// Sentences of which none is about another.
const UNRELATED: [&str; 3] = [
    "The ferry leaves the pier at seven and returns after sunset.",
    "Whisk the egg whites until they are stiff, then fold in the sugar.",
    "The goalkeeper saved two penalties in the second half.",
];

/// Returns the greatest cosine that a token is to be expected to have with those of an unrelated sentence: in some models about 0.3,
/// in others 0.8.
pub(super) fn unrelated((tokens, runner): (&WordPiece, &Runner)) -> Result<f32> {
    let width = runner.encoder().width();
    let units = |text: &&str| {
        let placed = tokens.encode_placed("", text);
        runner.one(&placed.encoded.ids, |vectors| own(&placed, vectors, width).map(normalised).collect())
    };
    let all = UNRELATED.iter().map(units).collect::<Result<Vec<Vec<Vec<f32>>>>>()?;
    let next = all.iter().cycle().skip(1);
    let cosines: Vec<f32> =
        all.iter().zip(next).flat_map(|(one, other)| one.iter().map(|unit| best(unit, other))).collect();
    Ok(cosines.iter().sum::<f32>() / cosines.len().max(1) as f32)
}

/// The unit token vectors of a question's words.
#[derive(Debug)]
pub(super) struct Words {
    width: usize,
    /// The cosine that counts as no match.
    unrelated: f32,
    /// Per word: the vectors of its tokens. Empty for a word that was cut off.
    words: Vec<Vec<Vec<f32>>>,
}

impl Words {
    /// Computes the vectors of a question that is embedded after `prefix`. A cosine that is [`unrelated`] is no match.
    pub(super) fn of(
        (tokens, runner): (&WordPiece, &Runner),
        prefix: &str,
        sought: &Sought,
        unrelated: f32,
    ) -> Result<Self> {
        let placed = tokens.encode_placed(prefix, &sought.question);
        let width = runner.encoder().width();
        let units: Vec<Vec<f32>> = runner
            .one(&placed.encoded.ids, |vectors| own(&placed, vectors, width).map(normalised).collect())?;
        let of_word = |word: &Range<usize>| {
            let is_part = |place: &Range<usize>| place.start < word.end && word.start < place.end;
            placed
                .places
                .iter()
                .zip(&units)
                .filter(|(place, _)| is_part(place))
                .map(|(_, unit)| unit.clone())
                .collect()
        };
        Ok(Self { width, unrelated, words: sought.words.iter().map(of_word).collect() })
    }

    /// Returns how well a text matches each word: 1 where it has the same in the same sense, 0 as an unrelated text, and where one of
    /// both has no tokens.
    pub(super) fn matched_by(&self, text: &Placed, vectors: &[f32]) -> Vec<f32> {
        let units: Vec<Vec<f32>> = own(text, vectors, self.width).map(normalised).collect();
        let of_word = |word: &Vec<Vec<f32>>| {
            if word.is_empty() || units.is_empty() {
                return 0.0;
            }
            let mean = word.iter().map(|token| best(token, &units)).sum::<f32>() / word.len() as f32;
            (mean - self.unrelated) / (1.0 - self.unrelated).max(f32::EPSILON)
        };
        self.words.iter().map(of_word).collect()
    }
}

/// Returns the greatest cosine of a token with others.
fn best(token: &[f32], others: &[Vec<f32>]) -> f32 {
    others.iter().map(|other| dot(token, other)).fold(-1.0, f32::max)
}

/// Returns the vectors of the tokens that are the text's own, not special ones.
fn own<'a>(text: &Placed, vectors: &'a [f32], width: usize) -> impl Iterator<Item = &'a [f32]> {
    vectors.chunks_exact(width.max(1)).skip(text.start).take(text.places.len())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
