//! Lists the files of folders.

use crate::contents::{Contents, Stamp, contents};
use crate::kind::{Kind, extension};
use crate::place::{Place, name_of};
use crate::refusal::{Code, Refusal};
use crate::sitemap::{self, Page};
use ignore::{DirEntry, WalkBuilder};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The project's own ignore file, with the syntax of `.gitignore`.
const IGNORE_FILE: &str = ".vademecumignore";

/// What a walk takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether `.gitignore`, `.ignore` and `.vademecumignore` within the folders are honoured.
    pub honours_ignore_files: bool,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self { honours_ignore_files: true }
    }
}

/// A file that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path relative to its folder, with slashes: the id of its document, or what the ids of its rows begin with.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// What it contains, by its name.
    pub kind: Kind,
    /// Its size and time when it was found.
    pub stamp: Stamp,
    pub(crate) page: Option<Page>,
}

impl Found {
    /// Reads the file.
    ///
    /// # Errors
    /// `file_unreadable`, `file_too_large`, `file_changed`.
    pub fn contents(&self) -> Result<Contents, Refusal> {
        contents(&self.path, self.kind)
    }

    /// Returns what documents of the file have besides its contents: the address of the page and the day of its last change.
    pub fn beside(&self) -> String {
        let page = self.page.as_ref();
        page.map_or_else(String::new, |page| {
            format!("{} {}", page.url, page.modified.as_deref().unwrap_or_default())
        })
    }
}

/// The files of some places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Files that can be read, by id.
    pub found: Vec<Found>,
    /// Files and folders that cannot be reached, by path.
    pub refused: Vec<(String, Refusal)>,
    /// Number of files of unknown kinds, by extension.
    pub skipped: BTreeMap<String, usize>,
}

impl Walk {
    /// Lists the files of all places. Hidden files are left out, and so is what ignore files name; symbolic links are followed.
    pub fn of(places: &[Place], options: &WalkOptions) -> Self {
        let mut walk = Self::default();
        for place in places {
            if place.is_folder {
                walk.folder(place, options);
            } else {
                walk.file(place);
            }
        }
        walk.found.sort_by(|one, other| one.id.cmp(&other.id));
        walk.refuse_twins();
        walk.refused.sort_by(|one, other| one.0.cmp(&other.0));
        walk
    }

    /// Leaves one file of each id: a file that is named itself may have the id of one in a folder.
    fn refuse_twins(&mut self) {
        let mut kept: Vec<Found> = Vec::with_capacity(self.found.len());
        for found in std::mem::take(&mut self.found) {
            let Some(twin) = kept.last().filter(|last| last.id == found.id) else {
                kept.push(found);
                continue;
            };
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            if real(&twin.path) != real(&found.path) {
                let message = format!(
                    "{} would have the same id as {}, which is added. Rename one of them, or name their folders.",
                    found.path.display(),
                    twin.path.display()
                );
                self.refused.push((found.id, Refusal::new(Code::FileSameId, message)));
            }
        }
        self.found = kept;
    }

    /// Adds a file that was named itself: an unknown kind is tried as text.
    fn file(&mut self, place: &Place) {
        let name = name_of(&place.path);
        match place.path.metadata() {
            Ok(metadata) if metadata.is_file() => self.found.push(Found {
                kind: Kind::of_name(&name).unwrap_or(Kind::Text),
                id: format!("{}{name}", place.prefix),
                path: place.path.clone(),
                stamp: Stamp::of(&metadata),
                page: None,
            }),
            Ok(_) => {
                self.refused.push((name, Refusal::new(Code::FileUnreadable, "It is not a regular file.")));
            }
            Err(error) => self.refused.push((name, Refusal::unreadable(&error))),
        }
    }

    fn folder(&mut self, place: &Place, options: &WalkOptions) {
        let honours = options.honours_ignore_files;
        let mut builder = WalkBuilder::new(&place.path);
        builder
            .follow_links(true)
            .ignore(honours)
            .git_ignore(honours)
            // What is outside of the folder has no say, so that the same folder gives the same library everywhere.
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .require_git(false);
        if honours {
            builder.add_custom_ignore_filename(IGNORE_FILE);
        }
        let is_site = place.path.join(sitemap::FILE).is_file();
        let mut found = Vec::new();
        for entry in builder.build() {
            match entry {
                Ok(entry) => {
                    if let Some(file) = self.entry(&entry, place, is_site) {
                        found.push(file);
                    }
                }
                Err(error) => {
                    let (path, refusal) = refused(&error, &place.path);
                    // The folder itself has the prefix alone.
                    let path = format!("{}{path}", place.prefix).trim_end_matches('/').to_owned();
                    self.refused.push((path, refusal));
                }
            }
        }
        if is_site {
            add_pages(&mut found, place);
        }
        self.found.append(&mut found);
    }

