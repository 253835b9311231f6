//! Blocks of texts: documents with their chunks, in the order of keys. A long document is cut between chunks into several blocks,
//! each of which has what its chunks need of the document.

use crate::bytes::Bytes;
use serde_json::{Map, Value};
use vademecum_protocol::document::{Chunk, Span, chunk_id};
use vademecum_text::terms::Language;

/// A document, or a stretch of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    /// Index into the manifest's collections.
    pub(crate) collection: u32,
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    /// The metadata as JSON; empty if there are none.
    pub(crate) metadata: String,
    pub(crate) language: Language,
    /// The key of the document's first chunk.
    pub(crate) first_key: u32,
    /// The number of chunks of the whole document.
    pub(crate) chunks_in_all: u32,
    /// The length of the whole text in bytes.
    pub(crate) length_in_all: u32,
    /// The ordinal of the first chunk here.
    pub(crate) ordinal: u32,
    /// Where the text here begins in the document's.
    pub(crate) offset: u32,
    pub(crate) text: String,
    pub(crate) chunks: Vec<Piece>,
}

/// A chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Byte offsets into the document's text.
    pub(crate) bytes: (u32, u32),
    /// The same in UTF-16 code units.
    pub(crate) utf16: (u32, u32),
    pub(crate) page: Option<u32>,
    pub(crate) truncated: bool,
    pub(crate) headings: Vec<String>,
}

impl Stretch {
    /// Returns the key of the first chunk here.
    pub(crate) fn key(&self) -> u32 {
        self.first_key.saturating_add(self.ordinal)
    }

    /// Returns the chunk with a key, if it is here.
    pub(crate) fn piece(&self, key: u32) -> Option<&Piece> {
        self.chunks.get(key.checked_sub(self.key())? as usize)
    }

    /// Returns the text of a chunk here.
    pub(crate) fn text_of(&self, piece: &Piece) -> Option<&str> {
        let start = piece.bytes.0.checked_sub(self.offset)? as usize;
        self.text.get(start..piece.bytes.1.checked_sub(self.offset)? as usize)
    }

    /// Returns the document's metadata.
    pub(crate) fn metadata(&self) -> Map<String, Value> {
        serde_json::from_str(&self.metadata).unwrap_or_default()
    }

    /// Copies a chunk into the public type. `collection` is the name of its collection.
    pub(crate) fn chunk(&self, key: u32, collection: &str) -> Option<Chunk> {
        let piece = self.piece(key)?;
        let span = |(start, end): (u32, u32)| Span { start: start as usize, end: end as usize };
        Some(Chunk {
            id: chunk_id(collection, &self.id, key.checked_sub(self.first_key)? as usize),
            doc_id: self.id.clone(),
            collection: collection.to_owned(),
            title: self.title.clone(),
            url: self.url.clone(),
            text: self.text_of(piece)?.to_owned(),
            headings: piece.headings.clone(),
            page: piece.page,
            span: span(piece.utf16),
            bytes: span(piece.bytes),
            truncated: piece.truncated,
            metadata: self.metadata(),
        })
    }
}

/// Decodes a block of texts; `None` if it is not sound.
pub(crate) fn decode(block: &[u8]) -> Option<Vec<Stretch>> {
    let mut bytes = Bytes(block);
    let count = bytes.count()?;
    let stretches: Vec<Stretch> = (0..count).map(|_| stretch(&mut bytes)).collect::<Option<_>>()?;
    bytes.is_empty().then_some(stretches)
}

