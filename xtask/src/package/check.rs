//! Two independent checks of the tarball: its declarations, and whether its types resolve like its code.

use crate::report::step;
use crate::{Result, command, npm};
use std::fs;
use std::path::{Path, PathBuf};

/// Addresses allowed in shipped code, by prefix: this device, identifiers that are never fetched, and a comment of
/// wasm-bindgen.
const HARMLESS: [&str; 6] = ["localhost", "127.0.0.1", "www.w3.org/", "developer.mozilla.org/", "${", "…"];
/// Prefixes of addresses of other origins.
const SCHEMES: [&str; 4] = ["http://", "https://", "ws://", "wss://"];

/// Fails if code in the package `folder` contains the address of another origin.
pub fn origins(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    code(folder, &mut files)?;
    for file in files {
        let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        if let Some(address) = foreign(&String::from_utf8_lossy(&bytes)) {
            return Err(format!("{} names another origin: {address}", file.display()));
        }
    }
    Ok(())
}

/// Fails if the packed README links to a missing file.
pub fn links(folder: &Path) -> Result<()> {
    let text = fs::read_to_string(folder.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let dead: Vec<&str> = leads_to(&text).filter(|file| !folder.join(file).is_file()).collect();
    if dead.is_empty() {
        Ok(())
    } else {
        Err(format!("README.md leads to files that are not packed: {dead:?}"))
    }
}

/// Returns the files that a page links to.
fn leads_to(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    targets
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|file| !file.is_empty() && !file.contains(':'))
}

/// Fails if code in the package names a file beside itself that is not packed, as a bundle in another folder would.
pub fn neighbours(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    code(folder, &mut files)?;
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "js")) {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let beside = file.parent().unwrap_or(folder);
        if let Some(missing) = named_beside(&text).find(|name| !beside.join(name).is_file()) {
            return Err(format!("{} names {missing}, which is not packed there", file.display()));
        }
    }
    Ok(())
}

/// Returns the relative addresses in `new URL("…", import.meta.url)`.
fn named_beside(text: &str) -> impl Iterator<Item = &str> {
    text.split("new URL(").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|letter| ['"', '\''].contains(letter))?;
        let (name, after) = rest.get(1..)?.split_once(quote)?;
        after.trim_start_matches([',', ' ']).starts_with("import.meta.url").then_some(name)
    })
}

fn code(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            code(&path, files)?;
        } else if path.extension().is_some_and(|kind| kind == "js" || kind == "wasm") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the first address of another origin in a text.
fn foreign(text: &str) -> Option<String> {
    let after = SCHEMES.into_iter().flat_map(|scheme| text.split(scheme).skip(1));
    let mut hosts = after.filter(|rest| rest.starts_with(|letter: char| letter.is_alphanumeric()));
    let found = hosts.find(|rest| !HARMLESS.iter().any(|known| rest.starts_with(known)))?;
    Some(found.chars().take_while(|letter| !letter.is_whitespace()).take(60).collect())
}

/// Fails with the report of either tool if it finds anything.
pub fn tarball(file: &Path) -> Result<()> {
    step("Checking the tarball with publint and attw");
    command::run(npm::tool("publint", "src/cli.js")?.arg("run").arg(file).arg("--strict"))?;
    // The package is for bundlers, browsers and Node's `import`, with every way of resolving types; CommonJS is not supported.
    let mut types = npm::tool("@arethetypeswrong/cli", "dist/index.js")?;
    command::run(types.arg(file).args(["--profile", "strict", "--ignore-rules", "cjs-resolves-to-esm"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_a_page_leads_to_are_seen_and_addresses_and_headings_are_not() {
        let page = "See [a](docs/a.md#b), [c](c.md), [below](#sizes) and [there](https://example.org/x).";
        assert_eq!(leads_to(page).collect::<Vec<_>>(), ["docs/a.md", "c.md"]);
    }

    #[test]
    fn files_beside_a_script_are_seen_in_source_and_in_minified_code() {
        let code = r#"new URL("./a.js", import.meta.url); new URL('b.wasm',import.meta.url); new URL("c.js", base); new URL(d)"#;
        assert_eq!(named_beside(code).collect::<Vec<_>>(), ["./a.js", "b.wasm"]);
    }

    #[test]
    fn an_address_of_another_origin_is_found_and_one_of_this_device_is_not() {
        assert_eq!(foreign("fetch('http://localhost:11434/v1')"), None);
        assert_eq!(foreign("`https://${host}/`, or https:// alone"), None);
        assert_eq!(foreign("const at = 'https://cdn.example/x.js';"), Some("cdn.example/x.js';".into()));
        assert_eq!(foreign("a \0\0 wss://example.org b"), Some("example.org".into()));
    }
    /// Strings are adjacent in a module: a URL scheme is followed by whatever string comes next.
    #[test]
    fn no_string_of_the_crate_is_a_scheme_with_its_slashes() {
        assert_eq!(foreign("http://https://mailto:\0").as_deref(), Some("https://mailto:\0"));
        assert_eq!(foreign("http\0https\0mailto\0://\0"), None);
        let (mut files, mut left) = (vec![crate::paths::root().join("src")], Vec::new());
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
                left.extend(
                    SCHEMES
                        .iter()
                        .filter(|scheme| shipped.contains(&format!("\"{scheme}\"")))
                        .map(|_| path.clone()),
                );
            }
        }
        assert_eq!(left, Vec::<PathBuf>::new());
    }
}
