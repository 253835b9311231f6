//! What `build` and `add` are asked for.

use crate::arguments::{Add, Build, Ingest};
use crate::library::{MAX_DOCUMENT_BYTES, check_target, folder_of};
use crate::model::Model;
use crate::reading::{Outcome, ReadFile};
use crate::record::{Record, Settings};
use std::path::{Path, PathBuf};
use vademecum::encoder::is_same;
use vademecum::engine::Options;
use vademecum::error::{Error, Result};
use vademecum_files::{Place, Walk, WalkOptions, address_below};

/// Tokens of a passage without a model: as many as the usual model takes.
const CHUNK_TOKENS: usize = 128;

/// A library, and the files that should be in it.
pub(crate) struct Job<'a> {
    pub(crate) library: &'a Path,
    pub(crate) places: Vec<Place>,
    pub(crate) ingest: &'a Ingest,
    /// Whether what is there is ignored.
    pub(crate) is_fresh: bool,
    /// Whether a folder may be empty that had files.
    pub(crate) allows_empty: bool,
    /// Whether documents of files that are gone are removed, and a record is kept.
    pub(crate) is_sync: bool,
}

impl<'a> Job<'a> {
    pub(crate) fn of_build(arguments: &'a Build) -> Result<Self> {
        let (library, ingest) = (arguments.out.as_path(), &arguments.ingest);
        Self {
            library,
            places: Place::all(&arguments.paths)?,
            ingest,
            is_fresh: arguments.fresh,
            allows_empty: arguments.allow_empty,
            is_sync: true,
        }
        .checked()
    }

    pub(crate) fn of_add(arguments: &'a Add) -> Result<Self> {
        let (library, ingest) = (arguments.library.as_path(), &arguments.ingest);
        Self {
            library,
            places: Place::all(&arguments.paths)?,
            ingest,
            is_fresh: false,
            allows_empty: true,
            is_sync: false,
        }
        .checked()
    }

    fn checked(self) -> Result<Self> {
        check_target(self.library)?;
        let seconds = self.ingest.checkpoint;
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(Error::invalid("--checkpoint", "a number of seconds from 0 on", seconds.to_string()));
        }
        Ok(self)
    }

    /// Returns the file that is written until the run is complete.
    pub(crate) fn path(&self) -> PathBuf {
        if self.is_fresh { self.aside() } else { self.library.to_owned() }
    }

    /// Returns the file that a library is written to from nothing, before it takes the place of another.
    pub(crate) fn aside(&self) -> PathBuf {
        self.library.with_added_extension("fresh")
    }

    /// Returns whether the library is in a folder that is read, which may be deployed.
    pub(crate) fn is_within(&self) -> bool {
        let Ok(folder) = folder_of(self.library).canonicalize() else { return false };
        let is_around = |place: &Place| place.path.canonicalize().is_ok_and(|path| folder.starts_with(path));
        self.places.iter().any(|place| place.is_folder && is_around(place))
    }

    /// Lists the files.
    pub(crate) fn walk(&self) -> Walk {
        let options = WalkOptions {
            honours_ignore_files: !self.ingest.no_ignore,
            library: Some(self.library.to_owned()),
        };
        Walk::of(&self.places, &options)
    }

    /// Returns the model that makes vectors, if any.
    pub(crate) fn model(&self) -> Result<Option<Model>> {
        if self.ingest.no_vectors { Ok(None) } else { Model::find(&self.ingest.model) }
    }

    /// Returns the options of the engine.
    pub(crate) fn options(&self, model: Option<&Model>) -> Options {
        let default = model.map_or(CHUNK_TOKENS, Model::max_tokens);
        Options {
            max_document_bytes: MAX_DOCUMENT_BYTES,
            chunk_tokens: self.ingest.chunk_tokens.unwrap_or(default),
            chunk_overlap: self.ingest.chunk_overlap,
            reembed: self.ingest.reembed,
            ..Options::default()
        }
    }

    /// Returns what documents depend on besides the files, given those of the last build.
    pub(crate) fn settings(&self, model: Option<&Model>, options: &Options, known: &Record) -> Settings {
        let ingest = self.ingest;
        let own = model.map(Model::id);
        Settings {
            collection: ingest.collection.clone(),
            description: ingest.description.clone().or_else(|| known.settings.description.clone()),
            url: ingest.url.clone(),
            chunk_tokens: options.chunk_tokens,
            chunk_overlap: options.chunk_overlap,
            // Without a model, passages stay as long as the one of the last build made them.
            model: match (own, &known.settings.model) {
                (Some(own), Some(found)) if is_same(&own, found) => Some(found.clone()),
                (Some(own), _) => Some(own),
                (None, found) => found.clone(),
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Gives the documents of a file an address below that of the option, by the path of the file.
    pub(crate) fn give_address(&self, file: &mut ReadFile) {
        let (Some(base), Outcome::Read(read)) = (&self.ingest.url, &mut file.outcome) else { return };
        let address = address_below(base, &file.id);
        for document in &mut read.documents {
            document.url.get_or_insert_with(|| address.clone());
        }
    }
}
