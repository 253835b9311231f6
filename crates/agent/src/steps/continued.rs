//! Completes a list that the border of a chunk cuts off, with its other items in the chunks before and behind.

use super::candidates::Candidate;
use super::parts::{is_item, with_lines};
use super::quote::Quote;
use crate::run::Run;
use std::ops::Range;
use vademecum_protocol::document::{Chunk, Hit, Span};
use vademecum_text::block::lines;
use vademecum_util::within::Within;

/// Maximum number of bytes between two chunks of a list: line breaks.
const BETWEEN: usize = 4;
/// Maximum number of chunks on each side that a list is continued in; the rest of a longer one is not quoted.
const CHUNKS: usize = 3;

/// Adds the chunks to the evidence that the best candidate goes on in, if it is a list that is cut and they were not found.
pub(super) fn with_continued(run: &Run<'_>, first: Option<&Candidate>, evidence: &mut Vec<Hit>) {
    let Some(list) = first.filter(|first| first.is_asked_list) else { return };
    let Some(own) = evidence.get(list.passage) else { return };
    let chunk = &own.chunk;
    let parts = of_list(list, chunk, evidence);
    let is_cut = parts.first().is_some_and(|(chunk, bytes)| begins(chunk, bytes))
        || parts.last().is_some_and(|(chunk, bytes)| ends(chunk, bytes));
    if !is_cut {
        return;
    }
    let found = run.searcher.document(std::slice::from_ref(&chunk.collection), &chunk.doc_id, None);
    let Some((_, all)) = found else { return };
    let at = all.iter().position(|one| one.chunk.id == chunk.id).unwrap_or(all.len());
    let near = all.within(at.saturating_sub(CHUNKS)..all.len().min(at + CHUNKS + 1));
    let parts = of_list(list, chunk, near);
    let is_known = |hit: &&Hit| evidence.iter().any(|known| known.chunk.key() == hit.chunk.key());
    let is_part = |hit: &&Hit| parts.iter().any(|(chunk, _)| chunk.id == hit.chunk.id);
    let missing: Vec<Hit> = near.iter().filter(is_part).filter(|hit| !is_known(hit)).cloned().collect();
    evidence.extend(missing);
}

/// Returns the quotations of a list and of its items in other chunks of the evidence, in order; none if it has no others.
pub(super) fn continued(list: &Candidate, evidence: &[Hit]) -> Vec<Quote> {
    if !list.is_asked_list {
        return Vec::new();
    }
    let Some(own) = evidence.get(list.passage) else { return Vec::new() };
    let parts = of_list(list, &own.chunk, evidence);
    let quote = |(chunk, bytes): (&Chunk, Range<usize>)| {
        let place = evidence.iter().position(|hit| hit.chunk.key() == chunk.key())?;
        let units = |text: &str| text.encode_utf16().count();
        let start = chunk.span.start + units(chunk.text.get(..bytes.start)?);
        let text = chunk.text.get(bytes)?;
        Some(Quote {
            number: place + 1,
            text: with_lines(text, |_| true),
            span: Span { start, end: start + units(text) },
        })
    };
    if parts.len() < 2 { Vec::new() } else { parts.into_iter().filter_map(quote).collect() }
}

/// Returns the parts of a list with their chunks, in order.
fn of_list<'a>(list: &Candidate, own: &'a Chunk, all: &'a [Hit]) -> Vec<(&'a Chunk, Range<usize>)> {
    let place = |chunk: &'a Chunk| (&chunk.collection, &chunk.doc_id, &chunk.headings);
    let chunks = || all.iter().map(|hit| &hit.chunk).filter(|chunk| place(chunk) == place(own));
    let follows = |one: &Chunk, next: &Chunk| {
        next.bytes.start.checked_sub(one.bytes.end).is_some_and(|between| between <= BETWEEN)
    };
    let mut parts = vec![(own, list.bytes.clone())];
    while let Some((chunk, bytes)) = parts.last().filter(|(chunk, bytes)| ends(chunk, bytes))
        && parts.len() <= CHUNKS
        && let Some(next) = chunks().find(|next| follows(chunk, next))
        && let Some(items) = items_at_start(&next.text)
        && goes_on(chunk.text.within(bytes.clone()), next.text.within(items.clone()))
    {
        parts.push((next, items));
    }
    let most = parts.len() + CHUNKS;
    while let Some((chunk, bytes)) = parts.first().filter(|(chunk, bytes)| begins(chunk, bytes))
        && parts.len() < most
        && let Some(before) = chunks().find(|before| follows(before, chunk))
        && let Some(items) = items_at_end(&before.text)
        && goes_on(before.text.within(items.clone()), chunk.text.within(bytes.clone()))
    {
        parts.insert(0, (before, items));
    }
    parts
}

