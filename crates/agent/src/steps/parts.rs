//! Splits a passage into the parts that may be quoted as an answer: sentences, list items, lists with the line that announces
//! them, rows of tables with the names of their columns, and code.

use super::code_signs::{begins_in_code, fence_of, is_cut_off, looks_like_code};
use super::emphasis;
use super::named_values::{NamedValue, is_labelled, of_json};
use super::settings::{Setting, of_settings};
use super::stretches::{Stretch, stretches};
use super::table_lines::{cells, guessed_header, is_delimiter};
use std::ops::Range;
use vademecum_text::block::{lines, trim};
use vademecum_text::months::is_month;
use vademecum_text::sentence::sentences;
use vademecum_text::terms::words;
use vademecum_util::within::Within;

/// Maximum length of a list or a piece of code that is quoted as a whole, in bytes.
const MAX_WHOLE: usize = 800;

/// A part of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) kind: Kind,
    /// Its position in the passage.
    pub(super) bytes: Range<usize>,
    /// The text, as an answer quotes it.
    pub(super) text: String,
    /// Names that it stands below and that the text does not repeat, as those of objects of JSON.
    pub(super) below: String,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A sentence, a list item, or a line that is neither.
    Sentence,
    /// A row of a table.
    Row,
    /// A name with its value, of a head or of JSON.
    Field,
    /// A list, perhaps after the line that announces it.
    List,
    /// Code, perhaps after the line that announces it.
    Code {
        /// Whether a line announces it.
        is_led: bool,
    },
}

/// What a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Blank,
    Prose,
    Item,
    Code,
    Row,
    Field,
}

struct Line {
    at: Range<usize>,
    place: Place,
}

/// Returns the parts of a passage, in order; those that overlap, the larger one first.
pub(super) fn parts(text: &str) -> Vec<Part> {
    if let Some(fields) = of_json(text) {
        let part = |one: NamedValue| Part {
            kind: Kind::Field,
            text: on_one_line(text.within(one.bytes.clone())),
            below: one.path.join(" "),
            bytes: one.bytes,
        };
        return fields.into_iter().map(part).collect();
    }
    if let Some(settings) = of_settings(text) {
        let part = |Setting { value, is_field }: Setting| Part {
            kind: if is_field { Kind::Field } else { Kind::Sentence },
            text: without_marks(&on_one_line(text.within(value.bytes.clone())), is_field),
            below: value.path.join(" "),
            bytes: value.bytes,
        };
        return settings.into_iter().map(part).collect();
    }
    if text.contains("\n>") && !text.contains("```") {
        let parts = |one: Stretch| {
            let mut parts = of_lines(&one.text);
            parts.iter_mut().for_each(|part| part.bytes = one.placed(&part.bytes));
            parts
        };
        return stretches(text).into_iter().flat_map(parts).collect();
    }
    of_lines(text)
}

/// Returns the parts of a text without quoted lines.
fn of_lines(text: &str) -> Vec<Part> {
    let lines = read(text);
    // Of the whole text, because its language tells which full stops end a sentence.
    let sentences = sentences(text);
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(first) = lines.get(at) {
        let place = first.place;
        let length = lines.within(at..).iter().take_while(|line| line.place == place).count();
        let run = lines.within(at..at + length);
        let lead = announces(text, lines.within(..at), &sentences, place);
        match (place, run.first().zip(run.last())) {
            (Place::Row, _) => parts.extend(rows(text, run)),
            (Place::Field, _) => parts.extend(run.iter().map(|line| {
                let (bytes, text) = (line.at.clone(), text.within(line.at.clone()).to_owned());
                Part { kind: Kind::Field, bytes, text, below: String::new() }
            })),
            (Place::Item, Some((one, last))) => {
                let whole = one.at.start..last.at.end;
                let begins_at = lead.map_or(whole.start, |lead| lead.start);
                parts.extend(list(text, begins_at..whole.end, run));
                let begins = |line: &&Line| is_item(text.within(line.at.clone()));
                let mut starts = run.iter().filter(begins).map(|line| line.at.start).peekable();
                while let Some(start) = starts.next() {
                    let end = starts.peek().copied().unwrap_or(whole.end);
                    parts.extend(of_sentences(text, start..end, &sentences));
                }
            }
            (Place::Code, Some((one, last))) => parts.extend(code(text, lead, one.at.start..last.at.end)),
            (Place::Prose, Some((one, last))) => {
                parts.extend(of_sentences(text, one.at.start..last.at.end, &sentences));
            }
            _ => {}
        }
        at += length;
    }
    answered(text, parts)
}

