//! A searcher that fails is never taken for one that finds nothing.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum::agent::context::TerminatedBy;
use vademecum::agent::ports::{CollectionView, Found, Llm, SearchLimits, Searcher};
use vademecum::cancel::Cancel;
use vademecum::document::{DocumentSummary, Hit, Listing};
use vademecum::error::{Error, Result};
use vademecum_testing::agent::{FunctionLlm, NoLlm, TestFunctions, run_with, says};
use vademecum_testing::styles::spec;

/// Finds nothing, and cannot tell anything else.
struct Broken;

impl Searcher for Broken {
    fn search<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: &'a SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Found>> {
        Box::pin(std::future::ready(Ok(Found::default())))
    }

    fn collections(&self) -> Result<Vec<CollectionView>> {
        Err(Error::Closed)
    }

    fn document(
        &self,
        _: &[String],
        _: &str,
        _: Option<&Value>,
    ) -> Result<Option<(DocumentSummary, Vec<Hit>)>> {
        Err(Error::Closed)
    }

    fn listing(&self, _: &str, _: Option<&Value>, _: &[String], _: usize) -> Result<Listing> {
        Err(Error::Closed)
    }

    fn values(&self, _: &str, _: &str, _: Option<&Value>) -> Result<Vec<(Value, usize)>> {
        Err(Error::Closed)
    }
}

#[test]
fn a_searcher_that_cannot_tell_what_there_is_ends_the_run_with_its_error() {
    let llm = FunctionLlm::new(|_, _| says("{}"));
    for name in ["investigate", "graph"] {
        for llm in [&llm as &dyn Llm, &NoLlm] {
            let asked = spec(json!({ "name": name }), "List all contracts over 1000", json!({}));
            let (result, _) = run_with(&asked, &Broken, llm, &TestFunctions::default(), Cancel::default());
            assert_eq!(result.terminated_by, TerminatedBy::Error, "{name}");
            assert_eq!(result.error.unwrap().code, "closed", "{name}");
        }
    }
}
