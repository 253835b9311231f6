//! Streams a chat turn: emits the answer while it arrives, and holds back what may become a tool call.
//!
//! The argument of the call that ends a run is the answer from its first character on. Text without a call is the answer too, but
//! a call may follow it after a short announcement. So text is held back until it cites a passage or is longer than an
//! announcement, or else until the turn ends. Text that may contain a call in words is always held back until the end: text that
//! begins as JSON or a code block, and for a model without native tools any text with a brace.

use super::rows::resolved;
use super::written::tool_name;
use crate::context::Context;
use crate::event::Event;
use crate::llm_call::Live;
use crate::reply::FunctionCall;
use crate::run::Run;
use crate::step_id::StepId;
use crate::tools::FINAL_ANSWER;
use std::cell::RefCell;
use vademecum_firewall::Screen;
use vademecum_grounding::citation::{CitationStyle, check};
use vademecum_protocol::document::Hit;
use vademecum_util::within::Within;

/// Number of characters from which on text without a citation counts as the answer.
const MIN_ANSWER: usize = 400;
/// Maximum length in bytes of anything that looks like a citation.
const MAX_CITATION: usize = 300;

/// The kind of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Unknown; the text is held back.
    Open,
    /// The text is the answer.
    Text,
    /// The argument of the call is the answer.
    Argument,
    /// A tool call, or text that cannot be streamed.
    Other,
}

/// A turn in progress.
pub(super) struct Turn<'a> {
    run: &'a Run<'a>,
    step: &'a StepId,
    shown: Vec<Hit>,
    style: CitationStyle,
    state: RefCell<State>,
}

struct State {
    kind: Kind,
    /// The held-back text, in the pieces in which it arrived.
    held: Vec<String>,
    /// Whether the model has no native tools and writes calls into the text.
    in_words: bool,
    /// Whether the held-back text may be a call in words.
    may_call: bool,
    /// Bytes of the argument that have been read.
    read: usize,
    screen: Screen,
    /// The sanitised text.
    clean: String,
    /// The emitted text: the beginning of the answer with checked citations.
    told: String,
    /// Length of `clean` at which it is checked again, because each check reads all of it.
    next: usize,
}

impl<'a> Turn<'a> {
    /// Creates the turn of a model that was shown the chunks in the context.
    pub(super) fn new(run: &'a Run<'a>, step: &'a StepId, context: &Context, style: CitationStyle) -> Self {
        let shown = resolved(&run.searcher, context.workspace.progress.shown.clone());
        let state = State {
            kind: Kind::Open,
            held: Vec::new(),
            // Earlier calls without known tool support were in the text.
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

    /// Switches to calls in words, because the endpoint refused tools.
    pub(super) fn is_in_words(&self) {
        self.state.borrow_mut().in_words = true;
    }

    /// Ends the turn and returns the emitted text; `answers` tells whether the text is the answer.
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

    /// Emits what is new in the first `end` bytes.
    fn pass_on(&self, state: &mut State, end: usize) {
        let checked = check(state.clean.within(..end), &self.shown, self.style).text;
        match checked.strip_prefix(state.told.as_str()) {
            Some("") => {}
            Some(new) => {
                self.run.observer.event(&Event::Token { step: self.step.clone(), text: new.to_owned() });
                state.told = checked;
            }
            // The step that stores the answer detects that it begins differently.
            None => state.kind = Kind::Other,
        }
    }

    /// Returns whether the text so far is an answer, whatever follows.
    fn is_answer(&self, text: &str) -> bool {
        let cites = |part: &str| {
            let number = part.split_once(']').and_then(|(number, _)| number.parse::<usize>().ok());
            number.is_some_and(|number| (1..=self.shown.len()).contains(&number))
        };
        text.split('[').skip(1).any(cites) || text.trim_start().char_indices().nth(MIN_ANSWER).is_some()
    }
}

impl Live for Turn<'_> {
    fn text(&self, text: &str) {
        let mut state = self.state.borrow_mut();
        match state.kind {
            Kind::Text => self.feed(&mut state, text),
            Kind::Open => {
                state.held.push(text.to_owned());
                // Text that may be a call is not examined again with every piece.
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
            // A name may be split, and is complete once arguments follow.
            if ends || !call.arguments.is_empty() {
                state.kind = if ends { Kind::Argument } else { Kind::Other };
            }
        } else if state.kind == Kind::Text {
            // It was no answer; the emitted text is retracted at the end of the turn.
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

/// Returns whether a text begins like a call in words: an object, a list of objects, or a code block. A citation is no list.
fn begins_call(text: &str) -> bool {
    let text = text.trim_start();
    let in_list = |rest: &str| rest.trim_start().starts_with(|sign: char| !sign.is_ascii_digit());
    text.starts_with(['{', '`']) || text.strip_prefix('[').is_some_and(in_list)
}

/// Returns the length of the prefix whose citations do not depend on what follows: up to an open bracket or backtick.
fn settled(text: &str) -> usize {
    let mut at = 0;
    // The next closing bracket, searched for only once for all open ones.
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
                // The content may begin something of its own.
                Some(end) if rest.get(1..end).is_some_and(|inside| inside.contains(['[', '`'])) => from + 1,
                // The character after the bracket determines whether it is a link.
                Some(end) if from + end + 1 < text.len() => from + end + 1,
                None if rest.len() > MAX_CITATION => from + 1,
                _ => return from,
            }
        };
    }
    text.len()
}

/// Returns the answer in the partial arguments of the final call: `{"answer": "…`.
fn answer_in(arguments: &str) -> String {
    const NAMES: [&str; 4] = ["answer", "text", "content", "response"];
    let inner =
        arguments.trim_start().strip_prefix('{').and_then(|inner| inner.trim_start().strip_prefix('"'));
    let named = inner.and_then(|inner| inner.split_once('"')).filter(|(name, _)| NAMES.contains(name));
    let value = named.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    value.and_then(|rest| rest.trim_start().strip_prefix('"')).map(unescaped).unwrap_or_default()
}

/// Decodes a JSON string after its opening quotation mark, up to the closing one or an incomplete escape.
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

/// Parses `\u0041` at a position as a UTF-16 code unit.
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
    fn open_brackets_are_parsed_in_linear_time() {
        for text in ["[".repeat(1_000_000), format!("{}]", "[".repeat(1_000_000)), "[1]".repeat(300_000)] {
            assert!(settled(&text) <= text.len());
        }
        assert_eq!(settled("see [1"), 4);
        assert_eq!(settled("see [1] and [2"), 12);
        assert_eq!(settled("[[1] x"), 6);
    }

    proptest! {
        #[test]
        fn the_answer_in_partial_arguments_is_a_prefix_of_the_whole(
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
        fn settled_text_does_not_depend_on_what_follows(
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