/// Joins a question with the first sentence of the next paragraph, as in an interview, if its own has no answer.
fn answered(text: &str, mut parts: Vec<Part>) -> Vec<Part> {
    let is_sentence = |part: &Part| part.kind == Kind::Sentence;
    let asks = |part: &Part| {
        let is_question = part.text.ends_with(['?', '？']) && !part.text.starts_with('#');
        is_sentence(part) && is_question && !looks_like_code(&part.text)
    };
    for at in 0..parts.len() {
        let next =
            parts.get(at + 1).filter(|next| is_sentence(next) && !asks(next)).map(|next| next.bytes.clone());
        let (Some(question), Some(next)) = (parts.get_mut(at).filter(|part| asks(part)), next) else {
            continue;
        };
        if text.get(question.bytes.end..next.start).is_some_and(|between| between.contains('\n')) {
            question.bytes.end = next.end;
            question.text = on_one_line(text.within(question.bytes.clone()));
        }
    }
    parts
}

/// Removes the marks between the lines of a comment. Returns fields unchanged.
fn without_marks(said: &str, is_field: bool) -> String {
    if is_field { said.to_owned() } else { said.replace(" # ", " ").replace(" ; ", " ") }
}

/// Returns a text with single spaces between its words.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tells what each line belongs to.
fn read(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut fence: Option<(char, usize)> = begins_in_code(text).then_some(('`', 3));
    for (at, line) in lines(text) {
        let content = line.trim();
        let mark = fence_of(content);
        let is_second = found.iter().rev().nth(1).is_none_or(|line| line.place != Place::Row);
        let before = found.last().map_or(Place::Blank, |line| line.place);
        let place = match (fence, mark) {
            (Some(open), Some(mark)) if open.0 == mark.0 && mark.1 >= open.1 => {
                fence = None;
                Place::Code
            }
            (Some(_), _) => Place::Code,
            (None, Some(mark)) => {
                fence = Some(mark);
                Place::Code
            }
            _ if content.is_empty() => Place::Blank,
            _ if is_item(content) => Place::Item,
            // The further lines of an item.
            _ if before == Place::Item && line.starts_with([' ', '\t']) => Place::Item,
            _ if content.contains('|') && cells(content).len() > 1 => Place::Row,
            _ if is_labelled(content) && !line.starts_with([' ', '\t']) => Place::Field,
            _ if cells(content).len() > 1 => Place::Row,
            // The line below the names of columns.
            _ if is_delimiter(content) && before == Place::Row && is_second => Place::Row,
            _ => Place::Prose,
        };
        found.push(Line { at: trim(text, at..at + line.len()), place });
    }
    // A list may have blank lines between its items.
    let mut next = Place::Blank;
    let mut of_list = Vec::new();
    for (at, line) in found.iter().enumerate().rev() {
        of_list.extend((line.place == Place::Blank && next == Place::Item).then_some(at));
        next = if line.place == Place::Blank { next } else { line.place };
    }
    for at in of_list.into_iter().rev() {
        let follows = at.checked_sub(1).and_then(|before| found.get(before)).map(|line| line.place);
        if let Some(line) = found.get_mut(at).filter(|_| follows == Some(Place::Item)) {
            line.place = Place::Item;
        }
    }
    // A text of fields alone is a record, which is quoted as a whole.
    let is_record = found.iter().all(|line| matches!(line.place, Place::Field | Place::Blank));
    // A single line with bars is no table, and one with a colon no head.
    for at in 0..found.len() {
        let place = |at: Option<usize>| at.and_then(|at| found.get(at)).map(|line| line.place);
        let is_alone = |of: Place| {
            place(Some(at)) == Some(of)
                && place(at.checked_sub(1)) != Some(of)
                && place(Some(at + 1)) != Some(of)
        };
        let is_prose = is_alone(Place::Row) || is_alone(Place::Field);
        if let Some(line) = found.get_mut(at).filter(|_| is_prose) {
            line.place = Place::Prose;
        }
    }
    for line in found.iter_mut().filter(|line| is_record && line.place == Place::Field) {
        line.place = Place::Prose;
    }
    found
}

/// Returns whether a line begins a list item. "3. Oktober" is a day.
pub(super) fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        1..=3 => line.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')'])),
        _ => None,
    };
    let is_day = |rest: &str| {
        let next = words(rest).next().map(|(_, word)| word.to_lowercase());
        (1..=2).contains(&digits) && next.is_some_and(|word| is_month(&word))
    };
    rest.is_some_and(|rest| rest.starts_with([' ', '\t']) && !is_day(rest))
}

