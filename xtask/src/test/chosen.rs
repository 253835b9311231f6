//! The tests that a command line chooses.

use crate::{Result, paths};
use std::path::PathBuf;

pub const SUITES: [&str; 9] =
    ["lint", "native", "eval", "package", "js", "browser", "e2e", "bench", "fixtures"];

/// Suites, and parts of the names of tests (native, browser) or of their files (JavaScript).
#[derive(Debug)]
pub struct Chosen {
    suites: Vec<&'static str>,
    pub filters: Vec<String>,
    /// Whether the page is built in the profile that ships although its package is not tested.
    pub release: bool,
    /// Whether suites run that are otherwise skipped while nothing they depend on has changed.
    pub all: bool,
}

impl Chosen {
    /// Parses the arguments: names of suites, then filters; options anywhere. Default: every suite.
    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut chosen = Self { suites: Vec::new(), filters: Vec::new(), release: false, all: false };
        for word in words {
            match (word, SUITES.iter().find(|suite| **suite == word)) {
                ("--release", _) => chosen.release = true,
                ("--all", _) => chosen.all = true,
                (_, Some(suite)) if chosen.filters.is_empty() => chosen.suites.push(*suite),
                _ if chosen.suites.is_empty() => {
                    let known = SUITES.join(", ");
                    return Err(format!("there is no suite `{word}`; there are: {known}"));
                }
                _ => chosen.filters.push(word.to_owned()),
            }
        }
        Ok(chosen)
    }

    /// Whether the suite runs.
    pub fn has(&self, suite: &str) -> bool {
        self.suites.is_empty() || self.suites.contains(&suite)
    }

    /// Whether the suite runs whatever has changed since it last passed.
    pub fn insists_on(&self, suite: &str) -> bool {
        self.all || self.suites.contains(&suite)
    }

    /// Returns the test files of the folders that match a filter; default: all. Node's versions disagree on
    /// the meaning of a folder, so each file is listed.
    pub fn files(&self, folders: &[&str]) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for folder in folders {
            files.extend(paths::files(&paths::root().join(folder), ".test.mjs")?);
        }
        let named = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()))
        };
        files.retain(named);
        if files.is_empty() {
            return Err(format!(
                "no test file of {} has `{}` in its name",
                folders.join(", "),
                self.filters.join("` or `")
            ));
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::Chosen;

    fn of(words: &[&'static str]) -> Chosen {
        Chosen::of(words.iter().copied()).unwrap()
    }

    #[test]
    fn suites_come_first_and_filters_choose_among_their_tests() {
        let all = of(&[]);
        assert!(all.has("lint") && all.has("fixtures") && all.filters.is_empty());
        let some = of(&["js", "e2e", "llm-frame"]);
        assert!(some.has("js") && some.has("e2e") && !some.has("lint"));
        assert_eq!(some.filters, ["llm-frame"]);
        let unknown = Chosen::of(["llm-frame"].into_iter()).unwrap_err();
        assert!(unknown.starts_with("there is no suite `llm-frame`"));
        let files = of(&["e2e", "llm-frame"]).files(&["tests/js/e2e"]).unwrap();
        assert!(files.iter().all(|file| file.ends_with("llm-frame.test.mjs")));
        assert!(of(&["e2e", "no-such"]).files(&["tests/js/e2e"]).is_err());
    }

    #[test]
    fn a_suite_is_insisted_on_by_its_name_or_by_an_option() {
        assert!(!of(&[]).insists_on("fixtures"));
        assert!(of(&["--all"]).insists_on("fixtures"));
        let named = of(&["fixtures", "--release"]);
        assert!(named.insists_on("fixtures") && named.release && !named.insists_on("browser"));
    }
}