fn stretch(bytes: &mut Bytes<'_>) -> Option<Stretch> {
    let collection = bytes.number()?;
    let id = bytes.text()?.to_owned();
    let title = bytes.optional()?.map(str::to_owned);
    let url = bytes.optional()?.map(str::to_owned);
    let metadata = bytes.text()?.to_owned();
    let language = Language::parse(bytes.text()?)?;
    let (first_key, chunks_in_all, length_in_all) = (bytes.number()?, bytes.number()?, bytes.number()?);
    let (ordinal, offset) = (bytes.number()?, bytes.number()?);
    let text = bytes.text()?.to_owned();
    let mut chunks: Vec<Piece> = Vec::new();
    for _ in 0..bytes.count()? {
        let mut span = || {
            let start = bytes.number()?;
            Some((start, start.checked_add(bytes.number()?)?))
        };
        let (own, utf16) = (span()?, span()?);
        let page = bytes.number()?.checked_sub(1);
        let (truncated, same) = match bytes.byte()? {
            flags @ 0..4 => (flags & 1 == 1, flags & 2 == 2),
            _ => return None,
        };
        let headings = match chunks.last().filter(|_| same) {
            Some(before) => before.headings.clone(),
            None => (0..bytes.count()?).map(|_| bytes.text().map(str::to_owned)).collect::<Option<_>>()?,
        };
        chunks.push(Piece { bytes: own, utf16, page, truncated, headings });
    }
    let whole = Stretch {
        collection,
        id,
        title,
        url,
        metadata,
        language,
        first_key,
        chunks_in_all,
        length_in_all,
        ordinal,
        offset,
        text,
        chunks,
    };
    let ends = u64::from(offset) + whole.text.len() as u64;
    let sound = ends <= u64::from(length_in_all)
        && u64::from(ordinal) + whole.chunks.len() as u64 <= u64::from(chunks_in_all)
        && first_key.checked_add(chunks_in_all).is_some()
        && whole.chunks.iter().all(|piece| whole.text_of(piece).is_some());
    sound.then_some(whole)
}

/// Encodes a block of texts.
#[cfg(any(feature = "write", test))]
pub(crate) fn encode(stretches: &[Stretch]) -> Vec<u8> {
    use crate::bytes::Put;
    let mut block = Vec::new();
    block.number(stretches.len() as u32);
    for one in stretches {
        block.number(one.collection);
        block.part(one.id.as_bytes());
        block.optional(one.title.as_deref());
        block.optional(one.url.as_deref());
        block.part(one.metadata.as_bytes());
        block.part(one.language.code().as_bytes());
        let numbers = [one.first_key, one.chunks_in_all, one.length_in_all, one.ordinal, one.offset];
        numbers.into_iter().for_each(|number| block.number(number));
        block.part(one.text.as_bytes());
        block.number(one.chunks.len() as u32);
        let mut before: Option<&Piece> = None;
        for piece in &one.chunks {
            for (start, end) in [piece.bytes, piece.utf16] {
                block.number(start);
                block.number(end.saturating_sub(start));
            }
            block.number(piece.page.map_or(0, |page| page.saturating_add(1)));
            let same = before.is_some_and(|before| before.headings == piece.headings);
            block.push(u8::from(piece.truncated) | u8::from(same) << 1);
            if !same {
                block.number(piece.headings.len() as u32);
                piece.headings.iter().for_each(|heading| block.part(heading.as_bytes()));
            }
            before = Some(piece);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_a_block_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn a_block_with_changed_bytes_is_read_without_a_panic(at in any::<prop::sample::Index>(), to in any::<u8>()) {
            let piece = |start, end| Piece { bytes: (start, end), utf16: (start, end), page: Some(3), truncated: true, headings: vec!["One".into()] };
            let stretch = Stretch {
                collection: 0, id: "a".into(), title: Some("A".into()), url: None, metadata: "{\"n\":1}".into(), language: Language::English,
                first_key: 7, chunks_in_all: 3, length_in_all: 20, ordinal: 1, offset: 5, text: "0123456789".into(), chunks: vec![piece(5, 9), piece(9, 15)],
            };
            let mut block = encode(std::slice::from_ref(&stretch));
            prop_assert_eq!(decode(&block), Some(vec![stretch]));
            let at = at.index(block.len());
            block[at] = to;
            for one in decode(&block).into_iter().flatten() {
                for key in 0..12 {
                    let _ = one.chunk(key, "default");
                }
            }
        }
    }
}
