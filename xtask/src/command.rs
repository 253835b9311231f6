//! Runs other programs, and reports missing ones with the way to install them.

use crate::Result;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Returns the first of `names` that is on the PATH.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let suffixes: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ""] } else { &[""] };
    names.iter().find_map(|name| {
        std::env::split_paths(&path)
            .flat_map(|folder| suffixes.iter().map(move |suffix| folder.join(format!("{name}{suffix}"))))
            .find(|file| file.is_file())
    })
}

/// Finds a required program.
pub fn need(names: &[&str], install: &str) -> Result<PathBuf> {
    find(names).ok_or_else(|| format!("`{}` is not installed. Install it with:\n    {install}", names[0]))
}

pub fn python() -> Result<PathBuf> {
    need(&["python3", "python"], "apt-get install python3 python3-pip   (or from python.org)")
}

/// Finds Python with pip.
pub fn pip() -> Result<PathBuf> {
    let python = python()?;
    output(Command::new(&python).args(["-m", "pip", "--version"])).map_err(|_| {
        "Python has no pip. Install it with:\n    apt-get install python3-pip   (or python3 -m ensurepip)"
            .to_owned()
    })?;
    Ok(python)
}

pub fn npm() -> Result<PathBuf> {
    need(&["npm"], "apt-get install npm   (or Node.js 20 or newer from nodejs.org)")
}

pub fn node() -> Result<PathBuf> {
    let node = need(&["node"], "apt-get install nodejs   (or Node.js 20 or newer from nodejs.org)")?;
    let version = output(Command::new(&node).arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    if major.unwrap_or(0) < 20 {
        return Err(format!(
            "Node.js is {}, and 20 or newer is needed. Install it from nodejs.org.",
            version.trim()
        ));
    }
    Ok(node)
}

/// Checks the programs that only the user can install, before anything long begins.
pub fn check_prerequisites(tests_too: bool) -> Result<()> {
    pip()?;
    npm()?;
    if tests_too { node().map(|_| ()) } else { Ok(()) }
}

/// Runs a program to its end, showing its output.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| format!("{} cannot be started: {error}", name(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", line(command))) }
}

/// Runs a program to its end and returns its output; its standard error is part of the error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} cannot be started: {error}", name(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{} failed ({}):\n{}", line(command), output.status, last_lines(&said, 12)))
}

pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn line(command: &Command) -> String {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    format!("`{} {}`", name(command), words.join(" "))
}

/// Whether this is a Debian-like machine on which packages may be installed.
pub fn can_apt() -> bool {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    root && find(&["apt-get"]).is_some()
}

/// Installs Debian packages, refreshing the lists only if that is needed.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    let install = || {
        let mut command = Command::new("apt-get");
        command
            .args(["install", "-y", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive");
        output(&mut command)
    };
    if install().is_err() {
        output(Command::new("apt-get").arg("update"))?;
        install()?;
    }
    Ok(())
}
