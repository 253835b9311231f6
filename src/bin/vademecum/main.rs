//! The program `vademecum`: builds, searches and measures libraries outside the browser.
//!
//! `run.rs` is the heart: `plan.rs` compares a walk of the files with the `record.rs` of the last build, `reading.rs` reads what is new,
//! `writer.rs` adds it to the library and saves, and `report.rs` tells what was done. `model.rs` and `embedder.rs` are the sentence encoder.
//! `push.rs` sends a library to a server by `chroma.rs`, in the form of `passage.rs`.

mod arguments;
mod ask;
mod build;
mod chroma;
mod embedder;
mod eval;
mod exit;
mod hints;
mod host;
mod inspect;
mod job;
mod library;
mod model;
mod output;
mod parts;
mod passage;
mod passages;
mod pdf_process;
mod plan;
mod progress;
mod published;
mod push;
mod reading;
mod record;
mod report;
mod run;
mod search;
mod writer;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use exit::Exit;
use output::Output;
use std::process::ExitCode;
use vademecum::error::Result;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // The help and the version are no errors.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let json = std::env::args_os().any(|argument| argument == "--json");
            Output { json }.usage(&error);
            return Exit::Usage.into();
        }
    };
    let output = Output { json: arguments.json };
    let exit = run(&arguments.command, output).unwrap_or_else(|error| {
        output.error(&error);
        Exit::of(&error)
    });
    exit.into()
}

fn run(command: &Command, output: Output) -> Result<Exit> {
    match command {
        Command::Build(arguments) => build::build(arguments, output),
        Command::Add(arguments) => build::add(arguments, output),
        Command::Search(arguments) => search::search(arguments, output),
        Command::Ask(arguments) => ask::ask(arguments, output),
        Command::Publish(arguments) => parts::publish(arguments, output),
        Command::Inspect(arguments) => inspect::inspect(arguments, output),
        Command::Eval(arguments) => eval::eval(arguments, output),
        Command::Push(arguments) => push::push(arguments, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "vademecum", &mut script);
            output::print(String::from_utf8_lossy(&script).trim_end())?;
            Ok(Exit::Done)
        }
        Command::ReadPdf => Ok(pdf_process::read_pdf()),
    }
}
