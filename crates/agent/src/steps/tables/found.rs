//! The answer that a table gives to a question, in words, with its rows and where each was read.

use super::cited_text::Text;
use super::compute::Computed;
use super::dates::{civil, month_name};
use super::documents::{FILE, PATH};
use super::query::{Ask, Comparison, Condition, Key, Measure, Query, Test};
use super::table::{Cell, Column, Source, Table};
use crate::coverage::{conditions, held_text};
use crate::run::Run;
use crate::steps::rules::words::capitalised;
use crate::table::decimal;
use serde_json::{Map, Value};
use std::rc::Rc;
use vademecum_firewall::Allowed;
use vademecum_grounding::citation::{Citation, CitationStyle};
use vademecum_protocol::document::{DocumentSummary, Hit, NEVER_SEND, called};
use vademecum_util::within::Within;

/// Maximum number of rows that are listed below a number computed of them.
const MAX_BASIS: usize = 20;
/// Maximum number of conditions' values that are listed.
const MAX_SAID: usize = 5;

/// The answer of a table.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::steps) struct Found {
    /// The table.
    pub(in crate::steps) table: Rc<Table>,
    pub(in crate::steps) query: Query,
    pub(in crate::steps) computed: Computed,
    /// The conditions of the run's own filter, which the rows fulfil beside those of the query.
    pub(in crate::steps) narrowed: Vec<String>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.sources == other.sources
    }
}

impl Found {
    /// Returns a document for each row: the one that it is, or the one that it was read in, with the row's values as metadata.
    pub(in crate::steps) fn documents(&self) -> Vec<DocumentSummary> {
        let is_read = self.table.columns.iter().any(|column| !column.places.is_empty());
        let document = |row: usize| match self.table.sources.get(row)? {
            Source::Document(document) if !is_read => Some(document.clone()),
            Source::Document(document) => {
                Some(DocumentSummary { metadata: self.values(row, &document.metadata), ..document.clone() })
            }
            Source::Passage(hit, _) => Some(DocumentSummary {
                id: hit.chunk.doc_id.clone(),
                collection: hit.chunk.collection.clone(),
                title: self
                    .table
                    .label
                    .map(|label| self.table.written(row, label))
                    .or(hit.chunk.title.clone()),
                url: hit.chunk.url.clone(),
                metadata: self.values(row, &hit.chunk.metadata),
                chunks: 1,
            }),
        };
        self.computed.rows.iter().filter_map(|row| document(*row)).collect()
    }

    /// Returns whether the answer is all rows of the table.
    pub(in crate::steps) fn lists_all(&self) -> bool {
        self.query.conditions.is_empty() && self.query.ask == Ask::Rows && self.query.select.is_empty()
    }

    /// Returns the passage of the n-th row, if the row is a part of one.
    pub(in crate::steps) fn passage(&self, at: usize) -> Option<Hit> {
        match self.table.sources.get(*self.computed.rows.get(at)?)? {
            Source::Passage(hit, _) => Some((**hit).clone()),
            Source::Document(_) => None,
        }
    }

    /// Returns the values of a row as metadata, with what marks its document.
    fn values(&self, row: usize, of_document: &Map<String, Value>) -> Map<String, Value> {
        let columns = self.table.columns.iter().enumerate().filter(|(at, _)| Some(*at) != self.table.label);
        let value = |column: &Column| column.values.get(row).filter(|value| !value.is_null()).cloned();
        let values = columns.filter_map(|(_, column)| Some((column.name.clone(), value(column)?)));
        let marks = of_document.iter().filter(|(name, _)| *name == NEVER_SEND);
        values.chain(marks.map(|(name, value)| (name.clone(), value.clone()))).collect()
    }

    /// Adds the conditions of a filter that the rows were read with.
    pub(in crate::steps) fn narrowed_by(self, filter: Option<&Value>) -> Self {
        // The name of the table says which files it is of.
        let is_of_file = |one: &Value| {
            let names =
                |field: &str| one.get("field").is_some_and(|own| own == field) || one.get(field).is_some();
            !self.table.files.is_empty() && [FILE, PATH].into_iter().any(names)
        };
        let own = conditions(filter).into_iter().filter(|one| !is_of_file(one));
        Self { narrowed: own.map(|one| held_text(&one)).collect(), ..self }
    }

