//! An answer on its way to whoever reads it: without what a page would load, run or follow by itself or at a click, unless the
//! documents hold that very address.
//!
//! A screen reads an answer once, from left to right, in whatever pieces it comes; what it has passed on it never takes back.
//! It holds back no more than it must see to tell, and never more than [`LONGEST`] bytes of one thing: what is longer is
//! taken apart. Code is left as it is where it is code to every reader; in doubt it is text.

use super::address::{LONGEST, ends_word, find};
use super::allowed::Allowed;
use super::code_fence::{CodeFence, Line};
use super::invisible::{is_invisible, is_kept};
use super::link::{closing, definition, end_of_word, ends_for_all, target};
use super::part;
use super::removed::{Removed, RemovedKind};
use super::tag::{Tag, tag};
use std::collections::VecDeque;

/// Bytes that are held back for a bracket that may begin a link.
const HELD: usize = 1_000;
/// Bytes of what was said last.
const WORD: usize = 100;
/// How much of what was removed is told, in bytes.
const TOLD: usize = 300;
/// How many are told.
const MOST_TOLD: usize = 100;

/// A bracket that is open.
#[derive(Debug)]
struct Open {
    /// Where it stands in what is held back.
    at: usize,
    /// Whether it began as `![`, which stands there as `! [`.
    image: bool,
    /// What was said just before it, as far as it is one word.
    word: String,
}

/// An answer while it is read.
#[derive(Debug)]
pub struct Screen {
    allowed: Allowed,
    /// What has come, is visible, and is not looked at yet.
    input: String,
    /// A letter whose neighbour has not come yet.
    last: Option<char>,
    /// The letter kept before it.
    before: Option<char>,
    /// What is held back although it is looked at.
    out: String,
    open: VecDeque<Open>,
    /// What was said last, as far as it is one word.
    word: String,
    line: Line,
    /// Whether something was removed just now: what follows must not make something new with what stands before it.
    joined: bool,
    /// Whether an address is removed that has not ended.
    swallowing: bool,
    /// Whether the next word is where a definition leads that may not lead there.
    defines: bool,
    /// Whether an address was passed on just now: something else behind it has to stand apart.
    sealed: bool,
    /// Whether code between backticks is read.
    in_ticks: bool,
    removed: Vec<Removed>,
}

