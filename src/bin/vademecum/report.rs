//! What a build did.

use crate::output::plural;
use crate::parts::PartsReport;
use crate::reading::{Outcome, ReadFile};
use crate::record::Record;
use indicatif::DecimalBytes;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use vademecum_files::Refusal;

/// The result of `build` and `add`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) library: String,
    pub(crate) files: Files,
    /// Files that are not in the library, each with the reason.
    pub(crate) not_added: Vec<NotAdded>,
    /// Number of files of unknown kinds, by extension.
    pub(crate) skipped: BTreeMap<String, usize>,
    /// Remarks about how files were read.
    pub(crate) notes: Vec<Note>,
    /// Documents, passages and vectors of the whole library.
    pub(crate) documents: usize,
    pub(crate) chunks: usize,
    pub(crate) vectors: usize,
    /// Passages that were embedded by this run.
    pub(crate) embedded: usize,
    /// Size of the library file.
    pub(crate) bytes: u64,
    /// What was written in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parts: Option<PartsReport>,
    /// Whether Ctrl-C ended the run early.
    pub(crate) stopped: bool,
    pub(crate) took_ms: u64,
}

/// Numbers of files.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Files {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) unchanged: usize,
    pub(crate) removed: usize,
}

/// A file that was not added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct NotAdded {
    pub(crate) file: String,
    #[serde(flatten)]
    pub(crate) refusal: Refusal,
}

/// A remark about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Note {
    pub(crate) file: String,
    pub(crate) note: String,
}

impl Report {
    /// Sorts what threads have found in any order.
    pub(crate) fn sort(&mut self) {
        self.not_added.sort_by(|one, other| one.file.cmp(&other.file));
        self.notes.sort_by(|one, other| one.file.cmp(&other.file));
    }

    /// Counts a file. Returns whether its contents are as recorded, and its entry has a new time alone.
    pub(crate) fn count(&mut self, record: &mut Record, file: &mut ReadFile) -> bool {
        let known = record.files.get_mut(&file.id);
        let notes = match (&file.outcome, &known) {
            (Outcome::Read(read), _) => read.notes.clone(),
            (_, Some(entry)) => entry.notes.clone(),
            _ => Vec::new(),
        };
        self.notes.extend(notes.into_iter().map(|note| Note { file: file.id.clone(), note }));
        file.is_change = known.as_ref().is_some_and(|entry| entry.refusal.is_none());
        let refusal = match (&file.outcome, &known) {
            (Outcome::Refused(refusal), _) => Some(refusal),
            (Outcome::Same, Some(entry)) => entry.refusal.as_ref(),
            _ => None,
        };
        if let Some(refusal) = refusal {
            self.not_added.push(NotAdded { file: file.id.clone(), refusal: refusal.clone() });
        } else {
            match file.outcome {
                Outcome::Same => self.files.unchanged += 1,
                _ if file.is_change => self.files.changed += 1,
                _ => self.files.added += 1,
            }
        }
        match (&file.outcome, known) {
            (Outcome::Same, Some(entry)) => {
                entry.stamp = file.entry.stamp;
                true
            }
            _ => false,
        }
    }

    /// Counts a file as refused that was counted as added, or as changed.
    pub(crate) fn refuse(&mut self, file: String, refusal: Refusal, changed: &HashSet<String>) {
        let count = if changed.contains(&file) { &mut self.files.changed } else { &mut self.files.added };
        *count = count.saturating_sub(1);
        self.not_added.push(NotAdded { file, refusal });
    }

    /// Formats the report for people.
    pub(crate) fn text(&self) -> String {
        let Files { added, changed, unchanged, removed } = self.files;
        let mut counts = vec![format!("{} added", plural(added, "file"))];
        let others = [
            (changed, "changed"),
            (removed, "removed"),
            (unchanged, "unchanged"),
            (self.not_added.len(), "not added"),
        ];
        counts.extend(
            others.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
        );
        let mut text = counts.join(", ");
        text.push_str(if self.not_added.is_empty() { "." } else { ":" });
        // Writing to a string cannot fail.
        for NotAdded { file, refusal } in &self.not_added {
            let _ = write!(text, "\n  {file}: {refusal}");
        }
        for Note { file, note } in &self.notes {
            let _ = write!(text, "\nNote on {file}: {note}");
        }
        if !self.skipped.is_empty() {
            let name = |extension: &String| {
                if extension.is_empty() { "without extension".to_owned() } else { format!(".{extension}") }
            };
            let kinds: Vec<String> =
                self.skipped.iter().map(|(kind, count)| format!("{count} {}", name(kind))).collect();
            let _ = write!(text, "\nOf unknown kinds, and skipped: {}.", kinds.join(", "));
        }
        if self.bytes == 0 {
            text.push_str("\nThere is nothing to search, so no library was written.");
            return text;
        }
        let _ = write!(
            text,
            "\n{}: {}, {}, {}, {}; {} embedded now, in {:.1} s.",
            self.library,
            plural(self.documents, "document"),
            plural(self.chunks, "passage"),
            plural(self.vectors, "vector"),
            DecimalBytes(self.bytes),
            self.embedded,
            self.took_ms as f64 / 1e3
        );
        if let Some(parts) = &self.parts {
            let _ = write!(text, "\n{}", parts.text());
        }
        if self.stopped {
            text.push_str("\nStopped. What was done is kept; run the same command again to continue.");
        }
        text
    }
}
