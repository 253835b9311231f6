//! Returns other spellings of the words in a question that need no model: hyphens, common abbreviations, British and American
//! spelling.

use super::words::words_of;

/// Unambiguous abbreviations.
const ABBREVIATIONS: [(&str, &str); 18] = [
    ("FAQ", "frequently asked questions"),
    ("SLA", "service level agreement"),
    ("NDA", "non-disclosure agreement"),
    ("VAT", "value added tax"),
    ("CEO", "chief executive officer"),
    ("CFO", "chief financial officer"),
    ("CTO", "chief technology officer"),
    ("KPI", "key performance indicator"),
    ("ROI", "return on investment"),
    ("PTO", "paid time off"),
    ("GDPR", "General Data Protection Regulation"),
    ("SSO", "single sign-on"),
    ("2FA", "two-factor authentication"),
    ("MFA", "multi-factor authentication"),
    ("VPN", "virtual private network"),
    ("API", "application programming interface"),
    ("AI", "artificial intelligence"),
    ("ML", "machine learning"),
];
/// British and American spellings, in that order.
const SPELLINGS: [(&str, &str); 16] = [
    ("licence", "license"),
    ("colour", "color"),
    ("centre", "center"),
    ("catalogue", "catalog"),
    ("organisation", "organization"),
    ("authorisation", "authorization"),
    ("cancelled", "canceled"),
    ("cancelling", "canceling"),
    ("fulfil", "fulfill"),
    ("grey", "gray"),
    ("aluminium", "aluminum"),
    ("defence", "defense"),
    ("behaviour", "behavior"),
    ("labour", "labor"),
    ("cheque", "check"),
    ("instalment", "installment"),
];

/// Returns spellings that documents may use and that the question does not contain.
pub(in super::super) fn variants(question: &str) -> Vec<String> {
    let words = words_of(question);
    let low = question.to_lowercase();
    let mut found = Vec::new();
    for (short, long) in ABBREVIATIONS {
        // "ai" in lowercase is a word of other languages.
        if words.iter().any(|word| word.text == short || word.text.strip_suffix('s') == Some(short)) {
            found.push(long.to_owned());
        } else if holds(&low.replace('-', " "), &long.to_lowercase().replace('-', " ")) {
            found.push(short.to_owned());
        }
    }
    for (british, american) in SPELLINGS {
        for (one, other) in [(british, american), (american, british)] {
            // A check is rarely a cheque.
            if one != "check" && words.iter().any(|word| word.low == one) {
                found.push(other.to_owned());
            }
        }
    }
    found.extend(joined(&low));
    found
}

fn holds(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let ends = |side: Option<char>| side.is_none_or(|letter| !letter.is_alphanumeric());
        ends(text.get(..at).and_then(|left| left.chars().next_back()))
            && ends(
                text.get(at + phrase.len()..)
                    .and_then(|right| right.chars().next().filter(|next| *next != 's')),
            )
    })
}

/// Writes `e-mail` as `email`; leaves `state-of-the-art`.
fn joined(low: &str) -> impl Iterator<Item = String> + '_ {
    low.split_whitespace().filter_map(|word| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let parts: Vec<&str> = word.split('-').collect();
        let fine = parts.len() == 2
            && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
        fine.then(|| parts.concat())
    })
}
