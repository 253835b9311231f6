//! The packaging fixtures: tiny projects that install the tarball, build, and are opened in a browser.

use crate::build::copy_folder;
use crate::report::step;
use crate::test::repeated;
use crate::{Result, browser, build, command, npm, paths};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `tests` over the fixtures with the package of `tarball`. Returns what was skipped for lack of a browser, and a note per file that
/// passed only when it was repeated.
pub fn run(tarball: &Path, tests: &[PathBuf]) -> Result<(Option<String>, Vec<String>)> {
    let browser = browser::ready()?;
    build::runtime()?;
    build::model()?;
    npm::install(&paths::root().join("tests/js"), "the browser driver for the end-to-end tests")?;
    let fixtures = paths::target().join("fixtures");
    refresh(&paths::root().join("tests/fixtures"), &fixtures)?;
    npm::install(&fixtures, "the bundlers that the fixtures are built with")?;
    install(tarball, &fixtures)?;
    install(tarball, &fixtures.join("node"))?;
    step("Packaging fixtures");
    let driver = browser::firefox();
    let node = || {
        let mut node = Command::new(command::node()?);
        node.current_dir(paths::root())
            .env("VADEMECUM_FIXTURES", &fixtures)
            .env("VADEMECUM_SITE", paths::site())
            .env("CHROMIUM", &browser.chromium)
            .env_remove("GECKODRIVER");
        if let Ok(driver) = &driver {
            node.env("GECKODRIVER", driver);
        }
        Ok(node)
    };
    let unsteady = repeated::run(&node, tests, 2)?;
    let skipped = driver.as_ref().err().map(|why| format!("Packaging fixtures in Firefox: skipped. {why}"));
    Ok((skipped, unsteady))
}

/// Copies the fixtures' sources to a fresh folder, because build outputs do not belong into the source tree.
fn refresh(from: &Path, to: &Path) -> Result<()> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))? {
        let path = entry.map_err(|error| failed(from, error))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            let _ = fs::remove_dir_all(&target);
            copy_folder(&path, &target)?;
        } else if fs::read(&path).ok() != fs::read(&target).ok() {
            // If the lock file is unchanged, there is nothing to install.
            fs::copy(&path, &target).map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}

/// Installs the tarball as a user would, replacing an installed package of the same version.
fn install(tarball: &Path, folder: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(folder.join("node_modules/vademecum"));
    let mut npm = Command::new(command::npm()?);
    npm.current_dir(folder).args([
        "install",
        "--no-save",
        "--offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]);
    command::output(npm.arg(tarball)).map(|_| ())
}
