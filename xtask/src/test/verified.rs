//! Suites that only a change of what they depend on can break: other browsers' boundary, and bundlers. A committed record holds the
//! fingerprint of those inputs as of the last run that passed, so that they are skipped until an input changes.

use crate::{Result, command, paths};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The record, in the project's root.
const RECORD: &str = "tests/fixtures/verified.json";

/// A suite with recorded inputs.
#[derive(Clone, Copy, Debug)]
pub enum Suite {
    /// The tests of the wasm boundary in Firefox.
    Firefox,
    /// The projects that install the tarball with bundlers and frameworks.
    Fixtures,
}

impl Suite {
    fn key(self) -> &'static str {
        match self {
            Self::Firefox => "firefox",
            Self::Fixtures => "fixtures",
        }
    }

    /// Files whose contents count: the suite's own, and the code whose loading it tests.
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Firefox => &[
                "tests/web_page.rs",
                "tests/web_worker.rs",
                "crates/web*/src/*.rs",
                "crates/web*/Cargo.toml",
            ],
            Self::Fixtures => &[
                "pkg.json.template",
                "crates/web*/Cargo.toml",
                "tests/fixtures/*",
                "tests/js/fixtures/*",
                "tests/js/support/fixture.mjs",
                "xtask/src/fixtures.rs",
                "xtask/src/package/*",
            ],
        }
    }

    /// Files whose lines count that name other files: a bundler resolves these, and copies the rest.
    fn graphs(self) -> &'static [&'static str] {
        match self {
            Self::Firefox => &[],
            Self::Fixtures => &["crates/web/js/*.js", "crates/web/js/*.ts"],
        }
    }

    /// Whether an input differs from the record. Without a git repository, which the inputs are listed by, anything may have changed.
    pub fn has_changed(self) -> bool {
        let recorded = |record: Map<String, Value>| Some(record.get(self.key())?.as_str()?.to_owned());
        match (record().map(recorded), self.fingerprint()) {
            (Ok(Some(recorded)), Ok(now)) => recorded != now,
            _ => true,
        }
    }

    /// Records the inputs as those that passed.
    pub fn passed(self) -> Result<()> {
        let mut record = record()?;
        record.insert(self.key().to_owned(), self.fingerprint()?.into());
        let file = paths::root().join(RECORD);
        let text = format!("{:#}\n", Value::Object(record));
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn fingerprint(self) -> Result<String> {
        let mut hash = Sha256::new();
        for (file, text) in read(self.files())? {
            hash.update(file.to_string_lossy().as_bytes());
            hash.update(&text);
        }
        for (file, text) in read(self.graphs())? {
            hash.update(file.to_string_lossy().as_bytes());
            String::from_utf8_lossy(&text)
                .lines()
                .filter(|line| names_a_file(line))
                .for_each(|line| hash.update(line));
        }
        // The glue of the modules, and the runtime that it imports.
        for library in ["wasm-bindgen", "ort-web"] {
            hash.update(crate::toolchain::locked_version(library)?);
        }
        Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Whether a line of JavaScript or TypeScript loads another file.
fn names_a_file(line: &str) -> bool {
    ["import", " from \"", "Worker(", "new URL("].iter().any(|part| line.contains(part))
}

fn record() -> Result<Map<String, Value>> {
    let file = paths::root().join(RECORD);
    match fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display())),
        Err(_) => Ok(Map::new()),
    }
}

/// Returns the files of the patterns with their contents, without those that git ignores and without the record.
fn read(patterns: &[&str]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let mut git = Command::new("git");
    git.current_dir(paths::root()).args(["ls-files", "--cached", "--others", "--exclude-standard", "--"]);
    let listed = command::output(git.args(patterns))?;
    let mut files: Vec<PathBuf> =
        listed.lines().map(PathBuf::from).filter(|file| file != Path::new(RECORD)).collect();
    files.sort();
    files.dedup();
    files
        .into_iter()
        .filter(|file| paths::root().join(file).is_file())
        .map(|file| match fs::read(paths::root().join(&file)) {
            Ok(bytes) => Ok((file, bytes)),
            Err(error) => Err(format!("{}: {error}", file.display())),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_found_and_the_record_is_not_one_of_them() {
        for suite in [Suite::Firefox, Suite::Fixtures] {
            for pattern in suite.files().iter().chain(suite.graphs()) {
                assert!(!read(&[pattern]).unwrap().is_empty(), "no file is called like {pattern}");
            }
        }
        let fixtures = read(Suite::Fixtures.files()).unwrap();
        assert!(fixtures.iter().all(|(file, _)| file != Path::new(RECORD)));
        assert!(fixtures.iter().all(|(file, _)| !file.to_string_lossy().contains("node_modules")));
    }

    #[test]
    fn only_lines_that_name_a_file_count_in_a_script() {
        assert!(names_a_file("import { a } from \"./a.js\";"));
        assert!(names_a_file("  const module = new URL(\"a.wasm\", import.meta.url);"));
        assert!(names_a_file("export * from \"./b.js\";"));
        assert!(!names_a_file("const sum = a + b;"));
    }
}
