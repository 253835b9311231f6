//! The objects of verbs that a column stands for: "paid their fee" over a column "paid".

use super::table::Kind;
use super::tags::{Sureness, Tag, Tagged, Vocabulary};
use super::tokens::Token;

impl Vocabulary<'_> {
    /// Returns whether a question ends with what a column of yes and no is about: "paid" with "their fee", where there is a fee.
    pub(super) fn ends_with_object(&self, all: &[Token], at: usize, before: Option<&Tagged>) -> bool {
        let is_of =
            |kind: Kind| move |at: &usize| self.table.column(*at).is_some_and(|column| column.kind == kind);
        let is_told = before.is_some_and(
            |before| matches!(&before.tag, Tag::Columns(columns, _) if columns.iter().all(is_of(Kind::Boolean))),
        );
        let Some((owner, object)) = all.get(at..).and_then(<[Token]>::split_first) else { return false };
        let is_amount = |token: &Token| {
            self.related(token).is_some_and(|(columns, sureness)| {
                sureness >= Sureness::Part && columns.iter().all(is_of(Kind::Number))
            })
        };
        is_told
            && matches!(owner.low.as_str(), "their" | "his" | "her" | "its" | "the")
            && !object.is_empty()
            && object.iter().all(is_amount)
    }
}
