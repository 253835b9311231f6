//! Random external input: import files and filters. `PROPTEST_CASES` sets the number of cases.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;
use vademecum::engine::{ListRequest, Mode};
use vademecum_testing::{add, block_on, hashing, kb, markdown, search};

/// An exported library with vectors, metadata and a deleted document.
static EXPORTED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let kb = kb(hashing());
    let documents = (0..12).map(|at| {
        let mut one = markdown(&format!("{at}.md"), &format!("# Note {at}\n\nWord{at} of common words."));
        one.metadata.insert("at".into(), at.into());
        one
    });
    add(&kb, documents.collect()).unwrap();
    kb.remove("default", &["3.md".into()]).unwrap();
    kb.export().unwrap()
});

/// A corruption of a file: changed bytes, a removed or duplicated range, a truncation.
#[derive(Debug, Clone)]
enum Edit {
    Write(usize, Vec<u8>),
    Cut(usize, usize),
    Twice(usize, usize),
    End(usize),
}

impl Edit {
    fn apply(self, bytes: &mut Vec<u8>) {
        let within = |at: usize, bytes: &[u8]| at.checked_rem(bytes.len()).unwrap_or(0);
        match self {
            Self::Write(at, with) => {
                let at = within(at, bytes);
                for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
                    *byte = new;
                }
            }
            Self::Cut(at, length) => {
                let at = within(at, bytes);
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Self::Twice(at, length) => {
                let at = within(at, bytes);
                let part = bytes[at..(at + length).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            Self::End(at) => bytes.truncate(within(at, bytes)),
        }
    }
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        4 => (any::<usize>(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, with)| Edit::Write(at, with)),
        // Favour the header and the table of contents, where single bytes matter most.
        4 => (0_usize..200, prop::collection::vec(any::<u8>(), 1..5)).prop_map(|(at, with)| Edit::Write(at, with)),
        2 => (any::<usize>(), 1_usize..400).prop_map(|(at, length)| Edit::Cut(at, length)),
        2 => (any::<usize>(), 1_usize..400).prop_map(|(at, length)| Edit::Twice(at, length)),
        1 => any::<usize>().prop_map(Edit::End),
    ];
    prop::collection::vec(edit, 1..4)
}

/// Generates JSON that resembles filters: known and unknown fields, operators, connectives, and noise.
fn filters() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z%_é*\\\\]{0,8}|2024-0[0-9]-[0-4][0-9]|\\PC{0,4}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("at".to_owned()),
        Just("field".to_owned()),
        Just("operator".to_owned()),
        Just("value".to_owned()),
        "and|or|not|\\$and|\\$or|=|!=|>=|<|in|like|contains|exists|\\$eq|\\$in|\\$regex|.{0,3}",
    ];
    scalar.prop_recursive(6, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn importing_a_corrupted_file_succeeds_or_fails_without_effect(edits in edits()) {
        let mut bytes = EXPORTED.clone();
        edits.into_iter().for_each(|edit| edit.apply(&mut bytes));
        let kb = kb(hashing());
        add(&kb, vec![markdown("own.md", "# Own\n\nThe harbour was here first.")]).unwrap();
        let before = kb.fingerprint().unwrap();
        if let Err(error) = block_on(kb.import(&bytes)) {
            prop_assert!(["library_corrupt", "library_newer"].contains(&error.code()), "{}", error);
            prop_assert_eq!(kb.fingerprint().unwrap(), before);
        }
        let found = search(&kb, "harbour", Mode::Keyword).unwrap();
        prop_assert_eq!(&found.hits[0].chunk.doc_id, "own.md");
    }

    #[test]
    fn any_filter_selects_documents_or_fails_with_a_code(filter in filters()) {
        let kb = kb(hashing());
        let mut one = markdown("a.md", "# A\n\nText.");
        one.metadata.insert("at".into(), json!(3));
        add(&kb, vec![one]).unwrap();
        match kb.documents(&ListRequest { filters: Some(filter), ..ListRequest::default() }) {
            Ok(found) => prop_assert!(found.documents.len() <= 1),
            Err(error) => prop_assert!(
                ["filter_invalid", "filter_type", "unknown_field", "unknown_operator"].contains(&error.code()),
                "{}: {}", error.code(), error
            ),
        }
    }
}
