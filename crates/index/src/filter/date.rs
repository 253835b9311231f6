//! Parses ISO 8601 dates to ranges of milliseconds since 1970, and formats them.
//!
//! The precision of a date determines its range: `2023` is the whole year, `2023-05-01T10:30` that minute. A
//! time without a zone is UTC, so that results do not depend on the device.

use super::span::Span;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The range of JavaScript dates: maximum distance from 1970, in milliseconds.
const REACH: f64 = 8.64e15;

/// Returns the range that a date denotes. Accepts `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, and a day followed by
/// `THH:MM`, optionally with seconds, a fraction, and `Z` or an offset.
pub(super) fn parse(text: &str) -> Option<Span> {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let mut parts = day.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map(|part| digits(part, 2)).map_or(Some(None), |part| part.map(Some))?;
    let date = parts.next().map(|part| digits(part, 2)).map_or(Some(None), |part| part.map(Some))?;
    if parts.next().is_some() || month.is_some_and(|month| !(1..=12).contains(&month)) {
        return None;
    }
    match (month, date, time) {
        (None, _, None) => Some(span(days(year, 1, 1) * DAY, days(year + 1, 1, 1) * DAY)),
        (Some(month), None, None) => Some(span(days(year, month, 1) * DAY, month_end(year, month) * DAY)),
        (Some(month), Some(date), time) => {
            let first = days(year, month, 1) + date - 1;
            if date < 1 || first >= month_end(year, month) {
                return None;
            }
            let (from, length) = time.map_or(Some((0, DAY)), time_of_day)?;
            Some(span(first * DAY + from, first * DAY + from + length))
        }
        _ => None,
    }
}

/// Returns the millisecond that a number denotes. Rejects integers that look like a year: taken as
/// milliseconds they would denote January 1970, which is never meant.
pub(super) fn of_number(milliseconds: f64) -> Option<Span> {
    (milliseconds.abs() <= REACH && !looks_like_a_year(milliseconds))
        .then(|| Span::point(milliseconds.floor()))
}

/// Returns whether a number given for a date was probably meant as a year.
pub(super) fn looks_like_a_year(number: f64) -> bool {
    (1000.0..=9999.0).contains(&number) && number.fract() == 0.0
}

/// Formats midnight as `YYYY-MM-DD`, other moments as `YYYY-MM-DDTHH:MM:SS.mmmZ`.
pub(super) fn format(milliseconds: f64) -> String {
    let moment = milliseconds as i64;
    let (day, time) = (moment.div_euclid(DAY), moment.rem_euclid(DAY));
    // A lower bound of the year: underestimates after 1970, overshoots downwards before.
    let mut year = 1970 + day.div_euclid(if day < 0 { 365 } else { 366 });
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| days(year, *month, 1) <= day).unwrap_or(1);
    let date = day - days(year, month, 1) + 1;
    let mut text = format!("{year:04}-{month:02}-{date:02}");
    if time != 0 {
        let (hour, minute) = (time / HOUR, time % HOUR / MINUTE);
        let (second, milli) = (time % MINUTE / SECOND, time % SECOND);
        text.push_str(&format!("T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"));
    }
    text
}

/// Returns the offset of a time within its day, in UTC, and its length.
fn time_of_day(text: &str) -> Option<(i64, i64)> {
    let (clock, offset) = match text.find(['Z', '+', '-']) {
        Some(at) => {
            let (clock, zone) = text.split_at(at);
            (clock, offset(zone)?)
        }
        None => (text, 0),
    };
    let mut parts = clock.split(':');
    let hour = digits(parts.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = digits(parts.next()?, 2).filter(|minute| *minute < 60)?;
    let (seconds, length) = parts.next().map_or(Some((0, MINUTE)), seconds)?;
    let from = hour * HOUR + minute * MINUTE + seconds - offset;
    parts.next().is_none().then_some((from, length))
}

fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hour, minute) = zone.get(1..)?.split_once(':')?;
    let hour = digits(hour, 2).filter(|hour| *hour < 24)?;
    let minute = digits(minute, 2).filter(|minute| *minute < 60)?;
    Some(sign * (hour * HOUR + minute * MINUTE))
}

