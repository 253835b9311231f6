//! Amounts with their units, as people and spreadsheets write them: `€1,299.00`, `1.299,00 EUR`, `72 m²`, `$1.2M`, `(45.10)`, `12 %`.

/// What a unit measures. Amounts are comparable within a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::steps) enum Dimension {
    /// An amount of this currency.
    Money(&'static str),
    /// A number of things.
    Count,
    /// A share of a hundred.
    Share,
    Mass,
    Length,
    Area,
    Volume,
    Time,
    Storage,
    Speed,
    Power,
    Energy,
    Temperature,
}

/// A unit of measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::steps) struct Unit {
    /// How it is written.
    pub(in crate::steps) symbol: &'static str,
    pub(in crate::steps) of: Dimension,
    /// The number of base units of its dimension.
    pub(in crate::steps) factor: f64,
    /// A number word before the symbol, with a space: "million ".
    pub(in crate::steps) scale: &'static str,
}

/// An amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::steps) struct Quantity {
    pub(in crate::steps) value: f64,
    pub(in crate::steps) unit: Option<Unit>,
}

use Dimension::*;

/// Spellings in lowercase, separated by spaces; the symbol; the dimension; the factor.
const UNITS: [(&str, &str, Dimension, f64); 51] = [
    ("€ eur euro euros", "EUR", Money("EUR"), 1.0),
    ("$ usd us$ dollar dollars", "USD", Money("USD"), 1.0),
    ("£ gbp pound pounds sterling", "GBP", Money("GBP"), 1.0),
    ("¥ jpy yen", "JPY", Money("JPY"), 1.0),
    ("chf franc francs", "CHF", Money("CHF"), 1.0),
    ("₹ inr rupee rupees", "INR", Money("INR"), 1.0),
    ("cny rmb yuan", "CNY", Money("CNY"), 1.0),
    ("sek", "SEK", Money("SEK"), 1.0),
    ("nok", "NOK", Money("NOK"), 1.0),
    ("dkk", "DKK", Money("DKK"), 1.0),
    ("pln zł zloty", "PLN", Money("PLN"), 1.0),
    ("czk", "CZK", Money("CZK"), 1.0),
    ("cad c$", "CAD", Money("CAD"), 1.0),
    ("aud a$", "AUD", Money("AUD"), 1.0),
    ("brl r$", "BRL", Money("BRL"), 1.0),
    ("% percent pct", "%", Share, 1.0),
    ("mg milligram milligrams", "mg", Mass, 1e-6),
    ("g gram grams", "g", Mass, 1e-3),
    ("kg kgs kilo kilos kilogram kilograms", "kg", Mass, 1.0),
    ("t ton tons tonne tonnes", "t", Mass, 1e3),
    ("lb lbs", "lb", Mass, 0.453_592_37),
    ("oz ounce ounces", "oz", Mass, 0.028_349_523_125),
    ("mm millimetre millimetres millimeter millimeters", "mm", Length, 1e-3),
    ("cm centimetre centimetres centimeter centimeters", "cm", Length, 1e-2),
    ("m metre metres meter meters", "m", Length, 1.0),
    ("km kms kilometre kilometres kilometer kilometers", "km", Length, 1e3),
    ("mi mile miles", "mi", Length, 1_609.344),
    ("ft foot feet", "ft", Length, 0.304_8),
    ("inch inches", "in", Length, 0.025_4),
    ("m² m2 sqm qm", "m²", Area, 1.0),
    ("km² km2", "km²", Area, 1e6),
    ("ha hectare hectares", "ha", Area, 1e4),
    ("ft² ft2 sqft", "ft²", Area, 0.092_903_04),
    ("ml millilitre millilitres milliliter milliliters", "ml", Volume, 1e-3),
    ("l litre litres liter liters", "l", Volume, 1.0),
    ("ms millisecond milliseconds", "ms", Time, 1e-3),
    ("s sec secs second seconds", "s", Time, 1.0),
    ("min mins minute minutes", "min", Time, 60.0),
    ("h hr hrs hour hours", "h", Time, 3_600.0),
    ("d day days", "days", Time, 86_400.0),
    ("week weeks", "weeks", Time, 604_800.0),
    ("month months", "months", Time, 2_629_746.0),
    ("yr yrs year years", "years", Time, 31_556_952.0),
    ("kb", "KB", Storage, 1e3),
    ("mb", "MB", Storage, 1e6),
    ("gb", "GB", Storage, 1e9),
    ("tb", "TB", Storage, 1e12),
    ("km/h kmh kph", "km/h", Speed, 1.0),
    ("mph", "mph", Speed, 1.609_344),
    ("w watt watts", "W", Power, 1.0),
    ("kw kilowatt kilowatts", "kW", Power, 1e3),
];
/// Units that share no table row with others, because they have one spelling each.
const MORE_UNITS: [(&str, &str, Dimension, f64); 5] = [
    ("hp", "hp", Power, 745.7),
    ("kwh", "kWh", Energy, 1e3),
    ("wh", "Wh", Energy, 1.0),
    ("kcal", "kcal", Energy, 1.163),
    ("°c ℃ celsius", "°C", Temperature, 1.0),
];
const SCALES: [(&str, f64); 11] = [
    ("thousand", 1e3),
    ("k", 1e3),
    ("million", 1e6),
    ("millions", 1e6),
    ("mio", 1e6),
    ("mn", 1e6),
    ("m", 1e6),
    ("billion", 1e9),
    ("billions", 1e9),
    ("bn", 1e9),
    ("b", 1e9),
];

