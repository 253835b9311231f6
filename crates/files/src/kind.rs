//! The kinds of files, by their names.

use serde::{Deserialize, Serialize};

const MB: u64 = 1 << 20;

/// What a file contains, which determines its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// CommonMark, with or without front matter.
    Markdown,
    /// A web page.
    Html,
    /// Plain text.
    Text,
    /// Source code or configuration, read as plain text.
    Code,
    /// A PDF whose pages have text.
    Pdf,
    /// A Word document.
    Docx,
    /// An OpenDocument text.
    Odt,
    /// Rich text.
    Rtf,
    /// A spreadsheet, with a document for each row of its tables.
    Xlsx,
    /// A presentation, with a page for each slide.
    Pptx,
    /// An electronic book.
    Epub,
    /// A mail.
    Eml,
    /// A table, with a document for each row.
    Csv,
    /// Records, one per line.
    Jsonl,
    /// A record or a list of records, or any other JSON as text.
    Json,
}

/// Extensions of each kind.
const EXTENSIONS: [(Kind, &[&str]); 15] = [
    (Kind::Markdown, &["md", "markdown", "mdx"]),
    (Kind::Html, &["html", "htm", "xhtml"]),
    (Kind::Text, &["txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "log"]),
    (Kind::Pdf, &["pdf"]),
    (Kind::Docx, &["docx"]),
    (Kind::Odt, &["odt"]),
    (Kind::Rtf, &["rtf"]),
    (Kind::Xlsx, &["xlsx", "xlsm"]),
    (Kind::Pptx, &["pptx"]),
    (Kind::Epub, &["epub"]),
    (Kind::Eml, &["eml"]),
    (Kind::Csv, &["csv", "tsv"]),
    (Kind::Jsonl, &["jsonl", "ndjson"]),
    (Kind::Json, &["json"]),
    (
        Kind::Code,
        &[
            "astro",
            "bash",
            "bat",
            "bib",
            "c",
            "cc",
            "cfg",
            "clj",
            "cmake",
            "conf",
            "cpp",
            "cs",
            "css",
            "cxx",
            "dart",
            "el",
            "elm",
            "erl",
            "ex",
            "exs",
            "fish",
            "fs",
            "go",
            "gradle",
            "graphql",
            "groovy",
            "h",
            "hh",
            "hpp",
            "hs",
            "ini",
            "java",
            "jl",
            "js",
            "jsx",
            "kt",
            "kts",
            "less",
            "lua",
            "m",
            "mjs",
            "cjs",
            "ml",
            "mli",
            "nim",
            "nix",
            "php",
            "pl",
            "pm",
            "properties",
            "proto",
            "ps1",
            "py",
            "pyi",
            "r",
            "rb",
            "rs",
            "sass",
            "scala",
            "scss",
            "sh",
            "sql",
            "svelte",
            "swift",
            "tf",
            "toml",
            "ts",
            "tsx",
            "vim",
            "vue",
            "xml",
            "yaml",
            "yml",
            "zig",
            "zsh",
        ],
    ),
];

/// Names of text files without an extension.
const NAMES: [&str; 10] = [
    "authors",
    "changelog",
    "contributing",
    "copying",
    "dockerfile",
    "justfile",
    "license",
    "makefile",
    "notice",
    "readme",
];

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 15] = [
        Self::Markdown,
        Self::Html,
        Self::Text,
        Self::Code,
        Self::Pdf,
        Self::Docx,
        Self::Odt,
        Self::Rtf,
        Self::Xlsx,
        Self::Pptx,
        Self::Epub,
        Self::Eml,
        Self::Csv,
        Self::Jsonl,
        Self::Json,
    ];

    /// Returns the kind of a file name; `None` for names of images, archives, programs and anything unknown.
    pub fn of_name(name: &str) -> Option<Self> {
        let extension = extension(name);
        let known = EXTENSIONS.iter().find(|(_, known)| known.contains(&extension.as_str()));
        let is_named = || NAMES.contains(&name.to_ascii_lowercase().as_str()).then_some(Self::Text);
        known.map(|(kind, _)| *kind).or_else(is_named)
    }

    /// Returns the name that documents have in their metadata as `type`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Text => "text",
            Self::Code => "code",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Odt => "odt",
            Self::Rtf => "rtf",
            Self::Xlsx => "xlsx",
            Self::Pptx => "pptx",
            Self::Epub => "epub",
            Self::Eml => "eml",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
        }
    }

    /// Returns the extensions of the kind, in lower case.
    pub fn extensions(self) -> &'static [&'static str] {
        EXTENSIONS.iter().find(|(kind, _)| *kind == self).map_or(&[], |(_, extensions)| extensions)
    }

    /// Returns the maximum size of a file in bytes: a text is one document, other formats contain images or many documents.
    pub const fn max_bytes(self) -> u64 {
        match self {
            Self::Markdown | Self::Html | Self::Text | Self::Code | Self::Json => 16 * MB,
            Self::Pdf
            | Self::Docx
            | Self::Odt
            | Self::Rtf
            | Self::Xlsx
            | Self::Pptx
            | Self::Epub
            | Self::Eml => 100 * MB,
            Self::Csv | Self::Jsonl => 512 * MB,
        }
    }

    /// Returns whether a site's output folder has such files besides its pages.
    pub const fn is_part_of_pages(self) -> bool {
        matches!(self, Self::Code | Self::Json)
    }
}

/// Returns the extension in lower case; empty where there is none.
pub fn extension(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_extension_or_by_well_known_names() {
        assert_eq!(Kind::of_name("A.MD"), Some(Kind::Markdown));
        assert_eq!(Kind::of_name("LICENSE"), Some(Kind::Text));
        assert_eq!(Kind::of_name("x.tar.gz"), None);
        assert_eq!(Kind::of_name("picture.png"), None);
        assert_eq!(Kind::of_name("main.rs"), Some(Kind::Code));
    }

    #[test]
    fn no_extension_has_two_kinds() {
        let mut all: Vec<&str> = EXTENSIONS.iter().flat_map(|(_, known)| known.iter().copied()).collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