/// Returns seconds as milliseconds, and their precision. Fractions below a millisecond are truncated.
fn seconds(text: &str) -> Option<(i64, i64)> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(a, b)| (a, Some(b)));
    let whole = digits(whole, 2).filter(|second| *second < 60)? * SECOND;
    let Some(fraction) = fraction else { return Some((whole, SECOND)) };
    let fine = digits(fraction, fraction.len()).filter(|_| (1..=9).contains(&fraction.len()))?;
    let scale = 10_i64.pow(fraction.len() as u32);
    Some((whole + fine * SECOND / scale, 1))
}

/// Parses exactly `count` digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|letter| letter.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

fn span(from: i64, until: i64) -> Span {
    Span { low: from as f64, high: (until - 1) as f64 }
}

/// Returns the day after the last of a month, in days since 1970.
fn month_end(year: i64, month: i64) -> i64 {
    if month == 12 { days(year + 1, 1, 1) } else { days(year, month + 1, 1) }
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, which
/// makes the leap day the last day of a year.
fn days(year: i64, month: i64, date: i64) -> i64 {
    const FROM_MARCH_OF_YEAR_0: i64 = 719_468;
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before_month = (153 * month + 2) / 5;
    year * 365 + leaps + before_month + date - 1 - FROM_MARCH_OF_YEAR_0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bounds(text: &str) -> Option<(i64, i64)> {
        parse(text).map(|span| (span.low as i64, span.high as i64))
    }

    #[test]
    fn the_precision_of_a_date_determines_its_range() {
        assert_eq!(bounds("1970"), Some((0, 365 * DAY - 1)));
        assert_eq!(bounds("2024-02"), Some((1_706_745_600_000, 1_709_251_199_999)));
        assert_eq!(bounds("2024-02-29"), Some((1_709_164_800_000, 1_709_251_199_999)));
        assert_eq!(bounds("1970-01-01T00:01"), Some((MINUTE, 2 * MINUTE - 1)));
        assert_eq!(bounds("1970-01-01T00:00:07"), Some((7000, 7999)));
        assert_eq!(bounds("1970-01-01T00:00:07.5"), Some((7500, 7500)));
        assert_eq!(bounds("1970-01-01T00:00:07.123456789Z"), Some((7123, 7123)));
        assert_eq!(bounds("1970-01-01T01:00:00.000+01:30"), Some((-30 * MINUTE, -30 * MINUTE)));
        assert_eq!(bounds("1969-12-31T23:00:00.000-01:00"), Some((0, 0)));
    }

    #[test]
    fn dates_outside_the_calendar_are_rejected() {
        for text in [
            "",
            "23",
            "2023-13",
            "2023-00",
            "2023-02-29",
            "1900-02-29",
            "2023-04-31",
            "2023-01-00",
            "2023-1-1",
            "2023-01-01T",
            "2023-01-01T24:00",
            "2023-01-01T10",
            "2023-01-01T10:60",
            "2023-01-01T10:00:60",
            "2023-01-01T10:00:00.",
            "2023-01-01T10:00:00.0123456789",
            "2023-01-01T10:00+1:00",
            "2023T10:00",
            "2023-01-01T10:00Zulu",
            "2023-01-01-01",
            "+2023",
            "２０２３",
            "2023-01-01T10:00:00:00",
            "-023",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_is_a_millisecond_unless_it_looks_like_a_year() {
        assert_eq!(of_number(1_700_000_000_000.7), Some(Span::point(1_700_000_000_000.0)));
        assert_eq!(of_number(0.0), Some(Span::point(0.0)));
        assert_eq!(of_number(2023.0), None);
        assert_eq!(of_number(1e300), None);
    }

    proptest! {
        #[test]
        fn formatting_round_trips(moment in -62_167_219_200_000_i64..253_402_300_800_000) {
            prop_assert_eq!(parse(&format(moment as f64)).map(|span| span.low), Some(moment as f64));
        }

        #[test]
        fn parsing_arbitrary_text_does_not_panic(text in "[0-9TZ:.+-]{0,30}|.*") {
            let _ = parse(&text);
        }
    }
}
