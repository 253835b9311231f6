//! Metadata filters and facets.
//!
//! A filter in any of its spellings is parsed against a [`Schema`] to one tree, a [`Filter`], which
//! [`Columns`] evaluates to a bitmap of documents. Both retrievers of a search are restricted to these.
//!
//! | written | means |
//! |---|---|
//! | `{"year": 2023}` | `year` is 2023 |
//! | `{"year": [2022, 2023]}` | one of them |
//! | `{"year": null}` | the document has no `year` |
//! | `{"total": {">": 1000, "<=": 2000}}` | both |
//! | `{"total": {"operator": ">", "value": 1000}}` | the same with names |
//! | `{"field": "total", "operator": ">", "value": 1000}` | the same, for any name of a field: `and` and `operator` too |
//! | `{"year": 2023, "party": "Acme"}` | both |
//! | `[…, …]`, `{"and": [… , …]}` | all of these filters; of none, every document |
//! | `{"or": [… , …]}` | any of these filters; of none, no document |
//! | `{"not": …}`, `{"year": {"not": …}}` | the documents that the rest does not match |
//! | `{"total": {"or": [{"<": 10}, {">": 100}]}}` | `and`, `or` and `not` work within a field too |
//! | `{"author.name": "Ada"}`, `{"author": {"name": "Ada"}}` | a field inside an object |
//!
//! | operator | also written | for | means |
//! |---|---|---|---|
//! | `=` | `==`, `===`, `eq`, `is` | all | equal; one of several for a list |
//! | `!=` | `!==`, `<>`, `ne`, `neq`, `is_not` | all | `not` of `=` |
//! | `>`, `>=`, `<`, `<=` | `gt`, `gte`, `ge`, `lt`, `lte`, `le` | string, number, date | in order; strings by code points |
//! | `between` | | string, number, date | from the first to the second of two values, both included |
//! | `in` | | all | equal to one of a list; of none, no document |
//! | `not_in` | `nin`, `notIn`, `not in` | all | `not` of `in` |
//! | `like` | `ilike` | string | `%` any letters, `_` any one, `\` the next as it is; case makes no difference |
//! | `contains` | | all | a part of a string, or an element of a list, whatever their case; `=` for other types |
//! | `exists` | | all | with `true`, documents that have the field; with `false`, the others |
//!
//! Names of operators, `and`, `or` and `not` may be in capitals and begin with `$`.
//!
//! - **Lists.** A field that is a list matches where any element does. `!=` and `not_in` match where none does.
//! - **Absent fields.** A document without the field (null, or a list without elements, is as good as absent) matches
//!   `!=`, `not_in`, `not` and `exists: false`, and nothing else.
//! - **Types.** A value is compared as the field's type: a number may be written as a string (`"1000"`), everything
//!   else is an error. A field that is not declared has all types that documents have in it, and a value is compared
//!   with those it can be read as; texts that look like dates stay texts unless declared.
//! - **Dates.** `2023`, `2023-05`, `2023-05-01`, `2023-05-01T10:30`, with seconds, their fraction and `Z` or an offset,
//!   or milliseconds since 1970; UTC where it does not say. In a filter a date is as long as it is exact: `= 2023` is
//!   within that year, `> 2023` after its end, `< 2023` before its beginning, and `between` reaches to the end of
//!   its second. In a document it is its beginning.
//! - **Numbers** are 64-bit floating-point, as in JavaScript: beyond 2⁵³ neighbours are equal.

mod columns;
mod date;
mod evaluate;
mod facet;
mod field_type;
mod like;
mod metadata;
mod operator;
mod parse;
mod plain;
mod schema;
mod span;
mod tree;
mod typed;
mod value;

#[cfg(test)]
mod tests;

pub use columns::Columns;
pub use facet::{Facet, FacetValue, Facets};
pub use field_type::FieldType;
pub use schema::Schema;
pub(crate) use schema::Schemas;
pub use tree::Filter;
