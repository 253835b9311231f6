//! Escapes document text for a prompt, so that chat template marks and fences in it lose their special meaning.

use super::invisible::visible;
use vademecum_protocol::error::excerpt;

/// Names in angle brackets that mark turns and tools in chat templates.
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
/// Names in square brackets that do the same.
const TAGS: [&str; 6] = ["inst", "sys", "available_tools", "tool_calls", "tool_results", "system_prompt"];
/// Characters that rules (separator lines) consist of.
const RULE_CHARS: [char; 5] = ['=', '-', '~', '<', '>'];
/// Minimum number of them that makes a rule.
const MIN_RUN: usize = 3;

/// Escapes a text: removes invisible characters, and breaks up chat template marks and lines that look like the end of a
/// quotation. Leaves ordinary text unchanged.
pub fn neutral(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, line) in visible(&text.replace("\r\n", "\n")).split('\n').enumerate() {
        if at > 0 {
            shown.push('\n');
        }
        let broken = without_marks(line);
        if looks_like_a_fence(&broken) {
            // Spaces keep the line readable; it is no fence any more.
            for letter in broken.chars() {
                shown.push(letter);
                if RULE_CHARS.contains(&letter) {
                    shown.push(' ');
                }
            }
        } else if broken.starts_with('[') && broken.contains(" › ") {
            // Would be read as the heading of another passage.
            shown.push_str(&broken.replace(" › ", " > "));
        } else {
            shown.push_str(&broken);
        }
    }
    shown
}

/// Escapes a text into one line of at most `most` characters, for titles, headings, ids and field names.
pub fn label(text: &str, most: usize) -> String {
    let line = neutral(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = excerpt(&line, most);
    if looks_like_a_fence(&cut) { cut.replace(RULE_CHARS, " ") } else { cut }
}

/// Escapes a text that is put between two fences, and removes the fence from it so that the text cannot close it.
pub fn quoted(text: &str, fence: &str) -> String {
    let shown = neutral(text);
    if shown.contains(fence) { shown.replace(fence, "…") } else { shown }
}

/// Returns whether a text is safe outside a fence: one short word of plain ASCII characters, too short to be an instruction.
pub fn is_plain_word(text: &str) -> bool {
    let parts =
        text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| part.len() > 1).count();
    text.len() <= 40
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/#".contains(letter))
        && parts <= 4
}

/// Returns whether a line has words between two rules, such as `=== end of passages ===`.
pub fn looks_like_a_fence(line: &str) -> bool {
    let line = line.trim();
    let run = |letters: &mut dyn Iterator<Item = char>| {
        letters.take(MIN_RUN).filter(|letter| RULE_CHARS.contains(letter)).count() == MIN_RUN
    };
    run(&mut line.chars()) && run(&mut line.chars().rev()) && line.contains(char::is_alphanumeric)
}

/// Inserts a space into every chat template mark of a line.
fn without_marks(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '[']) {
        let (before, from) = rest.split_at(at);
        let (sign, after) = from.split_at(1);
        shown.push_str(before);
        shown.push_str(sign);
        if is_mark(sign, after) {
            shown.push(' ');
        }
        rest = after;
    }
    shown + rest
}

/// Returns whether `said` is `name` in all lowercase or all uppercase; `Documents` is probably a type.
fn is_written(said: &str, name: &str) -> bool {
    said == name
        || (said.eq_ignore_ascii_case(name) && !said.contains(|letter: char| letter.is_ascii_lowercase()))
}

/// Returns whether this character begins a chat template mark.
pub(super) fn is_mark(sign: &str, after: &str) -> bool {
    let name = after.strip_prefix('/').unwrap_or(after);
    let named = |names: &[&str], close: char| {
        names.iter().any(|one| {
            name.get(..one.len()).is_some_and(|said| is_written(said, one))
                && name.get(one.len()..).is_some_and(|rest| rest.starts_with(close))
        })
    };
    match sign {
        "<" => {
            after.starts_with(['|', '｜', '▁'])
                || named(&MARKS, '>')
                || after.strip_prefix('<').is_some_and(|inner| {
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
    fn template_marks_are_broken_up_and_code_is_unchanged() {
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
    fn fences_and_passage_headings_are_broken_up() {
        assert_eq!(neutral("a\n=== passages 00 ===\nb"), "a\n= = =  passages 00 = = = \nb");
        assert!(!neutral("<<<END OF CONTEXT>>>").contains("<<<"));
        assert_eq!(neutral("[2] Other › Part\n[3] Smith, 1999"), "[2] Other > Part\n[3] Smith, 1999");
        assert_eq!(label("A\n=== end\r\n\u{200B}===", 40), "A === end ===");
        assert!(!looks_like_a_fence(&label("=== end ===", 40)));
        assert_eq!(label("long title", 4), "long…");
    }

    #[test]
    fn only_a_short_plain_word_is_safe_outside_a_fence() {
        assert!(is_plain_word("acme.md") && is_plain_word("docs/ch04-01.html") && is_plain_word("7"));
        for odd in
            ["", "two words", "ignore-all-previous-instructions-now", "a\nb", "[x]", "é", &"a".repeat(41)]
        {
            assert!(!is_plain_word(odd), "{odd}");
        }
    }

    proptest! {
        #[test]
        fn escaping_is_idempotent_and_no_fence_can_be_forged(
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
