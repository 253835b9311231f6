//! The project's own commands: `cargo xtask demo`, `check`, `watch`, `test`, `generate`, `package`, `eval`, `cli` and `bench`. Each sets up what it needs.

mod assets;
mod bench;
mod browser;
mod build;
mod cli;
mod command;
mod demo;
mod download;
mod eval;
mod fixtures;
mod generate;
mod listing;
mod npm;
mod package;
mod page;
mod paths;
mod report;
mod sample;
mod serve;
mod test;
mod toolchain;
mod watch;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask demo [--port N] [--release] [--open]   set up, build and serve the demo page
cargo xtask check                                  formatting, lints and unit tests: between two edits
cargo xtask watch [--once]                         runs `check` whenever a file of the workspace changes
cargo xtask test [SUITE ...] [FILTER ...]          set up and run every test, or only the named suites:
             [--all] [--release]                   lint, native, eval, package, js, browser, e2e, bench, fixtures;
                                                   a filter is part of a test's name, in JavaScript of its file's;
                                                   --all includes suites whose inputs are unchanged since they passed
cargo xtask generate                               the types, tables and reference that are made of the options' declarations
cargo xtask package [--record] [--site]            the npm package as it is shipped, checked, measured and packed, into
                                                   target/package; --record records its sizes, --site builds the
                                                   demo page with it into target/site
cargo xtask eval [--beir DIR ...] [--check-wasm]   recall, nDCG and MRR on labelled sets, into docs/evaluation.md;
                                                   see there for more options
             [--small]                             the project's own small set alone: fails below the recorded least
                                                   values, writes no page
             [--full-precision]                    with the model's weights in 32-bit floats instead of int8;
                                                   --weights int8 rounds these as they are loaded
             [--languages]                         the set in Chinese, Japanese, Korean and Thai, by keywords
cargo xtask cli [ARGUMENT ...]                     build and run the program `vademecum` with the set-up model
cargo xtask bench [SECTION ...] [--quick]          measure the release build against peers from npm: vectors, keywords, open,
                                                   embedding, first-hit, page (the last three in headless Chromium),
                                                   native-embedding (beside the ONNX runtime, outside a browser)
             [--data DIR] [--vectors FILE]         a labelled set in BEIR's layout; embeddings, 384 32-bit floats a row
             [--graph FILE]                        a graph built natively over 100,000 made vectors
             [--peers-only] [--report-only]        without this package; only the page anew, from docs/benchmarks.json
cargo xtask bench parts [NUMBER ...]               bytes and recall of libraries in parts, also enlarged to numbers of passages
cargo xtask bench kept [NUMBER ...]                opening, times and memory of such libraries that are kept in a browser
cargo xtask bench line [NUMBER ...]                bytes and times of questions of such libraries on a host behind a slow line
cargo xtask bench beside [NUMBER ...]              such kept libraries beside hnswlib-wasm and Chroma with the same vectors

Downloads are kept in a cache of the user's, or in $VADEMECUM_CACHE, and verified each time they are used.
VADEMECUM_RUSTUP=off builds the wasm standard library from Debian's sources, as on a machine where rustup has no network.";

/// What went wrong, in words a person can act on.
pub type Result<T, E = String> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("help", &[][..]),
    };
    download::sweep(&paths::cache());
    let outcome = match name {
        _ if name != "cli" && rest.iter().any(|argument| argument == "--help" || argument == "-h") => {
            println!("{HELP}");
            Ok(())
        }
        "demo" => demo::run(rest),
        "test" => test::run(rest),
        "check" => test::check(rest),
        "watch" => watch::run(rest),
        "package" => package::run(rest),
        "generate" => generate::run(rest),
        "eval" => eval::run(rest),
        "bench" => bench::run(rest),
        "cli" => cli::run(rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no command `{other}`\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}
