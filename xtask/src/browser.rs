//! Chromium and its driver.

use crate::report::step;
use crate::{Result, command};
use std::path::PathBuf;

pub struct Browser {
    pub chromium: PathBuf,
    pub driver: PathBuf,
}

/// Finds both, or installs them where Debian's packages may be.
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
    let named = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let chromium = named("CHROMIUM")
        .or_else(|| command::find(&["chromium", "chromium-browser", "google-chrome", "chrome"]));
    let driver = named("CHROMEDRIVER").or_else(|| command::find(&["chromedriver", "chromium-driver"]));
    Some(Browser { chromium: chromium?, driver: driver? })
}
