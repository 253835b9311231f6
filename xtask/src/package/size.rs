//! Sizes of what a page loads, with a check that they do not grow unnoticed.

use super::Part;
use crate::report::step;
use crate::{Result, command, npm, paths};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const RECORD: &str = "docs/sizes.json";
const PAGE: &str = "README.md";
const BEGIN: &str = "<!-- sizes: written by `cargo xtask package --record` -->\n";
const END: &str = "<!-- /sizes -->";

/// Tolerated growth over the record in percent; beyond it, packaging fails.
const TOLERATED: u64 = 5;

/// Sizes of one part in bytes, compressed with brotli.
#[derive(Clone, Copy)]
struct Size {
    javascript: u64,
    wasm: u64,
}

impl Size {
    fn total(self) -> u64 {
        self.javascript + self.wasm
    }

    fn read(sizes: &Value, part: &Part) -> Option<Self> {
        let of = |kind: &str| sizes.get(part.name)?.get(kind)?.as_u64();
        Some(Self { javascript: of("javascript")?, wasm: of("wasm")? })
    }
}

/// Measures the package in `folder`, shows the result, and compares it with the record, or updates the record.
pub fn check(folder: &Path, record: bool) -> Result<()> {
    step("Measuring what a page loads");
    let mut measure = Command::new(command::node()?);
    measure.arg(npm::folder().join("sizes.mjs")).arg(folder);
    let measured: Value = serde_json::from_str(&command::output(&mut measure)?)
        .map_err(|error| format!("sizes.mjs printed no JSON: {error}"))?;
    let earlier = recorded();
    let damaged = earlier.as_ref().map_or(Vec::new(), |earlier| damaged(&measured, earlier));
    if !damaged.is_empty() {
        return Err(damaged.join("\n"));
    }
    let recorded = if record { measured.clone() } else { earlier? };
    let mut rows = Vec::new();
    let mut grown = Vec::new();
    for part in &Part::ALL {
        let now = Size::read(&measured, part).ok_or(format!("sizes.mjs measured no {}", part.name))?;
        let before = Size::read(&recorded, part)
            .ok_or(format!("{RECORD} has no sizes of {}; `cargo xtask package --record`", part.name))?;
        println!(
            "  {:5} {} KB of JavaScript, {} KB of wasm, together {} KB; recorded {} KB",
            part.name,
            kilobytes(now.javascript),
            kilobytes(now.wasm),
            kilobytes(now.total()),
            kilobytes(before.total()),
        );
        grown.extend(growth(part, now, before));
        rows.push((part, now));
    }
    grown.extend(rows.iter().filter_map(|(part, now)| excess(part, *now)));
    if !grown.is_empty() {
        return Err(grown.join("\n"));
    }
    if record { write(&rows) } else { Ok(()) }
}

/// Returns the error for a build that has grown by more than is tolerated.
fn growth(part: &Part, now: Size, before: Size) -> Option<String> {
    let grown = now.total() * 100 > before.total() * (100 + TOLERATED);
    grown.then(|| {
        format!(
            "A page waits for {} KB ({}), and {} KB are recorded: more than {TOLERATED} % more. Make it smaller, \
             or record the new size with `cargo xtask package --record` and say in the commit what it is good for.",
            part.when,
            kilobytes(now.total()),
            kilobytes(before.total()),
        )
    })
}

/// Returns an error for each part that is less than half as large as recorded: a module of it was cut short, rather than made that much smaller.
fn damaged(measured: &Value, recorded: &Value) -> Vec<String> {
    let shrunk = |part: &&Part| {
        let (now, before) = (Size::read(measured, part)?, Size::read(recorded, part)?);
        (now.total() * 2 < before.total()).then(|| {
            format!(
                "{} has {} KB, less than half of the {} KB that are recorded. Remove `target/package` and package again; \
                 if it has become that small, remove it from {RECORD} first.",
                part.name,
                kilobytes(now.total()),
                kilobytes(before.total()),
            )
        })
    };
    Part::ALL.iter().filter_map(|part| shrunk(&part)).collect()
}

/// Returns the error for a build over its limit, recorded or not.
fn excess(part: &Part, now: Size) -> Option<String> {
    let limit = part.limit.filter(|limit| now.total() > limit * 1000)?;
    Some(format!(
        "A page waits for {} KB ({}), and the limit is {limit} KB.",
        kilobytes(now.total()),
        part.when
    ))
}

