//! The steps. One file a step; the options struct is the step.

mod answer;
mod custom;
mod decompose;
mod expand;
mod extract;
mod gate;
mod rewrite;
mod rules;
mod search;
mod select;
mod two_phase;

pub use answer::{Answer, CitationStyle};
pub use custom::Custom;
pub use decompose::Decompose;
pub use expand::Expand;
pub use gate::Gate;
pub use rewrite::Rewrite;
pub use rules::small_talk::{SmallTalk, small_talk};
pub use search::Search;
pub use select::{Choice, Select};
