//! Vector search of a segment by each method.

use proptest::prelude::*;
use std::sync::OnceLock;
use vademecum::encoder::normalised;
use vademecum::error::Error;
use vademecum::index::bitmap::Bitmap;
use vademecum::index::vectors::{Effort, Graph, Method, Vectors};
use vademecum_testing::model::{cosine, rounded};
use vademecum_testing::random::Random;

const ROWS: usize = 3000;
const DIMENSIONS: usize = 64;
const METHODS: [Method; 3] = [Method::Exact, Method::Sketch, Method::Hnsw];

/// Generates clustered unit vectors, as embeddings of texts on a few topics are.
fn clustered(count: usize, random: &mut Random) -> Vec<Vec<f32>> {
    let mut centres = Random(11);
    let centres: Vec<Vec<f32>> =
        (0..40).map(|_| (0..DIMENSIONS).map(|_| centres.float()).collect()).collect();
    (0..count)
        .map(|_| {
            let centre = &centres[random.below(centres.len())];
            normalised(&centre.iter().map(|value| value + 0.6 * random.float()).collect::<Vec<_>>())
        })
        .collect()
}

struct Made {
    rows: Vec<Vec<f32>>,
    questions: Vec<Vec<f32>>,
    graph: Vec<u8>,
}

/// Shared by all tests, because building a graph takes a while.
fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let rows = clustered(ROWS, &mut Random(1));
        let graph = filled(&rows, false).build_graph().unwrap().to_bytes().unwrap();
        Made { rows, questions: clustered(60, &mut Random(2)), graph }
    })
}

fn filled(rows: &[Vec<f32>], exact: bool) -> Vectors {
    let mut vectors = Vectors::new(exact);
    rows.iter().enumerate().for_each(|(at, row)| vectors.set(at, row).unwrap());
    vectors.seal();
    vectors
}

/// Vectors with sketches and a graph.
fn ready() -> Vectors {
    let mut vectors = filled(&made().rows, false);
    assert!(vectors.set_graph(Graph::from_bytes(&made().graph).unwrap()));
    vectors
}

fn by(method: Method) -> Effort {
    Effort { method: Some(method), ..Effort::default() }
}

