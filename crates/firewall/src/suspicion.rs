//! The types of a suspicion.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use vademecum_protocol::document::Span;

/// The kind of a suspicion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SuspicionKind {
    /// An instruction to a model.
    Instruction,
    /// A chat template mark, or a line that names a speaker.
    Role,
    /// A fake tool call or tool result.
    Tool,
    /// A fake end of a quotation.
    Fence,
    /// Text that a page does not show.
    Hidden,
    /// Invisible characters that may carry a message.
    Invisible,
    /// Characters of one script that look like those of another.
    Homoglyphs,
    /// An instruction in an encoding.
    Encoded,
    /// An image or link that carries data away.
    Link,
    /// A fake citation, or a request for one.
    Citation,
}

/// A suspicious place in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspicion {
    /// The kind.
    pub kind: SuspicionKind,
    /// Confidence in [0, 1].
    pub score: f32,
    /// Position in the text, in UTF-16 code units.
    pub span: Span,
}

/// A suspicion with its position in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) kind: SuspicionKind,
    pub(super) score: f32,
    pub(super) at: Range<usize>,
}
