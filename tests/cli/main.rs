//! The program `vademecum`, run on real folders.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod bad_input;
mod builds;
mod documented;
mod formats;
mod incremental;
mod interrupted;
mod made;
mod parts;
mod questions;
mod ran;
mod sites;
mod vectors;
