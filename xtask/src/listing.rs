//! `files.json`: the files of the built site with their hashes, for the service worker that keeps them.

use crate::Result;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const FILE: &str = "files.json";

/// Files that no page loads.
const UNUSED: [&str; 7] =
    [".d.ts", ".md", "LICENSE-APACHE", "LICENSE-MIT", "package.json", "library/rust-book.json", FILE];

/// What is stored otherwise, or not at all: models, which the package stores itself, what other pages load, and what builds libraries
/// in Node.
const ELSEWHERE: [&str; 8] = [
    "models/",
    "vademecum/react/",
    "vademecum/files/index.js",
    "vademecum/files/reader.js",
    "vademecum/files/readers.js",
    "vademecum/files/record.js",
    "vademecum/files/vite.js",
    "vademecum/files/walk.js",
];

/// Writes the list of all files in `site` that a page may load.
pub fn write(site: &Path) -> Result<()> {
    let mut files = BTreeMap::new();
    collect(site, "", &mut files).map_err(|error| format!("{}: {error}", site.display()))?;
    let list = serde_json::to_string_pretty(&files).map_err(|error| error.to_string())?;
    fs::write(site.join(FILE), list).map_err(|error| format!("{FILE}: {error}"))
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if !UNUSED.iter().any(|end| name.ends_with(end))
            && !ELSEWHERE.iter().any(|start| name.starts_with(start))
        {
            let hash = Sha256::digest(fs::read(&path)?);
            let start: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            files.insert(name, start);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_a_page_loads_is_listed_with_its_hash_except_for_what_is_stored_elsewhere() {
        let site = std::env::temp_dir().join(format!("vademecum-listing-{}", std::process::id()));
        fs::create_dir_all(site.join("inner")).unwrap();
        fs::write(site.join("a.js"), "1").unwrap();
        fs::write(site.join("inner/b.wasm"), "2").unwrap();
        fs::write(site.join("inner/b.d.ts"), "3").unwrap();
        fs::create_dir_all(site.join("models/small")).unwrap();
        fs::write(site.join("models/small/model.onnx"), "4").unwrap();
        fs::create_dir_all(site.join("vademecum/files")).unwrap();
        fs::write(site.join("vademecum/files/index.js"), "5").unwrap();
        write(&site).unwrap();
        write(&site).unwrap(); // the list does not list itself
        let list: BTreeMap<String, String> =
            serde_json::from_slice(&fs::read(site.join(FILE)).unwrap()).unwrap();
        assert_eq!(list.keys().collect::<Vec<_>>(), ["a.js", "inner/b.wasm"]);
        assert_eq!(list["a.js"], "6b86b273ff34fce1");
        fs::remove_dir_all(site).unwrap();
    }
}
