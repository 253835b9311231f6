//! `cargo xtask test`: every test there is, set-up included.

use crate::report::step;
use crate::serve::Server;
use crate::toolchain::{Toolchain, wasm_bindgen};
use crate::{Result, browser, build, command, eval, fixtures, npm, package, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITES: [&str; 8] = ["lint", "native", "eval", "package", "js", "browser", "e2e", "fixtures"];

/// The evaluation needs what only a native build has; tests and lints see it with them.
const NATIVE: [&str; 3] = ["--workspace", "--features", "vademecum/native"];

/// The crates that exist for wasm32 alone, and the one whose tests call them.
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
    let named: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| *argument != "--release").collect();
    if let Some(unknown) = named.iter().find(|name| !SUITES.contains(name)) {
        return Err(format!("there is no suite `{unknown}`; there are: {}", SUITES.join(", ")));
    }
    command::check_prerequisites(true)?;
    let mut skipped = Vec::new();
    let wanted = |suite: &str| named.is_empty() || named.contains(&suite);
    if wanted("lint") {
        skipped.extend(lint()?);
    }
    if wanted("native") || wanted("browser") {
        build::model()?;
    }
    if wanted("native") {
        step("Native tests");
        command::run(cargo().arg("test").args(NATIVE).env("VADEMECUM_MODELS", paths::site().join("models")))?;
    }
    if wanted("eval") {
        step("Evaluation on the project's own small set");
        skipped.extend(eval::small_where_possible()?);
    }
    // Before the tests that look at what it makes.
    if wanted("package") || wanted("fixtures") {
        package::run(&[])?;
    }
    if wanted("js") {
        npm::install(&paths::root().join("tests/js"), "the compiler that the types are tested with")?;
        step("JavaScript tests without a browser");
        command::run(
            Command::new(command::node()?)
                .current_dir(paths::root())
                .arg("--test")
                .args(tests_of("tests/js/unit")?)
                .args(tests_of("tests/js/types")?),
        )?;
    }
    if wanted("browser") {
        build::runtime()?;
        skipped.extend(in_browser()?);
    }
    if wanted("e2e") {
        // What is shipped, where it was built anyway: the module for everyday use would be one compilation more.
        if wanted("package") {
            build::site_of_package()?;
        } else {
            build::site(release)?;
        }
        eval::check_small()?;
        end_to_end()?;
    }
    if wanted("fixtures") {
        skipped.extend(fixtures::run(&package::tarball()?, &tests_of("tests/js/fixtures")?)?);
    }
    step(outcome(&skipped));
    Ok(())
}

/// The last words: what passed is not all there is where something was skipped.
fn outcome(skipped: &[String]) -> String {
    if skipped.is_empty() {
        return "All tests passed".into();
    }
    let lines: Vec<String> = skipped.iter().map(|what| format!("\n▸ {what}")).collect();
    format!("All tests that were run passed; this was not run:{}", lines.concat())
}

/// Node's versions disagree on what a folder means: each file is named.
fn tests_of(folder: &str) -> Result<Vec<PathBuf>> {
    paths::files(&paths::root().join(folder), ".test.mjs")
}

fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(paths::root());
    cargo
}

/// Formatting and lints, where the toolchain has the tools for it; and what it had not.
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
        step("Lints");
        command::run(cargo().arg("clippy").args(NATIVE).args(["--all-targets", "--", "-D", "warnings"]))?;
        // The boundary exists for wasm32 alone; Debian's cargo has no clippy.
        if let Toolchain::Ordinary = Toolchain::ready()? {
            let mut boundary = cargo();
            boundary.args(["clippy", "--target", "wasm32-unknown-unknown", "--lib"]).args(BROWSER_TESTS);
            boundary.args(BOUNDARY.iter().flat_map(|name| ["--package", name]));
            command::run(boundary.args(["--", "-D", "warnings"]))?;
        }
    } else {
        skipped.push("Lints: skipped, `rustup component add clippy` would check them".to_owned());
    }
    skipped.iter().for_each(step);
    Ok(skipped)
}

/// Says which browser was not there.
fn in_browser() -> Result<Option<String>> {
    step("Tests of the wasm boundary in headless Chromium");
    boundary("CHROMEDRIVER", &browser::ready()?.driver)?;
    match browser::firefox() {
        Ok(driver) => {
            step("Tests of the wasm boundary in headless Firefox");
            boundary("GECKODRIVER", &driver)?;
            Ok(None)
        }
        Err(why) => {
            let skipped = format!("Tests of the wasm boundary in Firefox: skipped. {why}");
            step(&skipped);
            Ok(Some(skipped))
        }
    }
}

/// The tests in one browser: `variable` names its driver to the runner.
fn boundary(variable: &str, driver: &Path) -> Result<()> {
    let mut tests = Toolchain::ready()?.cargo();
    tests
        .args(["test", "--target", "wasm32-unknown-unknown"])
        .args(BROWSER_TESTS)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", wasm_bindgen()?.join("wasm-bindgen-test-runner"))
        .env_remove("CHROMEDRIVER")
        .env_remove("GECKODRIVER")
        .env(variable, driver)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300");
    command::run(&mut tests)
}

fn end_to_end() -> Result<()> {
    let browser = browser::ready()?;
    let tests = paths::root().join("tests/js");
    npm::install(&tests, "the browser driver for the end-to-end tests")?;
    let server = Server::start(paths::site(), None)?;
    step(format!("End-to-end tests of the demo page at {}", server.address()));
    let mut node = Command::new(command::node()?);
    node.current_dir(paths::root())
        .args(["--test", "--test-concurrency=1"])
        .args(tests_of("tests/js/e2e")?)
        .env("VADEMECUM_PAGE", server.address())
        .env("VADEMECUM_SCREENSHOTS", paths::target().join("screenshots"))
        .env("CHROMIUM", browser.chromium);
    command::run(&mut node)
}

#[cfg(test)]
mod tests {
    use super::outcome;

    #[test]
    fn what_was_skipped_stands_at_the_end() {
        assert_eq!(outcome(&[]), "All tests passed");
        let said = outcome(&["A: skipped. Firefox was not found".into(), "B: skipped".into()]);
        assert_eq!(
            said,
            "All tests that were run passed; this was not run:\n▸ A: skipped. Firefox was not found\n▸ B: skipped"
        );
    }
}
