//! Reports one line per step, and progress that is redrawn on a terminal and thinned out in a log.

use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};

/// Prints one line for a step.
pub fn step(text: impl std::fmt::Display) {
    println!("▸ {text}");
}

/// Shows the progress of an operation.
pub struct Progress {
    what: String,
    total: u64,
    shown: Instant,
    drawn: bool,
}

impl Progress {
    pub fn new(what: &str, total: u64) -> Self {
        Self { what: what.to_owned(), total, shown: Instant::now(), drawn: false }
    }

    /// Updates the progress to `done` bytes.
    pub fn show(&mut self, done: u64) {
        let terminal = stdout().is_terminal();
        let pause = Duration::from_millis(if terminal { 100 } else { 3000 });
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        self.drawn = true;
        let percent = (done.min(self.total) * 100).checked_div(self.total).unwrap_or(0);
        let line = format!(
            "  {}: {} of {} ({percent} %)",
            self.what,
            megabytes(done.min(self.total)),
            megabytes(self.total)
        );
        if terminal {
            print!("\r{line}\x1b[K");
            let _ = stdout().flush();
        } else {
            println!("{line}");
        }
    }

    /// Clears the current line of a terminal.
    pub fn end(&self) {
        if self.drawn && stdout().is_terminal() {
            print!("\r\x1b[K");
        }
    }
}

pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
