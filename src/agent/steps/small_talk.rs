//! What needs neither documents nor a model: a greeting, and sums.

use crate::text::terms::words;

/// A reply to a greeting, thanks or a sum; none to anything else.
pub(super) fn reply(question: &str) -> Option<String> {
    greeting(question).map(str::to_owned).or_else(|| sum(question))
}

fn greeting(question: &str) -> Option<&'static str> {
    let said: Vec<String> = words(question).map(|(_, word)| word.to_lowercase()).collect();
    let first = said.first()?;
    let begins = |known: &[&str]| said.len() <= 4 && known.contains(&first.as_str());
    if begins(&["hi", "hello", "hey", "hallo", "hola", "bonjour", "ciao", "good", "greetings"]) {
        Some("Hello. Ask me about your documents.")
    } else if begins(&["thanks", "thank", "danke", "merci", "gracias", "grazie", "thx"]) {
        Some("You are welcome.")
    } else if begins(&["bye", "goodbye", "tschüss", "adieu"]) {
        Some("Goodbye.")
    } else {
        None
    }
}

/// `2+2`, also within a few words, as `2+2 = 4`.
fn sum(question: &str) -> Option<String> {
    let start = question.find(|letter: char| letter.is_ascii_digit() || matches!(letter, '(' | '-' | '.'))?;
    let rest = question.get(start..)?;
    let end = rest
        .find(|letter: char| !(letter.is_ascii_digit() || " ().+-*/^×÷−".contains(letter)))
        .unwrap_or(rest.len());
    let (sum, behind) = rest.split_at(end);
    // Words may stand before it, as in "what is", but what stands behind would change what is meant.
    if !behind.trim_matches(['=', '?', '!', ' ', '.']).is_empty() {
        return None;
    }
    let sum = sum.trim().trim_end_matches(['.', ' ']);
    let mut reader = Reader {
        letters: sum.chars().filter(|letter| *letter != ' ').collect(),
        at: 0,
        depth: 0,
        operators: 0,
    };
    let value = reader.sum()?;
    let whole = reader.at == reader.letters.len() && reader.operators > 0 && value.is_finite();
    // What floating point adds far behind the point is not worth showing.
    let rounded = (value * 1e9).round() / 1e9;
    whole.then(|| format!("{sum} = {}", if rounded.is_finite() { rounded } else { value }))
}

/// Deeper brackets are not a question.
const DEEPEST: usize = 32;

struct Reader {
    letters: Vec<char>,
    at: usize,
    depth: usize,
    operators: usize,
}

impl Reader {
    fn next_of(&mut self, wanted: &[char]) -> Option<char> {
        let letter = self.letters.get(self.at).copied().filter(|letter| wanted.contains(letter))?;
        self.at += 1;
        self.operators += usize::from(!matches!(letter, '(' | ')'));
        Some(letter)
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(operator) = self.next_of(&['+', '-', '−']) {
            let next = self.product()?;
            value += if operator == '+' { next } else { -next };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        while let Some(operator) = self.next_of(&['*', '×', '/', '÷']) {
            let next = self.signed()?;
            value = if matches!(operator, '*' | '×') { value * next } else { value / next };
        }
        Some(value)
    }

    fn signed(&mut self) -> Option<f64> {
        if self.letters.get(self.at).is_some_and(|letter| matches!(letter, '-' | '−')) {
            self.at += 1;
            self.depth += 1;
            let value = if self.depth > DEEPEST { None } else { self.signed() };
            self.depth -= 1;
            return value.map(|value| -value);
        }
        let value = self.operand()?;
        if self.next_of(&['^']).is_none() {
            return Some(value);
        }
        self.depth += 1;
        let power = if self.depth > DEEPEST { None } else { self.signed() };
        self.depth -= 1;
        power.map(|power| value.powf(power))
    }

    fn operand(&mut self) -> Option<f64> {
        if self.next_of(&['(']).is_some() {
            self.depth += 1;
            let value = if self.depth > DEEPEST { None } else { self.sum() };
            self.depth -= 1;
            return value.filter(|_| self.next_of(&[')']).is_some());
        }
        let digits: String = self
            .letters
            .iter()
            .skip(self.at)
            .take_while(|letter| letter.is_ascii_digit() || **letter == '.')
            .collect();
        self.at += digits.len();
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_are_computed() {
        for (question, answer) in [
            ("2+2", "2+2 = 4"),
            ("What is 2 + 3 * (4 - 1)?", "2 + 3 * (4 - 1) = 11"),
            ("0.1+0.2", "0.1+0.2 = 0.3"),
            ("-2^2 =", "-2^2 = -4"),
            ("10 / 4", "10 / 4 = 2.5"),
        ] {
            assert_eq!(reply(question).as_deref(), Some(answer));
        }
    }

    #[test]
    fn what_is_no_sum_is_not_computed() {
        for question in ["42", "1/0", "2+", "(2+2", "In 2023", "2 + 2 apples", "", "--", "2+2 and 3+3"] {
            assert_eq!(reply(question), None, "{question}");
        }
    }

    #[test]
    fn a_greeting_is_greeted_and_a_question_is_not() {
        assert!(reply("Hi there!").is_some());
        assert!(reply("Thank you").is_some());
        assert_eq!(reply("Hello world is printed by which function of the book?"), None);
    }

    proptest! {
        #[test]
        fn a_sum_of_whole_numbers_is_right_and_nothing_panics(a in 0..9999_i64, b in 0..9999_i64, text in "[0-9().+*/^ -]{0,60}") {
            prop_assert_eq!(reply(&format!("{a}-{b}*2")), Some(format!("{a}-{b}*2 = {}", a - b * 2)));
            let _ = reply(&text);
            let _ = reply(&"(".repeat(10_000));
        }
    }
}