impl Screen {
    /// For an answer that may name these addresses.
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
            joined: false,
            swallowing: false,
            defines: false,
            sealed: false,
            in_ticks: false,
            removed: Vec::new(),
        }
    }

    /// Takes the next piece, and gives what can be passed on.
    pub fn feed(&mut self, piece: &str) -> String {
        for letter in piece.chars() {
            if let Some(last) = self.last.take() {
                self.take(last, Some(letter));
            }
            // What is seen is kept whatever follows.
            if is_invisible(letter) { self.last = Some(letter) } else { self.take(letter, None) }
        }
        self.look(false);
        let until = self.open.front().map_or(self.out.len(), |open| open.at);
        let held = self.out.split_off(until);
        self.open.iter_mut().for_each(|open| open.at -= until);
        std::mem::replace(&mut self.out, held)
    }

    /// Gives the rest.
    pub fn finish(&mut self) -> String {
        if let Some(last) = self.last.take() {
            self.take(last, None);
        }
        self.look(true);
        self.open.clear();
        std::mem::take(&mut self.out)
    }

    /// What was removed so far.
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }

    /// How many bytes are held back.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.input.len() + self.out.len()
    }

    fn take(&mut self, letter: char, behind: Option<char>) {
        if is_kept(self.before, letter, behind) {
            self.input.push(letter);
            self.before = Some(letter);
        }
    }

    /// Looks at what has come, as far as can be told.
    fn look(&mut self, end: bool) {
        let input = std::mem::take(&mut self.input);
        let mut rest = input.as_str();
        while !rest.is_empty() {
            let Some(length) = self.step(rest, end) else { break };
            let Some(behind) = rest.get(length.max(1)..) else {
                debug_assert!(false, "a thing that ends within a letter");
                self.remove(RemovedKind::Address, rest); // what cannot be told apart is not passed on
                rest = "";
                break;
            };
            rest = behind;
            while self.open.front().is_some_and(|open| self.out.len() - open.at > HELD) {
                self.open.pop_front();
            }
        }
        self.input = rest.to_owned();
    }

    /// Looks at one thing, and says how long it was; nothing where more must come first.
    fn step(&mut self, rest: &str, end: bool) -> Option<usize> {
        // Everything that is looked at as one ends within this, so nothing depends on the pieces it came in.
        let window = rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or(rest);
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
                    // What stands behind the mark is read as code.
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
                    || (self.joined && self.word.ends_with(['<', ']']));
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

    /// Keeps what comes after something removed from making one thing with what came before it.
    fn separate(&mut self, next: char) {
        let joins = self.joined
            && !next.is_whitespace()
            && match self.word.chars().last() {
                Some('<' | '&' | '\\') => true,
                Some(']') => "([:".contains(next),
                Some('!') => next == '[',
                // Longer marks would not close the code before them any more: what it held would be text.
                Some(mark @ ('`' | '~')) => next == mark,
                _ => false,
            };
        if joins {
            self.push(" ");
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.joined = false;
        self.line.saw(text);
        let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
        if last.len() < text.len() {
            self.word.clear();
        }
        self.word.push_str(last);
        if self.word.len() > WORD {
            let from = self.word.ceil_char_boundary(self.word.len() - WORD);
            self.word.drain(..from);
        }
    }

    fn remove(&mut self, kind: RemovedKind, text: &str) {
        self.joined = true;
        self.line.lost();
        // Marks of code that were apart may be side by side now.
        self.line.unsure |= self.word.ends_with(['`', '~']);
        if self.removed.len() < MOST_TOLD {
            let text = text.get(..text.floor_char_boundary(TOLD)).unwrap_or(text).to_owned();
            self.removed.push(Removed { kind, text });
        }
    }

    /// A word of a text or of code, up to what ends one.
    fn word_of(&mut self, window: &str, known: bool) -> Option<usize> {
        let ended = end_of_word(window);
        let length = ended.or(known.then_some(window.len()))?;
        let word = window.get(..length)?;
        self.said(word, ended.is_none() && length + 4 > LONGEST);
        Some(length)
    }

    /// A word, without a foreign address in it; what is cut off may go on.
    fn said(&mut self, word: &str, cut: bool) {
        let Some(parts) = find(word) else {
            if let Some(first) = word.chars().next() {
                self.separate(first);
            }
            if self.joined && !self.word.is_empty() && find(&format!("{}{word}", self.word)).is_some() {
                self.push(" ");
            }
            return self.push(word);
        };
        if self.allowed.holds(parts.address) && !cut && !self.joined {
            self.sealed = false;
            if !parts.before.is_empty() {
                self.said(parts.before, false);
            }
            if self.joined || self.sealed {
                self.push(" ");
            }
            return self.kept(parts.address, parts.behind);
        }
        let bracketed = parts.before.strip_suffix('(').zip(parts.behind.strip_prefix(')'));
        let (before, behind) = bracketed.unwrap_or((parts.before, parts.behind));
        if before.starts_with('(') && self.word.ends_with(']') {
            self.push(" "); // what led nowhere with the address might lead somewhere without
        }
        self.sealed = false;
        if !before.is_empty() {
            self.said(before, false);
        }
        // A kept address before the removed one has to stand apart from what stands behind it.
        if self.sealed && !behind.is_empty() {
            self.push(" ");
        }
        self.remove(RemovedKind::Address, parts.address);
        self.swallowing = cut;
        if !behind.is_empty() && !cut {
            self.said(behind, false);
        }
    }

    /// An address that is allowed, so that every reader ends it before what stands behind it.
    fn kept(&mut self, address: &str, behind: &str) {
        if self.in_ticks || self.line.in_code() {
            self.push(address);
            return self.push(behind);
        }
        // The name before an `@` may hold almost any sign.
        let joins = address.contains('@') && self.word.ends_with(|sign| !"([".contains(sign));
        self.sealed = ends_for_all(address, behind) && !joins;
        let can_be_bracketed =
            self.open.is_empty() && !self.word.ends_with('\\') && self.allowed.stands_in_brackets(address);
        match (self.sealed, can_be_bracketed) {
            (true, _) => self.push(address),
            (false, true) => self.push(&format!("<{address}>")),
            (false, false) => self.push(&format!("{}{address} ", if joins { " " } else { "" })),
        }
        self.push(behind);
    }

    /// Code between backticks, where it is code beyond doubt: on one line, and with none left open before it.
    fn ticks(&mut self, sign: char, window: &str, known: bool) -> Option<usize> {
        let run = window.len() - window.trim_start_matches(sign).len();
        if run == window.len() && !known {
            return None;
        }
        let (marks, behind) = window.split_at(run);
        let line = behind.split_once('\n').map_or(behind, |(line, _)| line);
        let doubtful = self.line.doubtful() || self.word.ends_with('\\') || self.joined || sign == '~';
        let closed = if doubtful { None } else { closing(line, run) };
        // A run at the end of what has come may go on.
        let ends = closed.is_none_or(|end| end + run == line.len());
        if ends && line.len() == behind.len() && !known && !doubtful {
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
                    let (word, behind) = rest.split_at(length);
                    if ends_word(first) {
                        self.separate(first);
                        self.push(word);
                    } else {
                        self.said(word, false);
                    }
                    rest = behind;
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

    /// A tag of HTML goes, whatever it is; an address that is allowed stays in its angle brackets.
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
                if self.allowed.stands_in_brackets(inside) && !self.joined {
                    // An escaped bracket is none, and the other one would be a part of the address.
                    if self.word.ends_with('\\') {
                        self.push(" ");
                    }
                    self.push(text);
                } else if self.allowed.holds(inside) && !self.joined {
                    // Brackets make no link of it to any reader, and the second one would be a part of it to some.
                    if !self.word.is_empty() {
                        self.push(" ");
                    }
                    self.kept(inside, "");
                } else {
                    let address = find(inside).is_some_and(|parts| parts.before.is_empty());
                    self.remove(if address { RemovedKind::Address } else { RemovedKind::Html }, text);
                }
                Some(length)
            }
        }
    }

    /// The end of a bracket, and where it leads if it is that of a link or a picture.
    fn closed(&mut self, window: &str, known: bool) -> Option<usize> {
        let behind = window.get(1..)?;
        let target = match behind.strip_prefix('(') {
            Some(inside) => target(inside, known)?,
            None if behind.is_empty() && !known => return None,
            None => None,
        };
        let defined = match behind.strip_prefix(':') {
            Some(inside) => definition(inside, known)?,
            None => None,
        };
        let opened = self.open.pop_back();
        if let Some(target) = defined.filter(|target| self.joined || !self.allowed.leads_to(target)) {
            // With a space it defines nothing. What does not look like an address is a word of the text.
            self.defines = target.contains(|sign: char| !sign.is_alphanumeric());
            self.separate(']');
            self.push("] :");
            return Some(2);
        }
        let Some((target, length)) = target else {
            // A reader that sees a link where none was found must not make one.
            let broken = behind.starts_with('(');
            self.separate(']');
            self.push(if broken { "] (" } else { "]" });
            return Some(if broken { 2 } else { 1 });
        };
        let image = opened.as_ref().is_some_and(|open| open.image);
        let inner = opened.as_ref().and_then(|open| self.out.get(open.at + 1..)).unwrap_or_default();
        if !image && opened.is_some() && !self.joined && self.allowed.leads_to(target) {
            let link = format!("]({target})");
            self.push(&link);
            return Some(2 + length);
        }
        // What is cited stays cited, also where somebody has made a link of it.
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
