//! The demo's sample library: chapters of The Rust Programming Language (MIT OR Apache-2.0), from the HTML documentation of the Rust
//! toolchain. The page imports it with its vectors.

use crate::report::step;
use crate::{Result, command, paths};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Chapters: ownership, collections, errors. About 400 passages, which a model in a tab embeds in about a minute.
const CHAPTERS: [&str; 3] = ["ch04", "ch08", "ch09"];
/// The texts, for tests and benchmarks.
const TEXTS: &str = "rust-book.json";
/// The library that the page imports.
const LIBRARY: &str = "rust-book.library";
/// The script that adds the texts with the package, and exports them.
const SCRIPT: &str = "xtask/src/sample.mjs";
/// Files that determine passages and vectors, in addition to the texts and the script.
const MAKERS: [&str; 4] = ["crates/text/src", "crates/encoder/src", "crates/kernel/src", "crates/model/src"];
const ONLINE: &str = "https://doc.rust-lang.org/book/";

/// Builds the library in the folder `library` of a site that has the package, the runtime and the model; copies an earlier build if
/// its inputs have not changed.
pub fn library(site: &Path) -> Result<()> {
    let folder = site.join("library");
    texts(&folder)?;
    let texts = folder.join(TEXTS);
    let kept = paths::target().join("sample");
    let library = kept.join(format!("{}.library", key(&texts)?));
    if !library.is_file() {
        step("Embedding the sample library: about a minute, once");
        fs::create_dir_all(&kept).map_err(|error| format!("{}: {error}", kept.display()))?;
        let mut make = Command::new(command::node()?);
        command::run(make.arg(paths::root().join(SCRIPT)).args([site, &texts, &library]))?;
    }
    let to = folder.join(LIBRARY);
    fs::copy(&library, &to).map(|_| ()).map_err(|error| format!("{}: {error}", to.display()))
}

/// Writes the sample's texts into a folder, and returns their file.
pub fn written(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    texts(folder)?;
    Ok(folder.join(TEXTS))
}

/// Returns a hash of the library's inputs.
fn key(texts: &Path) -> Result<String> {
    let mut files = vec![texts.to_owned(), paths::root().join(SCRIPT)];
    for maker in MAKERS {
        files.extend(paths::files(&paths::root().join(maker), ".rs")?);
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?);
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// Writes the texts as one JSON file, unless nothing changed.
fn texts(to: &Path) -> Result<()> {
    let file = to.join(TEXTS);
    let book = book()?;
    let mut pages: Vec<PathBuf> = fs::read_dir(&book)
        .map_err(|error| format!("{}: {error}", book.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .filter(|path| CHAPTERS.iter().any(|chapter| name(path).starts_with(chapter)))
        .collect();
    pages.sort();
    let documents: Vec<_> = pages.iter().filter_map(|page| document(page)).collect();
    if documents.len() < CHAPTERS.len() {
        return Err(format!("{} does not hold the chapters of the Rust book", book.display()));
    }
    let library = json!({
        "title": "The Rust Programming Language",
        "license": "MIT OR Apache-2.0",
        "authors": "Steve Klabnik, Carol Nichols and Chris Krycho, with contributions from the Rust community",
        "documents": documents,
    });
    let library = library.to_string();
    if fs::read_to_string(&file).is_ok_and(|there| there == library) {
        return Ok(());
    }
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    // Written to a temporary file and renamed, so that an interrupted build leaves no incomplete library.
    let aside = to.join(format!("{TEXTS}.new"));
    fs::write(&aside, library).map_err(|error| format!("{}: {error}", aside.display()))?;
    fs::rename(&aside, &file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns the page's text, or none for a page that only redirects.
fn document(page: &Path) -> Option<serde_json::Value> {
    let html = fs::read_to_string(page).ok()?;
    let (_, rest) = html.split_once("<main>")?;
    let (main, _) = rest.split_once("</main>")?;
    let (_, title) = html.split_once("<title>")?;
    let title = title.split_once("</title>")?.0.split(" - The Rust").next()?;
    let name = name(page);
    let chapter: u32 = name.get(2..4)?.parse().ok()?;
    Some(json!({
        "id": name.trim_end_matches(".html"),
        "title": title.replace("&amp;", "&"),
        "url": format!("{ONLINE}{name}"),
        "format": "html",
        "text": without_hidden_lines(main),
        "metadata": { "chapter": chapter },
    }))
}

/// Removes lines of an example that the book compiles but does not show.
fn without_hidden_lines(html: &str) -> String {
    let mut shown = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, hidden)) = rest.split_once("<span class=\"boring\">") {
        shown.push_str(before);
        rest = hidden.split_once("</span>").map_or("", |(_, after)| after);
    }
    shown + rest
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the folder of the book, after installing it if necessary.
fn book() -> Result<PathBuf> {
    let places = || {
        let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"])).unwrap_or_default();
        [
            PathBuf::from(sysroot.trim()).join("share/doc/rust/html/book"),
            PathBuf::from("/usr/share/doc/rust-doc/html/book"),
        ]
        .into_iter()
        .find(|folder| folder.join("ch04-01-what-is-ownership.html").is_file())
    };
    if let Some(found) = places() {
        return Ok(found);
    }
    if command::find(&["rustup"]).is_some() {
        step("Adding the Rust documentation, which holds the sample library");
        let _ = command::output(
            Command::new("rustup").args(["component", "add", "rust-docs"]).current_dir(paths::root()),
        );
    }
    places().ok_or_else(|| {
        "The Rust documentation is not installed. Install it with:\n    rustup component add rust-docs\n    \
         apt-get install rust-doc        (Debian's Rust)"
            .into()
    })
}
