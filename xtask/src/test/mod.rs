//! `cargo xtask test`: runs all tests, including set-up.

mod chosen;
mod end_to_end;
mod phases;
pub mod repeated;
mod verified;

use crate::report::step;
use crate::toolchain::{Toolchain, wasm_bindgen};
use crate::{Result, bench, browser, build, command, eval, fixtures, npm, package, paths, watch};
use chosen::Chosen;
pub use end_to_end::chroma;
use end_to_end::end_to_end;
use phases::{Background, Phases};
use repeated::TEST_TIMEOUT;
use std::path::Path;
use std::process::Command;
use verified::Suite;

/// The programs need features of the native build; tests and lints include them.
const NATIVE: [&str; 3] = ["--workspace", "--features", "vademecum/native,vademecum/cli"];

/// The crates that exist for wasm32 only, and the one whose tests call them.
const BOUNDARY: [&str; 9] = [
    "vademecum",
    "vademecum-web",
    "vademecum-web-agent",
    "vademecum-web-encoder",
    "vademecum-web-engine",
    "vademecum-web-files",
    "vademecum-web-html",
    "vademecum-web-index",
    "vademecum-web-parts",
];

const BROWSER_TESTS: [&str; 4] = ["--test", "web_page", "--test", "web_worker"];

/// The paths of the sources of JavaScript.
const SCRIPTS: [&str; 6] = ["benches", "crates/web/js", "examples", "tests/js", "www", "xtask/src"];

pub fn run(arguments: &[String]) -> Result<()> {
    let chosen = Chosen::of(arguments.iter().map(String::as_str))?;
    let mut phases = Phases::default();
    let outcome = phases_of(&chosen, &mut phases);
    step(phases.report());
    step(summary(&outcome?));
    Ok(())
}

/// Runs the chosen suites. Returns notes for the final message: what was skipped, and files that passed only when they were repeated.
fn phases_of(chosen: &Chosen, phases: &mut Phases) -> Result<Vec<String>> {
    let firefox = chosen.has("browser") && (chosen.insists_on("browser") || Suite::Firefox.has_changed());
    let fixtures = chosen.has("fixtures") && (chosen.insists_on("fixtures") || Suite::Fixtures.has_changed());
    let packed = chosen.has("package") || fixtures;
    let mut skipped = Vec::new();
    phases.run("Set-up", || set_up(chosen, packed))?;
    // Link-time optimisation of the modules uses one core, and does not wait for the locks of native builds.
    let mut package = if packed { Some(package_in_background()?) } else { None };
    if chosen.has("lint") {
        skipped.extend(phases.run("Lints", || lint(chosen.has("native")))?);
    }
    if chosen.has("native") {
        phases.run("Native tests", || native(&chosen.filters))?;
    }
    if chosen.has("eval") {
        skipped.extend(phases.run("Evaluation", eval::small_where_possible)?);
    }
    if chosen.has("browser") {
        phases.run("Boundary in Chromium", || boundary_in_chromium(&chosen.filters))?;
        if firefox {
            skipped.extend(phases.run("Boundary in Firefox", || boundary_in_firefox(&chosen.filters))?);
        } else {
            skipped
                .push("The wasm boundary in Firefox: unchanged since it passed, `--all` runs it".to_owned());
        }
    }
    // The tests below read the built package and site.
    if let Some(package) = package.take() {
        phases.join(package)?;
    } else if chosen.has("e2e") || chosen.has("bench") {
        phases.run("Building the site", || build::site(chosen.release))?;
    }
    if chosen.has("js") {
        phases.run("JavaScript tests", || {
            let files = chosen.files(&["tests/js/unit", "tests/js/types", "tests/js/examples"])?;
            step("JavaScript tests without a browser");
            let mut node = Command::new(command::node()?);
            command::run(node.current_dir(paths::root()).args(["--test", TEST_TIMEOUT]).args(files))
        })?;
    }
    if chosen.has("e2e") {
        if chosen.filters.is_empty() {
            phases.run("Ranking of the wasm build", eval::check_small)?;
        }
        let unsteady = phases.run("End-to-end tests", || end_to_end(&chosen.files(&["tests/js/e2e"])?))?;
        skipped.extend(unsteady);
    }
    if chosen.has("bench") {
        phases.run("Benchmarks", || {
            step("Benchmarks on a small set, only to run them");
            bench::smoke()
        })?;
    }
    if fixtures {
        let tests = chosen.files(&["tests/js/fixtures"])?;
        let (without, unsteady) =
            phases.run("Packaging fixtures", || fixtures::run(&package::tarball()?, &tests))?;
        // A file that had to be repeated runs again next time.
        if unsteady.is_empty() && without.is_none() && chosen.filters.is_empty() {
            Suite::Fixtures.passed()?;
        }
        skipped.extend(unsteady);
        skipped.extend(without);
    } else if chosen.has("fixtures") {
        skipped.push("Packaging fixtures: unchanged since they passed, `--all` runs them".to_owned());
    }
    Ok(skipped)
}

