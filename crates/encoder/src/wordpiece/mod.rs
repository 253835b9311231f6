//! WordPiece, the tokenizer of BERT models, without a runtime of its own.
//!
//! Returns the ids that the crate `tokenizers` returns, and adds a fraction of its code to a module: it uses the same
//! tables of categories, which decide what is removed, what separates words and which marks are stripped. Any other
//! tokenizer is left to that crate.

mod decompose;
mod file;
mod words;

use crate::encoded::{Encoded, EncodedPair, Placed};
use crate::errors::tokenizer_invalid;
use file::{File, Part};
use rustc_hash::FxHashMap;
use std::ops::Range;
use vademecum_protocol::error::{Result, excerpt};
use words::{Rules, Words};

/// A loaded tokenizer.
#[derive(Debug)]
pub struct WordPiece {
    /// Pieces that begin a word.
    beginnings: FxHashMap<Box<str>, u32>,
    /// Pieces that continue one, without the prefix that marks them.
    continuations: FxHashMap<Box<str>, u32>,
    /// Length of the longest piece in bytes.
    longest: usize,
    unknown: u32,
    max_word: usize,
    rules: Rules,
    /// Tokens that are found in texts before these are normalised, the longest first.
    special: Vec<(Box<str>, u32)>,
    single: Vec<Part>,
    pair: Vec<Part>,
    vocabulary: usize,
    max_tokens: usize,
}

impl WordPiece {
    /// Parses a `tokenizer.json`; `None` if it is of another kind. Its truncation and padding settings are
    /// replaced: `max_tokens` applies, and there is no padding.
    ///
    /// # Errors
    /// `tokenizer_invalid`, naming `url`.
    pub fn load(json: &[u8], url: &str, max_tokens: usize) -> Result<Option<Self>> {
        let invalid = |reason: String| tokenizer_invalid(url, &excerpt(&reason, 200));
        let Some(file) = file::parse(json).map_err(invalid)? else { return Ok(None) };
        let File { vocabulary, unknown, prefix, max_word, rules, mut special, single, pair } = file;
        let unknown = *vocabulary
            .get(unknown.as_str())
            .ok_or_else(|| invalid(format!("its vocabulary has no token {unknown}")))?;
        let longest = vocabulary.keys().map(|piece| piece.len()).max().unwrap_or(0);
        let size =
            vocabulary.len() + special.iter().filter(|(token, _)| !vocabulary.contains_key(token)).count();
        let of_templates = single.iter().chain(&pair).flat_map(|part| match part {
            Part::Special { ids, .. } => ids.as_slice(),
            _ => &[],
        });
        let ids = vocabulary.values().chain(special.iter().map(|(_, id)| id)).chain(of_templates);
        // A vocabulary may have gaps.
        let size = ids.max().map_or(size, |most| size.max(*most as usize + 1));
        let continuations = vocabulary
            .iter()
            .filter_map(|(piece, id)| Some((piece.strip_prefix(prefix.as_str())?.into(), *id)))
            .collect();
        special.sort_by_key(|(token, _)| std::cmp::Reverse(token.len()));
        Ok(Some(Self {
            beginnings: vocabulary,
            continuations,
            longest,
            unknown,
            max_word,
            rules,
            special,
            single,
            pair,
            vocabulary: size,
            max_tokens,
        }))
    }

    /// Tokenises a text.
    pub fn encode(&self, text: &str) -> Encoded {
        let mut tokens = self.tokens(text);
        let truncated = tokens.len() > self.room();
        tokens.truncate(self.room());
        Encoded { ids: assembled(&self.single, &tokens, &[]).0, truncated }
    }

    /// Tokenises a text after a prefix, and returns where the tokens of the text are from.
    pub fn encode_placed(&self, prefix: &str, text: &str) -> Placed {
        let mut places = Vec::new();
        let mut tokens = self.tokens_of(&format!("{prefix}{text}"), &mut |place| places.push(place));
        let truncated = tokens.len() > self.room();
        tokens.truncate(self.room());
        places.truncate(self.room());
        let (ids, _, _) = assembled(&self.single, &tokens, &[]);
        let before = self.single.iter().take_while(|part| matches!(part, Part::Special { .. })).map(length);
        let of_prefix = places.iter().take_while(|place| place.start < prefix.len()).count();
        let start = before.sum::<usize>() + of_prefix;
        let in_text = |place: Range<usize>| place.start - prefix.len()..place.end - prefix.len();
        Placed {
            encoded: Encoded { ids, truncated },
            start,
            places: places.into_iter().skip(of_prefix).map(in_text).collect(),
        }
    }

