//! Streaming sanitiser for answers: removes HTML, images and every address that the evidence does not contain, so that a page
//! that shows the answer loads, runs or follows nothing else.
//!
//! A screen reads an answer once, from left to right, in pieces of any size, and never retracts what it has emitted. It contains
//! back only what it needs to decide, at most [`MAX_UNIT`] bytes of one unit; longer units are broken up. Code is left as it is
//! where every reader agrees that it is code, and treated as text otherwise.

use super::address::{MAX_UNIT, ends_word, find};
use super::allowed::Allowed;
use super::code_fence::{CodeFence, Line};
use super::invisible::{is_invisible, is_kept};
use super::link::{closing, definition, end_of_word, ends_for_all, target};
use super::part;
use super::removed::{Removed, RemovedKind};
use super::tag::{Tag, tag};
use std::collections::VecDeque;

/// Maximum number of bytes held back for a bracket that may begin a link.
const MAX_HELD: usize = 1_000;
/// Number of bytes of the last word that are kept.
const MAX_WORD: usize = 100;
/// Maximum length in bytes of a reported removal.
const MAX_REPORTED_LENGTH: usize = 300;
/// Maximum number of reported removals.
const MAX_REPORTED: usize = 100;

/// An open bracket.
#[derive(Debug)]
struct Open {
    /// Position in the output that is held back.
    at: usize,
    /// Whether it began as `![`, which the output contains as `! [`.
    image: bool,
    /// The word directly before it.
    word: String,
}

/// The state of the sanitiser within an answer.
#[derive(Debug)]
pub struct Screen {
    allowed: Allowed,
    /// Visible input that has not been examined.
    input: String,
    /// A character whose successor is still unknown.
    last: Option<char>,
    /// The last kept character before it.
    before: Option<char>,
    /// Examined output that is held back.
    out: String,
    open: VecDeque<Open>,
    /// The last word emitted.
    word: String,
    line: Line,
    /// Whether something was just removed: the text on both sides must not join into something new.
    after_removal: bool,
    /// Whether the rest of an overlong address is being removed.
    swallowing: bool,
    /// Whether the next word is the target of a link definition that is not allowed.
    defines: bool,
    /// Whether an address was just emitted that must be separated from what follows.
    sealed: bool,
    /// Whether a code span is being read.
    in_ticks: bool,
    removed: Vec<Removed>,
}

impl Screen {
    /// Creates a screen for an answer that may contain these addresses.
    pub fn new(allowed: Allowed) -> Self {
        Self {
            allowed,
            input: String::new(),
            last: None,
            before: None,
            out: String::new(),
            open: VecDeque::new(),
            word: String::new(),
            line: Line::default(),
            after_removal: false,
            swallowing: false,
            defines: false,
            sealed: false,
            in_ticks: false,
            removed: Vec::new(),
        }
    }

    /// Feeds the next piece; returns the text that can be emitted.
    pub fn feed(&mut self, piece: &str) -> String {
        for letter in piece.chars() {
            if let Some(last) = self.last.take() {
                self.take(last, Some(letter));
            }
            // A visible character is kept whatever follows.
            if is_invisible(letter) { self.last = Some(letter) } else { self.take(letter, None) }
        }
        self.examine(false);
        let until = self.open.front().map_or(self.out.len(), |open| open.at);
        let held = self.out.split_off(until);
        self.open.iter_mut().for_each(|open| open.at -= until);
        std::mem::replace(&mut self.out, held)
    }

    /// Ends the answer; returns the rest of its text.
    pub fn finish(&mut self) -> String {
        if let Some(last) = self.last.take() {
            self.take(last, None);
        }
        self.examine(true);
        self.open.clear();
        std::mem::take(&mut self.out)
    }

