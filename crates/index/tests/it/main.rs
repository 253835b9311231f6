//! Integration tests, one file per subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod index_model;
mod paging;
mod rules;
mod vectors;
