//! `cargo xtask bench`: the release build against peers from npm, written to `docs/benchmarks.md`.

use crate::report::step;
use crate::{Result, browser, build, cli, command, eval, npm, package, paths, test};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const SECTIONS: [&str; 8] =
    ["vectors", "keywords", "open", "embedding", "first-hit", "page", "pagefind", NATIVE];

/// The section of the encoder outside the browser, which needs no build of the package.
const NATIVE: &str = "native-embedding";

/// The section of libraries in parts, which are measured outside the browser.
const PARTS: &str = "parts";

/// The sections of libraries that `bench parts` writes, which take numbers of passages.
const OF_LIBRARIES: [&str; 3] = ["kept", "line", BESIDE];

/// The section with other engines that hold the vectors of a library.
const BESIDE: &str = "beside";

/// The sections that run in a browser.
const IN_BROWSER: [&str; 7] = ["embedding", "first-hit", "page", "pagefind", "kept", "line", BESIDE];

/// The labelled passages, in a folder beside the project.
const DATA: &str = "../shared/data/wiki-multihop";

/// Sizes that the labelled set is enlarged to by `bench parts`, unless others are given.
const ENLARGED: [usize; 1] = [100_000];

pub fn run(arguments: &[String]) -> Result<()> {
    match arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some((PARTS, sizes)) => return parts(sizes),
        Some((section, sizes)) if OF_LIBRARIES.contains(&section) => return of_libraries(section, sizes),
        _ => {}
    }
    let mut options = Options::of(arguments)?;
    let folder = paths::root().join("benches/peers");
    if options.report_only {
        return compare(&folder, &options);
    }
    command::check_prerequisites(true)?;
    npm::install(&folder, "the peers")?;
    if !options.peers_only && options.sections != [NATIVE] {
        match options.wants(&IN_BROWSER) {
            // As it is shipped: each worker is one file, which takes a page half as long to load.
            true => package::run(&["--site".to_owned()])?,
            false => build::site(true)?,
        }
        if options.wants(&["vectors"]) && !options.quick && options.graph.is_none() {
            options.graph = Some(large_graph(&folder)?);
        }
    }
    compare(&folder, &options)
}

/// Measures libraries in parts, which needs neither peers nor a browser.
fn parts(sizes: &[String]) -> Result<()> {
    let sizes = numbers(PARTS, sizes)?;
    let own = eval::labelled_in_parts()?;
    publish(&own)?;
    enlarged(if sizes.is_empty() { &ENLARGED } else { &sizes })
}

/// Measures enlarged libraries in parts.
fn enlarged(sizes: &[usize]) -> Result<()> {
    eval::enlarged(sizes)?;
    publish(sizes)
}

/// Writes what was measured of libraries in parts to the published figures.
fn publish(sizes: &[usize]) -> Result<()> {
    if sizes.is_empty() {
        return Ok(());
    }
    let libraries = sizes.iter().map(|size| written(*size)).collect();
    let options = Options { sections: vec![PARTS.to_owned()], libraries, ..Options::default() };
    compare(&paths::root().join("benches/peers"), &options)
}

/// Measures libraries in parts in a browser; those that `bench parts` has not written are written first.
fn of_libraries(section: &str, sizes: &[String]) -> Result<()> {
    let sizes = numbers(section, sizes)?;
    let sizes = if sizes.is_empty() { ENLARGED.as_slice() } else { &sizes };
    let is_written =
        |size: usize| ["questions.json", "vectors.f32"].iter().all(|file| written(size).join(file).is_file());
    let missing: Vec<usize> = sizes.iter().copied().filter(|size| !is_written(*size)).collect();
    command::check_prerequisites(true)?;
    enlarged(&missing)?;
    let folder = paths::root().join("benches/peers");
    npm::install(&folder, "the peers")?;
    build::site(true)?;
    let libraries = sizes.iter().map(|size| written(*size)).collect();
    compare(&folder, &Options { sections: vec![section.to_owned()], libraries, ..Options::default() })
}

/// Returns the folder that `bench parts` writes a library of so many passages to.
fn written(passages: usize) -> PathBuf {
    let digits = passages.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    eval::parts_folder().join(grouped)
}

