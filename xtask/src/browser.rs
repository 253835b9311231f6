//! The browsers that tests run in, and their drivers.

use crate::report::step;
use crate::{Result, command, paths};
use std::path::PathBuf;
use std::process::Command;

const GECKODRIVER: &str = "0.37.1";

pub struct Browser {
    pub chromium: PathBuf,
    pub driver: PathBuf,
}

/// Finds both, or installs them on machines with Debian packages.
pub fn ready() -> Result<Browser> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    if command::can_apt() {
        step("Installing Chromium and its driver from Debian's packages");
        command::apt_install(&["chromium", "chromium-driver"])?;
    }
    find().ok_or_else(|| {
        "Chromium with ChromeDriver is not installed. Install both with:\n    \
         apt-get install chromium chromium-driver        (Debian, Ubuntu)\n    \
         brew install --cask chromium chromedriver       (macOS)\n\
         or name them: CHROMIUM=/path/to/chrome CHROMEDRIVER=/path/to/chromedriver"
            .into()
    })
}

fn find() -> Option<Browser> {
    let chromium = named("CHROMIUM")
        .or_else(|| command::find(&["chromium", "chromium-browser", "google-chrome", "chrome"]));
    let driver = named("CHROMEDRIVER").or_else(|| command::find(&["chromedriver", "chromium-driver"]));
    Some(Browser { chromium: chromium?, driver: driver? })
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

/// Returns the driver of Firefox, which finds Firefox by itself; or the reason why there is none, which is no error, because
/// Firefox is optional for contributors.
pub fn firefox() -> Result<PathBuf> {
    let is_there = || command::find(&["firefox", "firefox-esr"]).is_some();
    if !is_there() && command::can_apt() {
        step("Installing Firefox from Debian's packages");
        command::apt_install(&["firefox-esr"])?;
    }
    if !is_there() {
        return Err("Firefox was not found: it is not installed, or not on the PATH.".into());
    }
    named("GECKODRIVER").or_else(|| command::find(&["geckodriver"])).map_or_else(build_geckodriver, Ok)
}

/// Debian has no package of it; the crate is Mozilla's own.
fn build_geckodriver() -> Result<PathBuf> {
    let home = paths::cache().join("tools").join(format!("geckodriver-{GECKODRIVER}"));
    let driver = home.join("bin").join(format!("geckodriver{}", std::env::consts::EXE_SUFFIX));
    if !driver.is_file() {
        step(format!("Building Firefox's driver {GECKODRIVER} (about two minutes, once)"));
        let mut install = Command::new("cargo");
        // An unoptimised build takes half the time, and its speed does not matter.
        install.args(["install", "geckodriver", "--version", GECKODRIVER, "--locked", "--debug", "--root"]);
        install.arg(&home).env_remove("CARGO_TARGET_DIR").env("CARGO_PROFILE_DEV_DEBUG", "0");
        command::output(&mut install)?;
    }
    Ok(driver)
}
