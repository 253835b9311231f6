//! The steps. One file a step; the options struct is the step. Rules that take more than a few lines are files beside.

mod answer;
mod custom;
mod extract;
mod ground;
mod reason;
mod rerank;
mod search;
mod self_correct;
mod small_talk;

pub use answer::Answer;
pub use custom::Custom;
pub use ground::Ground;
pub use reason::Reason;
pub use rerank::Rerank;
pub use search::Search;
