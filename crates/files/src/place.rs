//! The folders and files that a library is made of.

use std::path::{Path, PathBuf};
use vademecum_protocol::error::{Error, Result};

/// A folder or a file, and what the ids of its documents begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path.
    pub path: PathBuf,
    /// Empty, or a folder's name with a slash.
    pub prefix: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl Place {
    /// A single folder, whose documents have ids relative to it, or a single file, whose id is its name.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if nothing is there.
    pub fn of(path: &Path) -> Result<Self> {
        match path.metadata() {
            Ok(metadata) => {
                Ok(Self { path: path.to_owned(), prefix: String::new(), is_folder: metadata.is_dir() })
            }
            Err(error) => Err(Error::invalid(
                "PATH",
                "a folder or a file that can be read",
                format!("{} ({error})", path.display()),
            )),
        }
    }

    /// Several folders and files. With more than one folder, ids begin with the folder's name, because two folders may have files of the
    /// same name.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a path where nothing is, and for two folders or two files of the same name.
    pub fn all(paths: &[PathBuf]) -> Result<Vec<Self>> {
        let mut places = paths.iter().map(|path| Self::of(path)).collect::<Result<Vec<_>>>()?;
        let folders = places.iter().filter(|place| place.is_folder).count();
        if folders > 1 {
            for place in places.iter_mut().filter(|place| place.is_folder) {
                place.prefix = format!("{}/", name_of(&place.path));
            }
        }
        let mut names: Vec<String> = places
            .iter()
            .filter(|place| !place.is_folder || folders > 1)
            .map(|place| if place.is_folder { place.prefix.clone() } else { name_of(&place.path) })
            .collect();
        names.sort_unstable();
        match names.windows(2).find(|two| two.first() == two.last()).and_then(<[String]>::first) {
            Some(twice) => Err(Error::invalid(
                "PATH",
                "folders and files with different names, which begin the ids of documents",
                format!("`{twice}` twice"),
            )),
            None => Ok(places),
        }
    }
}

impl Place {
    /// Returns whether the id of a file, or of a folder, is of this place rather than of the others.
    pub fn has(&self, id: &str, others: &[Self]) -> bool {
        if !self.is_folder {
            return id == name_of(&self.path);
        }
        let is_named = || others.iter().any(|other| !other.is_folder && id == name_of(&other.path));
        id.starts_with(&self.prefix) && !is_named()
    }
}

/// Returns the last part of a path's name, also of `.`.
pub(crate) fn name_of(path: &Path) -> String {
    let whole = path.canonicalize().ok();
    let named = path.file_name().or_else(|| whole.as_deref().and_then(Path::file_name));
    named.unwrap_or_default().to_string_lossy().into_owned()
}