/// Returns the last sentence if it announces what follows: it ends with a colon, or the items of a list or code complete it.
fn announces(text: &str, before: &[Line], sentences: &[Range<usize>], place: Place) -> Option<Range<usize>> {
    let last = before.iter().rev().find(|line| line.place != Place::Blank)?;
    let line = text.within(last.at.clone());
    let precedes_item =
        || place == Place::Item && line.ends_with(char::is_alphanumeric) && !line.starts_with('#');
    let is_open = || precedes_item() || place == Place::Code && is_cut_off(line);
    if last.place != Place::Prose || !(line.ends_with([':', '：']) || is_open()) {
        return None;
    }
    // The sentence may begin in a line before.
    let run = before.iter().rev().skip_while(|line| line.place == Place::Blank);
    let start = run.take_while(|line| line.place == Place::Prose).last()?.at.start;
    of_sentences(text, start..last.at.end, sentences).pop().map(|part| part.bytes)
}

/// Returns the rows of a table, each with the names of its columns if the table has a header.
fn rows(text: &str, run: &[Line]) -> Vec<Part> {
    let delimiter = run.iter().position(|line| is_delimiter(text.within(line.at.clone())));
    let header =
        delimiter.and_then(|at| run.get(at.checked_sub(1)?)).map(|line| cells(text.within(line.at.clone())));
    let all = || run.iter().map(|line| cells(text.within(line.at.clone()))).collect::<Vec<_>>();
    let guessed = if delimiter.is_none() { guessed_header(&all()) } else { None };
    let first = match (&header, &guessed) {
        (Some(_), _) => delimiter.map_or(0, |at| at + 1),
        (None, Some(_)) => 1,
        (None, None) => 0,
    };
    let header = header.or(guessed);
    let row = |line: &Line| {
        let values = cells(text.within(line.at.clone()));
        // Without bars an empty cell cannot be seen, so that the others may be below other names.
        let is_named =
            |names: &&Vec<&str>| text.within(line.at.clone()).contains('|') || names.len() == values.len();
        let header = header.as_ref().filter(is_named);
        let named = |(at, value): (usize, &&str)| {
            let name = header.and_then(|names| names.get(at)).filter(|name| !name.is_empty());
            (!value.is_empty())
                .then(|| name.map_or_else(|| (*value).to_owned(), |name| format!("{name}: {value}")))
        };
        let said: Vec<String> = values.iter().enumerate().filter_map(named).collect();
        Part { kind: Kind::Row, bytes: line.at.clone(), text: said.join("; "), below: String::new() }
    };
    let body = run.iter().skip(first).filter(|line| !is_delimiter(text.within(line.at.clone())));
    body.map(row).filter(|part| !part.text.is_empty()).collect()
}

/// Returns a list, with its lead, if it is short enough and has several items.
fn list(text: &str, bytes: Range<usize>, run: &[Line]) -> Option<Part> {
    let items = run.iter().filter(|line| is_item(text.within(line.at.clone()))).count();
    if bytes.len() > MAX_WHOLE || items < 2 {
        return None;
    }
    Some(Part {
        kind: Kind::List,
        text: with_lines(text.within(bytes.clone()), |_| true),
        bytes,
        below: String::new(),
    })
}

/// Returns code with its lead, or without it, if that is short enough.
fn code(text: &str, lead: Option<Range<usize>>, code: Range<usize>) -> Option<Part> {
    let is_led = lead.is_some();
    let bytes = lead.as_ref().map_or(code.start, |lead| lead.start)..code.end;
    if bytes.len() > MAX_WHOLE {
        return lead.and_then(|_| self::code(text, None, code));
    }
    let is_fence = |line: &str| line.trim().starts_with("```") || line.trim().starts_with("~~~");
    let said = with_lines(text.within(bytes.clone()), |line| !is_fence(line));
    (!said.is_empty()).then_some(Part {
        kind: Kind::Code { is_led },
        text: said,
        bytes,
        below: String::new(),
    })
}

