//! `cargo xtask bench`: the release build against peers from npm, written to `docs/benchmarks.md`.

use crate::report::step;
use crate::{Result, browser, build, command, eval, npm, paths};
use std::path::{Path, PathBuf};
use std::process::Command;

const SECTIONS: [&str; 5] = ["vectors", "keywords", "open", "embedding", "first-hit"];

/// The sections that run in a browser.
const IN_BROWSER: [&str; 2] = ["embedding", "first-hit"];

/// The labelled passages, in a folder beside the project.
const DATA: &str = "../shared/data/wiki-multihop";

pub fn run(arguments: &[String]) -> Result<()> {
    let mut options = Options::of(arguments)?;
    let folder = paths::root().join("benches/peers");
    if options.report_only {
        return compare(&folder, &options);
    }
    command::check_prerequisites(true)?;
    npm::install(&folder, "the peers")?;
    if !options.peers_only {
        build::site(true)?;
        if options.wants(&["vectors"]) && !options.quick && options.graph.is_none() {
            options.graph = Some(large_graph(&folder)?);
        }
    }
    compare(&folder, &options)
}

/// Runs the sections that need no browser on the project's own small set, with the built site's package: the figures are meaningless,
/// but errors are found. Without the set, the same sections have to fail before they measure anything.
pub fn smoke() -> Result<()> {
    let folder = paths::root().join("benches/peers");
    npm::install(&folder, "the peers")?;
    let sections = ["vectors", "keywords", "open"].map(str::to_owned).to_vec();
    let options = Options { sections, quick: true, data: Some(eval::labelled()?), ..Options::default() };
    compare(&folder, &options)?;
    let nowhere = Options { data: Some(paths::root().join("docs")), ..options };
    match compare(&folder, &nowhere) {
        Err(_) => Ok(()),
        Ok(()) => Err("`bench` did not fail where the passages that it measures on are missing".into()),
    }
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
    if !options.peers_only {
        node.arg("--module").arg(paths::site().join("vademecum"));
        if options.wants(&IN_BROWSER) && !options.report_only {
            node.env("CHROMIUM", browser::ready()?.chromium);
        }
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
