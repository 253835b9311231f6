//! Plausibility of a typing mistake: how likely one word was meant by another.

use std::str::Chars;

/// Cost of two adjacent letters exchanged, and of a letter doubled or not doubled.
const EXCHANGED: u32 = 1;
/// Cost of a letter left out.
const MISSING: u32 = 2;
/// Cost of a letter replaced by one that is [`ALIKE`], and of a letter too many beside such a one.
const SIMILAR: u32 = 3;
/// Cost of any other letter that is replaced or too many.
const OTHER: u32 = 5;
/// Additional cost at the end of a word: another ending makes another word.
const ENDING: u32 = 2;
/// More than any cost.
const NEVER: u32 = u32::MAX;

/// Letters of which those side by side are taken for each other: the rows of the English and the German keyboard, all pairs of vowels,
/// and consonants of a similar sound.
const ALIKE: &str = "qwertyuiop asdfghjkl zxcvbnm qwertzuiop yx aeiouyaiueoyi oau ey ckcs sz fv dt bp gj";

/// Returns the cost of the mistakes that make `typed` of `meant`, both in the form of [`plain`](super::plain), by which corrections are
/// ranked; `None` if `typed` is more probably a word of its own. The shorter a word, the more others are close to it, and
/// the first letter is hardly ever mistyped.
pub fn slip(typed: &str, meant: &str) -> Option<u32> {
    let (mut first, mut other) = (typed.chars(), meant.chars());
    let (a, b) = (first.next(), other.next());
    let begins_alike = a == b || (first.next() == b && other.next() == a);
    let budget = match typed.chars().count() {
        _ if !begins_alike => return None,
        0..=3 => 0,
        4 => MISSING,
        5..=6 => SIMILAR,
        7 => MISSING + MISSING,
        8..=9 => OTHER,
        _ => SIMILAR + SIMILAR,
    };
    let cost = rest(typed.chars(), meant.chars(), ' ', budget);
    (cost <= budget).then_some(cost)
}

/// Returns the cost of what remains of both words behind the letter `before`; more than `budget` if it is not within it. Equal letters are
/// paired as they come, which may miss a pairing that is slightly cheaper.
fn rest(mut typed: Chars<'_>, mut meant: Chars<'_>, before: char, budget: u32) -> u32 {
    let (all_typed, all_meant) = (typed.clone(), meant.clone());
    let (is, was) = (typed.next(), meant.next());
    if is == was {
        return is.map_or(0, |letter| rest(typed, meant, letter, budget));
    }
    let then = |own: u32, typed: &Chars<'_>, meant: &Chars<'_>, before: char| match budget.checked_sub(own) {
        Some(left) => own.saturating_add(rest(typed.clone(), meant.clone(), before, left)),
        None => NEVER,
    };
    let mut least = NEVER;
    if let Some(is) = is {
        let is_beside = are_alike(is, before) || typed.clone().next().is_some_and(|next| are_alike(is, next));
        let own = if is_beside { SIMILAR } else { OTHER };
        let own = if is == before { EXCHANGED } else { own + ending(was.is_none()) };
        least = least.min(then(own, &typed, &all_meant, is));
    }
    if let Some(was) = was {
        let own = if was == before { EXCHANGED } else { MISSING + ending(is.is_none()) };
        least = least.min(then(own, &all_typed, &meant, was));
    }
    if let (Some(is), Some(was)) = (is, was) {
        let own = if are_alike(is, was) { SIMILAR } else { OTHER };
        let own = own + ending(typed.as_str().is_empty() && meant.as_str().is_empty());
        least = least.min(then(own, &typed, &meant, was));
        if typed.next() == Some(was) && meant.next() == Some(is) {
            least = least.min(then(EXCHANGED, &typed, &meant, is));
        }
    }
    least
}

fn ending(is_at_end: bool) -> u32 {
    if is_at_end { ENDING } else { 0 }
}

/// Returns whether two letters are side by side in [`ALIKE`].
fn are_alike(a: char, b: char) -> bool {
    let mut before = ' ';
    ALIKE.chars().any(|letter| {
        let pair = (std::mem::replace(&mut before, letter), letter);
        letter != ' ' && pair.0 != ' ' && (pair == (a, b) || pair == (b, a))
    })
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
