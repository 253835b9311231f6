//! Tells code from prose where no fence does.

use vademecum_util::within::Within;

/// Characters that code has more of than prose.
const SIGNS: &str = "{}();=<>|`\\[]&";
/// Beginnings of lines in which a compiler reports.
const REPORTS: [&str; 5] = ["error:", "error[", "warning:", "help: ", "note: "];
/// What statements have besides the semicolon at their end.
const OF_STATEMENTS: [&str; 5] = [" = ", "::", "();", "->", "=>"];

/// Counts the signs of code, without those of links and of boxes to tick.
fn signs(text: &str) -> usize {
    let of_markdown = [("](", 4), ("[ ]", 2), ("[x]", 2)];
    let marks: usize = of_markdown.iter().map(|(mark, signs)| text.matches(mark).count() * signs).sum();
    text.chars().filter(|letter| SIGNS.contains(*letter)).count().saturating_sub(marks)
}

/// Returns whether a text names a place in a file as compilers do: "--> src/main.rs:3:16".
fn has_place(text: &str) -> bool {
    let is_place = |word: &str| word.contains(':') && word.ends_with(|last: char| last.is_ascii_digit());
    text.split("--> ").skip(1).any(|rest| rest.split_whitespace().next().is_some_and(is_place))
}

/// Returns whether an indented text has signs of code: more than the brackets and the semicolon of a sentence.
pub(super) fn has_code_signs(text: &str) -> bool {
    signs(text) * 20 > text.chars().count() || [" = ", " // "].iter().any(|sign| text.contains(sign))
}

/// Returns whether a text is code or a compiler's message: it has more signs of code than prose, or ends as a statement does.
pub(super) fn looks_like_code(text: &str) -> bool {
    let is_statement = text.ends_with(';') && OF_STATEMENTS.iter().any(|sign| text.contains(sign));
    let is_open = text.ends_with(['{', '}']);
    let is_message = text.starts_with("error[") || has_place(text);
    signs(text) * 10 > text.chars().count() || is_statement || is_open || is_message
}

/// Returns whether a place in a passage is within a comment of code: it or its line begins one.
pub(super) fn is_in_comment(passage: &str, at: usize) -> bool {
    let before = passage.within(..at);
    let line = before.within(before.rfind('\n').map_or(0, |end| end + 1)..).trim_start();
    let is_open = |line: &str| {
        line.rsplit_once("/*")
            .is_some_and(|(code, text)| (code.is_empty() || code.ends_with(' ')) && !text.contains("*/"))
    };
    passage.within(at..).starts_with("//") || line.starts_with("//") || line.contains(" // ") || is_open(line)
}

/// Returns whether code is what a program reports of an error rather than what to write.
pub(super) fn is_report(code: &str) -> bool {
    has_place(code) || code.lines().any(|line| REPORTS.iter().any(|one| line.trim_start().starts_with(one)))
}

/// Returns the sign and the length of a fence of code at the beginning of a line.
pub(super) fn fence_of(line: &str) -> Option<(char, usize)> {
    let sign = line.chars().next().filter(|first| ['`', '~'].contains(first))?;
    let length = line.chars().take_while(|letter| *letter == sign).count();
    (length >= 3).then_some((sign, length))
}

/// Share of signs among the bytes of code, at least.
const LEAST_DENSITY: f32 = 0.05;

/// Returns whether a passage begins inside code that a chunk before it opened: its first fence is a closing one.
pub(super) fn begins_in_code(passage: &str) -> bool {
    let is_line = |at: usize| at == 0 || passage.within(..at).ends_with('\n');
    let fences: Vec<usize> =
        passage.match_indices("```").map(|(at, _)| at).filter(|at| is_line(*at)).collect();
    let Some((first, rest)) = fences.split_first() else { return false };
    let (before, behind) = (passage.within(..*first), passage.within(first + "```".len()..));
    let after = passage.within(first + "```".len()..rest.first().copied().unwrap_or(passage.len()));
    let is_bare = behind.is_empty() || behind.starts_with('\n');
    // Where the last fence opens code instead, the signs of code come after the first.
    let density = |text: &str| signs(text) as f32 / text.len().max(1) as f32;
    let is_dense = density(before) > LEAST_DENSITY && density(before) > density(after);
    is_bare && *first > 0 && rest.len() % 2 == 0 && (is_report(before) || is_dense)
}

