//! Cuts off what a reply repeats at its end: small models write the same sentences until their tokens are used up.

use std::ops::Range;
use vademecum_text::sentence::sentences;
use vademecum_text::terms::words;
use vademecum_util::within::Within;

/// Minimum number of words of a repeated block. Shorter ones, such as "- Not included.", may be equal items of a list.
const MIN_WORDS: usize = 4;
/// Maximum number of sentences that are repeated together.
const MAX_PERIOD: usize = 16;

/// Returns a reply without the repetitions at its end: sentences that follow each other as the same number of sentences before
/// them did, and perhaps the cut-off beginning of the next repetition. Citations do not count in the comparison. Code and tables
/// are returned unchanged.
pub(crate) fn without_repeats(reply: &str) -> String {
    if reply.contains("```") || reply.contains("~~~") || reply.contains('|') {
        return reply.to_owned();
    }
    let all: Vec<(Range<usize>, String)> =
        sentences(reply).into_iter().map(|bytes| (bytes.clone(), said(reply.within(bytes)))).collect();
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    let kept = (1..=MAX_PERIOD.min(texts.len() / 2)).filter_map(|period| kept(&texts, period)).min();
    let Some((last, _)) = kept.and_then(|kept| all.get(kept.checked_sub(1)?)) else {
        return reply.to_owned();
    };
    // A citation behind its full stop belongs to the last sentence that is kept.
    let rest = reply.within(last.end..reply.len());
    let next = kept
        .and_then(|kept| all.get(kept))
        .map_or(rest.len(), |(next, _)| next.start.saturating_sub(last.end));
    let cited = rest.within(..next).trim_end();
    format!("{}{cited}", reply.within(..last.end))
}

/// Returns the number of sentences that are left if the last ones repeat those `period` before them; `None` if they do not.
fn kept(texts: &[&str], period: usize) -> Option<usize> {
    let is_equal = |at: usize| {
        let (text, before) = (texts.get(at)?, texts.get(at.checked_sub(period)?)?);
        let is_cut = at + 1 == texts.len() && text.len() < before.len() && before.starts_with(*text);
        Some(text == before || (is_cut && !text.is_empty()))
    };
    let from = (0..texts.len()).rev().take_while(|at| is_equal(*at) == Some(true)).last()?;
    let block = texts.get(from..from + period)?;
    let length: usize = block.iter().map(|text| words(text).count()).sum();
    (length >= MIN_WORDS).then_some(from)
}

/// Returns a sentence in lower case with single spaces, without citations by number.
fn said(sentence: &str) -> String {
    let mut said = String::new();
    let mut rest = sentence;
    while let Some(at) = rest.find('[') {
        let inside = rest.within(at + 1..);
        let end = inside.find(']').filter(|end| {
            *end > 0
                && inside
                    .within(..*end)
                    .chars()
                    .all(|letter| letter.is_ascii_digit() || ", ".contains(letter))
        });
        said.push_str(rest.within(..at));
        match end {
            Some(end) => rest = inside.within(end + 1..),
            None => {
                said.push('[');
                rest = inside;
            }
        }
    }
    said.push_str(rest);
    // A citation may stand before the full stop or behind it.
    said.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn repetitions_at_the_end_are_cut_off() {
        let once = "The ferry has 28 cabins. [1] Bicycles travel free of charge [2].";
        assert_eq!(without_repeats(once), once);
        assert_eq!(
            without_repeats(&format!("{once}\n\n{once}\n\nThe ferry has 28 cabins [1].\n\nBicycles travel")),
            once
        );
        assert_eq!(without_repeats(&format!("{once} Bicycles travel free of charge. Bicycles tra")), once);
        let other = format!("{once} The ferry has 29 cabins. [1]");
        assert_eq!(without_repeats(&other), other);
    }

    #[test]
    fn what_differs_or_is_repeated_elsewhere_stays() {
        for reply in [
            "Yes. It does. Yes. It does.",
            "- Not included.\n- Included.\n- Not included.",
            "1. Open the valve. Wait for ten seconds.\n2. Close it. Wait for ten seconds.",
            "- Press the button and wait.\n- Release it.\n- Press the button and wait.",
            "## Ferry A\n\nIt leaves at six every day.\n\n## Ferry B\n\nIt leaves at six every day.",
            "C++ is faster than C. C is faster than C++.",
            "It is 5 degrees in May. It is -5 degrees in May.",
            "Set the value of a[i] to zero. Set the value of a[j] to zero.",
            "```\nlet a = one of them;\nlet a = one of them;\n```",
            "| a row of four | cells |\n|---|---|\n| a row of four | cells |",
            "The ferry leaves at six. The fer",
            "The ferry leaves at six. 👍",
        ] {
            assert_eq!(without_repeats(reply), reply);
        }
    }

    proptest! {
        #[test]
        fn what_is_left_begins_the_reply_and_has_all_its_sentences(
            parts in prop::collection::vec(prop::sample::select(vec![
                "The ferry has 28 cabins.", "😀 漢字。", "Bicycles travel free of charge", "[1]", "\n\n- ", " ", "Yes.", "…", "# Title of the whole page\n",
            ]), 0..16),
        ) {
            let reply = parts.join(" ");
            let kept = without_repeats(&reply);
            prop_assert!(reply.starts_with(&kept));
            let all_said = said(&kept);
            for bytes in sentences(&reply) {
                prop_assert!(all_said.contains(&said(reply.within(bytes))));
            }
        }
    }
}
