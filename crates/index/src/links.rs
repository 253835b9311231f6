//! Which documents a chunk names: by their title, as written, or by a link to their address or id.
//!
//! A name is kept as a hash, found again among the titles, addresses and ids of the documents there are. So a name
//! outlives the document: replaced, it is named as before; removed, the name leads nowhere. A title that comes
//! later is looked for in the chunks that are there, and what is found is kept in the newer segment.

use super::documents::{Documents, Prepared, StoredDocument};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use vademecum_text::terms::words;
use vademecum_util::within::Within;
use xxhash_rust::xxh3::xxh3_64;

/// The names in chunks, and the names of documents, of a segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Names {
    /// Chunk key and name, in order; also of chunks in older segments.
    by_chunk: Vec<(u32, u64)>,
    #[serde(skip)]
    by_name: OnceCell<Vec<(u64, u32)>>,
    #[serde(skip)]
    documents: OnceCell<FxHashMap<u64, Vec<u32>>>,
}

impl Names {
    /// Adds names of chunks.
    pub(super) fn extend(&mut self, names: impl IntoIterator<Item = (u32, u64)>) {
        self.by_chunk.extend(names);
        self.by_chunk.sort_unstable();
        self.by_chunk.dedup();
        self.by_name.take();
        self.documents.take();
    }

    /// Whether what was read from a file is in order.
    pub(super) fn is_sound(&self) -> bool {
        self.by_chunk.is_sorted_by(|a, b| a < b)
    }

    /// Gives all chunks the keys they have in another index, in the same order; drops those that have none.
    pub(super) fn renumber(&mut self, moved: impl Fn(u32) -> Option<u32>) {
        self.by_chunk.retain_mut(|one| moved(one.0).map(|key| one.0 = key).is_some());
        self.by_name.take();
    }

    /// Forgets what was derived: documents have been added.
    pub(super) fn documents_changed(&mut self) {
        self.documents.take();
    }

    /// What a chunk names, as far as this segment knows.
    pub(super) fn of_chunk(&self, key: u32) -> impl Iterator<Item = u64> {
        let start = self.by_chunk.partition_point(|one| one.0 < key);
        self.by_chunk.within(start..).iter().take_while(move |one| one.0 == key).map(|one| one.1)
    }

    /// The chunks that name something, as far as this segment knows.
    pub(super) fn chunks_naming(&self, name: u64) -> impl Iterator<Item = u32> {
        let by_name = self.by_name.get_or_init(|| {
            let mut turned: Vec<(u64, u32)> = self.by_chunk.iter().map(|(key, name)| (*name, *key)).collect();
            turned.sort_unstable();
            turned
        });
        let start = by_name.partition_point(|one| one.0 < name);
        by_name.within(start..).iter().take_while(move |one| one.0 == name).map(|one| one.1)
    }

    /// All of it.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u64)> {
        self.by_chunk.iter().copied()
    }

    /// The rows of this segment's documents that go by a name.
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

/// The names a document goes by.
pub(super) fn names_of(document: &StoredDocument<'_>) -> Vec<u64> {
    let title = document.title().and_then(spoken).map(title_name);
    let url = document.url().map(bare).filter(|url| !url.is_empty()).map(address_name);
    let id = address_name(&id_address(document.collection(), document.id()));
    title.into_iter().chain(url).chain([id]).collect()
}

/// The name that a title is.
pub(super) fn title_name(title: &str) -> u64 {
    xxh3_64(format!("title {title}").as_bytes())
}

/// The name that an address is.
fn address_name(address: &str) -> u64 {
    xxh3_64(format!("address {address}").as_bytes())
}

/// How a document without an address is addressed among its own.
fn id_address(collection: &str, id: &str) -> String {
    format!("{collection}:{id}")
}

/// Longer titles, in bytes, are said by no text.
const LONGEST: usize = 256;

/// A title as a text would say it: without what tells it from its namesakes, as in "Mercury (planet)". None where
/// it would be found everywhere.
pub(super) fn spoken(title: &str) -> Option<&str> {
    let title = title.trim();
    let bare = title
        .strip_suffix(')')
        .and_then(|start| start.rsplit_once(" ("))
        .map_or(title, |(bare, _)| bare.trim());
    let letters = bare.chars().filter(|letter| letter.is_alphabetic()).count();
    (letters >= 3 && bare.len() <= LONGEST).then_some(bare)
}

