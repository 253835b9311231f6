//! Questions over logs: their entries are counted, ordered and listed exactly, without a model.

use super::tables::asked;
use vademecum::cancel::Cancel;
use vademecum::document::{DEFAULT_COLLECTION, Document};
use vademecum::engine::KnowledgeBase;
use vademecum_testing::block_on;

/// A log of 90 entries in several passages: errors at minutes 7, 27, 47 and 67, warnings at every tenth.
fn log() -> String {
    let entry = |minute: usize| {
        let (hour, minute_of_hour) = (3 + minute / 60, minute % 60);
        let said = match minute {
            7 | 47 => "[ERROR] mailer: could not deliver to the admin, connection refused",
            27 | 67 => "[ERROR] backup: snapshot of the photos failed",
            one if one % 10 == 0 => "[WARN ] disk: volume is nearly full",
            _ => "[INFO ] web: request served",
        };
        format!("2024-05-02 {hour:02}:{minute_of_hour:02}:00 {said}")
    };
    (0..90).map(entry).collect::<Vec<_>>().join("\n")
}

fn library() -> KnowledgeBase {
    let kb = vademecum_testing::kb(None);
    let log = Document { title: Some("heron-server.log".into()), ..Document::new("heron-server.log", log()) };
    let notes = Document::new(
        "notes.md",
        "The server is a small box below the stairs.\n\nErrors are mailed to the admin.",
    );
    block_on(kb.add(DEFAULT_COLLECTION, vec![log, notes], &Cancel::default(), &|_| {})).unwrap();
    kb
}

#[test]
fn entries_of_a_log_are_counted_by_their_level_across_passages() {
    let kb = library();
    for (question, said) in [
        ("How many errors are in the log?", "There are 4 rows in heron-server.log with level error."),
        (
            "how many warnings were there in the server log",
            "There are 9 rows in heron-server.log with level warning.",
        ),
        (
            "How many backup errors are in the log?",
            "There are 2 rows in heron-server.log with source backup and level error.",
        ),
    ] {
        let answer = asked(&kb, question).answer.unwrap_or_default();
        assert!(answer.starts_with(said), "{question}: {answer}");
    }
}

#[test]
fn the_first_and_the_last_entry_are_found_by_the_time_of_day() {
    let kb = library();
    for (question, time) in [
        ("When did the first error happen?", "2024-05-02 03:07:00"),
        ("when was the last error logged", "2024-05-02 04:07:00"),
        ("When was the last warning in the log?", "2024-05-02 04:20:00"),
    ] {
        let result = asked(&kb, question);
        let answer = result.answer.unwrap_or_default();
        assert!(answer.contains(time) && answer.lines().count() == 1, "{question}: {answer}");
        let quoted = result.citations.first().and_then(|one| one.quote).unwrap();
        let units: Vec<u16> = log().encode_utf16().collect();
        assert!(
            String::from_utf16(&units[quoted.start..quoted.end]).unwrap().starts_with(time),
            "{question}"
        );
    }
}
