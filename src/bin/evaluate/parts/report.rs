//! What was measured of a library in parts, for the report of `cargo xtask bench`.

use super::source::Sent;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use vademecum_parts::write::Published;

/// What was measured of a library.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) published: Published,
    /// Seconds that the parts took.
    pub(crate) seconds: f64,
    /// Seconds that indexing took before, with the making of vectors.
    pub(crate) indexed: Option<f64>,
    /// Most memory used until then, in bytes.
    pub(crate) memory: Option<u64>,
    /// Number of questions.
    pub(crate) questions: usize,
    pub(crate) sections: Vec<(String, u64)>,
    pub(crate) cells: usize,
    pub(crate) probes: usize,
    pub(crate) sessions: Vec<Sessions>,
    pub(crate) curve: Vec<Curve>,
    pub(crate) recall: f64,
    pub(crate) quality: Vec<Quality>,
}

/// What questions cost: the first of a session, the second, and each of one long session.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// `keyword` or `hybrid`.
    pub(crate) mode: &'static str,
    /// Whether the host honours `Range`.
    pub(crate) range: bool,
    pub(crate) first: Vec<Sent>,
    pub(crate) second: Vec<Sent>,
    pub(crate) all: Vec<Sent>,
}

/// Recall of the vector arm for a number of cells read, and what a question cost once the centroids were there.
#[derive(Debug)]
pub(crate) struct Curve {
    pub(crate) probes: usize,
    pub(crate) recall: f64,
    pub(crate) sent: Vec<Sent>,
}

/// Ranking in parts and in memory.
#[derive(Debug, Default)]
pub(crate) struct Quality {
    pub(crate) name: &'static str,
    pub(crate) parts: f64,
    pub(crate) memory: f64,
    pub(crate) same: f64,
}

impl Measured {
    /// Returns what `cargo xtask bench` publishes of it.
    pub(crate) fn value(&self) -> Value {
        let Published { documents, chunks, parts, bytes, manifest_bytes, .. } = self.published;
        let sessions = self.sessions.iter().map(|one| {
            let [first, second, all] = [&one.first, &one.second, &one.all].map(|sent| summary(sent));
            json!({ "mode": one.mode, "range": one.range, "first": first, "second": second, "all": all })
        });
        let curve = self.curve.iter().map(
            |one| json!({ "cells": one.probes, "recall": one.recall, "bytes": share(&one.sent, 0.5, |sent| sent.bytes) }),
        );
        let quality = self.quality.iter().map(
            |one| json!({ "name": one.name, "parts": one.parts, "memory": one.memory, "same": one.same }),
        );
        json!({
            "name": self.name,
            "documents": documents,
            "passages": chunks,
            "parts": parts,
            "bytes": bytes,
            "manifest": manifest_bytes,
            "seconds": self.seconds,
            "indexed": self.indexed,
            "memory": self.memory,
            "cells": self.cells,
            "probes": self.probes,
            "questions": self.questions,
            "sections": self.sections.iter().cloned().collect::<BTreeMap<_, _>>(),
            "sessions": sessions.collect::<Vec<_>>(),
            "recall": self.recall,
            "curve": curve.collect::<Vec<_>>(),
            "quality": quality.collect::<Vec<_>>(),
        })
    }

    /// Writes it beside the library.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join("measured.json");
        fs::write(&path, format!("{:#}\n", self.value()))
            .map_err(|error| format!("{}: {error}", path.display()))
    }
}

fn summary(sent: &[Sent]) -> Value {
    json!({
        "median": share(sent, 0.5, |one| one.bytes),
        "p90": share(sent, 0.9, |one| one.bytes),
        "requests": share(sent, 0.5, |one| one.requests),
    })
}

/// Returns the value that a share of the others are not above.
fn share(sent: &[Sent], share: f64, of: impl Fn(&Sent) -> u64) -> u64 {
    let mut values: Vec<u64> = sent.iter().map(of).collect();
    values.sort_unstable();
    values.get(((values.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_summed_up_by_their_median_and_ninetieth_percentile() {
        let sent: Vec<Sent> = (0..=10).rev().map(|at| Sent { bytes: at * 100, requests: at }).collect();
        assert_eq!(summary(&sent), json!({ "median": 500, "p90": 900, "requests": 5 }));
        assert_eq!(summary(&[]), json!({ "median": 0, "p90": 0, "requests": 0 }));
    }
}
