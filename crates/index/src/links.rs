//! The link graph: which documents a chunk mentions, by title or by a link to their URL or id.
//!
//! A name is stored as a hash and resolved against the titles, URLs and ids of the live documents. A mention
//! thus survives the replacement of its document, and resolves to nothing once the document is removed. When
//! a new title is added, existing chunks are searched for it, and the mentions found are stored in the newer
//! segment.

use super::documents::{Documents, Prepared, StoredDocument};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use vademecum_text::terms::words;
use vademecum_text::title::bare_title;
use vademecum_util::within::Within;
use xxhash_rust::xxh3::xxh3_64;

/// The mentions by chunk, and the documents by name, of one segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Names {
    /// Pairs of chunk key and name, sorted; includes chunks of older segments.
    by_chunk: Vec<(u32, u64)>,
    #[serde(skip)]
    by_name: OnceCell<Vec<(u64, u32)>>,
    #[serde(skip)]
    documents: OnceCell<FxHashMap<u64, Vec<u32>>>,
}

impl Names {
    /// Adds mentions.
    pub(super) fn extend(&mut self, names: impl IntoIterator<Item = (u32, u64)>) {
        self.by_chunk.extend(names);
        self.by_chunk.sort_unstable();
        self.by_chunk.dedup();
        self.by_name.take();
        self.documents.take();
    }

    /// Returns whether the mentions read from a file are sorted.
    pub(super) fn is_sound(&self) -> bool {
        self.by_chunk.is_sorted_by(|a, b| a < b)
    }

    /// Moves all mentions to new chunk keys, which must preserve order; drops those of chunks without a new
    /// key.
    pub(super) fn renumber(&mut self, moved: impl Fn(u32) -> Option<u32>) {
        self.by_chunk.retain_mut(|one| moved(one.0).map(|key| one.0 = key).is_some());
        self.by_name.take();
    }

    /// Invalidates the lookup by name after documents were added.
    pub(super) fn documents_changed(&mut self) {
        self.documents.take();
    }

    /// Returns the names that a chunk mentions, according to this segment.
    pub(super) fn of_chunk(&self, key: u32) -> impl Iterator<Item = u64> {
        let start = self.by_chunk.partition_point(|one| one.0 < key);
        self.by_chunk.within(start..).iter().take_while(move |one| one.0 == key).map(|one| one.1)
    }

    /// Returns the chunks that mention a name, according to this segment.
    pub(super) fn chunks_naming(&self, name: u64) -> impl Iterator<Item = u32> {
        let by_name = self.by_name.get_or_init(|| {
            let mut turned: Vec<(u64, u32)> = self.by_chunk.iter().map(|(key, name)| (*name, *key)).collect();
            turned.sort_unstable();
            turned
        });
        let start = by_name.partition_point(|one| one.0 < name);
        by_name.within(start..).iter().take_while(move |one| one.0 == name).map(|one| one.1)
    }

    /// Returns all mentions.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u64)> {
        self.by_chunk.iter().copied()
    }

    /// Returns the rows of this segment's documents with a name.
    pub(super) fn documents_named(&self, name: u64, documents: &Documents) -> &[u32] {
        let by_name = self.documents.get_or_init(|| {
            let mut by_name: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
            for row in 0..documents.rows.len() as u32 {
                for name in documents.document(row).into_iter().flat_map(|document| names_of(&document)) {
                    by_name.entry(name).or_default().push(row);
                }
            }
            by_name
        });
        by_name.get(&name).map_or(&[], Vec::as_slice)
    }
}

/// Returns the names by which a document can be mentioned: title, URL and id.
pub(super) fn names_of(document: &StoredDocument<'_>) -> Vec<u64> {
    let title = document.title().and_then(bare_title).map(title_name);
    let url = document.url().map(without_fragment).filter(|url| !url.is_empty()).map(address_name);
    let id = address_name(&id_address(document.collection(), document.id()));
    title.into_iter().chain(url).chain([id]).collect()
}

/// Hashes a title.
pub(super) fn title_name(title: &str) -> u64 {
    xxh3_64(format!("title {title}").as_bytes())
}

/// Hashes an address.
fn address_name(address: &str) -> u64 {
    xxh3_64(format!("address {address}").as_bytes())
}

/// The address of a document by collection and id.
fn id_address(collection: &str, id: &str) -> String {
    format!("{collection}:{id}")
}

/// Returns the names that a link may refer to: its address, the address resolved against the document's URL
/// or id, or, as in a wiki, a title.
pub(super) fn names_of_link(target: &str, collection: &str, id: &str, url: Option<&str>) -> Vec<u64> {
    let target = target.trim();
    if target.starts_with('#') {
        return Vec::new(); // a link within the document
    }
    let bare_target = without_fragment(target);
    let mut names = vec![address_name(bare_target)];
    if let Some(url) = url.filter(|_| !target.contains("://")) {
        names.push(address_name(&resolved(url, bare_target)));
    }
    if !target.contains("://") {
        names.push(address_name(&id_address(collection, &resolved(id, bare_target))));
        names.extend(bare_title(target).map(title_name));
    }
    names
}

