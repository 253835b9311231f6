//! Clarifications: questions to the user when no document matches the conditions, or far too many do.
//!
//! The reply is interpreted by rules: one of the options, a condition, an offered value, yes or no; anything else is added to the
//! question.

use super::coverage::Relaxation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_protocol::document::shown;

/// A question to the user, where continuing would mean guessing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Clarification {
    /// Why the user is asked: nothing was found, or more than anyone would read.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The question, in one or two sentences.
    pub question: String,
    /// What it would take to continue, or how much was found.
    pub missing_info: String,
    /// The number of documents that match all conditions.
    pub total: usize,
    /// Fields that could narrow the search, with their most frequent values.
    #[serde(default)]
    pub facets: Vec<FieldValues>,
    /// The offered replies, which are understood as they are: pass `id` or `label` to `agent.resume`.
    #[serde(default)]
    pub options: Vec<Choice>,
    /// The relaxations that were tried, with what they would find.
    #[serde(default)]
    pub tried: Vec<Relaxation>,
}

/// Why the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing was found.
    NoResults,
    /// More was found than anyone would read.
    Overload,
}

/// A metadata field with its most frequent values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldValues {
    /// The field.
    pub field: String,
    /// The values, most frequent first.
    pub values: Vec<ValueCount>,
}

/// A value of a field with the number of its documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValueCount {
    /// The value.
    pub value: Value,
    /// The number of documents.
    pub count: usize,
}

/// An offered reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choice {
    /// The id, which is also accepted as a reply.
    pub id: String,
    /// The text of the option.
    pub label: String,
    /// The effect.
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub change: Change,
}

/// The effect of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Removes the conditions on this field.
    Without(String),
    /// Adds these conditions, replacing others on the same fields.
    With(Vec<Value>),
    /// Searches all collections that the caller allows, whatever was chosen for the question.
    Everywhere,
    /// Returns all matching documents as rows.
    Export,
    /// Answers from the best passages, even if there are many more.
    Best,
    /// Ends the run with what was found.
    Stop,
    /// Asks again with this text added to the question.
    Ask(String),
}

const YES: [&str; 14] =
    ["yes", "y", "ok", "okay", "sure", "please", "yeah", "yep", "ja", "oui", "si", "sí", "da", "do"];
const NO: [&str; 8] = ["no", "n", "nope", "nein", "non", "nej", "never", "stop"];

impl Clarification {
    /// Interprets a reply. `stated` are the conditions that it contains.
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
        // "All years", "any vendor": the reply names the field.
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

    /// Returns conditions for the offered values that a reply names.
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
    fn replies_are_interpreted_as_people_write_them() {
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
