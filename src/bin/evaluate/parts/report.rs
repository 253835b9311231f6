//! The section of `docs/benchmarks.md` about libraries in parts.

use super::source::Sent;
use std::fmt::Write;
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
    pub(crate) name: String,
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
    /// Formats it as Markdown.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let Published { documents, chunks, parts, bytes, manifest_bytes, .. } = self.published;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "### {}\n", self.name);
        let _ = writeln!(
            text,
            "{documents} documents, {chunks} passages; {parts} parts of {} on average, {:.1} MB in all, a manifest of {}; written in {:.0} s{}{}.\n{} cells, of which {} are read; {} questions.\n",
            kilobytes(bytes / (parts as u64).max(1)),
            bytes as f64 / 1e6,
            kilobytes(manifest_bytes as u64),
            self.seconds,
            self.indexed.map_or(String::new(), |seconds| format!(", after {seconds:.0} s of indexing")),
            self.memory.map_or(String::new(), |bytes| format!(
                ", with {:.1} GB of memory at most",
                bytes as f64 / 1e9
            )),
            self.cells,
            self.probes,
            self.questions
        );
        let _ = writeln!(text, "| section | {} |", join(self.sections.iter().map(|one| one.0.clone())));
        let _ = writeln!(text, "|---{}|", "|---".repeat(self.sections.len()));
        let _ = writeln!(text, "| bytes | {} |\n", join(self.sections.iter().map(|one| kilobytes(one.1))));
        text.push_str("| question | first: median | P90 | requests | second: median | P90 | requests | of all in a session: median |\n|---|---|---|---|---|---|---|---|\n");
        for one in &self.sessions {
            let [first, second, all] = [&one.first, &one.second, &one.all].map(|sent| Summary::of(sent));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} |",
                one.name,
                kilobytes(first.median),
                kilobytes(first.most),
                first.requests,
                kilobytes(second.median),
                kilobytes(second.most),
                second.requests,
                kilobytes(all.median)
            );
        }
        let _ = writeln!(
            text,
            "\nRecall@10 of the vector arm against an exact scan: **{:.3}**. By the number of cells read, with the median bytes of a later question:\n",
            self.recall
        );
        let _ = writeln!(text, "| cells | {} |", join(self.curve.iter().map(|one| one.probes.to_string())));
        let _ = writeln!(text, "|---{}|", "|---".repeat(self.curve.len()));
        let _ = writeln!(
            text,
            "| recall@10 | {} |",
            join(self.curve.iter().map(|one| format!("{:.3}", one.recall)))
        );
        let _ = writeln!(
            text,
            "| bytes | {} |\n",
            join(self.curve.iter().map(|one| kilobytes(Summary::of(&one.sent).median)))
        );
        text.push_str("| nDCG@10 | in parts | in memory | same hits |\n|---|---|---|---|\n");
        for one in &self.quality {
            let _ = writeln!(
                text,
                "| {} | {:.3} | {:.3} | {:.1} % |",
                one.name,
                one.parts,
                one.memory,
                one.same * 100.0
            );
        }
        text
    }
}

struct Summary {
    median: u64,
    most: u64,
    requests: u64,
}

impl Summary {
    fn of(sent: &[Sent]) -> Self {
        let at = |of: &dyn Fn(&Sent) -> u64, share: f64| {
            let mut values: Vec<u64> = sent.iter().map(of).collect();
            values.sort_unstable();
            values.get(((values.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or_default()
        };
        Self {
            median: at(&|one| one.bytes, 0.5),
            most: at(&|one| one.bytes, 0.9),
            requests: at(&|one| one.requests, 0.5),
        }
    }
}

fn kilobytes(bytes: u64) -> String {
    if bytes < 9_950 {
        format!("{:.1} kB", bytes as f64 / 1e3)
    } else {
        format!("{:.0} kB", bytes as f64 / 1e3)
    }
}

fn join(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(" | ")
}

/// The heading of the section.
const HEADING: &str = "## Libraries in parts";

/// Replaces what a page says of a library, below the heading of the section, or adds it.
pub(crate) fn keep(page: &Path, name: &str, text: &str) -> Result<(), String> {
    let told = |error| format!("{}: {error}", page.display());
    let before = fs::read_to_string(page).map_err(told)?;
    fs::write(page, replaced(&before, name, text)).map_err(told)
}

fn replaced(page: &str, name: &str, text: &str) -> String {
    let (head, section) = match page.split_once(&format!("{HEADING}\n")) {
        Some((head, section)) => (head.trim_end().to_owned(), section.trim().to_owned()),
        None => (page.trim_end().to_owned(), INTRODUCTION.to_owned()),
    };
    let mut blocks: Vec<String> = section.split("\n### ").map(str::to_owned).collect();
    let own = text.trim().trim_start_matches("### ").to_owned();
    match blocks.iter_mut().skip(1).find(|block| block.lines().next() == Some(name)) {
        Some(block) => *block = own,
        None => blocks.push(own),
    }
    let blocks: Vec<String> = blocks.iter().map(|block| block.trim().to_owned()).collect();
    format!("{head}\n\n{HEADING}\n\n{}\n", blocks.join("\n\n### "))
}

/// What the section says before its tables.
const INTRODUCTION: &str = "\
Written by `cargo xtask bench parts`: bytes that a host sends, the manifest included, beside the module and the model. A *first* question is asked
of a library that was just opened, a *second* one after it. Questions are those of the labelled set, in random order. `Range`: a host that sends the bytes asked for; whole parts:
one that ignores `Range`, of which parts that came once are kept. Enlarged sets are altered copies of the passages (one word in six exchanged), with made
vectors of 384 dimensions that have the structure of embeddings, as in the section on vectors.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_and_replaced_beside_others() {
        let once = replaced("# Benchmarks\n\n## Vectors\n\nFast.\n", "A", "### A\n\none\n");
        let twice = replaced(&once, "B", "### B\n\ntwo\n");
        let thrice = replaced(&twice, "A", "### A\n\nthree\n");
        assert!(
            thrice.starts_with("# Benchmarks\n\n## Vectors\n\nFast.\n\n## Libraries in parts\n\nWritten by")
        );
        assert!(thrice.ends_with("\n\n### A\n\nthree\n\n### B\n\ntwo\n"), "{thrice}");
    }
}
