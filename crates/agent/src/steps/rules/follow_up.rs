//! Resolves follow-up questions with the topic of the question before.

use super::politeness;
use super::words::{
    Word, after, begins_subject, capitalised, content_places, content_words, is_auxiliary, is_preposition,
    is_question_word, names, stems, without_mark, words_of,
};
use crate::context::Turn;
use std::ops::Range;
use vademecum_text::months::is_month;
use vademecum_text::sentence::sentences;
use vademecum_text::terms::{Language, is_blank, terms};
use vademecum_util::within::Within;

/// Maximum number of turns taken into account.
const MAX_TURNS: usize = 4;
/// Maximum number of words taken from the previous question.
const MAX_WORDS: usize = 8;
/// Maximum number of content words of a follow-up; a longer question is complete.
const MAX_CONTENT_WORDS: usize = 3;

/// Returns the completed question; `None` if it is complete already.
pub(in super::super) fn resolve(question: &str, history: &[Turn]) -> Option<String> {
    let recent = history.get(history.len().saturating_sub(MAX_TURNS)..)?;
    // The previous question may itself be a follow-up. A summary covers many questions, so "it" cannot refer to it.
    let asked = recent.iter().filter(|turn| !turn.summary && !is_blank(&turn.question));
    let before = asked.fold(None, |before: Option<Turn>, turn| {
        let asked = politeness::strip(&turn.question).unwrap_or_else(|| turn.question.trim().to_owned());
        let question = before.and_then(|before| follow(&asked, &before)).unwrap_or(asked);
        Some(Turn { question, ..turn.clone() })
    })?;
    follow(question, &before)
}

/// Completes a question with the one before it.
pub(in super::super) fn follow(question: &str, before: &Turn) -> Option<String> {
    let question = question.trim();
    if let Some(rest) = elliptic(question) {
        return Some(graft(rest, without_mark(&before.question)));
    }
    let (asked, joined) = match after(question, "and").or_else(|| after(question, "but")) {
        Some(rest) if !rest.trim().is_empty() => (rest.trim_start_matches([',', ' ']), true),
        _ => (question, false),
    };
    let about = content_words(asked).len();
    let words = words_of(asked);
    let in_english = is_english(asked, &words);
    if about == 0 && words.len() <= 4 && in_english {
        return Some(format!("{}? {}", without_mark(&before.question), capitalised(asked)));
    }
    if in_english && let Some(resolved) = among(asked, &before.question).or_else(|| by_pronoun(asked, before))
    {
        return Some(resolved);
    }
    // "And what is the price?" continues the topic.
    (joined && in_english && about <= MAX_CONTENT_WORDS)
        .then(|| with_words(asked, &before.question))
        .flatten()
}

