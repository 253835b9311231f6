//! Property tests of chunking: chunks are exact slices of their document, cover it, and respect the budget.

use proptest::prelude::*;
use vademecum::document::Format;
use vademecum::text::block::Structure;
use vademecum::text::chunk::{Budget, Piece, chunk, estimate_tokens};
use vademecum::text::sentence::sentences;
use vademecum::text::structure::{read, read_pages};

fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-z ]{0,60}",
        "#{1,4} [A-Za-z 🐈é]{1,20}",
        "[-*] [a-z ]{0,30}",
        "```[a-z]{0,4}",
        "\\PC{0,40}",
        any::<String>(),
        "[\u{4e00}-\u{4e40}。]{0,30}",
        "    [a-z(){};]{0,20}",
        "\\| [a-z]{0,8} \\|( [a-z0-9]{0,8} \\|){0,3}",
        Just("|---|:-:|".to_owned()),
        "<(p|table|tr|th|td|pre|li|nav|main|a href=x|/a|/table|/nav|/pre)>[a-z &;<>/]{0,30}",
        "\\[\\[?[a-z]{0,6}\\]?\\]?(\\([a-z#.]{0,6}\\))?`{0,3}",
        "[a-z.]{0,20}\u{c}[A-Z]?[a-z.]{0,20}",
        "[🐈\u{200d}\u{301}\u{1f1e6}]{0,20}",
        Just(String::new()),
    ];
    prop::collection::vec(line, 0..30)
        .prop_flat_map(|lines| prop_oneof![Just("\n"), Just("\r\n")].prop_map(move |end| lines.join(end)))
}

/// Generates documents of any format, and of pages.
fn structures() -> impl Strategy<Value = Structure> {
    prop_oneof![
        (any_text(), prop_oneof![Just(Format::Text), Just(Format::Markdown), Just(Format::Html)])
            .prop_map(|(text, format)| read(text, format).unwrap()),
        prop::collection::vec(any_text(), 0..4).prop_map(|pages| read_pages(&pages)),
    ]
}

/// Token counters: the estimate, one per letter, and one that knows whole words only.
fn counters() -> impl Strategy<Value = fn(&str) -> usize> {
    let letters: fn(&str) -> usize = |text| text.chars().filter(|letter| !letter.is_whitespace()).count();
    let words: fn(&str) -> usize = |text| text.split_whitespace().count();
    prop_oneof![Just(estimate_tokens as fn(&str) -> usize), Just(letters), Just(words)]
}

fn titles() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[A-Za-z ]{0,80}")
}

fn text_of<'a>(structure: &'a Structure, piece: &Piece) -> &'a str {
    &structure.text[piece.bytes.clone()]
}

