//! `KernelEmbedder`: a sentence encoder of the BERT kind.

use crate::embeddings;
use crate::files::{Contents, Files};
use crate::other;
use js_sys::Promise;
use std::rc::Rc;
use vademecum_encoder::Kind;
use vademecum_encoder::alignment::Sought;
use vademecum_encoder::kernel::{KernelEmbedder, Loaded};
use vademecum_encoder::onnx_options::OnnxOptions;
use vademecum_kernel::simd::Level;
use vademecum_kernel::simd::product::is_exact;
use vademecum_web::abort::Linked;
use vademecum_web::convert::from_js;
use vademecum_web::error;
use vademecum_web::platform::Browser;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// A loaded encoder.
#[wasm_bindgen(js_name = KernelEmbedder)]
#[derive(Debug)]
pub struct WebKernelEmbedder(Rc<KernelEmbedder>);

#[wasm_bindgen(js_class = KernelEmbedder)]
impl WebKernelEmbedder {
    /// Loads a model with its tokenizer: `files` is `{model, tokenizer, dense, options}` with their URLs, and `contents` is
    /// `{model, tokenizer, config, dense}` with the bytes. Returns `{reason}` if only a general runtime can run the model.
    pub fn load(files: JsValue, contents: &Contents) -> Result<JsValue, JsValue> {
        load(files, contents).map_err(|error| error::to_js(&error))
    }

    /// Returns the pooling in use, as named by the option `pooling`.
    #[wasm_bindgen(getter)]
    pub fn pooling(&self) -> String {
        self.0.pooling().name().to_owned()
    }

    /// Returns the name of the instructions in use.
    #[wasm_bindgen(getter)]
    pub fn instructions(&self) -> String {
        self.0.level().name().to_owned()
    }

    /// Returns whether products are computed exactly. Browsers compile functions again while they run, and relaxed
    /// instructions may not be the same afterwards.
    #[wasm_bindgen(js_name = isExact)]
    pub fn is_exact(&self) -> bool {
        is_exact(self.0.level())
    }

    /// Embeds `texts` as `kind` (`"query"` or `"document"`): `{dimensions, values, truncated}`.
    pub fn embed(&self, texts: Vec<String>, kind: JsValue, signal: Option<AbortSignal>) -> Promise {
        let embedder = self.0.clone();
        future_to_promise(async move {
            let linked = Linked::to(signal);
            let embed = async {
                let kind: Kind = from_js("kind", kind)?;
                embedder.embed(&texts, kind, &linked.cancel, &Browser).await
            };
            embed.await.map(|vectors| embeddings::to_js(&vectors)).map_err(|error| error::to_js(&error))
        })
    }

    /// Embeds `texts` as documents, and compares their tokens with words of a question, whose bytes start and end at the
    /// numbers of `words` in turn: `{dimensions, values, truncated, matches}`.
    pub fn align(
        &self,
        texts: Vec<String>,
        question: String,
        words: &[u32],
        signal: Option<AbortSignal>,
    ) -> Promise {
        let embedder = self.0.clone();
        let words = words.as_chunks().0.iter().map(|[start, end]| *start as usize..*end as usize).collect();
        future_to_promise(async move {
            let linked = Linked::to(signal);
            let sought = Sought { question, words };
            let aligned = embedder.align(&texts, &sought, &linked.cancel, &Browser).await;
            aligned.map(|all| embeddings::aligned_to_js(&all)).map_err(|error| error::to_js(&error))
        })
    }

    /// Returns the token ids of a text.
    #[wasm_bindgen(js_name = tokenIds)]
    pub fn token_ids(&self, text: &str) -> Vec<u32> {
        self.0.token_ids(text)
    }
}

fn load(files: JsValue, contents: &Contents) -> vademecum_protocol::error::Result<JsValue> {
    let files: Files<OnnxOptions> = from_js("embedder", files)?;
    let (model, tokenizer) = files.copied(contents);
    let tokenizer = (files.tokenizer.as_str(), tokenizer.as_slice());
    Ok(match KernelEmbedder::load(model, tokenizer, files.options, Level::best())? {
        Loaded::Kernel(embedder) => WebKernelEmbedder(Rc::from(embedder)).into(),
        Loaded::Other(reason) => other::to_js(&reason),
    })
}
