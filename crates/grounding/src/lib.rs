//! Checks of questions, evidence and answers by rules, without a model.
//!
//! - [`sufficiency`] judges whether passages suffice for a question, and what to search for next.
//! - [`citation`] resolves the citations of an answer and removes invalid ones.
//! - [`grounding`] finds the passage that supports each sentence of an answer.
//! - [`claim`] is their common base: the terms, numbers, names and quotations of a sentence. Start reading there.
//!
//! An answer passes through [`citation::check`] first; [`grounding::ground`] takes the citations that it returns. Comparison is
//! by terms (see `vademecum_text::terms`), so negations and synonyms are not recognised.
//!
//! ```
//! use vademecum_grounding::citation::{CitationStyle, check};
//! use vademecum_grounding::grounding::ground;
//! use vademecum_protocol::document::whole_document;
//!
//! let evidence = [whole_document("a.md", "The tower is 330 metres high.")];
//! let answer = check("The height of the tower is 330 metres [1]. The tower is 40 metres wide [2].", &evidence, CitationStyle::Number);
//! assert_eq!(answer.invalid, ["2"]);
//!
//! let sentences = ground(&["How high is the tower?"].into(), &answer.text, &answer.citations, &evidence);
//! assert!(sentences[0].supported);
//! assert_eq!(sentences[1].missing, ["40"]);
//! ```

pub mod answerable;
pub mod asking;
pub mod attributes;
mod chain;
pub mod citation;
pub mod claim;
mod counted;
mod definition;
pub mod expected;
pub mod grounding;
mod initial_names;
pub mod lacking;
pub mod maker;
pub mod measure;
pub mod negation;
pub mod person;
pub mod possession;
mod presence;
pub mod questions;
mod quotation;
pub mod required;
mod source;
pub mod sourced;
pub mod sufficiency;
pub mod utf16;
mod weights;
