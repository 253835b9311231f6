//! Tags the words of a question: names and values of a table's columns, amounts, dates, and the words of [`words`](super::words).

use super::dates::{Period, civil};
use super::quantity::Quantity;
use super::table::{Cell, Column, Kind, Table, is_function_word, stem};
use super::tokens::{Token, is_verb, tokens, value_words};
use super::words::{Meanings, Word, is_beyond, is_filler, phrase, untold};
use std::collections::{BTreeMap, BTreeSet};
use vademecum_util::within::Within;

/// Words that begin names of companies, but also describe things.
const OF_THINGS: &str = "black blue brown gold golden gray green grey orange pink purple red silver white yellow best bright central clean clear \
    cold daily direct east eastern easy fast fine first free fresh general global good grand great green happy high home hot international \
    little local metro modern mobile national natural north northern office open prime pure quality quick rapid royal simple smart solar \
    south southern special standard super united universal urban west western world";
/// Words of columns for people and companies.
const PARTIES: &str = "vendor supplier seller customer client buyer company employee person assignee owner contractor partner payee shop store \
    merchant restaurant";
/// Stems of columns for numbers of pieces.
const PIECES: [&str; 4] = ["quantiti", "qti", "qty", "piec"];

/// How certainly a word names a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::steps) enum Sureness {
    /// A verb or adjective about it: "earns" for a salary.
    About,
    /// A noun with the same meaning.
    Meaning,
    /// A part of its name.
    Part,
    /// Its name.
    Name,
}

/// What a span of a question is.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) enum Tag {
    /// Values of columns.
    Values(Vec<(usize, Vec<String>)>),
    Columns(Vec<usize>, Sureness),
    /// The opposite of a yes or no, or of a date: "unpaid".
    Opposite(Vec<usize>),
    Quantity(Quantity),
    /// Two numbers with a dash.
    Range(Quantity, Quantity),
    Period(Period),
    Month(u32),
    Word(Word),
    /// A word that is also the name of a column: "total".
    Both(Word, Vec<usize>),
    /// A word for the rows of this table.
    Entity,
    Unknown,
}

/// A part of a question.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) struct Tagged {
    /// Its words in lowercase.
    pub(in crate::steps) low: String,
    pub(in crate::steps) tag: Tag,
}

struct Value {
    column: usize,
    key: String,
    words: Vec<Token>,
}

/// The names and values of a table.
pub(in crate::steps) struct Vocabulary<'a> {
    pub(in crate::steps) table: &'a Table,
    pub(super) meanings: &'a Meanings,
    /// By the stem of the first word.
    values: BTreeMap<String, Vec<Value>>,
    /// Values of several words, by each of their words in lowercase.
    pub(in crate::steps) parts: BTreeMap<String, BTreeSet<(usize, String)>>,
    /// The year that all dates are of.
    pub(in crate::steps) year: Option<i64>,
}

impl<'a> Vocabulary<'a> {
    fn new(table: &'a Table, meanings: &'a Meanings) -> Self {
        let mut values: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut parts: BTreeMap<String, BTreeSet<(usize, String)>> = BTreeMap::new();
        for (at, column) in table.columns.iter().enumerate().filter(|(_, column)| column.kind == Kind::Text) {
            let keys: BTreeSet<&String> = column
                .cells
                .iter()
                .filter_map(|cell| if let Cell::Text(texts) = cell { Some(texts) } else { None })
                .flatten()
                .collect();
            for key in keys {
                let words = value_words(key);
                if words.len() > 1 {
                    for word in &words {
                        parts.entry(word.low.clone()).or_default().insert((at, key.clone()));
                    }
                }
                if let Some(first) = words.first().filter(|_| words.len() <= 12) {
                    let value = Value { column: at, key: key.clone(), words: words.clone() };
                    values.entry(first.stem.clone()).or_default().push(value);
                }
            }
        }
        Self { table, meanings, values, parts, year: only_year(table) }
    }