/// The names a link may stand for: its address as it is, the document it leads to from where it stands, or, as in a
/// wiki, a title.
pub(super) fn names_of_link(target: &str, collection: &str, id: &str, url: Option<&str>) -> Vec<u64> {
    let target = target.trim();
    if target.starts_with('#') {
        return Vec::new(); // within the document
    }
    let bare_target = bare(target);
    let mut names = vec![address_name(bare_target)];
    if let Some(url) = url.filter(|_| !target.contains("://")) {
        names.push(address_name(&joined(url, bare_target)));
    }
    if !target.contains("://") {
        names.push(address_name(&id_address(collection, &joined(id, bare_target))));
        names.extend(spoken(target).map(title_name));
    }
    names
}

/// An address without what points into the document.
fn bare(address: &str) -> &str {
    address.split('#').next().unwrap_or_default().trim_end_matches('/')
}

/// Where a relative path leads from a document.
fn joined(from: &str, path: &str) -> String {
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

/// A title, where its first word begins in it, and how many documents bear it.
#[derive(Debug)]
struct Bearers {
    title: Box<str>,
    lead: usize,
    count: usize,
}

/// The titles there are, to be found in a text.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// By first word: how many words the titles have that begin with it, each with how many such titles there are.
    lengths: FxHashMap<Box<str>, Vec<(usize, usize)>>,
    /// By what stands from the first word to the last: titles that differ only in marks around it.
    cores: FxHashMap<Box<str>, Vec<Bearers>>,
}

/// What of a title is words.
struct Core<'a> {
    text: &'a str,
    lead: usize,
    first: &'a str,
    words: usize,
}

impl<'a> Core<'a> {
    fn of(title: &'a str) -> Option<Self> {
        let words: Vec<(usize, &str)> = words(title).collect();
        let ((lead, first), (last, word)) = (words.first()?, words.last()?);
        Some(Self { text: title.get(*lead..last + word.len())?, lead: *lead, first, words: words.len() })
    }
}

impl Titles {
    /// Counts a title in; whether it is new.
    pub(super) fn insert(&mut self, title: &str) -> bool {
        let Some(core) = Core::of(title) else { return false };
        let known = self.cores.entry(core.text.into()).or_default();
        if let Some(bearers) = known.iter_mut().find(|one| *one.title == *title) {
            bearers.count += 1;
            return false;
        }
        known.push(Bearers { title: title.into(), lead: core.lead, count: 1 });
        let lengths = self.lengths.entry(core.first.into()).or_default();
        match lengths.iter_mut().find(|one| one.0 == core.words) {
            Some((_, titles)) => *titles += 1,
            None => lengths.push((core.words, 1)),
        }
        true
    }

    /// Counts a title out.
    pub(super) fn remove(&mut self, title: &str) {
        let Some(core) = Core::of(title) else { return };
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

    /// The names of the titles that stand in a text as whole words, as they are written.
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
                for Bearers { title, lead, .. } in known {
                    // A title may begin, or end, with a mark that is part of no word.
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

    /// The titles themselves.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.cores.values().flatten().map(|one| &*one.title)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.cores.values().map(Vec::len).sum()
    }
}

/// For each link of a document: the key of the chunk it stands in, and the names it may stand for.
pub(super) fn link_names(document: &Prepared, first: u32) -> Vec<(u32, u64)> {
    let mut names = Vec::new();
    for (at, target) in &document.links {
        let after = document.pieces.partition_point(|piece| piece.bytes.start <= *at);
        // Where pieces overlap, more than one may hold it.
        let before = document.pieces.within(..after).iter().enumerate().rev();
        for (ordinal, _) in before.take_while(|(_, piece)| piece.bytes.contains(at)) {
            let of_link = names_of_link(target, &document.collection, &document.id, document.url.as_deref());
            names.extend(of_link.into_iter().map(|name| (first + ordinal as u32, name)));
        }
    }
    names
}
