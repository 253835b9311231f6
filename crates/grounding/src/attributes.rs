//! Relates the words that ask for a measure to those that name it: "What does it weigh?" and "Weight: 1.1 kg".

use super::claim::claimed_terms;
use super::measure::{self, Measure};
use super::presence::has_mail_address;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use vademecum_text::terms::words;

/// Words for one measure each, in English and German, separated by spaces, with the quantities that it is told in; none if any
/// number may tell it.
const MEASURES: [(&[Measure], &str); 12] = [
    (&[Measure::Weight], "weigh weighed heavy weight mass wiegen wiegt wog schwer gewicht masse"),
    (&[Measure::Money], "cost price fee charge expensive kosten kostet preis gebühr teuer"),
    (&[Measure::Duration], "last take duration dauern dauert dauer"),
    (&[Measure::Length, Measure::Duration], "long length lang lange länge"),
    (&[Measure::Duration], "old age born alt alter geboren"),
    (&[Measure::Length], "tall high height hoch höhe"),
    (&[Measure::Length], "far distance weit entfernung"),
    (&[], "big large size area capacity groß größe fläche"),
    (&[Measure::Temperature], "hot cold warm temperature heiß kalt temperatur"),
    (&[Measure::Speed, Measure::Duration], "fast speed velocity schnell geschwindigkeit"),
    (&[Measure::Length], "wide width breit breite"),
    (&[Measure::Length], "deep depth tief tiefe"),
];
/// German nouns of these that end compounds, as in "Gesamtgewicht", in the form of terms.
const COMPOUNDED: [&str; 8] =
    ["gewicht", "preis", "gebuhr", "dauer", "flache", "temperatur", "entfernung", "geschwindigkeit"];
/// Verbs that an amount implies, besides the nouns: "It is 48 kg" tells what it weighs.
const IMPLIED: [(Measure, &str); 5] = [
    (Measure::Weight, "weigh wiegt wiegen"),
    (Measure::Money, "cost kostet kosten"),
    (Measure::Duration, "last take duration dauert dauern dauer"),
    (Measure::Temperature, "temperature temperatur"),
    (Measure::Speed, "speed geschwindigkeit"),
];
/// Words for an address for e-mail; "address" alone may be another one.
const OF_MAIL: &str = "email e-mail mail e-mail-adresse mailadresse";

struct Groups {
    measures: Vec<BTreeSet<String>>,
    implied: Vec<(Measure, BTreeSet<String>)>,
    mail: BTreeSet<String>,
}

/// The terms of the words above, made once.
static GROUPS: LazyLock<Groups> = LazyLock::new(|| Groups {
    measures: MEASURES.iter().map(|(_, words)| claimed_terms(words)).collect(),
    implied: IMPLIED.iter().map(|(measure, words)| (*measure, claimed_terms(words))).collect(),
    mail: claimed_terms(OF_MAIL),
});

/// Returns the terms of a text, with those that its measures, amounts and addresses imply.
pub fn told_terms(text: &str) -> BTreeSet<String> {
    let mut told = claimed_terms(text);
    let groups = &*GROUPS;
    if has_mail_address(text) {
        told.extend(groups.mail.iter().cloned());
    }
    if !text.contains(|letter: char| letter.is_ascii_digit()) {
        return told;
    }
    let is_named = |group: &BTreeSet<String>| {
        !group.is_disjoint(&told)
            || COMPOUNDED
                .iter()
                .any(|noun| group.contains(*noun) && told.iter().any(|one| one.ends_with(noun)))
    };
    let named: Vec<&BTreeSet<String>> = groups.measures.iter().filter(|group| is_named(group)).collect();
    told.extend(named.into_iter().flatten().cloned());
    let numbers = words(text).filter(|(_, word)| word.starts_with(|first: char| first.is_ascii_digit()));
    for (start, word) in numbers {
        let amount = measure::of_number(text, start, start + word.len());
        let of_amount = groups.implied.iter().find(|(measure, _)| Some(*measure) == amount);
        told.extend(of_amount.into_iter().flat_map(|(_, terms)| terms.iter().cloned()));
    }
    told
}

/// Returns the terms for the measure that a question asks for by an adjective, as "wide" and "width"; empty if it does not.
pub(super) fn measure_terms(word: &str) -> BTreeSet<String> {
    let is_named = |(_, all): &(&[Measure], &str)| all.split(' ').any(|one| one == word);
    let at = MEASURES.iter().position(is_named);
    at.and_then(|at| GROUPS.measures.get(at)).cloned().unwrap_or_default()
}

/// Returns the quantities that a word of a measure asks for, in lower case; `None` for another word.
pub(super) fn measures_of(word: &str) -> Option<&'static [Measure]> {
    let is_named = |(_, all): &&(&[Measure], &str)| all.split(' ').any(|one| one == word);
    MEASURES.iter().find(is_named).map(|(measures, _)| *measures)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tells(text: &str, word: &str) -> bool {
        claimed_terms(word).is_subset(&told_terms(text))
    }

    #[test]
    fn the_noun_of_a_measure_tells_what_its_verb_asks_for() {
        assert!(tells("Weight: 1.1 kg", "weigh"));
        assert!(tells("Merkmal: Gesamtgewicht; Wert: 4,2 kg", "wiegt"));
        assert!(tells("| Height | 37 m |", "tall"));
        assert!(tells("Breite: 21 cm", "breit"));
        assert!(tells("The fee is 12.", "cost"));
        assert!(!tells("Weight: unknown", "weigh"), "no number");
        assert!(!tells("Width: 4 m", "weigh"));
    }

    #[test]
    fn an_amount_with_a_unit_tells_what_its_verb_asks_for() {
        assert!(tells("It was 48 kg.", "weigh"));
        assert!(tells("Children pay 4 pounds.", "cost"));
        assert!(tells("A round is 40 minutes.", "take"));
        assert!(!tells("A round is 40 minutes.", "cost"));
        assert!(!tells("The deposit is 300 euros.", "price"), "another amount than the one that is named");
    }

    #[test]
    fn an_address_tells_that_it_is_one() {
        assert!(tells("From: Ruth <ruth@heating.example>", "email"));
        assert!(!tells("Ruth lives at the port.", "address"));
    }
}
