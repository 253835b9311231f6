//! Tells which quantity a question asks for, and whether a number in a text may be one: a weight is no speed.

use vademecum_text::terms::{Language, words};
use vademecum_util::within::Within;

/// A kind of quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Distance per time.
    Speed,
    /// Mass.
    Weight,
    /// Distance.
    Length,
    /// Time.
    Duration,
    /// Degrees.
    Temperature,
    /// An amount of a currency.
    Money,
    /// Others that have units.
    Other,
}

/// Words after "how" that ask for quantities, separated by spaces.
const ASKED: [(&[Measure], &str); 6] = [
    (&[Measure::Speed, Measure::Duration], "fast"),
    (&[Measure::Weight], "heavy"),
    (&[Measure::Length], "tall deep wide far"),
    (&[Measure::Length, Measure::Duration], "long"),
    (&[Measure::Duration], "old"),
    (&[Measure::Temperature], "hot"),
];
/// Things that last, whose length is no distance, and verbs of lasting.
const LASTING: &str = "show film movie performance concert meeting lesson session interval lecture talk workshop warranty guarantee lease notice \
    holiday exam wait";
const LASTS: [&str; 4] = ["last", "lasts", "take", "takes"];
/// Words that name the quantity in questions with "how much", separated by spaces.
const OF_MUCH: [(&[Measure], &str); 3] = [
    (&[Measure::Money], "cost costs charge pay paid spend spent earn earns worth"),
    (&[Measure::Weight], "weigh weighs"),
    (&[Measure::Duration], "time"),
];
/// Units in lower case, separated by spaces.
const UNITS: [(Measure, &str); 7] = [
    (Measure::Speed, "km/h kmh kph mph m/s cm/s mm/s m/min cm/min mm/min knots"),
    (
        Measure::Weight,
        "kg g mg lb lbs oz gram grams gramm kilogram kilograms kilogramm ton tons tonne tonnes tonnen ounce ounces kilo kilos stone",
    ),
    (
        Measure::Length,
        "m km cm mm mi ft metre metres meter meters kilometre kilometres kilometer kilometers mile miles foot feet \
         inch inches yard yards centimetre centimetres centimeter centimeters millimetre millimetres",
    ),
    (
        Measure::Duration,
        "ms sec min h night nights fortnight stunde second seconds minute minutes mins hr hrs hour hours day days week weeks month months year years decade \
         decades century centuries sekunden minuten stunden tag tage tagen woche wochen monat monate monaten jahr jahre \
         jahren jours mois ans",
    ),
    (Measure::Temperature, "°c °f c f celsius fahrenheit degree degrees grad"),
    (
        Measure::Money,
        "€ $ £ ¥ ₹ zł kr eur usd gbp chf jpy inr sek nok dkk pln cad aud euro euros dollar dollars franken francs cent \
         cents pound pounds pence yen rupees kronor kroner złoty",
    ),
    (Measure::Other, "% percent prozent w kw wh kwh mah v mb gb tb hz khz mhz ghz px m² m2 ha"),
];

/// Returns the quantities that a question asks for; none if any number may answer.
pub(crate) fn asked(question: &str) -> &'static [Measure] {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    let after_how = said
        .windows(2)
        .find(|pair| pair.first().is_some_and(|word| word == "how"))
        .and_then(|pair| pair.get(1));
    let named = |list: &[(&'static [Measure], &str)], word: &str| {
        list.iter().find(|(_, all)| all.split(' ').any(|one| one == word)).map(|(measures, _)| *measures)
    };
    match after_how.map(String::as_str) {
        // "How much water does it use at a time?" asks for water.
        Some("much") if is_bare_much(&said) => {
            said.iter().find_map(|word| named(&OF_MUCH, word)).unwrap_or_default()
        }
        Some("many") => counted_unit(&said),
        Some("long") if lasts(&said) => &[Measure::Duration],
        Some(word) => named(&ASKED, word).unwrap_or_default(),
        None => &[],
    }
}