fn brute(rows: &[Vec<f32>], question: &[f32], wanted: &dyn Fn(usize) -> bool) -> Vec<(u32, f64)> {
    let rows = rows.iter().enumerate().filter(|(at, _)| wanted(*at));
    let mut all: Vec<(u32, f64)> =
        rows.map(|(at, row)| (at as u32, cosine(question, &rounded(row)))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

#[test]
fn a_limit_that_takes_every_row_of_a_filter_ranks_them_by_brute_force() {
    let mut vectors = ready();
    vectors.set(ROWS + 5, &made().rows[0]).unwrap(); // leaves rows without a vector
    let wanted: Bitmap = (0..ROWS + 6).filter(|row| row % 37 == 0 || *row >= ROWS).collect();
    let of = |row: u32| if row as usize == ROWS + 5 { 0 } else { row as usize };
    for exact in [1, 0] {
        let limit = wanted.count() - exact * 40; // fewer than all: a scan
        let found =
            vectors.search(&made().questions[0], limit, -1.0, Some(&wanted), by(Method::Exact)).unwrap();
        assert_eq!(found.rows.len(), limit.min((0..ROWS).step_by(37).count() + 1));
        assert!(found.rows.is_sorted_by(|one, other| one.1 >= other.1));
        for (row, score) in found.rows {
            assert!(wanted.contains(row as usize));
            let own = cosine(&made().questions[0], &rounded(&made().rows[of(row)]));
            assert!((f64::from(score) - own).abs() < 1e-4, "{row}: {score} {own}");
        }
    }
}

#[test]
fn the_exact_method_is_brute_force_over_the_stored_rows() {
    let vectors = ready();
    for question in &made().questions {
        let expected = brute(&made().rows, question, &|_| true);
        let found = vectors.search(question, 20, -1.0, None, by(Method::Exact)).unwrap();
        assert_eq!(found.method, Some(Method::Exact));
        assert_eq!(found.rows.len(), 20);
        for ((row, score), (_, best)) in found.rows.iter().zip(&expected) {
            let own = expected.iter().find(|one| one.0 == *row).unwrap().1;
            assert!((own - best).abs() < 1e-5 && (f64::from(*score) - own).abs() < 1e-5);
        }
    }
}

#[test]
fn f32_rows_determine_the_ranking_if_kept() {
    let vectors = filled(&made().rows, true);
    for question in &made().questions {
        let mut expected: Vec<f64> = made().rows.iter().map(|row| cosine(question, row)).collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let found = vectors.search(question, 20, -1.0, None, by(Method::Exact)).unwrap();
        for ((_, score), best) in found.rows.iter().zip(&expected) {
            assert!((f64::from(*score) - best).abs() < 1e-5, "{score} {best}");
        }
    }
}

#[test]
fn a_sketch_and_a_graph_find_nearly_all_of_the_best_ten() {
    let vectors = ready();
    for method in [Method::Sketch, Method::Hnsw] {
        let mut met = 0;
        for question in &made().questions {
            let best = vectors.search(question, 10, -1.0, None, by(Method::Exact)).unwrap().rows;
            let found = vectors.search(question, 10, -1.0, None, by(method)).unwrap();
            assert_eq!(found.method, Some(method));
            met += found.rows.iter().filter(|one| best.contains(one)).count();
        }
        let recall = met as f64 / (10 * made().questions.len()) as f64;
        assert!(recall >= 0.95, "{method:?}: {recall}");
    }
}

#[test]
fn more_effort_finds_no_less() {
    let vectors = ready();
    let recall = |ef: usize| {
        let effort = Effort { ef: Some(ef), ..by(Method::Hnsw) };
        let mut met = 0;
        for question in &made().questions {
            let best = vectors.search(question, 10, -1.0, None, by(Method::Exact)).unwrap().rows;
            let found = vectors.search(question, 10, -1.0, None, effort).unwrap().rows;
            met += found.iter().filter(|one| best.contains(one)).count();
        }
        met
    };
    let (little, much) = (recall(10), recall(1000));
    assert!(much >= little && much >= 595, "{little} {much}");
}

#[test]
fn no_method_returns_a_row_that_is_not_wanted_and_all_fill_the_limit() {
    let vectors = ready();
    let nearest: Vec<usize> =
        brute(&made().rows, &made().rows[0], &|_| true)[..20].iter().map(|one| one.0 as usize).collect();
    let near = move |at: usize| !nearest.contains(&at);
    type Wanted = Box<dyn Fn(usize) -> bool>;
    let filters: [(&str, Wanted); 5] = [
        ("every third", Box::new(|at| at % 3 == 0)),
        ("one in fifty", Box::new(|at| at % 50 == 7)),
        ("fifteen", Box::new(|at| at < 15)),
        ("all but the nearest to the first", Box::new(near)),
        ("none", Box::new(|_| false)),
    ];
    for (name, filter) in &filters {
        let wanted: Bitmap = {
            let mut bits: Bitmap = (0..ROWS).filter(|at| filter(*at)).collect();
            bits.grow(ROWS);
            bits
        };
        for method in METHODS {
            for question in made().questions.iter().take(20).chain([&made().rows[0]]) {
                let found = vectors.search(question, 12, -1.0, Some(&wanted), by(method)).unwrap().rows;
                assert!(found.iter().all(|(row, _)| filter(*row as usize)), "{name} {method:?}");
                assert_eq!(found.len(), wanted.count().min(12), "{name} {method:?}");
                let distinct: std::collections::BTreeSet<u32> = found.iter().map(|one| one.0).collect();
                assert_eq!(distinct.len(), found.len());
                let expected = brute(&made().rows, question, filter);
                assert!(found.iter().all(|(row, score)| {
                    let own = expected.iter().find(|one| one.0 == *row).unwrap().1;
                    (own - f64::from(*score)).abs() < 1e-5
                }));
            }
        }
    }
}

#[test]
fn a_threshold_drops_what_is_below_it() {
    let vectors = ready();
    for method in METHODS {
        let found = vectors.search(&made().questions[0], 500, 0.5, None, by(method)).unwrap().rows;
        assert!(!found.is_empty() && found.iter().all(|one| one.1 >= 0.5), "{method:?}");
    }
}

#[test]
fn an_unavailable_method_falls_back_and_the_result_names_the_method_used() {
    let rows = &made().rows[..100];
    let mut vectors = Vectors::new(false);
    rows.iter().enumerate().for_each(|(at, row)| vectors.set(at, row).unwrap());
    let method = |vectors: &Vectors, forced: Option<Method>| {
        let effort = Effort { method: forced, ..Effort::default() };
        vectors.search(&rows[0], 5, -1.0, None, effort).unwrap().method
    };
    assert_eq!(method(&vectors, Some(Method::Hnsw)), Some(Method::Exact));
    vectors.seal();
    assert_eq!(method(&vectors, Some(Method::Hnsw)), Some(Method::Sketch));
    assert_eq!(method(&vectors, None), Some(Method::Exact));
    assert!(vectors.set_graph(vectors.build_graph().unwrap()));
    assert_eq!(method(&vectors, Some(Method::Hnsw)), Some(Method::Hnsw));
    vectors.set(100, &rows[1]).unwrap();
    assert!(vectors.graph().is_none(), "a graph that does not know a row is dropped");
    assert_eq!(method(&Vectors::new(false), None), None);
}

#[test]
fn a_graph_over_other_rows_is_refused() {
    let rows = &made().rows[..60];
    let graph = || filled(rows, false).build_graph().unwrap();
    assert!(filled(rows, false).set_graph(graph()));
    assert!(!filled(&rows[..59], false).set_graph(graph()));
    assert!(!filled(&made().rows[..61], false).set_graph(graph()));
    assert!(!Vectors::new(false).set_graph(graph()));
    // The same number of rows, with other contents.
    let mut gap = Vectors::new(false);
    (0..61).filter(|at| *at != 30).for_each(|at| gap.set(at, &made().rows[at]).unwrap());
    assert!(!gap.set_graph(graph()));
    let own = gap.build_graph().unwrap();
    assert!(gap.set_graph(own));
    let found = gap.search(&made().rows[30], 60, -1.0, None, by(Method::Hnsw)).unwrap().rows;
    assert!(found.len() == 60 && found.iter().all(|one| one.0 != 30));
}

#[test]
fn a_graph_round_trips() {
    let graph = Graph::from_bytes(&made().graph).unwrap();
    assert_eq!(graph.to_bytes().unwrap(), made().graph);
}

#[test]
fn invalid_vectors_are_rejected_without_side_effects() {
    let code = |outcome: vademecum::Result<()>| outcome.unwrap_err().code();
    let mut vectors = Vectors::new(true);
    for bad in [vec![], vec![f32::NAN; 4], vec![0.5, f32::INFINITY], vec![f32::NEG_INFINITY]] {
        assert_eq!(code(vectors.set(0, &bad).map_err(Error::from)), "vector_shape", "{bad:?}");
        assert_eq!((vectors.dimensions(), vectors.present().count()), (0, 0));
    }
    assert!(vectors.search(&[], 5, -1.0, None, Effort::default()).unwrap().rows.is_empty());
    vectors.set(3, &[0.6, 0.8]).unwrap();
    for bad in [vec![], vec![1.0], vec![1.0, 0.0, 0.0], vec![f32::NAN, 1.0]] {
        assert_eq!(code(vectors.set(1, &bad).map_err(Error::from)), "vector_shape", "{bad:?}");
        let outcome = vectors.search(&bad, 5, -1.0, None, Effort::default());
        assert_eq!(Error::from(outcome.unwrap_err()).code(), "vector_shape");
    }
    vectors.set(1, &[0.0, 0.0]).unwrap();
    let found = vectors.search(&[0.6, 0.8], 5, -1.0, None, Effort::default()).unwrap().rows;
    assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(found[1].1, 0.0, "a zero vector is like nothing");
    let found = vectors.search(&[0.0, 0.0], 5, -1.0, None, Effort::default()).unwrap().rows;
    assert_eq!(found, [(1, 0.0), (3, 0.0)]);
}

#[test]
fn a_copied_row_scores_as_the_one_it_was_copied_from() {
    for (from_exact, to_exact) in [(false, false), (true, true), (false, true), (true, false)] {
        let from = filled(&made().rows[..20], from_exact);
        let mut to = Vectors::new(to_exact);
        for row in 0..20 {
            to.copy(39 - 2 * row, &from, row);
        }
        to.copy(0, &from, 500);
        assert_eq!((to.present().count(), to.dimensions()), (20, DIMENSIONS));
        let question = &made().questions[0];
        let search =
            |vectors: &Vectors| vectors.search(question, 20, -1.0, None, Effort::default()).unwrap().rows;
        let close = if from_exact == to_exact { 1e-6 } else { 5e-3 };
        let copies = search(&to);
        for (row, score) in search(&from) {
            let copied = copies.iter().find(|one| one.0 == 39 - 2 * row).unwrap().1;
            assert!((score - copied).abs() < close, "exact: {from_exact} to {to_exact}: {score} {copied}");
        }
        let mut other = Vectors::new(false);
        other.set(0, &[1.0, 0.0]).unwrap();
        other.copy(1, &from, 1);
        assert_eq!(other.present().count(), 1, "a row of another length is not copied");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn reading_arbitrary_bytes_as_a_graph_is_safe(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        from_whole in any::<bool>(),
    ) {
        let rows = &made().rows[..40];
        let mut vectors = filled(rows, false);
        let mut bytes = bytes;
        if from_whole {
            bytes = vectors.build_graph().unwrap().to_bytes().unwrap();
            flips.iter().for_each(|(at, value)| bytes[at.index(1 << 20) % 3000 % 1000] ^= value);
        }
        if let Some(graph) = Graph::from_bytes(&bytes)
            && vectors.set_graph(graph)
        {
            let found = vectors.search(&rows[3], 10, -1.0, None, by(Method::Hnsw)).unwrap().rows;
            prop_assert_eq!(found.len(), 10);
            prop_assert!(found.iter().all(|one| (one.0 as usize) < rows.len()));
        }
    }

    #[test]
    fn rows_set_late_or_twice_are_found_with_their_last_value(
        sets in prop::collection::vec((0usize..12, 0usize..30), 1..40), exact in any::<bool>(), seals in any::<u64>(),
    ) {
        let mut vectors = Vectors::new(exact);
        let mut model: Vec<Option<usize>> = vec![None; 12];
        for (at, (row, which)) in sets.iter().enumerate() {
            vectors.set(*row, &made().rows[*which]).unwrap();
            model[*row] = Some(*which);
            if seals >> at & 1 == 1 {
                vectors.seal();
            }
        }
        vectors.seal();
        for method in [Method::Exact, Method::Sketch] {
            let found = vectors.search(&made().questions[1], 12, -1.0, None, by(method)).unwrap().rows;
            prop_assert_eq!(found.len(), model.iter().flatten().count());
            for (row, score) in found {
                let own = &made().rows[model[row as usize].unwrap()];
                let own = if exact { own.clone() } else { rounded(own) };
                prop_assert!((cosine(&made().questions[1], &own) - f64::from(score)).abs() < 1e-5);
            }
        }
    }
}
