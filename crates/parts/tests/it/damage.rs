//! Damaged bytes anywhere never give a wrong result.

use crate::made::{Made, document};
use proptest::prelude::*;
use std::fs;
use std::rc::Rc;
use vademecum_parts::{FolderSource, Library, Options, SearchRequest};
use vademecum_testing::{add, block_on, hashing, kb};

thread_local! {
    static MADE: Made = {
        let kb = kb(hashing());
        let made = (0..120).map(|at| document(&format!("d{at}"), None, &[at, at + 1, at * at, at / 3]));
        add(&kb, made.collect()).unwrap();
        Made::of(&kb)
    };
}

proptest! {
    #[test]
    fn a_changed_byte_gives_the_right_result_or_an_error_with_a_code(
        file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), to in any::<u8>(), cut in prop::bool::weighted(0.2), query in 0usize..16,
    ) {
        MADE.with(|made| {
            let request = SearchRequest { query: format!("{} boats", crate::made::WORDS[query]), ..SearchRequest::default() };
            let vector = vec![0.1; made.library.manifest().embedder.as_ref().unwrap().dimensions];
            let expected = made.search(&request, Some(&vector)).unwrap();
            let mut files: Vec<_> = fs::read_dir(made.folder.path().join("parts")).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            files.push(made.folder.path().join("manifest.json"));
            let path = file.get(&files);
            let whole = fs::read(path).unwrap();
            let mut changed = whole.clone();
            let at = at.index(changed.len());
            match cut {
                true => changed.truncate(at),
                false => changed[at] = to,
            }
            fs::write(path, &changed).unwrap();
            let manifest = fs::read(made.folder.path().join("manifest.json")).unwrap();
            let opened = Library::open(&manifest, Rc::new(FolderSource::new(made.folder.path())), &Options::default());
            let found = opened.and_then(|library| block_on(library.search(&request, Some(&vector))));
            fs::write(path, &whole).unwrap();
            let codes = ["part_damaged", "part_missing", "manifest_invalid", "library_newer", "vector_shape"];
            match found {
                Err(error) => prop_assert!(codes.contains(&error.code()), "{}", error),
                // The manifest's own words are not under a hash: a description, a number of documents.
                Ok(_) if path.ends_with("manifest.json") => {}
                Ok(found) if found.missing.is_empty() => prop_assert_eq!(found.hits, expected.hits),
                Ok(found) => {
                    prop_assert!(found.missing.iter().all(|missing| codes.contains(&missing.code)));
                    prop_assert!(found.hits.len() <= expected.hits.len());
                }
            }
            Ok(())
        })?;
    }
}
