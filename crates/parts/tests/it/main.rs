//! Tests of libraries in parts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod bad_hosts;
mod damage;
mod filters;
mod made;
mod rankings;
mod updates;
mod vectors;
