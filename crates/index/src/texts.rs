//! The texts of a segment: one string, or ranges of the segment's file.

#[cfg(feature = "paging")]
use super::paging::{Cells, DiskFile};
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::ops::Range;
#[cfg(feature = "paging")]
use std::rc::Rc;
use vademecum_util::within::Within;
#[cfg(feature = "paging")]
use xxhash_rust::xxh3::xxh3_64;

/// The texts of all documents, one after another. Saved as one string.
#[derive(Debug, Clone)]
pub(super) enum Texts {
    /// In memory.
    Held(String),
    /// In the segment's file.
    #[cfg(feature = "paging")]
    InFile(Box<TextsInFile>),
}

/// Texts that are read from a file, with caches of documents and of chunks.
#[cfg(feature = "paging")]
#[derive(Debug, Clone)]
pub(super) struct TextsInFile {
    length: usize,
    documents: Cells<str>,
    chunks: Cells<str>,
    /// Hashes of the documents' texts, and of all together.
    hashes: Vec<u64>,
    hash: u64,
}

impl Default for Texts {
    fn default() -> Self {
        Self::Held(String::new())
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.whole().ok_or_else(|| S::Error::custom("the texts cannot be read"))?;
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::Held)
    }
}

impl Texts {
    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Held(text) => text.len(),
            #[cfg(feature = "paging")]
            Self::InFile(texts) => texts.length,
        }
    }

    /// Returns all texts, which are read from the file without caching if they are there. `None` if they cannot be read.
    pub(super) fn whole(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Held(text) => Some(Cow::Borrowed(text)),
            #[cfg(feature = "paging")]
            Self::InFile(texts) => texts.whole().map(Cow::Owned),
        }
    }

    /// Appends the text of a document. Only valid in memory: segments that take documents were never saved.
    pub(super) fn push_str(&mut self, text: &str) {
        match self {
            Self::Held(all) => all.push_str(text),
            #[cfg(feature = "paging")]
            Self::InFile(texts) => texts.documents.fail(),
        }
    }

    /// Returns the text of the document of this number, at `range`.
    #[cfg_attr(not(feature = "paging"), expect(unused_variables, reason = "held texts need the rows alone"))]
    pub(super) fn document(&self, number: u32, range: &Range<u32>) -> &str {
        match self {
            Self::Held(text) => slice(text, range),
            #[cfg(feature = "paging")]
            Self::InFile(texts) => texts.document(number, range),
        }
    }

    /// Returns the text of a chunk: of its document, and of its own within that, the number and the range. `is_right` returns whether a text is that of the chunk.
    #[cfg_attr(not(feature = "paging"), expect(unused_variables, reason = "held texts need the rows alone"))]
    pub(super) fn chunk(
        &self,
        document: (u32, &Range<u32>),
        chunk: (usize, &Range<u32>),
        is_right: impl Fn(&str) -> bool,
    ) -> &str {
        match self {
            Self::Held(text) => slice(slice(text, document.1), chunk.1),
            #[cfg(feature = "paging")]
            Self::InFile(texts) => texts.chunk(document, chunk, is_right),
        }
    }
}

#[cfg(feature = "paging")]
impl Texts {
    /// Returns the bytes of text in memory, 0 if it is in a file.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Held(text) => text.capacity(),
            Self::InFile(_) => 0,
        }
    }

    /// Returns the bytes in memory without the cache.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Held(text) => text.capacity(),
            Self::InFile(texts) => texts.documents.memory() + texts.chunks.memory() + 8 * texts.hashes.len(),
        }
    }

    /// Drops the text from memory if the file has the same from `start` on, and returns whether it did.
    pub(super) fn page_out(
        &mut self,
        file: &Rc<DiskFile>,
        start: usize,
        documents: impl ExactSizeIterator<Item = Range<u32>>,
        chunks: usize,
    ) -> bool {
        let Self::Held(text) = self else { return true };
        if !file.has(start, text.as_bytes()) {
            return false;
        }
        let hashes: Vec<u64> = documents.map(|range| xxh3_64(slice(text, &range).as_bytes())).collect();
        *self = Self::InFile(Box::new(TextsInFile {
            length: text.len(),
            hash: xxh3_64(text.as_bytes()),
            documents: Cells::new(file, start, hashes.len()),
            chunks: Cells::new(file, start, chunks),
            hashes,
        }));
        true
    }

    /// Returns how many reads have failed so far, from the files of this library.
    pub(super) fn failures(&self) -> usize {
        match self {
            Self::Held(_) => 0,
            Self::InFile(texts) => texts.documents.failures(),
        }
    }

    /// Drops the cache.
    pub(super) fn clear_cache(&mut self) {
        if let Self::InFile(texts) = self {
            texts.documents.clear();
            texts.chunks.clear();
        }
    }
}

#[cfg(feature = "paging")]
impl TextsInFile {
    fn whole(&self) -> Option<String> {
        let text = self.documents.whole(self.length).and_then(|bytes| String::from_utf8(bytes).ok());
        let is_right = text.as_ref().is_some_and(|text| xxh3_64(text.as_bytes()) == self.hash);
        if !is_right {
            self.documents.fail();
        }
        text.filter(|_| is_right)
    }

    fn document(&self, number: u32, range: &Range<u32>) -> &str {
        let hash = self.hashes.get(number as usize).copied();
        let parse = |bytes: Vec<u8>| text_of(bytes, |text| Some(xxh3_64(text.as_bytes())) == hash);
        self.documents.get(number as usize, range.start as usize, range.len(), parse).unwrap_or_default()
    }

    fn chunk(
        &self,
        document: (u32, &Range<u32>),
        chunk: (usize, &Range<u32>),
        is_right: impl Fn(&str) -> bool,
    ) -> &str {
        let ((number, document), (at, range)) = (document, chunk);
        if let Some(text) = self.documents.known(number as usize) {
            return slice(text, range);
        }
        let parse = |bytes: Vec<u8>| text_of(bytes, is_right);
        let start = (document.start as usize).saturating_add(range.start as usize);
        self.chunks.get(at, start, range.len(), parse).unwrap_or_default()
    }
}

#[cfg(feature = "paging")]
fn text_of(bytes: Vec<u8>, is_right: impl FnOnce(&str) -> bool) -> Option<Box<str>> {
    String::from_utf8(bytes).ok().filter(|text| is_right(text)).map(String::into_boxed_str)
}

/// Returns a range of a text.
pub(super) fn slice<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    text.within(range.start as usize..range.end as usize)
}
