//! Texts and postings that are read from files.

use std::rc::Rc;
use vademecum::index::persist::{Library, Settings};
use vademecum::index::{Index, Prepared, Query};
use vademecum_testing::block_on;
use vademecum_testing::directory::{Files, Memory};
use vademecum_testing::model::Source;

fn document(id: &'static str, text: &str) -> Prepared {
    let text = text.to_owned();
    Source { collection: "default", id, title: None, url: None, text, year: None, tags: Vec::new() }
        .prepared()
}

fn save(library: &mut Library, index: &mut Index) {
    let saving = library.prepare(index, &Settings::default()).unwrap();
    block_on(library.write(saving)).unwrap();
}

fn page_out(library: &Library, index: &mut Index) -> usize {
    let held = index.in_memory();
    let files: Vec<_> = held.into_iter().map(|(_, id)| (id, block_on(library.hold(id)).unwrap())).collect();
    files.iter().filter(|(id, file)| index.page_out(*id, file)).count()
}

fn opened() -> (Rc<Memory>, Library, Index) {
    let directory = Memory::of(Files::new());
    directory.now.set(true);
    let (library, index, _) = block_on(Library::open(directory.clone(), false)).unwrap();
    (directory, library, index)
}

#[test]
fn a_file_that_a_snapshot_reads_is_kept_until_the_snapshot_is_gone() {
    let (directory, mut library, mut index) = opened();
    index.insert(vec![document("a", "The moon pulls the sea."), document("b", "A kettle boils.")]);
    save(&mut library, &mut index);
    assert_eq!(page_out(&library, &mut index), 1);
    let snapshot = index.searcher();
    index.remove("default", "a");
    let job = index.next_merge().expect("a segment of which half is deleted");
    let merged = block_on(job.run(&|| Box::pin(std::future::ready(())))).unwrap();
    index.finish_merge(merged);
    save(&mut library, &mut index);
    let texts = || directory.files.borrow().keys().filter(|name| name.ends_with("-text.vdm")).count();
    assert_eq!(texts(), 2);
    let query = Query { keywords: Some("moon"), limit: 10, ..Query::default() };
    let hits = snapshot.search(&query).unwrap().best;
    assert_eq!(snapshot.chunk(hits[0].key).unwrap().text(), "The moon pulls the sea.");
    library.disk().check().unwrap();
    drop(snapshot);
    index.insert(vec![document("c", "Late news.")]);
    save(&mut library, &mut index);
    assert_eq!(texts(), 2, "the one of the merged segment, and the one of the new document");
}

#[test]
fn a_segment_stays_in_memory_while_a_search_reads_it_or_if_its_file_has_other_bytes() {
    let (directory, mut library, mut index) = opened();
    index.insert(vec![document("a", "The moon pulls the sea.")]);
    save(&mut library, &mut index);
    let snapshot = index.searcher();
    assert_eq!(page_out(&library, &mut index), 0);
    drop(snapshot);
    let written = directory.files.borrow().clone();
    for file in directory.files.borrow_mut().values_mut() {
        let at = file.windows(4).position(|four| four == b"moon");
        at.into_iter().for_each(|at| file[at] = b'n');
    }
    assert_eq!(page_out(&library, &mut index), 0);
    library.disk().check().unwrap();
    // A file that is cut short is no failure either: all that it contained is in memory.
    for length in [0, 30, 200] {
        directory.files.borrow_mut().values_mut().for_each(|file| file.truncate(length));
        assert_eq!(page_out(&library, &mut index), 0);
        library.disk().check().unwrap();
        *directory.files.borrow_mut() = written.clone();
    }
    assert_eq!(page_out(&library, &mut index), 1);
}

#[test]
fn a_merge_reads_no_more_than_its_limit() {
    let mut merges = Vec::new();
    for is_limited in [false, true] {
        let (_, mut library, mut index) = opened();
        index.set_most_merged(if is_limited { 100 } else { usize::MAX });
        for id in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            index.insert(vec![document(id, "A kettle boils, and whistles until someone comes.")]);
            save(&mut library, &mut index);
        }
        merges.push(index.next_merge().is_some());
    }
    assert_eq!(merges, [true, false]);
}
