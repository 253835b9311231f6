//! Detects suspicious structures: chat template marks, tool calls, fences, hidden text, links that carry data.

use super::address::{self, ends_word};
use super::escape::{is_mark, looks_like_a_fence};
use super::instructions::instructions;
use super::invisible::{is_invisible, is_kept, visible};
use super::part;
use super::suspicion::{Found, SuspicionKind};
use std::ops::Range;

/// Minimum number of consecutive invisible characters that may be a message.
const MIN_INVISIBLE: usize = 8;
/// Maximum length in bytes of a comment, a tag or an address that is examined.
const MAX_LENGTH: usize = 2_000;
/// Quoted keys of tool-call JSON.
const TOOLS: [&str; 8] = [
    "\"tool_calls\"",
    "\"tool_call_id\"",
    "\"function_call\"",
    "\"role\": \"tool\"",
    "\"role\":\"tool\"",
    "\"tool_use\"",
    "\"tool_result\"",
    "\"function\": {",
];
/// CSS that hides an element.
const HIDDEN: [&str; 11] = [
    "display:none",
    "visibility:hidden",
    "font-size:0",
    "opacity:0;",
    "opacity:0\"",
    "color:white",
    "color:#fff",
    "text-indent:-9",
    "left:-9",
    "height:0;",
    "clip:rect(0",
];
/// Beginnings of lines that name a speaker.
const SPEAKERS: [&str; 7] =
    ["system:", "[system]", "### system", "### instruction", "system message:", "<<system", "assistant to="];
/// Words between the rules of a line that ends a quotation.
const ENDS: [&str; 6] = ["end of", "begin", "passages", "context", "trusted", "documents"];
/// Beginnings of lines that claim the end of a quotation.
const END_LINES: [&str; 7] = [
    "[end of",
    "(end of",
    "end of passages",
    "end of context",
    "end of document",
    "end of quoted",
    "begin instructions",
];
/// Beginnings of lines that claim to be the result of a tool.
const TOOL_RESULTS: [&str; 5] =
    ["tool result", "tool output", "function result", "function returned", "tool response"];
/// Names of query parameters that carry data.
const CARRIERS: [&str; 12] = [
    "data=",
    "secret",
    "leak",
    "prompt=",
    "conversation",
    "history=",
    "context=",
    "answer=",
    "question=",
    "exfil",
    "password",
    "chat=",
];

/// Applies all rules.
pub(super) fn structures(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    found.extend(marks(text));
    found.extend(lines(text));
    for wanted in TOOLS {
        let suspected =
            text.match_indices(wanted).map(|(at, said)| (at..at + said.len(), SuspicionKind::Tool, 0.7));
        found.extend(suspected.map(|(at, kind, score)| Found { kind, score, at }));
    }
    found.extend(hidden(text));
    found.extend(invisible(text));
    found.extend(links(text));
    found
}

fn found(kind: SuspicionKind, score: f32, at: Range<usize>) -> Found {
    Found { kind, score, at }
}

/// Finds chat template marks.
fn marks(text: &str) -> Vec<Found> {
    let mark = |(at, sign): (usize, &str)| {
        let after = text.get(at + 1..)?;
        let after = after.get(..after.floor_char_boundary(40))?;
        if !is_mark(sign, after)
            || ["s>", "/s>", "think>", "/think>"].iter().any(|html| after.starts_with(html))
        {
            return None;
        }
        let name = after.trim_start_matches('/');
        let kind = if ["tool", "function", "invoke"].iter().any(|one| name.starts_with(one)) {
            SuspicionKind::Tool
        } else if ["passages", "documents", "context"].iter().any(|one| name.starts_with(one)) {
            SuspicionKind::Fence
        } else {
            SuspicionKind::Role
        };
        let end = after.find(['>', ']']).map_or(after.len(), |end| end + 1);
        // A lone opening tag may be a type or an element of some XML document.
        let quiet = !after.starts_with(['|', '｜', '/', '<'])
            && matches!(
                name.split('>').next(),
                Some("context" | "documents" | "user" | "system" | "instruction" | "instructions")
            );
        Some(found(kind, if quiet { 0.5 } else { 0.8 }, at..at + 1 + end))
    };
    text.match_indices(['<', '[']).filter_map(mark).collect()
}

