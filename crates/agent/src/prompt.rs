//! Prompts: Markdown files with `{{name}}` in them, a `# system` part and a `# user` part.

use super::ports::{Message, Role};
use vademecum_firewall::escape::{label, neutral, quoted};
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::Hit;

/// Letters of a title or a heading that a model is shown.
const LABEL: usize = 200;

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

/// The passages between their fences, by the names that templates call them; `number` is the run's own.
pub fn fenced(number: u64, evidence: &[Hit], style: CitationStyle) -> Vec<(&'static str, String)> {
    let passages = passages(evidence, style);
    vec![("fence", fence(number, &passages)), ("passages", passages)]
}

/// Adds what stands between the same fences elsewhere in the prompt: an answer, or queries that a model wrote after it had read
/// passages, may hold what they say.
pub fn add_quoted(values: &mut Vec<(&'static str, String)>, name: &'static str, text: &str) {
    let fence = values.iter().find(|(name, _)| *name == "fence").map(|(_, fence)| fence.as_str());
    let shown = fence.map_or_else(|| neutral(text), |fence| quoted(text, fence));
    values.push((name, shown));
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
    let title = label(chunk.title.as_deref().unwrap_or(&chunk.doc_id), LABEL);
    // The document's title is often its first heading, too.
    let headings = chunk.headings.iter().map(|heading| label(heading, LABEL));
    let path: Vec<String> = std::iter::once(title.clone())
        .chain(headings.filter(|heading| !heading.eq_ignore_ascii_case(&title)))
        .collect();
    format!("{marker} {}\n{}", path.join(" › "), neutral(&chunk.text))
}

/// A line that nothing between holds, to stand before and behind passages. A passage cannot close its own fence: whoever wrote
/// it knows nothing of the number, which is drawn for each run.
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
    fn a_value_that_looks_like_a_name_is_left_alone() {
        let messages = fill("# system\nS\n\n# user\n{{a}} and {{b}}", &[("a", "{{b}}"), ("b", "two")]);
        assert_eq!(messages[1].content, "{{b}} and two");
    }
}
