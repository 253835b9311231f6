//! The steps. One file a step; the options struct is the step.

mod answer;
mod extract;
mod search;

pub use answer::{Answer, CitationStyle};
pub use search::Search;