/// Returns the quantity of the unit that is counted, as in "How many days does it take?". Amounts of money are asked for by "how much",
/// and "m" is no word.
fn counted_unit(said: &[String]) -> &'static [Measure] {
    let unit = said.windows(3).find_map(|three| match three {
        [how, many, unit] if how == "how" && many == "many" && unit.len() > MAX_SYMBOL => of_unit(unit),
        _ => None,
    });
    match unit {
        Some(Measure::Duration) => &[Measure::Duration],
        Some(Measure::Length) => &[Measure::Length],
        Some(Measure::Weight) => &[Measure::Weight],
        _ => &[],
    }
}

/// Returns whether a question asks how long something lasts, rather than how far it reaches.
fn lasts(said: &[String]) -> bool {
    let is_lasting = |word: &String| LASTING.split_whitespace().any(|one| one == word);
    said.last().is_some_and(is_lasting) || said.iter().any(|word| LASTS.contains(&word.as_str()))
}

/// Maximum length of the symbol of a unit.
const MAX_SYMBOL: usize = 3;

/// Words after "how much" that are no thing whose amount is asked for, separated by spaces.
const AFTER_MUCH: &str =
    "do does did is are was were will would can could should must has have time cost costs";

/// Returns whether no noun follows "how much".
fn is_bare_much(said: &[String]) -> bool {
    let next = said.windows(3).find_map(|three| match three {
        [how, much, next] if how == "how" && much == "much" => Some(next),
        _ => None,
    });
    next.is_some_and(|next| AFTER_MUCH.split(' ').any(|word| word == next))
}

/// Returns the quantity of a number by the unit after it, or the currency before it; `None` if there is none that is known.
pub(crate) fn of_number(text: &str, start: usize, end: usize) -> Option<Measure> {
    let before = text.within(..start).trim_end();
    let unit =
        before.rsplit(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    if before.ends_with(['€', '$', '£', '¥', '₹']) || of_unit(&unit) == Some(Measure::Money) {
        return Some(Measure::Money);
    }
    let unit = after(text, end).to_lowercase();
    if of_unit(&unit) == Some(Measure::Length) && is_per_time(text.within(end..)) {
        return Some(Measure::Speed);
    }
    let unit = if MULTIPLES.contains(&unit.as_str()) {
        // "18.4 million euros"
        let far = text.within(end..).find(|letter: char| letter.is_alphabetic()).unwrap_or_default();
        after(text, end + far + unit.len()).to_lowercase()
    } else {
        unit
    };
    // "14 calendar days": adjectives stand before a unit.
    let near = words(text.within(end..)).take(REACH).map(|(_, word)| word.to_lowercase());
    of_unit(&unit).or_else(|| {
        counts(text, end)
            .then(|| near.filter_map(|word| of_unit(&word)).find(|unit| *unit == Measure::Duration))
            .flatten()
    })
}

/// Words that relate a distance to a time, with the beginnings of units of time; what falls or is driven in a year is no speed.
const PER: [(&str, &[&str]); 4] = [
    ("per", &["sec", "min", "hour"]),
    ("an", &["hour"]),
    ("pro", &["sek", "min", "stunde"]),
    ("je", &["sek", "min", "stunde"]),
];

/// Returns whether a unit at the beginning of a text is related to a time: "cm per minute".
fn is_per_time(text: &str) -> bool {
    let mut said = words(text).skip(1).map(|(_, word)| word.to_lowercase());
    let (Some(per), Some(time)) = (said.next(), said.next()) else { return false };
    let is_time =
        |(word, times): &(&str, &[&str])| *word == per && times.iter().any(|one| time.starts_with(one));
    PER.iter().any(is_time)
}

/// Words that replace the number of a unit of time, and words that join the years of a span.
const VAGUE: [&str; 9] = ["several", "few", "many", "some", "couple", "mehrere", "einige", "wenige", "viele"];
const UNTIL: [&str; 5] = ["to", "until", "till", "through", "bis"];

/// Returns whether a text tells a time without its number, as in "several years", or by its first and last year, as in "from 1870 to
/// 1939".
pub(crate) fn has_span(text: &str) -> bool {
    let said: Vec<(usize, String)> = words(text).map(|(at, word)| (at, word.to_lowercase())).collect();
    let is_joined = |(start, one): &(usize, String), other: usize| {
        text.within(start + one.len()..other)
            .trim_matches([' ', '\u{a0}'])
            .chars()
            .all(|letter| "-–".contains(letter))
    };
    said.windows(2).any(|pair| match pair {
        [(_, word), (_, unit)] if VAGUE.contains(&word.as_str()) => of_unit(unit) == Some(Measure::Duration),
        [one, (start, other)] => is_year(&one.1) && is_year(other) && is_joined(one, *start),
        _ => false,
    }) || said.windows(3).any(|three| match three {
        [(_, one), (_, until), (_, other)] => {
            is_year(one) && UNTIL.contains(&until.as_str()) && is_year(other)
        }
        _ => false,
    })
}

/// Number of words after a number among which a unit of time is looked for.
const REACH: usize = 3;

/// Words between a number and its unit.
const MULTIPLES: [&str; 4] = ["hundred", "thousand", "million", "billion"];

/// Returns the word directly after a number.
fn after(text: &str, end: usize) -> &str {
    let rest = text.within(end..).trim_start_matches([' ', '\u{a0}', '-']);
    let length = rest
        .find(|letter: char| !(letter.is_alphabetic() || "/°%€$£²2".contains(letter)))
        .unwrap_or(rest.len());
    rest.within(..length)
}

fn of_unit(unit: &str) -> Option<Measure> {
    let is_unit = |(_, all): &&(Measure, &str)| !unit.is_empty() && all.split(' ').any(|one| one == unit);
    UNITS.iter().find(is_unit).map(|(measure, _)| *measure)
}

/// Words before a number that is no amount.
const LABELS: [&str; 6] = ["number", "no", "nr", "nummer", "page", "seite"];

/// Returns whether a number without a unit is a year, or names something, as in "Room 12".
pub(crate) fn is_label(text: &str, start: usize, end: usize) -> bool {
    let word = text.within(start..end);
    let before =
        text.within(..start).strip_suffix(' ').and_then(|before| before.rsplit(char::is_whitespace).next());
    let is_name = before.is_some_and(|word| {
        word.starts_with(char::is_uppercase) || LABELS.contains(&word.trim_end_matches('.'))
    });
    is_year(word) || is_name && word.starts_with(|first: char| first.is_ascii_digit())
}

pub(crate) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u32| (1000..2100).contains(&year))
}

