//! The text of an answer from a table, with its citations.

use super::table::Source;
use crate::run::Run;
use std::rc::Rc;
use vademecum_firewall::{Allowed, clean_answer};
use vademecum_grounding::citation::{Citation, CitationStyle};
use vademecum_protocol::document::{Hit, Span};

/// An answer while it is written.
pub(super) struct Text<'a> {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) evidence: &'a mut Vec<Hit>,
    pub(super) style: CitationStyle,
    pub(super) allowed: &'a Allowed,
}

impl Text<'_> {
    /// Adds a text, sanitised like any answer.
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(clean_answer(text, self.allowed.clone()).text.trim());
    }

    /// Cites the place where a row was read.
    pub(super) fn cite(&mut self, run: &Run<'_>, source: &Source, place: Option<&(Rc<Hit>, Span)>) {
        let (hit, quote) = match (source, place) {
            (_, Some((hit, span))) => ((**hit).clone(), Some(*span)),
            (Source::Document(document), None) => {
                let of = std::slice::from_ref(&document.collection);
                let is_it = |hit: &Hit| {
                    hit.chunk.collection == document.collection && hit.chunk.doc_id == document.id
                };
                let known = self.evidence.iter().find(|hit| is_it(hit)).cloned();
                let first = || run.searcher.document(of, &document.id, None)?.1.into_iter().next();
                let Some(hit) = known.or_else(first) else { return };
                (hit, None)
            }
            (Source::Passage(hit, span), None) => ((**hit).clone(), Some(*span)),
        };
        let at = self.evidence.iter().position(|one| one.chunk.key() == hit.chunk.key());
        let at = at.unwrap_or_else(|| {
            self.evidence.push(hit.clone());
            self.evidence.len() - 1
        });
        let marker = self.style.marker(at + 1, &hit);
        self.text.push(' ');
        let start = self.text.encode_utf16().count();
        self.text.push_str(&marker);
        self.citations.push(Citation::new(at + 1, &hit, start, &marker, quote));
    }
}
