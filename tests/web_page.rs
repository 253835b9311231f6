//! The wasm boundary on a page: values in and out, promises, errors, signals.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(target_arch = "wasm32")]

use js_sys::{Array, Function, Reflect, Uint8Array};
use vademecum_web_agent::agent;
use vademecum_web_agent::bridge::JsSearcher;
use vademecum_web_engine::engine::Engine;
use vademecum_web_index::keyword_index::KeywordIndex;
use vademecum_web_index::vector_index::VectorIndex;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::AbortSignal;

wasm_bindgen_test_configure!(run_in_browser);

fn js(code: &str) -> JsValue {
    js_sys::eval(&format!("({code})")).unwrap()
}

fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, name| Reflect::get(&value, &name.into()).unwrap())
}

fn text(value: &JsValue, path: &str) -> String {
    get(value, path).as_string().unwrap_or_else(|| format!("{:?}", get(value, path)))
}

fn engine() -> Engine {
    Engine::new(JsValue::UNDEFINED, None).unwrap()
}

const PETS: &str = r##"[
    { id: "cats.md", text: "# Cats\n\nThey purr 🐈 when content.", metadata: { legs: 4, tags: ["pet"] }, url: "/cats" },
    { id: "dogs.md", text: "# Dogs\n\nThey wag their tails." },
]"##;

async fn with_pets() -> Engine {
    let engine = engine();
    let added = JsFuture::from(engine.add("default".into(), js(PETS), None, None)).await.unwrap();
    assert_eq!(get(&added, "documents"), 2);
    engine
}

async fn search(engine: &Engine, request: &str) -> Result<JsValue, JsValue> {
    JsFuture::from(engine.search(js(request), None)).await
}

