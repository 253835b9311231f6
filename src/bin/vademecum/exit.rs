//! Exit codes.

use std::process::ExitCode;
use vademecum::Error;

/// How a command ended. Documented in `docs/cli.md` and in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything was done.
    Done,
    /// Something is missing: files that were not added, or passages that were not found.
    Partly,
    /// The command line or a question is wrong.
    Usage,
    /// It failed.
    Failed,
    /// It was stopped; what was done is kept.
    Stopped,
}

impl Exit {
    pub(crate) fn of(error: &Error) -> Self {
        match error.code() {
            "invalid_argument" | "empty_question" | "filter_invalid" | "filter_type"
            | "unknown_collection" | "unknown_field" | "unknown_operator" => Self::Usage,
            "aborted" => Self::Stopped,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Partly => Self::from(1),
            Exit::Usage => Self::from(2),
            Exit::Failed => Self::from(3),
            Exit::Stopped => Self::from(130), // as a shell reports a program that Ctrl-C ends
        }
    }
}
