//! Writes the rows, values and groups of an answer from a table as a list, with their citations.

use super::cited_text::Text;
use super::compute::Number;
use super::dates::civil;
use super::found::Found;
use super::money::cents;
use super::query::{Ask, Key, Measure};
use super::table::{Cell, Source};
use crate::run::Run;
use crate::table::decimal;

/// Maximum number of rows that an answer lists; the output has all of them.
const MAX_ROWS: usize = 50;
/// Maximum number of rows that a group or a value cites.
const MAX_OF_GROUP: usize = 5;

impl Found {
    pub(super) fn list_rows(&self, run: &Run<'_>, text: &mut Text<'_>) {
        let rows = &self.basis();
        let is_single = rows.len() == 1 && text.text.is_empty() && !self.query.select.is_empty();
        // Rows without a value are no part of a number.
        let column = match self.query.ask {
            Ask::Measure(Measure::Of(_, column) | Measure::Different(column)) => Some(column),
            _ => None,
        };
        let has_value =
            |row: &&usize| column.is_none_or(|column| *self.table.cell(**row, column) != Cell::Missing);
        for row in rows.iter().filter(has_value).take(MAX_ROWS) {
            let gap = if text.text.is_empty() { "" } else { "\n" };
            text.text.push_str(gap);
            text.text.push_str(if is_single { "" } else { "- " });
            text.add(&self.line(*row));
            self.cite(run, text, *row);
        }
        if rows.len() > MAX_ROWS {
            text.text.push_str(&format!("\nand {} more", rows.len() - MAX_ROWS));
        }
    }

    /// Cites where the values of a row were read that the answer is about, or else the row.
    pub(super) fn cite(&self, run: &Run<'_>, text: &mut Text<'_>, row: usize) {
        let measured = match &self.query.ask {
            Ask::Measure(measure) | Ask::Groups(_, measure, _) => Some(measure),
            _ => None,
        };
        let measured = measured.and_then(|measure| match measure {
            Measure::Rows => None,
            Measure::Different(column) | Measure::Of(_, column) => Some(*column),
        });
        let conditions = self.query.conditions.iter().flatten().flat_map(|one| one.columns.iter().copied());
        let mut columns = measured.into_iter().chain(self.query.select.iter().copied()).chain(conditions);
        let place = columns.find_map(|at| self.column(at)?.places.get(row)?.as_ref());
        if let Some(source) = self.table.sources.get(row) {
            text.cite(run, source, place);
        }
    }

    /// Returns the name of a row.
    pub(super) fn title(&self, row: usize) -> Option<String> {
        let title =
            self.table.label.map(|label| self.table.written(row, label)).filter(|title| !title.is_empty());
        title.or_else(|| match self.table.sources.get(row)? {
            Source::Document(document) => Some(document.title.clone().unwrap_or_else(|| document.id.clone())),
            Source::Passage(..) => None,
        })
    }

    /// Describes a row: its name, and the columns that matter, or all.
    pub(in crate::steps) fn line(&self, row: usize) -> String {
        let title = self.title(row);
        let mut columns = self.query.select.clone();
        if let Ask::Measure(Measure::Of(_, column) | Measure::Different(column)) = &self.query.ask {
            columns.push(*column);
        }
        // Rows of a list are shown whole.
        if columns.is_empty() || matches!(self.query.ask, Ask::First(..)) {
            let others = (0..self.table.columns.len()).filter(|at| !columns.contains(at)).collect::<Vec<_>>();
            columns.extend(others);
        }
        let field = |column: &usize| {
            let value = self.table.written(row, *column);
            if Some(*column) == self.table.label {
                return None;
            }
            if value.trim().is_empty() {
                let is_asked = self.query.select.contains(column);
                return is_asked.then(|| format!("no {}", self.name(*column)));
            }
            Some(format!("{} {value}", self.name(*column)))
        };
        let fields: Vec<String> = columns.iter().filter_map(field).collect();
        match (title, fields.as_slice()) {
            (Some(title), []) => title,
            (Some(title), fields) => format!("{title} ({})", fields.join(", ")),
            (None, fields) => fields.join(", "),
        }
    }

