//! What a library was built from, in a file beside it: so the next build reads only what has changed.
//!
//! The library is shipped to readers, who have no use for the names of files on the author's machine; hence a file of its own.

use crate::arguments::ModelArguments;
use crate::library::{failed, replace};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use vademecum::error::{Error, Result};
use vademecum_files::{Refusal, Stamp};

/// The version of this format; a record of another is not used.
const VERSION: u32 = 1;

/// What documents depend on besides the files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Settings {
    pub(crate) collection: String,
    pub(crate) description: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) chunk_tokens: usize,
    pub(crate) chunk_overlap: usize,
    /// The id of the model by which tokens were counted and vectors made; estimated and none where absent.
    pub(crate) model: Option<String>,
    /// The version of the program, whose readers may have improved.
    pub(crate) version: String,
}

impl Settings {
    /// Returns whether files that are unchanged make the same documents by both.
    pub(crate) fn makes_the_same_as(&self, other: &Self) -> bool {
        let without_description = |settings: &Self| Self { description: None, ..settings.clone() };
        without_description(self) == without_description(other)
    }
}

/// The size of the library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Totals {
    pub(crate) documents: usize,
    pub(crate) chunks: usize,
    pub(crate) vectors: usize,
}

/// What became of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    /// Size and time when it was read; a time of 0 is never trusted.
    pub(crate) stamp: Stamp,
    /// The hash of its bytes; empty while its documents are being added.
    pub(crate) hash: String,
    /// Address and day by the sitemap.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) beside: String,
    /// The ids of its documents; none if it has one of the file's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) documents: Option<Vec<String>>,
    /// Why it was not added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refusal: Option<Refusal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    /// The ids of its documents in collections that it was added to before. They are removed once it has been added to its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) elsewhere: BTreeMap<String, Vec<String>>,
    /// Whether its passages were measured without the model of the settings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_estimated: bool,
}

impl Entry {
    /// Returns the ids of the documents of a file with this id.
    pub(crate) fn ids(&self, file: &str) -> Vec<String> {
        match (&self.documents, &self.refusal) {
            (_, Some(_)) => Vec::new(),
            (Some(ids), None) => ids.clone(),
            (None, None) => vec![file.to_owned()],
        }
    }

    /// Returns whether the library has documents of a file with this id.
    pub(crate) fn has_documents(&self, file: &str) -> bool {
        !self.ids(file).is_empty() || !self.elsewhere.is_empty()
    }

    /// Makes the next run read the file again; its documents stay until then.
    pub(crate) fn unsettle(&mut self) {
        (self.stamp, self.hash) = (Stamp::default(), String::new());
    }

    /// Notes that the documents of a file with this id are in a collection that it is no longer added to.
    fn moves(&mut self, file: &str, from: &str, to: &str) {
        let ids = self.ids(file);
        if !ids.is_empty() {
            self.elsewhere.entry(from.to_owned()).or_default().extend(ids);
        }
        let back = self.elsewhere.remove(to);
        if self.refusal.is_none() || back.is_some() {
            (self.documents, self.refusal) = (Some(back.unwrap_or_default()), None);
        }
    }
}

/// The record of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    version: u32,
    /// The size and time of the library that this belongs to.
    pub(crate) library: Stamp,
    pub(crate) settings: Settings,
    /// The options of the model that made the vectors, for questions that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<ModelArguments>,
    pub(crate) totals: Totals,
    /// Files by id.
    pub(crate) files: BTreeMap<String, Entry>,
}

impl Record {
    pub(crate) fn path(library: &Path) -> PathBuf {
        library.with_added_extension("files")
    }

    /// Puts a library that was written aside, and its record, in the place of another.
    ///
    /// # Errors
    /// `storage_failed`; either library is whole.
    pub(crate) fn promote(aside: &Path, library: &Path) -> Result<()> {
        let moved = std::fs::rename(aside, library)
            // Killed here, the next build finds a record of another library, and reads every file.
            .and_then(|()| std::fs::rename(Self::path(aside), Self::path(library)));
        moved.map_err(|error| failed("replaced", library, &error))
    }

    /// Removes a library that was written aside, and its record.
    pub(crate) fn discard(aside: &Path) {
        for path in [aside, &Self::path(aside)] {
            let _ = std::fs::remove_file(path);
        }
    }

    /// Reads the record of a library; none if there is none, or none that can be used: then every file is read.
    pub(crate) fn read(library: &Path) -> Option<Self> {
        let bytes = std::fs::read(Self::path(library)).ok()?;
        serde_json::from_slice(&bytes).ok().filter(|record: &Self| record.version == VERSION)
    }

    /// Returns the options of the model that made the vectors of a library, which is not recorded if another program has written it since.
    pub(crate) fn model_of(library: &Path) -> Option<ModelArguments> {
        let record = Self::read(library)?;
        (Some(record.library) == stamp(library).ok()?).then_some(record.model)?
    }

    /// Takes over the settings of a run, by which some files have to be read again.
    pub(crate) fn take_over(&mut self, settings: Settings, is_trusted: bool, has_model: bool) {
        let from = std::mem::replace(&mut self.settings, settings).collection;
        let to = &self.settings.collection;
        for (file, entry) in &mut self.files {
            if !is_trusted || (has_model && entry.is_estimated) {
                entry.unsettle();
            }
            if !from.is_empty() && from != *to {
                entry.moves(file, &from, to);
            }
        }
    }

    /// Makes the next run read the files again whose documents something else has replaced.
    pub(crate) fn unsettle_those_of(&mut self, documents: &HashSet<String>) {
        for (file, entry) in &mut self.files {
            if entry.ids(file).iter().any(|id| documents.contains(id)) {
                entry.unsettle();
            }
        }
    }

    /// Writes the record of a library.
    ///
    /// # Errors
    /// `storage_full`, `storage_failed`.
    pub(crate) fn write(&mut self, library: &Path) -> Result<()> {
        self.version = VERSION;
        let json = serde_json::to_vec(self)
            .map_err(|error| Error::internal(format!("The record cannot be written: {error}.")))?;
        replace(&Self::path(library), &json)
    }
}

/// Returns the size and time of a library file; none if there is none.
///
/// # Errors
/// `storage_failed` if it cannot be looked at.
pub(crate) fn stamp(library: &Path) -> Result<Option<Stamp>> {
    match library.metadata() {
        Ok(metadata) => Ok(Some(Stamp::of(&metadata))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", library, &error)),
    }
}
