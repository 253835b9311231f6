//! Questions for what the head of a mail says: who sent it, to whom, and when.

use super::named_values::field;
use std::collections::BTreeSet;
use vademecum_grounding::claim::claimed_terms;
use vademecum_text::terms::words;

/// Words for a mail, separated by spaces.
const MAILS: &str = "mail mails email emails e-mail e-mails message messages nachricht nachrichten";
/// Words that say that it was sent, and which field tells the rest.
const SENT: &str = "send sends sent sending sender write writes wrote written author receive received recipient recipients \
                    addressed copied copy cc subject gesendet geschickt geschrieben schickte sendete schrieb absender \
                    empfänger betreff kopie versandt";
/// Words that ask for a field: its name in the head, and the words, separated by spaces. The first field with a word of the question is
/// asked for.
const FIELDS: [(&str, &str); 5] = [
    ("subject", "subject betreff"),
    ("cc", "copied copy cc kopie"),
    ("date", "when date day time wann datum tag"),
    ("to", "whom recipient recipients receive received receives got addressed wem empfänger bekam erhielt"),
    ("from", "who sender author wer absender"),
];

/// Returns the name of the field of a mail's head that a question asks for; `None` if it is not about the sending of a mail.
pub(super) fn asked_field(question: &str) -> Option<&'static str> {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    let has = |all: &str| said.iter().any(|word| all.split_whitespace().any(|one| one == word));
    if !has(MAILS) || !has(SENT) {
        return None;
    }
    // "Who was the mail sent to?"
    let ends_to = said.last().is_some_and(|word| word == "to");
    let (name, _) = FIELDS.iter().find(|(name, all)| has(all) || *name == "to" && ends_to)?;
    Some(name)
}

/// Returns whether a text begins with the head of a mail.
pub(super) fn has_head(text: &str) -> bool {
    let mut names = text.lines().map_while(field).map(|(name, _)| name);
    names.next() == Some("From") && names.next().is_some()
}

/// Returns whether a line of a head is the field of this name.
pub(super) fn is_field(line: &str, name: &str) -> bool {
    field(line).is_some_and(|(own, _)| own.eq_ignore_ascii_case(name))
}

/// Returns the terms that the head of a mail implies: that it is one, and was sent.
pub(super) fn implied() -> BTreeSet<String> {
    claimed_terms(MAILS).into_iter().chain(claimed_terms(SENT)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_the_sending_of_a_mail_asks_for_a_field_of_its_head() {
        for (question, name) in [
            ("Who sent the mail about the boiler?", Some("from")),
            ("Who wrote the e-mail on dress codes?", Some("from")),
            ("To whom was the mail sent?", Some("to")),
            ("Who was the message sent to?", Some("to")),
            ("When was the mail sent?", Some("date")),
            ("Who was copied on the mail?", Some("cc")),
            ("What is the subject of the mail?", Some("subject")),
            ("Wer hat die Mail geschickt?", Some("from")),
            ("Who wrote the notes?", None),
            ("What does the mail say?", None),
            ("What is the email address of Ruth?", None),
        ] {
            assert_eq!(asked_field(question), name, "{question}");
        }
        assert!(has_head("From: a\nTo: b\n\nDear b,") && !has_head("From: a\n\nDear b,"));
    }
}
