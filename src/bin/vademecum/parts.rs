//! Libraries in parts: `publish`, and folders of parts in place of a library file.

use crate::arguments::{ModeName, ModelArguments, Publish, Search};
use crate::exit::Exit;
use crate::host::Host;
use crate::library::{self, Lock, failed};
use crate::model::Model;
use crate::output::{Output, plural};
use crate::passages::{beginning, collections, filter, source};
use futures_executor::block_on;
use indicatif::DecimalBytes;
use serde::Serialize;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use vademecum::encoder::{Embedder, Kind, is_same};
use vademecum::engine::Options;
use vademecum::error::{Error, Result};
use vademecum_parts::write::{Content, Described, PublishOptions, Published, publish as write_parts};
use vademecum_parts::{FolderSource, Library, Manifest, Mode, SearchRequest, SearchResponse};

/// The name of the manifest.
const MANIFEST: &str = "manifest.json";

/// The result of `publish`, and of `build` with `--parts`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartsReport {
    folder: String,
    documents: usize,
    chunks: usize,
    /// Number of documents that are left out, because they are marked `neverSend`.
    withheld: usize,
    parts: usize,
    bytes: u64,
    new_parts: usize,
    new_bytes: u64,
    removed: usize,
    took_ms: u64,
}

/// Writes a library file in parts.
///
/// # Errors
/// Those of the library and the disk.
pub(crate) fn publish(arguments: &Publish, output: Output) -> Result<Exit> {
    let report = write(&arguments.library, &arguments.folder, arguments.prune)?;
    output.result(&report, || report.text())?;
    Ok(Exit::Done)
}

/// Writes a library file in parts into a folder.
///
/// # Errors
/// Those of the library and the disk; `invalid_argument` if the folder is a file, or contains other things.
pub(crate) fn write(library: &Path, folder: &Path, prune: bool) -> Result<PartsReport> {
    let began = Instant::now();
    check_folder(folder)?;
    let kb = library::open(Some(library), None, Rc::new(Host::default()), Options::default())?;
    let publication = kb.publication()?;
    let described = publication.collections.iter().map(|(name, description, language)| Described {
        name: name.clone(),
        description: description.clone(),
        language: *language,
    });
    let content = Content {
        searcher: &publication.searcher,
        embedder: publication.embedder.clone(),
        collections: described.collect(),
        calibration: publication.calibration,
    };
    fs::create_dir_all(folder).map_err(|error| failed("written", folder, &error))?;
    let _lock = Lock::take(&folder.join(MANIFEST))?;
    let published = write_parts(&content, folder, PublishOptions { prune, ..PublishOptions::default() })?;
    let Published { documents, chunks, parts, bytes, new_parts, new_bytes, removed, .. } = published;
    Ok(PartsReport {
        folder: folder.display().to_string(),
        documents,
        chunks,
        withheld: publication.withheld,
        parts,
        bytes,
        new_parts,
        new_bytes,
        removed,
        took_ms: began.elapsed().as_millis() as u64,
    })
}

/// Checks that parts can be written into a folder, without mixing them with other files.
///
/// # Errors
/// `invalid_argument` otherwise.
pub(crate) fn check_folder(folder: &Path) -> Result<()> {
    const EXPECTED: &str = "an empty folder, one to create, or one that was written before";
    let got = |what: &str| {
        Err(Error::invalid("the folder of parts", EXPECTED, format!("{}, {what}", folder.display())))
    };
    let Ok(metadata) = folder.metadata() else { return Ok(()) };
    if !metadata.is_dir() {
        return got("a file");
    }
    let manifest = folder.join(MANIFEST);
    let is_other = |bytes: Vec<u8>| {
        let named = serde_json::from_slice::<serde_json::Value>(&bytes).ok();
        named.is_some_and(|manifest| manifest.get("format").is_none())
    };
    if fs::read(&manifest).is_ok_and(is_other) {
        return got("a folder whose manifest.json is none of a library");
    }
    let mut entries = fs::read_dir(folder).map_err(|error| failed("read", folder, &error))?.flatten();
    // A first run that was killed leaves its lock.
    let is_own = |name: &std::ffi::OsStr| {
        ["parts", "manifest.json.lock", "manifest.writing"].iter().any(|own| name == *own)
    };
    if !manifest.is_file() && entries.any(|entry| !is_own(&entry.file_name())) {
        return got("a folder with other files and without a manifest");
    }
    Ok(())
}

/// Returns the folder of a library in parts, if a path leads to one or to its manifest.
pub(crate) fn folder_at(path: &Path) -> Option<PathBuf> {
    let is_manifest = path.file_name().is_some_and(|name| name == MANIFEST);
    let folder = if is_manifest { library::folder_of(path) } else { path.to_owned() };
    (folder.is_dir() && (is_manifest || path.is_dir())).then_some(folder)
}

/// Opens a folder of parts. Returns the length of the manifest as well.
fn open(folder: &Path) -> Result<(Library, usize)> {
    let path = folder.join(MANIFEST);
    let manifest = fs::read(&path).map_err(|error| failed("read", &path, &error))?;
    let options = vademecum_parts::Options::default();
    Ok((Library::open(&manifest, Rc::new(FolderSource::new(folder)), &options)?, manifest.len()))
}