fn numbers(section: &str, sizes: &[String]) -> Result<Vec<usize>> {
    let number = |size: &String| {
        size.parse()
            .map_err(|_| format!("`bench {section}` takes numbers of passages, such as 100000, not `{size}`"))
    };
    sizes.iter().map(number).collect()
}

/// Ratios of the smoke run, as JSON pointers into its results, with floors: how much faster a library is opened than Orama's. Both sides of a
/// ratio are measured alternately in one process, so that a busy machine slows both. The floors are a quarter of what a busy machine gave,
/// since a single round scatters; what falls below one has become several times as slow. Ratios of keyword search are not among
/// them: on a set this small they vary by more than that.
const FLOORS: [(&str, f64); 2] = [("/open/ratio/open/median", 20.0), ("/open/ratio/imported/median", 10.0)];

/// Runs the sections that need no browser on the project's own small set, with the built site's package: its times are meaningless,
/// but errors are found, and ratios below their floors. Without the set, the same sections have to fail before they measure anything.
pub fn smoke() -> Result<()> {
    let folder = paths::root().join("benches/peers");
    npm::install(&folder, "the peers")?;
    let sections = ["vectors", "keywords", "open"].map(str::to_owned).to_vec();
    let options = Options { sections, quick: true, data: Some(eval::labelled()?), ..Options::default() };
    compare(&folder, &options)?;
    let results = paths::target().join("bench/benchmarks.json");
    let text =
        std::fs::read_to_string(&results).map_err(|error| format!("{}: {error}", results.display()))?;
    below_floor(&serde_json::from_str(&text).map_err(|error| format!("{}: {error}", results.display()))?)?;
    if eval::runtime().is_ok() {
        compare(&folder, &Options { sections: vec![NATIVE.to_owned()], quick: true, ..Options::default() })?;
        // Some dozen passages, in the browser's storage.
        let libraries = vec![written(eval::small_in_parts()?)];
        let sections = [PARTS].iter().chain(&OF_LIBRARIES).map(|section| (*section).to_owned()).collect();
        compare(&folder, &Options { sections, quick: true, libraries, ..Options::default() })?;
    }
    compare(&folder, &Options { sections: vec!["page".to_owned()], quick: true, ..Options::default() })?;
    let nowhere = Options { data: Some(paths::root().join("docs")), ..options };
    match compare(&folder, &nowhere) {
        Err(_) => Ok(()),
        Ok(()) => Err("`bench` did not fail where the passages that it measures on are missing".into()),
    }
}

