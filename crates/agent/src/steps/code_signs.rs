//! Tells code from prose where no fence does.

use vademecum_util::within::Within;

/// Characters that code has more of than prose.
const SIGNS: &str = "{}();=<>|`\\[]&";
/// Beginnings of lines in which a compiler reports.
const REPORTS: [&str; 4] = ["error", "warning", "help: ", "note: "];

fn signs(text: &str) -> usize {
    text.chars().filter(|letter| SIGNS.contains(*letter)).count()
}

/// Returns whether an indented text has signs of code: more than the brackets and the semicolon of a sentence.
pub(super) fn has_code_signs(text: &str) -> bool {
    signs(text) * 20 > text.chars().count() || [" = ", " // "].iter().any(|sign| text.contains(sign))
}

/// Returns whether a text is code or a compiler's message: it has more signs of code than prose, or ends as a statement does.
pub(super) fn looks_like_code(text: &str) -> bool {
    let is_statement = text.ends_with([';', '{', '}']) && text.contains(['=', '(', '&', ':']);
    signs(text) * 10 > text.chars().count()
        || is_statement
        || text.contains("-->")
        || text.starts_with("error[")
}

/// Returns whether code is what a program reports of an error rather than what to write.
pub(super) fn is_report(code: &str) -> bool {
    code.contains("-->")
        || code.lines().any(|line| REPORTS.iter().any(|one| line.trim_start().starts_with(one)))
}

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
    is_bare && *first > 0 && rest.len() % 2 == 0 && (is_report(before) || density(before) > density(after))
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
            "It is called once (or twice).",
            "Why can the variable `s` end here?",
        ] {
            assert!(!looks_like_code(prose), "{prose}");
        }
        assert!(is_report("$ cargo run\nerror: no such file") && !is_report("let error = 1;"));
    }

    #[test]
    fn a_passage_that_begins_inside_code_has_its_signs_before_the_first_fence() {
        assert!(begins_in_code("let a = f(&b);\n```\n\nThis calls it."));
        assert!(begins_in_code("help: consider it\n```\n\nThis calls it."));
        assert!(begins_in_code("let a = f(&b);\n```\n\nThis calls it:\n\n```\nlet c = 1;\n```"));
        assert!(!begins_in_code("This calls it:\n\n```\nlet a = f(&b);"));
        assert!(!begins_in_code("This calls it:\n\n```rust\nlet a = f(&b);"));
        assert!(!begins_in_code("This calls it:\n\n```\nlet a = f(&b);\n```\n\nDone."));
        assert!(!begins_in_code("No code at all."));
    }
}
