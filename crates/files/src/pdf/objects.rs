//! Looks up objects of a PDF, through references.

use lopdf::{Dictionary, Document, Object};

/// Bytes that a stream may unpack to.
pub(super) const MAX_STREAM: usize = 64 << 20;

/// Returns the dictionary of an object, or of the one that it refers to.
pub(super) fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    match document.dereference(object).ok()?.1 {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// Returns the list that a dictionary has under a name.
pub(super) fn list<'a>(
    document: &'a Document,
    dictionary: &'a Dictionary,
    name: &[u8],
) -> Option<&'a Vec<Object>> {
    document.dereference(dictionary.get(name).ok()?).ok()?.1.as_array().ok()
}

/// Returns the number that an object is.
pub(super) fn number(document: &Document, object: &Object) -> Option<f32> {
    document.dereference(object).ok()?.1.as_float().ok()
}
