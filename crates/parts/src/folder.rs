//! A source that reads a folder, for native programs.

use crate::errors::part_missing;
use crate::source::{Fetch, Reply, Source};
use futures_util::future::LocalBoxFuture;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use vademecum_protocol::error::Result;

/// Reads parts of a folder. Its futures never wait.
#[derive(Debug)]
pub struct FolderSource(PathBuf);

impl FolderSource {
    /// Creates a source for a folder that contains `parts`.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    fn bytes(&self, fetch: &Fetch) -> std::io::Result<Vec<u8>> {
        let mut file = File::open(self.0.join(fetch.part.path()))?;
        file.seek(SeekFrom::Start(u64::from(fetch.range.start)))?;
        let mut bytes = Vec::new();
        file.take(u64::from(fetch.range.end - fetch.range.start)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Source for FolderSource {
    fn read<'a>(&'a self, fetch: &'a Fetch) -> LocalBoxFuture<'a, Result<Reply>> {
        let read = self.bytes(fetch).map(Reply::Range);
        let read = read.map_err(|error| part_missing(&fetch.part.to_string(), &error.to_string()));
        Box::pin(std::future::ready(read))
    }
}
