//! Splits blocks into the units that chunks consist of: sentences, lines and rows, or words and letters of
//! units that exceed a chunk. The tokens of each are counted once, however they are combined.

use super::block::{Block, Kind, lines};
use super::sentence::sentences;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use vademecum_util::within::Within;

/// Maximum number of bytes that a token is assumed to represent: tokenizers map an unknown word to one token,
/// even if it has a megabyte.
const BYTES_PER_TOKEN: usize = 32;

/// Minimum number of units that a chunk of words consists of, to have a choice of boundaries.
const MIN_UNITS: usize = 8;

/// The boundary before a unit, which determines its quality as a chunk boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// After a paragraph, list or table.
    Block,
    /// After a blank line in code.
    Blank,
    /// After a sentence, line or row.
    Line,
    /// Between words of a sentence.
    Word,
    /// Between letters of a word.
    Letter,
    /// After a heading.
    Heading,
}

/// A unit that chunks consist of.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Byte range in the text, without trailing white space.
    pub(super) at: Range<usize>,
    /// Number of tokens.
    pub(super) cost: usize,
    /// The boundary before it.
    pub(super) join: Join,
    /// The table that it belongs to, below the header row, as an index into the tables that are split.
    pub(super) table: Option<usize>,
}

/// Counts tokens.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a>(pub(super) &'a dyn Fn(&str) -> usize);

impl Measure<'_> {
    /// Returns the number of tokens of `text`, or a lower bound if that exceeds `limit`.
    pub(super) fn cost(self, text: &str, limit: usize) -> usize {
        let least = text.len() / BYTES_PER_TOKEN;
        if least > limit { least } else { (self.0)(text).max(least).max(1) }
    }

    /// Returns the longest prefix of `text` in whole words that fits into `room`, and its cost.
    pub(super) fn fitting(self, text: &str, room: usize) -> (&str, usize) {
        let (mut end, mut sum) = (0, 0);
        for word in text.split_inclusive(char::is_whitespace) {
            if !word.trim().is_empty() {
                let cost = self.cost(word.trim(), room);
                if sum + cost > room {
                    break;
                }
                sum += cost;
            }
            end += word.len();
        }
        (text.within(..end).trim(), sum)
    }
}

/// Splits blocks into units.
pub(super) struct Units<'a> {
    pub(super) text: &'a str,
    pub(super) measure: Measure<'a>,
    /// Maximum number of tokens per unit.
    pub(super) limit: usize,
    pub(super) list: Vec<Unit>,
}