/// Returns the lines of a text that are not blank and that `keep` accepts, with their indentation.
pub(super) fn with_lines(text: &str, keep: impl Fn(&str) -> bool) -> String {
    let kept = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty() && keep(line));
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns the sentences that overlap a range, as far as they lie in it.
fn within(text: &str, whole: Range<usize>, sentences: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let first = sentences.partition_point(|at| at.end <= whole.start);
    let of_range = sentences.iter().skip(first).take_while(move |at| at.start < whole.end);
    let clipped = of_range.map(move |at| trim(text, at.start.max(whole.start)..at.end.min(whole.end)));
    clipped.filter(|at| !at.is_empty())
}

/// Returns the sentences of a range. One that asks is joined with the next one, which answers it, and so is a label in emphasis.
fn of_sentences(text: &str, whole: Range<usize>, sentences: &[Range<usize>]) -> Vec<Part> {
    let mut all: Vec<Range<usize>> = Vec::new();
    // A heading stands above its answer.
    let is_question = |said: &str| said.ends_with(['?', '？']) && !said.starts_with('#');
    let asks = |at: &Range<usize>| is_question(text.within(at.clone()));
    for at in within(text, whole, sentences) {
        let (at, has_label) = emphasis::separated(text, all.last(), at);
        let at = without_marker(text, at);
        match all.last_mut().filter(|last| has_label || (asks(last) && !asks(&at))) {
            Some(joined) => joined.end = at.end,
            None => all.push(at),
        }
    }
    let said = all.into_iter().map(|bytes| (on_one_line(text.within(bytes.clone())), bytes));
    let said = said.filter(|(text, _)| !text.is_empty());
    said.map(|(text, bytes)| Part { kind: Kind::Sentence, bytes, text, below: String::new() }).collect()
}

