//! How far a search follows its best passages.

use crate::error::Result;
use crate::range::Range;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Maximum number of passages of a chain of evidence. More than any question takes; each is another wait for the encoder.
const MAX_HOPS: usize = 4;
/// Maximum number of passages of a chain in a search that decides itself.
const MAX_AUTO: usize = 3;
/// How [`Hops::Auto`] is written.
const AUTO: &str = "auto";

/// Number of passages that may lead from the question to a hit, the hit included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hops {
    /// As many as the question takes, up to three: the search goes on while its best passages leave a part of the question open.
    Auto,
    /// Up to this number; 1 searches for the question alone.
    Most(usize),
}

impl Hops {
    /// Returns the maximum number.
    pub const fn most(self) -> usize {
        match self {
            Self::Auto => MAX_AUTO,
            Self::Most(most) => most,
        }
    }

    /// Checks a number, named `name` in the message.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::error::Error::InvalidArgument) outside of the range.
    pub fn check(self, name: &'static str) -> Result<()> {
        Range::new(name, 1, MAX_HOPS).check(self.most())
    }
}

impl From<usize> for Hops {
    fn from(most: usize) -> Self {
        Self::Most(most)
    }
}

impl Default for Hops {
    fn default() -> Self {
        Self::Most(1)
    }
}

impl Serialize for Hops {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str(AUTO),
            Self::Most(most) => most.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Hops {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        // Through a value, whose code is in every module; a visitor of its own takes 1 KB.
        let value = Value::deserialize(deserializer)?;
        let most = value.as_u64().and_then(|most| usize::try_from(most).ok()).map(Self::Most);
        let auto = (value.as_str() == Some(AUTO)).then_some(Self::Auto);
        most.or(auto).ok_or_else(|| D::Error::custom("`hops` must be a number or \"auto\""))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Hops {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hops".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            (crate::schema::TYPE): format!("number | {AUTO:?}"),
            (crate::schema::KIND): format!("wholeOr({AUTO:?}, 1, {MAX_HOPS})"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_are_a_number_or_auto() {
        for (hops, json) in [(Hops::Auto, "\"auto\""), (Hops::Most(2), "2")] {
            assert_eq!(serde_json::to_string(&hops).unwrap(), json);
            assert_eq!(serde_json::from_str::<Hops>(json).unwrap(), hops);
        }
        let error = serde_json::from_str::<Hops>("\"many\"").unwrap_err().to_string();
        assert!(error.contains("a number or \"auto\""), "{error}");
        assert!(serde_json::from_str::<Hops>("-1").is_err());
    }
}
