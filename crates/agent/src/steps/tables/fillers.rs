//! Finds the words of a question that add nothing where they are, though elsewhere they may.

use super::dates;
use super::quantity::{Unit, unit};
use super::table::{Kind, stem};
use super::tags::{Sureness, Tag, Tagged, Vocabulary};
use super::tokens::{Token, tokens};
use super::words::{Word, is_beyond, is_filler, phrase};
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
const BUYING: [&str; 5] = ["bought", "buy", "buys", "purchase", "purchased"];
/// Words in the names of columns that classify purchases.
const PURPOSES: &str = "category type kind group purpose class product item description";

/// Values of rows that are not all bought.
const TRADES: &str = "buy bought purchase purchased sell sold sale return returned refund refunded";

/// Verbs for what rows have, with an amount: "gave the most honey".
const GIVING: [&str; 9] =
    ["gave", "give", "gives", "yield", "yielded", "yields", "produce", "produced", "produces"];
/// Verbs for what a row's vehicle does: "how many passengers did the Swift carry".
const CARRYING: [&str; 5] = ["carry", "carries", "carried", "transport", "transported"];

/// Words before a year that say of what time an amount is.
const OF_TIMES: [&str; 6] = ["in", "during", "for", "of", "throughout", "year"];

/// Returns whether a number is compared with, or begins or ends a time: "since 2020", "more than 1500".
fn is_limit(all: &[Token], at: usize) -> bool {
    (1..=LONGEST_LIMIT.min(at)).any(|length| {
        let low: Vec<&str> = all.within(at - length..at).iter().map(|token| token.low.as_str()).collect();
        let found = phrase(&low).filter(|(_, read)| *read == length);
        matches!(
            found,
            Some((
                Word::Since
                    | Word::Until
                    | Word::Before
                    | Word::After
                    | Word::From
                    | Word::To
                    | Word::Between
                    | Word::Compare(..),
                _
            ))
        )
    })
}

/// Number of words of the longest phrase before a number that it is compared by.
const LONGEST_LIMIT: usize = 4;

/// What a year of a question is, in a table that has years in the names of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Year {
    /// A part of the name of the column that is asked for.
    Name,
    /// A part of no name, or of one that may not be meant.
    Unsure,
}

/// What the years of a question are, by their places, and those that are parts of names.
pub(super) struct Years<'t> {
    all: Vec<Option<Year>>,
    named: Vec<&'t str>,
}

impl Years<'_> {
    /// Returns the tag of a year in the name of a column, and of a word for a time before it, with the number of both.
    pub(super) fn tag(&self, all: &[Token], at: usize) -> Option<(Tag, usize)> {
        let is_before = all.get(at).is_some_and(|token| OF_TIMES.contains(&token.low.as_str()));
        let length = if is_before { 2 } else { 1 };
        let year = self.all.get(at + length - 1).copied().flatten()?;
        Some((if year == Year::Name { Tag::Word(Word::Filler) } else { Tag::Unknown }, length))
    }
}

