//! The wasm module that reads files of many kinds, compiled for wasm only.
//!
//! It is used by `vademecum/build` in Node: JavaScript lists folders and reads bytes, and this module makes documents of them by the
//! rules of the program `vademecum`.
//!
//! ```js
//! const rules = new Rules();
//! rules.enter("", gitignore, undefined, undefined);
//! const kind = kindOf("report.docx");
//! const { documents, notes, refusal } = JSON.parse(readFile("report.docx", kind, bytes));
//! ```

#![cfg(target_arch = "wasm32")]

pub mod kinds;
pub mod read_file;
pub mod refusals;
pub mod rules;
pub mod site;