impl Units<'_> {
    /// Adds the units of a block: sentences, or lines.
    pub(super) fn block(&mut self, block: &Block, join: Join) {
        let first = self.list.len();
        let parts = match block.kind {
            Kind::Heading { .. } | Kind::Paragraph => self.sentences(&block.span),
            Kind::Lines | Kind::Code | Kind::Table { .. } => self.lines(&block.span),
        };
        self.parts(&parts, block.span.end, join);
        if block.kind == Kind::Code {
            self.join_from(first, join);
        }
    }

    /// Adds a table: whole if it fits, else its rows. Reserves `header` tokens for the header row, which is
    /// repeated in every chunk but the first. Returns whether it was split.
    pub(super) fn table(&mut self, span: &Range<usize>, join: Join, header: usize, table: usize) -> bool {
        let first = self.list.len();
        let limit = self.limit;
        self.limit = limit.saturating_sub(header).max(1);
        let mut rows = self.lines(span);
        // Keep the header row and the delimiter row together.
        let is_rule = |at: usize| {
            self.text.get(at..span.end).and_then(|rest| rest.lines().next()).is_some_and(|line| {
                line.contains('-') && line.chars().all(|letter| "|-: \t".contains(letter))
            })
        };
        if rows.get(1).is_some_and(|(at, _)| is_rule(*at)) {
            rows.remove(1);
        }
        let body = rows.get(1).map_or(span.end, |(at, _)| *at);
        self.parts(&rows, span.end, join);
        self.limit = limit;
        if self.join_from(first, join) {
            return false;
        }
        for unit in self.list.iter_mut().skip(first).filter(|unit| unit.at.start >= body) {
            unit.table = Some(table);
            if unit.at.start == body {
                unit.join = Join::Heading; // a header row without rows is useless
            }
        }
        true
    }

    /// Merges the units from `first` on into one if they fit, together with the headings directly above: a
    /// chunk of headings alone is useless.
    fn join_from(&mut self, first: usize, join: Join) -> bool {
        // Headings occur only at the beginning of a section.
        let above = self.list.iter().take(first).filter(|_| join == Join::Heading).map(|unit| unit.cost);
        let room = self.limit.saturating_sub(above.sum());
        let parts = self.list.within(first..);
        let cost: usize = parts.iter().map(|unit| unit.cost).sum();
        let ends = parts.first().zip(parts.last()).map(|(one, last)| one.at.start..last.at.end);
        let fits = cost <= room;
        if let Some(at) = ends.filter(|_| fits) {
            self.list.truncate(first + 1);
            if let Some(unit) = self.list.last_mut() {
                (unit.at, unit.cost) = (at, cost);
            }
        }
        fits
    }

    fn slice(&self, at: &Range<usize>) -> &str {
        self.text.within(at.clone())
    }

    fn sentences(&self, span: &Range<usize>) -> Vec<(usize, Join)> {
        let found = sentences(self.slice(span));
        found.into_iter().map(|sentence| (span.start + sentence.start, Join::Line)).collect()
    }

    /// Returns the offsets of lines that are not blank, including their indentation.
    fn lines(&self, span: &Range<usize>) -> Vec<(usize, Join)> {
        let mut join = Join::Line;
        let mut found = Vec::new();
        for (at, line) in lines(self.slice(span)) {
            if line.trim().is_empty() {
                join = Join::Blank;
            } else {
                found.push((span.start + at, std::mem::replace(&mut join, Join::Line)));
            }
        }
        found
    }

    /// Adds consecutive units up to `end`, given their offsets.
    fn parts(&mut self, starts: &[(usize, Join)], end: usize, first: Join) {
        let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([end]);
        for (index, ((start, join), end)) in starts.iter().zip(ends).enumerate() {
            let join = if index == 0 { first } else { *join };
            self.part(*start..end, join);
        }
    }

    fn part(&mut self, at: Range<usize>, join: Join) {
        let cost = self.cost(&at);
        if cost <= self.limit {
            self.push(at, cost, join);
        } else {
            let words = lengths(self.slice(&at).split_inclusive(char::is_whitespace));
            self.words(at.start, &words, join, Join::Word);
        }
    }

    fn cost(&self, at: &Range<usize>) -> usize {
        self.measure.cost(self.slice(at).trim(), self.limit)
    }

    fn push(&mut self, at: Range<usize>, cost: usize, join: Join) {
        let text = self.slice(&at).trim_end();
        if !text.is_empty() {
            let at = at.start..at.start + text.len();
            self.list.push(Unit { at, cost, join, table: None });
        }
    }

    /// Adds words of the given lengths, several per unit.
    fn words(&mut self, start: usize, lengths: &[usize], first: Join, join: Join) {
        let share = (self.limit / MIN_UNITS).max(1);
        let (mut open, mut sum, mut before) = (start..start, 0, first);
        for length in lengths {
            let word = open.end..open.end + length;
            let blank = self.slice(&word).trim().is_empty();
            let cost = if blank { 0 } else { self.cost(&word) };
            if sum > 0 && sum + cost > share {
                self.push(open.clone(), sum, before);
                (open, sum, before) = (word.start..word.start, 0, join);
            }
            open.end = word.end;
            if cost > self.limit {
                if join == Join::Word {
                    let parts = self::lengths(self.slice(&open).split_word_bounds());
                    self.words(open.start, &parts, before, Join::Letter);
                } else {
                    self.letters(open.clone(), before, self.limit);
                }
                (open, sum, before) = (word.end..word.end, 0, join);
            } else {
                sum += cost;
            }
        }
        self.push(open, sum, before);
    }

    /// Adds a word in pieces of `step` letters, fewer if those exceed the limit.
    fn letters(&mut self, at: Range<usize>, first: Join, step: usize) {
        let starts: Vec<usize> = self
            .slice(&at)
            .char_indices()
            .step_by(step.max(1))
            .map(|(offset, _)| at.start + offset)
            .collect();
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([at.end]).collect();
        let mut join = first;
        for (start, end) in starts.into_iter().zip(ends) {
            let cost = self.cost(&(start..end));
            if cost > self.limit && step > 1 {
                self.letters(start..end, join, step / 2);
            } else {
                self.push(start..end, cost, join);
            }
            join = Join::Letter;
        }
    }
}

fn lengths<'t>(parts: impl Iterator<Item = &'t str>) -> Vec<usize> {
    parts.map(str::len).collect()
}