impl Vocabulary<'_> {
    /// Returns the number of words to skip at the token `at`; `found` contains the tags of the words before it.
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
        let adds_nothing = (is_mark && names_row)
            || is_yet
            || ends_name
            || self.is_giving(all, at, found)
            || self.is_buying(all, at)
            || self.is_deed(all, at, found)
            || self.is_of_file(all, at, found);
        let unit = || self.unit_of_column(all, at).or_else(|| self.unit_behind_column(all, at, found.last()));
        adds_nothing.then_some(1).or_else(unit).or_else(|| {
            // "Have not paid their fee".
            self.ends_with_object(all, at, found.last()).then(|| all.len() - at)
        })
    }

    /// Returns whether a verb says that rows have an amount: "which hive gave the most honey", "how much honey did the hives give". Not of another
    /// column than what the table is called by: what a recipient gave is another amount. Not where the verb selects rows.
    fn is_giving(&self, all: &[Token], at: usize, found: &[Tagged]) -> bool {
        let is = |verbs: &[&str]| all.get(at).is_some_and(|token| verbs.contains(&token.low.as_str()));
        let carries = is(&CARRYING);
        let is_verb = (is(&GIVING) || carries) && !self.is_told(all, at);
        let is_of_rows =
            |column: &usize| self.stems(*column).iter().all(|stem| self.table.stems.contains(stem));
        let is_subject = |tagged: &Tagged| match &tagged.tag {
            Tag::Entity => true,
            Tag::Values(_) => carries,
            Tag::Columns(columns, _) => columns.iter().all(is_of_rows),
            _ => false,
        };
        let is_amount = |token: &Token| {
            self.related(token).is_some_and(|(columns, sureness)| {
                sureness >= Sureness::Part && columns.iter().all(|at| self.kind(*at) == Some(Kind::Number))
            })
        };
        is_verb && found.iter().any(is_subject) && all.iter().any(is_amount)
    }

    /// Returns whether the token is a verb of buying that precedes the value of a category: "bought fuel".
    fn is_buying(&self, all: &[Token], at: usize) -> bool {
        let is_verb = all.get(at).is_some_and(|token| BUYING.contains(&token.low.as_str()));
        let is_purpose = |column: &usize| {
            let stems = self.stems(*column);
            PURPOSES.split(' ').map(stem).any(|word| stems.contains(&word))
        };
        let value = self.value(all.within(at + 1..), false);
        let of_purpose = matches!(value, Some((Tag::Values(values), _)) if values.iter().all(|(column, _)| is_purpose(column)));
        // Where rows say which was bought and which was sold, the verb selects rows.
        let is_value = |word: &&str| self.value(&tokens(word), false).is_some();
        is_verb && of_purpose && !self.is_told(all, at) && !TRADES.split(' ').any(|word| is_value(&word))
    }

    /// Returns whether a word of the file's name stands before the word for its rows, and says nothing of them: "library helpers" of
    /// library_helpers.csv, but not "red cars" of red_cars.csv with other colours.
    fn is_of_file(&self, all: &[Token], at: usize, found: &[Tagged]) -> bool {
        let (Some(token), Some(next)) = (all.get(at), all.get(at + 1)) else { return false };
        let is_in = |file: &str| {
            let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
            let bare = name.rsplit_once('.').map_or(name, |(bare, _)| bare).to_lowercase();
            bare.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == token.low)
        };
        let is_denied =
            matches!(found.last(), Some(Tagged { tag: Tag::Word(Word::Not | Word::Without), .. }));
        self.table.stems.contains(&next.stem)
            && token.low.chars().all(char::is_alphabetic)
            && dates::month(&token.low).is_none()
            && phrase(&[&token.low]).is_none()
            && !is_beyond(&token.low)
            && !is_denied
            && !self.is_told(all, at)
            && !self.table.files.is_empty()
            && self.table.files.iter().all(|(file, _)| is_in(file))
    }

    /// Returns whether a word says something of a column: it is, or is a part of, its name or a value, or says the opposite.
    pub(super) fn is_told(&self, all: &[Token], at: usize) -> bool {
        let Some(token) = all.get(at) else { return false };
        let is_value = self.value(all.within(at..), false).is_some() || self.parts.contains_key(&token.low);
        is_value
            || self.related(token).is_some()
            || self.opposite(token).is_some()
            || self.people(token).is_some()
    }

    /// Returns the number of words of a unit before the column that is measured in it: "kilos of honey" of `honey_kg`.
    fn unit_of_column(&self, all: &[Token], at: usize) -> Option<usize> {
        let [said, of, rest @ ..] = all.get(at..)? else { return None };
        let own = unit(&said.low).filter(|_| of.low == "of" && at > 0)?;
        let (columns, sureness) = self.related(rest.first()?)?;
        (sureness >= Sureness::Part && self.are_in(&columns, own)).then_some(2)
    }

    /// Returns the number of words of a unit behind the column that is measured in it: "honey kg" of `honey_kg`, "honey in kg". Not of a unit that
    /// may say something else: "length min", "in month 5", "Euro" where a value is Euro Park.
    fn unit_behind_column(&self, all: &[Token], at: usize, last: Option<&Tagged>) -> Option<usize> {
        let Some(Tagged { tag: Tag::Columns(columns, sureness), .. }) = last else { return None };
        let length = if all.get(at)?.low == "in" { 2 } else { 1 };
        let token = all.get(at + length - 1)?;
        let own = unit(&token.low)?;
        let has_number = all
            .get(at + length)
            .is_some_and(|next| next.low.starts_with(|first: char| first.is_ascii_digit()));
        let is_bare = phrase(&[&token.low]).is_none() && !self.is_told(all, at + length - 1) && !has_number;
        (is_bare && *sureness >= Sureness::Part && self.are_in(columns, own)).then_some(length)
    }

    /// Returns whether columns are numbers in this unit.
    fn are_in(&self, columns: &[usize], own: Unit) -> bool {
        columns.iter().filter_map(|at| self.table.column(*at)).all(|column| {
            column.kind == Kind::Number
                && column.unit.is_some_and(|unit| unit.of == own.of && unit.factor == own.factor)
        })
    }

    /// Determines what the years of a question are.
    pub(super) fn years<'t>(&self, all: &'t [Token]) -> Years<'t> {
        let years: Vec<Option<Year>> = (0..all.len()).map(|at| self.year(all, at)).collect();
        let is_name = |year: &Option<Year>| *year == Some(Year::Name);
        let named =
            all.iter().zip(&years).filter(|(_, year)| is_name(year)).map(|(token, _)| token.low.as_str());
        let named = named.collect();
        Years { all: years, named }
    }

    /// Returns what the year at a place is; `None` if it is a condition on dates like others, or there is no year. The nearest word before it
    /// decides, as in "members that joined in 2023 with fees in 2022"; else the year is sure only if nothing in the question is about a date, and it
    /// is not said of the rows, as in "films of 2021".
    fn year(&self, all: &[Token], at: usize) -> Option<Year> {
        let year = all.get(at).filter(|token| dates::year(&token.low).is_some())?;
        if is_limit(all, at) {
            return None;
        }
        // "2022 and 2023" are two conditions, or two columns.
        let joins = |token: &Token| matches!(phrase(&[&token.low]), Some((Word::And | Word::Or, _)));
        if let Some(before) = at.checked_sub(2)
            && all.get(before + 1).is_some_and(joins)
            && all.get(before).is_some_and(|token| dates::year(&token.low).is_some())
        {
            return self.year(all, before).map(|_| Year::Unsure);
        }
        let has_year = |column: &usize| self.years_in(*column).any(|own| own == year.low);
        let numbers = |token: &Token| self.numbers(token);
        let is_of_years = |token: &Token| {
            let columns = numbers(token);
            let has_years = |column: &usize| self.years_in(*column).next().is_some();
            columns.iter().all(has_years) && columns.iter().any(has_year)
        };
        let others = || all.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, token)| token);
        let amounts: Vec<&Token> = others().filter(|token| !numbers(token).is_empty()).collect();
        let may_be_named = (0..self.table.columns.len())
            .any(|column| self.kind(column) == Some(Kind::Number) && has_year(&column));
        let are_named =
            amounts.iter().flat_map(|token| numbers(token)).any(|at| self.years_in(at).next().is_some());
        let is_between = |token: &&Token| {
            OF_TIMES.contains(&token.low.as_str())
                || matches!(phrase(&[&token.low]), Some((Word::Auxiliary | Word::Rows | Word::People, _)))
                || is_filler(&token.low)
        };
        let nearest = all.within(..at).iter().rev().find(|token| !is_between(token));
        if !(may_be_named || are_named) || nearest.is_some_and(|token| self.is_about_date(token)) {
            return None;
        }
        let has_year_column = self
            .table
            .columns
            .iter()
            .any(|column| column.of_years && column.stems.iter().any(|stem| stem == "year"));
        let has_dates = self.table.columns.iter().any(|column| column.kind == Kind::Date || column.of_years);
        let low = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |token| token.low.as_str());
        let is_moment = matches!(low(at.checked_sub(1)), "in" | "during" | "throughout");
        let is_only_year = others().all(|token| dates::year(&token.low).is_none());
        let is_free =
            is_only_year && !others().any(|token| self.is_about_date(token)) && (is_moment || !has_dates);
        let is_sure = nearest.is_some_and(is_of_years) || is_free;
        let is_name = is_sure
            && !has_year_column
            && !amounts.is_empty()
            && amounts.iter().all(|token| is_of_years(token));
        Some(if is_name { Year::Name } else { Year::Unsure })
    }

    /// Returns the columns of numbers that a noun is about.
    fn numbers(&self, token: &Token) -> Vec<usize> {
        let (columns, sureness) = self.related(token).unwrap_or((Vec::new(), Sureness::About));
        let is_number = |column: &usize| {
            sureness >= Sureness::Meaning
                && self.table.column(*column).is_some_and(|one| one.kind == Kind::Number && !one.of_years)
        };
        columns.into_iter().filter(is_number).collect()
    }

    /// Returns whether a word is about a column of dates or years.
    pub(super) fn is_about_date(&self, token: &Token) -> bool {
        let is_date = |column: &usize| {
            self.table.column(*column).is_some_and(|column| column.kind == Kind::Date || column.of_years)
        };
        self.related(token).is_some_and(|(columns, _)| columns.iter().any(is_date))
    }

    /// Restricts columns to those that have one of the years that are parts of names, if any has.
    pub(super) fn of_years(&self, tag: Tag, years: &Years<'_>) -> Tag {
        let Tag::Columns(columns, sureness) = tag else { return tag };
        let is_said = |column: &usize| self.years_in(*column).any(|own| years.named.contains(&own));
        let said: Vec<usize> = columns.iter().copied().filter(is_said).collect();
        Tag::Columns(if said.is_empty() { columns } else { said }, sureness)
    }

    fn kind(&self, column: usize) -> Option<Kind> {
        self.table.column(column).map(|column| column.kind)
    }

    /// Returns the stems of the name of a column, which is one of the table's.
    pub(super) fn stems(&self, column: usize) -> &[String] {
        let found = self.table.column(column);
        debug_assert!(found.is_some(), "the table has no column {column}");
        found.map(|column| column.stems.as_slice()).unwrap_or_default()
    }

    /// Returns the years in the name of a column.
    fn years_in(&self, column: usize) -> impl Iterator<Item = &str> {
        self.stems(column).iter().map(String::as_str).filter(|stem| dates::year(stem).is_some())
    }
}
