//! Lists the files of folders.

use crate::contents::{Contents, Stamp, contents};
use crate::ignore_files;
use crate::kind::{Kind, extension};
use crate::place::{Place, name_of};
use crate::refusal::{Code, Refusal};
use crate::sitemap::{self, Page};
use ignore::{DirEntry, WalkBuilder};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

/// The usual extension of a library.
const LIBRARY: &str = ".library";
/// Extensions added to the name of a library for the files that are kept beside it.
const BESIDE: [&str; 4] = ["files", "lock", "fresh", "fresh.files"];
/// Extension of a file while it is written, before the process id.
const ASIDE: &str = "tmp-";

/// What a walk takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether `.gitignore`, `.ignore` and `.vademecumignore` within the folders are honoured.
    pub honours_ignore_files: bool,
    /// The library that is written. It and the files beside it are not read.
    pub library: Option<PathBuf>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self { honours_ignore_files: true, library: None }
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
    /// Remarks about files, by path.
    pub notes: Vec<(String, String)>,
}

impl Walk {
    /// Lists the files of all places. Hidden files are left out, and so is what ignore files name. Symbolic links are followed; a folder that
    /// several links lead to is listed once, below the first of them.
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
                let refusal = Refusal::same_id(found.path.display(), twin.path.display());
                self.refused.push((found.id, refusal));
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
            .require_git(false)
            .sort_by_file_name(Ord::cmp)
            .filter_entry(first_of_links());
        if honours {
            builder.add_custom_ignore_filename(ignore_files::OWN);
        }
        let own = options.library.as_deref().map(Own::of);
        let mut closed = Vec::new();
        let is_site = place.path.join(sitemap::FILE).is_file();
        let mut found = Vec::new();
        for entry in builder.build() {
            match entry {
                Ok(entry) if own.as_ref().is_some_and(|own| own.has(entry.path())) => {}
                Ok(entry) => {
                    if honours && entry.file_type().is_some_and(|kind| kind.is_dir()) {
                        closed.extend(self.check_ignore_files(&entry, place));
                    }
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
        found.retain(|file| !closed.iter().any(|folder| file.path.starts_with(folder)));
        if is_site {
            self.add_pages(&mut found, place);
        }
        self.found.append(&mut found);
    }

    /// Reports what is wrong with the ignore files of a folder. Returns the folder if it has to be left out.
    fn check_ignore_files(&mut self, folder: &DirEntry, place: &Place) -> Option<PathBuf> {
        for (path, refusal) in folder.error().map(ignore_files::faults).unwrap_or_default() {
            let path = if path.as_os_str().is_empty() { folder.path() } else { &path };
            self.refused.push((format!("{}{}", place.prefix, relative(path, &place.path)), refusal));
        }
        let refusal = ignore_files::unreadable(folder.path())?;
        let path = format!("{}{}", place.prefix, relative(folder.path(), &place.path));
        self.refused.push((path.trim_end_matches('/').to_owned(), refusal));
        Some(folder.path().to_owned())
    }

    /// Gives the pages of a site their addresses.
    fn add_pages(&mut self, found: &mut [Found], place: &Place) {
        let own = |id: &str| id.strip_prefix(place.prefix.as_str()).unwrap_or(id).to_owned();
        let ids: Vec<String> = found.iter().map(|file| own(&file.id)).collect();
        let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let (mut pages, notes) = sitemap::pages(&place.path, &known);
        self.notes.extend(notes.into_iter().map(|(name, note)| (format!("{}{name}", place.prefix), note)));
        for (file, id) in found.iter_mut().zip(&ids) {
            file.page = pages.remove(id);
        }
    }

    /// Returns the file of an entry; none for a folder, and for what is skipped or refused.
    fn entry(&mut self, entry: &DirEntry, place: &Place, is_site: bool) -> Option<Found> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return None; // a folder, or a device or pipe, which could be read for ever
        }
        let name = entry.file_name().to_string_lossy();
        let kind = Kind::of_name(&name).filter(|kind| !(is_site && kind.is_part_of_pages()));
        if name.ends_with(LIBRARY) {
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

/// A library that is written, perhaps into the folder that it is made from.
struct Own {
    folder: Option<PathBuf>,
    name: String,
}

impl Own {
    fn of(library: &Path) -> Self {
        let parent = library.parent().filter(|parent| !parent.as_os_str().is_empty());
        Self { folder: parent.unwrap_or(Path::new(".")).canonicalize().ok(), name: name_of(library) }
    }

    /// Returns whether a path is the library, or what is kept beside it.
    fn has(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(rest) = name.strip_prefix(self.name.as_str()) else { return false };
        let is_own = rest.is_empty() || rest.strip_prefix('.').is_some_and(is_beside);
        is_own && path.parent().and_then(|parent| parent.canonicalize().ok()) == self.folder
    }
}

/// Returns whether what is added to the name of a library makes the name of a file that is kept beside it.
fn is_beside(added: &str) -> bool {
    let is_process = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_aside = |rest: &str| rest.strip_prefix(ASIDE).is_some_and(is_process);
    BESIDE.contains(&added)
        || is_aside(added)
        || BESIDE
            .iter()
            .any(|one| added.strip_prefix(one).and_then(|rest| rest.strip_prefix('.')).is_some_and(is_aside))
}

/// Returns a filter that lets each folder pass once that a symbolic link leads to: links to folders with links would multiply.
#[cfg(unix)]
fn first_of_links() -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    use std::os::unix::fs::MetadataExt;
    let visited = Mutex::new(HashSet::new());
    move |entry| {
        if !entry.path_is_symlink() {
            return true;
        }
        match entry.path().metadata() {
            Ok(metadata) if metadata.is_dir() => {
                let mut visited = visited.lock().unwrap_or_else(PoisonError::into_inner);
                visited.insert((metadata.dev(), metadata.ino()))
            }
            _ => true,
        }
    }
}

/// Returns a filter that lets everything pass, where folders have no numbers.
#[cfg(not(unix))]
fn first_of_links() -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    |_| true
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
            (relative(child, root), Refusal::looped(ancestor.display()))
        }
        ignore::Error::Io(error) => (String::new(), Refusal::unreadable(error)),
        other => (String::new(), Refusal::new(Code::FileUnreadable, other.to_string())),
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
    fn an_ignore_file_that_cannot_be_read_closes_its_folder_and_a_bad_pattern_is_told() {
        let folder = folder(&[
            ("a.md", "x"),
            ("deep/b.md", "x"),
            ("deep/deeper/c.md", "x"),
            ("odd/.gitignore", "d.md\n{x\n"),
            ("odd/d.md", "x"),
            ("odd/e.md", "x"),
        ]);
        fs::write(folder.path().join("deep/.vademecumignore"), b"caf\xE9\n").unwrap();
        let walk = |honours_ignore_files| {
            let options = WalkOptions { honours_ignore_files, ..WalkOptions::default() };
            Walk::of(&[Place::of(folder.path()).unwrap()], &options)
        };
        let closed = walk(true);
        assert_eq!(ids(&closed), ["a.md", "odd/e.md"]);
        let refused: Vec<_> =
            closed.refused.iter().map(|(path, refusal)| (path.as_str(), refusal.code)).collect();
        assert_eq!(refused, [("deep", Code::IgnoreFileInvalid), ("odd/.gitignore", Code::IgnoreFileInvalid)]);
        assert!(closed.refused[0].1.message.contains("--no-ignore"), "{:?}", closed.refused);
        assert!(closed.refused[1].1.message.contains("{x"), "{:?}", closed.refused);
        assert_eq!((walk(false).found.len(), walk(false).refused.len()), (5, 0));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_many_links_lead_to_is_listed_once() {
        let folder = folder(&[("0/a.md", "x")]);
        let outside = tempfile::tempdir().unwrap();
        let at = |level: usize| outside.path().join(level.to_string());
        for level in 0..16 {
            fs::create_dir(at(level)).unwrap();
            fs::write(at(level).join("b.md"), "x").unwrap();
            for link in ["l", "m"].iter().filter(|_| level > 0) {
                std::os::unix::fs::symlink(at(level), at(level - 1).join(link)).unwrap();
            }
        }
        std::os::unix::fs::symlink(at(0), folder.path().join("1")).unwrap();
        let walk = Walk::of(&[Place::of(folder.path()).unwrap()], &WalkOptions::default());
        assert_eq!((walk.found.len(), walk.refused.len()), (1 + 16, 0));
        assert!(ids(&walk).contains(&"1/l/l/b.md") && !ids(&walk).contains(&"1/m/b.md"), "{:?}", ids(&walk));
    }

    #[test]
    fn the_library_and_what_is_beside_it_are_left_out_and_no_other_files() {
        let names =
            ["a.lib.md", "a.lib.md.files", "a.lib.md.lock", "a.lib.md.tmp-1", "a.lib.md.fresh.files.tmp-2"];
        let own = Own::of(Path::new("a.lib.md"));
        assert!(names.iter().all(|name| own.has(Path::new("./").join(name).as_path())));
        for name in ["a.lib.md.txt", "b.lib.md", "a.lib.md.tmp-x", "crates/a.lib.md"] {
            assert!(!own.has(Path::new("./").join(name).as_path()), "{name}");
        }
        let folder = folder(&[("my.library.notes.md", "x"), ("old.library", "x")]);
        let walk = Walk::of(&[Place::of(folder.path()).unwrap()], &WalkOptions::default());
        assert_eq!((ids(&walk), walk.skipped.len()), (vec!["my.library.notes.md"], 0));
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
