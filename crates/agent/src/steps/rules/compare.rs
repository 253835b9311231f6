//! Splits comparisons into one question for each of the two sides.

use super::words::{
    after, capitalised, content_words, is_auxiliary, is_preposition, is_question_word, without_mark, words_of,
};
use vademecum_text::terms::is_blank;
use vademecum_util::within::Within;

/// Words that introduce a comparison or qualify the difference, and are not its subject.
const LEADING: [&str; 24] = [
    "tell",
    "explain",
    "describe",
    "show",
    "give",
    "list",
    "name",
    "say",
    "know",
    "understand",
    "learn",
    "summarise",
    "summarize",
    "main",
    "key",
    "major",
    "biggest",
    "important",
    "exact",
    "real",
    "basic",
    "essential",
    "please",
    "hi",
];
/// Maximum number of words of a side; a longer one is a clause that contains an "and".
const MAX_SIDE: usize = 9;

/// Returns a question for each side of a comparison; empty if the question is no comparison of two things.
pub(in super::super) fn sides(question: &str) -> Vec<String> {
    compared(question).map_or_else(Vec::new, |(left, right)| vec![ask(&left), ask(&right)])
}

/// What a comparison is about.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Compared {
    /// The words that both sides have.
    pub(in super::super) shared: String,
    /// The words of each side that the other one does not have.
    pub(in super::super) own: [String; 2],
}

/// Reads a comparison; `None` if the question is no comparison of two things with words of their own.
pub(in super::super) fn read(question: &str) -> Option<Compared> {
    let (left, right) = compared(question)?;
    let parted = |side: &str, other: &str| {
        let others: Vec<String> = words_of(other).into_iter().map(|word| word.low).collect();
        let is_shared = |word: &String| others.contains(&word.to_lowercase());
        let (shared, own): (Vec<String>, Vec<String>) =
            content_words(side).into_iter().map(str::to_owned).partition(is_shared);
        (shared.join(" "), own.join(" "))
    };
    let ((shared, one), (_, other)) = (parted(&left, &right), parted(&right, &left));
    let own = [one, other];
    own.iter().all(|one| !is_blank(one)).then_some(Compared { shared, own })
}

fn compared(question: &str) -> Option<Sides> {
    let asked = without_mark(question);
    let (left, right) = after_compare(asked)
        .or_else(|| between(asked))
        .or_else(|| differ(asked))
        .or_else(|| versus(asked))
        .or_else(|| ending(asked))
        .filter(|(left, right)| fits(left) && fits(right))?;
    Some(share(&left, &right))
}

type Sides = (String, String);

fn pair(left: &str, right: &str) -> Option<Sides> {
    let clean = |side: &str| without_mark(side.trim()).to_owned();
    Some((clean(left), clean(right)))
}

/// Splits at the only joint. Several joints indicate a list or a name that contains one.
fn at_joint<'a>(text: &'a str, joints: &[&str]) -> Option<(&'a str, &'a str)> {
    let words = words_of(text);
    let mut found = words.iter().filter(|word| joints.contains(&word.low.as_str()));
    let joint = found.next()?;
    let one = found.next().is_none();
    let (left, right) = (text.get(..joint.at.start)?, text.get(joint.at.end..)?);
    (one && !left.contains(',') && !is_blank(left) && !is_blank(right)).then_some((left, right))
}

/// "Compare A with B."
fn after_compare(asked: &str) -> Option<Sides> {
    let rest = ["compare", "contrast"].iter().find_map(|verb| after(asked, verb))?;
    let rest = after(rest.trim_start(), "between").unwrap_or(rest);
    let (left, right) =
        at_joint(rest, &["and", "with", "to", "against"]).or_else(|| at_joint(rest, &["and"]))?;
    pair(left, right)
}

/// "What is the difference between A and B?"
fn between(asked: &str) -> Option<Sides> {
    let low = asked.to_ascii_lowercase();
    let phrases = [
        "difference between",
        "differences between",
        "comparison between",
        "comparison of",
        "distinction between",
        "similarities between",
    ];
    let (start, end) =
        phrases.iter().find_map(|phrase| low.find(phrase).map(|at| (at, at + phrase.len())))?;
    let (left, right) = at_joint(asked.get(end..)?, &["and"])?;
    // "…, and which is safer": a further clause.
    let right = right.split([',', ';', ':']).next().unwrap_or(right);
    // "The e-mail difference between A and B": words before it belong to both sides.
    let mut of_both = content_words(asked.get(..start)?);
    of_both.retain(|word| !LEADING.contains(&word.to_ascii_lowercase().as_str()));
    if of_both.is_empty() {
        return pair(left, right);
    }
    let of_both = of_both.join(" ");
    pair(&format!("{of_both} {}", left.trim()), &format!("{of_both} {}", right.trim()))
}

