//! `push`: fills a collection of a Chroma server with the passages of a library, or brings it up to date.

use crate::arguments::Push;
use crate::chroma::{Chroma, Collection, remote};
use crate::exit::Exit;
use crate::host::{self, Host, is_stopped};
use crate::library::{self, MAX_DOCUMENT_BYTES};
use crate::output::{Output, plural};
use crate::passage::{Passage, own};
use crate::progress::Progress;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use vademecum::document::{is_never_sent, parse_chunk_id};
use vademecum::engine::{KnowledgeBase, Options, VectorsRequest};
use vademecum::error::{Error, Result};

/// Most passages of a request: progress is shown, and a retry is short.
const BATCH: usize = 300;
/// Requests at once.
const THREADS: usize = 4;
/// Passages of a request that lists what is there.
const PAGE: usize = 1_000;

/// The result of `push`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Pushed {
    url: String,
    collection: String,
    /// The id of the embedder of the vectors.
    embedder: String,
    dimensions: usize,
    /// Passages that were sent, because they are new or have changed.
    sent: usize,
    /// Passages that were there already.
    unchanged: usize,
    /// Passages that were deleted, because the library has them no more.
    deleted: usize,
    /// Documents that stay here, because they are marked `neverSend`.
    never_sent: usize,
    /// Passages that stay here, because they have no vector.
    without_vector: usize,
    /// Metadata fields that Chroma cannot compare: they are kept as JSON, or are lists of numbers.
    indirect: Vec<String>,
    /// Whether Ctrl-C ended it early.
    stopped: bool,
}

/// The passages of a library.
#[derive(Default)]
struct Passages {
    all: Vec<Passage>,
    indirect: BTreeSet<String>,
    never_sent: usize,
    without_vector: usize,
    dimensions: usize,
}

/// The number of a passage in its document, and its vector.
type Row<'a> = (usize, &'a [f32]);

/// Fills a collection.
///
/// # Errors
/// Those of the library and the server; `no_embedder` for a library without vectors, `embedder_mismatch` for a collection with vectors
/// of another embedder.
pub(crate) fn push(arguments: &Push, output: Output) -> Result<Exit> {
    host::watch_for_stop()?;
    let chroma =
        Chroma::new(&arguments.chroma, &arguments.tenant, &arguments.database, arguments.token.clone())?;
    let options = Options { max_document_bytes: MAX_DOCUMENT_BYTES, ..Options::default() };
    let kb = library::open(Some(&arguments.library), None, Rc::new(Host::default()), options)?;
    let name = arguments.name();
    let embedder = kb.vectors_made_by().unwrap_or_default();
    let passages = passages(&kb, &arguments.from)?;
    if passages.all.is_empty() && passages.without_vector > 0 {
        return Err(Error::NoEmbedder { what: "Filling a vector database" });
    }
    let batch = chroma.batch_size()?.min(BATCH);
    let collection = prepared(&chroma, &name, &embedder, &passages)?;
    let known = there(&chroma, &collection)?;
    let mut pushed = Pushed {
        url: arguments.chroma.clone(),
        collection: name,
        embedder,
        dimensions: passages.dimensions,
        never_sent: passages.never_sent,
        without_vector: passages.without_vector,
        indirect: passages.indirect.iter().cloned().collect(),
        ..Pushed::default()
    };
    let is_new = |one: &&Passage| {
        known.get(&one.id).is_none_or(|known| known.get(&own("hash")).and_then(Value::as_str) != one.hash())
    };
    let fresh: Vec<&Passage> = passages.all.iter().filter(is_new).collect();
    pushed.unchanged = passages.all.len() - fresh.len();
    let ids: BTreeSet<&str> = passages.all.iter().map(|one| one.id.as_str()).collect();
    // Passages stay that something else has put there, that are of a collection which is not sent, or that the library still has, without a vector.
    let pushed_from: BTreeSet<String> = kb
        .stats()?
        .collections
        .into_iter()
        .map(|one| one.name)
        .filter(|name| is_from(&arguments.from, name))
        .collect();
    let is_ours = |id: &str, metadata: &Map<String, Value>| {
        metadata.contains_key(&own("docId"))
            && parse_chunk_id(id).is_some_and(|(collection, ..)| pushed_from.contains(&collection))
    };
    let gone: Vec<&str> = known
        .iter()
        .filter(|(id, metadata)| is_ours(id, metadata) && !ids.contains(id.as_str()) && !is_kept(&kb, id))
        .map(|(id, _)| id.as_str())
        .collect();
    let progress = Progress::new(output, fresh.len() as u64);
    progress.now("sending");
    let sent = send(&chroma, &collection, &fresh, &known, batch, &progress);
    progress.end();
    pushed.sent = sent?;
    pushed.stopped = is_stopped();
    if !pushed.stopped {
        for ids in gone.chunks(batch) {
            chroma.post(&collection, "delete", &json!({ "ids": ids }))?;
            pushed.deleted += ids.len();
        }
    }
    output.result(&pushed, || text(&pushed))?;
    Ok(if pushed.stopped { Exit::Stopped } else { Exit::Done })
}

