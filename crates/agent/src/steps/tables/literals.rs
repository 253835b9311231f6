//! Finds amounts and dates in a question.

use super::dates::{self, Period};
use super::quantity::{Quantity, unit};
use super::table::{Cell, Kind};
use super::tags::{Sureness, Tag, Vocabulary};
use super::tokens::Token;
use super::words::numeral;
use vademecum_util::within::Within;

impl Vocabulary<'_> {
    /// Parses a date from the token `at` on, unless it belongs to a value: "April Jones". A month that may be someone is unknown, but not "in April".
    pub(in crate::steps) fn date(
        &self,
        all: &[Token],
        at: usize,
        day_first: bool,
        value: Option<&(Tag, usize)>,
    ) -> Option<(Tag, usize)> {
        let rest = all.get(at..)?;
        let of_year = || self.year.and_then(|year| of_year(all, at, year));
        let written = date(rest, day_first);
        let is_month = !matches!(written, Some((Tag::Period(_), _)));
        let (tag, length) = match written {
            Some((Tag::Month(month), length)) => of_year().unwrap_or((Tag::Month(month), length)),
            found => found.or_else(of_year)?,
        };
        // Without a day or a year, the name of a month may be another name.
        let is_month = is_month && length == 1;
        let first = rest.first()?;
        let has_dates = self.table.columns.iter().any(|column| column.kind == Kind::Date);
        let before = at.checked_sub(1).and_then(|before| all.get(before));
        let is_moment =
            has_dates && before.is_some_and(|token| matches!(token.low.as_str(), "in" | "during"));
        let is_of_time =
            before.is_some_and(|token| matches!(token.low.as_str(), "in" | "during" | "for" | "of"));
        // "The electricity in February", where a text is "Electricity February".
        let may_be_part = self.parts.get(&first.low).is_some_and(|texts| {
            let shares = |token: &Token| {
                token.low != first.low
                    && self.parts.get(&token.low).is_some_and(|own| !own.is_disjoint(texts))
            };
            !is_moment || all.iter().any(shares)
        });
        match value {
            Some((_, own)) if *own > length || (*own == length && !has_dates) => None,
            Some((tag, _)) if is_month && is_of_time && self.are_months(tag, all) => Some((tag.clone(), 1)),
            _ if is_month && (value.is_some() || may_be_part) => Some((Tag::Unknown, 1)),
            _ => Some((tag, length)),
        }
    }

    /// Returns whether values are of a column of months that the question is about: not if the table has dates, unless the column is just called
    /// "month", and nothing is asked of a date, such as "joined".
    fn are_months(&self, tag: &Tag, all: &[Token]) -> bool {
        let Tag::Values(values) = tag else { return false };
        let is_month = |cell: &Cell| match cell {
            Cell::Text(texts) => texts.iter().all(|text| dates::month(text).is_some()),
            Cell::Missing => true,
            _ => false,
        };
        let has_dates = self.table.columns.iter().any(|column| column.kind == Kind::Date);
        let asks_of_date = all.iter().any(|token| self.is_about_date(token));
        values.iter().all(|(column, _)| {
            self.table.column(*column).is_some_and(|column| {
                column.cells.iter().all(is_month)
                    && (!has_dates || (column.stems == ["month"] && !asks_of_date))
            })
        })
    }

    /// Parses an amount with its unit at the beginning.
    pub(in crate::steps) fn amount(&self, rest: &[Token]) -> Option<(Tag, usize)> {
        let first = rest.first()?;
        // Questions are English, but "1.240" may be copied from a table with decimal commas.
        let is_copied = first.low.contains('.') && !first.low.contains(',');
        let comma = is_copied && self.table.columns.iter().any(|column| column.comma);
        let text = |length: usize| {
            let words: Vec<&str> = rest.get(..length)?.iter().map(|token| token.text.as_str()).collect();
            Some(words.join(" "))
        };
        // "50-60", "2010–2018".
        if let Some((low, high)) = first.low.split_once(['-', '–']).filter(|(low, _)| !low.is_empty()) {
            let (low, high) = (Quantity::parse(low, comma)?, Quantity::parse(high, comma)?);
            return Some((Tag::Range(low, high), 1));
        }
        let is_digit = |token: &Token| token.low.chars().any(|letter| letter.is_ascii_digit());
        if let Some(value) = numeral(&first.low) {
            let scale = rest
                .get(1)
                .map(|next| format!("1 {}", next.low))
                .and_then(|text| Quantity::parse(&text, false));
            return Some(match scale.filter(|scale| scale.value != 1.0 || scale.unit.is_some()) {
                Some(scale) => (Tag::Quantity(Quantity { value: value * scale.value, unit: scale.unit }), 2),
                None => (Tag::Quantity(Quantity::bare(value)), 1),
            });
        }
        // "EUR 500".
        let is_prefix = unit(&first.low).is_some() && rest.get(1).is_some_and(is_digit);
        if !is_digit(first) && !is_prefix {
            return None;
        }
        let lengths: &[usize] = if is_digit(first) { &[3, 2, 1] } else { &[3, 2] };
        lengths.iter().find_map(|length| {
            let quantity = Quantity::parse(&text(*length)?, comma)?;
            // "3 years of experience": the years are a part of a column's name.
            let is_named = |at: usize| {
                let next = rest.within(at..);
                at > 0
                    && is_digit(first)
                    && (self.name(next).is_some()
                        || next
                            .first()
                            .and_then(|next| self.related(next))
                            .is_some_and(|(_, sureness)| sureness >= Sureness::Part))
            };
            let takes_name = *length > 1 && (1..*length).any(is_named);
            (!takes_name).then_some((Tag::Quantity(thousands(&text(*length)?, quantity)), *length))
        })
    }
}