fn recorded() -> Result<Value> {
    let text = fs::read_to_string(paths::root().join(RECORD))
        .map_err(|error| format!("{RECORD}: {error}; `cargo xtask package --record` writes it"))?;
    serde_json::from_str(&text).map_err(|error| format!("{RECORD}: {error}"))
}

/// Writes the sizes into the record, and into the README's table.
fn write(rows: &[(&Part, Size)]) -> Result<()> {
    let mut record = serde_json::Map::new();
    for (part, Size { javascript, wasm }) in rows {
        record.insert(part.name.into(), json!({ "javascript": javascript, "wasm": wasm }));
    }
    let failed = |file: &str, error: std::io::Error| format!("{file}: {error}");
    let text = format!("{:#}\n", Value::Object(record));
    fs::write(paths::root().join(RECORD), text).map_err(|error| failed(RECORD, error))?;
    let page = paths::root().join(PAGE);
    let text = fs::read_to_string(&page).map_err(|error| failed(PAGE, error))?;
    let (before, rest) = text.split_once(BEGIN).ok_or(format!("{PAGE} has no line `{}`", BEGIN.trim()))?;
    let (_, after) = rest.split_once(END).ok_or(format!("{PAGE} has no line `{END}`"))?;
    fs::write(&page, format!("{before}{BEGIN}{}{END}{after}", table(rows)))
        .map_err(|error| failed(PAGE, error))
}

fn table(rows: &[(&Part, Size)]) -> String {
    let mut table = String::from("| loaded | JavaScript | wasm | together |\n|---|---|---|---|\n");
    for (part, size) in rows {
        table += &format!(
            "| {} | {} KB | {} KB | **{} KB** |\n",
            part.when,
            kilobytes(size.javascript),
            kilobytes(size.wasm),
            kilobytes(size.total())
        );
    }
    table
}

fn kilobytes(bytes: u64) -> String {
    format!("{}", bytes.div_ceil(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_less_than_half_its_recorded_size_is_damaged() {
        let [full, ..] = &Part::ALL;
        let sizes = |wasm: u64| json!({ full.name: { "javascript": 10_000, "wasm": wasm } });
        assert_eq!(damaged(&sizes(190_000), &sizes(390_000)), Vec::<String>::new());
        let told = damaged(&sizes(189_999), &sizes(390_000));
        assert!(told.iter().all(|told| told.contains("400 KB")) && told.len() == 1, "{told:?}");
        assert_eq!(damaged(&json!({}), &sizes(1)), Vec::<String>::new());
    }

    #[test]
    fn growth_is_told_above_five_percent_whichever_part_grew() {
        let [full, lite, ..] = &Part::ALL;
        let before = Size { javascript: 100_000, wasm: 900_000 };
        let now = |javascript, wasm| growth(lite, Size { javascript, wasm }, before);
        assert_eq!(now(100_000, 950_000), None);
        assert_eq!(now(50_000, 900_000), None);
        for told in [now(150_001, 900_000), now(100_000, 950_001)] {
            assert!(told.is_some_and(
                |told| told.contains("`vademecum/lite`") && told.contains("1000 KB are recorded")
            ));
        }
        assert!(growth(full, Size { javascript: 0, wasm: 2_000_000 }, before).is_some());
    }

    #[test]
    fn a_build_over_its_limit_is_told_even_where_it_is_recorded() {
        let [_, lite, agent, ..] = &Part::ALL;
        let of = |wasm| Size { javascript: 30_000, wasm };
        assert_eq!(excess(lite, of(320_000)), None);
        assert!(excess(lite, of(320_001)).is_some_and(|told| told.contains("the limit is 350 KB")));
        assert_eq!(excess(agent, of(9_000_000)), None);
    }

    #[test]
    fn the_record_knows_every_part_and_the_readme_tells_the_record() {
        let recorded = recorded().unwrap();
        let size = |part| (part, Size::read(&recorded, part).unwrap());
        let rows: Vec<_> = Part::ALL.iter().map(size).collect();
        let page = fs::read_to_string(paths::root().join(PAGE)).unwrap();
        assert!(
            page.contains(&format!("{BEGIN}{}{END}", table(&rows))),
            "{PAGE} tells other sizes than {RECORD}"
        );
    }
}