/// Returns whether a collection is sent.
fn is_from(from: &[String], name: &str) -> bool {
    from.is_empty() || from.iter().any(|one| one == name)
}

/// Returns whether the library has a passage that may be sent once it has a vector.
fn is_kept(kb: &KnowledgeBase, id: &str) -> bool {
    let Some((collection, document, ordinal)) = parse_chunk_id(id) else { return false };
    kb.document(&collection, document)
        .is_ok_and(|view| !is_never_sent(&view.document.metadata) && view.chunks.get(ordinal).is_some())
}

/// Returns the passages of collections, of all if none is named.
fn passages(kb: &KnowledgeBase, from: &[String]) -> Result<Passages> {
    let wanted = (!from.is_empty()).then(|| from.to_vec());
    let list = kb.vectors(&VectorsRequest { collections: wanted, limit: usize::MAX })?;
    let stats = kb.stats()?;
    let mut passages = Passages { dimensions: list.dimensions, ..Passages::default() };
    let is_wanted = |name: &str| is_from(from, name);
    let chunks: usize =
        stats.collections.iter().filter(|one| is_wanted(&one.name)).map(|one| one.chunks).sum();
    passages.without_vector = chunks.saturating_sub(list.chunks.len());
    let mut homes: HashMap<String, String> = HashMap::new();
    let mut documents: BTreeMap<(String, String), Vec<Row<'_>>> = BTreeMap::new();
    for (chunk, vector) in list.chunks.iter().zip(list.values.chunks(list.dimensions.max(1))) {
        let Some((collection, document, ordinal)) = parse_chunk_id(&chunk.chunk_id) else { continue };
        let home = homes.entry(document.to_owned()).or_insert_with(|| collection.clone());
        if *home != collection {
            let got = format!("`{document}` is in {home} and in {collection}");
            return Err(Error::invalid(
                "--from",
                "given, because documents of several collections have one id",
                got,
            ));
        }
        documents.entry((collection, document.to_owned())).or_default().push((ordinal, vector));
    }
    for ((collection, id), vectors) in documents {
        let view = kb.document(&collection, &id)?;
        if is_never_sent(&view.document.metadata) {
            passages.never_sent += 1;
            continue;
        }
        for (ordinal, vector) in vectors {
            let Some(chunk) = view.chunks.get(ordinal) else { continue };
            passages.all.push(Passage::new(chunk, ordinal, vector, &mut passages.indirect));
        }
    }
    Ok(passages)
}

/// Returns the collection, created if there is none, with what is to be known of it.
fn prepared(chroma: &Chroma, name: &str, embedder: &str, passages: &Passages) -> Result<Collection> {
    let mut about = Map::new();
    about.insert(own("embedder"), json!(embedder));
    about.insert(own("dimensions"), json!(passages.dimensions));
    let indirect =
        |fields: &BTreeSet<String>| json!(fields.iter().map(String::as_str).collect::<Vec<_>>().join("\n"));
    let Some(found) = chroma.find(name)? else {
        about.insert(own("indirect"), indirect(&passages.indirect));
        return chroma.create(name, &about);
    };
    let made = found.metadata.get(&own("embedder")).and_then(Value::as_str);
    match made {
        Some(made) if made != embedder => {
            let message = format!(
                "The vectors of the Chroma collection `{name}` were made by the embedder `{made}`, and those of the library by `{embedder}`. \
                 Nothing was sent. Name another collection, or delete this one first."
            );
            return Err(remote("embedder_mismatch", message, false));
        }
        None if found.dimensions.is_some() => {
            let got = format!("`{name}`, which something else has filled");
            return Err(Error::invalid("--collection", "a new collection, or one that `push` has made", got));
        }
        _ => {}
    }
    if let Some(there) = found.dimensions
        && there != passages.dimensions as u64
        && !passages.all.is_empty()
    {
        let message = format!(
            "The Chroma collection `{name}` has vectors of {there} dimensions, and the library of {}. Name another collection.",
            passages.dimensions
        );
        return Err(remote("remote_dimensions", message, false));
    }
    if found.space != "cosine" {
        let got = format!("`{name}`, which compares by {}", found.space);
        return Err(Error::invalid("--collection", "a collection that compares cosines", got));
    }
    // Passages of an earlier push may still have fields that none has now.
    let earlier = found.metadata.get(&own("indirect")).and_then(Value::as_str).unwrap_or_default();
    let mut fields = passages.indirect.clone();
    fields.extend(earlier.lines().map(str::to_owned));
    let mut metadata = found.metadata.clone();
    metadata.extend(about);
    metadata.insert(own("indirect"), indirect(&fields));
    if metadata != found.metadata {
        chroma.describe(&found, &metadata)?;
    }
    Ok(found)
}