/// Maximum number of words of a sentence about an amount besides numbers, units and function words.
const BESIDE: usize = 1;

/// Returns whether a text has an amount with a unit of one of these quantities.
pub(crate) fn has_amount(text: &str, measures: &[Measure]) -> bool {
    let numbers = words(text).filter(|(_, word)| word.starts_with(|first: char| first.is_ascii_digit()));
    let mut amounts = numbers.filter_map(|(start, word)| of_number(text, start, start + word.len()));
    amounts.any(|amount| measures.contains(&amount))
}

/// Returns whether a word in lower case is a unit.
pub(crate) fn is_unit(word: &str) -> bool {
    of_unit(word.trim_end_matches(|letter: char| ".,;?!".contains(letter))).is_some()
}

/// Returns whether a sentence has an amount and hardly anything else, as "The average is 14 months." does.
pub fn is_amount(sentence: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let is_function = |word: &str| Language::has_any_stop_word(word);
    let said: Vec<String> = words(sentence).map(|(_, word)| word.to_lowercase()).collect();
    let beside = said.iter().filter(|word| !is_number(word) && !is_function(word) && of_unit(word).is_none());
    said.iter().any(|word| is_number(word)) && beside.count() <= BESIDE
}

/// Returns whether the units of a quantity are known, so that "120 people" is none of it.
pub(crate) fn has_units(measures: &[Measure]) -> bool {
    matches!(measures, [Measure::Duration | Measure::Weight | Measure::Temperature])
}

