//! Removes sentences that a reply repeats: small models write the same ones until their tokens are used up.

use std::collections::BTreeSet;
use vademecum_text::sentence::sentences;
use vademecum_text::terms::words;
use vademecum_util::within::Within;

/// Minimum number of words of a sentence that is removed. Shorter ones, such as "Yes.", may be cells or items.
const MIN_WORDS: usize = 4;

/// Returns a reply without the sentences that it contains before, and without a cut-off beginning of one at the end. Citations
/// do not count in the comparison. Replies with code or tables are returned unchanged.
pub(crate) fn without_repeats(reply: &str) -> String {
    if reply.contains("```") || reply.contains("~~~") || reply.contains('|') {
        return reply.to_owned();
    }
    let all = sentences(reply);
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut kept = String::new();
    let (mut end, mut is_kept, mut has_repeats) = (0, true, false);
    for (at, bytes) in all.iter().enumerate() {
        let said = said(reply.within(bytes.clone()));
        let is_last = at + 1 == all.len();
        let is_cut = has_repeats && is_last && seen.iter().any(|earlier| earlier.starts_with(&said));
        let is_repeat = said.len() >= MIN_WORDS && seen.contains(&said) || is_cut;
        // A citation behind a full stop belongs to the sentence before.
        let gap = reply.within(end..bytes.start);
        let (cited, space) = gap.split_at(gap.trim_end().len());
        kept.push_str(if is_kept { cited } else { "" });
        if is_repeat {
            has_repeats = true;
        } else {
            kept.push_str(space);
            kept.push_str(reply.within(bytes.clone()));
            seen.insert(said);
        }
        (end, is_kept) = (bytes.end, !is_repeat);
    }
    if is_kept {
        kept.push_str(reply.within(end..reply.len()));
    }
    kept
}

/// Returns the words of a sentence in lower case, without those in brackets, which are citations.
fn said(sentence: &str) -> Vec<String> {
    let is_cited = |at: usize| sentence.within(..at).ends_with('[');
    words(sentence).filter(|(at, _)| !is_cited(*at)).map(|(_, word)| word.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sentence_that_is_said_again_is_removed_with_its_citation() {
        let once = "The ferry has 28 cabins. [1] Bicycles travel free of charge [2].";
        assert_eq!(without_repeats(once), once);
        let looping = format!("{once}\n\n{once}\n\nThe ferry has 28 cabins [1].\n\nBicycles travel");
        assert_eq!(without_repeats(&looping), once);
        let other = format!("{once} The ferry has 29 cabins. [1]");
        assert_eq!(without_repeats(&other), other);
    }

    #[test]
    fn short_sentences_code_and_tables_stay() {
        for reply in [
            "Yes. It does. Yes. It does.",
            "- Not included.\n- Included.\n- Not included.",
            "```\nlet a = one of them;\nlet a = one of them;\n```",
            "| a row of four | cells |\n|---|---|\n| a row of four | cells |",
            "The ferry leaves at six. The fer",
        ] {
            assert_eq!(without_repeats(reply), reply);
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_in_the_reply_in_order_and_says_all_that_the_reply_says(
            parts in prop::collection::vec(prop::sample::select(vec![
                "The ferry has 28 cabins.", "😀 漢字。", "Bicycles travel free of charge", "[1]", "\n\n- ", " ", "Yes.", "…", "# Title of the whole page\n",
            ]), 0..16),
        ) {
            let reply = parts.join(" ");
            let kept = without_repeats(&reply);
            let mut letters = reply.chars();
            prop_assert!(kept.chars().all(|letter| letters.any(|other| other == letter)));
            let all_said = said(&kept).join(" ");
            for bytes in sentences(&reply) {
                prop_assert!(all_said.contains(&said(reply.within(bytes)).join(" ")));
            }
        }
    }
}
