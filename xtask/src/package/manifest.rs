//! `package.json`, filled in from `Cargo.toml`.

use crate::{Result, paths};
use std::fs;
use std::path::Path;

const TEMPLATE: &str = "pkg.json.template";

/// Writes the package's `package.json` into `to`.
pub fn write(to: &Path) -> Result<()> {
    let mut filled = read(TEMPLATE)?;
    for field in ["version", "description", "license"] {
        filled = filled.replace(&format!("{{{{{field}}}}}"), &of_the_crate(field)?);
    }
    fs::write(to.join("package.json"), filled).map_err(|error| format!("package.json: {error}"))
}

/// Returns the value of a quoted field of `Cargo.toml`.
pub fn of_the_crate(field: &str) -> Result<String> {
    let value = |line: &str| {
        let rest = line.strip_prefix(field)?.trim_start().strip_prefix('=')?;
        Some(rest.trim().strip_prefix('"')?.strip_suffix('"')?.to_owned())
    };
    read("Cargo.toml")?.lines().find_map(value).ok_or_else(|| format!("Cargo.toml has no {field}"))
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(paths::root().join(file)).map_err(|error| format!("{file}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_crates_own_and_not_one_of_a_dependency() {
        assert_eq!(of_the_crate("version").unwrap().split('.').count(), 3);
    }
}
