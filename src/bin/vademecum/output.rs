//! What the program prints: results on standard output, everything else on standard error.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command-line program prints

use crate::hints::hint;
use crate::library::failed;
use serde::Serialize;
use serde_json::json;
use std::io::{ErrorKind, Write};
use std::path::Path;
use vademecum::error::{Error, Result};

/// Where and how a command reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// Whether the result is one JSON document.
    pub(crate) json: bool,
}

impl Output {
    /// Prints the result of a command.
    ///
    /// # Errors
    /// `storage_failed`, `storage_full` if standard output cannot be written.
    pub(crate) fn result(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
        if self.json {
            let json = serde_json::to_string_pretty(value);
            print(&json.map_err(|error| {
                Error::internal(format!("The result cannot be written as JSON: {error}."))
            })?)
        } else {
            print(&clean(&text()))
        }
    }

    /// Prints a remark.
    pub(crate) fn note(&self, text: &str) {
        eprintln!("{}", clean(text));
    }

    /// Prints the error of a command line that cannot be understood.
    pub(crate) fn usage(&self, error: &clap::Error) {
        let (message, expected) = (error.to_string(), "a command line as `vademecum --help` describes it");
        let message = message.trim_start_matches("error: ").trim_end();
        self.error_as_json(&Error::invalid("the command line", expected, message), None);
        let _ = error.print();
    }

    fn error_as_json(&self, error: &Error, hint: Option<&str>) {
        if !self.json {
            return;
        }
        let (code, message, retryable) = (error.code(), error.to_string(), error.retryable());
        let mut value = json!({ "error": { "code": code, "message": message, "retryable": retryable } });
        if let (Some(hint), Some(fields)) =
            (hint, value.get_mut("error").and_then(|error| error.as_object_mut()))
        {
            fields.insert("hint".into(), hint.into());
        }
        // If it cannot be written, the error is on standard error still.
        let _ = print(&format!("{value:#}"));
    }

    /// Prints an error with its code, and how to mend it in this program.
    pub(crate) fn error(&self, error: &Error) {
        let hint = hint(error);
        self.error_as_json(error, hint);
        eprintln!("error: {} ({})", clean(&error.to_string()), error.code());
        if let Some(hint) = hint {
            eprintln!("  {hint}");
        }
    }
}

/// Prints a text and a line end. A reader that closes the pipe early, such as `head`, is no error.
///
/// # Errors
/// `storage_failed`, `storage_full`.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(failed("written", Path::new("Standard output"), &error))
        }
        _ => Ok(()),
    }
}

/// Replaces control characters, by which the text of a document could change what a terminal shows.
fn clean(text: &str) -> String {
    let is_harmless = |char: char| !char.is_control() || matches!(char, '\n' | '\t');
    text.chars().map(|char| if is_harmless(char) { char } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Formats a number of things, such as `1 file` or `2 files`.
pub(crate) fn plural(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_of_documents_do_not_reach_a_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\tc\nd\u{9b}"), "a\u{fffd}[2Jb\tc\nd\u{fffd}");
    }
}
