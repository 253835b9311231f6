//! What an answer has lost.

use serde::{Deserialize, Serialize};

/// What kind of thing was taken out of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemovedKind {
    /// A tag of HTML.
    Html,
    /// A picture, which is loaded as soon as it is shown.
    Image,
    /// Where a link leads.
    Link,
    /// An address in the text.
    Address,
}

/// Something that was taken out of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// Of what kind.
    pub kind: RemovedKind,
    /// The text of it, or how it begins.
    pub text: String,
}
