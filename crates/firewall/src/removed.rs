//! Reports what was removed from an answer.

use serde::{Deserialize, Serialize};

/// The kind of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RemovedKind {
    /// An HTML tag.
    Html,
    /// An image, which a page would load without a click.
    Image,
    /// The target of a link.
    Link,
    /// An address in the text.
    Address,
}

/// A part that was removed from an answer, because it could carry data away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Removed {
    /// The kind.
    pub kind: RemovedKind,
    /// The removed text, possibly truncated.
    pub text: String,
}
