//! The steps. One file a step; the options struct is the step.

mod answer;
mod custom;
mod extract;
mod search;

pub use answer::{Answer, CitationStyle};
pub use custom::Custom;
pub use search::Search;
