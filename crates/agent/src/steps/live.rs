//! A turn of a chat while it comes: what of it is the answer is passed on, and what may still become a call of a tool is held back.
//!
//! The argument of the call that ends a run is the answer from its first letter. Text without a call is the answer, too, but a call
//! may follow it, after a few words of what the model is about to do. So text is held back until it cites a passage, or is longer than
//! such words are; where it is not, until the turn ends. Text that may hold a call in words is held back until then whatever it
//! says: what begins as JSON or a block of code does, and from a model that is asked in words whatever holds a brace.

use super::rows::resolved;
use super::written::tool_name;
use crate::context::Context;
use crate::event::Event;
use crate::llm_call::Live;
use crate::reply::FunctionCall;
use crate::run::Run;
use crate::tools::FINAL_ANSWER;
use std::cell::RefCell;
use vademecum_firewall::Screen;
use vademecum_grounding::citation::{CitationStyle, check};
use vademecum_protocol::document::Hit;
use vademecum_util::within::Within;

/// Letters of text that does not cite, from which on it is taken for the answer.
const LONG: usize = 400;
/// Bytes in which a citation, or what looks like one, has to end.
const LONGEST_CITATION: usize = 300;

/// What a turn has come to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not known: its text is held back.
    Open,
    /// Its text is the answer.
    Text,
    /// The argument of its call is the answer.
    Argument,
    /// It calls a tool, or its text cannot be passed on piece by piece.
    Other,
}

/// A turn under way.
pub(super) struct Turn<'a> {
    run: &'a Run<'a>,
    step: &'a str,
    shown: Vec<Hit>,
    style: CitationStyle,
    state: RefCell<State>,
}

struct State {
    kind: Kind,
    /// Text that is held back, in the pieces it came in.
    held: Vec<String>,
    /// Whether the model is asked in words, and writes its calls into the text.
    in_words: bool,
    /// Whether what is held may be a call in words.
    may_call: bool,
    /// Bytes of the argument that were read.
    read: usize,
    screen: Screen,
    /// What has passed the screen.
    clean: String,
    /// What was passed on: the beginning of the answer with its citations checked.
    told: String,
    /// How long `clean` is to be before it is checked again: checking takes all of it.
    next: usize,
}

impl<'a> Turn<'a> {
    /// A turn of a model that was shown what the context says.
    pub(super) fn new(run: &'a Run<'a>, step: &'a str, context: &Context, style: CitationStyle) -> Self {
        let shown = resolved(&run.searcher, context.workspace.progress.shown.clone());
        let state = State {
            kind: Kind::Open,
            held: Vec::new(),
            // Calls that were made while it was not known stood in the text.
            in_words: match context.workspace.progress.takes_tools {
                Some(takes_tools) => !takes_tools,
                None => !context.workspace.progress.made.is_empty(),
            },
            may_call: false,
            read: 0,
            screen: Screen::new(context.allowed(&shown)),
            clean: String::new(),
            told: String::new(),
            next: 0,
        };
        Self { run, step, shown, style, state: RefCell::new(state) }
    }

    /// The model is asked in words, because its endpoint has refused tools.
    pub(super) fn is_in_words(&self) {
        self.state.borrow_mut().in_words = true;
    }

    /// What was passed on of the turn, now that it has ended; `answers` says whether its text is the answer.
    pub(super) fn ended(&self, answers: bool) -> String {
        let mut state = self.state.borrow_mut();
        if answers && state.kind == Kind::Open {
            state.kind = Kind::Text;
            for piece in std::mem::take(&mut state.held) {
                self.feed(&mut state, &piece);
            }
        }
        if matches!(state.kind, Kind::Text | Kind::Argument) {
            let rest = state.screen.finish();
            state.clean.push_str(&rest);
            let whole = state.clean.len();
            self.pass_on(&mut state, whole);
        }
        std::mem::take(&mut state.told)
    }

