//! What the package's calls take and return. An option that the engine or the agent reads is a field of the struct that reads it; one
//! that JavaScript alone has is a field here, in [`options`]. Of both, [`files`] makes the package's types, the tables that its
//! JavaScript checks options by, and the defaults that it applies.
//!
//! Events and results are the structs that the engine and the agent serialise, read by the contract of serialisation; where
//! JavaScript adds fields, [`run`] and [`library`] declare these.
//!
//! The structs of [`options`] are never values: their schemas, by `schemars`, are what is read.
#![cfg(not(target_arch = "wasm32"))]

pub mod agent_options;
mod area;
pub mod attached;
pub mod build_options;
mod comments;
mod declared;
pub mod error_codes;
mod expressions;
mod file_types;
pub mod given;
mod host;
pub mod library;
pub mod options;
pub mod run;
mod tables;
mod types;

pub use area::{Area, COMMAND, areas};

/// A generated file: its path from the workspace's root, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path from the workspace's root, with slashes.
    pub path: String,
    /// Content.
    pub text: String,
}

/// Folder of the generated files, from the workspace's root.
pub const FOLDER: &str = "crates/web/js/generated";

/// Returns all generated files.
pub fn files() -> Vec<File> {
    let areas = areas();
    let types = areas.iter().map(|area| (format!("{}.d.ts", area.name), types::file(area, &areas)));
    let tables = tables::files(&areas);
    let file_types = (file_types::FILE.to_owned(), file_types::text());
    types
        .chain(tables)
        .chain([file_types])
        .map(|(name, text)| File { path: format!("{FOLDER}/{name}"), text })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn every_generated_file_is_up_to_date() {
        for File { path, text } in files() {
            let written = fs::read_to_string(root().join(&path)).unwrap_or_default();
            let old = written.lines().chain(std::iter::repeat(""));
            let first = text.lines().zip(old).find(|(new, old)| new != old).map(|(new, _)| new);
            assert!(written == text, "{path} is stale where it should have {first:?}: run `{COMMAND}`");
        }
    }

    #[test]
    fn no_comment_refers_to_an_item_of_rust() {
        for File { path, text } in files() {
            let line = text.lines().find(|line| line.contains("[`") || line.contains("::"));
            assert_eq!(line, None, "{path}");
        }
    }

    #[test]
    fn no_file_is_left_of_an_earlier_generation() {
        let made: BTreeSet<String> = files().into_iter().map(|file| file.path).collect();
        for entry in fs::read_dir(root().join(FOLDER)).unwrap() {
            let path = format!("{FOLDER}/{}", entry.unwrap().file_name().to_string_lossy());
            assert!(made.contains(&path), "{path} is generated from nothing: remove it");
        }
    }
}
