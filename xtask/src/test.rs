//! `cargo xtask test`: runs all tests, including set-up.

use crate::report::step;
use crate::serve::Server;
use crate::toolchain::{Toolchain, wasm_bindgen};
use crate::{Result, bench, browser, build, command, eval, fixtures, npm, package, paths, watch};
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITES: [&str; 9] = ["lint", "native", "eval", "package", "js", "browser", "e2e", "bench", "fixtures"];

/// The evaluation needs features of the native build; tests and lints include them.
const NATIVE: [&str; 3] = ["--workspace", "--features", "vademecum/native"];

/// The crates that exist for wasm32 only, and the one whose tests call them.
const BOUNDARY: [&str; 6] = [
    "vademecum",
    "vademecum-web",
    "vademecum-web-agent",
    "vademecum-web-engine",
    "vademecum-web-html",
    "vademecum-web-index",
];

const BROWSER_TESTS: [&str; 4] = ["--test", "web_page", "--test", "web_worker"];

pub fn run(arguments: &[String]) -> Result<()> {
    let release = arguments.iter().any(|argument| argument == "--release");
    let chosen =
        Chosen::of(arguments.iter().map(String::as_str).filter(|argument| *argument != "--release"))?;
    command::check_prerequisites(true)?;
    let mut skipped = Vec::new();
    if chosen.has("lint") {
        skipped.extend(lint()?);
    }
    if chosen.has("native") || chosen.has("browser") {
        build::model()?;
    }
    if chosen.has("native") {
        step("Native tests");
        let mut native = cargo();
        native.arg("test").args(NATIVE).args(&chosen.filters);
        command::run(native.env("VADEMECUM_MODELS", paths::site().join("models")))?;
    }
    if chosen.has("eval") {
        step("Evaluation on the project's own small set");
        skipped.extend(eval::small_where_possible()?);
    }
    // Before the tests that read the built site.
    if chosen.has("package") || chosen.has("fixtures") {
        package::run(&[])?;
    }
    if chosen.has("js") {
        npm::install(&paths::root().join("tests/js"), "the compiler that the types are tested with")?;
        step("JavaScript tests without a browser");
        command::run(
            Command::new(command::node()?).current_dir(paths::root()).arg("--test").args(chosen.files(&[
                "tests/js/unit",
                "tests/js/types",
                "tests/js/examples",
            ])?),
        )?;
    }
    if chosen.has("browser") {
        build::runtime()?;
        skipped.extend(in_browser(&chosen.filters)?);
    }
    if chosen.has("e2e") || chosen.has("bench") {
        // Uses the shipped build if it exists, which saves compiling the module for development.
        if chosen.has("package") {
            build::site_of_package()?;
        } else {
            build::site(release)?;
        }
    }
    if chosen.has("e2e") {
        if chosen.filters.is_empty() {
            eval::check_small()?;
        }
        end_to_end(&chosen.files(&["tests/js/e2e"])?)?;
    }
    if chosen.has("bench") {
        step("Benchmarks on a small set, for nothing but to run them");
        bench::smoke()?;
    }
    if chosen.has("fixtures") {
        skipped.extend(fixtures::run(&package::tarball()?, &chosen.files(&["tests/js/fixtures"])?)?);
    }
    step(outcome(&skipped));
    Ok(())
}

/// The tests to run: suites, and parts of the names of tests (native, browser) or of their files (JavaScript).
struct Chosen {
    suites: Vec<&'static str>,
    filters: Vec<String>,
}