    /// Returns the file of an entry; none for a folder, and for what is skipped or refused.
    fn entry(&mut self, entry: &DirEntry, place: &Place, is_site: bool) -> Option<Found> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return None; // a folder, or a device or pipe, which could be read for ever
        }
        let name = entry.file_name().to_string_lossy();
        let kind = Kind::of_name(&name).filter(|kind| !(is_site && kind.is_part_of_pages()));
        if is_library(&name) {
            return None;
        }
        let Some(kind) = kind else {
            *self.skipped.entry(extension(&name)).or_default() += 1;
            return None;
        };
        let relative = relative(entry.path(), &place.path);
        let id = format!("{}{relative}", place.prefix);
        if id.contains(char::REPLACEMENT_CHARACTER) && entry.path().to_str().is_none() {
            self.refused.push((id, Refusal::new(Code::FileUnreadable, "Its name is not UTF-8. Rename it.")));
            return None;
        }
        match entry.metadata() {
            Ok(metadata) => {
                let stamp = Stamp::of(&metadata);
                Some(Found { id, path: entry.path().to_owned(), kind, stamp, page: None })
            }
            Err(error) => {
                self.refused.push((id, refused(&error, &place.path).1));
                None
            }
        }
    }
}

/// Returns whether a file is a library, or kept beside one: it may be written into the folder that it is made from.
fn is_library(name: &str) -> bool {
    name.ends_with(".library") || name.contains(".library.")
}

/// Returns a path within a folder, with slashes.
fn relative(path: &Path, root: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// Returns the path and the reason of an entry that cannot be reached.
fn refused(error: &ignore::Error, root: &Path) -> (String, Refusal) {
    match error {
        ignore::Error::WithPath { path, err } => (relative(path, root), refused(err, root).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            refused(err, root)
        }
        ignore::Error::Loop { ancestor, child } => {
            let message =
                format!("This symbolic link leads to {}, which contains it. Remove it.", ancestor.display());
            (relative(child, root), Refusal::new(Code::FileLoop, message))
        }
        ignore::Error::Io(error) => (String::new(), Refusal::unreadable(error)),
        other => (String::new(), Refusal::new(Code::FileUnreadable, other.to_string())),
    }
}

/// Gives the pages of a site their addresses.
fn add_pages(found: &mut [Found], place: &Place) {
    let own = |id: &str| id.strip_prefix(place.prefix.as_str()).unwrap_or(id).to_owned();
    let ids: Vec<String> = found.iter().map(|file| own(&file.id)).collect();
    let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let Some(mut pages) = sitemap::pages(&place.path, &known) else { return };
    for (file, id) in found.iter_mut().zip(&ids) {
        file.page = pages.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn ids(walk: &Walk) -> Vec<&str> {
        walk.found.iter().map(|found| found.id.as_str()).collect()
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_named_without_a_slash() {
        let place = Place { path: "/nowhere/one".into(), prefix: "one/".into(), is_folder: true };
        let walk = Walk::of(&[place], &WalkOptions::default());
        assert_eq!((walk.refused[0].0.as_str(), walk.refused[0].1.code), ("one", Code::FileUnreadable));
    }

    #[test]
    fn of_two_files_with_one_id_the_second_is_refused_and_a_file_that_is_named_twice_is_one() {
        let folder = folder(&[("notes/a.md", "x"), ("other/a.md", "y")]);
        let at = |name: &str| folder.path().join(name);
        let walk = |paths: &[PathBuf]| Walk::of(&Place::all(paths).unwrap(), &WalkOptions::default());
        let two = walk(&[at("notes"), at("other/a.md")]);
        assert_eq!((ids(&two), two.refused[0].0.as_str()), (vec!["a.md"], "a.md"));
        assert_eq!(two.found[0].path, at("notes/a.md"));
        let refusal = &two.refused[0].1;
        assert_eq!(refusal.code, Code::FileSameId);
        assert!(refusal.message.contains("other/a.md") && refusal.message.contains("Rename"), "{refusal}");
        let same = walk(&[at("notes"), at("notes/a.md")]);
        assert_eq!((ids(&same), same.refused.len()), (vec!["a.md"], 0));
    }
}