/// Returns the metadata of the passages that are there, by id.
fn there(chroma: &Chroma, collection: &Collection) -> Result<HashMap<String, Map<String, Value>>> {
    let mut known = HashMap::new();
    loop {
        let page = chroma.page(collection, known.len(), PAGE)?;
        let is_last = page.len() < PAGE;
        let before = known.len();
        known.extend(page);
        // A page without a new id would be asked for again and again.
        if is_last || known.len() == before {
            return Ok(known);
        }
    }
}

/// Sends passages in batches, several at once. Returns how many were sent: fewer than all if Ctrl-C ended it.
fn send(
    chroma: &Chroma,
    collection: &Collection,
    fresh: &[&Passage],
    known: &HashMap<String, Map<String, Value>>,
    batch: usize,
    progress: &Progress,
) -> Result<usize> {
    let batches: Mutex<Vec<&[&Passage]>> = Mutex::new(fresh.chunks(batch).rev().collect());
    let sent = AtomicUsize::new(0);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let next = || batches.lock().ok().and_then(|mut left| left.pop());
    let has_failed = || failed.lock().is_ok_and(|failed| failed.is_some());
    let work = || {
        while let (false, false, Some(passages)) = (is_stopped(), has_failed(), next()) {
            match chroma.post(collection, "upsert", &body(passages, known)) {
                Ok(_) => _ = sent.fetch_add(passages.len(), Ordering::SeqCst),
                Err(error) => {
                    if let Ok(mut failed) = failed.lock() {
                        failed.get_or_insert(error);
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            progress.at(sent.load(Ordering::SeqCst) as u64);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    match failed.lock().ok().and_then(|mut failed| failed.take()) {
        Some(error) => Err(error),
        None => Ok(sent.load(Ordering::SeqCst)),
    }
}

/// Returns the body of a request. Fields that a passage has no more are removed by null: the server would keep them.
fn body(passages: &[&Passage], known: &HashMap<String, Map<String, Value>>) -> Value {
    let metadata = |one: &&Passage| {
        let mut metadata = one.metadata.clone();
        for name in known.get(&one.id).into_iter().flat_map(Map::keys) {
            metadata.entry(name.clone()).or_insert(Value::Null);
        }
        metadata
    };
    json!({
        "ids": passages.iter().map(|one| &one.id).collect::<Vec<_>>(),
        "embeddings": passages.iter().map(|one| &one.vector).collect::<Vec<_>>(),
        "documents": passages.iter().map(|one| &one.text).collect::<Vec<_>>(),
        "metadatas": passages.iter().map(metadata).collect::<Vec<_>>(),
    })
}

fn text(pushed: &Pushed) -> String {
    let Pushed { sent, unchanged, deleted, never_sent, without_vector, .. } = pushed;
    let mut lines = vec![
        format!(
            "{} at {}: {} sent, {unchanged} unchanged, {deleted} deleted",
            pushed.collection,
            pushed.url,
            plural(*sent, "passage")
        ),
        format!("embedder {}, {} dimensions", pushed.embedder, pushed.dimensions),
    ];
    if *never_sent > 0 {
        lines.push(format!("{} marked `neverSend` stay here", plural(*never_sent, "document")));
    }
    if *without_vector > 0 {
        lines.push(format!("{} without a vector stay here", plural(*without_vector, "passage")));
    }
    if !pushed.indirect.is_empty() {
        lines.push(format!(
            "Chroma cannot compare all values of: {}. Conditions on these are checked on the device, among the nearest passages.",
            pushed.indirect.join(", ")
        ));
    }
    if pushed.stopped {
        lines.push("Stopped: run it again to go on.".to_owned());
    }
    lines.join("\n")
}
