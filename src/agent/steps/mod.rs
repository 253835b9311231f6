//! The steps. One file a step; the options struct is the step.

mod answer;
mod custom;
mod decompose;
mod example;
mod expand;
mod extract;
mod gate;
mod ground;
mod reason;
mod rerank;
mod rewrite;
mod rules;
mod search;
mod select;
mod self_correct;
mod two_phase;

pub use answer::Answer;
pub use custom::Custom;
pub use decompose::Decompose;
pub use expand::Expand;
pub use gate::Gate;
pub use ground::Ground;
pub use reason::Reason;
pub use rerank::Rerank;
pub use rewrite::Rewrite;
pub use rules::small_talk::{SmallTalk, small_talk};
pub use search::Search;
pub use select::{Choice, Select};
