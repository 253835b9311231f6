//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use crate::output::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);
/// What a terminal shows: the activity, a bar, the percentage and the time left.
const BAR: &str = "{msg:10!} [{bar:40}] {percent:>3} %  {left}";
/// Share of the work from which the time left is told.
const TOLD_FROM: f64 = 0.02;

/// The progress of a build, in bytes of files.
#[derive(Debug)]
pub(crate) struct Progress {
    output: Output,
    bar: Option<ProgressBar>,
    total: u64,
    began: Instant,
    told: Cell<Instant>,
    what: RefCell<String>,
}

impl Progress {
    pub(crate) fn new(output: Output, total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(BAR) {
                let left = |state: &ProgressState, to: &mut dyn Write| {
                    let left = left(state.elapsed(), f64::from(state.fraction()));
                    // Writing to a line cannot fail.
                    let _ = to.write_str(&left);
                };
                bar.set_style(style.with_key("left", left));
            }
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        let now = Instant::now();
        Self { output, bar, total, began: now, told: Cell::new(now), what: RefCell::default() }
    }

    /// Reports what is being done.
    pub(crate) fn now(&self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None => what.clone_into(&mut self.what.borrow_mut()),
        }
    }

    /// Reports the bytes done.
    pub(crate) fn at(&self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        } else if self.told.get().elapsed() > LINES {
            self.told.set(Instant::now());
            let share = done as f64 / self.total.max(1) as f64;
            let (what, left) = (self.what.borrow(), left(self.began.elapsed(), share));
            self.output.note(&format!("{what}: {:.0} %, {left}", share * 100.0));
        }
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns the time that the rest of the work takes at the pace so far.
fn left(elapsed: Duration, share: f64) -> String {
    if share < TOLD_FROM {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() * (1.0 - share) / share;
    if seconds < 90.0 { format!("{seconds:.0} s left") } else { format!("{:.0} min left", seconds / 60.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_once_there_is_a_pace() {
        let ten = Duration::from_secs(10);
        assert_eq!([left(ten, 0.0), left(ten, 0.5), left(ten, 0.05)], ["", "10 s left", "3 min left"]);
    }
}
