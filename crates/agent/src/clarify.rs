//! Asking the user, where going on would be guessing: nothing fulfils the conditions, or far too much does.
//!
//! What the user answers is read by rule: one of the options, a condition, a value that was offered, a yes or a no;
//! anything else is taken as part of the question.

use super::coverage::Relaxation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::document::shown;

/// A question for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Clarification {
    /// Why it is asked.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The question, in a sentence or two.
    pub question: String,
    /// What is missing, or how much there is.
    pub missing_info: String,
    /// How many documents fulfil all conditions.
    pub total: usize,
    /// What would narrow it: metadata fields with their most frequent values.
    #[serde(default)]
    pub facets: Vec<FieldValues>,
    /// Answers that are understood as they are.
    #[serde(default)]
    pub options: Vec<Choice>,
    /// What was given up in vain, or what giving it up would find.
    #[serde(default)]
    pub tried: Vec<Relaxation>,
}

/// Why the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing was found.
    NoResults,
    /// More was found than anybody reads.
    Overload,
}

/// A metadata field and its most frequent values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldValues {
    /// The field.
    pub field: String,
    /// Values, the most frequent first.
    pub values: Vec<ValueCount>,
}

/// A value of a field, and how many documents have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueCount {
    /// The value.
    pub value: Value,
    /// How many documents have it.
    pub count: usize,
}

/// An answer that is offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What names it: the answer may be this, too.
    pub id: String,
    /// What it says.
    pub label: String,
    /// What comes of it.
    pub change: Change,
}

/// What an answer changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// The conditions on this field hold no more.
    Without(String),
    /// These conditions hold as well, in the place of others on the same fields.
    With(Vec<Value>),
    /// All collections that the caller allows are searched, whatever the question was found to mean.
    Everywhere,
    /// Everything is given out as rows.
    Export,
    /// The answer is made of the best passages, however much else there is.
    Best,
    /// The run ends with what there is.
    Stop,
    /// The question is asked anew, with this added to it.
    Ask(String),
}

const YES: [&str; 14] =
    ["yes", "y", "ok", "okay", "sure", "please", "yeah", "yep", "ja", "oui", "si", "sí", "da", "do"];
const NO: [&str; 8] = ["no", "n", "nope", "nein", "non", "nej", "never", "stop"];

impl Clarification {
    /// What an answer of the user's means. `stated` are the conditions that it states.
    pub fn understand(&self, answer: &str, stated: Vec<Value>) -> Change {
        let low = answer.trim().to_lowercase();
        let words: Vec<&str> =
            low.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let says = |word: &str| words.contains(&word);
        let plain = |text: &str| text.trim().trim_end_matches(['.', '?', '!']).to_lowercase();
        let exact = |one: &&Choice| one.id.to_lowercase() == low || plain(&one.label) == plain(&low);
        if let Some(choice) = self.options.iter().find(exact) {
            return choice.change.clone();
        }
        if self.kind == Kind::Overload && (says("csv") || says("export") || says("download")) {
            return Change::Export;
        }
        if !stated.is_empty() {
            return Change::With(stated);
        }
        let offered = self.values_in(&low);
        if !offered.is_empty() {
            return Change::With(offered);
        }
        let drops = || {
            self.options.iter().filter_map(|one| match &one.change {
                Change::Without(field) => Some(field),
                _ => None,
            })
        };
        let first = words.first().copied().unwrap_or_default();
        if NO.contains(&first) {
            return Change::Stop;
        }
        if self.kind == Kind::Overload && (YES.contains(&first) || says("all") || says("everything")) {
            return Change::Export;
        }
        let everywhere = self.options.iter().find(|one| one.change == Change::Everywhere);
        if let Some(choice) =
            everywhere.filter(|_| says("everywhere") || says("elsewhere") || says("collections"))
        {
            return choice.change.clone();
        }
        // "All years", "any vendor": the field is named.
        let named = drops().find(|field| {
            let field = field.to_lowercase();
            let parts = field.split(['_', '.', '-', ' ']).filter(|part| part.len() > 2);
            parts
                .into_iter()
                .any(|part| words.iter().any(|word| word.trim_end_matches('s') == part.trim_end_matches('s')))
        });
        let agrees = YES.contains(&first) || says("all") || says("any") || says("every");
        match named.or_else(|| drops().next().filter(|_| agrees)) {
            Some(field) if agrees || named.is_some() => Change::Without(field.clone()),
            _ => Change::Ask(answer.trim().to_owned()),
        }
    }

    /// Values that were offered and that an answer names, as conditions.
    fn values_in(&self, low: &str) -> Vec<Value> {
        let padded = format!(" {} ", low.replace(|letter: char| !letter.is_alphanumeric(), " "));
        let is_named = |value: &Value| {
            let text = shown(value).to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), " ");
            !text.trim().is_empty() && padded.contains(&format!(" {} ", text.trim()))
        };
        let of_field = |one: &FieldValues| {
            let value = one.values.iter().map(|one| &one.value).find(|value| is_named(value))?;
            Some(json!({ "field": one.field, "operator": "=", "value": value }))
        };
        self.facets.iter().filter_map(of_field).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clarification() -> Clarification {
        let choice = |id: &str, label: &str, change| Choice { id: id.into(), label: label.into(), change };
        Clarification {
            kind: Kind::NoResults,
            question: "I found no contracts with year = 2024. Search all years?".into(),
            missing_info: "No documents with year = 2024.".into(),
            total: 0,
            facets: vec![FieldValues {
                field: "party".into(),
                values: vec![ValueCount { value: json!("ACME Corp"), count: 3 }],
            }],
            options: vec![choice(
                "without:year",
                "Search without year = 2024",
                Change::Without("year".into()),
            )],
            tried: Vec::new(),
        }
    }

    #[test]
    fn an_answer_is_understood_as_people_give_it() {
        let means = |answer: &str| clarification().understand(answer, Vec::new());
        let without = Change::Without("year".into());
        for answer in
            ["Yes, search all years", "without:year", "search without year = 2024.", "all years", "Sure!"]
        {
            assert_eq!(means(answer), without, "{answer}");
        }
        assert_eq!(means("No, thanks"), Change::Stop);
        let acme = json!({ "field": "party", "operator": "=", "value": "ACME Corp" });
        assert_eq!(means("only those of acme corp"), Change::With(vec![acme]));
        assert_eq!(means("I meant the lease"), Change::Ask("I meant the lease".into()));
        let stated = vec![json!({ "field": "year", "operator": "=", "value": 2023 })];
        assert_eq!(clarification().understand("then in 2023", stated.clone()), Change::With(stated));
        let overload = Clarification { kind: Kind::Overload, ..clarification() };
        for answer in ["give me a CSV export", "all of them", "Yes"] {
            assert_eq!(overload.understand(answer, Vec::new()), Change::Export, "{answer}");
        }
        assert_eq!(overload.understand("no", Vec::new()), Change::Stop);
    }
}
