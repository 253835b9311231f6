//! Logs as tables: each entry is a row with its time, its level, the part of the program that wrote it, and the message.

use super::dates;
use super::documents::name_stems;
use super::lines::Line;
use super::table::{Column, Source, Table, stem};
use serde_json::Value;
use vademecum_text::sentence::begins_log_entry;

/// Minimum and maximum number of entries of a log: a question reads all of them.
const MIN_ENTRIES: usize = 5;
const MAX_ENTRIES: usize = 20_000;
/// Maximum number of words before the message in which time and level are looked for.
const MAX_HEAD: usize = 6;
/// Maximum length of the name of a part of a program, in characters.
const MAX_SOURCE: usize = 40;
/// Words for the entries of a log.
const ENTRIES: &str = "log line entry message event";
/// Levels by the names that logs have for them.
const LEVELS: [(&str, &[&str]); 12] = [
    ("emergency", &["emerg", "emergency"]),
    ("alert", &["alert"]),
    ("panic", &["panic"]),
    ("critical", &["crit", "critical"]),
    ("fatal", &["fatal"]),
    ("severe", &["severe"]),
    ("error", &["err", "error"]),
    ("warning", &["warn", "warning", "wrn"]),
    ("notice", &["notice"]),
    ("info", &["info", "inf", "information"]),
    ("debug", &["debug", "dbg"]),
    ("trace", &["trace"]),
];

/// An entry of a log.
#[derive(Debug, PartialEq)]
struct Entry<'t> {
    time: String,
    level: &'static str,
    source: Option<&'t str>,
    message: &'t str,
}

/// Reads a whole text as a log, if most of its lines are entries, and none that begins with a time is anything else. The lines of an entry
/// behind its first are left out, which the name of the table tells.
pub(super) fn table(lines: &[Line]) -> Option<Table> {
    let there = lines.iter().filter(|line| !line.text.trim().is_empty());
    let found: Vec<(&Line, Entry<'_>)> =
        there.clone().filter_map(|line| Some((line, entry(&line.text)?))).collect();
    let left_out = there.clone().count() - found.len();
    let is_other = |line: &Line| entry(&line.text).is_none() && begins_log_entry(line.text.trim());
    if !(MIN_ENTRIES..=MAX_ENTRIES).contains(&found.len())
        || left_out > found.len()
        || there.clone().any(is_other)
    {
        return None;
    }
    let column = |name: &str, value: &dyn Fn(&Entry<'_>) -> Value| {
        Column::of(name, found.iter().map(|(_, entry)| value(entry)).collect())
    };
    let text = |text: &str| Value::String(text.to_owned());
    let mut columns = vec![
        column("time", &|entry| text(&entry.time)),
        column("level", &|entry| text(entry.level)),
        column("message", &|entry| if entry.message.is_empty() { Value::Null } else { text(entry.message) }),
    ];
    if found.iter().filter(|(_, entry)| entry.source.is_some()).count() * 2 > found.len() {
        columns.insert(2, column("source", &|entry| entry.source.map_or(Value::Null, text)));
    }
    let chunk = &found.first()?.0.hit.chunk;
    let name = chunk.title.clone().unwrap_or_else(|| chunk.doc_id.clone());
    let mut stems = name_stems(&name);
    stems.extend(ENTRIES.split(' ').map(stem));
    Some(Table {
        name: if left_out > 0 { format!("the entries of {name}") } else { name },
        collection: chunk.collection.clone(),
        files: Vec::new(),
        stems,
        columns,
        sources: found.iter().map(|(line, _)| Source::Passage(line.hit.clone(), line.span)).collect(),
        label: None,
    })
}

/// Reads a line as an entry: it begins with a time and a level, in any order and with or without brackets.
fn entry(line: &str) -> Option<Entry<'_>> {
    let (mut rest, mut day, mut time, mut level) = (line.trim(), None, None, None);
    // Words such as the name of a host stand between time and level; before a level without capitals or brackets they may be prose.
    let mut may_be_prose = false;
    for _ in 0..MAX_HEAD {
        if time.is_some() && level.is_some() {
            break;
        }
        let word = rest.split_whitespace().next()?;
        let bare = bare(word);
        if day.is_none() && dates::parse(bare, false).is_some() {
            day = Some(bare);
            // "2024-05-01T10:00:00Z" has both.
            time = dates::time_of_day(bare).map(|_| bare).or(time);
        } else if time.is_none() && dates::time_of_day(bare).is_some() {
            time = Some(bare);
        } else if level.is_none() && level_of(bare).is_some() {
            if may_be_prose && bare == word && bare.contains(char::is_lowercase) {
                return None;
            }
            level = level_of(bare);
        } else if !bare.is_empty() {
            if time.is_none() || level.is_some() {
                return None;
            }
            may_be_prose = true;
        }
        rest = rest.get(word.len()..)?.trim_start();
    }
    let time = match (day, time?) {
        (Some(day), time) if day != time => format!("{day} {time}"),
        (_, time) => time.to_owned(),
    };
    let level = level?;
    // What is left of "[INFO ]".
    let rest = rest.trim_start_matches([']', ')', '|', '-', ':', ' ']);
    let (source, message) = source(rest);
    Some(Entry { time, level, source, message })
}