    /// Returns the longest values at the beginning, and their length. `strict` wants the same spelling.
    pub(super) fn value(&self, rest: &[Token], strict: bool) -> Option<(Tag, usize)> {
        let first = rest.first()?;
        let fits = |value: &&Value| {
            let Some(said) = rest.get(..value.words.len()) else { return false };
            let last = value.words.len() - 1;
            said.iter().zip(&value.words).enumerate().all(|(at, (said, own))| {
                said.low == own.low
                    || (!strict
                        && !said.low.contains('-')
                        && (at == last || own.low.ends_with("ing"))
                        && said.stem == own.stem
                        && !is_function_word(&own.low))
            })
        };
        let found: Vec<&Value> = self.values.get(&first.stem)?.iter().filter(fits).collect();
        let length = found.iter().map(|value| value.words.len()).max()?;
        let mut by_column: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for value in found.into_iter().filter(|value| value.words.len() == length) {
            by_column.entry(value.column).or_default().push(value.key.clone());
        }
        Some((Tag::Values(by_column.into_iter().collect()), length))
    }

    /// Returns the values that contain a name: "Anna" for Anna Schmidt.
    fn part(&self, token: &Token) -> Option<Tag> {
        let is_name = token.text.chars().any(|letter| letter.is_uppercase() || letter.is_ascii_digit());
        if !is_name || token.low.chars().count() < 2 || is_function_word(&token.low) {
            return None;
        }
        let mut by_column: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let Some(parts) = self.parts.get(&token.low) else { return self.people(token) };
        for (column, key) in parts {
            by_column.entry(*column).or_default().push(key.clone());
        }
        Some(Tag::Values(by_column.into_iter().collect()))
    }

