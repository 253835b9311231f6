//! Runs the program in a folder of its own.

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The library of most tests.
pub(crate) const LIBRARY: &str = "notes.library";

/// A temporary folder with files.
pub(crate) struct Folder(TempDir);

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// Returns the one JSON document on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the code of the error.
    pub(crate) fn error(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}")).to_owned()
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with files in its folder `notes`, written a while ago, so that their times are trusted.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        fs::create_dir(folder.path("notes")).unwrap();
        for (name, text) in files {
            folder.write(&format!("notes/{name}"), text);
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file as if it had been written a while ago.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        self.write_at(name, contents, 3600);
    }

    pub(crate) fn write_at(&self, name: &str, contents: impl AsRef<[u8]>, seconds_ago: u64) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        let time = SystemTime::now() - Duration::from_secs(seconds_ago);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vademecum"));
        command.current_dir(self.0.path()).env_remove("VADEMECUM_MODEL");
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::of(&self.command().args(arguments).output().unwrap())
    }

    /// Runs the program with arguments that are separated by spaces.
    pub(crate) fn says(&self, line: &str) -> Ran {
        self.run(&line.split(' ').collect::<Vec<_>>())
    }

    /// Builds the library of the folder `notes`, and returns the report.
    pub(crate) fn build(&self) -> Value {
        self.build_with("")
    }

    /// The same with more options.
    pub(crate) fn build_with(&self, options: &str) -> Value {
        let ran = self.says(format!("build notes --out {LIBRARY} --json {options}").trim_end());
        assert!(ran.code <= 1, "{ran:?}");
        ran.json()
    }

    /// Returns the ids of the documents that a question finds.
    pub(crate) fn found(&self, question: &str) -> Vec<String> {
        let ran = self.run(&["search", LIBRARY, question, "--json"]);
        let json = ran.json();
        let hits = json["hits"].as_array().unwrap_or_else(|| panic!("{ran:?}"));
        hits.iter().map(|hit| hit["docId"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the metadata and the address of the first document that a question finds.
    pub(crate) fn first(&self, question: &str) -> Value {
        self.run(&["search", LIBRARY, question, "--json"]).json()["hits"][0].clone()
    }
}

/// Returns the folder of the set-up model, or says that a test is skipped.
pub(crate) fn model() -> Option<String> {
    let Ok(models) = std::env::var("VADEMECUM_MODELS") else {
        println!("skipped: VADEMECUM_MODELS is not set; `cargo xtask test` sets it");
        return None;
    };
    Some(Path::new(&models).join("all-minilm-l6-v2").display().to_string())
}