    fn feed(&self, state: &mut State, text: &str) {
        let clean = state.screen.feed(text);
        state.clean.push_str(&clean);
        if state.clean.len() >= state.next {
            state.next = state.clean.len() + state.clean.len() / 256;
            let end = settled(&state.clean);
            self.pass_on(state, end);
        }
    }

    /// Passes on what is new of the first `end` bytes.
    fn pass_on(&self, state: &mut State, end: usize) {
        let checked = check(state.clean.within(..end), &self.shown, self.style).text;
        match checked.strip_prefix(state.told.as_str()) {
            Some("") => {}
            Some(new) => {
                self.run.observer.event(&Event::Token { step: self.step.to_owned(), text: new.to_owned() });
                state.told = checked;
            }
            // Whoever puts the answer into the context sees that it begins otherwise.
            None => state.kind = Kind::Other,
        }
    }

    /// Whether text that has come so far is an answer, whatever follows.
    fn is_answer(&self, text: &str) -> bool {
        let cites = |part: &str| {
            let number = part.split_once(']').and_then(|(number, _)| number.parse::<usize>().ok());
            number.is_some_and(|number| (1..=self.shown.len()).contains(&number))
        };
        text.split('[').skip(1).any(cites) || text.trim_start().char_indices().nth(LONG).is_some()
    }
}

impl Live for Turn<'_> {
    fn text(&self, text: &str) {
        let mut state = self.state.borrow_mut();
        match state.kind {
            Kind::Text => self.feed(&mut state, text),
            Kind::Open => {
                state.held.push(text.to_owned());
                // What may be a call stays that to the turn's end, and is not read again with each piece.
                if !state.may_call {
                    let held = state.held.concat();
                    state.may_call = begins_call(&held) || (state.in_words && text.contains('{'));
                    if !state.may_call && self.is_answer(&held) {
                        state.kind = Kind::Text;
                        for piece in std::mem::take(&mut state.held) {
                            self.feed(&mut state, &piece);
                        }
                    }
                }
            }
            Kind::Argument | Kind::Other => {}
        }
    }

    fn call(&self, call: &FunctionCall) {
        let mut state = self.state.borrow_mut();
        if state.kind == Kind::Open {
            let ends = tool_name(&call.name) == FINAL_ANSWER;
            // A name may come in pieces, and is whole once arguments follow.
            if ends || !call.arguments.is_empty() {
                state.kind = if ends { Kind::Argument } else { Kind::Other };
            }
        } else if state.kind == Kind::Text {
            // It was no answer after all. What was passed on is taken back when the turn ends.
            state.kind = Kind::Other;
        }
        if state.kind == Kind::Argument {
            let answer = answer_in(&call.arguments);
            if let Some(new) = answer.get(state.read..).filter(|new| !new.is_empty()) {
                state.read = answer.len();
                let new = new.to_owned();
                self.feed(&mut state, &new);
            }
        }
    }
}

/// Whether a text begins as a call in words does: with an object, a list of them, or a block of code around them. A citation is no list.
fn begins_call(text: &str) -> bool {
    let text = text.trim_start();
    let in_list = |rest: &str| rest.trim_start().starts_with(|sign: char| !sign.is_ascii_digit());
    text.starts_with(['{', '`']) || text.strip_prefix('[').is_some_and(in_list)
}

/// How much of a text is read the same whatever follows: up to brackets or backticks that are still open.
fn settled(text: &str) -> usize {
    let mut at = 0;
    // The next closing bracket, looked for once however many are open before it.
    let mut close = text.find(']');
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['[', '`'])) {
        let from = at + found;
        let rest = text.within(from..);
        if close.is_some_and(|close| close < from) {
            close = rest.find(']').map(|end| from + end);
        }
        at = if rest.starts_with('`') {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            let (open, behind) = rest.split_at(ticks);
            match behind.find(open) {
                Some(end) => from + ticks + end + ticks,
                None => return from,
            }
        } else {
            match close.map(|close| close - from) {
                // What stands within may begin something of its own.
                Some(end) if rest.get(1..end).is_some_and(|inside| inside.contains(['[', '`'])) => from + 1,
                // What follows the bracket says whether it is a link.
                Some(end) if from + end + 1 < text.len() => from + end + 1,
                None if rest.len() > LONGEST_CITATION => from + 1,
                _ => return from,
            }
        };
    }
    text.len()
}

