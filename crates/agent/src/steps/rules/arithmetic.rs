//! Small sums: what a question such as "what is 2 + 2?" comes to.

use super::politeness;
use super::words::after;
use std::iter::Peekable;
use std::vec::IntoIter;

/// A longer sum is none that someone asks in passing. It also bounds how deep brackets are nested.
const MOST_TOKENS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(f64),
    Operator(char),
    Percent,
    Open,
    Close,
}

/// What a question that is nothing but a sum comes to.
pub(in super::super) fn sum(question: &str) -> Option<f64> {
    let polite = politeness::strip(question);
    let low = polite.as_deref().unwrap_or(question).trim().to_lowercase();
    let asked = low.trim_end_matches(['?', '.', '!', ' ']);
    let (asked, equals) = match asked.strip_suffix('=') {
        Some(asked) => (asked, true),
        None => (asked, false),
    };
    let (body, explicit) = introduced(asked.trim());
    let spelled = in_signs(body);
    let sure = explicit
        || equals
        || spelled.contains(['+', '*', '^'])
        || spelled.contains(" - ")
        || spelled.contains(" / ");
    let tokens = tokens(&spelled)?;
    let operators = tokens.iter().filter(|token| matches!(token, Token::Operator(_))).count();
    // Without spaces, 2023-24 is a year, 24/7 a habit, and 555-1234 a telephone.
    if !sure || operators == 0 || tokens.len() > MOST_TOKENS {
        return None;
    }
    let mut parser = Parser(tokens.into_iter().peekable());
    let result = parser.sum()?;
    (parser.0.peek().is_none() && result.is_finite()).then_some(result)
}

/// A number as it is written: whole, or with up to six decimals.
pub(in super::super) fn shown(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // What is too small for that is shown as it is.
    if matches!(text, "0" | "-0") && number != 0.0 { number.to_string() } else { text.to_owned() }
}

/// What follows the words that ask for a sum, and whether they can ask for nothing else.
fn introduced(asked: &str) -> (&str, bool) {
    let asking = ["calculate", "compute", "evaluate", "how much is", "how much are"];
    let other = ["what is", "what's", "what’s", "whats", "what are", "solve"];
    let find = |phrases: &[&str]| phrases.iter().find_map(|phrase| after(asked, phrase));
    match (find(&asking), find(&other)) {
        (Some(rest), _) => (rest, true),
        (None, rest) => (rest.unwrap_or(asked), false),
    }
}

/// Operators and small numbers that are written as words, as signs.
fn in_signs(body: &str) -> String {
    const NUMBERS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let joined = body.replace("divided by", "/").replace("multiplied by", "*").replace("percent of", "% of");
    let word = |word: &str| match word {
        "plus" => "+".to_owned(),
        "minus" => "-".to_owned(),
        "times" | "x" => "*".to_owned(),
        "over" => "/".to_owned(),
        "of" => "of".to_owned(),
        other => NUMBERS.iter().position(|known| *known == other).map_or(other.to_owned(), |n| n.to_string()),
    };
    let words: Vec<String> = joined.split_whitespace().map(word).collect();
    words.join(" ").replace("% of", "%*").replace(['×', '·'], "*").replace('÷', "/").replace('−', "-")
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        tokens.push(match letter {
            ' ' => continue,
            '+' | '-' | '*' | '/' | '^' => Token::Operator(letter),
            '%' => Token::Percent,
            '(' => Token::Open,
            ')' => Token::Close,
            '0'..='9' => {
                let mut digits = String::from(letter);
                while let Some(more) = letters.next_if(|next| next.is_ascii_digit() || ".,".contains(*next)) {
                    digits.push(more);
                }
                Token::Number(number(&digits)?)
            }
            _ => return None,
        });
        if tokens.len() > MOST_TOKENS {
            return None;
        }
    }
    Some(tokens)
}

/// Commas are taken for what they are only where they part thousands.
fn number(digits: &str) -> Option<f64> {
    let mut groups = digits.split('.').next()?.split(',');
    let first = groups.next()?;
    let mut thousands = groups.peekable();
    let grouped = thousands.peek().is_some();
    let fine = !grouped || (first.len() <= 3 && thousands.all(|group| group.len() == 3));
    fine.then(|| digits.replace(',', "").parse().ok()).flatten()
}

struct Parser(Peekable<IntoIter<Token>>);

impl Parser {
    fn takes(&mut self, operators: &[char]) -> Option<char> {
        let taken =
            self.0.next_if(|token| matches!(token, Token::Operator(sign) if operators.contains(sign)))?;
        if let Token::Operator(sign) = taken { Some(sign) } else { None }
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(sign) = self.takes(&['+', '-']) {
            let next = self.product()?;
            value = if sign == '+' { value + next } else { value - next };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.power()?;
        while let Some(sign) = self.takes(&['*', '/']) {
            let next = self.power()?;
            value = if sign == '*' { value * next } else { value / next };
        }
        Some(value)
    }

    fn power(&mut self) -> Option<f64> {
        if self.takes(&['-']).is_some() {
            return self.power().map(|value| -value);
        }
        let base = self.atom()?;
        match self.takes(&['^']) {
            Some(_) => self.power().map(|exponent| base.powf(exponent)),
            None => Some(base),
        }
    }

    fn atom(&mut self) -> Option<f64> {
        let value = match self.0.next()? {
            Token::Number(number) => number,
            Token::Open => {
                let inner = self.sum()?;
                self.0.next_if_eq(&Token::Close)?;
                inner
            }
            _ => return None,
        };
        Some(if self.0.next_if_eq(&Token::Percent).is_some() { value / 100.0 } else { value })
    }
}