impl Chosen {
    /// Parses the arguments: names of suites, then filters. Default: all suites.
    fn of<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut suites = Vec::new();
        let mut filters = Vec::new();
        for word in words {
            match SUITES.iter().find(|suite| **suite == word) {
                Some(suite) if filters.is_empty() => suites.push(*suite),
                _ if suites.is_empty() => {
                    return Err(format!("there is no suite `{word}`; there are: {}", SUITES.join(", ")));
                }
                _ => filters.push(word.to_owned()),
            }
        }
        if suites.is_empty() {
            suites.extend(SUITES);
        }
        Ok(Self { suites, filters })
    }

    fn has(&self, suite: &str) -> bool {
        self.suites.contains(&suite)
    }

    /// Returns the test files of the folders that match a filter; default: all. Node's versions disagree on
    /// the meaning of a folder, so each file is listed.
    fn files(&self, folders: &[&str]) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for folder in folders {
            files.extend(paths::files(&paths::root().join(folder), ".test.mjs")?);
        }
        let named = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()))
        };
        files.retain(named);
        if files.is_empty() {
            return Err(format!(
                "no test file of {} is called like `{}`",
                folders.join(", "),
                self.filters.join("` or `")
            ));
        }
        Ok(files)
    }
}

/// `cargo xtask check`: formatting, lints and native unit tests, for quick feedback.
pub fn check(arguments: &[String]) -> Result<()> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("`check` takes no arguments, not `{unknown}`"));
    }
    command::run(cargo().args(["fmt", "--all", "--check"]))?;
    command::run(cargo().arg("clippy").args(NATIVE).args(["--all-targets", "--", "-D", "warnings"]))?;
    command::run(cargo().arg("test").args(NATIVE).args(["--lib", "--quiet"]))?;
    step("Formatting, lints and unit tests are fine");
    Ok(())
}

/// Returns the final message, which lists what was skipped.
fn outcome(skipped: &[String]) -> String {
    if skipped.is_empty() {
        return "All tests passed".into();
    }
    let lines: Vec<String> = skipped.iter().map(|what| format!("\n▸ {what}")).collect();
    format!("All tests that were run passed; this was not run:{}", lines.concat())
}

fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(paths::root());
    // Uses the same cases in each run, so that results are reproducible. `cargo test` generates new ones.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        cargo.env("PROPTEST_RNG_SEED", "20261122");
    }
    cargo
}

/// Runs formatting checks and lints, if the toolchain has the tools; returns what was skipped.
fn lint() -> Result<Vec<String>> {
    let mut skipped = Vec::new();
    let has = |tool: &str| command::output(cargo().args([tool, "--version"])).is_ok();
    if has("fmt") {
        step("Formatting");
        command::run(cargo().args(["fmt", "--all", "--check"]))?;
    } else {
        skipped.push("Formatting: skipped, `rustup component add rustfmt` would check it".to_owned());
    }
    if has("clippy") {
        step("Lints and unit tests");
        watch::run(&["--once".to_owned()])?;
        // The boundary exists for wasm32 only; Debian's cargo has no clippy.
        if let Toolchain::Ordinary = Toolchain::ready()? {
            let mut boundary = cargo();
            boundary.args(["clippy", "--target", "wasm32-unknown-unknown", "--lib"]).args(BROWSER_TESTS);
            boundary.args(BOUNDARY.iter().flat_map(|name| ["--package", name]));
            command::run(boundary.args(["--", "-D", "warnings"]))?;
        }
    } else {
        skipped.push("Lints: skipped, `rustup component add clippy` would check them".to_owned());
    }
    match command::npm() {
        Ok(_) => scripts()?,
        Err(_) => skipped.push("Lints of JavaScript: skipped, with npm they would be checked".to_owned()),
    }
    skipped.iter().for_each(step);
    Ok(skipped)
}

/// Lints all JavaScript including its types, in about twenty seconds.
fn scripts() -> Result<()> {
    let folder = paths::root().join("tests/js");
    npm::install(&folder, "the linter of JavaScript")?;
    step("Lints of JavaScript");
    let mut linter = Command::new(command::node()?);
    linter.current_dir(paths::root()).arg(folder.join("node_modules/eslint/bin/eslint.js"));
    linter.arg("--config").arg(folder.join("eslint.config.mjs")).args(["--max-warnings", "0"]);
    command::run(linter.args(["benches", "crates/web/js", "examples", "tests/js", "www", "xtask/src"]))
}

