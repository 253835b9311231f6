//! Converts the parts of a segment to files and back.

use super::container::{self, Kind, Sections, encode};
use crate::deleted::Deleted;
use crate::documents::{DocumentRow, Documents};
use crate::inverted::{InvertedIndex, SealedInvertedIndex};
use crate::links::Names;
use crate::segment::Segment;
use crate::vectors::{Graph, Vectors};
use std::rc::Rc;
use vademecum_protocol::error::Result;
use vademecum_text::terms::Rule;

/// Serialises the immutable part: documents, inverted index, mentions.
pub(super) fn text(segment: &Segment) -> Result<Vec<u8>> {
    let words = match &*segment.words {
        InvertedIndex::Sealed(words) => encode(words)?,
        InvertedIndex::Open(_) => Vec::new(), // a segment is sealed before it is saved
    };
    let (documents, keys, names) =
        (encode(&*segment.documents)?, encode(&*segment.keys)?, encode(&*segment.names)?);
    let rule = encode(&segment.rule)?;
    container::write(
        Kind::Text,
        &[("documents", &documents), ("keys", &keys), ("words", &words), ("names", &names), ("rule", &rule)],
    )
}

/// Reads the immutable part. Checksums do not authenticate `foreign` bytes, so every posting is validated.
// Kept out of line, as are other large functions: see `APART` in `xtask/src/package/module.rs`.
#[inline(never)]
pub(super) fn read_text(segment: &mut Segment, foreign: bool, file: &str, bytes: &[u8]) -> Result<()> {
    let sections = Sections::read(file, bytes, Kind::Text)?;
    let documents: Documents = sections.value("documents")?;
    let keys: Vec<u32> = sections.value("keys")?;
    let words: SealedInvertedIndex = sections.value("words")?;
    let names: Names = sections.value("names")?;
    let in_order = keys.is_sorted_by(|a, b| a < b) && names.is_sound();
    let in_a_row = |row: &DocumentRow| {
        let own = keys.get(row.chunks.start as usize..row.chunks.end as usize).unwrap_or_default();
        own.first().zip(own.last()).is_none_or(|(first, last)| (last - first) as usize == own.len() - 1)
    };
    if !documents.is_sound()
        || keys.len() != documents.chunks.len()
        || !in_order
        || !documents.rows.iter().all(in_a_row)
        || (foreign && !words.is_sound(keys.len()))
    {
        return Err(sections.corrupt("its parts do not fit together"));
    }
    segment.documents = Rc::new(documents);
    segment.keys = Rc::new(keys);
    segment.words = Rc::new(InvertedIndex::Sealed(words));
    segment.names = Rc::new(names);
    // Earlier versions stored none; without a letter that the rules treat differently, all are the same.
    segment.rule = match sections.find("rule") {
        Some(_) => sections.value("rule")?,
        None if segment.is_unspaced() => Rule::Words,
        None => Rule::CURRENT,
    };
    Ok(())
}

/// Serialises the vectors, their sketches, and the flags of truncated chunks.
pub(super) fn vectors(segment: &Segment) -> Result<Vec<u8>> {
    let mut sections = segment.vectors.sections();
    sections.push(("truncated", encode(&(segment.truncated.len() as u32, segment.truncated.words()))?));
    let sections: Vec<(&str, &[u8])> =
        sections.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    container::write(Kind::Vectors, &sections)
}

pub(super) fn read_vectors(segment: &mut Segment, exact: bool, file: &str, bytes: &[u8]) -> Result<()> {
    let sections = Sections::read(file, bytes, Kind::Vectors)?;
    let vectors = Vectors::from_sections(&|name| sections.find(name), exact)
        .filter(|vectors| vectors.present().len() <= segment.len())
        .ok_or_else(|| sections.corrupt("its parts do not fit together"))?;
    let (len, words): (u32, Vec<u64>) = sections.value("truncated")?;
    if len as usize > segment.len() {
        return Err(sections.corrupt("it is not about this segment"));
    }
    segment.vectors = Rc::new(vectors);
    segment.truncated = Rc::new(crate::bitmap::Bitmap::from_words(words, len as usize));
    Ok(())
}

pub(super) fn graph(graph: &Graph) -> Result<Vec<u8>> {
    container::write(Kind::Graph, &[("graph", &encode(graph)?)])
}

pub(super) fn read_graph(segment: &mut Segment, file: &str, bytes: &[u8]) -> Result<()> {
    let sections = Sections::read(file, bytes, Kind::Graph)?;
    let fits = Graph::from_bytes(sections.get("graph")?)
        .is_some_and(|graph| Rc::make_mut(&mut segment.vectors).set_graph(graph));
    if fits { Ok(()) } else { Err(sections.corrupt("it is not a graph over these vectors")) }
}

pub(super) fn deleted(segment: &Segment) -> Result<Vec<u8>> {
    container::write(Kind::Deleted, &[("deleted", &encode(&segment.deleted.saved())?)])
}

pub(super) fn read_deleted(segment: &mut Segment, file: &str, bytes: &[u8]) -> Result<()> {
    let sections = Sections::read(file, bytes, Kind::Deleted)?;
    let deleted = Deleted::from_bytes(sections.get("deleted")?)
        .filter(|deleted| deleted.is_of(&segment.documents))
        .ok_or_else(|| sections.corrupt("it is not about this segment"))?;
    segment.deleted = Rc::new(deleted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::SegmentId;
    use crate::{Index, Prepared};
    use vademecum_text::chunk::{Budget, chunk};
    use vademecum_text::structure;
    use vademecum_text::terms::Language;

    /// Returns the rule of a segment with this text, stored without one and read again.
    fn rule_of_earlier(text: &str) -> Rule {
        let text = structure::read(text.to_owned(), vademecum_protocol::document::Format::Text).unwrap();
        let mut index = Index::default();
        index.insert(vec![Prepared {
            id: "a.txt".to_owned(),
            collection: "notes".into(),
            title: None,
            url: None,
            pieces: chunk(&text, &Budget::estimated(64)),
            text: text.text,
            links: Vec::new(),
            metadata: serde_json::Map::new(),
            language: Language::Other,
        }]);
        index.seal();
        let bytes = self::text(&index.segments[0]).unwrap();
        let sections = Sections::read("a", &bytes, Kind::Text).unwrap();
        assert!(sections.find("rule").is_some());
        let earlier: Vec<_> = sections.all().filter(|(name, _)| *name != "rule").collect();
        let bytes = container::write(Kind::Text, &earlier).unwrap();
        let mut read = Segment::empty(SegmentId(1), false);
        read_text(&mut read, true, "a", &bytes).unwrap();
        read.rule
    }

    #[test]
    fn a_segment_without_a_rule_has_the_first_one_if_that_made_other_terms() {
        assert_eq!(rule_of_earlier("The tide, 東京に来る"), Rule::Words);
        assert_eq!(rule_of_earlier("The tide café Москва"), Rule::CURRENT);
    }
}
