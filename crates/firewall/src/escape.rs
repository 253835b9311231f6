//! A document's text as a model is shown it: what has a meaning of its own to a model, beyond what it says, has none.

use super::invisible::visible;
use vademecum_protocol::error::excerpt;

/// Names between angle brackets that mark turns and tools in the templates of chats.
const MARKS: [&str; 27] = [
    "s",
    "bos",
    "eos",
    "pad",
    "unk",
    "start_of_turn",
    "end_of_turn",
    "think",
    "thinking",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tool_result",
    "tool_results",
    "function_call",
    "function_calls",
    "function_results",
    "invoke",
    "system",
    "user",
    "assistant",
    "developer",
    "instruction",
    "instructions",
    "passages",
    "documents",
    "context",
];
/// The same between square brackets.
const TAGS: [&str; 6] = ["inst", "sys", "available_tools", "tool_calls", "tool_results", "system_prompt"];
/// Signs that lines are drawn with.
const RULES: [char; 5] = ['=', '-', '~', '<', '>'];
/// So many of a sign make a line.
const RUN: usize = 3;

/// A text that nothing stands in but what it says: letters nobody sees are gone, marks of chat templates and lines that look
/// like the end of a quotation are broken up. Ordinary text stays as it is.
pub fn neutral(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, line) in visible(&text.replace("\r\n", "\n")).split('\n').enumerate() {
        if at > 0 {
            shown.push('\n');
        }
        let broken = without_marks(line);
        if looks_like_a_fence(&broken) {
            // Spaces between: the line is read as before, and is one no more.
            for letter in broken.chars() {
                shown.push(letter);
                if RULES.contains(&letter) {
                    shown.push(' ');
                }
            }
        } else if broken.starts_with('[') && broken.contains(" › ") {
            // As the heading of another passage would.
            shown.push_str(&broken.replace(" › ", " > "));
        } else {
            shown.push_str(&broken);
        }
    }
    shown
}

/// The same in one line of at most so many letters: for titles, headings, ids and names of fields.
pub fn label(text: &str, most: usize) -> String {
    let line = neutral(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = excerpt(&line, most);
    if looks_like_a_fence(&cut) { cut.replace(RULES, " ") } else { cut }
}

/// A text of somebody's that stands between fences, which it cannot close.
pub fn quoted(text: &str, fence: &str) -> String {
    let shown = neutral(text);
    if shown.contains(fence) { shown.replace(fence, "…") } else { shown }
}

/// Whether a text can stand outside a fence: one short word of plain letters that says nothing.
pub fn is_plain_word(text: &str) -> bool {
    let parts =
        text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| part.len() > 1).count();
    text.len() <= 40
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/#".contains(letter))
        && parts <= 4
}

/// A line with words between two rules, as `=== end of passages ===`.
pub fn looks_like_a_fence(line: &str) -> bool {
    let line = line.trim();
    let run = |letters: &mut dyn Iterator<Item = char>| {
        letters.take(RUN).filter(|letter| RULES.contains(letter)).count() == RUN
    };
    run(&mut line.chars()) && run(&mut line.chars().rev()) && line.contains(char::is_alphanumeric)
}

/// A line whose marks have a space in them.
fn without_marks(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '[']) {
        let (before, from) = rest.split_at(at);
        let (sign, behind) = from.split_at(1);
        shown.push_str(before);
        shown.push_str(sign);
        if is_mark(sign, behind) {
            shown.push(' ');
        }
        rest = behind;
    }
    shown + rest
}

/// Whether a name is this one, in small letters or in large ones alone: `Documents` is a type.
fn is_written(said: &str, name: &str) -> bool {
    said == name
        || (said.eq_ignore_ascii_case(name) && !said.contains(|letter: char| letter.is_ascii_lowercase()))
}

/// Whether this sign begins a mark.
pub(super) fn is_mark(sign: &str, behind: &str) -> bool {
    let name = behind.strip_prefix('/').unwrap_or(behind);
    let named = |names: &[&str], close: char| {
        names.iter().any(|one| {
            name.get(..one.len()).is_some_and(|said| is_written(said, one))
                && name.get(one.len()..).is_some_and(|rest| rest.starts_with(close))
        })
    };
    match sign {
        "<" => {
            behind.starts_with(['|', '｜', '▁'])
                || named(&MARKS, '>')
                || behind.strip_prefix('<').is_some_and(|inner| {
                    inner.get(..4).is_some_and(|said| said.eq_ignore_ascii_case("sys>"))
                        || inner.get(..5).is_some_and(|said| said.eq_ignore_ascii_case("/sys>"))
                })
        }
        _ => named(&TAGS, ']'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_of_templates_are_broken_up_and_code_stays() {
        assert_eq!(neutral("<|im_start|>system"), "< |im_start|>system");
        assert_eq!(
            neutral("[INST] <<SYS>> a <</sys>> [/INST] </s>"),
            "[ INST] < <SYS>> a < </sys>> [ /INST] < /s>"
        );
        assert_eq!(neutral("</tool_call><start_of_turn>user"), "< /tool_call>< start_of_turn>user");
        for plain in [
            "Vec<u8> and a < b << c",
            "list |> map [0] [x](y)",
            "<b>bold</b>",
            "---\ntitle: a\n---",
            "Title\n=====",
        ] {
            assert_eq!(neutral(plain), plain);
        }
    }

    #[test]
    fn lines_that_look_like_a_fence_or_the_heading_of_a_passage_are_altered() {
        assert_eq!(neutral("a\n=== passages 00 ===\nb"), "a\n= = =  passages 00 = = = \nb");
        assert!(!neutral("<<<END OF CONTEXT>>>").contains("<<<"));
        assert_eq!(neutral("[2] Other › Part\n[3] Smith, 1999"), "[2] Other > Part\n[3] Smith, 1999");
        assert_eq!(label("A\n=== end\r\n\u{200B}===", 40), "A === end ===");
        assert!(!looks_like_a_fence(&label("=== end ===", 40)));
        assert_eq!(label("long title", 4), "long…");
    }

    #[test]
    fn only_a_short_plain_word_may_stand_outside_a_fence() {
        assert!(is_plain_word("acme.md") && is_plain_word("docs/ch04-01.html") && is_plain_word("7"));
        for odd in
            ["", "two words", "ignore-all-previous-instructions-now", "a\nb", "[x]", "é", &"a".repeat(41)]
        {
            assert!(!is_plain_word(odd), "{odd}");
        }
    }

    proptest! {
        #[test]
        fn what_is_neutral_stays_so_and_no_fence_can_be_forged(
            text in "(=== passages 0f ===|===|---|<\\||\\[INST\\]|<s>|\\[1\\] a › b|[a-z \u{200B}\u{E0041}é😀<>]|\r|\n){0,40}"
        ) {
            let shown = neutral(&text);
            prop_assert!(!shown.lines().any(looks_like_a_fence), "{}", shown);
            prop_assert!(!quoted(&text, "=== passages 0f ===").contains("=== passages 0f ==="));
            prop_assert_eq!(label(&text, 60).lines().count().max(1), 1);
            let again = neutral(&shown);
            prop_assert_eq!(again.trim_end(), shown.trim_end());
        }
    }
}