    /// Returns what was removed so far.
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }

    /// Returns the number of bytes held back.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.input.len() + self.out.len()
    }

    fn take(&mut self, letter: char, after: Option<char>) {
        if is_kept(self.before, letter, after) {
            self.input.push(letter);
            self.before = Some(letter);
        }
    }

    /// Examines the input as far as it can be decided.
    fn examine(&mut self, end: bool) {
        let input = std::mem::take(&mut self.input);
        let mut rest = input.as_str();
        while !rest.is_empty() {
            let Some(length) = self.step(rest, end) else { break };
            let Some(after) = rest.get(length.max(1)..) else {
                debug_assert!(false, "a thing that ends within a letter");
                self.remove(RemovedKind::Address, rest); // fail closed: unparsable text is not emitted
                rest = "";
                break;
            };
            rest = after;
            while self.open.front().is_some_and(|open| self.out.len() - open.at > MAX_HELD) {
                self.open.pop_front();
            }
        }
        self.input = rest.to_owned();
    }

    /// Examines one unit and returns its length in bytes, or `None` if more input is needed.
    fn step(&mut self, rest: &str, end: bool) -> Option<usize> {
        // Every unit ends within this window, so the result does not depend on how the input was split.
        let window = rest.get(..rest.floor_char_boundary(MAX_UNIT)).unwrap_or(rest);
        let whole = end && window.len() == rest.len();
        let full = window.len() < rest.len();
        let first = rest.chars().next()?;
        if self.swallowing {
            let length = rest.find(ends_word);
            self.swallowing = length.is_none();
            return Some(length.unwrap_or(rest.len()))
                .filter(|length| *length > 0)
                .or_else(|| self.step(rest, end));
        }
        if std::mem::take(&mut self.sealed) && !first.is_whitespace() {
            self.push(" ");
        }
        if self.line.at_start && !self.line.unsure {
            let line = window.split_once('\n').map_or(window, |(line, _)| line);
            match self.line.fence(line, whole || full || line.len() < window.len())? {
                CodeFence::None => self.line.at_start = false,
                CodeFence::Line => {
                    self.open.clear();
                    self.defines = false;
                    self.line.at_start = false;
                    // The info string after the fence is read as code.
                    let info = line.trim_start_matches([' ', '`', '~']);
                    let (marks, _) = line.split_at(line.len() - info.len());
                    self.push(marks);
                    return Some(marks.len());
                }
            }
        }
        if first == '\n' {
            self.push("\n");
            if self.line.end() {
                self.open.clear();
            }
            return Some(1);
        }
        if first.is_whitespace() {
            self.push(rest.get(..first.len_utf8())?);
            return Some(first.len_utf8());
        }
        let known = whole || full;
        if self.defines {
            let length = window.find(char::is_whitespace).or(known.then_some(window.len()))?;
            self.defines = false;
            self.swallowing = length == window.len() && full;
            self.remove(RemovedKind::Link, window.get(..length)?);
            return Some(length);
        }
        if self.line.in_code() {
            return if ends_word(first) { self.literal(first) } else { self.word_of(window, known) };
        }
        match first {
            '`' | '~' => self.ticks(first, window, known),
            '<' => self.tag(window, known),
            '[' => {
                // `//[::1]` is a host.
                let joins = self.word.ends_with(['!', '\\'])
                    || self.word.ends_with("//")
                    || (self.after_removal && self.word.ends_with(['<', ']']));
                if joins {
                    self.push(" ");
                }
                self.opened(false);
                self.literal(first)
            }
            ']' => self.closed(window, known),
            '!' if window.len() == 1 && !known => None,
            '!' if window.starts_with("![") => {
                self.separate('!');
                self.opened(true);
                self.push("! [");
                Some(2)
            }
            letter if ends_word(letter) => self.literal(letter),
            _ => self.word_of(window, known),
        }
    }

    fn opened(&mut self, image: bool) {
        self.open.push_back(Open { at: self.out.len(), image, word: self.word.clone() });
    }

    fn literal(&mut self, letter: char) -> Option<usize> {
        self.separate(letter);
        self.push(letter.encode_utf8(&mut [0; 4]));
        Some(letter.len_utf8())
    }

    /// Inserts a space if `next` would join with the text before a removal into something new.
    fn separate(&mut self, next: char) {
        let joins = self.after_removal
            && !next.is_whitespace()
            && match self.word.chars().last() {
                Some('<' | '&' | '\\') => true,
                Some(']') => "([:".contains(next),
                Some('!') => next == '[',
                // A longer run of marks would no longer close the code before it, and its content would become text.
                Some(mark @ ('`' | '~')) => next == mark,
                _ => false,
            };
        if joins {
            self.push(" ");
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.after_removal = false;
        self.line.saw(text);
        let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
        if last.len() < text.len() {
            self.word.clear();
        }
        self.word.push_str(last);
        if self.word.len() > MAX_WORD {
            let from = self.word.ceil_char_boundary(self.word.len() - MAX_WORD);
            self.word.drain(..from);
        }
    }

    fn remove(&mut self, kind: RemovedKind, text: &str) {
        self.after_removal = true;
        self.line.lost();
        // Marks of code on both sides of the removal may now be adjacent.
        self.line.unsure |= self.word.ends_with(['`', '~']);
        if self.removed.len() < MAX_REPORTED {
            let text = text.get(..text.floor_char_boundary(MAX_REPORTED_LENGTH)).unwrap_or(text).to_owned();
            self.removed.push(Removed { kind, text });
        }
    }

    /// Reads a word of text or code up to the character that ends it.
    fn word_of(&mut self, window: &str, known: bool) -> Option<usize> {
        let ended = end_of_word(window);
        let length = ended.or(known.then_some(window.len()))?;
        let word = window.get(..length)?;
        self.emit_word(word, ended.is_none() && length + 4 > MAX_UNIT);
        Some(length)
    }

    /// Emits a word without its forbidden address; with `cut`, the word continues beyond the window.
    fn emit_word(&mut self, word: &str, cut: bool) {
        let Some(parts) = find(word) else {
            if let Some(first) = word.chars().next() {
                self.separate(first);
            }
            if self.after_removal && !self.word.is_empty() && find(&format!("{}{word}", self.word)).is_some()
            {
                self.push(" ");
            }
            return self.push(word);
        };
        if self.allowed.contains(parts.address) && !cut && !self.after_removal {
            self.sealed = false;
            if !parts.before.is_empty() {
                self.emit_word(parts.before, false);
            }
            if self.after_removal || self.sealed {
                self.push(" ");
            }
            return self.emit_address(parts.address, parts.after);
        }
        let bracketed = parts.before.strip_suffix('(').zip(parts.after.strip_prefix(')'));
        let (before, after) = bracketed.unwrap_or((parts.before, parts.after));
        if before.starts_with('(') && self.word.ends_with(']') {
            self.push(" "); // the text before the address might become a link once the address is gone
        }
        self.sealed = false;
        if !before.is_empty() {
            self.emit_word(before, false);
        }
        // Text after the removed address must not join with an allowed address before it.
        if self.sealed && !after.is_empty() {
            self.push(" ");
        }
        self.remove(RemovedKind::Address, parts.address);
        self.swallowing = cut;
        if !after.is_empty() && !cut {
            self.emit_word(after, false);
        }
    }

    /// Emits an allowed address so that every reader ends it at the same place.
    fn emit_address(&mut self, address: &str, after: &str) {
        if self.in_ticks || self.line.in_code() {
            self.push(address);
            return self.push(after);
        }
        // The local part before an `@` may contain almost any character.
        let joins = address.contains('@') && self.word.ends_with(|sign| !"([".contains(sign));
        self.sealed = ends_for_all(address, after) && !joins;
        let can_be_bracketed =
            self.open.is_empty() && !self.word.ends_with('\\') && self.allowed.allows_in_brackets(address);
        match (self.sealed, can_be_bracketed) {
            (true, _) => self.push(address),
            (false, true) => self.push(&format!("<{address}>")),
            (false, false) => self.push(&format!("{}{address} ", if joins { " " } else { "" })),
        }
        self.push(after);
    }

    /// Reads a code span if it is one beyond doubt: on one line, with no unclosed backtick before it.
    fn ticks(&mut self, sign: char, window: &str, known: bool) -> Option<usize> {
        let run = window.len() - window.trim_start_matches(sign).len();
        if run == window.len() && !known {
            return None;
        }
        let (marks, after) = window.split_at(run);
        let line = after.split_once('\n').map_or(after, |(line, _)| line);
        let doubtful = self.line.doubtful() || self.word.ends_with('\\') || self.after_removal || sign == '~';
        let closed = if doubtful { None } else { closing(line, run) };
        // A run at the end of the input may continue.
        let ends = closed.is_none_or(|end| end + run == line.len());
        if ends && line.len() == after.len() && !known && !doubtful {
            return None;
        }
        let code = closed.and_then(|end| line.get(..end)).filter(|code| !code.contains('|'));
        self.separate(sign);
        match code {
            Some(code) => {
                self.push(marks);
                self.in_ticks = true;
                let mut rest = code;
                while let Some(first) = rest.chars().next() {
                    let length = end_of_word(rest).filter(|at| *at > 0).unwrap_or(if ends_word(first) {
                        first.len_utf8()
                    } else {
                        rest.len()
                    });
                    let (word, after) = rest.split_at(length);
                    if ends_word(first) {
                        self.separate(first);
                        self.push(word);
                    } else {
                        self.emit_word(word, false);
                    }
                    rest = after;
                }
                self.separate(sign);
                self.push(marks);
                (self.sealed, self.in_ticks) = (false, false);
                Some(run + code.len() + run)
            }
            None => {
                self.push(marks);
                self.line.opened_code(sign, run);
                Some(run)
            }
        }
    }

    /// Removes an HTML tag; keeps an allowed address in angle brackets.
    fn tag(&mut self, window: &str, known: bool) -> Option<usize> {
        match tag(window, known, &self.word)? {
            Tag::Text => self.literal('<'),
            Tag::Kept(length) => {
                self.separate('<');
                self.push(window.get(..length)?);
                Some(length)
            }
            Tag::Removed(length) => {
                let text = window.get(..length)?;
                let inside = text.trim_start_matches('<').trim_end_matches('>');
                if self.allowed.allows_in_brackets(inside) && !self.after_removal {
                    // An escaped bracket is text, and the closing one would become part of the address.
                    if self.word.ends_with('\\') {
                        self.push(" ");
                    }
                    self.push(text);
                } else if self.allowed.contains(inside) && !self.after_removal {
                    // No reader links it in brackets, and some would take the closing one for a part of it.
                    if !self.word.is_empty() {
                        self.push(" ");
                    }
                    self.emit_address(inside, "");
                } else {
                    let address = find(inside).is_some_and(|parts| parts.before.is_empty());
                    self.remove(if address { RemovedKind::Address } else { RemovedKind::Html }, text);
                }
                Some(length)
            }
        }
    }

    /// Closes a bracket and, if it belongs to a link or an image, checks its target.
    fn closed(&mut self, window: &str, known: bool) -> Option<usize> {
        let after = window.get(1..)?;
        let target = match after.strip_prefix('(') {
            Some(inside) => target(inside, known)?,
            None if after.is_empty() && !known => return None,
            None => None,
        };
        let defined = match after.strip_prefix(':') {
            Some(inside) => definition(inside, known)?,
            None => None,
        };
        let opened = self.open.pop_back();
        if let Some(target) =
            defined.filter(|target| self.after_removal || !self.allowed.allows_target(target))
        {
            // A space breaks the definition. A target that does not look like an address is ordinary text.
            self.defines = target.contains(|sign: char| !sign.is_alphanumeric());
            self.separate(']');
            self.push("] :");
            return Some(2);
        }
        let Some((target, length)) = target else {
            // A reader that sees a link where this parser sees none must not get one.
            let broken = after.starts_with('(');
            self.separate(']');
            self.push(if broken { "] (" } else { "]" });
            return Some(if broken { 2 } else { 1 });
        };
        let image = opened.as_ref().is_some_and(|open| open.image);
        let inner = opened.as_ref().and_then(|open| self.out.get(open.at + 1..)).unwrap_or_default();
        if !image && opened.is_some() && !self.after_removal && self.allowed.allows_target(target) {
            let link = format!("]({target})");
            self.push(&link);
            return Some(2 + length);
        }
        // A citation is kept even if the model made it a link.
        let is_cited = !image && self.allowed.cites(inner);
        let text = window.get(2..1 + length)?.to_owned();
        match opened {
            Some(open) if !is_cited => {
                let marks = if open.image { "! [".len() } else { 1 };
                let inside = part(&self.out, open.at + marks..);
                let last = inside.rsplit(char::is_whitespace).next().unwrap_or_default();
                let word = if last.len() < inside.len() { String::new() } else { open.word.clone() } + last;
                let before = open.word.chars().last();
                let first = inside.split(char::is_whitespace).next().unwrap_or_default();
                let sticks = before.is_some_and(|sign| "<!]&\\`~".contains(sign))
                    || (!open.word.is_empty() && find(&format!("{}{first}", open.word)).is_some());
                self.out.replace_range(open.at..open.at + marks, if sticks { " " } else { "" });
                self.line.unsure |= before.is_some_and(|sign| "`~".contains(sign));
                self.word = word;
                self.open.retain(|other| other.at < open.at);
            }
            _ => self.push("]"),
        }
        self.remove(if image { RemovedKind::Image } else { RemovedKind::Link }, &text);
        Some(2 + length)
    }
}