    /// Returns the code at the beginning that is written without its marks: "inv 1014" for INV-1014.
    fn code(&self, rest: &[Token]) -> Option<(Tag, usize)> {
        let bare = |text: &str| {
            text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase()
        };
        [2, 1].into_iter().find_map(|length| {
            let said: String = rest.get(..length)?.iter().map(|token| bare(&token.low)).collect();
            let letters = said.chars().take_while(|letter| letter.is_alphabetic()).count();
            let is_code = letters > 1
                && said
                    .get(letters..)
                    .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|one| one.is_ascii_digit()));
            let is_said = |value: &&Value| {
                bare(&value.key) == said && self.table.column(value.column).is_some_and(Column::is_coded)
            };
            let mut found = self.values.values().flatten().filter(|_| is_code).filter(is_said);
            let first = found.next()?;
            let tag = Tag::Values(vec![(first.column, vec![first.key.clone()])]);
            found.next().is_none().then_some((tag, length))
        })
    }

    /// Returns the people and companies whose names begin with a word in lowercase: "acme" for Acme Tools.
    fn party(&self, token: &Token) -> Option<Tag> {
        let parties: BTreeSet<String> = PARTIES.split_whitespace().map(stem).collect();
        let is_party = |column: &usize| {
            self.table
                .column(*column)
                .is_some_and(|column| column.stems.iter().any(|stem| parties.contains(stem)))
        };
        let begins = |key: &str| key.split_whitespace().next() == Some(token.low.as_str());
        let mut by_column: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (column, key) in self.parts.get(&token.low)?.iter().filter(|(column, _)| is_party(column)) {
            by_column.entry(*column).or_default().push(key.clone());
        }
        let is_first = by_column.values().flatten().all(|key| begins(key))
            && !OF_THINGS.split_whitespace().any(|word| word == token.low);
        let is_long = token.low.chars().count() > 3;
        (is_first && is_long && by_column.len() == 1).then(|| Tag::Values(by_column.into_iter().collect()))
    }

    /// Returns the value that an adjective is made of: "European" of Europe.
    pub(super) fn people(&self, token: &Token) -> Option<Tag> {
        let ends = ["ian", "ean", "an", "ese", "ish"].iter().filter_map(|end| token.low.strip_suffix(end));
        let bare: Vec<&str> = ends.filter(|bare| bare.chars().count() >= 4).collect();
        let is_of = |value: &&Value| {
            let own = value.words.first().map_or("", |word| word.low.as_str());
            value.words.len() == 1
                && bare
                    .iter()
                    .any(|bare| own.strip_prefix(bare).is_some_and(|rest| rest.chars().count() <= 3))
        };
        let mut by_column: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for value in self.values.values().flatten().filter(is_of) {
            by_column.entry(value.column).or_default().push(value.key.clone());
        }
        (!by_column.is_empty()).then(|| Tag::Values(by_column.into_iter().collect()))
    }

    /// Returns the columns whose whole name is at the beginning, and its length.
    pub(in crate::steps) fn name(&self, rest: &[Token]) -> Option<(Vec<usize>, usize)> {
        (1..=rest.len().min(6)).rev().find_map(|length| {
            let said = rest.get(..length)?;
            let ends = [said.first()?, said.last()?];
            let joins = |token: &Token| {
                !is_function_word(&token.low)
                    || ["of", "the", "in", "for", "to", "a", "an", "and", "per"].contains(&token.low.as_str())
            };
            if !said.iter().all(joins) && length > 1 {
                return None;
            }
            if ends.iter().any(|token| token.low == "," || (length > 1 && is_function_word(&token.low))) {
                return None;
            }
            let stems: BTreeSet<&String> = said
                .iter()
                .filter(|token| length == 1 || !is_function_word(&token.low))
                .map(|token| &token.stem)
                .collect();
            let is = |stems_of: &[String]| stems_of.iter().collect::<BTreeSet<_>>() == stems;
            let columns = self.columns(|column| is(&column.stems));
            (!columns.is_empty()).then_some((columns, length))
        })
    }

    fn columns(&self, fits: impl Fn(&super::table::Column) -> bool) -> Vec<usize> {
        self.table.columns.iter().enumerate().filter(|(_, column)| fits(column)).map(|(at, _)| at).collect()
    }

    /// Returns the columns of which a word is a part of the name, or means the same.
    pub(in crate::steps) fn related(&self, token: &Token) -> Option<(Vec<usize>, Sureness)> {
        if token.low.chars().count() < 2 || !token.low.chars().any(char::is_alphabetic) {
            return None;
        }
        let is_alike = |own: &String| {
            let (short, long) =
                if own.len() < token.stem.len() { (own, &token.stem) } else { (&token.stem, own) };
            own == &token.stem
                || (short.len() >= 5 && long.starts_with(short.as_str()) && long.len() - short.len() <= 4)
        };
        // Units are pieces rather than the unit of a unit price.
        let pieces = if token.stem == "unit" {
            self.columns(|column| column.stems.iter().any(|own| PIECES.contains(&own.as_str())))
        } else {
            Vec::new()
        };
        if !pieces.is_empty() {
            return Some((pieces, Sureness::Meaning));
        }
        let part = self.columns(|column| column.stems.iter().any(is_alike));
        // The end of "best-paid" is not all that it says.
        if token.low.contains('-') {
            return (!part.is_empty()).then_some((part, Sureness::Part));
        }
        let of =
            |means: &dyn Fn(&str) -> bool| self.columns(|column| column.stems.iter().any(|own| means(own)));
        let noun = || of(&|own| self.meanings.is_noun_for(&token.stem, own));
        let verb = || of(&|own| self.meanings.is_about(&token.stem, own));
        let found = [(part, Sureness::Part), (noun(), Sureness::Meaning), (verb(), Sureness::About)];
        found.into_iter().find(|(columns, _)| !columns.is_empty())
    }

    /// Returns the columns of which a word says the opposite: "unpaid", "inactive", "non-remote".
    pub(super) fn opposite(&self, token: &Token) -> Option<Vec<usize>> {
        // What is owed is not paid.
        let is_owed = matches!(token.low.as_str(), "owe" | "owes" | "owed" | "outstanding");
        let bare = if is_owed {
            "paid"
        } else {
            ["un", "in", "im", "non-", "non", "dis"].iter().find_map(|start| token.low.strip_prefix(start))?
        };
        let bare = Token { text: bare.to_owned(), low: bare.to_owned(), stem: stem(bare) };
        let (columns, _) = self
            .related(&bare)
            .filter(|(_, sureness)| bare.low.len() > 3 && *sureness >= Sureness::Meaning)?;
        let is_told = |at: &usize| {
            let kind = self.table.column(*at).map(|column| column.kind);
            kind.is_some_and(|kind| if is_owed { kind == Kind::Boolean } else { kind != Kind::Number })
        };
        let columns: Vec<usize> = columns.into_iter().filter(is_told).collect();
        (!columns.is_empty()).then_some(columns)
    }

    fn next(&self, all: &[Token], at: usize) -> (Tag, usize) {
        let rest = all.get(at..).unwrap_or_default();
        let Some(first) = rest.first() else { return (Tag::Unknown, 1) };
        let low: Vec<&str> = rest.iter().map(|token| token.low.as_str()).collect();
        // "What did Bob give" asks for no list.
        let asks_of_deed =
            all.within(..at).iter().any(|before| matches!(before.low.as_str(), "do" | "does" | "did"));
        let said = phrase(&low).filter(|(word, length)| {
            let is_noun = at > 1 && first.low == "name";
            // "How much salt was spread" asks for no range.
            let is_verb = first.low == "spread" && is_verb(all, at);
            !is_verb && (!matches!(word, Word::List) || !(is_noun || (asks_of_deed && *length == 1)))
        });
        let day_first = self.table.columns.iter().any(|column| column.kind == Kind::Date && column.day_first);
        let value = self.value(rest, true);
        if let Some(found) = self.date(all, at, day_first, value.as_ref()) {
            return found;
        }
        if let Some(length) = untold(&low).filter(|length| value.as_ref().is_none_or(|(_, own)| own < length))
        {
            return (Tag::Unknown, length);
        }
        if let Some(found) = self.code(rest).filter(|_| value.is_none()) {
            return found;
        }
        let name = self.name(rest);
        let longest_name = name.as_ref().map_or(0, |(_, length)| *length);
        let longest_word = said.map_or(0, |(_, length)| length);
        if let Some((tag, length)) =
            value.clone().filter(|(_, length)| *length > 1 && *length >= longest_name.max(longest_word))
        {
            return (tag, length);
        }
        if let Some((columns, length)) =
            name.clone().filter(|(_, length)| *length > 1 && *length >= longest_word)
        {
            return (Tag::Columns(columns, Sureness::Name), length);
        }
        if let Some((word, length)) = said.filter(|(_, length)| *length > 1) {
            return (Tag::Word(word), length);
        }
        if let Some(found) = self.amount(rest) {
            return found;
        }
        let columns = name.map(|(columns, _)| columns);
        if let Some((word, _)) = said.filter(|(word, _)| !matches!(word, Word::Rows | Word::People)) {
            // "IT" is a department, "it" is not.
            let is_written = first.text != first.low
                && at > 0
                && first.text.chars().nth(1).is_some_and(char::is_uppercase);
            let is_before_number =
                rest.get(1).is_some_and(|next| next.low.starts_with(|letter: char| letter.is_ascii_digit()));
            return match (value.filter(|_| is_written), columns) {
                (Some((tag, _)), _) => (tag, 1),
                // "List", though a column is called "listed".
                (None, Some(_)) if word == Word::List && at <= 1 => (Tag::Word(word), 1),
                // "Since 2020", though a column is called "since".
                (None, Some(_))
                    if is_before_number && matches!(word, Word::Since | Word::Until | Word::From) =>
                {
                    (Tag::Word(word), 1)
                }
                (None, Some(columns)) => (Tag::Both(word, columns), 1),
                _ => (Tag::Word(word), 1),
            };
        }
        let is_name = |columns: &Vec<usize>| {
            columns.iter().any(|at| self.table.column(*at).is_some_and(|one| one.is_ordered()))
        };
        // "Unpaid" of unpaid_invoices.csv selects rows where a column tells which are paid, "female" of female_patients.csv may.
        let is_entity = self.table.stems.contains(&first.stem)
            && self.opposite(first).is_none()
            && !is_beyond(&first.low);
        if is_entity && !columns.as_ref().is_some_and(is_name) && value.is_none() {
            return (Tag::Entity, 1);
        }
        if let Some((tag, length)) = value.or_else(|| self.value(rest, false)) {
            let is_common =
                is_function_word(&first.low) || is_filler(&first.low) || first.low.chars().count() < 2;
            let is_written =
                first.text.chars().next().is_some_and(char::is_uppercase) && (at > 0 || first.low.len() > 2);
            // "Closed" is a status, "closed in May" is a date.
            let is_date = |at: &usize| self.table.column(*at).is_some_and(|column| column.kind == Kind::Date);
            let before_date = rest.get(length).is_some_and(|next| {
                ["in", "on", "before", "after", "since", "during", "between", "from", "by", "until", "at"]
                    .contains(&next.low.as_str())
            });
            // "Shipped" may be a status or have a date: "were shipped".
            let dates = self.related(first).filter(|(columns, sureness)| {
                *sureness == Sureness::Part && columns.iter().all(is_date) && first.low == first.text
            });
            let before =
                at.checked_sub(1).and_then(|before| all.get(before)).map_or("", |token| token.low.as_str());
            let asks_when = all.first().is_some_and(|token| token.low == "when");
            match dates {
                Some((columns, sureness)) if before_date || asks_when => {
                    return (Tag::Columns(columns, sureness), 1);
                }
                Some(_) if matches!(before, "was" | "were" | "been") => return (Tag::Unknown, 1),
                _ => {}
            }
            let is_state =
                columns.as_ref().is_some_and(|columns| columns.iter().all(is_date)) && !before_date;
            let is_written = is_written || is_state;
            if (!is_common || (is_written && first.text == first.text.to_uppercase()))
                && (columns.is_none() || is_written)
            {
                return (tag, length);
            }
        }
        if let Some(columns) = columns {
            return (Tag::Columns(columns, Sureness::Name), 1);
        }
        let related = self.related(first);
        if is_beyond(&first.low) && related.is_none() {
            return (Tag::Unknown, 1);
        }
        if is_filler(&first.low) || is_function_word(&first.low) {
            return match related.filter(|(_, sureness)| *sureness == Sureness::About) {
                Some((columns, sureness)) => (Tag::Columns(columns, sureness), 1),
                None => (Tag::Word(Word::Filler), 1),
            };
        }
        if let Some((columns, sureness)) = related.clone().filter(|(_, sureness)| *sureness >= Sureness::Part)
        {
            return (Tag::Columns(columns, sureness), 1);
        }
        if let Some(columns) = self.opposite(first) {
            return (Tag::Opposite(columns), 1);
        }
        if let Some(tag) = self.part(first) {
            return (tag, 1);
        }
        if let Some((columns, sureness)) = related {
            return (Tag::Columns(columns, sureness), 1);
        }
        if let Some(tag) = self.party(first).filter(|_| said.is_none()) {
            return (tag, 1);
        }
        match said {
            Some((word, length)) => (Tag::Word(word), length),
            None => (Tag::Unknown, 1),
        }
    }
}

