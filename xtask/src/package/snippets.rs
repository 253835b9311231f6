//! Replaces JavaScript snippets of a dependency with our own: shipped code may not contain the address of another origin, even if it
//! is never requested.

use crate::{Result, paths};
use std::fs;
use std::path::Path;

/// The crate's files that are replaced by those of the same name in `crates/web/ort-web`.
const FILES: [&str; 2] = ["_loader.js", "_telemetry.js"];

/// Replaces the snippets of crate ort-web in the package `to`. Fails if they are missing, or if there are unknown ones.
pub fn replace(to: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", to.display());
    let folders = fs::read_dir(to.join("snippets")).map_err(failed)?;
    let of_the_crate = folders
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ort-web-")));
    let folder = of_the_crate.ok_or("wasm-bindgen wrote no snippets of crate ort-web: has it others now?")?;
    let mut there: Vec<String> = fs::read_dir(&folder)
        .map_err(failed)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    there.sort();
    if there != FILES {
        return Err(format!(
            "crate ort-web brings {there:?}, and {FILES:?} were read and replaced: look at the others"
        ));
    }
    for file in FILES {
        fs::copy(paths::root().join("crates/web/ort-web").join(file), folder.join(file)).map_err(failed)?;
    }
    Ok(())
}