/// "How does A differ from B?", "How do A and B differ?"
fn differ(asked: &str) -> Option<Sides> {
    let rest = ["how does", "how do", "how is", "how are"].iter().find_map(|begin| after(asked, begin))?;
    let low = rest.to_ascii_lowercase();
    for middle in [" differ from ", " different from "] {
        if let Some(at) = low.find(middle) {
            return pair(rest.get(..at)?, rest.get(at + middle.len()..)?);
        }
    }
    let both = [" differ", " different"].iter().find_map(|end| low.strip_suffix(end)).map(str::len)?;
    let (left, right) = at_joint(rest.get(..both)?, &["and"])?;
    pair(left, right)
}

/// "A vs B". Additional words of B may belong to both.
fn versus(asked: &str) -> Option<Sides> {
    let (left, right) = at_joint(asked, &["vs", "versus"])?;
    let right = right.trim_start_matches(['.', ' ']);
    let (first, second) = (words_of(left), words_of(right));
    let asks = first.first().is_some_and(|word| is_question_word(&word.low) || is_auxiliary(&word.low));
    if asks || first.len() > 3 {
        return None;
    }
    match second.get(first.len()) {
        // "Rust vs Go performance"
        Some(shared) if first.len() < second.len() => {
            let tail = right.get(shared.at.start..)?;
            pair(&format!("{} {tail}", left.trim()), right)
        }
        // "String length vs capacity"
        _ if !second.is_empty() && second.len() < first.len() => {
            let own = first.get(first.len() - second.len())?.at.start;
            pair(left, &format!("{} {right}", left.get(..own)?.trim()))
        }
        _ => pair(left, right),
    }
}

/// "A or B, what is the difference?", "A or B, what is the difference in price?"
fn ending(asked: &str) -> Option<Sides> {
    let (compared, rest) = asked.rsplit_once([',', ':', '–', '—', ';'])?;
    let is_comparing = |word: &str| {
        matches!(
            word.to_lowercase().as_str(),
            "difference" | "differences" | "differ" | "different" | "compare"
        )
    };
    let compares = words_of(rest).iter().any(|word| is_comparing(word.text));
    let (left, right) = at_joint(compared, &["or", "and", "vs", "versus"]).filter(|_| compares)?;
    let is_said = |word: &&str| {
        let low = word.to_lowercase();
        !is_comparing(word) && !LEADING.contains(&low.as_str()) && low != "whats"
    };
    let others: Vec<&str> = content_words(rest).into_iter().filter(is_said).collect();
    if others.is_empty() {
        return pair(left, right);
    }
    // What is compared stands behind "in"; other words may ask for something else.
    let aspect = rest.rsplit_once(" in ").map(|(_, aspect)| without_mark(aspect))?;
    let is_of_aspect = |word: &&str| content_words(aspect).contains(word);
    let pair_with = || pair(&format!("{} {aspect}", left.trim()), &format!("{} {aspect}", right.trim()));
    others.iter().all(is_of_aspect).then(pair_with)?
}

fn fits(side: &str) -> bool {
    let words = words_of(side);
    words.len() <= MAX_SIDE
        && !content_words(side).is_empty()
        && !words
            .iter()
            .any(|word| matches!(word.low.as_str(), "it" | "them" | "this" | "that" | "those" | "these"))
}

/// Gives both sides what only one of them states: the head before "of" or "for", and a final "in terms of …".
fn share(left: &str, right: &str) -> Sides {
    let mut sides = (left.to_owned(), right.to_owned());
    if let Some(at) = tail(right) {
        let (one, aspect) = right.split_at(at);
        sides = (format!("{left} {}", aspect.trim()), format!("{} {}", one.trim(), aspect.trim()));
    }
    let words = words_of(left);
    let joint = words.iter().find(|word| matches!(word.low.as_str(), "of" | "for"));
    let right_has = words_of(right).iter().any(|word| is_preposition(&word.low));
    if let Some(joint) = joint.filter(|_| !right_has || tail(right).is_some()) {
        sides.1 = format!("{} {}", left.within(..joint.at.end), sides.1);
    }
    sides
}

/// Returns where the aspect of the comparison begins.
fn tail(right: &str) -> Option<usize> {
    let low = right.to_ascii_lowercase();
    [" in terms of ", " with respect to ", " with regard to ", " regarding ", " concerning ", " by ", " in "]
        .iter()
        .find_map(|phrase| low.find(phrase))
        .filter(|at| right.is_char_boundary(*at))
}

/// Forms a question about a side.
fn ask(side: &str) -> String {
    let words = words_of(side);
    let begins_as_question = words.first().is_some_and(|word| is_question_word(&word.low));
    let head = words.iter().take_while(|word| !is_preposition(&word.low)).last();
    let plural = head.is_some_and(|word| {
        word.low.ends_with('s')
            && !["ss", "us", "is", "'s"].iter().any(|end| word.low.ends_with(end))
            && word.text != word.text.to_uppercase()
    }) && !head.is_some_and(|word| word.text.starts_with(char::is_uppercase));
    if begins_as_question {
        return capitalised(side) + "?";
    }
    format!("What {} {side}?", if plural { "are" } else { "is" })
}
