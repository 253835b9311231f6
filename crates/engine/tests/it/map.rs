//! The chunk map: similar chunks are close, and deleted chunks absent.

use vademecum::engine::{KnowledgeBase, MapRequest};
use vademecum::error::Error;
use vademecum::index::MapPoint;
use vademecum_testing::{add, hashing, kb, markdown};

const CATS: [&str; 3] = ["purr", "whiskers", "kittens"];
const RUST: [&str; 3] = ["borrow", "ownership", "lifetimes"];

/// Twelve notes on two unrelated subjects.
fn two_subjects() -> KnowledgeBase {
    let kb = kb(hashing());
    let about = |name: &str, words: [&str; 3]| -> Vec<_> {
        (0..6)
            .map(|at| {
                let (one, two) = (words[at % 3], words[(at + 1) % 3]);
                let three = words[(at + 2) % 3];
                markdown(&format!("{name}{at}.md"), &format!("{one} {two} {three} {one} {two} {one}"))
            })
            .collect()
    };
    let documents = about("cats", CATS).into_iter().zip(about("rust", RUST)).flat_map(|(a, b)| [a, b]);
    add(&kb, documents.collect()).unwrap();
    kb
}

fn middle(points: &[MapPoint], name: &str) -> (f32, f32) {
    let of: Vec<&MapPoint> = points.iter().filter(|point| point.doc_id.starts_with(name)).collect();
    let mean =
        |value: fn(&MapPoint) -> f32| of.iter().map(|point| value(point)).sum::<f32>() / of.len() as f32;
    (mean(|point| point.x), mean(|point| point.y))
}

#[test]
fn chunks_on_two_subjects_form_separate_clusters() {
    let map = two_subjects().map(&MapRequest::default()).unwrap();
    assert_eq!((map.total, map.points.len()), (12, 12));
    let (cats, rust) = (middle(&map.points, "cats"), middle(&map.points, "rust"));
    for point in &map.points {
        let far = |from: (f32, f32)| (point.x - from.0).hypot(point.y - from.1);
        let (own, other) = if point.doc_id.starts_with("cats") { (cats, rust) } else { (rust, cats) };
        assert!(far(own) < far(other) / 2.0, "{point:?} of {cats:?} and {rust:?}");
        assert!(point.x.abs() <= 1.0 && point.y.abs() <= 1.0, "{point:?}");
    }
    assert!(map.explained > 0.5 && map.explained <= 1.0, "{}", map.explained);
}

#[test]
fn the_map_is_deterministic_and_its_points_name_their_chunks() {
    let (one, other) = (two_subjects(), two_subjects());
    let map = one.map(&MapRequest::default()).unwrap();
    assert_eq!(map, other.map(&MapRequest::default()).unwrap());
    for point in &map.points {
        let document = one.document(&point.collection, &point.doc_id).unwrap();
        assert!(document.chunks.iter().any(|chunk| chunk.id == point.chunk_id), "{point:?}");
    }
}

#[test]
fn removed_chunks_are_not_on_the_map() {
    let kb = two_subjects();
    kb.remove("default", &["cats0.md".into(), "rust3.md".into()]).unwrap();
    let map = kb.map(&MapRequest::default()).unwrap();
    assert_eq!(map.total, 10);
    assert!(map.points.iter().all(|point| point.doc_id != "cats0.md" && point.doc_id != "rust3.md"));
}

#[test]
fn a_limited_map_samples_evenly() {
    let kb = two_subjects();
    let map = kb.map(&MapRequest { limit: 4, ..MapRequest::default() }).unwrap();
    assert_eq!((map.total, map.points.len()), (12, 4));
    let ids: Vec<&str> = map.points.iter().map(|point| &*point.doc_id).collect();
    assert_eq!(ids, ["cats0.md", "rust1.md", "cats3.md", "rust4.md"]);
}

#[test]
fn a_map_is_restricted_to_collections_and_empty_without_vectors() {
    let plain = kb(None);
    add(&plain, vec![markdown("a.md", "Cats purr.")]).unwrap();
    let map = plain.map(&MapRequest::default()).unwrap();
    assert_eq!((map.total, map.points.len(), map.explained), (0, 0, 0.0));
    let kb = two_subjects();
    let of =
        |name: &str| kb.map(&MapRequest { collections: Some(vec![name.into()]), ..MapRequest::default() });
    assert_eq!(of("default").unwrap().total, 12);
    assert!(matches!(of("other"), Err(Error::UnknownCollection { .. })));
    assert!(matches!(
        kb.map(&MapRequest { limit: 0, ..MapRequest::default() }),
        Err(Error::InvalidArgument { .. })
    ));
}

#[test]
fn identical_chunks_share_one_point() {
    let kb = kb(hashing());
    add(&kb, (0..3).map(|at| markdown(&format!("{at}.md"), "The same words.")).collect()).unwrap();
    let map = kb.map(&MapRequest::default()).unwrap();
    assert_eq!(map.points.len(), 3);
    assert!(map.points.iter().all(|point| point.x.abs() < 1e-3 && point.y.abs() < 1e-3), "{map:?}");
}
