//! Operators and connectives, by name.

use super::field_type::FieldType;
use vademecum_protocol::error::Error;
use vademecum_protocol::error::Result;
use vademecum_protocol::error::excerpt;
use vademecum_text::nearest::nearest;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Between,
    In,
    NotIn,
    Like,
    Contains,
    Exists,
}

/// Combines filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
    Not,
}

const NAMES: &str = "=, !=, >, >=, <, <=, in, not_in, like, contains, exists, between";

impl Operator {
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match plain(name)?.replace([' ', '-'], "_").as_str() {
            "=" | "==" | "===" | "eq" | "is" => Self::Equal,
            "!=" | "!==" | "<>" | "ne" | "neq" | "is_not" => Self::NotEqual,
            ">" | "gt" => Self::Greater,
            ">=" | "gte" | "ge" => Self::GreaterEqual,
            "<" | "lt" => Self::Less,
            "<=" | "lte" | "le" => Self::LessEqual,
            "between" => Self::Between,
            "in" => Self::In,
            "not_in" | "notin" | "nin" => Self::NotIn,
            "like" | "ilike" => Self::Like,
            "contains" => Self::Contains,
            "exists" => Self::Exists,
            _ => return None,
        })
    }

    /// Parses the name of an operator.
    ///
    /// # Errors
    /// [`Error::UnknownOperator`] for any other name.
    /// [`Error::UnknownOperator`] for any other name.
    pub(super) fn parse(name: &str) -> Result<Self> {
        Self::find(name).ok_or_else(|| Self::unknown(name))
    }

    pub(super) fn unknown(name: &str) -> Error {
        let near = nearest(name, NAMES.split(", "));
        Error::UnknownOperator {
            operator: excerpt(name, 40),
            nearest: near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)")),
            known: NAMES,
        }
    }

    /// Returns whether values of this type can be compared by this operator.
    pub(super) fn takes(self, kind: FieldType) -> bool {
        match self {
            Self::Like => kind == FieldType::String,
            Self::Greater | Self::GreaterEqual | Self::Less | Self::LessEqual | Self::Between => {
                kind != FieldType::Boolean
            }
            _ => true,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Between => "between",
            Self::In => "in",
            Self::NotIn => "not_in",
            Self::Like => "like",
            Self::Contains => "contains",
            Self::Exists => "exists",
        }
    }
}

impl Connective {
    pub(super) fn find(name: &str) -> Option<Self> {
        match plain(name)?.as_str() {
            "and" => Some(Self::And),
            "or" => Some(Self::Or),
            "not" => Some(Self::Not),
            _ => None,
        }
    }
}

/// Normalises a name; `None` if it is longer than any known one.
fn plain(name: &str) -> Option<String> {
    let name = name.trim();
    (name.len() <= 16).then(|| name.strip_prefix('$').unwrap_or(name).to_lowercase())
}
