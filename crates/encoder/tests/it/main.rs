//! Integration tests, one file per subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod kernel;
mod matching;
mod overflow;
mod pairs;
mod rounding;
mod tokenizer;
mod wordpiece;