/// Finds lines that are suspicious by how they begin and end.
fn lines(text: &str) -> Vec<Found> {
    let mut all = Vec::new();
    let mut from = 0;
    let mut acts = false;
    for line in text.split_inclusive('\n') {
        let at = from..from + line.trim_end().len();
        let seen = if line.is_ascii() { line.to_owned() } else { visible(line) };
        let bare = seen.trim();
        from += line.len();
        let low = bare.get(..bare.floor_char_boundary(200)).unwrap_or(bare).to_lowercase();
        let begins = |names: &[&str]| names.iter().any(|name| low.starts_with(name));
        let names = |name: &str| low.contains(name);
        let result =
            TOOL_RESULTS.iter().any(|one| low.trim_start_matches(['[', '*', '#', ' ']).starts_with(one));
        let call = begins(&["{"]) && (names("\"tool\":") || (names("\"arguments\":") && names("\"name\":")));
        let suspected = if looks_like_a_fence(bare) && ENDS.iter().any(|word| names(word)) {
            Some((SuspicionKind::Fence, 0.8))
        } else if begins(&END_LINES) {
            Some((SuspicionKind::Fence, 0.7))
        } else if begins(&SPEAKERS) {
            Some((SuspicionKind::Role, 0.6))
        } else if begins(&["["]) && names(" › ") {
            Some((SuspicionKind::Citation, 0.7))
        } else if result || call || (acts && begins(&["observation:"])) {
            Some((SuspicionKind::Tool, 0.7))
        } else {
            None
        };
        acts |= begins(&["action:", "action input:"]);
        all.extend(suspected.map(|(kind, score)| found(kind, score, at)));
    }
    all
}

/// Finds text that a page does not show.
fn hidden(text: &str) -> Vec<Found> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices("<!--") {
        let rest = part(text, at + 4..);
        let rest = rest.get(..rest.floor_char_boundary(MAX_LENGTH)).unwrap_or(rest);
        let inside = rest.split("<!--").next().unwrap_or_default();
        let inside = inside.split("-->").next().unwrap_or_default();
        if !instructions(inside).is_empty() {
            all.push(found(SuspicionKind::Hidden, 0.9, at..at + 4 + inside.len()));
        }
    }
    for (at, _) in text.match_indices('<') {
        let rest = part(text, at + 1..);
        if !rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            continue;
        }
        let rest = rest.get(..rest.floor_char_boundary(MAX_LENGTH)).unwrap_or(rest);
        let Some(tag) = rest.find(['>', '<']).and_then(|end| rest.get(..end)) else { continue };
        let plain: String =
            tag.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect();
        let styled = plain.contains("style=") && HIDDEN.iter().any(|way| plain.contains(way));
        // Pages hide elements until they are needed, so the hidden text itself decides.
        let after = part(rest, tag.len() + 1..).split('<').next().unwrap_or_default();
        let hides = styled
            || (tag.ends_with(" hidden") && (after.contains("://") || !instructions(after).is_empty()));
        if hides {
            all.push(found(SuspicionKind::Hidden, 0.6, at..at + 1 + tag.len()));
        }
    }
    all
}

