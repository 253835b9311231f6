//! Reads PDFs in processes of their own, so that a file that crashes the reader, or never ends, is refused like any damaged one.

use crate::exit::Exit;
use crate::output::print;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use vademecum_files::pdf::{Pages, pages};
use vademecum_files::{Code, Refusal};

/// The hidden command.
const COMMAND: &str = "read-pdf";
/// Longest time that a file may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Exit code of a program that panics.
const PANICKED: i32 = 101;

/// What the other process prints.
type Outcome = Result<Pages, Refusal>;

/// Reads a PDF in another process.
///
/// # Errors
/// Those of [`pages`], `file_damaged` for a file that makes the reader panic, `file_unfinished` if the reader takes too long or is ended by
/// a signal, which may be for want of memory.
pub(crate) fn pages_apart(bytes: &[u8]) -> Outcome {
    let unable = |error: std::io::Error| {
        Refusal::new(Code::FileUnreadable, format!("The reader of PDF cannot be started: {error}."))
    };
    let program = std::env::current_exe().map_err(unable)?;
    let mut child = Command::new(program)
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(unable)?;
    let said = talk(&mut child, bytes);
    if said.is_none() {
        let _ = child.kill();
    }
    let ended = child.wait();
    match said {
        Some(said) => serde_json::from_slice(&said).unwrap_or_else(|_| Err(without_result(ended.ok()))),
        None => {
            Err(Refusal::unfinished(format!("Reading it took more than {} seconds.", PATIENCE.as_secs())))
        }
    }
}

/// Returns why a process that has ended said nothing.
fn without_result(ended: Option<ExitStatus>) -> Refusal {
    match ended.and_then(|ended| ended.code()) {
        Some(0 | PANICKED) => Refusal::crashed(),
        _ => Refusal::unfinished("The reader of PDF was ended while reading it, perhaps for want of memory."),
    }
}

/// Hands a process its input and returns its output; none if it takes too long.
fn talk(child: &mut Child, bytes: &[u8]) -> Option<Vec<u8>> {
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut output) = output {
            let _ = output.read_to_end(&mut said);
        }
        let _ = sender.send(said);
    });
    if let Some(mut input) = input {
        // A process that has crashed reads no more, and says nothing.
        let _ = input.write_all(bytes);
    }
    receiver.recv_timeout(PATIENCE).ok()
}

/// The other process: reads a PDF from standard input, and prints its pages.
pub(crate) fn read_pdf() -> Exit {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    let outcome: Outcome = match read {
        Ok(_) => pages(&bytes),
        Err(error) => Err(Refusal::new(Code::FileUnreadable, error.to_string())),
    };
    match serde_json::to_string(&outcome) {
        Ok(json) if print(&json).is_ok() => Exit::Done,
        _ => Exit::Failed,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_is_killed_says_nothing_about_the_file_and_one_that_panics_does() {
        let ended = |script: &str| {
            let status = Command::new("sh").args(["-c", script]).status().unwrap();
            without_result(Some(status)).code
        };
        assert_eq!(ended("kill -9 $$"), Code::FileUnfinished);
        assert_eq!(ended("exit 101"), Code::FileDamaged);
        assert_eq!(without_result(None).code, Code::FileUnfinished);
        assert!(!Code::FileUnfinished.is_of_contents());
    }
}