/// Returns the unit that a word names.
pub(in crate::steps) fn unit(word: &str) -> Option<Unit> {
    let low = word.to_lowercase();
    let mut all = UNITS.iter().chain(&MORE_UNITS);
    let (_, symbol, of, factor) = all.find(|(words, ..)| words.split(' ').any(|one| one == low))?;
    Some(Unit { symbol, of: *of, factor: *factor, scale: "" })
}

/// Returns the scale that the name of a column states for a number of things: "millions", "in thousands".
pub(in crate::steps) fn scaled_count(text: &str) -> Option<Unit> {
    let low = text.trim().to_lowercase();
    let (factor, scale) = match low.strip_prefix("in ").unwrap_or(&low) {
        "thousand" | "thousands" => (1e3, "thousand"),
        "million" | "millions" | "mio" | "mn" => (1e6, "million"),
        "billion" | "billions" | "bn" => (1e9, "billion"),
        _ => return None,
    };
    Some(Unit { symbol: "", of: Count, factor, scale })
}

/// Returns the currency and scale that the name of a column states: "$M", "k EUR", "USD millions".
pub(in crate::steps) fn scaled_currency(text: &str) -> Option<Unit> {
    let low = text.trim().to_lowercase();
    let low = low.strip_prefix("in ").unwrap_or(&low);
    let (of, rest) = low
        .split([' ', '-', '_'])
        .find_map(|word| Some((unit(word)?, low.replace(word, ""))))
        .or_else(|| {
        let symbol = low.chars().find(|letter| "€$£¥".contains(*letter))?;
        Some((unit(&symbol.to_string())?, low.replace(symbol, "")))
    })?;
    let rest = rest.trim().trim_end_matches('s');
    let factor = SCALES
        .iter()
        .find(|(name, _)| *name == rest || (rest == "mln" && *name == "m"))
        .map(|(_, factor)| *factor)?;
    let scale = if factor == 1e3 {
        "thousand "
    } else if factor == 1e6 {
        "million "
    } else {
        "billion "
    };
    matches!(of.of, Money(_)).then_some(Unit { factor, scale, ..of })
}

impl Quantity {
    /// Returns a bare number.
    pub(in crate::steps) fn bare(value: f64) -> Self {
        Self { value, unit: None }
    }

    /// Returns the values of two amounts in a common unit; `None` if their units measure different things.
    pub(in crate::steps) fn beside(self, other: Self) -> Option<(f64, f64)> {
        match (self.unit, other.unit) {
            (Some(one), Some(two)) if one.of != two.of => None,
            (Some(one), Some(two)) if one.factor != two.factor => {
                Some((self.value * one.factor, other.value * two.factor))
            }
            _ => Some((self.value, other.value)),
        }
    }

