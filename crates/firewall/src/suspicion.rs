//! A suspicion about a place in a text.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use vademecum_protocol::document::Span;

/// What is suspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuspicionKind {
    /// Says to a model what to do.
    Instruction,
    /// Marks of a chat's template, or of who speaks.
    Role,
    /// A call of a tool, or what one returned, that never happened.
    Tool,
    /// The end of a quotation that is not its end.
    Fence,
    /// Text that a page does not show.
    Hidden,
    /// Letters that nobody sees and that carry something.
    Invisible,
    /// Letters of one script that pass for those of another.
    Homoglyphs,
    /// Something of the above in another writing.
    Encoded,
    /// A picture or a link that carries data away.
    Link,
    /// A citation that is not one, or a wish for one.
    Citation,
}

/// Something suspicious in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspicion {
    /// What is suspected.
    pub kind: SuspicionKind,
    /// How sure it is, in [0, 1].
    pub score: f32,
    /// Where it stands in the text, in UTF-16 code units.
    pub span: Span,
}

/// The same with its place in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) kind: SuspicionKind,
    pub(super) score: f32,
    pub(super) at: Range<usize>,
}
