//! Tests a filter on metadata that are in no index.

use super::columns::Columns;
use super::schema::Schema;
use super::tree::Filter;
use serde_json::{Map, Value};

impl Filter {
    /// Returns, for each of these metadata, whether they match. The schema distinguishes dates from strings, as for documents.
    pub fn matching<'a>(
        &self,
        all: impl IntoIterator<Item = &'a Map<String, Value>>,
        schema: &Schema,
    ) -> Vec<bool> {
        let mut columns = Columns::default();
        all.into_iter().for_each(|metadata| columns.push(metadata, schema));
        let selected = columns.select(self);
        (0..columns.len()).map(|at| selected.contains(at)).collect()
    }
}
