//! Reads HTML by the module that contains the tokenizer.

use js_sys::{Function, Uint8Array};
use std::cell::RefCell;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::block::Structure;
use vademecum_text::html::use_host;
use vademecum_web::thrown::message_of;
use wasm_bindgen::prelude::*;

thread_local! {
    static READER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Sets the other module's `readHtml`. Must be called before HTML is added.
#[wasm_bindgen(js_name = useHtml)]
pub fn use_html(reader: Function) {
    READER.with(|kept| kept.replace(Some(reader)));
    use_host(read);
}

fn read(source: &str) -> Result<Structure> {
    let failed = |why: String| Error::internal(format!("The reader of HTML failed: {why}"));
    let reader =
        READER.with(|kept| kept.borrow().clone()).ok_or_else(|| failed("it was not started".into()))?;
    let bytes = reader.call1(&JsValue::NULL, &source.into()).map_err(|thrown| failed(message_of(&thrown)))?;
    postcard::from_bytes(&Uint8Array::new(&bytes).to_vec())
        .map_err(|_| failed("its reply cannot be read".into()))
}
