//! Finds the words of a question that add nothing where they are, though elsewhere they may.

use super::dates;
use super::quantity::unit;
use super::table::Kind;
use super::tags::{Sureness, Tag, Tagged, Vocabulary};
use super::tokens::Token;
use super::words::{Word, phrase};
use vademecum_util::within::Within;

/// Words that end the name of a column without adding to it.
const OF_NAMES: [&str; 19] = [
    "number",
    "numbers",
    "name",
    "names",
    "date",
    "dates",
    "value",
    "values",
    "score",
    "scores",
    "code",
    "level",
    "figure",
    "figures",
    "amount",
    "information",
    "details",
    "info",
    "address",
];

/// Verbs for what customers do, before a value of a category: "bought fuel".
const BUYS: [&str; 6] = ["bought", "buy", "buys", "purchased", "purchase", "purchases"];

/// Words before a year that say of what time an amount is.
const OF_TIMES: [&str; 6] = ["in", "during", "for", "of", "throughout", "year"];

impl Vocabulary<'_> {
    /// Returns the number of words from the token `at` on that add nothing behind what was found before.
    pub(super) fn fillers(&self, all: &[Token], at: usize, found: &[Tagged]) -> Option<usize> {
        let token = all.get(at)?;
        let is_number = |place: usize| {
            all.get(place).is_some_and(|token| token.low.starts_with(|letter: char| letter.is_ascii_digit()))
        };
        // "Invoice no. 1014", "not shipped yet".
        let is_mark = matches!(token.low.as_str(), "no" | "nr" | "num" | "number" | "id")
            && is_number(at + 1)
            && at > 0;
        let is_yet = token.low == "yet"
            && at + 1 == all.len()
            && all.iter().any(|token| token.low == "not" || token.low.ends_with("n't"));
        let names_row = matches!(found.last(), Some(Tagged { tag: Tag::Entity | Tag::Columns(..), low }) if !low.ends_with('s'));
        // "Phone number", if the column is just "phone".
        let is_named = matches!(found.last(), Some(Tagged { tag: Tag::Columns(_, sureness), .. }) if *sureness >= Sureness::Meaning);
        let ends_name = is_named && OF_NAMES.contains(&token.low.as_str());
        // "Which hives give most honey", but not "give me all hives".
        let is_said =
            matches!(found.last(), Some(Tagged { tag: Tag::Entity | Tag::Columns(..) | Tag::Values(_), .. }));
        let is_done = token.low == "give" && is_said;
        let buys = BUYS.contains(&token.low.as_str())
            && self.related(token).is_none()
            && self.value(all.within(at + 1..), false).is_some();
        let is_one =
            (is_mark && names_row) || is_yet || ends_name || is_done || buys || self.is_of_name(all, at);
        is_one.then_some(1).or_else(|| self.unit_of_column(all, at)).or_else(|| {
            // "Have not paid their fee".
            self.ends_with_object(all, at, found.last()).then(|| all.len() - at)
        })
    }

    /// Returns whether a word of the file's name stands before the word for its rows: "library helpers" of library_helpers.csv.
    fn is_of_name(&self, all: &[Token], at: usize) -> bool {
        let (Some(token), Some(next)) = (all.get(at), all.get(at + 1)) else { return false };
        let is_in = |file: &str| {
            file.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).any(|word| word == token.low)
        };
        self.table.stems.contains(&next.stem)
            && phrase(&[&token.low]).is_none()
            && self.related(token).is_none()
            && self.table.files.iter().any(|(file, _)| is_in(file))
    }

    /// Returns the number of words of a unit before the column that is measured in it: "kilos of honey" of `honey_kg`.
    fn unit_of_column(&self, all: &[Token], at: usize) -> Option<usize> {
        let [said, of, rest @ ..] = all.get(at..)? else { return None };
        let own = unit(&said.low).filter(|_| of.low == "of" && at > 0)?;
        let (columns, sureness) = self.related(rest.first()?)?;
        let is_measured = |at: &usize| {
            let column = self.table.column(*at);
            column.is_some_and(|column| {
                column.kind == Kind::Number
                    && column.unit.is_some_and(|unit| unit.of == own.of && unit.factor == own.factor)
            })
        };
        (sureness >= Sureness::Part && columns.iter().all(is_measured)).then_some(2)
    }

    /// Returns what a year is, or a word for a time with the year behind it, if the amount that is asked for has years in the names of its
    /// columns: a part of the name of one, or unknown, because there is none for this year.
    pub(super) fn year_of_name(&self, all: &[Token], at: usize) -> Option<(Tag, usize)> {
        let word = all.get(at)?;
        let behind = OF_TIMES.contains(&word.low.as_str());
        let place = if behind { at + 1 } else { at };
        let year = all.get(place).filter(|token| dates::year(&token.low).is_some())?;
        let before =
            at.checked_sub(1).and_then(|before| all.get(before)).and_then(|before| phrase(&[&before.low]));
        if !behind
            && matches!(
                before,
                Some((
                    Word::Since
                        | Word::Until
                        | Word::Before
                        | Word::After
                        | Word::From
                        | Word::To
                        | Word::Between
                        | Word::And
                        | Word::Compare(..),
                    _
                ))
            )
        {
            return None;
        }
        let others = all.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, token)| token);
        let amounts: Vec<usize> = others
            .filter_map(|token| self.related(token))
            .flat_map(|(columns, _)| columns)
            .filter(|column| self.years_of(*column).next().is_some())
            .collect();
        let is_there = amounts.iter().any(|column| self.years_of(*column).any(|own| own == year.low));
        let tag = if is_there { Tag::Word(Word::Filler) } else { Tag::Unknown };
        (!amounts.is_empty()).then_some((tag, place + 1 - at))
    }

    /// Restricts columns to those that have one of the question's years in their names, if any has.
    pub(super) fn of_years(&self, tag: Tag, all: &[Token]) -> Tag {
        let Tag::Columns(columns, sureness) = tag else { return tag };
        let is_said =
            |column: &usize| self.years_of(*column).any(|own| all.iter().any(|token| token.low == own));
        let said: Vec<usize> = columns.iter().copied().filter(is_said).collect();
        Tag::Columns(if said.is_empty() { columns } else { said }, sureness)
    }

    /// Returns the years in the name of a column.
    fn years_of(&self, column: usize) -> impl Iterator<Item = &str> {
        let stems = self.table.column(column).map(|column| column.stems.as_slice()).unwrap_or_default();
        stems.iter().map(String::as_str).filter(|stem| dates::year(stem).is_some())
    }
}