    /// Parses an amount and nothing else. With `comma`, a comma is the decimal mark and a dot groups thousands.
    pub(in crate::steps) fn parse(text: &str, comma: bool) -> Option<Self> {
        let text = text.trim();
        let (text, negative) = match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) => (inner.trim(), true),
            None => (text, false),
        };
        let first = text.find(|letter: char| letter.is_ascii_digit())?;
        let last = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
        // A superscript or the digit of "m2" belongs to the unit.
        let last = match text.get(first..last)?.find(|letter: char| letter.is_alphabetic()) {
            Some(letter) => first + letter,
            None => last,
        };
        let (before, digits, after) = (text.get(..first)?, text.get(first..last)?, text.get(last..)?);
        let before = before.trim();
        let minus = before.starts_with(['-', '−']) || before.ends_with(['-', '−']);
        let before = before.trim_matches(|letter: char| "-−+ ".contains(letter)).trim_end_matches('.');
        let prefix = if before.is_empty() { None } else { Some(unit(before)?) };
        if prefix.is_some_and(|unit| !matches!(unit.of, Money(_))) {
            return None;
        }
        let value = decimal(digits.trim(), comma)?;
        let (factor, suffix) = suffix(after.trim(), prefix.is_some())?;
        let unit = match (prefix, suffix) {
            (Some(one), Some(two)) if one.of != two.of => return None,
            (one, two) => one.or(two),
        };
        let value = value * factor * if negative || minus { -1.0 } else { 1.0 };
        value.is_finite().then_some(Self { value, unit })
    }
}

/// Parses what follows the digits: a scale, a unit, or both.
fn suffix(text: &str, money: bool) -> Option<(f64, Option<Unit>)> {
    let text = text.trim_end_matches(['.', '-']).trim_start_matches('-').trim();
    if text.is_empty() {
        return Some((1.0, None));
    }
    let scale = |word: &str| {
        let low = word.to_lowercase();
        // "5 m" is a length, "5M" and "$5m" are millions.
        let clear = !matches!(low.as_str(), "m" | "b") || money || word == "M" || word == "B";
        SCALES.iter().find(|(name, _)| clear && *name == low).map(|(_, factor)| *factor)
    };
    if let Some(factor) = scale(text) {
        return Some((factor, None));
    }
    if let Some(unit) = unit(text) {
        return Some((1.0, Some(unit)));
    }
    if let Some((first, rest)) = text.split_once(' ') {
        return Some((scale(first)?, Some(unit(rest.trim())?)));
    }
    // "k€", "M€".
    let first = text.chars().next()?;
    let rest = text.get(first.len_utf8()..)?;
    let unit = unit(rest).filter(|unit| matches!(unit.of, Money(_)))?;
    Some((scale(&first.to_string())?, Some(unit)))
}

/// Parses digits with marks for thousands and decimals.
fn decimal(digits: &str, comma: bool) -> Option<f64> {
    let plain: String = digits.chars().filter(|letter| !" \u{a0}\u{202f}'’_".contains(*letter)).collect();
    if !plain.chars().all(|letter| letter.is_ascii_digit() || ".,".contains(letter)) {
        return None;
    }
    let grouped = |mark: char| {
        let mut parts = plain.split(mark);
        let first = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        (1..=3).contains(&first.len()) && !rest.is_empty() && rest.iter().all(|part| part.len() == 3)
    };
    let (dots, commas) = (plain.matches('.').count(), plain.matches(',').count());
    let number = match (dots, commas) {
        (0, 0) => plain.clone(),
        (_, 0) if dots > 1 => plain.replace('.', ""),
        (1, 0) if comma && grouped('.') => plain.replace('.', ""),
        (_, 0) => plain.clone(),
        (0, _) if grouped(',') && !(comma && commas == 1) => plain.replace(',', ""),
        (0, 1) => plain.replace(',', "."),
        (0, _) => return None,
        // The last mark is the decimal one.
        _ if plain.rfind(',') > plain.rfind('.') => plain.replace('.', "").replace(',', "."),
        _ => plain.replace(',', ""),
    };
    number.parse().ok()
}

/// How the dots in the numbers of a column are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Dots {
    Decimal,
    /// "45.000" are forty-five thousand.
    Thousands,
    Unclear,
}

