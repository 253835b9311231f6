//! What a document's structure is: its readable text, and the blocks that text is made of.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use vademecum_util::within::Within;

/// What a block is, which decides how it may be cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A heading: opens a section.
    Heading {
        /// 1 is the outermost.
        level: u8,
        /// The heading without its mark-up.
        title: String,
    },
    /// Running text: cut between sentences.
    Paragraph,
    /// A list or a quotation: cut between lines.
    Lines,
    /// Code: kept whole where it fits, else cut between lines.
    Code,
    /// A table: kept whole where it fits, else cut between rows.
    Table {
        /// Where its header row stands, in bytes of [`Structure::text`].
        header: Range<usize>,
    },
}

/// A stretch of the text that belongs together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, in bytes of [`Structure::text`], white space at the ends left out.
    pub span: Range<usize>,
}

/// A link to another document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it stands, in bytes of [`Structure::text`]; empty where it has no text.
    pub at: Range<usize>,
    /// Where it leads, as written.
    pub target: String,
}

/// A document's readable text with its blocks in order. Blocks do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Structure {
    /// For Markdown and plain text the source itself; for HTML what a reader would see.
    pub text: String,
    /// The title the document states itself (HTML's `<title>`, Markdown's first top heading).
    pub title: Option<String>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The byte each page begins at; empty where the text has no pages.
    pub pages: Vec<usize>,
    /// Links in the order they stand.
    pub links: Vec<Link>,
}

impl Structure {
    /// The page that `byte` is on, counted from 1.
    pub fn page_at(&self, byte: usize) -> Option<u32> {
        u32::try_from(self.pages.partition_point(|start| *start <= byte)).ok().filter(|page| *page > 0)
    }
}

/// A heading longer than this, in bytes, is a paragraph: every chunk below it would repeat it.
pub(super) const LONGEST_HEADING: usize = 400;

/// A target longer than this, in bytes, leads to no document.
const LONGEST_TARGET: usize = 2_048;

/// The target of a link to a document: not one within the same page, and none that only starts a program.
pub(super) fn link_target(written: &str) -> Option<String> {
    const NO_DOCUMENT: [&str; 4] = ["mailto", "javascript", "data", "tel"];
    let target = written.trim();
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let leads_away = !target.is_empty()
        && target.len() <= LONGEST_TARGET
        && !target.starts_with('#')
        && !NO_DOCUMENT.iter().any(|other| scheme.eq_ignore_ascii_case(other));
    leads_away.then(|| target.to_owned())
}

/// The lines of `text` with the byte each begins at, line ends included.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// `range` of `text` without the white space at both ends.
pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = text.within(range.clone());
    let start = range.start + (slice.len() - slice.trim_start().len());
    start..start + slice.trim().len()
}