    pub(super) fn column(&self, at: usize) -> Option<&Column> {
        self.table.column(at)
    }

    pub(super) fn name(&self, column: usize) -> &str {
        self.column(column).map_or("", |column| column.name.as_str())
    }

    /// Returns the answer without its rows: a sentence.
    pub(in crate::steps) fn sentence(&self) -> String {
        if let Some(said) = self.other_currency() {
            return said;
        }
        let rows = self.computed.rows.len();
        let scope = format!("{} {}", self.rows_said(rows), self.described());
        let number = || self.numbers(&self.computed.numbers);
        let said = match &self.query.ask {
            Ask::Rows if rows == 0 && self.is_unknown() => return self.not_known(),
            Ask::Rows if rows == 0 => format!("There are no {} {}.", self.noun(0), self.described()),
            Ask::Rows => format!("{scope}:"),
            Ask::Any if rows == 0 && !self.computed.unknown.is_empty() => return self.not_known(),
            Ask::Any if rows == 0 => format!("No: there are no {} {}.", self.noun(0), self.described()),
            Ask::All => return self.all(),
            Ask::Any => format!("Yes: {scope}."),
            Ask::Measure(Measure::Rows) => format!("There {} {scope}.", if rows == 1 { "is" } else { "are" }),
            Ask::Measure(Measure::Different(column)) => {
                format!(
                    "There are {} different values of {}, among the {scope}.",
                    number(),
                    self.name(*column)
                )
            }
            Ask::Measure(Measure::Of(..)) if rows == 0 && self.is_unknown() => return self.not_known(),
            Ask::Measure(Measure::Of(how, column)) if rows == 0 => {
                format!(
                    "There is no {} of {}: there are no {} {}.",
                    how.name(),
                    self.name(*column),
                    self.noun(0),
                    self.described()
                )
            }
            Ask::Measure(Measure::Of(how, column)) if self.computed.numbers.is_empty() => {
                format!("There is no {} of {}: no value among the {scope}.", how.name(), self.name(*column))
            }
            Ask::Measure(Measure::Of(how, column)) => {
                let over: usize = self.computed.numbers.iter().map(|one| one.over).sum();
                let of = if over == rows { String::new() } else { format!("{over} of ") };
                format!("The {} of {} is {}, over {of}the {scope}.", how.name(), self.name(*column), number())
            }
            Ask::Share(_) => {
                let all = self.computed.numbers.first().map_or(0, |one| one.over);
                format!("{} %: {rows} of {all} {}.", number(), self.described())
            }
            Ask::Different(column) => {
                let count = self.computed.values.len();
                if count == 0 {
                    return format!("There is no value of {} among the {scope}.", self.name(*column));
                }
                format!("{}: {count} different, among the {scope}.", self.name(*column))
            }
            Ask::First(column, first) => {
                let end = if first.greatest { "greatest" } else { "least" };
                format!("By {}, the {end} first, {}:", self.name(*column), self.described())
            }
            Ask::Groups(key, measure, first) => {
                let by = match key {
                    Key::Column(column) => self.name(*column).to_owned(),
                    Key::Date(column, part) => format!("{} of {}", part.name(), self.name(*column)),
                };
                let what = match measure {
                    Measure::Rows => format!("Number of {}", self.noun(2)),
                    Measure::Different(column) => {
                        format!("Number of different values of {}", self.name(*column))
                    }
                    Measure::Of(how, column) => {
                        format!("{} of {}", capitalised(how.name()), self.name(*column))
                    }
                };
                match first.filter(|_| !self.computed.is_uncompared) {
                    Some(first) if first.greatest => {
                        format!("{what} by {by}, the greatest first, {}:", self.described())
                    }
                    Some(_) => format!("{what} by {by}, the least first, {}:", self.described()),
                    None => format!("{what} by {by}, over the {scope}:"),
                }
            }
        };
        match self.unknown() {
            None => said,
            Some(unknown) => {
                let end = if said.ends_with(':') { ':' } else { '.' };
                format!("{} ({unknown}){end}", said.trim_end_matches([':', '.']))
            }
        }
    }

