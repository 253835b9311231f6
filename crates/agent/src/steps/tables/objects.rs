//! What is paid, behind a column of yes and no: "their fee" in "have not paid their fee" says no more than the column "paid".

use super::table::Kind;
use super::tags::{Sureness, Tag, Tagged, Vocabulary};
use super::tokens::Token;

impl Vocabulary<'_> {
    /// Returns whether a question ends with the only amount of money that the rows have, behind a column of yes and no. With several amounts, the column
    /// may be about another one.
    pub(super) fn ends_with_object(&self, all: &[Token], from: usize, before: Option<&Tagged>) -> bool {
        let Some(Tag::Columns(verb, _)) = before.map(|before| &before.tag) else { return false };
        let is_verb = |at: &usize| self.table.column(*at).is_some_and(|column| column.kind == Kind::Boolean);
        let amounts = || (0..).zip(&self.table.columns).filter(|(_, column)| column.is_money());
        let (Some((amount, _)), 1) = (amounts().next(), amounts().count()) else { return false };
        let Some((owner, object)) = all.get(from..).and_then(<[Token]>::split_first) else { return false };
        let is_amount = |token: &Token| {
            self.related(token).is_some_and(|(columns, sureness)| {
                sureness >= Sureness::Part && columns.as_slice() == [amount]
            })
        };
        !verb.is_empty()
            && verb.iter().all(is_verb)
            && matches!(owner.low.as_str(), "their" | "his" | "her" | "its" | "the")
            && !object.is_empty()
            && object.iter().all(is_amount)
    }
}
