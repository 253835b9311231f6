//! Rust for wasm32: the standard library of the target, and `wasm-bindgen` of the pinned version.

use crate::report::step;
use crate::{Result, command, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// A cargo that can build for wasm32.
pub enum Toolchain {
    /// The cargo that runs this command.
    Ordinary,
    /// Debian's, under /usr, with a standard library built from its sources.
    Debian,
}

impl Toolchain {
    /// Finds a toolchain, or sets one up: by rustup, else from Debian's packages.
    pub fn ready() -> Result<Self> {
        let rustup_off = std::env::var("VADEMECUM_RUSTUP").is_ok_and(|value| value == "off");
        if !rustup_off {
            if has_target("rustc") {
                return Ok(Self::Ordinary);
            }
            if command::find(&["rustup"]).is_some() {
                step(format!("Adding the Rust target {TARGET}"));
                let added = command::output(Command::new("rustup").args(["target", "add", TARGET]));
                if added.is_ok() && has_target("rustc") {
                    return Ok(Self::Ordinary);
                }
            }
        }
        if has_target("/usr/bin/rustc") {
            return Ok(Self::Debian);
        }
        if command::can_apt() {
            debian()?;
            return Ok(Self::Debian);
        }
        Err(format!(
            "Rust's target {TARGET} is not installed. Install it with:\n    rustup target add {TARGET}"
        ))
    }

    /// The same with the sources of the standard library, which is compiled into the shipped modules.
    pub fn with_sources() -> Result<Self> {
        if let Self::Ordinary = Self::ready()? {
            if has_sources("rustc") {
                return Ok(Self::Ordinary);
            }
            step("Adding the sources of Rust's standard library");
            let added = command::output(Command::new("rustup").args(["component", "add", "rust-src"]));
            if added.is_ok() && has_sources("rustc") {
                return Ok(Self::Ordinary);
            }
        }
        if has_sources("/usr/bin/rustc") {
            return Ok(Self::Debian);
        }
        if command::can_apt() {
            step("rustup cannot add them; installing Debian's Rust with its sources");
            command::apt_install(&DEBIAN)?;
            return Ok(Self::Debian);
        }
        Err("The sources of Rust's standard library are not installed. Install them with:\n    rustup component add rust-src".into())
    }

    /// Returns a `cargo` command for wasm32, in the project's root.
    pub fn cargo(&self) -> Command {
        let mut cargo = match self {
            Self::Ordinary => Command::new("cargo"),
            Self::Debian => debian_cargo(),
        };
        cargo.current_dir(paths::root());
        cargo
    }
}

fn has_target(rustc: &str) -> bool {
    let printed = command::output(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    printed.is_ok_and(|folder| {
        let entries = std::fs::read_dir(folder.trim());
        entries.is_ok_and(|mut entries| {
            entries.any(|entry| {
                entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
            })
        })
    })
}

fn has_sources(rustc: &str) -> bool {
    let printed = command::output(Command::new(rustc).args(["--print", "sysroot"]));
    printed.is_ok_and(|folder| {
        Path::new(folder.trim()).join("lib/rustlib/src/rust/library/std/Cargo.toml").is_file()
    })
}

/// Debian's packages of Rust for wasm32.
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

fn debian_cargo() -> Command {
    let mut cargo = Command::new("/usr/bin/cargo");
    // Variables of the calling cargo's toolchain must not affect this one.
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC_WRAPPER"] {
        cargo.env_remove(variable);
    }
    cargo.env("RUSTC", "/usr/bin/rustc").env("RUSTDOC", "/usr/bin/rustdoc");
    if let Some(linker) = rust_lld() {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    cargo
}

/// Returns the linker of the ordinary toolchain, or LLVM's own.
fn rust_lld() -> Option<PathBuf> {
    let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"])).ok()?;
    let rustlib = Path::new(sysroot.trim()).join("lib/rustlib");
    let hosts = std::fs::read_dir(rustlib).ok()?;
    let own =
        hosts.filter_map(|host| Some(host.ok()?.path().join("bin/rust-lld"))).find(|linker| linker.is_file());
    own.or_else(|| command::find(&["rust-lld", "wasm-ld"]))
}

/// Builds wasm's standard library once: Debian ships its sources, but not the library.
fn debian() -> Result<()> {
    step("rustup cannot add the target; installing Debian's Rust with its sources");
    command::apt_install(&DEBIAN)?;
    step(format!("Building Rust's standard library for {TARGET} (about a minute)"));
    let folder = paths::target().join("wasm-std");
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder).to_owned();
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n",
    )?;
    write("src/lib.rs", "#![no_std]\n")?;
    let mut cargo = debian_cargo();
    cargo
        .current_dir(&folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // Without bitcode, link-time optimisation fails later.
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Cembed-bitcode=yes")
        .args(["build", "--release", "-Zbuild-std=std,panic_abort,test", "--target", TARGET]);
    command::output(&mut cargo)?;
    let built = folder.join("target").join(TARGET).join("release/deps");
    let to = PathBuf::from("/usr/lib/rustlib").join(TARGET).join("lib");
    std::fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    let libraries = std::fs::read_dir(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    // `core` is copied last, because later runs check for it.
    let mut files: Vec<PathBuf> =
        libraries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort_by_key(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libcore-"))
    });
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rlib")) {
        let name = file.file_name().unwrap_or_default();
        if !name.to_string_lossy().starts_with("libempty-") {
            std::fs::copy(file, to.join(name)).map_err(|error| format!("{}: {error}", to.display()))?;
        }
    }
    // cargo does not detect that the standard library changed.
    let _ = std::fs::remove_dir_all(paths::target().join(TARGET));
    Ok(())
}

/// Returns the folder with `wasm-bindgen` and its test runner, of the version in the lock file.
pub fn wasm_bindgen() -> Result<PathBuf> {
    let version = locked_version("wasm-bindgen")?;
    let home = paths::cache().join("tools").join(format!("wasm-bindgen-{version}"));
    let is_right = |folder: &Path| {
        let printed = command::output(Command::new(folder.join("wasm-bindgen")).arg("--version"));
        printed.is_ok_and(|line| line.split_whitespace().nth(1) == Some(version.as_str()))
            && folder.join(format!("wasm-bindgen-test-runner{}", std::env::consts::EXE_SUFFIX)).is_file()
    };
    let on_path = command::find(&["wasm-bindgen"]).and_then(|file| file.parent().map(Path::to_owned));
    if let Some(folder) = on_path.into_iter().chain([home.join("bin")]).find(|folder| is_right(folder)) {
        return Ok(folder);
    }
    step(format!("Building wasm-bindgen {version} (about three minutes, once)"));
    let mut install = Command::new("cargo");
    install.args(["install", "wasm-bindgen-cli", "--version", &version, "--root"]).arg(&home);
    command::run(install.env_remove("CARGO_TARGET_DIR"))?;
    Ok(home.join("bin"))
}

/// Returns the version of a library in the lock file.
pub fn locked_version(name: &str) -> Result<String> {
    let lock = std::fs::read_to_string(paths::root().join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock: {error}"))?;
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = \"{name}\""));
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| format!("Cargo.lock names no version of {name}"))
}