/// Fails if a ratio is below its floor, or missing.
fn below_floor(results: &Value) -> Result<()> {
    for (pointer, floor) in FLOORS {
        let ratio = results.pointer(pointer).and_then(Value::as_f64);
        let ratio = ratio.ok_or_else(|| format!("the smoke run of `bench` has no ratio at {pointer}"))?;
        if ratio < floor {
            return Err(format!(
                "{pointer} is {ratio:.1} in the smoke run of `bench`, and at least {floor} was expected: find what became slower with \
                 `cargo xtask bench {}`",
                pointer.split('/').nth(1).unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// The arguments; paths as the user wrote them.
#[derive(Default)]
struct Options {
    sections: Vec<String>,
    quick: bool,
    peers_only: bool,
    report_only: bool,
    data: Option<PathBuf>,
    vectors: Option<PathBuf>,
    graph: Option<PathBuf>,
    /// Libraries in parts.
    libraries: Vec<PathBuf>,
}

impl Options {
    /// Whether one of `sections` is to run; default: all.
    fn wants(&self, sections: &[&str]) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|section| sections.contains(&section.as_str()))
    }

    fn of(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--peers-only" => options.peers_only = true,
                "--report-only" => options.report_only = true,
                "--data" => options.data = Some(existing(argument, rest.next())?),
                "--vectors" => options.vectors = Some(existing(argument, rest.next())?),
                "--graph" => options.graph = Some(existing(argument, rest.next())?),
                section if SECTIONS.contains(&section) => options.sections.push(section.to_owned()),
                other => {
                    return Err(format!(
                        "`bench` takes {}, --quick, --data DIR, --vectors FILE, --graph FILE, --peers-only and --report-only, not `{other}`",
                        SECTIONS.join(", ")
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn existing(option: &str, value: Option<&String>) -> Result<PathBuf> {
    let value = value.ok_or_else(|| format!("{option} takes a path, and none came"))?;
    Path::new(value).canonicalize().map_err(|error| format!("{option} {value}: {error}"))
}

/// Builds the graph over a hundred thousand vectors, which would take a page most of an hour.
fn large_graph(folder: &Path) -> Result<PathBuf> {
    let kept = paths::target().join("bench");
    std::fs::create_dir_all(&kept).map_err(|error| format!("{}: {error}", kept.display()))?;
    let (vectors, graph) = (kept.join("large.f32"), kept.join("large.graph"));
    if graph.is_file() {
        return Ok(graph);
    }
    step("Building a graph over 100,000 vectors natively: some minutes, once");
    let mut make = Command::new(command::node()?);
    command::run(make.arg(folder.join("synthetic.mjs")).arg("100000").arg(&vectors))?;
    let mut build = Command::new("cargo");
    build.current_dir(paths::root()).args(["run", "--profile", "eval", "--example", "graph", "--", "384"]);
    let partial = graph.with_extension("partial");
    command::run(build.arg(&vectors).arg(&partial))?;
    std::fs::rename(&partial, &graph).map_err(|error| format!("{}: {error}", graph.display()))?;
    Ok(graph)
}

/// Runs the comparisons. A quick run does not change the published figures.
fn compare(folder: &Path, options: &Options) -> Result<()> {
    let out = if options.quick { paths::target().join("bench") } else { paths::root().join("docs") };
    let mut node = Command::new(command::node()?);
    node.current_dir(paths::root()).arg(folder.join("run.mjs")).arg("--out").arg(&out);
    if options.quick {
        node.arg("--quick");
    }
    if options.report_only {
        node.arg("--report-only");
    }
    let is_named = options.sections.iter().any(|section| section == NATIVE);
    let has_runtime = is_named || options.sections.is_empty() && eval::runtime().is_ok();
    if has_runtime && !options.peers_only && !options.report_only {
        for word in eval::timed(!options.quick)? {
            let mut named = OsString::from("--native=");
            named.push(word);
            node.arg(named);
        }
    }
    if !options.peers_only && options.sections != [NATIVE] {
        node.arg("--module").arg(paths::site().join("vademecum"));
        if options.wants(&IN_BROWSER) && !options.report_only {
            node.env("CHROMIUM", browser::ready()?.chromium);
        }
        if options.wants(&["pagefind"]) && !options.report_only {
            // In the profile of the tests, which have compiled it; it embeds for minutes, once.
            node.arg("--program").arg(cli::program(&["--features", "cli"])?);
        }
    }
    for library in &options.libraries {
        node.arg("--library").arg(library);
    }
    if options.wants(&[BESIDE])
        && !options.libraries.is_empty()
        && let Some(chroma) = test::chroma()
    {
        node.arg("--chroma").arg(chroma).arg("--python").arg(command::python()?);
    }
    let beside = paths::root().join(DATA);
    let data = options.data.clone().or_else(|| beside.is_dir().then_some(beside));
    for (name, path) in [("--data", &data), ("--vectors", &options.vectors), ("--graph", &options.graph)] {
        if let Some(path) = path {
            node.arg(name).arg(path);
        }
    }
    command::run(node.args(&options.sections))?;
    step(format!("Written to {}", out.join("benchmarks.md").display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::below_floor;
    use serde_json::json;

    #[test]
    fn a_ratio_below_its_floor_fails_and_so_does_a_missing_one() {
        let results = |open: f64| json!({ "open": { "ratio": { "open": { "median": open }, "imported": { "median": 30.0 } } } });
        assert_eq!(below_floor(&results(40.0)), Ok(()));
        let slow = below_floor(&results(4.0)).unwrap_err();
        assert!(
            slow.starts_with("/open/ratio/open/median is 4.0") && slow.ends_with("`cargo xtask bench open`")
        );
        let none = below_floor(&json!({ "open": { "ratio": { "open": { "median": null } } } })).unwrap_err();
        assert!(none.contains("no ratio at /open/ratio/open/median"));
    }
}