/// Reports a browser that is not installed.
fn in_browser(filters: &[String]) -> Result<Option<String>> {
    step("Tests of the wasm boundary in headless Chromium");
    boundary("CHROMEDRIVER", &browser::ready()?.driver, filters)?;
    match browser::firefox() {
        Ok(driver) => {
            step("Tests of the wasm boundary in headless Firefox");
            boundary("GECKODRIVER", &driver, filters)?;
            Ok(None)
        }
        Err(why) => {
            let skipped = format!("Tests of the wasm boundary in Firefox: skipped. {why}");
            step(&skipped);
            Ok(Some(skipped))
        }
    }
}

/// Runs the tests in one browser: `variable` passes its driver to the runner.
fn boundary(variable: &str, driver: &Path, filters: &[String]) -> Result<()> {
    let mut tests = Toolchain::ready()?.cargo();
    tests
        .args(["test", "--target", "wasm32-unknown-unknown"])
        .args(BROWSER_TESTS)
        .args(filters)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", wasm_bindgen()?.join("wasm-bindgen-test-runner"))
        .env_remove("CHROMEDRIVER")
        .env_remove("GECKODRIVER")
        .env(variable, driver)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300");
    command::run(&mut tests)
}

/// Runs end-to-end tests two files at a time, and then those in the folder `alone`: a language model in a tab uses all cores, and
/// its threads wait for each other while another browser runs.
fn end_to_end(files: &[PathBuf]) -> Result<()> {
    let browser = browser::ready()?;
    let tests = paths::root().join("tests/js");
    npm::install(&tests, "the browser driver for the end-to-end tests")?;
    let server = Server::start(paths::site(), None)?;
    step(format!("End-to-end tests of the demo page at {}", server.address()));
    let (alone, together): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| file.parent().is_some_and(|folder| folder.ends_with("alone")));
    for (files, at_once) in [(together, 2), (alone, 1)] {
        if files.is_empty() {
            continue;
        }
        let mut node = Command::new(command::node()?);
        node.current_dir(paths::root())
            .args(["--test", &format!("--test-concurrency={at_once}")])
            .args(files)
            .env("VADEMECUM_PAGE", server.address())
            .env("VADEMECUM_SCREENSHOTS", paths::target().join("screenshots"))
            .env("CHROMIUM", &browser.chromium);
        command::run(&mut node)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Chosen, outcome};

    #[test]
    fn what_was_skipped_stands_at_the_end() {
        assert_eq!(outcome(&[]), "All tests passed");
        let said = outcome(&["A: skipped. Firefox was not found".into(), "B: skipped".into()]);
        assert_eq!(
            said,
            "All tests that were run passed; this was not run:\n▸ A: skipped. Firefox was not found\n▸ B: skipped"
        );
    }

    #[test]
    fn suites_come_first_and_what_follows_chooses_among_their_tests() {
        let of = |words: &[&'static str]| Chosen::of(words.iter().copied());
        let all = of(&[]).unwrap();
        assert!(all.has("lint") && all.has("fixtures") && all.filters.is_empty());
        let some = of(&["js", "e2e", "llm-frame"]).unwrap();
        assert_eq!((some.suites, some.filters), (vec!["js", "e2e"], vec!["llm-frame".to_owned()]));
        assert!(of(&["llm-frame"]).err().unwrap().starts_with("there is no suite `llm-frame`"));
        assert!(
            of(&["e2e", "llm-frame"])
                .unwrap()
                .files(&["tests/js/e2e"])
                .unwrap()
                .iter()
                .all(|file| file.ends_with("llm-frame.test.mjs"))
        );
        assert!(of(&["e2e", "no-such"]).unwrap().files(&["tests/js/e2e"]).is_err());
    }
}