/// Strips the fragment and trailing slashes of an address.
fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or_default().trim_end_matches('/')
}

/// Resolves a relative path against a document's address.
fn resolved(from: &str, path: &str) -> String {
    let (origin, from) = match from.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            (format!("{scheme}://{host}/"), path)
        }
        None => (String::new(), from),
    };
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    for part in path.trim_start_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    origin + &parts.join("/")
}

/// A title, the offset of its first word within it, and the number of documents with this title.
#[derive(Debug)]
struct TitleEntry {
    title: Box<str>,
    lead: usize,
    count: usize,
}

/// A dictionary of titles, for finding them in texts.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// Per first word: the lengths of titles that begin with it, in words, each with the number of such
    /// titles.
    lengths: FxHashMap<Box<str>, Vec<(usize, usize)>>,
    /// Per title without the punctuation around it: the titles that share this core.
    cores: FxHashMap<Box<str>, Vec<TitleEntry>>,
}

/// The part of a title from its first word to its last.
struct TitleCore<'a> {
    text: &'a str,
    lead: usize,
    first: &'a str,
    words: usize,
}

impl<'a> TitleCore<'a> {
    fn of(title: &'a str) -> Option<Self> {
        let words: Vec<(usize, &str)> = words(title).collect();
        let ((lead, first), (last, word)) = (words.first()?, words.last()?);
        Some(Self { text: title.get(*lead..last + word.len())?, lead: *lead, first, words: words.len() })
    }
}

impl Titles {
    /// Adds a title. Returns whether it is new.
    pub(super) fn insert(&mut self, title: &str) -> bool {
        let Some(core) = TitleCore::of(title) else { return false };
        let known = self.cores.entry(core.text.into()).or_default();
        if let Some(bearers) = known.iter_mut().find(|one| *one.title == *title) {
            bearers.count += 1;
            return false;
        }
        known.push(TitleEntry { title: title.into(), lead: core.lead, count: 1 });
        let lengths = self.lengths.entry(core.first.into()).or_default();
        match lengths.iter_mut().find(|one| one.0 == core.words) {
            Some((_, titles)) => *titles += 1,
            None => lengths.push((core.words, 1)),
        }
        true
    }

    /// Removes one occurrence of a title.
    pub(super) fn remove(&mut self, title: &str) {
        let Some(core) = TitleCore::of(title) else { return };
        let Some(known) = self.cores.get_mut(core.text) else { return };
        let Some(bearers) = known.iter_mut().find(|one| *one.title == *title) else { return };
        bearers.count -= 1;
        if bearers.count > 0 {
            return;
        }
        known.retain(|one| one.count > 0);
        if known.is_empty() {
            self.cores.remove(core.text);
        }
        if let Some(lengths) = self.lengths.get_mut(core.first) {
            lengths.iter_mut().filter(|one| one.0 == core.words).for_each(|one| one.1 -= 1);
            lengths.retain(|one| one.1 > 0);
        }
    }

    /// Returns the names of the titles that occur in a text, as whole words and in the same case.
    pub(super) fn named_in(&self, text: &str) -> Vec<u64> {
        let mut names = Vec::new();
        if self.cores.is_empty() {
            return names;
        }
        let words: Vec<(usize, &str)> = words(text).collect();
        for (number, (at, word)) in words.iter().enumerate() {
            for (length, _) in self.lengths.get(*word).into_iter().flatten() {
                let Some((last, end)) = words.get(number + length - 1) else { continue };
                let Some(known) = text.get(*at..last + end.len()).and_then(|core| self.cores.get(core))
                else {
                    continue;
                };
                for TitleEntry { title, lead, .. } in known {
                    // Punctuation at the beginning or end of a title must match as well.
                    let start = at.checked_sub(*lead);
                    if start
                        .and_then(|start| text.get(start..))
                        .is_some_and(|rest| rest.starts_with(&**title))
                    {
                        names.push(title_name(title));
                    }
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns all titles.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.cores.values().flatten().map(|one| &*one.title)
    }

    /// Returns the number of distinct titles.
    pub(super) fn len(&self) -> usize {
        self.cores.values().map(Vec::len).sum()
    }
}

/// Returns, per link of a document, the key of the chunk that contains it and the names it may refer to.
pub(super) fn link_names(document: &Prepared, first: u32) -> Vec<(u32, u64)> {
    let mut names = Vec::new();
    for (at, target) in &document.links {
        let after = document.pieces.partition_point(|piece| piece.bytes.start <= *at);
        // Chunks overlap, so several may contain the link.
        let before = document.pieces.within(..after).iter().enumerate().rev();
        for (ordinal, _) in before.take_while(|(_, piece)| piece.bytes.contains(at)) {
            let of_link = names_of_link(target, &document.collection, &document.id, document.url.as_deref());
            names.extend(of_link.into_iter().map(|name| (first + ordinal as u32, name)));
        }
    }
    names
}
