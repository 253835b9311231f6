//! The phases of a run: their durations, and commands that run beside them.

use crate::Result;
use crate::report::step;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Durations of phases, in the order in which they ended.
#[derive(Default)]
pub struct Phases {
    ended: Vec<(String, Duration)>,
}

impl Phases {
    /// Runs a phase and records its duration.
    pub fn run<T>(&mut self, name: &str, phase: impl FnOnce() -> Result<T>) -> Result<T> {
        let began = Instant::now();
        let outcome = phase();
        self.ended.push((name.to_owned(), began.elapsed()));
        outcome
    }

    /// Waits for a background command, prints its output, and records its duration.
    pub fn join(&mut self, background: Background) -> Result<()> {
        let (name, began) = (background.name.clone(), background.began);
        let waited = Instant::now();
        let outcome = background.end();
        let waited = waited.elapsed().as_secs();
        self.ended.push((format!("{name}, in the background; waited {waited} s for it"), began.elapsed()));
        outcome
    }

    /// Returns the durations, one phase a line.
    pub fn report(&self) -> String {
        let lines = self.ended.iter().map(|(name, took)| format!("\n  {:>4} s  {name}", took.as_secs()));
        format!("Durations:{}", lines.collect::<String>())
    }
}

/// A command that runs beside the phases, with its output in a file. It is ended if a phase fails.
pub struct Background {
    name: String,
    began: Instant,
    child: Child,
    output: PathBuf,
}

impl Background {
    /// Starts the command; `output` is the file that its output is written to.
    pub fn start(name: &str, command: &mut Command, output: PathBuf) -> Result<Self> {
        let failed = |error: std::io::Error| format!("{}: {error}", output.display());
        if let Some(folder) = output.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = File::create(&output).map_err(failed)?;
        let errors = file.try_clone().map_err(failed)?;
        step(format!("{name}: started in the background, output in {}", output.display()));
        let child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}"))?;
        Ok(Self { name: name.to_owned(), began: Instant::now(), child, output })
    }

    /// Waits for the command, and prints its output.
    fn end(mut self) -> Result<()> {
        let status = self.child.wait().map_err(|error| format!("{}: {error}", self.name))?;
        let said = fs::read(&self.output).map_err(|error| format!("{}: {error}", self.output.display()))?;
        step(format!("{}: output", self.name));
        print!("{}", String::from_utf8_lossy(&said));
        if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", self.name)) }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Fails for a command that has ended, which is the usual case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_reported_for_phases_and_for_commands_beside_them() {
        let mut phases = Phases::default();
        let output = std::env::temp_dir().join(format!("phases-{}.txt", std::process::id()));
        let mut cargo = Command::new("cargo");
        let version = Background::start("Version", cargo.arg("--version"), output.clone()).unwrap();
        assert_eq!(phases.run("Counting", || Ok(1)), Ok(1));
        phases.join(version).unwrap();
        assert!(fs::read_to_string(&output).unwrap().starts_with("cargo "));
        let report = phases.report();
        assert!(report.contains(" s  Counting\n") && report.contains(" s  Version, in the background"));

        let mut cargo = Command::new("cargo");
        let unknown = Background::start("Unknown", cargo.arg("no-such-command"), output.clone()).unwrap();
        assert!(phases.join(unknown).unwrap_err().starts_with("Unknown failed"));
        fs::remove_file(output).unwrap();
    }
}
