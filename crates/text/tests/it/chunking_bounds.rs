//! Parsing and chunking take linear time for any input, so that no file can hang a page. A quadratic
//! algorithm would take minutes to hours on each of these.

use std::time::{Duration, Instant};
use vademecum::document::Format;
use vademecum::text::chunk::{Budget, chunk};
use vademecum::text::structure::{read, read_pages};

/// Large enough for a quadratic algorithm to take tens of billions of steps.
const MUCH: usize = 1 << 18;

/// Repeats `unit`.
fn filled(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len())
}

/// Generous, for slow machines and unoptimised builds.
fn in_time(name: &str, work: impl FnOnce() -> usize) {
    let started = Instant::now();
    let found = work();
    let took = started.elapsed();
    println!("{name}: {found} chunks in {took:?}");
    assert!(took < Duration::from_secs(60), "{name} took {took:?}");
}

fn every_format(name: &str, text: &str) {
    for format in [Format::Text, Format::Markdown, Format::Html] {
        in_time(&format!("{name} as {format:?}"), || {
            let structure = read(text.to_owned(), format).unwrap();
            let budget = Budget { overlap: 16, ..Budget::estimated(128) };
            chunk(&structure, &budget).len()
        });
    }
}

#[test]
fn one_line_without_a_space() {
    every_format("one word", &filled("a", MUCH));
    every_format("one word of a script without spaces", &filled("犬", MUCH));
    every_format("one grapheme", &filled("\u{301}", MUCH));
    every_format("one emoji", &filled("🐈\u{200d}", MUCH));
    every_format("flags", &filled("\u{1f1e6}", MUCH));
}

#[test]
fn full_stops_before_endless_brackets_and_digits() {
    every_format("brackets after a stop", &format!("a.{}", filled(")", MUCH)));
    every_format("marks after a stop", &format!("a.{}", filled("\u{301}", MUCH)));
    every_format("stops and digits", &filled(".)1", MUCH));
    every_format("white space after a stop", &format!("a.{}b", filled(" ", MUCH)));
    every_format("stops", &filled(".", MUCH));
    every_format("a word's apostrophes", &format!("a'{}", filled("\u{ad}", MUCH)));
}

#[test]
fn a_million_tiny_paragraphs() {
    every_format("paragraphs", &filled("a\n\n", MUCH));
    every_format("headings", &filled("# a\n\n", MUCH));
    every_format("headings with a word", &filled("# a\n\nb\n\n", MUCH));
    every_format("list items", &filled("- a\n", MUCH));
    every_format("blank lines", &format!("a{}b", filled("\n", MUCH)));
    every_format("pages", &filled("a\u{c}", MUCH));
}

#[test]
fn a_table_of_many_rows_and_one_of_many_columns() {
    every_format("rows", &format!("| a | b |\n|---|---|\n{}", filled("| 1 | 2 |\n", MUCH)));
    every_format("columns", &format!("{0}|\n{1}|\n{0}|\n", filled("| a ", MUCH), filled("|---", MUCH)));
    every_format("headers", &filled("| a |\n|---|\n", MUCH));
    let rows = filled("<tr><td>1</td><td>2</td></tr>", MUCH);
    every_format("HTML rows", &format!("<table><tr><th>a</th><th>b</th></tr>{rows}</table>"));
}

#[test]
fn unclosed_elements() {
    for tag in
        ["<div>", "<svg>", "<nav>", "<a href=x>", "<a href=x>b", "<li>", "<table><tr><td>", "<main>", "<pre>"]
    {
        let open = tag.repeat(40_000);
        every_format(tag, &format!("{open}text{}", "</p></nav>".repeat(40_000)));
    }
    every_format(
        "attributes",
        &format!("<p {}>text", (0..40_000).map(|n| format!("a{n}=1 ")).collect::<String>()),
    );
    every_format("comments", &filled("<!-- ", MUCH));
    every_format("entities", &filled("&amp;&nosuch;", MUCH));
}

#[test]
fn unclosed_links_and_code_spans() {
    for mark in [
        "[",
        "]",
        "[[",
        "](",
        "[a](",
        "[a](<",
        "[a][",
        "[a]: b\n",
        "<",
        "`",
        "` `` ``` ",
        "\\",
        "![",
        "[a][b] ",
    ] {
        every_format(mark, &filled(mark, MUCH));
    }
    let runs: String = (1..700).map(|count| format!("{} ", "`".repeat(count))).collect();
    every_format("runs of backticks", &runs);
    every_format("fences", &filled("```\na\n", MUCH));
    every_format("rules", &filled("---\n", MUCH));
}

#[test]
fn the_token_counter_is_never_called_with_a_whole_long_text() {
    let asked = std::cell::Cell::new(0);
    let count = |text: &str| {
        asked.set(asked.get() + text.len());
        text.split_whitespace().count()
    };
    let text = filled("One sentence of a few words, and another. ", MUCH);
    let structure = read(text, Format::Text).unwrap();
    let pieces = chunk(&structure, &Budget { count: &count, ..Budget::estimated(128) });
    assert!(pieces.len() > 100);
    assert!(asked.get() <= structure.text.len() * 2, "{} of {}", asked.get(), structure.text.len());
}

#[test]
fn many_pages() {
    let pages = vec!["It goes on".to_owned(); 50_000];
    in_time("pages", || chunk(&read_pages(&pages), &Budget::estimated(128)).len());
}
