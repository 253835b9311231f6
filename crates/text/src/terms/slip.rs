//! Plausibility of a typing mistake: how likely one word was meant by another.

use super::normal::MAX_LENGTH;

/// Cost of two adjacent letters exchanged, and of a letter doubled or not doubled.
const EXCHANGED: u32 = 1;
/// Cost of a letter left out.
const MISSING: u32 = 2;
/// Cost of a letter that is replaced by a neighbour on the keyboard or a letter of a similar sound, or that stands beside one.
const SIMILAR: u32 = 3;
/// Cost of any other letter that is replaced or too many.
const OTHER: u32 = 5;
/// Additional cost at the end of a word: another ending makes another word.
const ENDING: u32 = 2;

/// The letters of a keyboard, row by row, in the English and the German layout.
const ROWS: [&str; 4] = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop"];
/// Letters taken for each other by their sound.
const SOUNDS: [&str; 9] = ["aeiouy", "ck", "cs", "sz", "fv", "dt", "bp", "mn", "gj"];

/// Returns the cost of the mistakes that make `typed` of `meant`, both in the form of [`plain`](super::plain), by which corrections are
/// ranked; `None` if `typed` is more probably a word of its own. The shorter a word, the more others are close to it, and
/// the first letter is hardly ever mistyped.
pub fn slip(typed: &str, meant: &str) -> Option<u32> {
    let (typed, meant): (Vec<char>, Vec<char>) = (typed.chars().collect(), meant.chars().collect());
    let budget = match typed.len() {
        0..=3 => 0,
        4 => MISSING,
        5..=6 => SIMILAR,
        7 => MISSING + MISSING,
        8..=9 => OTHER,
        _ => SIMILAR + SIMILAR,
    };
    let is_too_long = typed.len().max(meant.len()) > MAX_LENGTH;
    let begins_alike = typed.first() == meant.first() || {
        let two = |word: &[char]| word.first().copied().zip(word.get(1).copied());
        two(&typed).map(|(first, second)| (second, first)) == two(&meant)
    };
    if is_too_long || !begins_alike {
        return None;
    }
    cost(&typed, &meant, None, budget)
}

/// Returns the cost of what remains of both words, if it is at most `budget`. `before` is the letter before it.
fn cost(typed: &[char], meant: &[char], before: Option<char>, budget: u32) -> Option<u32> {
    let and = |own: u32, typed: &[char], meant: &[char], before: char| {
        let left = budget.checked_sub(own)?;
        cost(typed, meant, Some(before), left).map(|rest| own + rest)
    };
    let one_more = |letter: char, own: u32, is_at_end: bool| match before == Some(letter) {
        true => EXCHANGED,
        false => own + ENDING * u32::from(is_at_end),
    };
    let extra = |letter: char, next: Option<&char>| {
        let beside = [before, next.copied()];
        if beside.into_iter().flatten().any(|other| is_similar(letter, other)) { SIMILAR } else { OTHER }
    };
    match (typed, meant) {
        ([], []) => Some(0),
        ([is, typed @ ..], []) => and(one_more(*is, extra(*is, typed.first()), true), typed, &[], *is),
        ([], [was, meant @ ..]) => and(one_more(*was, MISSING, true), &[], meant, *was),
        ([is, typed @ ..], [was, meant @ ..]) if is == was => cost(typed, meant, Some(*is), budget),
        ([is, rest @ ..], [was, others @ ..]) => {
            let exchanged = match (rest, others) {
                ([next, rest @ ..], [second, others @ ..]) if (is, next) == (second, was) => {
                    and(EXCHANGED, rest, others, *second)
                }
                _ => None,
            };
            let at_end = ENDING * u32::from(rest.is_empty() && others.is_empty());
            let replaced = if is_similar(*is, *was) { SIMILAR } else { OTHER };
            let all = [
                exchanged,
                and(replaced + at_end, rest, others, *was),
                and(one_more(*was, MISSING, false), typed, others, *was),
                and(one_more(*is, extra(*is, rest.first()), false), rest, meant, *is),
            ];
            all.into_iter().flatten().min()
        }
    }
}

/// Returns whether two letters are neighbours on a keyboard, or sound alike.
fn is_similar(a: char, b: char) -> bool {
    let has_both = |letters: &str| letters.contains(a) && letters.contains(b);
    let place = |row: &str, letter: char| row.chars().position(|one| one == letter);
    let are_neighbours =
        |row: &&str| place(row, a).zip(place(row, b)).is_some_and(|(a, b)| a.abs_diff(b) == 1);
    SOUNDS.iter().any(|sound| has_both(sound)) || ROWS.iter().any(|row| are_neighbours(&row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mistakes_of_typing_and_spelling_are_slips() {
        let slips = [
            ("ownr", "owner"),
            ("lardr", "larder"),
            ("waht", "what"),
            ("apges", "pages"),
            ("recieve", "receive"),
            ("adress", "address"),
            ("untill", "until"),
            ("resstart", "restart"),
            ("guarante", "guarantee"),
            ("camara", "camera"),
            ("seperate", "separate"),
            ("deposti", "deposit"),
            ("kichen", "kitchen"),
            ("ingredeint", "ingredient"),
            ("definately", "definitely"),
            ("принцп", "принцип"),
        ];
        for (typed, meant) in slips {
            assert!(slip(typed, meant).is_some(), "{typed} {meant}");
        }
    }

    #[test]
    fn words_of_their_own_are_no_slips() {
        let words = [
            ("many", "may"),
            ("acid", "aid"),
            ("lend", "led"),
            ("sent", "set"),
            ("brand", "brandt"),
            ("guests", "guess"),
            ("wages", "pages"),
            ("writer", "write"),
            ("noise", "noisy"),
            ("share", "shape"),
            ("value", "valve"),
            ("world", "would"),
            ("calories", "carries"),
            ("visitors", "visits"),
            ("internet", "interest"),
            ("project", "protect"),
        ];
        for (typed, other) in words {
            assert_eq!(slip(typed, other), None, "{typed} {other}");
        }
    }

    #[test]
    fn the_more_probable_slip_costs_less() {
        for (typed, meant, other) in [
            ("relationla", "relational", "relations"),
            ("becasue", "because", "became"),
            ("accomodate", "accommodate", "accumulate"),
        ] {
            let cost = |word| slip(typed, word).unwrap_or(u32::MAX);
            assert!(cost(meant) < cost(other), "{typed}");
        }
    }

    proptest! {
        #[test]
        fn a_word_costs_nothing_and_another_one_something(a in "[a-e]{1,9}", b in "[a-e]{1,9}") {
            prop_assert_eq!(slip(&a, &a), Some(0));
            prop_assert_eq!(slip(&a, &b) == Some(0), a == b);
        }

        #[test]
        fn two_letters_exchanged_are_a_slip(word in "[a-z]{4,12}", at in 0..11_usize) {
            let mut letters: Vec<char> = word.chars().collect();
            let at = at % (letters.len() - 1);
            letters.swap(at, at + 1);
            let typed: String = letters.into_iter().collect();
            prop_assert!(slip(&typed, &word).is_some_and(|cost| cost <= EXCHANGED));
        }
    }
}
