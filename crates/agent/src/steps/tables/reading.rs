//! Reads a question over a table as a query. A question of which any word is not understood is not read.

use super::comparing::compared;
use super::form::Form;
use super::query::{Aggregate, Ask, Comparison, Condition, First, Key, Measure, Test};
use super::reader::{Reader, is_about_money};
use super::table::{Column, Kind, Table, stem};
use super::tags::{Sureness, Tag, tagged};
use super::whole::{Reading, summed};
use super::words::{Meanings, PLACES, Word};

/// Reads a question over a table.
pub(in crate::steps) fn read(question: &str, table: &Table, meanings: &Meanings) -> Option<Reading> {
    let asked = without_amount(question);
    let reading = read_one(asked.unwrap_or(question), table, meanings)?;
    let shows_amount = match &reading.query.ask {
        Ask::First(_, first) => first.count == 1,
        ask => summed(ask).is_some(),
    };
    (asked.is_none() || shows_amount).then_some(reading)
}

fn read_one(question: &str, table: &Table, meanings: &Meanings) -> Option<Reading> {
    let spans = tagged(question, table, meanings);
    let compared = compared(&spans);
    let mut form = Form {
        reader: Reader::new(table, compared.as_ref().map_or(spans, |compared| compared.spans.clone())),
        group: None,
        sorted_by: None,
        extreme: None,
        frequent: false,
        first: First { greatest: true, skip: 0, count: 1 },
    };
    if compared.is_none() {
        form.find_extreme();
        form.find_groups()?;
    }
    form.reader.read()?;
    if form.reader.is_open() {
        return None;
    }
    let (ask, select) = match compared {
        Some(compared) => (form.comparison(&compared)?, Vec::new()),
        None => form.ask()?,
    };
    form.finish(ask, select)
}

/// Words of a second question for an amount that the answer to the first shows: "and how much was it in all?"
const OF_AMOUNTS: &str = "how much what is was were did does do it that they this come comes came to cost costs in all total altogether overall amount";

/// Returns a question without a second one for the amount of the answer; `None` if it has none.
fn without_amount(question: &str) -> Option<&str> {
    let low = question.to_ascii_lowercase();
    let at = low.rfind(" and ").max(low.rfind(", "))?;
    let words: Vec<&str> = low
        .get(at..)?
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && *word != "and")
        .collect();
    let asks = words.starts_with(&["how", "much"]) || words.first() == Some(&"what");
    let is_amount = asks && words.iter().all(|word| OF_AMOUNTS.split_whitespace().any(|one| one == *word));
    is_amount.then(|| question.get(..at).unwrap_or(question).trim_end_matches(','))
}

