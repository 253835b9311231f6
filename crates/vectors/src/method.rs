//! Which way a segment's vectors are searched: one rule, from measurements.

use serde::{Deserialize, Serialize};

/// `exact` compares every vector; `sketch` makes a first selection by one bit per dimension; `hnsw` walks a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VectorMethod"))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Every row is compared. Nothing is missed.
    Exact,
    /// One bit a dimension for the first cut, then the rows it leaves.
    Sketch,
    /// A walk over the HNSW graph.
    Hnsw,
}

/// From so many vectors in a segment a graph is worth building: below, the sketch is as fast, and building takes
/// half a minute for ten thousand.
pub const GRAPH_FROM: usize = 20_000;

/// Up to so many rows the exact scan costs less than what a first cut saves.
const EXACT_UP_TO: usize = 2_000;

/// Where fewer than one row in so many is wanted, a walk mostly meets rows that are not.
const WALK_SHARE: usize = 8;

/// What the rule looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Situation {
    /// Rows with a vector.
    pub(super) rows: usize,
    /// Of these, those that are not deleted and that the filter wants.
    pub(super) wanted: usize,
    pub(super) has_sketches: bool,
    pub(super) has_graph: bool,
}

/// The rule. A forced method that the segment is not ready for becomes the next best.
pub(super) fn choose(forced: Option<Method>, situation: Situation) -> Method {
    let Situation { rows, wanted, has_sketches, has_graph } = situation;
    let method = forced.unwrap_or(if wanted <= EXACT_UP_TO {
        Method::Exact
    } else if wanted * WALK_SHARE < rows {
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
    fn few_rows_are_scanned_many_are_cut_first_and_a_graph_is_walked() {
        assert_eq!(chosen(500, 500, false), Method::Exact);
        assert_eq!(chosen(10_000, 10_000, false), Method::Sketch);
        assert_eq!(chosen(50_000, 50_000, true), Method::Hnsw);
    }

    #[test]
    fn a_filter_that_leaves_little_is_never_walked() {
        assert_eq!(chosen(50_000, 1_000, true), Method::Exact);
        assert_eq!(chosen(50_000, 5_000, true), Method::Sketch);
    }

    #[test]
    fn a_forced_method_falls_back_to_what_is_there() {
        let bare = Situation { rows: 10, wanted: 10, has_sketches: false, has_graph: false };
        assert_eq!(choose(Some(Method::Hnsw), bare), Method::Exact);
        assert_eq!(choose(Some(Method::Hnsw), Situation { has_sketches: true, ..bare }), Method::Sketch);
    }
}
