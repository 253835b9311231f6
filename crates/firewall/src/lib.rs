//! What stands between a document and what it might make a model do: passages are shown so that nothing in them can leave its
//! place, what looks like an instruction is told, and an answer loses what could carry something away.
//!
//! Nothing here changes a document: the index, citations and grounding see the text as it is.

use std::slice::SliceIndex;

mod address;
mod allowed;
mod clean;
mod code_fence;
mod encoded;
pub mod escape;
mod inspect;
mod instructions;
mod invisible;
mod link;
mod phrase_tokens;
mod phrases;
mod removed;
mod report;
mod rules;
mod screen;
mod suspicion;
mod tag;

pub use allowed::Allowed;
pub use allowed::harmless;
pub use clean::{Cleaned, clean_answer};
pub use inspect::inspect;
pub use removed::{Removed, RemovedKind};
pub use report::{FoundSuspicion, inspect_chunk, is_suspicious};
pub use screen::Screen;
pub use suspicion::{Suspicion, SuspicionKind};

/// A part of a text that is looked at. A range that is none of the text would be a mistake in here: then the whole text is looked
/// at, because a guard that saw less would let something pass.
pub fn part(text: &str, range: impl SliceIndex<str, Output = str>) -> &str {
    let part = text.get(range);
    debug_assert!(part.is_some(), "a range that is none of the text");
    part.unwrap_or(text)
}