impl Form<'_> {
    /// Determines what is asked of the rows, and which columns.
    pub(in crate::steps) fn ask(&mut self) -> Option<(Ask, Vec<usize>)> {
        let aggregate = self.aggregate();
        if let Some(all) = self.all_of_rows() {
            return all.filter(|_| aggregate.is_none()).map(|ask| (ask, Vec::new()));
        }
        if self.is_yes_or_no() && (aggregate.is_some() || !self.asks_whether_any()) {
            return None;
        }
        let how_many = self.find(|word| word == Word::HowMany).filter(|at| !self.reader.is_used(*at));
        // "The average number of hours".
        let how_many = how_many.filter(|at| {
            let is_number = self.reader.low(*at).starts_with("number");
            let extreme = self.extreme.is_some_and(|(place, ..)| place + 1 == *at);
            let is_measure = is_number
                && (extreme
                    || aggregate.is_some_and(|(how, place)| place + 1 == *at && how != Aggregate::Sum));
            if is_measure {
                self.reader.take(*at);
            }
            !is_measure
        });
        // "The average number of employees" is no average of a column.
        let counts = |form: &Self, (how, place): (Aggregate, usize)| {
            let number = form.reader.next(place + 2, |word| matches!(word, Word::Different | Word::In));
            how != Aggregate::Sum
                && form.reader.word(place + 1) == Some(Word::HowMany)
                && form
                    .reader
                    .only(form.reader.columns(number), |column| column.kind == Kind::Number)
                    .is_none()
        };
        if aggregate.is_some_and(|aggregate| counts(self, aggregate)) {
            return None;
        }
        if self.find(|word| word == Word::Share).is_some() {
            let is_of_rows =
                aggregate.is_none() && how_many.is_none() && self.extreme.is_none() && self.group.is_none();
            return if is_of_rows { self.share() } else { None };
        }
        if let Some(key) = self.group {
            return self.groups(key, aggregate, how_many);
        }
        if let Some((at, greatest, hint)) = self.extreme {
            return self.extremes(at, greatest, hint, aggregate);
        }
        let sums = |form: &Self| {
            form.left(|column| column.kind == Kind::Number)
                .first()
                .is_some_and(|(.., sureness)| *sureness >= Sureness::Meaning)
        };
        if let Some(at) = self
            .find(|word| word == Word::Overall)
            .filter(|_| aggregate.is_none() && how_many.is_none() && sums(self))
        {
            let column = self.pick(at, |column| column.kind == Kind::Number)?;
            return Some((Ask::Measure(Measure::Of(Aggregate::Sum, column)), Vec::new()));
        }
        if let Some((how, at)) = aggregate {
            let column = self.aggregated(at)?;
            return Some((Ask::Measure(Measure::Of(how, column)), Vec::new()));
        }
        if let Some(at) = how_many {
            return self.count(at);
        }
        if let Some(column) = self.sorted_by {
            let first = First {
                count: self.table().len(),
                greatest: self.first.greatest && self.find(|word| matches!(word, Word::Order(_))).is_some(),
                skip: 0,
            };
            let select = self.selected()?;
            return Some((Ask::First(self.sortable(column)?, first), select));
        }
        if let Some(at) = self.find(|word| word == Word::HowMuch) {
            let number = |column: &Column| column.kind == Kind::Number;
            let column = self.pick(at, number).or_else(|| self.implied(at))?;
            let column = Some(column).filter(|column| self.is_meant(at, *column))?;
            let sum = self.adds_up();
            return Some(if sum {
                (Ask::Measure(Measure::Of(Aggregate::Sum, column)), Vec::new())
            } else {
                (Ask::Rows, vec![column])
            });
        }
        self.rows()
    }

    /// Finds the aggregate, where "total" may also be a column.
    pub(in crate::steps) fn aggregate(&mut self) -> Option<(Aggregate, usize)> {
        let is = |form: &Self, at: usize| {
            matches!(form.reader.word(at), Some(Word::Aggregate(_))) && !form.reader.is_used(at)
        };
        let all: Vec<usize> = (0..self.len()).filter(|at| is(self, *at)).collect();
        // "The average total": the second one is the column. So is "the highest total", unless that is of groups.
        let is_column = |at: &usize| {
            let of_groups = self.subject().is_some_and(|(_, column)| self.is_group(column));
            matches!(self.reader.tag(*at), Some(Tag::Both(..))) && self.extreme.is_some() && !of_groups
        };
        let chosen = *all.first().filter(|at| !is_column(at))?;
        let Some(Word::Aggregate(how)) = self.reader.word(chosen) else { return None };
        if matches!(self.reader.tag(chosen), Some(Tag::Word(_))) {
            self.reader.take(chosen);
        }
        Some((how, chosen))
    }

    /// Takes the column that an aggregate is computed over.
    pub(in crate::steps) fn aggregated(&mut self, at: usize) -> Option<usize> {
        let number = |column: &Column| column.kind == Kind::Number;
        let is_named = self
            .left(number)
            .iter()
            .any(|(place, _, sureness)| *place != at && *sureness >= Sureness::Meaning);
        if let (Some(Tag::Both(_, columns)), false) = (self.reader.tag(at).cloned(), is_named) {
            let column = self.reader.only(&columns, number)?;
            self.reader.take(at);
            self.left(number)
                .iter()
                .filter(|(.., sureness)| *sureness == Sureness::About)
                .for_each(|(place, ..)| self.reader.take(*place));
            return Some(column);
        }
        self.reader.take(at);
        let said = self.reader.next(at + 1, |word| matches!(word, Word::In));
        let is_sum = self.reader.word(at) == Some(Word::Aggregate(Aggregate::Sum));
        let counts = |form: &Self| form.counts().filter(|_| is_sum);
        let column = self.pick(at, number).or_else(|| self.implied(at)).or_else(|| counts(self))?;
        // "The total value of the stock" is no sum of prices.
        let is_price = ["price", "cost", "unit"].iter().any(|word| {
            self.table().column(column).is_some_and(|column| column.stems.iter().any(|stem| stem == word))
        });
        (!(is_price && matches!(self.reader.low(said), "value" | "worth"))).then_some(column)
    }

    pub(in crate::steps) fn share(&mut self) -> Option<(Ask, Vec<usize>)> {
        let at = self.find(|word| word == Word::Share)?;
        self.reader.take(at);
        // What comes before the verb describes the whole: "of the orders from Acme | were returned".
        let is_verb = |place: &usize| {
            matches!(self.reader.word(*place), Some(Word::Auxiliary | Word::Compare(..)))
                || matches!(self.reader.tag(*place), Some(Tag::Columns(_, Sureness::About)))
                || matches!(self.reader.low(*place), "work" | "works" | "worked")
        };
        let verb = (at + 1..self.len()).find(is_verb);
        if verb.is_none() && self.reader.conditions.len() > 1 {
            return None;
        }
        let verb = verb.unwrap_or(at);
        let of = self.reader.places.iter().filter(|place| **place < verb).count();
        let (all, last) = (self.reader.conditions.len(), of == self.reader.conditions.len());
        (all > 0).then(|| (Ask::Share(if last { 0 } else { of }), Vec::new()))
    }

    pub(in crate::steps) fn groups(
        &mut self,
        key: Key,
        aggregate: Option<(Aggregate, usize)>,
        how_many: Option<usize>,
    ) -> Option<(Ask, Vec<usize>)> {
        let number = |column: &Column| column.kind == Kind::Number;
        // "The most memory per core" is a quotient.
        if let (Key::Column(column), Some(_)) = (key, self.extreme)
            && self.kind(column) == Some(Kind::Number)
        {
            return None;
        }
        let measure = if let Some((how, at)) = aggregate {
            // "Orders per customer and their average total" asks for two numbers.
            if self
                .reader
                .previous(at, |_| false)
                .is_some_and(|before| self.reader.word(before) == Some(Word::And))
            {
                return None;
            }
            // "Orders per month on average" has no column.
            let is_named =
                !self.left(number).is_empty() || matches!(self.reader.tag(at), Some(Tag::Both(..)));
            if !is_named && how != Aggregate::Sum {
                return None;
            }
            Measure::Of(how, self.aggregated(at)?)
        } else if let Some(at) = how_many {
            self.counted(at)?
        } else if let Some((at, greatest, hint)) = self.extreme.filter(|_| !self.frequent) {
            let (column, greatest) = self.extreme_column(at, greatest, hint)?;
            Measure::Of(if greatest { Aggregate::Greatest } else { Aggregate::Least }, column)
        } else if let Some((place, column, _)) = self.left(number).first().copied() {
            self.reader.take(place);
            let how_much = self.find(|word| word == Word::HowMuch);
            how_much.is_none_or(|at| self.is_meant(at, column)).then_some(())?;
            Measure::Of(Aggregate::Sum, column)
        } else if let Some(at) = self.find(|word| word == Word::HowMuch) {
            // What flats cost in each city is no sum of their rents.
            let is_sum = self.adds_up() || self.reader.low(at).ends_with("money");
            let column = self.implied(at).filter(|column| is_sum && self.is_meant(at, *column))?;
            Measure::Of(Aggregate::Sum, column)
        } else if self.find(|word| word == Word::List).is_some() {
            return self.rows();
        } else {
            Measure::Rows
        };
        Some((Ask::Groups(key, measure, None), Vec::new()))
    }

    /// Returns whether a column may be what "how much" at a place asks for: money, where that is said.
    fn is_meant(&self, at: usize, column: usize) -> bool {
        let is_money = |one: &Column| one.is_money() || is_about_money(one);
        !self.reader.low(at).ends_with("money") || self.table().column(column).is_some_and(is_money)
    }

    /// Takes all columns that are left as those asked for; `None` if one is said of the rows instead: "are managers".
    pub(in crate::steps) fn selected(&mut self) -> Option<Vec<usize>> {
        let mut select = Vec::new();
        for (place, column, sureness) in self.left(|_| true) {
            if self.reader.is_predicate(place) || self.is_joined(place) {
                return None;
            }
            if sureness > Sureness::About && !select.contains(&column) {
                select.push(column);
            }
            self.reader.take(place);
        }
        Some(select)
    }

    /// Returns whether "and" or "or" joins a column to that of a condition: "above 80 in maths and English".
    fn is_joined(&self, at: usize) -> bool {
        let before =
            at.checked_sub(1).filter(|at| matches!(self.reader.word(*at), Some(Word::And | Word::Or)));
        let first = before.and_then(|before| self.reader.previous(before, |_| false));
        let concerned = self.reader.conditions.iter().flatten().flat_map(|one| &one.columns);
        first.is_some_and(|first| {
            self.reader.is_used(first)
                && concerned.clone().any(|column| self.reader.columns(first).contains(column))
        })
    }

    /// Returns whether the conditions on rows may be meant of all rows of a group: "customers with no orders in 2024".
    pub(super) fn is_of_sets(&self) -> bool {
        let is_none = |one: &Condition| one.negated || one.test == Test::There(false);
        self.reader.merged
            || self.reader.conditions.iter().flatten().any(is_none)
            || self.find(|word| matches!(word, Word::Not | Word::Without)).is_some()
    }

    /// Asks for the different values of a column.
    fn different(&self, column: usize) -> Option<(Ask, Vec<usize>)> {
        let is_label = self.table().label == Some(column);
        (is_label || !self.is_of_sets()).then(|| (Ask::Different(column), vec![column]))
    }

    pub(in crate::steps) fn rows(&mut self) -> Option<(Ask, Vec<usize>)> {
        let first = (0..self.len()).find(|at| self.reader.word(*at) != Some(Word::Filler));
        let lead = first.and_then(|at| self.reader.word(at));
        let has_conditions = !self.reader.conditions.is_empty();
        if lead == Some(Word::Any) || lead == Some(Word::Auxiliary) {
            // A column without a condition is said of the rows in a way that was not understood.
            return (has_conditions && self.selected()?.is_empty()).then_some((Ask::Any, Vec::new()));
        }
        // "Which customers spent more than 2000" may be in all their orders together.
        let compares = |one: &Condition| matches!(one.test, Test::Number(how, _) if how != Comparison::Equal);
        let of_groups = self.subject().is_some_and(|(_, column)| self.is_group(column))
            || (lead == Some(Word::Who) && self.persons().is_some());
        if of_groups && self.adds_up() && self.reader.conditions.iter().flatten().any(compares) {
            return None;
        }
        // "What do we owe Acme?"
        let owes = || self.reader.spans.iter().any(|one| matches!(one.low.as_str(), "owe" | "owes" | "owed"));
        if lead == Some(Word::What) && has_conditions && owes() && self.left(|_| true).is_empty() {
            let column = self.implied(self.len())?;
            return Some((Ask::Measure(Measure::Of(Aggregate::Sum, column)), Vec::new()));
        }
        // "What was the revenue in May?"
        let numbers = self.left(|column| column.kind == Kind::Number);
        if let ([(_, column, _), others @ ..], Some(Word::What), true) =
            (numbers.as_slice(), lead, self.adds_up())
            && others.iter().all(|(_, other, _)| other == column)
        {
            numbers.iter().for_each(|(place, ..)| self.reader.take(*place));
            return Some((Ask::Measure(Measure::Of(Aggregate::Sum, *column)), Vec::new()));
        }
        let how = self.find(|word| matches!(word, Word::How(_)));
        let column = match how.and_then(|at| self.reader.word(at)) {
            Some(Word::How(hint)) => Some(self.reader.hinted(hint, Column::is_ordered)?),
            _ => None,
        };
        let asked = match lead {
            Some(Word::Who) => {
                let texts = self.left(|column| column.kind == Kind::Text);
                let label = self.table().label;
                let (verbs, nouns): (Vec<_>, Vec<_>) =
                    texts.into_iter().partition(|(_, column, sureness)| {
                        *sureness == Sureness::About && label == Some(*column)
                    });
                // "Who bought fuel" asks for no number of an order, though "bought" is about orders.
                verbs.iter().filter(|_| has_conditions).for_each(|(place, ..)| self.reader.take(*place));
                nouns.first().copied().filter(|_| has_conditions)
            }
            Some(Word::When) => {
                let found = self.left(|column| column.kind == Kind::Date).first().copied();
                let dates: Vec<usize> =
                    (0..self.table().columns.len()).filter(|at| self.kind(*at) == Some(Kind::Date)).collect();
                // "When was it shipped", if the table only has yes or no for that.
                let is_flag = |one: &Condition| matches!(one.test, Test::Boolean(_));
                if found.is_none() && self.reader.conditions.iter().flatten().any(is_flag) {
                    return None;
                }
                Some(found.or_else(|| Some((self.len(), self.reader.main_date(&dates)?, Sureness::Name)))?)
            }
            Some(Word::Where) => {
                let left = self.left(|column| column.kind == Kind::Text);
                let places: Vec<String> = PLACES.split(' ').map(stem).collect();
                let is_place = |column: usize| {
                    self.table()
                        .column(column)
                        .is_some_and(|one| one.stems.iter().any(|stem| places.contains(stem)))
                };
                let found = left
                    .into_iter()
                    .find(|(_, column, sureness)| *sureness > Sureness::About || is_place(*column));
                Some(found.or_else(|| {
                    Some((
                        self.len(),
                        self.reader.hinted(PLACES, |column| column.kind == Kind::Text)?,
                        Sureness::Name,
                    ))
                })?)
            }
            _ => None,
        };
        if let Some((place, column, _)) = asked {
            self.reader.take(place);
            let mut others = self.selected()?;
            others.retain(|other| *other != column && self.kind(*other) == self.kind(column));
            if !has_conditions {
                return None;
            }
            // "When did it start and end?"
            if !others.is_empty() {
                others.insert(0, column);
                return Some((Ask::Rows, others));
            }
            return self.different(column);
        }
        let subject = self.subject();
        if let Some((place, column)) = subject.filter(|(_, column)| self.is_group(*column)) {
            let others = self
                .left(|_| true)
                .iter()
                .any(|(_, other, sureness)| *other != column && *sureness > Sureness::About);
            let plain = self.reader.previous(place, |_| false).is_some();
            if !others && plain && self.find(|word| word == Word::What).is_none_or(|_| self.is_plural(place))
            {
                self.selected()?;
                return self.different(column);
            }
        }
        let mut select = self.selected()?;
        // A row is shown with its name anyhow.
        select.retain(|column| self.table().label != Some(*column));
        // "Who released it" asks for someone, not for when.
        let is_named = |one: &Condition| self.table().label.is_some_and(|label| one.columns.contains(&label));
        if lead == Some(Word::Who)
            && !select.is_empty()
            && self.reader.conditions.iter().flatten().any(is_named)
        {
            return None;
        }
        select.extend(column.filter(|column| !select.contains(column)));
        // "Which volcano erupted last?": without a condition that was read, all rows would be returned.
        if !has_conditions && !select.is_empty() && matches!(lead, Some(Word::Which | Word::Who)) {
            return None;
        }
        let lists = matches!(lead, Some(Word::List | Word::Which | Word::Who));
        (has_conditions || lists || self.entity().is_some()).then_some((Ask::Rows, select))
    }

    pub(in crate::steps) fn is_plural(&self, at: usize) -> bool {
        self.reader.low(at).ends_with('s')
    }

    pub(in crate::steps) fn entity(&self) -> Option<usize> {
        (0..self.len()).find(|at| matches!(self.reader.tag(*at), Some(Tag::Entity)))
    }
}
