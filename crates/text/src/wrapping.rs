//! Tells lines that end where their writer wanted, as those of logs, lists and settings, from prose that is wrapped at a width.

use super::sentence::begins_log_entry;

/// Minimum number of lines of which that can be told.
const MIN_LINES: usize = 3;

/// Returns whether the lines of a block stand for themselves: most begin as an entry does, and most end although the next word would have fitted.
pub(crate) fn are_entries(block: &str) -> bool {
    let lines: Vec<&str> = block.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let length = |line: &str| line.chars().count();
    let Some(width) = lines.iter().map(|line| length(line)).max().filter(|_| lines.len() >= MIN_LINES) else {
        return false;
    };
    let ends_early = |pair: &&[&str]| {
        let [line, next] = pair else { return false };
        let word = next.split_whitespace().next().unwrap_or_default();
        length(line) + 1 + length(word) <= width
    };
    let breaks = lines.len() - 1;
    let early = lines.windows(2).filter(ends_early).count();
    let begun = lines.iter().skip(1).filter(|line| begins_entry(line)).count();
    early * 2 >= breaks && begun * 5 >= breaks * 4
}

/// Returns whether a line begins as an entry does, and not as the rest of a sentence: with anything but a word or the mark of a quotation,
/// with a name and its value, or with a time.
fn begins_entry(line: &str) -> bool {
    let is_named = || {
        let word = line.split_whitespace().next().unwrap_or_default();
        let behind = line.get(word.len()..).unwrap_or_default().trim_start();
        word.ends_with(':') || word.contains('=') || behind.starts_with(['=', ':'])
    };
    let is_word = |letter: char| letter.is_alphabetic() || letter == '>';
    !line.starts_with(is_word) || is_named() || begins_log_entry(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_told_from_wrapped_prose() {
        for entries in [
            "09:00:01 INFO started\n09:00:02 WARN the disk of the server is nearly full\n09:00:07 INFO stopped",
            "host: burrow\nport: 8443\n# of the guests\nguest:\n  enabled: true\n  name: Rabbithole",
            "May 01 10:00:07 host: up\nMay 01 10:00:08 host: a longer entry of the log\nMay 01 10:00:09 host: down",
            "key = 1\nother = a longer value\nthird = 3",
            "{\n  \"host\": \"burrow\",\n  \"port\": 8443\n}",
        ] {
            assert!(are_entries(entries), "{entries}");
        }
        for prose in [
            "The mill stood by the river for two\nhundred years. In 1950 it was sold to a\nfamily from the town, who let it fall.",
            "It was sold,\nas nobody wanted it any more,\nto a family.",
            "Dear Ruth,\nThanks for the plan of the garden, it came on Monday.\nYours\nMartin",
            "> Hello,\n>\n> we have had the machine on the bench. The leak comes from the\n> gasket, which has gone hard.\n>\n> Martin",
            "One line.\nAnother line.",
            "",
        ] {
            assert!(!are_entries(prose), "{prose}");
        }
    }
}
