//! Exports of the agent module: runs over an engine in another module, and evaluation.

use super::bridge::{EngineView, JsSearcher};
use super::functions::JsFunctions;
use super::llm::JsLlm;
use js_sys::{Function, Promise};
use serde::Serialize;
use std::future::Future;
use vademecum_agent::event::{Event, Timed};
use vademecum_agent::ports::Observer;
use vademecum_agent::styles::pipeline::{Pipeline, Ports};
use vademecum_agent::tools::{Toolbox, Toolset, UserTool};
use vademecum_eval::{Draft, Trials, measure_trials, write_cases};
use vademecum_protocol::error::{Error, Result};
use vademecum_protocol::platform::Platform;
use vademecum_web::abort::Linked;
use vademecum_web::convert::{from_js, to_js};
use vademecum_web::error;
use vademecum_web::platform::Browser;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// Runs a pipeline. `llm` and `functions` call the caller's functions by name. Rejects on misuse only; a failed step is reported
/// in the result.
#[wasm_bindgen]
pub fn run(
    searcher: JsSearcher,
    pipeline: JsValue,
    llm: Function,
    has_llm: bool,
    functions: Function,
    on_event: Function,
    signal: Option<AbortSignal>,
) -> Promise {
    let pipeline = from_js::<Pipeline>("pipeline", pipeline);
    promise(signal, async move |linked: Linked| {
        let pipeline = pipeline?;
        pipeline.check()?;
        searcher.check_open()?; // a closed knowledge base is misuse, not a failed step
        let ports = Ports {
            llm: &JsLlm { call: llm, has_default: has_llm },
            searcher: &EngineView { engine: &searcher, sendable: false },
            functions: &JsFunctions(functions),
            observer: &JsObserver { callback: on_event, started: Browser.now() },
            platform: &Browser,
            cancel: linked.cancel.clone(),
        };
        Ok(pipeline.run(ports).await)
    })
}

/// Returns the tools of a style as an OpenAI-compatible endpoint expects them, including the caller's `tools`.
#[wasm_bindgen(js_name = toolSchema)]
pub fn tool_schema(style: &str, tools: JsValue) -> Result<JsValue, JsValue> {
    let named = || {
        Toolset::of_style(style)
            .ok_or_else(|| Error::invalid("style", "react, investigate or graph", style.to_owned()))
    };
    let schema = from_js::<Vec<UserTool>>("tools", tools)
        .and_then(|tools| named().map(|set| Toolbox::of(set, &tools).schema(set)));
    schema.map_err(|error| error::to_js(&error)).and_then(|schema| to_js(&schema))
}

/// Completes the test cases that `draftCases` returned; `llm` calls the caller's function if there is one.
#[wasm_bindgen(js_name = writeCases)]
pub fn write(drafts: String, llm: Function, has_llm: bool, signal: Option<AbortSignal>) -> Promise {
    promise(signal, async move |linked: Linked| {
        let drafts: Vec<Draft> = serde_json::from_str(&drafts)
            .map_err(|error| Error::invalid("drafts", "what `draftCases` gave", error.to_string()))?;
        let llm = JsLlm { call: llm, has_default: has_llm };
        write_cases(drafts, &llm, &|| Browser.random(), &linked.cancel).await
    })
}

/// Computes the metrics of [`Trials`].
#[wasm_bindgen(js_name = measureTrials)]
pub fn measure(trials: JsValue) -> Result<JsValue, JsValue> {
    let measured = from_js::<Trials>("trials", trials).and_then(|trials| measure_trials(&trials));
    measured.map_err(|error| error::to_js(&error)).and_then(|measured| to_js(&measured))
}

fn promise<T: Serialize, W: Future<Output = Result<T>>>(
    signal: Option<AbortSignal>,
    work: impl FnOnce(Linked) -> W + 'static,
) -> Promise {
    let linked = Linked::to(signal);
    future_to_promise(async move {
        let outcome = work(linked).await.map_err(|error| error::to_js(&error))?;
        to_js(&outcome)
    })
}

struct JsObserver {
    callback: Function,
    /// Start of the run in milliseconds.
    started: f64,
}

impl Observer for JsObserver {
    fn event(&self, event: &Event) {
        if let Ok(value) = to_js(&Timed { at: Browser.now() - self.started, event }) {
            let _ = self.callback.call1(&JsValue::NULL, &value);
        }
    }
}
