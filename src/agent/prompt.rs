//! Prompts: Markdown files with `{{name}}` in them, a `# system` part and a `# user` part.

use super::citation::CitationStyle;
use super::ports::{Message, Role};
use crate::document::Hit;

/// Fills a template: every `{{name}}` becomes its value. Values are put in as they are, and never searched for names.
pub fn fill(template: &str, values: &[(&str, &str)]) -> Vec<Message> {
    let (system, user) = template.split_once("\n# user\n").unwrap_or(("", template));
    let system = system.strip_prefix("# system\n").unwrap_or(system);
    [(Role::System, system), (Role::User, user)]
        .into_iter()
        .filter(|(_, part)| !part.trim().is_empty())
        .map(|(role, part)| Message::new(role, substitute(part.trim(), values)))
        .collect()
}

/// Puts values in the place of their `{{name}}`.
pub(super) fn substitute(part: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        match after.split_once("}}") {
            Some((name, behind)) => {
                filled
                    .push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
                rest = behind;
            }
            None => {
                filled.push_str("{{");
                rest = after;
            }
        }
    }
    filled + rest
}

/// The example of a reply that a template ends its instructions with.
pub fn example(template: &str) -> Option<String> {
    let (system, _) = template.split_once("\n# user\n")?;
    let last = system.trim_end().lines().last()?;
    last.get(last.find(['{', '['])?..).map(str::to_owned)
}

/// The passages as the model reads them, each with how it is cited and where it comes from; numbers begin at 1.
pub fn passages(evidence: &[Hit], style: CitationStyle) -> String {
    passages_from(evidence, style, 1)
}

/// The same of passages that follow others: the number of the first is `first`.
pub fn passages_from(evidence: &[Hit], style: CitationStyle, first: usize) -> String {
    let list: Vec<String> =
        evidence.iter().enumerate().map(|(at, hit)| passage(&style.marker(at + first, hit), hit)).collect();
    list.join("\n\n")
}

/// The passages between their fences, by the names that templates call them.
pub fn fenced(evidence: &[Hit], style: CitationStyle) -> Vec<(&'static str, String)> {
    let passages = passages(evidence, style);
    vec![("fence", fence(&passages)), ("passages", passages)]
}

/// A question, with its parts where it was taken apart.
pub fn with_parts(question: &str, parts: &[String]) -> String {
    if parts.len() < 2 {
        return question.to_owned();
    }
    let parts: String = parts.iter().map(|part| format!("\n- {part}")).collect();
    format!("{question}\n\nIts parts, each to be answered, and then the whole:{parts}")
}

fn passage(marker: &str, hit: &Hit) -> String {
    let chunk = &hit.chunk;
    let title = chunk.title.as_deref().unwrap_or(&chunk.doc_id);
    // The document's title is often its first heading, too.
    let path: Vec<&str> = std::iter::once(title)
        .chain(
            chunk.headings.iter().map(String::as_str).filter(|heading| !heading.eq_ignore_ascii_case(title)),
        )
        .collect();
    format!("{marker} {}\n{}", path.join(" › "), chunk.text)
}

/// A line that none of the passages holds, to stand before and behind them. A passage cannot close its own fence,
/// titles and headings included, because the fence depends on all of them.
pub fn fence(passages: &str) -> String {
    let mut number = passages
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    loop {
        let fence = format!("=== passages {number:08x} ===");
        if !passages.contains(&fence) {
            return fence;
        }
        number = number.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_looks_like_a_name_is_left_alone() {
        let messages = fill("# system\nS\n\n# user\n{{a}} and {{b}}", &[("a", "{{b}}"), ("b", "two")]);
        assert_eq!(messages[1].content, "{{b}} and two");
    }
}
