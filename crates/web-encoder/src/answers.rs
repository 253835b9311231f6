//! Answers as JavaScript has them.

use js_sys::{Array, Object, Reflect};
use vademecum_encoder::pairs::Answer;
use wasm_bindgen::prelude::*;

/// Returns one `{start, end, probability}` or `null` per passage, with places in UTF-16 code units.
pub(crate) fn to_js(answers: &[Option<Answer>], passages: &[String]) -> JsValue {
    let one = |(answer, passage): (&Option<Answer>, &String)| {
        let Some(Answer { range, probability }) = answer else { return JsValue::NULL };
        let place = |byte: usize| passage.get(..byte).map_or(0, |before| before.encode_utf16().count());
        let object = Object::new();
        for (name, value) in [
            ("start", place(range.start) as f64),
            ("end", place(range.end) as f64),
            ("probability", f64::from(*probability)),
        ] {
            // Setting a property of a fresh object cannot fail.
            let _ = Reflect::set(&object, &name.into(), &value.into());
        }
        object.into()
    };
    answers.iter().zip(passages).map(one).collect::<Array>().into()
}
