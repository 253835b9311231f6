//! Files to documents, for native programs.
//!
//! ```
//! use vademecum_files::{Place, Walk, read};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("tides.md"), "---\ntags: [sea]\n---\n\n# Tides\n\nThe moon pulls the sea.")?;
//! std::fs::write(folder.path().join("rows.csv"), "name,year\nAda,1815\nAlan,1912\n")?;
//!
//! let walk = Walk::of(&[Place::of(folder.path())?], &Default::default());
//! let mut documents = Vec::new();
//! for found in &walk.found {
//!     let contents = found.contents()?;
//!     documents.extend(read(found, contents.bytes, &vademecum_files::pdf::pages)?.documents);
//! }
//! let ids: Vec<&str> = documents.iter().map(|one| one.id.as_str()).collect();
//! assert_eq!(ids, ["rows.csv#1", "rows.csv#2", "tides.md"]);
//! assert_eq!(documents[1].metadata["year"], 1912);
//! assert_eq!(documents[2].metadata["tags"], serde_json::json!(["sea"]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Data flow.** [`Walk`] lists the files of [`Place`]s: it honours ignore files, follows each symbolic link once, and finds the address of
//! each page in a site's `sitemap.xml`. [`Found::contents`] reads a file that does not change meanwhile, with its hash. [`read`] chooses
//! the reader by the file's [`Kind`]: `markdown` (with `front_matter`), `html`, `table`, `json`, `docx`, `odt`, `xlsx`, `pptx` and `epub`
//! (with `archive`), `eml`, `rtf`, and [`pdf`]. A file that cannot become a document is a [`Refusal`] with a stable code and a sentence that says how to mend it.
//!
//! Files are untrusted: archives and streams are unpacked up to a limit, nesting is bounded, and nothing in a file is executed or
//! fetched. The reader of PDF is passed in, so that a program can run it in a process of its own.
//!
//! Start reading at `walk.rs` and `read.rs`.

mod address;
mod archive;
mod contents;
mod documents;
mod docx;
mod eml;
mod epub;
mod front_matter;
mod html;
mod ignore_files;
mod json;
mod kind;
mod markdown;
mod odt;
pub mod pdf;
mod place;
mod pptx;
mod read;
mod records;
mod refusal;
mod rtf;
mod rules;
pub mod sitemap;
mod table;
mod text;
mod walk;
mod xlsx;
mod xml;

pub use address::address_below;
pub use contents::{Contents, Stamp};
pub use documents::Read;
pub use kind::{Kind, extension};
pub use place::Place;
pub use read::{File, PdfReader, read, read_file};
pub use refusal::{Code, Refusal};
pub use rules::Rules;
pub use walk::{Found, Walk, WalkOptions};
