//! The list of vectors: of every chunk that has one, each the vector its embedder made.

use vademecum::encoder::Kind;
use vademecum::engine::{KnowledgeBase, VectorsRequest};
use vademecum::error::Error;
use vademecum_testing::{add, block_on, hashing, kb, markdown};

/// Twelve notes of one chunk each.
fn twelve() -> KnowledgeBase {
    let kb = kb(hashing());
    let documents = (0..12).map(|at| markdown(&format!("{at}.md"), &format!("Note number {at} purrs.")));
    add(&kb, documents.collect()).unwrap();
    kb
}

fn of(collection: &str) -> VectorsRequest {
    VectorsRequest { collections: Some(vec![collection.into()]), ..VectorsRequest::default() }
}

#[test]
fn every_chunk_comes_with_its_own_vector_in_the_order_they_were_added() {
    let kb = twelve();
    let list = kb.vectors(&VectorsRequest::default()).unwrap();
    assert_eq!((list.total, list.chunks.len()), (12, 12));
    assert_eq!(list.values.len(), 12 * list.dimensions);
    for (at, (chunk, vector)) in list.chunks.iter().zip(list.values.chunks(list.dimensions)).enumerate() {
        assert_eq!((&*chunk.doc_id, &*chunk.collection), (&*format!("{at}.md"), "default"));
        let document = kb.document("default", &chunk.doc_id).unwrap();
        assert_eq!(document.chunks.first().unwrap().id, chunk.chunk_id);
        let text = document.chunks.first().unwrap().text.clone();
        let made = block_on(hashing().unwrap().embed(&[text], Kind::Document)).unwrap().values;
        let cosine: f32 = made.iter().zip(vector).map(|(one, other)| one * other).sum();
        assert!(cosine > 0.999, "{at}: {cosine}");
    }
}

#[test]
fn removed_chunks_are_not_listed() {
    let kb = twelve();
    kb.remove("default", &["0.md".into(), "3.md".into()]).unwrap();
    let list = kb.vectors(&VectorsRequest::default()).unwrap();
    assert_eq!((list.total, list.values.len()), (10, 10 * list.dimensions));
    assert!(list.chunks.iter().all(|chunk| chunk.doc_id != "0.md" && chunk.doc_id != "3.md"));
}

#[test]
fn a_list_of_few_is_an_even_choice_of_all() {
    let list = twelve().vectors(&VectorsRequest { limit: 4, ..VectorsRequest::default() }).unwrap();
    assert_eq!((list.total, list.values.len()), (12, 4 * list.dimensions));
    let ids: Vec<&str> = list.chunks.iter().map(|chunk| &*chunk.doc_id).collect();
    assert_eq!(ids, ["0.md", "3.md", "6.md", "9.md"]);
}

#[test]
fn a_list_is_of_the_collections_asked_for_and_of_nothing_where_there_are_no_vectors() {
    let plain = kb(None);
    add(&plain, vec![markdown("a.md", "Cats purr.")]).unwrap();
    let list = plain.vectors(&VectorsRequest::default()).unwrap();
    assert_eq!((list.total, list.dimensions, list.chunks.len(), list.values.len()), (0, 0, 0, 0));
    let kb = twelve();
    assert_eq!(kb.vectors(&of("default")).unwrap().total, 12);
    assert!(matches!(kb.vectors(&of("other")), Err(Error::UnknownCollection { .. })));
    assert!(matches!(
        kb.vectors(&VectorsRequest { limit: 0, ..VectorsRequest::default() }),
        Err(Error::InvalidArgument { .. })
    ));
}
