//! `search`: finds passages.

use crate::arguments::{ModeName, Search};
use crate::exit::Exit;
use crate::output::Output;
use crate::parts;
use crate::passages::{beginning, collections, filter, open, open_by_words, source};
use futures_executor::block_on;
use std::fmt::Write;
use vademecum::engine::{Mode, SearchRequest, SearchResponse};
use vademecum::error::Result;

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Keyword => Self::Keyword,
            ModeName::Vector => Self::Vector,
            ModeName::Hybrid => Self::Hybrid,
        }
    }
}

/// Finds passages.
///
/// # Errors
/// Those of the library, the model and the request.
pub(crate) fn search(arguments: &Search, output: Output) -> Result<Exit> {
    if let Some(folder) = parts::folder_at(&arguments.library) {
        return parts::search(arguments, &folder, output);
    }
    let filters = filter(&arguments.scope)?;
    let opened = match arguments.mode {
        ModeName::Keyword => open_by_words(&arguments.library)?,
        _ => open(&arguments.library, &arguments.scope.model, output)?,
    };
    let mode = match (arguments.mode, opened.has_meaning) {
        (ModeName::Hybrid, false) => Mode::Keyword,
        (mode, _) => mode.into(),
    };
    let request = SearchRequest {
        query: arguments.question.clone(),
        collections: collections(&arguments.scope),
        mode,
        limit: arguments.top,
        filters,
        ..SearchRequest::default()
    };
    let response = block_on(opened.kb.search(&request, &opened.host.cancel()))?;
    output.result(&response, || text(&response))?;
    Ok(if response.hits.is_empty() { Exit::Partly } else { Exit::Done })
}

fn text(response: &SearchResponse) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    match (&response.searched_for, &response.did_you_mean) {
        (Some(query), _) => drop(writeln!(text, "Nothing has these words; searched for: {query}\n")),
        (None, Some(query)) => drop(writeln!(text, "Did you mean: {query}\n")),
        (None, None) => {}
    }
    if response.hits.is_empty() {
        text.push_str("Nothing was found.");
    }
    for (at, hit) in response.hits.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}. {}  ({:.2})", at + 1, source(&hit.chunk), hit.score);
        let _ = writeln!(text, "   {}", beginning(&hit.chunk));
    }
    text.trim_end().to_owned()
}