#[wasm_bindgen_test]
async fn a_hit_is_a_plain_object_whose_span_slices_the_text_in_javascript() {
    let engine = with_pets().await;
    let found = search(&engine, r#"{ query: "purr", mode: "keyword" }"#).await.unwrap();
    let hit = get(&found, "hits.0");
    assert_eq!(
        (text(&hit, "docId"), text(&hit, "url"), text(&hit, "headings.0")),
        ("cats.md".into(), "/cats".into(), "Cats".into())
    );
    assert_eq!(get(&hit, "metadata.legs"), 4);
    assert_eq!(text(&hit, "metadata.tags.0"), "pet");
    let document = engine.document("default", "cats.md").unwrap();
    let slice = Function::new_with_args("text, span", "return text.slice(span.start, span.end)");
    let sliced = slice.call2(&JsValue::NULL, &get(&document, "text"), &get(&hit, "span")).unwrap();
    assert_eq!(sliced, get(&hit, "text"));
}

#[wasm_bindgen_test]
async fn the_bytes_of_a_file_are_decoded_and_bad_ones_refused() {
    let engine = engine();
    let file = |bytes: &[u8]| {
        let document = js("{ id: 'a.txt', metadata: {} }");
        Reflect::set(&document, &"bytes".into(), &Uint8Array::from(bytes)).unwrap();
        Array::of1(&document).into()
    };
    JsFuture::from(engine.add("default".into(), file("Grüße".as_bytes()), None, None)).await.unwrap();
    assert_eq!(text(&engine.document("default", "a.txt").unwrap(), "text"), "Grüße");
    let error =
        JsFuture::from(engine.add("default".into(), file(b"gr\xFC\xDFe"), None, None)).await.unwrap_err();
    assert_eq!(text(&error, "code"), "not_utf8");
    assert!(text(&error, "message").contains("byte 2"));
    assert_eq!(text(&engine.document("default", "a.txt").unwrap(), "text"), "Grüße");
}

#[wasm_bindgen_test]
async fn fifty_megabytes_in_one_document_are_refused_as_text_and_as_bytes() {
    let engine = with_pets().await;
    for document in [
        "{ id: 'big.txt', text: 'word '.repeat(1e7) }",
        "{ id: 'big.txt', bytes: new Uint8Array(5e7).fill(97) }",
    ] {
        let adding = engine.add("default".into(), js(&format!("[{document}]")), None, None);
        let error = JsFuture::from(adding).await.unwrap_err();
        assert_eq!(text(&error, "code"), "document_too_large");
        assert!(text(&error, "message").contains("has 50000000 bytes"), "{}", text(&error, "message"));
    }
    assert_eq!(get(&engine.stats().unwrap(), "documents"), 2);
}

#[wasm_bindgen_test]
async fn an_error_is_an_error_with_a_code_and_a_misspelt_field_is_named() {
    let engine = with_pets().await;
    for (request, code, says) in [
        ("{ query: '' }", "empty_question", "empty"),
        ("{ query: 'x', collections: ['defualt'] }", "unknown_collection", "did you mean `default`"),
        ("{ query: 'x', mode: 'magic' }", "invalid_argument", "magic"),
        ("{ query: 'x', limits: 3 }", "invalid_argument", "limits"),
        ("{ query: 'x', mode: 'vector' }", "no_embedder", "Embedder.onnx"),
    ] {
        let error = search(&engine, request).await.unwrap_err();
        assert!(error.is_instance_of::<js_sys::Error>());
        assert_eq!(text(&error, "code"), code);
        assert!(text(&error, "message").contains(says), "{}", text(&error, "message"));
    }
    let error = JsFuture::from(engine.add("default".into(), js("[{ id: 'a', txt: 'b' }]"), None, None))
        .await
        .unwrap_err();
    assert!(text(&error, "message").contains("txt"));
    let error = JsFuture::from(engine.add("default".into(), js("{}"), None, None)).await.unwrap_err();
    assert_eq!(text(&error, "code"), "invalid_argument");
    assert_eq!(get(&engine.stats().unwrap(), "documents"), 2);
}

#[wasm_bindgen_test]
async fn a_signal_that_is_aborted_ends_the_call() {
    let engine = with_pets().await;
    let signal: AbortSignal = js("AbortSignal.abort()").unchecked_into();
    let error = JsFuture::from(engine.search(js("{ query: 'cats' }"), Some(signal))).await.unwrap_err();
    assert_eq!(text(&error, "code"), "aborted");

    // While documents are being read: the engine gives the page turns, and the page uses one to abort.
    let abort = js("new AbortController()");
    let many =
        js("Array.from({ length: 3000 }, (_, n) => ({ id: `${n}`, text: 'Some words. '.repeat(200) }))");
    let signal: AbortSignal = get(&abort, "signal").unchecked_into();
    let adding = engine.add("default".into(), many, None, Some(signal));
    Function::new_with_args("abort", "setTimeout(() => abort.abort(), 30)")
        .call1(&JsValue::NULL, &abort)
        .unwrap();
    let error = JsFuture::from(adding).await.unwrap_err();
    assert_eq!(text(&error, "code"), "aborted");
    assert_eq!(get(&engine.stats().unwrap(), "documents"), 2, "nothing was added");
}

#[wasm_bindgen_test]
async fn a_closed_engine_says_so() {
    let engine = with_pets().await;
    engine.close();
    assert_eq!(text(&engine.stats().unwrap_err(), "code"), "closed");
    let pipeline = js("{ question: 'cats?', steps: [{ step: 'search' }] }");
    let run = agent::run(searcher(engine), pipeline, none(), false, none(), none(), None);
    assert_eq!(text(&JsFuture::from(run).await.unwrap_err(), "code"), "closed");
}

#[wasm_bindgen_test]
async fn a_custom_embedder_written_in_javascript_gives_the_vectors() {
    let embedder = js("{ concurrency: 1, threshold: 0.5, isReady: () => true,
           embed: async (texts, kind) => ({
             dimensions: 2,
             values: Float32Array.from(texts.flatMap((text) => text.includes('purr') ? [3, 0] : [0, 5])),
             truncated: texts.map(() => kind === 'document' && text.length > 1e9),
           }) }");
    let broken = Engine::new(JsValue::UNDEFINED, Some(embedder.unchecked_into())).unwrap();
    let error = JsFuture::from(broken.add("default".into(), js(PETS), None, None)).await.unwrap_err();
    assert_eq!(text(&error, "code"), "embedder_failed", "what it throws is the embedder's failure");

    let embedder = js("{ concurrency: 1, threshold: 0.5, isReady: () => true,
           embed: async (texts) => ({
             dimensions: 2,
             values: Float32Array.from(texts.flatMap((text) => text.includes('purr') ? [3, 0] : [0, 5])),
             truncated: texts.map(() => false),
           }) }");
    let engine = Engine::new(JsValue::UNDEFINED, Some(embedder.unchecked_into())).unwrap();
    JsFuture::from(engine.add("default".into(), js(PETS), None, None)).await.unwrap();
    let found = search(&engine, "{ query: 'purr', mode: 'vector', threshold: 0.5 }").await.unwrap();
    assert_eq!((text(&found, "hits.0.docId"), get(&found, "total")), ("cats.md".into(), 1.into()));
    assert!(
        (get(&found, "hits.0.score").as_f64().unwrap() - 1.0).abs() < 1e-6,
        "vectors are scaled to length 1"
    );
}

/// An engine as the agent's module knows it.
fn searcher(engine: Engine) -> JsSearcher {
    JsValue::from(engine).unchecked_into()
}

/// A function that does nothing.
fn none() -> Function {
    Function::new_no_args("")
}

/// Runs a pipeline over the pets with an LLM function `([step], request, onPart) => …`: its result, and the events.
async fn ask(engine: &JsSearcher, llm: &str) -> (JsValue, Vec<String>) {
    let pipeline = js("{ question: 'When do cats purr?', steps: [{ step: 'search' }, { step: 'answer' }] }");
    let events = Array::new();
    let keeper = Function::new_with_args("list", "return (event) => list.push(event.type)");
    let keep: Function = keeper.call1(&JsValue::NULL, &events).unwrap().unchecked_into();
    let has_llm = !llm.is_empty();
    let llm = if has_llm { js(llm).unchecked_into() } else { none() };
    let result = JsFuture::from(agent::run(
        JsValue::from(engine).unchecked_into(),
        pipeline,
        llm,
        has_llm,
        none(),
        keep,
        None,
    ))
    .await
    .unwrap();
    let events = events.iter().map(|event| event.as_string().unwrap());
    (result, events.filter(|event| event != "tool").collect())
}

#[wasm_bindgen_test]
async fn a_run_without_a_model_quotes_the_document() {
    let (result, events) = ask(&searcher(with_pets().await), "").await;
    assert_eq!(text(&result, "answer"), "They purr 🐈 when content. [1]");
    assert_eq!(text(&result, "citations.0.docId"), "cats.md");
    assert_eq!(events, ["start", "stop", "start", "token", "citation", "stop", "done"]);
}

#[wasm_bindgen_test]
async fn a_reply_comes_in_parts_and_late_parts_do_no_harm() {
    let engine = searcher(with_pets().await);
    let (result, _) = ask(
        &engine,
        r#"async ([step], request, onPart) => {
            const bytes = new TextEncoder().encode('data: {"choices":[{"delta":{"content":"When content 🐈 [1]."}}]}\n\ndata: [DONE]\n\n');
            onPart({ status: 200 });
            for (const byte of bytes) onPart({ bytes: Uint8Array.of(byte) });
            setTimeout(() => onPart({ text: "late" }), 5);
        }"#,
    )
    .await;
    assert_eq!(text(&result, "answer"), "When content 🐈 [1].");
    assert_eq!(text(&result, "answeredBy"), "llm");

    let (result, events) = ask(&engine, "() => { throw new Error('no network') }").await;
    assert_eq!(text(&result, "failures.0.code"), "llm_failed");
    assert!(text(&result, "failures.0.message").contains("no network"));
    assert_eq!(events.last().unwrap(), "done");

    let (result, _) = ask(&engine, "async ([step], request, onPart) => onPart({ value: 7 })").await;
    assert_eq!(text(&result, "failures.0.code"), "llm_reply");
}

