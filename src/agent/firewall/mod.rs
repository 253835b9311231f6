//! What stands between a document and what it might make a model do: passages are shown so that nothing in them can leave its
//! place, what looks like an instruction is told, and an answer loses what could carry something away.
//!
//! Nothing here changes a document: the index, citations and grounding see the text as it is.

use std::slice::SliceIndex;

mod address;
mod allowed;
mod clean;
mod encoded;
mod forms;
mod inspect;
mod letters;
mod line;
mod link;
pub mod neutral;
mod phrases;
mod removed;
mod report;
mod screen;
mod tag;
mod words;

pub use allowed::Allowed;
pub(in crate::agent) use allowed::harmless;
pub use clean::{Cleaned, clean_answer};
pub use inspect::{Suspicion, SuspicionKind, inspect};
pub use removed::{Removed, RemovedKind};
pub use report::{FoundSuspicion, inspect_chunk, is_suspicious};
pub use screen::Screen;

/// A part of a text that is looked at. A range that is none of the text would be a mistake in here: then the whole text is looked
/// at, because a guard that saw less would let something pass.
pub(in crate::agent) fn part(text: &str, range: impl SliceIndex<str, Output = str>) -> &str {
    let part = text.get(range);
    debug_assert!(part.is_some(), "a range that is none of the text");
    part.unwrap_or(text)
}