/// Finds invisible characters.
fn invisible(text: &str) -> Vec<Found> {
    let mut all = Vec::new();
    let mut run: Option<(Range<usize>, usize, bool)> = None;
    let mut before = None;
    let mut letters = text.char_indices().peekable();
    let mut finish = |run: Option<(Range<usize>, usize, bool)>| {
        if let Some((at, count, tags)) = run
            && (count >= MIN_INVISIBLE || (tags && count >= 4))
        {
            all.push(found(SuspicionKind::Invisible, 0.9, at));
        }
    };
    while let Some((at, letter)) = letters.next() {
        let after = letters.peek().map(|(_, letter)| *letter);
        let flag = before == Some('🏴');
        if is_invisible(letter) && letter != '\r' && !is_kept(before, letter, after) && !flag {
            let end = at + letter.len_utf8();
            let tag = matches!(letter, '\u{E0000}'..='\u{E0FFF}');
            run = Some(run.map_or((at..end, 1, tag), |(range, count, tags)| {
                (range.start..end, count + 1, tags || tag)
            }));
        } else {
            finish(run.take());
            before = Some(letter);
        }
    }
    finish(run);
    // Single invisible characters all over the text: words cut into pieces.
    let bidi = text.matches(['\u{202E}', '\u{202D}']).count();
    if let Some(at) = text.find(['\u{202E}', '\u{202D}']).filter(|_| bidi > 0) {
        all.push(found(SuspicionKind::Invisible, 0.6, at..at + 3));
    }
    let split = |(at, letter): (usize, char)| {
        let inside = text.get(..at)?.ends_with(|one: char| one.is_ascii_alphabetic())
            && text.get(at + letter.len_utf8()..)?.starts_with(|one: char| one.is_ascii_alphabetic());
        (matches!(letter, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}') && inside).then_some(at)
    };
    let cuts: Vec<usize> = text.char_indices().filter_map(split).take(6).collect();
    if let (Some(first), Some(last), true) = (cuts.first(), cuts.last(), cuts.len() >= 5) {
        all.push(found(SuspicionKind::Invisible, 0.7, *first..*last + 3));
    }
    all
}

/// Finds images and links that carry data, and addresses that are scripts.
fn links(text: &str) -> Vec<Found> {
    let mut all = Vec::new();
    let mut from = 0;
    for piece in text.split_inclusive(|letter: char| ends_word(letter) || "()".contains(letter)) {
        let end = piece.trim_end_matches(|letter: char| ends_word(letter) || "()".contains(letter)).len();
        let word = piece.get(..piece.floor_char_boundary(end.min(MAX_LENGTH))).unwrap_or(piece);
        // Code and quotations only mention an address.
        let quoted = text.get(..from).is_some_and(|before| before.ends_with(['`', '“', '„', '«']));
        if word.contains([':', '&', '%']) && !quoted && address::is_script(word) {
            all.push(found(SuspicionKind::Link, 0.8, from..from + word.len()));
        }
        from += piece.len();
    }
    for (at, _) in text.match_indices("](") {
        let rest = part(text, at + 2..);
        let rest = rest.get(..rest.floor_char_boundary(MAX_LENGTH)).unwrap_or(rest);
        let target = rest.split(['\n', ' ', ')', ']']).next().unwrap_or_default();
        if carries(target) {
            all.push(found(SuspicionKind::Link, 0.7, at..at + 2 + target.len()));
        }
    }
    let mut from = 0;
    for piece in text.split_inclusive(|letter: char| ends_word(letter) && !"<>[]".contains(letter)) {
        let word = piece.get(..piece.floor_char_boundary(MAX_LENGTH)).unwrap_or(piece);
        if word.contains("://") && carries(word) {
            all.push(found(SuspicionKind::Link, 0.6, from..from + word.trim_end().len()));
        }
        from += piece.len();
    }
    all
}

/// Returns whether an address has a placeholder for data or a parameter named for it.
fn carries(target: &str) -> bool {
    let low = target.to_lowercase();
    let Some((_, query)) = low.split_once('?') else { return false };
    let foreign = low.contains("://") || low.starts_with("//") || address::find(&low).is_some();
    foreign
        && (query.contains(['{', '[', '<', '$'])
            || query.contains("%7b")
            || CARRIERS.iter().any(|one| query.contains(one)))
}
