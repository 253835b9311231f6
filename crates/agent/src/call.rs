//! A call of an LLM, a searcher or a caller's function, recorded in the audit log however it ends.

use super::context::StepError;
use super::context::ToolCall;
use super::event::Event;
use super::run::Run;
use super::step_id::StepId;
use serde_json::Value;
use std::borrow::Cow;
use vademecum_protocol::error::Error;

/// A call in progress. Dropping it, because the run was cancelled, records it as aborted.
pub(super) struct Call<'a> {
    run: &'a Run<'a>,
    step: &'a StepId,
    tool: Cow<'static, str>,
    /// `None` once the call is recorded.
    arguments: Option<Value>,
    started: f64,
    /// The number of prompt tokens booked for an LLM call.
    pub(super) booked: Option<usize>,
}

impl<'a> Call<'a> {
    /// Starts a call.
    pub(super) fn begin(
        run: &'a Run<'a>,
        step: &'a StepId,
        tool: impl Into<Cow<'static, str>>,
        arguments: Value,
    ) -> Self {
        Self {
            run,
            step,
            tool: tool.into(),
            arguments: Some(arguments),
            started: run.elapsed(),
            booked: None,
        }
    }

    /// Records the end of the call and emits its event.
    pub(super) fn end(mut self, result: Result<Value, &Error>) {
        self.record(result);
    }

    fn record(&mut self, result: Result<Value, &Error>) {
        let Some(arguments) = self.arguments.take() else { return };
        let (result, error) = match result {
            Ok(result) => (result, None),
            Err(error) => (Value::Null, Some(StepError::of(error, self.step))),
        };
        let (step, tool) = (self.step.clone(), self.tool.clone());
        let duration_ms = self.run.elapsed() - self.started;
        let call = ToolCall { step: step.clone(), tool, arguments, result, duration_ms, error };
        self.run.observer.event(&Event::Tool { step, call: call.clone() });
        self.run.note_call(call);
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        // The prompt has been sent, whatever the reply would have been.
        if let Some(booked) = self.booked.filter(|_| self.arguments.is_some()) {
            self.run.account.count_tokens(booked, booked, 0, true);
        }
        self.record(Err(&Error::Aborted));
    }
}
