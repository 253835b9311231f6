//! Builds the npm package and the demo page around it, into `target/site`.

use crate::package::module::Profile;
use crate::{Result, assets, download, listing, package, page, paths, sample};
use std::fs;
use std::path::Path;

/// Folders that are kept when the site is rebuilt.
const KEPT: [&str; 3] = ["models", "library", "vendor"];

/// Sets up, builds and assembles the whole site.
pub fn site(release: bool) -> Result<()> {
    let profile = if release { Profile::Release } else { Profile::Dev };
    cleared()?;
    package::assemble(profile, &paths::site().join("vademecum"))?;
    around_the_package()
}

/// Assembles the site around a package that is already built and checked.
pub fn site_of_package() -> Result<()> {
    cleared()?;
    let to = paths::site().join("vademecum");
    copy_folder(&package::content(), &to)?;
    fs::remove_dir_all(to.join("docs")).map_err(|error| format!("docs: {error}"))?;
    around_the_package()
}

/// Removes files of earlier builds, because all files of the site are listed for the service worker.
fn cleared() -> Result<()> {
    let site = paths::site();
    let Ok(entries) = fs::read_dir(&site) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if KEPT.iter().any(|kept| path.ends_with(kept)) {
            continue;
        }
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn around_the_package() -> Result<()> {
    let site = paths::site();
    runtime()?;
    place(&assets::WLLAMA, &site.join("vendor/wllama"))?;
    model()?;
    place(&assets::READERS, &site.join("vendor"))?;
    place(&assets::OCR, &site.join("vendor/ocr"))?;
    copy_folder(&paths::root().join("www"), &site)?;
    sample::library(&site)?;
    page::bundle(&site)?;
    listing::write(&site)
}

/// Puts the ONNX runtime beside the package, where the page and the browser tests load it from.
pub fn runtime() -> Result<()> {
    place(&assets::ONNX_RUNTIME, &paths::site().join("vademecum/ort"))
}

/// Puts the model where the page, and the browser tests, load it from.
pub fn model() -> Result<()> {
    place(&assets::MODEL, &paths::site().join("models/all-minilm-l6-v2"))
}

/// Hard-links verified downloads into the site, or copies them. A file is replaced at once, because tests may be reading it.
fn place(assets: &[download::Asset], to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for file in download::all(assets)? {
        let target = to.join(file.file_name().unwrap_or_default());
        let aside = target.with_added_extension("new");
        let failed = |error: std::io::Error| format!("{}: {error}", target.display());
        let _ = fs::remove_file(&aside);
        if fs::hard_link(&file, &aside).is_err() {
            fs::copy(&file, &aside).map_err(failed)?;
        }
        fs::rename(&aside, &target).map_err(failed)?;
        // Two links to one file are not renamed but kept, by POSIX.
        let _ = fs::remove_file(&aside);
    }
    Ok(())
}

/// Copies a folder and its contents over another.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))? {
        let path = entry.map_err(|error| failed(from, error))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}