proptest! {
    #[test]
    fn byte_and_utf16_spans_denote_the_same_text(
        structure in structures(), max_tokens in 3_usize..60, overlap in 0_usize..20,
    ) {
        let units: Vec<u16> = structure.text.encode_utf16().collect();
        for piece in chunk(&structure, &Budget { overlap, ..Budget::estimated(max_tokens) }) {
            let in_rust = structure.text.get(piece.bytes.clone());
            let in_javascript = String::from_utf16(&units[piece.utf16.clone()]).ok();
            prop_assert!(in_rust.is_some_and(|text| !text.trim().is_empty()));
            prop_assert_eq!(in_rust, in_javascript.as_deref());
        }
    }

    #[test]
    fn every_character_of_every_block_is_in_a_chunk(
        structure in structures(), max_tokens in 3_usize..60, overlap in 0_usize..20,
    ) {
        let pieces = chunk(&structure, &Budget { overlap, ..Budget::estimated(max_tokens) });
        let (mut start, mut end) = (0, 0);
        for piece in &pieces {
            prop_assert!(piece.bytes.start >= start && piece.bytes.end > end, "in order");
            if piece.bytes.start > end {
                prop_assert!(structure.text[end..piece.bytes.start].trim().is_empty() || end == 0);
            }
            prop_assert!(overlap > 0 || piece.bytes.start >= end, "no overlap where none is asked for");
            (start, end) = (piece.bytes.start, piece.bytes.end);
        }
        let mut pieces = pieces.iter().peekable();
        for block in &structure.blocks {
            for (at, letter) in structure.text[block.span.clone()].char_indices() {
                let at = block.span.start + at;
                while pieces.next_if(|piece| piece.bytes.end <= at).is_some() {}
                let held = pieces.peek().is_some_and(|piece| piece.bytes.contains(&at));
                prop_assert!(held || letter.is_whitespace(), "{letter:?} at {at} is in no chunk");
            }
        }
    }

    #[test]
    fn embedded_texts_are_within_the_budget(
        structure in structures(), max_tokens in 3_usize..80, overlap in 0_usize..30,
        count in counters(), title in titles(),
    ) {
        let budget = Budget { max_tokens, overlap, count: &count, title: title.as_deref() };
        for piece in chunk(&structure, &budget) {
            let embedded = piece.embedded(text_of(&structure, &piece));
            prop_assert!(count(&embedded) + 2 <= max_tokens, "{} of {max_tokens}: {embedded:?}", count(&embedded));
            prop_assert!(count(&piece.prefix) <= max_tokens / 2);
        }
    }

    #[test]
    fn a_passage_slightly_over_the_budget_is_split_evenly(
        words in prop::collection::vec(2_usize..12, 2..80), max_tokens in 40_usize..130,
    ) {
        let text: String = words.iter().map(|count| format!("Go{}. ", " on".repeat(*count))).collect();
        let structure = read(text, Format::Text).unwrap();
        let pieces = chunk(&structure, &Budget::estimated(max_tokens));
        let sizes: Vec<usize> = pieces.iter().map(|piece| estimate_tokens(text_of(&structure, piece))).collect();
        let total: usize = sizes.iter().sum();
        prop_assert!(sizes.len() == 1 || sizes.iter().all(|size| size * 4 > max_tokens), "{sizes:?}");
        prop_assert!(sizes.len() <= 1 + total.div_ceil(max_tokens - 2) * 5 / 4, "{sizes:?} of {max_tokens}");
    }

    #[test]
    fn an_overlap_repeats_at_most_the_requested_end_of_the_previous_chunk(
        words in prop::collection::vec(1_usize..8, 2..60), overlap in 1_usize..30,
    ) {
        let text: String = words.iter().map(|count| format!("Go{}. ", " on".repeat(*count))).collect();
        let structure = read(text, Format::Text).unwrap();
        let pieces = chunk(&structure, &Budget { overlap, ..Budget::estimated(64) });
        for pair in pieces.windows(2) {
            let (one, next) = (&pair[0].bytes, &pair[1].bytes);
            let repeated = structure.text.get(next.start..one.end).unwrap_or_default();
            prop_assert!(estimate_tokens(repeated) <= overlap);
            // The shortest sentence has three tokens, the longest ten.
            prop_assert!(overlap < 10 || repeated.starts_with("Go"), "{repeated:?}");
        }
    }

    #[test]
    fn every_link_is_within_the_text(structure in structures()) {
        let mut before = 0;
        for link in &structure.links {
            prop_assert!(structure.text.get(link.at.clone()).is_some());
            prop_assert!(link.at.start >= before && !link.target.is_empty());
            before = link.at.start;
        }
    }

    #[test]
    fn sentences_are_in_order_and_lose_no_word(text in any_text()) {
        let mut end = 0;
        for sentence in sentences(&text) {
            prop_assert!(sentence.start >= end);
            prop_assert!(text[end..sentence.start].trim().is_empty());
            end = sentence.end;
        }
        prop_assert!(text[end..].trim().is_empty());
    }
}

#[test]
fn every_page_of_a_document_is_found_in_its_chunks() {
    let pages: Vec<String> = (1..=9)
        .map(|page| format!("Page {page} begins.\n\nIt has words enough to fill a chunk. It ends"))
        .collect();
    let structure = read_pages(&pages);
    for piece in chunk(&structure, &Budget::estimated(16)) {
        let page = piece.page.unwrap() as usize;
        let start = structure.pages[page - 1];
        let end = structure.pages.get(page).copied().unwrap_or(structure.text.len());
        assert!((start..end).contains(&piece.bytes.start));
    }
}
