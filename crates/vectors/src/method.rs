//! Chooses the search method of a segment, by a rule based on measurements.

use serde::{Deserialize, Serialize};

/// `exact` compares every vector; `sketch` makes a first selection by one bit per dimension; `hnsw` walks a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VectorMethod"))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Scans all rows; exact.
    Exact,
    /// Preselects by one-bit sketches, then scores the selected rows.
    Sketch,
    /// Searches the HNSW graph.
    Hnsw,
}

/// Minimum number of vectors for an HNSW graph: below, sketches are as fast, and building takes half a minute
/// per ten thousand rows.
pub const GRAPH_FROM: usize = 20_000;

/// Maximum number of rows for which an exact scan is cheaper than preselection.
const EXACT_UP_TO: usize = 2_000;

/// If a filter admits fewer than one row in this many, a graph search mostly visits excluded rows.
const GRAPH_SHARE: usize = 8;

/// The input of the rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Situation {
    /// Number of rows with a vector.
    pub(super) rows: usize,
    /// Number of these that are live and pass the filter.
    pub(super) wanted: usize,
    pub(super) has_sketches: bool,
    pub(super) has_graph: bool,
}

/// Applies the rule. A forced method that is not available falls back to the next best.
pub(super) fn choose(forced: Option<Method>, situation: Situation) -> Method {
    let Situation { rows, wanted, has_sketches, has_graph } = situation;
    let method = forced.unwrap_or(if wanted <= EXACT_UP_TO {
        Method::Exact
    } else if wanted * GRAPH_SHARE < rows {
        Method::Sketch
    } else {
        Method::Hnsw
    });
    match method {
        Method::Hnsw if has_graph => Method::Hnsw,
        Method::Hnsw | Method::Sketch if has_sketches => Method::Sketch,
        _ => Method::Exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(rows: usize, wanted: usize, has_graph: bool) -> Method {
        choose(None, Situation { rows, wanted, has_sketches: rows > EXACT_UP_TO, has_graph })
    }

    #[test]
    fn the_method_depends_on_rows_and_graph() {
        assert_eq!(chosen(500, 500, false), Method::Exact);
        assert_eq!(chosen(10_000, 10_000, false), Method::Sketch);
        assert_eq!(chosen(50_000, 50_000, true), Method::Hnsw);
    }

    #[test]
    fn a_selective_filter_does_not_use_the_graph() {
        assert_eq!(chosen(50_000, 1_000, true), Method::Exact);
        assert_eq!(chosen(50_000, 5_000, true), Method::Sketch);
    }

    #[test]
    fn a_forced_method_falls_back_to_an_available_one() {
        let bare = Situation { rows: 10, wanted: 10, has_sketches: false, has_graph: false };
        assert_eq!(choose(Some(Method::Hnsw), bare), Method::Exact);
        assert_eq!(choose(Some(Method::Hnsw), Situation { has_sketches: true, ..bare }), Method::Sketch);
    }
}
