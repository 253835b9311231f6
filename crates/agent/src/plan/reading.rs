//! Parses a plan written by a model, with alternative key names and spellings of conditions.

use super::condition::Proposed;
use super::{Entity, Format, Intent, Strategy, Subquery};
use crate::reply::json::{field, text, texts, yes};
use serde_json::{Map, Value};
use vademecum_protocol::error::excerpt;

/// Maximum number of items of each kind.
const MAX_ITEMS: usize = 16;
/// Maximum length of a name, term or query in characters.
const MAX_TEXT: usize = 300;

/// An unchecked plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Draft {
    pub(crate) conditions: Vec<Proposed>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) topic_terms: Vec<String>,
    pub(crate) subqueries: Vec<Subquery>,
    pub(crate) strategy: Option<Strategy>,
    pub(crate) format: Option<Format>,
    pub(crate) needs_citations: Option<bool>,
    /// Conditions that could not be parsed.
    pub(crate) unread: Vec<String>,
}

impl Draft {
    /// Parses the reply of a model; `None` if it has no part of a plan.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let conditions = field(value, &["filters", "constraints", "conditions"]);
        let strategy = field(value, &["searchStrategy", "strategy"]);
        let subqueries = field(value, &["subqueries", "subQuestions", "queries", "initialQueries"]);
        let entities = field(value, &["entities"]);
        let topics = field(value, &["topicTerms", "topics", "terms", "keywords"]);
        let output = field(value, &["outputPreferences", "output", "preferences"]);
        [conditions, strategy, subqueries, entities, topics, output].into_iter().flatten().next()?;
        let mut draft = Self {
            entities: entities.map(each).unwrap_or_default().into_iter().filter_map(entity).collect(),
            topic_terms: topics
                .map(texts)
                .unwrap_or_default()
                .iter()
                .take(MAX_ITEMS)
                .map(|term| excerpt(term, MAX_TEXT))
                .collect(),
            subqueries: subqueries.map(each).unwrap_or_default().into_iter().filter_map(subquery).collect(),
            strategy: strategy.and_then(text).and_then(|word| strategy_of_word(&word)),
            format: output
                .and_then(|output| field(output, &["format"]).or(Some(output)))
                .and_then(text)
                .and_then(|word| Format::of_word(&word)),
            needs_citations: output.and_then(|output| yes(field(output, &["needsCitations", "citations"])?)),
            ..Self::default()
        };
        if let Some(conditions) = conditions {
            draft.conditions(conditions);
        }
        Some(draft)
    }

    fn conditions(&mut self, value: &Value) {
        match value {
            Value::Array(parts) => parts.iter().take(MAX_ITEMS).for_each(|part| self.conditions(part)),
            Value::Object(parts) => self.object(parts),
            Value::Null => {}
            other => self.unread(other),
        }
    }

    fn object(&mut self, parts: &Map<String, Value>) {
        let whole = Value::Object(parts.clone());
        let name = field(&whole, &["field", "column", "name"]).and_then(Value::as_str);
        let raw_text = field(&whole, &["rawText", "raw", "text"]).and_then(text);
        if let (Some(name), Some(value)) = (name, parts.get("value")) {
            let operator = field(&whole, &["operator", "op"]).and_then(text).unwrap_or_default();
            return self.push(name, operator, value.clone(), raw_text);
        }
        for (name, value) in parts.iter().take(MAX_ITEMS) {
            match (name.to_lowercase().as_str(), value) {
                ("and", Value::Array(_)) => self.conditions(value),
                ("or" | "not", _) => self.unread(&whole),
                (_, Value::Object(tests)) => self.tests(name, tests),
                (_, Value::Null) => {}
                _ => self.push(name, "=".into(), value.clone(), None),
            }
        }
    }

    /// Parses `{"operator": ">", "value": 1000}` or `{">": 1000}` after a field name.
    fn tests(&mut self, name: &str, tests: &Map<String, Value>) {
        let operator = tests.get("operator").or_else(|| tests.get("op")).and_then(text);
        if let Some(value) = tests.get("value") {
            return self.push(name, operator.unwrap_or_default(), value.clone(), None);
        }
        for (operator, value) in tests.iter().take(MAX_ITEMS) {
            self.push(name, operator.clone(), value.clone(), None);
        }
    }

    fn push(&mut self, field: &str, operator: String, value: Value, raw_text: Option<String>) {
        if self.conditions.len() < MAX_ITEMS {
            self.conditions.push(Proposed { field: field.to_owned(), operator, value, raw_text, or: None });
        }
    }

    fn unread(&mut self, value: &Value) {
        if self.unread.len() < MAX_ITEMS {
            self.unread.push(format!("cannot be read as a condition: {}", excerpt(&value.to_string(), 80)));
        }
    }
}

fn each(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().take(MAX_ITEMS).collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

fn entity(value: &Value) -> Option<Entity> {
    let name = field(value, &["name", "entity", "text", "value"]).unwrap_or(value);
    let role = field(value, &["role", "type", "kind"]).and_then(text).unwrap_or_default().to_lowercase();
    let role = match role.as_str() {
        "company" | "organization" | "organisation" | "vendor" | "supplier" | "customer" => "company",
        "person" | "product" | "chemical" => {
            ["person", "product", "chemical"].into_iter().find(|known| *known == role)?
        }
        _ => "other",
    };
    Some(Entity { name: excerpt(&text(name)?, MAX_TEXT), role })
}

fn subquery(value: &Value) -> Option<Subquery> {
    let query = field(value, &["query", "question", "text", "subquery"]).unwrap_or(value);
    let purpose = field(value, &["purpose", "goal", "type"]).and_then(text);
    let purpose = purpose.map_or_else(|| "answer".into(), |purpose| excerpt(&purpose, 60));
    Some(Subquery { purpose, query: excerpt(&text(query)?, MAX_TEXT) })
}

impl Intent {
    /// Returns the intent that a word names; `Qa` for any other word.
    pub(crate) fn of_word(word: &str) -> Self {
        let low = word.to_lowercase();
        let has = |stems: &[&str]| stems.iter().any(|stem| low.contains(stem));
        if has(&["compar"]) {
            Self::Compare
        } else if has(&["summar"]) {
            Self::Summarize
        } else if has(&["comput", "calcul", "aggregat", "count"]) {
            Self::Compute
        } else if has(&["list", "find_all", "enumerat"]) {
            Self::List
        } else {
            Self::Qa
        }
    }
}

fn strategy_of_word(word: &str) -> Option<Strategy> {
    match word.to_lowercase().as_str() {
        "keyword" | "text" | "lexical" | "bm25" => Some(Strategy::Keyword),
        "semantic" | "vector" | "embedding" => Some(Strategy::Semantic),
        "hybrid" | "both" => Some(Strategy::Hybrid),
        _ => None,
    }
}

impl Format {
    fn of_word(word: &str) -> Option<Self> {
        let low = word.to_lowercase();
        match low.as_str() {
            _ if low.contains("table") => Some(Self::Table),
            _ if low.contains("list") => Some(Self::List),
            _ if low.contains("language") || low.contains("text") || low.contains("prose") => {
                Some(Self::NaturalLanguage)
            }
            _ => None,
        }
    }
}