/// Installs and downloads what the phases need. Nothing is installed later, because two installations at once would fail.
fn set_up(chosen: &Chosen, packed: bool) -> Result<()> {
    command::check_prerequisites(true)?;
    let in_browser = chosen.has("browser") || chosen.has("e2e");
    if packed {
        Toolchain::with_sources()?;
        package::set_up()?;
    }
    if packed || in_browser || chosen.has("bench") {
        Toolchain::ready()?;
        wasm_bindgen()?;
    }
    if in_browser || packed {
        browser::ready()?;
    }
    npm::install(
        &paths::root().join("tests/js"),
        "the linter, the compiler and the browser driver of the tests",
    )?;
    if chosen.has("e2e") {
        chroma();
    }
    build::runtime()?;
    build::model()
}

fn package_in_background() -> Result<Background> {
    let this = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let output = paths::target().join("test/package.txt");
    Background::start("Package", Command::new(this).args(["package", "--site"]), output)
}

fn native(filters: &[String]) -> Result<()> {
    step("Native tests");
    let mut native = cargo();
    native.arg("test").args(NATIVE).args(filters);
    native.env("VADEMECUM_MODELS", paths::site().join("models"));
    match eval::runtime() {
        Ok(library) => native.env("ORT_DYLIB_PATH", library),
        Err(why) => {
            step(format!("Comparisons with the ONNX runtime: skipped. {why}"));
            &mut native
        }
    };
    command::run(&mut native)
}

/// `cargo xtask check`: formatting, lints and native unit tests, for quick feedback.
pub fn check(arguments: &[String]) -> Result<()> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("`check` takes no arguments, not `{unknown}`"));
    }
    formatting()?;
    clippy()?;
    command::run(cargo().arg("test").args(NATIVE).args(["--lib", "--quiet"]))?;
    step("Formatting, lints and unit tests are fine");
    Ok(())
}

fn formatting() -> Result<()> {
    command::run(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<()> {
    command::run(cargo().arg("clippy").args(NATIVE).args(["--all-targets", "--", "-D", "warnings"]))
}

/// Returns the final message, with its notes.
fn summary(skipped: &[String]) -> String {
    if skipped.is_empty() {
        return "All tests passed".into();
    }
    let lines: Vec<String> = skipped.iter().map(|what| format!("\n▸ {what}")).collect();
    format!("All tests that were run passed; to note:{}", lines.concat())
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

/// Runs formatting checks and lints, if the toolchain has the tools; returns what was skipped. Unit tests are left to the native
/// tests if these run as well.
fn lint(native: bool) -> Result<Vec<String>> {
    let mut skipped = Vec::new();
    let has = |tool: &str| command::output(cargo().args([tool, "--version"])).is_ok();
    if has("fmt") {
        step("Formatting");
        formatting()?;
    } else {
        skipped.push("Formatting: skipped, `rustup component add rustfmt` would check it".to_owned());
    }
    if has("clippy") {
        step("Lints");
        if native {
            clippy()?
        } else {
            watch::run(&["--once".to_owned()])?
        }
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
    command::run(linter.args(SCRIPTS))
}

fn boundary_in_chromium(filters: &[String]) -> Result<()> {
    step("Tests of the wasm boundary in headless Chromium");
    boundary("CHROMEDRIVER", &browser::ready()?.driver, filters)
}

/// Reports a browser that is not installed.
fn boundary_in_firefox(filters: &[String]) -> Result<Option<String>> {
    match browser::firefox() {
        Ok(driver) => {
            step("Tests of the wasm boundary in headless Firefox");
            boundary("GECKODRIVER", &driver, filters)?;
            if filters.is_empty() {
                Suite::Firefox.passed()?;
            }
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

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn skipped_tests_are_listed_in_the_summary() {
        assert_eq!(summary(&[]), "All tests passed");
        let said = summary(&["A: skipped. Firefox was not found".into(), "B: skipped".into()]);
        assert_eq!(
            said,
            "All tests that were run passed; to note:\n▸ A: skipped. Firefox was not found\n▸ B: skipped"
        );
    }
}