/// Short questions say little about their language, but a question word does.
fn is_english(asked: &str, words: &[Word<'_>]) -> bool {
    const FIRST: [&str; 8] = ["what", "who", "when", "where", "why", "how", "which", "whose"];
    words.first().is_some_and(|first| FIRST.contains(&first.low.as_str()))
        || Language::detect(asked) == Language::English
}

/// Returns the rest of an elliptic question: "and for …", "what about …".
fn elliptic(question: &str) -> Option<&str> {
    let openings = ["and what about", "and how about", "what about", "how about", "the same for", "same for"];
    if let Some(rest) = openings.iter().find_map(|opening| after(question, opening)) {
        let keeps_for = openings.iter().skip(4).any(|opening| after(question, opening).is_some());
        let rest = if keeps_for { question.get(question.len() - rest.len() - "for".len()..)? } else { rest };
        return Some(rest.trim()).filter(|rest| !is_blank(rest));
    }
    let rest = ["and", "also", "or", "but"].iter().find_map(|word| after(question, word))?;
    let rest = rest.trim_start_matches([',', ' ']);
    let words = words_of(rest);
    let first = &words.first()?.low;
    let asks = is_question_word(first) || is_auxiliary(first);
    (!asks && words.len() <= 6 && !content_words(rest).is_empty()).then_some(rest)
}

/// Asks the previous question about something else.
fn graft(rest: &str, before: &str) -> String {
    let rest = without_mark(rest);
    let words = words_of(before);
    let new = words_of(rest);
    let replaced = |range: Range<usize>| {
        let (left, right) = (before.within(..range.start), before.within(range.end..));
        format!("{left}{rest}{right}?")
    };
    if let Some(preposition) = new.first().filter(|word| is_preposition(&word.low)) {
        let is_date = new.get(1).is_some_and(is_of_date);
        return match phrase(&words, &preposition.low, is_date) {
            Some(range) => replaced(range.start..range.end.unwrap_or(before.len())),
            None => format!("{} {rest}?", before.trim_end()),
        };
    }
    // A name takes the place of the only other one, and a month that of a month.
    let is_date = new.first().is_some_and(is_of_date);
    let mut others = names(before);
    if others.len() > 1 && new.iter().all(|word| word.text.starts_with(char::is_uppercase)) {
        others.retain(|name| is_date_at(&words, name.start) == is_date);
    }
    if rest.starts_with(char::is_uppercase)
        && let [one] = others.as_slice()
    {
        return replaced(one.clone());
    }
    head(rest, before).map_or_else(|| format!("{before}: {rest}?"), replaced)
}

/// The words from a preposition to the next one.
struct Phrase {
    start: usize,
    /// Where the space before the next preposition or auxiliary begins; `None` if the phrase ends the question.
    end: Option<usize>,
}

/// Returns the last phrase with a preposition that is a date as well, or none as well: "in 2024" or "in Oslo".
fn phrase(words: &[Word<'_>], preposition: &str, is_date: bool) -> Option<Phrase> {
    let is_alike = |at: usize| words.get(at + 1).is_some_and(is_of_date) == is_date;
    let mut alike = words.iter().enumerate().filter(|(at, word)| word.low == preposition && is_alike(*at));
    let (at, first) = alike.next_back()?;
    let ends = |word: &&Word<'_>| is_preposition(&word.low) || is_auxiliary(&word.low);
    let next = words.iter().enumerate().skip(at + 1).find(|(_, word)| ends(word)).map(|(next, _)| next);
    let end = next.and_then(|next| words.get(next.checked_sub(1)?)).map(|last| last.at.end);
    Some(Phrase { start: first.at.start, end })
}

/// Names of the days of the week.
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns whether a word begins a date: a number, a month or a day of the week.
fn is_of_date(word: &Word<'_>) -> bool {
    let is_number = word.low.starts_with(|first: char| first.is_ascii_digit());
    is_number || is_month(&word.low) || DAYS.contains(&word.low.as_str())
}

/// Returns whether a date begins at this byte: a name may be a month as well, but has no preposition before it.
fn is_date_at(words: &[Word<'_>], start: usize) -> bool {
    let Some(at) = words.iter().position(|word| word.at.start == start) else { return false };
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    words.get(at).is_some_and(is_of_date) && before.is_some_and(|word| is_preposition(&word.low))
}

/// Returns the phrase of the previous question to replace: "the enterprise plan" for "the basic plan".
fn head(rest: &str, before: &str) -> Option<Range<usize>> {
    let new = words_of(rest);
    let articled = new.first().is_some_and(|word| is_article(&word.low));
    let kind = terms(rest).pop()?;
    if new.len() < 2 {
        return None;
    }
    let words = words_of(before);
    let old = terms(before).into_iter().rfind(|term| term.text == kind.text)?;
    let end = words.iter().position(|word| word.at == old.at)?;
    let left = words.get(..end)?;
    let size = left.iter().rev().take_while(|word| !terms(word.text).is_empty()).count();
    let from = left.len() - size;
    let article = from.checked_sub(1).and_then(|at| words.get(at)).filter(|word| is_article(&word.low));
    let start = match article {
        Some(article) if articled => article.at.start,
        _ => words.get(from)?.at.start,
    };
    Some(start..old.at.end)
}

/// Joins a question about some of the results with the question before it: "Which of them live in Oslo?" after "Which members are over 40?". Returns `None`
/// for any other question, and where joining would change the meaning.
fn among(question: &str, before: &str) -> Option<String> {
    let before = without_mark(before).trim();
    let counts = after(question, "how many");
    let of = counts.or_else(|| ["which", "who"].iter().find_map(|first| after(question, first)));
    let one_of = |phrase: &&str| after(of?.trim_start(), phrase);
    // "Which of these boats" is a question of its own, unless a word follows that is surely no noun.
    let is_verb = |rest: &&str| {
        words_of(rest).first().is_some_and(|next| is_auxiliary(&next.low) || is_preposition(&next.low))
    };
    let rest = ["of them"].iter().find_map(one_of);
    let rest = rest.or_else(|| ["of these", "of those"].iter().find_map(one_of).filter(is_verb));
    let rest = rest
        .or_else(|| after(question, "which ones").filter(|rest| after(rest.trim_start(), "of").is_none()))?;
    let rest = without_mark(rest).trim_matches([',', ' ']);
    let rest = after(rest, "if any").map_or(rest, |rest| rest.trim_start_matches([',', ' ']));
    let next = words_of(rest);
    // "has the most", "is the longest": a choice, or the beginning of a question where "and" is before it.
    let is_choice = next.first().is_some_and(|first| is_auxiliary(&first.low))
        && next.get(1).is_some_and(|second| begins_subject(&second.low));
    if is_blank(rest) || is_choice || is_limited(before) {
        return None;
    }
    let (counted, which) = (after(before, "how many"), after(before, "which"));
    let first = match (counts.is_some(), counted, which) {
        (true, Some(_), _) | (false, None, Some(_)) => before.to_owned(),
        (true, None, Some(rest)) => format!("How many{rest}"),
        (false, Some(rest), None) => format!("Which{rest}"),
        (false, None, None) if after(before, "who").is_some() => before.to_owned(),
        _ => return None,
    };
    Some(format!("{first} and {rest}?"))
}

/// Returns whether a question is for some of an order, as "the three largest" are, or joins alternatives: a further condition would choose others.
fn is_limited(question: &str) -> bool {
    let words = words_of(question);
    words.iter().enumerate().any(|(at, word)| {
        let before =
            at.checked_sub(1).and_then(|before| words.get(before)).map_or("", |word| word.low.as_str());
        let low = word.low.as_str();
        let is_first =
            matches!(low, "most" | "least" | "fewest" | "top" | "first" | "last" | "best" | "worst" | "or")
                || (low.len() > 4 && low.ends_with("est"));
        // A number behind "which" is how many are wanted.
        let is_count =
            matches!(before, "which" | "the") && low.starts_with(|first: char| first.is_ascii_digit());
        (is_first && before != "at") || is_count
    })
}

fn is_article(low: &str) -> bool {
    matches!(low, "the" | "a" | "an" | "my" | "our" | "your")
}

fn by_pronoun(question: &str, before: &Turn) -> Option<String> {
    let words = words_of(question);
    if content_words(question).len() > MAX_CONTENT_WORDS
        || !names(question).is_empty()
        || is_impersonal(question)
    {
        return None;
    }
    let (at, pronoun) =
        words.iter().enumerate().find(|(at, word)| refers_back(*at, &words, question, &word.low))?;
    let person = matches!(pronoun.low.as_str(), "he" | "she" | "him" | "her" | "his" | "hers");
    if person && let Some(name) = person_of(before) {
        let next = words.get(at + 1);
        let owns = pronoun.low.ends_with('s')
            || (pronoun.low == "her" && next.is_some_and(|next| !terms(next.text).is_empty()));
        let put = if owns { format!("{name}'s") } else { name };
        let (left, right) = (question.get(..pronoun.at.start)?, question.get(pronoun.at.end..)?);
        return Some(format!("{left}{put}{right}"));
    }
    with_words(question, &before.question)
}

/// Returns whether a word refers to something outside this question.
fn refers_back(at: usize, words: &[Word<'_>], question: &str, low: &str) -> bool {
    let is_last = at + 1 == words.len();
    let next = words.get(at + 1).map_or("", |word| word.low.as_str());
    // It refers to something named earlier in the same question.
    let named_before = words
        .get(at)
        .and_then(|word| question.get(..word.at.start))
        .map_or(0, |left| content_words(left).len());
    match low {
        "it" | "its" | "they" | "them" | "their" | "theirs" | "he" | "him" | "his" | "she" | "her"
        | "hers" => is_last || named_before < 2,
        "this" | "that" | "these" | "those" => {
            (is_last || is_auxiliary(next) || matches!(next, "mean" | "apply" | "include" | "work" | "cost"))
                && named_before < 2
        }
        _ => false,
    }
}

/// Returns whether "it" is impersonal: "is it possible to …", "does it take … to".
fn is_impersonal(question: &str) -> bool {
    let low = question.to_lowercase();
    let adjectives = [
        "possible",
        "true",
        "necessary",
        "worth",
        "better",
        "legal",
        "allowed",
        "safe",
        "ok",
        "okay",
        "easy",
        "hard",
        "difficult",
        "required",
    ];
    let describes = ["is it", "was it", "would it be", "will it be"].iter().any(|begin| {
        low.split(begin).nth(1).is_some_and(|rest| {
            words_of(rest).first().is_some_and(|word| adjectives.contains(&word.low.as_str()))
        })
    });
    describes
        || ["does it take to", "does it cost to", "does it take for"]
            .iter()
            .any(|phrase| low.contains(phrase))
}

/// Returns the only person in the previous question, or for "Who …?" in its answer.
fn person_of(before: &Turn) -> Option<String> {
    let asks_who =
        words_of(&before.question).first().is_some_and(|word| matches!(word.low.as_str(), "who" | "who's"));
    let text = if asks_who {
        let first = sentences(&before.answer).into_iter().next()?;
        before.answer.get(first)?
    } else {
        &before.question
    };
    let known = stems(&before.question);
    let mut found = Vec::new();
    for range in first_names(text, asks_who) {
        let name = text.get(range)?;
        // In an answer, a name that the question does not contain.
        if !asks_who || !stems(name).iter().any(|stem| known.contains(stem)) {
            found.push(name.trim_end_matches("'s").trim_end_matches("’s").to_owned());
        }
    }
    found.dedup();
    match found.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Returns the names of a text. An answer to "Who …?" probably begins with one.
fn first_names(text: &str, is_answer: bool) -> Vec<Range<usize>> {
    let mut found = names(text);
    let first = words_of(text).into_iter().next().map(|word| word.at);
    if let Some(first) =
        first.filter(|first| is_answer && found.first().is_none_or(|name| name.start > first.start))
    {
        let capital = text
            .get(first.clone())
            .is_some_and(|word| word.starts_with(char::is_uppercase) && !terms(word).is_empty());
        if capital {
            found.insert(0, first);
        }
    }
    found
}

/// Appends the content words of another question, so that the search covers both, and of an amount what compares with it.
fn with_words(question: &str, other: &str) -> Option<String> {
    let known = stems(question);
    let is_new =
        |place: &Range<usize>| !stems(other.within(place.clone())).iter().any(|stem| known.contains(stem));
    let mut places: Vec<Range<usize>> = Vec::new();
    for place in content_places(other).into_iter().filter(is_new).take(MAX_WORDS) {
        let start = comparison_of(place.clone(), other);
        places.truncate(places.partition_point(|before| before.start < start));
        places.push(start..place.end);
    }
    let words: Vec<&str> = places.into_iter().map(|place| other.within(place)).collect();
    (!words.is_empty()).then(|| format!("{} ({})", capitalised(question), words.join(" ")))
}

/// Returns where the comparison begins that ends with an amount, as "more than 40" does; of any other word, where that begins.
fn comparison_of(place: Range<usize>, text: &str) -> usize {
    const WORDS: &str = "no not more less fewer than over under above below at least most before after since until \
        between and up to later earlier higher lower greater";
    let compares = |word: &&Word<'_>| WORDS.split(' ').any(|one| one == word.low);
    if !text.within(place.clone()).starts_with(|first: char| first.is_ascii_digit()) {
        return place.start;
    }
    let words = words_of(text.within(..place.start));
    let first = words.iter().rev().take_while(compares).last();
    first.map_or(place.start, |word| word.at.start)
}
