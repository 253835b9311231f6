//! Implements the [`Directory`] port by a JavaScript object.

use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Promise, Reflect, Uint8Array};
use vademecum_index::persist::Directory;
use vademecum_protocol::error::{Error, Result};
use vademecum_web::thrown::{code_of, is_retryable, message_of};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// `{ list(), read(name), write(name, bytes), remove(name), readOnly }`; in the full build also `readsNow`, `hold(name)`, and
    /// `readNow(name, start, bytes)`, which fills `bytes`, valid during the call only, and returns whether it did.
    pub type JsDirectory;

    #[wasm_bindgen(method, catch)]
    fn list(this: &JsDirectory) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn read(this: &JsDirectory, name: &str) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn write(this: &JsDirectory, name: &str, bytes: Uint8Array) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn remove(this: &JsDirectory, name: &str) -> Result<Promise, JsValue>;

    #[cfg(feature = "meaning")]
    #[wasm_bindgen(method, getter, js_name = readsNow)]
    fn reads_now(this: &JsDirectory) -> bool;

    #[cfg(feature = "meaning")]
    #[wasm_bindgen(method, catch)]
    fn hold(this: &JsDirectory, name: &str) -> Result<Promise, JsValue>;

    #[cfg(feature = "meaning")]
    #[wasm_bindgen(method, catch, js_name = readNow)]
    fn read_now(this: &JsDirectory, name: &str, start: f64, bytes: &mut [u8]) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, getter, js_name = readOnly)]
    fn read_only(this: &JsDirectory) -> bool;
}

impl Directory for JsDirectory {
    fn is_read_only(&self) -> bool {
        self.read_only()
    }

    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async {
            let files: Array = settled(JsDirectory::list(self)).await?.unchecked_into();
            let name = |file: JsValue| Reflect::get(&file, &"name".into()).ok()?.as_string();
            Ok(files.iter().filter_map(name).collect())
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>>> {
        Box::pin(async move {
            let bytes = settled(JsDirectory::read(self, name)).await?;
            Ok(bytes.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec))
        })
    }

    #[cfg(feature = "meaning")]
    fn reads_now(&self) -> bool {
        JsDirectory::reads_now(self)
    }

    #[cfg(feature = "meaning")]
    fn hold<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<bool>> {
        Box::pin(async move { Ok(settled(JsDirectory::hold(self, name)).await?.is_truthy()) })
    }

    #[cfg(feature = "meaning")]
    fn read_now(&self, name: &str, start: usize, bytes: &mut [u8]) -> bool {
        // What is thrown is reported by the engine, as any file that cannot be read.
        JsDirectory::read_now(self, name, start as f64, bytes).unwrap_or(false)
    }

    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // Copied to JavaScript's memory: the module's memory may grow, and thus move, during the write.
            let bytes = Uint8Array::from(bytes.as_slice());
            settled(JsDirectory::write(self, name, bytes)).await.map(drop)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async move { settled(JsDirectory::remove(self, name)).await.map(drop) })
    }
}

async fn settled(called: Result<Promise, JsValue>) -> Result<JsValue> {
    let outcome = match called {
        Ok(promise) => JsFuture::from(promise).await,
        Err(thrown) => Err(thrown),
    };
    outcome.map_err(|thrown| failed(&thrown))
}

/// Converts an error of the storage, which has its own codes and messages.
fn failed(thrown: &JsValue) -> Error {
    Error::of_storage(&code_of(thrown).unwrap_or_default(), message_of(thrown), is_retryable(thrown))
}