    /// Returns a sentence about the rows whose missing values leave the answer open.
    fn not_known(&self) -> String {
        let (unknown, lacking) = (&self.computed.unknown, self.lacking());
        match (unknown.as_slice(), self.named().as_slice()) {
            ([row], [named]) if row == named => {
                let row = self.title(*row).unwrap_or_else(|| "the row".to_owned());
                format!("That is not known: {row} has no value for {lacking}.")
            }
            _ => {
                let count = unknown.len();
                let (may, has) = if count == 1 { ("may be one", "has") } else { ("may be", "have") };
                format!(
                    "That is not known: no {} {} {} found, but {count} {may}, which {has} no value for {lacking}.",
                    self.noun(1),
                    self.described(),
                    "was",
                )
            }
        }
    }

    /// Tells in which currency amounts are that were compared with another.
    fn other_currency(&self) -> Option<String> {
        let conditions = self.query.conditions.iter().flatten();
        let mut found = conditions.filter_map(|one| {
            let (Test::Number(_, than), [column]) = (&one.test, one.columns.as_slice()) else { return None };
            let (own, said) = (self.column(*column)?.unit?, than.unit?);
            (own.of != said.of).then(|| {
                format!(
                    "There are no amounts in {} in {}: those of {} are in {}.",
                    said.symbol,
                    self.place(),
                    self.name(*column),
                    own.symbol
                )
            })
        });
        found.next().filter(|_| self.computed.rows.is_empty() || self.query.ask == Ask::All)
    }

    /// Returns whether a value is missing in the very rows that the question names.
    fn is_unknown(&self) -> bool {
        !self.computed.unknown.is_empty() && self.computed.unknown == self.named()
    }

    /// Returns the rows that are shown below an answer: its own, or if there are none, those that it says something of.
    pub(super) fn basis(&self) -> Vec<usize> {
        let Computed { rows, unknown, .. } = &self.computed;
        match self.query.ask {
            _ if self.other_currency().is_some() => Vec::new(),
            Ask::Rows if rows.is_empty() && self.is_unknown() => unknown.clone(),
            Ask::Any if rows.is_empty() && unknown.is_empty() => self.named(),
            Ask::Any | Ask::All if rows.is_empty() => unknown.clone(),
            _ => rows.clone(),
        }
    }

    /// Returns a sentence if the only row has no value in the only column asked for.
    fn lacks(&self) -> Option<String> {
        let ([row], [column]) = (self.computed.rows.as_slice(), self.query.select.as_slice()) else {
            return None;
        };
        let is_missing = self.table.written(*row, *column).trim().is_empty();
        Some(format!("{} has no value for {}.", self.title(*row)?, self.name(*column))).filter(|_| is_missing)
    }

    /// Says whether all rows fulfil the last condition.
    fn all(&self) -> String {
        let Computed { rows, unknown, scope, .. } = &self.computed;
        let of = self.query.conditions.len().saturating_sub(1);
        let of_scope = self.described_by(self.query.conditions.within(..of));
        let wanted = self.query.conditions.last().map(|any| self.any(any)).unwrap_or_default();
        let total = scope.len();
        let lacking = if unknown.is_empty() {
            String::new()
        } else {
            format!(", and {} {} no value", unknown.len(), if unknown.len() == 1 { "has" } else { "have" })
        };
        if total == 0 {
            return format!("There are no {} {of_scope}.", self.noun(0));
        }
        if !self.computed.fails && unknown.is_empty() {
            return format!("Yes: all {} {of_scope} have {wanted}.", self.rows_said(total));
        }
        let failing = if self.computed.fails { rows.len() } else { 0 };
        let do_not = if failing == 1 { "does not" } else { "do not" };
        let fulfil = total - failing - unknown.iter().filter(|row| scope.contains(row)).count();
        if failing == 0 {
            return format!(
                "That is not known: of the {} {of_scope}, {fulfil} have {wanted}{lacking}.",
                self.rows_said(total)
            );
        }
        format!("No: of the {} {of_scope}, {failing} {do_not} have {wanted}{lacking}.", self.rows_said(total))
    }

