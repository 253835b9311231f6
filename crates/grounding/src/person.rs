//! Recognises questions for the name of a person: "name of the passenger", "What is the cook called?".

use vademecum_text::terms::words;

/// Nouns for persons.
const PERSONS: &str = "person man woman boy girl child passenger guest visitor cook chef driver teacher author owner doctor nurse manager \
    director chair chairman chairwoman chairperson secretary treasurer tenant landlord landlady neighbour neighbor caretaker plumber \
    electrician vet dentist lawyer solicitor captain pilot skipper conductor surveyor officer clerk winner speaker trainer coach mother \
    father sister brother son daughter wife husband aunt uncle";
/// Words between "name of" and the noun.
const BEFORE: [&str; 10] = ["the", "our", "my", "your", "his", "her", "their", "a", "new", "old"];

/// Words behind the noun.
const BEHIND: [&str; 15] = [
    "who", "that", "whose", "of", "in", "at", "for", "on", "from", "with", "to", "we", "i", "called", "named",
];

/// Returns whether a question asks what a person is called.
pub fn asks_name(question: &str) -> bool {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    asks_person_name(&said)
}

/// Returns whether a question asks what a person is called; `said` has its words in lower case.
pub(crate) fn asks_person_name(said: &[String]) -> bool {
    let is_person = |word: &String| PERSONS.split_whitespace().any(|one| one == word);
    // "The guest network" is no guest.
    let is_noun = |from: usize| {
        let rest = said.get(from..).unwrap_or_default();
        let at = rest.iter().position(|word| !BEFORE.contains(&word.as_str()));
        at.is_some_and(|at| {
            let ends = rest.get(at + 1).is_none_or(|next| BEHIND.contains(&next.as_str()));
            ends && rest.get(at).is_some_and(is_person)
        })
    };
    let name_of = said.windows(2).position(|pair| pair == ["name", "of"]);
    let is_called = said.last().is_some_and(|last| last == "called" || last == "named");
    match name_of {
        Some(at) => is_noun(at + 2),
        None => {
            let has_article = said.get(2).is_some_and(|word| word == "a" || word == "an");
            is_called && !has_article && said.first().is_some_and(|first| first == "what") && is_noun(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_person_is_asked_for_but_not_that_of_a_thing() {
        assert!(asks_name("name of the passenger who fell") && asks_name("what is the name of our new cook"));
        assert!(asks_name("what is the cook called") && asks_name("what was her mother named"));
        assert!(!asks_name("what is the name of the ship") && !asks_name("what is the ship called"));
        assert!(!asks_name("what is the name of the guest network"));
        assert!(!asks_name("what is a person who mends shoes called"));
        assert!(!asks_name("who is the cook") && !asks_name("name of") && !asks_name("called"));
    }
}