/// Last words of lines whose sentence the code below completes: "If that fails, run".
const OPEN_ENDS: [&str; 20] = [
    "run", "type", "enter", "execute", "try", "use", "call", "write", "say", "with", "by", "using", "via",
    "add", "paste", "to", "mit", "durch", "per", "folgt",
];

/// Returns whether a line ends inside a sentence, which the code below it completes.
pub(super) fn is_cut_off(line: &str) -> bool {
    let last = line.split_whitespace().next_back();
    !line.starts_with('#') && last.is_some_and(|last| OPEN_ENDS.contains(&last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_signs_and_prose_has_few() {
        for code in
            ["let slice = &s[0..2];", "use std::fs;", "error[E0277]: no", " --> src/main.rs:3:16", "fn a() {"]
        {
            assert!(looks_like_code(code), "{code}");
        }
        for prose in [
            "The tenant pays the rent;",
            "the deposit (two months' rent) is due on signing;",
            "Go to Settings --> Privacy",
            "[ ] Renew passport",
            "The form is [here](form.pdf).",
            "It is called once (or twice).",
            "Why can the variable `s` end here?",
        ] {
            assert!(!looks_like_code(prose), "{prose}");
        }
        assert!(is_report("$ cargo run\nerror: no such file") && !is_report("let error = 1;"));
        assert!(
            !is_report("error_log /var/log/x;")
                && !is_report("errors.push(e)")
                && !is_report("<!-- hidden -->")
        );
    }

    #[test]
    fn comments_of_code_are_told_from_addresses() {
        let code = "let a = b; // moves b. It is gone.\n    // Then c follows. It stays.\nSee https://a.test/b. It is there.\n\
                    Files in `docs/*.md` are read. They are short.\nlet d = 1; /* A d. It lasts.";
        for (words, is_comment) in [
            ("It is gone", true),
            ("// Then c", true),
            ("It stays", true),
            ("It is there", false),
            ("They are short", false),
            ("It lasts", true),
        ] {
            assert_eq!(is_in_comment(code, code.find(words).unwrap()), is_comment, "{words}");
        }
    }

    #[test]
    fn a_passage_that_begins_inside_code_has_its_signs_before_the_first_fence() {
        assert!(begins_in_code("let a = f(&b);\n```\n\nThis calls it."));
        assert!(begins_in_code("help: consider it\n```\n\nThis calls it."));
        assert!(begins_in_code("let a = f(&b);\n```\n\nThis calls it:\n\n```\nlet c = 1;\n```"));
        assert!(!begins_in_code("This calls it:\n\n```\nlet a = f(&b);"));
        assert!(!begins_in_code("This calls it:\n\n```rust\nlet a = f(&b);"));
        assert!(!begins_in_code("This calls it:\n\n```\nlet a = f(&b);\n```\n\nDone."));
        assert!(!begins_in_code("See [this](a.md) and [that](b.md):\n\n```\nmake all"));
        assert!(!begins_in_code("No code at all."));
    }

    #[test]
    fn a_line_is_cut_off_if_its_last_word_needs_another() {
        assert!(is_cut_off("If that fails, run") && is_cut_off("one with"));
        assert!(is_cut_off("Sonst hilft es, das Archiv neu anzulegen mit"));
        for line in
            ["Copy to clipboard", "The build fails because the disk is full", "## What to run", "It is done."]
        {
            assert!(!is_cut_off(line), "{line}");
        }
    }
}
