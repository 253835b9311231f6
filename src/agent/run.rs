//! One run: takes the steps in order. The one place where a step's error becomes the context's, events are sent,
//! and a cancelled signal ends the work.

use super::context::{Context, StepError, TerminatedBy};
use super::event::Event;
use super::ports::{ChatRequest, Llm, Message, Observer, Searcher};
use super::reply::Completion;
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::platform::Platform;
use crate::text::chunk::estimate_tokens;
use futures_util::future::LocalBoxFuture;

/// Everything a step may call on.
pub struct Run<'a> {
    /// The model, if there is one.
    pub llm: Option<&'a dyn Llm>,
    /// Finds chunks.
    pub searcher: &'a dyn Searcher,
    /// Is told of events.
    pub observer: &'a dyn Observer,
    /// The clock.
    pub platform: &'a dyn Platform,
    /// Ends the run early.
    pub cancel: Cancel,
    /// Named in every request, where the caller names one.
    pub model: Option<String>,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Run").field("llm", &self.llm.is_some()).finish_non_exhaustive()
    }
}

/// A step: reads the context and changes it.
pub trait Step {
    /// Its name in events and errors.
    fn name(&self) -> &'static str;

    /// What its start event says.
    fn describe(&self, context: &Context) -> serde_json::Value;

    /// Does its work, and returns what its stop event says.
    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<serde_json::Value>>;
}

impl Run<'_> {
    /// Takes every step and sends the one terminal event.
    pub async fn take(&self, steps: &[&dyn Step], mut context: Context) -> Context {
        let started = self.platform.now();
        for step in steps {
            if context.terminated_by == TerminatedBy::Completed {
                self.apply(*step, &mut context).await;
            }
        }
        self.observer.event(&Event::Done {
            terminated_by: context.terminated_by,
            usage: context.usage,
            duration_ms: self.platform.now() - started,
        });
        context
    }

    async fn apply(&self, step: &dyn Step, context: &mut Context) {
        let name = step.name();
        if self.cancel.check().is_err() {
            context.terminated_by = TerminatedBy::Aborted;
            return;
        }
        self.observer.event(&Event::Start { step: name, metadata: step.describe(context) });
        let started = self.platform.now();
        let outcome = self.cancel.guard(step.run(self, context)).await;
        let duration_ms = self.platform.now() - started;
        match outcome.and_then(|inner| inner) {
            Ok(metadata) => self.observer.event(&Event::Stop { step: name, duration_ms, metadata }),
            Err(error) => {
                context.terminated_by =
                    if error == Error::Aborted { TerminatedBy::Aborted } else { TerminatedBy::Error };
                let error = StepError {
                    code: error.code(),
                    step: name,
                    message: error.to_string(),
                    retryable: error.retryable(),
                };
                self.observer.event(&Event::Failed { step: name, duration_ms, error: error.clone() });
                context.error = Some(error);
            }
        }
    }

    /// Asks the model on behalf of a step; text is passed on as token events, the cost is counted.
    pub async fn ask(
        &self,
        llm: &dyn Llm,
        step: &'static str,
        messages: Vec<Message>,
        context: &mut Context,
    ) -> Result<Completion> {
        let request = ChatRequest { model: self.model.clone(), messages, stream: true };
        context.usage.llm_calls += 1;
        let on_token = |text: &str| self.observer.event(&Event::Token { step, text: text.to_owned() });
        let completion = llm.complete(step, &request, &on_token).await?;
        match completion.usage {
            Some(reported) => {
                context.usage.prompt_tokens += reported.prompt_tokens;
                context.usage.completion_tokens += reported.completion_tokens;
            }
            None => {
                context.usage.estimated = true;
                context.usage.prompt_tokens +=
                    request.messages.iter().map(|message| estimate_tokens(&message.content)).sum::<usize>();
                context.usage.completion_tokens += estimate_tokens(&completion.content);
            }
        }
        Ok(completion)
    }
}
