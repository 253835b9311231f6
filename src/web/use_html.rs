//! HTML, by the module that has its tokenizer.

use crate::text::html::use_host;
use js_sys::{Function, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static READER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Has HTML read by `readHtml` of the other module. To be called before HTML is added.
#[wasm_bindgen(js_name = useHtml)]
pub fn use_html(reader: Function) {
    READER.with(|kept| kept.replace(Some(reader)));
    use_host(|source| {
        let reader = READER.with(|kept| kept.borrow().clone())?;
        let bytes = reader.call1(&JsValue::NULL, &source.into()).ok()?;
        postcard::from_bytes(&bytes.dyn_into::<Uint8Array>().ok()?.to_vec()).ok()
    });
}