/// Returns whether a list begins its chunk with an item.
fn begins(chunk: &Chunk, bytes: &Range<usize>) -> bool {
    let is_first = chunk.text.get(..bytes.start).is_some_and(|before| before.trim().is_empty());
    is_first && chunk.text.get(bytes.clone()).is_some_and(|text| is_item(text.trim_start()))
}

/// Returns whether a part ends its chunk.
fn ends(chunk: &Chunk, bytes: &Range<usize>) -> bool {
    chunk.text.get(bytes.end..).is_some_and(|behind| behind.trim().is_empty())
}

/// Returns the items at the beginning of a text.
fn items_at_start(text: &str) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    for (at, line) in lines(text) {
        let (said, end) = (line.trim(), at + line.trim_end().len());
        match &mut found {
            _ if said.is_empty() => {}
            None if is_item(said) => found = Some(at..end),
            Some(items) if is_item(said) || line.starts_with([' ', '\t']) => items.end = end,
            _ => break,
        }
    }
    found
}

/// Returns the items at the end of a text, with the line before that announces them.
fn items_at_end(text: &str) -> Option<Range<usize>> {
    let all: Vec<(usize, &str)> = lines(text).filter(|(_, line)| !line.trim().is_empty()).collect();
    let is_part = |line: &str| is_item(line.trim()) || line.starts_with([' ', '\t']);
    let items = all.iter().rev().take_while(|(_, line)| is_part(line)).count();
    let run = all.within(all.len() - items..);
    let (start, first) = run.first()?;
    let (last, line) = run.last()?;
    let lead = all.len().checked_sub(items + 1).and_then(|at| all.get(at));
    let lead = lead.filter(|(_, line)| line.trim_end().ends_with([':', '：']));
    let start = lead.map_or(*start, |(at, _)| *at);
    is_item(first.trim()).then(|| start..last + line.trim_end().len())
}

/// The sign before an item.
#[derive(Debug, PartialEq, Eq)]
enum Mark {
    Bullet(char),
    Number(usize),
}

/// Returns the mark of the first or the last item of a list.
fn mark(list: &str, is_first: bool) -> Option<Mark> {
    let mut items = list.lines().filter(|line| !line.starts_with([' ', '\t'])).filter(|line| is_item(line));
    let item = if is_first { items.next() } else { items.next_back() }?;
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    match item.get(..digits)?.parse() {
        Ok(number) => Some(Mark::Number(number)),
        Err(_) => item.chars().next().map(Mark::Bullet),
    }
}

/// Returns whether a list continues another: with the same bullet, or the next number.
fn goes_on(list: &str, next: &str) -> bool {
    match (mark(list, false), mark(next, true)) {
        (Some(Mark::Number(last)), Some(Mark::Number(first))) => last.checked_add(1) == Some(first),
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_goes_on_with_the_next_number_or_the_same_bullet() {
        assert!(goes_on("Steps:\n1. Rinse.\n2. Dry.", "3. Fill.\n4. Close."));
        assert!(!goes_on("1. Rinse.\n2. Dry.", "1. Fill."), "another list begins");
        assert!(goes_on("- salt\n  coarse\n- oil", "- vinegar") && !goes_on("- salt", "* oil"));
        assert!(!goes_on("- salt\n- oil", "3. Fill.") && !goes_on("Rinse.", "- oil"));
    }

    #[test]
    fn items_at_a_border_end_where_other_text_begins() {
        let text = "3. Fill it.\n   Slowly.\n\n4. Close it.\nThen wait.\n- another";
        assert_eq!(
            items_at_start(text).map(|items| &text[items]),
            Some("3. Fill it.\n   Slowly.\n\n4. Close it.")
        );
        assert_eq!(items_at_start("Then wait.\n- another"), None);
        let text = "It is old.\nBring:\n- salt\n- oil\n  of olives\n";
        assert_eq!(items_at_end(text).map(|items| &text[items]), Some("Bring:\n- salt\n- oil\n  of olives"));
        assert_eq!(items_at_end("- salt\nThen wait."), None);
        assert_eq!(items_at_end("  indented\nlines"), None);
    }
}
