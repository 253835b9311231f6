//! From a filter to the documents it wants.

use super::columns::Columns;
use super::tree::{Filter, Node};
use crate::bitmap::Bitmap;

impl Columns {
    /// The documents a filter matches, by the numbers in which they were pushed.
    pub fn select(&self, filter: &Filter) -> Bitmap {
        self.matching(&filter.0)
    }

    fn matching(&self, node: &Node) -> Bitmap {
        let mut found = Bitmap::new(self.len());
        match node {
            Node::All(parts) => {
                found.invert();
                parts.iter().for_each(|part| found.intersect(&self.matching(part)));
            }
            Node::Any(parts) => parts.iter().for_each(|part| found.unite(&self.matching(part))),
            Node::Not(part) => {
                found = self.matching(part);
                found.invert();
            }
            Node::Exists(field) => {
                self.column(field).into_iter().for_each(|column| found.unite(&column.present));
            }
            Node::Value { field, wanted } => {
                self.column(field).into_iter().for_each(|column| column.select(wanted, &mut found));
            }
        }
        found
    }
}
