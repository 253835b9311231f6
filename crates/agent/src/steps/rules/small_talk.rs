//! Recognises small talk, which needs no documents: greetings, thanks, questions about the assistant.

use super::words::words_of;

/// A kind of small talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallTalk {
    /// "Good morning!"
    Greeting,
    /// "Thanks a lot."
    Thanks,
    /// "See you."
    Farewell,
    /// "Who are you?"
    Assistant,
}

/// Returns the kind of small talk, if a question is nothing else.
pub fn small_talk(question: &str) -> Option<SmallTalk> {
    let mut kind = None;
    for clause in question.split(['.', '!', '?', ',', ';', ':', '\n', '…', '–', '—']) {
        let words: Vec<String> = words_of(clause).into_iter().map(|word| word.low).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words.is_empty() {
            continue;
        }
        // "Ok, thanks" and "Hi, who are you?": the last clause counts.
        if let Some(said) = clause_kind(&words)? {
            kind = Some(said);
        }
    }
    kind
}

impl SmallTalk {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Greeting => "a greeting",
            Self::Thanks => "thanks",
            Self::Farewell => "a farewell",
            Self::Assistant => "a question about the assistant",
        }
    }

    /// Returns the reply without an LLM.
    pub fn reply(self) -> String {
        match self {
            Self::Greeting => "Hello. What would you like to know from your documents?".into(),
            Self::Thanks => "You are welcome.".into(),
            Self::Farewell => "Goodbye.".into(),
            Self::Assistant => {
                "I answer questions from your documents and cite the source of each answer.".into()
            }
        }
    }
}

const GREETINGS: [&[&str]; 14] = [
    &["hi"],
    &["hello"],
    &["hey"],
    &["greetings"],
    &["good", "morning"],
    &["good", "afternoon"],
    &["good", "evening"],
    &["hallo"],
    &["guten", "morgen"],
    &["guten", "tag"],
    &["bonjour"],
    &["hola"],
    &["ciao"],
    &["olá"],
];
const THANKS: [&[&str]; 11] = [
    &["thanks"],
    &["thank", "you"],
    &["many", "thanks"],
    &["thx"],
    &["cheers"],
    &["danke"],
    &["vielen", "dank"],
    &["merci"],
    &["gracias"],
    &["grazie"],
    &["obrigado"],
];
const FAREWELLS: [&[&str]; 6] = [
    &["bye"],
    &["goodbye"],
    &["good", "night"],
    &["see", "you"],
    &["have", "a", "nice", "day"],
    &["tschüss"],
];
/// Words that may accompany a greeting, thanks or a farewell.
const BESIDE: [&str; 30] = [
    "there",
    "again",
    "all",
    "everyone",
    "assistant",
    "bot",
    "a",
    "lot",
    "so",
    "very",
    "much",
    "for",
    "your",
    "the",
    "that",
    "this",
    "it",
    "help",
    "answer",
    "bye",
    "then",
    "later",
    "soon",
    "schön",
    "beaucoup",
    "muchas",
    "mille",
    "you",
    "to",
    "now",
];
/// Words of agreement.
const AGREEING: [&str; 12] = [
    "ok",
    "okay",
    "great",
    "cool",
    "perfect",
    "nice",
    "super",
    "alright",
    "wonderful",
    "fine",
    "good",
    "awesome",
];
const ABOUT_ASSISTANT: [&str; 25] = [
    "who are you",
    "what are you",
    "how are you",
    "how are you doing",
    "how are you today",
    "how do you do",
    "what can you do",
    "what can you do for me",
    "what can i ask you",
    "what can i ask",
    "how do you work",
    "how can you help me",
    "can you help me",
    "what's your name",
    "what is your name",
    "do you have a name",
    "are you a bot",
    "are you a robot",
    "are you a human",
    "are you human",
    "are you an ai",
    "are you real",
    "who made you",
    "who built you",
    "what do you know",
];

/// Classifies a clause: `Some(None)` for mere agreement, `None` for anything else.
fn clause_kind(words: &[&str]) -> Option<Option<SmallTalk>> {
    let begins = |phrases: &[&[&str]]| {
        let said = phrases.iter().filter_map(|phrase| words.strip_prefix(*phrase));
        said.into_iter().any(|rest| rest.iter().all(|word| BESIDE.contains(word)))
    };
    if begins(&THANKS) {
        Some(Some(SmallTalk::Thanks))
    } else if begins(&FAREWELLS) {
        Some(Some(SmallTalk::Farewell))
    } else if begins(&GREETINGS) {
        Some(Some(SmallTalk::Greeting))
    } else if ABOUT_ASSISTANT.contains(&words.join(" ").as_str()) {
        Some(Some(SmallTalk::Assistant))
    } else if words.iter().all(|word| AGREEING.contains(word)) || *words == ["got", "it"] {
        Some(None)
    } else if let Some((first, rest)) = words.split_first()
        && (AGREEING.contains(first) || ["hi", "hello", "hey"].contains(first))
        && !rest.is_empty()
    {
        clause_kind(rest)
    } else {
        None
    }
}