/// Returns a word without the marks around it, and without the name of a field: "level=info".
fn bare(word: &str) -> &str {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    value.trim_matches(['[', ']', '(', ')', '<', '>', '|', ',', ':', '"', '-'])
}

fn level_of(word: &str) -> Option<&'static str> {
    let low = word.to_lowercase();
    let is = |(_, names): &&(&str, &[&str])| names.contains(&low.as_str());
    LEVELS.iter().find(is).map(|(name, _)| *name)
}

/// Splits a message at the name of what wrote it: "backup: done", "[db] ready".
fn source(text: &str) -> (Option<&str>, &str) {
    let named = match text.strip_prefix('[') {
        Some(inner) => inner.split_once(']'),
        None => text.split_once(": "),
    };
    match named {
        Some((name, message))
            if !name.is_empty()
                && name.chars().count() <= MAX_SOURCE
                && !name.contains(char::is_whitespace) =>
        {
            (Some(name), message.trim_start_matches([':', ' ']))
        }
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, &'static str, Option<&str>, &str)> {
        entry(line).map(|one| (one.time, one.level, one.source, one.message))
    }

    #[test]
    fn an_entry_begins_with_its_time_and_its_level_in_many_forms() {
        let time = "2024-05-01 10:00:07";
        for line in [
            "2024-05-01 10:00:07 ERROR smtp: mail refused",
            "2024-05-01 10:00:07 [ERROR] smtp: mail refused",
            "[2024-05-01 10:00:07] [ERR  ] [smtp] mail refused",
            "ERROR 2024-05-01 10:00:07 smtp: mail refused",
            "2024-05-01 10:00:07 | error | smtp: mail refused",
            "time=2024-05-01 10:00:07 level=error smtp: mail refused",
        ] {
            let wanted = (time.to_owned(), "error", Some("smtp"), "mail refused");
            assert_eq!(read(line), Some(wanted), "{line}");
        }
        let zulu = "2024-05-01T10:00:07.250Z";
        assert_eq!(
            read(&format!("{zulu} WARN disk is nearly full")),
            Some((zulu.to_owned(), "warning", None, "disk is nearly full"))
        );
        assert_eq!(read("10:00:07 TRACE"), Some(("10:00:07".to_owned(), "trace", None, "")));
        assert_eq!(read("10:00:07 INFO started"), Some(("10:00:07".to_owned(), "info", None, "started")));
    }

    #[test]
    fn other_lines_are_no_entries() {
        for line in [
            "",
            "2024-05-01",
            "2024-05-01 10:00:07 the error was found",
            "At 10:00:07 INFO came",
            "    at main (app.js:3)",
            "Error: no such file",
            "2024-05-01,Coop,error,12.50",
            "2024-05-01 10:00:07 Anna: Alert the team",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
