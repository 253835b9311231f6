//! The real model in a real worker: equal to the reference, and clear about files that are wrong.
//!
//! `cargo xtask test` puts the model and the ONNX runtime under `target/site`, which the test runner serves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(target_arch = "wasm32")]

use js_sys::{Array, Float32Array, Function, Promise, Reflect, Uint8Array};
use vademecum_web_encoder::onnx_embedder::WebOnnxEmbedder;
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::AbortSignal;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const MODEL: &str = "model: new URL('/target/site/models/all-minilm-l6-v2/model.onnx', location.origin).href";
const TOKENIZER: &str =
    "tokenizer: new URL('/target/site/models/all-minilm-l6-v2/tokenizer.json', location.origin).href";
const RUNTIME: &str = "runtime: new URL('/target/site/vademecum/ort/', location.origin).href";

fn js(code: &str) -> JsValue {
    js_sys::eval(&format!("({code})")).unwrap()
}

fn get(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

/// Fetches one of the files, as the package's JavaScript does.
async fn contents(files: &JsValue, name: &str) -> Uint8Array {
    let fetch = "return fetch(url).then((response) => response.arrayBuffer())";
    let fetched = Function::new_with_args("url", fetch).call1(&JsValue::NULL, &get(files, name)).unwrap();
    Uint8Array::new(&JsFuture::from(fetched.unchecked_into::<Promise>()).await.unwrap())
}

async fn load(files: &str) -> Result<WebOnnxEmbedder, JsValue> {
    let files = js(files);
    let all = js_sys::Object::new();
    for name in ["tokenizer", "model"] {
        Reflect::set(&all, &name.into(), &contents(&files, name).await.into()).unwrap();
    }
    let value = JsFuture::from(WebOnnxEmbedder::load(files, all.unchecked_into())).await?;
    Ok(WebOnnxEmbedder::try_from_js_value(value).unwrap())
}

async fn real() -> WebOnnxEmbedder {
    load(&format!("{{ {MODEL}, {TOKENIZER}, {RUNTIME} }}")).await.unwrap()
}

async fn code_of(files: String) -> (String, String) {
    let error = load(&files).await.unwrap_err();
    (get(&error, "code").as_string().unwrap_or_default(), get(&error, "message").as_string().unwrap())
}

#[derive(serde::Deserialize)]
struct Reference {
    text: String,
    ids: Vec<u32>,
    embedding: Vec<f32>,
}

#[wasm_bindgen_test]
async fn ids_are_equal_and_cosines_at_least_0_9999_on_all_fifty_reference_sentences() {
    let embedder = real().await;
    let reference: Vec<Reference> = serde_json::from_str(include_str!("data/minilm-reference.json")).unwrap();
    let texts: Vec<String> = reference.iter().map(|one| one.text.clone()).collect();
    let embedded = JsFuture::from(embedder.embed(texts, js("'document'"), None)).await.unwrap();
    let values = get(&embedded, "values").unchecked_into::<Float32Array>().to_vec();
    assert_eq!((reference.len(), values.len()), (50, 50 * 384));
    let mut worst = 1.0f32;
    for (one, vector) in reference.iter().zip(values.chunks_exact(384)) {
        assert_eq!(embedder.token_ids(&one.text).unwrap(), one.ids, "{}", one.text);
        let dot: f32 = vector.iter().zip(&one.embedding).map(|(a, b)| a * b).sum();
        let length: f32 = one.embedding.iter().map(|value| value * value).sum::<f32>().sqrt();
        worst = worst.min(dot / length);
    }
    console_log!("least cosine of the fifty: {worst}");
    assert!(worst >= 0.9999, "{worst}");
}

#[wasm_bindgen_test]
async fn a_text_over_the_limit_is_flagged_and_prefixes_are_part_of_it() {
    let files = format!(
        "{{ {MODEL}, {TOKENIZER}, {RUNTIME}, options: {{ maxTokens: 16, queryPrefix: 'query: ' }} }}"
    );
    let embedder = load(&files).await.unwrap();
    let embed = async |text: &str, kind: &str| {
        let texts = vec!["short".to_owned(), text.to_owned()];
        JsFuture::from(embedder.embed(texts, js(kind), None)).await.unwrap()
    };
    let long = embed(&"word ".repeat(40), "'document'").await;
    let flags: Vec<bool> =
        get(&long, "truncated").unchecked_into::<Array>().iter().map(|flag| flag.is_truthy()).collect();
    assert_eq!(flags, [false, true]);
    let plain = embed("query: cats", "'document'").await;
    let prefixed = embed("cats", "'query'").await;
    let second =
        |value: &JsValue| get(value, "values").unchecked_into::<Float32Array>().to_vec()[384..].to_vec();
    let dot: f32 = second(&plain).iter().zip(second(&prefixed)).map(|(a, b)| a * b).sum();
    assert!(dot > 0.9999, "{dot}");
}

#[wasm_bindgen_test]
async fn embedding_can_be_cancelled_between_batches() {
    let embedder = real().await;
    let abort = js("new AbortController()");
    let signal: AbortSignal = get(&abort, "signal").unchecked_into();
    let texts: Vec<String> = (0..64).map(|n| format!("{n} {}", "many words to read ".repeat(20))).collect();
    let embedding = embedder.embed(texts, js("'document'"), Some(signal));
    Function::new_with_args("abort", "setTimeout(() => abort.abort(), 20)")
        .call1(&JsValue::NULL, &abort)
        .unwrap();
    let error = JsFuture::from(embedding).await.map(|_| ()).unwrap_err();
    assert_eq!(get(&error, "code"), "aborted");
    let again =
        JsFuture::from(embedder.embed(vec!["still works".into()], js("'query'"), None)).await.unwrap();
    assert_eq!(get(&again, "dimensions"), 384);
}

#[wasm_bindgen_test]
async fn a_corrupt_model_and_a_corrupt_tokenizer_are_told_apart() {
    let cut = js(&format!(
        "fetch({{ {MODEL} }}.model).then((response) => response.blob()).then((all) => URL.createObjectURL(all.slice(0, 1e6)))"
    ));
    let cut = JsFuture::from(cut.unchecked_into::<Promise>()).await.unwrap().as_string().unwrap();
    let (code, message) = code_of(format!("{{ model: '{cut}', {TOKENIZER}, {RUNTIME} }}")).await;
    assert_eq!(code, "model_corrupt", "{message}");
    let noise = "model: URL.createObjectURL(new Blob(['not a model']))";
    assert_eq!(code_of(format!("{{ {noise}, {TOKENIZER}, {RUNTIME} }}")).await.0, "model_corrupt");
    let noise = "tokenizer: URL.createObjectURL(new Blob(['{}']))";
    assert_eq!(code_of(format!("{{ {MODEL}, {noise}, {RUNTIME} }}")).await.0, "tokenizer_invalid");
}

#[wasm_bindgen_test]
async fn a_tokenizer_of_another_model_is_refused() {
    for change in [
        // Another language's, with more words than the model knows …
        "for (let n = 0; n < 500; n++) vocab['new' + n] = 30522 + n;",
        // … and one with fewer.
        "for (const word of Object.keys(vocab)) if (vocab[word] >= 28996) delete vocab[word];",
    ] {
        let made = js(&format!(
            "fetch({{ {TOKENIZER} }}.tokenizer).then((response) => response.json()).then((tokenizer) => {{
                const {{ vocab }} = tokenizer.model;
                {change}
                return URL.createObjectURL(new Blob([JSON.stringify(tokenizer)]));
            }})"
        ));
        let made = JsFuture::from(made.unchecked_into::<Promise>()).await.unwrap().as_string().unwrap();
        let (code, message) = code_of(format!("{{ {MODEL}, tokenizer: '{made}', {RUNTIME} }}")).await;
        assert_eq!(code, "tokenizer_mismatch", "{message}");
    }
}