#[wasm_bindgen_test]
fn a_vector_index_finds_the_nearest_by_every_method_and_again_after_saving() {
    let mut index = VectorIndex::new(4).unwrap();
    let rows: Vec<f32> = (0..400).flat_map(|n| [1.0, n as f32 / 50.0, (n % 7) as f32 / 10.0, 0.3]).collect();
    index.add(&rows).unwrap();
    index.build();
    let graph = index.graph().unwrap().expect("a graph");
    let nearest = |index: &VectorIndex, options: &str| {
        let found = index.search(&rows[400..404], 3, js(options)).unwrap();
        (get(&found, "ids.0").as_f64().unwrap(), text(&found, "method"))
    };
    assert_eq!(nearest(&index, "undefined"), (100.0, "exact".into()), "few vectors are all compared");
    assert_eq!(nearest(&index, "{ method: 'sketch', candidates: 300 }"), (100.0, "sketch".into()));
    assert_eq!(nearest(&index, "{ method: 'hnsw', ef: 50 }"), (100.0, "hnsw".into()));
    let mut again = VectorIndex::load(&index.save().unwrap()).unwrap();
    assert_eq!(nearest(&again, "{ method: 'hnsw', ef: 50 }"), (100.0, "hnsw".into()));
    again.set_graph(&graph).unwrap();
    let code = |error: JsValue| text(&error, "code");
    assert_eq!(code(again.set_graph(&graph[..10]).unwrap_err()), "invalid_argument");
    assert_eq!(code(index.add(&[1.0, 2.0]).unwrap_err()), "invalid_argument");
    assert_eq!(code(index.add(&[1.0, f32::NAN, 0.0, 0.0]).unwrap_err()), "vector_shape");
    assert_eq!(code(index.search(&[1.0], 3, JsValue::UNDEFINED).unwrap_err()), "vector_shape");
    assert_eq!(code(index.search(&rows[..4], 3, js("{ methd: 'exact' }")).unwrap_err()), "invalid_argument");
    assert_eq!(code(VectorIndex::load(&[0; 100]).unwrap_err()), "library_corrupt");
}