    pub(super) fn list_values(&self, run: &Run<'_>, text: &mut Text<'_>, column: usize) {
        for value in self.computed.values.iter().take(MAX_ROWS) {
            text.text.push_str("\n- ");
            text.add(value);
            let is_it = |row: &&usize| {
                let written = self.table.written(**row, column);
                written == *value
                    || matches!(self.table.cell(**row, column), Cell::Text(texts) if texts.contains(value))
            };
            for row in self.computed.rows.iter().filter(is_it).take(MAX_OF_GROUP) {
                self.cite(run, text, *row);
            }
        }
        if self.computed.values.len() > MAX_ROWS {
            text.text.push_str(&format!("\nand {} more", self.computed.values.len() - MAX_ROWS));
        }
    }

    pub(super) fn list_groups(&self, run: &Run<'_>, text: &mut Text<'_>, key: Key) {
        for (name, numbers) in self.computed.groups.iter().take(MAX_ROWS) {
            text.text.push_str("\n- ");
            text.add(&format!("{name}: {}", self.numbers(numbers)));
            let is_in = |row: &&usize| {
                super::compute::groups_of(&self.table, **row, key).iter().any(|(_, group)| group == name)
            };
            for row in self.computed.rows.iter().filter(is_in).take(MAX_OF_GROUP) {
                self.cite(run, text, *row);
            }
        }
        if self.computed.groups.len() > MAX_ROWS {
            text.text.push_str(&format!("\nand {} more", self.computed.groups.len() - MAX_ROWS));
        }
        if let Some(difference) = self.difference() {
            text.text.push_str(&format!("\n({difference})"));
        }
    }

    /// Tells how far apart two groups are that are compared.
    fn difference(&self) -> Option<String> {
        let [(_, one), (_, other)] = self.computed.groups.as_slice() else { return None };
        let ([one], [other]) = (one.as_slice(), other.as_slice()) else { return None };
        let apart = Number { value: (one.value - other.value).abs(), ..one.clone() };
        (self.query.compares() && one.unit == other.unit)
            .then(|| format!("a difference of {}", self.numbers(&[apart])))
    }

    pub(super) fn numbers(&self, numbers: &[Number]) -> String {
        numbers.iter().map(|one| self.number(one)).collect::<Vec<_>>().join(" and ")
    }

    fn number(&self, one: &Number) -> String {
        if let Some(day) = one.day {
            let (year, month, date) = civil(day.from);
            return if day.to - day.from > 31 {
                year.to_string()
            } else {
                format!("{year}-{month:02}-{date:02}")
            };
        }
        let unit = one.unit.map_or(String::new(), |unit| format!(" {}{}", unit.scale, unit.symbol));
        let is_of_cents = match &self.query.ask {
            Ask::Measure(Measure::Of(_, column)) | Ask::Groups(_, Measure::Of(_, column), _) => {
                self.column(*column).is_some_and(|column| column.has_cents)
            }
            _ => false,
        };
        format!("{}{unit}", if is_of_cents { cents(one.value) } else { decimal(one.value) })
    }

    /// Returns whether the answer is its rows and nothing else.
    pub(in crate::steps) fn is_list(&self) -> bool {
        matches!(self.query.ask, Ask::Rows | Ask::First(..)) && !self.computed.rows.is_empty()
    }

    /// Returns the text for a model's prompt: the sentence, then the values or groups.
    pub(in crate::steps) fn told(&self) -> String {
        let mut told = self.sentence();
        for value in self.computed.values.iter().take(MAX_ROWS) {
            told.push_str(&format!("\n- {value}"));
        }
        for (name, numbers) in self.computed.groups.iter().take(MAX_ROWS) {
            told.push_str(&format!("\n- {name}: {}", self.numbers(numbers)));
        }
        for remark in [self.difference(), self.uncompared().map(str::to_owned)].into_iter().flatten() {
            told.push_str(&format!("\n({remark})"));
        }
        told
    }
}
