//! Adds the sources that a model forgot: a citation behind each sentence that cites nothing and that a passage supports.
//!
//! Which passage supports it is what [`ground`] finds. Questions, code, tables and formulas get none.

use super::citation::{Citation, CitationStyle};
use super::grounding::{GroundedSentence, ground};
use super::questions::Questions;
use vademecum_protocol::document::Hit;

/// Maximum length of an answer in bytes. Longer ones are returned unchanged.
const MAX_ANSWER: usize = 32 << 10;

/// Returns the answer to questions with the citations that were added, and all citations in order.
pub fn add_sources(
    questions: &Questions<'_>,
    answer: &str,
    citations: &[Citation],
    evidence: &[Hit],
    style: CitationStyle,
) -> (String, Vec<Citation>) {
    let is_short = answer.len() <= MAX_ANSWER;
    let sentences = if is_short { ground(questions, answer, citations, evidence) } else { Vec::new() };
    let units: Vec<u16> = answer.encode_utf16().collect();
    let mut text: Vec<u16> = Vec::new();
    let (mut all, mut copied) = (Vec::new(), 0);
    let mut old = citations.iter().peekable();
    let mut reading = Reading::default();
    for (at, sentence) in sentences.iter().enumerate() {
        let next = sentences.get(at + 1).map_or(units.len(), |next| next.at.start);
        let is_within = |one: &&Citation| one.at.start >= sentence.at.start && one.at.start < next;
        let cites = citations.iter().any(|one| is_within(&one));
        let emphasis = |unit: &&u16| [u16::from(b'*'), u16::from(b'_')].contains(unit);
        let end = sentence.at.end + units.iter().skip(sentence.at.end).take_while(emphasis).count();
        let is_prose = reading.is_prose_at(&units, end) && ends_word(&units, end);
        let source = source(sentence, evidence).filter(|_| !cites && is_prose && is_plain(&sentence.text));
        let Some((number, hit)) = source else { continue };
        while let Some(one) = old.next_if(|one| one.at.start < end) {
            all.push(moved(one, text.len() - copied));
        }
        text.extend(units.get(copied..end).unwrap_or_default());
        copied = end;
        text.push(u16::from(b' '));
        let marker = style.marker(number, hit);
        all.push(Citation::new(number, hit, text.len(), &marker, sentence.span));
        text.extend(marker.encode_utf16());
    }
    // `text` contains what was copied, so the difference is not negative.
    all.extend(old.map(|one| moved(one, text.len() - copied)));
    text.extend(units.get(copied..).unwrap_or_default());
    (String::from_utf16_lossy(&text), all)
}

/// Returns a citation behind `added` further units.
fn moved(one: &Citation, added: usize) -> Citation {
    let mut moved = one.clone();
    moved.at.start += added;
    moved.at.end += added;
    moved
}

/// Returns the passage that supports a sentence, with its number.
fn source<'e>(sentence: &GroundedSentence, evidence: &'e [Hit]) -> Option<(usize, &'e Hit)> {
    if !sentence.supported {
        return None;
    }
    let is_source = |hit: &&Hit| {
        sentence.chunk_id.as_ref() == Some(&hit.chunk.id)
            && sentence.doc_id.as_ref() == Some(&hit.chunk.doc_id)
    };
    let at = evidence.iter().position(|hit| is_source(&hit))?;
    Some((at + 1, evidence.get(at)?))
}

/// Returns whether a sentence is plain text that claims something. Others may be questions, or links and definitions of links.
fn is_plain(sentence: &str) -> bool {
    let bare = sentence.trim_end().trim_end_matches(['"', '”', '’', ')', '*', '_']);
    !bare.ends_with(['?', '？']) && !sentence.contains(['[', ']', '<', '\\'])
}

/// Returns whether no word goes on at a position. A full stop within one, as in `./notes`, ends no sentence; those of Chinese and
/// Japanese, which are not ASCII, need no space after them.
fn ends_word(units: &[u16], at: usize) -> bool {
    let ascii = |unit: &u16| u8::try_from(*unit).ok().filter(u8::is_ascii);
    let goes_on =
        units.get(at).is_some_and(|next| ascii(next).is_none_or(|next| !next.is_ascii_whitespace()));
    !goes_on || at.checked_sub(1).and_then(|last| units.get(last)).is_some_and(|last| ascii(last).is_none())
}

/// Where a reading of an answer is: within a code block, or a formula.
#[derive(Debug, Default)]
struct Reading {
    read: usize,
    fences: usize,
    formulas: usize,
}