/// Leaves out the markers of quotations and of a list item, which are no part of the sentence.
fn without_marker(text: &str, bytes: Range<usize>) -> Range<usize> {
    let sentence = text.within(bytes.clone());
    let bare = sentence.trim_start_matches(['>', ' ']);
    let marker = if is_item(bare) { bare.find([' ', '\t']).unwrap_or(0) } else { 0 };
    bytes.end - bare.within(marker..bare.len()).trim_start().len()..bytes.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str, kind: Kind) -> Vec<String> {
        parts(text).into_iter().filter(|part| part.kind == kind).map(|part| part.text).collect()
    }

    #[test]
    fn a_row_has_the_names_of_its_columns() {
        let table = "Prices:\n\n| Part | Price |\n|---|--:|\n| Hinge | 4 |\n| Lock | |\n\nAll in euros.";
        assert_eq!(of(table, Kind::Row), ["Part: Hinge; Price: 4", "Part: Lock"]);
        assert_eq!(of(table, Kind::Sentence), ["Prices:", "All in euros."]);
        assert_eq!(of("Hinge | 4\nLock | 9", Kind::Row), ["Hinge; 4", "Lock; 9"]);
        let page =
            "Day | Open | Late\nMonday | closed | closed\nTuesday | 10:00 | 18:30\nFriday | 10:00 | none";
        assert_eq!(
            of(page, Kind::Row),
            [
                "Day: Monday; Open: closed; Late: closed",
                "Day: Tuesday; Open: 10:00; Late: 18:30",
                "Day: Friday; Open: 10:00; Late: none"
            ]
        );
        let bare = "Monday | closed | closed\nTuesday | 10:00 | 18:30\nFriday | 10:00 | 17:00";
        assert_eq!(of(bare, Kind::Row).len(), 3, "closed twice is no header");
        assert_eq!(of("Use a | b to pipe.", Kind::Sentence), ["Use a | b to pipe."], "one line is no table");
    }

    #[test]
    fn a_list_is_a_part_with_its_lead_and_so_is_each_item() {
        let text =
            "Bring these. You need\nthree things:\n\n- a rope\n- a lamp,\n  with oil\n- bread\n\nThen go.";
        assert_eq!(
            of(text, Kind::List),
            ["You need\nthree things:\n- a rope\n- a lamp,\n  with oil\n- bread"]
        );
        assert_eq!(
            of(text, Kind::Sentence),
            ["Bring these.", "You need three things:", "a rope", "a lamp, with oil", "bread", "Then go."]
        );
        assert_eq!(
            of("Three things:\n\n1. a rope\n\n2. a lamp", Kind::List),
            ["Three things:\n1. a rope\n2. a lamp"]
        );
        assert_eq!(of("Things.\n\n- a rope\n- a lamp", Kind::List), ["- a rope\n- a lamp"]);
        assert_eq!(of("# Things\n\n- a rope\n- a lamp", Kind::List), ["- a rope\n- a lamp"]);
        assert_eq!(of("The guest shall\n\n- pay\n- go", Kind::List), ["The guest shall\n- pay\n- go"]);
        assert_eq!(
            of("Things:\n\n- a rope,\n  long", Kind::List),
            Vec::<String>::new(),
            "one item is no list"
        );
    }

    #[test]
    fn a_question_is_a_part_with_the_sentence_after_it() {
        assert_eq!(
            of("It is late. May I smoke? Only outside. Thanks.", Kind::Sentence),
            ["It is late.", "May I smoke? Only outside.", "Thanks."]
        );
        assert_eq!(of("Is it? Really? No.", Kind::Sentence), ["Is it?", "Really? No."]);
    }

    #[test]
    fn numbered_items_are_parts_of_their_own() {
        let text = "1. Mix the flour, and wait.\n2. Bake it for 40 minutes.\n3. Eat";
        assert_eq!(of(text, Kind::Sentence), ["Mix the flour, and wait.", "Bake it for 40 minutes.", "Eat"]);
        assert_eq!(
            of("It began in\n1990. Then it ended.", Kind::Sentence),
            ["It began in 1990.", "Then it ended."]
        );
    }

    #[test]
    fn signs_and_days_are_no_markers() {
        for text in [
            "-12 °C is the storage temperature.",
            "+49 30 1234 is the number.",
            "**Important:** Close the valve.",
            "3. Oktober 1990 war die Feier.",
        ] {
            assert_eq!(of(text, Kind::Sentence), [text]);
        }
        assert_eq!(
            of("Die Frist endet am\n30. Juni 2024.", Kind::Sentence),
            ["Die Frist endet am 30. Juni 2024."]
        );
        assert_eq!(of("> - The valve is shut.", Kind::Sentence), ["The valve is shut."]);
    }

    #[test]
    fn code_is_a_part_with_its_lead_and_without_its_fence() {
        let text = "To restore, run:\n\n```sh\nvault restore \\\n  --all\n```\n\nIt takes long.";
        assert_eq!(of(text, Kind::Code { is_led: true }), ["To restore, run:\nvault restore \\\n  --all"]);
        assert_eq!(of(text, Kind::Sentence), ["To restore, run:", "It takes long."]);
        let asked = "Lost the key? On the server:\n\n```\nvault new-key\n```";
        assert_eq!(of(asked, Kind::Code { is_led: true }), ["Lost the key? On the server:\nvault new-key"]);
        assert_eq!(of("```\n| a | b |\n- c", Kind::Code { is_led: false }), ["| a | b |\n- c"]);
    }

    #[test]
    fn each_line_of_a_head_is_a_part_and_a_record_is_one() {
        let mail = "From: Ruth\nTo: Martin\nDate: 2026-02-09\n\nDear Martin, come at 10.";
        assert_eq!(of(mail, Kind::Field), ["From: Ruth", "To: Martin", "Date: 2026-02-09"]);
        assert_eq!(of(mail, Kind::Sentence), ["Dear Martin, come at 10."]);
        assert_eq!(of("name: Jo\nrole: owner", Kind::Sentence), ["name: Jo role: owner"]);
        assert_eq!(of("**At:** 9\n**Led by**: Jo\n\nSo.", Kind::Field), ["**At:** 9", "**Led by**: Jo"]);
        assert_eq!(of("It is late.\nRule: none\nIt is over.", Kind::Field), Vec::<String>::new());
    }

    #[test]
    fn a_field_of_json_is_a_part_below_the_names_around_it() {
        let all = parts("{\"server\":{\"timeout\":30,\"host\":\"a b\"}}");
        let said: Vec<&str> = all.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(said, ["\"timeout\":30", "\"host\":\"a b\""]);
        assert!(all.iter().all(|part| part.below == "server"));
    }

    proptest! {
        #[test]
        fn parts_lie_within_the_text_and_none_is_empty(lines in prop::collection::vec(prop::sample::select(vec![
            "Wörter und Zahlen.", "Es folgt:", "- eins", "  zwei", "1. drei", "| a | b |", "|---|---|", "x | y", "```", "~~~", "", "  ", "漢字。", "# Titel", "> Zitat",
        ]), 0..14), end in prop::sample::select(vec!["\n", "\r\n"])) {
            let text = lines.join(end);
            for part in parts(&text) {
                prop_assert!(text.get(part.bytes.clone()).is_some_and(|slice| !slice.trim().is_empty()));
                prop_assert!(!part.text.trim().is_empty());
            }
        }
    }
}
