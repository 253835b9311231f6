//! Citations: `[1]` in an answer, resolved to the passage it names, or removed where it names none.

use crate::document::{Hit, Span};
use serde::Serialize;

/// A citation of a finished answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    /// The number in the answer; also the place in `contextUsed`, from 1.
    pub number: usize,
    /// Where `[number]` stands in the answer, in UTF-16 code units.
    pub at: Span,
    /// The cited chunk.
    pub chunk_id: String,
    /// Its document.
    pub doc_id: String,
    /// Its collection.
    pub collection: String,
    /// Its document's title.
    pub title: Option<String>,
    /// Its document's address.
    pub url: Option<String>,
    /// The headings above it.
    pub headings: Vec<String>,
    /// Where the chunk stands in its document's text, in UTF-16 code units.
    pub span: Span,
    /// Where the very words stand, if the answer quotes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Span>,
}

impl Citation {
    /// The citation of the passage with this number, or none if there is no such passage.
    pub fn new(number: usize, evidence: &[Hit], start: usize, quote: Option<Span>) -> Option<Self> {
        let chunk = &evidence.get(number.checked_sub(1)?)?.chunk;
        Some(Self {
            number,
            at: Span { start, end: start + number.to_string().len() + 2 },
            chunk_id: chunk.id.clone(),
            doc_id: chunk.doc_id.clone(),
            collection: chunk.collection.clone(),
            title: chunk.title.clone(),
            url: chunk.url.clone(),
            headings: chunk.headings.clone(),
            span: chunk.span,
            quote,
        })
    }
}

/// An answer whose citations were checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The answer without the citations that name nothing.
    pub text: String,
    /// Those that name a passage, in order.
    pub citations: Vec<Citation>,
    /// What was cited and names none, in order.
    pub invalid: Vec<String>,
}

/// Resolves every `[n]`, and `[n, m]` as `[n][m]`, and removes those that name no passage. Brackets around
/// anything but numbers are text, and so is all code: what stands between backticks, and `vec![1, 2]`.
pub fn check(answer: &str, evidence: &[Hit]) -> Checked {
    let mut checked = Checked { text: String::new(), citations: Vec::new(), invalid: Vec::new() };
    let mut rest = answer.trim();
    while let Some(at) = rest.find(['[', '`']) {
        let (before, from) = rest.split_at(at);
        checked.text.push_str(before);
        let code = if from.starts_with('`') { code_length(from) } else { usize::from(before.ends_with('!')) };
        match from.strip_prefix('[').filter(|_| code == 0).and_then(citation) {
            Some((numbers, behind)) => {
                checked.cite(&numbers, evidence);
                rest = behind;
            }
            None => {
                let (text, behind) = from.split_at(code.max(1));
                checked.text.push_str(text);
                rest = behind;
            }
        }
    }
    checked.text.push_str(rest);
    checked
}

/// What follows an opening bracket, as the numbers up to the closing one and the rest.
fn citation(after: &str) -> Option<(Vec<usize>, &str)> {
    let (inside, behind) = after.split_once(']')?;
    Some((numbers(inside)?, behind))
}

/// How long the code is that begins with these backticks: up to as many again, or the backticks alone.
fn code_length(from: &str) -> usize {
    let ticks = from.len() - from.trim_start_matches('`').len();
    let (open, behind) = from.split_at(ticks);
    behind.find(open).map_or(ticks, |end| ticks + end + ticks)
}

/// `1`, `1, 2` or `1; 2`: at most three digits each, so that `[2023]` stays a year.
fn numbers(inside: &str) -> Option<Vec<usize>> {
    inside
        .split([',', ';'])
        .map(|number| number.trim())
        .map(|number| (number.len() <= 3).then(|| number.parse().ok()).flatten().filter(|number| *number > 0))
        .collect()
}

impl Checked {
    fn cite(&mut self, numbers: &[usize], evidence: &[Hit]) {
        for number in numbers {
            let start = self.text.encode_utf16().count();
            match Citation::new(*number, evidence, start, None) {
                Some(citation) => {
                    self.text.push_str(&format!("[{number}]"));
                    self.citations.push(citation);
                }
                None => {
                    self.invalid.push(number.to_string());
                    // "text [9]." becomes "text.", not "text ."
                    self.text.truncate(self.text.trim_end_matches(' ').len());
                }
            }
        }
    }
}