    /// Tokenises a pair of texts. The second one is cut to what the first one leaves, which is at least half.
    pub fn encode_pair(&self, first: &str, second: &str) -> EncodedPair {
        let room = self.max_tokens.saturating_sub(added(&self.pair));
        let mut words = Vec::new();
        let (mut first, mut other) =
            (self.tokens(first), self.tokens_of(second, &mut |word| words.push(word)));
        first.truncate((room / 2).max(room.saturating_sub(other.len())));
        let truncated = other.len() > room - first.len();
        other.truncate(room - first.len());
        words.truncate(other.len());
        let (ids, second, start) = assembled(&self.pair, &first, &other);
        EncodedPair { ids, second, start, words, truncated }
    }

    /// Counts the tokens of `text` without special tokens, up to `max_tokens`.
    pub fn count(&self, text: &str) -> usize {
        self.tokens(text).len().min(self.max_tokens)
    }

    /// Returns the size of the vocabulary, gaps included; every id is smaller.
    pub const fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Returns the number of tokens of a text that the model takes.
    fn room(&self) -> usize {
        self.max_tokens.saturating_sub(added(&self.single))
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokens_of(text, &mut |_| {})
    }

    /// Returns the ids of a text; passes the bytes of the word that each is a piece of to `place`.
    fn tokens_of(&self, text: &str, place: &mut dyn FnMut(Range<usize>)) -> Vec<u32> {
        let mut tokens = Vec::new();
        let mut words = Words::new(self.rules);
        let (mut start, mut rest) = (0, text);
        loop {
            let found = self.first_special(rest);
            let before = found.map_or(rest, |(at, _, _)| rest.split_at(at).0);
            words.split(before, &mut |word, Range { start: from, end: to }| {
                let known = tokens.len();
                self.pieces(word, &mut tokens);
                (known..tokens.len()).for_each(|_| place(start + from..start + to));
            });
            let Some((at, length, id)) = found else { return tokens };
            tokens.push(id);
            place(start + at..start + at + length);
            start += at + length;
            rest = rest.split_at(at + length).1;
        }
    }

    /// Returns the place, length and id of the first special token of a text, the longest one of a place.
    fn first_special(&self, text: &str) -> Option<(usize, usize, u32)> {
        let found =
            self.special.iter().filter_map(|(token, id)| Some((text.find(&**token)?, token.len(), *id)));
        // The longest ones come first, and `min_by_key` keeps the first of equals.
        found.min_by_key(|(at, _, _)| *at)
    }

    /// Appends the ids of a word's pieces: at each place the longest that is known.
    fn pieces(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        if word.len() > self.max_word && word.chars().count() > self.max_word {
            tokens.push(self.unknown);
            return;
        }
        let mut start = 0;
        while start < word.len() {
            let known = if start == 0 { &self.beginnings } else { &self.continuations };
            let most = word.len().min(start + self.longest);
            let piece =
                (start + 1..=most).rev().find_map(|end| Some((end, *known.get(word.get(start..end)?)?)));
            let Some((end, id)) = piece else {
                tokens.truncate(before);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(id);
            start = end;
        }
    }
}

/// Returns the number of special tokens in a template.
fn added(template: &[Part]) -> usize {
    template.iter().map(length).sum()
}

/// Returns the number of special tokens in a part of a template.
fn length(part: &Part) -> usize {
    if let Part::Special { ids, .. } = part { ids.len() } else { 0 }
}

/// Fills in a template: returns its ids, where the second segment begins, and where the second text does.
fn assembled(template: &[Part], first: &[u32], second: &[u32]) -> (Vec<u32>, usize, usize) {
    let (mut ids, mut length_of_first, mut start) = (Vec::new(), 0, 0);
    for part in template {
        let (of_part, segment) = match part {
            Part::Special { ids, segment } => (ids.as_slice(), *segment),
            Part::First { segment } => (first, *segment),
            Part::Second { segment } => {
                start = ids.len();
                (second, *segment)
            }
        };
        ids.extend(of_part);
        if segment == 0 {
            length_of_first = ids.len();
        }
    }
    (ids, length_of_first, start)
}
