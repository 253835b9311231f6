//! Reads comparisons of two values of a column by what their rows add up to: "Who paid more, Anna or Ben?", "How much more did Anna pay
//! than Ben?"

use super::form::Form;
use super::query::{Aggregate, Ask, Comparison, First, Key, Measure};
use super::table::{Column, Kind};
use super::tags::{Tag, Tagged};
use super::words::Word;

/// Words that say which of two is asked for, and whether that is the greater one.
const WORDS: [(&str, bool); 7] = [
    ("more", true),
    ("most", true),
    ("higher", true),
    ("less", false),
    ("fewer", false),
    ("least", false),
    ("lower", false),
];

/// A comparison of two values.
#[derive(Debug, PartialEq)]
pub(super) struct Compared {
    /// The column of both.
    pub(super) column: usize,
    /// Whether the greater one is asked for.
    pub(super) greatest: bool,
    /// The question without the words that compare, with both values as alternatives.
    pub(super) spans: Vec<Tagged>,
}

/// Reads a comparison; `None` for any other question.
pub(super) fn compared(spans: &[Tagged]) -> Option<Compared> {
    let (at, greatest) = spans.iter().enumerate().find_map(|(at, one)| Some((at, direction(one)?)))?;
    let asks = |one: &Tagged| {
        matches!(one.tag, Tag::Word(Word::Who | Word::Which | Word::What | Word::HowMuch | Word::HowMany))
    };
    let mut pairs = spans.iter().enumerate().flat_map(|(first, one)| {
        let others = spans.iter().enumerate().skip(first + 1);
        others.filter_map(move |(second, other)| Some((first, second, shared(one, other)?)))
    });
    let (first, second, (column, keys)) = pairs.next().filter(|_| pairs.next().is_none())?;
    if !is_plain(spans) {
        return None;
    }
    let than = spans.iter().position(|one| one.low == "than" || one.low.ends_with(" than"));
    let between = spans.get(first + 1..second)?;
    let are_joined = between.iter().any(|one| matches!(one.tag, Tag::Word(Word::Or | Word::And)));
    let is_compared = match than {
        Some(than) => (first..second).contains(&than),
        None => {
            are_joined && spans.iter().any(asks) && between.iter().all(|one| matches!(one.tag, Tag::Word(_)))
        }
    };
    if !is_compared {
        return None;
    }
    let is_left_out = |place: usize, one: &Tagged| {
        let is_joint = (first..second).contains(&place) && matches!(one.tag, Tag::Word(Word::Or | Word::And));
        // "How much more".
        let is_how = place + 1 == at && matches!(one.tag, Tag::Word(Word::HowMuch | Word::HowMany));
        place == at
            || Some(place) == than
            || place == second
            || is_joint
            || is_how
            || one.tag == Tag::Word(Word::Auxiliary)
    };
    let kept = spans.iter().enumerate().filter(|(place, one)| !is_left_out(*place, one));
    let spans = kept
        .map(|(place, one)| match place == first {
            true => Tagged { tag: Tag::Values(vec![(column, keys.clone())]), ..one.clone() },
            false => one.clone(),
        })
        .collect();
    Some(Compared { column, greatest, spans })
}

/// Returns whether nothing is denied and no amount is compared, and both values are of the same time.
fn is_plain(spans: &[Tagged]) -> bool {
    let is_other = |one: &Tagged| {
        matches!(
            one.tag,
            Tag::Word(Word::Not | Word::Without) | Tag::Quantity(_) | Tag::Range(..) | Tag::Opposite(_)
        )
    };
    let times = spans.iter().filter(|one| matches!(one.tag, Tag::Period(_) | Tag::Month(_))).count();
    times < 2 && !spans.iter().any(is_other)
}

/// Returns whether a span asks for the greater or the lesser of two; `None` if it does neither.
fn direction(span: &Tagged) -> Option<bool> {
    match span.tag {
        Tag::Word(Word::Compare(how @ (Comparison::More | Comparison::Less), ""))
            if span.low.ends_with(" than") =>
        {
            Some(how == Comparison::More)
        }
        Tag::Unknown | Tag::Word(Word::Extreme(_, "")) => {
            WORDS.iter().find(|(word, _)| *word == span.low).map(|(_, greatest)| *greatest)
        }
        _ => None,
    }
}

/// Returns the only column of which two spans are different values, with the keys of both.
fn shared(one: &Tagged, other: &Tagged) -> Option<(usize, Vec<String>)> {
    let (Tag::Values(first), Tag::Values(second)) = (&one.tag, &other.tag) else { return None };
    let mut found = first.iter().filter_map(|(column, keys)| {
        let (_, others) = second.iter().find(|(same, others)| same == column && others != keys)?;
        // "Anna" may be several people.
        if keys.len() + others.len() != 2 {
            return None;
        }
        Some((*column, keys.iter().chain(others).cloned().collect()))
    });
    found.next().filter(|_| found.next().is_none())
}

impl Form<'_> {
    /// Determines what is compared of the rows of both values.
    pub(super) fn comparison(&mut self, compared: &Compared) -> Option<Ask> {
        let number = |column: &Column| column.kind == Kind::Number;
        let measure = if self.left(number).is_empty() && !self.adds_up() {
            self.entity()?;
            Measure::Rows
        } else {
            // Prices and temperatures of several rows have no sum.
            if !self.adds_up() && !self.has_one_row_each(compared.column) {
                return None;
            }
            let column = self.pick(self.len(), number).or_else(|| self.measure())?;
            Measure::Of(Aggregate::Sum, self.sortable(column)?)
        };
        let first = First { greatest: compared.greatest, skip: 0, count: 2 };
        Some(Ask::Groups(Key::Column(compared.column), measure, Some(first)))
    }

    /// Returns whether no value of a column is in two rows.
    fn has_one_row_each(&self, column: usize) -> bool {
        self.table().column(column).is_some_and(|column| column.is_unique)
    }
}
