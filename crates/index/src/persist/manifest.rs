//! The manifest: which files a library consists of.

use super::container::{self, Kind, Sections};
use super::salvage::Count;
use super::settings::Settings;
use crate::index::Index;
use crate::segment::{Segment, Versions};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use vademecum_protocol::error::{Error, Result};
use vademecum_util::vec_map;

/// Lists the current files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) generation: u64,
    pub(super) next_key: u32,
    pub(super) next_segment: u64,
    pub(super) settings: Settings,
    /// Per collection, sorted by name: its metadata fields, as JSON.
    pub(super) schemas: Vec<(String, String)>,
    pub(super) segments: Vec<Entry>,
    /// Per segment: its number of documents and chunks, reported if it is lost. Stored in a section of its
    /// own, which older versions ignore.
    #[serde(skip)]
    pub(super) counts: Vec<Count>,
}

/// Versions of a segment's files; version 0 means that the file does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) vectors: u32,
    pub(super) graph: u32,
    pub(super) deleted: u32,
}

/// A part of a segment, stored in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentPart {
    Text,
    Vectors,
    Graph,
    Deleted,
}

impl Entry {
    pub(super) fn of(segment: &Segment) -> Self {
        let Versions { vectors, graph, deleted } = segment.versions;
        // File versions are change counts plus one, so that 0 can mean "no file".
        let graph = if segment.vectors.graph().is_some() { graph + 1 } else { 0 };
        let vectors = if segment.vectors.present().count() > 0 { vectors + 1 } else { 0 };
        let deleted = if segment.deleted.is_empty() { 0 } else { deleted + 1 };
        Self { id: segment.id.0, vectors, graph, deleted }
    }

    pub(super) fn file(&self, part: SegmentPart) -> Option<String> {
        let (name, version) = match part {
            SegmentPart::Text => return Some(format!("s{}-text.vdm", self.id)),
            SegmentPart::Vectors => ("vectors", self.vectors),
            SegmentPart::Graph => ("graph", self.graph),
            SegmentPart::Deleted => ("deleted", self.deleted),
        };
        (version > 0).then(|| format!("s{}-{name}-{version}.vdm", self.id))
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (SegmentPart, String)> {
        let all = [SegmentPart::Text, SegmentPart::Vectors, SegmentPart::Graph, SegmentPart::Deleted];
        all.into_iter().filter_map(|part| Some((part, self.file(part)?)))
    }
}

impl Manifest {
    pub(super) fn of(index: &mut Index, settings: &Settings, generation: u64) -> Result<Self> {
        index.seal();
        let schema = |schema| {
            serde_json::to_string(schema)
                .map_err(|error| Error::internal(format!("A schema cannot be written: {error}.")))
        };
        let schemas = index.schemas.iter().map(|(name, one)| Ok((name.to_string(), schema(one)?)));
        let count = |segment: &Rc<Segment>| Count {
            id: segment.id.0,
            documents: segment.live_documents().count() as u32,
            chunks: segment.live() as u32,
        };
        Ok(Self {
            generation,
            next_key: index.next_key,
            next_segment: index.next_segment,
            settings: settings.clone(),
            schemas: schemas.collect::<Result<_>>()?,
            segments: index.segments.iter().map(|segment| Entry::of(segment)).collect(),
            counts: index.segments.iter().map(count).collect(),
        })
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let (manifest, counts) = (container::encode(self)?, container::encode(&self.counts)?);
        let mut sections: Vec<(&str, &[u8])> = vec![("manifest", &manifest)];
        if !self.counts.is_empty() {
            sections.push(("counts", &counts));
        }
        let measured = self.settings.measured.as_deref().unwrap_or_default();
        if !measured.is_empty() {
            sections.push(("measured", measured.as_bytes()));
        }
        container::write(Kind::Manifest, &sections)
    }

    pub(super) fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self> {
        let sections = Sections::read(file, bytes, Kind::Manifest)?;
        let counts = if sections.find("counts").is_some() { sections.value("counts")? } else { Vec::new() };
        let mut manifest = Self { counts, ..sections.value("manifest")? };
        let measured = sections.find("measured").and_then(|bytes| std::str::from_utf8(bytes).ok());
        manifest.settings.measured = measured.map(str::to_owned);
        Ok(manifest)
    }

    /// Returns the names of its files, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        vec_map::set(self.segments.iter().flat_map(Entry::files).map(|(_, name)| name))
    }
}
