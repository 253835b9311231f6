//! The licences of the crates that are compiled into the modules, which are shipped with the package.

use super::module::Module;
use crate::{Result, command, paths};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const FILE: &str = "THIRD-PARTY.txt";

const TARGET: &str = "wasm32-unknown-unknown";

/// Prefixes of the names of licence files.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// A crate that is compiled into a module.
struct Crate {
    /// Name and version.
    name: String,
    /// The licence expression that it declares.
    terms: String,
    /// The licence texts.
    texts: Vec<String>,
}

/// Writes the list of crates and their licence texts into the package `to`.
pub fn write(to: &Path) -> Result<()> {
    let crates = crates()?;
    fs::write(to.join(FILE), listed(&crates)).map_err(|error| format!("{FILE}: {error}"))
}

fn listed(crates: &[Crate]) -> String {
    let mut list = String::from(
        "The WebAssembly modules of this package were made from the crates below, and from the standard library of Rust (MIT OR\n\
         Apache-2.0, The Rust Project Contributors). Where a crate may be used under the MIT licence or another, it is used under MIT.\n\n",
    );
    let mut of_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in crates {
        list += &format!("{}: {}\n", one.name, one.terms);
        for text in &one.texts {
            of_text.entry(text).or_default().push(&one.name);
        }
    }
    for (text, names) in of_text {
        list += &format!("\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join(", "));
    }
    list
}

/// Returns the crates that any module needs at run time, with its features.
fn crates() -> Result<Vec<Crate>> {
    let mut tree = Command::new("cargo");
    tree.current_dir(paths::root())
        .args(["tree", "--quiet", "--all-features", "--target", TARGET])
        .args(Module::ALL.iter().flat_map(|module| ["--package", module.package]))
        .args(["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}|{l}"]);
    let folders = folders()?;
    let tree = command::output(&mut tree)?;
    let lines: BTreeSet<(&str, &str)> =
        tree.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('|')).collect();
    let mut crates = Vec::new();
    for (package, terms) in lines {
        // Our own crates have a path after the version, and their licence is shipped beside this list.
        let [name, version] = package.split(' ').collect::<Vec<_>>()[..] else { continue };
        let folder = folders.get(&format!("{name} {version}")).ok_or(format!("cargo knows no {package}"))?;
        crates.push(Crate { name: package.into(), terms: terms.into(), texts: texts(folder, terms)? });
    }
    if crates.is_empty() {
        return Err("no crate was found whose licence to list".into());
    }
    Ok(crates)
}

/// Returns the source folder of each crate, by name and version.
fn folders() -> Result<BTreeMap<String, PathBuf>> {
    let mut metadata = Command::new("cargo");
    metadata.current_dir(paths::root()).args([
        "metadata",
        "--format-version",
        "1",
        "--filter-platform",
        TARGET,
    ]);
    let found: Value =
        serde_json::from_str(&command::output(&mut metadata)?).map_err(|error| error.to_string())?;
    let one = |package: &Value| {
        let of = |field: &str| package.get(field)?.as_str();
        let folder = Path::new(of("manifest_path")?).parent()?.to_owned();
        Some((format!("{} v{}", of("name")?, of("version")?), folder))
    };
    Ok(found["packages"].as_array().into_iter().flatten().filter_map(one).collect())
}

/// Returns the texts of a crate's licences; if there is a choice, the MIT licence alone.
fn texts(folder: &Path, terms: &str) -> Result<Vec<String>> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(failed)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && NAMES.iter().any(|name| file_name(path).starts_with(name)))
        .collect();
    files.sort();
    let may_choose = (terms.contains(" OR ") || terms.contains('/')) && !terms.contains(" AND ");
    let is_mit = |path: &PathBuf| file_name(path).contains("MIT");
    if may_choose && files.iter().any(is_mit) {
        files.retain(|path| is_mit(path) || file_name(path).starts_with("NOTICE"));
    }
    let read =
        |path: &PathBuf| Ok(fs::read_to_string(path).map_err(failed)?.replace('\r', "").trim().to_owned());
    files.iter().map(read).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_licences_of_what_is_compiled_in_are_listed_and_those_of_build_tools_are_not() {
        let crates = crates().unwrap();
        let has = |name: &str| crates.iter().any(|one| one.name.starts_with(&format!("{name} v")));
        assert!(has("html5gum") && has("rust-stemmers") && has("tokenizers"));
        assert!(
            !has("proptest")
                && !has("serde_derive")
                && !crates.iter().any(|one| one.name.starts_with("vademecum"))
        );
        let without: Vec<_> = crates.iter().filter(|one| one.texts.is_empty()).map(|one| &one.name).collect();
        assert!(without.len() < 12, "no text came with {without:?}");
        let list = listed(&crates);
        assert!(
            list.contains("Permission is hereby granted")
                && !list.contains(&*paths::root().to_string_lossy())
        );
    }
}
