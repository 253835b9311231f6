//! A cache of embeddings: one file per model and its options.
//!
//! The file contains a magic number, the dimensions, and records of equal length: key, truncation flag,
//! vector. It is replaced as a whole, so that it is never partially written.

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use vademecum::encoder::Kind;

/// The SHA-256 of the role and the text.
pub(crate) type Key = [u8; 32];

/// A vector, and whether the text was truncated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Embedded {
    pub(crate) vector: Vec<f32>,
    pub(crate) truncated: bool,
}

/// The cached embeddings of a model.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    file: PathBuf,
    rows: HashMap<Key, Embedded>,
}

const MARK: &[u8; 8] = b"vademec1";

/// Returns the key of a text.
pub(crate) fn key(kind: Kind, text: &str) -> Key {
    let kind = match kind {
        Kind::Query => "query\n",
        Kind::Document => "document\n",
    };
    Sha256::new().chain_update(kind).chain_update(text).finalize().into()
}

impl Cache {
    /// Opens the cache of an encoder with this fingerprint in `folder`; empty if the file is missing or
    /// damaged.
    pub(crate) fn open(folder: &Path, fingerprint: &str) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let file = folder.join(format!("{fingerprint}.bin"));
        let rows = match fs::read(&file) {
            Ok(bytes) => read(&bytes).unwrap_or_default(),
            Err(_) => HashMap::new(),
        };
        Ok(Self { file, rows })
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Embedded> {
        self.rows.get(key)
    }

    pub(crate) fn insert(&mut self, key: Key, row: Embedded) {
        self.rows.insert(key, row);
    }

    pub(crate) fn save(&self) -> Result<(), String> {
        let partial = self.file.with_extension(format!("partial-{}", std::process::id()));
        fs::write(&partial, written(&self.rows))
            .and_then(|()| fs::rename(&partial, &self.file))
            .map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

fn written(rows: &HashMap<Key, Embedded>) -> Vec<u8> {
    let dimensions = rows.values().next().map_or(0, |row| row.vector.len());
    let mut bytes = MARK.to_vec();
    bytes.extend((dimensions as u32).to_le_bytes());
    for (key, row) in rows {
        bytes.extend(key);
        bytes.push(u8::from(row.truncated));
        bytes.extend(row.vector.iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

fn read(bytes: &[u8]) -> Option<HashMap<Key, Embedded>> {
    let (dimensions, records) = bytes.strip_prefix(MARK)?.split_first_chunk::<4>()?;
    let length = size_of::<Key>() + 1 + u32::from_le_bytes(*dimensions) as usize * 4;
    if !records.len().is_multiple_of(length) {
        return None;
    }
    let rows = records.chunks_exact(length).map(|record| {
        let (key, rest) = record.split_first_chunk::<32>()?;
        let (truncated, values) = rest.split_first()?;
        let vector = values.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
        Some((*key, Embedded { vector, truncated: *truncated != 0 }))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_round_trips_and_a_damaged_one_is_ignored() {
        let row = |value: f32, truncated| Embedded { vector: vec![value, 0.5], truncated };
        let rows = HashMap::from([
            (key(Kind::Query, "a"), row(1.0, false)),
            (key(Kind::Document, "a"), row(-0.1, true)),
        ]);
        assert_eq!(rows.len(), 2, "a question is not a document");
        let bytes = written(&rows);
        assert_eq!(read(&bytes), Some(rows));
        assert_eq!(read(&bytes[..bytes.len() - 1]), None);
        assert_eq!(read(b"something else"), None);
        assert_eq!(read(&written(&HashMap::new())), Some(HashMap::new()));
    }
}