/// Returns the year that all dates of a table are of.
fn only_year(table: &Table) -> Option<i64> {
    let cells = table.columns.iter().filter(|column| !column.of_years).flat_map(|column| &column.cells);
    let mut years = cells.filter_map(|cell| match cell {
        Cell::Date(period) => Some(civil(period.from).0),
        _ => None,
    });
    let first = years.next()?;
    years.all(|year| year == first).then_some(first)
}

/// Tags a question.
pub(in crate::steps) fn tagged(question: &str, table: &Table, meanings: &Meanings) -> Vec<Tagged> {
    let vocabulary = Vocabulary::new(table, meanings);
    let all = tokens(question);
    let years = vocabulary.years(&all);
    let (mut at, mut found) = (0, Vec::new());
    while at < all.len() {
        let skipped = vocabulary.fillers(&all, at, &found).map(|length| (Tag::Word(Word::Filler), length));
        let (tag, length) =
            skipped.or_else(|| years.tag(&all, at)).unwrap_or_else(|| vocabulary.next(&all, at));
        let low: Vec<&str> = all.iter().skip(at).take(length).map(|token| token.low.as_str()).collect();
        found.push(Tagged { low: low.join(" "), tag: vocabulary.of_years(tag, &years) });
        at += length.max(1);
    }
    found
}
