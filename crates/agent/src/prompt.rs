//! Prompts: Markdown templates with `{{name}}` placeholders, a `# system` part and a `# user` part.

use super::ports::{Message, Role};
use vademecum_firewall::escape::{label, neutral, quoted};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::Hit;

/// Maximum length of a title or heading in characters.
const MAX_LABEL: usize = 200;

/// Fills a template: replaces every `{{name}}` by its value. Placeholders within values are not replaced.
pub fn fill(template: &str, values: &[(&str, &str)]) -> Vec<Message> {
    let (system, user) = template.split_once("\n# user\n").unwrap_or(("", template));
    let system = system.strip_prefix("# system\n").unwrap_or(system);
    [(Role::System, system), (Role::User, user)]
        .into_iter()
        .filter(|(_, part)| !part.trim().is_empty())
        .map(|(role, part)| Message::new(role, substitute(part.trim(), values)))
        .collect()
}

/// Replaces every `{{name}}` by its value.
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

/// Returns the example reply at the end of a template's instructions.
pub fn example(template: &str) -> Option<String> {
    let (system, _) = template.split_once("\n# user\n")?;
    let last = system.trim_end().lines().last()?;
    last.get(last.find(['{', '['])?..).map(str::to_owned)
}

/// Formats passages for a model, each with its citation and origin; numbers begin at 1.
pub fn passages(evidence: &[Hit], style: CitationStyle) -> String {
    passages_from(evidence, style, 1)
}

/// Formats passages whose numbers begin at `first`.
pub fn passages_from(evidence: &[Hit], style: CitationStyle, first: usize) -> String {
    let list: Vec<String> =
        evidence.iter().enumerate().map(|(at, hit)| passage(&style.marker(at + first, hit), hit)).collect();
    list.join("\n\n")
}

/// Returns the template values of fenced passages; `number` is the one of the run.
pub fn fenced(number: u64, evidence: &[Hit], style: CitationStyle) -> Vec<(&'static str, String)> {
    let passages = passages(evidence, style);
    vec![("fence", fence(number, &passages)), ("passages", passages)]
}

/// Adds text that the template puts between the same fences: an answer or queries of a model that has read passages may repeat
/// their content.
pub fn add_quoted(values: &mut Vec<(&'static str, String)>, name: &'static str, text: &str) {
    let fence = values.iter().find(|(name, _)| *name == "fence").map(|(_, fence)| fence.as_str());
    let shown = fence.map_or_else(|| neutral(text), |fence| quoted(text, fence));
    values.push((name, shown));
}

/// Formats a question with its sub-questions.
pub fn with_parts(question: &str, parts: &[String]) -> String {
    if parts.len() < 2 {
        return question.to_owned();
    }
    let parts: String = parts.iter().map(|part| format!("\n- {part}")).collect();
    format!("{question}\n\nIts parts, each to be answered, and then the whole:{parts}")
}

fn passage(marker: &str, hit: &Hit) -> String {
    let chunk = &hit.chunk;
    let title = label(chunk.title.as_deref().unwrap_or(&chunk.doc_id), MAX_LABEL);
    // The first heading is often the document's title.
    let headings = chunk.headings.iter().map(|heading| label(heading, MAX_LABEL));
    let path: Vec<String> = std::iter::once(title.clone())
        .chain(headings.filter(|heading| !heading.eq_ignore_ascii_case(&title)))
        .collect();
    format!("{marker} {}\n{}", path.join(" › "), neutral(&chunk.text))
}

/// Returns a fence, the line before and after passages, that does not occur in them. A passage cannot close its fence: its author
/// cannot know the number, which is random per run.
pub fn fence(mut number: u64, passages: &str) -> String {
    loop {
        let fence = format!("=== passages {number:016x} ===");
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
    fn placeholders_within_values_are_not_replaced() {
        let messages = fill("# system\nS\n\n# user\n{{a}} and {{b}}", &[("a", "{{b}}"), ("b", "two")]);
        assert_eq!(messages[1].content, "{{b}} and two");
    }
}
