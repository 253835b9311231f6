//! Document structure: the plain text, and the blocks that it consists of.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use vademecum_util::within::Within;

/// The type of a block, which determines where it may be split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A heading; begins a section.
    Heading {
        /// Level, 1 being the outermost.
        level: u8,
        /// The heading without mark-up.
        title: String,
    },
    /// Running text; split between sentences.
    Paragraph,
    /// A list, a quotation, or the entries of a log or of settings; split between lines.
    Lines,
    /// Code; kept whole if it fits, else split between lines.
    Code,
    /// A table; kept whole if it fits, else split between rows.
    Table {
        /// The byte range of its header row in [`Structure::text`].
        header: Range<usize>,
    },
}

/// A contiguous part of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its type.
    pub kind: Kind,
    /// Its byte range in [`Structure::text`], without surrounding white space.
    pub span: Range<usize>,
}

/// A link to another document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Its byte range in [`Structure::text`]; empty if it has no text.
    pub at: Range<usize>,
    /// The target, as written.
    pub target: String,
}

/// A document's plain text and its blocks in order. Blocks do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Structure {
    /// The source itself for Markdown and plain text; the rendered text for HTML.
    pub text: String,
    /// The title given in the document: HTML's `<title>`, or Markdown's first heading of level 1.
    pub title: Option<String>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The byte offset of each page; empty if the document has no pages.
    pub pages: Vec<usize>,
    /// The links, in text order.
    pub links: Vec<Link>,
}

impl Structure {
    /// Returns the page that contains `byte`, counted from 1.
    pub fn page_at(&self, byte: usize) -> Option<u32> {
        u32::try_from(self.pages.partition_point(|start| *start <= byte)).ok().filter(|page| *page > 0)
    }
}

/// Maximum length of a heading in bytes; a longer one is a paragraph, because chunks repeat their headings.
pub(super) const MAX_HEADING_BYTES: usize = 400;

/// Maximum length of a link target in bytes.
const MAX_TARGET_BYTES: usize = 2_048;

/// Returns the target of a link to another document; `None` for links within the page and for schemes such as
/// `mailto`.
pub(super) fn link_target(written: &str) -> Option<String> {
    const NO_DOCUMENT: [&str; 4] = ["mailto", "javascript", "data", "tel"];
    let target = written.trim();
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let leads_away = !target.is_empty()
        && target.len() <= MAX_TARGET_BYTES
        && !target.starts_with('#')
        && !NO_DOCUMENT.iter().any(|other| scheme.eq_ignore_ascii_case(other));
    leads_away.then(|| target.to_owned())
}

/// Iterates over the lines of `text` with their byte offsets. Line ends are included.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// Removes the white space at both ends of `range`.
pub fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = text.within(range.clone());
    let start = range.start + (slice.len() - slice.trim_start().len());
    start..start + slice.trim().len()
}