/// Determines what the dots of numbers mean where each of several has three digits behind it.
pub(in crate::steps) fn dots(texts: &[&str]) -> Dots {
    let digits = |text: &&str| {
        let is_mark = |letter: char| !letter.is_ascii_digit();
        let bare = text.trim_matches(is_mark);
        bare.chars().all(|letter| letter.is_ascii_digit() || letter == '.').then(|| bare.to_owned())
    };
    let all: Vec<String> = texts.iter().filter_map(digits).filter(|text| !text.is_empty()).collect();
    let dotted: Vec<Vec<&str>> =
        all.iter().filter(|text| text.contains('.')).map(|text| text.split('.').collect()).collect();
    let is_grouped = |parts: &Vec<&str>| {
        let [first, rest @ ..] = parts.as_slice() else { return false };
        first.len() <= 3 && !first.starts_with('0') && rest.iter().all(|part| part.len() == 3)
    };
    if dotted.len() < 2 || all.len() < texts.len() || !dotted.iter().all(is_grouped) {
        return Dots::Decimal;
    }
    let ends = |end: &str, parts: &Vec<&str>| parts.last().is_some_and(|last| last.ends_with(end));
    let is_long = dotted.iter().any(|parts| parts.first().is_some_and(|first| first.len() > 1));
    // Decimals with a zero at the end are written to three places, so that none is without a dot.
    let is_padded = dotted.iter().any(|parts| ends("0", parts));
    if dotted.iter().any(|parts| parts.len() > 2)
        || (is_padded && dotted.len() < all.len())
        || (is_long && dotted.iter().all(|parts| ends("00", parts)))
    {
        return Dots::Thousands;
    }
    if is_padded || is_long { Dots::Unclear } else { Dots::Decimal }
}

/// Returns whether a text shows that commas are decimal marks where it comes from.
pub(in crate::steps) fn has_decimal_comma(text: &str) -> bool {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let tail = digits.rsplit_once(',').map(|(_, tail)| tail);
    tail.is_some_and(|tail| matches!(tail.len(), 1 | 2) && tail.chars().all(|one| one.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_they_are_written() {
        let read = |text: &str| {
            let quantity = Quantity::parse(text, false)?;
            Some((quantity.value, quantity.unit.map_or("", |unit| unit.symbol)))
        };
        for (text, value, unit) in [
            ("€1,299.00", 1299.0, "EUR"),
            ("1.299,50 EUR", 1299.5, "EUR"),
            ("$50k", 50_000.0, "USD"),
            ("$1.2M", 1_200_000.0, "USD"),
            ("2.5 million USD", 2_500_000.0, "USD"),
            ("(45.10)", -45.1, ""),
            ("-3", -3.0, ""),
            ("-$3.50", -3.5, "USD"),
            ("12 %", 12.0, "%"),
            ("850 km", 850.0, "km"),
            ("72 m2", 72.0, "m²"),
            ("1 234,5", 1234.5, ""),
            ("5 m", 5.0, "m"),
            ("0,5", 0.5, ""),
            ("1,000,000", 1_000_000.0, ""),
        ] {
            assert_eq!(read(text), Some((value, unit)), "{text}");
        }
        for text in ["", "abc", "030-1111", "2024-01-05", "v2", "3 of 4", "1,23,4", "12 apples"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(Quantity::parse("1.299", true).map(|one| one.value), Some(1299.0));
    }

    #[test]
    fn dots_group_thousands_where_no_decimals_are_written_so() {
        for (texts, wanted) in [
            (["45.000", "52.500", "950.000"], Dots::Thousands),
            (["1.200", "2.350", "900"], Dots::Thousands),
            (["1.234.567", "12.345", "8"], Dots::Thousands),
            (["1.085", "1.102", "0.998"], Dots::Decimal),
            (["1.085", "1.102", "1"], Dots::Decimal),
            (["12.5", "45.000", "52.500"], Dots::Decimal),
            (["3.250", "3.875", "2.120"], Dots::Unclear),
            (["52.520", "48.137", "53.551"], Dots::Unclear),
        ] {
            assert_eq!(dots(&texts), wanted, "{texts:?}");
        }
    }

    #[test]
    fn amounts_of_one_dimension_are_compared_in_a_common_unit() {
        let of = |text| Quantity::parse(text, false).unwrap();
        let (a, b) = of("500 g").beside(of("0.4 kg")).unwrap();
        assert!(a > b);
        assert_eq!(of("$5").beside(of("€5")), None);
        assert_eq!(of("$5").beside(of("7")), Some((5.0, 7.0)));
    }
}
