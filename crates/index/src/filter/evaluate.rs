//! Evaluates a filter to a bitmap of documents.

use super::columns::Columns;
use super::tree::{Filter, Node};
use crate::bitmap::Bitmap;

impl Columns {
    /// Returns the documents that match, by their number.
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
