//! Integration tests, one file per subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod bad_input;
mod chunk_ids;
mod corpus;
mod earlier_version;
mod embedders;
mod embedding_order;
mod federation;
mod federation_replies;
mod forged;
mod fuzz;
mod hops;
mod knowledge_base;
mod library;
mod library_contents;
mod memory;
mod relevance;
mod salvage;
mod search;
mod spelling;
mod summaries;
mod vectors;