    /// Returns the names of the columns without a value because of which a condition cannot be told.
    fn lacking(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for column in self.query.conditions.iter().flatten().flat_map(|one| &one.columns) {
            let is_missing = |row: &usize| *self.table.cell(*row, *column) == Cell::Missing;
            let name = self.name(*column);
            if self.computed.unknown.iter().any(is_missing) && !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" or ")
    }

    /// Returns the rows that conditions on the name select, if there are any.
    fn named(&self) -> Vec<usize> {
        let is_name = |any: &&Vec<Condition>| {
            any.iter()
                .all(|one| !one.negated && self.table.label.is_some_and(|label| one.columns.contains(&label)))
                && any.iter().all(|one| matches!(one.test, Test::Among(_)))
        };
        let names: Vec<Vec<Condition>> = self.query.conditions.iter().filter(is_name).cloned().collect();
        if names.is_empty() { Vec::new() } else { super::compute::selected(&self.table, &names, false).0 }
    }

    fn noun(&self, count: usize) -> &'static str {
        // The id of a row contains its file and a number sign: `budget.csv#3`.
        let is_part = |of: &Source, file: &str| matches!(of, Source::Document(one) if one.id.contains(&format!("{file}#")));
        let is_of_file = matches!(self.table.files.as_slice(), [(file, _)] if self.table.sources.iter().all(|one| is_part(one, file)));
        let is_row = is_of_file || matches!(self.table.sources.first(), Some(Source::Passage(..)));
        match (is_row, count) {
            (true, 1) => "row",
            (true, _) => "rows",
            (_, 1) => "document",
            _ => "documents",
        }
    }

    fn rows_said(&self, count: usize) -> String {
        format!("{count} {}", self.noun(count))
    }

    /// Describes the table and the conditions.
    pub(in crate::steps) fn described(&self) -> String {
        let conditions = &self.query.conditions;
        match conditions.split_last() {
            Some((last, scope)) if self.query.ask == Ask::All && self.computed.fails => {
                format!("{} but not {}", self.described_by(scope), self.any(last))
            }
            _ => self.described_by(conditions),
        }
    }

    fn any(&self, any: &[Condition]) -> String {
        any.iter().map(|one| self.condition(one)).collect::<Vec<_>>().join(" or ")
    }

    fn described_by(&self, conditions: &[Vec<Condition>]) -> String {
        let own = conditions.iter().map(|any| self.any(any)).filter(|one| !self.narrowed.contains(one));
        let all: Vec<String> = self.narrowed.iter().cloned().chain(own).collect();
        let with = if all.is_empty() { String::new() } else { format!(" with {}", all.join(" and ")) };
        format!("in {}{with}", self.place())
    }

    /// Returns what to call the table: its files, or its collection.
    fn place(&self) -> &str {
        called(&self.table.name)
    }

    fn condition(&self, one: &Condition) -> String {
        let names: Vec<&str> = one.columns.iter().map(|column| self.name(*column)).collect();
        let name = names.join(" or ");
        let not = if one.negated { "not " } else { "" };
        match &one.test {
            Test::Among(keys) => {
                let mut written: Vec<String> = Vec::new();
                for row in 0..self.table.len() {
                    for column in &one.columns {
                        let Cell::Text(texts) = self.table.cell(row, *column) else { continue };
                        let value = if texts.len() > 1 {
                            texts.iter().find(|text| keys.contains(text)).cloned()
                        } else {
                            Some(self.table.written(row, *column))
                                .filter(|_| texts.iter().any(|text| keys.contains(text)))
                        };
                        written.extend(value.filter(|value| !written.contains(value)));
                    }
                }
                let more = if written.len() > MAX_SAID { " or others" } else { "" };
                written.truncate(MAX_SAID);
                format!("{name} {not}{}{more}", written.join(" or "))
            }
            Test::Number(comparison, quantity) => {
                let sign = match comparison {
                    Comparison::More => "> ",
                    Comparison::AtLeast => ">= ",
                    Comparison::Less => "< ",
                    Comparison::AtMost => "<= ",
                    Comparison::Equal => "",
                };
                let has_unit =
                    one.columns.iter().any(|at| self.column(*at).is_some_and(|column| column.unit.is_some()));
                let unit = quantity
                    .unit
                    .filter(|_| has_unit)
                    .map_or(String::new(), |unit| format!(" {}{}", unit.scale, unit.symbol));
                format!("{name} {not}{sign}{}{unit}", decimal(quantity.value))
            }
            Test::Date { from, to } => {
                let day = |days: i64| {
                    let (year, month, day) = civil(days);
                    let of_years =
                        one.columns.iter().all(|at| self.column(*at).is_some_and(|column| column.of_years));
                    if of_years { year.to_string() } else { format!("{year}-{month:02}-{day:02}") }
                };
                match (from, to) {
                    (Some(from), Some(to)) if day(*from) == day(to - 1) => {
                        format!("{name} {not}{}", day(*from))
                    }
                    (Some(from), Some(to)) => format!("{name} {not}from {} to {}", day(*from), day(to - 1)),
                    (Some(from), None) => format!("{name} {not}from {}", day(*from)),
                    (None, Some(to)) => format!("{name} {not}up to {}", day(to - 1)),
                    (None, None) => name,
                }
            }
            Test::Month(month) => format!("{name} {not}in {}", month_name(*month)),
            Test::Boolean(wanted) => format!("{name} {}", if *wanted != one.negated { "yes" } else { "no" }),
            Test::There(there) => format!("{} {name}", if *there != one.negated { "a" } else { "no" }),
        }
    }

    /// Writes the answer with its rows, each with its citation.
    pub(in crate::steps) fn answer(
        &self,
        run: &Run<'_>,
        evidence: &mut Vec<Hit>,
        style: CitationStyle,
        allowed: &Allowed,
    ) -> (String, Vec<Citation>) {
        let mut text = Text { text: String::new(), citations: Vec::new(), evidence, style, allowed };
        let rows = &self.computed.rows;
        if let Some(lacks) = self.lacks().filter(|_| !matches!(self.query.ask, Ask::Measure(_))) {
            text.add(&lacks);
            rows.iter().for_each(|row| self.cite(run, &mut text, *row));
            return (text.text, text.citations);
        }
        // A single value needs no introduction.
        let is_value = rows.len() == 1
            && self.query.select.len() == 1
            && matches!(self.query.ask, Ask::Rows | Ask::First(..) | Ask::Different(_));
        let is_list = matches!(self.query.ask, Ask::Rows | Ask::First(..)) && !rows.is_empty();
        if !is_value && !is_list {
            text.add(&self.sentence());
        }
        match &self.query.ask {
            Ask::Different(column) if !is_value => self.list_values(run, &mut text, *column),
            Ask::Groups(key, ..) => self.list_groups(run, &mut text, *key),
            Ask::Measure(_) | Ask::Any | Ask::All | Ask::Share(_) if rows.len() > MAX_BASIS => {}
            _ => self.list_rows(run, &mut text),
        }
        if is_list && let Some(unknown) = self.unknown() {
            text.text.push_str(&format!("\n({unknown})"));
        }
        let without = self.computed.unsized_rows;
        let column = match &self.query.ask {
            Ask::First(column, _) | Ask::Groups(_, Measure::Of(_, column), _) => Some(*column),
            _ => None,
        };
        if let Some(column) = column.filter(|_| without > 0) {
            let has = if without == 1 { "has" } else { "have" };
            text.text.push_str("\n(");
            text.add(&format!("{without} {has} no value for {}", self.name(column)));
            text.text.push(')');
        }
        if let Some(uncompared) = self.uncompared() {
            text.text.push_str(&format!("\n({uncompared})"));
        }
        // Nothing is before the first entry of a list, so that the positions of its citations hold.
        (text.text, text.citations)
    }

    /// Tells that amounts in different currencies were not compared.
    pub(super) fn uncompared(&self) -> Option<&'static str> {
        let said = match self.query.ask {
            Ask::First(..) => "those of each currency, which are not compared",
            _ => "amounts in different currencies are not compared",
        };
        self.computed.is_uncompared.then_some(said)
    }

    /// Tells of how many rows a condition cannot be told.
    fn unknown(&self) -> Option<String> {
        let count = self.computed.unknown.len();
        (count > 0).then(|| format!("{count} more may do so, but a value is missing"))
    }
}
