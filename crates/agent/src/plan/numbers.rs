//! Parses numbers as people write them: `1,000`, `$1k`, `2.5 million`.

/// Parses a text that is a number and nothing else.
pub(crate) fn number(text: &str) -> Option<f64> {
    let low = text.trim().to_lowercase();
    let bare = low.trim_matches(|letter: char| "$€£¥ ".contains(letter));
    let bare = ["usd", "eur", "euros", "euro", "dollars", "pounds"]
        .iter()
        .find_map(|unit| bare.strip_suffix(unit))
        .unwrap_or(bare)
        .trim();
    let (digits, factor) = [("million", 1e6), ("thousand", 1e3), ("billion", 1e9), ("k", 1e3), ("m", 1e6)]
        .iter()
        .find_map(|(unit, factor)| Some((bare.strip_suffix(unit)?.trim(), *factor)))
        .unwrap_or((bare, 1.0));
    let mut groups = digits.split('.').next()?.split(',');
    let first = groups.next()?;
    let grouped: Vec<&str> = groups.collect();
    let fine = grouped.is_empty() || (first.len() <= 4 && grouped.iter().all(|group| group.len() == 3));
    let plain = digits.chars().all(|letter| letter.is_ascii_digit() || ".,-".contains(letter));
    if !fine || !plain {
        return None;
    }
    let value: f64 = digits.replace(',', "").parse().ok()?;
    // The factors are whole, so most results are exact.
    Some(value * factor).filter(|value| value.is_finite())
}

/// Parses a year between 1900 and 2099.
pub(crate) fn year(word: &str) -> Option<u32> {
    let year = (word.len() == 4).then(|| word.parse().ok()).flatten()?;
    (1900..2100).contains(&year).then_some(year)
}

/// Returns whether a text is a date of a filter: `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, optionally with a time.
pub(crate) fn is_date(text: &str) -> bool {
    let (day, time) = text.split_once('T').map_or((text, None), |(day, time)| (day, Some(time)));
    let mut parts = day.split('-');
    let mut part = |length: usize| {
        parts.next().map(|part| {
            let digits = part.len() == length && part.chars().all(|letter| letter.is_ascii_digit());
            if digits { part.parse::<u32>().unwrap_or(0) } else { 0 }
        })
    };
    let (year, month, date) = (part(4), part(2), part(2));
    let fine = year.is_some_and(|year| year > 0)
        && month.is_none_or(|month| (1..=12).contains(&month))
        && date.is_none_or(|date| (1..=days(year.unwrap_or(0), month.unwrap_or(1))).contains(&date));
    let timed = time.is_none_or(|time| {
        date.is_some()
            && time.len() >= 5
            && time.chars().all(|letter| letter.is_ascii_digit() || ":.+-Z".contains(letter))
    });
    fine && parts.next().is_none() && timed
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
