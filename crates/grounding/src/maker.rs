//! Decides whether an answer tells nobody where a question asks who made something.

use super::claim::names;
use vademecum_text::terms::{Language, words};
use vademecum_util::within::Within;

/// Forms of verbs of making that are active. Those of the present are left out: "you create a file" tells nobody's work.
const ACTIVE: [&str; 9] =
    ["wrote", "drew", "erfand", "schrieb", "erschuf", "gründete", "entwarf", "entdeckte", "malte"];
/// Forms that are active or passive.
const MADE: [&str; 26] = [
    "invented",
    "authored",
    "created",
    "founded",
    "established",
    "designed",
    "discovered",
    "painted",
    "built",
    "composed",
    "developed",
    "introduced",
    "written",
    "drawn",
    "erfunden",
    "geschrieben",
    "erschaffen",
    "gegründet",
    "entworfen",
    "entdeckt",
    "gemalt",
    "gebaut",
    "erbaut",
    "komponiert",
    "entwickelt",
    "verfasst",
];
/// Words before the form in a question.
const BEFORE_MADE: [&str; 8] = ["has", "had", "first", "originally", "actually", "really", "hat", "hatte"];
/// Words that make a form of [`MADE`] behind them passive, unless one of [`RELATIVE`] begins its clause: "it was the monks who built it".
const PASSIVE: [&str; 9] = ["was", "were", "been", "being", "is", "are", "be", "wurde", "wurden"];
const RELATIVE: [&str; 4] = ["who", "that", "der", "die"];
/// Words that tell somebody: the maker of a passive sentence, a pronoun of the third person, and what makers are called.
const SOMEBODY: [&str; 21] = [
    "by",
    "von",
    "durch",
    "he",
    "she",
    "they",
    "er",
    "sie",
    "inventor",
    "inventors",
    "author",
    "authors",
    "creator",
    "creators",
    "founder",
    "founders",
    "designer",
    "designers",
    "architect",
    "erfinder",
    "gründer",
];

/// Returns whether a question asks who made something, as "Who invented the zip?" does, and a sentence tells nobody who may have. German sentences
/// whose nouns have capitals are not judged: any of them may be a name.
pub fn lacks_maker(question: &str, sentence: &str) -> bool {
    let low = |text: &str| -> Vec<String> { words(text).map(|(_, word)| word.to_lowercase()).collect() };
    let asked = low(question);
    if !asks_maker(&asked) || Language::detect(sentence) == Language::German && !is_passive(&low(sentence)) {
        return false;
    }
    let said = low(sentence);
    let is_in = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    let is_work_of = said.windows(2).any(|two| matches!(two, [work, of] if work == "work" && of == "of"));
    let is_active = is_in(&ACTIVE) || is_in(&MADE) && !is_passive(&said);
    !is_active && !is_work_of && !is_in(&SOMEBODY) && !names_maker(sentence, &asked)
}

/// Returns whether the verb of a question for a person is one of making: the second word in English, the last in German, perhaps behind "has".
fn asks_maker(asked: &[String]) -> bool {
    let is_made = |word: &str| MADE.contains(&word) || ACTIVE.contains(&word);
    match asked.first().map(String::as_str) {
        Some("who") => {
            let mut rest = asked.iter().skip(1).skip_while(|word| BEFORE_MADE.contains(&word.as_str()));
            rest.next().is_some_and(|verb| is_made(verb))
        }
        Some("wer") => {
            asked.get(1).is_some_and(|verb| is_made(verb))
                || asked.get(1).is_some_and(|word| BEFORE_MADE.contains(&word.as_str()))
                    && asked.last().is_some_and(|verb| is_made(verb))
        }
        _ => false,
    }
}

/// Returns whether the first form of [`MADE`] is passive: "was first built in 1840".
fn is_passive(said: &[String]) -> bool {
    let Some(at) = said.iter().position(|word| MADE.contains(&word.as_str())) else { return false };
    let clause = said.iter().take(at).rev().take_while(|word| !RELATIVE.contains(&word.as_str()));
    clause.into_iter().any(|word| PASSIVE.contains(&word.as_str()))
}

/// Returns whether a sentence has a name that the question has not: not "Vec<T>", which is code, nor "Chapter 4", which is a place.
fn names_maker(sentence: &str, asked: &[String]) -> bool {
    let is_alone = |name: &str| {
        sentence.match_indices(name).any(|(at, _)| {
            let rest = sentence.within(at + name.len()..);
            let next = rest.trim_start_matches(' ').chars().next();
            !next.is_some_and(|letter| letter.is_ascii_digit()) && !rest.starts_with(['<', '(', '_', ':'])
        })
    };
    let is_new = |name: &str| is_alone(name) && !asked.contains(&name.to_lowercase());
    let first = words(sentence).next().map(|(_, word)| word);
    // "Archimedes is …": a first word that no language uses as a function word, before "is" or "was".
    let opens = first.is_some_and(|word| {
        let next = words(sentence).nth(1).map_or("", |(_, word)| word);
        word.starts_with(char::is_uppercase)
            && !Language::has_any_stop_word(&word.to_lowercase())
            && ["is", "was", "and"].contains(&next)
            && is_new(word)
    });
    opens || names(sentence).into_iter().any(|(_, name)| is_new(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_made_something_is_told_by_a_name_or_by_a_sentence_about_it() {
        let who = "Who wrote the Rust book?";
        let lacking = [
            (who, "Ownership affects how lots of other parts of Rust work, so we’ll talk about it."),
            ("Who created Rust?", "More often, you’ll create a Vec<T> with initial values, as in Chapter 4."),
            ("Who built the lighthouse?", "The lighthouse was first built in 1840."),
            ("Who has built the lighthouse?", "Its light is seen from afar."),
            ("Wer hat den Turm erbaut?", "Der Turm wurde 1840 erbaut."),
        ];
        for (question, sentence) in lacking {
            assert!(lacks_maker(question, sentence), "{question} {sentence}");
        }
        let told = [
            ("Who built the lighthouse?", "The lighthouse was built by the monks."),
            ("Who built the lighthouse?", "The monks built it, as it was said to be of use."),
            ("Who built the lighthouse?", "It was the monks who built it."),
            (who, "It was my grandmother who wrote it."),
            (who, "The book is by the team."),
            (who, "This one is from Ada Lund."),
            (who, "Klabnik is the one to ask."),
            ("Who invented Fortran?", "It came from IBM."),
            ("Who designed the logo?", "The logo is the work of our team."),
            ("Wer hat die Schraube erfunden?", "Sie wurde von Archimedes erfunden."),
            ("Wer erfand den Buchdruck?", "Gutenberg gilt in der Stadt als der Erfinder des Buchdrucks."),
            ("Who sells the book?", "It is for sale."),
            ("Who approves newly created accounts?", "The line manager approves new accounts."),
            ("Who do I call about a room built in 1950?", "Call the caretaker."),
        ];
        for (question, sentence) in told {
            assert!(!lacks_maker(question, sentence), "{question} {sentence}");
        }
    }
}
