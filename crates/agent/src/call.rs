//! A call of an LLM, of a searcher or of a function of the caller's: on record however it ends.

use super::context::StepError;
use super::context::ToolCall;
use super::event::Event;
use super::run::Run;
use serde_json::Value;
use std::borrow::Cow;
use vademecum_protocol::error::Error;

/// A call under way. One that is dropped, because the run was aborted, goes on record as that.
pub(super) struct Call<'a> {
    run: &'a Run<'a>,
    step: &'a str,
    tool: Cow<'static, str>,
    /// Taken once it is on record.
    arguments: Option<Value>,
    started: f64,
    /// As how many tokens the prompt was booked, where it is a call of an LLM.
    pub(super) booked: Option<usize>,
}

impl<'a> Call<'a> {
    /// Begins now.
    pub(super) fn begin(
        run: &'a Run<'a>,
        step: &'a str,
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

    /// Adds it to the audit log, and tells of it.
    pub(super) fn end(mut self, result: Result<Value, &Error>) {
        self.record(result);
    }

    fn record(&mut self, result: Result<Value, &Error>) {
        let Some(arguments) = self.arguments.take() else { return };
        let (result, error) = match result {
            Ok(result) => (result, None),
            Err(error) => (Value::Null, Some(StepError::of(error, self.step))),
        };
        let (step, tool) = (self.step.to_owned(), self.tool.clone());
        let duration_ms = self.run.elapsed() - self.started;
        let call = ToolCall { step: step.clone(), tool, arguments, result, duration_ms, error };
        self.run.observer.event(&Event::Tool { step, call: call.clone() });
        self.run.note_call(call);
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        // The prompt has left the device, whatever would have come back.
        if let Some(booked) = self.booked.filter(|_| self.arguments.is_some()) {
            self.run.account.count_tokens(booked, booked, 0, true);
        }
        self.record(Err(&Error::Aborted));
    }
}
