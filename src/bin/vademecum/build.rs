//! `build` and `add`: brings a library up to date with files.

use crate::arguments::{Add, Build};
use crate::exit::Exit;
use crate::host::{is_stopped, watch_for_stop};
use crate::job::Job;
use crate::library::Lock;
use crate::output::Output;
use crate::parts;
use crate::run::Run;
use std::path::Path;
use std::time::Instant;
use vademecum::error::{Error, Result};

/// Builds a library from folders.
///
/// # Errors
/// Those of the library, the model and the options; what a run has done is kept by its checkpoints.
pub(crate) fn build(arguments: &Build, output: Output) -> Result<Exit> {
    let parts = arguments.parts.as_deref();
    parts.map_or(Ok(()), parts::check_folder)?;
    run(&Job::of_build(arguments)?, parts, output)
}

/// Adds files to a library.
///
/// # Errors
/// As [`build`].
pub(crate) fn add(arguments: &Add, output: Output) -> Result<Exit> {
    run(&Job::of_add(arguments)?, None, output)
}

fn run(job: &Job<'_>, parts: Option<&Path>, output: Output) -> Result<Exit> {
    let began = Instant::now();
    let _lock = Lock::take(job.library)?;
    watch_for_stop()?;
    let mut run = Run::new(job, output)?;
    let ended = run.all();
    let stopped = matches!(ended, Err(Error::Aborted)) || is_stopped();
    if let Err(error) = ended
        && !stopped
    {
        // What was embedded until then is worth keeping; the error that ended the run is the one to report.
        run.keep();
        return Err(error);
    }
    let mut report = run.finished(stopped)?;
    if let Some(folder) = parts.filter(|_| !stopped && report.bytes > 0) {
        report.parts = Some(parts::write(job.library, folder, false)?);
    }
    report.took_ms = began.elapsed().as_millis() as u64;
    output.result(&report, || report.text())?;
    Ok(match (stopped, report.not_added.is_empty() && report.bytes > 0) {
        (true, _) => Exit::Stopped,
        (false, true) => Exit::Done,
        (false, false) => Exit::Partly,
    })
}