/// Finds passages in a folder of parts.
///
/// # Errors
/// Those of the folder, the model and the request.
pub(crate) fn search(arguments: &Search, folder: &Path, output: Output) -> Result<Exit> {
    let filters = filter(&arguments.scope)?;
    let (library, _) = open(folder)?;
    let vector = match arguments.mode {
        ModeName::Keyword => None,
        _ => vector(library.manifest(), &arguments.scope.model, &arguments.question, output)?,
    };
    let request = SearchRequest {
        query: arguments.question.clone(),
        collections: collections(&arguments.scope),
        mode: match arguments.mode {
            ModeName::Keyword => Mode::Keyword,
            ModeName::Vector => Mode::Vector,
            ModeName::Hybrid => Mode::Hybrid,
        },
        limit: arguments.top,
        filters,
        ..SearchRequest::default()
    };
    let response = block_on(library.search(&request, vector.as_deref()))?;
    output.result(&response, || text(&response))?;
    Ok(if response.hits.is_empty() { Exit::Partly } else { Exit::Done })
}

/// Embeds a question, if the library has vectors and their model is named.
fn vector(
    manifest: &Manifest,
    model: &ModelArguments,
    question: &str,
    output: Output,
) -> Result<Option<Vec<f32>>> {
    let Some(own) = &manifest.embedder else { return Ok(None) };
    let Some(model) = Model::find(model)? else {
        output.note("Searching by words alone: the library's vectors need its model, named by --model.");
        return Ok(None);
    };
    let embedder = model.load(Rc::new(Host::default()))?;
    let id = embedder.id().unwrap_or_default();
    if !own.id.is_empty() && !is_same(&id, &own.id) {
        return Err(Error::EmbedderMismatch { expected: id, found: own.id.clone() });
    }
    let texts = [question.to_owned()];
    let rows = block_on(embedder.embed(&texts, Kind::Query))?.into_rows(1)?;
    Ok(rows.into_iter().next().map(|(vector, _)| vector))
}

fn text(response: &SearchResponse) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    match (&response.searched_for, &response.did_you_mean) {
        (Some(query), _) => drop(writeln!(text, "Nothing has these words; searched for: {query}\n")),
        (None, Some(query)) => drop(writeln!(text, "Did you mean: {query}\n")),
        (None, None) => {}
    }
    if response.hits.is_empty() {
        text.push_str("Nothing was found.\n");
    }
    for (at, hit) in response.hits.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}. {}  ({:.2})", at + 1, source(&hit.chunk), hit.score);
        let _ = writeln!(text, "   {}", beginning(&hit.chunk));
    }
    for missing in &response.missing {
        let _ = writeln!(text, "\nIncomplete ({}): {}", missing.what, missing.message);
    }
    text.trim_end().to_owned()
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspected<'a> {
    library: String,
    parts: usize,
    bytes: u64,
    manifest_bytes: usize,
    /// Parts whose file is not there, or has another length than it should.
    damaged: Vec<String>,
    #[serde(flatten)]
    manifest: &'a Manifest,
}

/// Reports what is in a folder of parts, and which of its files are missing.
///
/// # Errors
/// Those of the folder; `part_damaged`, `part_missing` if the list of parts cannot be read.
pub(crate) fn inspect(folder: &Path, output: Output) -> Result<Exit> {
    let (library, manifest_bytes) = open(folder)?;
    let parts = block_on(library.parts())?;
    let is_whole = |part: &&vademecum_parts::Part| {
        let length = folder.join(&part.path).metadata().map(|file| file.len());
        length.is_ok_and(|length| length == u64::from(part.bytes))
    };
    let inspected = Inspected {
        library: folder.display().to_string(),
        parts: parts.len(),
        bytes: parts.iter().map(|part| u64::from(part.bytes)).sum(),
        manifest_bytes,
        damaged: parts.iter().filter(|part| !is_whole(part)).map(|part| part.path.clone()).collect(),
        manifest: library.manifest(),
    };
    output.result(&inspected, || inspected.text())?;
    Ok(if inspected.damaged.is_empty() { Exit::Done } else { Exit::Partly })
}

impl Inspected<'_> {
    fn text(&self) -> String {
        let manifest = self.manifest;
        let model = manifest.embedder.as_ref().map_or("none, search by words", |embedder| &embedder.id);
        let mut text = format!(
            "{}: {}, {}, in parts, format {}\n{}, {}, {} of them with a vector\nmodel: {model}\n",
            self.library,
            plural(self.parts, "part"),
            DecimalBytes(self.bytes),
            manifest.format,
            plural(manifest.documents, "document"),
            plural(manifest.chunks, "passage"),
            manifest.vectors,
        );
        // Writing to a string cannot fail.
        for info in manifest.collections.iter().filter(|info| info.documents > 0) {
            let counts = (plural(info.documents, "document"), plural(info.chunks, "passage"));
            let _ = write!(text, "\ncollection {}: {}, {}", info.name, counts.0, counts.1);
            if !info.description.is_empty() {
                let _ = write!(text, "\n  {}", info.description);
            }
        }
        for path in &self.damaged {
            let _ = write!(text, "\nMissing or damaged: {path}");
        }
        text
    }
}

impl PartsReport {
    /// Formats it for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{}: {}, {}, in {} of {}; {} new, {}, in {:.1} s.",
            self.folder,
            plural(self.documents, "document"),
            plural(self.chunks, "passage"),
            plural(self.parts, "part"),
            DecimalBytes(self.bytes),
            self.new_parts,
            DecimalBytes(self.new_bytes),
            self.took_ms as f64 / 1e3
        );
        if self.removed > 0 {
            let _ = write!(text, " {} removed.", plural(self.removed, "old part"));
        }
        if self.withheld > 0 {
            let _ = write!(
                text,
                "\n{} left out: marked `neverSend`, and a host would publish them.",
                plural(self.withheld, "document")
            );
        }
        text
    }
}