impl Reading {
    /// Reads up to the end of a sentence. Returns whether a citation may follow there: in no code block, table or formula.
    fn is_prose_at(&mut self, units: &[u16], end: usize) -> bool {
        let text = |from: usize| String::from_utf16_lossy(units.get(from..end).unwrap_or_default());
        let fresh = text(self.read);
        self.fences += fresh.matches("```").count() + fresh.matches("~~~").count();
        self.formulas += fresh.matches("$$").count();
        self.read = end;
        let is_break = |unit: &u16| *unit == u16::from(b'\n');
        let begins =
            units.get(..end).and_then(|before| before.iter().rposition(is_break)).map_or(0, |at| at + 1);
        let line = text(begins);
        let is_code =
            line.matches('`').count() % 2 == 1 || line.starts_with("    ") || line.starts_with('\t');
        self.fences.is_multiple_of(2) && self.formulas.is_multiple_of(2) && !is_code && !line.contains('|')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::{CitedBy, check};
    use proptest::prelude::*;
    use vademecum_protocol::document::{Span, whole_document as hit};

    fn evidence() -> [Hit; 2] {
        [
            hit("tower.md", "The tower of Ozymand is 330 metres high. It was painted red in 1968."),
            hit("ferry.md", "The ferry crosses the strait in 35 minutes. Dogs are not allowed on deck."),
        ]
    }

    fn sourced(answer: &str) -> (String, Vec<Citation>) {
        let checked = check(answer, &evidence(), CitationStyle::Number);
        add_sources(
            &Questions::default(),
            &checked.text,
            &checked.citations,
            &evidence(),
            CitationStyle::Number,
        )
    }

    fn slice(text: &str, at: Span) -> String {
        String::from_utf16_lossy(&text.encode_utf16().collect::<Vec<_>>()[at.start..at.end])
    }

    #[test]
    fn a_supported_sentence_gets_its_source_and_others_stay_as_they_are() {
        let (text, citations) = sourced(
            "😀 The tower of Ozymand is 330 metres high. It is made of cheese. The ferry crosses the strait in 35 minutes [2].",
        );
        assert_eq!(
            text,
            "😀 The tower of Ozymand is 330 metres high. [1] It is made of cheese. The ferry crosses the strait in 35 minutes [2]."
        );
        assert_eq!(
            citations.iter().map(|one| (one.number, one.by)).collect::<Vec<_>>(),
            [(1, CitedBy::Grounding), (2, CitedBy::Model)]
        );
        assert!(citations.iter().all(|one| slice(&text, one.at) == format!("[{}]", one.number)));
    }

    #[test]
    fn a_wrong_number_a_wrong_name_and_a_negation_get_no_source() {
        for answer in [
            "The tower of Ozymand is 331 metres high.",
            "The tower of Babel is 330 metres high.",
            "The tower of Ozymand is not 330 metres high.",
            "The height of the tower of Ozymand is not specified.",
            "Dogs are allowed on deck.",
            "The ferry does not cross the strait in 35 minutes.",
        ] {
            assert_eq!(sourced(answer), (answer.to_owned(), Vec::new()), "{answer}");
        }
        assert_eq!(sourced("Dogs are not allowed on deck.").1.len(), 1, "the passage negates as well");
    }

    #[test]
    fn no_source_parts_a_word() {
        let (text, citations) = sourced("The tower of Ozymand is 330 metres high ./notes");
        assert!(!text.contains("]/"), "{text}");
        assert!(citations.iter().all(|one| slice(&text, one.at) == "[1]"));
        let closed = sourced(
            "“The tower of Ozymand is 330 metres high.” (The ferry crosses the strait in 35 minutes.)",
        );
        assert_eq!(closed.1.len(), 2, "{}", closed.0);
    }

    #[test]
    fn an_emphasised_sentence_gets_its_source_behind_the_mark() {
        let (text, citations) = sourced("**The ferry crosses the strait in 35 minutes.** Well.");
        assert_eq!(text, "**The ferry crosses the strait in 35 minutes.** [2] Well.");
        assert_eq!(slice(&text, citations[0].at), "[2]");
    }

    #[test]
    fn code_and_tables_stay_as_they_are() {
        for answer in [
            "```\nThe tower of Ozymand is 330 metres high.\n```",
            "~~~\nThe tower of Ozymand is 330 metres high.\n~~~",
            "So:\n\n    The tower of Ozymand is 330 metres high.",
            "| a |\n|---|\n| The tower of Ozymand is 330 metres high. |",
            "a | b\n---|---\n1 | The tower of Ozymand is 330 metres high.",
        ] {
            assert_eq!(sourced(answer).0, answer);
        }
    }

    proptest! {
        #[test]
        fn only_markers_are_added_and_every_citation_is_at_its_marker(
            parts in prop::collection::vec(prop::sample::select(vec![
                "The tower of Ozymand is 330 metres high.", "It was painted red in 1968 [1].", "😀 漢字。", "Dogs fly.", "\n\n- ",
                "The ferry crosses the strait in 35 minutes.", "[2]", "`code", "# Title\n\n", "Yes.",
            ]), 0..12),
        ) {
            let checked = check(&parts.join(" "), &evidence(), CitationStyle::Number);
            let (text, citations) = add_sources(&Questions::default(), &checked.text, &checked.citations, &evidence(), CitationStyle::Number);
            let mut left = text.encode_utf16().collect::<Vec<_>>();
            for one in citations.iter().rev() {
                prop_assert_eq!(slice(&text, one.at), format!("[{}]", one.number));
                if one.by == CitedBy::Grounding {
                    left.drain(one.at.start - 1..one.at.end);
                }
            }
            prop_assert_eq!(String::from_utf16_lossy(&left), checked.text);
            prop_assert_eq!(citations.iter().filter(|one| one.by == CitedBy::Model).count(), checked.citations.len());
        }
    }
}
