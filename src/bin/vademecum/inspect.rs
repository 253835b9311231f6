//! `inspect`: tells what is in a library.

use crate::arguments::Inspect;
use crate::exit::Exit;
use crate::host::Host;
use crate::library::{self, failed};
use crate::output::{Output, plural};
use crate::parts;
use indicatif::DecimalBytes;
use serde::Serialize;
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;
use vademecum::engine::{CollectionStats, Options, Stats};
use vademecum::error::Result;

/// Bytes before the number of the format, by the container's layout.
const MAGIC: usize = 8;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspected<'a> {
    library: String,
    bytes: u64,
    format: u32,
    /// The id of the model of the vectors.
    model: Option<String>,
    #[serde(flatten)]
    stats: &'a Stats,
}

/// Reads a library and reports its contents.
///
/// # Errors
/// Those of [`library::open`].
pub(crate) fn inspect(arguments: &Inspect, output: Output) -> Result<Exit> {
    let path = arguments.library.as_path();
    if let Some(folder) = parts::folder_at(path) {
        return parts::inspect(&folder, output);
    }
    let kb = library::open(Some(path), None, Rc::new(Host::default()), Options::default())?;
    let stats = kb.stats()?;
    let inspected = Inspected {
        library: path.display().to_string(),
        bytes: path.metadata().map_err(|error| failed("read", path, &error))?.len(),
        format: format(path)?,
        model: kb.vectors_made_by().filter(|_| stats.embedded > 0),
        stats: &stats,
    };
    output.result(&inspected, || text(&inspected))?;
    Ok(Exit::Done)
}

/// Returns the number of the format.
fn format(path: &Path) -> Result<u32> {
    let mut head = [0; MAGIC + size_of::<u32>()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.map_err(|error| failed("read", path, &error))?;
    Ok(head.last_chunk().map_or(0, |number| u32::from_le_bytes(*number)))
}

fn text(inspected: &Inspected<'_>) -> String {
    let Inspected { library, bytes, format, model, stats } = inspected;
    let mut text = format!("{library}: {}, format {format}\n", DecimalBytes(*bytes));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}, {}, {} of them with a vector",
        plural(stats.documents, "document"),
        plural(stats.chunks, "passage"),
        stats.embedded
    );
    let _ = writeln!(text, "model: {}", model.as_deref().unwrap_or("none, search by words"));
    for CollectionStats { name, description, language, schema, documents, chunks } in &stats.collections {
        if *documents == 0 && stats.collections.len() > 1 {
            continue;
        }
        let language = serde_json::to_value(language).ok().and_then(|name| name.as_str().map(str::to_owned));
        let _ = write!(
            text,
            "\ncollection {name}: {}, {}, {}",
            plural(*documents, "document"),
            plural(*chunks, "passage"),
            language.as_deref().unwrap_or("no language found")
        );
        if !description.is_empty() {
            let _ = write!(text, "\n  {description}");
        }
        let fields: Vec<&str> =
            schema.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        if !fields.is_empty() {
            let _ = write!(text, "\n  metadata: {}", fields.join(", "));
        }
    }
    text
}
