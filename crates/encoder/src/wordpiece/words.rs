//! Splits texts into words as BERT's tokenizer does.

use super::decompose::{Decomposer, Placed};
use std::ops::Range;
use unicode_categories::UnicodeCategories;
use vademecum_text::normal_forms::{Form, is_invariant};

/// What is done to a text before it is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Whether control characters are removed.
    pub(super) clean_text: bool,
    /// Whether each Chinese character is a word.
    pub(super) handle_chinese_chars: bool,
    /// Whether accents are stripped; where absent, if letters are lowercased.
    pub(super) strip_accents: Option<bool>,
    /// Whether letters are lowercased.
    pub(super) lowercase: bool,
}

/// Takes a word, and the bytes of the text that it is made of. Not a type parameter: there would be a copy of the code for each.
type Emit<'a> = &'a mut dyn FnMut(&str, Range<usize>);

/// Splits texts; keeps its memory between them.
#[derive(Debug)]
pub(super) struct Words {
    rules: Rules,
    word: String,
    /// The bytes of the text that the word is made of.
    range: Range<usize>,
    /// Characters that may change or move when they are decomposed, until the next one that does neither.
    waiting: Vec<Placed>,
    decomposer: Decomposer,
}

impl Words {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            word: String::new(),
            range: 0..0,
            waiting: Vec::new(),
            decomposer: Decomposer::default(),
        }
    }

    /// Passes each word of a text to `emit`, with the bytes of the text that it is made of.
    pub(super) fn split(&mut self, text: &str, emit: Emit<'_>) {
        let Rules { clean_text, handle_chinese_chars, .. } = self.rules;
        for (start, character) in text.char_indices() {
            let is_control = character == '\0' || character == '\u{fffd}' || is_control(character);
            if clean_text && is_control {
                continue;
            }
            let is_word = handle_chinese_chars && is_chinese(character);
            if is_word {
                self.end(emit);
            }
            self.push(Placed { character, range: start..start + character.len_utf8() }, emit);
            if is_word {
                self.end(emit);
            }
        }
        self.end(emit);
    }

    fn push(&mut self, placed: Placed, emit: Emit<'_>) {
        let Rules { strip_accents, lowercase, .. } = self.rules;
        if !strip_accents.unwrap_or(lowercase) {
            self.place_cased(placed, emit);
        } else if is_invariant(placed.character, Form::Nfd) {
            self.place_waiting(emit);
            self.place_cased(placed, emit);
        } else {
            self.waiting.push(placed);
        }
    }

    /// Ends a word, and what it may still be joined by.
    fn end(&mut self, emit: Emit<'_>) {
        self.place_waiting(emit);
        self.end_word(emit);
    }

    fn place_waiting(&mut self, emit: Emit<'_>) {
        if self.waiting.is_empty() {
            return;
        }
        let parts = self.decomposer.decompose(&self.waiting);
        self.waiting.clear();
        for placed in parts.into_iter().filter(|placed| !placed.character.is_mark_nonspacing()) {
            self.place_cased(placed, emit);
        }
    }

    fn place_cased(&mut self, placed: Placed, emit: Emit<'_>) {
        if placed.character.is_ascii() {
            let character =
                if self.rules.lowercase { placed.character.to_ascii_lowercase() } else { placed.character };
            self.place(Placed { character, ..placed }, emit);
        } else if self.rules.lowercase {
            for character in placed.character.to_lowercase() {
                self.place(Placed { character, range: placed.range.clone() }, emit);
            }
        } else {
            self.place(placed, emit);
        }
    }

    /// Appends a character to the word, or ends it.
    fn place(&mut self, Placed { character, range }: Placed, emit: Emit<'_>) {
        if character.is_whitespace() {
            self.end_word(emit);
        } else if character.is_ascii_punctuation() || (!character.is_ascii() && character.is_punctuation()) {
            self.end_word(emit);
            emit(character.encode_utf8(&mut [0; 4]), range);
        } else {
            if self.word.is_empty() {
                self.range.start = range.start;
            }
            self.range.end = range.end;
            self.word.push(character);
        }
    }

    fn end_word(&mut self, emit: Emit<'_>) {
        if !self.word.is_empty() {
            emit(&self.word, self.range.clone());
            self.word.clear();
        }
    }
}

fn is_control(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | ' '..='~' => false,
        _ => character.is_other(),
    }
}

/// Returns whether a character is in one of the blocks of Chinese characters, as BERT counts them.
fn is_chinese(character: char) -> bool {
    matches!(
        u32::from(character),
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x2A6DF | 0x2A700..=0x2B81F
            | 0x2B920..=0x2CEAF | 0x2F800..=0x2FA1F
    )
}
