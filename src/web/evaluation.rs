//! What a page measures its own library by.

use super::abort::Linked;
use super::convert::{from_js, to_js};
use super::engine::Engine;
use super::error;
use super::llm::JsLlm;
use crate::error::Result;
use crate::eval::{CaseOptions, Trials, make_cases, measure_trials};
use crate::retrieve::KnowledgeBase;
use js_sys::{Function, Promise};
use serde::Deserialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// Documents that are looked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    ids: Vec<String>,
    collections: Vec<String>,
}

/// What [`Engine::locate`] takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllWanted {
    wanted: Vec<Wanted>,
}

#[wasm_bindgen]
impl Engine {
    /// Of each document that is looked for, those collections that hold it.
    pub fn locate(&self, wanted: JsValue) -> Result<JsValue, JsValue> {
        let found = from_js("wanted", wanted).and_then(|wanted| located(&self.0, &wanted));
        found.map_err(|error| error::to_js(&error)).and_then(|found| to_js(&found))
    }

    /// Cases of the documents themselves, by [`CaseOptions`]; `llm` calls the user's, if there is one.
    #[wasm_bindgen(js_name = makeCases)]
    pub fn make_cases(
        &self,
        options: JsValue,
        llm: Function,
        has_llm: bool,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let options = from_js::<CaseOptions>("makeCases", options);
        self.promise(signal, async move |kb: Rc<KnowledgeBase>, linked: Rc<Linked>| {
            let llm = JsLlm { call: llm, has_default: has_llm };
            make_cases(&kb, &options?, &llm, &linked.cancel).await
        })
    }
}

fn located(kb: &KnowledgeBase, all: &AllWanted) -> Result<Vec<Vec<Vec<String>>>> {
    let of_one = |one: &Wanted| one.ids.iter().map(|id| kb.holding(id, &one.collections)).collect();
    all.wanted.iter().map(of_one).collect()
}

/// Measures of what came of questions, by [`Trials`].
#[wasm_bindgen(js_name = measureTrials)]
pub fn measure(trials: JsValue) -> Result<JsValue, JsValue> {
    let measured = from_js::<Trials>("trials", trials).and_then(|trials| measure_trials(&trials));
    measured.map_err(|error| error::to_js(&error)).and_then(|measured| to_js(&measured))
}