#[wasm_bindgen_test]
fn a_keyword_index_finds_texts_by_number_and_again_after_saving() {
    let mut index = KeywordIndex::new(Some("en".into())).unwrap();
    index.add(vec!["Cats purr.".into(), "Dogs bark.".into(), "A cat and a dog.".into()]).unwrap();
    index.build();
    for index in [&index, &KeywordIndex::load(&index.save().unwrap()).unwrap()] {
        let found = index.search("purring cats", 5);
        assert_eq!((get(&found, "ids.0"), get(&found, "ids.length")), (0.into(), 2.into()));
    }
    assert_eq!(text(&KeywordIndex::new(Some("klingon".into())).unwrap_err(), "code"), "invalid_argument");
    assert_eq!(text(&KeywordIndex::load(b"nothing").unwrap_err(), "code"), "library_corrupt");
}

#[wasm_bindgen_test]
async fn pages_are_told_and_facets_are_counted() {
    let engine = engine();
    let pages = r#"[{ id: "book", pages: ["Cats purr.", "Dogs bark."], metadata: { year: 2020 } }]"#;
    JsFuture::from(engine.add("default".into(), js(pages), None, None)).await.unwrap();
    let found = search(&engine, "{ query: 'bark', mode: 'keyword' }").await.unwrap();
    assert_eq!(get(&found, "hits.0.page"), 1, "short pages share a chunk, which tells where it begins");
    let facets = engine.facets(js("{ field: 'year' }")).unwrap();
    assert_eq!((get(&facets, "0.value"), get(&facets, "0.count")), (2020.into(), 1.into()));
    let error = engine.facets(js("{ field: 'yaer' }")).unwrap_err();
    assert!(text(&error, "message").contains("`year`"), "{}", text(&error, "message"));
}