/// Reads "50.000" as fifty thousand: nobody writes three decimals that are all zero.
fn thousands(text: &str, quantity: Quantity) -> Quantity {
    let digits = text.trim_matches(|letter: char| !letter.is_ascii_digit());
    let is_grouped = digits.split_once('.').is_some_and(|(first, rest)| rest == "000" && first.len() <= 3);
    if is_grouped { Quantity { value: quantity.value * 1_000.0, ..quantity } } else { quantity }
}

/// Words before a month that begin or end a time.
const OF_RANGES: [&str; 9] =
    ["from", "to", "until", "till", "through", "since", "before", "after", "between"];

/// Parses a date without a year, as one of the only year that the dates of a table are of: "4 November", "from january to june". A month
/// in lowercase is one only beside the words of a time.
fn of_year(all: &[Token], at: usize, year: i64) -> Option<(Tag, usize)> {
    let rest = all.get(at..)?;
    let year = year.to_string();
    let dated = |length: usize| {
        let words = rest.get(..length)?.iter().map(|token| token.text.as_str());
        let (period, read) = dates::written(&words.chain([year.as_str()]).collect::<Vec<_>>())?;
        (read == length + 1).then_some((Tag::Period(period), length))
    };
    let low = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |token| token.low.as_str());
    let (before, behind) = (low(at.checked_sub(1)), low(Some(at + 1)));
    let is_end = OF_RANGES.contains(&before) || matches!(behind, "to" | "until" | "till" | "through");
    let is_moment = is_end || matches!(before, "in" | "during");
    let is_written = rest.first()?.text.starts_with(char::is_uppercase);
    dated(3).or_else(|| dated(2)).or_else(|| dated(1).filter(|_| is_end || is_moment && !is_written))
}

fn date(rest: &[Token], day_first: bool) -> Option<(Tag, usize)> {
    let first = rest.first()?;
    let words: Vec<&str> =
        rest.iter().map(|token| token.text.as_str()).filter(|word| *word != ",").take(5).collect();
    if let Some((period, length)) = dates::written(&words) {
        // Commas within the date count as words.
        let mut left = length;
        let end = rest.iter().position(|token| {
            left -= usize::from(token.low != ",");
            left == 0
        })?;
        return Some((Tag::Period(period), end + 1));
    }
    if let Some(period) = dates::parse(&first.text, day_first)
        .filter(|_| first.low.chars().any(|letter| letter.is_ascii_digit()))
    {
        return Some((Tag::Period(period), 1));
    }
    // "the 1990s".
    let decade = first.low.strip_suffix('s').map(|bare| bare.trim_end_matches('\'')).and_then(dates::year);
    if let Some(decade) = decade.filter(|decade| decade % 10 == 0) {
        return Some((Tag::Period(Period::year(decade).through(Period::year(decade + 9))), 1));
    }
    // "may" and "march" are verbs in lowercase; abbreviations are too short to be sure.
    let is_name = first.text.chars().next().is_some_and(char::is_uppercase) && first.low.len() > 2;
    dates::month(&first.low).filter(|_| is_name).map(|month| (Tag::Month(month), 1))
}
