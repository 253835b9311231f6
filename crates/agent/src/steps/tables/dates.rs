//! Dates as people and spreadsheets write them, as periods of days.

use crate::steps::rules::words::capitalised;
use vademecum_text::months::MONTHS;

/// A period of days since 1970-01-01: `from` inclusive, `to` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::steps) struct Period {
    pub(in crate::steps) from: i64,
    pub(in crate::steps) to: i64,
}

/// Returns the number of a month, from 1, by its English name or abbreviation.
pub(in crate::steps) fn month(word: &str) -> Option<u32> {
    let low = word.trim_end_matches('.').to_lowercase();
    let is = |name: &str| {
        name == low || (name.get(..3) == Some(low.as_str())) || (low == "sept" && name.starts_with("sept"))
    };
    MONTHS.iter().position(|name| is(name)).map(|at| at as u32 + 1)
}

/// Returns the English name of a month by its number, from 1.
pub(in crate::steps) fn month_name(month: u32) -> String {
    let name = usize::try_from(month).ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    name.map_or_else(|| format!("month {month}"), |name| capitalised(name))
}

/// Returns the days since 1970-01-01 of a date of the Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let shifted = i64::from((month + 9) % 12);
    let of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns year, month and day.
pub(in crate::steps) fn civil(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted - era * 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

impl Period {
    /// Returns a day, if there is such a date.
    pub(in crate::steps) fn day(year: i64, month: u32, day: u32) -> Option<Self> {
        let from = days(year, month, day);
        (civil(from) == (year, month, day)).then_some(Self { from, to: from + 1 })
    }

    /// Returns months of a year, both inclusive.
    pub(in crate::steps) fn months(year: i64, first: u32, last: u32) -> Option<Self> {
        let known = (1..=12).contains(&first) && (first..=12).contains(&last);
        let (next_year, next) = if last == 12 { (year + 1, 1) } else { (year, last + 1) };
        known.then(|| Self { from: days(year, first, 1), to: days(next_year, next, 1) })
    }

    /// Returns a year.
    pub(in crate::steps) fn year(year: i64) -> Self {
        Self { from: days(year, 1, 1), to: days(year + 1, 1, 1) }
    }

    /// Returns both periods and what lies between them.
    pub(in crate::steps) fn through(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }
}

/// Returns a year of four digits.
pub(in crate::steps) fn year(word: &str) -> Option<i64> {
    let digits = word.len() == 4 && word.bytes().all(|one| one.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten().filter(|year| (1000..2200).contains(year))
}

/// Parses a date and nothing else; a year alone is none. `day_first` reads 03/05/2024 as the third of May.
pub(in crate::steps) fn parse(text: &str, day_first: bool) -> Option<Period> {
    let text = text.trim();
    let day_part =
        text.split_once('T').map_or(text, |(day, time)| if time.contains(':') { day } else { text });
    // A time of day behind the date.
    let bare = match day_part.rsplit_once(' ') {
        Some((day, time)) if time.contains(':') => day,
        _ => day_part,
    };
    numeric(bare, day_first).or_else(|| {
        let words: Vec<&str> = bare
            .split([' ', ',', '-'])
            .map(|word| word.trim_matches([',', '.']))
            .filter(|word| !word.is_empty())
            .collect();
        let (period, length) = written(&words)?;
        (length == words.len()).then_some(period)
    })
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Parses the time of day in a text such as "2024-03-05 10:30:07.5", as a part of the day in [0, 1).
pub(in crate::steps) fn time_of_day(text: &str) -> Option<f64> {
    let time = text.split(['T', ' ']).find(|part| part.contains(':'))?;
    // A zone behind the time.
    let time = time.trim_end_matches('Z');
    let time = time.find(['+', '-']).map_or(time, |at| time.get(..at).unwrap_or_default());
    let mut parts = time.split(':');
    let number = |part: Option<&str>| {
        let part = part?.replace(',', ".");
        let is_number = part.starts_with(|first: char| first.is_ascii_digit());
        is_number.then(|| part.parse::<f64>().ok()).flatten()
    };
    let (hour, minute) = (number(parts.next())?, number(parts.next())?);
    let second = parts.next().map_or(Some(0.0), |part| number(Some(part)))?;
    let fits = hour < 24.0 && minute < 60.0 && second < 61.0 && hour.fract() == 0.0 && parts.next().is_none();
    fits.then_some((hour * 3_600.0 + minute * 60.0 + second) / DAY)
}

/// Parses a date of digits and marks, with a year.
fn numeric(text: &str, day_first: bool) -> Option<Period> {
    let mark = text.chars().find(|letter| "-/.".contains(*letter))?;
    let parts: Vec<&str> = text.trim_end_matches('.').split(mark).map(str::trim).collect();
    let number = |part: &str| {
        let fine = matches!(part.len(), 1 | 2) && part.bytes().all(|one| one.is_ascii_digit());
        fine.then(|| part.parse::<u32>().ok()).flatten()
    };
    let short_year =
        |part: &str| Some(if part.len() == 2 { 2000 + i64::from(number(part)?) } else { year(part)? });
    match parts.as_slice() {
        [first, second] if mark != '.' => match year(first) {
            Some(year) => Period::months(year, number(second)?, number(second)?),
            None => Period::months(year(second)?, number(first)?, number(first)?),
        },
        [first, second, third] => {
            if let Some(year) = year(first) {
                return Period::day(year, number(second)?, number(third)?);
            }
            let (year, one, two) = (short_year(third)?, number(first)?, number(second)?);
            let (day, month) = if mark == '.' || day_first { (one, two) } else { (two, one) };
            Period::day(year, month, day).or_else(|| Period::day(year, day, month))
        }
        _ => None,
    }
}

/// Returns whether a date of digits has its day before the month; `None` if that cannot be told.
pub(in crate::steps) fn has_day_first(text: &str) -> Option<bool> {
    let day = text.split([' ', 'T']).next().unwrap_or(text);
    let parts: Vec<u32> = day.split(['/', '-']).map_while(|part| part.trim().parse().ok()).collect();
    match parts.as_slice() {
        [first, second, _] if *first > 12 && *first <= 31 && *second <= 12 => Some(true),
        [first, second, _] if *second > 12 && *first <= 12 => Some(false),
        _ => None,
    }
}

/// Returns whether a text is a date such as 03-01-2024: digits with dashes, and the year at the end. A time of day may follow.
pub(in crate::steps) fn has_dashes(text: &str) -> bool {
    let day = text.split([' ', 'T']).next().unwrap_or(text);
    let parts: Vec<&str> = day.split('-').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|one| one.is_ascii_digit());
    matches!(parts.as_slice(), [first, _, year] if first.len() < 3 && matches!(year.len(), 2 | 4))
        && parts.iter().all(is_number)
}

/// Parses a date with the name of its month at the beginning of `words`, or a quarter or half of a year; returns its length.
pub(in crate::steps) fn written(words: &[&str]) -> Option<(Period, usize)> {
    let day = |word: &str| {
        let low = word.to_lowercase();
        let bare =
            ["st", "nd", "rd", "th"].iter().find_map(|end| low.strip_suffix(end)).unwrap_or(&low).to_owned();
        let fine = matches!(bare.len(), 1 | 2) && bare.bytes().all(|one| one.is_ascii_digit());
        fine.then(|| bare.parse::<u32>().ok()).flatten().filter(|day| (1..=31).contains(day))
    };
    let at = |place: usize| words.get(place).map(|word| word.trim_matches([',', '.'])).unwrap_or_default();
    // "1 of March 2024" has a word between.
    let shift = usize::from(at(1) == "of");
    if let (Some(first), Some(named), Some(year)) = (day(at(0)), month(at(1 + shift)), year(at(2 + shift))) {
        return Some((Period::day(year, named, first)?, 3 + shift));
    }
    if let (Some(named), Some(first), Some(year)) = (month(at(0)), day(at(1)), year(at(2))) {
        return Some((Period::day(year, named, first)?, 3));
    }
    if let Some(named) = month(at(0)) {
        let shift = usize::from(at(1) == "of");
        return Some((Period::months(year(at(1 + shift))?, named, named)?, 2 + shift));
    }
    part_of_year(words)
}

/// "Q1 2024", "first quarter of 2024", "2024 Q1", "H1 2024", "second half of 2024".
fn part_of_year(words: &[&str]) -> Option<(Period, usize)> {
    let low: Vec<String> = words.iter().take(4).map(|word| word.to_lowercase()).collect();
    let low: Vec<&str> = low.iter().map(String::as_str).collect();
    let part = |code: &str| {
        let mut letters = code.chars();
        let (kind, number) = (letters.next()?, letters.next()?.to_digit(10)?);
        (letters.next().is_none() && number > 0).then_some((kind, number))
    };
    let ordinal = |word: &str| {
        let names = [["first", "1st"], ["second", "2nd"], ["third", "3rd"], ["fourth", "4th"]];
        names.iter().position(|names| names.contains(&word)).map(|at| at as u32 + 1)
    };
    let period = |kind: char, number: u32, year: i64| match kind {
        'q' => Period::months(year, number * 3 - 2, number * 3),
        'h' if number <= 2 => Period::months(year, number * 6 - 5, number * 6),
        _ => None,
    };
    match low.as_slice() {
        [code, of, named, ..] if *of == "of" && part(code).is_some() => {
            let (kind, number) = part(code)?;
            Some((period(kind, number, year(named)?)?, 3))
        }
        [code, named, ..] if part(code).is_some() => {
            let (kind, number) = part(code)?;
            Some((period(kind, number, year(named)?)?, 2))
        }
        [named, code, ..] if year(named).is_some() && part(code).is_some() => {
            let (kind, number) = part(code)?;
            Some((period(kind, number, year(named)?)?, 2))
        }
        [first, kind @ ("quarter" | "half"), rest @ ..] => {
            let (number, code) = (ordinal(first)?, kind.chars().next()?);
            let shift = usize::from(rest.first() == Some(&"of"));
            Some((period(code, number, year(rest.get(shift)?)?)?, 3 + shift))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(year: i64, month: u32, day: u32) -> Option<Period> {
        Period::day(year, month, day)
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        for text in [
            "2024-03-05",
            "05.03.2024",
            "5 March 2024",
            "Mar 5, 2024",
            "5th of March 2024",
            "03/05/2024",
            "2024/03/05",
            "5-Mar-2024",
            "2024-03-05 10:30",
            "2024-03-05T10:30:00Z",
        ] {
            assert_eq!(parse(text, false), day(2024, 3, 5), "{text}");
        }
        assert_eq!(parse("03/05/2024", true), day(2024, 5, 3));
        assert_eq!(parse("March 2024", false), Period::months(2024, 3, 3));
        assert_eq!(parse("2024-03", false), Period::months(2024, 3, 3));
        assert_eq!(parse("Q1 2024", false), Period::months(2024, 1, 3));
        for text in ["2024", "31.02.2024", "12", "1.5", "March", "3/4", "hello", "2024-13-01", "030-1111"] {
            assert_eq!(parse(text, false), None, "{text}");
        }
        assert_eq!(
            written(&["first", "half", "of", "2024"]).map(|(period, _)| period),
            Period::months(2024, 1, 6)
        );
    }

    #[test]
    fn times_of_day_are_read_behind_dates_and_alone() {
        for text in
            ["06:00", "2024-03-05 06:00:00", "2024-03-05T06:00:00Z", "06:00:00.000+02:00", "06:00:00,000"]
        {
            assert_eq!(time_of_day(text), Some(0.25), "{text}");
        }
        for text in ["2024-03-05", "25:00", "6", "12:75", "a:b", "::", "1:2:3:4"] {
            assert_eq!(time_of_day(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn days_and_dates_correspond(number in -800_000i64..800_000) {
            let (year, month, date) = civil(number);
            prop_assert_eq!(day(year, month, date), Some(Period { from: number, to: number + 1 }));
        }
    }
}
