//! Detects examples of a prompt that small models copy into their reply.

use crate::prompt;
use serde_json::Value;
use vademecum_grounding::claim::claimed_terms;
use vademecum_text::terms::words;

/// Returns the example reply of a prompt.
pub(super) fn example(template: &str) -> Option<Value> {
    serde_json::from_str(&prompt::example(template)?).ok()
}

/// Returns whether a text is copied from the prompt's example and not asked for in the question.
pub(super) fn is_copied(template: &str, text: &str, asked: &str) -> bool {
    let mut shown = Vec::new();
    if let Some(example) = example(template) {
        strings(&example, &mut shown);
    }
    is_copy_of(&shown, text, asked)
}

/// Returns whether a text is copied from `shown` and not asked for in the question.
pub(super) fn is_copy_of(shown: &[String], text: &str, asked: &str) -> bool {
    let words = plain(text);
    shown.iter().any(|shown| plain(shown) == words) && !claimed_terms(text).is_subset(&claimed_terms(asked))
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, found)),
        _ => {}
    }
}

/// Returns the words of a text without case and punctuation.
fn plain(text: &str) -> Vec<String> {
    words(text).map(|(_, word)| word.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_every_prompt_can_be_parsed() {
        for template in [
            include_str!("../prompts/rewrite.md"),
            include_str!("../prompts/decompose.md"),
            include_str!("../prompts/expand.md"),
            include_str!("../prompts/search_again.md"),
            include_str!("../prompts/reason.md"),
            include_str!("../prompts/plan.md"),
        ] {
            let mut texts = Vec::new();
            strings(&example(template).unwrap(), &mut texts);
            // A mere symbol is nothing that could be copied.
            texts.retain(|text| !claimed_terms(text).is_empty());
            assert!(!texts.is_empty() && texts.iter().all(|text| is_copied(template, text, "")), "{texts:?}");
        }
    }

    #[test]
    fn an_example_that_the_question_asks_for_is_no_copy() {
        let template = include_str!("../prompts/rewrite.md");
        let example = "what is the PRICE of the enterprise plan";
        assert!(is_copied(template, example, "And of the team plan?"));
        assert!(!is_copied(template, example, "Tell me the price of the enterprise plan, please"));
        assert!(!is_copied(template, "What is the price of the team plan?", ""));
    }
}
