//! What no compiler checks: how long a file may be, that nothing names another origin, that telemetry is off, that each error code is documented.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let skipped = path.file_name().is_some_and(|name| name == "node_modules");
            if path.is_dir() && !skipped {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
            {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(root()).unwrap().to_owned(), text));
            }
        }
    }
    found
}

#[test]
fn no_file_is_longer_than_500_lines() {
    for folder in ["src", "crates", "tests", "www", "xtask/src"] {
        for (path, text) in files(folder, &["rs", "js", "mjs", "ts", "css", "html"]) {
            assert!(text.lines().count() <= 500, "{} has {} lines", path.display(), text.lines().count());
        }
    }
}

#[test]
fn nothing_that_is_shipped_names_another_origin() {
    for folder in [
        "crates/web",
        "crates/web-agent",
        "crates/web-encoder",
        "crates/web-engine",
        "crates/web-files",
        "crates/web-html",
        "crates/web-index",
        "crates/web-parts",
        "www",
    ] {
        for (path, text) in files(folder, &["js", "mjs", "html", "css", "rs"]) {
            for address in
                text.split("http").skip(1).filter(|rest| rest.starts_with("://") || rest.starts_with("s://"))
            {
                let host = address.split("://").nth(1).unwrap();
                let harmless = ["localhost", "127.0.0.1", "www.w3.org", " or ", "${", "{0}", "."];
                assert!(
                    harmless.iter().any(|known| host.starts_with(known)),
                    "{}: http{}",
                    path.display(),
                    &address[..40.min(address.len())]
                );
            }
        }
    }
}

#[test]
fn telemetry_is_switched_off_where_the_runtime_is_started() {
    let mut starts = 0;
    for (path, text) in files("crates", &["rs"]) {
        for rest in text.split("ort::init").skip(1) {
            // The chain of calls, up to where its errors are handled.
            let chain = rest.split(".build()").next().unwrap();
            assert!(chain.contains(".with_telemetry(false)"), "{}: ort::init{chain}", path.display());
            starts += 1;
        }
    }
    assert_eq!(starts, 2, "one start in a browser, one natively");
    for (path, text) in files("crates", &["rs", "js"]) {
        // What stands in the place of the crate's own says no, and nothing else.
        if path.ends_with("ort-web/_telemetry.js") {
            let code: Vec<&str> =
                text.lines().filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
            assert_eq!(code, ["export const trackSessionInit = () => false;"]);
            continue;
        }
        assert!(!text.contains("trackSessionInit"), "{}", path.display());
    }
}

#[test]
fn every_error_code_is_in_the_readme_and_every_one_there_is_real() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let source = read("crates/protocol/src/error/code.rs");
    let codes = source.split("pub fn code").nth(1).unwrap().split("pub fn retryable").next().unwrap();
    let mut real: Vec<String> =
        codes.split("=> \"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    let list = source.split("const CODES").nth(1).unwrap().split("];").next().unwrap();
    for code in &real {
        assert!(list.contains(&format!("\"{code}\"")), "CODES lacks {code}: it could not be relayed");
    }
    // Every other declared code must occur in JavaScript, or in the file of the one crate that makes the error.
    let declared = read("crates/web/js/generated/error-codes.d.ts");
    let declared = declared.lines().filter_map(|line| line.trim().strip_prefix("| \"")?.split('"').next());
    let mut made: String = files("crates/web/js", &["js"]).into_iter().map(|(_, text)| text).collect();
    for file in [
        "agent/src/errors.rs",
        "encoder/src/errors.rs",
        "engine/src/memory.rs",
        "eval/src/errors.rs",
        "files/src/refusal.rs",
    ] {
        made.push_str(&read(&format!("crates/{file}")));
    }
    for code in declared.filter(|code| !real.iter().any(|one| one == code)).collect::<Vec<_>>() {
        assert!(made.contains(&format!("\"{code}\"")), "nothing makes the error `{code}`");
        real.push(code.to_owned());
    }
    let readme = read("README.md");
    let table =
        readme.split("| code |").nth(1).expect("a table of error codes").split("\n\n").next().unwrap();
    let documented: Vec<String> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .map(str::to_owned)
        .collect();
    real.sort();
    assert_eq!(real, documented, "the README's table, in the order of the alphabet");
}