/// Returns whether a number without a unit counts things, as in "24 rivets" and "a 24-megapixel sensor".
pub(crate) fn counts(text: &str, end: usize) -> bool {
    let next = after(text, end).to_lowercase();
    !next.is_empty()
        && next.chars().all(char::is_alphabetic)
        && !MULTIPLES.contains(&next.as_str())
        && !Language::English.stop_words().contains(&next.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_quantity_that_it_asks_for() {
        assert_eq!(asked("How fast is the train?"), [Measure::Speed, Measure::Duration]);
        assert_eq!(asked("How much does the pump cost?"), [Measure::Money]);
        assert_eq!(asked("How much does it weigh?"), [Measure::Weight]);
        assert_eq!(asked("How long is the puppet show?"), [Measure::Duration]);
        for question in ["How long is the bench?", "How long is the notice board?", "How long is the course?"]
        {
            assert_eq!(asked(question), [Measure::Length, Measure::Duration], "{question}");
        }
        assert_eq!(asked("How many rivets are there?"), []);
        assert_eq!(asked("How many days does it take?"), [Measure::Duration]);
        assert_eq!(asked("How many euros does it cost?"), []);
        assert_eq!(asked("How much rain fell?"), []);
        assert_eq!(asked("How much water does it use at a time?"), []);
    }

    #[test]
    fn a_sentence_with_an_amount_and_little_else_has_no_subject() {
        for sentence in ["The average is 14 months.", "25 days per year.", "Usually it is 3 kg."] {
            assert!(is_amount(sentence), "{sentence}");
        }
        for sentence in ["The gate weighs 40 kg.", "A round takes 40 minutes.", "It is late."] {
            assert!(!is_amount(sentence), "{sentence}");
        }
    }

    #[test]
    fn a_time_may_be_told_without_its_number() {
        for text in [
            "It takes several years.",
            "open from 1870 to 1939",
            "Nach einigen Tagen: mehrere Wochen.",
            "(1870–1939)",
        ] {
            assert!(has_span(text), "{text}");
        }
        for text in ["several rivets", "in 1870 and 1939", "It was built in 1870.", ""] {
            assert!(!has_span(text), "{text}");
        }
    }

    #[test]
    fn a_number_before_a_noun_counts_it() {
        let is_count = |text: &str| counts(text, text.find(|one: char| !one.is_ascii_digit()).unwrap());
        assert!(is_count("24 rivets") && is_count("24-megapixel sensor"));
        assert!(!is_count("24 or more") && !is_count("24, rivets") && !is_count("24."));
    }

    #[test]
    fn a_number_has_the_quantity_of_its_unit() {
        let of = |text: &str| {
            let (start, word) =
                words(text).find(|(_, word)| word.starts_with(|one: char| one.is_ascii_digit())).unwrap();
            of_number(text, start, start + word.len())
        };
        assert_eq!(of("It weighs 18.4 kg."), Some(Measure::Weight));
        assert_eq!(of("It reaches 110 km/h."), Some(Measure::Speed));
        assert_eq!(of("at up to 4.2 cm per minute"), Some(Measure::Speed));
        assert_eq!(of("110 miles an hour"), Some(Measure::Speed));
        assert_eq!(of("a range of 110 km, or more"), Some(Measure::Length));
        assert_eq!(of("110 km a day"), Some(Measure::Length), "that is how far");
        assert_eq!(of("a 5-year loan"), Some(Measure::Duration));
        assert_eq!(of("for $20 a day"), Some(Measure::Money));
        assert_eq!(of("at most 230 euros"), Some(Measure::Money));
        assert_eq!(of("the 3 weighs more"), None);
        assert_eq!(of("EUR 312 million"), Some(Measure::Money));
        assert_eq!(of("18.4 million euros"), Some(Measure::Money));
        assert_eq!(of("12 million people"), None);
        assert_eq!(of("a notice of 14 calendar days"), Some(Measure::Duration));
        assert_eq!(of("12 pounds a month"), Some(Measure::Money));
        assert_eq!(of("24 rivets a day"), Some(Measure::Duration));
        assert_eq!(of("24 rivets in steel"), None);
    }
}
