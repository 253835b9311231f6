//! Removes what a reasoning model writes between `<think>` and `</think>`, which is not part of its answer.

use vademecum_util::within::Within;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// Maximum number of bytes of an answer; every sentence of it is checked.
const MAX_ANSWER: usize = 64 << 10;

/// Returns what follows the thoughts. The chat template may have opened them before the reply begins.
pub fn after_thoughts(reply: &str) -> &str {
    reply.rfind(CLOSE).and_then(|at| reply.get(at + CLOSE.len()..)).unwrap_or(reply)
}

/// Returns the answer in a reply, without thoughts and truncated; empty if the thoughts do not end.
pub fn spoken(reply: &str) -> &str {
    let said = after_thoughts(reply).trim();
    let said = if said.starts_with(OPEN) { "" } else { said };
    said.get(..said.floor_char_boundary(MAX_ANSWER)).unwrap_or(said)
}

/// Holds back the thoughts of a streamed reply.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    stage: Stage,
    /// Number of bytes that need not be examined again.
    seen: usize,
    /// Number of bytes that were emitted or are thoughts.
    passed: usize,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Too little has arrived to tell.
    #[default]
    Beginning,
    Thinking,
    Speaking,
}

impl Thoughts {
    /// Returns the text that can be emitted, given all of the reply so far.
    pub(super) fn pass<'a>(&mut self, reply: &'a str) -> &'a str {
        if self.stage == Stage::Beginning {
            let rest = reply.within(self.seen..).trim_start();
            self.seen = reply.len() - rest.len();
            self.stage = match rest {
                rest if rest.starts_with(OPEN) => Stage::Thinking,
                rest if OPEN.starts_with(rest) => return "",
                _ => Stage::Speaking,
            };
        }
        if self.stage == Stage::Thinking {
            let rest = reply.within(self.seen..);
            let Some(at) = rest.find(CLOSE) else {
                // The closing tag may be split.
                self.seen =
                    reply.floor_char_boundary((reply.len() + 1).saturating_sub(CLOSE.len()).max(self.seen));
                self.passed = reply.len();
                return "";
            };
            self.passed = self.seen + at + CLOSE.len();
            self.stage = Stage::Speaking;
        }
        self.rest(reply)
    }

    /// Returns the text that is still held back at the end of the reply.
    pub(super) fn rest<'a>(&mut self, reply: &'a str) -> &'a str {
        let rest = reply.within(self.passed..);
        self.passed = reply.len();
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_answer_follows_the_thoughts() {
        assert_eq!(spoken("<think>Hm. 30?</think>\n\n30 days [1]."), "30 days [1].");
        assert_eq!(spoken("The template opened these.\n</think>\n30 days."), "30 days.");
        assert_eq!(spoken("<think>It is 30 days. Or"), "");
        assert_eq!(spoken(" 30 days. "), "30 days.");
        assert_eq!(spoken(&"é".repeat(MAX_ANSWER)).len(), MAX_ANSWER);
    }

    fn passed_on(pieces: &[&str]) -> String {
        let (mut thoughts, mut reply, mut passed) = (Thoughts::default(), String::new(), String::new());
        for piece in pieces {
            reply.push_str(piece);
            passed.push_str(thoughts.pass(&reply));
        }
        passed + thoughts.rest(&reply)
    }

    proptest! {
        #[test]
        fn thoughts_are_held_back_for_any_split_of_the_reply(
            thought in "[a-z<é/]{0,9}", said in "[a-z😀 .]{0,9}", cuts in prop::collection::vec(0_usize..60, 0..6)
        ) {
            let reply = format!(" <think>{thought}</think>{said}");
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| reply.is_char_boundary(*cut)).collect();
            cuts.extend([0, reply.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &reply[pair[0]..pair[1]]).collect();
            prop_assert_eq!(passed_on(&pieces), said.as_str());
            prop_assert_eq!(passed_on(&[&said]), said);
        }
    }

    #[test]
    fn text_that_only_begins_like_thoughts_is_emitted() {
        assert_eq!(passed_on(&[" <thi", "s> is it"]), " <this> is it");
        assert_eq!(passed_on(&["<th"]), "<th");
        assert_eq!(passed_on(&["<think>never", " ends"]), "");
    }
}