/// The answer among the arguments of the call that ends a run, as far as they have come: `{"answer": "…`.
fn answer_in(arguments: &str) -> String {
    const NAMES: [&str; 4] = ["answer", "text", "content", "response"];
    let inner =
        arguments.trim_start().strip_prefix('{').and_then(|inner| inner.trim_start().strip_prefix('"'));
    let named = inner.and_then(|inner| inner.split_once('"')).filter(|(name, _)| NAMES.contains(name));
    let value = named.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    value.and_then(|rest| rest.trim_start().strip_prefix('"')).map(unescaped).unwrap_or_default()
}

/// A JSON string from behind its opening quotation mark, up to the closing one or to what cannot be read yet.
fn unescaped(written: &str) -> String {
    let mut text = String::new();
    let mut rest = written;
    while let Some(sign) = rest.chars().next().filter(|sign| *sign != '"') {
        let (read, length) = match (sign, rest.chars().nth(1)) {
            ('\\', Some('u')) => match unit(rest, 0) {
                Some(high @ 0xD800..0xDC00) => match unit(rest, 6) {
                    Some(low) => (char::decode_utf16([high, low]).next().and_then(Result::ok), 12),
                    None => return text,
                },
                Some(unit) => (char::from_u32(unit.into()), 6),
                None => return text,
            },
            ('\\', Some(escaped)) => (Some(control(escaped)), 1 + escaped.len_utf8()),
            ('\\', None) => return text,
            _ => (Some(sign), sign.len_utf8()),
        };
        text.push(read.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = rest.within(length..);
    }
    text
}

/// The UTF-16 code unit of `\u0041`, at a place.
fn unit(text: &str, at: usize) -> Option<u16> {
    u16::from_str_radix(text.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn control(escaped: char) -> char {
    match escaped {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn open_brackets_are_read_in_linear_time() {
        for text in ["[".repeat(1_000_000), format!("{}]", "[".repeat(1_000_000)), "[1]".repeat(300_000)] {
            assert!(settled(&text) <= text.len());
        }
        assert_eq!(settled("see [1"), 4);
        assert_eq!(settled("see [1] and [2"), 12);
        assert_eq!(settled("[[1] x"), 6);
    }

    proptest! {
        #[test]
        fn an_answer_in_arguments_grows_to_what_json_says_wherever_they_are_cut(
            answer in "(\\PC|[\"\\\\\n\t😀é]){0,40}", cut in 0_usize..200
        ) {
            let arguments = json!({ "answer": answer }).to_string();
            let ascii: String = arguments.chars().map(|sign| {
                let mut units = [0; 2];
                let escaped = |unit: &u16| format!("\\u{unit:04x}");
                if sign.is_ascii() { sign.to_string() } else { sign.encode_utf16(&mut units).iter().map(escaped).collect() }
            }).collect();
            for written in [arguments, ascii] {
                prop_assert_eq!(&answer_in(&written), &answer);
                let cut = (0..=cut.min(written.len())).rev().find(|at| written.is_char_boundary(*at)).unwrap();
                prop_assert!(answer.starts_with(&answer_in(&written[..cut])));
            }
        }

        #[test]
        fn what_is_settled_is_read_the_same_whatever_follows(
            answer in "([a-z .]|\\[[0-9]\\]|\\[|\\]|`|``|\\(){0,40}", cut in 0_usize..60
        ) {
            let hit = |id: &str| vademecum_protocol::document::whole_document(id, "text");
            let shown = [hit("a"), hit("b"), hit("c")];
            let read = |text: &str| check(text, &shown, CitationStyle::Number).text;
            let cut = cut.min(answer.len());
            let begun = read(&answer[..settled(&answer[..cut])]);
            prop_assert!(read(&answer).starts_with(begun.trim_end()), "{} {}", begun, read(&answer));
        }
    }
}
